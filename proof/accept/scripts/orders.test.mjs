// Orders as calls and streams report them, the words about them, and what is sent for one.
import assert from "node:assert/strict";
import test from "node:test";
import { answer, CONTRACT, drawFrame, open, SPOT } from "./page.mjs";

const load = open({ page: SPOT });
const { chosen, end, endOf, executedOf, mark, ofReply, orders, ownOrders, put, putUnknown } = await load("trade/orders.js");
const { told } = await load("trade/told.js");
const { outcome } = await load("trade/draft.js");
const { isUnsure, payload } = await load("trade/lookup.js");
const { isForPrograms, sentenceOf } = await load("reasons.js");
const { Stream, isPrivate, subjectOf } = await load("stream.js");
const contract = await open({ page: CONTRACT })("trade/orders.js", "trade/told.js", "trade/lookup.js");

const REPLY = { order_id: 7, client_order_id: "web-1", symbol: "BTCUSD", side: "buy", type: "exchange limit", price: "100.00", timestampms: 5,
  original_amount: "2", remaining_amount: "2", executed_amount: "0", is_live: true, is_cancelled: false };
const row = (part = {}) => ({ ...ofReply(REPLY), ...part });
const ids = () => [...orders.get().keys()];
const remaining = (id) => orders.get().get(id)?.remaining;

test("an order of a reply has the market's name and texts of its figures", () => {
  assert.deepEqual(row(), { id: "7", client: "web-1", symbol: "btcusd", side: "buy", type: "limit", price: "100.00", stop: undefined, options: [],
    amount: "2", remaining: "2", at: 5 });
  const market = ofReply({ order_id: 8, symbol: "btcusd", type: "market buy" });
  assert.deepEqual([market.price, market.amount, market.remaining, market.type], ["0", "0", "0", "limit"]);
  assert.equal(ofReply({ ...REPLY, type: "stop-limit", stop_price: "99" }).stop, "99");
});

test("what remains of an order only shrinks, whichever word comes first", () => {
  put(row({ id: "1", remaining: "1.5" }));
  put(row({ id: "1", remaining: "2.0" }));
  assert.equal(remaining("1"), "1.5");
  put(row({ id: "1", remaining: "0.25" }));
  assert.equal(remaining("1"), "0.25");
});

test("an order that has ended does not come back", () => {
  put(row({ id: "2" }));
  chosen.set("2");
  end("2", "filled");
  put(row({ id: "2" }));
  assert.ok(!ids().includes("2"));
  assert.deepEqual([endOf("2"), endOf("nosuch"), chosen.get()], ["filled", undefined, null]);
  // An end that is known before the order is one too.
  end("3", "cancelled");
  put(row({ id: "3" }));
  assert.ok(!ids().includes("3"));
});

test("an order takes the place of its row without a reply", () => {
  putUnknown(row({ client: "web-9", remaining: "0.1" }));
  assert.ok(orders.get().get("web-9").isUnknown);
  put(row({ id: "9", client: "web-9", remaining: "2" }));
  assert.deepEqual([ids().includes("web-9"), remaining("9")], [false, "2"]);
});

test("a mark changes the order that it is of, and makes none", () => {
  mark("1", "cancelling");
  mark("nosuch", "cancelling");
  assert.deepEqual([orders.get().get("1").busy, ids().includes("nosuch")], ["cancelling", false]);
});

test("orders of other markets are not this market's own", () => {
  put(row({ id: "20", symbol: "ethusd" }));
  assert.ok(ids().includes("20"));
  assert.ok(ownOrders().every(({ symbol }) => symbol === "btcusd") && ownOrders().length > 0);
  assert.equal(ownOrders(), ownOrders());
});

test("the executed part is exact", () => {
  assert.equal(executedOf({ amount: "2.00", remaining: "0.5" }), "1.50");
  assert.equal(executedOf({ amount: "0.3", remaining: "0.1" }), "0.2");
  assert.equal(executedOf({ amount: undefined, remaining: "0" }), "0");
});

test("an order that was placed is told as it is", () => {
  const words = (part) => told({ ...REPLY, order_id: 70, ...part }).slice(0, 2);
  assert.deepEqual(words({}), [true, "Buy 2 BTC at 100.00: placed"]);
  assert.deepEqual(words({ executed_amount: "0.5", remaining_amount: "1.5", avg_execution_price: "99.5" }),
    [true, "Buy 2 BTC at 100.00: 0.5 filled at 99.50, the rest stands"]);
  assert.deepEqual(words({ is_live: false, executed_amount: "2", remaining_amount: "0", avg_execution_price: "99.5" }),
    [true, "Buy 2 BTC: filled at 99.50"]);
  assert.deepEqual(words({ is_live: false, is_cancelled: true, reason: "ImmediateOrCancelWouldPost" }),
    [false, "Buy 2 BTC at 100.00: cancelled, no order stands against the rest of it at its price"]);
  const [isGood, said] = words({ is_live: false, is_cancelled: true, executed_amount: "0.5", reason: "Requested" });
  assert.deepEqual([isGood, said], [true, "Buy 2 BTC at 100.00: 0.5 filled, the rest was cancelled: it was asked for"]);
  assert.deepEqual(words({ type: "stop-limit", side: "sell", stop_price: "101" }), [true, "Sell 2 BTC at 100.00: waits for 101.00"]);
  assert.equal(told(REPLY)[2].id, "7");
  assert.equal(told({ ...REPLY, is_live: false })[2], undefined);
});

