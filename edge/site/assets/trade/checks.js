// Whether an order could stand at other terms, as far as the exchange and the account's money say before its move.
import { compare, difference, floorTo, product, read as decimal, sum } from "../decimal.js";
import { wouldTrade } from "./feed.js";
import { ask, previewed } from "./lookup.js";
import { bare, isContract, isPerpetual, isPositive, market, ONE, priceText, quote, symbol, TICK, tick, toPrice } from "./market.js";
import { endOf as endWords } from "../reasons.js";

// What is wrong with a price of an order that moves, as a sentence; none if it is a price of this market.
export function wrongPrice(price) {
  if (!isPositive(price)) return "Write a price above 0.";
  if (compare(decimal(price), decimal(floorTo(price, tick))) !== 0) return `A price is a multiple of ${bare(tick)}.`;
  return isContract && toPrice(price) >= ONE ? `A price is at most ${priceText(ONE - TICK)}.` : "";
}

// Whether a move to a price would trade at once.
export const movesIntoTrade = (order, price) => order.type === "limit" && wouldTrade(order.side, toPrice(price), order.outcome);

const BPS = 10_000;
const costOf = ({ amount, price }) => product(decimal(amount), decimal(price));

// Whether the account lacks money for a buy of a currency even when the cancel has released what the old order holds: its price with the
// worse of the fees of the account's tier.
async function lacksMoney(order, next) {
  const [balances, tier] = await Promise.all([ask({ request: "/v1/balances" }), ask({ request: "/v1/notionalvolume", symbol })]);
  const [maker, taker] = [tier.web_maker_fee_bps, tier.web_taker_fee_bps].map((bps) => decimal(bps));
  const factor = sum(decimal(BPS), compare(maker, taker) > 0 ? maker : taker);
  const free = balances.find(({ currency }) => currency === quote)?.available ?? "0";
  const released = product(costOf({ amount: order.remaining, price: order.price }), factor);
  const has = sum(product(decimal(free), decimal(BPS)), released);
  return compare(product(costOf(next), factor), has) > 0;
}

// The same of a perpetual or a contract, by the most that is possible now. A sale of claims reserves its amount, which a move leaves.
function lacksRoom(order, next, most) {
  if (!most || !(isPerpetual || order.side === "buy")) return false;
  const lacking = difference(decimal(next.amount), decimal(most));
  return lacking.digits > 0n && compare(product(lacking, decimal(next.price)), product(decimal(order.remaining), decimal(order.price))) > 0;
}

const isSpot = !isPerpetual && !isContract;
const isShort = (order, next, most) => (isSpot ? order.side === "buy" && lacksMoney(order, next) : lacksRoom(order, next, most));

const isFunds = (reason) => /^insufficient_?(funds|margin)$/i.test(reason ?? "");

// Why an order would not stand after a move, in the exchange's words; none if it would. It is asked before the cancel.
export async function whyNotMoved(order, next) {
  let shown = await previewed(next);
  if (shown.result === "refused" && isFunds(shown.reason)) {
    if (await isShort(order, next, shown.most)) return shown.message;
    // The cancel releases money: with the least amount it shows whether anything else stands against the order.
    shown = await previewed({ ...next, amount: market.minimum });
    if (isFunds(shown.reason)) return "";
  }
  if (shown.result === "refused") return shown.message;
  if (isPositive(shown.executed) || isPositive(shown.rests)) return "";
  return `The new order would be cancelled: ${endWords(shown.reason)}.`;
}
