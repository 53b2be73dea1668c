// Placing, cancelling and moving orders. One order is under way at a time, each has an id of this page, and what was sent once is never
// sent again: a reply that does not come is looked up by that id.
import { Failure } from "../call.js";
import { compare, read as decimal } from "../decimal.js";
import { count, decimalsOf, price, whole } from "../figures.js";
import { announce, warn } from "../ui.js";
import { whyNotMoved, wrongPrice } from "./checks.js";
import { outcome, underWay } from "./draft.js";
import { loadFills } from "./fills.js";
import { ask, ended, isUnsure, lookUp, newClient, pause, payload, saidBy } from "./lookup.js";
import { base, isContract, isPositive, lot, partOf, symbol } from "./market.js";
import { dropUnknown, end, endOf, mark, orders, put, putUnknown } from "./orders.js";
import { positionHere, readPositions, whyNothingSent } from "./money.js";
import { dropPending, findPending, keepPending } from "./pending.js";
import { store } from "./store.js";
import { follow, read, told } from "./told.js";

export { outcome, underWay };

// Says what an act came to. `of` is the order that the words are about, while it stands.
export function tell(isGood, words, of) {
  outcome.set({ isGood, words, of });
  (isGood ? announce : warn)(words);
}

function settle(reply) {
  const order = read(reply);
  dropUnknown(order.client);
  if (reply.is_live ?? reply.status === "open") put(order);
  else end(order.id, "ended");
  tell(...told(reply));
  // It may have changed before its reply came.
  follow();
}

