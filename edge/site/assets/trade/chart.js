// The chart's panel: candles of a time frame, or the depth of the book.
import { getPublic } from "../call.js";
import { get as kept, set as keep } from "../preferences.js";
import { text } from "../decimal.js";
import { volume, whole } from "../figures.js";
import { part } from "../lists.js";
import { announce, html, Region, useEffect, useRef, useState, Whole } from "../ui.js";
import { isArmed } from "./arm.js";
import { askMove, dragMove } from "./ask.js";
import { describe, makeCandles } from "./candles.js";
import { draw as drawDepth, totals } from "./depth.js";
import { book, bookState, last, onBook, tapeState, trades } from "./feed.js";
import { amountText, base, isContract, isPerpetual, opposite, priceText, shownPrice, symbol, TICK, toPrice } from "./market.js";
import { margin, mark, positionHere, positions } from "./money.js";
import { fills } from "./fills.js";
import { forced } from "./forced.js";
import { orders, ownOrders } from "./orders.js";
import { chartPrice } from "./stops.js";
import { useStore } from "./store.js";

const FRAMES = { "1m": 60, "5m": 300, "15m": 900, "30m": 1_800, "1h": 3_600, "6h": 21_600, "1day": 86_400 };
const LINES = 40;
const NAMES = { "1day": "1d" };
const CONTRACT_FRAMES = ["1m", "5m", "15m", "1h"];

// A candle: numbers for the library, and the exchange's texts.
function rowOf([time, ...texts]) {
  const [open, high, low, close, volume] = texts.map(Number);
  return { time: Number(time) / 1_000, open, high, low, close, volume, texts: texts.map(String) };
}

// A candle with one more trade, or the first of the next.
function withTrade(row, trade, seconds) {
  const time = Math.floor(trade.at / 1_000 / seconds) * seconds;
  const [price, amount] = [priceText(trade.price), amountText(trade.amount)];
  if (row && time < row.time) return null;
  if (!row || time > row.time) return rowOf([time * 1_000, price, price, price, price, amount]);
  const [open, high, low, , volume] = row.texts;
  const [p, h, l] = [Number(price), row.high, row.low];
  // Volumes of the chart are drawn, not counted with.
  const sum = (row.volume + Number(amount)).toFixed(8).replace(/\.?0+$/, "");
  return rowOf([time * 1_000, open, p > h ? price : high, p < l ? price : low, price, sum === "0" ? volume : sum]);
}

// Contracts have no candles at the exchange; those of the newest trades are made here.
async function ofTrades(seconds) {
  const list = await getPublic(`/v1/trades/${symbol}?limit_trades=500`);
  const rows = [];
  for (const { timestampms, price, amount } of list.reverse()) {
    const row = withTrade(rows.at(-1), { at: timestampms, price: toPrice(price), amount: BigInt(amountDigits(amount)) }, seconds);
    if (row && rows.at(-1)?.time === row.time) rows[rows.length - 1] = row;
    else if (row) rows.push(row);
  }
  return rows;
}
const amountDigits = (words) => {
  const [whole, rest = ""] = words.split(".");
  const places = (amountText(0n).split(".")[1] ?? "").length;
  return whole + rest.substring(0, places).padEnd(places, "0");
};

const ofCandles = async (frame) => (await getPublic(`/v2/candles/${symbol}/${frame}`)).map(rowOf).reverse();
const load = (frame) => (isContract ? ofTrades(FRAMES[frame]) : ofCandles(frame));

const onTick = (words) => {
  const price = toPrice(words);
  const floor = (price / TICK) * TICK;
  return priceText(floor < TICK ? TICK : floor);
};
// A drag of a stop's line moves its trigger, which the dialog of a move asks about.
function onMove(order, price) {
  const own = order.outcome === "no" ? priceText(opposite(toPrice(price))) : price;
  return order.type === "stop-limit" ? askMove(order.id, order.price, own) : dragMove(order, own, isArmed.get());
}

function levelsNow() {
  const position = isPerpetual && positionHere();
  if (!position) return isPerpetual ? { Mark: mark.get() } : {};
  const liquidation = margin.get()?.estimated_liquidation_price;
  const newest = mark.get() || position.mark_price;
  return { Entry: position.average_cost, Mark: newest, Liquidation: /[1-9]/.test(liquidation ?? "") ? liquidation : "" };
}

// The orders that get a line: those nearest to the price, since a line for each of a thousand shows nothing.
function nearest() {
  const list = ownOrders().filter((order) => !order.isUnknown);
  const price = last.get()?.price;
  if (list.length <= LINES || price === undefined) return part(list, LINES);
  const away = (order) => (chartPrice(order) > price ? chartPrice(order) - price : price - chartPrice(order));
  return part(list.sort((one, other) => (away(one) < away(other) ? -1 : 1)), LINES);
}

