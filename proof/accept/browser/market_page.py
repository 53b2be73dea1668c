"""The front page and the market pages in chromium, against a running sandbox.

Started by `cargo xtask browser` as `market_page.py BASE_URL FOLDER`, with the path of `credentials.json` in
BUTTONWOOD_CREDENTIALS. The sandbox is fresh, and its clock is manual: between two moves its figures stand still, so
what a page shows can be compared with what the interface answers. Prints a line per check and leaves pictures of the
pages in the folder.
"""

import base64
import hmac
import json
import os
import sys
import threading
import time
import urllib.request
from decimal import ROUND_DOWN, Decimal
from pathlib import Path

from drawing import axis_holds_most_of_the_depth, rounded, volumes_are_rounded
from fitting import fits, fits_every_screen
from webdriver import Browser, call

PAGE, PERPETUAL = "/markets/btcusd", "/markets/btcgusdperp"
FRAMES = ["1m", "5m", "15m", "30m", "1h", "6h", "1day"]
WIDE, PHONE = (1440, 1010), (360, 780)
# The least contrast of text, by the Web Content Accessibility Guidelines (AA).
CONTRAST = 4.5

TEXT = "return document.getElementById(arguments[0]).textContent"
CELLS = """return [...document.getElementById(arguments[0]).rows]
  .map((row) => [...row.cells].map((cell) => cell.textContent))"""
STATUS = "return new RegExp(arguments[0]).test(document.getElementById('status').textContent)"
LEGEND = "return [...document.querySelectorAll('#candle b')].map((part) => part.textContent)"
SHOWN = """const isEmpty = (id) => ['', '–'].includes(document.getElementById(id).textContent);
return document.getElementById('status').textContent === 'Live' &&
  !['last', 'bid', 'base-volume', 'depth-low'].some(isEmpty) &&
  document.querySelector('#candle b') !== null && document.getElementById('trades').rows.length > 1"""
# What a request may come to, and what the pages say of it.
FAILURES = {
    "Promise.reject(new TypeError('no route'))": "The exchange does not answer (no route).",
    "Promise.resolve(new Response('gone', { status: 502 }))": "The exchange answers with status 502: gone.",
    "Promise.resolve(Response.json({ reason: 'Maintenance', message: 'Later.' }, { status: 503 }))":
        "The exchange answers with status 503 (Maintenance): Later.",
    "Promise.resolve(new Response('{', { status: 500, headers: { 'content-type': 'application/json' } }))":
        "The exchange answers with status 500: its body is no JSON: {.",
    "Promise.resolve(new Response('<p>'))": "This page cannot show what the exchange answers (",
}
# Pixels of the chart in the colours of candles.
PAINTED = """
const style = getComputedStyle(document.documentElement);
const wanted = ['--up', '--down'].map((name) => parseInt(style.getPropertyValue(name).trim().slice(1), 16));
let count = 0;
for (const canvas of document.querySelectorAll('#chart canvas')) {
  const copy = new OffscreenCanvas(canvas.width || 1, canvas.height || 1).getContext('2d', { willReadFrequently: true });
  if (canvas.width * canvas.height) copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, copy.canvas.width, copy.canvas.height);
  for (let at = 0; at < data.length; at += 4) {
    count += wanted.includes((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
  }
}
return count"""
# The lowest contrast of a text with the colour that it is on.
LOWEST = """
const parse = (color) => (color.match(/[\\d.]+/g) || []).map(Number);
const over = (top, below) => top.slice(0, 3).map((part, at) => part * (top[3] ?? 1) + below[at] * (1 - (top[3] ?? 1)));
function ground(element) {
  const parent = element.parentElement;
  const below = parent ? ground(parent) : parse(getComputedStyle(document.body).backgroundColor);
  return over(parse(getComputedStyle(element).backgroundColor), below);
}
const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const light = (color) => color.map((part) => linear(part / 255))
  .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
function contrast(element) {
  const [one, other] = [light(over(parse(getComputedStyle(element).color), ground(element))), light(ground(element))];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
const texts = [...document.querySelectorAll('main *, header *, footer *')].filter((element) => element.offsetParent &&
  [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()));
return texts.map((element) => [contrast(element), element.outerHTML.slice(0, 90)]).sort((a, b) => a[0] - b[0])[0]"""


