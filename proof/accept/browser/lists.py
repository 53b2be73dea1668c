"""What every page does with figures, lists and refusals, in chromium against a running sandbox: a price keeps its market's decimals, a list
says how much of it is shown and leads to the rest, and no text for programs stands before people.

Started as `lists.py BASE_URL FOLDER [CHECK…]`; the sandbox is fresh, its clock is manual, and BUTTONWOOD_CREDENTIALS names its
`credentials.json`. Prints a line per check and leaves pictures of the pages in the folder.
"""

import json
import sys
import urllib.request
from decimal import Decimal
from pathlib import Path

import axe
from bot import Bots
from visit import Visit, run
from webdriver import call

TRADER, OWNER, OPERATOR = "trader@one.test", "owner@two.test", "operator@house.test"
CONTRACT = "SVC-LISTVOTE"
# More live orders of contracts than the exchange names at once.
MANY = 120
PUBLIC = ("/", "/predictions", "/trade/btcusd", "/signin", "/signup", "/password")
OWN = ("/account", "/account/money", "/account/clearing", "/account/staking", "/account/statement", "/settings/security",
       "/settings/keys", "/settings/apps", "/settings/sessions", "/trade/btcusd", "/trade/btcgusdperp", f"/trade/{CONTRACT}", "/predictions", "/")
