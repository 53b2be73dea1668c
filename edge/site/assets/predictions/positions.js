// The user's claims: those that are open, with what they would bring now, and those that were paid.
import { call } from "../call.js";
import { read } from "../decimal.js";
import { url } from "../page.js";
import { watch } from "../socket.js";
import { average, count, decimalsOf, roundedTo } from "../figures.js";
import { marksOf, Rest } from "../lists.js";
import { Amount, Dollars, Exact, Region, html, useEffect, useLoaded, useState } from "../ui.js";
import { when } from "./times.js";
import { cents, plain } from "./words.js";

const [REFRESH, PAUSE] = [10_000, 300];
// Settled positions that each press of a button adds.
const SETTLED = 200;
// The most that the call answers with.
const MOST = 1_000;

// The calls change with trades, which the account's stream tells, and with prices, which come and go.
function useReloading(reload) {
  useEffect(() => {
    let timer = 0;
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(reload, PAUSE);
    };
    const stop = watch(["positions@account"], { onFrame: soon });
    const again = setInterval(() => document.hidden || reload(), REFRESH);
    return () => {
      stop();
      clearTimeout(timer);
      clearInterval(again);
    };
  }, [reload]);
}

const Outcome = ({ outcome }) => html`<span class=${outcome === "yes" ? "up" : "down"}>${outcome === "yes" ? "Yes" : "No"}</span>`;

const Claims = ({ text: amount }) => html`<${Amount} text=${plain(amount)} />`;

// A result in dollars, with its sign and its colour.
function Result({ text: amount }) {
  if (amount === undefined || amount === null) return html`<span class="soft">–</span>`;
  const { digits } = read(amount);
  const kind = digits < 0n ? "down" : digits > 0n ? "up" : "";
  return html`<span class=${kind}>${digits > 0n && "+"}<${Dollars} text=${amount} /></span>`;
}

function Unrealised({ position: { unrealizedPnl, unrealizedPct } }) {
  if (unrealizedPnl === undefined) return html`<span class="soft" title="Nobody buys this outcome now">–</span>`;
  return html`<${Result} text=${unrealizedPnl} /> <small class="soft">${roundedTo(String(unrealizedPct), 1)} %</small>`;
}

const Name = ({ metadata, symbol }) => html`<a href=${url(`/trade/${symbol}`)}>${metadata.eventName}</a>
  ${metadata.contractName !== metadata.eventName && html`<br /><span class="soft">${metadata.contractName}</span>`}`;

const OPEN = [
  { name: "Outcome", cell: (row) => html`<${Outcome} outcome=${row.outcome} />` },
  { name: "Claims", isNumber: true, cell: (row) => html`<${Claims} text=${row.totalQuantity} />` },
  { name: "On sale", isNumber: true, cell: (row) => html`<${Claims} text=${row.quantityOnHold} />` },
  { name: "Average", isNumber: true, cell: (row) => html`<${Exact} text=${row.avgPrice} name="average"
    shown=${cents(average(row.avgPrice, decimalsOf(row.symbol)))} />` },
  { name: "Value now, USD", isNumber: true, cell: (row) => html`<${Dollars} text=${row.marketValue} />` },
  { name: "Unrealised, USD", isNumber: true, cell: (row) => html`<${Unrealised} position=${row} />` },
  { name: "Realised, USD", isNumber: true, cell: (row) => html`<${Result} text=${row.realizedPl} />` },
  { name: "Closes", cell: (row) => when(row.contractMetadata.expiryDate) },
];
const PAID = [
  { name: "You held", cell: (row) => html`<${Outcome} outcome=${row.outcome} />` },
  { name: "Outcome", cell: ({ resolutionSide }) => (resolutionSide ? html`<${Outcome} outcome=${resolutionSide} />` : "Void") },
  { name: "Claims", isNumber: true, cell: (row) => html`<${Claims} text=${row.positionQuantity} />` },
  { name: "Cost, USD", isNumber: true, cell: (row) => html`<${Dollars} text=${row.costBasis} />` },
  { name: "Paid, USD", isNumber: true, cell: (row) => html`<${Dollars} text=${row.payout} />` },
  { name: "Net, USD", isNumber: true, cell: (row) => html`<${Result} text=${row.netProfit} />` },
  { name: "When", cell: (row) => when(row.settledAt) },
];

// Rows with these columns; on a narrow screen each becomes a block whose cells name themselves, so the roles are told.
function Table({ label, columns, rows, total, symbolOf, marks }) {
  const kind = ({ isNumber }) => (isNumber ? "number" : "");
  return html`<table class="stacks" role="table" aria-label=${label} ...${marksOf(label, rows.length, total)}>
    <thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Contract</th>
      ${columns.map((column) => html`<th scope="col" key=${column.name} role="columnheader" class=${kind(column)}>${column.name}</th>`)}
        </tr></thead>
    <tbody role="rowgroup">${rows.map((row) => html`<tr key=${symbolOf(row) + row.outcome} role="row" ...${marks(row)}>
      <th scope="row" class="wrap" role="rowheader"><${Name} metadata=${row.contractMetadata} symbol=${symbolOf(row)} /></th>
      ${columns.map((column) => html`<td key=${column.name} role="cell" class=${kind(column)} data-name=${column.name}>${column.cell(row)}
        </td>`)}
    </tr>`)}</tbody></table>`;
}

const openMarks = ({ symbol, outcome }) => ({ "data-position": `${symbol} ${outcome}` });
const paidMarks = ({ instrumentSymbol }) => ({ "data-settled": instrumentSymbol });

// `step` is how many rows a press of a button adds; without it the call answers with all.
function Held({ name, title, request, step, columns, symbolOf, marks, empty }) {
  const [most, setMost] = useState(step);
  const [state, value, reload] = useLoaded(() => call(request, step ? { limit: most } : {}), [most]);
  useReloading(reload);
  const rows = value?.positions ?? [];
  const total = Math.max(rows.length, value?.total ?? 0);
  return html`<${Region} name=${name} title=${title} state=${state} retry=${reload}
    tools=${value && html`<p class="note">${count(rows.length)} of ${count(total)}</p>`} empty=${value && rows.length === 0 && empty}>
    <${Table} label=${title} columns=${columns} rows=${rows} total=${total} symbolOf=${symbolOf} marks=${marks} />
    <${Rest} shown=${rows.length} total=${total} onMore=${most < MOST ? () => setMost(Math.min(MOST, most + step)) : undefined}
      link=${most < MOST ? undefined : { href: url("/account/statement?cause=payout"), words: "The statement has all payouts" }} />
  <//>`;
}

// The claims that the account holds.
export const Positions = () => html`<${Held} name="positions" title="Positions" request="/v1/prediction-markets/positions" columns=${OPEN}
  symbolOf=${(row) => row.symbol} marks=${openMarks} empty=${html`<p>Claims that you hold stand here, with what they would bring now.</p>
    <p>Choose a contract under Events and buy yes or no.</p>`} />`;

// The claims that were paid, or lost.
export const Settled = () => html`<${Held} name="settled" title="Settled" request="/v1/prediction-markets/positions/settled"
  step=${SETTLED} columns=${PAID} symbolOf=${(row) => row.instrumentSymbol} marks=${paidMarks}
  empty=${html`<p>Positions whose event was resolved stand here, with what they paid.</p><p>None of yours has been settled yet.</p>`} />`;
