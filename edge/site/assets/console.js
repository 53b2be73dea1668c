// The sandbox's console: its common acts, made by hand. All calls stand on /console/calls.
import { useContract } from "./console/contract.js";
import { Time } from "./console/clock.js";
import { Money } from "./console/funds.js";
import { Mail } from "./console/mail.js";
import { Market } from "./console/market.js";
import { Lists } from "./console/names.js";
import { People } from "./console/people.js";
import { Products } from "./console/products.js";
import { Recorder, Refusals } from "./console/refusals.js";
import { Streams } from "./console/streams.js";
import { url } from "./page.js";
import "./shell.js";
import { html, Region, render } from "./ui.js";

const PARTS = [[Market, Time, Money, Products], [Refusals, People, Mail, Streams, Recorder]];

function App() {
  const [state, calls] = useContract();
  const isReady = calls.length > 0;
  return html`<${Lists} />
    <p class="soft">Play the market, the operators, the banks, the chains and the clock. Each act shows the <code>curl</code> line that
      does the same; <a href=${url("/console/calls")}>every other control call</a> is a form too.</p>
    ${isReady ? html`<div class="console-columns">${PARTS.map((column) => html`<div class="console-column">
        ${column.map((Part) => html`<${Part} calls=${calls} />`)}</div>`)}</div>`
      : html`<${Region} name="console" label="Console" state=${state} retry=${() => location.reload()}><span class="skeleton" /><//>`}`;
}

render(html`<${App} />`, document.getElementById("app"));
