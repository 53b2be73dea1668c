"""Stock ccxt against a running sandbox: from an empty client to a trade, with nothing set but URLs and keys.

Started by `cargo xtask ccxt` as `first_trade.py BASE_URL`, with the path of `credentials.json` in
BUTTONWOOD_CREDENTIALS. The sandbox has no simulated traders and is fresh, so every value below is known in advance. Prints a line per check and leaves with 1 if one failed.
"""

import json
import os
import sys
from decimal import Decimal

import ccxt

SYMBOL = "BTC/USD"
# Below every start price, so that the order rests; and the price of the trade.
LOW, PRICE = 60000.00, 65000.00
MAKER_FEE, TAKER_FEE = Decimal("0.0020"), Decimal("0.0040")


class Checks:
    """Counts what holds and what does not; a failed check does not stop the ones after it."""

    def __init__(self):
        self.passed = self.failed = 0

    def equal(self, what, got, want):
        self.note(got == want, f"{what}: {want!r}" if got == want else f"{what}: got {got!r}, wanted {want!r}")

    def true(self, what, holds, seen=""):
        self.note(holds, what if holds else f"{what}: {seen!r}")

    def raises(self, what, kind, call):
        try:
            answer = call()
        except Exception as error:  # pylint: disable=broad-except
            # The class itself, not one that it derives from: clients act on it.
            self.note(type(error) is kind, f"{what}: {type(error).__name__} {error}")
        else:
            self.note(False, f"{what}: no error but {answer!r}")

    def note(self, holds, line):
        self.passed += holds
        self.failed += not holds
        print("ok    " if holds else "FAILED", line, flush=True)


def client(base, key):
    """A ccxt client as its manual makes one: keys, and the addresses of this exchange."""
    stream = "ws" + base.removeprefix("http")
    return ccxt.gemini({
        "apiKey": key["api_key"],
        "secret": key["api_secret"],
        "urls": {"api": {"public": base, "private": base, "web": base, "webExchange": base, "ws": stream}},
    })


def dec(number):
    """ccxt hands out floats; their shortest text is the decimal that was sent."""
    return Decimal(str(number))


def free_used_total(exchange, code):
    balance = exchange.fetch_balance()[code]
    return tuple(dec(balance[part]) for part in ("free", "used", "total"))


def markets(check, trader):
    trader.load_markets()
    market = trader.market(SYMBOL)
    check.equal("market id", market["id"], "btcusd")
    check.equal("market is spot", market["spot"], True)
    check.equal("price step", market["precision"]["price"], 0.01)
    check.equal("amount step", market["precision"]["amount"], 1e-8)
    check.equal("smallest amount", market["limits"]["amount"]["min"], 1e-5)
    check.true("all main markets", {"ETH/BTC", "ZEC/USD", "LINK/USD", "OXT/USD", "DAI/USD"} <= set(trader.markets),
               sorted(trader.markets))
    check.true("currencies from the front page", {"BTC", "USD", "ETH"} <= set(trader.currencies),
               sorted(trader.currencies))
    check.equal("an untouched book", (trader.fetch_order_book(SYMBOL)["bids"], trader.fetch_order_book(SYMBOL)["asks"]),
                ([], []))


