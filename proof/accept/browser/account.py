"""The pages of an account in chromium, against a running sandbox: overview, money, clearing, staking, statement.

Started by `cargo xtask browser` as `account.py BASE_URL FOLDER [CHECK…]`. The sandbox's clock is manual and its chains are simulated. Prints a line
per check and leaves pictures of the pages in the folder.
"""

import csv
import io
import json
import sys
import time
import urllib.request
from decimal import Decimal
from pathlib import Path

from visit import Visit, run
from webdriver import call

DAY = 86_400
USER, OTHER = "owner@one.test", "owner@two.test"
PROVIDER = "0b2c5a1e-6f4d-4c8e-9a57-3d1e8f60b7a1"
ETHER = f"[data-stake='{PROVIDER} ETH']"
COLD = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
NAME = "cold <b>store</b>"
PAGES = ("", "/money", "/clearing", "/staking", "/statement")
# The texts of the whole amounts in a row.
VALUES = "return [...document.querySelectorAll(`${arguments[0]} [data-value]`)].map((one) => one.dataset.value)"
SUMS = "return [...document.querySelectorAll('[data-sum]')].map((one) => ({ ...one.dataset }))"
ENTRIES = "return [...document.querySelectorAll('[data-entry]')].map((one) => one.dataset.entry)"
PICTURE = "const image = document.querySelector(arguments[0]); return image?.complete && image.naturalWidth > 0"
OTHER_ID = "const shown = document.querySelector('[data-counterparty]'); return shown && shown.textContent !== arguments[0]"
FETCH = "const [path, done] = arguments; fetch(path).then((reply) => reply.text()).then(done)"
# Balances of which two have no price.
UNPRICED = """const real = window.fetch;
window.fetch = async (url, options = {}) => {
  const { request } = String(url).endsWith('/site/call') ? JSON.parse(options.body) : {};
  if (request !== '/v1/notionalbalances/usd') return real(url, options);
  return Response.json([['USD', '5', '5'], ['DOT', '7.5', '0'], ['SOL', '2', '0.00'], ['ETH', '0', '0']].map(([currency, amount, value]) => ({
    currency, amount, available: amount, availableForWithdrawal: amount, amountNotional: value })));
}"""
QUIET = """const states = [...document.querySelectorAll('[data-region]')].map((one) => one.dataset.state);
return states.length > 0 && states.every((state) => state === 'live' || state === 'empty')"""


class User:
    """A user beside the one of the window."""

    def __init__(self, base: str, email: str):
        self.base = base
        session = call(f"{base}/sandbox/sessions", {"email": email})
        self.headers = {"Content-Type": "application/json", "Cookie": session["cookie"], "X-CSRF-Token": session["csrf"]}

    def call(self, request: str, **fields):
        body = json.dumps({"request": request, **fields}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.base}/site/call", body, self.headers)) as reply:
            return json.load(reply)


