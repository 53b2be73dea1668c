// A table of many rows of which only those in view are on the page.
import { Rest, marksOf } from "../lists.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../ui.js";

const [MARGIN, STEP] = [8, 4];

const Spacer = ({ rows, height, columns }) =>
  rows > 0 && html`<tr aria-hidden="true" class="spacer"><td colspan=${columns} style=${{ height: `${rows * height}px` }}></td></tr>`;

const rowsOf = (body) => [...body.querySelectorAll("tr:not(.spacer)")];
const isLost = () => !document.activeElement || document.activeElement === document.body;

// The focus of a row that goes away moves to the row that takes its place, or to `refuge` with the last row. It moves to no button, since a
// key that is pressed twice would act on an order that nobody chose.
function useKeptFocus(place, body, refuge) {
  const held = useRef(null);
  useEffect(() => {
    const [list, table] = [body.current, place.current];
    const into = ({ target }) => {
      const row = target.closest("tr");
      held.current = row && { row, at: rowsOf(list).indexOf(row) };
    };
    const out = ({ target, relatedTarget }) => {
      // A button that acts is disabled, and a row that went takes its button along: neither was left by the user.
      if (relatedTarget || (target.isConnected && !target.disabled)) held.current = null;
    };
    const elsewhere = ({ target }) => table.contains(target) || (held.current = null);
    list.addEventListener("focusin", into);
    list.addEventListener("focusout", out);
    addEventListener("pointerdown", elsewhere);
    return () => {
      removeEventListener("pointerdown", elsewhere);
      if (held.current && refuge) setTimeout(() => isLost() && document.querySelector(refuge)?.focus());
    };
  }, []);
  useLayoutEffect(() => {
    if (!held.current || held.current.row.isConnected || !isLost()) return;
    const rows = rowsOf(body.current);
    const next = rows[Math.min(held.current.at, rows.length - 1)];
    if (next) next.tabIndex = -1;
    (next ?? place.current).focus();
  });
}

// `row(item)` draws a `<tr>`. Rows have one height, that of the first. `refuge` gets the focus when the last row with it goes. `total` is how
// many rows there are, if they are more than these, and `rest` how to get at them.
export function Windowed({ items, head, row, columns, label, name = label, refuge, total = items.length, rest = {} }) {
  const place = useRef(null);
  const body = useRef(null);
  useKeptFocus(place, body, refuge);
  const [view, setView] = useState({ from: 0, count: 40, height: 28 });
  const measure = () => {
    if (!place.current) return;
    const line = body.current?.querySelector("tr:not(.spacer)");
    const height = line?.offsetHeight || 28;
    // In steps, so that a slow scroll does not draw the rows anew at each of them.
    const from = Math.max(0, Math.floor(place.current.scrollTop / height / STEP) * STEP - MARGIN);
    const count = Math.ceil(place.current.clientHeight / height) + 2 * MARGIN + STEP;
    setView((old) => (old.from === from && old.count === count && old.height === height ? old : { from, count, height }));
  };
  useLayoutEffect(measure, [items.length]);
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  const from = Math.min(view.from, Math.max(0, items.length - view.count));
  const shown = items.slice(from, from + view.count);
  return html`<div class="windowed" ref=${place} onScroll=${measure} tabindex="0" role="region" aria-label=${label}
    data-windowed ...${marksOf(name, items.length, total)}>
    <table aria-rowcount=${items.length + 1}><thead><tr>${head}</tr></thead>
      <tbody ref=${body}><${Spacer} rows=${from} height=${view.height} columns=${columns} />
        ${shown.map(row)}
        <${Spacer} rows=${items.length - from - shown.length} height=${view.height} columns=${columns} /></tbody></table></div>
    <${Rest} shown=${items.length} total=${total} ...${rest} />`;
}
