// The list of things that wait for an operator: proposals of others, and apps that want to act for every user.
import { duration, when } from "../predictions/times.js";
import { marksOf } from "../lists.js";
import { Region, html } from "../ui.js";
import { approve, reviewApp, reviewById } from "./acts.js";

function NoProposal({ approvals }) {
  return approvals > 1 ? html`<p>Guarded acts that another operator has proposed stand here for 24 hours, to be approved.</p>
    <p>None waits now.</p>`
    : html`<p>Proposals stand here where guarded acts take two operators.</p>
      <p>One is enough here; <code>approvals = 2</code> in the settings changes that.</p>`;
}

function Proposal({ proposal, now, begin }) {
  return html`<li class="item" data-proposal=${proposal.proposal}><div><code>${proposal.what}</code><p>${proposal.why || html`<span
    class="soft">No reason</span>`}</p>
      <p class="note">Number ${proposal.proposal}, by ${proposal.who}, for ${duration(proposal.expires_ms - now)} more</p></div>
    <button type="button" class="small" aria-label=${`Approve proposal ${proposal.proposal}`}
      onClick=${() => begin(approve(proposal))}>Approve…</button></li>`;
}

export function Approvals({ state, health, reload, begin }) {
  const rows = health?.proposals ?? [];
  return html`<${Region} name="approvals" title="Approvals" state=${state} retry=${reload}
    empty=${health && rows.length === 0 && html`<${NoProposal} approvals=${health.approvals} />`}>
    <ul class="items" ...${marksOf("proposals", rows.length)}>${rows.map((proposal) => html`<${Proposal} key=${proposal.proposal} proposal=${proposal} now=${health.time_ms}
      begin=${begin} />`)}</ul>
  <//>`;
}

function App({ app, begin }) {
  return html`<li class="item" data-app=${app.client_id}><div><b>${app.name}</b>${app.public && html` <span
    class="tag">Public client</span>`}
      <p>${app.description || html`<span class="soft">No description</span>`}</p>
      <p class="note">By ${app.owner}, ${when(app.created_ms)}. Asks for ${app.scopes.join(", ")}.${" "}
        Leads back to ${app.redirect_uris.join(", ")}</p></div>
    <button type="button" class="small" aria-label=${`Review ${app.name}`} onClick=${() => begin(reviewApp(app))}>Review…</button></li>`;
}

export function Apps({ state, health, reload, begin }) {
  const rows = health?.apps ?? [];
  return html`<${Region} name="apps" title="Apps to review" state=${state} retry=${reload}
    tools=${html`<button type="button" class="small" onClick=${() => begin(reviewById())}>By its id…</button>`}
    empty=${health && rows.length === 0 && html`<p>Apps that users have registered stand here until an operator reviews them.</p>
      <p>None waits now. One that was reviewed is changed by its id.</p>`}>
    <ul class="items" ...${marksOf("apps", rows.length)}>${rows.map((app) => html`<${App} key=${app.client_id} app=${app} begin=${begin} />`)}</ul>
  <//>`;
}
