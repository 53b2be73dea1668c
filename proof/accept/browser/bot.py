"""Signed calls of clients, by the keys of `credentials.json`, whose path is in BUTTONWOOD_CREDENTIALS."""

import base64
import hmac
import json
import os
import time
import urllib.error
import urllib.request
from pathlib import Path


class Bots:
    """The clients of a sandbox."""

    def __init__(self, base: str):
        self.base = base
        self.keys = {key["name"]: key for key in json.loads(Path(os.environ["BUTTONWOOD_CREDENTIALS"]).read_text())["keys"]}
        self.nonce = int(time.time() * 1000)

    def call(self, name: str, request: str, spoil=lambda signature: signature, **fields) -> tuple[int, dict]:
        """The status and the reply of a call that is signed with the key of this name."""
        self.nonce += 1
        key = self.keys[name]
        payload = base64.b64encode(json.dumps({"request": request, "nonce": self.nonce, **fields}).encode()).decode()
        signature = spoil(hmac.new(key["api_secret"].encode(), payload.encode(), "sha384").hexdigest())
        headers = {"X-SVC-APIKEY": key["api_key"], "X-SVC-PAYLOAD": payload, "X-SVC-SIGNATURE": signature}
        try:
            with urllib.request.urlopen(urllib.request.Request(self.base + request, b"", headers, method="POST"), timeout=30) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)
