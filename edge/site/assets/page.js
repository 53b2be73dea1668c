// What the server says of this page, and the one place that makes addresses: a prefix before every path is a change here alone.

// The page's block of data: `mode`, `csrf`, `step`, `next`, `user`, `streams`, `preferences`, and `page`, the page's own part.
export const data = JSON.parse(document.getElementById("data").textContent);

const PREFIX = "";

// The account of this tab, by its number: it stays when the account is renamed, and when another tab chooses another (D-289).
const { number: account = null } = data.user ?? {};
let isPinned = account !== null && new URLSearchParams(location.search).has("account");

// The pages that keep the account of the tab. Some act for none: they lead back to it.
const PAGES = /^\/($|(trade|account|predictions|settings|docs|console|operator)([/?#]|$))/;

// The same path with the account of the tab, if its address names one.
export function ofTab(path) {
  if (!isPinned || !PAGES.test(path)) return path;
  const address = new URL(path, location.origin);
  if (!address.searchParams.has("account")) address.searchParams.set("account", account);
  return address.pathname + address.search + address.hash;
}

// The address of a path of this site.
export const url = (path) => PREFIX + ofTab(path);

// The same for another user, whose accounts have other numbers.
export const urlOfOther = (path) => PREFIX + path;

// This page with other parameters, which stand in its address. The account of the tab stays.
export function showQuery(fields) {
  const query = new URLSearchParams({ ...fields, ...(isPinned && { account }) }).toString();
  history.replaceState(null, "", PREFIX + location.pathname + (query ? `?${query}` : "") + location.hash);
}

// Keeps this tab on its account, also when it is loaded again, once another tab has chosen another.
export function keepAccount() {
  if (account === null || isPinned) return;
  isPinned = true;
  showQuery(Object.fromEntries(new URLSearchParams(location.search)));
}

// The address of this page for another account of the user's group.
export function addressOf(number) {
  const address = new URL(location.href);
  address.searchParams.set("account", number);
  return address.pathname + address.search;
}

// The address of a socket. A venue may have a listener for sockets alone.
export function socketUrl(path) {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  return (data.streams ?? `${scheme}//${location.host}`) + url(path);
}

// Whether this browser has given both factors.
export const isSignedIn = () => data.step === "done" && Boolean(data.user);

export const isSandbox = () => data.mode === "sandbox";

// Where signing in leads back to this page, with the account that its address names: a page without a session knows of no other.
export function signInUrl(step = "") {
  const named = new URLSearchParams(location.search).get("account");
  const here = location.pathname + (named ? `?${new URLSearchParams({ account: named })}` : "");
  return url(`/signin?${step ? `step=${step}&` : ""}next=${encodeURIComponent(here)}`);
}
