// Deposits and withdrawals.
import { Approved, useApproved } from "./account/approved.js";
import { useBalances } from "./account/balances.js";
import { Banks } from "./account/banks.js";
import { Debt, useDebt } from "./account/debt.js";
import { Deposit } from "./account/deposit.js";
import { currencies, start } from "./account/parts.js";
import { Transfers, useTransfers } from "./account/transfers.js";
import { Withdraw } from "./account/withdraw.js";
import { showQuery } from "./page.js";
import { html, useState } from "./ui.js";

const movable = currencies.filter(({ networks }) => networks.length > 0);

// The currency that the address names, or the first.
function asked() {
  const query = new URLSearchParams(location.search);
  const code = query.get("currency")?.toUpperCase();
  const found = movable.find((currency) => currency.code === code) ?? movable.find((currency) => currency.code === "BTC") ?? movable[0];
  const network = found.networks.includes(query.get("network")) ? query.get("network") : found.networks[0];
  return { currency: found.code, network };
}

function Choice({ chosen: { currency, network }, choose }) {
  const { networks } = movable.find(({ code }) => code === currency);
  const pick = (next) => {
    showQuery(next);
    choose(next);
  };
  const change = ({ target: { value } }) => pick({ currency: value, network: movable.find(({ code }) => code === value).networks[0] });
  return html`<form name="choice" class="form line" onSubmit=${(event) => event.preventDefault()}>
    <div class="field"><label for="currency">Currency</label><select id="currency" name="currency"
      onChange=${change}>${movable.map(({ code, name }) =>
      html`<option key=${code} value=${code} selected=${code === currency}>${code === name ? code : `${code}, ${name}`}</option>`)}
        </select></div>
    <div class="field"><label for="network">Network</label><select id="network" name="network"
      onChange=${({ target }) => pick({ currency, network: target.value })}>${networks.map((name) =>
      html`<option key=${name} value=${name} selected=${name === network}>${name}</option>`)}</select></div>
  </form>`;
}

function Money() {
  const [chosen, choose] = useState(asked);
  const approved = useApproved(chosen.network);
  const transfers = useTransfers();
  const [, balances, reloadBalances] = useBalances();
  const debt = useDebt();
  const reload = () => {
    transfers[2]();
    reloadBalances();
  };
  const balance = balances?.find(({ currency }) => currency === chosen.currency);
  return html`<${Debt} debt=${debt} /><${Choice} chosen=${chosen} choose=${choose} />
    <div class="columns"><${Deposit} ...${chosen} /><${Withdraw} ...${chosen} approved=${approved} balance=${balance} reload=${reload} />
      </div>
    <${Approved} network=${chosen.network} approved=${approved} />
    <${Transfers} transfers=${transfers} next=${html`<p>Send to an address above.</p>`} />
    <${Banks} reload=${reload} />`;
}

start(Money);
