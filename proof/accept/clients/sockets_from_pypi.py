"""The socket client `websockets` from PyPI against a running sandbox, given nothing but URLs and keys.

Started by `cargo xtask clients` as `sockets_from_pypi.py BASE_URL`. The sandbox is fresh and has no simulated traders. It also replays the
conversation of hummingbot's connector: `/?snapshot=-1`, nonces in whole seconds that run ahead, ids of orders as texts. Prints a line per
check and leaves with 1 if one failed.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.request

import websockets

BASE = sys.argv[1]
SOCKETS = BASE.replace("http", "ws", 1)
with open(os.environ["BUTTONWOOD_CREDENTIALS"], encoding="utf-8") as file:
    KEYS = {key["name"]: key for key in json.load(file)["keys"]}
failures = []


def check(what, passed, shown=""):
    """Prints the result of a check."""
    print("ok" if passed else "FAILED", what, "" if passed else shown)
    if not passed:
        failures.append(what)


def signed(key, text):
    """The three headers of a key under a payload."""
    payload = base64.b64encode(text.encode()).decode()
    signature = hmac.new(key["api_secret"].encode(), payload.encode(), hashlib.sha384).hexdigest()
    return {"X-SVC-APIKEY": key["api_key"], "X-SVC-PAYLOAD": payload, "X-SVC-SIGNATURE": signature}


class Nonces:
    """Whole seconds that run ahead of the clock rather than repeat, as hummingbot's do."""

    last = 0

    @classmethod
    def next(cls):
        cls.last = max(int(time.time()), cls.last + 1)
        return cls.last


def handshake(name):
    """The headers that open the newest socket."""
    nonce = str(Nonces.next())
    return {**signed(KEYS[name], nonce), "X-SVC-NONCE": nonce}


def events_headers(name):
    """The headers that open the stream of order events."""
    payload = {"request": "/v1/order/events", "nonce": int(time.time() * 1000)}
    return signed(KEYS[name], json.dumps(payload))


def book(symbol):
    """The book of REST, as price and amount by side."""
    with urllib.request.urlopen(f"{BASE}/v1/book/{symbol}?limit_bids=0&limit_asks=0") as reply:
        rest = json.load(reply)
    return {side: {level["price"]: level["amount"] for level in rest[side]} for side in ("bids", "asks")}


async def receive(socket):
    """The next frame."""
    return json.loads(await asyncio.wait_for(socket.recv(), 20))


async def call(socket, method, params=None, call_id=1):
    """The answer of a call; pushed frames before it are returned too."""
    message = {"id": call_id, "method": method}
    if params is not None:
        message["params"] = params
    await socket.send(json.dumps(message))
    pushed = []
    while True:
        frame = await receive(socket)
        if "status" in frame and frame.get("id") == call_id:
            return frame, pushed
        pushed.append(frame)


def apply(levels, frame):
    """Applies a depth frame to a book."""
    for field, side in (("b", "bids"), ("a", "asks")):
        for price, amount in frame[field]:
            if amount == "0":
                levels[side].pop(price, None)
            else:
                levels[side][price] = amount


async def trade():
    """Order entry and events, of two accounts."""
    async with (
        websockets.connect(f"{SOCKETS}/?snapshot=-1", additional_headers=handshake("socket-000")) as maker,
        websockets.connect(f"{SOCKETS}/", additional_headers=handshake("socket-001")) as taker,
        websockets.connect(f"{SOCKETS}/v1/order/events", additional_headers=events_headers("load-000")) as events,
        websockets.connect(f"{SOCKETS}/v1/marketdata/btcusd?heartbeat=true") as market,
    ):
        check("the acknowledgement comes first", (await receive(events))["type"] == "subscription_ack")
        check("then the live orders", await receive(events) == [])
        check("a first frame of market data", (await receive(market))["socket_sequence"] == 0)
        answer, pushed = await call(maker, "SUBSCRIBE", ["btcusd@depth", "btcusd@trade", "orders@account"])
        check("subscribe", answer["status"] == 200, answer)
        levels = {"bids": {}, "asks": {}}
        first = pushed[0] if pushed else await receive(maker)
        check("the snapshot", first["e"] == "depthUpdate" and first["U"] == first["u"], first)
        apply(levels, first)
        order = {"symbol": "btcusd", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.5"}
        placed, pushed = await call(maker, "order.place", {**order, "price": "20000", "clientOrderId": "one"}, "a")
        check("an order rests", placed["result"]["status"] == "OPEN", placed)
        sell = {**order, "side": "SELL", "quantity": "0.2", "price": "20000", "timeInForce": "IOC"}
        filled, _ = await call(taker, "order.place", sell, "b")
        check("an order trades", filled["result"]["status"] == "FILLED", filled)
        cancelled, more = await call(maker, "order.cancel", {"orderId": placed["result"]["orderId"]}, "c")
        check("a cancel", cancelled["status"] == 200, cancelled)
        frames = pushed + more
        while not any(frame.get("X") == "CANCELED" for frame in frames):
            frames.append(await receive(maker))
        updates = [frame for frame in frames if frame.get("e") == "orderUpdate"]
        states = [update["X"] for update in updates]
        check("the order's updates", states == ["NEW", "OPEN", "PARTIALLY_FILLED", "CANCELED"], states)
        trades = [frame for frame in frames if "t" in frame and "e" not in frame]
        check("its trade has no e", len(trades) == 1 and trades[0]["q"] == "0.2", trades)
        for frame in frames:
            if frame.get("e") == "depthUpdate":
                apply(levels, frame)
        while levels["bids"]:
            frame = await receive(maker)
            if frame.get("e") == "depthUpdate":
                apply(levels, frame)
        check("the book of the changes is that of REST", levels == book("btcusd"), levels)
        kinds = []
        while "closed" not in kinds:
            frame = await receive(events)
            if isinstance(frame, list):
                kinds += [event["type"] for event in frame]
        check("the order's events", kinds == ["accepted", "booked", "fill", "cancelled", "closed"], kinds)


async def unplug():
    """Cancel on disconnect."""
    path = f"{SOCKETS}/?cancelOnDisconnect=true"
    async with websockets.connect(path, additional_headers=handshake("socket-002")) as socket:
        order = {"symbol": "ethusd", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "1", "price": "900"}
        placed, _ = await call(socket, "order.place", order)
        check("an order rests on ethusd", book("ethusd")["bids"] == {"900.00": "1"}, placed)
    for _ in range(200):
        if not book("ethusd")["bids"]:
            break
        await asyncio.sleep(0.01)
    check("it is gone with its socket", not book("ethusd")["bids"])


async def subscribe_v2():
    """The second generation."""
    async with websockets.connect(f"{SOCKETS}/v2/marketdata/") as socket:
        await socket.send(json.dumps({"type": "subscribe", "subscriptions": [{"name": "l2", "symbols": ["BTCUSD", "NONE"]}]}))
        frames = [await receive(socket), await receive(socket)]
        refused = next(frame for frame in frames if frame.get("result") == "error")
        first = next(frame for frame in frames if frame.get("type") == "l2_updates")
        check("the good symbol is served", first["symbol"] == "BTCUSD" and "trades" in first, first)
        check("the bad one is named", "NONE" in refused["message"], refused)


def main():
    """Runs everything."""
    for part in (trade, unplug, subscribe_v2):
        asyncio.run(part())
    sys.exit(1 if failures else 0)


main()
