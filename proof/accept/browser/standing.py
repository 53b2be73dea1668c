"""Checks of the trading page: it follows what happens to orders, money and the exchange while it is open. They follow those of `doubts.py`."""

import time
from decimal import Decimal

from visit import LAPTOP

TRADER = "trader@one.test"
TICK = Decimal("0.01")
TOLD = "return (document.querySelector('[data-outcome]')?.textContent ?? '')"
ROW = "return (document.querySelector(`[data-order='${arguments[0]}']`)?.innerText ?? '')"
OWN = "return document.querySelector(`[data-book=asks] [data-price='${arguments[0]}'] .own`)?.textContent === '●'"

# As translators do: each text node of the page gives way to an element with its words.
TRANSLATED = """const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
const texts = [];
while (walk.nextNode()) if (walk.currentNode.data.trim() && !walk.currentNode.parentElement.closest('svg, option')) texts.push(walk.currentNode);
for (const text of texts) {
  const other = document.createElement('font');
  other.textContent = text.data;
  text.replaceWith(other);
}"""
# The figures of a translated page that are not those of its modules.
STALE = """const done = arguments[0];
Promise.all(['feed', 'market'].map((name) => import(`/site/trade/${name}.js`))).then(([{ last, top }, { priceShown }]) => {
  const text = (selector) => document.querySelector(selector).textContent;
  const close = [...document.querySelectorAll('.legend > span')].find((one) => one.textContent.startsWith('C'));
  const { bid, ask } = top.get();
  const best = document.forms.order.elements.side.value === 'buy' ? ask : bid;
  done([['last', text('.middle b'), priceShown(last.get().price)], ['spread', text('.middle .soft'), `Spread ${priceShown(ask - bid)} `],
    ['best', text('.field-head .link'), `Best ${priceShown(best)}`], ['close', close.textContent, priceShown(last.get().price)],
  ].filter(([, words, wanted]) => !words.includes(wanted)));
}, (failure) => done(failure.message))"""
CELLS = "return [...document.querySelectorAll(`[data-order='${arguments[0]}'] td.number`)].map((cell) => cell.textContent.trim())"
COUNTDOWN = """const shown = document.querySelector('[data-countdown]');
const [hours, minutes, seconds] = shown.textContent.split(':').map(Number);
return [Number(shown.dataset.countdown), hours * 3600 + minutes * 60 + seconds]"""

PERP = "/trade/btcgusdperp"
# The tabs of the account that something else covers.
COVERED = """return [...document.querySelectorAll('.tables [role=tab]')].filter((tab) => {
  const { left, right, top, height } = tab.getBoundingClientRect();
  return [left + 4, right - 4].some((x) => !tab.contains(document.elementFromPoint(x, top + height / 2)));
}).map((tab) => tab.textContent)"""
HELD = "return document.querySelector('[data-perpetual=quantity]')?.dataset.value === arguments[0]"
AVAILABLE = """return [document.querySelector('.available [data-value]')?.dataset.value,
  document.querySelector('[data-currency=GUSD] [data-value]')?.dataset.value].every((words) => words === arguments[0])"""
