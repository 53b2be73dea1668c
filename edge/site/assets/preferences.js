// The user's choices: look, zone, confirmations, layout, keys. Those of a signed-in user are on the server, for all browsers of the user.
// Look and zone stay with this browser too, so that no page flashes. All else, confirmations above all, is no one's who signs in next.
import { hasSessionEnded, post } from "./call.js";
import { showFault } from "./faults.js";
import { data, isSignedIn, url } from "./page.js";

// Where this browser keeps the choices, those that the server has not taken yet, and what it alone remembers.
const [PLACE, UNSENT, HERE] = ["buttonwood", "buttonwood-unsent", "buttonwood-here"];
// Where it keeps the other choices of a visitor who has not signed in.
const VISITOR = "buttonwood-visitor";
const OF_BROWSER = ["theme", "palette", "density", "zone"];
const [PAUSE, LATER] = [5_500, 60];

function stored(place) {
  try {
    return JSON.parse(localStorage.getItem(place) ?? "{}");
  } catch (failure) {
    console.warn(failure);
    return {};
  }
}

// Whether this browser keeps the choices. One that keeps nothing still has them until the page ends.
function keep(place, value) {
  try {
    localStorage.setItem(place, JSON.stringify(value));
    return true;
  } catch (failure) {
    console.warn(failure);
    return false;
  }
}

const ofBrowser = (values) => Object.fromEntries(Object.entries(values).filter(([name]) => OF_BROWSER.includes(name)));

// Keeps the choices: all of a visitor, and look and zone of a user. Returns whether they outlive the page.
function keepAll() {
  const isKept = keep(PLACE, ofBrowser(all));
  return isSignedIn() || (keep(VISITOR, all) && isKept);
}

// The changes of this user that wait for the server. One that a page sent as it was left may have arrived.
function readUnsent() {
  const { user, values } = stored(UNSENT);
  if (!isSignedIn() || user !== data.user.email) return {};
  const hasArrived = ([name, value]) => JSON.stringify(data.preferences?.[name]) === JSON.stringify(value);
  return Object.fromEntries(Object.entries(values).filter((change) => !hasArrived(change)));
}
let unsent = readUnsent();

// The server's choices win, since they are the same in every browser, but for those that it has not taken yet.
const here = ofBrowser(stored(PLACE));
let all = isSignedIn() ? { ...here, ...data.preferences, ...unsent } : { ...stored(VISITOR), ...here };
const readers = new Map();
let sent = 0;
let timer = 0;

function setUnsent(values) {
  unsent = values;
  keep(UNSENT, { user: data.user.email, values });
}

async function send() {
  [timer, sent] = [0, Date.now()];
  const sending = { ...unsent };
  try {
    await post("/site/preferences", { value: all });
    showFault("choices", "");
    setUnsent(Object.fromEntries(Object.entries(unsent).filter(([name, value]) => sending[name] !== value)));
  } catch (failure) {
    // Too many changes in a short time, or no reply: the newest ones follow.
    if (failure.status === 429 || failure.isLost) timer ||= setTimeout(send, 1_000 * Math.max(LATER, failure.wait));
    else if (!hasSessionEnded()) showFault("choices", `Your choices hold on this page, but could not be saved for the next one. ${failure.message}`);
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
  if (!keepAll()) showFault("choices", "Your choices hold until you leave this page: this browser keeps nothing for the site.");
  if (isSignedIn()) setUnsent({ ...unsent, [name]: value });
  if (["theme", "palette", "density"].includes(name)) globalThis.applyLook(all);
  for (const reader of readers.get(name) ?? []) reader(value);
  sendLater();
}

// Calls `reader` after each change of a choice. Returns a function that ends it.
export function subscribe(name, reader) {
  if (!readers.has(name)) readers.set(name, new Set());
  readers.get(name).add(reader);
  return () => readers.get(name).delete(reader);
}

// A choice that only this browser remembers, such as the market that was last open.
export const getHere = (name) => stored(HERE)[name];
export const setHere = (name, value) => keep(HERE, { ...stored(HERE), [name]: value });

keepAll();
globalThis.applyLook(all);
if (Object.keys(unsent).length) sendLater();
