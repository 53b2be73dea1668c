// The ladder: prices stand still and quotes move along them. It is drawn by itself, without the library of the forms.
import { whole } from "../figures.js";
import { amountShown, bare, base, bookPrice, bookSide, priceShown, priceText, shownPrice, TICK, toAmount } from "./market.js";
import { book, onBook, onTrades, top, trades } from "./feed.js";
import { stepOf, steps } from "./grouped.js";
import { orders, ownOrders, queue } from "./orders.js";
import { element, keep, mark, onRoom, size, write } from "./rows.js";
import { draw } from "./store.js";
import { chips } from "./drag.js";

export const COLUMNS = ["own", "bid", "price", "ask", "traded"];
// What a key moves the chosen cell by: rows and columns.
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-10, 0], PageDown: [10, 0] };
// A spread takes at most so many rows of the first step.
const SPREAD = 6n;

// The step that shows both sides at once: the smallest in which the spread takes few rows.
export function firstStep() {
  const { bid, ask, middle } = top.get();
  if (bid === undefined || ask === undefined) return TICK;
  return steps(TICK, middle).find((one) => (ask - bid) / one <= SPREAD) ?? TICK;
}

function makeRow(at) {
  const line = element("div", "rung", { role: "row" });
  const cells = COLUMNS.map((name) => element("span", name, { role: "gridcell", "data-cell": name, id: `rung-${at}-${name}` }));
  line.append(...cells);
  return { line, cells: Object.fromEntries(COLUMNS.map((name, place) => [name, cells[place]])) };
}

// One letter for a side; on a contract the outcome says it.
const signOf = ({ side, outcome }) => (outcome ? (outcome === "no" ? "No" : "Yes") : side === "buy" ? "B" : "S");

// The amounts of a side by step, down to the last price of the window.
function sums(side, step, isOut) {
  const found = new Map();
  for (const price of side.prices) {
    const at = stepOf(price, step, side.isBids);
    if (isOut(at)) break;
    found.set(at, (found.get(at) ?? 0n) + side.amounts.get(price));
  }
  return found;
}

export class Ladder {
  #place;
  #rows = [];
  /** @type {bigint | null} */
  #first = null;
  #step = TICK;
  #active = null;
  #isWithin = false;
  #stops;
  #act;
  #traded = new Map();
  #counted = 0;
  #kept = {};

