"""The sandbox's console in chromium, against a running sandbox: every control call as a form, the acts made by hand, and requests live.

Started by `cargo xtask browser` as `console.py BASE_URL FOLDER`, with the path of `credentials.json` in BUTTONWOOD_CREDENTIALS. The
sandbox's clock is manual, and its funds are simulated. Prints a line per check and leaves pictures of the pages in the folder.
"""

import json
import shlex
import sys
import time
from pathlib import Path

from bot import Bots
from visit import Visit, run
from webdriver import call

DAY = 86_400_000
CONFIRM = "dialog button[value=confirm]"
# Good values by path, in the order in which they are sent; `$now` and `$tid` are filled in. Other forms are sent as they are.
GOOD = {
    "/sandbox/clock/advance": {"seconds": "60"},
    "/sandbox/index/{currency}": {"currency": "BTC", "price": "65000.5"},
    "/sandbox/accounts/credit": {"group": "one", "account": "primary", "currency": "USD", "amount": "12345678901234567.89"},
    "/sandbox/accounts": {"group": "one", "name": "Console account", "kind": "exchange"},
    "/sandbox/groups": {"group": "one", "accounts_max": "9", "custody_terms": "true"},
    "/sandbox/groups/addresses": {"group": "four", "from": "127.0.0.0/8, ::1"},
    "/sandbox/keys": {"group": "one", "account": "primary", "roles": "Trader, Fund Manager", "name": "it's a bot"},
    "/sandbox/users": {"email": "ann@mail.test", "password": "vexing ochre carousel", "group": "one", "roles": "Trader"},
    "/sandbox/sessions": {"email": "ann@mail.test"},
    "/sandbox/symbols/{symbol}/status": {"symbol": "dogeusd", "status": "cancel_only"},
    "/sandbox/symbols/{symbol}/auctions": {"symbol": "ethusd", "auction_time_ms": "$later", "every_seconds": "0"},
    "/sandbox/halt": {"scope": "withdrawals", "reason": "a drill"},
    "/sandbox/resume": {"scope": "withdrawals"},
    "/sandbox/maintenance": {"on": "false"},
    "/sandbox/fees": {"group": "one", "account": "primary", "maker_bps": "10", "taker_bps": "25"},
    "/sandbox/fees/schedule": {"tiers": '[{"from":"0","maker_bps":20,"taker_bps":40}]'},
    "/sandbox/promotions": {"symbols": "", "maker_bps": "0"},
    "/sandbox/fx": {"pair": "EURUSD", "rate": "1.09"},
    "/sandbox/chains/{network}/mine": {"network": "bitcoin", "blocks": "2"},
    "/sandbox/chains/{network}/reorg": {"network": "bitcoin", "depth": "1", "drop": "true"},
    "/sandbox/chains/{network}/node": {"network": "bitcoin", "broadcast": "normal"},
    "/sandbox/banks/wire": {"group": "one", "account": "primary", "currency": "USD", "amount": "500"},
    "/sandbox/staking/fund": {"currency": "ETH", "amount": "1000"},
    "/sandbox/predictions/events": {"ticker": "MAYOR", "title": "Who's next?", "category": "politics", "expiry_ms": "$later",
                                    "contracts": '[{"ticker":"ANN","label":"Ann"},{"ticker":"BOB","label":"Bob"}]'},
    "/sandbox/trades/break": {"tid": "$tid", "kind": "manual"},
}
# Writes into the fields of a form, the way a person does.
FILL = """const [path, method, values] = arguments;
const form = [...document.forms].find((one) => one.dataset.call === path && one.dataset.method === method);
for (const [name, value] of Object.entries(values)) {
  const field = form.elements[name];
  const kind = { TEXTAREA: HTMLTextAreaElement, SELECT: HTMLSelectElement, INPUT: HTMLInputElement }[field.tagName];
  Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(field, value);
  for (const event of ['input', 'change']) field.dispatchEvent(new Event(event, { bubbles: true }));
}"""
SUBMIT = """const [path, method] = arguments;
const form = [...document.forms].find((one) => one.dataset.call === path && one.dataset.method === method);
form.querySelector('[data-reply]').dataset.status = '';
form.requestSubmit();
return form.querySelector('[data-curl]').textContent"""
REPLY = """const [path, method] = arguments;
const form = [...document.forms].find((one) => one.dataset.call === path && one.dataset.method === method);
const reply = form.querySelector('[data-reply]');
return reply.dataset.status && reply.textContent.trim() && [Number(reply.dataset.status), reply.textContent]"""
# Notes every control call that the page sends.
WATCH = """window.sentCalls = [];
const send = window.fetch;
window.fetch = (path, options = {}) => {
  if (options.method) window.sentCalls.push([options.method, String(path), options.body ?? null]);
  return send(path, options);
};"""
FORMS = "return [...document.forms].filter((form) => form.dataset.call).map((form) => [form.dataset.method, form.dataset.call])"
OPEN_ALL = "for (const part of document.querySelectorAll('main details')) part.open = true"
CLOCK = "return Number(document.querySelector('[data-clock]')?.dataset.clock)"


