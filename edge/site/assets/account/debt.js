// What a margin account owes, what it is worth without that, and where it is liquidated.
import { Region, html } from "../ui.js";
import { ask } from "./calls.js";
import { useFollowed } from "./live.js";
import { data } from "../page.js";
import { Dollars } from "./table.js";

export const isMargin = data.page.kind === "margin";

// `[state, figures, reload]`; without figures for an account of another kind, which the exchange would refuse.
export const useDebt = () => useFollowed(async () => (isMargin ? ask("/v1/margin/account") : null), isMargin ? ["balances@account"] : []);

// The exchange names the price of a liquidation only while a single holding decides it.
function liquidation({ liquidationRisk: risk, totalBorrowed }) {
  if (risk?.liquidationPrice) return html`<${Dollars} text=${risk.liquidationPrice.value} />`;
  if (!/[1-9]/.test(totalBorrowed.value)) return "nothing is borrowed";
  return risk ? "several holdings decide it" : "nothing is left to sell";
}

// Facts beside those of the account: a list of definitions takes them.
export function DebtFacts({ debt: [state, figures] }) {
  const fact = (name, title, content) => html`<div><dt>${title}</dt><dd class="big" data-debt=${name}>${figures ? content() : "–"}</dd></div>`;
  return html`${fact("borrowed", "Borrowed, USD", () => html`<${Dollars} text=${figures.totalBorrowed.value} />`)}
    ${fact("net", "Net value, USD, by the index", () => html`<${Dollars} text=${figures.marginAssetValue.value} />`)}
    ${fact("liquidation", "Liquidation price, USD", () => liquidation(figures))}
    ${state.kind === "error" && html`<div><dt>Loan</dt><dd role="alert">${state.message}</dd></div>`}`;
}

// The same in a region of its own, for pages that have no summary.
export function Debt({ debt }) {
  const [state, , retry] = debt;
  return isMargin && html`<${Region} name="debt" title="Margin loan" state=${state} retry=${retry}><dl class="facts fit">
    <${DebtFacts} debt=${debt} /></dl></${Region}>`;
}
