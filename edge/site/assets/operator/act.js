// The dialog before each act of an operator: what it will do, why it is done, and only then the act.
import { post } from "../call.js";
import { signInUrl } from "../page.js";
import { Dialog, SendButton, announce, html, useState, warn } from "../ui.js";

const LONGEST = 500;

// Refusals that another sign-in, or a new code, mends.
const WAYS = { CodeRequired: ["code", "Give a code"], SignInRequired: ["", "Sign in again"] };

function Refused({ failure: { reason, plain, isLost } }) {
  const [step, words] = WAYS[reason] ?? [];
  return html`<p class="notice ${words ? "" : "bad"}" role="alert">${plain}${
    isLost && " Look at the audit before you try again: it may have been done."}${words && html` <a href=${signInUrl(step)}>${words}</a>;
    that leads back to this page.`}</p>`;
}

// An act has a `title`, the `path` and the `body` of its call, the sentences of what it `does`, and the `word` of its button. `Form` are
// further inputs, whose values begin as `chosen`; from these `fields` makes more of the body, and `does` its sentences. `isGuarded`: it
// takes two operators where the settings say so. `isGrave` is for what stops something.
export function ActDialog({ act, approvals, onClose, onDone }) {
  const [reason, setReason] = useState("");
  const [failure, setFailure] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const [chosen, setChosen] = useState(act.chosen ?? {});
  const does = typeof act.does === "function" ? act.does(chosen) : act.does;
  const waits = act.isGuarded && approvals > 1;
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const reply = await post(act.path, { ...act.body, ...(act.fields ? act.fields(chosen) : {}), reason: reason.trim() });
      const isProposal = reply.proposal && !act.isApproval;
      const words = isProposal ? `Proposed as number ${reply.proposal}: another operator has to approve it.` : `Done: ${act.title}.`;
      announce(words);
      onDone({ words, isProposal });
    } catch (refused) {
      setFailure(refused);
      warn(refused.plain);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${act.title} onClose=${onClose}>
    <form class="form" onSubmit=${submit}>
      ${act.Form && html`<${act.Form} chosen=${chosen} choose=${(part) => setChosen({ ...chosen, ...part })} />`}
      <div data-does=""><p class="soft">What it will do</p><ul class="does">${does.map((sentence) => html`<li key=${sentence}>${sentence}
        </li>`)}
        ${waits && html`<li><b>It is a proposal: nothing changes until another operator approves it.</b></li>`}</ul></div>
      <div class="field"><label for="reason">Reason, for the audit</label>
        <textarea id="reason" name="reason" rows="2" required autofocus=${!act.Form} maxlength=${LONGEST} value=${reason}
          onInput=${(event) => setReason(event.currentTarget.value)}></textarea></div>
      ${failure && html`<${Refused} failure=${failure} />`}
      <div class="dialog-end"><button type="button" onClick=${onClose}>Leave it as it is</button>
        <${SendButton} type="submit" value="confirm" className=${act.isGrave ? "sell" : "main"} isBusy=${isBusy}
          isOff=${reason.trim() === ""}>
          ${waits ? "Propose: " : ""}${act.word}</${SendButton}></div>
    </form>
  <//>`;
}
