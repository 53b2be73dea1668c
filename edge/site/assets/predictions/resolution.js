// How an event ends: who decides by what, until when that can be disputed, and each step so far.
import { getPublic } from "../call.js";
import { marksOf } from "../lists.js";
import { Amount, Dollars, html, useEffect, useLoaded } from "../ui.js";
import { duration, when } from "./times.js";
import { plain, strike } from "./words.js";

const label = (event, ticker) => event.contracts.find((contract) => contract.ticker === ticker)?.label ?? ticker;

// The outcomes of a proposal: the winners alone where there are several contracts.
function outcomes(event, found) {
  if (event.contracts.length === 1) return Object.values(found)[0] === "yes" ? "Yes" : "No";
  const winners = Object.entries(found).filter(([, side]) => side === "yes").map(([ticker]) => label(event, ticker));
  return winners.length ? winners.join(", ") : "None of them";
}

function newest(event, key) {
  return event.resolution.history.findLast((step) => step[key] !== undefined)?.[key];
}

const by = (source) => (source ? `, by ${source}` : "");

function Words({ event, now }) {
  const { state, source, settlesAt } = event.resolution;
  const found = newest(event, "outcomes");
  const reason = newest(event, "reason") ?? "no reason was given";
  const proposed = found ? outcomes(event, found) : "";
  if (state === "disputed") return html`<b>Disputed:</b> ${reason}. It waits for another resolution.`;
  if (state === "void") return html`<b>Void:</b> ${reason}.`;
  if (state === "final") return html`<b>Resolved:</b> ${proposed}${by(source)}.`;
  const left = now === null ? "" : ` (in ${duration(Date.parse(settlesAt) - now)})`;
  return html`<b>Proposed:</b> ${proposed}${by(source)}. Pays at ${when(settlesAt)}${left} unless it is disputed.`;
}

// The state of an event's resolution in a line; nothing before the first proposal.
export function ResolutionLine({ event, now }) {
  if (!event.resolution) return null;
  return html`<p class="resolution" data-resolution=${event.resolution.state}><${Words} event=${event} now=${now} /></p>`;
}

const STEPS = { proposed: "Proposed", disputed: "Disputed", final: "Final", void: "Void" };

function Step({ event, step }) {
  const parts = [step.outcomes && outcomes(event, step.outcomes), step.source && `by ${step.source}`, step.reason].filter(Boolean);
  return html`<li><span class="soft">${when(step.timestamp)}</span> <b>${STEPS[step.state] ?? step.state}</b>
    ${parts.length > 0 && `: ${parts.join(", ")}`}</li>`;
}

function Collateral({ event }) {
  const path = `/v1/prediction-markets/events/${encodeURIComponent(event.ticker)}/collateral`;
  const [state, value, reload] = useLoaded(() => getPublic(path), [path]);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), 15_000);
    return () => clearInterval(timer);
  }, [reload]);
  if (state.kind === "error") return html`<p class="failure">${state.message}</p>`;
  if (!value) return html`<p class="note">The escrows are being read.</p>`;
  const nameOf = (symbol) => event.contracts.find(({ instrumentSymbol }) => instrumentSymbol === symbol)?.label ?? symbol;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Collateral"><table
    class="collateral" ...${marksOf("collateral", value.contracts.length)}>
    <thead><tr><th scope="col">Collateral</th><th scope="col" class="number">Claims on yes</th><th scope="col"
      class="number">Claims on no</th>
      <th scope="col" class="number">In escrow</th></tr></thead>
    <tbody>${value.contracts.map((row) => html`<tr key=${row.symbol}><th scope="row" class="wrap">${nameOf(row.symbol)}</th>
      <td class="number"><${Amount} text=${plain(row.yes)} /></td><td class="number"><${Amount} text=${plain(row.no)} /></td>
      <td class="number"><${Dollars} text=${plain(row.escrow)} unit="USD" /></td></tr>`)}</tbody>
  </table></div>`;
}

// The details of an event that is opened: its times, its source, its strike, the steps of its resolution, and its escrow.
export function EventDetails({ event }) {
  const source = event.resolution?.source ?? event.source;
  const terms = event.contracts.find((contract) => contract.strike)?.strike;
  return html`<div class="event-details">
    <dl class="facts">
      <div><dt>Ticker</dt><dd>${event.ticker}</dd></div>
      <div><dt>Trading begins</dt><dd>${when(event.startTime)}</dd></div>
      <div><dt>Trading ends at the latest</dt><dd>${when(event.expiryDate)}</dd></div>
      <div><dt>Resolved by</dt><dd>${source ?? "Not named yet"}</dd></div>
      ${terms && html`<div><dt>Strike</dt><dd>${strike(terms)}</dd></div>`}
      ${event.resolvedAt && html`<div><dt>Resolved</dt><dd>${when(event.resolvedAt)}</dd></div>`}
    </dl>
    ${event.resolution && html`<div class="padded"><h4>Resolution</h4>
      <ol class="steps" ...${marksOf("steps", event.resolution.history.length)}>${event.resolution.history.map((step, at) => html`<${Step} key=${at} event=${event} step=${step} />`)}</ol></div>`}
    <${Collateral} event=${event} />
  </div>`;
}
