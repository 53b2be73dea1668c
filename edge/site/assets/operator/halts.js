// The halts, and the statuses of symbols.
import { marksOf } from "../lists.js";
import { Region, html, useState } from "../ui.js";
import { STATUSES, haltAsset, haltTrading, haltWithdrawals, resumeAsset, resumeTrading, resumeWithdrawals, setStatus } from "./acts.js";

const Standing = ({ isHalted, well }) => html`<span class=${`tag ${isHalted ? "bad" : "good"}`}>${isHalted ? "Halted" : well}</span>`;

function Row({ id, name, isHalted, well, halt, resume, begin }) {
  const [value, words, act] = isHalted ? ["resume", "Resume…", resume] : ["halt", "Halt…", halt];
  return html`<tr data-halt=${id}><th scope="row">${name}</th><td><${Standing} isHalted=${isHalted} well=${well} /></td>
    <td class="end"><button type="button" class="small" value=${value} aria-label=${`${words} ${name}`}
      onClick=${() => begin(act())}>${words}</button></td></tr>`;
}

export function Halts({ state, health, reload, begin }) {
  return html`<${Region} name="halts" title="Halts" state=${state} retry=${reload}
    tools=${health && html`<button type="button" class="small" onClick=${() => begin(haltAsset())}>Halt an asset…</button>`}>
    ${health && html`<table ...${marksOf("halts", 2 + health.assets_halted.length)}><thead class="unseen"><tr><th scope="col">What</th><th scope="col">Now</th><th scope="col">Act</th></tr></thead>
      <tbody>
      <${Row} id="trading" name="Trading" isHalted=${health.halted} well="Open" halt=${haltTrading} resume=${resumeTrading}
        begin=${begin} />
      <${Row} id="withdrawals" name="Withdrawals" isHalted=${health.withdrawals_halted} well="Open" halt=${haltWithdrawals}
        resume=${resumeWithdrawals} begin=${begin} />
      ${health.assets_halted.map((code) => html`<${Row} key=${code} id=${code} name=${`Deposits and withdrawals of ${code}`}
        isHalted=${true} resume=${() => resumeAsset(code)} begin=${begin} />`)}
    </tbody></table>`}
  <//>`;
}

const fits = (words, symbol) => symbol.symbol.includes(words.trim().toUpperCase());

function SymbolRow({ symbol: { symbol, status }, begin }) {
  const { words, kind } = STATUSES[status] ?? { words: status, kind: "" };
  return html`<tr data-symbol=${symbol} data-status=${status}><th scope="row">${symbol}</th><td><span class=${`tag ${kind}`}>${words}</span>
    </td>
    <td class="end"><button type="button" class="small" aria-label=${`Change the status of ${symbol}`}
      onClick=${() => begin(setStatus(symbol, status))}>Change…</button></td></tr>`;
}

export function Symbols({ state, health, reload, begin }) {
  const [words, setWords] = useState("");
  const [isNarrowed, narrow] = useState(false);
  const all = health?.symbols ?? [];
  const limited = all.filter(({ status }) => status !== "open");
  const shown = (isNarrowed ? limited : all).filter((symbol) => fits(words, symbol));
  return html`<${Region} name="symbols" title="Statuses of symbols" state=${state} retry=${reload}
    tools=${html`<div class="tools"><input type="search" aria-label="Filter symbols" placeholder="Filter" name="symbols" value=${words}
      onInput=${(event) => setWords(event.currentTarget.value)} />
      <button type="button" class="small" aria-pressed=${isNarrowed} onClick=${() => narrow(!isNarrowed)}>Not open: ${limited.length}
        </button></div>`}
    empty=${health && shown.length === 0 && html`<p>
      ${all.length === 0 ? "Listed symbols stand here with their statuses." : "No symbol fits the filter."}</p>
      <p><button type="button" onClick=${() => { setWords(""); narrow(false); }}>Show all symbols</button></p>`}>
    <div class="scroll tall" ...${marksOf("symbols", shown.length)}><table><thead><tr><th scope="col">Symbol</th><th scope="col">Status</th><th scope="col"><span
      class="unseen">Act</span></th></tr></thead>
      <tbody>${shown.map((symbol) => html`<${SymbolRow} key=${symbol.symbol} symbol=${symbol} begin=${begin} />`)}</tbody></table></div>
  <//>`;
}
