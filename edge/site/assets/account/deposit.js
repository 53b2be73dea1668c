// Deposit addresses of the account on a network, each with its QR code, and its memo apart.
import { url } from "../page.js";
import { CopyButton, Region, SendButton, html, useLoaded, useState } from "../ui.js";
import { askPaced } from "./calls.js";
import { FailureNote, Field, Time, useAct } from "./parts.js";

// The exchange lists and makes addresses once in two seconds.
const PAUSE = 2_200;

function Address({ entry: { address, memo, label, timestamp }, currency }) {
  return html`<li class="card" data-address=${address}>
    <img class="qr" src=${url(`/site/qr.svg?text=${encodeURIComponent(address)}`)} width="128" height="128"
      alt=${`QR code of the address ${address}`} />
    <dl>
      <div><dt>${label ? `Address "${label}"` : "Address"}</dt><dd><code>${address}</code> <${CopyButton} text=${address}>Copy<span
        class="unseen"> the address</span></${CopyButton}></dd></div>
      ${memo && html`<div><dt>Memo</dt><dd data-memo><code>${memo}</code> <${CopyButton} text=${memo}>Copy<span
        class="unseen"> the memo</span></${CopyButton}></dd>
        <dd class="notice">A deposit needs both: without the memo nobody knows that the ${currency} is yours.</dd></div>`}
      <div><dt>Made</dt><dd><${Time} at=${timestamp} /></dd></div>
    </dl></li>`;
}

export function Deposit({ currency, network }) {
  const [label, setLabel] = useState("");
  const act = useAct();
  const [state, addresses, reload] = useLoaded(
    () => askPaced("addresses", PAUSE, `/v1/addresses/${network}`).then((found) => ({ network, found })), [network]);
  const make = async (event) => {
    event.preventDefault();
    await act.run(async () => {
      await askPaced("addresses", PAUSE, `/v1/deposit/${network}/newAddress`, label ? { label } : {});
      setLabel("");
      // At work until the list has it: a user who misses it there would make another.
      await reload();
    }, "The address is made");
  };
  // Addresses of the network that was chosen before are not those of this one.
  const isOther = addresses && addresses.network !== network;
  const found = isOther ? null : addresses?.found;
  const empty = found?.length === 0 && html`<p>Your addresses on ${network} would stand here, with their QR codes. Make one below.</p>`;
  return html`<div class="stack"><${Region} name="addresses" title=${`Deposit ${currency} on ${network}`}
    state=${isOther && state.kind !== "error" ? "loading" : state} retry=${reload} empty=${empty}>
      <ul class="cards">${[...(found ?? [])].reverse().map((entry) => html`<${Address} key=${entry.address + (entry.memo ?? "")}
        entry=${entry} currency=${currency} />`)}</ul>
    </${Region}>
    <form name="new-address" class="form line" onSubmit=${make}>
      <${Field} label="Name of a new address (optional)" name="label" value=${label} maxlength="100"
        onInput=${({ target }) => setLabel(target.value)} />
      <${SendButton} className="main" isBusy=${act.isBusy}>Make an address</${SendButton}>
      <${FailureNote} failure=${act.failure} />
    </form></div>`;
}
