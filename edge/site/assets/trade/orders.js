// The account's live orders: a snapshot by call, then the stream. An order's remainder only ever shrinks and its end is the end,
// so that an older word never undoes a newer one, whichever comes first.
import { call, getOwn } from "../call.js";
import { compare, difference, isDecimal, read, text } from "../decimal.js";
import { liveContractOrders } from "../contract-orders.js";
import { news, onChange } from "../notices/feed.js";
import { isSignedIn } from "../page.js";
import { watch } from "../socket.js";
import { hearFill, loadFills, millis, SIDES } from "./fills.js";
import { loadForced } from "./forced.js";
import { isContract, symbol } from "./market.js";
import { store } from "./store.js";

/** @import { Outcome, Side } from "./market.js" @import { State } from "./store.js" */

const ENDED = 5_000;
// How often the places in the queue are asked for.
const QUEUE = 5_000;

export const accountState = store(/** @type {State} */ ({ kind: "loading" }));
// Live orders by id, the newest last; those whose reply is awaited stand by their client id.
/** @typedef {{ id: string, client?: string, symbol: string, side: Side, outcome?: Outcome, type: "limit" | "stop-limit", price: string, stop?: string,
 *   options?: string[], amount: string, remaining: string, at?: number, isReached?: boolean, isUnknown?: boolean, busy?: string }} Order */
export const orders = store(/** @type {Map<string, Order>} */ (new Map()));
// The amount ahead of each resting order, by its id.
export const queue = store(new Map());
// Why the places in the queue are not known, as a sentence.
export const queueFault = store("");
export const chosen = store(/** @type {string | null} */ (null));
// Fires when money moved: positions and margin are asked for again.
export const moved = store(0);
let fillsHeard = 0;
// How many fills the stream has told: an answer that was asked for before the newest of them may be older than it.
export const fillsSoFar = () => fillsHeard;

const ended = new Set();
const endings = new Map();
// Stops whose price was reached: they rest in the book like limit orders, which no call and no frame of the interface says.
const reached = new Set();

const less = (one, other) => (compare(read(one), read(other)) < 0 ? one : other);

/** @param {string} id @param {string} words */
function remember(id, words) {
  reached.delete(id);
  ended.add(id);
  endings.set(id, words);
  if (ended.size > ENDED) {
    const [oldest] = ended;
    ended.delete(oldest);
    endings.delete(oldest);
  }
}

// Whether an order is known to have ended, and how.
/** @param {string} id @returns {string | undefined} */
export const endOf = (id) => endings.get(id);

/** @param {(next: Map<string, Order>) => unknown} edit */
function change(edit) {
  const next = new Map(orders.get());
  edit(next);
  orders.set(next);
}

// An order as it stands: a stop that was reached is a limit order.
/** @param {Order} order @returns {Order} */
const standing = (order) => (order.type === "stop-limit" && reached.has(order.id) ? { ...order, type: "limit", isReached: true } : order);

// Notes that orders rest in the book.
function noteRests(ids) {
  const waited = ids.filter((id) => orders.get().get(id)?.type === "stop-limit");
  if (waited.length === 0) return;
  for (const id of waited) reached.add(id);
  change((next) => waited.forEach((id) => next.set(id, standing(next.get(id)))));
}
// The notices tell of stops that were reached, those of other markets too.
const noteStops = () => noteRests(news.rows.filter(({ kind }) => kind === "stop").map(({ order_id: id }) => String(id)));

// Puts an order into the list, or brings the one that stands there up to date.
/** @param {Order} order */
export function put(order) {
  if (ended.has(order.id)) return;
  change((next) => {
    const old = next.get(order.id);
    if (order.client) next.delete(order.client);
    const remaining = old && !old.isUnknown ? less(old.remaining, order.remaining) : order.remaining;
    next.set(order.id, standing({ ...old, ...order, remaining }));
  });
  askQueue();
}

/** @param {string} id @param {string} words */
export function end(id, words) {
  remember(id, words);
  change((next) => next.delete(id));
  if (chosen.get() === id) chosen.set(null);
}

// A row for an order whose reply has not come: it stands under its client id until that is looked up.
/** @param {Order} order */
export const putUnknown = (order) => change((next) => next.set(order.client, { ...order, id: order.client, isUnknown: true }));
export const dropUnknown = (client) => change((next) => next.delete(client));

// Marks an order while it is being cancelled or moved.
/** @param {string} id @param {string | undefined} busy */
export const mark = (id, busy) => change((next) => next.has(id) && next.set(id, { ...next.get(id), busy }));

// An order of `/v1/orders` and its like.
/** @param {import("replies").Schema<"Order">} reply @returns {Order} */
export const ofReply = (reply) => ({
  id: String(reply.order_id), client: reply.client_order_id, symbol: reply.symbol.toLowerCase(), side: reply.side,
  type: reply.type === "stop-limit" ? "stop-limit" : "limit", price: reply.price ?? "0", stop: reply.stop_price,
    options: reply.options ?? [],
  amount: reply.original_amount ?? reply.remaining_amount ?? "0", remaining: reply.remaining_amount ?? "0", at: reply.timestampms,
});