CONSOLE = ("/console", "/console/requests")
QUIET = """return document.readyState === 'complete' && document.querySelector('#settings') &&
![...document.querySelectorAll('[data-region]')].some((one) => one.dataset.state === 'loading')"""
# Lists without marks, with other rows than they say, and cut ones that do not say so or lead nowhere.
LISTS = """
const [root = 'main'] = arguments;
const skip = 'nav, dialog, .canvas, [role=listbox], #contract, [data-live], .reasons, .reading, #account-menu';
const lists = [...document.querySelectorAll(`:is(${root}) :is(table, ul, ol)`)].filter((one) => one.checkVisibility() && !one.closest(skip));
const rowsOf = (list) => {
  if (!list.matches('table')) return list.children.length;
  const bodies = [...list.tBodies];
  return list.querySelector('tbody[data-event]') ? bodies.length : bodies.flatMap((body) => [...body.rows]).length;
};
const restOf = (marked) => marked.closest('.panel, details, section, main, .drop').querySelector('[data-rest]');
return lists.flatMap((list) => {
  const marked = list.closest('[data-list]');
  if (!marked) return [`no marks: ${list.outerHTML.substring(0, 160)}`];
  const { list: name, shown, total } = marked.dataset;
  const wrong = 'windowed' in marked.dataset || rowsOf(list) === Number(shown) ? [] : [`${name}: ${rowsOf(list)} rows, not ${shown}`];
  if (shown === total) return wrong;
  const rest = restOf(marked);
  const says = rest?.checkVisibility() && /shown|drawn/.test(rest.textContent) && rest.querySelector('a, button');
  return says ? wrong : [...wrong, `${name}: ${shown} of ${total} in silence`];
})"""
# Figures that lose digits, dollars without two decimals, thousands that run together, and figures that show all digits nowhere.
FIGURES = """
const plain = (text) => text.replace(/[\\s\\u2007\\u2008]/g, '').replace(/[+]/, '').replaceAll(',', '');
const textOf = (one) => [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join('');
const places = (text) => (text.split('.')[1] ?? '').length;
// The decimals of this page's market; other pages show those of several.
const { page = {} } = JSON.parse(document.getElementById('data').textContent);
const least = page.price_decimals ?? 1;
const figures = [...document.querySelectorAll('[data-figure]')].filter((one) => one.checkVisibility());
return figures.flatMap((one) => {
  const [kind, value, seen] = [one.dataset.figure, one.dataset.value, textOf(one).trim()];
  const wrong = [];
  if (/\\d{4}/.test(seen.split('.')[0])) wrong.push('thousands run together');
  if (kind === 'dollars' && !/^[+-]?[\\d,]+\\.\\d\\d$/.test(seen)) wrong.push('no two decimals');
  if (kind === 'price' && (!plain(seen).startsWith(value) || places(seen) < least)) wrong.push('a price is cut');
  if (kind === 'average' && !seen.includes('¢') && places(seen) < least) wrong.push('an average is cut');
  if (!one.title.startsWith(value)) wrong.push('the title lacks digits');
  if (Number(plain(seen)) !== Number(value) && one.tabIndex !== 0) wrong.push('no focus shows all digits');
  return wrong.map((why) => `${why}: ${seen} for ${kind} ${value}`);
})"""
CELLS = """return [...document.querySelectorAll('td.number, dd')].filter((one) => one.checkVisibility() && !one.querySelector('code'))
.map((one) => one.textContent.trim()).filter((text) => /^[+-]?\\d{4,}(\\.\\d+)?( [A-Z]+)?$/.test(text))"""
# Amounts within sentences and on buttons whose thousands run together, and dollars without two decimals.
TEXTS = """
const words = document.body.innerText.replace(/[\\u2007\\u2008]/g, '');
return [...words.matchAll(/([+−-]?[\\d,]*\\d(?:\\.\\d+)?) (USD|GUSD|BTC|ETH)\\b/g)].flatMap(([all, number, currency]) => {
  if (/\\d{4}/.test(number.split('.')[0])) return [`thousands run together: ${all}`];
  return currency.endsWith('USD') && !/\\.\\d\\d/.test(number) ? [`no two decimals: ${all}`] : [];
})"""
# A statement of 12,000 changes, whose ids have gaps that grow.
LONG_STATEMENT = """const real = window.fetch;
const MANY = 12000;
const changes = Array.from({ length: MANY }, (_, at) => ({ entry_id: at + 1 + (at > 6000 ? 3 * (at - 6000) : 0), currency: 'USD',
  timestampms: 1700000000000 + at, cause: at === MANY - 1 ? 'fee' : 'deposit', amount: '1', balance: String(at + 1) }));
window.fetch = async (url, options = {}) => {
  const { request, since_entry_id: since, timestamp } = String(url).endsWith('/site/call') ? JSON.parse(options.body) : {};
  if (request !== '/v1/statement') return real(url, options);
  if (since === undefined && timestamp === undefined) return Response.json(changes.slice(-500).reverse());
  const isIn = (one) => (since === undefined ? one.timestampms >= Number(timestamp) : one.entry_id > since);
  return Response.json(changes.filter(isIn).slice(0, 500));
}"""
# Five hundred payments of interest, as many as a call names at once.
LONG_INTEREST = """const real = window.fetch;
window.fetch = async (url, options = {}) => {
  const { request } = String(url).endsWith('/site/call') ? JSON.parse(options.body) : {};
  if (request !== '/v1/staking/history') return real(url, options);
  const transactions = Array.from({ length: 500 }, (_, at) => ({ amountCurrency: at % 2 ? 'ETH' : 'SOL', amount: 1,
    dateTime: new Date(1767225600000 - 86400000 * Math.floor(at / 2)).toISOString() }));
  return Response.json([{ providerId: 'one', transactions }]);
}"""
# Reasons before a colon and paths in what people read.
PROGRAM = """
const isCode = (node) => node.parentElement.closest('code, pre, kbd, script, style, noscript, textarea, .code, .beside');
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const wrong = [];
while (walker.nextNode()) {
  const node = walker.currentNode;
  if (isCode(node) || !node.parentElement.checkVisibility()) continue;
  if (/\\b[A-Z][a-z]+(?:[A-Z][a-z]+)+:/.test(node.data) || /(^|[\\s(])\\/(v1|v2|site|auth|sandbox)\\b/.test(node.data)) wrong.push(node.data.trim());
}
return wrong"""
# The menu of the account has every account that the tab may go on with.
MENU = """const { user } = JSON.parse(document.getElementById('data').textContent);
const [shown, all] = [document.querySelectorAll('#account-menu [data-account]').length, user.numbered.length];
return all < 2 || shown === all ? [] : [`${shown} of ${all} accounts`]"""
# Rows that the tape shows of the trades that it has, and what it says of the others.
TAPE = """const shown = [...document.querySelectorAll('.tape tbody tr:not([hidden])')].length;
const rest = document.querySelector('.tape [data-rest]');
if (shown === 0) return ['no trades'];
if (!rest) return shown < Number(arguments[0]) ? ['a part in silence'] : [];
const says = rest.checkVisibility() && rest.textContent.includes(`The newest ${shown} trades are shown.`) && rest.querySelector('a');
return says ? [] : [`${shown} rows: ${rest.textContent}`]"""
# Five hundred events, as many as a call names at once.
EVENTS = """window.whole ??= window.fetch;
const event = { title: 'Event', contracts: [] };
window.fetch = (url, options) => (String(url).includes('/v1/prediction-markets/events?')
  ? Promise.resolve(Response.json({ data: Array(arguments[0]).fill(event) })) : window.whole(url, options))"""
