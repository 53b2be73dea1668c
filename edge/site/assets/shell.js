// What every page has: the end of its header with settings and account, the palette, and the keys that act everywhere.
import { Accounts, startAccount } from "./accounts.js";
import { setAtWork } from "./at-work.js";
import { post } from "./call.js";
import { showFault } from "./faults.js";
import { bind } from "./keyboard.js";
import { goOn, hasAccount, stop as stopNotices } from "./notices/feed.js";
import { List as Notices, useUnseen } from "./notices/list.js";
import { askForDesktop } from "./notices/signals.js";
import { start as startNotices } from "./notices/stack.js";
import { data, isSandbox, isSignedIn, signInUrl, url } from "./page.js";
import { offer, open as openPalette } from "./palette.js";
import { get, getHere, set, subscribe } from "./preferences.js";
import { zones } from "./time.js";
import { html, render, useEffect, useRef, useState } from "./ui.js";

// A choice and what sets it; the component draws itself again when it changes.
export function usePreference(name, fallback) {
  const [value, setValue] = useState(get(name, fallback));
  useEffect(() => subscribe(name, setValue), [name]);
  return [value, (next) => set(name, next)];
}

// Favourite markets, by symbol.
export function toggleFavourite(symbol) {
  const kept = get("favourites", []);
  set("favourites", kept.includes(symbol) ? kept.filter((one) => one !== symbol) : [...kept, symbol]);
}

export const useFavourites = () => usePreference("favourites", [])[0];

