// Chains and banks: payments from outside, blocks, reorganisations, faults of nodes, wires, and deposits that fit no account.
import { count } from "../figures.js";
import { marksOf } from "../lists.js";
import { html, Money as Sum, Region, SendButton, useState } from "../ui.js";
import { findCall } from "./contract.js";
import { CallForm, Reply, useSending } from "./form.js";
import { More } from "./more.js";
import { reloadNames, useNames } from "./names.js";
import { usePolled } from "./polling.js";

const Off = () => html`<p>No money enters or leaves this exchange. One that starts with${" "}
  <code>buttonwood sandbox --funds simulated</code> has chains and banks here.</p>`;

function Chain({ calls, network, chain, reload }) {
  const call = (end) => findCall(calls, `/sandbox/chains/{network}${end}`);
  return html`<dl class="facts"><div><dt>Height</dt><dd data-height=${chain?.height}>${chain ? count(chain.height) : "–"}</dd></div>
      <div><dt>Confirmations needed</dt><dd>${chain?.confirmations ?? "–"}</dd></div>
      <div><dt>Waiting for a block</dt><dd>${chain?.mempool?.length ?? "–"}</dd></div></dl>
    <div class="padded"><${CallForm} call=${call("/mine")} isSmall words="Mine" only=${["blocks"]} preset=${{ network, blocks: "1" }}
      onDone=${reload} quick=${[{ words: "Until final", isOff: !chain, values: () => ({ blocks: String(chain.confirmations) }) }]} /></div>
    <${More} title="Send a payment from outside"><p class="note">A signed-in customer finds the address at Account, Money; a client by
        <code>/v1/deposit/${network}/newAddress</code>.</p>
      <${CallForm} call=${call("/send")} isSmall words="Send" only=${["address", "currency", "amount", "memo"]}
        preset=${{ network, amount: "0.5" }}
        onDone=${reload} /><//>
    <${More} title="Reorganise"><${CallForm} call=${call("/reorg")} isSmall words="Replace blocks" only=${["depth", "drop"]}
      preset=${{ network, depth: "1" }}
      onDone=${reload} /><//>
    <${More} title="Faults of the node"><${CallForm} call=${call("/node")} isSmall words="Set" only=${["broadcast", "times"]}
      preset=${{ network, broadcast: "lose_reply", times: "1" }} /><//>
    <${More} title="Payments to an address"><${CallForm} call=${findCall(calls, "/sandbox/chains/{network}", "GET")} isSmall words="Read"
      only=${["address"]}
      preset=${{ network }} /><//>`;
}

function Unclaimed({ calls, deposits, reload }) {
  const [target, setTarget] = useState({ group: "five", account: "primary" });
  const [{ answer, isBusy }, act] = useSending(findCall(calls, "/sandbox/deposits/assign"), reload);
  if (!deposits?.length) return html`<p class="soft">No payment waits. One that fits no account, such as one without its
    memo, comes here.</p>`;
  const field = (name, words) => html`<div class="field"><label for=${`assign-${name}`}>${words}</label><input id=${`assign-${name}`}
    value=${target[name]}
    list=${name === "group" ? "names-group" : undefined}
      onInput=${(event) => setTarget({ ...target, [name]: event.target.value })} /></div>`;
  return html`<div class="call-fields">${field("group", "Group")}${field("account", "Account")}</div>
    <ul class="rows" ...${marksOf("unclaimed", deposits.length)}>${deposits.map((one) => html`<li key=${one.txHash + one.outputIdx}><span><${Sum} text=${one.amount}
      currency=${one.currency} /> <code>${one.txHash.substring(0, 12)}…</code></span><${SendButton} type="button" className="small" isBusy=${isBusy}
      onClick=${() => act({ ...target, network: one.network, txHash: one.txHash, outputIdx: String(one.outputIdx) })}
      >Assign</${SendButton}></li>`)}</ul>
    <${Reply} answer=${answer} isBusy=${isBusy} />`;
}

function Banks({ calls }) {
  const account = { group: "one", account: "primary", currency: "USD", amount: "500" };
  return html`<${More} title="Wire or ACH credit"><${CallForm} call=${findCall(calls, "/sandbox/banks/wire")} isSmall words="Send"
      only=${["group", "account", "currency", "amount", "method", "accountnumber", "routing"]}
        preset=${{ ...account, method: "Wire" }} /><//>
    <${More} title="Settle or return a bank's payment"><${CallForm} call=${findCall(calls, "/sandbox/banks/settle")} isSmall words="Settle"
      only=${["withdrawalId", "eid", "returned"]} /><//>`;
}

function Funds({ calls }) {
  const { networks } = useNames();
  const [network, setNetwork] = useState("bitcoin");
  const [state, chain, reload] = usePolled(`/sandbox/chains/${network}`, 2_000);
  const [, deposits, reloadDeposits] = usePolled("/sandbox/deposits/unclaimed", 5_000);
  const tools = html`<label class="inline">Chain <select value=${network} onChange=${({ target }) => setNetwork(target.value)}>
    ${networks.map((name) => html`<option value=${name} selected=${name === network}>${name}</option>`)}</select></label>`;
  return html`<${Region} name="money" title="Money" state=${state} tools=${tools}>
    <${Chain} key=${network} calls=${calls} network=${network} chain=${chain} reload=${reload} />
    <${More} title=${`Deposits that fit no account (${deposits?.length ?? 0})`}>
      <${Unclaimed} calls=${calls} deposits=${deposits} reload=${reloadDeposits} /><//>
    <${Banks} calls=${calls} />
  <//>`;
}

export function Money({ calls }) {
  const { state, has_funds: hasFunds } = useNames();
  if (hasFunds) return html`<${Funds} calls=${calls} />`;
  return html`<${Region} name="money" title="Money" state=${state} retry=${reloadNames} empty=${hasFunds === false && html`<${Off} />`} />`;
}
