"""Signs the calls that schemathesis makes of the contract.

A signed call carries its fields in a header. Schemathesis makes bodies best, so the contract is loaded with the payload as the
body of such a call; before the call is sent, its body becomes the three headers.

At the end the file named in BUTTONWOOD_STATUSES holds a line for each path and status: `/v1/balances 200 17`.
"""

import atexit
import base64
import collections
import hashlib
import hmac
import itertools
import json
import os
import time

import schemathesis
from schemathesis.core import NOT_SET

KEYS = {key["name"]: key for key in json.load(open(os.environ["BUTTONWOOD_CREDENTIALS"]))["keys"]}
KEY = KEYS["trader"]
AUDITOR = KEYS["auditor"]
# Control calls disable this key, end it, and restrict its group: no signed call is made with it.
SPARE = KEYS["counterparty"]
NONCES = itertools.count(int(time.time() * 1000))
# Values that exist, among some that do not, so that calls come past their first checks.
VALUES = {
    "account": ["primary", "nowhere"],
    "address": ["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "none"],
    "amount": ["0.01", 1, "0.00000001"],
    "api_key": [SPARE["api_key"], "none"],
    "accountnumber": ["12345678", "none"],
    "base_currency": ["DOGE", "BTC"],
    "blocks": [1, 2, 0],
    "client_order_id": ["a", "b", "not an id"],
    "currency": ["USD", "BTC", "none"],
    "depth": [1, 2, 0],
    "group": [SPARE["group"], "nowhere"],
    "min_order_size": ["0.1", "1"],
    "network": ["bitcoin", "ethereum", "nowhere"],
    "pair": ["eurusd", "GBPUSD", "nowhere"],
    "price": ["60000", 65000.01, "70000", "0.001"],
    "quote_currency": ["GBP", "USD"],
    "quote_increment": ["0.00001", "0.1"],
    "routing": ["021000021", "none"],
    "symbol": ["btcusd", "ETHUSD", "dogegbp", "nowhere"],
    "tick_size": ["0.000001", "0.1"],
    "total_spend": ["100", 5, "0.00000000000000000001"],
}
SYMBOLS = {"type": "string", "enum": ["btcusd", "ETHUSD", "nowhere"]}
# Parameters of paths that are no symbol.
PATH = {
    "side": {"type": "string", "enum": ["buy", "sell", "hold"]},
    "currency": {"type": "string", "enum": ["usd", "BTC", "none"]},
    "network": {"type": "string", "enum": ["bitcoin", "ethereum", "arbitrum", "nowhere"]},
    "token": {"type": "string", "enum": ["BTC", "usdc", "none"]},
    "group": {"type": "string", "enum": [SPARE["group"], "nowhere"]},
    "time_frame": {"type": "string", "enum": ["1m", "6hr", "1day", "2m"]},
    "timestamp": {"type": "string", "enum": ["1767225600000", "1767225600", "2026-01-01T00:00:00Z", "0", "never"]},
}
PAIRS = {"type": "string", "enum": ["eurusd", "GBPUSD", "nowhere"]}
# Control calls close this symbol, and orders trade on the others.
CONTROLLED = {"type": "string", "enum": ["ethbtc", "nowhere"]}

STATUSES = collections.Counter()


@atexit.register
def write_statuses():
    with open(os.environ["BUTTONWOOD_STATUSES"], "w") as file:
        for (path, status), count in sorted(STATUSES.items()):
            file.write(f"{path} {status} {count}\n")


@schemathesis.hook
def after_call(context, case, response):
    STATUSES[case.operation.path, response.status_code] += 1


@schemathesis.hook
def before_load_schema(context, raw_schema):
    for path, item in raw_schema["paths"].items():
        for operation in item.values():
            if isinstance(operation, dict) and "parameters" in operation:
                as_body(operation, symbols_of(path))
    for name, schema in raw_schema["components"]["schemas"].items():
        if name.endswith(("Payload", "Body")):
            for field in VALUES.keys() & schema["properties"].keys():
                schema["properties"][field] = {"enum": VALUES[field]}


def symbols_of(path):
    if path.startswith("/v2/fxrate"):
        return PAIRS
    return CONTROLLED if path.startswith("/sandbox") else SYMBOLS


def as_body(operation, symbols):
    """Moves the payload of a signed call to its body."""
    for parameter in operation["parameters"]:
        if parameter["in"] == "path":
            parameter["schema"] = PATH.get(parameter["name"], symbols)
    if payload := operation.get("x-payload"):
        operation["parameters"] = [one for one in operation["parameters"] if one["in"] != "header"]
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": payload}}}
        operation["security"] = []


@schemathesis.hook
def before_call(context, case, kwargs):
    if "x-payload" not in case.operation.definition.raw:
        return
    payload = case.body
    if isinstance(payload, dict):
        payload = {**payload, "request": case.formatted_path, "nonce": next(NONCES)}
    text = b"" if payload is NOT_SET else json.dumps(payload, default=str).encode()
    encoded = base64.b64encode(text)
    key = AUDITOR if case.operation.definition.raw["x-roles"] == ["Auditor"] else KEY
    signature = hmac.new(key["api_secret"].encode(), encoded, hashlib.sha384).hexdigest()
    case.body, case.media_type = NOT_SET, None
    case.headers = {
        "X-SVC-APIKEY": key["api_key"],
        "X-SVC-PAYLOAD": encoded.decode(),
        "X-SVC-SIGNATURE": signature,
    }