export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
  ${ICONS[name].map((line) => html`<path d=${line} />`)}</svg>`;
const ICONS = {
  search: ["M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9Z", "m10.3 10.3 3.2 3.2"],
  settings: [
    "M2 4.5h6m4 0h2M2 11.5h2m4 0h6", "M10 2.8a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4Z", "M6 9.8a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4Z",
  ],
  person: ["M8 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4Z", "M2.8 13.5c.4-2.6 2.4-4 5.2-4s4.8 1.4 5.2 4"],
  menu: ["M2.5 4.5h11M2.5 8h11M2.5 11.5h11"],
  bell: ["M8 2.2c-2.4 0-3.8 1.7-3.8 4v2.6L3 11.3h10l-1.2-2.5V6.2c0-2.3-1.4-4-3.8-4Z", "M6.6 13.2c.3.5.8.7 1.4.7s1.1-.2 1.4-.7"],
  star: ["m8 1.9 1.9 3.8 4.2.6-3 3 .7 4.2L8 11.5l-3.8 2 .7-4.2-3-3 4.2-.6Z"],
};

// Where "Trade" leads: to the market that this browser showed last, else to the largest one.
const tradePath = getHere("market") ? `/trade/${encodeURIComponent(getHere("market"))}` : "/trade";
document.querySelector(".main-nav a[href='/trade']")?.setAttribute("href", url(tradePath));

let isLeaving = false;

// Signs out, once however often it is pressed. A session that has ended already is signed out too.
/** @param {{ currentTarget?: any }} [event] */
async function signOut({ currentTarget: pressed } = {}) {
  if (isLeaving) return;
  isLeaving = true;
  if (pressed) setAtWork(pressed, true);
  showFault("signout", "");
  stopNotices();
  try {
    await post("/site/signout");
  } catch (failure) {
    if (failure.reason !== "SignInRequired") return stay(pressed, failure);
  }
  location.assign(url("/signin"));
}

function stay(pressed, failure) {
  isLeaving = false;
  if (pressed) setAtWork(pressed, false);
  if (hasAccount()) goOn();
  showFault("signout", `You may still be signed in here. ${failure.message}`);
}

// A button that opens a panel below the header. Escape, a press elsewhere and leaving it with Tab close it.
function Disclosure({ id, label, icon, words, count, children }) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = (event) => place.current.contains(event.target) || setOpen(false);
    addEventListener("pointerdown", leave);
    return () => removeEventListener("pointerdown", leave);
  }, [isOpen]);
  const onKey = (event) => {
    if (event.key !== "Escape" || !isOpen) return;
    event.preventDefault();
    setOpen(false);
    place.current.querySelector("button").focus();
  };
  const onFocusOut = ({ relatedTarget }) => relatedTarget && !place.current.contains(relatedTarget) && setOpen(false);
  return html`<div class="disclosure" ref=${place} onKeyDown=${onKey} onFocusOut=${onFocusOut}>
    <button type="button" class="quiet" aria-expanded=${isOpen} aria-controls=${id} aria-label=${label} title=${label}
      onClick=${() => setOpen(!isOpen)}><${Icon} name=${icon} />${words && html`<span class="wide-only">${words}</span>`}${count > 0 && html`<span
      class="count">${count}</span>`}</button>
    <div class="drop" id=${id} role="group" aria-label=${label} hidden=${!isOpen}>${isOpen && children}</div>
  </div>`;
}

function Choice({ title, name, fallback, options }) {
  const [value, choose] = usePreference(name, fallback);
  return html`<div class="setting"><span id=${`set-${name}`}>${title}</span>
    <div class="choice" role="group" aria-labelledby=${`set-${name}`}>${options.map(([option, words]) => html`<button type="button"
      name=${name} value=${option} aria-pressed=${value === option} onClick=${() => choose(option)}>${words}</button>`)}</div></div>`;
}

const ON_OFF = [["off", "Off"], ["on", "On"]];

// Signals beside the notices that each page shows. A browser asks its user before it shows notices of the desktop.
function Signals() {
  useEffect(() => subscribe("desktop", (chosen) => chosen === "on" && askForDesktop()), []);
  return html`<${Choice} title="Sound of notices" name="sound" fallback="off" options=${ON_OFF} />
    <${Choice} title="Notices of the desktop" name="desktop" fallback="off" options=${ON_OFF} />`;
}

function Zone() {
  const [zone, choose] = usePreference("zone", "UTC");
  return html`<div class="setting"><label for="set-zone">Time zone</label>
    <select id="set-zone" value=${zone} onChange=${(event) => choose(event.target.value)}>
      ${zones().map((name) => html`<option value=${name} selected=${name === zone}>${name.replaceAll("_", " ")}</option>`)}
    </select></div>`;
}

const THEMES = [["light", "Light"], ["dark", "Dark"], ["system", "System"]];
const PALETTES = [["standard", "Standard"], ["blind", "Colour-blind"]];
const DENSITIES = [["normal", "Normal"], ["compact", "Compact"]];

const openKeyboard = async () => (await import("./keyboard-dialog.js")).open();

const Settings = () => html`
  <${Choice} title="Theme" name="theme" fallback="system" options=${THEMES} />
  <${Choice} title="Colours" name="palette" fallback="standard" options=${PALETTES} />
  <${Choice} title="Rows" name="density" fallback="normal" options=${DENSITIES} />
  <${Zone} />
  ${hasAccount() && html`<${Signals} />`}
  <button type="button" onClick=${openKeyboard}>Keyboard …</button>`;

const ACCOUNT_LINKS = [
  ["/account", "Account"], ["/account/money", "Deposits and withdrawals"], ["/account/statement", "Statement"],
  ["/settings/security", "Security"], ["/settings/keys", "API keys"], ["/settings/apps", "Apps"], ["/settings/sessions", "Sessions"],
];

const Account = () => html`
  <p class="who"><b>${data.user.account ?? "No account"}</b><span class="soft">${data.user.email}</span></p>
  <${Accounts} />
  <ul>${ACCOUNT_LINKS.map(([path, words]) => html`<li><a href=${url(path)}>${words}</a></li>`)}</ul>
  <button type="button" onClick=${signOut}>Sign out</button>`;

function Bell() {
  const count = useUnseen();
  return html`<${Disclosure} id="notices" label=${count ? `Notices, ${count} new` : "Notices"} icon="bell" count=${count}><${Notices} />
    </${Disclosure}>`;
}

const End = () => html`
  <button type="button" class="find" title="Markets, pages and acts" onClick=${openPalette}>
    <${Icon} name="search" /><span class="unseen">Search</span>
    <span class="wide-only" aria-hidden="true">Search</span><kbd class="wide-only" aria-hidden="true">Ctrl K</kbd></button>
  ${hasAccount() && html`<${Bell} />`}
  <${Disclosure} id="settings" label="Settings" icon="settings"><${Settings} /></${Disclosure}>
  ${isSignedIn()
    ? html`<${Disclosure} id="account-menu" label=${`Your account ${data.user.account ?? ""}`} icon="person"
        words=${data.user.account}><${Account} /></${Disclosure}>`
    : html`<a href=${location.pathname.startsWith("/sign") ? url("/signin") : signInUrl()}>Sign in</a>
      <a class="button" href=${url("/signup")}>Sign up</a>`}
  <${Menu} />`;

// On a narrow screen the links to the pages stand below a button.
function Menu() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const nav = document.querySelector(".main-nav");
    nav.id = "main-nav";
    nav.classList.toggle("open", isOpen);
  }, [isOpen]);
  return html`<button type="button" class="quiet menu" aria-expanded=${isOpen} aria-controls="main-nav" aria-label="Pages"
    onClick=${() => setOpen(!isOpen)}><${Icon} name="menu" /></button>`;
}

// Hidden in the palette, which has pages of its own.
const goes = (letter, words, path) => ({
  keys: `G ${letter}`, id: `go${path.replace("/", "-")}`, words: `Go to ${words}`, act: () => location.assign(url(path)), isHidden: true,
});

bind("Everywhere", [
  { keys: "Ctrl+K", id: "palette", words: "Find a market, a page or an act", act: openPalette, isAnywhere: true, isHidden: true },
  { keys: "/", id: "find", words: "Find, without a modifier", act: openPalette, isHidden: true },
  { keys: "?", id: "keyboard", words: "List and change these keys", act: openKeyboard },
  { ...goes("T", "trading", "/trade"), act: () => location.assign(url(tradePath)) },
  goes("A", "the account", "/account"),
  goes("P", "predictions", "/predictions"),
  ...(data.user?.is_operator ? [goes("O", "the operator's page", "/operator")] : []),
  ...(isSandbox() ? [goes("C", "the console", "/console")] : []),
]);

offer([
  ...THEMES.map(([theme, words]) => ({ words: `Theme: ${words.toLowerCase()}`, act: () => set("theme", theme) })),
  ...PALETTES.map(([palette, words]) => ({ words: `Colours: ${words.toLowerCase()}`, act: () => set("palette", palette) })),
  ...DENSITIES.map(([density, words]) => ({ words: `Rows: ${words.toLowerCase()}`, act: () => set("density", density) })),
  ...(isSignedIn() ? [{ words: "Sign out", act: signOut }] : []),
]);

if (isSignedIn()) {
  startAccount();
  startNotices();
}

const end = document.getElementById("top-end");
end.replaceChildren();
render(html`<${End} />`, end);
// The settings pages have a button of their own.
document.getElementById("signout")?.addEventListener("click", signOut);