def words_of(line: str) -> tuple[str, str | None]:
    """The address and the body of a line of curl."""
    words = shlex.split(line)
    assert words[:2] == ["curl", "-sS"], line
    return words[2], words[words.index("-d") + 1] if "-d" in words else None


class Console(Visit):
    """The checks, in order."""

    def __init__(self, *parts):
        super().__init__(*parts)
        self.bots = Bots(self.base)

    def checks(self):
        return (self.every_call_has_a_form, self.every_form_can_be_sent, self.calls_are_filtered, self.time_is_moved, self.a_market_crashes,
                self.an_index_returns, self.blocks_are_mined_and_replaced, self.a_trade_is_broken, self.the_visit_is_recorded,
                self.a_refused_request_is_explained, self.requests_are_filtered, self.mail_has_links, self.one_signs_in_with_a_click,
                self.pages_look_right)

    def every_call_has_a_form(self):
        contract = call(f"{self.base}/openapi.json")
        wanted = {(method.upper(), path) for path, item in contract["paths"].items() if path.startswith("/sandbox/") for method in item}
        self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.open("/console/calls")
        self.there("the forms", "form[data-call]")
        shown = [tuple(pair) for pair in self.browser.run(FORMS)]
        assert len(shown) == len(set(shown)) and set(shown) == wanted, wanted ^ set(shown)
        self.nothing_wrong()

    def send(self, path: str, method: str, values: dict) -> tuple[int, str]:
        """Sends a form. The line of curl is the request that is sent."""
        self.browser.run("window.sentCalls.length = 0")
        self.browser.run(FILL, path, method, values)
        line = self.browser.run(SUBMIT, path, method)
        if self.browser.run("return document.querySelector('dialog[open]') !== null"):
            self.press(CONFIRM)
        status, text = self.browser.wait_for(f"the reply of {method} {path}", REPLY, path, method)
        address, body = words_of(line)
        sent = self.browser.run("return window.sentCalls")
        assert [method, address.removeprefix(self.base), body] in sent, f"{line} is not what was sent: {sent}"
        return status, text

    def every_form_can_be_sent(self):
        later = str(self.now_ms() // 60_000 * 60_000 + DAY)
        tid = str(call(f"{self.base}/v1/trades/btcusd")[0]["tid"])
        forms = [tuple(pair) for pair in self.browser.run(FORMS)]
        first = [("POST", path) for path in GOOD]
        for method, path in first + [form for form in forms if form not in first]:
            values = {name: text.replace("$later", later).replace("$tid", tid) for name, text in GOOD.get(path, {}).items()} if method == "POST" else {}
            status, text = self.send(path, method, values)
            if values or (method == "GET" and "{" not in path):
                assert status == 200, f"{method} {path}: {text}"
            else:
                assert status >= 200 and status < 500, f"{method} {path}: {text}"
        lines = [line for line in self.browser.console() if "Failed to load resource" not in line]
        assert lines == [], lines

    def calls_are_filtered(self):
        self.write("#filter", "reorg")
        shown = "return [...document.querySelectorAll('.call-panel')].filter((one) => one.checkVisibility()).length"
        self.browser.wait_for("one form", f"{shown} === 1")
        self.write("#filter", "")

    def time_is_moved(self):
        self.open("/console")
        self.browser.wait_for("the clock", CLOCK)
        before = self.now_ms()
        self.click("[data-region=time] button", "An hour")
        self.browser.wait_for("an hour later", f"{CLOCK} >= {before + 3_600_000}")
        due = call(f"{self.base}/sandbox/clock")["next_due"]
        self.click("[data-region=time] button", "To the next due")
        self.browser.wait_for("what was due", f"{CLOCK} >= {due['at_ms']}")
        # The time that this button sent is not sent again.
        self.write("[data-region=time] input[name=seconds]", "60")
        later = self.now_ms() + 60_000
        self.click("[data-region=time] button", "Move")
        self.browser.wait_for("another minute", f"{CLOCK} >= {later}")
        self.nothing_wrong()

    def click(self, selector: str, words: str):
        """Presses the button with these words, once it can be pressed."""
        self.browser.wait_for(f"the button {words}", """const all = [...document.querySelectorAll(arguments[0])];
            const found = all.find((one) => one.textContent.trim() === arguments[1] && !one.disabled);
            found?.click(); return Boolean(found)""", selector, words)

    def reply_in(self, path: str, region: str) -> list:
        return self.browser.wait_for(f"the reply of {path}", """const reply = document.querySelector(arguments[0]);
            return reply?.dataset.status && [Number(reply.dataset.status), reply.textContent]""",
            f'[data-region={region}] form[data-call="{path}"] [data-reply]')

    def a_market_crashes(self):
        words = self.browser.run("return document.querySelector('[data-region=market] .note').textContent.replace(/\\s+/g, ' ')")
        assert "ten seconds later. The clock is manual" in words, words
        before = float(call(f"{self.base}/v1/pubticker/btcusd")["last"])
        self.click("[data-region=market] button", "Crash by 30 %")
        status, text = self.reply_in("/sandbox/index/{currency}", "market")
        assert status == 200, text
        later = self.now_ms() + 60_000
        self.click("[data-region=time] button", "A minute")
        self.browser.wait_for("a minute later", f"{CLOCK} >= {later}")
        after = float(call(f"{self.base}/v1/pubticker/btcusd")["last"])
        assert 0.65 < after / before < 0.75, f"{before} to {after}"

    def an_index_returns(self):
        self.click("[data-region=market] button", "Return to the market")
        sent = self.browser.run("return window.sentCalls.at(-1)")
        assert sent == ["POST", "/sandbox/index/BTC", '{"pinned":false}'], sent
        self.browser.run("window.sentCalls.length = 0")
        self.click("[data-region=market] button", "Pin")
        self.there("what is missing", "[data-region=market] [data-missing=price]")
        assert self.browser.run("return window.sentCalls") == [], "no price pins nothing"
        price = "document.querySelector('[data-region=market] form[data-call=\"/sandbox/index/{currency}\"] [name=price]')"
        for typed, is_wrong in (("65,000", True), ("abc", True), ("65,000.5", False)):
            self.browser.run(f"""Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call({price}, arguments[0]);
                {price}.dispatchEvent(new Event('input', {{ bubbles: true }}))""", typed)
            self.browser.wait_for(typed, f"return ({price}.getAttribute('aria-invalid') === 'true') === arguments[0]", is_wrong)
            self.click("[data-region=market] button", "Pin")
            if is_wrong:
                told = "return document.querySelector('[data-missing=price]')?.textContent.includes('Nothing was sent')"
                self.browser.wait_for("the word", told)
        self.browser.wait_for("what is sent", "return window.sentCalls.length === 1")
        sent = self.browser.run("return window.sentCalls[0]")
        assert json.loads(sent[2])["price"] == "65000.5", sent
        self.click("[data-region=market] button", "Return to the market")
        self.browser.wait_for("the market's index", "return window.sentCalls.length === 2")

    def blocks_are_mined_and_replaced(self):
        """A reorganisation asks once, and does nothing until it is confirmed."""
        height = lambda: int(self.browser.run("return document.querySelector('[data-height]').dataset.height"))
        self.browser.wait_for("a height", "return document.querySelector('[data-height]') !== null")
        before = height()
        self.browser.run(OPEN_ALL)
        self.click("[data-region=money] form[data-call$='/mine'] button", "Mine")
        self.browser.wait_for("another block", f"return document.querySelector('[data-height]').dataset.height === '{before + 1}'")
        self.click("[data-region=money] form[data-call$='/reorg'] button", "Replace blocks")
        self.there("the question", "dialog[open]")
        assert height() == before + 1
        self.press(CONFIRM)
        self.browser.wait_for("the new chain", f"return document.querySelector('[data-height]').dataset.height === '{before + 2}'")
        self.nothing_wrong()

    def a_trade_is_broken(self):
        self.press("[data-region=market] form[data-call='/sandbox/trades/break'] td button")
        self.there("the question", "dialog[open]")
        self.press(CONFIRM)
        status, text = self.reply_in("/sandbox/trades/break", "market")
        assert status == 200, text

    def the_visit_is_recorded(self):
        script = self.text("[data-recorder]")
        assert "post '/sandbox/chains/bitcoin/mine' '{\"blocks\":1}'" in script, script
        assert script.count("post '/sandbox/trades/break'") >= 1, script

    def a_refused_request_is_explained(self):
        """From the console's list to the digit of the signature that is wrong."""
        status, reply = self.bots.call("trader", "/v1/order/new", symbol="btcusd", side="buy", type="exchange limit", price="1", amount="1",
                                       post_only=True)
        assert status == 200, reply
        flip = lambda signature: ("1" if signature[0] == "0" else "0") + signature[1:]
        assert self.bots.call("trader", "/v1/balances", spoil=flip)[0] == 400
        self.there("the refused call", "[data-region=refusals] [data-refused] a")
        self.press("[data-region=refusals] [data-refused] a")
        self.at("/console/requests")
        first = "[data-request]:first-child"
        self.there("its signatures", f"{first} [data-sent]")
        marked = self.browser.run("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent.length)", f"{first} [data-sent] mark")
        assert marked == [1], f"one digit differs: {marked}"
        assert len(self.text(f"{first} [data-expected]")) == 96
        summary = self.text(f"{first} summary")
        assert "trader" in summary and "The signature does not fit what was signed. InvalidSignature" in summary, summary
        # A call that comes now is shown without a reload, its unknown fields by name.
        self.open("/console/requests")
        unknown = "return document.querySelector('[data-request] [data-unknown]')?.textContent === 'post_only'"
        self.browser.wait_for("the unknown field", unknown)
        before = self.count("[data-request]")
        assert self.bots.call("counterparty", "/v1/balances")[0] == 200
        self.browser.wait_for("one more call", f"return document.querySelectorAll('[data-request]').length === {before + 1}")
        self.nothing_wrong()

    def requests_are_filtered(self):
        names = """return [...new Set([...document.querySelectorAll('[data-request] .request-key')].map((one) => one.textContent))].join()"""
        self.write("#by-key", "counterparty")
        self.browser.wait_for("calls of one key", f"{names.replace('return ', 'return (')}) === 'counterparty'")
        self.write("#by-key", "")
        self.write("#by-state", "refused")
        tags = "[...document.querySelectorAll('[data-request] summary .tag')]"
        self.browser.wait_for("refused calls", f"return {tags}.length && {tags}.every((one) => one.textContent >= '400')")
        # The exchange's list of refused calls is drawn too, not only the other one filtered.
        time.sleep(1.5)
        # The list of refused calls numbers them anew: none of them is shown in place of another call of the next list.
        self.write("#by-state", "")
        self.write("#by-route", "/v1/order/new")
        routes = "[...document.querySelectorAll('[data-request] .request-route')].map((one) => one.textContent)"
        self.browser.wait_for("calls of one route", f"return {routes}.length && {routes}.every((one) => one === 'POST /v1/order/new')")
        self.write("#by-route", "")

    def mail_has_links(self):
        call(f"{self.base}/site/password/forgot", {"email": "ann@mail.test"})
        self.open("/console")
        self.there("the mail", "[data-region=mail] [data-mail-link]")
        self.press("[data-region=mail] [data-mail-link]")
        self.browser.wait_for("the page of its link", "return location.pathname === '/password' && document.readyState === 'complete'")
        # Chromium's hint at a form that sets a password by a link, which does not know its user's address.
        self.nothing_wrong(but="DEBUG: ")

    def one_signs_in_with_a_click(self):
        self.open("/console")
        self.press("[data-user='trader@one.test'] button")
        self.at("/account")
        data = json.loads(self.text("#data"))
        assert data["user"]["email"] == "trader@one.test" and data["step"] == "done", data

    def pages_look_right(self):
        for name, path, there in (("console", "/console", "[data-region=people] td"), ("calls", "/console/calls", "form[data-call]"),
                                  ("requests", "/console/requests", "[data-request]")):
            self.open(path)
            self.there(name, there)
            self.looks_right(name)
        # What opens fits too.
        self.open("/console")
        self.there("the forms", "[data-region=people] td")
        self.browser.run(OPEN_ALL)
        self.looks_right("console-open")
        self.open("/console/requests")
        self.there("calls", "[data-request]")
        self.browser.run(OPEN_ALL)
        self.looks_right("requests-open")
        self.nothing_wrong()


if __name__ == "__main__":
    run("console", sys.argv[1], Path(sys.argv[2]), Console)
