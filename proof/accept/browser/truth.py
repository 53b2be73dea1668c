"""Checks of the trading page: it acts only on what is true now. They follow those of `trade.py`, on the pages of a trader of spot and of a
holder of a perpetual."""

import json
import time
from decimal import ROUND_DOWN, Decimal

from webdriver import call as web

PERP = "/trade/btcgusdperp"
TOLD = "return (document.querySelector('[data-outcome]')?.textContent ?? '')"
NUMBERS = """const done = arguments[0];
import('/site/number.js').then(({ plain, wrongWith, signed }) => done([
  ['1,125', ''], ['12,345', ''], ['0,5', ''], ['1,12,5', ''], ['0,125.5', ''], ['1,1250.5', ''], ['1e5', ''], ['-3', ''], ['', ''],
  ['1,125.50', '1125.50'], ['1,125,000', '1125000'], ['1 125', '1125'], ['1\\u202f125.5', '1125.5'], ['.5', '0.5'], ['5.', '5'],
].filter(([typed, value]) => plain(typed) !== value || Boolean(wrongWith(typed)) !== (value === '' && typed !== ''))
 .concat([['-1.5', '-1.5'], ['-1,125', '']].filter(([typed, value]) => signed(typed) !== value))), (failure) => done(failure.message))"""
# Orders that the page sends, with their fields. Answers for positions wait while they are told to, as old as they are by then.
WATCHED = """window.orders = [];
window.held = { isOn: false, open: [], count: 0 };
window.before ??= window.fetch;
window.fetch = async (url, options = {}) => {
  const body = String(url).endsWith('/site/call') ? JSON.parse(options.body) : {};
  if (body.request === '/v1/order/new') window.orders.push(body);
  const reply = await window.before(url, options);
  if (body.request === '/v1/positions' && window.held.isOn) {
    window.held.count += 1;
    await new Promise((go) => window.held.open.push(go));
  }
  return reply;
};"""
NAMED = """const [number, done] = arguments;
import('/site/call.js').then(({ post }) => post('/site/call', { request: '/v1/orders' }, { account: number }))
  .then(done, (failure) => done(failure.message))"""
CHOOSE = """const [number, done] = arguments;
import('/site/call.js').then(({ chooseAccount }) => chooseAccount(number)).then(() => {
  new BroadcastChannel('buttonwood-account').postMessage(number);
  done('');
}, (failure) => done(failure.message))"""
FIGURES = """return Object.fromEntries([...document.querySelectorAll('.figures dd')].map((one) =>
  [one.previousElementSibling.textContent, one.dataset.value]))"""
SEND = "document.querySelector('form[name=order] [type=submit]')"
ROWS = "return [...document.querySelectorAll('[data-order]')].map((row) => row.dataset.order)"


