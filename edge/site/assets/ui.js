// The parts that all pages are made of: regions with their states, dialogs, amounts, and what is read aloud.
import { Fragment, h, render } from "./preact.js";
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "./hooks.js";
import htm from "./htm.js";
import { SIGNED_OUT } from "./call.js";
import { compare, read } from "./decimal.js";
import { amount, average, dollars, isDollar, money, price } from "./figures.js";
import { signInUrl } from "./page.js";

export { Fragment, render, useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState };
export const html = htm.bind(h);

// Live regions exist before anything is said in them, or screen readers miss it.
function liveRegion(role) {
  const region = document.createElement("div");
  region.className = "unseen";
  region.setAttribute("role", role);
  region.setAttribute("aria-live", role === "alert" ? "assertive" : "polite");
  document.body.append(region);
  return region;
}
const [polite, assertive] = ["status", "alert"].map(liveRegion);

function say(region, words) {
  const line = document.createElement("p");
  line.textContent = words;
  region.append(line);
  // Read aloud when it comes; gone before the region grows.
  setTimeout(() => line.remove(), 10_000);
}

// Says something to a screen reader when it has time, such as a fill; and at once, such as a refusal.
export const announce = (words) => say(polite, words);
export const warn = (words) => say(assertive, words);

// A text that changes, in an element that is replaced whole: what a translator put in its place goes with it.
export const Whole = ({ text }) => html`<span key=${text}>${text}</span>`;

// A second hand: the component draws itself again every so many milliseconds.
export function useTicks(every = 1_000) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

const seconds = (millis) => Math.max(0, Math.round(millis / 1_000));

function Age({ since }) {
  return html`<${Whole} text=${`${seconds(useTicks() - since)} s old`} />`;
}

function Reconnecting({ tries, nextAt }) {
  const left = seconds(nextAt - useTicks(250));
  return html`<${Whole} text=${`Reconnecting, try ${tries}${left > 0 ? `, next in ${left} s` : ""}`} />`;
}

// The words beside a region's title that say how far its values can be trusted.
function StateNote({ state }) {
  if (state.kind === "stale") return html`<p class="state"><${Age} since=${state.since} /></p>`;
  if (state.kind === "reconnecting") return html`<p class="state"><${Reconnecting} ...${state} /></p>`;
  return null;
}

// A failure, with the way out of it: a link, another try, or the page anew. A link to the page itself would only go to its fragment.
function Fault({ state: { message, reason, link }, retry }) {
  const leads = link ?? (reason === "SignInRequired" && { href: signInUrl(), words: "Sign in" });
  return html`<div class="failure" role="alert"><p><${Whole} text=${message} /></p>
    ${leads?.reload ? html`<button type="button" onClick=${() => location.reload()}>${leads.words}</button>`
      : leads ? html`<a class="button" href=${leads.href}>${leads.words}</a>`
      : retry && html`<${ActButton} type="button" onClick=${retry}>Try again</${ActButton}>`}</div>`;
}

// A part of a page that shows values: `state` is that of `socket.js`, or "loading", "live", "empty" or "error" of a call. `empty` is what
// stands in its place, `tools` stands beside its title. The content keeps its place in every state but "empty" and a first "error".
export function Region({ name, title, state, children, empty, tools, retry, id, label, className = "" }) {
  const given = typeof state === "string" ? { kind: state } : state;
  // The banner says that the session has ended: the region keeps what it shows.
  const told = given.kind === "error" && given.message?.includes(SIGNED_OUT) ? { kind: "ended" } : given;
  const titleId = `${id ?? name}-title`;
  const wasEmpty = useRef(false);
  const isEmpty = told.kind === "ended" ? wasEmpty.current : told.kind === "live" && Boolean(empty);
  wasEmpty.current = isEmpty;
  const shown = isEmpty && told.kind === "live" ? "empty" : told.kind;
  return html`<section class="panel ${className}" id=${id} data-region=${name} data-state=${shown}
    aria-labelledby=${title ? titleId : undefined} aria-label=${title ? undefined : label} aria-busy=${told.kind === "loading"}>
    ${title && html`<header class="panel-head"><h2 id=${titleId}>${title}</h2><${StateNote} state=${told} />${tools}</header>`}
    ${told.kind === "error" && html`<${Fault} state=${told} retry=${retry} />`}
    ${isEmpty ? html`<div class="empty">${empty}</div>` : html`<div class="panel-body">${children}</div>`}
  </section>`;
}

// The state and the value of a call: `[state, value, reload]`. A value stays while it is loaded again.
export function useLoaded(load, inputs = []) {
  const [loaded, setLoaded] = useState({ state: { kind: "loading" }, value: null });
  const turn = useRef(0);
  const reload = useCallback(async () => {
    const mine = ++turn.current;
    try {
      const value = await load();
      if (mine === turn.current) setLoaded({ state: { kind: "live" }, value });
    } catch (failure) {
      const state = { kind: "error", message: failure.message, reason: failure.reason };
      if (mine === turn.current) setLoaded((last) => ({ state, value: last.value }));
    }
  }, inputs);
  useEffect(() => {
    reload();
    return () => void turn.current++;
  }, [reload]);
  return [loaded.state, loaded.value, reload];
}

