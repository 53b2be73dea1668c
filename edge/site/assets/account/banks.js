// Dollars: what a wire to the account names, and payments to its banks.
import { call } from "../call.js";
import { whole } from "../figures.js";
import { plain } from "../number.js";
import { CopyButton, Money, Region, html, useLoaded, useState } from "../ui.js";
import { ask } from "./calls.js";
import { Confirmation } from "./confirm.js";
import { AmountField, Field, useAct, useKept } from "./parts.js";

async function load() {
  const [methods, account] = await Promise.all([ask("/v1/payments/methods"), ask("/v1/account")]);
  return { ...methods, memo: account.memo_reference_code, number: account.virtual_account_number };
}

function Payment({ banks, reload }) {
  const [fields, setFields] = useKept("bank", { bankId: banks[0].bankId, amount: "" });
  const [isAsking, setAsking] = useState(false);
  const act = useAct();
  const bank = banks.find(({ bankId }) => bankId === fields.bankId) ?? banks[0];
  const amount = plain(fields.amount);
  const shown = `${whole(amount, "USD")} USD`;
  const onConfirm = async () => {
    const sent = { bankId: bank.bankId, amount };
    if (!(await act.run(() => call("/v1/payments/sen/withdraw", sent), `The payment of ${shown} is accepted`))) return;
    setAsking(false);
    setFields({ ...fields, amount: "" });
    reload();
  };
  const ask = (event) => {
    event.preventDefault();
    act.clear();
    setAsking(true);
  };
  const rows = [["Amount", html`<${Money} text=${amount} currency="USD" />`], ["To", bank.bank]];
  return html`<form name="pay" class="form padded" onSubmit=${ask}
    onInput=${({ target: { name, value } }) => setFields({ ...fields, [name]: value.trim() })}>
    <div class="form-row"><${Field} label="Bank" name="bankId"><select id="bankId" name="bankId">${banks.map(({ bankId, bank: name }) =>
      html`<option key=${bankId} value=${bankId} selected=${bankId === bank.bankId}>${name}</option>`)}</select></${Field}>
      <${AmountField} label="Dollars" name="amount" id="pay-amount" value=${fields.amount} required /></div>
    <div class="buttons"><button>Pay …</button></div>
    ${isAsking && html`<${Confirmation} title="Pay to a bank" rows=${rows} words=${`Pay ${shown}`} act=${act}
      onConfirm=${onConfirm} onClose=${() => setAsking(false)} />`}
  </form>`;
}

export function Banks({ reload }) {
  const [state, value, retry] = useLoaded(load);
  return html`<${Region} name="banks" title="Dollars by bank" state=${state} retry=${retry}>${value && html`
    <dl class="facts"><div><dt>A wire to you names in its memo</dt><dd><code>${value.memo}</code> <${CopyButton}
      text=${value.memo}>Copy<span class="unseen"> the reference</span></${CopyButton}></dd></div>
      ${value.number && html`<div><dt>Account number</dt><dd><code>${value.number}</code></dd></div>`}</dl>
    ${value.banks.length > 0
      ? html`<${Payment} banks=${value.banks} reload=${reload} />`
      : html`<p class="empty">Banks that dollars can be paid to would stand here. A bank is linked through the interface, and a
        first wire verifies it.</p>`}`}
  </${Region}>`;
}
