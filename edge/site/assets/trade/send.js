// Placing, cancelling and moving orders. One order is under way at a time, each has an id of this page, and what was sent once is never
// sent again: a reply that does not come is looked up by that id.
import { Failure } from "../call.js";
import { announce, warn } from "../ui.js";
import { wouldTrade } from "./feed.js";
import { ask, isUnsure, lookUp, newClient, payload } from "./lookup.js";
import { bare, base, isContract, isPositive, priceShown, symbol, toPrice } from "./market.js";
import { dropUnknown, end, endOf, loadFills, mark, ofContract, ofReply, orders, put, putUnknown } from "./orders.js";
import { positionHere, reloadPositions } from "./money.js";
import { store } from "./store.js";

// The order that is under way: null, "sending" or "unknown".
export const underWay = store(null);
// What the last act came to: `{ isGood, words }`.
export const outcome = store(null);

function tell(isGood, words) {
  outcome.set({ isGood, words });
  (isGood ? announce : warn)(words);
}

const REASONS = {
  MakerOrCancelWouldTake: "it would have traded at once", ImmediateOrCancelWouldPost: "the rest found no other side",
  FillOrKillWouldNotFill: "not all of it could be filled", SelfCrossPrevented: "it would have met an own order",
  ExceedsPriceLimits: "it went beyond the price limits",
};

// Words for what became of an order that was placed.
function told(reply) {
  const order = read(reply);
  const side = order.side === "buy" ? "Buy" : "Sell";
  const of = order.outcome ? (order.outcome === "no" ? "No" : "Yes") : base;
  const what = `${side} ${bare(order.amount)} ${of} at ${priceShown(toPrice(order.price))}`;
  const reason = reply.reason ?? reply.cancelReason;
  const isCancelled = reply.is_cancelled ?? reply.status === "cancelled";
  const isLive = reply.is_live ?? reply.status === "open";
  const executed = bare(reply.executed_amount ?? reply.filledQuantity ?? "0");
  if (isCancelled) {
    const why = REASONS[reason] ?? reason;
    if (!isPositive(executed)) return [false, `${what}: cancelled, ${why}`];
    return [true, `${what}: ${executed} filled, the rest was cancelled: ${why}`];
  }
  if (!isLive) return [true, `${what}: filled`];
  return [true, isPositive(executed) ? `${what}: ${executed} filled, the rest stands` : `${what}: placed`];
}

const read = isContract ? ofContract : ofReply;

function settle(reply) {
  const order = read(reply);
  dropUnknown(order.client);
  if (reply.is_live ?? reply.status === "open") put(order);
  else end(order.id, "ended");
  tell(...told(reply));
}

async function settleLost(order) {
  underWay.set("unknown");
  putUnknown(order);
  tell(false, "No reply came. The order is looked up; it is not sent again.");
  const found = await lookUp(order.client);
  if (found) {
    settle(found);
    loadFills().catch(() => {});
    return found;
  }
  dropUnknown(order.client);
  tell(false, "The exchange does not know the order: it was not placed.");
  return null;
}

// Sends an order whose form is complete. Returns the exchange's order, or null if there is none. `before` says what was done already.
async function sendOnce(order, before = "") {
  const client = newClient();
  const named = { [isContract ? "clientOrderId" : "client_order_id"]: client };
  const row = { ...order, symbol, client, remaining: order.amount, options: order.option ? [order.option] : [], at: Date.now() };
  try {
    const reply = await ask({ ...payload(order), ...named });
    settle(reply);
    return reply;
  } catch (failure) {
    if (isUnsure(failure)) return settleLost(row);
    tell(false, before + failure.plain);
    return null;
  }
}

// Takes the one turn that there is; while it is taken nothing is done.
async function inTurn(act) {
  if (underWay.get()) {
    warn("An order is still under way.");
    return null;
  }
  underWay.set("sending");
  try {
    return await act();
  } finally {
    underWay.set(null);
  }
}

// An order that only reduces has at most the amount of the position, asked for now, and nothing of it rests.
async function reduced(order) {
  await reloadPositions();
  const held = positionHere()?.quantity ?? "0";
  const isLong = isPositive(held);
  if (!isLong && !isPositive(held.slice(1))) throw new Error("There is no position to reduce.");
  const [name, against] = isLong ? ["long", "sell"] : ["short", "buy"];
  if (order.side !== against) throw new Error(`A ${name} position is reduced by a ${against}.`);
  const most = held.replace("-", "");
  return { ...order, amount: toLots(order.amount) > toLots(most) ? most : order.amount };
}
const toLots = (words) => {
  const [whole, part = ""] = words.split(".");
  return BigInt(whole + part.padEnd(24, "0"));
};

