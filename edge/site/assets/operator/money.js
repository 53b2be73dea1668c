// Whether the house has what it owes, and what is on its way in or out.
import { compare, difference, ratio, read, text } from "../decimal.js";
import { count } from "../figures.js";
import { url } from "../page.js";
import { when } from "../predictions/times.js";
import { plain } from "../predictions/words.js";
import { Money, Region, html, useState } from "../ui.js";
import { Scroll } from "./scroll.js";

const ZERO = read("0");

// Assets in per cent of liabilities, in hundredths cut off.
function cover(assets, liabilities) {
  if (compare(liabilities, ZERO) === 0) return "–";
  return `${text({ digits: ratio(assets, liabilities, 10_000), places: 2 })} %`;
}

function ReserveRow({ row }) {
  const [assets, liabilities] = [read(row.assets), read(row.liabilities)];
  const rest = difference(assets, liabilities);
  const isShort = row.short || rest.digits < 0n;
  return html`<tr data-reserve=${row.currency} data-short=${isShort}><th scope="row">${row.currency}</th>
    <td class="number"><${Money} text=${plain(row.assets)} currency=${row.currency} unit="" /></td>
    <td class="number"><${Money} text=${plain(row.liabilities)} currency=${row.currency} unit="" /></td>
    <td class=${`number ${rest.digits < 0n ? "down" : ""}`}><${Money} text=${plain(text(rest))} currency=${row.currency} unit="" /></td>
    <td class="number">${cover(assets, liabilities)}</td>
    <td><span class=${`tag ${isShort ? "bad" : "good"}`}>${isShort ? "Short" : "Covered"}</span></td></tr>`;
}

export function Reserves({ state, health, reload }) {
  const [words, setWords] = useState("");
  const all = health?.reserves ?? [];
  const shown = all.filter(({ currency }) => currency.includes(words.trim().toUpperCase()));
  return html`<${Region} name="reserves" title="Reserves" state=${state} retry=${reload}
    tools=${html`<div class="tools"><input type="search" aria-label="Filter currencies" placeholder="Filter" name="reserves" value=${words}
      onInput=${(event) => setWords(event.currentTarget.value)} /></div>`}
    empty=${health && shown.length === 0 && (all.length === 0 ? html`<p>What the house has and what it owes stands here by currency.</p>
      <p>It begins with the first credit or deposit.</p>`
      : html`<p>No currency fits the filter.</p><p><button type="button" onClick=${() => setWords("")}>Show all currencies</button></p>`)}>
    <${Scroll} label="Reserves by currency" shown=${shown.length}><table><thead><tr><th scope="col">Currency</th><th scope="col" class="number">Assets</th><th
      scope="col" class="number">Liabilities</th>
      <th scope="col" class="number">Difference</th><th scope="col" class="number">Cover</th><th scope="col">State</th></tr></thead>
      <tbody>${shown.map((row) => html`<${ReserveRow} key=${row.currency} row=${row} />`)}</tbody></table><//>
  <//>`;
}

const TransferRow = ({ row }) => html`<tr data-transfer=${row.eid}><td>${row.eid}</td><td>${row.group} <span class="soft">${row.account}
  </span></td><td>${row.type}</td>
  <td>${row.status}</td><td class="number"><${Money} text=${plain(row.amount)} currency=${row.currency} /></td><td>
    ${when(row.timestampms)}</td></tr>`;

export function Transfers({ state, health, reload, onMore }) {
  const rows = health?.transfers ?? [];
  return html`<${Region} name="transfers" title="Transfers under way" state=${state} retry=${reload}
    tools=${rows.length > 0 && html`<p class="note">${count(rows.length)} of ${count(health.transfers_count)}</p>`}
    empty=${health && rows.length === 0 && html`<p>Deposits and withdrawals that are not done yet stand here.</p>
      <p>None is under way.</p>`}>
    <${Scroll} label="The transfers" shown=${rows.length} total=${health?.transfers_count ?? 0}
      rest=${{ what: "transfers", ...(onMore ? { onMore } : { link: { href: url("/docs"), words: "All of them: buttonwood admin transfer list" } }) }}><table><thead><tr><th scope="col">No</th><th scope="col">Group and account</th><th
      scope="col">Kind</th><th scope="col">State</th>
      <th scope="col" class="number">Amount</th><th scope="col">Since</th></tr></thead>
      <tbody>${rows.map((row) => html`<${TransferRow} key=${row.eid} row=${row} />`)}</tbody></table><//>
  <//>`;
}