const OPTION_OF = { "good-til-cancel": [] };
// An order of a contract.
/** @param {import("replies").Schema<"ContractOrder">} reply @returns {Order} */
export const ofContract = (reply) => ({
  id: String(reply.orderId), client: reply.clientOrderId, symbol: reply.symbol.toLowerCase(), side: reply.side, outcome: reply.outcome,
  type: reply.orderType, price: reply.price, stop: reply.stopPrice, options: OPTION_OF[reply.timeInForce] ?? [reply.timeInForce],
  amount: reply.quantity, remaining: reply.remainingQuantity, at: Date.parse(reply.createdAt),
});

/** @returns {Order} */
const ofFrame = (frame) => ({
  id: String(frame.i), client: frame.c, symbol: frame.s.toLowerCase(), side: SIDES[frame.S], outcome: frame.O?.toLowerCase(),
  type: frame.o === "STOP_LIMIT" ? "stop-limit" : "limit", price: frame.p ?? "0", stop: frame.P, amount: frame.q ?? "0",
  remaining: frame.z ?? frame.q ?? "0",
});

// That it happened is told by the notices of the page.
function onFill(frame) {
  fillsHeard += 1;
  hearFill(frame);
  moved.set(moved.get() + 1);
}

function onOrder(frame) {
  const id = String(frame.i);
  if (frame.t !== undefined && frame.L !== undefined) onFill(frame);
  if (frame.X === "FILLED") return end(id, "filled");
  if (frame.X === "REJECTED") return undefined;
  if (frame.X !== "CANCELED") return put({ ...ofFrame(frame), ...(frame.X === "NEW" && { at: millis(frame.T ?? frame.E) }) });
  return end(id, "cancelled");
}

async function load() {
  const asked = [call("/v1/orders").then((list) => list.map(ofReply))];
  if (isContract) asked.push(liveContractOrders(call).then((list) => list.map(ofContract)));
  const before = new Set(orders.get().keys());
  const found = (await Promise.all(asked)).flat();
  const live = new Set(found.map((order) => order.id));
  // What was live before the question and is not in the answer has ended meanwhile.
  change((next) => {
    for (const id of before) if (!live.has(id) && !next.get(id)?.isUnknown) next.delete(id);
  });
  change((next) => {
    for (const order of found.reverse()) {
      const old = next.get(order.id);
      if (!ended.has(order.id)) next.set(order.id, standing({ ...order, remaining: old ? less(old.remaining, order.remaining) : order.remaining }));
    }
  });
  noteStops();
  askQueue();
}

let asking = 0;
let lastAsked = 0;

// Asks for the places in the queue soon, at most once a second, if an order of this market may rest.
export function askQueue() {
  asking ||= setTimeout(readQueue, Math.max(150, lastAsked + 1_000 - Date.now()));
}

async function readQueue() {
  asking = 0;
  lastAsked = Date.now();
  if (!isSignedIn() || document.hidden) return;
  // A stop may have been reached since the last answer.
  if (ownOrders().every((order) => order.isUnknown)) return queue.get().size && queue.set(new Map());
  try {
    const rows = await getOwn(`/site/queue?symbol=${symbol}`);
    queue.set(new Map(rows.map((row) => [String(row.order_id), row])));
    noteRests([...queue.get().keys()]);
    queueFault.set("");
  } catch (failure) {
    // A place that is not known is not shown: an old one would be wrong.
    queue.set(new Map());
    queueFault.set(failure.message);
  }
}

// The live orders of this market, put together once for each state of the list.
let own = { of: null, list: /** @type {Order[]} */ ([]) };
export function ownOrders() {
  const now = orders.get();
  if (own.of !== now) own = { of: now, list: [...now.values()].filter((order) => order.symbol === symbol) };
  return own.list;
}

// Begins to listen.
export function start() {
  if (!isSignedIn()) return accountState.set({ kind: "live" });
  let wasLive = false;
  let failed = null;
  const reload = async () => {
    try {
      await Promise.all([load(), loadFills(), loadForced()]);
      failed = null;
      accountState.set({ kind: "live" });
    } catch (failure) {
      failed = { kind: "error", message: failure.message };
      accountState.set(failed);
    }
  };
  retry = reload;
  onChange(noteStops);
  watch(["orders@account"], {
    onFrame: onOrder,
    onState(state) {
      const isFresh = state.kind === "live" && !wasLive;
      wasLive = state.kind === "live" || (wasLive && state.kind === "stale");
      if (isFresh) {
        accountState.set({ kind: "loading" });
        reload();
      } else if (!failed || state.kind !== "live") {
        accountState.set(state);
      }
    },
  });
  setInterval(() => Date.now() - lastAsked > QUEUE - 100 && readQueue(), QUEUE);
  return undefined;
}
let retry = () => {};
export const tryAgain = () => retry();

// How much of an order is done.
/** @param {Pick<Order, "amount" | "remaining">} order */
export const executedOf = (order) => (isDecimal(order.amount) ? text(difference(read(order.amount), read(order.remaining))) : "0");
