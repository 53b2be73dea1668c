// What a stop would do when its price is reached.
import { isPositive, placeOf } from "./market.js";
import { ownOrders } from "./orders.js";

// The own order that rests where a stop's order would trade with it, if there is one: the best of them.
export function ownMeeting({ side, outcome, price }) {
  if (!isPositive(price)) return null;
  const mine = placeOf({ side, outcome, price });
  const isMet = (order) => {
    const place = placeOf(order);
    if (order.type !== "limit" || order.isUnknown || place.side === mine.side) return false;
    return mine.side === "bids" ? place.price <= mine.price : place.price >= mine.price;
  };
  return ownOrders().find(isMet) ?? null;
}

// The price at which an order stands in the chart: that of a stop is its trigger.
export const chartPrice = (order) => (order.type === "stop-limit" && isPositive(order.stop ?? "")
  ? placeOf({ ...order, price: order.stop }).price : placeOf(order).price);