test("words about an order that stands follow it to its end", () => {
  const [isGood, words, of] = told({ ...REPLY, order_id: 71, client_order_id: "web-71" });
  put(of);
  outcome.set({ isGood, words, of });
  drawFrame();
  assert.equal(outcome.get().words, "Buy 2 BTC at 100.00: placed");
  put({ ...of, remaining: "0.5" });
  drawFrame();
  assert.equal(outcome.get().words, "Buy 2 BTC at 100.00: 1.5 filled, the rest stands");
  end("71", "cancelled");
  drawFrame();
  assert.deepEqual([outcome.get().words, outcome.get().isGood], ["Buy 2 BTC at 100.00: cancelled", false]);
});

test("an order of a contract has its outcome and its time", () => {
  const reply = { orderId: 5, clientOrderId: "web-5", symbol: "GEMI-BTC100K", side: "sell", outcome: "no", orderType: "limit", price: "0.30",
    timeInForce: "good-til-cancel", quantity: "10", remainingQuantity: "4", filledQuantity: "6", status: "open", createdAt: "1970-01-01T00:00:01Z" };
  const order = contract.ofContract(reply);
  assert.deepEqual([order.id, order.symbol, order.options, order.at, executedOf(order)], ["5", "gemi-btc100k", [], 1_000, "6"]);
  assert.deepEqual(contract.ofContract({ ...reply, timeInForce: "maker-or-cancel" }).options, ["maker-or-cancel"]);
  assert.deepEqual(contract.told(reply).slice(0, 2), [true, "Sell 10 No at 0.30: 6 filled, the rest stands"]);
});

const ORDER = { side: "buy", type: "limit", price: "100", amount: "1", stop: "", option: "" };

test("an order is sent as it was filled in", () => {
  assert.deepEqual(payload(ORDER), { request: "/v1/order/new", symbol: "btcusd", side: "buy", type: "exchange limit", price: "100", amount: "1" });
  assert.deepEqual(payload({ ...ORDER, option: "maker-or-cancel" }).options, ["maker-or-cancel"]);
  const stop = payload({ ...ORDER, type: "stop-limit", stop: "99" });
  assert.deepEqual([stop.type, stop.stop_price], ["exchange stop limit", "99"]);
  // A market order, and one that only reduces, never rests, whatever option the form holds.
  for (const part of [{ type: "market" }, { isReducing: true }]) {
    const sent = payload({ ...ORDER, option: "maker-or-cancel", ...part });
    assert.deepEqual([sent.type, sent.options], ["exchange limit", ["immediate-or-cancel"]]);
  }
  assert.deepEqual(contract.payload({ ...ORDER, outcome: "no", price: "0.3", type: "market" }), { request: "/v1/prediction-markets/order",
    symbol: "GEMI-BTC100K", side: "buy", outcome: "no", quantity: "1", price: "0.3", orderType: "limit", timeInForce: "immediate-or-cancel" });
});

test("only a refusal says that nothing was done", () => {
  for (const failure of [{ isLost: true, status: 0 }, { status: 0 }, { status: 500, reason: "System" }, { status: 502 }, { status: 503, reason: "" }]) {
    assert.equal(isUnsure(failure), true, JSON.stringify(failure));
  }
  for (const failure of [{ status: 400, reason: "InvalidPrice" }, { status: 429, reason: "RateLimit" }, { status: 503, reason: "Maintenance" }]) {
    assert.equal(isUnsure(failure), false, JSON.stringify(failure));
  }
});

test("a refusal is a sentence for people", () => {
  for (const [given, wanted] of [
    [{ reason: "RateLimit", message: "too many" }, "This was asked for too often. Wait a moment and try again."],
    [{ reason: "InsufficientFunds", message: "The account has 5 USD" }, "The account has 5 USD."],
    [{ reason: "InsufficientFunds", message: "InsufficientFunds: available_amount is 5" }, "The account does not have the money for this."],
    [{ reason: "InvalidPrice", message: "Field 'stop_price' is above 9..." }, "The field stop price is above 9."],
    [{ reason: "System", message: "Trading is halted, by the operator" }, "Trading is halted. Only cancels are taken."],
    [{ reason: "System", message: "Withdrawals are halted: see /status" }, "Withdrawals are halted."],
    [{ reason: "System", message: "out of disk" }, "The exchange made a mistake, which it has noted. Try again later."],
    [{ reason: "Nosuch", status: 418 }, "The exchange refuses this (status 418)."],
    [{}, "The exchange refuses this."],
  ]) {
    assert.equal(sentenceOf(given), wanted, JSON.stringify(given));
  }
  for (const words of ["see /v1/orders", "InvalidPrice", "client_order_id", "orderType", "X-SVC-PAYLOAD", "the nonce is old"]) {
    assert.ok(isForPrograms(words), words);
  }
  for (const words of ["The account has 5 USD.", "A price is a multiple of 0.01"]) assert.ok(!isForPrograms(words), words);
});

