// The event of a contract: its question, quotes as cents and per cent, when it ends, what decides it, and how it was resolved. The page reads it
// again when its status changes, which the stream of statuses reports also at its times.
import { getPublic } from "../call.js";
import { marksOf } from "../lists.js";
import { url } from "../page.js";
import { cents, chance, percent, standing } from "../predictions/words.js";
import { watch } from "../socket.js";
import { moment } from "../time.js";
import { html, Region, useEffect, useLoaded, Whole } from "../ui.js";
import { market, ONE, priceText, symbol } from "./market.js";
import { top } from "./feed.js";
import { status } from "./status.js";
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

// While an event is resolved its proposals and disputes change no status.
const EVERY = 10_000;

function useEvent() {
  const [state, event, reload] = useLoaded(() => getPublic(`/v1/prediction-markets/events/${market.contract.event}`), [useStore(status)]);
  const isResolving = event?.status === "under_review";
  useEffect(() => {
    const onFrame = (frame) => frame.s.toLowerCase() === symbol && reload();
    // A cut may have hidden a change.
    return watch(["contractStatus"], { onFrame, onState: ({ kind }) => kind === "live" && reload() });
  }, [reload]);
  useEffect(() => {
    if (!isResolving) return undefined;
    const timer = setInterval(() => document.hidden || reload(), EVERY);
    return () => clearInterval(timer);
  }, [isResolving, reload]);
  return [state, event, reload];
}

const NAMES = { yes: "Yes", no: "No" };

// The outcome of the page's contract: the final one, or the newest proposal.
function Outcome({ event }) {
  const own = event.contracts.find(({ instrumentSymbol }) => instrumentSymbol.toLowerCase() === symbol);
  const { settlesAt, history = [] } = event.resolution ?? {};
  const proposed = history.findLast(({ outcomes }) => outcomes)?.outcomes[own?.ticker];
  if (own?.resolutionSide) return html`<dt>Resolved</dt><dd data-result>${NAMES[own.resolutionSide]}</dd>`;
  return settlesAt && proposed && html`<dt>Proposed</dt><dd data-result>${NAMES[proposed]}; it settles on ${
    moment(Date.parse(settlesAt))} unless it is disputed</dd>`;
}

export function EventPanel() {
  const [state, event, reload] = useEvent();
  return html`<${Region} name="event" title=${market.contract.title} state=${state} retry=${reload} className="event"><div
    class="padded form">
    ${market.contract.label !== market.contract.title && html`<p><b>${market.contract.label}</b></p>`}
    <${Quotes} />
    ${event && html`<dl class="pairs"><dt>State</dt><dd data-standing=${event.status}>${standing(event).words}</dd><dt>Trades until</dt>
      <dd>${moment(Date.parse(event.expiryDate))}</dd>
      ${event.resolution?.source && html`<dt>Decided by</dt><dd>${event.resolution.source}</dd>`}
      <${Outcome} event=${event} /></dl>`}
    <p><a href=${url(`/predictions?event=${market.contract.event}`)}>All about this event</a></p></div></${Region}>`;
}
