"""What a page tells of its account in chromium, against a running sandbox: fills, stops, liquidations, money, the end of a session; the history
of orders, and an index that is pinned. Sound and notices of the desktop are off, as they are at first.

Started by `cargo xtask browser` as `notices.py BASE_URL FOLDER [CHECK…]`. The sandbox's clock is manual. Prints a line per check and leaves
pictures in the folder.
"""

import json
import sys
import urllib.request
from decimal import Decimal
from pathlib import Path

import axe
from bot import Bots
from visit import LAPTOP, Visit, run
from webdriver import call

TRADER, PERP = "trader@one.test", "perp@people.test"
SPOT, BTC = "btcusd", "btcgusdperp"
# The notices that lie on the ticket's button or on what it answered.
OVER = """const boxes = (selector) => [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
return boxes('[data-notice]').flatMap((notice) => boxes(arguments[0]).filter((box) => box.width && notice.bottom > box.top && notice.top < box.bottom))
    .length"""
TOAST = "return [...document.querySelectorAll('[data-notice]')].map((one) => one.textContent).find((words) => words.includes(arguments[0]))"
# The words that screen readers were given, which leave the page after some seconds.
SAID = "return [...document.querySelectorAll('.unseen p')].map((one) => one.textContent).find((words) => words.includes(arguments[0]))"
NEWS = "return [...document.querySelectorAll('[data-news]')].map((one) => one.textContent).find((words) => words.includes(arguments[0]))"
# Makes calls of these paths fail, or none with an empty list.
FAILING = """const [paths] = arguments;
window.whole ??= window.fetch;
window.refused = 0;
window.fetch = (url, options) => {
  if (!paths.some((path) => String(url).includes(path))) return window.whole(url, options);
  window.refused += 1;
  return Promise.resolve(Response.json({ reason: 'System', message: 'An error in /site/notices' }, { status: 500 }));
}"""
# The warnings that a session ends, and that margin is short.
SESSION, MARGIN = "[data-notice^=session-]", "[data-notice^=margin-]"
NUDGE = "import('/site/notices/feed.js').then(({ nudge }) => nudge())"
# The sums of own fills in a candle, as the chart's legend has them.
MARKS = """const [done] = arguments;
import('/site/trade/candles.js').then(async ({ makeCandles }) => {
  const place = document.createElement('div');
  document.body.append(place);
  const candles = await makeCandles(place, { onPoint() {}, onTick() {}, onMove() {} });
  candles.show([{ time: 600, open: 1, high: 1, low: 1, close: 1, volume: 1, texts: ['1', '1', '1', '1', '1'] }], true);
  const at = 600_000;
  candles.setFills([{ at, side: 'sell', amount: '1', why: 'liquidation' }, { at, side: 'sell', amount: '2' },
    { at, side: 'sell', amount: '0.5', why: 'liquidation' }, { at, side: 'buy', amount: '3' }], 60);
  const found = candles.fillsAt(600);
  candles.stop();
  place.remove();
  done(found);
}).catch((failure) => done(failure.message))"""
CALL_OF = """const [account, request, fields, done] = arguments;
import('/site/call.js').then(({ post }) => post('/site/call', { request, ...fields }, { account })).then(done, (failure) => done(failure.message))"""
CHOOSE = """const [account, done] = arguments;
import('/site/call.js').then(({ post }) => post('/site/account', { account })).then(() => done(''), (failure) => done(failure.message))"""


