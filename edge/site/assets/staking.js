// Staking: rates and terms, stakes, interest by day, redemptions.
import { ask, askPublic } from "./account/calls.js";
import { useFollowed } from "./account/live.js";
import { Long, start } from "./account/parts.js";
import { Redemptions, useRedemptions } from "./account/redemptions.js";
import { Rewards } from "./account/rewards.js";
import { StakeDialog } from "./account/stake-form.js";
import { Table, amounts, money, sums } from "./account/table.js";
import { Region, html, useState } from "./ui.js";

// Each pair of provider and currency, with what the account has staked and could stake.
async function load() {
  const [rates, stakes, balances] = await Promise.all([askPublic("/v1/staking/rates"), ask("/v1/balances/staking"), ask("/v1/balances")]);
  const staked = new Map(stakes.map((row) => [row.currency, row]));
  const free = new Map(balances.map((row) => [row.currency, row.available]));
  const pairs = Object.values(rates).flatMap((byCurrency) => Object.entries(byCurrency).map(([currency, rate]) => ({
    ...rate, currency, free: free.get(currency) ?? "0",
    staked: String(staked.get(currency)?.balanceByProvider[rate.providerId]?.balance ?? "0"),
    redeemable: String(staked.get(currency)?.availableForWithdrawal ?? "0"),
  })));
  return pairs.sort((one, other) => one.currency.localeCompare(other.currency) || one.providerId.localeCompare(other.providerId));
}

const columns = (open) => [
  { title: "Currency", cell: ({ currency }) => currency },
  { title: "Provider", cell: ({ providerId }) => html`<${Long} text=${providerId} ends=${4} />` },
  amounts("Rate of a year, %", "ratePct", { places: 6, least: 2 }),
  amounts("Compounded, %", "apyPct", { places: 2, least: 2 }),
  money("Most in a month, USD", "depositUsdLimit"),
  sums("Staked", "staked"),
  sums("Could be staked", "free"),
  { title: "Act", cell: (pair) => html`<span class="buttons tight">
    <button type="button" class="small" value="stake" aria-label=${`Stake ${pair.currency} with ${pair.providerId}`}
      onClick=${() => open({ kind: "stake", pair })}>Stake</button>
    <button type="button" class="small" value="unstake" disabled=${!/[1-9]/.test(pair.staked)}
      aria-label=${`Unstake ${pair.currency} from ${pair.providerId}`}
      onClick=${() => open({ kind: "unstake", pair })}>Unstake</button></span>` },
];

function Staking() {
  const [state, pairs, reload] = useFollowed(load, ["balances@account"]);
  const redemptions = useRedemptions();
  const [shown, open] = useState(null);
  const close = () => open(null);
  const done = () => {
    close();
    reload();
    redemptions[2]();
  };
  const empty = pairs?.length === 0 && html`<p>Currencies that can be staked would stand here; none can at present.</p>`;
  return html`<${Region} name="rates" title="Rates and terms" state=${state} retry=${reload} empty=${empty}>
      <${Table} label="Rates and terms" columns=${columns(open)} rows=${pairs ?? []}
        keyOf=${({ providerId, currency }) => providerId + currency}
        marks=${({ providerId, currency }) => ({ "data-stake": `${providerId} ${currency}` })} />
      <p class="note padded">Interest accrues for every whole second and joins the stake at 20:00 UTC. A redemption is paid at once or
        after the provider's time, in parts where the provider pays no more on a day.</p></${Region}>
    <${Redemptions} redemptions=${redemptions} next=${html`<p>Unstake above.</p>`} />
    <${Rewards} />
    ${shown && html`<${StakeDialog} ...${shown} most=${shown.kind === "stake" ? shown.pair.free : shown.pair.staked}
      onClose=${close} onDone=${done} />`}`;
}

start(Staking, "stakes");
