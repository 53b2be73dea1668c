// Whether the exchange is well: readiness with its reasons, the journal, queues, and how fast orders are answered.
import { count } from "../figures.js";
import { duration, when } from "../predictions/times.js";
import { Region, html } from "../ui.js";

// A time of a histogram, in microseconds: an upper bound of 1, 2 or 5 times a power of ten.
export function micros(time) {
  if (time === null || time === undefined) return "–";
  if (time < 1_000) return `${time} µs`;
  return time < 1_000_000 ? `${time / 1_000} ms` : `${time / 1_000_000} s`;
}
const times = (found) => `${micros(found?.p50_us)}, ${micros(found?.p99_us)}`;

const Fact = ({ name, id, children }) => html`<div><dt>${name}</dt><dd data-fact=${id}>${children}</dd></div>`;

function Readiness({ health }) {
  return html`<div class="readiness"><span class=${`tag ${health.ready ? "good" : "bad"}`} data-ready=${health.ready}>
    ${health.ready ? "Takes orders" : "Takes no orders"}</span>
    ${health.reasons.length > 0 && html`<ul class="reasons">${health.reasons.map((reason) => html`<li key=${reason}>${reason}</li>`)}</ul>`}
      </div>`;
}

const sumOf = (minutes, key) => minutes.reduce((sum, minute) => sum + minute[key], 0);

function Facts({ health }) {
  const minute = health.hour.at(-1);
  return html`<dl class="facts">
    <${Fact} name="Up for" id="uptime">${duration(health.uptime_s * 1_000)}<//>
    <${Fact} name="Last command" id="seq">${count(health.seq)}<//>
    <${Fact} name="In the queue" id="queue">${count(health.queue)}<//>
    <${Fact} name="Pages, history behind" id="lag">${count(health.views_lag)}, ${count(health.history_lag)}<//>
    <${Fact} name="Syncs: p50, p99" id="sync">${times(health.sync)}<//>
    <${Fact} name="Orders: p50, p99" id="orders">${times(health.orders)}<//>
    <${Fact} name="Orders: minute, hour" id="minute">${count(minute?.orders)}, ${count(sumOf(health.hour, "orders"))}<//>
    <${Fact} name="Refusals: minute, all" id="refusals">${count(minute?.refusals)}, ${count(health.refusals)}<//>
    <${Fact} name="Connections" id="connections">${count(health.connections)}<//>
    <${Fact} name="Operators for an act" id="approvals">${health.approvals}<//>
  </dl>`;
}

export function Health({ state, health, reload }) {
  const where = health && `${health.mode === "sandbox" ? "Sandbox" : "Venue"}, ${when(health.time_ms, { withSeconds: true })}`;
  return html`<${Region} name="health" title="Health" state=${state} retry=${reload} tools=${health && html`<p class="note">${where}</p>`}>
    ${health ? html`<${Readiness} health=${health} /><${Facts} health=${health} />` : html`<div class="waiting"><span class="skeleton">
      </span></div>`}
  <//>`;
}
