// The newest refused calls, in short, and the record of this visit.
import { Rest, marksOf, part } from "../lists.js";
import { url } from "../page.js";
import { CopyButton, html, Region } from "../ui.js";
import { stamp } from "./clock.js";
import { useNames } from "./names.js";
import { usePolled } from "./polling.js";
import { Refused } from "./refused.js";
import { forget, MOST, scriptOf, useActs } from "./recorder.js";

const SHOWN = 5;

// The exchange keeps calls by their key.
export const NotKept = () => html`<p class="note">A call whose key the exchange does not know is not listed: it is answered with
  status 403, InvalidApiKey. The keys stand under People on the console.</p>`;

export function Refusals() {
  const { keys } = useNames();
  const [state, value] = usePolled("/sandbox/requests", 1_000);
  const all = value?.requests ?? [];
  const requests = part(all, SHOWN);
  const name = (key) => keys.find((one) => one.api_key === key)?.name ?? key;
  const link = { href: url("/console/requests"), words: "All requests" };
  return html`<${Region} name="refusals" title="Refused calls" state=${state} tools=${html`<a href=${link.href}>${link.words}</a>`} empty=${value && !requests.length
    && html`No key's call was refused since the start. What your bot sends shows here, with the reason.
      <${NotKept} />`}>
    <div class="padded"><${NotKept} /></div>
    <ul class="rows" ...${marksOf("refusals", requests.length, all.length)}>${requests.map((one) => html`<li key=${one.number} data-refused=${one.number}>
      <a class="refused" href=${url(`/console/requests?open=${one.number}&key=${encodeURIComponent(name(one.key))}`)}>
        <span class="tag bad">${one.status}</span> <b>${name(one.key)}</b> <code>${one.route}</code>${" "}
        <span class="soft">${stamp(one.time_ms).slice(11, 19)}</span><br /><${Refused} refusal=${one} /></a></li>`)}</ul>
    <${Rest} shown=${requests.length} total=${all.length} what="refused calls" link=${link} />
  <//>`;
}

export function Recorder() {
  const acts = useActs();
  const script = scriptOf(acts);
  const tools = acts.length > 0 && html`<div class="buttons"><${CopyButton} text=${script}>Copy as a script<//>
    <button type="button" class="small" onClick=${forget}>Forget</button></div>`;
  return html`<${Region} name="recorder" title="This visit" state="live" tools=${tools} empty=${!acts.length
    && html`What you do here is listed, and can be copied as one shell script that runs in a fresh sandbox.`}>
    ${acts.length >= MOST && html`<p class="note padded">The newest ${MOST} acts; earlier ones are not kept.</p>`}
    <div class="padded"><pre class="limited" tabindex="0" aria-label="Script" data-recorder>${script}</pre></div>
  <//>`;
}
