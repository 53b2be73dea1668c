// The page of operators: how the exchange is, what waits for them, and acts that each say before what they will do.
import { get } from "./call.js";
import { ActDialog } from "./operator/act.js";
import { haltAsset, haltTrading, haltWithdrawals, resumeTrading, reviewById } from "./operator/acts.js";
import { Approvals, Apps } from "./operator/approvals.js";
import { Audit } from "./operator/audit.js";
import { Halts, Symbols } from "./operator/halts.js";
import { Health } from "./operator/health.js";
import { Hour } from "./operator/hour.js";
import { Reserves, Transfers } from "./operator/money.js";
import { usePolled } from "./operator/polled.js";
import { offer } from "./palette.js";
import { usePreference } from "./shell.js";
import { html, render, useCallback, useEffect, useState } from "./ui.js";

const REFRESH = 3_000;
// The acts that the palette offers.
const ACTS = [haltTrading, resumeTrading, haltWithdrawals, haltAsset, reviewById];
// Transfers that are shown at first, and at most.
const [TRANSFERS, MOST] = [100, 1_000];

// The banner of the page says that a session has ended.
const Refusal = ({ state }) => state.reason !== "SignInRequired" && html`<p class="notice bad" role="alert">${state.message}</p>`;

function App() {
  usePreference("zone", "UTC");
  const [transfers, setTransfers] = useState(TRANSFERS);
  const load = useCallback(() => get(`/site/operator/health?transfers=${transfers}`), [transfers]);
  const [state, health, reload] = usePolled(load, REFRESH);
  const [act, begin] = useState(null);
  const [said, say] = useState(null);
  const [turn, setTurn] = useState(0);
  const done = (outcome) => {
    begin(null);
    say(outcome);
    setTurn(turn + 1);
    reload();
  };
  // A refusal is said once, above: the parts keep what they last heard, and say how old it is.
  const isRefused = state.kind === "error" && health !== null;
  const parts = { state: isRefused ? { kind: "stale", since: state.since } : state, health, reload, begin };
  useEffect(() => offer(ACTS.map((make) => ({ words: `${make().title}…`, act: () => begin(make()) }))), []);
  return html`${said && html`<p class=${`notice said ${said.isProposal ? "" : "good"}`} data-said="">${said.words}
      <button type="button" class="small" onClick=${() => say(null)}>Close</button></p>`}
    ${isRefused && html`<${Refusal} state=${state} />`}
    ${health?.halted && html`<p class="notice bad" data-halted="">Trading is halted: new orders are refused on every symbol.</p>`}
    <${Health} ...${parts} /><${Hour} ...${parts} />
    <div class="columns"><div><${Halts} ...${parts} /><${Symbols} ...${parts} /></div><div><${Approvals} ...${parts} />
      <${Apps} ...${parts} /></div></div>
    <${Reserves} ...${parts} /><${Transfers} ...${parts}
      onMore=${transfers < MOST && (() => setTransfers(MOST))} /><${Audit} turn=${turn} />
    ${act && html`<${ActDialog} key=${act.title} act=${act} approvals=${health?.approvals ?? 1} onClose=${() => begin(null)}
      onDone=${done} />`}`;
}

render(html`<${App} />`, document.getElementById("app"));
