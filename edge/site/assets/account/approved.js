// The addresses that money may be sent to: the holds count down, then they are active.
import { call, post } from "../call.js";
import { data } from "../page.js";
import { useExchangeTime } from "../predictions/clock.js";
import { duration } from "../predictions/times.js";
import { Region, SendButton, html, useLoaded, useState } from "../ui.js";
import { ask } from "./calls.js";
import { Confirmation } from "./confirm.js";
import { useEvery } from "./live.js";
import { FailureNote, Field, Long, Time, account, timeTitle, useAct, useKept } from "./parts.js";
import { Table } from "./table.js";

// Every request begins a hold of 7 days, which the interface names in words alone.
const HOLD = 7 * 24 * 3_600_000;
const PAUSE = 15_000;
const MEMOS = ["cosmos", "solana", "xrpl"];

function Hold({ entry: { status, createdAt } }) {
  const now = useExchangeTime();
  if (status === "active") return html`<span class="tag good">active</span>`;
  if (status === "pending-mua") return html`<span class="tag warn">waits for another user's approval</span>`;
  const left = now === null ? "" : `, ${duration(Number(createdAt) + HOLD - now)} left`;
  return html`<span class="tag warn" data-hold>on hold${left}</span>`;
}

export function useApproved(network) {
  const [state, value, reload] = useLoaded(async () => {
    const { approvedAddresses: entries } = await ask(`/v1/approvedAddresses/account/${network}`);
    return { network, entries };
  }, [network]);
  useEvery(PAUSE, reload);
  return [state, value?.network === network ? value.entries : null, reload];
}

// In a sandbox a hold ends by a button, so that a withdrawal can be tried at once.
function EndHold({ network, entry: { address, label, scope }, reload }) {
  const act = useAct();
  const end = async () => {
    const ofAccount = scope === "group" ? {} : { account };
    const ended = () => post("/sandbox/approvals/end-hold", { group: data.page.group, network, address, ...ofAccount });
    if (await act.run(ended, `The hold of ${label} is over`)) reload();
  };
  return html`<${SendButton} type="button" className="small" name="end-hold" aria-label=${`End the hold of ${label}`} isBusy=${act.isBusy}
    onClick=${end}>End the hold</${SendButton}><${FailureNote} failure=${act.failure} />`;
}

const isHeld = ({ status }) => data.page.ends_holds && status === "pending-time";

const columns = (network, remove, reload) => [
  { title: "Name", cell: ({ label }) => label },
  { title: "Address", cell: ({ address }) => html`<${Long} text=${address} ends=${8} />` },
  { title: "Memo", cell: ({ memo }) => (memo ? html`<code>${memo}</code>` : "–") },
  { title: "State", cell: (entry) => html`<${Hold} entry=${entry} />` },
  { title: "For", cell: ({ scope }) => (scope === "group" ? "all accounts" : "this account") },
  { title: timeTitle("Requested"), cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
  { title: "Act", cell: (entry) => html`<div class="buttons">${isHeld(entry)
    && html`<${EndHold} network=${network} entry=${entry} reload=${reload} />`}<button type="button" class="small"
    aria-label=${`Remove ${entry.label}`} onClick=${() => remove(entry)}>Remove</button></div>` },
];

function Removal({ network, entry, onClose, onDone }) {
  const act = useAct();
  const onConfirm = async () => {
    const remove = () => call(`/v1/approvedAddresses/${network}/remove`, { address: entry.address });
    if (await act.run(remove, `${entry.label} is removed`)) onDone();
  };
  const rows = [["Name", entry.label], ["Address", html`<code>${entry.address}</code>`]];
  return html`<${Confirmation} title="Remove an approved address" rows=${rows} words="Remove it" act=${act}
    onConfirm=${onConfirm} onClose=${onClose}>
    <p class="note">To send money there again, the address must be requested anew and wait for 7 days.</p></${Confirmation}>`;
}

const FIRST = { address: "", label: "", memo: "" };

function Request({ network, reload }) {
  const [fields, setFields] = useKept("approve", FIRST);
  const act = useAct();
  const type = ({ target: { name, value } }) => setFields({ ...fields, [name]: value });
  const send = async (event) => {
    event.preventDefault();
    const { memo, ...sent } = fields;
    const request = () => call(`/v1/approvedAddresses/${network}/request`, memo ? { ...sent, memo } : sent);
    if (!(await act.run(request, "The address is requested"))) return;
    setFields(FIRST);
    reload();
  };
  return html`<form name="approve" class="form line" onSubmit=${send} onInput=${type}>
    <${Field} label=${`An address on ${network} to approve`} name="address" id="approve-address" value=${fields.address} required />
    <${Field} label="Its name" name="label" id="approve-label" value=${fields.label} maxlength="100" required />
    ${MEMOS.includes(network) && html`<${Field} label="Memo (if it needs one)" name="memo" id="approve-memo" value=${fields.memo} />`}
    <${SendButton} isBusy=${act.isBusy}>Request it</${SendButton}>
    <${FailureNote} failure=${act.failure} />
  </form>`;
}

export function Approved({ network, approved: [state, entries, reload] }) {
  const [removed, remove] = useState(null);
  const empty = entries?.length === 0 && html`<p>Addresses that you may withdraw to would stand here.
    Request one below; it is active after 7 days${data.page.ends_holds ? ", or when you end its hold here" : ""}.</p>`;
  const close = () => remove(null);
  return html`<div class="stack"><${Region} name="approved" title=${`Approved addresses on ${network}`}
    state=${entries || state.kind === "error" ? state : "loading"} retry=${reload} empty=${empty}>
      <${Table} label="Approved addresses" columns=${columns(network, remove, reload)} rows=${entries ?? []}
        keyOf=${(entry) => entry.scope + entry.address + (entry.memo ?? "")}
        marks=${({ address }) => ({ "data-approved": address })} /></${Region}>
    <${Request} network=${network} reload=${reload} />
    ${removed && html`<${Removal} network=${network} entry=${removed} onClose=${close} onDone=${() => { close(); reload(); }} />`}</div>`;
}
