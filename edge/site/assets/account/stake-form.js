// Staking and unstaking an amount: the form, and the question before it is done.
import { call } from "../call.js";
import { Dialog, html, Money, SendButton, useState, Whole } from "../ui.js";
import { amount as figure, whole } from "../figures.js";
import { plain } from "../number.js";
import { AmountField, FailureNote, useAct } from "./parts.js";

const WORDS = {
  stake: { title: "Stake", act: "Stake", done: "staked", note: "It earns from now on; interest joins the stake each day at 20:00 UTC." },
  unstake: { title: "Unstake", act: "Unstake", done: "redeemed", note: "Until a redemption is paid, its amount earns nothing." },
};

// `kind` is "stake" or "unstake", `most` what there is of it.
export function StakeDialog({ kind, pair: { providerId, currency, ratePct }, most, onClose, onDone }) {
  const words = WORDS[kind];
  const [amount, setAmount] = useState("");
  const act = useAct();
  // One id for this dialog: sent again after a lost answer, it moves nothing again.
  const [id] = useState(() => crypto.randomUUID());
  const sent = `${whole(plain(amount), currency)} ${currency}`;
  const send = async (event) => {
    event.preventDefault();
    const fields = { providerId, currency, amount: plain(amount), clientTransferId: id };
    if (await act.run(() => call(`/v1/staking/${kind}`, fields), `${sent} is ${words.done}`)) onDone();
  };
  return html`<${Dialog} title=${`${words.title} ${currency}`} onClose=${onClose}>
    <form name=${kind} class="form" onSubmit=${send}>
      <dl class="pairs"><dt>Provider</dt><dd><code>${providerId}</code></dd><dt>Rate of a year</dt><dd>${figure(ratePct, 6, 2)} %</dd>
        <dt>${kind === "stake" ? "For orders and stakes" : "Can be redeemed"}</dt><dd><${Money} text=${most} currency=${currency} /></dd></dl>
      <${AmountField} label=${`Amount of ${currency}`} name="amount" value=${amount} required autofocus note=${words.note}
        onInput=${({ target }) => setAmount(target.value.trim())} />
      <${FailureNote} failure=${act.failure} />
      <div class="dialog-end"><button type="button" onClick=${onClose}>Back</button>
        <button type="button" disabled=${most === "0"} onClick=${() => setAmount(most)}>All</button>
        <${SendButton} className="main" value="confirm" isBusy=${act.isBusy}><${Whole}
          text=${plain(amount) ? `${words.act} ${sent}` : words.act} /></${SendButton}></div>
    </form></${Dialog}>`;
}
