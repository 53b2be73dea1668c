"""Published clients from PyPI against a running sandbox, unmodified but for its address.

Started by `cargo xtask clients` as `from_pypi.py BASE_URL`. The sandbox is fresh and has no simulated traders. Each client trades with
itself under keys of two accounts that the sandbox makes for it. Prints a line per check and leaves with 1 if one failed.
"""

import json
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import gemini
import gemini_api.authentication
import geminipy
from gemini_api.endpoints.fee_volume import FeeVolume
from gemini_api.endpoints.fund_management import FundManagement
from gemini_api.endpoints.order import Order
from gemini_api.endpoints.public import Public

# The symbol and the two accounts of each; they do not trade among each other.
MARKETS = {
    "gemini-api": ("btcusd", "load-000", "load-001"),
    "geminipy": ("ethusd", "load-002", "load-003"),
    "gemini-python": ("ltcusd", "load-004", "load-005"),
}
ROLES = ["Trader", "Fund Manager"]


class GeminiApi:
    """gemini-api 0.1.6 (MIT). Its nonces are full seconds: it makes one call a second."""

    def __init__(self, base: str, key: str, secret: str):
        gemini_api.authentication.GEMINI_SANDBOX_BASE_URL = base
        self.auth = gemini_api.authentication.Authentication(key, secret, sandbox=True)
        self.public = Public(sandbox=True)
        self.public.url = base + "/v1"
        self.last = 0

    def signed(self, call, *args, **fields):
        while int(time.time()) <= self.last:
            time.sleep(0.02)
        self.last = int(time.time())
        return call(self.auth, *args, **fields)

    def symbols(self):
        return self.public.get_pairs()

    def book(self, symbol):
        return self.public.get_ticker(symbol)["bid"]

    def balance(self, currency):
        found = self.signed(FundManagement.get_available_balances)
        return next(one.amount for one in found if one.currency == currency)

    def place(self, symbol, side, amount, price):
        return self.signed(Order.new_order, symbol, amount, price, side).order_id

    def is_live(self, order_id):
        return self.signed(Order.order_status, order_id, include_trades=True).is_live

    def orders(self):
        return [order.order_id for order in self.signed(Order.get_active_orders)]

    def is_cancelled_by_cancel(self, order_id):
        return self.signed(Order.cancel_order, order_id).is_cancelled

    def trades(self, symbol):
        return [(trade.order_id, trade.price) for trade in self.signed(Order.get_past_trades, symbol)]

    def volumes(self):
        return self.signed(FeeVolume.get_trade_volume)

    def address(self, currency):
        return self.signed(FundManagement.create_new_deposit_address, currency, label="mine").address


class GeminiPy:
    """geminipy 0.0.4 (GNU GPL; only run, no part of the product)."""

    def __init__(self, base: str, key: str, secret: str):
        self.client = geminipy.Geminipy(key, secret)
        self.client.base_url = base

    def symbols(self):
        return self.client.symbols().json()

    def book(self, symbol):
        return self.client.book(symbol).json()["bids"][0]["price"]

    def balance(self, currency):
        found = self.client.balances().json()
        return next(one["amount"] for one in found if one["currency"] == currency)

    def place(self, symbol, side, amount, price):
        return self.client.new_order(amount, price, side, symbol=symbol).json()["order_id"]

    def is_live(self, order_id):
        return self.client.order_status(order_id).json()["is_live"]

    def orders(self):
        return [order["order_id"] for order in self.client.active_orders().json()]

    def is_cancelled_by_cancel(self, order_id):
        return self.client.cancel_order(order_id).json()["is_cancelled"]

    def trades(self, symbol):
        assert isinstance(self.client.trades(symbol).json(), list)
        return [(trade["order_id"], trade["price"]) for trade in self.client.past_trades(symbol).json()]

    def volumes(self):
        return self.client.tradevolume().json()

    def address(self, currency):
        return self.client.newAddress(currency, "mine").json()["address"]


