"""Chromium through chromedriver: the few calls of the W3C WebDriver protocol that the tests of the pages need."""

import base64
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

PATIENCE = 30.0
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Left": "\ue012", "Right": "\ue014", "Escape": "\ue00c"}
OPTIONS = [
    "--headless=new", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
    # Nothing of the browser itself may reach another host.
    "--disable-background-networking", "--disable-component-update", "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


def call(url: str, body: dict | None = None, method: str | None = None):
    """A JSON call; an HTTP error raises with the answer's text."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE * 2) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{url}: {error.code} {error.read().decode()}") from error


class Browser:
    """One window."""

    def __init__(self, log: Path):
        self.log = log.open("w")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=self.log, text=True)
        try:
            self.session = self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> str:
        for line in self.driver.stdout:
            if found := re.search(r"successfully on port (\d+)", line):
                break
        else:
            raise RuntimeError("chromedriver ended before it listened")
        # Chromium's own sandbox does not work for root.
        chrome = {"args": OPTIONS + ["--no-sandbox"] * (os.geteuid() == 0)}
        logs = {"browser": "ALL", "performance": "ALL"}
        wanted = {"browserName": "chrome", "goog:chromeOptions": chrome, "goog:loggingPrefs": logs}
        base = f"http://127.0.0.1:{found[1]}/session"
        session = call(base, {"capabilities": {"alwaysMatch": wanted}})["value"]["sessionId"]
        return f"{base}/{session}"

    def close(self):
        if hasattr(self, "session"):
            call(self.session, method="DELETE")
        self.driver.terminate()
        self.driver.wait()
        self.log.close()

    def post(self, path: str, **body):
        return call(f"{self.session}/{path}", body)["value"]

    def open(self, url: str):
        self.post("url", url=url)

    def run(self, script: str, *args):
        """Runs a function body in the page and returns its value."""
        return self.post("execute/sync", script=script, args=list(args))

    def wait_for(self, what: str, script: str, *args):
        """Repeats a script until it returns something true."""
        end = time.monotonic() + PATIENCE
        while True:
            if value := self.run(script, *args):
                return value
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for {what}; the page:\n{self.run('return document.body.innerText')}")
            time.sleep(0.05)

    def press(self, *keys: str):
        taps = [step for key in keys for step in ("keyDown", "keyUp")]
        values = [KEYS.get(key, key) for key in keys for _ in range(2)]
        actions = [{"type": step, "value": value} for step, value in zip(taps, values)]
        self.post("actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def devtools(self, command: str, **params):
        return self.post("goog/cdp/execute", cmd=command, params=params)

    def add_authenticator(self):
        """An authenticator of this device, whose user is always there and verified."""
        self.post("webauthn/authenticator", protocol="ctap2", transport="internal", hasResidentKey=True, hasUserVerification=True,
                  isUserVerified=True)

    def screen(self, width: int, height: int, dark: bool = False, phone: bool = False):
        """The size of the page in CSS pixels, and what its user prefers: these colours, and no motion, for steady pictures."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        preferences = {"prefers-color-scheme": "dark" if dark else "light", "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in preferences.items()]
        self.devtools("Emulation.setEmulatedMedia", features=features)

    def screenshot(self, path: Path, whole: bool = False):
        picture = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(picture["data"]))

    def console(self) -> list[str]:
        """What the page has written to the console since the last call."""
        return [f"{entry['level']}: {entry['message']}" for entry in self.post("se/log", type="browser")]

    def requests(self) -> list[str]:
        """The addresses that the page has requested since the last call."""
        entries = [json.loads(entry["message"])["message"] for entry in self.post("se/log", type="performance")]
        sent = [entry["params"] for entry in entries if entry["method"] == "Network.requestWillBeSent"]
        return [request["request"]["url"] for request in sent]