class Account(Visit):
    """The checks of the pages."""

    def checks(self):
        wanted = sys.argv[3:]
        return [check for check in self.every() if not wanted or check.__name__ in wanted]

    def every(self):
        return (self.nobody_sees_an_account_without_both_factors, self.the_overview_is_exact, self.orders_come_and_are_cancelled,
                self.an_amount_is_staked, self.a_stake_is_worth_something, self.interest_stands_by_day, self.an_amount_is_redeemed,
                self.clearing_orders_wait,
                self.a_clearing_order_is_confirmed, self.counterparties_have_names, self.an_order_is_confirmed_by_its_id,
                self.an_address_has_its_code, self.a_browser_that_keeps_nothing_shows_money, self.a_double_click_makes_one_address,
                self.a_memo_stands_apart, self.confirmations_are_counted, self.an_address_waits_for_its_hold,
                self.an_old_code_is_asked_for_again, self.money_is_withdrawn, self.a_statement_adds_up,
                self.the_file_has_the_whole_filter, self.days_that_are_turned_are_named, self.a_refusal_is_a_sentence,
                self.another_account_is_chosen, self.money_moves_between_accounts, self.a_tab_goes_to_another_account,
                self.a_margin_account_shows_its_debt, self.an_amount_without_a_price_is_not_worth_zero,
                self.a_cut_is_shown, self.an_auditor_is_not_refused, self.an_operator_has_no_account)

    def quiet(self):
        """Every region has its values."""
        self.browser.wait_for("all regions", QUIET)

    def later(self, seconds: int):
        """Moves the clock while no page is open, whose socket would have to come back."""
        self.browser.open("about:blank")
        self.control("/sandbox/clock/advance", seconds=seconds)
        self.sign_in(USER)

    def row(self, selector: str) -> list[str]:
        return self.browser.run(VALUES, selector)

    def nobody_sees_an_account_without_both_factors(self):
        for page in PAGES:
            self.open(f"/account{page}")
            self.at("/signin")
        self.nothing_wrong()

    def the_overview_is_exact(self):
        self.sign_in(USER)
        self.open("/account")
        self.quiet()
        session = self.call("/v1/roles")
        self.says("[data-counterparty]", session["counterparty_id"])
        self.worth_is_shown()
        self.looks_right("account-new")
        self.nothing_wrong()

    def worth_is_shown(self):
        """What the account is worth, with what it has staked."""
        rows = self.call("/v1/notionalbalances/usd")
        worth = sum(Decimal(row["amountNotional"]) + Decimal(row.get("stakedNotional", "0")) for row in rows)
        shown = self.browser.run("return document.querySelector('[data-total] [data-value]').dataset.value")
        assert Decimal(shown) == worth, f"{shown} is not {worth}"
        return rows

    def orders_come_and_are_cancelled(self):
        order = self.call("/v1/order/new", symbol="btcusd", amount="0.5", price="20000.01", side="buy", type="exchange limit")
        row = f"[data-order='{order['order_id']}']"
        self.there("the order", row)
        assert self.row(row)[:1] == ["20000.01"], self.row(row)
        self.press(f"{row} button[value=cancel]")
        self.gone("the order", row)
        self.call("/v1/order/new", symbol="btcusd", amount="0.1", price="90000", side="buy", type="exchange limit",
                  options=["immediate-or-cancel"])
        self.region("trades", "live")
        self.looks_right("account")
        self.nothing_wrong()

    def an_amount_is_staked(self):
        self.open("/account/staking")
        self.region("redemptions", "empty")
        self.press(f"{ETHER} button[value=stake]")
        self.there("the form", "dialog form[name=stake]")
        self.write("dialog input[name=amount]", "10.5")
        self.looks_right("staking-form")
        self.press("dialog button[value=confirm]")
        self.gone("the dialog", "dialog")
        self.browser.wait_for("the stake", VALUES + ".includes('10.5')", ETHER)
        self.nothing_wrong()

    def a_stake_is_worth_something(self):
        self.open("/account")
        self.quiet()
        assert [row["staked"] for row in self.worth_is_shown() if "staked" in row] == ["10.5"]
        assert self.count("[data-currency=ETH] [data-value='10.5']") == 1, "the stake stands in its row"
        self.open("/account/staking")
        self.nothing_wrong()

    def interest_stands_by_day(self):
        self.region("rewards", "empty")
        self.control("/sandbox/staking/fund", currency="ETH", amount="1000")
        self.later(2 * DAY)
        self.open("/account/staking")
        self.region("rewards", "live")
        history = self.call("/v1/staking/history", interestOnly=True)[0]["transactions"]
        days = self.browser.run("return [...document.querySelectorAll('[data-reward] [data-value]')].map((one) => one.dataset.value)")
        assert len(days) == len(history) == 2, (days, history)
        self.looks_right("staking")
        self.nothing_wrong()

    def an_amount_is_redeemed(self):
        self.press(f"{ETHER} button[value=unstake]")
        self.write("dialog input[name=amount]", "4")
        self.press("dialog button[value=confirm]")
        self.gone("the dialog", "dialog")
        self.there("the redemption", "[data-redemption]")
        assert self.row("[data-redemption]")[0] == "4"
        self.nothing_wrong()

    def clearing_orders_wait(self):
        self.open("/account/clearing")
        self.region("inbox", "empty")
        self.other = User(self.base, OTHER)
        mine = self.call("/v1/roles")["counterparty_id"]
        terms = {"symbol": "btcusd", "side": "sell", "counterparty_id": mine}
        self.small = self.other.call("/v1/clearing/new", amount="0.25", price="30000", **terms)["clearing_id"]
        self.large = self.other.call("/v1/clearing/new", amount="900", price="30000.5", **terms)["clearing_id"]
        # Both come to the page that is open.
        self.region("inbox", "live")
        self.there("the second order", f"[data-region=inbox] [data-clearing='{self.large}']")
        wanted = Decimal("900") * Decimal("30000.5")
        held = Decimal(next(row["available"] for row in self.call("/v1/balances") if row["currency"] == "USD"))
        lack = self.browser.run("return document.querySelector(arguments[0]).dataset.lacks", f"[data-clearing='{self.large}'] [data-lacks]")
        assert Decimal(lack) == wanted - held, f"{lack} is not {wanted - held}"
        assert self.count(f"[data-clearing='{self.small}'] [data-lacks]") == 0, "this one is covered"
        self.looks_right("clearing")
        self.nothing_wrong()

    def a_clearing_order_is_confirmed(self):
        self.press(f"[data-clearing='{self.small}'] button[value=confirm]")
        self.there("the question", "dialog[open] button[value=confirm]")
        self.looks_right("clearing-confirm")
        self.press("dialog button[value=confirm]")
        self.gone("the question", "dialog")
        self.browser.wait_for("the settlement", "return document.querySelector(arguments[0])?.textContent.includes('Settled')",
                              f"[data-region=clearing] [data-clearing='{self.small}']")
        self.write("form[name=clearing] [name=amount]", "0.5")
        self.write("form[name=clearing] [name=price]", "29000")
        self.press("form[name=clearing] button.main")
        self.there("the new order", "[data-region=clearing] [data-clearing] button[value=cancel]")
        self.press("[data-region=clearing] [data-clearing] button[value=cancel]")
        self.gone("its button", "[data-region=clearing] [data-clearing] button[value=cancel]")
        self.nothing_wrong()

    def counterparties_have_names(self):
        theirs = self.other.call("/v1/roles")["counterparty_id"]
        self.write("form[name=alias] [name=counterparty_id]", theirs)
        self.write("form[name=alias] [name=alias]", "Two & <b>sons</b>")
        self.press("form[name=alias] button:not([type])")
        self.browser.wait_for("the name", "return document.querySelector(arguments[0])?.textContent === 'Two & <b>sons</b>'",
                              f"[data-alias='{theirs}']")
        self.nothing_wrong()

    def an_order_is_confirmed_by_its_id(self):
        order = self.other.call("/v1/clearing/new", symbol="btcusd", side="buy", amount="0.125", price="61000.5")["clearing_id"]
        self.write("form[name=clearing-id] [name=clearing_id]", order.lower())
        self.press("form[name=clearing-id] button")
        self.there("the terms", "dialog[open]")
        price, gets, gives, *_ = map(Decimal, self.row("dialog"))
        assert (gets, gives) == (price * Decimal("0.125"), Decimal("0.125")), (price, gets, gives)
        self.press("dialog button[value=confirm]")
        self.gone("the terms", "dialog")
        self.there("the order", f"[data-clearing='{order}']")
        self.nothing_wrong()

    def an_address_has_its_code(self):
        self.open("/account/money?currency=BTC")
        self.region("addresses", "empty")
        self.write("form[name=new-address] [name=label]", "first <i>one</i>")
        self.press("form[name=new-address] button")
        self.there("the address", "[data-address]")
        self.address = self.browser.run("return document.querySelector('[data-address]').dataset.address")
        self.browser.wait_for("its code", PICTURE, "[data-address] img.qr")
        self.looks_right("money")
        self.nothing_wrong()

    def a_browser_that_keeps_nothing_shows_money(self):
        """A browser whose storage throws at every use has the same page, and its list of addresses."""
        denied = "for (const name of ['sessionStorage', 'localStorage']) " \
            "Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError') } })"
        script = self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=denied)
        self.open("/account/money?currency=BTC")
        self.there("the address", "[data-address]")
        assert self.browser.run("try { return sessionStorage.length } catch { return 'denied' }") == "denied"
        # The choices of the page tell the console that they are not kept.
        self.browser.console()
        self.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])
        self.open("/account/money?currency=BTC")
        self.nothing_wrong()

    def a_double_click_makes_one_address(self):
        """The button shows that it is at work, until the list has what it made."""
        self.quiet()
        button = "document.querySelector('form[name=new-address] button')"
        x, y = self.browser.run(f"""{button}.scrollIntoView({{ block: 'center' }});
            const {{ left, top, width, height }} = {button}.getBoundingClientRect();
            return [Math.round(left + width / 2), Math.round(top + height / 2)]""")
        self.browser.run(f"""window.wasBusy = false;
            new MutationObserver(() => (window.wasBusy ||= {button}.disabled && {button}.getAttribute('aria-busy') === 'true'))
              .observe({button}, {{ attributes: true }})""")
        taps = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        pause = [{"type": "pause", "duration": 150}]
        steps = [{"type": "pointerMove", "x": x, "y": y}, *taps, *pause, *taps, *pause, *taps]
        self.browser.post("actions", actions=[{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}])
        self.browser.wait_for("the second address", "return document.querySelectorAll('[data-address]').length === 2")
        assert self.browser.run("return window.wasBusy"), "a button at work says so"
        time.sleep(2.5)
        assert len(self.call("/v1/addresses/bitcoin")) == 2, "a double click makes two addresses"
        self.nothing_wrong()

    def a_memo_stands_apart(self):
        self.write("#currency", "XRP")
        self.region("addresses", "empty")
        self.press("form[name=new-address] button")
        self.there("the memo", "[data-address] [data-memo]")
        assert self.text("[data-memo] code").isdigit(), "a memo is a number here"
        self.looks_right("money-memo")
        self.nothing_wrong()

    def confirmations_are_counted(self):
        """A payment comes to a page that is open."""
        self.open("/account/money")
        self.quiet()
        assert self.count("[data-transfer] [data-confirmations]") == 0, "nothing is under way"
        self.control("/sandbox/chains/bitcoin/send", address=self.address, currency="BTC", amount="0.25")
        self.control("/sandbox/chains/bitcoin/mine", blocks=2)
        self.browser.wait_for("two confirmations", "return document.querySelector('[data-confirmations]')?.textContent === '2 of 3'")
        self.control("/sandbox/chains/bitcoin/mine", blocks=1)
        self.there("the end of the deposit", "[data-transfer] [data-status=Complete]")
        self.nothing_wrong()

    def an_address_waits_for_its_hold(self):
        self.write("form[name=approve] [name=address]", COLD)
        self.write("form[name=approve] [name=label]", NAME)
        self.press("form[name=approve] button")
        self.browser.wait_for("the hold", "return document.querySelector('[data-hold]')?.textContent.includes('left')")
        assert NAME in self.text(f"[data-approved='{COLD}']"), "a name is shown as it was written"
        assert self.count("#withdraw-address option") == 1, "an address on hold cannot be chosen"
        self.looks_right("money-hold")
        self.nothing_wrong()
        # In a sandbox a button ends the hold; the keyboard reaches it.
        self.browser.run("document.querySelector('[name=end-hold]').focus()")
        self.browser.press("Enter")
        self.browser.wait_for("the end of the hold", "return document.querySelectorAll('#withdraw-address option').length === 2")
        assert "active" in self.text(f"[data-approved='{COLD}']") and self.count("[name=end-hold]") == 0
        self.nothing_wrong()
        self.later(7 * DAY + 1)

    def an_old_code_is_asked_for_again(self):
        """The way to another code leads back here, and what was typed is still there."""
        self.open("/account/money?currency=BTC")
        self.quiet()
        self.control("/sandbox/clock/advance", seconds=301, sessions=True)
        self.write("form[name=approve] [name=address]", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2")
        self.write("form[name=approve] [name=label]", "another")
        self.press("form[name=approve] button")
        self.there("the refusal", "form[name=approve] [role=alert] a[href='/signin?step=code&next=%2Faccount%2Fmoney']")
        words = self.text("form[name=approve] [role=alert] p")
        assert words == "Your last one-time code is more than five minutes old. Give a new one, then do this again.", words
        self.nothing_wrong(but="status of 403")
        self.sign_in(USER)
        self.open("/account/money?currency=BTC")
        self.there("the form", "form[name=approve]")
        assert self.browser.run("return document.querySelector('#approve-label').value") == "another"
        for field in ("address", "label"):
            self.write(f"#approve-{field}", "")

    def money_is_withdrawn(self):
        self.open("/account/money?currency=BTC")
        self.browser.wait_for("the address", "return document.querySelector('#withdraw-address')?.options.length === 2")
        self.write("#withdraw-address", COLD)
        self.write("#withdraw-amount", "0.125")
        self.there("the fee", "[data-fee]")
        estimate = self.call("/v2/withdraw/bitcoin/btc/feeEstimate", address=COLD, amount="0.125")
        shown = self.browser.run("return document.querySelector('[data-fee]').dataset.fee")
        assert Decimal(shown) == Decimal(str(estimate["fee"])), (shown, estimate)
        self.write("#withdraw-amount", "0.125,")
        self.there("what is wrong", "#withdraw-amount[aria-invalid=true]")
        assert "not a number" in self.text("#withdraw-amount-note") and self.count("[data-fee]") == 0
        self.write("#withdraw-amount", "0.125")
        self.there("the fee again", "[data-fee]")
        self.press("form[name=withdraw] button.main")
        self.there("the question", "dialog[open] button[value=confirm]")
        self.looks_right("money-withdraw")
        self.press("dialog button[value=confirm]")
        self.gone("the question", "dialog")
        self.browser.wait_for("it", "return document.querySelector('[data-region=transfers]').textContent.includes('Withdrawal')")
        self.nothing_wrong()

    def a_statement_adds_up(self):
        self.open("/account/statement")
        self.region("sums", "live")
        self.sums_are_right(self.call("/v1/statement", since_entry_id=0))
        self.write("#cause", "fee")
        self.there("the cause", "[data-entry]")
        assert self.browser.run("return location.search") == "?cause=fee", "the filter stands in the address"
        self.sums_are_right([])
        self.looks_right("statement")
        self.write("#currency", "USD")
        self.browser.wait_for("one currency", SUMS + ".length === 1")
        self.sums_are_right([])
        self.nothing_wrong()

    def sums_are_right(self, entries: list[dict]):
        """Opening, rows and other causes are the closing, to the last digit, and the closing is that of the exchange."""
        sums = self.browser.run(SUMS)
        assert sums, "there are sums"
        for one in sums:
            parts = Decimal(one["opening"]) + Decimal(one["rows"]) + Decimal(one["others"])
            assert parts == Decimal(one["closing"]), one
        last = {entry["currency"]: entry["balance"] for entry in entries}
        assert not last or last == {one["sum"]: one["closing"] for one in sums}, (last, sums)
        assert self.count("[data-exact=false]") == 0

    def the_file_has_the_whole_filter(self):
        path = self.browser.run("return document.querySelector('form[name=filter] a').href")
        text = self.browser.post("execute/async", script=FETCH, args=[path])
        lines = list(csv.DictReader(io.StringIO(text)))
        sums = {line["cause"]: line for line in lines if not line["entry_id"]}
        rows = [line for line in lines if line["entry_id"]]
        assert len(rows) == len(self.browser.run(ENTRIES)), (len(rows), text[:300])
        assert all(row["currency"] == "USD" and row["cause"] == "fee" for row in rows), rows[:2]
        assert sum(Decimal(row["amount"]) for row in [*rows, sums["opening"], sums["others"]]) == Decimal(sums["closing"]["balance"])
        self.nothing_wrong()

    def days_that_are_turned_are_named(self):
        self.open("/account/statement?from=2026-03-02&to=2026-03-01")
        self.there("what is wrong", "[data-turned]")
        assert self.count("form[name=filter] a") == 0, "there is no file of no time"
        self.nothing_wrong()

    def a_refusal_is_a_sentence(self):
        self.open("/account/clearing")
        self.quiet()
        self.write("form[name=clearing] [name=symbol]", "nosuch")
        self.write("form[name=clearing] [name=amount]", "1")
        self.write("form[name=clearing] [name=price]", "1")
        self.press("form[name=clearing] button.main")
        self.there("the refusal", "form[name=clearing] [role=alert]")
        words = self.text("form[name=clearing] [role=alert]").strip()
        assert "InvalidSymbol" not in words and words.endswith("."), words
        # Chromium notes the refusal by itself.
        self.nothing_wrong(but="status of 400")

    def another_account_is_chosen(self):
        self.open("/account")
        self.quiet()
        accounts = self.accounts()
        self.write("#account-name", str(accounts["savings"]))
        self.press("form[name=account] button")
        self.browser.wait_for("the other account", OTHER_ID, self.call("/v1/roles")["counterparty_id"])
        self.quiet()
        self.write("#account-name", str(accounts["primary"]))
        self.press("form[name=account] button")
        time.sleep(0.5)
        self.quiet()
        self.nothing_wrong()

    def accounts(self) -> dict[str, int]:
        """The numbers of the user's accounts."""
        data = json.loads(self.browser.run("return document.getElementById('data').textContent"))
        return {one["name"]: one["number"] for one in data["user"]["numbered"]}

    def dollars(self, number: int) -> Decimal:
        rows = self.browser.post("execute/async", args=[number], script="""const [account, done] = arguments;
            import('/site/call.js').then(({ call }) => call('/v1/balances', {}, { account })).then(done)""")
        return sum((Decimal(row["amount"]) for row in rows if row["currency"] == "USD"), Decimal(0))

    def money_moves_between_accounts(self):
        accounts = self.accounts()
        before = [self.dollars(accounts[name]) for name in ("primary", "savings")]
        self.press("[aria-controls=account-menu]")
        self.there("the accounts", "#account-menu [data-account]")
        self.press("[name=move-money]")
        self.there("the form", "dialog[open] form[name=move-money]")
        to = str(accounts["savings"])
        self.browser.wait_for("the accounts", "return document.querySelector('#moved-to')?.options.length > 0")
        self.write("#moved-to", to)
        self.browser.wait_for("the balance", "return document.querySelector('#moved-note').textContent.startsWith('Available')")
        self.write("#moved-currency", "USD")
        self.write("#moved-amount", "1,125")
        self.there("what is wrong", "#moved-amount[aria-invalid=true]")
        assert "1125 or 1.125" in self.text("#moved-note"), self.text("#moved-note")
        assert self.browser.run("return document.querySelector('dialog [value=confirm]').disabled")
        self.looks_right("move-money")
        self.write("#moved-amount", "1,125.50")
        self.browser.wait_for("its words", "return document.querySelector('dialog [value=confirm]').textContent === 'Move 1,125.50 USD'")
        self.press("dialog [value=confirm]")
        self.gone("the form", "dialog")
        after = [self.dollars(accounts[name]) for name in ("primary", "savings")]
        moved = Decimal("1125.50")
        assert after == [before[0] - moved, before[1] + moved], (before, after)
        self.nothing_wrong()

    def a_tab_goes_to_another_account(self):
        """By the menu, whose links name the account by its number; the pages of the tab stay with it."""
        self.open("/account")
        self.quiet()
        accounts = self.accounts()
        self.press("[aria-controls=account-menu]")
        self.press(f"#account-menu [data-account='{accounts['savings']}']")
        shown = """return document.readyState === 'complete' && new URLSearchParams(location.search).get('account') === arguments[0]
            && document.querySelector('.account-choice select')?.value === arguments[0]"""
        self.browser.wait_for("the other account", shown, str(accounts["savings"]))
        assert self.browser.run("return location.search") == f"?account={accounts['savings']}"
        self.quiet()
        self.press(".subnav a[href^='/account/statement']")
        self.at("/account/statement")
        self.region("sums", "live")
        link = self.browser.run("return document.querySelector('form[name=filter] a').href")
        assert f"account={accounts['savings']}" in link, link
        self.write("#currency", "USD")
        assert f"account={accounts['savings']}" in self.browser.run("return location.search"), "the filter keeps the account"
        self.open(f"/account?account={accounts['primary']}")
        self.browser.wait_for("the first account", shown, str(accounts["primary"]))
        self.open("/account?account=999999")
        self.there("what is wrong", ".other-account[role=alert]")
        self.open(f"/account?account={accounts['primary']}")
        self.browser.wait_for("the first account", shown, str(accounts["primary"]))
        self.quiet()
        self.write("#account-name", str(accounts["savings"]))
        self.press("form[name=account] button")
        self.browser.wait_for("the other account", shown, str(accounts["savings"]))
        self.quiet()
        self.write("#account-name", str(accounts["primary"]))
        self.press("form[name=account] button")
        self.browser.wait_for("the first account", shown, str(accounts["primary"]))
        self.open("/account")
        self.quiet()
        self.nothing_wrong()

    def a_margin_account_shows_its_debt(self):
        """What is borrowed is no worth: it stands beside the assets, with the net value and the price of a liquidation."""
        self.sign_in(USER)
        self.open("/account")
        self.quiet()
        account = self.accounts()["margin"]
        for path in ("/account", "/account/money"):
            self.open(path)
            self.quiet()
            assert self.count("[data-debt]") == 0, "an account that borrows nothing has no such figures"
        self.open(f"/account?account={account}")
        self.quiet()
        self.says("[data-debt=liquidation]", "nothing is borrowed")
        self.call("/v1/order/new", symbol="btcusd", amount="0.65", price="70000", side="buy", type="exchange limit", margin_order=True,
                  options=["immediate-or-cancel"])
        figures = self.call("/v1/margin/account")
        owed, risk = figures["totalBorrowed"]["value"], figures["liquidationRisk"]
        assert Decimal(owed) > 0, figures
        for path in ("/account", "/account/money"):
            self.open(f"{path}?account={account}")
            self.quiet()
            for name, value in (("borrowed", owed), ("net", figures["marginAssetValue"]["value"]),
                                ("liquidation", risk["liquidationPrice"]["value"])):
                shown = self.row(f"[data-debt={name}]")
                assert shown == [value], f"{path}: {name} is {shown}, not {value}"
            self.looks_right(f"margin{path.replace('/', '-')}")
        self.open(f"/account?account={account}")
        self.quiet()
        titles = self.browser.run("return [...document.querySelectorAll('[data-region=summary] dt')].map((one) => one.textContent)")
        assert "Assets in USD" in titles and "Value in USD" not in titles, titles
        self.nothing_wrong()

    def an_amount_without_a_price_is_not_worth_zero(self):
        """The interface says 0 where it knows no price; the page says so, and which currencies its sum leaves out."""
        self.sign_in(USER)
        made = self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=UNPRICED)
        self.open("/account")
        self.quiet()
        assert "no price" in self.text("[data-currency=DOT]") and "no price" not in self.text("[data-currency=USD]")
        assert "no price" not in self.text("[data-currency=ETH]"), "nothing is worth nothing"
        assert "without DOT, SOL" in self.text("[data-total]"), self.text("[data-total]")
        self.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", **made)
        self.nothing_wrong()

    def a_cut_is_shown(self):
        """Without its socket the page does not call its balances live."""
        self.browser.run("""const region = document.querySelector('[data-region=balances]');
            window.states = [];
            new MutationObserver(() => window.states.push(region.dataset.state)).observe(region, { attributeFilter: ['data-state'] });
            dispatchEvent(new Event('offline'))""")
        self.browser.wait_for("the cut to be shown", "return window.states.includes('reconnecting')")
        self.region("balances", "live")

    def an_auditor_is_not_refused(self):
        """The page asks for nothing that the role may not read."""
        self.sign_out()
        self.sign_in("auditor@one.test")
        for page, region in (("", "clearing"), ("/clearing", "inbox")):
            self.open(f"/account{page}")
            self.region(region, "empty")
            assert "Your role does not clear" in self.text(f"[data-region={region}]")
            self.quiet()
        self.nothing_wrong()

    def an_operator_has_no_account(self):
        self.sign_out()
        self.sign_in("operator@house.test")
        self.open("/account")
        self.there("the notice", "#app .notice")
        self.looks_right("account-operator")
        self.nothing_wrong()
        self.sign_out()


if __name__ == "__main__":
    run("account", sys.argv[1], Path(sys.argv[2]), Account)
