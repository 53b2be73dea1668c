// What the account has, with its value in dollars as the exchange names it, and the fees that it pays.
import { compare, read, sum, text } from "../decimal.js";
import { url } from "../page.js";
import { CopyButton, Region, html } from "../ui.js";
import { ask } from "./calls.js";
import { DebtFacts, isMargin } from "./debt.js";
import { useFollowed } from "./live.js";
import { account, counterpartyId } from "./parts.js";
import { Dollars, Table, money, sums } from "./table.js";

// The stake belongs to the account as well (D-286).
const worth = (row) => text(["amountNotional", "stakedNotional"].map((field) => read(row[field] ?? "0")).reduce(sum));
const total = (rows) => text(rows.map((row) => read(worth(row))).reduce(sum, read("0.00")));

// The exchange gives the value 0 to an amount that has no price (BAL-012): it is unknown.
const isAbove = (amount = "0") => /[1-9]/.test(amount);
const hasNoPrice = (row) => [["amount", "amountNotional"], ["staked", "stakedNotional"]].some(([amount, value]) =>
  isAbove(row[amount]) && !isAbove(row[value]));
const isUnknown = (row) => hasNoPrice(row) && !isAbove(worth(row));
const without = (rows) => rows.filter(hasNoPrice).map(({ currency }) => currency).join(", ");

const columns = (hasStakes) => [
  { title: "Currency", cell: ({ currency }) => html`<a href=${url(`/account/statement?currency=${currency}`)}>${currency}</a>` },
  sums("Balance", "amount"), sums("For orders", "available"), sums("To withdraw", "availableForWithdrawal"),
  ...(hasStakes ? [sums("Staked", "staked")] : []),
  { ...money("Value in USD", (row) => (isUnknown(row) ? null : worth(row))), none: "no price" },
  { title: "Move", cell: ({ currency }) => html`<a href=${url(`/account/money?currency=${currency}`)}
    >Deposit, withdraw<span class="unseen"> ${currency}</span></a>` },
];

// The most valuable currency first.
async function loadBalances() {
  const rows = await ask("/v1/notionalbalances/usd");
  return rows.sort((one, other) => compare(read(worth(other)), read(worth(one))));
}

export function useBalances() {
  return useFollowed(loadBalances, ["balances@account"]);
}

export function Balances({ balances: [state, rows, retry] }) {
  const empty = rows?.length === 0 && html`<p>The money of this account would stand here.</p>
    <p><a class="button" href=${url("/account/money")}>Make a deposit address</a></p>`;
  return html`<${Region} name="balances" title="Balances" state=${state} retry=${retry} empty=${empty}>
    <${Table} label="Balances" columns=${columns(rows?.some(({ staked }) => staked))} rows=${rows ?? []} keyOf=${({ currency }) => currency}
      marks=${({ currency }) => ({ "data-currency": currency })} /></${Region}>`;
}

const percent = (basisPoints) => {
  const { digits, places } = read(String(basisPoints));
  return `${text({ digits, places: places + 2 })} %`;
};

export const useVolume = () => useFollowed(() => ask("/v1/notionalvolume"), []);

// The sum of the values. It names the currencies that have no price and so are not in it.
function Total({ rows }) {
  const left = rows ? without(rows) : "";
  return html`<div><dt>${isMargin ? "Assets in USD" : "Value in USD"}</dt><dd class="big" data-total>${rows
    ? html`<${Dollars} text=${total(rows)} />` : "–"}${left && html` <small data-without>without ${left}: no price</small>`}</dd></div>`;
}

// The first figures of the page: who the account is to others, what it is worth, what it owes and pays.
export function Summary({ balances: [state, rows], debt, volume: [volumeState, volume, retry] }) {
  const shown = state.kind === "live" || volumeState.kind === "error" ? volumeState : state;
  return html`<${Region} name="summary" label="Summary" state=${shown} retry=${retry}><dl class="facts fit">
    <${Total} rows=${rows} />
    ${isMargin && html`<${DebtFacts} debt=${debt} />`}
    <div><dt>Account</dt><dd class="big">${account}</dd></div>
    <div><dt>Counterparty id</dt><dd class="big">${counterpartyId
      ? html`<code data-counterparty>${counterpartyId}</code> <${CopyButton} text=${counterpartyId}>Copy<span
        class="unseen"> the counterparty id</span></${CopyButton}>`
      : "none"}</dd></div>
    <div><dt>Volume of 30 days, USD</dt>
      <dd class="big">${volume ? html`<${Dollars} text=${volume.notional_30d_volume} />` : "–"}</dd></div>
    <div><dt>Fee: maker, taker</dt><dd
      class="big">${volume ? `${percent(volume.web_maker_fee_bps)}, ${percent(volume.web_taker_fee_bps)}` : "–"}</dd></div>
  </dl></${Region}>`;
}

const FEES = [["This site", "web"], ["Interface", "api"], ["FIX", "fix"]];
const FEE_COLUMNS = [
  { title: "Through", cell: ([words]) => words },
  ...[["Maker", "maker"], ["Taker", "taker"], ["Auction", "auction"]].map(([title, kind]) =>
    ({ title, isNumber: true, cell: ([, way, volume]) => percent(volume[`${way}_${kind}_fee_bps`]) })),
];
const DAY_COLUMNS = [
  { title: "Day (UTC)", cell: ({ date }) => date },
  money("Traded in USD", "notional_volume"),
];

export function Fees({ volume: [state, volume, retry] }) {
  const traded = (volume?.notional_1d_volume ?? []).filter((day) => /[1-9]/.test(day.notional_volume)).reverse();
  return html`<${Region} name="fees" title="Fees and volume" state=${state} retry=${retry}>${volume && html`
    <${Table} label="Fee rates" columns=${FEE_COLUMNS} rows=${FEES.map((fee) => [...fee, volume])} keyOf=${([words]) => words} />
    ${traded.length > 0
      ? html`<${Table} label="Volume by day" columns=${DAY_COLUMNS} rows=${traded} keyOf=${({ date }) => date} />`
      : html`<p class="empty">Nothing was traded in the 30 days before ${volume.date}, 0:00 UTC. Volume lowers the fees.</p>`}`}
  </${Region}>`;
}
