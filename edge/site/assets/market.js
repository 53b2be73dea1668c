// One market: polls the data of the page and shows it. The data are answers of public calls of the interface, which the exchange
// gives in one, so that a page takes nothing of the limit of an address. Prices are the texts of the exchange, digit by digit, and
// differences of them are exact; amounts and volumes are rounded, with all their digits where the pointer rests.
import { Candles } from "./candles.js";
import { change, difference, ratio, read, rounded, text } from "./decimal.js";
import { draw, totals } from "./depth.js";
import { poll } from "./poll.js";

const element = (id) => document.getElementById(id);
const { symbol, base, quote, kind, priceDecimals } = element("main").dataset;
// Levels of a side in the table. The depth chart shows all that a reply has.
const LEVELS = 12;

// Written only when it changes: assistive technology reads some of it aloud.
function show(id, words) {
  if (element(id).textContent !== words) element(id).textContent = words;
}

function cell(words, name = "td") {
  const made = document.createElement(name);
  made.textContent = words;
  return made;
}

// Cells of a column of volumes. A shorter fraction is filled up with invisible digits, so that the points are in line; not among
// millions.
function column(volumes) {
  const words = volumes.map(rounded);
  const places = words.map((word) => (word.split(".")[1] || "").length);
  const most = words.every((word) => /\d$/.test(word)) ? Math.max(0, ...places) : 0;
  return words.map((word, at) => {
    const made = cell(word);
    made.title = text(volumes[at]);
    if (places[at] < most) made.dataset.fill = (places[at] ? "" : ".") + "0".repeat(most - places[at]);
    return made;
  });
}

function line(...cells) {
  const made = document.createElement("tr");
  made.append(...cells);
  return made;
}

function note(words) {
  const made = cell(words);
  made.colSpan = 3;
  return line(made);
}

function showTicker({ open, high, low, close, bid, ask }) {
  for (const [id, price] of Object.entries({ last: close, open, high, low, bid, ask })) show(id, price ?? "–");
  const moved = open === null ? "" : change(open, close);
  const look = moved.startsWith("-") ? "down" : "up";
  show("change", moved);
  show("moved", moved ? text(difference(read(close), read(open))).replace(/^(?=\d)/, "+") : "–");
  for (const id of ["change", "moved"]) element(id).className = moved && look;
  document.title = `${close === null ? "" : `${close} `}${base}/${quote}${kind} – Buttonwood`;
}

// A volume, and all its digits where the pointer rests.
function showRounded(id, volume) {
  show(id, rounded(read(volume)));
  element(id).title = volume;
}

function showVolume({ volume }) {
  showRounded("base-volume", volume[base]);
  showRounded("quote-volume", volume[quote]);
}

// A funding amount of one unit as a part of the mark, and the full hour at which it is paid.
function showFunding(id, amount, mark, millis) {
  const part = text({ digits: ratio(read(amount), read(mark), 10 ** 8), places: 6 });
  show(id, `${part.replace(/^(?=\d)/, "+")} %`);
  show(`${id}-time`, `${new Date(millis).toISOString().slice(11, 16)} UTC`);
}

// What a perpetual has beyond a spot market. The amounts of funding are numbers of JSON, so their digits are read out of the text:
// JSON.parse would turn them into floats.
function showPerpetual({ risk, funding }, reply) {
  const amount = (name) => reply.match(`"${name}":(-?[0-9.]+)`)[1];
  const { mark_price: mark, index_price: index } = risk;
  for (const [id, price] of Object.entries({ mark, index })) show(id, price === "0" ? "–" : price);
  showFunding("funding", amount("estimatedFundingAmount"), mark, funding.nextFundingTimestamp);
  showFunding("last-funding", amount("fundingAmount"), mark, funding.fundingTimestampMilliSecs);
  showRounded("open-interest", risk.open_interest);
  showRounded("open-interest-value", risk.open_interest_notional);
}

