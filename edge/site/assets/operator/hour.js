// The last hour as curves and as a table, a point a minute.
import { count } from "../figures.js";
import { clock } from "../time.js";
import { Region, html } from "../ui.js";
import { Curve, heightsOf } from "./curve.js";
import { micros } from "./health.js";
import { Scroll } from "./scroll.js";

const CURVES = [
  { name: "Orders a minute", keys: ["orders"], shown: count },
  { name: "Times of orders", keys: ["p50_us", "p99_us"], shown: micros },
  { name: "Refusals a minute", keys: ["refusals"], shown: count },
  { name: "Connections", keys: ["connections"], shown: count },
];
const NAMES = { orders: "Orders", p50_us: "p50", p99_us: "p99", refusals: "Refusals", connections: "Connections" };

function HourCurve({ name, keys, shown, hour }) {
  const all = keys.map((key) => hour.map((minute) => minute[key]));
  const largest = Math.max(0, ...all.flat().filter((value) => value !== null));
  const lines = keys.map((key, at) => ({ name: NAMES[key], heights: heightsOf(all[at], largest) }));
  const [from, to] = [hour[0], hour.at(-1)].map(({ time_ms: time }) => clock(time));
  return html`<${Curve} name=${name} lines=${lines} top=${shown(largest)} from=${from} to=${to}
    words=${`${name} from ${from} to ${to}, at most ${shown(largest)}. The table below has the figures.`} />`;
}

const COLUMNS = ["orders", "p50_us", "p99_us", "refusals", "connections"];
const shownOf = (key) => CURVES.find(({ keys }) => keys.includes(key)).shown;

function Minute({ minute }) {
  return html`<tr data-minute=${minute.time_ms}><th scope="row">${clock(minute.time_ms)}</th>${COLUMNS.map((key) =>
    html`<td key=${key} class="number">${shownOf(key)(minute[key])}</td>`)}</tr>`;
}

export function Hour({ state, health, reload }) {
  const hour = health?.hour ?? [];
  const empty = health && hour.length === 0 && html`<p>Curves of orders, their times, refusals and connections stand here.</p>
    <p>The exchange counts from the first visit of an operator on; the first point comes within two minutes.</p>`;
  return html`<${Region} name="hour" title="The last hour" state=${state} retry=${reload} empty=${empty}
    tools=${html`<p class="note">By the machine's clock</p>`}>
    ${hour.length > 0 && html`<div class="curves">${CURVES.map((curve) => html`<${HourCurve} key=${curve.name} ...${curve}
      hour=${hour} />`)}</div>
    <details class="minutes"><summary>The same as a table</summary><${Scroll} label="The last hour by minute" shown=${hour.length}><table>
      <thead><tr><th scope="col">Until</th>${COLUMNS.map((key) => html`<th key=${key} scope="col"
        class="number">${NAMES[key]}</th>`)}</tr></thead>
      <tbody>${[...hour].reverse().map((minute) => html`<${Minute} key=${minute.time_ms} minute=${minute} />`)}</tbody>
    </table><//></details>`}
  <//>`;
}
