// Balances and positions of the account.
import { decimalsOf, dollars, isDollar } from "../figures.js";
import { marksOf, Rest } from "../lists.js";
import { isSignedIn, url } from "../page.js";
import { Amount, Average, Dollars, Exact, html, Money, Region, useState } from "../ui.js";
import { submit } from "./ask.js";
import { bookState, boundOf } from "./feed.js";
import { bare, base, isContract, isPerpetual, quote, symbol } from "./market.js";
import { balances, balanceState, mark, positions, positionState, reloadPositions } from "./money.js";
import { SignedOut } from "./orders-panel.js";
import { tell } from "./send.js";
import { settings } from "./settings.js";
import { useStore } from "./store.js";

// Cells of figures: an amount, a price of a market that the exchange computes, dollars.
const Cell = ({ text, children }) => html`<td class="number" data-value=${text} title=${text}>${children}</td>`;
const Figure = ({ text }) => html`<${Cell} text=${text}><${Amount} text=${text && bare(text)} places=${8} /><//>`;
const Mean = ({ text, of }) => html`<${Cell} text=${text}><${Average} text=${text} places=${decimalsOf(of.symbol)} /><//>`;
const Worth = ({ text }) => html`<${Cell} text=${text}><${Dollars} text=${text} /><//>`;
const Sum = ({ text, currency }) => html`<${Cell} text=${text}><${Money} text=${isDollar(currency) ? text : bare(text)}
  currency=${currency} unit="" /><//>`;

const isZero = (text) => !/[1-9]/.test(text ?? "");

export function Balances() {
  const state = useStore(balanceState);
  const all = useStore(balances);
  const [isWhole, setWhole] = useState(false);
  /** @param {[string, unknown]} row */
  const isHere = ([currency]) => currency === base || currency === quote;
  const held = [...all].filter((row) => isHere(row) || !isZero(row[1].amount));
  const count = held.length;
  const rows = held.filter((row) => isHere(row) || isWhole)
    .sort((one, other) => Number(isHere(other)) - Number(isHere(one)) || one[0].localeCompare(other[0]));
  const empty = !isSignedIn() ? html`<${SignedOut} what="your balances" />`
    : rows.length === 0 && html`<p>Neither ${base} nor ${quote} is on this account.</p><p><a href=${url("/account/money")}>Deposit</a></p>`;
  const tools = isSignedIn() && html`<label class="check"><input type="checkbox" name="all-balances" checked=${isWhole}
    onChange=${(event) => setWhole(event.target.checked)} /> All currencies</label>`;
  return html`<${Region} name="balances" title="Balances" state=${state} empty=${empty} tools=${tools} className="balances">
    <div class="scroll" tabindex="0" role="region" aria-label="Balances" ...${marksOf("balances", rows.length, count)}><table><thead><tr><th>Currency</th><th
      class="number">Available</th><th class="number">Total</th></tr></thead>
      <tbody>${rows.map(([currency, { available, amount }]) => html`<tr data-currency=${currency}><th scope="row">${currency}</th>
        <${Sum} text=${available} currency=${currency} /><${Sum} text=${amount} currency=${currency} /></tr>`)}</tbody></table></div>
    <${Rest} shown=${rows.length} total=${count} what="currencies" onMore=${() => setWhole(true)} /></${Region}>`;
}

// Why there is no price at which a position could be closed.
function whyNotClosed(side) {
  if (bookState.get().kind === "loading") return "The book has not been read yet, so nothing was sent.";
  const what = side === "sell" ? "buy" : "sell";
  return `No order to ${what} stands in the book, so the position cannot be closed now. Nothing was sent. A limit order can wait for a price.`;
}

// Closes a part of a perpetual's position: an immediate-or-cancel order at the bound, cut at sending to that part of the position as it is
// then.
export function close(position, amount, percent) {
  const side = position.quantity.startsWith("-") ? "buy" : "sell";
  const price = boundOf(side, undefined, settings().bound);
  if (!price) return tell(false, whyNotClosed(side));
  return submit({ side, type: "market", price, amount, percent, isReducing: true });
}

const signed = (text) => (text?.startsWith("-") ? "down" : isZero(text) ? "" : "up");
const withSign = (text) => `${text.startsWith("-") || isZero(text) ? "" : "+"}${dollars(text)}`;
const Result = ({ text }) => html`<td class="number ${signed(text)}" data-value=${text} title=${text}><${Exact} text=${text}
  shown=${text && withSign(text)} name="dollars" /></td>`;

// The mark of this market is that of its panel, which is asked for more often.
function Mark({ position }) {
  const newest = useStore(mark);
  const isHere = position.symbol.toLowerCase() === symbol;
  return html`<${Mean} text=${(isHere && newest) || position.mark_price} of=${position} />`;
}

const Perpetual = ({ position }) => html`<tr data-position=${position.symbol.toLowerCase()}>
  <td><a href=${url(`/trade/${position.symbol.toLowerCase()}`)}>${position.symbol}</a></td>
  <td>${position.quantity.startsWith("-") ? html`<span key="short" class="down">Short</span>`
    : html`<span key="long" class="up">Long</span>`}</td>
  <${Figure} text=${position.quantity} /><${Mean} text=${position.average_cost} of=${position} /><${Mark} position=${position} />
  <${Worth} text=${position.notional_value} /><${Result} text=${position.unrealised_pnl} /><${Result}
    text=${position.realised_pnl} /></tr>`;

const Contract = ({ position }) => html`<tr data-position=${position.symbol.toLowerCase()}>
  <td><a href=${url(`/trade/${position.symbol.toLowerCase()}`)}>${position.contractMetadata.contractName}</a></td>
  <td>${position.outcome === "no" ? "No" : "Yes"}</td><${Figure} text=${position.totalQuantity} /><${Mean} text=${position.avgPrice} of=${position} />
  <td class="number">–</td><${Worth} text=${position.marketValue} /><${Result} text=${position.unrealizedPnl} /><${Result}
    text=${position.realizedPl} /></tr>`;

export function Positions() {
  const state = useStore(positionState);
  const list = useStore(positions);
  const why = isPerpetual || isContract ? "No open position. What trades here makes one."
    : "Positions are of perpetuals and contracts. What is bought here is in the balances.";
  const empty = !isSignedIn() ? html`<${SignedOut} what="your positions" />` : list.length === 0 && html`<p>${why}</p>`;
  const sorted = [...list].sort((one, other) => Number(other.symbol.toLowerCase() === symbol) - Number(one.symbol.toLowerCase() === symbol));
  return html`<${Region} name="positions" title="Positions" state=${state} empty=${empty} retry=${reloadPositions} className="positions">
    <div class="scroll" tabindex="0" role="region" aria-label="Positions" ...${marksOf("positions", sorted.length)}><table><thead><tr><th>Market</th><th>Side</th><th
      class="number">Amount</th><th class="number">Entry</th>
      <th class="number">Mark</th><th class="number">Value</th><th class="number">Result, open</th><th class="number">Result, taken</th>
        </tr></thead>
      <tbody>${sorted.map((position) => (isContract ? html`<${Contract} position=${position} />` : html`<${Perpetual}
        position=${position} />`))}</tbody></table></div></${Region}>`;
}
