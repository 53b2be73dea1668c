// A withdrawal: its fee as the exchange names it, the question, and the call with an id that lets nothing leave twice.
import { call } from "../call.js";
import { read, sum, text } from "../decimal.js";
import { money, whole } from "../figures.js";
import { data } from "../page.js";
import { html, Money, Region, useEffect, useState } from "../ui.js";
import { plain } from "../number.js";
import { ask } from "./calls.js";
import { Confirmation } from "./confirm.js";
import { AmountField, FailureNote, Field, useAct, useKept } from "./parts.js";

const SETTLED = 300;
const HELD = data.page.ends_holds
  ? "Addresses on hold cannot be paid yet. This is a sandbox: a button below ends a hold." : "Addresses on hold cannot be paid yet.";
const FIRST = { address: "", amount: "" };

const isFilled = ({ address, amount }) => address !== "" && /[1-9]/.test(amount);

// The cost of the withdrawal now, requested once the user has stopped typing: `{ estimate, failure }`, both missing until the answer for
// these very fields is there.
function useEstimate(path, fields) {
  const [shown, setShown] = useState({});
  const asked = `${path} ${fields.address} ${fields.amount}`;
  useEffect(() => {
    setShown({});
    if (!isFilled(fields)) return undefined;
    let isOver = false;
    const timer = setTimeout(async () => {
      try {
        const estimate = await ask(`${path}/feeEstimate`, fields);
        if (!isOver) setShown({ asked, estimate });
      } catch (failure) {
        if (!isOver) setShown({ asked, failure });
      }
    }, SETTLED);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [asked]);
  return shown.asked === asked ? shown : {};
}

const leaving = (amount, fee) => text(sum(read(amount), read(String(fee))));

function Cost({ estimate: { fee, isOverride, monthlyLimit, monthlyRemaining }, amount, currency }) {
  return html`<dl class="facts tight" data-estimate>
    <div><dt>Fee</dt><dd data-fee=${String(fee)}><${Money} text=${String(fee)} currency=${currency} /></dd></div>
    <div><dt>Leaves the account</dt><dd><${Money} text=${leaving(amount, fee)} currency=${currency} /></dd></div>
    <div><dt>Free withdrawals left</dt><dd>${isOverride ? "all are free" : `${monthlyRemaining} of ${monthlyLimit} this month`}</dd></div>
  </dl>`;
}

function Question({ path, fields, entry, currency, network, estimate, onClose, onDone }) {
  const act = useAct();
  // One id for this question: sent again after a lost answer, it withdraws nothing again.
  const [id] = useState(() => crypto.randomUUID());
  const sent = `${whole(fields.amount, currency)} ${currency}`;
  const onConfirm = async () => {
    const withdraw = () => call(path, { ...fields, clientTransferId: id });
    if (await act.run(withdraw, `The withdrawal of ${sent} is accepted`)) onDone();
  };
  const rows = [
    ["Arrives", html`<${Money} text=${fields.amount} currency=${currency} />`], ["Fee", html`<${Money} text=${String(estimate.fee)}
      currency=${currency} />`],
    ["Leaves the account", html`<${Money} text=${leaving(fields.amount, estimate.fee)} currency=${currency} />`],
    ["Network", network], ["To", html`${entry.label}, <code>${entry.address}</code>`], ...(entry.memo ? [["Memo", html`<code>${entry.memo}
      </code>`]] : []),
  ];
  return html`<${Confirmation} title=${`Withdraw ${currency}`} rows=${rows} words=${`Withdraw ${sent}`}
    act=${act} onConfirm=${onConfirm} onClose=${onClose}>
    ${act.failure?.isLost && html`<p
      class="notice">No answer came, so the withdrawal may be under way. Sent again from here, it withdraws nothing twice.</p>`}
  </${Confirmation}>`;
}

export function Withdraw({ currency, network, approved: [, entries], balance, reload }) {
  const [fields, setFields] = useKept("withdraw", FIRST);
  const [isAsking, setAsking] = useState(false);
  const path = `/v2/withdraw/${network}/${currency.toLowerCase()}`;
  const entry = entries?.find(({ address }) => address === fields.address);
  const chosen = { address: entry?.address ?? "", amount: plain(fields.amount) };
  const { estimate, failure } = useEstimate(path, chosen);
  const type = ({ target: { name, value } }) => setFields({ ...fields, [name]: value.trim() });
  const active = (entries ?? []).filter(({ status }) => status === "active");
  const empty = entries && entries.length === 0 && html`<p>Withdrawals go to approved addresses alone. </p>
    <p><a class="button" href="#approve-address">Request an address</a></p>`;
  const close = () => setAsking(false);
  const done = () => {
    close();
    setFields(FIRST);
    reload();
  };
  const submit = (event) => {
    event.preventDefault();
    if (estimate) setAsking(true);
  };
  return html`<${Region} name="withdraw" title=${`Withdraw ${currency} on ${network}`} state="live" empty=${empty}>
    <form name="withdraw" class="form padded" onSubmit=${submit} onInput=${type}>
      <${Field} label="To" name="address" id="withdraw-address"
        note=${entries && active.length < entries.length ? HELD : undefined}>
        <select id="withdraw-address" name="address" required><option
          value="">Choose an approved address</option>${active.map(({ address, label, memo }) =>
          html`<option key=${address} value=${address}
            selected=${address === fields.address}>${label}: ${address}${memo ? `, memo ${memo}` : ""}</option>`)}</select></${Field}>
      <${AmountField} label=${`Amount that arrives, in ${currency}`} name="amount" id="withdraw-amount" value=${fields.amount} required
        note=${balance ? `To withdraw: ${money(balance.availableForWithdrawal, currency)} ${currency}` : `This account has no ${currency}.`} />
      ${estimate && html`<${Cost} estimate=${estimate} amount=${chosen.amount} currency=${currency} />`}
      <${FailureNote} failure=${failure} />
      <div class="buttons"><button class="main" disabled=${!estimate}>Withdraw …</button></div>
    </form>
    ${isAsking && estimate && html`<${Question} path=${path} fields=${chosen} entry=${entry} currency=${currency}
      network=${network} estimate=${estimate} onClose=${close} onDone=${done} />`}
  </${Region}>`;
}
