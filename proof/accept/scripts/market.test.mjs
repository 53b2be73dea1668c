// Prices and amounts of a market, the ticket's form, and whether an order may move.
import assert from "node:assert/strict";
import test from "node:test";
import { answer, CONTRACT, open, PERPETUAL, SPOT } from "./page.mjs";

const loadSpot = open({ page: SPOT, search: "?side=sell&outcome=no" });
const spot = await loadSpot("trade/market.js");
const contract = await open({ page: CONTRACT })("trade/market.js");

test("prices and amounts are digits of their market", () => {
  assert.deepEqual(["1", "1.2", "1.239", "0.01"].map(spot.toPrice), [100n, 120n, 123n, 1n]);
  assert.deepEqual([5n, 0n, 123_456n].map(spot.priceText), ["0.05", "0.00", "1234.56"]);
  assert.equal(spot.priceShown(123_456n), "1,234.56");
  assert.equal(spot.amountText(spot.toAmount("0.123456789")), "0.12345678");
  assert.deepEqual(["0.01", "5"].map(spot.isPositive), [true, true]);
  assert.deepEqual(["0", "0.00", "-1", "", "1e3"].map(spot.isPositive), [false, false, false, false, false]);
});

test("a total buys whole lots, rounded down", () => {
  assert.equal(spot.amountFor("100", "3"), "33.33333333");
  assert.equal(spot.amountFor("100", "4"), "25");
  assert.equal(spot.amountFor("0.00000001", "60000"), "0");
  assert.equal(contract.amountFor("1", "0.30"), "3");
  for (const [total, price] of [["0", "3"], ["3", "0.00"], ["", "3"], ["x", "3"], ["3", ""]]) assert.equal(spot.amountFor(total, price), "");
});

test("a part of an amount is on the lot", () => {
  assert.equal(spot.partOf("1.00000001", 50), "0.5");
  assert.equal(spot.partOf("1", 33), "0.33");
  assert.equal(spot.partOf("0.00000001", 50), "0");
  assert.equal(spot.partOf("0.123", 100), "0.123");
  assert.equal(contract.partOf("5", 50), "2");
});

test("columns of amounts keep the first digit of a small one", () => {
  spot.setPlaces(spot.toPrice("60000"));
  assert.equal(spot.amountShown(spot.toAmount("0.12345678")), "0.12345");
  assert.equal(spot.amountShown(spot.toAmount("0.00000012")), "0.0000001");
  spot.setPlaces(spot.toPrice("0.50"));
  assert.equal(spot.amountShown(spot.toAmount("12.7")), "12");
});

test("an order of no stands on the other side of the book", () => {
  const place = (side, outcome) => contract.placeOf({ side, outcome, price: "0.30" });
  assert.deepEqual(place("buy", "yes"), { side: "bids", price: 30n });
  assert.deepEqual(place("sell", "yes"), { side: "asks", price: 30n });
  assert.deepEqual(place("buy", "no"), { side: "asks", price: 70n });
  assert.deepEqual(place("sell", "no"), { side: "bids", price: 70n });
});

test("the form begins as the address says, where that fits the market", async () => {
  const { draft } = await loadSpot("trade/draft.js");
  assert.deepEqual([draft.get().side, draft.get().outcome, draft.get().type], ["sell", undefined, "limit"]);
  const other = await open({ page: CONTRACT, search: "?side=steal&outcome=no" })("trade/draft.js");
  assert.deepEqual([other.draft.get().side, other.draft.get().outcome], ["buy", "no"]);
  other.setBookPrice("0.37");
  assert.equal(other.draft.get().price, "0.63");
});

test("an edit ends what was refused, but not what is under way", async () => {
  const { draft, edit, outcome, setPrice, underWay } = await loadSpot("trade/draft.js");
  outcome.set({ isGood: false, words: "Refused." });
  edit({ amount: "1" });
  assert.equal(outcome.get(), null);
  for (const [state, said] of [["sending", { isGood: false }], [null, { isGood: true }]]) {
    underWay.set(state);
    outcome.set(said);
    edit({ amount: "2" });
    assert.equal(outcome.get(), said);
  }
  edit({ type: "market" });
  setPrice("5.00");
  assert.deepEqual([draft.get().type, draft.get().price, draft.get().amount], ["limit", "5.00", "2"]);
});

test("an order is complete with price and amount, a stop with its trigger", async () => {
  const { isComplete } = await loadSpot("trade/draft.js");
  const order = { type: "limit", price: "1", amount: "1", stop: "" };
  assert.ok(isComplete(order) && isComplete({ ...order, type: "stop-limit", stop: "2" }));
  for (const part of [{ price: "" }, { price: "0.00" }, { amount: "" }, { amount: "-1" }, { type: "stop-limit" }, { type: "stop-limit", stop: "0" }]) {
    assert.ok(!isComplete({ ...order, ...part }), JSON.stringify(part));
  }
});

test("a price that an order moves to is on the tick, and of a contract below a dollar", async () => {
  const { wrongPrice } = await loadSpot("trade/checks.js");
  assert.deepEqual(["0.01", "60000", "60000.010"].map(wrongPrice), ["", "", ""]);
  assert.equal(wrongPrice("60000.015"), "A price is a multiple of 0.01.");
  for (const price of ["", "0", "0.00", "-5", "x"]) assert.equal(wrongPrice(price), "Write a price above 0.");
  const ofContract = (await open({ page: CONTRACT })("trade/checks.js")).wrongPrice;
  assert.deepEqual(["0.99", "0.01"].map(ofContract), ["", ""]);
  assert.equal(ofContract("1.00"), "A price is at most 0.99.");
});