class GeminiPython:
    """gemini-python 0.2.1 (MIT)."""

    def __init__(self, base: str, key: str, secret: str):
        self.client = gemini.PrivateClient(key, secret, sandbox=True)
        self.client._base_url = base
        self.client.public_base_url = base + "/v1"

    def symbols(self):
        return self.client.symbols()

    def book(self, symbol):
        return self.client.get_current_order_book(symbol)["bids"][0]["price"]

    def balance(self, currency):
        return next(one["amount"] for one in self.client.get_balance() if one["currency"] == currency)

    def place(self, symbol, side, amount, price):
        return self.client.new_order(symbol, amount, price, side, options=[])["order_id"]

    def is_live(self, order_id):
        return self.client.status_of_order(order_id)["is_live"]

    def orders(self):
        return [order["order_id"] for order in self.client.active_orders()]

    def is_cancelled_by_cancel(self, order_id):
        return self.client.cancel_order(order_id)["is_cancelled"]

    def trades(self, symbol):
        return [(trade["order_id"], trade["price"]) for trade in self.client.get_past_trades(symbol)]

    def volumes(self):
        return self.client.get_trade_volume()

    def address(self, currency):
        return self.client.create_deposit_address(currency, "mine")["address"]


CLIENTS = {"gemini-api": GeminiApi, "geminipy": GeminiPy, "gemini-python": GeminiPython}


class Paced:
    """A client whose calls begin in different milliseconds. Each of these clients takes the millisecond as its nonce, which works once."""

    def __init__(self, client):
        self._client = client

    def __getattr__(self, name):
        time.sleep(0.001)
        return getattr(self._client, name)


def key_of(base: str, account: str) -> tuple[str, str]:
    """A key of one of the accounts that a sandbox has for loads; the sandbox makes it."""
    fields = json.dumps({"group": "load", "account": account, "roles": ROLES, "name": f"client of {account}"}).encode()
    request = urllib.request.Request(base + "/sandbox/keys", fields, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as reply:
        made = json.load(reply)
    return made["api_key"], made["api_secret"]


def session(base: str, name: str) -> list[tuple[str, object, object]]:
    """What the client does, as rows of what is checked, what it saw and what is right."""
    (symbol, *accounts), make = MARKETS[name], CLIENTS[name]
    maker, taker = (Paced(make(base, *key_of(base, account))) for account in accounts)
    rows = [("knows the symbol", symbol in maker.symbols(), True)]
    before = Decimal(taker.balance(symbol[:3].upper()))
    resting = maker.place(symbol, "buy", "0.5", "20.00")
    rows.append(("sees its order on the book", Decimal(maker.book(symbol)), 20))
    rows.append(("its order is live", maker.is_live(resting), True))
    rows.append(("its live orders", maker.orders(), [resting]))
    rows.append(("its order is cancelled", maker.is_cancelled_by_cancel(resting), True))
    rows.append(("and then no longer live", maker.orders(), []))
    sold = maker.place(symbol, "sell", "0.25", "30.00")
    bought = taker.place(symbol, "buy", "0.25", "30.00")
    for side, client, order in (("maker", maker, sold), ("taker", taker, bought)):
        rows.append((f"the {side}'s trade", [(found, Decimal(price)) for found, price in client.trades(symbol)], [(order, 30)]))
    rows.append(("what the taker has", Decimal(taker.balance(symbol[:3].upper())) - before, Decimal("0.25")))
    rows.append(("its volumes are a list", isinstance(taker.volumes(), list), True))
    rows.append(("its deposit address is of bitcoin", maker.address("btc").startswith("bc1"), True))
    return rows


def attempt(base: str, name: str) -> list[tuple[str, object, object]]:
    try:
        return session(base, name)
    except Exception as error:  # pylint: disable=broad-except
        return [("ended early", f"{type(error).__name__}: {error}", None)]


def main() -> int:
    base = sys.argv[1].rstrip("/")
    failed = 0
    with ThreadPoolExecutor() as pool:
        for name, rows in zip(CLIENTS, pool.map(lambda name: attempt(base, name), CLIENTS)):
            for what, seen, wanted in rows:
                holds = seen == wanted
                failed += not holds
                print("ok    " if holds else "FAILED", f"{name}: {what}" if holds else f"{name}: {what}: {seen!r}, wanted {wanted!r}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
