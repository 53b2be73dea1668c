// The levels of the book: their order, their steps, the depth chart, and the prices that a market order may reach.
import assert from "node:assert/strict";
import test from "node:test";
import { CONTRACT, SPOT, open } from "./page.mjs";

const load = open({ page: SPOT });
const { Levels, bestOpposite, boundOf, isFar, top, wouldTrade } = await load("trade/feed.js");
const { levels, stepOf, steps } = await load("trade/grouped.js");
const { axis, totals } = await load("trade/depth.js");
const contract = await open({ page: CONTRACT })("trade/feed.js");

const side = (isBids, rows) => {
  const made = new Levels(isBids);
  for (const [price, amount] of rows) made.set(price, amount);
  return made;
};

test("the best price of a side comes first", () => {
  const rows = [[5n, 1n], [9n, 1n], [7n, 1n], [6n, 1n]];
  assert.deepEqual(side(true, rows).prices, [9n, 7n, 6n, 5n]);
  assert.deepEqual(side(false, rows).prices, [5n, 6n, 7n, 9n]);
  assert.equal(side(true, []).best, undefined);
});

test("an amount of zero takes a level away, and no other", () => {
  const bids = side(true, [[5n, 1n], [9n, 2n], [7n, 3n], [9n, 0n], [8n, 0n], [5n, 4n]]);
  assert.deepEqual(bids.prices, [7n, 5n]);
  assert.deepEqual([...bids.amounts].sort(), [[5n, 4n], [7n, 3n]]);
  bids.clear();
  assert.deepEqual([bids.prices, bids.amounts.size], [[], 0]);
});