class Truth:
    """The checks, for a visit that has bots."""

    def script(self, script: str, *args):
        return self.browser.post("execute/async", script=script, args=list(args))

    def numbers_are_read_as_they_were_meant(self):
        assert self.script(NUMBERS) == [], "typed texts and what is read of them"

    def a_percentage_is_read_as_it_was_meant(self):
        """The bound of market orders: a comma and an empty field are refused with a sentence, and nothing is saved."""
        self.browser.run("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Settings').click()")
        self.there("the settings", "form[name=trading-settings]")
        off = "return document.querySelector('form[name=trading-settings] button.main').disabled"
        for typed, says in (("0,5", "Write decimals with a point"), ("", "from 0.01 to 50"), ("51", "from 0.01 to 50")):
            self.write("#set-bound", typed)
            self.browser.wait_for(f"the sentence for {typed!r}", f"return document.getElementById('settings-wrong').textContent.includes('{says}')")
            assert self.browser.run(off), f"{typed!r} is saved"
        self.write("#set-bound", "0.5")
        self.browser.wait_for("the button", off.replace("return ", "return !"))
        self.browser.press("Escape")
        self.gone("the settings", "form[name=trading-settings]")

    def an_arrow_keeps_what_it_cannot_read(self):
        self.write("#ticket-amount", "0,5")
        self.browser.run("document.querySelector('#ticket-amount').focus()")
        self.browser.press("\ue013", "\ue015")
        assert self.browser.run("return document.querySelector('#ticket-amount').value") == "0,5"
        self.write("#ticket-amount", "")
        self.rest()

    def pages_are_not_to_be_translated(self):
        said = self.browser.run("""return [document.documentElement.getAttribute('translate'),
            document.querySelector('meta[name=google]')?.content]""")
        assert said == ["no", "notranslate"], said

    def a_translated_page_shows_what_it_sends(self):
        """The words of a button are its own even where a translator has put others."""
        self.rest()
        self.keys("b", "l")
        self.write("#ticket-price", "103")
        self.write("#ticket-amount", "0.01")
        words = f"return {SEND}.textContent === arguments[0]"
        self.browser.wait_for("the words", words, "Buy 0.01 BTC at 103.00")
        # As translators do: each text node gives way to an element with other words.
        self.browser.run(f"""const walk = document.createTreeWalker({SEND}, NodeFilter.SHOW_TEXT);
            const texts = [];
            while (walk.nextNode()) texts.push(walk.currentNode);
            for (const text of texts) {{
              const other = document.createElement('font');
              other.textContent = 'Kaufe 0.01 BTC zu 103';
              text.replaceWith(other);
            }}""")
        self.write("#ticket-amount", "0.02")
        self.write("#ticket-price", "104")
        self.browser.wait_for("the new words alone", words, "Buy 0.02 BTC at 104.00")
        self.write("#ticket-amount", "")
        self.write("#ticket-price", "")

    def the_figures_of_a_screen_agree(self):
        """The newest trade is one of the day, of which the page learns less often."""
        old = """const real = window.fetch;
            window.fetch = async (url, options) => {
              const reply = await real(url, options);
              if (!String(url).includes('/v2/ticker/')) return reply;
              return Response.json({ ...(await reply.json()), high: '1.00', low: '1.00', close: '1.00' });
            }"""
        script = self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=old)["identifier"]
        self.open()
        self.browser.wait_for("the figures", FIGURES + ".High && " + FIGURES.removeprefix("return ") + ".Last")
        figures = self.browser.run(FIGURES)
        self.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
        assert Decimal(figures["Low"]) <= Decimal(figures["Last"]) <= Decimal(figures["High"]), figures
        self.open()
        self.browser.run(self.losing)

    def a_cancel_leaves_the_next_order_alone(self):
        """The focus after a cancel is on no button that cancels; a button at work says so and takes no click."""
        low = (self.best("bids") * Decimal("0.8")).quantize(Decimal(1))
        for step in range(3):
            self.call("/v1/order/new", symbol="btcusd", side="buy", type="exchange limit", price=str(low + step), amount="0.01")
        self.browser.wait_for("three orders", ROWS + ".length === 3")
        self.browser.run("window.lose = 'hold /v1/order/cancel'")
        self.browser.run("document.querySelector('[data-order] [value=cancel]').focus()")
        self.browser.press("Enter")
        busy = "return document.querySelector('[data-order] [value=cancel]').getAttribute('aria-busy') === 'true'"
        self.browser.wait_for("the button at work", busy)
        assert self.browser.run("return document.querySelector('[data-order] [value=cancel]').disabled")
        self.browser.press("Enter")
        self.browser.run("window.release()")
        self.browser.wait_for("its end", ROWS + ".length === 2")
        time.sleep(0.2)
        assert self.browser.run("return document.activeElement.value") != "cancel", "the focus is on the next order's cancel"
        self.browser.press("Enter")
        time.sleep(0.3)
        assert len(self.orders()) == 2, "one key more cancels another order"
        self.press("[value=cancel-symbol]")
        self.browser.wait_for("the count", TOLD + ".includes('2 orders cancelled')")
        self.region("orders", "empty")

    def moved_to(self, price: Decimal):
        self.browser.run("document.querySelector('[data-outcome] button')?.click()")
        self.press("[data-order] [value=move]")
        self.there("the dialog", "dialog[open] [name=price]")
        self.write("dialog[open] [name=price]", str(price))
        self.press("dialog[open] button[value=confirm]")

    def a_move_near_the_last_money_goes_by_the_fees(self):
        """An order that holds all money moves down, and not up by more than what is left."""
        low = (self.best("bids") * Decimal("0.8")).quantize(Decimal(1))
        free = Decimal(next(row["available"] for row in self.call("/v1/balances") if row["currency"] == "USD"))
        tier = self.call("/v1/notionalvolume", symbol="btcusd")
        rate = Decimal(max(tier["web_maker_fee_bps"], tier["web_taker_fee_bps"])) / 10_000
        amount = (free / (low * (1 + rate))).quantize(Decimal("0.0001"), ROUND_DOWN)
        order = self.call("/v1/order/new", symbol="btcusd", side="buy", type="exchange limit", price=str(low), amount=str(amount))
        self.browser.wait_for("the order", ROWS + ".length === 1")
        self.moved_to(low + 10)
        self.browser.wait_for("the word", TOLD + ".includes('was not moved')")
        assert [one["order_id"] for one in self.orders()] == [order["order_id"]], "an order without money for its move is cancelled"
        self.moved_to(low - 10)
        self.browser.wait_for("the word", TOLD + ".includes(': placed')")
        assert [(Decimal(one["price"]), Decimal(one["remaining_amount"])) for one in self.orders()] == [(low - 10, amount)]
        # The way down released enough for the way back.
        self.moved_to(low)
        self.browser.wait_for("the word", TOLD + f".includes('at {low:,.2f}: placed')")
        self.call("/v1/order/cancel/all")
        self.region("orders", "empty")

    def a_reload_loses_no_order(self):
        """An order whose reply the page did not wait for is looked up before another is sent."""
        low = str((self.best("bids") * Decimal("0.8")).quantize(Decimal(1)))
        self.browser.run("window.sent.length = 0; window.lose = 'reply /v1/order/new'")
        self.rest()
        self.keys("b", "l")
        self.type_into("price", low)
        self.type_into("amount", "0.1")
        self.browser.press("Enter")
        self.browser.wait_for("it to be sent", "return window.sent.length === 1")
        self.open()
        self.browser.wait_for("the word", TOLD + ".includes(': placed')")
        assert len(self.orders()) == 1, self.orders()
        self.call("/v1/order/cancel/all")
        self.region("orders", "empty")
        self.browser.run(self.losing)

    def a_tab_keeps_its_account(self):
        """Another tab chooses another account: this one says so and goes on, loaded again too."""
        accounts = {one["name"]: one["number"] for one in self.browser.run("return JSON.parse(document.getElementById('data').textContent)")
                    ["user"]["numbered"]}
        own, other = accounts["primary"], accounts["savings"]
        assert self.script(CHOOSE, other) == ""
        self.there("the notice", ".other-account")
        assert "savings" in self.text(".other-account")
        assert self.browser.run("return location.search") == f"?account={own}", "the tab keeps its account"
        low = str((self.best("bids") * Decimal("0.8")).quantize(Decimal(1)))
        self.place(low, "0.1")
        orders = {name: self.script(NAMED, number) for name, number in (("primary", own), ("savings", other))}
        assert [len(orders[name]) for name in ("primary", "savings")] == [1, 0], orders
        self.browser.post("refresh")
        self.region("orders", "live")
        assert self.browser.run(ROWS) == [orders["primary"][0]["order_id"]], "loaded again it is the same account's"
        self.browser.run("document.querySelector('.main-nav a[href^=\"/account\"]').click()")
        self.at("/account")
        assert self.browser.run("return location.search") == f"?account={own}", "a link keeps the account"
        self.the_way_back_keeps_the_account(own)
        self.open("/trade/btcusd")
        self.region("orders", "empty")
        assert self.script(CHOOSE, own) == ""
        self.open()
        self.call("/v1/order/cancel/all")
        self.region("orders", "empty")
        self.browser.run(self.losing)
        self.nothing_wrong()

    def the_way_back_keeps_the_account(self, own: int):
        """Another account is chosen: forms, signing in and pages that act for none name that of the tab."""
        query, nav = f"?account={own}", ".main-nav a[href^='{}']"
        for page in ("/docs", "/console", "/predictions"):
            self.press(nav.format(page))
            self.at(page)
            assert self.browser.run("return location.search") == query, page
        for page in ("/settings/security", "/settings/keys"):
            self.browser.open(self.base + page + query)
            self.browser.wait_for("the account of the tab", "return document.querySelector('#account')?.value === arguments[0]", str(own))
            way = self.script("const done = arguments[0]; import('/site/page.js').then(({ signInUrl }) => done(signInUrl()))")
            assert way == f"/signin?next={page.replace('/', '%2F')}%3Faccount%3D{own}", way

    def filled(self, side: str, amount: str):
        """The account of the perpetual trades by its key, and the page learns of it."""
        fills = self.count("[data-fill]")
        best = self.perp("asks" if side == "buy" else "bids") * (Decimal("1.02") if side == "buy" else Decimal("0.98"))
        status, order = self.bots.call("perp-000", "/v1/order/new", symbol="btcgusdperp", side=side, type="exchange limit", amount=amount,
                                       price=f"{best:.0f}", options=["immediate-or-cancel"])
        assert status == 200 and order["executed_amount"] == amount, order
        self.browser.wait_for("the fill", "return document.querySelectorAll('[data-fill]').length > arguments[0]", fills)

    def perp(self, side: str) -> Decimal:
        return Decimal(web(f"{self.base}/v1/book/btcgusdperp?limit_bids=1&limit_asks=1")[side][0]["price"])

    def position(self) -> Decimal:
        _, held = self.bots.call("perp-000", "/v1/positions")
        return sum((Decimal(one["quantity"]) for one in held if one["symbol"].lower() == "btcgusdperp"), Decimal(0))

    def a_fill_that_overtakes_a_position_is_read_again(self):
        """The page asks for the position; before its answer arrives, the account has sold half of it."""
        self.open(PERP)
        self.region("positions", "live")
        self.there("the position", "[name=close][value='100']:not(:disabled)")
        before = self.position()
        assert before == Decimal("0.02"), before
        self.browser.run(WATCHED)
        self.browser.run("window.held.isOn = true")
        self.press("[name=close][value='100']")
        self.press("dialog[open] button[value=confirm]")
        self.browser.wait_for("the button at work", f"return {SEND}.getAttribute('aria-busy') === 'true'")
        # The page's own question and that of the order wait.
        time.sleep(0.5)
        self.filled("sell", "0.01")
        self.browser.run("window.held.isOn = false; window.held.open.forEach((go) => go())")
        self.browser.wait_for("the order", "return window.orders.length === 1")
        self.browser.wait_for("its end", TOLD + ".includes('filled')")
        sent = self.browser.run("return window.orders[0]")
        assert Decimal(sent["amount"]) == Decimal("0.01"), json.dumps(sent)
        assert self.position() == 0, "the position is turned over"

    def a_part_is_a_part_of_the_position_now(self):
        """Half of what is held when the order is sent, not of what was shown."""
        self.filled("buy", "0.04")
        self.browser.wait_for("the position", """return document.querySelector('[data-perpetual=quantity]')?.dataset.value === '0.04'""")
        self.press("[name=close][value='50']")
        self.there("the question", "dialog[open] button[value=confirm]")
        self.filled("sell", "0.02")
        self.browser.run("window.orders.length = 0")
        self.press("dialog[open] button[value=confirm]")
        self.browser.wait_for("the order", "return window.orders.length === 1")
        assert Decimal(self.browser.run("return window.orders[0].amount")) == Decimal("0.01")
        self.browser.wait_for("its end", TOLD + ".includes('filled')")
        assert self.position() == Decimal("0.01")

    def a_hidden_page_closes_nothing(self):
        self.browser.wait_for("the position", """return document.querySelector('[data-perpetual=quantity]')?.dataset.value === '0.01'""")
        self.browser.run("""window.orders.length = 0;
            Object.defineProperty(document, 'hidden', { value: true, configurable: true })""")
        self.press("[name=close][value='100']")
        self.press("dialog[open] button[value=confirm]")
        self.browser.wait_for("the word", TOLD + ".includes('page is hidden')")
        assert self.browser.run("return window.orders") == []
        self.browser.run("delete document.hidden")
        shown = self.browser.run("""return [document.querySelector('[data-perpetual=mark]').dataset.value,
            document.querySelector('[data-position=btcgusdperp]').children[4].dataset.value]""")
        assert shown[0] == shown[1], f"two marks on one screen: {shown}"