def resting_order(check, trader):
    check.equal("USD at the start", free_used_total(trader, "USD"), (100000, 0, 100000))
    check.equal("BTC at the start", free_used_total(trader, "BTC"), (1000, 0, 1000))

    placed = trader.create_order(SYMBOL, "limit", "buy", 0.5, LOW, {"clientOrderId": "ccxt-rest-1"})
    check.equal("placed status", placed["status"], "open")
    check.equal("placed as", (placed["symbol"], placed["side"], placed["type"]), (SYMBOL, "buy", "limit"))
    check.equal("placed price and amount", (placed["price"], placed["amount"]), (LOW, 0.5))
    check.equal("placed filled and remaining", (placed["filled"], placed["remaining"]), (0.0, 0.5))
    check.equal("client order id", placed["clientOrderId"], "ccxt-rest-1")

    check.equal("book shows it", trader.fetch_order_book(SYMBOL)["bids"][0][:2], [LOW, 0.5])
    check.equal("ticker's bid", trader.fetch_ticker(SYMBOL)["bid"], LOW)
    free, used, total = free_used_total(trader, "USD")
    check.equal("USD total while it rests", total, Decimal(100000))
    check.true("USD held while it rests: the notional at least", used >= 30000 and free + used == total, (free, used))

    found = trader.fetch_order(placed["id"])
    check.equal("fetched by id", (found["id"], found["status"], found["remaining"]), (placed["id"], "open", 0.5))
    check.equal("open orders", [order["id"] for order in trader.fetch_open_orders(SYMBOL)], [placed["id"]])

    cancelled = trader.cancel_order(placed["id"])
    check.equal("cancelled", (cancelled["id"], cancelled["status"]), (placed["id"], "canceled"))
    check.equal("no open orders left", trader.fetch_open_orders(SYMBOL), [])
    check.equal("USD after the cancel", free_used_total(trader, "USD"), (100000, 0, 100000))
    check.equal("an empty book again", trader.fetch_order_book(SYMBOL)["bids"], [])


def trade(check, trader, counterparty):
    amount, notional = Decimal("0.1"), Decimal("6500.00")
    maker = counterparty.create_order(SYMBOL, "limit", "sell", float(amount), PRICE)
    check.equal("the maker rests", maker["status"], "open")
    taker = trader.create_order(SYMBOL, "limit", "buy", float(amount), PRICE)
    check.equal("the taker is done", (taker["status"], taker["filled"], taker["remaining"]), ("closed", 0.1, 0.0))
    check.equal("the taker's average", taker["average"], PRICE)
    check.equal("the maker is done", counterparty.fetch_order(maker["id"])["status"], "closed")
    check.equal("last price", trader.fetch_ticker(SYMBOL)["last"], PRICE)

    for name, exchange, order, side, rate in (
        ("taker", trader, taker, "buy", TAKER_FEE),
        ("maker", counterparty, maker, "sell", MAKER_FEE),
    ):
        trades = exchange.fetch_my_trades(SYMBOL)
        check.equal(f"{name}: one trade", len(trades), 1)
        if not trades:
            continue
        seen = trades[0]
        check.equal(f"{name}: whose order", (seen["order"], seen["side"]), (order["id"], side))
        check.equal(f"{name}: price and amount", (seen["price"], seen["amount"]), (PRICE, float(amount)))
        check.equal(f"{name}: fee", (seen["fee"]["currency"], dec(seen["fee"]["cost"])), ("USD", notional * rate))

    paid, got = notional * (1 + TAKER_FEE), notional * (1 - MAKER_FEE)
    check.equal("taker: USD", free_used_total(trader, "USD"), (100000 - paid, 0, 100000 - paid))
    check.equal("taker: BTC", free_used_total(trader, "BTC"), (1000 + amount, 0, 1000 + amount))
    check.equal("maker: USD", free_used_total(counterparty, "USD"), (100000 + got, 0, 100000 + got))
    check.equal("maker: BTC", free_used_total(counterparty, "BTC"), (1000 - amount, 0, 1000 - amount))
    check.equal("public trades", [dec(t["amount"]) for t in trader.fetch_trades(SYMBOL)], [amount])


def trading_fees(check, trader):
    fees = trader.fetch_trading_fees()
    check.equal("fees of every market", set(fees), set(trader.symbols))
    check.equal("maker's and taker's fee", (dec(fees[SYMBOL]["maker"]), dec(fees[SYMBOL]["taker"])), (MAKER_FEE, TAKER_FEE))


