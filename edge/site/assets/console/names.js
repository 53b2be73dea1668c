// The names that fields offer: groups, accounts, keys, users, currencies, networks, symbols, events. Loaded once, and again after acts.
import { get } from "../call.js";
import { html, useEffect, useState } from "../ui.js";

const NONE = {
  state: { kind: "loading" }, has_funds: null,
  keys: [], users: [], apps: [], groups: [], currencies: [], networks: [], symbols: [], events: [],
};
const RETRY = 3_000;
const readers = new Set();
let names = NONE;
let wanted = null;

// Loads the names again, and once more soon if that fails. Without them the fields still take any text.
export async function reloadNames() {
  try {
    names = { ...(await get("/site/console.json")), state: { kind: "live" } };
  } catch (failure) {
    names = { ...names, state: { kind: "error", message: failure.message } };
    setTimeout(reloadNames, RETRY);
  }
  for (const reader of readers) reader(names);
}

export function useNames() {
  const [known, setKnown] = useState(names);
  useEffect(() => {
    readers.add(setKnown);
    setKnown(names);
    wanted ??= reloadNames();
    return () => void readers.delete(setKnown);
  }, []);
  return known;
}

const plain = (all) => all.map((value) => ({ value }));

// What each list offers.
const LISTS = {
  group: ({ groups }) => plain(groups.map(({ name }) => name)),
  currency: ({ currencies }) => plain(currencies),
  network: ({ networks }) => plain(networks),
  symbol: ({ symbols }) => plain(symbols.map(({ symbol }) => symbol)),
  event: ({ events }) => events.map(({ ticker, title }) => ({ value: ticker, label: title })),
  api_key: ({ keys }) => keys.map(({ api_key: value, name }) => ({ value, label: name })),
  key_name: ({ keys }) => plain(keys.map(({ name }) => name)),
  email: ({ users }) => plain(users.map(({ email }) => email)),
  client_id: ({ apps }) => apps.map(({ client_id: value, name }) => ({ value, label: name })),
};
const OTHER_NAMES = { base_currency: "currency", quote_currency: "currency", event_ticker: "event", to: "email" };

// The list of a field. A `key` is the text of one where calls are read, and a name where sockets are meant.
export function listOf(call, { name }) {
  if (name === "key") return call.path === "/sandbox/requests" ? "api_key" : "key_name";
  const list = OTHER_NAMES[name] ?? name;
  return list in LISTS ? list : null;
}

// The lists, once on a page.
export function Lists() {
  const known = useNames();
  return html`${Object.entries(LISTS).map(([name, options]) => html`<datalist id=${`names-${name}`} key=${name}>
    ${options(known).map(({ value, label }) => html`<option value=${value} label=${label} />`)}</datalist>`)}`;
}

// The accounts of a group.
export const accountsOf = (known, group) => known.groups.find(({ name }) => name === group)?.accounts ?? [];
