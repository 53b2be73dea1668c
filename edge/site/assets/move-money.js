// Money from one account of the group to another.
import { call, get, namesOf } from "./call.js";
import { money, whole } from "./figures.js";
import { plain, wrongWith } from "./number.js";
import { data } from "./page.js";
import { overlay } from "./palette.js";
import { Dialog, SendButton, Whole, announce, html, useEffect, useLoaded, useState, warn } from "./ui.js";

// The balances of an account, which this page may not show.
const balancesOf = (number) => call("/v1/balances", {}, { account: number });

function Choice({ name, label, value, options, set }) {
  return html`<div class="field"><label for=${`moved-${name}`}>${label}</label>
    <select id=${`moved-${name}`} name=${name} onChange=${(event) => set(event.target.value)}>${options.map(([one, words]) =>
      html`<option key=${one} value=${one} selected=${one === value}>${words}</option>`)}</select></div>`;
}

function AmountField({ value, set, note }) {
  const wrong = wrongWith(value);
  return html`<div class="field"><label for="moved-amount">Amount</label>
    <input id="moved-amount" name="amount" inputmode="decimal" autocomplete="off" required value=${value}
      aria-invalid=${wrong ? "true" : undefined} aria-describedby="moved-note" onInput=${(event) => set(event.target.value)} />
    <p class="note ${wrong ? "down" : ""}" id="moved-note"><${Whole} text=${wrong || note} /></p></div>`;
}

function Moves({ onClose }) {
  const [accountState, all] = useLoaded(() => get("/site/accounts"));
  const [from, setFrom] = useState(String(data.user.number));
  const [to, setTo] = useState("");
  const [code, setCode] = useState("");
  const [amount, setAmount] = useState("");
  const [failure, setFailure] = useState(null);
  const [isBusy, setBusy] = useState(false);
  // One id for these fields: sent again after a lost answer, they move nothing again.
  const [id, setId] = useState(crypto.randomUUID());
  // Those of another account are not shown in place of ones that are on their way.
  const [balanceState, loaded] = useLoaded(async () => ({ of: from, rows: await balancesOf(from) }), [from]);
  const balances = loaded?.of === from ? loaded.rows : null;
  const options = (all ?? []).map(({ number, name }) => [String(number), name]);
  const target = to && to !== from ? to : options.find(([number]) => number !== from)?.[0] ?? "";
  const held = (balances ?? []).filter(({ amount: whole }) => /[1-9]/.test(whole));
  const balance = held.find(({ currency }) => currency === code) ?? held.find(({ currency }) => currency === "USD") ?? held[0];
  useEffect(() => setId(crypto.randomUUID()), [from, target, balance?.currency, amount]);
  const send = async (event) => {
    event.preventDefault();
    if (isBusy || !plain(amount) || !balance) return;
    setBusy(true);
    setFailure(null);
    try {
      const [sourceAccount, targetAccount] = await namesOf(Number(from), Number(target));
      const fields = { sourceAccount, targetAccount, amount: plain(amount), clientTransferId: id };
      await call(`/v1/account/transfer/${balance.currency.toLowerCase()}`, fields);
      announce(`${whole(plain(amount), balance.currency)} ${balance.currency} moved to ${targetAccount}`);
      onClose();
    } catch (refused) {
      setFailure(refused);
      warn(refused.message);
      setBusy(false);
    }
  };
  const isReady = Boolean(plain(amount) && balance && target);
  const note = balance ? `Available: ${money(balance.availableForWithdrawal, balance.currency)} ${balance.currency}`
    : balances ? "This account has no money."
    : balanceState.kind === "error" ? `The balances could not be read. ${balanceState.message}` : "Loading the balances …";
  return html`<${Dialog} title="Move money" onClose=${onClose}><form class="form" name="move-money" onSubmit=${send}>
    <${Choice} name="from" label="From" value=${from} options=${options} set=${setFrom} />
    <${Choice} name="to" label="To" value=${target} options=${options.filter(([number]) => number !== from)} set=${setTo} />
    <${Choice} name="currency" label="Currency" value=${balance?.currency}
      options=${held.map(({ currency }) => [currency, currency])} set=${setCode} />
    <${AmountField} value=${amount} set=${setAmount} note=${note} />
    ${accountState.kind === "error" && html`<p class="failure" role="alert">${accountState.message}</p>`}
    ${failure && html`<p class="failure" role="alert">${failure.plain ?? failure.message}${failure.isLost
      ? " No answer came, so it may have been moved. Sent again from here, it moves nothing twice." : ""}</p>`}
    <div class="dialog-end"><button type="button" onClick=${onClose}>Back</button>
      <${SendButton} className="main" value="confirm" isBusy=${isBusy} isOff=${!isReady}><${Whole}
        text=${isReady ? `Move ${whole(plain(amount), balance.currency)} ${balance.currency}` : "Move"} /></${SendButton}></div>
  </form></${Dialog}>`;
}

export const open = () => overlay((close) => html`<${Moves} onClose=${close} />`);