def clearing(check, trader, counterparty, keys):
    terms = {"symbol": "ltcusd", "amount": "1", "price": "40"}
    other = keys["counterparty"]["counterparty_id"]
    entered = trader.privatePostV1ClearingNew({**terms, "side": "sell", "counterparty_id": other})
    check.equal("a clearing order awaits its counterparty", entered["result"], "AwaitConfirm")
    named = {"clearing_id": entered["clearing_id"]}
    check.equal("its status", trader.privatePostV1ClearingStatus(named)["status"], "AwaitConfirm")
    check.equal("both list it", [[order["clearing_id"] for order in client.privatePostV1ClearingList()["orders"]]
                                 for client in (trader, counterparty)], [[entered["clearing_id"]]] * 2)
    check.raises("other terms", ccxt.InvalidOrder,
                 lambda: counterparty.privatePostV1ClearingConfirm({**terms, **named, "price": "41", "side": "buy"}))
    before = free_used_total(counterparty, "LTC")[2]
    confirmed = counterparty.privatePostV1ClearingConfirm({**terms, **named, "side": "buy"})
    check.equal("it is confirmed", confirmed, {"result": "confirmed"})
    check.equal("it has settled", trader.privatePostV1ClearingStatus(named)["status"], "Settled")
    check.equal("the coin has come", free_used_total(counterparty, "LTC")[2], before + 1)
    check.equal("its trade is of clearing", trader.privatePostV1Mytrades({"symbol": "ltcusd"})[0]["is_clearing_fill"], True)
    check.equal("trades list it", trader.privatePostV1ClearingTrades()["results"][0]["status"], "Settled")
    second = {"clearing_id": trader.privatePostV1ClearingNew({**terms, "side": "sell"})["clearing_id"]}
    check.equal("another is cancelled", trader.privatePostV1ClearingCancel(second)["result"], "ok")
    check.equal("and not twice", trader.privatePostV1ClearingCancel(second)["result"], "failed")


def brokered(check, base, keys):
    trader, counterparty, broker = (client(base, keys[name]) for name in ("trader", "counterparty", "broker"))
    terms = {"symbol": "ltcusd", "amount": "1", "price": "40"}
    sides = {"source_counterparty_id": keys["trader"]["counterparty_id"],
             "target_counterparty_id": keys["counterparty"]["counterparty_id"], "expires_in_hrs": 1.0}
    entered = broker.privatePostV1ClearingBrokerNew({**terms, **sides, "side": "sell"})
    named = {"clearing_id": entered["clearing_id"]}
    for name, party, side in (("source", trader, "sell"), ("target", counterparty, "buy")):
        confirmed = party.privatePostV1ClearingConfirm({**terms, **named, "side": side})
        check.equal(f"the {name} confirms", confirmed, {"result": "confirmed"})
    orders = broker.privatePostV1ClearingBrokerList()["orders"]
    check.equal("the broker's list", [(order["clearing_id"], order["status"]) for order in orders],
                [(entered["clearing_id"], "Settled")])


