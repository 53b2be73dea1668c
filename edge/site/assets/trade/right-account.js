// Said in place of the ticket's button when the account of the page is of a kind that does not trade this market: which of the group's
// accounts do, or which kind is missing.
import { url } from "../page.js";
import { html } from "../ui.js";
import { market, symbol } from "./market.js";

const KINDS = { exchange: "an exchange account", derivatives: "a derivatives account", margin: "a margin account", custody: "a custody account" };
const named = (kind) => KINDS[kind] ?? `an account of the kind ${kind}`;

const accounts = market.accounts ?? [];
const kinds = market.traded_by ?? [];
const chosen = accounts.find((one) => one.is_chosen);

// Whether the account of this page trades this market. Without an account there is nothing to say.
export const isRightAccount = !chosen || kinds.includes(chosen.kind);

const fitting = accounts.filter(({ kind }) => kinds.includes(kind));

export function RightAccount() {
  const needed = kinds.map(named).join(" or ");
  return html`<div class="notice" role="status" data-wrong-account><p>${chosen.name} is ${named(chosen.kind)}. ${symbol.toUpperCase()} is
    traded by ${needed}.</p>${fitting.length > 0
    ? html`<div class="buttons">${fitting.map(({ number, name }) => html`<a key=${number} class="button" data-account=${number}
      href=${url(`/trade/${symbol}?account=${number}`)}>Trade with ${name}</a>`)}</div>`
    : html`<p>Your group has none. An administrator of the group can open one.</p>`}</div>`;
}
