// The market of this page, and how its prices and amounts are written. Within the book a price is a BigInt of all its digits, which
// compares fast and exactly.
import { floorTo, isDecimal, product, ratio, read, text } from "../decimal.js";
import { amount, average, price } from "../figures.js";
import { data } from "../page.js";

/** @typedef {"buy" | "sell"} Side @typedef {"yes" | "no"} Outcome */
/** @typedef {{ side: Side, outcome?: Outcome, price: string }} Placed */
/** @typedef {{ number: number, name: string, kind: string, is_chosen: boolean }} Account */
/** The block of data of a market's page (`edge/site/src/trade.rs`).
 * @typedef {{ symbol: string, title: string, base: string, quote: string, kind: "spot" | "perpetual" | "contract", tick: string, lot: string,
 *   minimum: string, price_decimals: number, base_decimals: number, quote_decimals: number, decimals: Record<string, number>,
 *   contract?: { event: string, title: string, label: string, ticker: string }, traded_by?: string[], accounts?: Account[],
 *   markets: { symbol: string, title: string }[], status: string, halted?: boolean, pinned?: { currency: string, price: string } }} Market */
/** @type {Market} */
export const market = data.page;
export const { symbol, base, quote, tick, lot, kind } = market;
export const isPerpetual = kind === "perpetual";
export const isContract = kind === "contract";

/** @param {string} words */
const placesOf = (words) => (words.split(".")[1] ?? "").length;
export const PRICE_PLACES = Math.max(market.price_decimals ?? 0, placesOf(tick));
export const AMOUNT_PLACES = placesOf(lot);

// A decimal as a BigInt with so many digits after the point; further digits are dropped.
/** @param {string} words @param {number} places */
export function scaled(words, places) {
  const [whole, part = ""] = words.split(".");
  return BigInt(whole + part.substring(0, places).padEnd(places, "0"));
}

/** @param {string} words */
export const toPrice = (words) => scaled(words, PRICE_PLACES);
/** @param {bigint} digits */
export const priceText = (digits) => text({ digits, places: PRICE_PLACES });
/** @param {bigint} digits */
export const priceShown = (digits) => price(priceText(digits));
// Texts of prices, and of averages and marks, of this market as they are read.
/** @param {string} words */
export const shownPrice = (words) => price(words, PRICE_PLACES);
/** @param {string} words */
export const shownAverage = (words) => average(words, PRICE_PLACES);
/** @param {string} words */
export const toAmount = (words) => scaled(words, AMOUNT_PLACES);
/** @param {bigint} digits */
export const amountText = (digits) => text({ digits, places: AMOUNT_PLACES });
export const TICK = toPrice(tick);
export const ONE = 10n ** BigInt(PRICE_PLACES);

// An amount without the zeros at its end.
/** @param {string} words */
export const bare = (words) => (words?.includes(".") ? words.replace(/\.?0+$/, "") : words);

// Places of amounts in columns: as many as make the last one worth about a unit of the quote currency, so that the points stand in line.
let shown = Math.min(AMOUNT_PLACES, 5);
/** @param {bigint} middle */
export function setPlaces(middle) {
  const whole = priceText(middle).split(".")[0];
  shown = isContract ? AMOUNT_PLACES : Math.min(AMOUNT_PLACES, whole === "0" ? 0 : whole.length);
}

// An amount as columns show it. One that is less than the last place keeps its first digit.
/** @param {bigint} digits */
export const amountShown = (digits) => amount(text({ digits, places: AMOUNT_PLACES }), shown);

/** @param {string} words */
export const isPositive = (words) => isDecimal(words) && /[1-9]/.test(words);

// How many lots of the amount a total buys at a price, as an amount.
/** @param {string} total @param {string} price */
export function amountFor(total, price) {
  if (!isPositive(total) || !isPositive(price)) return "";
  return bare(text(product({ digits: ratio(read(total), product(read(price), read(lot)), 1), places: 0 }, read(lot))));
}

// So many per cent of an amount, on the lot.
/** @param {string} words @param {number} percent */
export function partOf(words, percent) {
  const { digits, places } = read(words);
  return bare(floorTo(text({ digits: digits * BigInt(percent), places: places + 2 }), lot));
}

// The other outcome's price.
/** @param {bigint} price */
export const opposite = (price) => ONE - price;

// Where an own order stands in the book: an order of "no" stands on the other side, at the rest of a dollar.
/** @type {WeakMap<Placed, { side: "bids" | "asks", price: bigint }>} */
const places = new WeakMap();
/** @param {Placed} order */
export function placeOf(order) {
  let place = places.get(order);
  if (!place) {
    const isBuy = order.side === "buy";
    const price = toPrice(order.price);
    const isNo = order.outcome === "no";
    place = { side: isNo === isBuy ? "asks" : "bids", price: isNo ? opposite(price) : price };
    places.set(order, place);
  }
  return place;
}
/** @param {Placed} order */
export const bookSide = (order) => placeOf(order).side;
/** @param {Placed} order */
export const bookPrice = (order) => placeOf(order).price;