test("a thousand changes leave the levels that a plain map has", () => {
  let seed = 12_345;
  const random = (below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  for (const isBids of [true, false]) {
    const [made, plain] = [new Levels(isBids), new Map()];
    for (let at = 0; at < 1_000; at += 1) {
      const [price, amount] = [BigInt(random(40)), BigInt(random(3))];
      made.set(price, amount);
      if (amount) plain.set(price, amount);
      else plain.delete(price);
    }
    const wanted = [...plain.keys()].sort((one, other) => Number(isBids ? other - one : one - other));
    assert.deepEqual(made.prices, wanted);
    assert.deepEqual(wanted.map((price) => made.amounts.get(price)), wanted.map((price) => plain.get(price)));
  }
});

test("a step shows no price that is better than there is", () => {
  assert.deepEqual([100n, 101n, 109n].map((price) => stepOf(price, 10n, true)), [100n, 100n, 100n]);
  assert.deepEqual([100n, 101n, 109n].map((price) => stepOf(price, 10n, false)), [100n, 110n, 110n]);
});

test("levels of one step are added, and their sums run on", () => {
  const asks = side(false, [[101n, 1n], [105n, 2n], [111n, 4n], [121n, 8n], [122n, 16n]]);
  assert.deepEqual(levels(asks, 2, 10n), [{ price: 110n, amount: 3n, total: 3n }, { price: 120n, amount: 4n, total: 7n }]);
  // The last step is whole, although later levels belong to it.
  assert.deepEqual(levels(asks, 3, 10n).at(-1), { price: 130n, amount: 24n, total: 31n });
  assert.equal(levels(asks, 9, 10n).length, 3);
  assert.deepEqual(levels(side(true, []), 5, 10n), []);
});

test("steps are one, two and five, up to a twentieth of the price", () => {
  assert.deepEqual(steps(1n, 10_000n), [1n, 10n, 20n, 50n, 100n, 200n, 500n]);
  assert.deepEqual(steps(1n, 200n), [1n]);
  assert.deepEqual(steps(5n, 0n), [5n]);
  assert.equal(steps(1n, 10n ** 30n).length, 16);
});

const rows = (from, by, count, amount = "1") => Array.from({ length: count }, (_, at) => ({ price: String(from + by * at), amount }));

test("sums of the depth are exact", () => {
  const found = totals([{ price: "1", amount: "0.1" }, { price: "2", amount: "0.2" }, { price: "3", amount: "0.00000001" }]);
  assert.deepEqual(found.map(({ total }) => total), [{ digits: 1n, places: 1 }, { digits: 3n, places: 1 }, { digits: 30_000_001n, places: 8 }]);
});

test("an order far away does not stretch the depth chart", () => {
  const [bids, asks] = [rows(99, -1, 10), [...rows(101, 1, 10), { price: "100000", amount: "0.0001" }]];
  const shown = axis(bids, asks);
  assert.deepEqual([shown.low, shown.high, shown.bids.length, shown.asks.length], ["90", "110", 10, 10]);
});

test("the middle of the book is the middle of the axis", () => {
  const wide = axis(rows(99, -1, 30), rows(101, 1, 10));
  assert.deepEqual([wide.low, wide.high], ["70", "130"]);
  const other = axis(rows(99, -1, 10), rows(101, 1, 30));
  assert.deepEqual([other.low, other.high], ["70", "130"]);
  // No price is below zero.
  assert.equal(axis(rows(2, -1, 2), rows(4, 2, 4)).low, "0");
});

test("a book with one side, or none, has an axis", () => {
  const [bids, asks] = [rows(99, -1, 3), rows(101, 1, 3)];
  assert.deepEqual([axis(bids, []).low, axis(bids, []).high], ["97", "99"]);
  assert.deepEqual([axis([], asks).low, axis([], asks).high], ["101", "103"]);
  assert.deepEqual(axis([], []), { low: "", high: "", bids: [], asks: [] });
});

test("a market order is bounded beyond the best price, on the tick", () => {
  top.set({ bid: 9_999n, ask: 10_001n, middle: 10_000n });
  assert.equal(boundOf("buy", undefined, 100), "101.01");
  assert.equal(boundOf("sell", undefined, 100), "99.00");
  assert.equal(boundOf("buy", undefined, 0), "100.01");
  assert.equal(boundOf("sell", undefined, 10_000), "0.01");
  top.set({ ask: 10_001n, middle: 10_001n });
  assert.equal(boundOf("sell", undefined, 100), "");
});

test("an order trades at once from the best price on", () => {
  top.set({ bid: 9_999n, ask: 10_001n, middle: 10_000n });
  assert.deepEqual([10_000n, 10_001n, 10_002n].map((price) => wouldTrade("buy", price)), [false, true, true]);
  assert.deepEqual([10_000n, 9_999n, 9_998n].map((price) => wouldTrade("sell", price)), [false, true, true]);
  top.set({});
  assert.deepEqual([wouldTrade("buy", 1n), wouldTrade("sell", 1n)], [false, false]);
  assert.equal(bestOpposite("buy"), undefined);
});

test("a limit is far when it trades more than its bound from the middle", () => {
  top.set({ bid: 9_999n, ask: 10_001n, middle: 10_000n });
  assert.deepEqual([10_100n, 10_101n].map((price) => isFar("buy", price, 100)), [false, true]);
  assert.deepEqual([9_900n, 9_899n].map((price) => isFar("sell", price, 100)), [false, true]);
  // One that waits in the book is not far, wherever it stands.
  assert.deepEqual([isFar("buy", 1n, 100), isFar("sell", 99_999n, 100)], [false, false]);
});

test("the other outcome meets the rest of a dollar", () => {
  contract.top.set({ bid: 37n, ask: 41n, middle: 39n });
  const best = (side, outcome) => contract.bestOpposite(side, outcome);
  assert.deepEqual([best("buy", "yes"), best("sell", "yes"), best("buy", "no"), best("sell", "no")], [41n, 37n, 63n, 59n]);
  assert.equal(contract.boundOf("buy", "no", 100), "0.63");
  assert.equal(contract.boundOf("buy", "yes", 50_000), "0.99");
  assert.deepEqual([contract.wouldTrade("buy", 62n, "no"), contract.wouldTrade("buy", 63n, "no")], [false, true]);
  contract.top.set({ ask: 41n, middle: 41n });
  assert.equal(best("buy", "no"), undefined);
});
