// The exchange's clock: what it shows, and how it is moved.
import { part } from "../lists.js";
import { html, Region } from "../ui.js";
import { findCall } from "./contract.js";
import { CallForm } from "./form.js";
import { usePolled } from "./polling.js";

const STEPS = [["A minute", 60], ["An hour", 3_600], ["A day", 86_400]];

const Manual = () => html`<p class="notice">This exchange's clock is real, so it moves by itself. One that starts with${" "}
  <code>buttonwood sandbox --clock manual</code> has a clock that stands still until it is moved.</p>`;

// Says which flag makes the clock manual, where it is real.
export function RealClock() {
  const [, clock] = usePolled("/sandbox/clock", 0);
  return clock?.mode === "real" ? html`<${Manual} />` : null;
}

// The exchange's time now, and again as it moves; null before the first answer.
export function useNow() {
  const [, clock] = usePolled("/sandbox/clock", 1_000);
  return clock?.now_ms ?? null;
}

// A span in two units, such as "2 h 5 min".
export function span(millis) {
  const units = [["d", 86_400], ["h", 3_600], ["min", 60], ["s", 1]];
  let left = Math.max(0, Math.floor(millis / 1_000));
  const parts = [];
  for (const [unit, size] of units) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count || (parts.length && parts.length < 2)) parts.push(`${count} ${unit}`);
  }
  return part(parts, 2).join(" ") || "0 s";
}

export const stamp = (millis) => new Date(millis).toISOString().replace("T", " ").replace(/\.000Z$|Z$/, "");

const second = (millis) => stamp(millis).substring(0, 19);

function Facts({ clock }) {
  const due = clock.next_due;
  return html`<dl class="facts">
    <div><dt>Now (UTC)</dt><dd class="large" data-clock=${clock.now_ms}>${second(clock.now_ms)}</dd></div>
    <div><dt>Mode</dt><dd>${clock.mode}</dd></div>
    <div><dt>Next due</dt><dd>${due ? html`${due.what}<br /><span class="soft">${due.at_ms > clock.now_ms
      ? `in ${span(due.at_ms - clock.now_ms)}, at ${second(due.at_ms)}` : "now"}</span>` : "nothing"}</dd></div>
  </dl>`;
}

export function Time({ calls }) {
  const [state, clock, reload] = usePolled("/sandbox/clock", 1_000);
  const due = clock?.next_due;
  const isReal = clock?.mode === "real";
  const quick = [
    ...STEPS.map(([words, seconds]) => ({ words, isOff: isReal, values: { seconds: String(seconds), to_ms: "" } })),
    { words: "To the next due", isOff: !due || isReal, values: () => ({ seconds: "", to_ms: String(due.at_ms) }) },
  ];
  return html`<${Region} name="time" title="Time" state=${state}>
    ${clock ? html`<${Facts} clock=${clock} />` : html`<span class="skeleton" />`}
    <div class="padded">${isReal && html`<${Manual} />`}
      <${CallForm} call=${findCall(calls, "/sandbox/clock/advance")} only=${["seconds"]} preset=${{ seconds: "60" }} quick=${quick}
        words="Move" isSmall onDone=${reload} /></div>
  <//>`;
}