class Pages:
    """The checks, in order; each starts where the one before it ended."""

    def __init__(self, base: str, folder: Path, browser: Browser):
        self.base, self.folder, self.browser = base, folder, browser

    def text(self, identity: str) -> str:
        return self.browser.run(TEXT, identity)

    def cells(self, identity: str) -> list[list[str]]:
        return self.browser.run(CELLS, identity)

    def get(self, path: str) -> str:
        with urllib.request.urlopen(self.base + path, timeout=30) as reply:
            return reply.read().decode()

    def candles(self, frame: str) -> list[list[str]]:
        """The digits of each candle, newest first."""
        reply = self.get(f"/v2/candles/btcusd/{frame}")
        return [row.split(",") for row in reply.removeprefix("[[").removesuffix("]]").split("],[")]

    def control(self, path: str, **body):
        return call(self.base + path, body)

    def advance(self, seconds: int):
        self.control("/sandbox/clock/advance", seconds=seconds)

    def picture(self, name: str, whole: bool = False):
        self.browser.screenshot(self.folder / f"{name}.png", whole)

    def tab_to(self, what: str, script: str):
        """Presses Tab until the script says that the focus is right; every stop has a visible focus."""
        # A link to each market that trades comes before most of a page.
        for _ in range(200):
            self.browser.press("Tab")
            outline = self.browser.run("""const focus = document.activeElement;
                const shown = focus.matches('.frames input') ? focus.nextElementSibling : focus;
                return getComputedStyle(shown).outlineStyle + ' ' + focus.outerHTML.slice(0, 80)""")
            assert not outline.startswith("none"), f"no visible focus: {outline}"
            if self.browser.run(script):
                return
        raise AssertionError(f"the keyboard does not reach {what}")

    def nothing_wrong(self):
        assert (lines := self.browser.console()) == [], lines
        elsewhere = [url for url in self.browser.requests() if not url.startswith(self.base + "/")]
        assert elsewhere == [], f"requests to other hosts: {elsewhere}"

    def front_page_leads_to_the_market(self):
        self.browser.screen(*WIDE)
        self.browser.open(self.base)
        self.browser.wait_for("the table", "return document.getElementById('clock').textContent")
        self.picture("front")
        self.browser.press("Tab")
        skip = self.browser.run("""const focus = document.activeElement;
            return [focus.className, focus.getBoundingClientRect().top]""")
        assert skip[0] == "skip" and skip[1] >= 0, f"the first stop is the skip link, and shown: {skip}"
        self.tab_to("btcusd", f"return document.activeElement.pathname === '{PAGE}'")
        # The table is refreshed in place: the focus stays.
        before = self.text("clock")
        self.advance(60)
        newer = "return document.getElementById('clock').textContent !== arguments[0]"
        self.browser.wait_for("newer figures", newer, before)
        assert self.browser.run(f"return document.activeElement.pathname === '{PAGE}'"), "the focus is lost"
        self.browser.press("Enter")
        self.browser.wait_for("the market page", f"return location.pathname === '{PAGE}'")

    def figures_are_those_of_the_interface(self):
        self.browser.wait_for("all figures", SHOWN)
        ticker, volume = json.loads(self.get("/v2/ticker/btcusd")), json.loads(self.get("/v1/pubticker/btcusd"))["volume"]
        wanted = {name: ticker[name] for name in ("open", "high", "low", "bid", "ask")}
        wanted |= {"last": ticker["close"], "base-volume": rounded(volume["BTC"]), "quote-volume": rounded(volume["USD"])}
        shown = {name: self.text(name) for name in wanted}
        assert shown == wanted, f"{shown}, wanted {wanted}"
        moved = Decimal(ticker["close"]) - Decimal(ticker["open"])
        assert self.text("moved") == f"{moved:+}", self.text("moved")
        table = json.loads(self.get("/site/market.json"))["rows"]
        assert self.text("change") == next(row["change"] for row in table if row["symbol"] == "btcusd")
        assert self.browser.run("return document.title").startswith(f"{ticker['close']} BTC/USD")

    def book_and_trades_are_those_of_the_interface(self):
        book = self.book_is_that_of("btcusd")
        spread = Decimal(book["asks"][0]["price"]) - Decimal(book["bids"][0]["price"])
        assert self.text("spread") == f"{spread} USD"
        self.depth_is_around_the_middle(book)
        assert self.browser.run("return document.querySelectorAll('#depth polygon').length") == 2
        trades = json.loads(self.get("/v1/trades/btcusd?limit_trades=26"))
        moment = lambda trade: time.strftime("%H:%M:%S", time.gmtime(trade["timestamp"]))
        assert self.cells("trades") == [[moment(trade), trade["price"], rounded(trade["amount"])] for trade in trades]
        exact = self.browser.run("return [...document.querySelectorAll('#trades td:last-child')].map((cell) => cell.title)")
        assert exact == [trade["amount"] for trade in trades], exact

    def depth_is_around_the_middle(self, book: dict, farther: int = 0):
        """The axis ends at a level of one side, as far from the middle as its other end, and the sums are of what it holds."""
        low, high = Decimal(self.text("depth-low")), Decimal(self.text("depth-high"))
        assert low + high == Decimal(book["bids"][0]["price"]) + Decimal(book["asks"][0]["price"]), (low, high)
        drawn = {side: [level for level in book[side] if low <= Decimal(level["price"]) <= high] for side in ("bids", "asks")}
        assert low == Decimal(drawn["bids"][-1]["price"]) or high == Decimal(drawn["asks"][-1]["price"]), (low, high)
        sums = {side: rounded(str(sum(Decimal(level["amount"]) for level in levels))) for side, levels in drawn.items()}
        wanted = f"{sums['bids']} BTC bid, {sums['asks']} BTC asked"
        wanted += f"; {farther} level{'s' * (farther > 1)} farther off" if farther else ""
        assert self.text("depth-note") == wanted, f"{self.text('depth-note')}, wanted {wanted}"

    def book_is_that_of(self, symbol: str) -> dict:
        """Compares both sides with the interface, and their sums with rounded exact ones; returns the book."""
        book = json.loads(self.get(f"/v1/book/{symbol}"))
        for side in ("bids", "asks"):
            total, rows = Decimal(0), []
            for level in book[side]:
                total += Decimal(level["amount"])
                rows.append([level["price"], rounded(level["amount"]), rounded(str(total))])
            shown = self.cells(side)
            assert shown == (rows[:12] if side == "bids" else rows[:12][::-1]), f"{side}: {shown}"
        return book

    def legend_is(self, row: list[str]):
        """The line above the candles shows this one, digit by digit."""
        wanted = [*row[1:5], f"{rounded(row[5])} BTC"]
        self.browser.wait_for(f"the candle {row}", f"{LEGEND}.slice(1).join() === arguments[0].join()", wanted)

    def keys_choose_frames_and_candles(self):
        assert self.browser.run(PAINTED) > 200, "no candles are drawn"
        self.legend_is(self.candles("1m")[0])
        self.tab_to("the time frames", "return document.activeElement.name === 'frame'")
        for frame in FRAMES[1:] + FRAMES[:1]:
            self.browser.press("Right")
            self.browser.wait_for(frame, "return document.getElementById('chart').dataset.frame === arguments[0]", frame)
            self.legend_is(self.candles(frame)[0])
            assert self.browser.run("return location.search") == f"?frame={frame}"
        self.tab_to("the chart", "return document.activeElement.id === 'chart'")
        newest = self.candles("1m")
        self.browser.press("Left", "Left")
        self.legend_is(newest[2])
        self.browser.press("Right")
        self.legend_is(newest[1])
        self.browser.press("Escape")
        self.legend_is(newest[0])

    def the_page_follows_the_market(self):
        self.advance(60)
        newest = json.loads(self.get("/v1/trades/btcusd?limit_trades=1"))[0]
        first = f"({CELLS.removeprefix('return ')})[0].slice(1).join() === arguments[1].join()"
        wanted = [newest["price"], rounded(newest["amount"])]
        self.browser.wait_for("the newest trade", f"return {first} && document.querySelector('tr.new')", "trades", wanted)

    def every_screen_fits(self):
        self.browser.run("document.activeElement.blur()")
        for dark in (False, True):
            self.browser.screen(*WIDE, dark=dark)
            self.looks_right("market", dark)
            share = "return document.querySelector('.candles').offsetWidth / innerWidth"
            assert self.browser.run(share) > 0.5, "the candles have most of a wide screen"
            self.browser.screen(*PHONE, dark=dark, phone=True)
            self.looks_right("market-phone", dark)

    def looks_right(self, name: str, dark: bool):
        name += "-dark" if dark else ""
        self.browser.wait_for("the candles in these colours", PAINTED.replace("return count", "return count > 200"))
        lowest = self.browser.run(LOWEST)
        assert lowest[0] >= CONTRAST, f"{name}: too little contrast: {lowest}"
        fits(self.browser, name)
        self.picture(name, whole=True)

    def every_page_fits(self):
        for name, path, is_there in (
            ("front", "/", "return document.getElementById('clock').textContent"),
            ("market", PAGE, SHOWN),
            ("perpetual", PERPETUAL, SHOWN),
            ("docs", "/docs", "return document.querySelectorAll('details').length > 0"),
        ):
            self.browser.open(self.base + path)
            self.browser.wait_for(f"{name} in full", is_there)
            fits_every_screen(self, name)
        self.nothing_wrong()

    def a_perpetual_has_its_figures(self):
        self.browser.screen(*WIDE)
        self.browser.open(self.base + PERPETUAL)
        self.browser.wait_for("all figures", SHOWN)
        symbol = PERPETUAL.rsplit("/", 1)[1]
        risk = json.loads(self.get(f"/v1/riskstats/{symbol}"))
        funding = json.loads(self.get(f"/v1/fundingamount/{symbol}"), parse_float=Decimal, parse_int=Decimal)
        mark = Decimal(risk["mark_price"])
        hour = lambda name: time.strftime("%H:%M", time.gmtime(int(funding[name]) // 1000))
        percent = lambda amount: f"{(amount / mark * 100).quantize(Decimal('0.000001'), ROUND_DOWN):+f} %"
        wanted = {
            "mark": risk["mark_price"], "index": risk["index_price"],
            "funding": percent(funding["estimatedFundingAmount"]), "last-funding": percent(funding["fundingAmount"]),
            "funding-time": f"{hour('nextFundingTimestamp')} UTC",
            "last-funding-time": f"{hour('fundingTimestampMilliSecs')} UTC",
            "open-interest": rounded(risk["open_interest"]),
            "open-interest-value": rounded(risk["open_interest_notional"]),
        }
        shown = {name: self.text(name) for name in wanted}
        assert shown == wanted, f"{shown}, wanted {wanted}"
        assert mark > 0 and Decimal(risk["open_interest"]) > 0, risk
        assert self.browser.run("return document.getElementById('open-interest').title") == risk["open_interest"]
        sent = [url for url in self.browser.requests() if "/v1/" in url or "/v2/" in url]
        assert sent == [], f"calls of the interface: {sent}"
        self.picture("perpetual", whole=True)

    def docs_list_the_contract(self):
        """An entry for each call and each object that is no request; general rules, and the notes of calls."""
        with urllib.request.urlopen(f"{self.base}/openapi.json") as reply:
            contract = json.load(reply)
        plain = [item for item in contract["paths"].values() if not item.get("x-stream")]
        calls = {operation["operationId"] for item in plain for operation in item.values()}
        objects = {name for name in contract["components"]["schemas"] if not name.endswith(("Payload", "Body"))}
        self.browser.screen(*WIDE)
        self.browser.open(f"{self.base}/docs")
        self.browser.wait_for("the entries", "return document.querySelectorAll('details').length > 0")
        shown = self.browser.run("return [...document.querySelectorAll('details')].map((entry) => entry.id)")
        assert sorted(shown) == sorted(calls | objects), set(shown) ^ (calls | objects)
        texts = [contract["info"]["description"]]
        texts += [operation.get("description", "") for item in plain for operation in item.values()]
        text = self.browser.run("return document.getElementById('contract').textContent")
        for part in (part for one in texts for part in one.split("\n\n")):
            assert part.removeprefix("## ").replace("`", "") in text, part
        self.picture("docs")
        self.nothing_wrong()

    def other_pages(self):
        self.browser.screen(*PHONE, phone=True)
        self.browser.open(self.base)
        fits(self.browser, "front")
        self.picture("front-phone")
        # It has no index, so the simulated traders do not quote it.
        self.empty_market("bnbgusdperp", "BNB/GUSD perp")
        self.control("/sandbox/symbols/bnbgusdperp/status", status="closed")
        self.empty_market("bnbgusdperp", "BNB/GUSD perp", is_closed=True)
        self.control("/sandbox/symbols/bnbgusdperp/status", status="open")
        self.nothing_wrong()
        self.browser.open(f"{self.base}/markets/nosuch")
        assert "no symbol nosuch" in self.browser.run("return document.body.innerText")
        fits_every_screen(self, "unknown")
        self.browser.open(f"{self.base}/markets/{'nosuch' * 10}")
        fits_every_screen(self, "unknown-long")
        # The browser reports the status of the page itself.
        assert all("404" in line for line in self.browser.console())

    def empty_market(self, symbol: str, title: str, is_closed: bool = False):
        """The page of a market without trades and orders, which may be closed."""
        self.browser.open(f"{self.base}/markets/{symbol}")
        self.browser.wait_for("the empty market", "return document.getElementById('base-volume').textContent === '0'")
        self.browser.wait_for("its title", "return document.title === arguments[0]", f"{title} – Buttonwood")
        # The data of a page may be a second old.
        status = "return document.getElementById('main').dataset.status === arguments[0]"
        self.browser.wait_for("its status", status, "closed" if is_closed else "open")
        seen = self.browser.run("return document.body.innerText")
        for words in (title, "No trades yet", "No bids", "No asks", "No orders on the book"):
            assert words in seen, f"{words}: {seen}"
        assert ("This market is closed" in seen) == is_closed, seen
        name = "closed" if is_closed else "empty"
        fits(self.browser, name)
        self.picture(f"market-{name}", whole=True)

    def order(self, nonce: int, symbol: str = "elonusd", **fields: str) -> dict:
        """Places a limit order with the key `trader`; returns its account."""
        keys = json.loads(Path(os.environ["BUTTONWOOD_CREDENTIALS"]).read_text())["keys"]
        key = next(key for key in keys if key["name"] == "trader")
        path = "/v1/order/new"
        wanted = {"request": path, "nonce": nonce, "symbol": symbol, "type": "exchange limit", **fields}
        payload = base64.b64encode(json.dumps(wanted).encode())
        signature = hmac.new(key["api_secret"].encode(), payload, "sha384").hexdigest()
        headers = {"X-SVC-APIKEY": key["api_key"], "X-SVC-PAYLOAD": payload.decode(), "X-SVC-SIGNATURE": signature}
        request = urllib.request.Request(self.base + path, b"", {**headers, "Content-Type": "text/plain"})
        with urllib.request.urlopen(request, timeout=30):
            return {"group": key["group"], "account": key["account"]}

    def long_numbers_fit(self):
        """A market whose prices have eleven decimals, with amounts of billions."""
        # Closing it cancels the quotes of the simulated traders, which do nothing while the clock stands still.
        for status in ("closed", "open"):
            self.control("/sandbox/symbols/elonusd/status", status=status)
        account = self.order(1, side="buy", price="0.00001234001", amount="1234567.5")
        self.control("/sandbox/accounts/credit", **account, currency="ELON", amount="99999999999")
        for level in range(13):
            amount = f"{level}123456789.123456".lstrip("0")
            self.order(2 + level, side="sell", price=f"0.000012345{level:02}", amount=amount)
        self.order(20, side="buy", price="0.00001234002", amount="60000.000001")
        self.browser.open(f"{self.base}/markets/elonusd")
        self.browser.wait_for("the book", "return document.getElementById('asks').rows.length === 12")
        self.browser.wait_for("the figures", "return document.getElementById('ask').textContent === '0.00001234500'")
        self.book_is_that_of("elonusd")
        fits_every_screen(self, "market-long")
        self.nothing_wrong()

    def a_far_order_leaves_the_depth_as_it_is(self):
        volumes_are_rounded(self.browser)
        axis_holds_most_of_the_depth(self.browser)
        self.browser.screen(*WIDE)
        before = json.loads(self.get("/v1/book/btcusd"))
        self.order(100, symbol="btcusd", side="buy", price="50000", amount="1.5")
        self.browser.open(self.base + PAGE)
        far = "return document.getElementById('depth-note').textContent.includes('1 level farther off')"
        self.browser.wait_for("the far order", far)
        book = json.loads(self.get("/v1/book/btcusd"))
        assert len(book["bids"]) == len(before["bids"]) + 1
        self.depth_is_around_the_middle(book, farther=1)
        assert Decimal(self.text("depth-low")) > 60000, self.text("depth-low")
        # Each side has stairs over a good part of its half.
        spans = self.browser.run("""return [...document.querySelectorAll('#depth polyline')].map((line) => {
            const places = line.getAttribute('points').split(' ').map((point) => Number(point.split(',')[0]));
            return new Set(places).size })""")
        assert all(steps >= 5 for steps in spans), spans
        self.picture("market-far-order", whole=True)
        self.nothing_wrong()

    def a_hidden_page_is_silent(self):
        self.browser.screen(*WIDE)
        self.browser.open(self.base + PAGE)
        self.browser.wait_for("all figures", SHOWN)
        hide = """Object.defineProperty(document, 'hidden', { configurable: true, get: () => arguments[0] });
            document.dispatchEvent(new Event('visibilitychange'))"""
        self.browser.run(f"const hidden = arguments[0]; {hide.replace('arguments[0]', 'hidden')}", True)
        self.browser.requests()
        # Longer than the book's interval.
        time.sleep(3)
        assert (sent := self.browser.requests()) == [], f"requests of a hidden page: {sent}"
        self.browser.run(f"const hidden = arguments[0]; {hide.replace('arguments[0]', 'hidden')}", False)
        recent = "return performance.now() - performance.getEntriesByType('resource').at(-1).startTime < 1000"
        self.browser.wait_for("a request", recent)

    def failures_are_shown(self):
        """On the page and in the console: an exchange that is gone, refusals, and an answer that the page cannot show."""
        for path, place in (("/", "status"), (PAGE, "status"), ("/docs", "contract")):
            for reply, wanted in FAILURES.items():
                script = f"window.fetch = () => {reply}"
                changed = self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=script)
                self.browser.console()
                self.browser.open(self.base + path)
                shown = "return document.getElementById(arguments[0]).textContent.includes(arguments[1])"
                self.browser.wait_for(f"{wanted} on {path}", shown, place, wanted)
                lines = self.browser.console()
                assert any(wanted in line for line in lines), f"{path} does not log {wanted}: {lines}"
                self.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", **changed)
        self.browser.requests()

    def trouble_is_shown(self):
        self.browser.open(self.base + PAGE)
        self.browser.wait_for("all figures", SHOWN)
        self.control("/sandbox/maintenance", on=True)
        self.browser.wait_for("maintenance", STATUS, "status 503 .Maintenance.*Next request in")
        self.control("/sandbox/maintenance", on=False)
        self.browser.wait_for("the end of maintenance", SHOWN)
        # Public calls of this address are limited, and the page is not: it asks for nothing of them.
        done, limited = threading.Event(), threading.Event()
        crowd = [threading.Thread(target=self.crowd, args=(done, limited)) for _ in range(10)]
        for one in crowd:
            one.start()
        try:
            assert limited.wait(30), "no call is limited"
            self.browser.open(self.base + PAGE)
            self.browser.wait_for("all figures beside the crowd", SHOWN)
        finally:
            done.set()
            for one in crowd:
                one.join()

    def crowd(self, done: threading.Event, limited: threading.Event):
        """Takes every token of this address."""
        while not done.is_set():
            try:
                self.get("/v1/symbols")
            except OSError:
                limited.set()
                done.wait(0.05)


def main():
    base, folder = sys.argv[1], Path(sys.argv[2])
    for picture in folder.glob("*.png"):
        picture.unlink()
    browser = Browser(folder / "chromedriver.log")
    pages = Pages(base, folder, browser)
    try:
        for _ in range(100):
            pages.advance(60)
        for check in (
            pages.front_page_leads_to_the_market,
            pages.figures_are_those_of_the_interface,
            pages.book_and_trades_are_those_of_the_interface,
            pages.keys_choose_frames_and_candles,
            pages.the_page_follows_the_market,
            pages.every_screen_fits,
            pages.nothing_wrong,
            pages.every_page_fits,
            pages.a_perpetual_has_its_figures,
            pages.docs_list_the_contract,
            pages.other_pages,
            pages.long_numbers_fit,
            pages.a_far_order_leaves_the_depth_as_it_is,
            pages.a_hidden_page_is_silent,
            pages.failures_are_shown,
            pages.trouble_is_shown,
        ):
            start = time.monotonic()
            check()
            print(f"ok     {check.__name__.replace('_', ' ')} ({time.monotonic() - start:.1f} s)", flush=True)
    except BaseException:
        pages.picture("failed")
        raise
    finally:
        browser.close()


if __name__ == "__main__":
    main()