// Levels, each with a bar that shows its part of the largest sum.
function levelLines(levels, largest) {
  const [amounts, sums] = [levels.map((level) => read(level.amount)), levels.map((level) => level.total)].map(column);
  return levels.map(({ price, total }, at) => {
    const made = line(cell(price), amounts[at], sums[at]);
    made.style.setProperty("--part", `${ratio(total, largest, 100)}%`);
    return made;
  });
}

function showSides(bids, asks) {
  const [bidsShown, asksShown] = [bids.slice(0, LEVELS), asks.slice(0, LEVELS)];
  const deepest = [bidsShown.at(-1), asksShown.at(-1)].filter(Boolean).map((level) => level.total);
  const largest = deepest.reduce((a, b) => (difference(a, b).digits < 0n ? b : a), read("0"));
  const lines = (levels, none) => (levels.length ? levelLines(levels, largest) : [note(none)]);
  element("bids").replaceChildren(...lines(bidsShown, "No bids"));
  element("asks").replaceChildren(...lines(asksShown, "No asks").reverse());
}

function showDepth(bids, asks) {
  const isEmpty = bids.length + asks.length === 0;
  element("no-depth").hidden = !isEmpty;
  element("depth").toggleAttribute("hidden", isEmpty);
  const shown = draw(element("depth"), bids, asks);
  show("depth-low", shown.low);
  show("depth-high", shown.high);
  const farther = shown.farther ? `; ${shown.farther} ${shown.farther === 1 ? "level" : "levels"} farther off` : "";
  show("depth-note", isEmpty ? "" : `${rounded(shown.bids)} ${base} bid, ${rounded(shown.asks)} ${base} asked${farther}`);
}

function showBook(book) {
  const [bids, asks] = [book.bids, book.asks].map(totals);
  showSides(bids, asks);
  showDepth(bids, asks);
  const spread = bids.length && asks.length ? text(difference(read(asks[0].price), read(bids[0].price))) : "–";
  show("spread", spread === "–" ? spread : `${spread} ${quote}`);
}

let newest = null;

function tradeLine({ timestampms, price, type, tid }, amount) {
  const [time, paid] = [new Date(timestampms).toISOString(), cell(price)];
  [paid.className, paid.title] = [type, type];
  const when = cell(time.slice(11, 19));
  when.title = time;
  const made = line(when, paid, amount);
  if (newest !== null && tid > newest) made.className = "new";
  return made;
}

function showTrades(trades) {
  if (trades[0] && trades[0].tid === newest) return;
  const amounts = column(trades.map((trade) => read(trade.amount)));
  const lines = trades.map((trade, at) => tradeLine(trade, amounts[at]));
  element("trades").replaceChildren(...(lines.length ? lines : [note("No trades yet")]));
  newest = trades[0]?.tid ?? newest;
}

const frames = [...document.querySelectorAll("#frames input")];
const wanted = new URLSearchParams(location.search).get("frame");
(frames.find((input) => input.value === wanted) || frames[0]).checked = true;
const frame = () => frames.find((input) => input.checked).value;
const chart = new Candles(element("chart"), element("candle"), { base, decimals: Number(priceDecimals) });

function showCandles(reply) {
  chart.show(frame(), reply);
  element("no-candles").hidden = reply !== "[]";
  element("chart").dataset.frame = frame();
}

function say(words, isWell) {
  show("status", words);
  element("status").classList.toggle("well", isWell);
  element("status").classList.toggle("ill", !isWell);
}

function showMarket(reply) {
  const { details, book, ticker, trades, volume, ...perpetual } = JSON.parse(reply);
  element("main").dataset.status = details.status;
  showBook(book);
  showTicker(ticker);
  showTrades(trades);
  showVolume(volume);
  if (perpetual.risk) showPerpetual(perpetual, reply);
}

// Together 40 requests a minute: never more than one a second.
const candles = { path: () => `/site/markets/${symbol}/${frame()}.json`, seconds: 6, read: showCandles };
const pollNow = poll([
  candles,
  { path: () => `/site/markets/${symbol}.json`, seconds: 2, read: showMarket },
], say);

element("frames").addEventListener("change", () => {
  history.replaceState(null, "", `?frame=${frame()}`);
  pollNow(candles);
});
