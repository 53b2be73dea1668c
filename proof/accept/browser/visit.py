"""A visit of the pages: control calls, signing in with a click less, and the checks that every page passes."""

import time
from pathlib import Path

import axe
from webdriver import Browser, call

# A phone, a tablet, a laptop and a large screen.
LAPTOP = (1280, 900)
SCREENS = [(360, 780), (768, 1024), LAPTOP, (1920, 1080)]

# What is cut by its own box, or reaches beyond the screen, though it lies in nothing that scrolls.
CUT = """
const scrolls = (element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
const isFree = (element) => { for (let at = element; at; at = at.parentElement) if (scrolls(at)) return false; return true; };
const isSeen = (element) => element.checkVisibility() && !element.closest('.unseen, .skip, svg, option, select');
const wrong = (element) => {
  const { left, right, width } = element.getBoundingClientRect();
  if (width && (left < -1 || right > innerWidth + 1)) return `beyond the screen, ${left} to ${right}`;
  const isBox = element.clientWidth > 1 && getComputedStyle(element).display !== 'inline';
  return isBox && element.scrollWidth > element.clientWidth + 1 ? `${element.scrollWidth} in ${element.clientWidth}` : '';
};
return [...document.querySelectorAll('main, main *')].filter((element) => isSeen(element) && isFree(element))
  .map((element) => [element, wrong(element)]).filter(([, why]) => why)
  .map(([element, why]) => `${why}: ${element.outerHTML.slice(0, 120)}`).slice(0, 5)"""
WIDTHS = "return [document.documentElement.scrollWidth, innerWidth]"
LOADED = "return location.origin === arguments[0] && document.readyState === 'complete'"
STATE = "return document.querySelector(`[data-region=${arguments[0]}]`)?.dataset.state === arguments[1]"
SAYS = "return document.querySelector(arguments[0])?.textContent === arguments[1]"
PRESS = """const shown = [...document.querySelectorAll(arguments[0])].find((one) => one.checkVisibility() && !one.disabled);
shown?.click(); return Boolean(shown)"""
TYPE = """const field = document.querySelector(arguments[0]);
const kind = { TEXTAREA: HTMLTextAreaElement, SELECT: HTMLSelectElement, INPUT: HTMLInputElement }[field.tagName];
Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(field, arguments[1]);
for (const event of ['input', 'change']) field.dispatchEvent(new Event(event, { bubbles: true }))"""
CALL = """const [request, fields, done] = arguments;
import('/site/call.js').then(({ call }) => call(request, fields))
  .then((reply) => done([true, reply]), (failure) => done([false, failure.message]))"""


class Visit:
    """One window at the pages of a sandbox."""

    def __init__(self, base: str, folder: Path, browser: Browser):
        self.base, self.folder, self.browser = base, folder, browser

    def control(self, path: str, **fields) -> dict:
        """A control call of the sandbox."""
        return call(f"{self.base}{path}", fields)

    def now_ms(self) -> int:
        return call(f"{self.base}/sandbox/clock")["now_ms"]

    def sign_in(self, email: str):
        """A session of a user with both factors, given a moment ago. The open page is left first: it would be refused with it."""
        self.browser.open("about:blank")
        name, value = self.control("/sandbox/sessions", email=email)["cookie"].split("=", 1)
        self.browser.devtools("Network.setCookie", name=name, value=value, url=self.base, httpOnly=True)

    def sign_out(self):
        """Leaves the page, which would go on asking, and forgets the session."""
        self.browser.open("about:blank")
        self.browser.devtools("Network.clearBrowserCookies")

    def open(self, path: str):
        self.browser.open(self.base + path)
        self.browser.wait_for(f"{path} to load", LOADED, self.base)

    def at(self, path: str):
        self.browser.wait_for(path, "return location.pathname === arguments[0] && document.readyState === 'complete'", path)

    def region(self, name: str, state: str):
        self.browser.wait_for(f"{name} to be {state}", STATE, name, state)

    def there(self, what: str, selector: str):
        self.browser.wait_for(what, "return document.querySelector(arguments[0])?.checkVisibility()", selector)

    def gone(self, what: str, selector: str):
        self.browser.wait_for(f"the end of {what}", "return document.querySelector(arguments[0]) === null", selector)

    def press(self, selector: str):
        self.browser.wait_for(f"a button {selector}", PRESS, selector)

    def write(self, selector: str, text: str):
        self.browser.run(TYPE, selector, text)

    def text(self, selector: str) -> str:
        return self.browser.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def says(self, selector: str, text: str):
        self.browser.wait_for(f"{selector} to say {text}", SAYS, selector, text)

    def count(self, selector: str) -> int:
        return self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)

    def call(self, request: str, **fields):
        """A private call of the page's user."""
        is_done, reply = self.browser.post("execute/async", script=CALL, args=[request, fields])
        assert is_done, f"{request}: {reply}"
        return reply

    def nothing_wrong(self, but: str = "no refusal"):
        """No line in the console but one about a status that was wanted, and no request to another host."""
        # The clock stands still, so that a user's preferences are kept once and then refused for their rate.
        kept = "/site/preferences - Failed to load resource: the server responded with a status of 429"
        lines = [line for line in self.browser.console() if but not in line and kept not in line]
        assert lines == [], lines
        own = (self.base + "/", self.base.replace("http", "ws", 1) + "/", "data:", "about:", "chrome:")
        for url in self.browser.requests():
            assert url.startswith(own), f"a request to another host: {url}"

    def fits(self, name: str):
        """On every screen nothing is cut and nothing scrolls sideways but within a panel."""
        for width, height in SCREENS:
            self.browser.screen(width, height, phone=width < 500)
            whole, screen = self.browser.run(WIDTHS)
            assert whole <= screen, f"{name}: {whole} pixels wide on a screen of {screen}"
            cut = self.browser.run(CUT)
            assert cut == [], f"{name} on a screen of {width}: {cut}"

    def looks_right(self, name: str):
        """It fits every screen, and axe-core finds nothing in any look; leaves pictures."""
        self.fits(name)
        for width, height in (SCREENS[0], LAPTOP):
            for dark in (False, True):
                self.browser.screen(width, height, dark=dark, phone=width < 500)
                self.picture(f"{name}-{width}-{'dark' if dark else 'light'}")
        self.browser.screen(*LAPTOP)
        axe.is_clean(self.browser, name)

    def picture(self, name: str):
        # Chromium takes no picture of what is too long.
        is_short = self.browser.run("return document.documentElement.scrollHeight < 8000")
        self.browser.screenshot(self.folder / f"{name}.png", is_short)


def run(name: str, base: str, folder: Path, visit_of):
    """Runs the checks of a visit, in order; each starts where the one before it ended."""
    browser = Browser(folder / f"chromedriver-{name}.log")
    visit = visit_of(base, folder, browser)
    try:
        for check in visit.checks():
            start = time.monotonic()
            check()
            print(f"ok     {check.__name__.replace('_', ' ')} ({time.monotonic() - start:.1f} s)", flush=True)
    except BaseException:
        browser.screenshot(folder / f"{name}-failed.png", True)
        raise
    finally:
        browser.close()
