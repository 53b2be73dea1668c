// Pages without a browser: what the site's modules need to be imported, and nothing that they draw. The tests here are of modules that
// decide and write; those that draw are tried in chromium (`proof/accept/browser`).
import { register } from "node:module";

register("./served.mjs", import.meta.url);

const ASSETS = new URL("../../../edge/site/assets/", import.meta.url);

// A place to keep texts.
function storage() {
  const texts = new Map();
  return { getItem: (name) => texts.get(name) ?? null, setItem: (name, text) => texts.set(name, String(text)) };
}

const nothing = () => {};
const element = () => ({ append: nothing, before: nothing, setAttribute: nothing, style: {}, dataset: {} });

// Frames are drawn when a test says so.
let due = [];
export function drawFrame() {
  const now = due;
  due = [];
  for (const draw of now) draw();
}

let calls = 0;
let block = {};
const shared = {
  addEventListener: nothing, removeEventListener: nothing, applyLook: nothing,
  BroadcastChannel: class { addEventListener() {} postMessage() {} },
  document: {
    hidden: false, body: element(), documentElement: element(), addEventListener: nothing, removeEventListener: nothing,
    createElement: element, querySelector: () => null, getElementsByName: () => [],
    getElementById: (id) => (id === "data" ? { textContent: JSON.stringify(block) } : element()),
  },
  history: { replaceState: nothing },
  localStorage: storage(), sessionStorage: storage(),
  requestAnimationFrame: (draw) => due.push(draw),
};
for (const [name, value] of Object.entries(shared)) Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });

// A page's timers do not keep the process of a test alive.
for (const name of ["setInterval", "setTimeout"]) {
  const start = globalThis[name];
  globalThis[name] = (...words) => start(...words).unref();
}

// Markets as the page of each names them.
export const SPOT = { symbol: "btcusd", base: "BTC", quote: "USD", tick: "0.01", lot: "0.00000001", kind: "spot", price_decimals: 2,
  minimum: "0.00001", decimals: { btcusd: 2, dogeusd: 5 } };
export const PERPETUAL = { symbol: "btcgusdperp", base: "BTC", quote: "GUSD", tick: "0.5", lot: "0.0001", kind: "perpetual", price_decimals: 1,
  minimum: "0.0001", decimals: { btcgusdperp: 1 } };
export const CONTRACT = { symbol: "gemi-btc100k", base: "contracts", quote: "USD", tick: "0.01", lot: "1", kind: "contract", price_decimals: 2,
  minimum: "1", decimals: {} };

// A page with its block of data and address: a function that imports modules of the site by their paths below `assets`. Modules of one page
// know each other; those of another page are others. `fetch` answers its calls.
export function open({ page = {}, search = "", fetch = nothing, ...data } = {}) {
  const own = ++calls;
  return async (...names) => {
    block = { mode: "sandbox", step: "", page, ...data };
    globalThis.location = new URL(`http://127.0.0.1:8080/trade/${page.symbol ?? ""}${search}`);
    globalThis.fetch = fetch;
    const found = [];
    for (const name of names) found.push(await import(new URL(`${name}?${own}`, ASSETS).href));
    return found.length === 1 ? found[0] : Object.assign({}, ...found);
  };
}

// The answer of a call, as `fetch` gives it.
export const answer = (value, status = 200) =>
  new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });
