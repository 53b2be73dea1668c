// The calls of all keys as they come: answered and refused, with what was signed and what would have fitted.
import { Lists, useNames } from "./console/names.js";
import { usePolled } from "./console/polling.js";
import { NotKept } from "./console/refusals.js";
import { Request, idOf } from "./console/request.js";
import { count } from "./figures.js";
import { Rest, marksOf } from "./lists.js";
import { url } from "./page.js";
import "./shell.js";
import { html, Region, render, useMemo, useState } from "./ui.js";

const asked = new URLSearchParams(location.search);
// Calls that the exchange keeps of all keys.
const KEPT = 100;
const STATES = [["", "answered and refused"], ["refused", "refused"], ["answered", "answered"]];

function isShown({ key, route, status }, reason, name) {
  const wanted = route.trim().toLowerCase();
  const who = key.trim().toLowerCase();
  return (request) => {
    const state = request.reason ? "refused" : "answered";
    return (!who || `${name(request.key)} ${request.key}`.toLowerCase().includes(who))
      && (!wanted || request.route.toLowerCase().includes(wanted))
      && (!status || state === status) && (!reason || String(request.status) === reason);
  };
}

function Filter({ filter, setFilter, code, setCode, codes }) {
  const change = (name) => ({ target }) => setFilter({ ...filter, [name]: target.value });
  return html`<div class="call-fields filters" role="search" aria-label="Filter">
    <div class="field"><label for="by-key">Key</label><input id="by-key" type="search" list="names-key_name" autocomplete="off"
      placeholder="name or text"
      value=${filter.key} onInput=${change("key")} /></div>
    <div class="field"><label for="by-route">Route</label><input id="by-route" type="search" autocomplete="off" placeholder="/v1/order/new"
      value=${filter.route} onInput=${change("route")} /></div>
    <div class="field"><label for="by-state">Calls</label><select id="by-state" value=${filter.status} onChange=${change("status")}>
      ${STATES.map(([value, words]) => html`<option value=${value} selected=${value === filter.status}>${words}</option>`)}</select></div>
    <div class="field"><label for="by-status">Status</label><select id="by-status" value=${code}
      onChange=${({ target }) => setCode(target.value)}>
      <option value="">every status</option>${codes.map((one) => html`<option value=${one}
        selected=${one === code}>${one}</option>`)}</select></div>
  </div>`;
}

// The calls and the state of a list that grows: the newest of all keys, or of one that is named whole.
function useRequests(filter, isLive) {
  const { keys } = useNames();
  const key = keys.find(({ name, api_key: text }) => name === filter.key.trim() || text === filter.key.trim());
  const all = filter.status !== "refused";
  const query = [all && "all=true", key && `key=${encodeURIComponent(key.api_key)}`].filter(Boolean).join("&");
  const [state, value] = usePolled(`/sandbox/requests${query && `?${query}`}`, isLive ? 1_000 : 0);
  const names = useMemo(() => new Map(keys.map((one) => [one.api_key, one.name])), [keys]);
  return [state, value?.requests, (text) => names.get(text) ?? text];
}

function App() {
  const [filter, setFilter] = useState({ key: asked.get("key") ?? "", route: "", status: asked.has("open") ? "refused" : "" });
  const [code, setCode] = useState("");
  const [isLive, setLive] = useState(true);
  const [state, requests, name] = useRequests(filter, isLive);
  const shown = (requests ?? []).filter(isShown(filter, code, name));
  const isNarrowed = shown.length !== requests?.length;
  const codes = [...new Set((requests ?? []).map((one) => String(one.status)))].sort();
  const tools = html`<div class="buttons"><span class="soft">${count(shown.length)} of ${count(requests?.length)}</span>
    <button type="button" class="small" aria-pressed=${String(!isLive)}
      onClick=${() => setLive(!isLive)}>${isLive ? "Pause" : "Paused"}</button></div>`;
  return html`<${Lists} />
    <p class="soft">The newest hundred calls that keys of this exchange made. A refused one says which check failed and what would
      have passed; open it for the payload and the signatures.</p>
    <${NotKept} />
    <${Filter} filter=${filter} setFilter=${setFilter} code=${code} setCode=${setCode} codes=${codes} />
    <${Region} name="requests" title="Requests" state=${state} tools=${tools} empty=${requests && !shown.length
      && (requests.length ? "No call of the newest hundred is like that." : html`No key has called yet.${" "}
        <a href=${url("/docs")}>The interface</a> says how
        calls are signed, and <code>credentials.json</code> in the exchange's folder has keys.`)}>
      <ul class="requests" ...${marksOf("requests", shown.length, requests?.length >= KEPT && !isNarrowed ? "more" : shown.length)}>${shown.map((one) => html`<li key=${idOf(one)} data-request=${one.number}><${Request}
        request=${one} name=${name(one.key)}
        isOpen=${filter.status === "refused" && asked.get("open") === String(one.number)} /></li>`)}</ul>
      ${requests?.length >= KEPT && html`<${Rest} shown=${requests.length} total="more" what="calls"
        link=${{ href: "#by-key", words: "One key's calls are kept apart: name it" }} />`}
    <//>`;
}

render(html`<${App} />`, document.getElementById("app"));
