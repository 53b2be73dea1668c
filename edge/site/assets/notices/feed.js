// The news of the account that this page shows, and of the other accounts of its group. The page asks when a stream tells of a change, when it comes back, and now and then,
// since stops that are triggered and margin that gets short are in no stream. News that were told on another page of this browser are not told again.
import { getOwn, onSessionEnd } from "../call.js";
import { showFault } from "../faults.js";
import { part } from "../lists.js";
import { data, isSignedIn } from "../page.js";
import { getHere, setHere } from "../preferences.js";
import { watch } from "../socket.js";
import { useEffect, useReducer } from "../ui.js";

const STREAMS = ["orders@account", "balances@account", "positions@account"];
// How soon after a frame it is asked, how far two questions are apart at least, and how often it is asked without a frame.
const [SOON, APART, SEEN, HIDDEN] = [200, 1_000, 10_000, 30_000];
const KEPT = 200;
// Asks that fail in a row before the page says so.
const FAILURES = 3;

// The newest rows, the newest first; whether older ones are left out; why they cannot be read.
export const news = { rows: [], more: false, problem: "", margin: null };
const readers = { change: new Set(), fresh: new Set(), session: new Set(), short: new Set(), withdrawn: new Set() };
const tell = (kind, value) => readers[kind].forEach((reader) => reader(value));

// Calls `reader` with rows that are new, oldest first; with how long the session lasts; with the margin when it gets short.
export const onFresh = (reader) => readers.fresh.add(reader);
export const onSession = (reader) => readers.session.add(reader);
export const onShort = (reader) => readers.short.add(reader);
// Calls `reader` with the name of a warning that is true no more. The ids of its rows begin with the name and a dash.
export const onWithdrawn = (reader) => readers.withdrawn.add(reader);
export const withdraw = (name) => tell("withdrawn", name);
// Calls `reader` when the news have changed. Returns a function that ends it.
export function onChange(reader) {
  readers.change.add(reader);
  return () => readers.change.delete(reader);
}

// The memory of this browser of the account: the cursor of what was told, what the list and the tab of fills have shown, the newest stops
// that were told, liquidations that are not read yet.
const place = () => `told ${data.user.email} ${data.user.number}`;
const known = () => getHere(place()) ?? {};
const note = (change) => setHere(place(), { ...known(), ...change });

// The memory of the user: liquidations that were read on the page of any account.
const READ = 200;
const placeOfRead = () => `read ${data.user.email}`;
const wasRead = () => getHere(placeOfRead()) ?? [];

// One name of an event for all accounts: rows of other accounts have a letter of their own.
export const eventOf = (id) => id.replace(/^o(?=\d)/, "e");

const numberOf = (row) => Number(row.id.slice(1).split("-")[0] || NaN);
const isOf = (row, letter) => row.id.startsWith(letter) && Number.isInteger(numberOf(row));
const numbersOf = (cursor) => (cursor ?? "").split("-").map(Number);
function isAfter(row, cursor) {
  const [event, entry, ofOthers, settled] = numbersOf(cursor);
  if (isOf(row, "e")) return numberOf(row) > event;
  if (isOf(row, "m")) return numberOf(row) > entry;
  if (isOf(row, "o")) return numberOf(row) > ofOthers;
  if (isOf(row, "c")) return numberOf(row) > settled;
  return Boolean(row.isUnseen);
}

let cursor = null;

// How many rows the list has not shown, and how many fills of a symbol the tab of fills has not.
export const unseen = () => news.rows.filter((row) => isAfter(row, known().seen)).length;
export const unseenFills = (symbol) => news.rows.filter((row) =>
  row.kind === "fill" && !row.account && row.symbol.toLowerCase() === symbol && isAfter(row, known().fills)).length;
export function markSeen() {
  for (const row of news.rows) row.isUnseen = false;
  note({ seen: cursor });
  tell("change");
}
export function markFills() {
  if (!cursor || known().fills === cursor) return;
  note({ fills: cursor });
  tell("change");
}

// Liquidations stay until a user says that they are read, however much has happened since: the browser remembers the newest. Those of other
// accounts are noted only when they are new.
const UNREAD = 20;
function unread() {
  const read = wasRead();
  return (known().unread ?? []).filter(({ id }) => !read.includes(eventOf(id)));
}
function noteLiquidations(rows) {
  const [before, read] = [unread(), wasRead()];
  const isWanted = (row) => row.forced === "liquidation" && (!row.account || row.new) && !read.includes(eventOf(row.id));
  const found = rows.filter((row) => isWanted(row) && before.every(({ id }) => id !== row.id));
  if (found.length > 0) note({ unread: part([...found, ...before], UNREAD) });
}
export const liquidations = () => unread();
export function closeLiquidations() {
  const all = [...unread(), ...news.rows.filter((row) => row.forced === "liquidation")].map(({ id }) => eventOf(id));
  setHere(placeOfRead(), part([...new Set([...all, ...wasRead()])], READ));
  note({ unread: [] });
  tell("change");
}

