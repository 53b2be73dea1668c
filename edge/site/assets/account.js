// The overview of an account: what it has, what it has under way, what it pays.
import { Balances, Fees, Summary, useBalances, useVolume } from "./account/balances.js";
import { ClearingSummary } from "./account/clearing-list.js";
import { useDebt } from "./account/debt.js";
import { isExchange, start } from "./account/parts.js";
import { Redemptions, Stakes, useRedemptions } from "./account/redemptions.js";
import { Contracts, Orders, Positions, Trades } from "./account/trading.js";
import { Transfers, useTransfers } from "./account/transfers.js";
import { History } from "./history.js";
import { html } from "./ui.js";

const Staked = () => html`<${Stakes} /><${Redemptions} redemptions=${useRedemptions()} />`;

function Overview() {
  const balances = useBalances();
  const [debt, volume] = [useDebt(), useVolume()];
  return html`<${Summary} balances=${balances} debt=${debt} volume=${volume} />
    <${Balances} balances=${balances} />
    <${Orders} />
    <${Trades} />
    <${History} />
    <${Transfers} transfers=${useTransfers()} />
    <div class="columns"><${Positions} /><${Contracts} /></div>
    ${isExchange && html`<${Staked} /><${ClearingSummary} />`}
    <${Fees} volume=${volume} />`;
}

start(Overview);
