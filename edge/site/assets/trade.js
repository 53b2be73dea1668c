// The page on which one market is traded. Book, ladder and tape draw themselves; the forms and tables are components.
import "./shell.js";
import { History } from "./history.js";
import { markFills, unseenFills, useNews } from "./notices/feed.js";
import { html, render, useEffect, useRef, useState, Whole } from "./ui.js";
import { Asked } from "./trade/ask.js";
import { Book } from "./trade/book.js";
import { Chart } from "./trade/chart.js";
import { edit, isSheetOpen } from "./trade/draft.js";
import { EventPanel } from "./trade/event.js";
import * as feed from "./trade/feed.js";
import { Head } from "./trade/head.js";
import { startKeys } from "./trade/keys.js";
import { LadderPanel } from "./trade/ladder-panel.js";
import { isContract, isPerpetual, symbol } from "./trade/market.js";
import { Balances, Positions } from "./trade/money-panel.js";
import * as money from "./trade/money.js";
import { Fills, Orders } from "./trade/orders-panel.js";
import * as account from "./trade/orders.js";
import { Perpetual } from "./trade/perpetual.js";
import { resume } from "./trade/send.js";
import { useSettings } from "./trade/settings.js";
import { Held } from "./trade/status.js";
import { useStore } from "./trade/store.js";
import { Tape } from "./trade/tape.js";
import { Ticket } from "./trade/ticket.js";

const OwnHistory = () => html`<${History} symbol=${symbol} isContract=${isContract} />`;
const TABLES = [["orders", "Orders", Orders], ["fills", "Fills", Fills], ["history", "History", OwnHistory],
  ["positions", "Positions", Positions], ["balances", "Balances", Balances]];
// The tabs of a narrow screen.
const TABS = [["chart", "Chart"], ["book", "Book"], ["ladder", "Ladder"], ["tape", "Trades"], ["tables", "Account"],
  ...(isPerpetual ? [["more", "Perpetual"]] : isContract ? [["more", "Event"]] : [])];

function arrowKeys(list, now, choose) {
  return (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = (list.findIndex(([name]) => name === now) + by + list.length) % list.length;
    choose(list[at][0]);
    event.currentTarget.children[at].focus();
  };
}

const TabList = ({ list, now, choose, label, counts = {}, prefix }) => html`<div role="tablist" aria-label=${label}
  onKeyDown=${arrowKeys(list, now, choose)}>
  ${list.map(([name, words]) => html`<button type="button" role="tab" id=${`${prefix}-${name}`} aria-selected=${now === name}
    tabindex=${now === name ? 0 : -1}
    aria-controls=${`${prefix}-panel-${name}`} onClick=${() => choose(name)}>${words}${counts[name] ? html` <span
      class="count"><${Whole} text=${String(counts[name])} /></span>` : ""}</button>`)}</div>`;

function Tables() {
  const [now, choose] = useState("orders");
  const live = useStore(account.orders, (list) => list.size);
  const held = useStore(money.positions, (list) => list.length);
  useNews();
  const fills = unseenFills(symbol);
  useEffect(() => void (now === "fills" && fills && markFills()), [now, fills]);
  return html`<div class="tables panel"><${TabList} list=${TABLES} now=${now} choose=${choose} label="Account" prefix="table"
    counts=${{ orders: live, positions: held, fills: now === "fills" ? 0 : fills }} />
    ${TABLES.map(([name, , View]) => html`<div role="tabpanel" id=${`table-panel-${name}`} aria-labelledby=${`table-${name}`}
      hidden=${now !== name}>${(name !== "history" || now === name) && html`<${View} />`}</div>`)}</div>`;
}

const openSheet = (side) => () => {
  edit({ side });
  isSheetOpen.set(true);
};

// On a narrow screen the ticket is a sheet that these two open.
const Sides = () => html`<div class="sheet-open"><button type="button" class="buy" onClick=${openSheet("buy")}>Buy</button>
  <button type="button" class="sell" onClick=${openSheet("sell")}>Sell</button></div>`;

