// Candles and volume, with own orders as lines and own fills as marks. The library draws with floats; what is written beside it is exact.
import { read, sum, text } from "../decimal.js";
import { whole } from "../figures.js";
import { subscribe } from "../preferences.js";
import { axisMark, moment } from "../time.js";
import { base, bookSide, PRICE_PLACES, priceText, shownPrice, toPrice } from "./market.js";
import { chartPrice } from "./stops.js";

const BARS = 120;
// A day in seconds.
const DAY = 86_400;
// How near, in pixels, a pointer must be to a line to take it.
const NEAR = 5;

// The words at an order's line. A stop stands at its trigger and waits.
const titleOf = ({ side, type, remaining }) =>
  `${type === "stop-limit" ? "Stop waits: " : ""}${side === "buy" ? "Buy" : "Sell"} ${whole(remaining)}`;

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const DASHED = 2;

// A colour of the page with a part of its weight.
function faded(color, part) {
  const value = Number.parseInt(color.length === 4 ? [...color.slice(1)].map((digit) => digit + digit).join("") : color.slice(1), 16);
  return `rgba(${value >> 16}, ${(value >> 8) & 255}, ${value & 255}, ${part})`;
}

// A kind of own fills: "buy " or "sell ", and why the exchange placed the order, if it did.
const partsOf = (kind) => kind.split(" ");

function lookOf(kind) {
  const [side, why] = partsOf(kind);
  const isBuy = side === "buy";
  return { position: isBuy ? "belowBar" : "aboveBar", shape: why ? "square" : isBuy ? "arrowUp" : "arrowDown",
    color: style(why ? "warning" : isBuy ? "up" : "down") };
}

function wordsOf(kind) {
  const [side, why] = partsOf(kind);
  const done = side === "buy" ? "bought" : "sold";
  return (why ? `${why}: ${done}` : done).replace(/^./, (letter) => letter.toUpperCase());
}

export async function makeCandles(place, options) {
  await import("../lightweight-charts.js");
  return new Candles(place, globalThis.LightweightCharts, options);
}

class Candles {
  #place;
  #chart;
  #prices;
  #volumes;
  #marks;
  // Own fills: the sum of each kind, by the time of the candle.
  #fills = new Map();
  #rows = [];
  #lines = new Map();
  #levels = new Map();
  #held = null;
  #options;
  #ends = [];

