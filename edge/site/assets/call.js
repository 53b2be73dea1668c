// Calls of the exchange. What fails is a `Failure`, whose message is a sentence for the page.
import { data, url } from "./page.js";

const LONGEST = 10_000;

export class Failure extends Error {
  // `reason` and `plain` are the reason and the message of a refusal, `wait` the least wait in seconds. `isLost`: no reply came, so
  // what was asked for may have happened.
  constructor(message, { cause, wait = 0, reason = "", plain = "", status = 0, isLost = false } = {}) {
    super(message, { cause });
    Object.assign(this, { wait, reason, plain: plain || message, status, isLost });
  }
}

// The reason and the message of a refusal; of another body its beginning.
function words(reply, text) {
  if (!(reply.headers.get("content-type") || "").startsWith("application/json")) return { message: text.slice(0, 200) };
  try {
    return JSON.parse(text);
  } catch (failure) {
    console.error(failure);
    return { message: `its body is no JSON: ${text.slice(0, 200)}` };
  }
}

function refusal(reply, text) {
  const { reason, message } = words(reply, text);
  const status = `The exchange answers with status ${reply.status}${reason ? ` (${reason})` : ""}`;
  const whole = message ? `${status}: ${message.replace(/\.?$/, ".")}` : `${status}.`;
  const wait = Number(reply.headers.get("retry-after")) || 0;
  return new Failure(whole, { wait, reason, plain: reason ? message : "", status: reply.status });
}

// The text of a reply. `longest` is how long it may take, in milliseconds; the other options are those of `fetch`.
export async function text(path, { longest = LONGEST, ...options } = {}) {
  let reply;
  let body;
  try {
    reply = await fetch(url(path), { cache: "no-store", signal: AbortSignal.timeout(longest), ...options });
    body = await reply.text();
  } catch (cause) {
    throw new Failure(`The exchange does not answer (${cause.message}).`, { cause, isLost: true });
  }
  if (!reply.ok) throw refusal(reply, body);
  return body;
}

// Numbers of JSON that have a point stay texts, since a float would change their digits.
const exact = (key, value, context) => (typeof value === "number" && /[.eE]/.test(context?.source ?? "") ? context.source : value);

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

// A call that changes something. Its answer may bring the token of the next one.
export async function post(path, body = {}, options = {}) {
  const headers = { "content-type": "application/json" };
  if (data.csrf) headers["x-csrf-token"] = data.csrf;
  const reply = parse(await text(path, { method: "POST", headers, body: JSON.stringify(body), ...options }));
  if (reply?.csrf) data.csrf = reply.csrf;
  return reply;
}

// A private call of the interface on the chosen account, such as `call("/v1/orders")`.
export const call = (request, fields = {}, options = {}) => post("/site/call", { request, ...fields }, options);
