// What is sent for an order, and how an order is found again whose reply did not come.
import { call, post } from "../call.js";
import { sentenceOf } from "../reasons.js";
import { isContract, symbol } from "./market.js";

// How long a reply may take; how long an order that is looked up may stay unknown to the exchange before it counts as not placed.
const [PATIENCE, LATEST] = [5_000, 10_000];
const PAUSES = [250, 500, 1_000, 2_000, 4_000];

const wait = (time) => new Promise((done) => setTimeout(done, time));
const hex = (byte) => byte.toString(16).padStart(2, "0");
// An id that this page gives an order.
export const newClient = () => `web-${[...crypto.getRandomValues(new Uint8Array(12))].map(hex).join("")}`;

const TYPES = { limit: "exchange limit", market: "exchange limit", "stop-limit": "exchange stop limit" };
const isAtOnce = (order) => order.type === "market" || order.isReducing;
const optionOf = (order) => (isAtOnce(order) ? "immediate-or-cancel" : order.option);

// The payload of an order, for the preview too.
export function payload(order) {
  const { side, outcome: named, price, amount, stop } = order;
  const option = optionOf(order);
  if (!isContract) {
    return {
      request: "/v1/order/new", symbol, side, type: TYPES[order.type], price, amount,
      ...(option && { options: [option] }), ...(order.type === "stop-limit" && { stop_price: stop }),
    };
  }
  return {
    request: "/v1/prediction-markets/order", symbol: symbol.toUpperCase(), side, outcome: named, quantity: amount, price,
    orderType: order.type === "stop-limit" ? "stop-limit" : "limit", ...(option && { timeInForce: option }),
    ...(order.type === "stop-limit" && { stopPrice: stop }),
  };
}

// A call of an order, whose reply must come soon.
/** @template {string} Path @param {{ request: Path } & Record<string, unknown>} call @returns {Promise<import("replies").Reply<Path>>} */
export const ask = ({ request, ...fields }) => call(request, fields, { longest: PATIENCE });

// What the exchange would do with an order now.
export async function previewed(order) {
  const shown = await post("/site/preview", payload(order), { longest: PATIENCE });
  return shown.message ? { ...shown, message: sentenceOf(shown) } : shown;
}

// The sentence of a failure.
export const saidBy = ({ plain }) => plain;

// Whether a failure leaves open if the exchange did what it was asked for. Only its own 503 says that nothing was done.
const saysNothingDone = ({ status, reason }) => status < 500 || (status === 503 && Boolean(reason));
export const isUnsure = (failure) => failure.isLost || failure.status === 0 || !saysNothingDone(failure);

// An order by the id that this page gave it; undefined if the exchange does not know it.
async function find(client) {
  if (!isContract) {
    try {
      return await ask({ request: "/v1/order/status", client_order_id: client });
    } catch (failure) {
      if (failure.reason === "OrderNotFound") return undefined;
      throw failure;
    }
  }
  const fields = { symbol: symbol.toUpperCase(), limit: 100 };
  const list = (name) => ask({ request: `/v1/prediction-markets/orders/${name}`, ...fields });
  const lists = await Promise.all([list("active"), list("history")]);
  return lists.flatMap((reply) => reply.orders).find((order) => order.clientOrderId === client);
}

// Looks an order up until the exchange answers. One that it does not know after a while has not reached it.
export async function lookUp(client) {
  const begun = Date.now();
  for (let tried = 0; ; tried++) {
    await wait(PAUSES[Math.min(tried, PAUSES.length - 1)]);
    try {
      const found = await find(client);
      if (found) return found;
      if (Date.now() - begun > LATEST) return undefined;
    } catch (failure) {
      // Whether it stands is still not known, so it is asked again.
      console.info(failure.message);
    }
  }
}

// Waits so many seconds, one at least.
export const pause = (seconds) => new Promise((done) => setTimeout(done, Math.max(1, seconds) * 1_000));
const READS = 3;

// An order of a contract that has ended; none if the exchange does not say.
export async function ended(order) {
  for (let tried = 1; tried <= READS; tried++) {
    try {
      const fields = { symbol: order.symbol.toUpperCase(), limit: 100 };
      const { orders: list } = await ask({ request: "/v1/prediction-markets/orders/history", ...fields });
      return list.find((one) => String(one.orderId) === order.id);
    } catch (failure) {
      console.warn(failure);
      if (tried < READS) await pause(failure.wait);
    }
  }
  return undefined;
}
