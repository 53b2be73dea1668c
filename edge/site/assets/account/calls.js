// Calls of an account's pages: a few at a time, since the exchange takes no more at once of one session, and again where a limit asks to
// wait.
import { call, getPublic } from "../call.js";
import { keep, kept } from "../kept.js";

const AT_ONCE = 4;
const TRIES = 3;
const LONGEST_WAIT = 6;

let running = 0;
const waiting = [];

async function inTurn(work) {
  if (running >= AT_ONCE) await new Promise((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

async function patiently(work) {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await inTurn(work);
    } catch (failure) {
      if (failure.status !== 429 || left <= 1 || failure.wait > LONGEST_WAIT) throw failure;
      await pause(Math.max(1, failure.wait));
    }
  }
}

// Reads of the interface: private ones on the chosen account, and public ones.
export const ask = (request, fields) => patiently(() => call(request, fields));
export const askPublic = (path) => patiently(() => getPublic(path));

const chains = new Map();

// The same for calls that the exchange answers once in so many milliseconds, one after another: the pages of a tab ask no sooner.
// `onSend` is called when the call is sent.
export function askPaced(name, every, request, fields, onSend = () => {}) {
  const place = `paced-${name}`;
  const note = () => keep(place, String(Date.now()));
  const mine = (chains.get(name) ?? Promise.resolve()).then(async () => {
    const left = Number(kept(place) ?? 0) + every - Date.now();
    if (left > 0) await pause(left / 1_000);
    note();
    onSend();
    return ask(request, fields).finally(note);
  });
  // Who asked for it hears of a failure; the next call of the chain is made all the same.
  chains.set(name, mine.catch((failure) => console.info(failure.message)));
  return mine;
}

const lists = new Map();

// A list that is read so: who wants it before it is sent gets the same answer, so that no queue of equal calls grows.
export function listPaced(name, every, request, fields) {
  const key = `${name} ${request} ${JSON.stringify(fields)}`;
  if (!lists.has(key)) lists.set(key, askPaced(name, every, request, fields, () => lists.delete(key)));
  return lists.get(key);
}
