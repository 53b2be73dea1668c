// The question before something that cannot be taken back: what it will do, and the button that does it.
import { Dialog, SendButton, html } from "../ui.js";
import { FailureNote } from "./parts.js";

// `rows` are pairs of a name and a value.
export function Confirmation({ title, rows, words, act, onConfirm, onClose, children }) {
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <dl class="pairs">${rows.map(([name, value]) => html`<dt key=${name}>${name}</dt><dd>${value}</dd>`)}</dl>
    ${children}
    <${FailureNote} failure=${act.failure} />
    <div class="dialog-end"><button type="button" onClick=${onClose}>Back</button>
      <${SendButton} type="button" className="main" value="confirm" isBusy=${act.isBusy} onClick=${onConfirm}>${words}</${SendButton}>
    </div>
  </${Dialog}>`;
}
