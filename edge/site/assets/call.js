// Calls of the exchange. What fails is a `Failure`, whose message is a sentence for the page.
import { data, isSignedIn, url } from "./page.js";
import { SIGNED_OUT, sentenceOf } from "./reasons.js";

export { SIGNED_OUT };

const LONGEST = 10_000;

export class Failure extends Error {
  // `reason` is that of a refusal, `plain` its sentence, `raw` the exchange's own words, `wait` the least wait in seconds. `isLost`: no reply came, so
  // what was asked for may have happened.
  /** @param {string} message @param {{ cause?: unknown, wait?: number, reason?: string, plain?: string, raw?: string, status?: number,
   *   isLost?: boolean }} [fields] */
  constructor(message, { cause, wait = 0, reason = "", plain = "", raw = "", status = 0, isLost = false } = {}) {
    super(message, { cause });
    Object.assign(this, { wait, reason, plain: plain || message, raw, status, isLost });
  }
}

const isJson = (reply) => (reply.headers.get("content-type") || "").startsWith("application/json");

// The reason and the message of a refusal; of another body its beginning.
function words(reply, text) {
  if (!isJson(reply)) return { message: text.substring(0, 200) };
  try {
    return JSON.parse(text);
  } catch (failure) {
    console.error(failure);
    return { message: `its body is no JSON: ${text.substring(0, 200)}` };
  }
}

// A call that the page makes by itself, while it is not seen or the user has not acted for a minute, is no use of the session.
const ATTENDED = 60_000;
let acted = Date.now();
for (const act of ["pointerdown", "keydown", "wheel", "touchstart"]) {
  addEventListener(act, () => (acted = Date.now()), { capture: true, passive: true });
}
const unattended = () => (document.hidden || Date.now() - acted > ATTENDED ? { "x-unattended": "true" } : {});

const endings = new Set();
let hasEnded = false;
// Calls `reader` once the session of this page has ended.
export const onSessionEnd = (reader) => (hasEnded ? reader() : endings.add(reader));
export const hasSessionEnded = () => hasEnded;
function noteEnd() {
  if (hasEnded) return;
  hasEnded = true;
  for (const reader of endings) reader();
}

// Refusals of a call whose browser has another session or none.
const SESSIONLESS = ["SignInRequired", "CsrfMismatch"];

function refusal(reply, text) {
  // Prediction markets name the reason `error`.
  const { error, reason = error, message = "" } = words(reply, text);
  const { status } = reply;
  if (isSignedIn() && SESSIONLESS.includes(reason)) {
    noteEnd();
    return new Failure(SIGNED_OUT, { reason, status });
  }
  const wait = Number(reply.headers.get("retry-after")) || 0;
  if (isJson(reply)) {
    const sentence = sentenceOf({ reason, message, status });
    return new Failure(sentence, { wait, reason, raw: message, status });
  }
  return new Failure(message ? `The exchange answers with status ${status}: ${message.replace(/\.?$/, ".")}`
    : `The exchange answers with status ${status}.`, { wait, status });
}

// The text of a reply. `longest` is how long it may take, in milliseconds; the other options are those of `fetch`.
/** @param {string} path @param {RequestInit & { longest?: number }} [options] */
export async function text(path, { longest = LONGEST, headers, ...options } = {}) {
  let reply;
  let body;
  try {
    reply = await fetch(url(path), { cache: "no-store", signal: AbortSignal.timeout(longest), headers: { ...headers, ...unattended() },
      ...options });
    body = await reply.text();
  } catch (cause) {
    throw new Failure(`The exchange does not answer (${cause.message}).`, { cause, isLost: true });
  }
  if (!reply.ok) throw refusal(reply, body);
  return body;
}

// Numbers of JSON that have a point stay texts, since a float would change their digits.
const exact = (_, value, context) => (typeof value === "number" && /[.eE]/.test(context?.source ?? "") ? context.source : value);

function parse(body) {
  try {
    return JSON.parse(body, exact);
  } catch (cause) {
    throw new Failure(`This page cannot read what the exchange answers (${cause.message}).`, { cause });
  }
}

export const get = async (path, options) => parse(await text(path, options));

// Where this site answers a public call of the interface, such as `/v1/symbols`. The call then takes nothing of the public limit of the
// visitor's address, which is for programs, and the interface may be at another address than the pages.
export const publicPath = (path) => `/site/public${path}`;

export const getPublic = (path, options) => get(publicPath(path), options);

// The tabs of one browser share its session, and with it the account that was chosen last.
const tabs = new BroadcastChannel("buttonwood-account");
const CHOICE = "/site/account";

// Calls `reader` with the number of the account that another tab chose.
export const onAccountChosen = (reader) => tabs.addEventListener("message", (event) => reader(event.data));

// A call names the account of the page by its number, whichever account another tab has chosen since (D-289).
const ofAccount = (path) => (Number.isInteger(data.user?.number) && path !== CHOICE ? { "x-account": String(data.user.number) } : {});

function headersOf(path, account) {
  const named = account === undefined ? ofAccount(path) : { "x-account": String(account) };
  const headers = { "content-type": "application/json", ...named };
  if (data.csrf) headers["x-csrf-token"] = data.csrf;
  return headers;
}

// What a page reads of the account that it shows.
export const getOwn = (path) => get(path, { headers: ofAccount(path) });

// A call that changes something. Its answer may bring the token of the next one. `account` is the number of another account than that of
// the page.
/** @param {string} path @param {object} [body] @param {RequestInit & { longest?: number, account?: number }} [options] */
export async function post(path, body = {}, { account, ...options } = {}) {
  const headers = headersOf(path, account);
  const reply = parse(await text(path, { method: "POST", headers, body: JSON.stringify(body), ...options }));
  if (reply?.csrf) data.csrf = reply.csrf;
  return reply;
}

// Makes an account that of pages which name none. It is named by its number: another account may bear its name by now.
export async function chooseAccount(number, options) {
  await post(CHOICE, { number }, options);
  tabs.postMessage(number);
}

// The names that accounts bear now, for calls that name them so.
export async function namesOf(...numbers) {
  const all = await get("/site/accounts");
  return numbers.map((number) => {
    const found = all.find((one) => one.number === number);
    if (!found) throw new Failure("This account is closed.");
    return found.name;
  });
}

// A private call of the interface on the chosen account, such as `call("/v1/orders")`.
/** @template {string} Path @param {Path} request @param {object} [fields] @param {RequestInit & { longest?: number, account?: number }} [options]
 * @returns {Promise<import("replies").Reply<Path>>} */
export const call = (request, fields = {}, options = {}) => post("/site/call", { request, ...fields }, options);
