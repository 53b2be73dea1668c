"""What all pages share, and the front page, the contract and the pages of people, in chromium against a running sandbox.

Started by `cargo xtask browser` as `site.py BASE_URL FOLDER`, with the path of `credentials.json` in BUTTONWOOD_CREDENTIALS and, for
checks of accessibility, that of `axe.min.js` in BUTTONWOOD_AXE. The sandbox's clock is manual. Prints a line per check and leaves pictures of the pages in the folder.
"""

import json
import os
import sys
import time
import urllib.request
from pathlib import Path

from axe import is_clean
from fitting import OPEN_ALL, fits
from webdriver import KEYS, Browser

WIDE, PHONE = (1280, 900), (360, 780)
SIZES = [PHONE, (768, 1024), WIDE, (1920, 1080), (3840, 2160)]
PUBLIC = {"front": "/", "docs": "/docs", "signin": "/signin", "signup": "/signup", "password": "/password",
          "end": "/end-sessions"}
OWN = {"security": "/settings/security", "keys": "/settings/keys", "apps": "/settings/apps", "sessions": "/settings/sessions"}
CONTROL, UP, DOWN = "\ue009", "\ue013", "\ue015"
SYMBOLS = "return [...document.querySelectorAll('#markets th a')].map((link) => link.pathname.split('/').pop())"
CHOSEN = "return document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.innerText"
OPEN = "return document.querySelector('dialog[open]') !== null"
SHUT = "return document.querySelector('dialog[open]') === null"
# What a request may come to, and what a page says of it.
FAILURES = {
    "Promise.reject(new TypeError('no route'))": "The exchange does not answer (no route).",
    "Promise.resolve(new Response('gone', { status: 502 }))": "The exchange answers with status 502: gone.",
    "Promise.resolve(Response.json({ reason: 'Maintenance', message: 'Later.' }, { status: 503 }))":
        "The exchange is under maintenance. Try again in a few minutes.",
    "Promise.resolve(new Response('<p>'))": "This page cannot read what the exchange answers (",
}


