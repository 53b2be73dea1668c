"""Checks of the trading page when something fails beside it: calls, the browser's storage, the session, the other side of the book. They
follow those of `truth.py`."""

import json
import urllib.request
from decimal import Decimal

from webdriver import call as web

TRADER = "trader@one.test"
CONTRACT = "SVC-DEMORATE"
TOLD = "return (document.querySelector('[data-outcome]')?.textContent ?? '')"
LOW = Decimal("0.8")
# The page cannot use its storage, as a browser that keeps nothing for a site has it.
DENIED = "for (const name of ['sessionStorage', 'localStorage']) " \
    "Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError') } })"
# Calls that are named are answered with a refusal, or held until `window.release()`; `window.made` counts those.
MEDDLING = """window.failing ??= [];
window.holding ??= '';
window.made = 0;
window.plainFetch ??= window.fetch;
window.fetch = async (url, options = {}) => {
  const named = String(url).endsWith('/site/call') ? JSON.parse(options.body).request : String(url);
  if (window.holding && named.includes(window.holding)) {
    window.made += 1;
    await new Promise((go) => (window.release = go));
  }
  if (!window.failing.some((one) => named.includes(one))) return window.plainFetch(url, options);
  return Response.json({ reason: 'System', message: 'An error' }, { status: 500 });
};"""
# Two watchers of the account's orders and of the book, the second of which comes while orders are placed, and what each got.
WATCHING = """const [symbol, done] = arguments;
window.sentFrames = [];
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) {
  window.sentFrames.push(JSON.parse(text).method);
  return send.call(this, text);
};
import('/site/socket.js').then(({ watch }) => {
  window.seen = { first: [], second: [], book: null, balances: null };
  const note = (list) => ({ onFrame: (frame) => list.push(String(frame.i)) });
  watch(['orders@account'], note(window.seen.first));
  window.another = () => {
    watch(['orders@account'], note(window.seen.second));
    watch([`${symbol}@depth@100ms`], { onFrame: (frame, { isFirst }) => (isFirst ? (window.seen.book ??= frame) : undefined) });
    watch(['balances@account'], { onFrame: (frame, { isFirst }) => (isFirst ? (window.seen.balances ??= frame) : undefined) });
  };
  done('');
}, (failure) => done(failure.message))"""
ENDED = "return document.body.innerText.split('session has ended').length - 1"