// A page whose calls are answered from a list by path, and the payloads that were sent.
function answering(page, answers) {
  const sent = [];
  const fetch = async (path, { body }) => {
    const fields = JSON.parse(body);
    sent.push(fields);
    return answer(answers(path, fields));
  };
  return [open({ page, fetch }), sent];
}

const OLD = { side: "buy", type: "limit", price: "100.00", amount: "1", remaining: "1", option: "" };
const REFUSED = { result: "refused", reason: "InsufficientFunds", message: "The account has 5 USD." };

// What a move of `OLD` to a price is refused with. `free` dollars are available; the old order holds the money of its own price.
async function moved(price, free, { refusals = 1, later = { result: "ok", rests: "1", executed: "0" } } = {}) {
  let asked = 0;
  const [load, sent] = answering(SPOT, (path, { request }) => {
    if (path.startsWith("/site/preview")) return (asked += 1) <= refusals ? REFUSED : later;
    if (request === "/v1/balances") return [{ currency: "USD", available: free }];
    return { web_maker_fee_bps: 20, web_taker_fee_bps: 100 };
  });
  const { whyNotMoved } = await load("trade/checks.js");
  return [await whyNotMoved(OLD, { ...OLD, price }), sent];
}

test("a move may spend what its old order holds, with the worse fee, and no more", async () => {
  assert.equal((await moved("100.00", "0"))[0], "");
  // One dollar more needs 1.01 with the taker's fee of one per cent.
  assert.equal((await moved("101.00", "1.01"))[0], "");
  assert.equal((await moved("101.00", "1.009"))[0], REFUSED.message);
});

test("a move is tried with the least amount when money alone stands against it", async () => {
  const [why, sent] = await moved("100.00", "0");
  assert.equal(why, "");
  const previews = sent.filter(({ request }) => request === "/v1/order/new");
  assert.deepEqual(previews.map(({ amount }) => amount), ["1", SPOT.minimum]);
  const later = { result: "refused", reason: "MarketClosed", message: "The market is closed." };
  assert.equal((await moved("100.00", "0", { later }))[0], "The market is closed.");
});

test("a move that would end at once is not made", async () => {
  const later = { result: "ok", executed: "0", rests: "0", reason: "MakerOrCancelWouldTake" };
  const [why] = await moved("100.00", "0", { refusals: 0, later });
  assert.equal(why, "The new order would be cancelled: it would have traded at once, and was only to rest.");
});

test("a position is reduced from its other side alone", async () => {
  const { positionState, positions, whyNotReduced, whyNothingSent } = await open({ page: PERPETUAL })("trade/money.js");
  assert.equal(whyNotReduced("sell"), "The position could not be read yet. Nothing is sent.");
  positionState.set({ kind: "live" });
  for (const held of [[], [{ symbol: "ETHGUSDPERP", quantity: "5" }], [{ symbol: "BTCGUSDPERP", quantity: "0.0000" }]]) {
    positions.set(held);
    assert.equal(whyNotReduced("sell"), "There is no position to reduce.");
  }
  positions.set([{ symbol: "BTCGUSDPERP", quantity: "-1.5" }]);
  assert.deepEqual([whyNotReduced("buy"), whyNotReduced("sell")], ["", "A short position is reduced by a buy."]);
  assert.equal(whyNothingSent("sell"), "A short position is reduced by a buy. Nothing was sent: your position is now short 1.5.");
  positions.set([{ symbol: "BTCGUSDPERP", quantity: "2" }]);
  assert.deepEqual([whyNotReduced("sell"), whyNotReduced("buy")], ["", "A long position is reduced by a sell."]);
});

test("claims that sales hold cannot be sold again", async () => {
  const { claimsOf, heldAgainst, heldBack, positions } = await open({ page: CONTRACT })("trade/money.js");
  positions.set([{ symbol: "GEMI-BTC100K", outcome: "yes", totalQuantity: "10", quantityOnHold: "4" }]);
  assert.deepEqual([claimsOf("yes"), heldBack("yes"), heldAgainst("no")], ["6", "4", "6"]);
  assert.deepEqual([claimsOf("no"), heldBack("no"), heldAgainst("yes")], ["0", "0", "0"]);
});

test("a buy of claims closes pairs with what no sale holds, first now and then later", async () => {
  const { claimsBought } = await open({ page: CONTRACT })("trade/claims.js");
  for (const [executed, rests, held, wanted] of [
    ["0", "10", "0", ["10", "0", "0", "10"]], ["10", "0", "4", ["10", "4", "0", "6"]], ["3", "7", "4", ["10", "3", "1", "6"]],
    ["3", "7", "10", ["10", "3", "7", "0"]], ["3", "7", "99", ["10", "3", "7", "0"]],
  ]) {
    const { bought, now, later, stay } = claimsBought({ executed, rests }, held);
    assert.deepEqual([bought, now, later, stay], wanted, `${executed} and ${rests} with ${held}`);
  }
});