const granted = (name) => Object.assign(new Stream(name), { isGranted: true });
const depth = (U, u, b = [], a = []) => ({ e: "depthUpdate", s: "BTCUSD", U, u, b, a });

test("a stream takes its own frames once it is granted", () => {
  const stream = new Stream("btcusd@depth@100ms");
  const subject = subjectOf(depth(1, 1));
  assert.equal(stream.takes(subject), false);
  stream.isGranted = true;
  assert.deepEqual([stream.takes(subject), stream.takes({ ...subject, symbol: "ethusd" }), stream.takes({ ...subject, feed: "trade" })], [true, false, false]);
  assert.equal(granted("orders@account").takes(subjectOf({ e: "orderUpdate", s: "ETHUSD" })), true);
  assert.deepEqual(["orders@account", "balances@account@1s", "btcusd@trade"].map(isPrivate), [true, true, false]);
});

test("a frame that begins after the end of the last one leaves a gap", () => {
  const stream = granted("btcusd@depth@100ms");
  assert.equal(stream.lacks(depth(50, 60)), false);
  assert.equal(stream.take(depth(1, 10)), true);
  assert.deepEqual([10, 11, 12].map((from) => stream.lacks(depth(from, 20))), [false, true, true]);
  assert.equal(stream.take(depth(10, 20)), false);
});

test("one who comes late hears all that was said, without levels that are gone", () => {
  const stream = granted("btcusd@depth@100ms");
  assert.equal(stream.whole(), null);
  stream.take(depth(1, 10, [["1.00", "5"], ["2.00", "6"]], [["3.00", "7"]]));
  stream.take(depth(10, 11, [["1.00", "0.000"], ["2.00", "8"]], []));
  const { u, b, a } = stream.whole();
  assert.deepEqual([u, b, a], [11, [["2.00", "8"]], [["3.00", "7"]]]);
  stream.reset();
  assert.deepEqual([stream.whole(), stream.isReady], [null, false]);
  const trades = granted("btcusd@trade");
  trades.take({ t: 1, s: "BTCUSD" });
  assert.deepEqual([trades.whole(), trades.isReady], [null, true]);
});

// The live orders of an account, of which `change` may alter the list before a reading.
function listing(count, change = () => {}) {
  const live = Array.from({ length: count }, (_, at) => ({ orderId: at }));
  let asked = 0;
  const ask = async (_, { limit, offset }) => {
    change(live, asked);
    asked += 1;
    return { orders: live.slice(offset, offset + limit) };
  };
  return [ask, live, () => asked];
}

test("all live orders of contracts are listed, page by page", async () => {
  const { liveContractOrders } = await load("contract-orders.js");
  for (const count of [0, 1, 99, 100, 101, 199, 200, 500]) {
    const [ask, live] = listing(count);
    assert.deepEqual(await liveContractOrders(ask), live, String(count));
  }
});

test("a list that changes while it is read is read again, and not for ever", async () => {
  const { liveContractOrders } = await load("contract-orders.js");
  const [ask, live] = listing(150, (list, asked) => asked === 1 && list.shift());
  assert.deepEqual(await liveContractOrders(ask), live);
  const [always, , asked] = listing(5_000, (list) => list.shift());
  await assert.rejects(liveContractOrders(always), { message: "The orders change faster than they can be listed. Try again." });
  assert.equal(asked(), 10);
});

test("a call fails with the sentence of its refusal, its reason and its wait", async () => {
  const failing = (fetch) => open({ page: SPOT, csrf: "first", fetch })("call.js");
  const refused = await failing(async () => answer({ reason: "InvalidPrice", message: "no_such_field" }, 400));
  await assert.rejects(refused.call("/v1/orders"), { status: 400, reason: "InvalidPrice", raw: "no_such_field", isLost: false,
    message: "The price is no multiple of the market's step, or out of its range." });
  const gone = await failing(async () => { throw new TypeError("no network"); });
  await assert.rejects(gone.call("/v1/orders"), { isLost: true, status: 0 });
  const other = await failing(async () => new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "retry-after": "7" } }));
  await assert.rejects(other.call("/v1/orders"), { status: 502, wait: 7, reason: "" });
});

test("a call carries the token of the page, and that of its last answer next", async () => {
  const sent = [];
  const fetch = async (path, { headers, body }) => {
    sent.push([path, headers["x-csrf-token"], headers["x-account"], JSON.parse(body)]);
    return answer({ csrf: `after ${sent.length}` });
  };
  const { call } = await open({ page: SPOT, csrf: "first", user: { number: 3 }, fetch })("call.js");
  await call("/v1/orders", { symbol: "btcusd" });
  await call("/v1/orders");
  assert.deepEqual(sent, [["/site/call", "first", "3", { request: "/v1/orders", symbol: "btcusd" }],
    ["/site/call", "after 1", "3", { request: "/v1/orders" }]]);
});