def staking(check, trader, counterparty):
    # A stake counts in dollars at the last trade.
    counterparty.create_order("ETH/USD", "limit", "sell", 0.01, 2000)
    trader.create_order("ETH/USD", "limit", "buy", 0.01, 2000)
    rates = trader.publicGetV1StakingRates()
    fields = {"providerId", "rate", "apyPct", "ratePct", "depositUsdLimit"}
    check.equal("two providers, each with four currencies",
                [set(own) for own in rates.values()], [{"ETH", "SOL", "MATIC", "DOT"}] * 2)
    check.true("rates have their fields",
               all(set(row) == fields for own in rates.values() for row in own.values()), rates)
    check.equal("rates of one currency", {name: set(own) for name, own in trader.publicGetV1StakingRates(
        {"currency": "SOL"}).items()}, {name: {"SOL"} for name in rates})

    before = free_used_total(trader, "ETH")[2]
    terms = [{"providerId": name, "currency": "ETH"} for name in rates]
    for own in terms:
        staked = trader.privatePostV1StakingStake({**own, "amount": "2.5", "clientTransferId": own["providerId"]})
        check.equal("what is staked", (staked["providerId"], staked["currency"], dec(staked["amount"]),
                    dec(staked["accrualTotal"])), (own["providerId"], "ETH", Decimal("2.5"), 0))
        again = trader.privatePostV1StakingStake({**own, "amount": 2.5, "client_transfer_id": own["providerId"]})
        check.equal("again: the same reply", again, staked)
    check.equal("the coins have left at once", free_used_total(trader, "ETH")[2], before - 5)
    [row] = trader.privatePostV1BalancesStaking()
    check.equal("the staking balance", (row["currency"], dec(row["balance"]), dec(row["availableForWithdrawal"]),
                set(row["balanceByProvider"])), ("ETH", 5, 5, set(rates)))
    check.raises("more than is staked", ccxt.InsufficientFunds,
                 lambda: trader.privatePostV1StakingUnstake({**terms[0], "amount": "2.6"}))

    parts = []
    for own in terms:
        redeemed = trader.privatePostV1StakingUnstake({**own, "amount": "1"})
        amounts = [dec(redeemed[name]) for name in ("amount", "amountPaidSoFar", "amountRemaining")]
        check.equal("a redemption's parts", (amounts[0], amounts[1] + amounts[2]), (1, 1))
        parts.append(amounts[1])
    check.equal("one provider redeems at once", sorted(parts), [0, 1])
    check.equal("what was paid is back", free_used_total(trader, "ETH")[2], before - 4)
    groups = trader.privatePostV1StakingHistory({"sortAsc": True})
    check.equal("the history", {group["providerId"]: [(row["transactionType"], dec(row["amount"]))
                for row in group["transactions"]] for group in groups},
                {name: [("Deposit", Decimal("2.5")), ("Redeem", 1)] for name in rates})
    check.equal("no rewards before an accrual",
                trader.privatePostV1StakingRewards({"since": "2026-01-01T00:00:00Z"}), {})