export const place = (order) => inTurn(async () => {
  outcome.set(null);
  try {
    return await sendOnce(order.isReducing ? await reduced(order) : order);
  } catch (failure) {
    tell(false, failure.message);
    return null;
  }
});

// The reply of a cancel: the order as it then is. That of a contract does not name the rest, so it is read.
async function cancelled(order) {
  if (!order.outcome) return ask({ request: "/v1/order/cancel", order_id: order.id });
  await ask({ request: "/v1/prediction-markets/order/cancel", orderId: order.id });
  const { orders: list } = await ask({ request: "/v1/prediction-markets/orders/history", symbol: order.symbol.toUpperCase(), limit: 100 });
  return list.find((one) => String(one.orderId) === order.id);
}

const isCancelled = (reply) => Boolean(reply && (reply.is_cancelled ?? reply.status === "cancelled"));
// An order for an auction that is too late to leave it.
const isStanding = (reply) => Boolean(reply?.is_live);
const restOf = (reply) => reply.remaining_amount ?? reply.remainingQuantity;

// Cancels an order. Cancelling twice does no harm, so that a lost reply may be asked for again.
export async function cancel(id, isQuiet = false) {
  const order = orders.get().get(id);
  if (!order || order.isUnknown || order.busy) return false;
  mark(id, "cancelling");
  try {
    const reply = await cancelled(order);
    if (isStanding(reply)) throw new Failure("It can no longer be cancelled.", { status: 200 });
    end(id, "cancelled");
    if (!isQuiet) tell(isCancelled(reply), isCancelled(reply) ? `Cancelled: ${bare(restOf(reply))} at ${order.price}`
      : "It was filled already.");
    return true;
  } catch (failure) {
    mark(id, undefined);
    if (!isQuiet) tell(false, failure.isLost ? "No reply came to the cancel: the list shows what stands." : failure.plain);
    return false;
  }
}

// Cancels many orders, a few at a time.
async function cancelMany(list) {
  const waiting = [...list];
  let done = 0;
  const next = async () => {
    for (let order = waiting.pop(); order; order = waiting.pop()) {
      const isDone = await cancel(order.id, true);
      done += Number(isDone);
    }
  };
  await Promise.all([next(), next(), next(), next()]);
  tell(done === list.length, done === list.length ? `${done} ${done === 1 ? "order" : "orders"} cancelled`
    : `${done} of ${list.length} orders cancelled`);
}

export const cancelSymbol = () => cancelMany([...orders.get().values()].filter((order) => order.symbol === symbol && !order.isUnknown));

// Cancels all orders of the account, of other markets too.
export async function cancelAll() {
  try {
    const { details } = await ask({ request: "/v1/order/cancel/all" });
    for (const id of details.cancelledOrders) end(String(id), "cancelled");
    tell(true, `${details.cancelledOrders.length} orders cancelled`);
  } catch (failure) {
    tell(false, failure.plain);
  }
}

// Whether a move to a price would trade at once.
export const movesIntoTrade = (order, price) => order.type === "limit" && wouldTrade(order.side, toPrice(price), order.outcome);

// Moves an order: cancels it, and sends a new one with the rest that the cancel's reply names. Without that reply nothing is sent.
export const move = (id, { price, stop }) => inTurn(async () => {
  const order = orders.get().get(id);
  if (!order || order.isUnknown || endOf(id)) return tell(false, "The order stands no more; nothing was sent.");
  mark(id, "moving");
  let reply;
  try {
    reply = await cancelled(order);
  } catch (failure) {
    mark(id, undefined);
    const words = isUnsure(failure) ? "No reply came to the cancel, so no new order was sent. The list shows what stands." : failure.plain;
    return tell(false, words);
  }
  if (isStanding(reply)) {
    mark(id, undefined);
    return tell(false, "It can no longer be cancelled, so it was not moved.");
  }
  end(id, "moved");
  const rest = reply && restOf(reply);
  if (!isCancelled(reply) || !isPositive(rest ?? "")) return tell(false, "It was filled before it could move; nothing was sent.");
  return sendOnce({ ...order, price, stop, amount: rest, option: order.options?.[0] ?? "" },
    "The order was cancelled, and the new one refused: ");
});
