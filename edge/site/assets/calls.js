// Every control call as a form, made from the contract, with the line for a shell that does the same.
import { byArea } from "./console/areas.js";
import { useContract } from "./console/contract.js";
import { Prose } from "./console/field.js";
import { CallForm } from "./console/form.js";
import { Lists } from "./console/names.js";
import { RealClock } from "./console/clock.js";
import "./shell.js";
import { html, Region, render, useEffect, useMemo, useState } from "./ui.js";

const anchor = (call) => call.id.replace(/^(get|post)_sandbox_/, "").replaceAll("_", "-") + (call.method === "GET" ? "-read" : "");

// Whether a call has every word that was typed, in its path, summary or fields.
function matches(call, words) {
  const text = `${call.path} ${call.summary} ${call.fields.map(({ name }) => name).join(" ")}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function Call({ call, isHidden }) {
  return html`<section class="panel call-panel" id=${anchor(call)} hidden=${isHidden} aria-label=${`${call.method} ${call.path}`}>
    <header class="panel-head"><h3><span class="tag">${call.method}</span> <code>${call.path}</code></h3>
      <a class="note" href=${`#${anchor(call)}`} aria-label=${`Link to ${call.method} ${call.path}`}>#</a></header>
    <div class="panel-body padded">
      <p><${Prose} text=${call.summary} /></p>
      ${call.notes && html`<p class="note"><${Prose} text=${call.notes} /></p>`}
      ${call.path === "/sandbox/clock/advance" && html`<${RealClock} />`}
      <${CallForm} call=${call} />
    </div>
  </section>`;
}

function Index({ areas, isShown }) {
  return html`<nav class="call-index" aria-label="Calls">${areas.map(([area, calls]) => html`<h2 class="index-head">${area}</h2>
    <ul>${calls.filter(isShown).map((call) => html`<li key=${call.id}><a href=${`#${anchor(call)}`}>
      <span class="verb">${call.method === "GET" ? "get" : ""}</span>${call.path.replace("/sandbox/", "")}</a></li>`)}</ul>`)}</nav>`;
}

function App() {
  const [state, calls] = useContract();
  const [typed, setTyped] = useState("");
  const areas = useMemo(() => byArea(calls), [calls]);
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const isShown = (call) => matches(call, words);
  const count = calls.filter(isShown).length;
  useEffect(() => {
    // The place that the address names comes only now.
    if (calls.length) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [calls]);
  return html`<${Lists} />
    <p class="soft">Control calls play the operators, the banks, the chains and the clock. Each form is made from${" "}
      <a href="/openapi.json">the contract</a>; fields with${" "}
      <span class="must">*</span> are required, the others are left out while empty.</p>
    <div class="field call-filter"><label for="filter">Filter by path, words or field</label>
      <input id="filter" type="search" value=${typed} onInput=${({ target }) => setTyped(target.value)} autocomplete="off" />
      <p class="note" role="status">${calls.length ? `${count} of ${calls.length} calls` : ""}</p></div>
    <${Region} name="calls" label="Control calls" state=${state} retry=${() => location.reload()} className="bare">
      ${state.kind === "loading" && html`<span class="skeleton" /><span class="skeleton" />`}
      <div class="call-page"><${Index} areas=${areas} isShown=${isShown} />
        <div class="call-list">${areas.map(([area, all]) => html`<div class="call-area" key=${area}
          hidden=${!all.some(isShown)}><h2>${area}</h2>
          ${all.map((call) => html`<${Call} key=${call.id} call=${call} isHidden=${!isShown(call)} />`)}</div>`)}</div></div>
    <//>`;
}

render(html`<${App} />`, document.getElementById("app"));
