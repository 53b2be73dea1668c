// The line above the panels: which market, its newest price and its day, and the layout.
import { getPublic } from "../call.js";
import { change as moved, compare, read } from "../decimal.js";
import { volume } from "../figures.js";
import { open as openPalette } from "../palette.js";
import { setHere } from "../preferences.js";
import { html, useEffect, useState } from "../ui.js";
import { last, tapeState } from "./feed.js";
import { base, isContract, market, priceText, quote, shownPrice, symbol } from "./market.js";
import { change, useSettings } from "./settings.js";
import { useStore } from "./store.js";

const EVERY = 15_000;
export const PRESETS = [["simple", "Simple"], ["pro", "Pro"], ["ladder", "Ladder"]];
export const PANELS = [["chart", "Chart"], ["book", "Book"], ["ladder", "Ladder"], ["tape", "Trades"], ["tables", "Tables"]];

// The figures of the last 24 hours.
function useDay() {
  const [day, setDay] = useState({});
  useEffect(() => {
    const read = async () => {
      if (document.hidden) return;
      try {
        const [ticker, volumes] = await Promise.all([
          getPublic(`/v2/ticker/${symbol}`), isContract ? null : getPublic(`/v1/pubticker/${symbol}`),
        ]);
        setDay({ ...ticker, volume: volumes?.volume });
      } catch (failure) {
        // The last figures are those of a while ago, so they are not shown as those of now.
        setDay({ fault: `The figures of the day cannot be read. ${failure.message}` });
      }
    };
    read();
    const timer = setInterval(read, EVERY);
    return () => clearInterval(timer);
  }, []);
  return day;
}

const Figure = ({ name, children, value, className = "" }) => html`<div class=${className}><dt>${name}</dt>
  <dd key=${value ?? children} title=${value} data-value=${value}>${children}</dd></div>`;

// The tab's title has the newest price while that is live. A tab in the background draws no frames, so a timer writes it.
function useTitle(close) {
  useEffect(() => {
    const write = () => {
      const price = last.get() ? priceText(last.get().price) : close;
      if (price) document.title = `${tapeState.get().kind === "live" ? shownPrice(price) : "–"} ${market.title} – Buttonwood`;
    };
    write();
    const timer = setInterval(write, 1_000);
    return () => clearInterval(timer);
  }, [close]);
}

// The higher (1) or the lower (-1) of a day's price and the newest trade's.
function farther(words, newest, sign) {
  if (!words || !newest) return words;
  const text = priceText(newest.price);
  return compare(read(text), read(words)) * sign > 0 ? text : words;
}

function Figures() {
  const day = useDay();
  const newest = useStore(last);
  const state = useStore(tapeState);
  const price = newest ? priceText(newest.price) : day.close;
  const changed = day.open && price ? moved(day.open, price) : "";
  useTitle(day.close);
  const traded = (code) => day.volume?.[code];
  // The day is asked for now and then, and the newest trade is a part of it.
  const [high, low] = [farther(day.high, newest, 1), farther(day.low, newest, -1)];
  return html`<dl class="figures" data-head-state=${state.kind}>
    <${Figure} name="Last" value=${price}
      className="last ${newest ? (newest.isBuy ? "up" : "down") : ""}">${shownPrice(price)}</${Figure}>
    <${Figure} name="24 hours" className=${changed.startsWith("-") ? "down" : changed ? "up" : ""}>${changed || "–"}</${Figure}>
    <${Figure} name="High" value=${high}>${shownPrice(high)}</${Figure}>
    <${Figure} name="Low" value=${low}>${shownPrice(low)}</${Figure}>
    ${!isContract && html`<${Figure} name=${`Volume, ${base}`}
      value=${traded(base)}>${volume(traded(base))}</${Figure}>
      <${Figure} name=${`Volume, ${quote}`}
        value=${traded(quote)}>${volume(traded(quote))}</${Figure}>`}
    ${day.fault && html`<div class="warning" data-fault="day"><dt>24 hours</dt><dd>${day.fault}</dd></div>`}</dl>`;
}

function Panels() {
  const { hidden } = useSettings();
  const toggle = (name) => change({ hidden: hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name] });
  return html`<details class="panels"><summary>Panels</summary><fieldset><legend class="unseen">Panels that are shown</legend>
    ${PANELS.map(([name, words]) => html`<label class="check"><input type="checkbox" name="panel" value=${name}
      checked=${!hidden.includes(name)}
      onChange=${() => toggle(name)} /> ${words}</label>`)}</fieldset></details>`;
}

export function Head() {
  const { preset } = useSettings();
  useEffect(() => setHere("market", symbol), []);
  return html`<div class="market-head">
    <button type="button" class="quiet market-name" onClick=${openPalette} title="Another market"><b>${market.title}</b> <span
      aria-hidden="true">▾</span></button>
    <${Figures} />
    <div class="layout"><div class="choice" role="group" aria-label="Layout">${PRESETS.map(([name, words]) => html`<button type="button"
      class="small" name="preset" value=${name}
      aria-pressed=${preset === name} 
        onClick=${() => change({ preset: name, hidden: [] })}>${words}</button>`)}</div><${Panels} /></div></div>`;
}
