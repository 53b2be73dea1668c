// What a perpetual has beyond a spot market, and the position in it.
import { getPublic } from "../call.js";
import { difference, ratio, read, text } from "../decimal.js";
import { amount, dollars, roundedTo } from "../figures.js";
import { marksOf } from "../lists.js";
import { url } from "../page.js";
import { request } from "../socket.js";
import { clock } from "../time.js";
import { ActButton, Average, Dollars, Exact, html, Money, Region, SendButton, useEffect, useLoaded, useTicks, Whole } from "../ui.js";
import { underWay } from "./draft.js";
import { bookState } from "./feed.js";
import { base, isPositive, partOf, PRICE_PLACES, quote, symbol } from "./market.js";
import { funding, fundingFault, loadFunding, margin, mark, positions } from "./money.js";
import { close } from "./money-panel.js";
import { store, useStore } from "./store.js";

const EVERY = 3_000;
const PARTS = [25, 50, 100];

// A difference as a part of what it is measured by, in per cent with its sign.
function percent(part, whole, places = 2) {
  if (!isPositive(whole.replace("-", ""))) return null;
  const scale = 100n * 10n ** BigInt(places);
  const digits = ratio(read(part), read(whole), 1n * scale);
  const words = text({ digits, places });
  return `${words.startsWith("-") ? "" : "+"}${words} %`;
}

// The exchange's clock, which a sandbox may have stopped or moved.
let ahead = 0;
// Why the countdown goes by another clock than the exchange's; none while it does not.
const clockFault = store("");
async function setClock() {
  try {
    const { result } = await request("time");
    ahead = result.serverTime - Date.now();
    clockFault.set("");
  } catch (failure) {
    // The clock of this computer has to do until the socket is open.
    clockFault.set(`By this computer's clock: ${failure.message}`);
  }
}

function Countdown({ at }) {
  const now = useTicks(1_000) + ahead;
  const fault = useStore(clockFault);
  const left = Math.max(0, Math.floor((at - now) / 1_000));
  const part = (value) => String(value).padStart(2, "0");
  const words = [Math.floor(left / 3_600), Math.floor(left / 60) % 60, left % 60].map(part).join(":");
  return html`<span data-countdown=${left}><${Whole} text=${words} /></span>${
    fault && html` <small class="warning" data-fault="clock">${fault}</small>`}`;
}

const Fact = ({ name, label, children, value, isWide }) => html`<div class=${isWide ? "wide" : ""}><dt><${Whole} text=${label} /></dt><dd
  key=${value} data-perpetual=${name} data-value=${value} title=${value}>${children}</dd></div>`;
const digits = (words, places) => (words ? roundedTo(words, places) : "–");

const signOf = (words) => (words?.startsWith("-") ? "down" : isPositive(words ?? "") ? "up" : "");
const withSign = (words) => (words && !words.startsWith("-") && isPositive(words) ? "+" : "") + dollars(words);

function Close({ position }) {
  const size = position.quantity.replace("-", "");
  const isBusy = Boolean(useStore(underWay));
  const button = (percentage) => {
    const amount = partOf(size, percentage);
    return html`<${SendButton} type="button" className="small" name="close" value=${percentage} isBusy=${isBusy}
      isOff=${!isPositive(amount)} onClick=${() => close(position, amount, percentage)}>Close ${percentage} %</${SendButton}>`;
  };
  return html`<div class="close-parts" role="group" aria-label="Close the position">${PARTS.map(button)}</div>`;
}

function Position() {
  const position = useStore(positions, (list) => list.find((one) => one.symbol.toLowerCase() === symbol));
  const figures = useStore(margin);
  const newest = useStore(mark);
  if (!position) return html`<p class="note">No position in ${symbol.toUpperCase()}.</p>`;
  const liquidation = figures?.estimated_liquidation_price;
  const now = newest || position.mark_price;
  const away = isPositive(liquidation ?? "") ? percent(text(difference(read(liquidation), read(now))), now) : null;
  const isShort = position.quantity.startsWith("-");
  return html`<dl class="tiles">
    <${Fact} name="liquidation" label="Liquidation price"
      value=${liquidation}>${isPositive(liquidation ?? "") ? html`<${Average} text=${liquidation} places=${PRICE_PLACES} /> <small><${Whole} text=${away} /></small>` : "none"}</${Fact}>
    <${Fact} name="quantity" label=${isShort ? "Short" : "Long"} value=${position.quantity}><span
      class=${isShort ? "down" : "up"}>${amount(position.quantity)} ${base}</span></${Fact}>
  </dl><${Close} position=${position} /><dl class="tiles">
    <${Fact} name="entry" label="Entry" value=${position.average_cost}><${Average} text=${position.average_cost} places=${PRICE_PLACES} /></${Fact}>
    <${Fact} name="result" label=${`Result, ${quote}`} value=${position.unrealised_pnl}><${Exact} text=${position.unrealised_pnl}
      shown=${withSign(position.unrealised_pnl)} name="dollars" className=${signOf(position.unrealised_pnl)} /></${Fact}>
    <${Fact} name="margin" label=${`Margin, ${quote}`}
      value=${figures?.initial_margin_positions}><${Dollars} text=${figures?.initial_margin_positions} /></${Fact}>
    <${Fact} name="leverage" label="Leverage" value=${figures?.leverage}>${digits(figures?.leverage, 2)} ×</${Fact}>
  </dl>`;
}