def predictions(check, trader, counterparty):
    contract = "SVC-DEMORATE"
    events = trader.publicGetV1PredictionMarketsEvents({"category": "economics"})
    check.equal("an event of its category", [event["ticker"] for event in events["data"]], ["DEMORATE"])
    check.equal("its contract", events["data"][0]["contracts"][0]["instrumentSymbol"], contract)
    check.equal("one event", trader.publicGetV1PredictionMarketsEventsEventTicker({"eventTicker": "DEMORATE"})["id"],
                events["data"][0]["id"])
    check.equal("a strike", trader.publicGetV1PredictionMarketsEventsEventTickerStrike(
        {"eventTicker": "DEMOBTC"})["value"], "150000")
    check.equal("upcoming events", [event["status"] for event in
                trader.publicGetV1PredictionMarketsEventsUpcoming()["data"]], ["approved"])
    check.true("categories", "economics" in trader.publicGetV1PredictionMarketsCategories()["categories"])

    limit = {"symbol": contract, "orderType": "limit", "side": "buy"}
    cheap = {**limit, "outcome": "no", "quantity": "10", "price": "0.30"}
    check.raises("an order before the terms", ccxt.PermissionDenied,
                 lambda: trader.privatePostV1PredictionMarketsOrder(cheap))
    for name, user in (("trader", trader), ("counterparty", counterparty)):
        check.equal(f"{name}: terms are new", user.privateGetV1PredictionMarketsTermsStatus()["hasAcceptedLatest"], False)
        check.equal(f"{name}: accepts", user.privatePostV1PredictionMarketsTermsAccept()["success"], True)
    check.equal("terms are accepted", trader.privateGetV1PredictionMarketsTermsStatus()["hasAcceptedLatest"], True)

    before = [free_used_total(user, "USD") for user in (trader, counterparty)]
    resting = trader.privatePostV1PredictionMarketsOrder({**cheap, "clientOrderId": "ccxt-no"})
    check.equal("an order rests", (resting["status"], resting["outcome"], resting["remainingQuantity"]), ("open", "no", "10"))
    check.equal("it holds its price and fee", free_used_total(trader, "USD")[1], Decimal("3.15"))
    book = trader.publicGetV1BookSymbol({"symbol": contract})
    check.equal("the book shows yes", [level["price"] for level in book["asks"]], ["0.70"])
    active = trader.privatePostV1PredictionMarketsOrdersActive({"symbol": contract})["orders"]
    check.equal("active orders", [order["orderId"] for order in active], [resting["orderId"]])
    cancelled = trader.privatePostV1PredictionMarketsOrderCancel({"orderId": resting["orderId"]})
    check.equal("it is cancelled", cancelled["result"], "ok")
    check.equal("its hold is free", free_used_total(trader, "USD"), before[0])

    maker = trader.privatePostV1PredictionMarketsOrder({**cheap, "timeInForce": "maker-or-cancel"})
    taker = counterparty.privatePostV1PredictionMarketsOrder(
        {**limit, "outcome": "yes", "quantity": "4", "price": "0.75"})
    check.equal("a fill at the resting price", (taker["status"], taker["filledQuantity"], dec(taker["avgExecutionPrice"])),
                ("filled", "4", Decimal("0.7")))
    for name, user, old, outcome, price, rate in (("trader", trader, before[0], "no", "0.3", "0.01"),
                                                  ("counterparty", counterparty, before[1], "yes", "0.7", "0.05")):
        rows = user.privatePostV1PredictionMarketsPositions({"eventTicker": "DEMORATE"})["positions"]
        check.equal(f"{name}: position", [(row["outcome"], row["totalQuantity"], dec(row["avgPrice"])) for row in rows],
                    [(outcome, "4", Decimal(price))])
        paid = 4 * (Decimal(price) + Decimal("0.3") * Decimal(rate))
        check.equal(f"{name}: price and fee are paid", free_used_total(user, "USD")[2], old[2] - paid)
        trade = user.privatePostV1Mytrades({"symbol": contract})[0]
        check.equal(f"{name}: own trade", (trade["outcome"], dec(trade["price"]), dec(trade["amount"])),
                    (outcome, Decimal(price), 4))
    trader.privatePostV1PredictionMarketsOrderCancel({"orderId": maker["orderId"]})
    history = trader.privatePostV1PredictionMarketsOrdersHistory({"symbol": contract})["orders"]
    check.equal("closed orders", [(order["orderId"], order["status"], order["filledQuantity"]) for order in history],
                [(maker["orderId"], "cancelled", "4"), (resting["orderId"], "cancelled", "0")])
    done = counterparty.privatePostV1PredictionMarketsOrdersHistory({"status": "filled"})["orders"]
    check.equal("filled orders", [order["orderId"] for order in done], [taker["orderId"]])
    [volume] = counterparty.privatePostV1PredictionMarketsMetricsVolume({"eventTicker": "DEMORATE"})["contracts"]
    check.equal("what was taken", (volume["totalQty"], volume["userAggressorQty"], volume["userRestingQty"]),
                ("4", "4", "0"))
    check.equal("nothing is settled", trader.privatePostV1PredictionMarketsPositionsSettled()["positions"], [])
    # These errors have an envelope of their own, so ccxt goes by their status.
    check.raises("more than there is", ccxt.ExchangeError,
                 lambda: trader.privatePostV1PredictionMarketsOrder({**cheap, "quantity": "9999999"}))
    check.raises("a price of a dollar", ccxt.BadRequest,
                 lambda: trader.privatePostV1PredictionMarketsOrder({**cheap, "price": "1"}))
    check.raises("an unknown order", ccxt.OrderNotFound,
                 lambda: trader.privatePostV1PredictionMarketsOrderCancel({"orderId": "999999999999"}))
    check.raises("rewards are off", ccxt.OnMaintenance, trader.publicGetV1PredictionMarketsMakerRebateRates)


def options(check, trader):
    post = trader.create_order(SYMBOL, "limit", "buy", 0.01, LOW, {"postOnly": True})
    check.equal("post only rests", (post["status"], post["postOnly"]), ("open", True))
    check.equal("and is cancelled", trader.cancel_order(post["id"])["status"], "canceled")
    for force in ("IOC", "FOK"):
        order = trader.create_order(SYMBOL, "limit", "buy", 0.01, LOW, {"timeInForce": force})
        check.equal(f"{force} finds nothing", (order["status"], order["filled"]), ("canceled", 0.0))