  // `onPoint(row)` gets the candle under the pointer; `onMove(order, price)` the drop of an order's line.
  constructor(place, library, options) {
    [this.#place, this.#options] = [place, options];
    const { createChart, CandlestickSeries, HistogramSeries, CrosshairMode, createSeriesMarkers } = library;
    this.#chart = createChart(place, {
      autoSize: true,
      layout: { attributionLogo: false, fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12, background: { type: "solid",
        color: "transparent" } },
      crosshair: { mode: CrosshairMode.Normal },
      rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.08, bottom: 0.24 } },
      timeScale: { borderVisible: false, timeVisible: true, secondsVisible: false, rightOffset: 6, maxBarSpacing: 24 },
      handleScroll: { vertTouchDrag: false },
    });
    const formatter = (price) => shownPrice(price.toFixed(PRICE_PLACES));
    const priceFormat = { type: "custom", formatter, minMove: 10 ** -PRICE_PLACES, base: 10 ** PRICE_PLACES };
    this.#prices = this.#chart.addSeries(CandlestickSeries, { priceFormat, borderVisible: false });
    this.#volumes = this.#chart.addSeries(HistogramSeries, { priceScaleId: "", priceFormat: { type: "volume" }, lastValueVisible: false,
      priceLineVisible: false });
    this.#volumes.priceScale().applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } });
    this.#marks = createSeriesMarkers(this.#prices, []);
    this.#chart.subscribeCrosshairMove(({ time }) => {
      const row = this.#rows.find((one) => one.time === time);
      options.onPoint(row ? { ...row, own: this.fillsAt(time) } : null);
    });
    this.paint();
    this.#setZone();
    this.#listen();
  }

  // Times of the axis and of the pointer in the zone that the user chose. Functions made anew make the chart write them anew.
  #setZone = () => {
    const isDaily = () => this.#rows.length > 1 && this.#rows.at(-1).time - this.#rows.at(-2).time >= DAY;
    this.#chart.applyOptions({
      localization: { timeFormatter: (time) => moment(time * 1_000) },
      timeScale: { tickMarkFormatter: (time) => axisMark(time * 1_000, isDaily()) },
    });
  };

  stop() {
    for (const end of this.#ends) end();
    this.#chart.remove();
  }

  // All candles anew: `{ time, open, high, low, close, volume }`, oldest first.
  show(rows, isOther) {
    this.#rows = rows;
    this.#fill();
    if (isOther) this.#chart.timeScale().setVisibleLogicalRange({ from: Math.max(0, rows.length - BARS), to: rows.length + 4 });
  }

  // The newest candle, changed or begun.
  update(row) {
    if (this.#rows.at(-1)?.time === row.time) this.#rows[this.#rows.length - 1] = row;
    else this.#rows.push(row);
    this.#prices.update(row);
    this.#volumes.update(this.#bar(row));
  }

  #bar = ({ time, open, close, volume }) => ({ time, value: volume, color: faded(style(close < open ? "down" : "up"), 0.35) });

  #fill() {
    this.#prices.setData(this.#rows);
    this.#volumes.setData(this.#rows.map(this.#bar));
  }

  // The colours of the page.
  paint() {
    const [up, down, soft, line] = ["up", "down", "soft", "line"].map(style);
    const isDark = document.documentElement.dataset.theme === "dark";
    const cross = { color: soft, labelBackgroundColor: isDark ? "#3a3f47" : "#565d69" };
    this.#chart.applyOptions({
      layout: { textColor: soft },
      grid: { vertLines: { color: faded(line, 0.5) }, horzLines: { color: faded(line, 0.5) } },
      crosshair: { vertLine: cross, horzLine: cross },
    });
    this.#prices.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down });
    if (this.#rows.length) this.#fill();
    this.#mark();
  }

  // Own orders as lines; one that went away goes.
  setOrders(list) {
    const wanted = new Map(list.map((order) => [order.id, order]));
    for (const [id, { line }] of this.#lines) {
      if (wanted.has(id)) continue;
      this.#prices.removePriceLine(line);
      this.#lines.delete(id);
    }
    for (const order of list) {
      if (this.#held?.order.id === order.id) continue;
      const isBuy = bookSide(order) === "bids";
      const options = {
        price: Number(priceText(chartPrice(order))), color: style(isBuy ? "up" : "down"), lineWidth: 1, lineStyle: DASHED,
          axisLabelVisible: true,
        title: titleOf(order),
      };
      const known = this.#lines.get(order.id);
      if (known) known.line.applyOptions(options);
      else this.#lines.set(order.id, { line: this.#prices.createPriceLine(options) });
      this.#lines.get(order.id).order = order;
    }
  }

  // Lines of a perpetual's position: entry, mark and liquidation, by their names.
  setLevels(levels) {
    for (const [title, line] of this.#levels) if (!levels[title]) this.#drop(title, line);
    for (const [title, price] of Object.entries(levels)) {
      if (!price) continue;
      const color = style(title === "Liquidation" ? "down" : title === "Mark" ? "soft" : "link");
      const options = { price: Number(price), color, lineWidth: 1, lineStyle: title === "Mark" ? 1 : 0, axisLabelVisible: true, title };
      const known = this.#levels.get(title);
      if (known) known.applyOptions(options);
      else this.#levels.set(title, this.#prices.createPriceLine(options));
    }
  }

  #drop(title, line) {
    this.#prices.removePriceLine(line);
    this.#levels.delete(title);
  }

  // Own fills: one mark for each candle, side and reason, whose sum stands in the legend. Those before the first candle have none.
  setFills(fills, seconds) {
    const first = this.#rows[0]?.time ?? Infinity;
    this.#fills = new Map();
    for (const { at, side, why = "", amount } of fills) {
      const time = Math.floor(at / 1_000 / seconds) * seconds;
      if (time < first) continue;
      const traded = this.#fills.get(time) ?? {};
      const kind = `${side} ${why}`;
      traded[kind] = traded[kind] ? sum(traded[kind], read(amount)) : read(amount);
      this.#fills.set(time, traded);
    }
    this.#mark();
  }

  #mark() {
    const marks = [...this.#fills].sort(([one], [other]) => one - other).flatMap(([time, traded]) => Object.keys(traded).map((kind) => ({
      time, ...lookOf(kind), size: 0.8,
    })));
    this.#marks.setMarkers(marks);
  }

  // The sums of own fills in the candle of a time, by kind in words.
  fillsAt(time) {
    return Object.entries(this.#fills.get(time) ?? {}).map(([kind, total]) => [wordsOf(kind), text(total)]);
  }

  #orderNear(y) {
    let best = null;
    for (const { order } of this.#lines.values()) {
      const at = this.#prices.priceToCoordinate(Number(priceText(chartPrice(order))));
      const away = at === null ? Infinity : Math.abs(at - y);
      if (away <= NEAR && (!best || away < best.away)) best = { order, away };
    }
    return best?.order ?? null;
  }

  #yOf = (event) => event.clientY - this.#place.getBoundingClientRect().top;

  #listen() {
    const on = (target, name, listener, capture = false) => {
      target.addEventListener(name, listener, capture);
      this.#ends.push(() => target.removeEventListener(name, listener, capture));
    };
    // Before the chart sees it, or it would scroll.
    on(this.#place, "pointerdown", (event) => this.#press(event), true);
    on(this.#place, "mousedown", (event) => this.#held && event.stopPropagation(), true);
    on(this.#place, "touchstart", (event) => this.#held && event.stopPropagation(), true);
    on(window, "pointermove", (event) => this.#drag(event));
    on(window, "pointerup", () => this.#release());
    on(window, "keydown", (event) => event.key === "Escape" && this.#held && this.#letGo());
    on(window, "look", () => this.paint());
    this.#ends.push(subscribe("zone", this.#setZone));
  }

  #press(event) {
    const order = event.button === 0 ? this.#orderNear(this.#yOf(event)) : null;
    if (!order || order.busy || order.isUnknown) return;
    event.stopPropagation();
    this.#held = { order, line: this.#lines.get(order.id).line, y: event.clientY };
  }

  #drag(event) {
    if (!this.#held) {
      const isHere = event.target instanceof Node && this.#place.contains(event.target);
      if (isHere) this.#place.classList.toggle("over-order", Boolean(this.#orderNear(this.#yOf(event))));
      return;
    }
    const price = this.#prices.coordinateToPrice(this.#yOf(event));
    if (price === null || price <= 0) return;
    this.#held.price = this.#options.onTick(price.toFixed(PRICE_PLACES));
    this.#held.line.applyOptions({ price: Number(this.#held.price), title: `Move to ${shownPrice(this.#held.price)}. The place in the queue is lost` });
  }

  #letGo() {
    const { order } = this.#held;
    this.#held = null;
    this.setOrders([...this.#lines.values()].map((entry) => entry.order));
    return order;
  }

  #release() {
    if (!this.#held) return;
    const { price } = this.#held;
    const order = this.#letGo();
    if (price && toPrice(price) !== chartPrice(order)) this.#options.onMove(order, price);
  }
}

// A candle in words.
export const describe = (row) => row && [["", moment(row.time * 1_000)], ["O", row.texts[0]], ["H", row.texts[1]], ["L", row.texts[2]],
  ["C", row.texts[3]],
  ["Volume", `${row.texts[4]} ${base}`]];