async function settleLost(order) {
  underWay.set("unknown");
  putUnknown(order);
  tell(false, "No reply came. The order is looked up; it is not sent again.");
  const found = await lookUp(order.client);
  if (found) {
    settle(found);
    loadFills().catch((failure) => console.info(failure.message));
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
  keepPending(row);
  try {
    const reply = await ask({ ...payload(order), ...named });
    settle(reply);
    return reply;
  } catch (failure) {
    if (isUnsure(failure)) return await settleLost(row);
    tell(false, before + saidBy(failure));
    return null;
  } finally {
    dropPending();
  }
}

// Looks up the order that was under way when the page was left, before another is sent: a load of the page may have lost its reply.
export function resume() {
  const row = findPending();
  if (!row) return;
  inTurn(async () => {
    await settleLost(row);
    dropPending();
  });
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

// An order that only reduces has at most the amount of the position, or of the part of it that it closes, and nothing of it rests. The
// position is asked for now, and nothing waits between its answer and the order.
async function reduced(order) {
  try {
    await readPositions();
  } catch (failure) {
    throw new Error(`The position could not be read, so nothing was sent. ${saidBy(failure)}`, { cause: failure });
  }
  const why = whyNothingSent(order.side);
  if (why) throw new Error(why);
  const held = positionHere().quantity.replace("-", "");
  const most = order.percent ? partOf(held, order.percent) : held;
  if (!isPositive(most)) throw new Error(`The position is ${whole(held)} ${base} by now: ${order.percent} % of it is less than ${lot}. Nothing was sent.`);
  return { ...order, amount: compare(decimal(order.amount), decimal(most)) > 0 ? most : order.amount };
}
export const place = (order) => inTurn(async () => {
  outcome.set(null);
  try {
    return await sendOnce(order.isReducing ? await reduced(order) : order);
  } catch (failure) {
    tell(false, failure.message);
    return null;
  }
});

// The reply of a cancel: the order as it then is. That of a contract does not name the rest, so it is read; none if it cannot be.
async function cancelled(order) {
  if (!order.outcome) return ask({ request: "/v1/order/cancel", order_id: order.id });
  await ask({ request: "/v1/prediction-markets/order/cancel", orderId: order.id });
  return ended(order);
}

const isCancelled = (reply) => Boolean(reply && (reply.is_cancelled ?? reply.status === "cancelled"));
// An order for an auction that is too late to leave it.
const isStanding = (reply) => Boolean(reply?.is_live);
const restOf = (reply) => reply.remaining_amount ?? reply.remainingQuantity;

// Cancels an order and gives the exchange's reply. Cancelling twice does no harm, so that a lost reply may be asked for again.
async function cancelNow(id) {
  const order = orders.get().get(id);
  mark(id, "cancelling");
  try {
    const reply = await cancelled(order);
    if (isStanding(reply)) throw new Failure("It can no longer be cancelled.", { status: 200 });
    end(id, "cancelled");
    return reply;
  } catch (failure) {
    mark(id, undefined);
    throw failure;
  }
}

const canCancel = (order) => Boolean(order && !order.isUnknown && !order.busy);

export async function cancel(id) {
  const order = orders.get().get(id);
  if (!canCancel(order)) return;
  try {
    const reply = await cancelNow(id);
    if (!reply) return void tell(true, "The order has ended. The fills show what of it was filled.");
    tell(isCancelled(reply), isCancelled(reply)
      ? `Cancelled: ${whole(restOf(reply))} at ${price(order.price, decimalsOf(order.symbol))}` : "It was filled already.");
  } catch (failure) {
    tell(false, failure.isLost ? "No reply came to the cancel: the list shows what stands." : saidBy(failure));
  }
}

// How often an order is tried again that is refused for the rate of calls.
const TRIES = 10;

// Cancels one of many orders: one that is refused for the rate of calls is tried again when the exchange says. Whether it was.
async function cancelPatiently(id) {
  for (let tried = 1; canCancel(orders.get().get(id)); tried++) {
    try {
      const reply = await cancelNow(id);
      return isCancelled(reply);
    } catch (failure) {
      if (failure.status !== 429 || tried === TRIES) return false;
      await pause(failure.wait);
    }
  }
  return endOf(id) === "cancelled";
}

const counted = (number) => `${count(number)} ${number === 1 ? "order" : "orders"}`;
// Whether many orders are being cancelled.
export const isCancellingMany = store(false);

// Cancels many orders, a few at a time, and shows how far it is.
async function cancelMany(list) {
  if (isCancellingMany.get()) return;
  isCancellingMany.set(true);
  const waiting = list.map((order) => order.id);
  let done = 0;
  const next = async () => {
    for (let id = waiting.pop(); id; id = waiting.pop()) {
      const isDone = await cancelPatiently(id);
      done += Number(isDone);
      outcome.set({ isGood: true, words: `${count(done)} of ${count(list.length)} cancelled` });
    }
  };
  await Promise.all([next(), next(), next(), next()]);
  isCancellingMany.set(false);
  tell(done === list.length, done === list.length ? `${counted(done)} cancelled`
    : `${count(done)} of ${count(list.length)} orders cancelled. The others were filled before, or still stand.`);
}

export const cancelSymbol = () => cancelMany([...orders.get().values()].filter((order) => order.symbol === symbol && !order.isUnknown));

// Cancels all orders of the account, of other markets too.
export async function cancelAll() {
  if (isCancellingMany.get()) return;
  isCancellingMany.set(true);
  try {
    const { details } = await ask({ request: "/v1/order/cancel/all" });
    const { cancelledOrders: done, cancelRejects: kept = [] } = details;
    for (const id of done) end(String(id), "cancelled");
    const others = kept.length ? ` ${counted(kept.length)} could not be cancelled.` : "";
    tell(!others, `${counted(done.length)} cancelled${others && `.${others}`}`);
  } catch (failure) {
    tell(false, saidBy(failure));
  }
  isCancellingMany.set(false);
}

// Whether a move may begin. One whose new order the exchange would refuse changes nothing.
async function mayMove(order, next) {
  try {
    const why = wrongPrice(next.price) || await whyNotMoved(order, next);
    if (why) tell(false, `The order was not moved. ${why}`);
    return !why;
  } catch (failure) {
    tell(false, `The order was not moved. ${saidBy(failure)}`);
    return false;
  }
}

// Moves an order: cancels it, and sends a new one with the rest that the cancel's reply names. Without that reply nothing is sent.
export const move = (id, { price, stop }) => inTurn(async () => {
  const order = orders.get().get(id);
  if (!order || order.isUnknown || endOf(id)) return tell(false, "The order stands no more; nothing was sent.");
  const next = { ...order, price, stop, amount: order.remaining, option: order.options?.[0] ?? "" };
  mark(id, "moving");
  if (!(await mayMove(order, next))) return void mark(id, undefined);
  let reply;
  try {
    reply = await cancelled(order);
  } catch (failure) {
    mark(id, undefined);
    const words = isUnsure(failure) ? "No reply came to the cancel, so no new order was sent. The list shows what stands."
      : saidBy(failure);
    return tell(false, words);
  }
  if (isStanding(reply)) {
    mark(id, undefined);
    return tell(false, "It can no longer be cancelled, so it was not moved.");
  }
  end(id, "moved");
  if (!reply) {
    return tell(false, "The cancel was taken, but the history could not be read: whether the order was filled before is not known. "
      + "No new order was sent; the fills show what was filled.");
  }
  const rest = restOf(reply);
  if (!isCancelled(reply) || !isPositive(rest ?? "")) return tell(false, "It was filled before it could move; nothing was sent.");
  return sendOnce({ ...order, isReached: false, price, stop, amount: rest, option: order.options?.[0] ?? "" },
    "The order was cancelled, and the new one refused: ");
});
