// A call that a client made: what it sent, what was signed, and what would have fitted.
import { marksOf } from "../lists.js";
import { html, CopyButton, useMemo } from "../ui.js";
import { stamp } from "./clock.js";
import { fieldFault, Marked, signatureFault, signedParts } from "./marks.js";
import { Refused } from "./refused.js";
import { quoted } from "./recorder.js";

// The call with the signature that would have fitted, as a line for a shell.
function curlOf(request) {
  const [method, path] = request.route.split(" ");
  const headers = [["X-SVC-APIKEY", request.key], ["X-SVC-PAYLOAD", request.signed], ["X-SVC-SIGNATURE", request.expected_signature]];
  const fields = headers.filter(([, value]) => value).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return ["curl -sS -X", quoted(method), quoted(location.origin + path), ...fields].join(" ");
}

const isOverSocket = ({ route }) => route.startsWith("SOCKET ");

function Payload({ request }) {
  const { payload } = request;
  if (payload === null) return html`<p class="soft">The call had no payload header.</p>`;
  if (typeof payload === "string") return html`<p class="soft">The payload is not a JSON object:</p><pre tabindex="0"
    aria-label="Payload"><mark>${payload}</mark></pre>`;
  const rows = Object.entries(payload).map(([name, value]) => [name, value, fieldFault(request, name, value)]);
  const hasFaults = rows.some(([, , fault]) => fault);
  return html`<table class="payload" ...${marksOf("payload", rows.length)}><thead><tr><th scope="col">Field</th><th scope="col">Value</th>
      ${hasFaults && html`<th scope="col">What is wrong</th>`}</tr></thead>
    <tbody>${rows.map(([name, value, fault]) => {
      const shown = typeof value === "string" ? value : JSON.stringify(value);
      return html`<tr key=${name} data-field=${name}><th scope="row"><code>${fault ? html`<mark>${name}</mark>` : name}</code></th>
        <td class="wrap"><code>${fault ? html`<mark>${shown}</mark>` : shown}</code></td>
        ${hasFaults && html`<td class="wrap">${fault || "–"}</td>`}</tr>`;
    })}</tbody></table>`;
}

// Both signatures, one under the other, with the digits that differ.
function Signatures({ request }) {
  const { signature: sent, expected_signature: expected, check } = request;
  if (!expected) return null;
  if (sent?.toLowerCase() === expected) return html`<p class="soft">The signature fitted.</p>`;
  return html`<dl class="compared"><dt>Signature sent</dt><dd><code data-sent>${sent ? html`<${Marked} text=${sent}
    other=${expected} />` : "none"}</code></dd>
      <dt>Would have fitted</dt><dd><code data-expected>${sent ? html`<${Marked} text=${expected}
        other=${sent} />` : expected}</code></dd></dl>
    ${sent && check === "signature" && html`<p>${signatureFault(sent, expected)}</p>`}`;
}

function Signed({ request }) {
  if (!request.signed) return null;
  return html`<h3>Text that was signed</h3>
    <p class="code signed" data-signed>${signedParts(request.signed).map(([part, isForeign]) =>
      (isForeign ? html`<mark>${JSON.stringify(part).slice(1, -1)}</mark>` : part))}</p>
    <${Signatures} request=${request} />`;
}

// The identity of a call. The list of refused calls and that of all calls number theirs apart, so a number alone names two calls.
export const idOf = ({ number, key, route, status, signed, signature }) => [number, key, route, status, signed, signature].join(" ");

// `isOpen` is whether it shows its parts from the start. They are not drawn again, since a call does not change.
export function Request({ request, name, isOpen }) {
  return useMemo(() => html`<details class="request" open=${isOpen} data-status=${request.status}><summary>
      <span class="soft">${stamp(request.time_ms).slice(11, 23)}</span>
      <span class="tag ${request.reason ? "bad" : "good"}">${request.status}</span>
      <b class="request-key">${name}</b><code class="request-route">${request.route}</code>
      <span class="request-why">${request.reason ? html`<${Refused} refusal=${request} />`
        : request.unknown_fields.length > 0 && 
          html`<span class="warning">ignored: ${request.unknown_fields.join(", ")}</span>`}</span></summary>
    <div class="request-parts">
      ${request.check && html`<p>Failed at the check of <b>${request.check}</b>. The key's highest nonce was ${request.highest_nonce}.</p>`}
      ${request.unknown_fields.length > 0 && html`<p>Unknown fields: ${request.unknown_fields.map((one) =>
        html`<mark data-unknown>${one}</mark> `)}</p>`}
      <h3>Payload</h3><div class="scroll" tabindex="0" role="group" aria-label="Payload"><${Payload} request=${request} /></div>
      <${Signed} request=${request} />
      <div class="buttons">${!isOverSocket(request) && html`<${CopyButton} text=${curlOf(request)}>Copy as curl<//>`}
        <${CopyButton} text=${JSON.stringify(request.payload)}>Copy payload<//></div>
    </div></details>`, [idOf(request), name]);
}