function keep(rows) {
  const all = new Map([...news.rows, ...rows].map((row) => [row.id, row]));
  const sorted = [...all.values()].sort((one, other) => other.at - one.at || numberOf(other) - numberOf(one) || 0);
  news.rows = part(sorted, KEPT);
  news.more ||= sorted.length > KEPT;
}

// Says something of the page's own, such as that margin gets short, at the time of the newest row: a sandbox's clock may stand still.
export function say(row) {
  const at = news.rows[0]?.at ?? Date.now();
  const whole = { kind: "own", at, isUnseen: true, ...row };
  keep([whole]);
  tell("fresh", [whole]);
  tell("change");
}

// The name of the warning that the margin of an account is short.
export const marginOf = (account) => `margin-${account?.number ?? ""}`;

// Accounts whose margin was short at the last ask, by the name of their warning. Each page tells of it by itself, since another one may be
// hidden.
let wasShort = new Set();
function takeMargins(margin, others) {
  news.margin = margin;
  const short = [...(margin?.short ? [{ margin }] : []), ...others];
  const now = new Map(short.map((one) => [marginOf(one.account), one]));
  for (const [name, one] of now) if (!wasShort.has(name)) tell("short", one);
  for (const name of wasShort) if (!now.has(name)) withdraw(name);
  wasShort = new Set(now.keys());
}

// Rows without a number of an event, which a page knows by their ids: triggered stops and proposed outcomes.
const hasNoNumber = ({ kind }) => kind === "stop" || kind === "resolved";

// Those that earlier pages have told.
let stopsTold = null;

// A fill of a stop whose trigger was told is a plain one.
function markTold(rows, stops) {
  for (const row of rows) if (row.kind === "fill" && stops.includes(`s${row.order_id}`)) row.isTriggerTold = true;
}

function take(reply, isBlank) {
  cursor = reply.cursor;
  const before = known();
  stopsTold ??= before.stops ?? [];
  const told = new Set([...news.rows.map(({ id }) => id), ...stopsTold]);
  const fresh = reply.rows.filter((row) => row.new && !isBlank && !told.has(row.id));
  for (const row of fresh) row.isUnseen = hasNoNumber(row);
  const live = reply.rows.filter(hasNoNumber).map(({ id }) => id);
  const stops = part([...new Set([...live, ...(before.stops ?? [])])], KEPT);
  markTold(reply.rows, stops);
  keep(reply.rows);
  noteLiquidations(reply.rows);
  news.more ||= reply.more;
  note({ cursor, stops, seen: before.seen ?? cursor, fills: before.fills ?? cursor });
  takeMargins(reply.margin, reply.short);
  tell("session", reply.session);
  if (fresh.length) tell("fresh", fresh);
  tell("change");
}

let [isAsking, isWanted, isOver, asked, timer, isSoon] = [false, false, false, 0, 0, false];

function plan() {
  clearTimeout(timer);
  if (isOver) return;
  isSoon = isWanted;
  const soon = Math.max(SOON, asked + APART - Date.now());
  timer = setTimeout(ask, isWanted ? soon : document.hidden ? HIDDEN : SEEN);
}

let failures = 0;
function noteFailure(failure) {
  failures += 1;
  news.problem = failure.message;
  if (failures >= FAILURES && !isOver) showFault("notices", `News of your accounts cannot be read. ${failure.message}`);
  tell("change");
}
function noteSuccess() {
  failures = 0;
  news.problem = "";
  showFault("notices", "");
}

async function ask() {
  [isAsking, isWanted, isSoon, asked] = [true, false, false, Date.now()];
  const isFirst = cursor === null;
  const after = isFirst ? known().cursor : cursor;
  const query = new URLSearchParams({ accounts: "all", ...(isFirst && { all: "true" }), ...(after && { after }) });
  try {
    take(await getOwn(`/site/notices?${query}`), isFirst && !after);
    noteSuccess();
  } catch (failure) {
    noteFailure(failure);
  }
  isAsking = false;
  plan();
}

// Asks soon: something may have happened.
export function nudge() {
  isWanted = true;
  if (!isAsking && !isSoon) plan();
}

// Draws a component again when something changed.
export function useNews() {
  const [, drawAgain] = useReducer((count) => count + 1, 0);
  useEffect(() => onChange(drawAgain), []);
  return news;
}

// Whether this page has an account to tell of.
export const hasAccount = () => isSignedIn() && Boolean(data.user.account);

// Begins to ask.
export function start() {
  if (!hasAccount()) return;
  watch(STREAMS, { onFrame: nudge, onState: ({ kind }) => kind === "live" && nudge() });
  document.addEventListener("visibilitychange", () => document.hidden || nudge());
  onSessionEnd(stop);
  ask();
}

// Asks no more, as whoever signs out wants it; and begins again, if that came to nothing.
export function stop() {
  isOver = true;
  clearTimeout(timer);
  showFault("notices", "");
}
export function goOn() {
  isOver = false;
  plan();
}
