// Published clients from npm against a running sandbox, unmodified but for its address.
//
// Started by `cargo xtask clients` as `from_npm.cjs BASE_URL` with their folder in NODE_PATH and the path of `credentials.json` in
// BUTTONWOOD_CREDENTIALS. The sandbox has no simulated traders. Each
// client trades with itself under keys of two accounts that the sandbox makes for it. Prints a line per check and leaves with 1 if one failed.
const { readFileSync } = require("node:fs");
const { pathToFileURL } = require("node:url");

const base = process.argv[2].replace(/\/$/, "");

// All are licensed under MIT. Each of these has a symbol and two accounts of its own.
const CLIENTS = [
  { name: "gemini-api", symbol: "bchusd", accounts: ["load-006", "load-007"] },
  { name: "gemini-api-node", symbol: "zecusd", accounts: ["load-008", "load-009"] },
];
const ROLES = ["Trader", "Fund Manager"];

let failed = 0;

function check(name, what, seen, wanted) {
  const [one, other] = [seen, wanted].map((value) => JSON.stringify(value));
  const holds = one === other;
  failed += holds ? 0 : 1;
  console.log(holds ? `ok     ${name}: ${what}` : `FAILED ${name}: ${what}: ${one}, wanted ${other}`);
}

// A client with a key of one of the accounts that a sandbox has for loads; the sandbox makes it.
async function client(name, account) {
  const reply = await fetch(`${base}/sandbox/keys`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ group: "load", account, roles: ROLES, name: `client of ${account}` }),
  });
  const { api_key: key, api_secret: secret } = await reply.json();
  const made = new (require(name).default)({ key, secret, sandbox: true });
  made.baseUrl = base;
  return made;
}

// A nonce is the time in milliseconds; two calls in one would have the same.
const pause = () => new Promise((resolve) => setTimeout(resolve, 2));

async function session({ name, symbol, accounts }) {
  const see = (what, seen, wanted) => check(name, what, seen, wanted);
  const [maker, taker] = [await client(name, accounts[0]), await client(name, accounts[1])];
  see("knows the symbol", (await maker.getAllSymbols()).includes(symbol), true);
  const currency = symbol.slice(0, 3).toUpperCase();
  const balance = async () => Number((await taker.getMyAvailableBalances()).find((one) => one.currency === currency).amount);
  const before = await balance();
  const order = (side, amount, price) => ({ symbol, side, amount, price });
  const resting = await maker.newOrder(order("buy", "0.5", "20.00"));
  see("its order is live", resting.is_live, true);
  see("sees its order on the book", Number((await maker.getOrderBook(symbol, { limit_bids: 1 })).bids[0].price), 20);
  await pause();
  see("its order by its id", (await maker.getMyOrderStatus(resting)).order_id, resting.order_id);
  await pause();
  see("its live orders", (await maker.getMyActiveOrders()).map((one) => one.order_id), [resting.order_id]);
  await pause();
  see("its order is cancelled", (await maker.cancelOrder(resting)).is_cancelled, true);
  await pause();
  const sold = await maker.newOrder(order("sell", "0.25", "30.00"));
  const bought = await taker.newOrder(order("buy", "0.25", "30.00"));
  await pause();
  for (const [side, trader, { order_id }] of [["maker", maker, sold], ["taker", taker, bought]]) {
    const trades = (await trader.getMyPastTrades({ symbol })).map((trade) => [trade.order_id, Number(trade.price)]);
    see(`the ${side}'s trade`, trades, [[order_id, 30]]);
  }
  see("the public trade", (await maker.getTradeHistory(symbol)).map((trade) => trade.amount), ["0.25"]);
  await pause();
  see("what the taker has", await balance() - before, 0.25);
  await pause();
  see("its volumes are a list", Array.isArray(await taker.getMyTradeVolume()), true);
  // One of them has no method for it, but both have the call that all methods make.
  const made = maker.newAddress ? await maker.newAddress("btc") : await maker.requestPrivate("/deposit/btc/newAddress");
  see("its deposit address is of bitcoin", made.address.startsWith("bc1"), true);
}