FORCED = """return [...document.querySelectorAll('[data-fill][data-forced=liquidation]')].map((row) =>
  [...row.querySelectorAll('td')].map((cell) => cell.textContent.trim()).slice(-4))"""


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

    def a_translated_page_shows_new_figures(self):
        """Every figure that changes stands in an element that is replaced whole, so that none stays as a translator wrote it."""
        self.open()
        self.keys("b", "l")
        price = self.inside()
        order = self.place(price, "0.05")
        self.browser.wait_for("the legend", "return document.querySelectorAll('.legend > span').length > 4")
        self.browser.wait_for("its place", "return " + CELLS.removeprefix("return ") + "[4] !== '–'", order)
        self.browser.run(TRANSLATED)
        self.sold_to("sell", price, "0.02")
        row = "return document.querySelector(`[data-order='${arguments[0]}'] [data-value='0.03']`) !== null"
        self.browser.wait_for("the fill", row, order)
        assert self.browser.run(CELLS, order)[1:4] == ["0.05", "0.02", "0.03"], self.browser.run(CELLS, order)
        self.eventually("the new figures", lambda: self.script(STALE) == [])
        self.browser.run(TRANSLATED)
        self.call("/v1/order/cancel/all")
        self.region("orders", "empty")
        self.eventually("the figures after the cancel", lambda: self.script(STALE) == [])
        self.open("/trade/btcgusdperp")
        self.there("the countdown", "[data-countdown]")
        self.browser.run(TRANSLATED)
        first = self.browser.run(COUNTDOWN)
        self.browser.wait_for("a second less", "return Number(document.querySelector('[data-countdown]').dataset.countdown) < arguments[0]", first[0])
        shown = self.browser.run(COUNTDOWN)
        assert shown[0] == shown[1], f"the countdown stands still: {shown}"
        self.open()

    def eventually(self, what: str, holds):
        end = time.monotonic() + 10
        while not holds():
            assert time.monotonic() < end, f"waited in vain for {what}: {self.script(STALE)}"
            time.sleep(0.1)

    def what_was_said_of_an_order_stays_true(self):
        """The ticket's line follows its order: its fills, its end, a stop that is cancelled elsewhere."""
        self.open()
        price = self.inside()
        self.place(price, "0.05")
        self.browser.wait_for("the word", TOLD + ".includes(': placed')")
        self.sold_to("sell", price, "0.02")
        self.browser.wait_for("the part", TOLD + ".includes('0.02 filled, the rest stands')")
        self.sold_to("sell", price, "0.03")
        self.browser.wait_for("the whole", TOLD + ".includes(': filled')")
        assert "stands" not in self.browser.run(TOLD)
        self.rest()
        self.keys("s", "t")
        low = Decimal(self.low())
        for name, value in (("stop", low + 1), ("price", low), ("amount", "0.01")):
            self.write(f"#ticket-{name}", str(value))
        self.press("form[name=order] [type=submit]")
        self.browser.wait_for("the stop", TOLD + ".includes('waits for')")
        self.call("/v1/order/cancel/all")
        self.browser.wait_for("its end", TOLD + ".includes(': cancelled')")
        assert "waits" not in self.browser.run(TOLD)
        self.rest()
        self.keys("b", "l")
        self.region("orders", "empty")

    def a_halt_is_called_a_halt(self):
        """An order that is sent before the page has learned of it."""
        self.open()
        self.rest()
        self.keys("b", "l")
        self.write("#ticket-price", self.low())
        self.write("#ticket-amount", "0.01")
        self.control("/sandbox/halt")
        self.press("form[name=order] [type=submit]")
        self.browser.wait_for("the word", TOLD + ".includes('Trading is halted. Only cancels are taken.')")
        self.there("the line above the ticket", "[data-status=halted]")
        self.control("/sandbox/resume")
        self.gone("the halt", "[data-status=halted]")
        self.write("#ticket-amount", "")
        # The refusal is an answer of status 503.
        self.browser.console()

    def counts_cover_no_tab(self):
        """On a laptop the tools of the orders leave the tabs free, with counts at them."""
        self.browser.screen(*LAPTOP)
        self.open()
        self.place(self.low(), "0.01")
        self.there("the count", "#table-orders .count")
        for preset in ("simple", "ladder", "pro"):
            self.press(f"[name=preset][value={preset}]")
            assert self.browser.run(COVERED) == [], f"{preset}: {self.browser.run(COVERED)}"
        self.call("/v1/order/cancel/all")
        self.region("orders", "empty")

    def a_phone_shows_a_pinned_index(self):
        """It stands above the panels before the ticket is opened."""
        self.control("/sandbox/index/BTC", price="65000")
        self.browser.screen(360, 780, phone=True)
        self.open(PERP)
        self.browser.wait_for("the pin", "return [...document.querySelectorAll('[data-pinned=BTC]')].some((one) => one.checkVisibility())")
        self.picture("trade-pinned-360")
        assert self.count("[data-sheet=true]") == 0
        self.control("/sandbox/index/BTC", pinned=False)
        self.gone("the pin", "[data-pinned]")
        self.browser.screen(*LAPTOP)
        self.open()

    def a_refusal_to_reduce_says_what_is_held(self):
        """The position is turned over before *Close* is confirmed."""
        self.open(PERP)
        self.browser.wait_for("the position", HELD, "0.01")
        self.press("[name=close][value='100']")
        self.there("the question", "dialog[open] button[value=confirm]")
        self.filled("sell", "0.06")
        self.press("dialog[open] button[value=confirm]")
        self.browser.wait_for("the refusal", TOLD + ".includes('Nothing was sent: your position is now short 0.05.')")
        assert self.position() == Decimal("-0.05")
        self.filled("buy", "0.06")
        self.browser.wait_for("the position", HELD, "0.01")

    def what_is_available_follows_the_mark(self):
        """The index moves, and with it the account's margin: ticket and balances show it as the exchange has it."""
        self.open(PERP)
        self.browser.wait_for("the position", HELD, "0.01")
        for index in ("60000", "50000"):
            self.control("/sandbox/index/BTC", price=index)
            _, held = self.bots.call("perp-000", "/v1/balances")
            self.browser.wait_for(f"the money at {index}", AVAILABLE, held[0]["available"])
        self.control("/sandbox/index/BTC", pinned=False)

    def a_forced_fill_is_one_thing(self):
        """A liquidation says the same as it comes and after a load."""
        self.open(PERP)
        price = self.perp("asks") - Decimal("0.5")
        for name, side in (("perp-001", "sell"), ("perp-000", "buy")):
            status, order = self.bots.call(name, "/v1/order/new", symbol="btcgusdperp", side=side, type="exchange limit", amount="13.9",
                                           price=str(price))
            assert status == 200, order
        at = Decimal(self.call("/v1/margin", symbol="btcgusdperp")["estimated_liquidation_price"])
        assert at > 0, "nothing to liquidate"
        self.control("/sandbox/index/BTC", price=str(((at - 200) / Decimal("1.0005")).quantize(Decimal("0.5"))))
        self.press("#table-fills")
        self.there("the liquidation", "[data-fill][data-forced=liquidation]")
        # The last of its fills has been read again by then.
        time.sleep(2)
        came = self.browser.run(FORCED)
        self.control("/sandbox/index/BTC", pinned=False)
        self.open(PERP)
        self.press("#table-fills")
        self.there("the liquidation", "[data-fill][data-forced=liquidation]")
        assert came and came == self.browser.run(FORCED), f"{came} became {self.browser.run(FORCED)}"
        assert all("–" not in fee for fee, *_ in came), came