def refusals(check, base, keys, trader):
    def order(amount, price):
        return lambda: trader.create_order(SYMBOL, "limit", "buy", amount, price)

    check.raises("more than there is", ccxt.InsufficientFunds, order(10, LOW))
    check.raises("below the smallest amount", ccxt.InvalidOrder, order(0.000001, LOW))
    check.raises("a price of nothing", ccxt.InvalidOrder,
                 lambda: trader.privatePostV1OrderNew({
                     "symbol": "btcusd", "amount": "1", "price": "0", "side": "buy", "type": "exchange limit"}))
    check.raises("a price off the grid", ccxt.InvalidOrder,
                 lambda: trader.privatePostV1OrderNew({
                     "symbol": "btcusd", "amount": "1", "price": "60000.001", "side": "buy",
                     "type": "exchange limit"}))
    check.raises("an unknown order", ccxt.OrderNotFound, lambda: trader.fetch_order("999999999999"))
    check.raises("an unknown symbol", ccxt.BadRequest, lambda: trader.publicGetV1BookSymbol({"symbol": "nosuch"}))
    forged = client(base, {**keys["trader"], "api_secret": "not-the-secret"})
    check.raises("a forged signature", ccxt.AuthenticationError, forged.privatePostV1Balances)
    auditor = client(base, keys["auditor"])
    check.raises("a key without the role", ccxt.AuthenticationError,
                 lambda: auditor.create_order(SYMBOL, "limit", "buy", 0.01, LOW))


def candles_and_stops(check, trader):
    rows = trader.fetch_ohlcv(SYMBOL, "1m")
    check.true("candles since the first trade", len(rows) > 0 and all(len(row) == 6 for row in rows), rows)
    check.true("a candle's prices are in order", all(low <= min(first, last) and max(first, last) <= high
               for _, first, high, low, last, _ in rows), rows)
    check.true("hourly candles", len(trader.fetch_ohlcv(SYMBOL, "1h")) > 0)

    placed = trader.create_order(SYMBOL, "limit", "buy", 0.1, PRICE + 2000, {"triggerPrice": PRICE + 1000})
    check.equal("a stop waits", placed["status"], "open")
    check.true("a stop is an open order", placed["id"] in [order["id"] for order in trader.fetch_open_orders(SYMBOL)])
    check.equal("a stop is cancelled", trader.cancel_order(placed["id"])["status"], "canceled")
    check.raises("a stop on the wrong side of its limit", ccxt.ExchangeError,
                 lambda: trader.create_order(SYMBOL, "limit", "buy", 0.1, PRICE, {"triggerPrice": PRICE + 1}))


def main():
    base = sys.argv[1].rstrip("/")
    with open(os.environ["BUTTONWOOD_CREDENTIALS"], encoding="utf-8") as file:
        keys = {key["name"]: key for key in json.load(file)["keys"]}
    check = Checks()
    trader, counterparty = client(base, keys["trader"]), client(base, keys["counterparty"])
    parts = {
        "markets": lambda: markets(check, trader),
        "resting order": lambda: resting_order(check, trader),
        "trade": lambda: trade(check, trader, counterparty),
        "trading fees": lambda: trading_fees(check, trader),
        "candles and stops": lambda: candles_and_stops(check, trader),
        "options": lambda: options(check, trader),
        "clearing": lambda: clearing(check, trader, counterparty, keys),
        "a broker": lambda: brokered(check, base, keys),
        "staking": lambda: staking(check, trader, counterparty),
        "predictions": lambda: predictions(check, trader, counterparty),
        "refusals": lambda: refusals(check, base, keys, trader),
    }
    for name, part in parts.items():
        try:
            part()
        except Exception as error:  # pylint: disable=broad-except
            check.note(False, f"{name}: stopped by {type(error).__name__}: {error}")
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