// The exchange answers with the payments of the past 24 hours.
function Paid() {
  const rows = useStore(funding);
  const fault = useStore(fundingFault);
  const own = rows.map((row) => row.hourlyFundingTransfer).filter((row) => row?.instrumentSymbol?.toLowerCase() === symbol);
  const unread = fault && html`<p class="warning" role="status" data-fault="funding">The funding that this account paid and got cannot be read.
    ${fault} <${ActButton} type="button" className="small" onClick=${loadFunding}>Try again</${ActButton}></p>`;
  if (!own.length) return unread;
  return html`${unread}<details class="paid"><summary>Funding of the past 24 hours</summary><table
    ...${marksOf("funding", own.length)}><tbody>${own.map(({ timestamp, action, quantity }) => html`<tr>
    <td>${clock(timestamp)}</td><td>${action}</td><td class="number" data-value=${quantity.value}><${Money} text=${quantity.value}
      currency=${quantity.currency} /></td></tr>`)}</tbody></table>
    <p class="note"><a href=${url("/account/statement?cause=funding")}>Earlier payments are in the statement</a></p></details>`;
}

const load = async () => {
  const [risk, fund] = await Promise.all([getPublic(`/v1/riskstats/${symbol}`), getPublic(`/v1/fundingamount/${symbol}`)]);
  mark.set(risk.mark_price);
  return { risk, fund };
};

export function Perpetual() {
  const [state, value, reload] = useLoaded(load, []);
  const socket = useStore(bookState);
  useEffect(() => {
    setClock();
    const timers = [setInterval(() => document.hidden || reload(), EVERY), setInterval(setClock, 15_000)];
    return () => timers.forEach(clearInterval);
  }, [reload]);
  useEffect(() => void (socket.kind === "live" && setClock()), [socket.kind]);
  const { risk, fund } = value ?? {};
  const basis = risk && text(difference(read(risk.mark_price), read(risk.index_price)));
  const estimate = fund && String(fund.estimatedFundingAmount);
  // The panel's prices are asked for by call, but a page that lost its socket shows none of them as live.
  const told = state.kind === "live" && socket.kind !== "loading" ? socket : state;
  return html`<${Region} name="perpetual" title="Perpetual" state=${told} retry=${reload} className="perpetual"><div class="padded">
    <${Position} /><dl class="tiles">
      <${Fact} name="mark" label="Mark" value=${risk?.mark_price}><${Average} text=${risk?.mark_price} places=${PRICE_PLACES} /></${Fact}>
      <${Fact} name="index" label="Index" value=${risk?.index_price}><${Average} text=${risk?.index_price} places=${PRICE_PLACES} /></${Fact}>
      <${Fact} name="basis" label="Basis" value=${basis}><${Average} text=${basis} places=${PRICE_PLACES} /> <small><${Whole}
        text=${risk && percent(basis, risk.index_price, 3)} /></small>
        </${Fact}>
      <${Fact} name="open_interest" label=${`Open interest, ${base}`}
        value=${risk?.open_interest}>${amount(risk?.open_interest, 4)}</${Fact}>
      <${Fact} name="funding" label="Funding, an hour"
        value=${estimate}><${Whole} text=${fund && risk ? percent(estimate, risk.mark_price, 6) ?? "–" : "–"} /></${Fact}>
      <${Fact} name="countdown" label="Paid in" value=${fund?.nextFundingTimestamp}>${fund ? html`<${Countdown}
        at=${fund.nextFundingTimestamp} />` : "–"}</${Fact}>
    </dl><${Paid} /></div></${Region}>`;
}