SIZES = """return [...document.querySelectorAll('input:not([type=checkbox], [type=radio], [type=range]), select, textarea')]
.filter((one) => one.checkVisibility()).filter((one) => parseFloat(getComputedStyle(one).fontSize) < 16).map((one) => one.outerHTML)"""
FAILING = """const [paths, status] = arguments;
window.whole ??= window.fetch;
window.fetch = (url, options) => (paths.some((path) => String(url).includes(path))
  ? Promise.resolve(Response.json({ reason: 'System', message: 'An error in /v1/trades' }, { status })) : window.whole(url, options))"""
TWICE = """const seen = [...document.querySelectorAll('.failure p, .notice p, p.notice, p.failure')].filter((one) => one.checkVisibility())
.map((one) => one.textContent.trim()).filter((text) => text);
return seen.filter((text, at) => seen.indexOf(text) !== at)"""
TEXT = "return document.querySelector(arguments[0])?.textContent.replace(/\\s+/g, ' ').trim() ?? ''"
ROWS = "return document.querySelectorAll(arguments[0]).length"


class Lists(Visit):
    """The checks, in order."""

    def __init__(self, *parts):
        super().__init__(*parts)
        self.bots = Bots(self.base)

    def checks(self):
        every = (self.a_trader_has_orders_and_trades, self.prices_keep_their_decimals, self.forms_and_notices_write_figures, self.a_figure_shows_its_digits_on_focus,
                 self.every_order_of_contracts_is_listed, self.lists_say_what_they_show, self.a_statement_says_that_it_is_cut, self.interest_says_that_it_is_cut,
                 self.fills_that_come_are_not_cut_in_silence, self.the_tape_and_the_palette_say_what_they_show, self.no_page_shows_texts_for_programs,
                 self.a_refusal_is_a_sentence, self.faults_are_told, self.a_stop_waits, self.a_preview_knows_the_other_outcome,
                 self.a_ticket_leads_to_the_right_account, self.docs_show_streams, self.fields_are_large_on_a_phone,
                 self.operators_and_the_console_say_what_they_show)
        wanted = sys.argv[3:]
        return [check for check in every if not wanted or check.__name__ in wanted]

    def words(self, selector: str) -> str:
        return self.browser.run(TEXT, selector)

    def quiet(self, path: str):
        self.open(path)
        self.browser.wait_for(f"{path} in full", QUIET)

    def best(self, side: str) -> Decimal:
        with urllib.request.urlopen(f"{self.base}/v1/book/btcusd?limit_bids=1&limit_asks=1", timeout=30) as reply:
            return Decimal(json.load(reply)[side][0]["price"])

    def nothing(self, script: str, where: str, *args):
        """A walk over the page finds nothing wrong."""
        wrong = self.browser.run(script, *args)
        assert wrong == [], f"{where}: {wrong[:8]}"

    def tab(self, name: str):
        self.press(f"#table-{name}")

    def a_trader_has_orders_and_trades(self):
        """Two users: one of spot, one of contracts with more live orders than a call names."""
        expiry = self.now_ms() + 3 * 86_400_000
        self.control("/sandbox/predictions/events", ticker="LISTVOTE", title="Who wins the long list?", category="lists", source="the list",
                     expiry_ms=expiry, dispute_seconds=600, contracts=[{"ticker": "LISTVOTE", "label": "Yes or no"}])
        self.sign_in(TRADER)
        self.open("/account")
        self.call("/v1/order/new", symbol="btcusd", amount="0.5", price="20000", side="buy", type="exchange limit")
        taken = str((self.best("asks") * Decimal("1.01")).quantize(Decimal(1)))
        self.call("/v1/order/new", symbol="btcusd", amount="0.1", price=taken, side="buy", type="exchange limit",
                  options=["immediate-or-cancel"])

    def prices_keep_their_decimals(self):
        self.quiet("/trade/btcusd")
        self.there("the order", "[data-order]")
        assert self.words("[data-order] [data-value]") == "20,000.00", "an order of the trading page"
        self.write("#ticket-price", "21000")
        self.write("#ticket-amount", "0.01")
        self.browser.wait_for("the button", "return document.querySelector('form[name=order] [type=submit]').textContent.includes('21,000.00')")
        self.browser.wait_for("the preview", "return document.querySelector('[data-preview=rests]')?.dataset.value === '0.01'")
        self.tab("fills")
        self.there("the fill", "[data-fill]")
        fill = self.words("[data-fill] .number")
        assert fill.count(".") == 1 and len(fill.split(".")[1]) == 2, fill
        for name in ("Last", "High", "Low"):
            shown = self.browser.run("""return [...document.querySelectorAll('.figures dt')].find((one) => one.textContent === arguments[0])
                ?.nextElementSibling.textContent""", name)
            assert shown == "–" or len(shown.split(".")[1]) == 2, f"{name} {shown}"
        for path in OWN + PUBLIC:
            self.quiet(path)
            self.nothing(FIGURES, path)
            self.nothing(CELLS, path)
            self.nothing(TEXTS, path)
        self.quiet("/account")
        cell = "[data-region=orders] tbody tr [data-figure=price]"
        self.there("the order", cell)
        assert self.words(cell).startswith("20,000.00"), self.words(cell)
        self.picture("lists-account")

    def forms_and_notices_write_figures(self):
        """The words of a notice, of a dialog and of the button that sends it."""
        words = "return document.querySelector('dialog [value=confirm]')?.textContent === arguments[0]"
        self.quiet("/account")
        self.press("[aria-controls=account-menu]")
        self.press("[name=move-money]")
        self.browser.wait_for("the balance", "return document.querySelector('#moved-note')?.textContent.startsWith('Available')")
        self.write("#moved-currency", "USD")
        self.write("#moved-amount", "1125.5")
        self.browser.wait_for("the words of a move", words, "Move 1,125.50 USD")
        self.nothing(TEXTS, "a move")
        self.quiet("/account/staking")
        self.press("[data-stake$=' ETH'] [value=stake]")
        self.there("the form", "form[name=stake]")
        self.write("form[name=stake] [name=amount]", "1234.5")
        self.browser.wait_for("the words of a stake", words, "Stake 1,234.5 ETH")
        self.nothing(TEXTS, "a stake")
        self.quiet("/account")
        self.control("/sandbox/accounts/credit", group="one", account="primary", currency="USD", amount="1234.5")
        news = "return [...document.querySelectorAll('[data-notice], [data-news]')].some((one) => one.textContent.includes('+1,234.50 USD'))"
        self.press("[aria-controls=notices]")
        self.browser.wait_for("the notice of a credit", news)
        self.nothing(TEXTS, "notices")

    def a_figure_shows_its_digits_on_focus(self):
        """By Tab, as by a touch: a figure that shows fewer digits has the others beside it while it has the focus."""
        self.quiet("/account")
        figure = "[data-figure=dollars][tabindex='0']"
        self.there("a short figure", figure)
        shown = self.browser.run(f"""const one = document.querySelector("{figure}");
            one.focus();
            return [getComputedStyle(one, '::after').content, one.dataset.value, document.activeElement === one]""")
        assert shown[1] in shown[0] and shown[2], shown

    def every_order_of_contracts_is_listed(self):
        self.sign_out()
        self.sign_in(OWNER)
        self.quiet("/predictions")
        self.call("/v1/prediction-markets/terms/accept")
        self.browser.post("execute/async", args=[CONTRACT, MANY], script="""const [symbol, many, done] = arguments;
            import('/site/call.js').then(async ({ call }) => {
              for (let at = 0; at < many; at += 1) {
                await call('/v1/prediction-markets/order', { symbol, orderType: 'limit', side: 'buy', outcome: 'yes', quantity: '1',
                  price: `0.0${1 + at % 5}` });
              }
            }).then(() => done(''), (failure) => done(failure.message))""")
        self.quiet(f"/trade/{CONTRACT}")
        shown = "return document.querySelector('[data-list=\"Live orders\"]')?.dataset.shown === arguments[0]"
        self.browser.wait_for("all orders", shown, str(MANY))
        lines = self.words("[data-rest].lines")
        assert lines.startswith(f"40 of your {MANY} orders are drawn"), lines
        self.quiet("/account")
        self.there("the rest", "[data-region=orders] [data-rest]")
        assert f"50 of {MANY} orders are shown" in self.words("[data-region=orders] [data-rest]")
        for _ in range(2):
            self.press("[data-region=orders] [data-rest] button")
        self.browser.wait_for("every order", ROWS + " === arguments[1]", "[data-region=orders] tbody tr", MANY)
        assert self.count("[data-region=orders] [data-rest]") == 0, "all are shown"

    def walk(self, paths):
        for path in paths:
            self.quiet(path)
            self.browser.run("for (const entry of document.querySelectorAll('main details')) entry.open = true")
            self.nothing(LISTS, path)
            for tab in ("fills", "positions", "balances") if path.startswith("/trade/") else ():
                self.tab(tab)
                self.nothing(LISTS, f"{path}, {tab}")

    def drops(self, path: str):
        """The lists inside what opens from the header."""
        self.quiet(path)
        for name in ("notices", "settings", "account-menu"):
            if not self.count(f"[aria-controls={name}]"):
                continue
            self.press(f"[aria-controls={name}]")
            self.there(name, f"#{name}")
            self.nothing(LISTS, f"{path}, {name}", f"#{name}")
            if name == "account-menu":
                self.nothing(MENU, f"{path}, {name}")
            self.press(f"[aria-controls={name}]")

    def fills_that_come_are_not_cut_in_silence(self):
        """The page keeps the newest 500 of them."""
        self.sign_in(TRADER)
        self.quiet("/trade/btcusd")
        self.tab("fills")
        price = str(self.best("bids") + Decimal("0.01"))
        own = self.call("/v1/order/new", symbol="btcusd", amount="0.6", price=price, side="buy", type="exchange limit")
        for _ in range(510):
            status, reply = self.bots.call("counterparty", "/v1/order/new", symbol="btcusd", side="sell", type="exchange limit", amount="0.001",
                                           price=price, options=["immediate-or-cancel"])
            assert status == 200, reply
        self.browser.wait_for("the newest fills", "return document.querySelector('[data-list=Fills]')?.dataset.shown === '500'")
        self.nothing(LISTS, "500 fills and more", ".fills")
        assert "The newest 500 fills are shown." in self.words(".fills [data-rest]"), self.words(".fills [data-rest]")
        assert self.count(".fills [data-rest] a[href^='/account/statement']") == 1, "the rest is in the statement"
        self.call("/v1/order/cancel", order_id=own["order_id"])

    def the_tape_and_the_palette_say_what_they_show(self):
        self.quiet("/trade/btcusd")
        self.browser.wait_for("trades", "return document.querySelector('.tape tbody tr:not([hidden])') !== null")
        self.nothing(TAPE, "the tape", 100)
        for many, says in ((499, False), (500, True)):
            self.quiet("/predictions")
            self.browser.run(EVENTS, many)
            self.press(".find")
            self.there("the palette", ".palette[open]")
            if says:
                self.there("the part", ".palette [data-rest] a")
                words = self.words(".palette [data-rest]")
                assert words.startswith("The newest 500 events are searched."), words
                axe.is_clean(self.browser, "the palette with a part of the events")
            else:
                self.browser.wait_for("markets", "return document.querySelectorAll('.palette [role=option]').length > 0")
                assert self.count(".palette [data-rest]") == 0, "all events are searched"
            self.browser.press("Escape")

    def lists_say_what_they_show(self):
        self.walk(OWN)
        for path in ("/account", "/trade/btcusd", "/predictions"):
            self.drops(path)
        self.quiet("/console")
        self.sign_out()
        self.walk(PUBLIC)
        self.drops("/")

    def a_statement_says_that_it_is_cut(self):
        """The page reads the newest ten thousand changes: its list is no whole one, and leads to the file once all of these are shown. Its
        closing is the balance; its opening is called what it is."""
        self.sign_in(TRADER)
        made = self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=LONG_STATEMENT)
        self.quiet("/account/statement")
        self.there("the rest", "[data-region=entries] [data-rest]")
        assert "200 of at least 10," in self.words("[data-region=entries] [data-rest]")
        assert "The newest 10," in self.words(".notice[data-cut]")
        sums = self.browser.run("return { ...document.querySelector('[data-sum]').dataset }")
        assert sums["closing"] == "12000" and Decimal(sums["opening"]) + Decimal(sums["rows"]) == 12000, sums
        assert 10_000 <= int(sums["rows"]) < 10_500, sums
        assert "Balance before the first row read, " in self.words("[data-region=sums] thead") and "exactly" not in self.words("[data-sum]")
        assert self.browser.run("return document.querySelector('[data-entry]').textContent.includes('fee')"), "the newest change is there"
        assert self.browser.run("return document.querySelector('[data-list=Changes]').dataset.total") == "more"
        self.nothing(LISTS, "a long statement")
        # A time that ends before the newest change, and has fewer.
        self.quiet("/account/statement?to=2023-11-13")
        assert self.count("[data-cut]") == 0 and self.count("[data-entry]") == 0
        self.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", **made)
        self.sign_out()

    def interest_says_that_it_is_cut(self):
        """A full answer is no whole list of payments: neither the table nor the curve says so."""
        self.sign_in(TRADER)
        made = self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=LONG_INTEREST)
        self.quiet("/account/staking")
        self.there("the rest", "[data-region=rewards] [data-rest]")
        assert "60 of at least 500 daily payments are shown" in self.words("[data-region=rewards] [data-rest]")
        assert "the newest part" in self.words("[data-region=rewards] [data-cut]")
        self.nothing(LISTS, "long interest")
        while self.count("[data-region=rewards] [data-rest] button"):
            self.press("[data-region=rewards] [data-rest] button")
        assert "The newest 500 daily payments are shown" in self.words("[data-region=rewards] [data-rest]")
        self.nothing(LISTS, "long interest in full")
        self.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", **made)
        self.sign_out()

    def no_page_shows_texts_for_programs(self):
        for path in PUBLIC:
            self.quiet(path)
            self.nothing(PROGRAM, path)
        self.sign_in(OWNER)
        for path in OWN:
            self.quiet(path)
            self.nothing(PROGRAM, path)

    def a_refusal_is_a_sentence(self):
        """Of every reason of the exchange, and on the pages of a user whose code is old."""
        wrong = self.browser.post("execute/async", args=[], script="""const done = arguments[0];
            import('/site/reasons.js').then(({ sentenceOf, isForPrograms }) => done([
              ['CodeRequired', 'The last code was given five minutes ago or earlier; give another to /site/signin/code'],
              ['MissingRole', "The API key does not have the role 'Trader'"], ['InvalidNonce', 'Nonce must be increasing'], ['Nothing', ''],
              ['InvalidParameterValue', "The value of 'clientTransferId' must be a UUID"], ['System', 'An error in /v1/x'],
              ['InsufficientFunds', 'The account has 5 USD of the 10 USD that this needs'],
            ].map(([reason, message]) => sentenceOf({ reason, message, status: 400 }))
              .filter((words) => isForPrograms(words) || !/^[A-Z].*[.]$/.test(words))), (failure) => done([failure.message]))""")
        assert wrong == [], wrong
        self.control("/sandbox/clock/advance", seconds=330, sessions=True)
        self.quiet("/settings/keys")
        self.write("#name", "list-key")
        self.browser.run("document.querySelector('#roles input').click()")
        self.press("#make [type=submit]")
        self.browser.wait_for("the way to a code", "return document.getElementById('new-code')?.checkVisibility()")
        self.nothing(PROGRAM, "a form of the settings")
        self.browser.press("Escape")
        self.quiet("/account/money")
        if self.count("form[name=approve]"):
            self.write("#approve-address", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")
            self.write("#approve-label", "cold")
            self.press("form[name=approve] button:not([type=button])")
            self.there("the refusal", "form[name=approve] .failure")
            words = self.words("form[name=approve] .failure p")
            assert words == "Your last one-time code is more than five minutes old. Give a new one, then do this again.", words
            self.nothing(PROGRAM, "a form of the account")
        self.nothing(TWICE, "one sentence stands once")
        self.picture("lists-refusal")

    def faults_are_told(self):
        """What cannot be read is said in the page, and no more once it can be."""
        self.sign_in(TRADER)
        made = self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source="window.wanted = ['/v1/trades/', '/v2/ticker/', '/site/queue'];"
                                     + FAILING.replace("const [paths, status] = arguments;", "const [paths, status] = [window.wanted, 500];"))
        self.open("/trade/btcusd")
        for name in ("tape", "day", "queue"):
            self.there(f"the fault of {name}", f"[data-fault={name}]")
        self.nothing(PROGRAM, "faults")
        self.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", **made)
        self.quiet("/trade/btcusd")
        self.gone("the faults", "[data-fault]")
        self.browser.console()

    def a_stop_waits(self):
        self.quiet("/trade/btcusd")
        self.call("/v1/order/cancel/all")
        ask = self.best("asks")
        far = str((ask * Decimal("1.2")).quantize(Decimal(1)))
        self.call("/v1/order/new", symbol="btcusd", amount="0.01", price=far, side="sell", type="exchange limit")
        stop = str((ask * Decimal("1.1")).quantize(Decimal(1)))
        over = str((ask * Decimal("1.3")).quantize(Decimal(1)))
        self.press("[name=type][value=stop-limit]")
        for name, value in (("stop", stop), ("price", over), ("amount", "0.01")):
            self.there(name, f"#ticket-{name}")
            self.write(f"#ticket-{name}", value)
        waits = f"Waits for {int(stop):,}.00"
        self.browser.wait_for(waits, "return document.querySelector('.preview')?.textContent.includes(arguments[0])", waits)
        self.there("the warning of an own order", "[data-preview=own]")
        self.press("form[name=order] [type=submit]")
        self.browser.wait_for("the words", "return (document.querySelector('[data-outcome]')?.textContent ?? '').includes(arguments[0])",
                              f"waits for {int(stop):,}.00")
        self.browser.wait_for("the row", "return [...document.querySelectorAll('[data-order]')].some((one) => one.textContent.includes(arguments[0]))",
                              f"waits for {int(stop):,}.00")
        self.browser.post("execute/async", args=[stop], script="""const [stop, done] = arguments;
            Promise.all([import('/site/trade/stops.js'), import('/site/trade/market.js'), import('/site/trade/orders.js')])
              .then(([{ chartPrice }, { priceText }, { ownOrders }]) => {
                const order = ownOrders().find((one) => one.type === 'stop-limit');
                window.drawn = Number(priceText(chartPrice(order)));
                done(true);
              }, (failure) => done(failure.message))""")
        assert self.browser.run("return window.drawn") == float(stop), "a stop is drawn at its trigger"
        self.call("/v1/order/cancel/all")

    def a_preview_knows_the_other_outcome(self):
        """Ten claims on yes are held: a buy of no closes pairs, now or when it trades, and loses nothing that is not there."""
        self.sign_out()
        self.sign_in(OWNER)
        self.quiet(f"/trade/{CONTRACT}")
        parts = self.browser.post("execute/async", args=[], script="""const done = arguments[0];
            import('/site/trade/claims.js').then(({ claimsBought }) => done([
              ['0', '10', '10'], ['10', '0', '10'], ['4', '6', '10'], ['4', '6', '5'], ['0', '10', '0'],
            ].map(([executed, rests, held]) => { const { now, later, stay } = claimsBought({ executed, rests }, held); return [now, later, stay]; })),
            (failure) => done(failure.message))""")
        assert parts == [["0", "10", "0"], ["10", "0", "0"], ["4", "6", "0"], ["4", "1", "5"], ["0", "0", "10"]], parts
        self.write("#ticket-price", "0.05")
        self.write("#ticket-amount", "10")
        lost = "return Number(document.querySelector('[data-preview=most_lost]')?.dataset.value) >= 0.5"
        self.browser.wait_for("the most that is lost", lost)
        assert self.words("[data-preview=payout]").startswith("10.00"), self.words("[data-preview=payout]")

    def a_ticket_leads_to_the_right_account(self):
        self.quiet("/trade/btcgusdperp")
        self.there("the wrong account", "[data-wrong-account]")
        words = self.words("[data-wrong-account]")
        assert "is traded by a derivatives account" in words, words
        assert self.count("form[name=order] [type=submit]") == 0, "nothing is sent that is refused"
        self.fits("the wrong account")
        self.browser.screen(1280, 900)
        self.sign_out()
        user = {"email": "perp@lists.test", "password": "seven green turtles sing", "group": "perp", "roles": ["Trader"]}
        self.control("/sandbox/users", **user)
        self.sign_in(user["email"])
        self.quiet("/trade/btcusd")
        found = self.browser.run("""return [...document.querySelectorAll('[data-wrong-account] a')]
            .every((one) => /^\\/trade\\/btcusd\\?account=\\d+$/.test(one.getAttribute('href')))""")
        assert found, "each link names an account by its number"
        self.sign_out()
        self.open("/trade/btcusd?account=1")
        self.there("the way back to the account", "a[href='/signin?next=%2Ftrade%2Fbtcusd%3Faccount%3D1']")

    def docs_show_streams(self):
        with urllib.request.urlopen(f"{self.base}/asyncapi.json") as reply:
            events = json.load(reply)
        self.open("/docs")
        self.browser.wait_for("the contract", "return document.querySelector('#contract details') !== null")
        ids = set(self.browser.run("return [...document.querySelectorAll('#contract details')].map((one) => one.id)"))
        wanted = {f"socket-{name}" for name in events["channels"]} | {f"frame-{name}" for name in events["components"]["messages"]}
        assert wanted <= ids, wanted - ids
        text = self.browser.run("return document.getElementById('frame-orderUpdate').textContent")
        for name, field in events["components"]["messages"]["orderUpdate"]["payload"]["properties"].items():
            assert name in text and field.get("description", "").replace("`", "") in text, name
        for method in ("order.place", "order.cancel", "depth"):
            text = self.browser.run("return document.getElementById(arguments[0]).textContent", f"frame-{method}")
            params = events["components"]["messages"][method]["payload"]["properties"]["params"]["properties"]
            assert all(f"params.{name}" in text for name in params), method
        text = self.browser.run("return document.getElementById('socket-fast').textContent")
        assert all(f"{name} (header)" in text for name in ("X-SVC-APIKEY", "X-SVC-NONCE", "X-SVC-PAYLOAD", "X-SVC-SIGNATURE")), text

    def fields_are_large_on_a_phone(self):
        self.browser.devtools("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=1)
        self.browser.screen(360, 780, phone=True)
        self.sign_in(OWNER)
        for path in PUBLIC + OWN:
            self.quiet(path)
            assert self.browser.run("return matchMedia('(pointer: coarse)').matches"), "the screen is touched"
            self.nothing(SIZES, path)
            whole, screen = self.browser.run("return [document.documentElement.scrollWidth, innerWidth]")
            assert whole <= screen, f"{path}: {whole} pixels wide on a screen of {screen}"
        self.browser.devtools("Emulation.setTouchEmulationEnabled", enabled=False)
        self.browser.screen(1280, 900)

    def operators_and_the_console_say_what_they_show(self):
        self.walk(CONSOLE)
        self.sign_out()
        self.sign_in(OPERATOR)
        self.walk(("/operator",))
        self.nothing(PROGRAM, "the operator's page")
        self.sign_out()


if __name__ == "__main__":
    run("lists", sys.argv[1], Path(sys.argv[2]), Lists)
