// The palette: markets, pages and acts by name, with the keyboard alone.
import { chooseAccount, get, getPublic } from "./call.js";
import { showFault } from "./faults.js";
import { price } from "./figures.js";
import { bindings, isOn, keysOf } from "./keyboard.js";
import { Rest, marksOf, part, totalOf } from "./lists.js";
import { addressOf, data, isSandbox, isSignedIn, url } from "./page.js";
import { get as chosen } from "./preferences.js";
import { html, render, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./ui.js";

// Markets that are shown before something is typed, and at most.
const [FIRST, MOST] = [5, 8];
// Events whose contracts are searched: as many as the exchange names at once.
const EVENTS = 500;
const OWN_PAGES = [
  ["/account/money", "Money"], ["/account/clearing", "Clearing"], ["/account/staking", "Staking"], ["/account/statement", "Statement"],
  ["/settings/security", "Security"], ["/settings/keys", "API keys"], ["/settings/apps", "Apps"], ["/settings/sessions", "Sessions"],
];
const SANDBOX_PAGES = [["/console/calls", "Control calls"], ["/console/requests", "Requests"]];
const VISITOR_PAGES = [["/signin", "Sign in"], ["/signup", "Sign up"]];

const offered = new Set();
let markets = [];
// How many events have contracts among the markets: "more" if there are others.
/** @type {number | "more"} */
let eventsTotal = 0;
const accounts = data.user?.numbered ?? [];

// Offers acts of a page: `{ words, act, keys }`. Returns a function that withdraws them.
export function offer(acts) {
  offered.add(acts);
  return () => offered.delete(acts);
}

// Draws something beside the page until it closes; `draw` gets what closes it.
export function overlay(draw) {
  const place = document.createElement("div");
  const close = () => {
    render(null, place);
    place.remove();
  };
  document.body.append(place);
  render(draw(close), place);
}

const to = (path) => () => location.assign(url(path));

function pages() {
  const shown = [...document.querySelectorAll(".main-nav a")].map((link) => [link.getAttribute("href"), link.textContent]);
  const more = [...(isSignedIn() ? OWN_PAGES : VISITOR_PAGES), ...(isSandbox() ? SANDBOX_PAGES : [])];
  return [...shown.map(([path, words]) => ({ words, note: path, act: to(path) })),
    ...more.map(([path, words]) => ({ words, note: path, act: to(path) }))];
}

function acts() {
  const keyed = bindings().filter(({ isHidden }) => !isHidden)
    .map((binding) => ({ words: binding.words, keys: isOn() ? keysOf(binding) : "", act: binding.act }));
  return [...[...offered].flat(), ...keyed];
}

// This tab goes on with another account of the group, and so do pages that name none.
async function switchTo(number) {
  try {
    await chooseAccount(number);
    location.assign(addressOf(number));
  } catch (failure) {
    showFault("account-choice", `This tab stays on ${data.user.account ?? "no account"}. ${failure.message}`);
  }
}

const switches = () => accounts.filter(({ number }) => number !== data.user?.number)
  .map(({ number, name }) => ({ words: `Switch account: ${name}`, act: () => switchTo(number) }));

const marketEntry = ({ symbol, title, name, last, change }) => ({
  words: title, name, note: last && `${price(last)}  ${change}`, code: symbol, act: to(`/trade/${symbol}`),
});

// The contracts that trade, as markets; they are found by their symbol, their words and those of their event.
const contractsOf = (events) => events.flatMap((event) => event.contracts.filter(({ instrumentSymbol }) => instrumentSymbol)
  .map(({ instrumentSymbol, label }) => ({ symbol: instrumentSymbol.toLowerCase(), title: instrumentSymbol.toUpperCase(),
    name: label === event.title ? label : `${event.title}: ${label}` })));

// How well an entry fits what is typed: 0 best, none if a word is missing.
function rank(entry, words) {
  const [code, text] = [entry.code ?? "", `${entry.words} ${entry.name ?? ""} ${entry.code ?? ""}`.toLowerCase()];
  if (!words.every((word) => text.includes(word))) return null;
  if (code.startsWith(words[0]) || text.startsWith(words[0])) return 0;
  return text.includes(` ${words[0]}`) ? 1 : 2;
}

function matches(entries, words) {
  const ranked = entries.map((entry) => [rank(entry, words), entry]).filter(([place]) => place !== null);
  return ranked.sort(([one], [other]) => one - other).map(([, entry]) => entry);
}

function firstMarkets(entries) {
  const favourites = chosen("favourites", []);
  const liked = entries.filter(({ code }) => favourites.includes(code));
  return part([...new Set([...liked, ...entries])], Math.max(FIRST, Math.min(MOST, liked.length)));
}

// The groups that fit what is typed.
function found(typed, known) {
  const words = typed.toLowerCase().split(/\s+/).filter((word) => word);
  const entries = known.map(marketEntry);
  const fitting = matches(entries, words);
  const groups = [
    ["Markets", words.length ? part(fitting, MOST) : firstMarkets(entries), fitting.length],
    ["Pages", matches(pages(), words)],
    ["Acts", matches([...acts(), ...switches()], words)],
  ];
  return groups.filter(([, list]) => list.length);
}

// Without what does not come the palette still finds the rest: `[value, fault]`.
const loaded = (load) => load().then((value) => [value, ""], (failure) => [null, failure.message]);

async function loadMarkets() {
  const [[table, first], [events, second]] = await Promise.all([loaded(() => get("/site/market.json")),
    loaded(() => getPublic(`/v1/prediction-markets/events?status=active&limit=${EVENTS}`))]);
  const fault = first ? `Markets cannot be found now. ${first}` : second && `Contracts of events cannot be found now. ${second}`;
  eventsTotal = totalOf(events?.data ?? [], EVENTS);
  if (!first) markets = [...table.rows, ...contractsOf(events?.data ?? [])];
  return { known: markets, fault };
}

function useMarkets() {
  const [state, setState] = useState({ known: markets, fault: "" });
  useEffect(() => void loadMarkets().then(setState), []);
  return state;
}

function Option({ entry, at, isActive, onChoose }) {
  return html`<li role="option" id=${`option-${at}`} aria-selected=${isActive} onClick=${() => onChoose(entry)}>
    <span>${entry.words}${entry.name && html` <small>${entry.name}</small>`}</span>
    ${entry.keys ? html`<kbd>${entry.keys}</kbd>` : html`<small class="number">${entry.note}</small>`}
  </li>`;
}

function Results({ groups, active, onChoose }) {
  let at = 0;
  return html`<ul role="listbox" id="palette-list" aria-label="Found">${groups.map(([title, list, total = list.length]) => html`
    <li role="presentation" key=${title}><ul role="group" aria-labelledby=${`palette-${title}`}
      ...${marksOf(`palette ${title}`, list.length, total)}>
      <li role="presentation" class="palette-title" id=${`palette-${title}`}>${title}${total > list.length
        && ` (${list.length} of ${total}; type more of a name)`}</li>
      ${list.map((entry) => html`<${Option} entry=${entry} at=${at} isActive=${at++ === active} onChoose=${onChoose} />`)}
    </ul></li>`)}</ul>`;
}

const MOVES = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

function Palette({ onClose }) {
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(0);
  const dialog = useRef(null);
  const hasActed = useRef(false);
  const { known, fault } = useMarkets();
  const groups = useMemo(() => found(typed, known), [typed, known]);
  const all = groups.flatMap(([, list]) => list);
  useLayoutEffect(() => {
    const [before, shown] = [/** @type {HTMLElement} */ (document.activeElement), dialog.current];
    shown.showModal();
    return () => {
      // While it is open, nothing behind it takes the focus. An act may have moved it on.
      shown.close();
      if (!hasActed.current) before?.focus?.();
    };
  }, []);
  useLayoutEffect(() => document.getElementById(`option-${active}`)?.scrollIntoView({ block: "nearest" }), [active]);
  // The dialog closes first, so that the act finds the page as it was.
  const choose = (entry) => {
    hasActed.current = Boolean(entry);
    onClose();
    entry?.act();
  };
  const move = (event) => {
    if (event.key === "Enter") choose(all[active]);
    else if (!MOVES[event.key] || !all.length) return;
    else if (Math.abs(MOVES[event.key]) > 1) setActive(Math.min(all.length - 1, Math.max(0, active + MOVES[event.key])));
    else setActive((active + MOVES[event.key] + all.length) % all.length);
    event.preventDefault();
  };
  return html`<dialog ref=${dialog} class="palette" aria-label="Go to a market, a page or an act" onCancel=${(event) => {
    event.preventDefault();
    onClose();
  }} onClick=${(event) => event.target === dialog.current && onClose()}>
    <input type="text" role="combobox" aria-label="Market, page or act" aria-expanded=${all.length > 0} aria-controls="palette-list"
      aria-autocomplete="list" aria-activedescendant=${all.length ? `option-${active}` : undefined} placeholder="Market, page or act"
      autocomplete="off" spellcheck=${false} value=${typed} onKeyDown=${move} onInput=${(event) => {
        setTyped(event.target.value);
        setActive(0);
      }} />
    <${Results} groups=${groups} active=${active} onChoose=${choose} />
    ${fault && html`<p class="note palette-fault" role="status" data-fault="markets">${fault}</p>`}
    ${all.length === 0 && html`<p class="empty" role="status">Nothing is called “${typed}”.</p>`}
    ${eventsTotal === "more" && html`<${Rest} shown=${EVENTS} total="more" what="events" done="searched"
      link=${{ href: url("/predictions"), words: "The predictions have all" }} />`}
  </dialog>`;
}

export const open = () => overlay((close) => html`<${Palette} onClose=${close} />`);
