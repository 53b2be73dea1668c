// The acts of operators: who did what, when and why, with a filter over all of it.
import { get } from "../call.js";
import { count } from "../figures.js";
import { url } from "../page.js";
import { when } from "../predictions/times.js";
import { Region, html, useCallback, useEffect, useState } from "../ui.js";
import { usePolled } from "./polled.js";
import { Scroll } from "./scroll.js";

const [FEW, REFRESH] = [100, 10_000];
const LIMITS = [FEW, 250, 500];

const fits = (words) => {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ seq, who, what, why }) => {
    const all = `${seq} ${who} ${what} ${why}`.toLowerCase();
    return parts.every((part) => all.includes(part));
  };
};

const COLUMNS = ["Command", "Time", "Who", "What", "Why"];

// On a narrow screen a row is a block, so the roles are told.
const Row = ({ act }) => html`<tr data-act=${act.seq} role="row">
  <td class="number" role="cell">${count(act.seq)}</td><td role="cell">${when(act.time_ms, { withSeconds: true })}</td>
  <td class="who" role="cell">${act.who}</td><td class="wrap" role="cell"><code>${act.what}</code></td>
  <td class="wrap" role="cell">${act.why || html`<span class="soft">No reason</span>`}</td></tr>`;

const Acts = ({ acts }) => html`<table class="acts" role="table"><thead role="rowgroup"><tr role="row">${COLUMNS.map((name, at) =>
    html`<th scope="col" key=${name} role="columnheader" class=${at === 0 ? "number" : ""}>${name}</th>`)}</tr></thead>
  <tbody role="rowgroup">${acts.map((act) => html`<${Row} key=${act.seq} act=${act} />`)}</tbody></table>`;

function Empty({ isNone, limit, clear }) {
  return isNone ? html`<p>Every act of an operator stands here, with its reason.</p><p>Nothing has been done yet.</p>`
    : html`<p>No act among the newest ${limit} fits the filter.</p><p><button type="button" onClick=${clear}>Show all acts</button></p>`;
}

// `turn` counts the acts of this page: each reads the list again.
export function Audit({ turn }) {
  const [limit, setLimit] = useState(FEW);
  const [words, setWords] = useState("");
  const load = useCallback(() => get(`/site/operator/audit?limit=${limit}`), [limit]);
  const [state, value, reload] = usePolled(load, REFRESH);
  useEffect(() => void (turn && reload()), [turn]);
  const all = value ?? [];
  const shown = all.filter(fits(words));
  const isCut = value && all.length >= limit;
  const next = LIMITS.find((number) => number > limit);
  const older = next ? { onMore: () => setLimit(next) } : { link: { href: url("/docs"), words: "The journal has all: buttonwood admin audit" } };
  return html`<${Region} name="audit" title="Audit" state=${state} retry=${reload}
    tools=${html`<div class="tools"><input type="search" aria-label="Filter the audit by who, what or why" placeholder="Who, what or why"
      name="audit" value=${words} onInput=${(event) => setWords(event.currentTarget.value)} />
      <select aria-label="How many acts" value=${String(limit)} onChange=${(event) => setLimit(Number(event.currentTarget.value))}>
        ${LIMITS.map((number) => html`<option key=${number} value=${String(number)}>Newest ${number}</option>`)}</select></div>`}
    empty=${value && shown.length === 0 && html`<${Empty} isNone=${all.length === 0} limit=${limit} clear=${() => setWords("")} />`}>
    <${Scroll} label="The acts" shown=${shown.length} ...${isCut && { total: "more", rest: { what: "acts", ...older } }}><${Acts} acts=${shown} /><//>
  <//>`;
}
