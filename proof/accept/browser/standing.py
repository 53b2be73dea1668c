"""Checks of the trading page: it follows what happens to orders, money and the exchange while it is open. They follow those of `doubts.py`."""

from decimal import Decimal

TRADER = "trader@one.test"
TICK = Decimal("0.01")
TOLD = "return (document.querySelector('[data-outcome]')?.textContent ?? '')"
ROW = "return (document.querySelector(`[data-order='${arguments[0]}']`)?.innerText ?? '')"
OWN = "return document.querySelector(`[data-book=asks] [data-price='${arguments[0]}'] .own`)?.textContent === '●'"


class Standing:
    """The checks, for a visit that has bots and the means of `Truth`."""

    def inside(self) -> str:
        """A price between the best bid and the best ask."""
        bid, ask = self.best("bids"), self.best("asks")
        assert ask - bid > 2 * TICK, "the spread has no room"
        return str(((bid + ask) / 2).quantize(TICK))

    def sold_to(self, side: str, price: str, amount: str):
        """Another account trades with the best order, at exactly this price."""
        status, reply = self.bots.call("counterparty", "/v1/order/new", symbol="btcusd", side=side, type="exchange limit", price=price,
                                       amount=amount, options=["immediate-or-cancel"])
        assert status == 200 and reply["executed_amount"] == amount, reply

    def stop_that_rests(self) -> tuple[str, str]:
        """A stop whose price a trade reaches, and whose order finds no bid: its id and its price."""
        best = str(self.best("asks"))
        self.call("/v1/order/new", symbol="btcusd", side="buy", type="exchange limit", price=best, amount="0.01",
                  options=["immediate-or-cancel"])
        price = self.inside()
        reached = str(Decimal(price) + TICK)
        terms = {"symbol": "btcusd", "side": "sell", "price": price, "stop_price": reached, "amount": "0.02"}
        stop = self.call("/v1/order/new", type="exchange stop limit", **terms)
        self.browser.wait_for("the waiting stop", ROW + ".includes('waits for')", stop["order_id"])
        assert not self.browser.run(OWN, price), "a waiting stop stands in the book"
        bid = {"symbol": "btcusd", "type": "exchange limit", "price": reached, "amount": "0.01"}
        status, reply = self.bots.call("counterparty", "/v1/order/new", side="buy", **bid)
        assert status == 200, reply
        self.call("/v1/order/new", side="sell", options=["immediate-or-cancel"], **bid)
        return stop["order_id"], price

    def a_stop_that_was_reached_rests(self):
        """No frame says so: the page learns it from the queue, and after a load too."""
        self.open()
        self.region("orders", "empty")
        order, price = self.stop_that_rests()
        for _ in range(2):
            self.browser.wait_for("the resting order", ROW + ".includes('Limit (stop reached)')", order)
            assert "waits" not in self.browser.run(ROW, order)
            self.browser.wait_for("its place in the book", OWN, price)
            self.open()
        self.press("[data-order] [value=move]:not(:disabled)")
        self.there("the dialog", "dialog[open] [name=price]")
        assert self.count("dialog[open] [name=stop_price]") == 0, "a resting order has no stop price to move"
        self.write("dialog[open] [name=price]", str(Decimal(price) + 1000))
        self.press("dialog[open] button[value=confirm]")
        self.browser.wait_for("the moved order", TOLD + ".includes(': placed')")
        moved = self.orders()
        assert [(one["type"], Decimal(one["price"])) for one in moved] == [("exchange limit", Decimal(price) + 1000)], moved
        self.browser.wait_for("its row", ROW + " !== ''", moved[0]["order_id"])
        assert "stop reached" not in self.browser.run(ROW, moved[0]["order_id"]), "the new order is a plain one"
        self.call("/v1/order/cancel/all")
        self.region("orders", "empty")