class Site:
    """The checks, in order; each opens the pages that it needs."""

    def __init__(self, base: str, folder: Path, browser: Browser):
        self.base, self.folder, self.browser = base, folder, browser
        self.credentials = json.loads(Path(os.environ["BUTTONWOOD_CREDENTIALS"]).read_text())

    def open(self, path: str):
        """A page whose modules have run."""
        self.browser.open(self.base + path)
        self.browser.wait_for(f"{path} in full", """return document.readyState === 'complete' && document.querySelector('#settings')
            && (location.pathname !== '/' || document.querySelector('#markets .star button'))
            && (location.pathname !== '/docs' || document.querySelector('#contract details'))""")

    def press(self, *keys: str, held: str = ""):
        """Presses keys one after another, with one of them held down."""
        taps = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        if held:
            taps = [{"type": "keyDown", "value": held}, *taps, {"type": "keyUp", "value": held}]
        self.browser.post("actions", actions=[{"type": "key", "id": "keyboard", "actions": taps}])

    def click(self, selector: str):
        assert self.browser.run("const one = document.querySelector(arguments[0]); one?.click(); return Boolean(one)", selector), selector

    def type_into(self, selector: str, text: str):
        self.browser.run("const one = document.querySelector(arguments[0]); one.focus(); one.select()", selector)
        self.press(*text)

    def nothing_wrong(self):
        lines = [line for line in self.browser.console() if not line.startswith("DEBUG: ")]
        assert lines == [], lines
        elsewhere = [url for url in self.browser.requests() if not url.startswith((self.base + "/", "data:", "chrome:"))]
        assert elsewhere == [], f"requests to other hosts: {elsewhere}"

    def at(self, path: str):
        self.browser.wait_for(path, "return location.pathname === arguments[0] && document.readyState === 'complete'", path)

    def markets_are_those_of_the_exchange(self):
        self.browser.screen(*WIDE)
        self.open("/")
        with urllib.request.urlopen(self.base + "/site/market.json") as reply:
            rows = json.load(reply)["rows"]
        shown = self.browser.run("""return [...document.getElementById('markets').rows]
            .map((row) => [...row.cells].slice(1).map((cell) => cell.dataset.value ?? cell.querySelector('a')?.textContent ?? ''))""")
        wanted = [[row["title"], row["last"], row["change"], row["volume"]] for row in rows]
        assert shown == wanted, [pair for pair in zip(shown, wanted) if pair[0] != pair[1]][:3]
        signs = self.browser.run("""return [...document.querySelectorAll('#markets .up, #markets .down')]
            .every((cell) => /^[+-]/.test(cell.textContent))""")
        assert signs, "a change without its sign"
        data = json.loads(self.browser.run("return document.getElementById('currencyData').textContent"))
        assert any(pair[0] == "BTCUSD" for pair in data["tradingPairs"]), "the block for clients"
        call = self.browser.run("return document.getElementById('first-call').textContent")
        assert call.startswith(f"curl '{self.base}/v1/book/"), call
        links = self.browser.run("return [...document.querySelectorAll('.beside a.button')].map((link) => link.pathname)")
        assert links == ["/console", "/docs"], links
        self.nothing_wrong()

    def search_finds_by_symbol_and_by_name(self):
        for typed, wanted in (("btcusd", ["btcusd", "btcusdt"]), ("BTC/EUR", ["btceur"]), ("ether eur", ["etheur"])):
            self.type_into("[name=search]", typed)
            self.browser.wait_for(typed, f"{SYMBOLS}.sort().join() === arguments[0]", ",".join(wanted))
        self.type_into("[name=search]", "nothing like it")
        self.browser.wait_for("the words for nothing", "return document.body.innerText.includes('No market is called that')")
        self.browser.run("[...document.querySelectorAll('.empty button')].find((one) => one.textContent === 'All markets').click()")
        self.browser.wait_for("all markets", "return document.getElementById('markets').rows.length > 100")

    def favourites_come_first_and_stay(self):
        for symbol in ("ltcbtc", "dogeusd"):
            star = f"document.querySelector('#markets a[href=\"/trade/{symbol}\"]').closest('tr').querySelector('.star button')"
            self.browser.run(f"{star}.click()")
            self.browser.wait_for("the star", f"return {star}.ariaPressed === 'true'")
        assert set(self.browser.run(SYMBOLS)[:2]) == {"ltcbtc", "dogeusd"}, "favourites stand first"
        self.open("/")
        assert set(self.browser.run(SYMBOLS)[:2]) == {"ltcbtc", "dogeusd"}, "they stay"
        self.click("[value=favourites]")
        self.browser.wait_for("the favourites alone", "return document.getElementById('markets').rows.length === 2")
        for _ in range(2):
            self.click("#markets .star button")
        self.browser.wait_for("the words for none", "return document.body.innerText.includes('No favourite is here')")

    def tables_are_sorted(self):
        self.open("/")
        self.browser.run("[...document.querySelectorAll('thead button')].find((one) => one.textContent.startsWith('24')).click()")
        self.browser.wait_for("the sorting", "return document.querySelector('[aria-sort=descending]')?.innerText.includes('24 h')")
        shown = self.browser.run("""return [...document.querySelectorAll('#markets td:nth-child(4)')].map((cell) => cell.dataset.value)
            .filter((text) => text).map((text) => Number(text.replace(/[+ %]/g, '')))""")
        assert shown == sorted(shown, reverse=True), shown

    def the_palette_goes_by_keyboard(self):
        self.open("/password")
        self.press("k", held=CONTROL)
        self.browser.wait_for("the palette", OPEN)
        is_clean(self.browser, "palette")
        self.browser.screenshot(self.folder / "site-palette.png")
        self.press(*"litecoin")
        self.browser.wait_for("the market", f"{CHOSEN}.includes('LTC/USD')")
        first = self.browser.run(CHOSEN)
        self.press(DOWN)
        self.browser.wait_for("the next one", f"{CHOSEN} !== arguments[0]", first)
        self.press(UP)
        self.browser.wait_for("the first one again", f"{CHOSEN} === arguments[0]", first)
        self.press("Escape")
        self.browser.wait_for("its end", SHUT)
        self.press("/")
        self.browser.wait_for("the palette", OPEN)
        self.press(*"theme: dark", "Enter")
        self.browser.wait_for("the dark theme", "return document.documentElement.dataset.theme === 'dark'")
        self.press("/", *"sign up", "Enter")
        self.at("/signup")

    def choices_survive_a_reload(self):
        self.open("/signin")
        assert self.browser.run("return document.documentElement.dataset.theme") == "dark", "the theme stays"
        self.click("[aria-controls=settings]")
        self.browser.wait_for("the settings", "return document.querySelector('#settings select')?.checkVisibility()")
        is_clean(self.browser, "settings")
        zones = self.browser.run("return [...document.querySelectorAll('#set-zone option')].slice(0, 1).map((one) => one.value)")
        assert zones == ["UTC"], zones
        for name, value in (("theme", "light"), ("palette", "blind"), ("density", "compact")):
            self.click(f"#settings [name={name}][value={value}]")
        self.press("Escape")
        self.open("/signin")
        look = self.browser.run("const { theme, palette, density } = document.documentElement.dataset; return [theme, palette, density]")
        assert look == ["light", "blind", "compact"], look
        self.browser.run("localStorage.clear()")

    def a_browser_keeps_no_confirmations(self):
        """What an earlier build kept in a browser for all of its users is forgotten, but for the look and the zone; an unknown zone is UTC."""
        self.browser.console()
        kept = "{ zone: 'Mars/Base', density: 'compact', trade: { confirm: { market: 'never' } } }"
        self.browser.run(f"localStorage.setItem('buttonwood', JSON.stringify({kept}))")
        self.open("/trade/btcusd")
        left = json.loads(self.browser.run("return localStorage.getItem('buttonwood')"))
        assert left == {"zone": "Mars/Base", "density": "compact"}, left
        errors = [line for line in self.browser.console() if "Uncaught" in line]
        assert errors == [], errors
        self.browser.run("localStorage.clear()")

    def keys_act_outside_inputs_alone(self):
        self.open("/")
        self.browser.run("document.querySelector('[name=search]').focus()")
        self.press(*"gc?/")
        time.sleep(0.3)
        assert self.browser.run("return location.pathname + document.querySelector('[name=search]').value") == "/gc?/", "they are typed"
        assert self.browser.run(SHUT), "no dialog opens"
        self.press("k", held=CONTROL)
        self.browser.wait_for("the palette, from an input too", OPEN)
        self.press("g", "p")
        self.press("Escape")
        self.browser.run("document.activeElement.blur()")
        self.press("g", "c")
        self.at("/console")

    def keys_are_listed_and_changed(self):
        self.open("/password")
        self.browser.run("document.activeElement.blur()")
        self.press("?")
        self.browser.wait_for("the list", "return document.querySelector('dialog[open]')?.innerText.includes('Go to trading')")
        is_clean(self.browser, "keyboard")
        self.browser.screenshot(self.folder / "site-keyboard.png")
        change = "[aria-label='Change the keys of: Go to the account']"
        for keys, wanted in (("gt", "G T is already used for: Go to trading."), ("gz", "Go to the account is G Z now.")):
            self.click(change)
            self.press(*keys)
            self.browser.wait_for(wanted, "return document.querySelector('dialog[open]').innerText.includes(arguments[0])", wanted)
        self.press("Escape")
        self.browser.wait_for("its end", SHUT)
        self.press("g", "z")
        self.browser.wait_for("the sign-in", "return location.pathname === '/signin' && document.querySelector('#settings')")
        self.browser.run("document.activeElement.blur()")
        self.press("?")
        self.browser.wait_for("the list", OPEN)
        self.click("dialog input[type=checkbox]")
        self.press("Escape")
        self.press("g", "t", "?", "/")
        time.sleep(0.3)
        assert self.browser.run(SHUT) and self.browser.run("return location.pathname") == "/signin", "all are off"
        self.browser.run("localStorage.clear()")
        self.nothing_wrong()

    def docs_list_the_contract(self):
        """An entry for each call and each object that is no request; general rules, and the notes of calls."""
        with urllib.request.urlopen(f"{self.base}/openapi.json") as reply:
            contract = json.load(reply)
        plain = [item for item in contract["paths"].values() if not item.get("x-stream")]
        calls = {operation["operationId"] for item in plain for operation in item.values()}
        objects = {name for name in contract["components"]["schemas"] if not name.endswith(("Payload", "Body"))}
        self.open("/docs")
        shown = self.browser.run("return [...document.querySelectorAll('#contract details')].map((entry) => entry.id)")
        with urllib.request.urlopen(f"{self.base}/asyncapi.json") as reply:
            events = json.load(reply)
        streams = {f"socket-{name}" for name in events["channels"]} | {f"frame-{name}" for name in events["components"]["messages"]}
        assert sorted(shown) == sorted(calls | objects | streams), set(shown) ^ (calls | objects | streams)
        texts = [contract["info"]["description"]]
        texts += [operation.get("description", "") for item in plain for operation in item.values()]
        text = self.browser.run("return document.getElementById('contract').textContent")
        for part in (part for one in texts for part in one.split("\n\n")):
            assert part.removeprefix("## ").replace("`", "") in text, part
        self.browser.run(OPEN_ALL)
        for width, height in SIZES:
            self.browser.screen(width, height, phone=width < 500)
            fits(self.browser, "docs in full")
        self.browser.screen(*WIDE)

    def docs_are_searched(self):
        self.open("/docs")
        self.type_into("#filter", "order/new")
        shown = """return [...document.querySelectorAll('#contract details')].filter((one) => one.checkVisibility())
            .map((one) => one.innerText)"""
        self.browser.wait_for("the call", f"{shown}.length === 1")
        assert "/v1/order/new" in self.browser.run(shown)[0]
        self.type_into("#filter", "order.place")
        self.browser.wait_for("the method and its answer", f"{shown}.length === 2")
        assert self.browser.run("return document.getElementById('frame-order.place').checkVisibility()")
        self.browser.run("location.hash = '#Balance'")
        self.browser.wait_for("the object", "return document.getElementById('Balance').open && !document.getElementById('filter').value")

    def signs_in(self):
        trader = next(user for user in self.credentials["users"] if user["email"] == "trader@one.test")
        self.browser.devtools("Network.setCookie", name="SVC-SANDBOX-2FA", value="1", url=self.base)
        self.open("/signin?next=%2Fsettings%2Fsessions")
        self.type_into("#email", trader["email"])
        self.type_into("#password", trader["password"])
        self.press("Enter")
        self.browser.wait_for("the code", "return document.getElementById('code-form').checkVisibility()")
        is_clean(self.browser, "code")
        self.type_into("#code", "9999999")
        self.press("Enter")
        self.at("/settings/sessions")

    def the_account_menu_signs_out(self):
        self.open("/")
        self.click("[aria-controls=account-menu]")
        self.browser.wait_for("the menu", "return document.querySelector('#account-menu a[href=\"/settings/keys\"]')?.checkVisibility()")
        is_clean(self.browser, "account menu")
        self.browser.run("[...document.querySelectorAll('#account-menu button')].find((one) => one.textContent === 'Sign out').click()")
        self.at("/signin")
        self.nothing_wrong()

    def pages_fit_and_are_clean(self, pages: dict):
        for name, path in pages.items():
            self.browser.screen(*WIDE)
            self.open(path)
            # The network is idle: every list has come.
            time.sleep(0.3)
            for width, height in SIZES:
                self.browser.screen(width, height, phone=width < 500)
                fits(self.browser, name)
                if width in (PHONE[0], WIDE[0]):
                    is_clean(self.browser, f"{name} at {width}")
                    for dark in (False, True):
                        self.browser.screen(width, height, dark=dark, phone=width < 500)
                        self.browser.screenshot(self.folder / f"site-{name}-{width}-{'dark' if dark else 'light'}.png")
        self.browser.screen(*WIDE)
        self.nothing_wrong()

    def public_pages_fit_and_are_clean(self):
        self.pages_fit_and_are_clean(PUBLIC)

    def own_pages_fit_and_are_clean(self):
        self.pages_fit_and_are_clean(OWN)

    def a_phone_has_a_menu(self):
        self.browser.screen(*PHONE, phone=True)
        self.open("/")
        assert not self.browser.run("return document.querySelector('.main-nav').checkVisibility()"), "the links are put away"
        self.click(".menu")
        self.browser.wait_for("the links", "return document.querySelector('.main-nav a').checkVisibility()")
        fits(self.browser, "menu")
        is_clean(self.browser, "menu")

    def an_unknown_page_says_so(self):
        for path in ("/trade/nosuch", f"/trade/{'nosuch' * 10}"):
            self.open(path)
            for width, height in SIZES:
                self.browser.screen(width, height, phone=width < 500)
                fits(self.browser, path)
            is_clean(self.browser, "unknown")
        self.browser.screen(*WIDE)
        # The browser reports the status of the page itself.
        assert all("404" in line for line in self.browser.console())

    def failures_are_shown(self):
        """On the page and in the console; values are marked as old, and live again with the next answer."""
        for path, place in (("/", "status"), ("/docs", "contract")):
            for reply, wanted in FAILURES.items():
                changed = self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=f"window.fetch = () => {reply}")
                self.browser.console()
                self.browser.open(self.base + path)
                shown = "return document.getElementById(arguments[0]).textContent.includes(arguments[1])"
                self.browser.wait_for(f"{wanted} on {path}", shown, place, wanted)
                assert any(wanted in line for line in self.browser.console()), f"{path} does not log {wanted}"
                self.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", **changed)
        self.open("/")
        state = "return document.querySelector('[data-region=markets]').dataset.state === arguments[0]"
        self.browser.run("window.whole = window.fetch; window.fetch = () => Promise.reject(new TypeError('cut'))")
        self.browser.wait_for("old values", state, "stale")
        self.browser.run("window.fetch = window.whole")
        self.browser.wait_for("new values", state, "live")
        self.browser.console()


def main():
    base, folder = sys.argv[1], Path(sys.argv[2])
    browser = Browser(folder / "chromedriver-site.log")
    site = Site(base, folder, browser)
    try:
        for check in (site.markets_are_those_of_the_exchange, site.search_finds_by_symbol_and_by_name,
                      site.favourites_come_first_and_stay, site.tables_are_sorted, site.the_palette_goes_by_keyboard,
                      site.choices_survive_a_reload, site.a_browser_keeps_no_confirmations, site.keys_act_outside_inputs_alone,
                      site.keys_are_listed_and_changed, site.docs_list_the_contract, site.docs_are_searched, site.public_pages_fit_and_are_clean,
                      site.a_phone_has_a_menu, site.an_unknown_page_says_so, site.signs_in, site.own_pages_fit_and_are_clean,
                      site.the_account_menu_signs_out, site.failures_are_shown):
            start = time.monotonic()
            check()
            print(f"ok     {check.__name__.replace('_', ' ')} ({time.monotonic() - start:.1f} s)", flush=True)
    except BaseException:
        browser.screenshot(folder / "site-failed.png", True)
        raise
    finally:
        browser.close()


if __name__ == "__main__":
    main()
