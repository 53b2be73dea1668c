"""How fast the pages are in chromium, against a running sandbox whose clock is real and whose rates are off.

Started by `cargo xtask browser speed` as `speed.py BASE_URL FOLDER`; BUTTONWOOD_CREDENTIALS names its `credentials.json`. Prints figures and
asserts nothing, since they are those of one machine. BUTTONWOOD_MINUTES is how long the page is watched under load: 1 unless it is set.
"""

import os
import sys
import threading
import time
from pathlib import Path

from bot import Bots
from visit import LAPTOP, Visit, run

PAGE = "/trade/btcusd"
PAGES = ["/", "/docs", "/predictions", "/account", "/account/money", "/account/clearing", "/account/staking", "/account/statement", "/operator",
         "/console", "/console/calls", "/console/requests", "/signin", "/settings"]
UPDATES = 100
SENT = """const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
const own = all.filter((one) => new URL(one.name).origin === location.origin);
const files = own.filter(({ name }) => name.includes('/site/') && /[.](js|css|svg)$/.test(name));
const sum = (list) => Math.round(list.reduce((total, one) => total + one.encodedBodySize, 0) / 1000);
return { files: files.length, 'kB of files': sum(files), 'kB in all': sum(own) }"""
# Installed before the page: when book and ticket can be used, shifts, long tasks, frames and calls.
WATCH = """
window.seen = { shift: 0, long: [], frames: [], book: 0, ticket: 0, drawn: [] };
new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.seen.shift += one.hadRecentInput ? 0 : one.value)))
  .observe({ type: 'layout-shift', buffered: true });
new PerformanceObserver((list) => list.getEntries().forEach((one) => window.seen.long.push(one.duration)))
  .observe({ type: 'longtask', buffered: true });
let last = 0;
const frame = (now) => {
  if (last) window.seen.frames.push(now - last);
  last = now;
  if (!window.seen.book && document.querySelector('[data-book] [data-price]')) window.seen.book = performance.now();
  const send = document.querySelector('form[name=order] [name=price]');
  if (!window.seen.ticket && send && !send.disabled) window.seen.ticket = performance.now();
  requestAnimationFrame(frame);
};
requestAnimationFrame(frame);
"""
# From a socket's message to the frame that shows it.
DRAWN = """
const real = window.WebSocket;
window.WebSocket = class extends real {
  set onmessage(hear) {
    super.onmessage = (event) => {
      const isBook = event.data.includes('depthUpdate');
      const begun = performance.now();
      hear(event);
      if (isBook) requestAnimationFrame(() => setTimeout(() => window.seen.drawn.push(performance.now() - begun)));
    };
  }
  get onmessage() { return super.onmessage; }
};
"""
CLICK = """const done = arguments[0];
const real = window.fetch;
const button = document.querySelector('form[name=order] [type=submit]');
let pressed = 0;
window.fetch = (url, options) => {
  if (String(url).endsWith('/site/call') && pressed) {
    done(performance.now() - pressed);
    pressed = 0;
    window.fetch = real;
  }
  return real(url, options);
};
pressed = performance.now();
button.click();"""
TIMED = """const [path, body, done] = arguments;
import('/site/call.js').then(async ({ get, post }) => {
  const taken = [];
  for (let at = 0; at < 200; at++) {
    const begun = performance.now();
    await (body ? post(path, body) : get(path));
    taken.push(performance.now() - begun);
  }
  done(taken);
});"""


def percentile(list_of: list[float], part: float) -> str:
    ranked = sorted(list_of)
    return f"{ranked[min(len(ranked) - 1, int(len(ranked) * part))]:.1f}" if ranked else "none"


class Load(threading.Thread):
    """Places and cancels orders: so many changes of the book in a second."""

    def __init__(self, bots: Bots, price: str):
        super().__init__(daemon=True)
        self.bots, self.price, self.is_wanted, self.count = bots, price, True, 0

    def run(self):
        due, waiting = time.monotonic(), []
        while self.is_wanted:
            if len(waiting) < 10:
                price = f"{float(self.price) - self.count % 40 * 0.5:.2f}"
                _, order = self.bots.call("counterparty", "/v1/order/new", symbol="btcusd", side="buy", type="exchange limit", price=price,
                                          amount=f"0.{self.count % 9 + 1}")
                waiting.append(order["order_id"])
            else:
                self.bots.call("counterparty", "/v1/order/cancel", order_id=waiting.pop(0))
            self.count += 1
            due += 1 / UPDATES
            time.sleep(max(0.0, due - time.monotonic()))


