// What people read of a refusal. The exchange words it for programs, which know fields by their names: people know them by their labels.

import { sentenceOf } from "./reasons.js";

const fields = (name) => [...document.getElementsByName(name)];
const isShown = (name) => fields(name).some((one) => one.checkVisibility());

// The words of a field: those of its label up to their first comma, or its name.
function wordsOf(name) {
  if (name === "token") return "This link";
  const label = fields(name).find((one) => one.checkVisibility())?.labels?.[0]?.textContent ?? name.replaceAll("_", " ");
  const [words] = label.trim().split(/[,:]/);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const SECRETS = { email: "e-mail address", password: "password", old: "current password", code: "code" };

// The exchange does not say which of them is wrong; the page says which of them it asked for.
function wrong(names) {
  if (names.join() === "code") return "This code is wrong, too old, or was used before.";
  return names.length > 0 ? `The ${names.map((name) => SECRETS[name]).join(" or the ")} is wrong.` : "";
}

const times = (seconds) => (seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`);

// The sentence of a failure; `asked` are the names of the fields that the user has just filled in.
export function sentence(failure, asked = Object.keys(SECRETS).filter(isShown)) {
  const { reason, wait } = failure;
  const plain = failure.plain || failure.message;
  if (reason === "InvalidCredentials") return wrong(asked) || plain;
  if (reason === "RateLimit" && wait > 0) return `Too many tries. Try again in ${times(wait)}.`;
  if (reason === "CsrfMismatch") return "This page belongs to an earlier sign-in. Load it again.";
  const raw = failure.raw ?? "";
  const message = raw.replace(/^Field '(\w+)'/, (whole, name) => wordsOf(name));
  return message === raw ? plain : sentenceOf({ reason, message });
}
