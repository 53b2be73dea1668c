// Socket clients from npm against a running sandbox, given nothing but URLs and keys: `ws`, and the sockets of gemini-node-api. Started by
// `cargo xtask clients` as `sockets_from_npm.cjs BASE_URL`. Prints a line per check and leaves with 1 if one failed.
"use strict";

const crypto = require("node:crypto");
const fs = require("node:fs");
const { pathToFileURL } = require("node:url");
const WebSocket = require("ws");

const base = process.argv[2];
const sockets = base.replace("http", "ws");
const keys = new Map(
  JSON.parse(fs.readFileSync(process.env.BUTTONWOOD_CREDENTIALS, "utf8")).keys.map((key) => [key.name, key]),
);
let failed = false;

function check(what, passed, shown = "") {
  console.log(passed ? "ok" : "FAILED", what, passed ? "" : shown);
  failed = failed || !passed;
}

// Frames of a socket, one after the other.
function reader(socket) {
  const [frames, waiting] = [[], []];
  socket.on("message", (data) => {
    const frame = JSON.parse(data.toString());
    const next = waiting.shift();
    if (next) next(frame);
    else frames.push(frame);
  });
  return () => (frames.length > 0 ? Promise.resolve(frames.shift()) : new Promise((resolve) => waiting.push(resolve)));
}

function open(path, headers = {}) {
  const socket = new WebSocket(sockets + path, { headers });
  const next = reader(socket);
  return new Promise((resolve, reject) => {
    socket.once("open", () => resolve({ socket, next }));
    socket.once("error", reject);
  });
}

function signed(name) {
  const key = keys.get(name);
  const nonce = String(Math.floor(Date.now() / 1000));
  const payload = Buffer.from(nonce).toString("base64");
  const signature = crypto.createHmac("sha384", key.api_secret).update(payload).digest("hex");
  return {
    "X-SVC-APIKEY": key.api_key,
    "X-SVC-NONCE": nonce,
    "X-SVC-PAYLOAD": payload,
    "X-SVC-SIGNATURE": signature,
  };
}

async function ofWs() {
  const fast = await open("/", signed("socket-010"));
  fast.socket.send(JSON.stringify({ id: 1, method: "ping" }));
  const answer = await fast.next();
  check("ws: a call is answered", answer.id === 1 && answer.status === 200, JSON.stringify(answer));
  fast.socket.send(JSON.stringify({ id: "t", method: "subscribe", params: ["ltcusd@bookTicker"] }));
  const subscribed = await fast.next();
  check("ws: the answer comes before the first frame", subscribed.id === "t", JSON.stringify(subscribed));
  const ticker = await fast.next();
  check("ws: an empty book has zeros", ticker.b === "0" && ticker.A === "0", JSON.stringify(ticker));
  const refused = await open("/", { ...signed("socket-011"), "X-SVC-SIGNATURE": "00" }).catch((error) => error.message);
  check("ws: a wrong signature is 401", String(refused).includes("401"), String(refused));
  fast.socket.close();
}

async function ofGeminiNodeApi() {
  // NODE_PATH, which names the packages' folder, counts for `require` alone.
  const path = require.resolve("gemini-node-api/build/index.js");
  const { WebsocketClient } = await import(pathToFileURL(path).href);
  const key = keys.get("load-020");
  const client = new WebsocketClient({ wsUri: sockets, key: key.api_key, secret: key.api_secret, symbol: "bchusd" });
  const seen = new Map();
  const waiting = new Map();
  client.on("message", (message, name) => {
    const list = seen.get(name) ?? [];
    list.push(message);
    seen.set(name, list);
    waiting.get(name)?.();
  });
  const frames = async (name, count) => {
    while ((seen.get(name) ?? []).length < count) {
      await new Promise((resolve) => waiting.set(name, resolve));
    }
    return seen.get(name);
  };
  await client.connectMarket();
  const [first] = await frames("bchusd", 1);
  check("gemini-node-api: market data of one symbol", first.type === "update", JSON.stringify(first));
  await client.connect();
  await client.subscribe([{ name: "l2", symbols: ["BCHUSD"] }]);
  const [levels] = await frames("v2", 1);
  check("gemini-node-api: the second generation", levels.type === "l2_updates", JSON.stringify(levels));
  await client.disconnectMarket();
  await client.disconnect();
}

(async () => {
  await ofWs();
  await ofGeminiNodeApi();
  process.exit(failed ? 1 : 0);
})();
