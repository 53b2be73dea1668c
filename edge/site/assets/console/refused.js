// A refusal on the console: a sentence for people, and in small what a program gets.
import { sentenceOf } from "../reasons.js";
import { html } from "../ui.js";

// Reasons that programs alone meet.
const SENTENCES = {
  AmbiguousAuthentication: "The call has both a key and a token. Send one of them.",
  ApiKeyIpFilteringFailure: "The key may not be used from this address.",
  InvalidApiKey: "The exchange does not know this key.",
  InvalidSignature: "The signature does not fit what was signed.",
  InvalidTimestampInPayload: "The time of the call cannot be read, or is too far from now.",
  MissingApikeyHeader: "The call names no key.",
  MissingNonce: "The call has no nonce.",
  MissingOrderField: "The order lacks a field.",
  MissingPayloadHeader: "The call has no payload.",
  MissingPayloadKey: "The payload lacks a field.",
  MissingSecurityHeaders: "The call is not signed, and has no token.",
  MissingSignatureHeader: "The call has no signature.",
  UpgradeRequired: "This address is that of a stream: open a socket to it.",
};

// The exchange's words without the reason that they may begin with.
const wordsOf = ({ reason, message }) => (message ?? "").replace(`${reason}: `, "");

// The sentence of a refusal.
export const saidOf = (refusal) => SENTENCES[refusal.reason] ?? sentenceOf({ ...refusal, message: wordsOf(refusal) });

const bare = (words) => words.replace(/[.\s]*$/, "");

// `refusal` has a `reason`, a `message` and a `status`.
export function Refused({ refusal }) {
  const [said, words] = [saidOf(refusal), wordsOf(refusal)];
  return html`<span class="refused-words">${said} <small class="soft" data-reason=${refusal.reason}><code>${refusal.reason}</code>${
    bare(words) === bare(said) ? "" : ` ${words}`}</small></span>`;
}