  // `act(column, price, orders, event)` is what a click or Enter on a cell does; `drop(order, price)` what a drag of an order does.
  constructor(place, { act, drop }) {
    [this.#place, this.#act] = [place, act];
    const again = () => draw(this.draw);
    this.#stops = [
      onRoom(place, (count) => this.#fit(count)), onBook(this.draw), onTrades(this.#count), orders.subscribe(again), queue.subscribe(again),
      chips(place, { orderAt: (cell) => this.#ordersOf(cell)[0], drop }),
    ];
    const listen = (name, listener, options) => {
      place.addEventListener(name, listener, options);
      this.#stops.push(() => place.removeEventListener(name, listener, options));
    };
    listen("pointerenter", () => (this.#isWithin = true));
    listen("pointerleave", () => (this.#isWithin = false));
    listen("wheel", (event) => {
      event.preventDefault();
      this.scroll(event.deltaY > 0 ? -3 : 3);
    }, { passive: false });
    listen("click", (event) => this.#clicked(event));
    listen("keydown", (event) => this.#pressed(event));
    listen("blur", () => this.#choose(null));
  }

  stop() {
    for (const stop of this.#stops) stop();
  }

  setStep(step) {
    this.#step = step;
    this.center();
  }

  // Puts the middle of the book into the middle of the ladder.
  center = () => {
    const { middle } = top.get();
    if (middle === undefined) return;
    this.#first = (middle / this.#step + BigInt(this.#rows.length >> 1)) * this.#step;
    this.draw();
  };

  scroll(by) {
    if (this.#first === null) return;
    this.#first += BigInt(by) * this.#step;
    const least = BigInt(Math.max(0, this.#rows.length - 1)) * this.#step;
    if (this.#first < least) this.#first = least;
    this.draw();
  }

  #fit(count) {
    const old = this.#rows.length;
    keep(this.#place, this.#rows, count, makeRow);
    if (this.#first !== null) this.#first += BigInt((count - old) >> 1) * this.#step;
    this.draw();
  }

  #priceAt(at) {
    return this.#first - BigInt(at) * this.#step;
  }

  // The middle left the window's inner part while nobody is at it.
  #isAway() {
    const { middle } = top.get();
    if (middle === undefined || this.#isWithin || this.#place.contains(document.activeElement)) return false;
    const at = Number((this.#first - middle) / this.#step);
    return at < this.#rows.length / 6 || at > (this.#rows.length * 5) / 6;
  }

  #count = () => {
    for (const trade of trades) {
      if (trade.id <= this.#counted) break;
      this.#traded.set(trade.price, (this.#traded.get(trade.price) ?? 0n) + trade.amount);
    }
    this.#counted = Math.max(this.#counted, trades[0]?.id ?? 0);
    draw(this.draw);
  };

  draw = () => {
    if (!this.#rows.length || !this.#place.offsetParent) return;
    if (this.#first === null || this.#isAway()) {
      if (top.get().middle === undefined) return;
      return void this.center();
    }
    this.#drawRows(this.#first, this.#priceAt(this.#rows.length - 1));
  };

  #drawRows(high, low) {
    const bids = sums(book.bids, this.#step, (price) => price < low);
    const asks = sums(book.asks, this.#step, (price) => price > high);
    const traded = new Map();
    for (const [price, amount] of this.#traded) {
      const at = stepOf(price, this.#step, true);
      traded.set(at, (traded.get(at) ?? 0n) + amount);
    }
    const owns = this.#owns();
    const seen = [...bids, ...asks].filter(([price]) => price >= low && price <= high);
    const most = seen.reduce((largest, [, amount]) => (amount > largest ? amount : largest), 1n);
    const { bid, ask } = top.get();
    const stepped = (price, isBids) => (price === undefined ? -1n : stepOf(price, this.#step, isBids));
    const best = { bid: stepped(bid, true), ask: stepped(ask, false) };
    this.#rows.forEach((row, at) => {
      const price = this.#priceAt(at);
      const amounts = { bid: bids.get(price), ask: asks.get(price), traded: traded.get(price) };
      this.#drawRow(row, price, { ...amounts, owns: owns.get(price) ?? [], most, best });
    });
  }

  #drawRow({ line, cells }, price, { bid, ask, traded, owns, most, best }) {
    const text = priceText(price);
    mark(line, "data-price", text);
    for (const cell of Object.values(cells)) mark(cell, "data-price", text);
    write(cells.price, priceShown(price));
    mark(cells.price, "class", price === best.bid ? "price up" : price === best.ask ? "price down" : "price");
    for (const [cell, amount] of [[cells.bid, bid], [cells.ask, ask]]) {
      write(cell, amount ? amountShown(amount) : "");
      size(cell, amount ? Number((amount * 100n) / most) : 0);
    }
    write(cells.traded, traded ? amountShown(traded) : "");
    this.#drawOwn(cells.own, owns);
    this.#name(cells, priceShown(price), { bid, ask, traded });
  }

  // The words of a screen reader for each cell, which stands apart from its row there.
  #name(cells, price, { bid, ask, traded }) {
    const words = (name, amount) =>
      (amount ? `${name} ${amountShown(amount)} at ${price}` : `No ${name.toLowerCase()} at ${price}`);
    mark(cells.bid, "aria-label", words("Bid", bid));
    mark(cells.ask, "aria-label", words("Ask", ask));
    mark(cells.price, "aria-label", `Price ${price}`);
    mark(cells.traded, "aria-label", traded ? `Traded ${amountShown(traded)} at ${price}` : `No trades at ${price}`);
    if (!cells.own.textContent) mark(cells.own, "aria-label", `No own order at ${price}`);
  }

  // An own order: its side, its remainder and the amount ahead of it.
  #drawOwn(cell, owns) {
    if (!owns.length) {
      write(cell, "");
      for (const name of ["data-ahead", "data-own", "title"]) mark(cell, name, undefined);
      return;
    }
    const rest = owns.reduce((total, order) => total + toAmount(order.remaining), 0n);
    const ahead = queue.get().get(owns[0].id)?.ahead;
    const side = bookSide(owns[0]) === "bids" ? "buy" : "sell";
    const sign = owns[0].busy || owns[0].isUnknown ? "…" : signOf(owns[0]);
    const [count, amount] = [owns.length > 1 ? ` ×${owns.length}` : "", bare(amountShown(rest))];
    const queued = ahead === undefined ? "" : bare(amountShown(toAmount(ahead)));
    write(cell, `${sign} ${amount}${count}${queued && ` ‹ ${queued}`}`);
    mark(cell, "aria-label", `Own ${side} ${amount}${count}${queued && `, ${queued} ahead`} at ${shownPrice(owns[0].price)}`);
    mark(cell, "data-own", side);
    mark(cell, "data-ahead", ahead);
    mark(cell, "title", owns.map((order) => `${order.side === "buy" ? "Buy" : "Sell"} ${whole(order.remaining)} ${base} at ${
      shownPrice(order.price)}; `
      + `ahead in the queue: ${queue.get().has(order.id) ? whole(queue.get().get(order.id).ahead) : "not known"}`).join("\n"));
  }

  // Own orders by the step that they stand in, put together once for each state of the list.
  #owns() {
    const list = ownOrders();
    if (this.#kept.of === list && this.#kept.step === this.#step) return this.#kept.found;
    const found = new Map();
    for (const order of list) {
      if (order.type !== "limit") continue;
      const at = stepOf(bookPrice(order), this.#step, bookSide(order) === "bids");
      if (found.has(at)) found.get(at).push(order);
      else found.set(at, [order]);
    }
    this.#kept = { of: list, step: this.#step, found };
    return found;
  }

  #ordersOf(cell) {
    if (cell?.dataset.cell !== "own") return [];
    const price = cell.closest("[data-price]").dataset.price;
    for (const [at, owns] of this.#owns()) if (priceText(at) === price) return owns;
    return [];
  }

  #clicked(event) {
    const cell = event.target.closest("[data-cell]");
    if (cell) this.#act(cell.dataset.cell, cell.dataset.price, this.#ordersOf(cell), event);
  }

  #choose(next) {
    const cellOf = (active) => active && this.#rows[active.at]?.cells[COLUMNS[active.column]];
    cellOf(this.#active)?.classList.remove("active");
    this.#active = next;
    const cell = cellOf(next);
    cell?.classList.add("active");
    if (cell) this.#place.setAttribute("aria-activedescendant", cell.id);
    else this.#place.removeAttribute("aria-activedescendant");
    return cell;
  }

  #pressed(event) {
    const by = STEPS[event.key];
    const last = this.#rows.length - 1;
    if (by && (event.ctrlKey || event.altKey)) return;
    if (by) {
      const from = this.#active ?? { at: (last + 1) >> 1, column: 2 };
      const at = from.at + by[0];
      if (at < 0 || at > last) this.scroll(-by[0]);
      const column = Math.max(0, Math.min(COLUMNS.length - 1, from.column + by[1]));
      this.#choose({ at: Math.max(0, Math.min(last, at)), column });
    } else if (event.key === "Enter" && this.#active) {
      const cell = this.#rows[this.#active.at].cells[COLUMNS[this.#active.column]];
      this.#act(cell.dataset.cell, cell.dataset.price, this.#ordersOf(cell), event);
    } else {
      return;
    }
    event.preventDefault();
  }
}
