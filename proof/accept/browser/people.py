"""The pages of people in chromium, against a running sandbox: signing up and in, settings, consent.

Started by `cargo xtask browser` as `people.py BASE_URL FOLDER`, with the path of `credentials.json` in BUTTONWOOD_CREDENTIALS. The
sandbox's clock is manual. Prints a line per check and leaves pictures of the pages in the folder.
"""

import base64
import hmac
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from axe import is_clean
from fitting import fits
from webdriver import Browser, call

WIDE, PHONE = (1280, 900), (360, 780)
EMAIL, PASSWORD = "ada@people.test", "seven green turtles sing"
CALLBACK = ("127.0.0.1", 8787)
MESSAGE = "return document.getElementById('message').textContent"
FOCUSED = "return document.activeElement.id === arguments[0]"


def totp(secret: str, now_ms: int) -> str:
    """The code of a secret (RFC 6238)."""
    digest = hmac.digest(base64.b32decode(secret + "=" * (-len(secret) % 8)), (now_ms // 30_000).to_bytes(8, "big"), "sha1")
    at = digest[19] & 15
    return f"{(int.from_bytes(digest[at:at + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


class Client:
    """The app at the other end of a redirect: notes the queries that reach it."""

    def __init__(self):
        self.queries = []
        queries = self.queries

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path.startswith("/callback"):
                    queries.append(dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query)))
                page = b'<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,"><main id="app">The app</main>'
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *_):
                pass

        self.server = HTTPServer(CALLBACK, Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class People:
    """The checks, in order; each starts where the one before it ended."""

    def __init__(self, base: str, folder: Path, browser: Browser):
        self.base, self.folder, self.browser = base, folder, browser
        self.credentials = json.loads(Path(os.environ["BUTTONWOOD_CREDENTIALS"]).read_text())

    def now_ms(self) -> int:
        return call(f"{self.base}/sandbox/clock")["now_ms"]

    def mail(self, address: str) -> dict:
        """The newest mail to an address."""
        return call(f"{self.base}/sandbox/mail?to={urllib.parse.quote(address)}")["messages"][-1]

    def at(self, path: str):
        self.browser.wait_for(path, "return location.pathname === arguments[0] && document.readyState === 'complete'", path)

    def shown(self, identity: str):
        self.browser.wait_for(identity, "return document.getElementById(arguments[0])?.checkVisibility()", identity)

    def fill(self, **fields: str):
        """Types into inputs by their names, in the form that is shown."""
        for name, text in fields.items():
            found = self.browser.run("""const all = [...document.getElementsByName(arguments[0])];
                const shown = all.find((one) => one.checkVisibility());
                shown?.focus(); shown?.select(); return Boolean(shown)""", name)
            assert found, f"no input '{name}' is shown"
            self.browser.press(*text)

    def click(self, text: str):
        """Presses the button with this text."""
        found = self.browser.run("""const all = [...document.querySelectorAll('button, a')];
            const shown = all.find((one) => one.textContent.trim() === arguments[0] && one.checkVisibility());
            shown?.click(); return Boolean(shown)""", text)
        assert found, f"no button '{text}' is shown"

    def nothing_wrong(self):
        """No line in the console, no request to another host, and none that failed."""
        # Hints of Chromium's: a form that sets a password by a link does not know its user's address; passkeys are ES256 alone.
        lines = [line for line in self.browser.console() if not line.startswith("DEBUG: ") and "pubKeyCredParams" not in line]
        assert lines == [], lines
        entries = [json.loads(entry["message"])["message"] for entry in self.browser.post("se/log", type="performance")]
        for entry in entries:
            kind, params = entry["method"], entry["params"]
            assert kind != "Network.loadingFailed" or params.get("canceled"), params
            if kind == "Network.responseReceived":
                assert params["response"]["status"] < 400, params["response"]["url"]
            if kind == "Network.requestWillBeSent":
                url = params["request"]["url"]
                own = (self.base + "/", "http://127.0.0.1:8787/", "data:", "about:", "chrome:")
                assert url.startswith(own), f"a request to another host: {url}"

    def looks_right(self, name: str):
        """The page on a phone and on a wide screen, light and dark; leaves four pictures."""
        for width, height in (PHONE, WIDE):
            self.browser.screen(width, height, phone=width < 500)
            is_clean(self.browser, f"{name} at {width}")
            for dark in (False, True):
                self.browser.screen(width, height, dark=dark, phone=width < 500)
                fits(self.browser, name)
                shade = "dark" if dark else "light"
                self.browser.screenshot(self.folder / f"people-{name}-{width}-{shade}.png", True)
        self.browser.screen(*WIDE)
        ids = self.browser.run("""return [...document.querySelectorAll('input, select, textarea')].filter((one) => one.type !== 'hidden'
            && !one.labels?.length && !one.ariaLabel).map((one) => one.outerHTML)""")
        assert ids == [], f"{name}: inputs without a label: {ids}"
        for selector in ("h1", "main", "title"):
            count = self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)
            assert count == 1, f"{name}: {count} of {selector}"

    def someone_signs_up(self):
        self.browser.open(f"{self.base}/signup")
        self.shown("signup")
        self.looks_right("signup")
        self.fill(name="Ada", email=EMAIL, password=PASSWORD)
        self.browser.press("Enter")
        self.shown("sent")
        assert self.browser.run(FOCUSED, "sent"), "the focus follows"
        mail = self.mail(EMAIL)
        assert mail["token"] in mail["link"], mail
        self.shown("door-mail")
        self.looks_right("signup-mail")
        text = self.browser.run("return document.getElementById('door-mail').textContent")
        assert mail["subject"] in text and mail["link"] in text, text
        self.browser.run("document.getElementById('sent').focus()")
        self.tab_to("document.activeElement.matches('#door-mail a')")
        self.browser.press("Enter")
        self.shown("confirm")
        assert mail["token"] not in self.browser.run("return location.href"), "the token stays in the address"
        self.click("Confirm the address")
        self.shown("confirmed")
        self.nothing_wrong()

    def another_browser_is_asked_for_the_password(self):
        """Its link is good: no word calls it bad before a password was tried."""
        address = "cleo@people.test"
        self.browser.open(f"{self.base}/signup")
        self.shown("signup")
        self.fill(name="Cleo", email=address, password=PASSWORD)
        self.browser.press("Enter")
        self.shown("sent")
        self.browser.devtools("Network.clearBrowserCookies")
        link = urllib.parse.urlsplit(self.mail(address)["link"])
        self.browser.open(f"{self.base}{link.path}?{link.query}")
        self.shown("confirm")
        self.click("Confirm the address")
        self.shown("proof-password")
        text, kind = self.browser.run("const { textContent, className } = document.getElementById('message'); return [textContent, className]")
        assert text == "This is not the browser that signed up: give the password that you chose." and "bad" not in kind, (text, kind)
        assert self.browser.run("return document.activeElement.id") == "proof-password"
        self.looks_right("confirm-elsewhere")
        self.fill(password="not this one")
        self.click("Confirm the address")
        self.browser.wait_for("the refusal", "return document.getElementById('message').textContent.startsWith('This link is unknown')")
        self.fill(password=PASSWORD)
        self.click("Confirm the address")
        self.shown("confirmed")
        # Both refusals were wanted.
        self.browser.console()
        self.browser.post("se/log", type="performance")

    def the_first_sign_in_enrols(self):
        self.click("Sign in")
        self.at("/signin")
        self.shown("signin")
        self.looks_right("signin")
        self.fill(email=EMAIL, password=PASSWORD)
        self.browser.press("Enter")
        self.shown("enrol")
        self.looks_right("enrol")
        secret = self.browser.run("return document.getElementById('secret').textContent")
        uri = self.browser.run("return document.getElementById('uri').href")
        assert uri.startswith("otpauth://totp/Buttonwood:") and f"secret={secret}" in uri, uri
        drawn = self.browser.run("""const code = document.querySelector('#qr svg');
            const dark = code?.querySelector('path').getAttribute('d').match(/M/g)?.length ?? 0;
            return [code?.checkVisibility() ?? false, code?.getAttribute('aria-label'), dark]""")
        assert drawn[0] and drawn[1] and drawn[2] > 100, f"the secret has no QR code: {drawn}"
        self.fill(code=totp(secret, self.now_ms()))
        self.browser.press("Enter")
        self.shown("recovery")
        codes = self.browser.run("return [...document.querySelectorAll('#recovery-codes code')].map((one) => one.textContent)")
        assert len(set(codes)) == 10, codes
        self.click("Continue")
        self.at("/account")
        self.browser.open(f"{self.base}/settings/security")
        self.browser.wait_for("the name", "return document.getElementById('user-name').textContent === 'Ada'")
        self.nothing_wrong()

    def keys_are_kept(self):
        self.browser.open(f"{self.base}/settings/keys")
        self.browser.wait_for("the list", "return document.getElementById('no-keys').checkVisibility()")
        first = self.browser.run("return document.querySelector('main section').getAttribute('aria-labelledby')")
        assert first == "new-title", "the form stands above the list"
        self.make_key("bot")
        self.browser.wait_for("the secret", "return document.querySelectorAll('#secret code').length === 2")
        assert self.browser.run(FOCUSED, "secret"), "the focus follows"
        key, secret = self.browser.run("return [...document.querySelectorAll('#secret code')].map((one) => one.textContent)")
        self.looks_right("keys")
        self.copies("API key", key)
        self.copies("API secret", secret)
        assert self.signed(key, secret) == (200, []), "the new key is used"
        self.click("Rename bot")
        self.shown("rename")
        self.looks_right("keys-rename")
        self.browser.run("document.getElementById('rename-name').focus(); document.activeElement.select()")
        self.browser.press(*"robot", "Enter")
        self.said("The key is named robot now.")
        self.click("Disable robot")
        self.shown("stop")
        self.looks_right("keys-disable")
        self.click("Disable the key")
        self.said("robot is disabled.")
        status, body = self.signed(key, secret)
        assert (status, body["reason"]) == (403, "InvalidApiKey"), body
        self.click("Enable robot")
        self.said("robot is enabled.")
        assert self.signed(key, secret) == (200, []), "it is enabled"
        self.make_key("robot")
        self.browser.wait_for("the refusal", MESSAGE + ".startsWith('Name must be')")
        # Chromium notes the refusal, 400, by itself.
        assert all("400" in line for line in self.browser.console())
        self.browser.post("se/log", type="performance")
        self.click("Delete robot")
        self.shown("stop")
        self.browser.run("document.getElementById('cancel_orders').click()")
        self.click("Delete the key")
        self.said("robot is deleted.")
        self.browser.wait_for("no key", "return document.getElementById('no-keys').checkVisibility()")
        status, body = self.signed(key, secret)
        assert (status, body["reason"]) == (403, "InvalidApiKey"), body
        text = self.browser.run("return document.documentElement.outerHTML")
        assert secret not in text, "the secret is still in the page"
        self.nothing_wrong()

    def copies(self, about: str, text: str):
        """A button puts the text where a paste takes it from."""
        self.browser.run("""window.copied = '';
            navigator.clipboard.writeText = async (text) => { window.copied = text; }""")
        self.click(f"Copy {about}")
        self.browser.wait_for(about, "return window.copied === arguments[0]", text)
        self.browser.wait_for("the word", "return document.getElementById('secret').textContent.includes('Copied')")

    def a_new_code_loses_nothing(self):
        """A form whose code is too old asks for one where it stands; what was typed is still there, and is sent then."""
        self.browser.open(f"{self.base}/settings/keys")
        self.browser.wait_for("the list", "return document.getElementById('no-keys').checkVisibility()")
        call(f"{self.base}/sandbox/clock/advance", {"seconds": 301, "sessions": True})
        self.browser.screen(*PHONE, phone=True)
        self.fill(name="fenced", **{"from": "127.0.0.0/8"})
        self.browser.run("document.getElementById('role-Trader').click(); document.getElementById('name').focus()")
        self.browser.press("Enter")
        self.shown("new-code")
        assert self.browser.run(FOCUSED, "new-code"), "the focus is in the dialog"
        self.looks_right("keys-new-code")
        self.browser.press("Escape")
        self.browser.wait_for("its end", "return document.querySelector('dialog') === null")
        kept = self.browser.run("return ['name', 'from'].map((id) => document.getElementById(id).value)")
        assert kept == ["fenced", "127.0.0.0/8"], kept
        self.browser.run("document.getElementById('name').focus()")
        self.browser.press("Enter")
        self.shown("new-code")
        hint = self.browser.run("return document.querySelector('dialog').textContent")
        assert "9999999" in hint and "/site/" not in hint, hint
        self.browser.press(*"000000", "Enter")
        self.browser.wait_for("the refusal", "return document.querySelector('dialog [role=alert]').textContent.startsWith('This code is wrong')")
        self.browser.press(*"9999999", "Enter")
        self.browser.wait_for("the key", "return document.querySelectorAll('#secret code').length === 2")
        text = self.browser.run("return document.getElementById('keys').textContent")
        assert "fenced" in text and "only from 127.0.0.0/8" in text, text
        self.browser.screen(*WIDE)
        self.click("Delete fenced")
        self.shown("stop")
        self.click("Delete the key")
        self.said("fenced is deleted.")
        # Chromium notes the refusals by itself: codes that are too old, and a wrong one.
        assert all("403" in line or "401" in line or line.startswith("DEBUG: ") for line in self.browser.console())
        self.browser.post("se/log", type="performance")

    def tab_to(self, wanted: str):
        """Moves the focus by the keyboard until this is true."""
        for _ in range(40):
            if self.browser.run(f"return {wanted}"):
                return
            self.browser.press("Tab")
        raise AssertionError(f"no way by the keyboard to {wanted}")

    def make_key(self, name: str):
        self.fill(name=name)
        self.browser.run("document.getElementById('role-Trader').click()")
        self.click("Make the key")

    def said(self, sentence: str):
        self.browser.wait_for(sentence, MESSAGE + " === arguments[0]", sentence)
        assert self.browser.run(FOCUSED, "message"), "the focus is at the message"

    def signed(self, key: str, secret: str):
        """The status and the body of a call that a key signs."""
        self.nonce = max(time.time_ns(), getattr(self, "nonce", 0) + 1)
        payload = base64.b64encode(json.dumps({"request": "/v1/orders", "nonce": self.nonce}).encode())
        headers = {"X-SVC-APIKEY": key, "X-SVC-PAYLOAD": payload.decode(),
                   "X-SVC-SIGNATURE": hmac.digest(secret.encode(), payload, "sha384").hex()}
        request = urllib.request.Request(f"{self.base}/v1/orders", data=b"", headers=headers, method="POST")
        try:
            with urllib.request.urlopen(request) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.load(refusal)

    def settings_fit_and_sign_out(self):
        self.looks_right("security")
        self.browser.open(f"{self.base}/settings/apps")
        self.browser.wait_for("the lists", "return document.getElementById('no-apps').checkVisibility()")
        self.fill(name="Lens", redirect_uris="https://lens.example/cb")
        self.browser.run("document.getElementById('balances-read').click()")
        self.click("Register")
        self.browser.wait_for("the secret", "return document.querySelectorAll('#secret code').length === 2")
        assert self.browser.run(FOCUSED, "secret"), "the focus follows"
        self.looks_right("apps")
        self.click("Delete Lens")
        self.browser.wait_for("the end of the app", "return document.getElementById('apps').children.length === 0")
        self.browser.open(f"{self.base}/settings/sessions")
        self.browser.wait_for("the session", "return document.querySelectorAll('#sessions li').length === 1")
        self.looks_right("sessions")
        self.browser.run("document.getElementById('signout').click()")
        self.at("/signin")
        self.browser.open(f"{self.base}/settings/apps")
        self.at("/signin")
        self.nothing_wrong()

    def a_wrong_password_is_said(self):
        self.browser.open(f"{self.base}/signin")
        self.shown("signin")
        self.fill(email="trader@one.test", password="wrong")
        self.browser.press("Enter")
        self.said("The e-mail address or the password is wrong.")
        # Chromium notes the refusal, 401, by itself.
        assert all("401" in line for line in self.browser.console())
        self.browser.post("se/log", type="performance")

    def a_test_user_signs_in_by_a_button(self):
        self.browser.open("about:blank")
        self.browser.devtools("Network.clearBrowserCookies")
        self.browser.open(f"{self.base}/signin")
        self.shown("door")
        self.looks_right("door")
        listed = self.browser.run("return [...document.querySelectorAll('#door [data-user]')].map((one) => one.dataset.user)")
        assert listed == [user["email"] for user in self.credentials["users"]], listed
        assert "credentials.json" in self.browser.run("return document.getElementById('door').textContent")
        self.browser.screen(*PHONE, phone=True)
        self.tab_to("document.activeElement.dataset.user === 'trader@one.test'")
        self.browser.press("Enter")
        self.at("/account")
        self.browser.screen(*WIDE)
        self.nothing_wrong()
        self.browser.open(f"{self.base}/settings/sessions")
        self.browser.wait_for("the session", "return document.querySelectorAll('#sessions li').length > 0")
        self.browser.run("document.getElementById('signout').click()")
        self.at("/signin")
        self.nothing_wrong()

    def the_bypass_signs_in(self):
        trader = next(user for user in self.credentials["users"] if user["email"] == "trader@one.test")
        self.browser.open(f"{self.base}/signin?next=%2Fsettings%2Fsessions")
        self.shown("signin")
        self.fill(email=trader["email"], password=trader["password"])
        self.browser.press("Enter")
        self.shown("code-form")
        self.looks_right("code")
        assert "9999999" in self.browser.run("return document.getElementById('code-form').textContent"), "the page says the code"
        assert not self.browser.run("return document.getElementById('door').checkVisibility()"), "the users stand beside the password"
        self.fill(code="000000")
        self.browser.press("Enter")
        self.said("This code is wrong, too old, or was used before.")
        assert all("401" in line for line in self.browser.console())
        self.browser.post("se/log", type="performance")
        self.fill(code="9999999")
        self.browser.press("Enter")
        self.at("/settings/sessions")
        self.browser.wait_for("the session", "return document.querySelectorAll('#sessions li').length > 0")
        self.nothing_wrong()

    def consent_leads_to_the_app(self):
        app = next(one for one in self.credentials["oauth_clients"] if one["name"] == "app")
        asked = {"client_id": app["client_id"], "redirect_uri": f"http://{CALLBACK[0]}:{CALLBACK[1]}/callback",
                 "response_type": "code", "scope": "balances:read,orders:read", "state": "a b&c"}
        client = Client()
        try:
            for decision, wanted in (("allow", "code"), ("deny", "error")):
                self.browser.open(f"{self.base}/auth?{urllib.parse.urlencode(asked)}")
                self.at("/auth")
                if decision == "allow":
                    self.looks_right("consent")
                self.browser.run("document.querySelector(`button[name=decision][value=${arguments[0]}]`).click()", decision)
                self.browser.wait_for("the app", "return document.getElementById('app') !== null")
                query = client.queries[-1]
                assert query["state"] == "a b&c" and query["iss"] and query[wanted], query
            assert query["error"] == "access_denied", query
            self.nothing_wrong()
            self.browser.open(f"{self.base}/auth?client_id=none")
            self.looks_right("consent-error")
            # Chromium notes the status, 400, by itself.
            assert all("400" in line for line in self.browser.console())
            self.browser.post("se/log", type="performance")
        finally:
            client.close()

    def password_page_fits(self):
        self.browser.open(f"{self.base}/password")
        self.shown("forgot")
        self.looks_right("password")
        self.fill(email=EMAIL)
        self.browser.press("Enter")
        self.shown("sent")
        self.browser.open(self.mail(EMAIL)["link"])
        self.shown("reset")
        self.fill(password="nine amber violins hum")
        self.browser.press("Enter")
        self.shown("changed")
        self.nothing_wrong()

    def passkeys_need_a_name(self):
        self.browser.open(f"{self.base}/settings/security")
        self.shown("passkey-note")
        self.browser.run("document.getElementById('signout').click()")
        self.at("/signin")
        self.shown("passkey-note")
        note = self.browser.run("return document.getElementById('passkey-note').textContent")
        assert "localhost" in note, note
        assert self.browser.run("return document.getElementById('passkey').disabled"), "a button that cannot work"
        self.nothing_wrong()

    def a_passkey_enrols_and_signs_in(self):
        """At `localhost`, with an authenticator of the browser's own."""
        self.base = self.base.replace("127.0.0.1", "localhost")
        self.browser.add_authenticator()
        self.browser.open(f"{self.base}/signup")
        self.shown("signup")
        self.fill(name="Bea", email="bea@people.test", password=PASSWORD)
        self.browser.press("Enter")
        self.shown("sent")
        self.browser.open(self.mail("bea@people.test")["link"].replace("127.0.0.1", "localhost"))
        self.shown("confirm")
        self.click("Confirm the address")
        self.shown("confirmed")
        self.click("Sign in")
        self.at("/signin")
        self.shown("signin")
        self.fill(email="bea@people.test", password=PASSWORD)
        self.browser.press("Enter")
        self.shown("enrol-passkey")
        self.looks_right("enrol-passkey")
        self.fill(name="This device")
        self.browser.press("Enter")
        self.shown("recovery")
        self.click("Continue")
        self.at("/account")
        self.browser.open(f"{self.base}/settings/security")
        self.browser.wait_for("the passkey", "return document.querySelectorAll('#passkeys li').length === 1")
        self.looks_right("passkeys")
        self.fill(name="Once more")
        self.browser.press("Enter")
        self.browser.wait_for("the refusal of the device", MESSAGE + ".includes('already')")
        self.browser.run("document.getElementById('signout').click()")
        self.at("/signin")
        self.shown("passkey")
        self.click("Sign in with a passkey")
        self.at("/account")
        self.browser.open(f"{self.base}/settings/security")
        self.browser.wait_for("the passkey", "return document.querySelectorAll('#passkeys li').length === 1")
        self.nothing_wrong()
        self.click("Remove This device")
        self.browser.wait_for("the refusal of the last factor", MESSAGE + ".includes('only second factor')")
        # Chromium notes the refusal, 400, by itself.
        assert all("400" in line or "pubKeyCredParams" in line for line in self.browser.console())
        self.browser.post("se/log", type="performance")


def main():
    base, folder = sys.argv[1], Path(sys.argv[2])
    browser = Browser(folder / "chromedriver-people.log")
    pages = People(base, folder, browser)
    try:
        every = (pages.someone_signs_up, pages.the_first_sign_in_enrols, pages.keys_are_kept, pages.a_new_code_loses_nothing,
                 pages.settings_fit_and_sign_out, pages.a_wrong_password_is_said, pages.a_test_user_signs_in_by_a_button,
                 pages.the_bypass_signs_in, pages.consent_leads_to_the_app, pages.password_page_fits, pages.passkeys_need_a_name,
                 pages.another_browser_is_asked_for_the_password, pages.a_passkey_enrols_and_signs_in)
        wanted = sys.argv[3:]
        for check in (check for check in every if not wanted or check.__name__ in wanted):
            start = time.monotonic()
            check()
            print(f"ok     {check.__name__.replace('_', ' ')} ({time.monotonic() - start:.1f} s)", flush=True)
    except BaseException:
        browser.screenshot(folder / "people-failed.png", True)
        raise
    finally:
        browser.close()


if __name__ == "__main__":
    main()
