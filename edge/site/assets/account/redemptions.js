// What is staked, and redemptions with their time.
import { useExchangeTime } from "../predictions/clock.js";
import { duration } from "../predictions/times.js";
import { totalOf, usePart } from "../lists.js";
import { url } from "../page.js";
import { Region, html } from "../ui.js";
import { ask } from "./calls.js";
import { useFollowed } from "./live.js";
import { Time, timeTitle } from "./parts.js";
import { Table, sums } from "./table.js";

const STAKES = [
  { title: "Currency", cell: ({ currency }) => currency },
  sums("Staked", "balance"), sums("To redeem", "availableForWithdrawal"),
];

export function useStakes() {
  return useFollowed(() => ask("/v1/balances/staking"), ["balances@account"]);
}

export function Stakes() {
  const [state, stakes, retry] = useStakes();
  const empty = stakes?.length === 0 && html`<p>Money that earns by staking would stand here.</p>
    <p><a class="button" href=${url("/account/staking")}>See the rates</a></p>`;
  return html`<${Region} name="stakes" title="Stakes" state=${state} retry=${retry} empty=${empty}>
    <${Table} label="Stakes" columns=${STAKES} rows=${stakes ?? []} keyOf=${({ currency }) => currency} /></${Region}>`;
}

function Due({ redemption: { amountRemaining, expectedAt } }) {
  const now = useExchangeTime();
  if (!/[1-9]/.test(String(amountRemaining))) return html`<span class="tag good">Paid</span> <${Time} at=${Date.parse(expectedAt)} />`;
  const left = now === null ? "" : ` (in ${duration(Date.parse(expectedAt) - now)})`;
  return html`<span class="tag warn">Open</span> <${Time} at=${Date.parse(expectedAt)} />${left}`;
}

const REDEMPTIONS = [
  { title: timeTitle("Requested"), cell: (row) => html`<${Time} at=${Date.parse(row.requestInitiated)} />` },
  { title: "Currency", cell: ({ currency }) => currency },
  sums("Amount", "amount"), sums("Paid so far", "amountPaidSoFar"), sums("Remains", "amountRemaining"),
  { title: timeTitle("Last part"), cell: (redemption) => html`<${Due} redemption=${redemption} />` },
];

// The most redemptions that the exchange answers with, and those that the list begins with.
const [MOST, FIRST] = [500, 50];
const REST = { href: url("/account/statement?cause=redemption"), words: "The statement has all" };

export function useRedemptions() {
  return useFollowed(() => ask("/v1/staking/redemptions", { limit: MOST }), ["balances@account"]);
}

export function Redemptions({ redemptions: [state, rows, retry], next }) {
  const [shown, more] = usePart(rows ?? [], FIRST);
  const isWhole = shown.length === rows?.length;
  const empty = rows?.length === 0 && html`<p>Redemptions would stand here, with the time at which they are paid.</p>
    ${next ?? html`<p><a class="button" href=${url("/account/staking")}>Open staking</a></p>`}`;
  return html`<${Region} name="redemptions" title="Redemptions" state=${state} retry=${retry} empty=${empty}>
    <${Table} label="Redemptions" columns=${REDEMPTIONS} rows=${shown}
      total=${isWhole ? totalOf(shown, MOST) : rows?.length} rest=${{ what: "redemptions", ...(isWhole ? { link: REST } : { onMore: more }) }}
      keyOf=${({ transactionId }) => transactionId}
      marks=${({ transactionId }) => ({ "data-redemption": transactionId })} /></${Region}>`;
}
