// What differs between what a client sent and what would have been right.
import { html } from "../ui.js";

// The parts of a text, each with whether it differs from another text at the same place: `[[part, differs]]`.
export function parts(text, other) {
  const found = [];
  for (let at = 0; at < text.length; at += 1) {
    const differs = text[at] !== other[at];
    const last = found.at(-1);
    if (last && last[1] === differs) last[0] += text[at];
    else found.push([text[at], differs]);
  }
  return found;
}

// A text whose parts are marked where they differ.
export const Marked = ({ text, other }) =>
  html`${parts(text, other).map(([part, differs]) => (differs ? html`<mark>${part}</mark>` : part))}`;

// What the form of a signature gives away. One that has the right form was made with another secret or of another text.
export function signatureFault(sent, expected) {
  if (sent.toLowerCase() === expected) return "";
  if (!/^[0-9a-f]*$/i.test(sent)) return "It is not hexadecimal. A signature is 96 hexadecimal digits.";
  if (sent.length === 64) return "64 digits are HMAC-SHA256. The exchange takes HMAC-SHA384, 96 digits.";
  if (sent.length === 128) return "128 digits are HMAC-SHA512. The exchange takes HMAC-SHA384, 96 digits.";
  if (sent.length !== 96) return `It has ${sent.length} digits. HMAC-SHA384 has 96.`;
  return "It has the right form, so another secret was used, or another text was signed: sign the payload header as it is sent, in base64.";
}

// Places of a payload header that base64 does not have, such as line breaks.
export const signedParts = (text) => text.split(/([^A-Za-z0-9+/=]+)/).map((part, at) => [part, at % 2 === 1]).filter(([part]) => part);

// The field that a reason such as `InvalidPrice` is about.
function fieldOf(reason) {
  const name = /^Invalid(\w+)$/.exec(reason ?? "")?.[1].toLowerCase();
  return name === "quantity" ? "amount" : name;
}

// What is wrong with a field of the payload: `""` if nothing is.
export function fieldFault(request, name, value) {
  if (request.unknown_fields.includes(name)) return "The endpoint does not know this field.";
  const path = request.route.split(" ")[1];
  if (name === "request" && request.check === "request") return `The path that was called is ${path}.`;
  if (name === "nonce" && request.check === "nonce") return `The highest nonce was ${request.highest_nonce}; value sent: ${value}.`;
  const isMeant = fieldOf(request.reason) === name || request.message?.includes(`'${name}'`);
  if (request.check === "parameters" && isMeant) return request.message;
  return "";
}
