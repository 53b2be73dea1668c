// Published clients from npm against a running sandbox, unmodified but for its address.
//
// Started by `cargo xtask clients` as `from_npm.cjs BASE_URL` with their folder in NODE_PATH. The sandbox has no simulated traders. Each
// client trades with itself under keys of two accounts that the sandbox makes for it. Prints a line per check and leaves with 1 if one failed.
const base = process.argv[2].replace(/\/$/, "");

// Both are licensed under MIT. Each has a symbol and two accounts of its own.
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

async function main() {
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
