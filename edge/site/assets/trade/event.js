// The event of a contract: its question, quotes as cents and per cent, when it ends and what decides it.
import { getPublic } from "../call.js";
import { marksOf } from "../lists.js";
import { url } from "../page.js";
import { cents, chance, percent } from "../predictions/words.js";
import { moment } from "../time.js";
import { html, Region, useLoaded, Whole } from "../ui.js";
import { market, ONE, priceText } from "./market.js";
import { top } from "./feed.js";
import { useStore } from "./store.js";

const centsOf = (price) => (price === undefined ? "–" : cents(priceText(price)));
// The chance in per cent between two prices of a dollar, as the page of events shows it.
const chanceOf = (low, high) => percent(chance({ bid: priceText(low), ask: priceText(high) }).value);

function Quotes() {
  const { bid, ask } = useStore(top);
  const rows = [["Yes", bid, ask], ["No", ask === undefined ? undefined : ONE - ask, bid === undefined ? undefined : ONE - bid]];
  return html`<table ...${marksOf("outcomes", rows.length)}><thead><tr><th>Outcome</th><th class="number">Sell at</th><th class="number">Buy at</th><th class="number">Chance</th>
    </tr></thead>
    <tbody>${rows.map(([name, low, high]) => html`<tr><th scope="row">${name}</th>${[centsOf(low), centsOf(high), low !== undefined && high !== undefined ? chanceOf(low, high) : "–"]
      .map((words) => html`<td class="number"><${Whole} text=${words} /></td>`)}</tr>`)}</tbody></table>`;
}

export function EventPanel() {
  const [state, event, reload] = useLoaded(() => getPublic(`/v1/prediction-markets/events/${market.contract.event}`), []);
  return html`<${Region} name="event" title=${market.contract.title} state=${state} retry=${reload} className="event"><div
    class="padded form">
    ${market.contract.label !== market.contract.title && html`<p><b>${market.contract.label}</b></p>`}
    <${Quotes} />
    ${event && html`<dl class="pairs"><dt>State</dt><dd>${event.status}</dd><dt>Trades until</dt>
      <dd>${moment(Date.parse(event.expiryDate))}</dd>
      ${event.resolution?.source && html`<dt>Decided by</dt><dd>${event.resolution.source}</dd>`}</dl>`}
    <p><a href=${url(`/predictions?event=${market.contract.event}`)}>All about this event</a></p></div></${Region}>`;
}
