// Prediction markets, staking and clearing.
import { html, Region, useState } from "../ui.js";
import { useNow } from "./clock.js";
import { findCall } from "./contract.js";
import { CallForm } from "./form.js";
import { More } from "./more.js";
import { useNames } from "./names.js";

const PROVIDER = "0b2c5a1e-6f4d-4c8e-9a57-3d1e8f60b7a1";
const CONTRACTS = '[{"ticker":"ANN","label":"Ann"},{"ticker":"BOB","label":"Bob"}]';
const TERMS = { provider_id: PROVIDER, currency: "ETH", rate_bps: "228.0197", deposit_usd_limit: "500000", redemption_seconds: "0" };
const DAY = 86_400_000;

function Event({ calls, event }) {
  const call = (end) => findCall(calls, `/sandbox/predictions/events/{event}/${end}`);
  const preset = { event: event.ticker };
  const outcomes = JSON.stringify(Object.fromEntries(event.contracts.map((ticker, at) => [ticker, at ? "no" : "yes"])));
  return html`<p class="padded"><b>${event.title}</b> <span class="tag">${event.is_halted ? "halted" : event.status}</span></p>
    <${More} title="Resolve"><${CallForm} call=${call("resolve")} isSmall words="Propose the outcomes" only=${["outcomes", "source"]}
      preset=${{ ...preset, outcomes, source: "the console" }} /><//>
    <${More} title="Dispute"><${CallForm} call=${call("dispute")} isSmall words="Dispute" only=${["reason"]}
      preset=${{ ...preset, reason: "a recount" }} /><//>
    <${More} title="Set the strike"><${CallForm} call=${call("strike")} isSmall words="Set" only=${["value"]} preset=${preset} /><//>
    <${More} title="Halt"><${CallForm} call=${call("halt")} isSmall words="" only=${[]} preset=${preset}
      quick=${[{ words: "Halt", values: { halted: "true" } }, { words: "Go on", values: { halted: "false" } }]} /><//>
    <${More} title="Void"><${CallForm} call=${call("void")} isSmall words="Make it void" only=${["value", "reason"]}
      preset=${{ ...preset, reason: "the feed failed" }} /><//>`;
}

function NewEvent({ calls }) {
  const now = useNow();
  if (now === null) return null;
  const expiry = String(now - (now % 60_000) + DAY);
  return html`<${CallForm} call=${findCall(calls, "/sandbox/predictions/events")} isSmall words="List"
    only=${["ticker", "title", "category", "expiry_ms", "contracts", "dispute_seconds"]}
    preset=${{ ticker: "MAYOR", title: "Who wins?", category: "politics", expiry_ms: expiry, contracts: CONTRACTS }} />`;
}

export function Products({ calls }) {
  const names = useNames();
  // Combos come after the events that they are made of.
  const events = [...names.events].sort((one, other) => one.ticker.includes("-") - other.ticker.includes("-"));
  const [chosen, setChosen] = useState("");
  const event = events.find(({ ticker }) => ticker === chosen) ?? events[0];
  const tools = event && html`<label class="inline">Event <select value=${event.ticker} onChange=${({ target }) => setChosen(target.value)}>
    ${events.map(({ ticker }) => html`<option value=${ticker} selected=${ticker === event.ticker}>${ticker}</option>`)}</select></label>`;
  return html`<${Region} name="products" title="Products" state="live" tools=${tools}>
    ${event && html`<${Event} key=${event.ticker} calls=${calls} event=${event} />`}
    <${More} title="List an event"><${NewEvent} calls=${calls} /><//>
    <${More} title="Staking terms"><${CallForm} call=${findCall(calls, "/sandbox/staking/terms")} isSmall words="Set"
      only=${["provider_id", "currency", "rate_bps", "deposit_usd_limit", "redemption_seconds", "paused"]}
      preset=${TERMS} /><//>
    <${More} title="Pay the fund of rewards"><${CallForm} call=${findCall(calls, "/sandbox/staking/fund")} isSmall words="Pay"
      only=${["currency", "amount"]}
      preset=${{ currency: "ETH", amount: "1000" }} /><//>
    <${More} title="What a clearing order lacks"><${CallForm} call=${findCall(calls, "/sandbox/clearing/{clearing_id}", "GET")} isSmall
      words="Read"
      only=${["clearing_id"]} /><//>
    <${More} title="Broker"><${CallForm} call=${findCall(calls, "/sandbox/accounts/broker")} isSmall words="Set"
      only=${["group", "account", "broker"]}
      preset=${{ group: "five", account: "primary", broker: "true" }} /><//>
  <//>`;
}