const narrow = matchMedia("(max-width: 47.99rem)");

function useNarrow() {
  const [isNarrow, set] = useState(narrow.matches);
  useEffect(() => {
    const change = () => set(narrow.matches);
    narrow.addEventListener("change", change);
    return () => narrow.removeEventListener("change", change);
  }, []);
  return isNarrow;
}

// The elements beside one and beside its parents. Regions that are only read aloud stay.
function around(inner) {
  const found = [];
  for (let at = inner; at !== document.body; at = at.parentElement) {
    found.push(...[...at.parentElement.children].filter((one) => one !== at && !one.matches(".unseen, script, dialog")));
  }
  return found.filter((one) => !one.inert);
}

// The open ticket of a narrow screen is modal: the focus moves into it, the rest of the page is inert, Escape ends it.
function useSheet(isModal, place) {
  useEffect(() => {
    if (!isModal) return undefined;
    // A key may have moved the focus into the ticket already.
    const isInside = place.current.contains(document.activeElement);
    const before = /** @type {HTMLElement} */ (isInside ? document.querySelector(".sheet-open button") : document.activeElement);
    const still = around(place.current);
    const close = () => isSheetOpen.set(false);
    const onKey = (event) => event.key === "Escape" && !document.querySelector("dialog[open]") && close();
    for (const one of still) one.inert = true;
    if (!isInside) place.current.focus();
    addEventListener("keydown", onKey);
    narrow.addEventListener("change", close);
    return () => {
      for (const one of still) one.inert = false;
      removeEventListener("keydown", onKey);
      narrow.removeEventListener("change", close);
      before?.focus?.();
    };
  }, [isModal]);
}

function TicketSlot() {
  const place = useRef(null);
  const isModal = useStore(isSheetOpen) && narrow.matches;
  useSheet(isModal, place);
  return html`<div class="slot slot-ticket" ref=${place} tabindex=${isModal ? -1 : undefined} role=${isModal ? "dialog" : undefined}
    aria-modal=${isModal ? "true" : undefined} aria-label=${isModal ? "Order" : undefined}><${Ticket} /></div>`;
}

function Terminal() {
  const { preset, hidden } = useSettings();
  const [tab, choose] = useState("book");
  const isOpen = useStore(isSheetOpen);
  const shows = (name) => `slot slot-${name}${hidden.includes(name) ? " is-hidden" : ""}`;
  const isNarrow = useNarrow();
  return html`<${Head} />${isNarrow && html`<${Held} />`}
    <div class="tabs"><${TabList} list=${TABS} now=${tab} choose=${choose} label="Parts of the page" prefix="tab" /></div>
    <div class="terminal" data-preset=${preset} data-tab=${tab} data-sheet=${isOpen}
      data-kind=${isPerpetual ? "perpetual" : isContract ? "contract" : "spot"}
      data-hidden=${hidden.join(" ")}>
      <div class=${shows("chart")} id="tab-panel-chart"><${Chart} /></div>
      <div class=${shows("book")} id="tab-panel-book"><${Book} /></div>
      <div class=${shows("ladder")} id="tab-panel-ladder"><${LadderPanel} /></div>
      <div class=${shows("tape")} id="tab-panel-tape"><${Tape} /></div>
      <div class="side-column"><${TicketSlot} />
        ${isPerpetual && html`<div class="slot slot-more" id="tab-panel-more"><${Perpetual} /></div>`}
        ${isContract && html`<div class="slot slot-more" id="tab-panel-more"><${EventPanel} /></div>`}</div>
      <div class=${shows("tables")} id="tab-panel-tables"><${Tables} /></div>
    </div><${Sides} /><${Asked} />`;
}

// Private streams first: the page's one socket then opens with its ticket at once.
account.start();
money.start();
feed.start();
render(html`<${Terminal} />`, document.getElementById("app"));
startKeys();
resume();
