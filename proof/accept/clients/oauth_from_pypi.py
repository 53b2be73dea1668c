"""Authlib from PyPI (BSD-3-Clause), unmodified, as an app of a running sandbox.

Started by `cargo xtask clients` as `oauth_from_pypi.py BASE_URL` with the path of `credentials.json` in BUTTONWOOD_CREDENTIALS. Each app
gets a user's consent, exchanges the code, calls the interface, refreshes and revokes. The user's side, which is no part of Authlib, is plain
HTTP. Prints a line per check and leaves with 1 if one failed.
"""

import base64
import html
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session, OAuthError

USER = "owner@one.test"
SCOPES = ["balances:read", "orders:read"]


class StayOnPage(urllib.request.HTTPRedirectHandler):
    """The address to which a consent redirects is the app's own; no server stands there."""

    def redirect_request(self, *_args):
        return None


OPENER = urllib.request.build_opener(StayOnPage)


class User:
    """A signed-in user in front of a browser: reads the consent page and sends its form."""

    def __init__(self, base: str):
        self.base = base
        fields = json.dumps({"email": USER}).encode()
        request = urllib.request.Request(base + "/sandbox/sessions", fields, {"Content-Type": "application/json"})
        with OPENER.open(request, timeout=30) as reply:
            self.cookie = json.load(reply)["cookie"]

    def allow(self, address: str) -> str:
        """The address to which the user's consent redirects."""
        with OPENER.open(urllib.request.Request(address, headers={"Cookie": self.cookie}), timeout=30) as reply:
            page = reply.read().decode()
        form = [("account", "primary"), ("decision", "allow")]
        for tag in re.findall(r"<input [^>]*>", page):
            attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
            form.append((attributes["name"], html.unescape(attributes["value"])))
        body = urllib.parse.urlencode(form).encode()
        headers = {"Cookie": self.cookie, "Origin": self.base, "Content-Type": "application/x-www-form-urlencoded"}
        try:
            with OPENER.open(urllib.request.Request(self.base + "/auth", body, headers), timeout=30) as reply:
                raise RuntimeError(f"the consent answered {reply.status} without a redirect")
        except urllib.error.HTTPError as reply:
            if reply.status != 303:
                raise RuntimeError(f"the consent answered {reply.status}: {reply.read().decode()}") from None
            return reply.headers["Location"]


def balances(app: OAuth2Session, base: str) -> tuple[int, object]:
    """The status of a bearer call, and whether the answer is the account's balances, or the reason of the refusal."""
    path = "/v1/balances"
    payload = base64.b64encode(json.dumps({"request": path}).encode()).decode()
    reply = app.post(base + path, headers={"X-SVC-PAYLOAD": payload}, timeout=30)
    found = reply.json()
    if isinstance(found, list):
        return reply.status_code, any(row["currency"] == "USD" for row in found)
    return reply.status_code, found["reason"]


def error_of(call) -> str:
    """The OAuth error that a call ends with."""
    try:
        return f"none: {call()}"
    except OAuthError as error:
        return error.error


def session(base: str, metadata: dict, client: dict, methods: dict) -> list[tuple[str, object, object]]:
    """What the app does, as rows of what is checked, what it saw and what is right."""
    token_url = metadata["token_endpoint"]
    app = OAuth2Session(
        client["client_id"],
        client.get("client_secret"),
        scope=" ".join(SCOPES),
        redirect_uri=client["redirect_uris"][0],
        code_challenge_method="S256",
        **methods,
    )
    verifier = generate_token(48)
    address, state = app.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
    answer = User(base).allow(address)
    rows = [("the issuer is named", urllib.parse.parse_qs(urllib.parse.urlsplit(answer).query)["iss"], [metadata["issuer"]])]
    wrong = lambda: app.fetch_token(token_url, authorization_response=answer, state=state, code_verifier=generate_token(48))
    rows.append(("another verifier is refused", error_of(wrong), "invalid_grant"))
    token = app.fetch_token(token_url, authorization_response=answer, state=state, code_verifier=verifier)
    rows.append(("the scopes are those asked for", sorted(token["scope"].split(",")), SCOPES))
    rows.append(("the token is for a day", 0 < token["expires_at"] - time.time() <= 86_400, True))
    rows.append(("a call with the token", balances(app, base), (200, True)))
    renewed = app.refresh_token(token_url)
    rows.append(("a refresh gives other tokens", {*token.values()} & {renewed["access_token"], renewed["refresh_token"]}, set()))
    rows.append(("a call with the new token", balances(app, base), (200, True)))
    again = lambda: app.refresh_token(token_url, refresh_token=token["refresh_token"])
    rows.append(("a used refresh token", error_of(again), "invalid_grant"))
    rows.append(("a racing client keeps its tokens", balances(app, base), (200, True)))
    revoke = lambda kind: app.revoke_token(metadata["revocation_endpoint"], app.token[kind], token_type_hint=kind)
    rows.append(("an access token is revoked", (revoke("access_token").status_code, balances(app, base)), (200, (401, "InvalidAccessToken"))))
    app.refresh_token(token_url)
    rows.append(("its family lives on", balances(app, base), (200, True)))
    rows.append(("a refresh token is revoked", (revoke("refresh_token").status_code, balances(app, base)), (200, (401, "InvalidAccessToken"))))
    rows.append(("and ends its family", error_of(lambda: app.refresh_token(token_url)), "invalid_grant"))
    return rows


def main() -> int:
    base = sys.argv[1].rstrip("/")
    with open(os.environ["BUTTONWOOD_CREDENTIALS"], encoding="utf-8") as file:
        clients = {client["name"]: client for client in json.load(file)["oauth_clients"]}
    with OPENER.open(base + "/.well-known/oauth-authorization-server", timeout=30) as reply:
        metadata = json.load(reply)
    post = {"token_endpoint_auth_method": "client_secret_post", "revocation_endpoint_auth_method": "client_secret_post"}
    kinds = {"by Basic": ("app", {}), "by the body": ("app", post), "of a public client": ("native", {})}
    failed = 0
    for kind, (name, methods) in kinds.items():
        try:
            rows = session(base, metadata, clients[name], methods)
        except Exception as error:  # pylint: disable=broad-except
            rows = [("ended early", f"{type(error).__name__}: {error}", None)]
        for what, seen, wanted in rows:
            holds = seen == wanted
            failed += not holds
            line = f"authlib {kind}: {what}"
            print(f"ok     {line}" if holds else f"FAILED {line}: {seen!r}, wanted {wanted!r}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