// Runs the chart of a time frame on a place, once its library is there.
function run(place, frameNow, { setPointed, setState, setNewest }) {
  let candles = null;
  let isEnded = false;
  let [newest, shown] = [null, 0];
  const setMarks = () => candles?.setFills(fills.get().map((fill) => ({ ...fill, why: forced.get().get(fill.order) })), FRAMES[frameNow()]);
  const setLines = () => candles?.setOrders(nearest());
  const setLevels = () => candles?.setLevels(levelsNow());
  const follow = () => {
    if (!candles || !newest) return;
    for (const trade of trades.filter(({ id }) => id > shown).reverse()) {
      const row = withTrade(newest, trade, FRAMES[frameNow()]);
      if (row) candles.update((newest = row));
      shown = trade.id;
    }
    setNewest(newest);
  };
  const reload = async (isOther) => {
    const frame = frameNow();
    try {
      const rows = await load(frame);
      if (isEnded || frame !== frameNow()) return;
      // The answer has all trades that are known by now.
      shown = trades[0]?.id ?? 0;
      newest = rows.at(-1) ?? null;
      candles.show(rows, isOther);
      setNewest(newest);
      setState(rows.length ? { kind: "live" } : { kind: "empty" });
      for (const set of [setMarks, setLines, setLevels]) set();
    } catch (failure) {
      setState({ kind: "error", message: failure.message });
    }
  };
  const ends = [last.subscribe(follow), orders.subscribe(setLines), fills.subscribe(setMarks), forced.subscribe(setMarks), positions.subscribe(setLevels),
    margin.subscribe(setLevels), mark.subscribe(setLevels)];
  // Book and ticket come first: the library is asked for when the page has nothing else to do.
  const begin = async () => {
    try {
      candles = await makeCandles(place, { onPoint: setPointed, onTick, onMove });
      if (isEnded) candles.stop();
      else reload(true);
    } catch (failure) {
      setState({ kind: "error", message: `The chart cannot be drawn: ${failure.message}` });
    }
  };
  const idle = globalThis.requestIdleCallback ? requestIdleCallback(begin, { timeout: 2_000 }) : setTimeout(begin, 200);
  return {
    reload: (isOther) => candles && reload(isOther),
    stop() {
      isEnded = true;
      if (globalThis.cancelIdleCallback) cancelIdleCallback(idle);
      for (const end of ends) end();
      candles?.stop();
    },
  };
}

const Legend = ({ row }) => html`<p class="legend">${row && describe(row).map(([name, words], at) => html`<span>${name && html`<span
  class="soft">${name}</span> `}<b><${Whole}
  text=${at === 5 ? words.replace(/^\S+/, volume) : name ? shownPrice(words) : words} /></b></span>`)}${row?.own?.map(([name,
  words]) => html`<span key=${name} data-own=${name}><span class="soft">${name}</span> <b><${Whole}
  text=${`${whole(words)} ${base}`} /></b></span>`)}</p>`;

function Depth() {
  const picture = useRef(null);
  const [told, setTold] = useState({ low: "", high: "", note: "" });
  useEffect(() => {
    const list = (side) => totals(side.prices.map((price) => ({ price: priceText(price), amount: amountText(side.amounts.get(price)) })));
    let timer = 0;
    const redraw = () => {
      timer = 0;
      if (!picture.current) return;
      const { low, high, bids, asks } = drawDepth(picture.current, list(book.bids), list(book.asks));
      setTold({ low: low && shownPrice(low), high: high && shownPrice(high),
        note: `${volume(text(bids))} ${base} bid, ${volume(text(asks))} ${base} asked` });
    };
    redraw();
    const end = onBook(() => (timer ||= setTimeout(redraw, 250)));
    return () => {
      end();
      clearTimeout(timer);
    };
  }, []);
  return html`<figure class="depth"><svg ref=${picture} viewBox="0 0 600 150" preserveAspectRatio="none" role="img"
    aria-label=${`Depth: ${told.note}`}></svg>
    <figcaption><span><${Whole} text=${told.low} /></span><span class="soft"><${Whole} text=${told.note} /></span><span><${Whole}
    text=${told.high} /></span></figcaption></figure>`;
}

export function Chart() {
  const [frame, setFrame] = useState(kept("frame", "1m") in FRAMES ? kept("frame", "1m") : "1m");
  const [isDepth, setDepth] = useState(false);
  const [own, setState] = useState({ kind: "loading" });
  const [pointed, setPointed] = useState(null);
  const [newest, setNewest] = useState(null);
  const lines = useStore(orders, () => ownOrders().length);
  const tape = useStore(tapeState);
  const socket = useStore(bookState);
  const place = useRef(null);
  const running = useRef(null);
  const latest = useRef(frame);
  useEffect(() => {
    running.current = run(place.current, () => latest.current, { setPointed, setState, setNewest });
    return () => running.current.stop();
  }, []);
  useEffect(() => {
    latest.current = frame;
    running.current.reload(true);
  }, [frame]);
  // After a gap the candles are asked for anew.
  useEffect(() => void (tape.kind === "live" && running.current.reload(false)), [tape.kind]);
  const choose = (name) => {
    setDepth(false);
    setFrame(name);
    keep("frame", name);
    announce(`Candles of ${name}`);
  };
  const names = isContract ? CONTRACT_FRAMES : Object.keys(FRAMES);
  const state = isDepth ? socket : own.kind === "live" ? tape : own.kind === "empty" ? { kind: "live" } : own;
  const tools = html`<span class="frames" role="group" aria-label="Time frame">${names.map((name) => html`<button type="button"
    class="quiet small" value=${name}
      aria-pressed=${!isDepth && frame === name} onClick=${() => choose(name)}>${NAMES[name] ?? name}</button>`)}
    <button type="button" class="quiet small" value="depth" aria-pressed=${isDepth} onClick=${() => setDepth(!isDepth)}>Depth</button>
      </span>`;
  return html`<${Region} name="chart" title="Chart" state=${state} retry=${() => running.current.reload(true)} tools=${tools}
    className="chart">
    ${!isDepth && html`<${Legend} row=${pointed ?? newest} />`}
    <div class="canvas" ref=${place} hidden=${isDepth} role="img" aria-label=${`Candles of ${symbol.toUpperCase()}, ${frame}`}></div>
    ${!isDepth && lines > LINES && html`<p class="note lines" data-rest>${LINES} of your ${lines} orders are drawn, those nearest to the
      price. <a href="#table-orders">The list has all</a></p>`}
    ${own.kind === "empty" && !isDepth && html`<p class="empty over">No trades yet. Candles stand here after the first.</p>`}
    ${isDepth && html`<${Depth} />`}</${Region}>`;
}
