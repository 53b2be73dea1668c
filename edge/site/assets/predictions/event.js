// An event with its contracts, as rows of the table of events.
import { compare, read } from "../decimal.js";
import { volume, whole } from "../figures.js";
import { url } from "../page.js";
import { html, useState } from "../ui.js";
import { ofContract } from "./quotes.js";
import { EventDetails, ResolutionLine } from "./resolution.js";
import { duration, when } from "./times.js";
import { cents, chance, opposite, percent, spread, standing } from "./words.js";

const COLUMNS = 6;

// The next time that matters for an event, by the exchange's clock.
function Countdown({ event, now }) {
  const isUpcoming = event.status === "approved";
  if (!isUpcoming && event.status !== "active") return event.resolvedAt ? html`<span title="When it was resolved">${when(event.resolvedAt)}
    </span>` : null;
  const end = isUpcoming ? event.startTime : event.expiryDate;
  const words = isUpcoming ? "Opens" : "Closes";
  const left = now === null ? "" : ` in ${duration(Date.parse(end) - now)}`;
  return html`<time data-countdown=${event.ticker} dateTime=${end} title=${when(end)}>${left ? words + left : `${words} ${when(end)}`}
    </time>`;
}

function Chance({ quotes }) {
  const found = chance(quotes);
  if (!found) return html`<span class="soft" title="Nobody quotes it and nobody has traded it">–</span>`;
  return html`<span class="chance" title=${`${found.from}: ${percent(found.value)}`}><span class="meter" aria-hidden="true"><span
    style=${{ width: percent(found.value).replace(" ", "") }}></span></span><b>${percent(found.value)}</b></span>`;
}

// The price at which an outcome can be bought now; a link to its ticket.
function Price({ contract, outcome, price }) {
  const word = outcome === "yes" ? "Yes" : "No";
  if (!price) return html`<span class="price none" title=${`Nobody sells ${outcome} now`}>${word} <b>–</b></span>`;
  return html`<a class=${`price ${outcome}`} href=${url(`/trade/${contract.instrumentSymbol}?outcome=${outcome}`)}
    title=${`Buy ${outcome} of ${contract.label} at ${price} dollars`}>${word} <b>${cents(price)}</b></a>`;
}

function QuotedCells({ contract, quotes }) {
  const { bid, ask, last } = quotes;
  return html`
    <td class="number" data-cell="chance" role="cell"><${Chance} quotes=${quotes} /></td>
    <td class="number" data-cell="yes" role="cell"><${Price} contract=${contract} outcome="yes" price=${ask} /></td>
    <td class="number" data-cell="no" role="cell"><${Price} contract=${contract} outcome="no" price=${bid && opposite(bid)} /></td>
    <td class="number" data-cell="spread" data-name="Spread" role="cell">${bid && ask ? cents(spread(bid, ask)) : "–"}</td>
    <td class="number" data-cell="last" data-name="Last" role="cell">${last ? cents(last) : "–"}</td>`;
}

const isPaid = (event, contract) =>
  event.status === "invalid" || Boolean(contract.resolutionSide) || contract.settlementValue !== undefined;

function paidWords({ settlementValue: value }) {
  return value === undefined ? "each position was paid its cost" : `each yes was paid ${cents(value)}, each no ${cents(opposite(value))}`;
}

// The end of a contract: its outcome, and the sum that each side was paid.
function PaidCells({ contract }) {
  const { resolutionSide: side } = contract;
  const word = { yes: "Yes", no: "No" }[side] ?? "Void";
  const kind = { yes: "up", no: "down" }[side] ?? "soft";
  return html`<td colspan="5" class="paid" data-cell="outcome" role="cell"><b class=${kind}>${word}</b><span
    class="soft">: ${paidWords(contract)}</span></td>`;
}

function ContractRow({ event, contract, quotes }) {
  // A lone contract has the name of its event, which stands above it.
  const isAlone = event.contracts.length === 1;
  return html`<tr data-contract=${contract.instrumentSymbol} role="row">
    <th scope="row" class="wrap name" role="rowheader"><a href=${url(`/trade/${contract.instrumentSymbol}`)}>
      ${isAlone ? "Yes or no" : contract.label}<span
      class="unseen">: ${event.title}</span></a></th>
    ${isPaid(event, contract) ? html`<${PaidCells} contract=${contract} />` : html`<${QuotedCells} contract=${contract}
      quotes=${quotes} />`}
  </tr>`;
}

function Head({ event, now, isOpen, toggle }) {
  const { words, kind } = standing(event);
  const isTraded = compare(read(event.volume), read("0")) > 0;
  return html`<tr class="event-head" role="row"><th colspan=${COLUMNS} scope="rowgroup" role="rowheader"><div class="event-line">
    <h3>${event.title}</h3>
    <span class="tag">${event.category}</span> <span class=${`tag ${kind}`} data-standing=${event.status}>${words}</span>
    <span class="event-facts soft">
      <span data-volume=${event.volume} title=${`${whole(event.volume)} contracts, each of a dollar`}>
        ${isTraded ? `${volume(event.volume)} traded` : "No trades"}</span>
      <${Countdown} event=${event} now=${now} />
      <button type="button" class="small" aria-expanded=${isOpen} aria-label=${`Details of ${event.title}`}
        onClick=${toggle}>Details</button>
    </span></div><${ResolutionLine} event=${event} now=${now} /></th></tr>`;
}

// An event as a group of rows: its head, each contract, and its details where they are opened.
export function EventRows({ event, now, quotes }) {
  const [isOpen, setOpen] = useState(false);
  return html`<tbody data-event=${event.ticker} data-status=${event.status} role="rowgroup">
    <${Head} event=${event} now=${now} isOpen=${isOpen} toggle=${() => setOpen(!isOpen)} />
    ${event.contracts.map((contract) => html`<${ContractRow} key=${contract.instrumentSymbol} event=${event} contract=${contract}
      quotes=${quotes.get(contract.instrumentSymbol) ?? ofContract(contract)} />`)}
    ${isOpen && html`<tr class="opened" role="row"><td colspan=${COLUMNS} role="cell"><${EventDetails} event=${event} /></td></tr>`}
  </tbody>`;
}