class Doubts:
    """The checks, for a visit that has bots and the means of `Truth`."""

    def meddled(self, source: str) -> dict:
        return self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=source)

    def left_alone(self, script: dict):
        self.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])

    def low(self) -> str:
        return str((self.best("bids") * LOW).quantize(Decimal(1)))

    def load_again_works_with_a_fragment(self):
        """The account's streams are refused for another account: the way out loads the page, whatever its address ends with."""
        refused = """const real = window.fetch;
            window.fetch = (url, options) => (String(url).endsWith('/site/stream') ? Promise.resolve(Response.json(
              { reason: 'InvalidAccountName', message: '' }, { status: 409 })) : real(url, options))"""
        script = self.meddled(refused)
        # From the page itself the address would only lead to the fragment.
        self.browser.open("about:blank")
        self.open("/trade/btcusd#orders")
        button = "[data-region=balances] .failure button"
        self.press("#table-balances")
        self.there("the way out", button)
        self.left_alone(script)
        self.browser.run("window.isOld = true")
        self.press(button)
        self.browser.wait_for("the page anew", "return window.isOld === undefined && document.readyState === 'complete'")
        assert self.browser.run("return location.hash") == "#orders"
        self.region("orders", "empty")

    def a_move_without_its_history_says_so(self):
        """What a cancelled order of a contract had left is read in the history; without it nothing more is sent."""
        self.open(f"/trade/{CONTRACT}")
        self.call("/v1/prediction-markets/terms/accept")
        self.call("/v1/prediction-markets/order", symbol=CONTRACT, orderType="limit", side="buy", outcome="yes", quantity="10", price="0.01")
        self.there("the order", "[data-order] [value=move]:not(:disabled)")
        self.browser.run(MEDDLING)
        self.browser.run("window.failing = ['/orders/history']; window.holding = ''")
        self.press("[data-order] [value=move]")
        self.there("the dialog", "dialog[open] [name=price]")
        self.write("dialog[open] [name=price]", "0.02")
        self.press("dialog[open] button[value=confirm]")
        self.browser.wait_for("the word", TOLD + ".includes('the history could not be read')")
        assert "No new order was sent" in self.browser.run(TOLD)
        self.region("orders", "empty")
        assert self.call("/v1/prediction-markets/orders/active", symbol=CONTRACT, limit=100)["orders"] == []
        self.browser.console()

    def trading_works_without_storage(self):
        """An order is placed, moved and cancelled in a browser that keeps nothing."""
        script = self.meddled(DENIED)
        self.open()
        assert self.browser.run("try { return localStorage.length } catch { return 'denied' }") == "denied"
        self.region("orders", "empty")
        low = self.low()
        self.place(low, "0.1")
        self.moved_to(Decimal(low) - 10)
        self.browser.wait_for("the word", TOLD + ".includes(': placed')")
        assert [Decimal(one["price"]) for one in self.orders()] == [Decimal(low) - 10]
        self.press("[data-order] [value=cancel]")
        self.region("orders", "empty")
        assert self.orders() == []
        self.left_alone(script)
        # The choices of the page tell the console that they are not kept.
        self.browser.console()

    def an_order_of_another_market_is_not_forgotten(self):
        """Its page was left before its reply; an order elsewhere does not take its place."""
        self.open()
        self.browser.run(self.losing)
        self.browser.run("window.sent.length = 0; window.lose = 'reply /v1/order/new'")
        self.rest()
        self.keys("b", "l")
        self.type_into("price", self.low())
        self.type_into("amount", "0.1")
        self.browser.press("Enter")
        self.browser.wait_for("it to be sent", "return window.sent.length === 1")
        self.open("/trade/ethusd")
        self.keys("b", "l")
        self.write("#ticket-price", "100")
        self.write("#ticket-amount", "0.1")
        self.press("form[name=order] [type=submit]")
        self.browser.wait_for("the other order", TOLD + ".includes(': placed')")
        self.open()
        self.browser.wait_for("the word", TOLD + ".includes(': placed')")
        self.call("/v1/order/cancel/all")
        self.region("orders", "empty")

    def a_second_watcher_loses_nothing(self):
        """It begins with all that a stream said, and the first one misses no frame meanwhile."""
        self.open()
        self.region("balances", "live")
        assert self.script(WATCHING, "btcusd") == ""
        low, ids = Decimal(self.low()), []
        for step in range(12):
            if step == 6:
                self.browser.run("window.another(); window.later = window.seen.first.length")
            order = self.call("/v1/order/new", symbol="btcusd", side="buy", type="exchange limit", price=str(low + step), amount="0.01")
            ids.append(order["order_id"])
        self.browser.wait_for("every order", "return arguments[0].every((id) => window.seen.first.includes(id))", ids)
        seen = self.browser.run("return window.seen")
        later = self.browser.run("return window.seen.first.slice(window.later)")
        assert seen["second"] == later, f"the second watcher got {seen['second']}, the first {later}"
        assert self.browser.run("return window.sentFrames.filter((method) => method !== 'ping' && method !== 'time')") == [], "a second subscription"
        assert len(set(seen["first"])) == len(ids)
        book = web(f"{self.base}/v1/book/btcusd?limit_bids=0&limit_asks=0")
        asks = {Decimal(price): Decimal(amount) for price, amount in seen["book"]["a"]}
        assert asks == {Decimal(one["price"]): Decimal(one["amount"]) for one in book["asks"]}, "the later book is not the book"
        held = {row["currency"] for row in self.call("/v1/balances")}
        assert held <= {row["a"] for row in seen["balances"]["B"]}, "the later balances lack some"
        self.call("/v1/order/cancel/all")
        self.region("orders", "empty")

    def held_at(self, button: str, call: str):
        """Presses a button whose call is held: it shows that it is at work, and takes no second click."""
        self.browser.run(MEDDLING)
        self.browser.run("window.holding = arguments[0]", call)
        self.there(button, button)
        self.press(button)
        self.browser.wait_for("the call", "return window.made === 1")
        busy = "const one = document.querySelector(arguments[0]); return one.disabled && one.getAttribute('aria-busy') === 'true'"
        self.browser.wait_for(f"{button} at work", busy, button)
        self.browser.run("document.querySelector(arguments[0]).click()", button)
        assert self.browser.run("return window.made") == 1, f"{button} takes a second click"

    def buttons_take_one_click(self):
        """Of an index that is released, and of signing out, which fails once."""
        self.control("/sandbox/index/BTC", price="65000")
        self.open("/trade/btcgusdperp")
        self.held_at("[data-pinned=BTC] [value=unpin]", "/sandbox/index/")
        self.browser.run("window.holding = ''; window.release()")
        self.gone("the pin", "[data-pinned]")
        self.press("[aria-controls=account-menu]")
        leave = "#account-menu > button:last-child"
        self.held_at(leave, "/site/signout")
        self.browser.run("window.holding = ''; window.failing = ['/site/signout']; window.release()")
        self.there("the fault", "[data-fault=signout]")
        assert self.browser.run("return !document.querySelector(arguments[0]).disabled", leave), "it cannot be tried again"
        self.browser.console()
        self.open()

    def faults_are_said_in_place(self):
        """The status of the market, payments of funding, and the markets of the palette cannot be read."""
        script = self.meddled("window.failing = ['/site/status/', '/v1/perpetuals/fundingPayment', '/site/market.json'];" + MEDDLING)
        self.open("/trade/btcgusdperp")
        for name in ("status", "funding"):
            self.there(f"the fault of {name}", f"[data-fault={name}]")
        self.browser.run("window.failing = []")
        self.press("[data-fault=funding] button")
        for name in ("funding", "status"):
            self.gone(name, f"[data-fault={name}]")
        self.browser.run("window.failing = ['/site/market.json']")
        self.press("button.find")
        self.there("the fault of the palette", "dialog.palette [data-fault=markets]")
        self.browser.press("Escape")
        self.left_alone(script)
        self.browser.console()

    def a_position_without_a_price_says_so(self):
        """*Close* meets an empty side of the book."""
        self.there("the position", "[name=close][value='100']:not(:disabled)")
        empty = """const done = arguments[0];
            import('/site/trade/feed.js').then(({ book, top }) => {
              book.bids.clear();
              top.set({ ask: top.get().ask, middle: top.get().ask });
              document.querySelector("[name=close][value='100']").click();
              done('');
            }, (failure) => done(failure.message))"""
        assert self.script(empty) == ""
        self.browser.wait_for("the word", TOLD + ".includes('No order to buy stands in the book')")
        assert self.count("dialog[open]") == 0, "an order without a price is confirmed"

    def ended(self):
        """Ends the session of the browser, from another one."""
        session = web(f"{self.base}/sandbox/sessions", {"email": TRADER})
        headers = {"Content-Type": "application/json", "Cookie": session["cookie"], "X-CSRF-Token": session["csrf"]}
        body = json.dumps({"others": True}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.base}/site/sessions/end", body, headers)) as reply:
            assert reply.status == 200
        self.there("the banner", "[data-banner=session]")

    def has_claims(self):
        """The account of the page buys yes of a contract from one that buys no."""
        order = {"symbol": CONTRACT, "orderType": "limit", "side": "buy", "quantity": "10"}
        for request, fields in (("terms/accept", {}), ("order", {**order, "outcome": "no", "price": "0.60"})):
            status, reply = self.bots.call("counterparty", f"/v1/prediction-markets/{request}", **fields)
            assert status < 300, reply
        self.call("/v1/prediction-markets/terms/accept")
        self.call("/v1/prediction-markets/order", **order, outcome="yes", price="0.40")

    def an_ended_session_says_so_once(self):
        """On the trading page and on that of predictions: the regions keep what they show, greyed."""
        self.sign_out()
        self.sign_in(TRADER)
        self.open()
        self.has_claims()
        for path, tab, name in (("/trade/btcusd", "#table-history", "history"), ("/predictions", "#tab-positions", "positions")):
            self.sign_out()
            self.sign_in(TRADER)
            self.browser.open(self.base + path)
            self.press(tab)
            self.browser.wait_for("the regions", "return !document.querySelector('[data-region]:is([data-state=loading], [data-state=error])')")
            self.ended()
            # The page goes on asking.
            self.region(name, "ended")
            assert self.browser.run(ENDED) == 1, f"{path}: {self.browser.run('return document.body.innerText')}"
            assert self.count("[data-region] .failure") == 0, "a region says it again"
            look = "return getComputedStyle(document.querySelector(`[data-region=${arguments[0]}] > .panel-body`)).filter"
            assert self.browser.run(look, name) == "grayscale(1)", f"{path} is not greyed"
        self.browser.console()
