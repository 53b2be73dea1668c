// The market table of the front page: current while the page is visible, searched, sorted, with favourites first.
import { get } from "./call.js";
import { compare, read } from "./decimal.js";
import { dollars, price } from "./figures.js";
import { marksOf } from "./lists.js";
import { url } from "./page.js";
import { Icon, toggleFavourite, useFavourites } from "./shell.js";
import { moment } from "./time.js";
import { CopyButton, Region, html, render, useMemo, useState } from "./ui.js";

const [PAUSE, STALE] = [2_000, 7_000];
const FILTERS = [["all", "All"], ["favourites", "Favourites"], ["spot", "Spot"], ["perpetual", "Perpetual"]];
const COLUMNS = [["title", "Market", ""], ["last", "Price", "number"], ["change", "24 h", "number"], ["volume", "Volume, USD", "number"]];

const byNumber = (name) => (one, other) => compare(read(one[name].replace(/[+ %]/g, "")), read(other[name].replace(/[+ %]/g, "")));
const ORDERS = {
  title: (one, other) => one.title.localeCompare(other.title, "en"),
  change: byNumber("change"),
  volume: byNumber("volume"),
};

// The order of the symbols. It stays while figures change, so that no row moves under the pointer.
function order(rows, { column, isDown }, favourites) {
  const hasFigure = (row) => Number(row[column] !== "");
  const sorted = [...rows].sort((one, other) => {
    if (!hasFigure(one) || !hasFigure(other)) return hasFigure(other) - hasFigure(one);
    return ORDERS[column](one, other) * (isDown ? -1 : 1);
  });
  const isLiked = ({ symbol }) => favourites.includes(symbol);
  return [...sorted.filter(isLiked), ...sorted.filter((row) => !isLiked(row))].map(({ symbol }) => symbol);
}

function isShown({ symbol, title, name }, { typed, filter }, favourites) {
  if (filter === "favourites" && !favourites.includes(symbol)) return false;
  if (filter === "spot" || filter === "perpetual") {
    if (title.endsWith(" perp") !== (filter === "perpetual")) return false;
  }
  const text = `${symbol} ${title} ${name}`.toLowerCase();
  return typed.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

function Star({ row, isLiked }) {
  return html`<button type="button" aria-pressed=${isLiked} aria-label=${`${row.title} is a favourite`}
    title=${isLiked ? "Take out of the favourites" : "Put among the favourites"} onClick=${() => toggleFavourite(row.symbol)}>
    <${Icon} name="star" /></button>`;
}

const Figure = ({ text, shown = text, title, side = "" }) => html`<td role="cell" class=${`number${side}`} title=${title}
  data-value=${text || undefined}>${shown || "–"}</td>`;

function Row({ row, isLiked }) {
  const side = { "+": " up", "-": " down" }[row.change[0]] ?? "";
  return html`<tr role="row">
    <td class="star" role="cell"><${Star} row=${row} isLiked=${isLiked} /></td>
    <th scope="row" role="rowheader"><a href=${url(`/trade/${row.symbol}`)}>${row.title}</a> <small>${row.name}</small></th>
    <${Figure} text=${row.last} shown=${price(row.last)} />
    <${Figure} text=${row.change} side=${side} />
    <${Figure} text=${row.volume} shown=${row.volume && dollars(row.volume)} title=${row.volume && `${row.volume} USD`} />
  </tr>`;
}

function Head({ sort, onSort }) {
  return html`<tr role="row"><td class="star" role="cell"></td>${COLUMNS.map(([name, words, kind]) => {
    const isSorted = sort.column === name;
    const direction = isSorted ? (sort.isDown ? "descending" : "ascending") : undefined;
    return html`<th scope="col" role="columnheader" class=${kind} aria-sort=${direction}>${ORDERS[name]
      ? html`<button type="button" onClick=${() => onSort({ column: name, isDown: isSorted ? !sort.isDown : name !== "title" })}>${words}${
        isSorted && html`<span aria-hidden="true">${sort.isDown ? "↓" : "↑"}</span>`}</button>`
      : words}</th>`;
  })}</tr>`;
}

function Filters({ chosen, onChoose }) {
  return html`<div class="filters">
    <div class="choice" role="group" aria-label="Which markets">${FILTERS.map(([filter, words]) => html`<button type="button"
      value=${filter} aria-pressed=${chosen.filter === filter} onClick=${() => onChoose({ ...chosen, filter })}>${words}</button>`)}</div>
    <input type="search" name="search" aria-label="Search the markets" placeholder="Search, such as btc or bitcoin" autocomplete="off"
      spellcheck=${false} value=${chosen.typed} onInput=${(event) => onChoose({ ...chosen, typed: event.target.value })} />
  </div>`;
}

function Nothing({ filter, onAll }) {
  const why = filter === "favourites" ? "No favourite is here. The star before a market makes it one." : "No market is called that.";
  return html`<div class="empty"><p>${why}</p><p><button type="button" onClick=${onAll}>All markets</button></p></div>`;
}

function Markets({ table, state, message }) {
  const favourites = useFavourites();
  const [chosen, choose] = useState({ typed: "", filter: "all" });
  const [sort, setSort] = useState({ column: "volume", isDown: true });
  const bySymbol = new Map(table.rows.map((row) => [row.symbol, row]));
  const known = [...bySymbol.keys()].sort().join();
  const symbols = useMemo(() => order(table.rows, sort, favourites), [known, sort, favourites]);
  const rows = symbols.map((symbol) => bySymbol.get(symbol)).filter((row) => isShown(row, chosen, favourites));
  const tools = html`<time class="note" id="clock">${moment(table.now_ms)}</time>
    <p id="status" class="note" role="status">${message}</p>`;
  return html`<${Region} name="markets" title="Prices" state=${state} tools=${tools}>
    <${Filters} chosen=${chosen} onChoose=${choose} />
    <table class="markets" role="table" aria-labelledby="markets-title" ...${marksOf("markets", rows.length)}>
      <thead role="rowgroup"><${Head} sort=${sort} onSort=${setSort} /></thead>
      <tbody id="markets" role="rowgroup">${rows.map((row) => html`<${Row} key=${row.symbol} row=${row}
        isLiked=${favourites.includes(row.symbol)} />`)}</tbody>
    </table>
    ${rows.length === 0 && html`<${Nothing} filter=${chosen.typed ? "" : chosen.filter}
      onAll=${() => choose({ typed: "", filter: "all" })} />`}
  </${Region}>`;
}

// The server's table stands until the first answer.
let shown = { table: null, state: { kind: "live" }, message: "" };
function show(next) {
  shown = { ...shown, ...next };
  if (shown.table) render(html`<${Markets} ...${shown} />`, document.getElementById("prices"));
  else document.getElementById("status").textContent = shown.message;
}

let heard = Date.now();
const stale = (message) => show({ state: { kind: "stale", since: heard }, message });

async function refresh() {
  if (document.hidden) return;
  // A page that was hidden for long shows no old price as a new one.
  if (Date.now() - heard > STALE) stale("");
  try {
    const table = await get("/site/market.json");
    heard = Date.now();
    show({ table, state: { kind: "live" }, message: "" });
  } catch (failure) {
    console.error(failure);
    stale(failure.message);
  }
}
refresh();
setInterval(refresh, PAUSE);
document.addEventListener("visibilitychange", refresh);

for (const origin of document.getElementsByClassName("origin")) origin.textContent = location.origin;
const call = document.getElementById("first-call").textContent;
render(html`<${CopyButton} text=${call} />`, document.getElementById("copy"));
