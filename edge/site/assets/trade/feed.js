// The book and the trades of this market as the streams tell them. The parts of the page that draw them ask for the newest state.
import { getPublic } from "../call.js";
import { watch } from "../socket.js";
import { ONE, isContract, priceText, setPlaces, symbol, TICK, toAmount, toPrice } from "./market.js";
import { draw, store } from "./store.js";

/** @import { Outcome, Side } from "./market.js" @import { State } from "./store.js" */

// Trades that are kept, and those that the first answer has.
const TRADES = 200;

export const bookState = store(/** @type {State} */ ({ kind: "loading" }));
export const tapeState = store(/** @type {State} */ ({ kind: "loading" }));
// Why the tape has no earlier trades, as a sentence.
export const tapeFault = store("");

// One side of the book: its prices, best first, and the amount at each.
export class Levels {
  constructor(isBids) {
    this.isBids = isBids;
    this.clear();
  }

  clear() {
    /** @type {bigint[]} */
    this.prices = [];
    /** @type {Map<bigint, bigint>} */
    this.amounts = new Map();
  }

  // The place of a price, or where it would stand.
  /** @param {bigint} price */
  placeOf(price) {
    let [low, high] = [0, this.prices.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.isBids ? this.prices[middle] > price : this.prices[middle] < price) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @param {bigint} price @param {bigint} amount */
  set(price, amount) {
    const isKnown = this.amounts.has(price);
    if (amount === 0n) {
      if (isKnown) this.prices.splice(this.placeOf(price), 1);
      this.amounts.delete(price);
      return;
    }
    if (!isKnown) this.prices.splice(this.placeOf(price), 0, price);
    this.amounts.set(price, amount);
  }

  get best() {
    return this.prices[0];
  }
}

export const book = { bids: new Levels(true), asks: new Levels(false) };
/** @typedef {{ id: number, at: number, price: bigint, amount: bigint, isBuy: boolean }} Trade */
/** @type {Trade[]} */
export const trades = [];
export const last = store(/** @type {Trade | null} */ (null));
// Best bid, best ask and the middle, as BigInts; none on an empty side.
export const top = store(/** @type {{ bid?: bigint, ask?: bigint, middle?: bigint }} */ ({}));

const readers = { book: new Set(), trades: new Set() };
const tellBook = () => readers.book.forEach((reader) => reader());
const tellTrades = () => readers.trades.forEach((reader) => reader());

// Calls `reader` in each frame in which the book (or the trades) changed. Returns a function that ends it.
function on(kind, reader) {
  readers[kind].add(reader);
  return () => readers[kind].delete(reader);
}
export const onBook = (reader) => on("book", reader);
export const onTrades = (reader) => on("trades", reader);

function setTop() {
  const [bid, ask] = [book.bids.best, book.asks.best];
  const middle = bid !== undefined && ask !== undefined ? (bid + ask) / 2n : bid ?? ask;
  const old = top.get();
  if (middle && !old.middle) setPlaces(middle);
  if (old.bid !== bid || old.ask !== ask) top.set({ bid, ask, middle });
}

function onDepth(frame, { isFirst }) {
  if (isFirst) {
    book.bids.clear();
    book.asks.clear();
  }
  for (const [price, amount] of frame.b) book.bids.set(toPrice(price), toAmount(amount));
  for (const [price, amount] of frame.a) book.asks.set(toPrice(price), toAmount(amount));
  setTop();
  draw(tellBook);
}

// A trade: its id, time in milliseconds, price, amount, and who took.
const ofFrame = ({ E, t, p, q, m }) => ({ id: Number(t), at: Math.floor(Number(E) / 1e6), price: toPrice(p), amount: toAmount(q),
  isBuy: !m });
/** @param {import("replies").Schema<"PublicTrade">} trade @returns {Trade} */
const ofReply = ({ tid, timestampms, price, amount, type }) =>
  ({ id: tid, at: timestampms, price: toPrice(price), amount: toAmount(amount), isBuy: type === "buy" });

// Trades by their places, newest first; one that is known already is left out.
function add(list) {
  const known = new Set(trades.map((trade) => trade.id));
  trades.push(...list.filter((trade) => !known.has(trade.id)));
  trades.sort((one, other) => other.id - one.id);
  trades.length = Math.min(trades.length, TRADES);
  last.set(trades[0] ?? null);
  draw(tellTrades);
}

function onTrade(frame) {
  const trade = ofFrame(frame);
  if (trades.length && trade.id <= trades[0].id) return;
  trades.unshift(trade);
  if (trades.length > TRADES) trades.length = TRADES;
  last.set(trade);
  draw(tellTrades);
}

// The trades before the stream; after a gap those that it left out.
async function loadTrades() {
  try {
    add((await getPublic(`/v1/trades/${symbol}?limit_trades=100`)).map(ofReply));
    tapeFault.set("");
  } catch (failure) {
    // The tape goes on with the trades that come.
    tapeFault.set(`Earlier trades cannot be read. ${failure.message}`);
  }
}

// Begins to listen.
export function start() {
  watch([`${symbol}@depth@100ms`], { onFrame: onDepth, onState: (state) => bookState.set(state) });
  let wasLive = false;
  watch([`${symbol}@trade`], {
    onFrame: onTrade,
    onState(state) {
      if (state.kind === "live" && !wasLive) loadTrades();
      wasLive = state.kind === "live" || (wasLive && state.kind === "stale");
      tapeState.set(state);
    },
  });
}

// The best price that an order would meet, of the outcome that it names, as a BigInt.
/** @param {Side} side @param {Outcome} [outcome] */
export function bestOpposite(side, outcome = "yes") {
  const { bid, ask } = top.get();
  if (outcome !== "no") return side === "buy" ? ask : bid;
  const met = side === "buy" ? bid : ask;
  return met === undefined ? undefined : ONE - met;
}

// The price to which a market order goes at worst: so many hundredths of a per cent beyond the best.
/** @param {Side} side @param {Outcome | undefined} outcome @param {number} beyond */
export function boundOf(side, outcome, beyond) {
  const best = bestOpposite(side, outcome);
  if (best === undefined) return "";
  const part = BigInt(beyond);
  const far = side === "buy" ? (best * (10_000n + part)) / 10_000n : (best * (10_000n - part) + 9_999n) / 10_000n;
  const onTick = side === "buy" ? (far / TICK) * TICK : ((far + TICK - 1n) / TICK) * TICK;
  const least = onTick < TICK ? TICK : onTick;
  return priceText(isContract && least > ONE - TICK ? ONE - TICK : least);
}

// Whether an order at a price would trade at once.
/** @param {Side} side @param {bigint} price @param {Outcome} [outcome] */
export function wouldTrade(side, price, outcome = "yes") {
  const best = bestOpposite(side, outcome);
  return best !== undefined && (side === "buy" ? price >= best : price <= best);
}

// Whether a price is more than so many hundredths of a per cent beyond the middle, on the side that trades.
/** @param {Side} side @param {bigint} price @param {number} beyond @param {Outcome} [outcome] */
export function isFar(side, price, beyond, outcome = "yes") {
  const { middle } = top.get();
  if (middle === undefined || !wouldTrade(side, price, outcome)) return false;
  const fair = outcome === "no" ? ONE - middle : middle;
  const away = side === "buy" ? price - fair : fair - price;
  return away * 10_000n > fair * BigInt(beyond);
}