// A dialog that is open as long as it stands on the page. Escape and the button in its corner close it; the focus returns.
export function Dialog({ title, onClose, children, className = "" }) {
  const dialog = useRef(null);
  useLayoutEffect(() => {
    const [before, shown] = [/** @type {HTMLElement} */ (document.activeElement), dialog.current];
    shown.showModal();
    return () => {
      // The page takes no focus while the dialog is open.
      shown.close();
      before?.focus?.();
    };
  }, []);
  return html`<dialog ref=${dialog} class=${className} aria-labelledby="dialog-title" onCancel=${(event) => {
    event.preventDefault();
    onClose();
  }}>
    <header class="dialog-head"><h2 id="dialog-title">${title}</h2>
      <button type="button" class="quiet" aria-label="Close" onClick=${onClose}>×</button></header>
    ${children}
  </dialog>`;
}

// A figure as it is read. Where it shows fewer digits than there are, it takes the focus, by a touch or by Tab, and then shows all of them, as
// it does where the pointer rests; copies have them too.
export function Exact({ text, shown, unit = "", name, className = "", children }) {
  if (text === null || text === undefined || text === "") return html`<span class="amount">–</span>`;
  const whole = `${text}${unit && ` ${unit}`}`;
  const bare = shown.replace(/[+,]/g, "");
  const isShort = !/^-?[\d.]+$/.test(bare) || compare(read(bare), read(text)) !== 0;
  return html`<span key=${`${shown} ${whole}`} class=${`amount ${className}`} title=${whole} data-value=${text} data-figure=${name} tabindex=${isShort ? 0 : undefined}
    role=${isShort ? "note" : undefined} aria-label=${isShort ? whole : undefined}>${shown}${children}${unit && html` <small class=${children ? "unit" : undefined}>${unit}</small>`}</span>`;
}

// An amount, with at most so many places.
export const Amount = ({ text, unit, places = Infinity }) => html`<${Exact} text=${text} shown=${amount(text, places)} unit=${unit}
  name="amount" />`;

// An amount of a currency that may be the dollar.
export const Money = ({ text, currency, unit = currency }) => html`<${Exact} text=${text} shown=${money(text, currency)} unit=${unit}
  name=${isDollar(currency) ? "dollars" : "amount"} />`;

// Dollars, a price, and an average or a mark, as `figures.js` writes them.
export const Dollars = ({ text, unit, className }) => html`<${Exact} text=${text} shown=${dollars(text)} unit=${unit} name="dollars"
  className=${className} />`;
export const Price = ({ text, unit, places }) => html`<${Exact} text=${text} shown=${price(text, places)} unit=${unit} name="price" />`;
export const Average = ({ text, unit, places }) => html`<${Exact} text=${text} shown=${average(text, places)} unit=${unit}
  name="average" />`;

// Copies give the whole of an amount, without groups.
document.addEventListener("copy", (event) => {
  const selection = getSelection();
  /** @type {HTMLElement} */
  const amount = selection?.anchorNode?.parentElement?.closest?.("[data-value]");
  if (!amount || !amount.contains(selection.focusNode)) return;
  event.clipboardData.setData("text/plain", amount.dataset.value);
  event.preventDefault();
});

// A side by word and colour.
export const Side = ({ side }) =>
  html`<span class=${side.toLowerCase() === "buy" ? "up" : "down"}>${side.toLowerCase() === "buy" ? "Buy" : "Sell"}</span>`;

// A button that sends something. At work it shows so and takes no click. The second click of a double click is none: it would send again
// what the first has just sent. It is one where people click again and again, `isRepeatable`.
export function SendButton({ isBusy, isOff, isRepeatable, className, onClick, children, ...others }) {
  const click = (event) => {
    if (event.detail < 2 || isRepeatable) return onClick?.(event);
    event.preventDefault();
    return event.stopPropagation();
  };
  return html`<button ...${others} class=${className} aria-busy=${isBusy ? "true" : undefined}
    disabled=${Boolean(isBusy || isOff)} onClick=${click}>${children}</button>`;
}

// A button that is at work for as long as what it started.
export function ActButton({ isBusy, onClick, children, ...others }) {
  const [isWaiting, setWaiting] = useState(false);
  const click = async () => {
    const work = onClick();
    if (!work?.finally) return;
    setWaiting(true);
    await work.finally(() => setWaiting(false));
  };
  return html`<${SendButton} ...${others} isBusy=${isBusy || isWaiting} onClick=${click}>${children}</${SendButton}>`;
}

// Copies a text and says so.
export function CopyButton({ text, children = "Copy" }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
      announce("Copied");
    } catch (failure) {
      console.warn(failure);
      setSaid("Not copied");
      warn("This browser does not let the page copy. Select the text and copy it.");
    }
    setTimeout(() => setSaid(""), 1_500);
  };
  return html`<button type="button" class="small" onClick=${copy}>${said || children}</button>`;
}
