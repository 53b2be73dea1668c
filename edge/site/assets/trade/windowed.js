// A table of many rows of which only those in view are on the page.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../ui.js";

const [MARGIN, STEP] = [8, 4];

const Spacer = ({ rows, height, columns }) =>
  rows > 0 && html`<tr aria-hidden="true" class="spacer"><td colspan=${columns} style=${{ height: `${rows * height}px` }}></td></tr>`;

// `row(item)` draws a `<tr>`. Rows have one height, that of the first.
export function Windowed({ items, head, row, columns, label }) {
  const place = useRef(null);
  const body = useRef(null);
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
  return html`<div class="windowed" ref=${place} onScroll=${measure} tabindex="0" role="region" aria-label=${label}>
    <table aria-rowcount=${items.length + 1}><thead><tr>${head}</tr></thead>
      <tbody ref=${body}><${Spacer} rows=${from} height=${view.height} columns=${columns} />
        ${shown.map(row)}
        <${Spacer} rows=${items.length - from - shown.length} height=${view.height} columns=${columns} /></tbody></table></div>`;
}
