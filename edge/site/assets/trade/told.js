// What the ticket says of an order that was placed. Words about one that stands are about it as it then was: when it changes, they are
// written anew.
import { whole } from "../figures.js";
import { endOf as endWords } from "../reasons.js";
import { outcome } from "./draft.js";
import { base, isContract, isPositive, shownAverage, shownPrice } from "./market.js";
import { endOf, executedOf, ofContract, ofReply, orders } from "./orders.js";

export const read = isContract ? ofContract : ofReply;

function namesOf(order) {
  const of = order.outcome ? (order.outcome === "no" ? "No" : "Yes") : base;
  const what = `${order.side === "buy" ? "Buy" : "Sell"} ${whole(order.amount)} ${of}`;
  return [what, `${what} at ${shownPrice(order.price)}`];
}

// The words of an order that stands. `filled` is how what was done of it was filled.
function standing(order, filled = "filled") {
  const [, limit] = namesOf(order);
  const executed = executedOf(order);
  if (isPositive(executed)) return `${limit}: ${whole(executed)} ${filled}, the rest stands`;
  if (order.isReached) return `${limit}: its stop was reached, and it stands`;
  return order.type === "stop-limit" ? `${limit}: waits for ${shownPrice(order.stop)}` : `${limit}: placed`;
}

const ENDED = { filled: "filled", cancelled: "cancelled" };
// The words of an order whose end a stream told; none if another act tells of it.
function ended(order) {
  const [, limit] = namesOf(order);
  const how = ENDED[endOf(order.id)];
  return how && `${limit}: ${how}`;
}

// What became of an order by the reply to it: `[isGood, words, order]`, with the order if it stands.
export function told(reply) {
  const order = read(reply);
  const [what, limit] = namesOf(order);
  const executed = reply.executed_amount ?? reply.filledQuantity ?? "0";
  const average = reply.avg_execution_price ?? reply.avgExecutionPrice;
  const filled = average ? `filled at ${shownAverage(average)}` : "filled";
  if (reply.is_cancelled ?? reply.status === "cancelled") {
    const why = endWords(reply.reason ?? reply.cancelReason);
    if (!isPositive(executed)) return [false, `${limit}: cancelled, ${why}`];
    return [true, `${limit}: ${whole(executed)} ${filled}, the rest was cancelled: ${why}`];
  }
  return reply.is_live ?? reply.status === "open" ? [true, standing(order, filled), order] : [true, `${what}: ${filled}`];
}

const isSame = (one, other) => one.remaining === other.remaining && Boolean(one.isReached) === Boolean(other.isReached);

// Keeps the words true. Notices say aloud what happened.
export function follow() {
  const of = outcome.get()?.of;
  const now = of && orders.get().get(of.id);
  if (!of || (now && isSame(of, now))) return;
  const words = now ? standing(now) : ended(of);
  outcome.set(words ? { isGood: endOf(of.id) !== "cancelled", words, of: now } : null);
}
orders.subscribe(follow);