// A client that clears: two desks agree on a trade, and a broker brings them one.
const CLEARING = { name: "gemini-node-api", accounts: ["load-010", "load-011", "load-012"] };

async function control(path, fields) {
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${base}${path}`, { method: "POST", headers, body: JSON.stringify(fields) });
  return reply.json();
}

async function clearing({ name, accounts }) {
  const see = (what, seen, wanted) => check(name, what, seen, wanted);
  const { AuthenticatedClient } = await import(pathToFileURL(require.resolve(name)));
  const made = async (account) => {
    const fields = { group: "load", account, roles: ROLES, name: `clearing of ${account}` };
    const { api_key: key, api_secret: secret } = await control("/sandbox/keys", fields);
    return new AuthenticatedClient({ key, secret, apiUri: base });
  };
  const [seller, buyer, broker] = await Promise.all(accounts.map(made));
  const terms = { symbol: "ltcusd", amount: 0.5, price: 40 };
  const status = async (client, clearing_id) => {
    await pause();
    return (await client.getClearingOrderStatus({ clearing_id })).status;
  };
  const bought = async () => {
    await pause();
    return Number((await buyer.getAvailableBalances()).find((one) => one.currency === "LTC").amount);
  };
  const before = await bought();
  const entered = await seller.newClearingOrder({ ...terms, side: "sell", expires_in_hrs: 2 });
  see("its order awaits", [entered.result, await status(buyer, entered.clearing_id)], ["AwaitConfirm", "AwaitConfirm"]);
  const { clearing_id } = entered;
  await pause();
  const wrong = await buyer.confirmClearingOrder({ ...terms, clearing_id, side: "sell" }).catch((error) => error.message);
  see("the wrong side is refused", wrong, "Invalid side for symbol LTCUSD: 'sell'");
  await pause();
  see("it is confirmed", (await buyer.confirmClearingOrder({ ...terms, clearing_id, side: "buy" })).result, "confirmed");
  see("it has settled", [await status(seller, clearing_id), await bought() - before], ["Settled", 0.5]);
  await pause();
  const own = (await buyer.getPastTrades({ symbol: "ltcusd" }))[0];
  see("its trade is of clearing", [own.is_clearing_fill, Number(own.price)], [true, 40]);
  await pause();
  const second = await seller.newClearingOrder({ ...terms, side: "sell", expires_in_hrs: 1 });
  await pause();
  see("it is cancelled", await seller.cancelClearingOrder({ clearing_id: second.clearing_id }),
    { result: "ok", details: `${second.clearing_id} order canceled` });
  see("an id of no order", await status(broker, "AAAAAAAA"), "Not Found");
  await control("/sandbox/accounts/broker", { group: "load", account: accounts[2], broker: true });
  const { keys } = JSON.parse(readFileSync(process.env.BUTTONWOOD_CREDENTIALS));
  const id = (account) => keys.find((key) => key.group === "load" && key.account === account).counterparty_id;
  const [source_counterparty_id, target_counterparty_id] = accounts.map(id);
  const brought = await broker.newBrokerOrder({
    ...terms, side: "sell", expires_in_hrs: 1, source_counterparty_id, target_counterparty_id,
  });
  see("a broker's order awaits both", brought.result, "AwaitSourceTargetConfirm");
  await pause();
  await buyer.confirmClearingOrder({ ...terms, clearing_id: brought.clearing_id, side: "buy" });
  see("it awaits its source", await status(broker, brought.clearing_id), "AwaitSourceConfirm");
  await seller.confirmClearingOrder({ ...terms, clearing_id: brought.clearing_id, side: "sell" });
  see("the broker sees it settled", [await status(broker, brought.clearing_id), await bought() - before], ["Settled", 1]);
}

async function main() {
  try {
    await clearing(CLEARING);
  } catch (failure) {
    check(CLEARING.name, "ended early", failure.message ?? failure, null);
  }
  for (const one of CLIENTS) {
    try {
      await session(one);
    } catch (failure) {
      check(one.name, "ended early", failure.response?.data ?? failure.message ?? failure, null);
    }
  }
  process.exitCode = failed ? 1 : 0;
}

main();