class Notices(Visit):
    """The checks, in order; each starts where the one before it ended."""

    def __init__(self, *parts):
        super().__init__(*parts)
        self.bots = Bots(self.base)

    def checks(self):
        every = (self.a_trader_signs_in, self.a_fill_is_told, self.fills_are_counted, self.a_stop_that_fails_is_told, self.a_stop_that_rests_is_told,
                 self.news_that_cannot_be_read_are_told, self.a_deposit_is_told, self.the_list_opens_from_every_page, self.signals_are_chosen, self.history_says_how_orders_ended,
                 self.a_pinned_index_says_so, self.a_move_of_the_clock_signs_nobody_out, self.watching_is_use, self.an_ending_session_is_told,
                 self.a_hidden_page_is_no_use,
                 self.short_margin_is_told, self.a_liquidation_stays, self.a_liquidation_stands_with_the_fills,
                 self.another_account_is_told, self.perps_is_told_on_the_page_of_primary, self.a_notice_leaves_the_ticket_free,
                 self.the_end_of_a_contract_is_told, self.an_end_of_the_session_is_told)
        wanted = sys.argv[3:]
        return [check for check in every if not wanted or check.__name__ in wanted]

    # The means.

    def best(self, side: str, symbol: str = SPOT) -> Decimal:
        book = call(f"{self.base}/v1/book/{symbol}?limit_bids=1&limit_asks=1")
        return Decimal(book[side][0]["price"])

    def bot(self, name: str, request: str, **fields) -> dict:
        status, reply = self.bots.call(name, request, **fields)
        assert status == 200, reply
        return reply

    def limit(self, name: str, side: str, amount: str, price, symbol: str = SPOT, **fields) -> dict:
        return self.bot(name, "/v1/order/new", symbol=symbol, side=side, type="exchange limit", amount=amount, price=str(price), **fields)

    def own(self, side: str, amount: str, price, **fields) -> dict:
        return self.call("/v1/order/new", **{"symbol": SPOT, "side": side, "type": "exchange limit", "amount": amount, "price": str(price),
                                             **fields})

    def trade_at(self, price: Decimal):
        """A trade of others at a price within the spread."""
        self.limit("savings-trader", "buy", "0.01", price)
        self.limit("counterparty", "sell", "0.01", price, options=["immediate-or-cancel"])

    def told(self, words: str):
        self.browser.wait_for(f"the notice: {words}", TOAST, words)
        self.browser.wait_for(f"the same for screen readers: {words}", SAID, words)

    def in_list(self, words: str):
        self.press("[aria-controls=notices]")
        self.browser.wait_for(f"in the list: {words}", NEWS, words)
        self.press("[aria-controls=notices]")

    def use(self, account: str):
        failure = self.browser.post("execute/async", args=[account], script=CHOOSE)
        assert failure == "", failure

    # The checks.

    def a_trader_signs_in(self):
        self.browser.screen(*LAPTOP)
        self.sign_in(TRADER)
        self.open(f"/trade/{SPOT}")
        self.region("orders", "empty")
        self.there("the bell", "[aria-controls=notices]")

    def a_fill_is_told(self):
        """With price and fee, also on a page that shows no orders."""
        self.open("/docs")
        self.there("the bell", "[aria-controls=notices]")
        price = self.best("bids") + Decimal("0.01")
        self.own("buy", "0.3", price)
        self.limit("counterparty", "sell", "0.3", price, options=["immediate-or-cancel"])
        self.told(f"Bought 0.3 BTC at {price:,}")
        shown = self.browser.run(TOAST, "Bought 0.3 BTC")
        assert "fee " in shown and "(BTCUSD)" in shown, shown
        self.browser.screenshot(self.folder / "notices-fill.png")
        axe.is_clean(self.browser, "a notice")
        self.nothing_wrong()

    def fills_are_counted(self):
        self.open(f"/trade/{SPOT}")
        self.browser.wait_for("the count", "return Number(document.querySelector('#table-fills .count')?.textContent) >= 1")
        self.press("#table-fills")
        self.gone("the count", "#table-fills .count")
        self.press("#table-orders")

    def a_stop_that_fails_is_told(self):
        """A stop is reached, and its order would meet another of the same account: the page says both."""
        self.open(f"/trade/{SPOT}")
        self.there("the bell", "[aria-controls=notices]")
        price = self.best("bids") + Decimal("0.02")
        self.trade_at(price + Decimal("0.03"))
        self.own("buy", "0.05", price)
        self.own("sell", "0.02", price - 5, type="exchange stop limit", stop_price=str(price))
        self.limit("counterparty", "sell", "0.01", price, options=["immediate-or-cancel"])
        self.told("was reached, but its order")
        self.told("it would have met another order of your own")
        self.call("/v1/order/cancel/all")
        self.region("orders", "empty")

    def a_stop_that_rests_is_told(self):
        """No event tells of it, so the page asks. Its fill is told as any other then, also after the page was left."""
        best = self.best("bids")
        self.trade_at(best + Decimal("0.05"))
        self.own("sell", "0.02", best + Decimal("0.03"), type="exchange stop limit", stop_price=str(best + Decimal("0.04")))
        self.trade_at(best + Decimal("0.04"))
        self.told("is in the book")
        for _ in range(2):
            self.limit("savings-trader", "buy", "0.01", best + Decimal("0.03"), options=["immediate-or-cancel"])
            self.told("Sold 0.01 BTC")
            words = self.browser.run(TOAST, "Sold 0.01 BTC")
            assert "Stop triggered" not in words and "Its stop" not in words, words
            self.open(f"/trade/{SPOT}")
            self.there("the bell", "[aria-controls=notices]")
        self.press("[aria-controls=notices]")
        # Both are one row by now.
        self.browser.wait_for("the fill in the list", NEWS, "Sold 0.02 BTC")
        words = self.browser.run(NEWS, "Sold 0.02 BTC")
        assert "Stop triggered" not in words and "Its stop" not in words, words
        self.press("[aria-controls=notices]")
        self.call("/v1/order/cancel/all")
        self.nothing_wrong()

    def news_that_cannot_be_read_are_told(self):
        """After some asks in a row that fail, without the list being open; and no more once they can be read."""
        self.open("/docs")
        self.there("the bell", "[aria-controls=notices]")
        self.browser.run(FAILING, ["/site/notices"])
        for failures in range(1, 4):
            assert self.count("[data-fault=notices]") == 0, "one failure is no news"
            self.browser.run(NUDGE)
            self.browser.wait_for("another ask", "return window.refused >= arguments[0]", failures)
        self.there("the line", "[role=status] [data-fault=notices]")
        assert "cannot be read" in self.text("[data-fault=notices]"), self.text("[data-fault=notices]")
        axe.is_clean(self.browser, "news that cannot be read")
        self.browser.run(FAILING, [])
        self.browser.run(NUDGE)
        self.gone("the line", "[data-fault=notices]")
        self.nothing_wrong()

    def a_deposit_is_told(self):
        self.open("/account/statement")
        self.there("the bell", "[aria-controls=notices]")
        self.bot_credit("one", "primary", "ETH", "3")
        self.told("+3 ETH")
        self.nothing_wrong()

    def bot_credit(self, group: str, account: str, currency: str, amount: str):
        self.control("/sandbox/accounts/credit", group=group, account=account, currency=currency, amount=amount)

    def the_list_opens_from_every_page(self):
        for path in ("/", "/docs", "/predictions", "/account", "/account/money", "/settings/security", f"/trade/{SPOT}"):
            self.open(path)
            self.there(f"the bell of {path}", "[aria-controls=notices]")
            self.in_list("Bought 0.3 BTC")
        self.press("[aria-controls=notices]")
        self.there("the list", "#notices .news-list")
        axe.is_clean(self.browser, "the list of notices")
        self.browser.screenshot(self.folder / "notices-list.png")
        self.browser.wait_for("that nothing is new", "return !document.querySelector('[aria-controls=notices] .count')")
        self.press("[aria-controls=notices]")
        for width, height in ((360, 780), LAPTOP):
            self.browser.screen(width, height, phone=width < 500)
            whole, screen = self.browser.run("return [document.documentElement.scrollWidth, innerWidth]")
            assert whole <= screen, f"{whole} pixels wide on a screen of {screen}"
        self.nothing_wrong()

    def signals_are_chosen(self):
        self.press("[aria-controls=settings]")
        for name in ("sound", "desktop"):
            self.there(name, f"#settings [name={name}][value=off][aria-pressed=true]")
        self.press("#settings [name=sound][value=on]")
        self.there("the sound", "#settings [name=sound][value=on][aria-pressed=true]")
        self.press("#settings [name=sound][value=off]")
        self.press("[aria-controls=settings]")

    def history_says_how_orders_ended(self):
        self.open(f"/trade/{SPOT}")
        self.press("#table-history")
        self.region("history", "live")
        words = self.browser.run("return document.querySelector('[data-region=history]').innerText")
        for wanted in ("Filled", "it would have met another order of your own", "it was asked for"):
            assert wanted in words, f"{wanted} is not in {words}"
        shown = self.browser.run("""return Object.fromEntries([...document.querySelectorAll('[data-closed]')]
            .map((row) => [row.dataset.closed, row.dataset.end]))""")
        past = {order["order_id"]: order for order in self.call("/v1/orders/history", symbol=SPOT, limit_orders=50)}
        assert {id: "cancelled" if past[id]["is_cancelled"] else "filled" for id in past} == shown, shown
        self.press("[data-end=filled] button[value=fills]")
        self.there("the trades", "dialog[open] [data-trade]")
        self.browser.press("Escape")
        self.gone("the dialog", "dialog[open]")
        self.open("/account")
        self.region("history", "live")
        self.looks_right("account-history")
        self.nothing_wrong()

    def a_pinned_index_says_so(self):
        self.open(f"/trade/{BTC}")
        price = call(f"{self.base}/v1/riskstats/{BTC}")["index_price"]
        self.control("/sandbox/index/BTC", price=str(price))
        self.there("the word", "[data-pinned=BTC]")
        self.press("[data-pinned=BTC] button[value=unpin]")
        self.gone("the word", "[data-pinned]")
        self.control("/sandbox/index/BTC", price=str(price))
        self.open("/console")
        self.there("the word of the console", "[data-pinned=BTC]")
        self.press("[data-pinned=BTC] button[value=unpin]")
        self.gone("the word of the console", "[data-pinned]")
        self.nothing_wrong()

    def a_move_of_the_clock_signs_nobody_out(self):
        self.open("/account")
        self.control("/sandbox/clock/advance", seconds=2 * 86_400)
        self.call("/v1/balances")
        assert self.count("[data-banner=session]") == 0, "a move of the clock ends a session"
        # The code is as fresh as before: an act that needs one is refused for its fields alone.
        self.open("/settings/security")
        self.there("the bell", "[aria-controls=notices]")

    def watching_is_use(self):
        """An open page that is seen is not signed out after 30 minutes, though the user does not act."""
        self.open("/docs")
        self.there("the bell", "[aria-controls=notices]")
        for _ in range(3):
            self.watch()
            self.control("/sandbox/clock/advance", seconds=20 * 60, sessions=True)
        self.call("/v1/balances")
        assert self.count("[data-banner=session]") == 0, "watching ends a session"

    def watch(self, is_hidden: bool = False):
        """A minute at the page without an act, as its script lives through it."""
        failure = self.browser.post("execute/async", args=[is_hidden], script="""const [isHidden, done] = arguments;
            const real = Date.now;
            Date.now = () => real() + 120_000;
            Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
            document.dispatchEvent(new Event('visibilitychange'));
            setTimeout(() => {
              Date.now = real;
              delete document.hidden;
              done('');
            }, 700);""")
        assert failure == "", failure

    def hide(self, is_hidden: bool):
        """Puts the page behind another, or in front again."""
        get = "Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });" if is_hidden else "delete document.hidden;"
        self.browser.run(f"{get} document.dispatchEvent(new Event('visibilitychange'))")

    def an_ending_session_is_told(self):
        """Five minutes before a session without use ends, the page says so, and offers to stay."""
        self.open("/docs")
        self.there("the bell", "[aria-controls=notices]")
        self.hide(True)
        self.control("/sandbox/clock/advance", seconds=26 * 60, sessions=True)
        # What happens to the account makes the page ask.
        self.control("/sandbox/accounts/credit", group="one", account="primary", currency="USD", amount="1")
        self.told("You will be signed out")
        self.there("the warning", SESSION)
        self.hide(False)
        self.call("/v1/balances")
        self.gone("the warning", SESSION)

    def a_hidden_page_is_no_use(self):
        """A hidden page is signed out after 30 minutes, although it goes on asking. What it said of the time before goes."""
        self.hide(True)
        for minutes in (27, 5):
            self.control("/sandbox/clock/advance", seconds=minutes * 60, sessions=True)
            self.browser.run(NUDGE)
            if minutes == 27:
                self.there("the warning", SESSION)
            self.browser.post("execute/async", args=[], script="""const [done] = arguments;
                import('/site/call.js').then(({ get }) => get('/site/session')).then(() => done(), () => done())""")
        self.hide(False)
        self.there("the banner", "[data-banner=session]")
        self.gone("the warning", SESSION)
        self.sign_out()
        self.browser.console()

    def mark(self, above: int):
        """Pins the index so that the mark lies so far above the liquidation: a book that stands higher lifts it by a part in 2,000."""
        at = Decimal(self.call("/v1/margin", symbol=BTC)["estimated_liquidation_price"])
        self.control("/sandbox/index/BTC", price=str(((at + above) / Decimal("1.0005")).quantize(Decimal("0.5"))))

    def short_margin_is_told(self):
        """100,000 dollars hold 14 bitcoin; a hundred dollars above the liquidation less than half of what maintenance needs is to spare."""
        user = {"email": PERP, "password": "seven green turtles sing", "group": "perp", "roles": ["Trader"]}
        self.control("/sandbox/users", **user)
        self.sign_in(PERP)
        self.open("/account")
        self.use(self.bots.keys["perp-000"]["account"])
        self.open("/account/statement")
        self.there("the bell", "[aria-controls=notices]")
        # Within the spread both meet alone.
        price = self.best("asks", BTC) - Decimal("0.5")
        assert price > self.best("bids", BTC), "the spread has room"
        self.limit("perp-001", "sell", "14", price, symbol=BTC)
        self.limit("perp-000", "buy", "14", price, symbol=BTC)
        self.told("Bought 14 BTC")
        self.mark(100)
        self.told("Margin is getting short")
        assert self.count("[data-banner=liquidation]") == 0, "it is liquidated already"
        self.mark(3_000)
        self.browser.run(NUDGE)
        self.gone("the warning", MARGIN)
        self.mark(100)
        self.browser.run(NUDGE)
        self.there("the warning", MARGIN)
        self.nothing_wrong()

    def a_liquidation_stays(self):
        """On a page that shows no position, and on the next one, until it is read."""
        self.mark(-200)
        self.there("the banner", "[data-banner=liquidation]")
        self.told("Liquidation")
        self.gone("the warning before it", MARGIN)
        words = self.text("[data-banner=liquidation]")
        for wanted in ("closed positions", "Sold ", " at ", " left.", "no longer covered", BTC.upper()):
            assert wanted in words, f"{wanted} is not in {words}"
        self.browser.screenshot(self.folder / "notices-liquidation.png")
        axe.is_clean(self.browser, "a liquidation")
        self.open(f"/trade/{BTC}")
        self.there("the banner on the next page", "[data-banner=liquidation]")
        # Much may happen since: the banner needs no row of the list.
        rows = self.browser.post("execute/async", args=[], script="""const [done] = arguments;
            import('/site/notices/feed.js').then(({ liquidations, news }) => {
              news.rows = [];
              done(liquidations().length);
            })""")
        assert rows > 0, "a liquidation is forgotten with its row"
        self.press("#table-history")
        self.region("history", "live")
        self.there("the mark in the history", "[data-region=history] [data-forced=liquidation]")
        self.press("[data-banner=liquidation] button")
        self.gone("the banner", "[data-banner=liquidation]")
        self.open("/account")
        self.there("the bell", "[aria-controls=notices]")
        self.region("history", "live")
        assert self.count("[data-banner=liquidation]") == 0, "it comes back after it was read"
        self.nothing_wrong()

    def a_liquidation_stands_with_the_fills(self):
        """On both pages that list trades, and in the chart with the sum of its own."""
        self.open("/account")
        self.region("trades", "live")
        self.there("the word on the account's page", "[data-region=trades] [data-forced=liquidation]")
        assert "liquidation" in self.text("[data-region=trades] [data-forced=liquidation]")
        self.open(f"/trade/{BTC}")
        self.press("#table-fills")
        self.there("the word among the fills", "[data-fill][data-forced=liquidation]")
        assert "liquidation" in self.text("[data-fill][data-forced=liquidation]")
        assert self.count("[data-fill]:not([data-forced])") > 0, "the own order is no liquidation"
        axe.is_clean(self.browser, "fills with a liquidation")
        marks = self.browser.post("execute/async", args=[], script=MARKS)
        assert sorted(marks) == [["Bought", "3"], ["Liquidation: sold", "1.5"], ["Sold", "2"]], marks
        self.nothing_wrong()

    def another_account_is_told(self):
        """A page of one account says that another one of the group is filled, short of margin and liquidated, and leads to it."""
        self.open("/account")
        self.there("the bell", "[aria-controls=notices]")
        name = self.bots.keys["perp-003"]["account"]
        self.use(self.bots.keys["perp-005"]["account"])
        self.open("/docs")
        self.there("the bell", "[aria-controls=notices]")
        price = self.best("asks", BTC) - Decimal("0.5")
        self.control("/sandbox/index/BTC", price=str(price))
        self.limit("perp-004", "sell", "14", price, symbol=BTC)
        self.limit("perp-003", "buy", "14", price, symbol=BTC)
        self.told(f"Fill in account {name}")
        at = Decimal(self.bot("perp-003", "/v1/margin", symbol=BTC)["estimated_liquidation_price"])
        for above, words in ((100, f"Margin is getting short in account {name}"), (-200, f"Liquidation in account {name}")):
            self.control("/sandbox/index/BTC", price=str(((at + above) / Decimal("1.0005")).quantize(Decimal("0.5"))))
            self.told(words)
        self.there("the banner", "[data-banner=liquidation]")
        number = next(one["number"] for one in self.get("/site/accounts") if one["name"] == name)
        words = self.text("[data-banner=liquidation]")
        assert f"positions of account {name}." in words, words
        links = self.browser.run("""return [...document.querySelectorAll('[data-banner=liquidation] a, [data-notice] a')]
            .map((link) => link.getAttribute('href'))""")
        assert f"/account/statement?account={number}" in links and f"/trade/{BTC}?account={number}" in links, links
        self.browser.screenshot(self.folder / "notices-other.png")
        axe.is_clean(self.browser, "another account's liquidation")
        self.open("/docs")
        self.there("the banner on the next page", "[data-banner=liquidation]")
        self.press("[aria-controls=notices]")
        self.there("its row", f"[data-news][data-account='{number}']")
        self.press("[aria-controls=notices]")
        self.press("[data-banner=liquidation] button")
        self.gone("the banner", "[data-banner=liquidation]")
        self.open("/docs")
        self.there("the bell", "[aria-controls=notices]")
        self.browser.run(NUDGE)
        assert self.count("[data-banner=liquidation]") == 0, "it comes back after it was read"
        self.nothing_wrong()

    def perps_is_told_on_the_page_of_primary(self):
        """A page of primary, and one that names no account, say that perps of the same group is short and liquidated, and lead to it."""
        self.sign_out()
        self.sign_in(TRADER)
        self.open("/account")
        self.there("the bell", "[aria-controls=notices]")
        self.use("primary")
        number = next(one["number"] for one in self.get("/site/accounts") if one["name"] == "perps")
        for round, path in enumerate(("/account", f"/trade/{BTC}")):
            # A liquidation may leave it nothing.
            self.bot_credit("one", "perps", "GUSD", "100000")
            self.open(path)
            self.there("the bell", "[aria-controls=notices]")
            self.in_danger(number)
            self.told("Margin is getting short in account perps")
            self.browser.screenshot(self.folder / f"notices-perps-short-{round}.png")
            self.danger(number, -300)
            self.told("Liquidation in account perps")
            self.there("the banner", "[data-banner=liquidation]")
            assert "positions of account perps." in self.text("[data-banner=liquidation]"), self.text("[data-banner=liquidation]")
            links = self.browser.run("""return [...document.querySelectorAll('[data-banner=liquidation] a, [data-notice] a')]
                .map((link) => link.getAttribute('href'))""")
            assert f"/account/statement?account={number}" in links and f"/trade/{BTC}?account={number}" in links, links
            self.gone("the warning before it", MARGIN)
            self.browser.screenshot(self.folder / f"notices-perps-{round}.png")
            self.press("[data-banner=liquidation] button")
            self.gone("the banner", "[data-banner=liquidation]")
            self.nothing_wrong()

    def of(self, number: int, request: str, **fields):
        """A private call of the page's user on another account."""
        reply = self.browser.post("execute/async", script=CALL_OF, args=[number, request, fields])
        assert not isinstance(reply, str), reply
        return reply

    def danger(self, number: int, above: int):
        """Pins the index so far above the liquidation of an account."""
        at = Decimal(self.of(number, "/v1/margin", symbol=BTC)["estimated_liquidation_price"])
        self.control("/sandbox/index/BTC", price=str(((at + above) / Decimal("1.0005")).quantize(Decimal("0.5"))))

    def in_danger(self, number: int):
        """Opens a position of an account that a few per cent liquidate, and brings it near that."""
        price = self.best("asks", BTC) - Decimal("0.5")
        self.control("/sandbox/index/BTC", price=str(price))
        money = Decimal(self.of(number, "/v1/margin", symbol=BTC)["available_margin"])
        amount = str((money * 6 / price).quantize(Decimal("0.01")))
        self.limit("perp-006", "sell", amount, price, symbol=BTC)
        self.of(number, "/v1/order/new", symbol=BTC, side="buy", type="exchange limit", amount=amount, price=str(price))
        self.danger(number, 100)

    def a_notice_leaves_the_ticket_free(self):
        """On a phone the open ticket's button and its answer lie under no notice."""
        self.sign_in(TRADER)
        self.browser.screen(360, 780, phone=True)
        self.open(f"/trade/{SPOT}")
        self.there("the bell", "[aria-controls=notices]")
        self.press(".sheet-open button")
        self.there("the ticket", "[data-sheet=true] .slot-ticket")
        for amount in ("1", "2", "3"):
            self.bot_credit("one", "primary", "ETH", amount)
            self.told(f"+{amount} ETH")
        assert self.browser.run(OVER, ".slot-ticket [type=submit], .slot-ticket [data-outcome]") == 0, "a notice lies on the button"
        self.browser.screenshot(self.folder / "notices-ticket.png")
        self.browser.screen(*LAPTOP)
        self.nothing_wrong()

    def the_end_of_a_contract_is_told(self):
        """Its page and a notice say when it is resolved, and that a position lost all."""
        self.sign_in(TRADER)
        self.control("/sandbox/predictions/events", ticker="NOTICESNOW", title="Will it snow?", category="weather", dispute_seconds=600,
                     expiry_ms=self.now_ms() + 86_400_000)
        path = "/v1/prediction-markets"
        symbol = "SVC-NOTICESNOW"
        self.open(f"/trade/{symbol}")
        self.there("where it stands", "[data-standing=active]")
        self.call(f"{path}/terms/accept")
        self.bots.call("counterparty", f"{path}/terms/accept")
        self.call(f"{path}/order", symbol=symbol, orderType="limit", side="buy", outcome="yes", quantity="40", price="0.38")
        status, reply = self.bots.call("counterparty", f"{path}/order", symbol=symbol, orderType="limit", side="buy", outcome="no",
                                       quantity="40", price="0.62")
        assert status == 201, reply
        self.told("Bought 40 yes contracts")
        self.control("/sandbox/predictions/events/NOTICESNOW/resolve", outcomes={"NOTICESNOW": "no"}, source="the weather")
        self.told("Will it snow? is to be resolved No: your 40 Yes settle on ")
        self.there("that it is resolved", "[data-standing=under_review]")
        self.control("/sandbox/clock/advance", seconds=601)
        self.told("Will it snow? was resolved No: your 40 Yes pay 0.00 USD, cost 15.20 USD.")
        self.there("that it is settled", "[data-standing=settled]")
        assert self.text("[data-region=event] [data-result]") == "No", self.text("[data-region=event]")
        self.browser.screenshot(self.folder / "notices-contract.png")
        axe.is_clean(self.browser, "the end of a contract")
        self.in_list("Will it snow? was resolved No")
        self.nothing_wrong()

    def get(self, path: str):
        """A reading call of the page's user."""
        return self.browser.post("execute/async", args=[path], script="""const [path, done] = arguments;
            import('/site/call.js').then(({ getOwn }) => getOwn(path)).then(done, (failure) => done(failure.message))""")

    def an_end_of_the_session_is_told(self):
        """By a banner that leads back; what the page showed of the account stays, greyed."""
        self.sign_out()
        self.sign_in(TRADER)
        self.open(f"/trade/{SPOT}")
        self.region("orders", "empty")
        order = self.own("buy", "0.1", (self.best("bids") * Decimal("0.8")).quantize(Decimal(1)))
        row = f"[data-order='{order['order_id']}']"
        self.there("the order", row)
        session = call(f"{self.base}/sandbox/sessions", {"email": TRADER})
        headers = {"Content-Type": "application/json", "Cookie": session["cookie"], "X-CSRF-Token": session["csrf"]}
        body = json.dumps({"others": True}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.base}/site/sessions/end", body, headers)) as reply:
            assert reply.status == 200
        self.there("the banner", "[data-banner=session]")
        assert self.count(row) == 1, "the orders are gone from the page"
        look = self.browser.run("return getComputedStyle(document.querySelector('.orders > .panel-body')).filter")
        assert look == "grayscale(1)", "they are not greyed"
        link = self.browser.run("return document.querySelector('[data-banner=session] a').getAttribute('href')")
        assert link == f"/signin?next=%2Ftrade%2F{SPOT}", link
        self.browser.screenshot(self.folder / "notices-session.png")
        axe.is_clean(self.browser, "the end of a session")
        self.nothing_wrong(but="status of 401")


if __name__ == "__main__":
    run("notices", sys.argv[1], Path(sys.argv[2]), Notices)
