// The account's fills in this market: those that a call names, then those of the stream.
import { call } from "../call.js";
import { showFault } from "../faults.js";
import { part, totalOf } from "../lists.js";
import { symbol } from "./market.js";
import { store } from "./store.js";

// Fills that are kept, those that are asked for at first, and how soon they are read again.
const [FILLS, FIRST_FILLS, SOON] = [500, 100, 250];

export const fills = store([]);
// How many fills the account has in this market: "more" if these are not all.
export const fillsTotal = store(/** @type {number | "more"} */ (0));

export const SIDES = { BUY: "buy", SELL: "sell" };
export const millis = (nanos) => Math.floor(Number(nanos) / 1e6);

// A fill of a frame, which leaves out a fee of nothing.
const fillOfFrame = (frame) => ({
  id: String(frame.t), order: String(frame.i), at: millis(frame.T ?? frame.E), side: SIDES[frame.S], outcome: frame.O?.toLowerCase(),
  price: frame.L, amount: frame.Z, fee: frame.n ?? "0", isMaker: frame.m || frame.n !== undefined ? frame.m === true : undefined,
});
/** @param {import("replies").Schema<"OwnTrade">} trade */
const fillOfReply = (trade) => ({
  id: String(trade.tid), order: String(trade.order_id), at: trade.timestampms, side: trade.type.toLowerCase(), outcome: trade.outcome,
  price: trade.price, amount: trade.amount, fee: trade.fee_amount, feeCurrency: trade.fee_currency, isMaker: !trade.aggressor,
});

// Adds fills, newest first. What the stream says of a fill is kept where a later answer says the same.
function addFills(list) {
  const known = new Map(fills.get().map((fill) => [fill.id, fill]));
  for (const fill of list) known.set(fill.id, { ...known.get(fill.id), ...fill });
  const all = [...known.values()].sort((one, other) => other.at - one.at || Number(BigInt(other.id) - BigInt(one.id)));
  fills.set(part(all, FILLS));
  if (all.length > FILLS) fillsTotal.set("more");
}

let fillsLimit = FIRST_FILLS;
export async function loadFills() {
  const found = await call("/v1/mytrades", { symbol, limit_trades: fillsLimit });
  addFills(found.map(fillOfReply));
  fillsTotal.set(totalOf(found, fillsLimit));
}

// As many fills as the exchange names at once; none if these are asked for already.
export const mayLoadFills = () => fillsLimit < FILLS && fills.get().length < FILLS;
export async function loadMoreFills() {
  fillsLimit = FILLS;
  try {
    await loadFills();
    showFault("more-fills", "");
  } catch (failure) {
    fillsLimit = FIRST_FILLS;
    showFault("more-fills", `Earlier fills could not be read. ${failure.message}`);
  }
}

let reading = 0;
// A fill without a fee may be one that the exchange forced. A frame does not say whether such a fill was a maker's; the call does.
function readFillsSoon() {
  reading ||= setTimeout(async () => {
    reading = 0;
    try {
      await loadFills();
      showFault("fills", "");
    } catch (failure) {
      showFault("fills", `The newest fills could not be read in full. ${failure.message}`);
    }
  }, SOON);
}

// Takes a fill that the stream tells.
export function hearFill(frame) {
  if (frame.s.toLowerCase() !== symbol) return;
  addFills([fillOfFrame(frame)]);
  if (frame.n === undefined) readFillsSoon();
}
