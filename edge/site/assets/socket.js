// The one owner of the page's socket: subscriptions, age, gaps, reconnection. Pages only watch streams by name.
import { post } from "./call.js";
import { data, isSignedIn, signInUrl, socketUrl } from "./page.js";
import { isPrivate, Stream, subjectOf } from "./stream.js";

const PING = 3_000;
// The age at which values count as stale, and that at which the socket is given up.
const STALE = 7_000;
const GIVEN_UP = 20_000;
const [SHORTEST, LONGEST] = [250, 8_000];
const LOADING = { kind: "loading" };

// A call that ends with its socket is made anew over the next one, so its failure is no news.
const left = (failure) => void failure;

const watchers = new Set();
// The streams that are watched, by their names. Watchers of one share its subscription.
const streams = new Map();
const replies = new Map();
let socket = null;
let isOpen = false;
let hasTicket = false;
// Why the open socket has no private streams: a state with a way out of it. Public ones go on.
let denial = null;
let heard = 0;
let ticked = Date.now();
let tries = 0;
let timer = 0;
let nextId = 1;
let state = LOADING;

const isGiven = (name) => !(denial && isPrivate(name));

function tell(watcher, told) {
  if (watcher.told === told) return;
  watcher.told = told;
  watcher.onState?.(told);
}

// A watcher is live once each of its streams is ready; until then it loads.
function ownState({ names, hasJoined }) {
  const all = [...names];
  if (denial && !all.every(isGiven)) return denial;
  const watched = all.map((name) => streams.get(name));
  if (state.kind !== "live") return state;
  const failed = watched.find(({ failure }) => failure);
  return failed?.failure ?? (hasJoined && watched.every(({ isReady }) => isReady) ? state : LOADING);
}

function setState(next) {
  state = next;
  for (const watcher of watchers) tell(watcher, ownState(watcher));
}

const watchersOf = ({ name }) => [...watchers].filter(({ names }) => names.has(name));

function tellWatchersOf(stream) {
  for (const watcher of watchersOf(stream)) tell(watcher, ownState(watcher));
}

function deliver(frame) {
  const subject = subjectOf(frame);
  for (const stream of [...streams.values()].filter((one) => one.takes(subject))) {
    if (stream.lacks(frame)) return cut();
    const isFirst = stream.take(frame);
    for (const watcher of watchersOf(stream)) if (watcher.hasJoined) watcher.onFrame(frame, { isFirst, name: stream.name });
    if (isFirst) tellWatchersOf(stream);
  }
  return undefined;
}

function send(method, params) {
  const id = nextId++;
  socket.send(JSON.stringify(params === undefined ? { id, method } : { id, method, params }));
  return new Promise((resolve, reject) => replies.set(id, { resolve, reject }));
}

// A call over the socket, such as `request("ping")`. It fails if the socket is not open or ends before the reply.
export const request = async (method, params) => {
  if (!isOpen) throw new Error("The socket is not open.");
  return send(method, params);
};

function hear({ data: text }) {
  heard = Date.now();
  if (state.kind !== "live") setState({ kind: "live" });
  const message = JSON.parse(text);
  if (!("status" in message && "id" in message)) return deliver(message);
  const waiting = replies.get(message.id);
  replies.delete(message.id);
  return message.error ? waiting?.reject(new Error(message.error.msg)) : waiting?.resolve(message);
}

// Subscribes to streams. One that cannot be had says so by its watchers' state.
async function subscribe(all) {
  const wanted = all.filter(({ name }) => isGiven(name));
  if (!isOpen || wanted.length === 0) return;
  for (const stream of wanted) stream.isAsked = true;
  try {
    await send("subscribe", wanted.map(({ name }) => name));
    // Frames count from here on; those of silent streams may be long in coming.
    for (const stream of wanted) Object.assign(stream, { isGranted: true, failure: null });
    wanted.filter(({ isReady }) => isReady).forEach(tellWatchersOf);
  } catch (failure) {
    if (isOpen) refused(wanted, failure);
  }
}

// One stream that cannot be had keeps no other from the page.
function refused(wanted, failure) {
  if (wanted.length > 1) return wanted.forEach((stream) => subscribe([stream]));
  const [stream] = wanted;
  Object.assign(stream, { isAsked: false, failure: { kind: "error", message: failure.message } });
  return tellWatchersOf(stream);
}

function opened() {
  [isOpen, heard] = [true, Date.now()];
  for (const stream of streams.values()) stream.reset();
  subscribe([...streams.values()]);
}

// How long to wait before a try: each time twice as long, with a random part so that pages do not all come back at once.
const delay = (tried) => Math.min(LONGEST, SHORTEST * 2 ** tried) * (0.75 + Math.random() / 4);

function ended() {
  [isOpen, socket] = [false, null];
  for (const { reject } of replies.values()) reject(new Error("The socket has ended."));
  replies.clear();
  if (watchers.size === 0) return;
  const wait = delay(tries);
  tries += 1;
  setState({ kind: "reconnecting", tries, nextAt: Date.now() + wait, since: heard });
  clearTimeout(timer);
  timer = setTimeout(connect, wait);
}

// Ends the socket without waiting for the other end, which may not answer.
function cut() {
  const old = socket;
  if (!old) return;
  old.onopen = old.onmessage = old.onclose = null;
  old.close();
  ended();
}

async function ticket() {
  try {
    return (await post("/site/stream", {})).ticket;
  } catch (failure) {
    // Market data needs no ticket.
    if (failure.isLost || [429, 503].includes(failure.status)) throw failure;
    denial = denialOf(failure);
    return null;
  }
}

// The state of private streams for which there is no ticket.
function denialOf({ status, plain }) {
  if (data.user?.is_operator) return { kind: "error", message: "An operator does not trade and has no account." };
  if (status === 409) return { kind: "error", message: plain, link: { reload: true, words: "Load again" } };
  return { kind: "error", message: plain, link: { href: signInUrl(), words: "Sign in" } };
}

let isConnecting = false;
async function connect() {
  if (isConnecting || socket || watchers.size === 0) return;
  isConnecting = true;
  clearTimeout(timer);
  try {
    denial = null;
    hasTicket = isSignedIn() && [...streams.keys()].some(isPrivate);
    const shown = hasTicket ? await ticket() : null;
    if (denial) setState(state);
    socket = new WebSocket(socketUrl(`/?snapshot=-1${shown ? `&ticket=${encodeURIComponent(shown)}` : ""}`));
    socket.onopen = () => {
      tries = 0;
      opened();
    };
    socket.onmessage = hear;
    socket.onclose = ended;
  } catch (failure) {
    left(failure);
    ended();
  } finally {
    isConnecting = false;
  }
}

function check() {
  const now = Date.now();
  const slept = now - ticked > PING + STALE;
  ticked = now;
  if (!isOpen) return;
  const age = now - heard;
  // A browser that slept, or hid the page for long, may hold a socket that is long dead.
  if (age > GIVEN_UP || (slept && age > STALE)) return cut();
  if (age > STALE) setState({ kind: "stale", age, since: heard });
}

function ping() {
  if (isOpen) send("ping").catch(left);
}

setInterval(check, 1_000);
setInterval(ping, PING);
addEventListener("offline", cut);
addEventListener("online", () => connect());
addEventListener("pageshow", ({ persisted }) => persisted && cut());
document.addEventListener("visibilitychange", () => {
  if (document.hidden || !isOpen) return;
  if (Date.now() - heard > STALE) cut();
  else ping();
});

// A watcher of streams that others watch begins with all that these have said.
function join(watcher) {
  if (!watchers.has(watcher)) return;
  watcher.hasJoined = true;
  for (const name of watcher.names) {
    const frame = streams.get(name)?.whole();
    if (frame) watcher.onFrame(frame, { isFirst: true, name });
  }
  if (watchers.has(watcher)) tell(watcher, ownState(watcher));
}

function leave(watcher) {
  watchers.delete(watcher);
  const unused = [...watcher.names].map((name) => streams.get(name)).filter((stream) => stream && watchersOf(stream).length === 0);
  for (const { name } of unused) streams.delete(name);
  const given = unused.filter(({ isAsked }) => isAsked);
  if (isOpen && given.length) send("unsubscribe", given.map(({ name }) => name)).catch(left);
}

// Watches streams, such as `["btcusd@depth@100ms"]`. `onFrame(frame, { isFirst, name })` gets each frame; after a cut or a gap the
// first one is a new snapshot. `onState({ kind, … })` gets "loading", "live", "stale" (`age` and `since`), "reconnecting" (`tries`,
// `nextAt`, `since`) and "error" (`message`). Returns a function that ends it.
/** @param {string[]} wanted @param {{ onFrame: (frame: any, about: any) => unknown, onState?: (state: any) => unknown }} reader */
export function watch(wanted, { onFrame, onState }) {
  const watcher = { names: new Set(wanted), hasJoined: false, onFrame, onState, told: null };
  for (const name of wanted) if (!streams.has(name)) streams.set(name, new Stream(name));
  watchers.add(watcher);
  tell(watcher, ownState(watcher));
  if (!socket) connect();
  else if (isSignedIn() && !hasTicket && wanted.some(isPrivate)) cut();
  else subscribe(wanted.map((name) => streams.get(name)).filter(({ isAsked }) => !isAsked));
  queueMicrotask(() => join(watcher));
  return () => leave(watcher);
}
