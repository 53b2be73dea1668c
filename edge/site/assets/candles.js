// The candle chart. The chart itself draws with floats; the line above it shows the prices that the exchange sent, digit by digit.
import { read, rounded } from "./decimal.js";

const { createChart, CandlestickSeries, HistogramSeries, CrosshairMode } = window.LightweightCharts;

// Bars that the chart has room for at first.
const [BARS_MIN, BARS_MAX] = [40, 120];

// The rows of a reply as texts of six numbers, oldest first. JSON.parse would turn the numbers into floats.
export const rowsOf = (reply) =>
  [...reply.matchAll(/\[([^[\]]+)\]/g)].map(([, row]) => row.split(",").map((word) => word.trim())).reverse();

const seconds = (row) => Number(row[0]) / 1000;

function moment(row, isDaily) {
  const iso = new Date(Number(row[0])).toISOString();
  return isDaily ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 16)}`;
}

function colors() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(["up", "down", "soft", "fill-up", "fill-down"]
    .map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

export class Candles {
  #element;
  #legend;
  #chart;
  #prices;
  #volumes;
  #base;
  #rows = [];
  #frame = "";
  #shown = "";
  // The place of the candle that the keys chose, and the time of the one under the pointer.
  #chosen = null;
  #pointed;

  constructor(element, legend, { base, decimals }) {
    [this.#element, this.#legend, this.#base] = [element, legend, base];
    this.#chart = createChart(element, {
      autoSize: true,
      layout: { attributionLogo: false, fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12 },
      crosshair: { mode: CrosshairMode.Magnet },
      rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.06, bottom: 0.24 } },
      timeScale: { borderVisible: false, timeVisible: true, secondsVisible: false, rightOffset: 3, maxBarSpacing: 24 },
      // A finger that moves up or down scrolls the page.
      handleScroll: { vertTouchDrag: false },
    });
    // The library's own format fails at eleven decimals, which some symbols have.
    const formatter = (price) => price.toFixed(decimals);
    const priceFormat = { type: "custom", formatter, minMove: 10 ** -decimals, base: 10 ** decimals };
    this.#prices = this.#chart.addSeries(CandlestickSeries, { priceFormat, borderVisible: false });
    this.#volumes = this.#chart.addSeries(HistogramSeries,
      { priceScaleId: "", priceFormat: { type: "volume" }, lastValueVisible: false, priceLineVisible: false });
    this.#volumes.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
    this.#paint();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#paint());
    this.#chart.subscribeCrosshairMove(({ time }) => {
      this.#pointed = time;
      this.#describe();
    });
    element.addEventListener("keydown", (event) => this.#step(event));
    // The line is read aloud only while the keys choose a candle, not at every poll.
    element.addEventListener("focus", () => legend.setAttribute("aria-live", "polite"));
    element.addEventListener("blur", () => {
      legend.removeAttribute("aria-live");
      this.#choose(null);
    });
  }

  // Shows the reply of a time frame.
  show(frame, reply) {
    if (frame === this.#frame && reply === this.#shown) return;
    const isOther = frame !== this.#frame;
    [this.#frame, this.#shown, this.#rows] = [frame, reply, rowsOf(reply)];
    this.#fill();
    if (isOther) {
      const count = this.#rows.length;
      const from = count - Math.min(BARS_MAX, Math.max(count, BARS_MIN));
      this.#chart.timeScale().setVisibleLogicalRange({ from, to: count + 2 });
      this.#choose(null);
    }
    this.#describe();
  }

  #fill() {
    const color = colors();
    this.#prices.setData(this.#rows.map((row) => {
      const [open, high, low, close] = row.slice(1, 5).map(Number);
      return { time: seconds(row), open, high, low, close };
    }));
    this.#volumes.setData(this.#rows.map((row) => ({
      time: seconds(row),
      value: Number(row[5]),
      color: Number(row[4]) < Number(row[1]) ? color["fill-down"] : color["fill-up"],
    })));
  }

  // The colors of the page, light or dark.
  #paint() {
    const { up, down, soft } = colors();
    const line = { color: soft, labelBackgroundColor: "#5f6673" };
    this.#chart.applyOptions({
      layout: { background: { type: "solid", color: "transparent" }, textColor: soft },
      grid: { vertLines: { color: "#88888822" }, horzLines: { color: "#88888822" } },
      crosshair: { vertLine: line, horzLine: line },
    });
    this.#prices.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down });
    this.#fill();
  }

  #step(event) {
    const last = this.#rows.length - 1;
    const from = this.#chosen ?? last;
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last, Escape: null }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.#choose(to === null ? null : Math.min(last, Math.max(0, to)));
  }

  // Chooses a candle by its place, or none.
  #choose(place) {
    this.#chosen = place;
    if (place === null) {
      this.#chart.clearCrosshairPosition();
    } else {
      const row = this.#rows[place];
      this.#reveal(place);
      this.#chart.setCrosshairPosition(Number(row[4]), seconds(row), this.#prices);
    }
    this.#describe();
  }

  #reveal(place) {
    const scale = this.#chart.timeScale();
    const { from, to } = scale.getVisibleLogicalRange() || { from: 0, to: 0 };
    const by = place < from ? place - from - 1 : Math.max(0, place - to + 1);
    if (by) scale.setVisibleLogicalRange({ from: from + by, to: to + by });
  }

  // Describes the candle under the pointer, or the chosen one, or the newest.
  #describe() {
    const pointed = this.#rows.find((one) => seconds(one) === this.#pointed);
    const row = pointed ?? this.#rows[this.#chosen ?? this.#rows.length - 1];
    const parts = row ? [["", moment(row, this.#frame === "1day")], ["Open", row[1]], ["High", row[2]], ["Low", row[3]],
      ["Close", row[4]], ["Volume", `${rounded(read(row[5]))} ${this.#base}`]] : [];
    this.#legend.replaceChildren(...parts.map(([name, value]) => {
      const part = document.createElement("span");
      const strong = document.createElement("b");
      strong.textContent = value;
      part.append(name ? `${name} ` : "", strong);
      return part;
    }));
  }
}