class Speed(Visit):
    """The figures, each as a line."""

    def checks(self):
        return [self.sizes, self.cold_starts, self.calls, self.a_click, self.under_load, self.hidden]

    def say(self, words: str):
        print(f"       {words}", flush=True)

    def metrics(self) -> dict[str, float]:
        return {one["name"]: one["value"] for one in self.browser.devtools("Performance.getMetrics")["metrics"]}

    def sizes(self):
        self.browser.screen(*LAPTOP)
        self.browser.devtools("Performance.enable")
        for path in [PAGE, *PAGES]:
            self.sign_in("operator@house.test" if path == "/operator" else "owner@one.test")
            self.browser.devtools("Network.clearBrowserCache")
            self.open(path)
            time.sleep(1.5)
            self.say(f"{path}: {self.browser.run(SENT)}")
        self.sign_out()

    def cold_starts(self):
        self.sign_in("trader@one.test")
        script = self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCH + DRAWN)["identifier"]
        for slower in (1, 4):
            self.browser.devtools("Emulation.setCPUThrottlingRate", rate=slower)
            for _ in range(3):
                self.browser.open("about:blank")
                self.browser.devtools("Network.clearBrowserCache")
                self.open(PAGE)
                self.region("book", "live")
                self.browser.wait_for("the ticket", "return window.seen.ticket")
                time.sleep(2)
                seen = self.browser.run("return window.seen")
                self.say(f"at 1/{slower} of the speed: book after {seen['book']:.0f} ms, ticket after {seen['ticket']:.0f} ms, shift "
                         f"{seen['shift']:.3f}, longest task {max(seen['long'], default=0):.0f} ms")
        self.browser.devtools("Emulation.setCPUThrottlingRate", rate=1)
        assert script

    def calls(self):
        order = {"symbol": "btcusd", "side": "buy", "type": "exchange limit", "price": "100", "amount": "0.1"}
        placed = self.call("/v1/order/new", **order)
        asked = {
            "order status": ("/site/call", {"request": "/v1/order/status", "order_id": placed["order_id"]}),
            "preview of one that rests": ("/site/preview", {"request": "/v1/order/new", **order}),
            "preview of one that trades": ("/site/preview", {"request": "/v1/order/new", **order, "price": "900000", "amount": "0.01"}),
            "queue": ("/site/queue?symbol=btcusd", None),
        }
        for what, (path, body) in asked.items():
            taken = self.browser.post("execute/async", script=TIMED, args=[path, body])
            self.say(f"{what}: p50 {percentile(taken, 0.5)} ms, p95 {percentile(taken, 0.95)} ms")
        self.call("/v1/order/cancel/all")

    def a_click(self):
        self.write("form[name=order] [name=price]", "100")
        taken = []
        for _ in range(40):
            self.write("form[name=order] [name=amount]", "0.01")
            self.browser.wait_for("the button", "return !document.querySelector('form[name=order] [type=submit]').disabled")
            time.sleep(0.1)
            taken.append(self.browser.post("execute/async", script=CLICK, args=[]))
        self.say(f"click to request: p50 {percentile(taken, 0.5)} ms, p95 {percentile(taken, 0.95)} ms")
        self.call("/v1/order/cancel/all")

    def heap(self) -> float:
        for _ in range(3):
            self.browser.devtools("HeapProfiler.collectGarbage")
        return self.metrics()["JSHeapUsedSize"] / 1e6

    def under_load(self):
        self.open(PAGE)
        self.region("book", "live")
        bid = self.browser.run("return document.querySelector('[data-book=bids] [data-price]').dataset.price")
        load = Load(Bots(self.base), bid)
        load.start()
        time.sleep(5)
        minutes = float(os.environ.get("BUTTONWOOD_MINUTES", "1"))
        heap, before, orders, begun = self.heap(), self.metrics(), load.count, time.monotonic()
        self.browser.run("Object.assign(window.seen, { frames: [], long: [], drawn: [] })")
        time.sleep(60 * minutes)
        after, seen, spent = self.metrics(), self.browser.run("return window.seen"), time.monotonic() - begun
        busy = 100 * (after["TaskDuration"] - before["TaskDuration"]) / spent
        self.say(f"{(load.count - orders) / spent:.0f} updates a second for {minutes:g} min: main thread {busy:.0f} % busy, frame p95 "
                 f"{percentile(seen['frames'], 0.95)} ms, tasks over 50 ms: {len(seen['long'])}, message to screen p95 "
                 f"{percentile(seen['drawn'], 0.95)} ms, heap {self.heap() - heap:+.1f} MB")
        self.load = load

    def hidden(self):
        minutes = float(os.environ.get("BUTTONWOOD_MINUTES", "1")) / 3
        heap = self.heap()
        self.browser.devtools("Page.setWebLifecycleState", state="frozen")
        time.sleep(60 * minutes)
        self.browser.devtools("Page.setWebLifecycleState", state="active")
        begun = time.monotonic()
        self.region("book", "live")
        self.say(f"after {minutes:g} min frozen: live after {time.monotonic() - begun:.2f} s, heap {self.heap() - heap:+.1f} MB")
        self.load.is_wanted = False
        self.load.join()


if __name__ == "__main__":
    run("speed", sys.argv[1], Path(sys.argv[2]), Speed)
