"""The page of operators in chromium, against a running sandbox: health, halts, statuses, reviews, the audit, and who sees none of it.

Started by `cargo xtask browser` as `operators.py BASE_URL FOLDER`. The sandbox's clock is manual. Prints a line per check and leaves
pictures of the page in the folder.
"""

import sys
import urllib.error
import urllib.request
from pathlib import Path

from visit import Visit, run
from webdriver import call

OPERATOR, TRADER = "operator@house.test", "trader@one.test"
REGIONS = ("health", "hour", "halts", "symbols", "approvals", "apps", "reserves", "transfers", "audit")
CONFIRM = "dialog button[value=confirm]"
DISABLED = f"return document.querySelector('{CONFIRM}').disabled"
SHOWN = "return ['live', 'empty'].includes(document.querySelector(`[data-region=${arguments[0]}]`)?.dataset.state)"
DOES = "return document.querySelector('[data-does]').textContent.includes(arguments[0])"
FIRST_ACT = """const row = document.querySelector('[data-region=audit] [data-act]');
return row && [...row.querySelectorAll('td')].map((cell) => cell.textContent)"""


class Operator(Visit):
    """The checks of the page."""

    def checks(self):
        return (self.others_find_no_page, self.health_is_shown, self.trading_is_halted_and_resumed, self.a_symbol_gets_a_status,
                self.an_asset_is_halted, self.the_audit_is_filtered, self.an_app_is_reviewed, self.an_old_code_is_asked_for_again)

    def status_of(self, path: str) -> int:
        try:
            return urllib.request.urlopen(self.base + path).status
        except urllib.error.HTTPError as error:
            return error.code

    def others_find_no_page(self):
        assert self.status_of("/operator") == 404, "nobody has signed in"
        self.sign_in(TRADER)
        self.open("/operator")
        self.says("h1", "No such page")
        self.nothing_wrong(but="404")
        self.sign_out()

    def health_is_shown(self):
        self.sign_in(OPERATOR)
        self.open("/operator")
        for name in REGIONS:
            self.browser.wait_for(name, SHOWN, name)
        self.says("[data-ready]", "Takes orders")
        assert int(self.text("[data-fact=seq]").replace(",", "")) > 0, "the journal's number"
        assert self.count("[data-reserve=BTC][data-short=false]") == 1, "bitcoin is covered"
        assert self.count("[data-symbol=BTCUSD][data-status=open]") == 1
        self.looks_right("operator")
        self.nothing_wrong()

    def confirm(self, reason: str):
        """Gives a reason in the open dialog, without which nothing is done, and confirms."""
        self.there("the dialog", "dialog[open]")
        assert self.browser.run(DISABLED), "an act without a reason"
        assert self.count("[data-does] li") > 0, "the dialog says what the act will do"
        self.write("#reason", reason)
        self.press(CONFIRM)
        self.gone("the dialog", "dialog")

    def is_first(self, *words: str):
        """The newest act of the audit is the operator's, with these words."""
        row = "const row = (() => {" + FIRST_ACT + "})(); return row && arguments[0].every((word) => row.join(' ').includes(word)) && row"
        self.browser.wait_for(f"{words} in the audit", row, [OPERATOR, *words])

    def trading_is_halted_and_resumed(self):
        self.press("[data-halt=trading] button[value=halt]")
        self.there("the dialog", "dialog[open]")
        self.looks_right("operator-halt")
        self.browser.press("Escape")
        self.gone("the dialog", "dialog")
        assert self.count("[data-halted]") == 0, "Escape changes nothing"
        self.press("[data-halt=trading] button[value=halt]")
        self.confirm("prices <i>look</i> wrong")
        self.there("the halt", "[data-halted]")
        assert self.status_of("/health/ready") == 503
        self.is_first("halt", "prices <i>look</i> wrong")
        self.browser.wait_for("no orders", "return document.querySelector('[data-ready]').textContent === 'Takes no orders'")
        self.looks_right("operator-halted")
        self.press("[data-halt=trading] button[value=resume]")
        self.confirm("the feed was mended")
        self.gone("the halt", "[data-halted]")
        assert self.status_of("/health/ready") == 200
        self.is_first("resume", "the feed was mended")
        self.nothing_wrong()

    def a_symbol_gets_a_status(self):
        self.write("input[name=symbols]", "ethusd")
        self.press("[data-symbol=ETHUSD] button")
        self.there("the dialog", "dialog[open]")
        self.write("#status", "closed")
        self.browser.wait_for("what it will do", DOES, "live orders are cancelled")
        self.write("#status", "post_only")
        self.looks_right("operator-status")
        self.confirm("a calm opening")
        self.there("the status", "[data-symbol=ETHUSD][data-status=post_only]")
        assert call(f"{self.base}/v1/symbols/details/ethusd")["status"] == "post_only"
        self.is_first("symbol status", "post_only", "a calm opening")
        self.press("[data-region=symbols] [aria-pressed]")
        self.browser.wait_for("the limited ones", "return document.querySelectorAll('[data-symbol]').length === 1")
        self.press("[data-symbol=ETHUSD] button")
        self.there("the dialog", "dialog[open]")
        self.write("#status", "open")
        self.confirm("it is calm")
        self.region("symbols", "empty")
        self.press("[data-region=symbols] .empty button")
        self.there("all symbols", "[data-symbol=BTCUSD]")
        self.nothing_wrong()

    def an_asset_is_halted(self):
        self.press("[data-region=halts] .panel-head button")
        self.there("the dialog", "dialog[open]")
        self.write("#currency", "nope")
        self.write("#reason", "a try")
        self.press(CONFIRM)
        self.there("the refusal", "dialog .notice.bad")
        # Chromium notes the refusal, 400, by itself.
        self.nothing_wrong(but="status of 400")
        self.write("#currency", "ltc")
        self.press(CONFIRM)
        self.there("the halted asset", "[data-halt=LTC]")
        self.press("[data-halt=LTC] button[value=resume]")
        self.confirm("the chain is well")
        self.gone("the halted asset", "[data-halt=LTC]")
        self.nothing_wrong()

    def the_audit_is_filtered(self):
        self.write("input[name=audit]", "calm opening")
        self.browser.wait_for("one act", "return document.querySelectorAll('[data-act]').length === 1")
        self.write("input[name=audit]", "no act has these words")
        self.region("audit", "empty")
        self.press("[data-region=audit] .empty button")
        self.browser.wait_for("all acts", "return document.querySelectorAll('[data-act]').length > 3")

    def an_app_is_reviewed(self):
        """One that a user has registered a moment ago."""
        self.sign_out()
        self.sign_in(TRADER)
        self.open("/predictions")
        fields = {"name": "Lens <b>", "description": "Shows what you have", "background": "", "logo": "", "public": True,
                  "scopes": ["balances:read"], "redirect_uris": ["https://lens.example/cb"]}
        done, reply = self.browser.post("execute/async", args=[fields], script="""const [fields, done] = arguments;
            import('/site/call.js').then(({ post }) => post('/site/apps', fields)).then((reply) => done([true, reply]),
                (failure) => done([false, failure.message]))""")
        assert done, reply
        self.sign_out()
        self.sign_in(OPERATOR)
        self.open("/operator")
        app = f"[data-app='{reply['client_id']}']"
        self.there("the app", app)
        assert "Lens <b>" in self.text(app), "its name is shown as it was written"
        self.press(f"{app} button")
        self.confirm("looked at it")
        self.gone("the app", app)
        self.is_first("app review", "looked at it")
        self.nothing_wrong()

    def an_old_code_is_asked_for_again(self):
        self.control("/sandbox/clock/advance", seconds=301, sessions=True)
        self.press("[data-halt=withdrawals] button[value=halt]")
        self.there("the dialog", "dialog[open]")
        self.write("#reason", "a try")
        self.press(CONFIRM)
        self.there("the way to a code", "dialog a[href='/signin?step=code&next=%2Foperator']")
        assert self.count("[data-halt=withdrawals] button[value=resume]") == 0, "nothing was done"
        # Chromium notes the refusal by itself.
        self.nothing_wrong(but="status of 40")
        self.press("dialog a[href^='/signin']")
        self.at("/signin")
        self.sign_out()


if __name__ == "__main__":
    run("operators", sys.argv[1], Path(sys.argv[2]), Operator)
