// A control call as it goes over the wire, and the same as a line for a shell.
import { url } from "../page.js";
import { signed } from "../number.js";
import { quoted, record } from "./recorder.js";

const LONGEST = 600_000;

// A value in JSON. Digits stay as they were typed, since a float would change long ones.
function valueOf({ kind }, text) {
  if (kind === "flag") return text;
  if (kind === "whole") return /^(0|[1-9]\d*)$/.test(signed(text)) ? signed(text) : JSON.stringify(text);
  if (kind === "decimal") return JSON.stringify(signed(text) || text);
  if (kind === "json") return text.trim();
  if (kind === "list") return JSON.stringify(text.split(",").map((one) => one.trim()).filter(Boolean));
  return JSON.stringify(text);
}

// An empty field is left out; only a list that must be there may be empty.
const isSent = (field, text) => text.trim() !== "" || (field.kind === "list" && field.isRequired);

// The request that a form's values make: `{method, path, body}`.
export function requestOf(call, values) {
  const sent = (place) => call.fields.filter((one) => one.place === place && isSent(one, values[one.name] ?? ""));
  const text = ({ name }) => values[name] ?? "";
  const filled = sent("path").reduce((path, one) => path.replace(`{${one.name}}`, encodeURIComponent(text(one).trim())), call.path);
  const query = sent("query").map((one) => `${one.name}=${encodeURIComponent(text(one))}`).join("&");
  const body = sent("body").map((one) => `${JSON.stringify(one.name)}:${valueOf(one, text(one))}`).join(",");
  return { method: call.method, path: filled + (query && `?${query}`), body: call.method === "POST" ? `{${body}}` : null };
}

// The line that does the same.
export function curlOf({ path, body }, base = location.origin + url("")) {
  const address = quoted(base + path);
  return body === null ? `curl -sS ${address}` : `curl -sS ${address} -H 'Content-Type: application/json' -d ${quoted(body)}`;
}

// Sends a request. The answer is `{status, text, isGood}`; without a reply the status is 0 and the text says why.
export async function send(request) {
  const { method, path, body } = request;
  const options = body === null ? { method } : { method, body, headers: { "content-type": "application/json" } };
  try {
    const reply = await fetch(url(path), { ...options, cache: "no-store", signal: AbortSignal.timeout(LONGEST) });
    const answer = { status: reply.status, text: await reply.text(), isGood: reply.ok };
    if (reply.ok && body !== null) record(request);
    return answer;
  } catch (cause) {
    return { status: 0, text: `No reply came (${cause.message}). The call may have been carried out.`, isGood: false };
  }
}

// The reason, the message and the status of a refusal.
export function refusalOf({ text, status }) {
  try {
    const { reason, message } = JSON.parse(text);
    return reason ? { reason, message, status } : null;
  } catch (failure) {
    // A reply of a proxy, say, whose text is shown as it came.
    console.info(failure.message);
    return null;
  }
}

// JSON with a line for each member; every digit stays as it was sent.
export function pretty(text) {
  let out = "";
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    if (token === "{" || token === "[") {
      depth += 1;
      out += token + line();
    } else if (token === "}" || token === "]") {
      depth -= 1;
      out += line() + token;
    } else if (token === ",") {
      out += token + line();
    } else {
      out += token === ":" ? ": " : token;
    }
  }
  return out;
}
