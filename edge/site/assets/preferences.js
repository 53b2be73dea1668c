// The user's choices: theme, layout, keys. They are kept in this browser at once, and on the server for all browsers of the user.
import { post } from "./call.js";
import { data, isSignedIn, url } from "./page.js";

const PLACE = "buttonwood";
const PAUSE = 5_500;

function stored() {
  try {
    return JSON.parse(localStorage.getItem(PLACE) ?? "{}");
  } catch (failure) {
    console.warn(failure);
    return {};
  }
}

// What the server holds wins: it is the same in every browser.
let all = isSignedIn() ? { ...stored(), ...data.preferences } : stored();
const readers = new Map();
let sent = 0;
let timer = 0;

function keep() {
  try {
    localStorage.setItem(PLACE, JSON.stringify(all));
  } catch (failure) {
    // A browser that keeps nothing still has the choices until the page ends.
    console.warn(failure);
  }
}

async function send() {
  [timer, sent] = [0, Date.now()];
  try {
    await post("/site/preferences", { value: all });
  } catch (failure) {
    // Too many changes in a short time: the newest ones follow.
    if (failure.status === 429) timer = setTimeout(send, 1000 * Math.max(60, failure.wait));
  }
}

function sendLater() {
  if (isSignedIn() && !timer) timer = setTimeout(send, Math.max(250, sent + PAUSE - Date.now()));
}

// A page that is left sends what still waits.
addEventListener("pagehide", () => {
  if (!timer) return;
  clearTimeout(timer);
  const headers = { "content-type": "application/json", "x-csrf-token": data.csrf };
  fetch(url("/site/preferences"), { method: "POST", keepalive: true, headers, body: JSON.stringify({ value: all }) }).catch(console.warn);
});

export const get = (name, fallback = null) => all[name] ?? fallback;

export function set(name, value) {
  all = { ...all, [name]: value };
  keep();
  if (["theme", "palette", "density"].includes(name)) globalThis.applyLook();
  for (const reader of readers.get(name) ?? []) reader(value);
  sendLater();
}

// Calls `reader` after each change of a choice. Returns a function that ends it.
export function subscribe(name, reader) {
  if (!readers.has(name)) readers.set(name, new Set());
  readers.get(name).add(reader);
  return () => readers.get(name).delete(reader);
}

keep();
globalThis.applyLook();
