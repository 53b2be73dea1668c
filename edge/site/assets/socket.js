// The one owner of the page's socket: subscriptions, age, gaps, reconnection. Pages only watch streams by name.
import { post } from "./call.js";
import { data, isSignedIn, signInUrl, socketUrl } from "./page.js";

const PING = 3_000;
// The age at which values count as stale, and that at which the socket is given up.
const STALE = 7_000;
const GIVEN_UP = 20_000;
const [SHORTEST, LONGEST] = [250, 8_000];
// Streams without a first frame: they send one when something happens.
const SILENT = new Set(["trade", "orders", "contractStatus"]);

// A call that ends with its socket is made anew over the next one, so its failure is no news.
const left = (failure) => void failure;

const watchers = new Set();
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
let state = { kind: "loading" };

const isPrivate = (name) => name.endsWith("@account") || name.includes("@account@");
const isGiven = (name) => !(denial && isPrivate(name));
const names = () => [...new Set([...watchers].flatMap((watcher) => watcher.names))];

// The kind of stream that a frame belongs to; the newest socket names it in no field of its own.
function feedOf(frame) {
  if (frame.e === "depthUpdate") return "depth";
  if (frame.e === "orderUpdate") return "orders";
  if (frame.e === "balanceUpdate") return "balances";
  if (frame.e === "positionReport") return "positions";
  if (frame.e === "contractStatus") return "contractStatus";
  if ("lastUpdateId" in frame) return "levels";
  return "t" in frame ? "trade" : "bookTicker";
}

// The feed of a stream's name, and its symbol.
function parsed(name) {
  const [subject, feed = subject] = name.split("@");
  if (feed === "account") return { symbol: "", feed: subject };
  return { symbol: feed === subject ? "" : subject.toLowerCase(), feed: /^depth\d/.test(feed) ? "levels" : feed };
}

function tell(watcher, told) {
  if (watcher.told === told) return;
  watcher.told = told;
  watcher.onState?.(told);
}

// A watcher is live once each of its streams answered; until then it loads.
function ownState(watcher) {
  if (denial && !watcher.names.every(isGiven)) return denial;
  return state.kind === "live" && watcher.missing.size ? { kind: "loading" } : state;
}

function setState(next) {
  state = next;
  for (const watcher of watchers) tell(watcher, ownState(watcher));
}

function arrived(watcher, name) {
  if (watcher.missing.delete(name) && watcher.missing.size === 0) tell(watcher, ownState(watcher));
}

function deliver(frame) {
  const feed = feedOf(frame);
  const symbol = (frame.s ?? frame.symbol ?? "").toLowerCase();
  for (const watcher of [...watchers]) {
    for (const stream of watcher.streams) {
      if (stream.feed !== feed || (stream.symbol && stream.symbol !== symbol)) continue;
      const isFirst = !stream.hasFrame;
      if (feed === "depth" && !isFirst && frame.U > stream.last) return cut();
      [stream.hasFrame, stream.last] = [true, frame.u];
      watcher.onFrame(frame, { isFirst, name: stream.name });
      arrived(watcher, stream.name);
    }
  }
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
  const wanted = all.filter(isGiven);
  if (!isOpen || wanted.length === 0) return;
  try {
    await send("subscribe", wanted);
    // The other streams begin with a frame, which follows.
    const silent = wanted.filter((name) => SILENT.has(parsed(name).feed));
    for (const watcher of watchers) for (const name of silent) arrived(watcher, name);
  } catch (failure) {
    if (!isOpen) return;
    // One stream that cannot be had keeps no other from the page.
    if (wanted.length > 1) {
      for (const name of wanted) subscribe([name]);
      return;
    }
    for (const watcher of watchers) {
      if (watcher.names.some((name) => wanted.includes(name))) tell(watcher, { kind: "error", message: failure.message });
    }
  }
}

// A stream that others watch is asked for again, since its first frame is due to a new watcher too.
function subscribeAnew(wanted, known) {
  for (const { streams } of watchers) for (const stream of streams) if (known.includes(stream.name)) stream.hasFrame = false;
  const given = known.filter(isGiven);
  if (given.length) send("unsubscribe", given).catch(left);
  subscribe(wanted);
}

function opened() {
  [isOpen, heard] = [true, Date.now()];
  for (const watcher of watchers) {
    watcher.missing = new Set(watcher.names);
    for (const stream of watcher.streams) stream.hasFrame = false;
  }
  subscribe(names());
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
    hasTicket = isSignedIn() && names().some(isPrivate);
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

// Watches streams, such as `["btcusd@depth@100ms"]`. `onFrame(frame, { isFirst, name })` gets each frame; after a cut or a gap the
// first one is a new snapshot. `onState({ kind, … })` gets "loading", "live", "stale" (`age` and `since`), "reconnecting" (`tries`,
// `nextAt`, `since`) and "error" (`message`). Returns a function that ends it.
export function watch(wanted, { onFrame, onState }) {
  const streams = wanted.map((name) => ({ name, ...parsed(name), hasFrame: false, last: 0 }));
  const watcher = { names: wanted, streams, missing: new Set(wanted), onFrame, onState, told: null };
  const known = new Set(names());
  watchers.add(watcher);
  tell(watcher, ownState(watcher));
  if (!socket) connect();
  else if (isSignedIn() && !hasTicket && wanted.some(isPrivate)) cut();
  else if (isOpen) subscribeAnew(wanted, wanted.filter((name) => known.has(name)));
  return () => {
    watchers.delete(watcher);
    const still = new Set(names());
    const unused = wanted.filter((name) => !still.has(name) && isGiven(name));
    if (isOpen && unused.length) send("unsubscribe", unused).catch(left);
  };
}
