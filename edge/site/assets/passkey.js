// Passkeys: WebAuthn with the exchange's options and answers, whose bytes are in base64url.
import { byId, post } from "./post.js";
import { Failure } from "./call.js";

// Why this page can use no passkey; empty where it can.
export function lack() {
  const { hostname, port, protocol } = location;
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  const isLoopback = /^127\.|^\[::1\]$/.test(hostname);
  const name = isLoopback ? `at ${protocol}//localhost${port && `:${port}`}` : "by its name";
  if (isAddress) return `Passkeys need a host name. Open this page ${name} to use them.`;
  return window.PublicKeyCredential ? "" : "This browser has no passkeys here: they need https, or localhost.";
}

// Says why there are no passkeys, and disables the buttons that need them.
export function explain(...ids) {
  const reason = lack();
  byId("passkey-note").textContent = reason;
  byId("passkey-note").hidden = reason === "";
  for (const id of ids) byId(id).disabled = reason !== "";
}

function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

function text(buffer) {
  const letters = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const withBytes = (credentials = []) => credentials.map((one) => ({ ...one, id: bytes(one.id) }));

// The buffers of an answer as text, by their names.
function answer({ rawId, type, response }, names) {
  const fields = names.filter((name) => response[name]).map((name) => [name, text(response[name])]);
  return { id: text(rawId), rawId: text(rawId), type, response: Object.fromEntries(fields) };
}

// Waits for the authenticator. Its user may refuse, or be too slow.
async function ask(act) {
  try {
    return await act();
  } catch (cause) {
    if (cause.name === "NotAllowedError") throw new Failure("No passkey was used: it was refused, or took too long.", { cause });
    if (cause.name === "InvalidStateError") throw new Failure("This device has a passkey of yours already.", { cause });
    throw new Failure(`The passkey does not work here (${cause.message}).`, { cause });
  }
}

// Makes a passkey and adds it; returns what the exchange answers.
export async function addPasskey(name) {
  const { publicKey } = await post("/site/passkeys/begin", { name });
  const options = {
    ...publicKey,
    challenge: bytes(publicKey.challenge),
    user: { ...publicKey.user, id: bytes(publicKey.user.id) },
    excludeCredentials: withBytes(publicKey.excludeCredentials),
  };
  const made = await ask(() => navigator.credentials.create({ publicKey: options }));
  return post("/site/passkeys/finish", answer(made, ["clientDataJSON", "attestationObject"]));
}

// Signs in with a passkey; returns what the exchange answers.
export async function usePasskey() {
  const { publicKey } = await post("/site/signin/passkey/begin");
  const options = {
    ...publicKey,
    challenge: bytes(publicKey.challenge),
    allowCredentials: withBytes(publicKey.allowCredentials),
  };
  const signed = await ask(() => navigator.credentials.get({ publicKey: options }));
  const names = ["clientDataJSON", "authenticatorData", "signature", "userHandle"];
  return post("/site/signin/passkey/finish", answer(signed, names));
}
