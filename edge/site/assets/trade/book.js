// The book: both sides around the spread. Each price is a row; choosing it fills the ticket's price. Own orders are marked.
import { whole } from "../figures.js";
import { keepStep, useSettings } from "./settings.js";
import { html, Region, useEffect, useRef, Whole } from "../ui.js";
import { amountShown, amountText, base, bookPrice, bookSide, isContract, priceShown, priceText, quote, shownPrice, symbol, TICK } from "./market.js";
import { book, bookState, last, onBook, top } from "./feed.js";
import { levels, stepOf, steps } from "./grouped.js";
import { orders, ownOrders } from "./orders.js";
import { element, keep, mark, onRoom, size, write } from "./rows.js";
import { draw, useStore } from "./store.js";
import { setBookPrice } from "./draft.js";

function makeRow(side, at) {
  const line = element("div", `level ${side}`, { role: "option", id: `${side}-${at}` });
  const names = ["own", side === "bids" ? "up price" : "down price", "number", "number soft"];
  const [own, price, amount, total] = names.map((name) => element("span", name));
  line.append(own, price, amount, total);
  return { line, own, price, amount, total };
}

function drawRow(row, level, largest, owns) {
  mark(row.line, "hidden", level === undefined);
  if (!level) return mark(row.line, "data-price", undefined);
  const text = priceText(level.price);
  mark(row.line, "data-price", text);
  write(row.price, priceShown(level.price));
  write(row.amount, amountShown(level.amount));
  write(row.total, amountShown(level.total));
  mark(row.line, "title", `${whole(amountText(level.amount))} ${base} at ${shownPrice(text)}; ${whole(amountText(level.total))} up to here`);
  const isOwn = owns.has(level.price);
  mark(row.line, "data-own", isOwn);
  write(row.own, isOwn ? "●" : "");
  mark(row.own, "aria-label", isOwn ? "own order" : undefined);
  mark(row.own, "role", isOwn ? "img" : undefined);
  mark(row.line, "aria-selected", "false");
  size(row.line, Number((level.total * 100n) / (largest || 1n)));
  return undefined;
}

// The steps of each side in which own orders stand, put together once for each state of the list.
let kept = {};
function ownSteps(step) {
  const list = ownOrders();
  if (kept.of === list && kept.step === step) return kept.found;
  const found = { bids: new Set(), asks: new Set() };
  for (const order of list) {
    const side = bookSide(order);
    if (order.type === "limit") found[side].add(stepOf(bookPrice(order), step, side === "bids"));
  }
  kept = { of: list, step, found };
  return found;
}

// One side as a list, of which a row is chosen by arrow keys.
function listKeys(list, rows, isUp) {
  let active = -1;
  const choose = (at) => {
    rows[active]?.line.classList.remove("active");
    active = at;
    rows[active]?.line.classList.add("active");
    if (rows[active]) list.setAttribute("aria-activedescendant", rows[active].line.id);
    else list.removeAttribute("aria-activedescendant");
  };
  const shown = () => rows.filter(({ line }) => !line.hidden).length;
  list.addEventListener("keydown", (event) => {
    const by = { ArrowDown: isUp ? -1 : 1, ArrowUp: isUp ? 1 : -1 }[event.key];
    if (by) choose(Math.max(0, Math.min(shown() - 1, active + by)));
    else if (event.key === "Enter" && rows[active]?.line.dataset.price) setBookPrice(rows[active].line.dataset.price);
    else return;
    event.preventDefault();
  });
  list.addEventListener("blur", () => choose(-1));
}

function run(place, getStep) {
  const sides = ["asks", "bids"].map((side) => ({ side, list: place.querySelector(`[data-book=${side}]`), rows: [] }));
  let count = 0;
  const drawAll = () => {
    if (!place.offsetParent || !count) return;
    const step = getStep();
    const shown = sides.map(({ side }) => levels(book[side], count, step));
    const largest = shown.reduce((most, list) => (list.at(-1)?.total > most ? list.at(-1).total : most), 0n);
    sides.forEach(({ side, rows }, which) => {
      const owns = ownSteps(step)[side];
      rows.forEach((row, at) => drawRow(row, shown[which][at], largest, owns));
    });
  };
  for (const { list, side, rows } of sides) {
    listKeys(list, rows, side === "asks");
    list.addEventListener("click", ({ target }) => {
      const price = target.closest("[data-price]")?.dataset.price;
      if (price) setBookPrice(price);
    });
  }
  const again = () => draw(drawAll);
  const ends = [
    onRoom(place, (room) => {
      count = Math.max(1, Math.floor((room - 1) / 2));
      for (const { side, list, rows } of sides) keep(list, rows, count, (at) => makeRow(side, at));
      drawAll();
    }),
    onBook(drawAll), orders.subscribe(again),
  ];
  return { drawAll, stop: () => ends.forEach((end) => end()) };
}

// The middle line: the last price, and the spread with its part of the middle.
function Middle() {
  const { bid, ask, middle } = useStore(top);
  const newest = useStore(last);
  const hasBoth = bid !== undefined && ask !== undefined;
  const points = hasBoth && middle ? ((ask - bid) * 100_000n) / middle : null;
  return html`<div class="middle">
    <b class=${newest ? (newest.isBuy ? "up" : "down") : ""}><${Whole}
      text=${newest ? `${priceShown(newest.price)} ${newest.isBuy ? "↑" : "↓"}` : "–"} /></b>
    <span class="soft">${hasBoth && html`<${Whole}
      text=${`Spread ${priceShown(ask - bid)} · ${(Number(points) / 1000).toFixed(3)} %`} />`}</span></div>`;
}

// The step in which levels are put together, kept for each market.
function Step({ step }) {
  const figures = useStore(top, ({ middle }) => (middle ? String(middle).length : 0));
  return html`<select class="step" aria-label="Step of the book" value=${step} onChange=${(event) => keepStep(event.target.value)}>
    ${steps(TICK, figures && 10n ** BigInt(figures - 1)).map((one) => html`<option value=${priceText(one)}
      selected=${priceText(one) === step}>${priceShown(one)}</option>`)}</select>`;
}

export function Book() {
  const state = useStore(bookState);
  const { step: kept } = useSettings();
  const step = kept[symbol] ?? priceText(TICK);
  const newest = useRef(step);
  const place = useRef(null);
  const running = useRef(null);
  useEffect(() => {
    running.current = run(place.current, () => BigInt(newest.current.replace(".", "")));
    return () => running.current.stop();
  }, []);
  useEffect(() => {
    newest.current = step;
    running.current.drawAll();
  }, [step]);
  return html`<${Region} name="book" title="Book" state=${state} className="book" tools=${html`<${Step} step=${step} />`}>
    <div class="book-head"><span></span><span>Price, ${quote}</span><span
      class="number">${isContract ? "Contracts" : `Amount, ${base}`}</span><span
      class="number">Sum</span></div>
    <div class="fixed-rows" ref=${place}>
      <div class="side asks" role="listbox" tabindex="0" aria-label="Asks" data-book="asks"></div>
      <${Middle} />
      <div class="side bids" role="listbox" tabindex="0" aria-label="Bids" data-book="bids"></div>
    </div></${Region}>`;
}
