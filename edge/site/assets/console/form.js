// The form of a control call: its fields, the line for a shell that does the same, and the reply.
import { useId } from "../hooks.js";
import { CopyButton, Dialog, html, useMemo, useState, warn } from "../ui.js";
import { FieldRow, Prose } from "./field.js";
import { reloadNames } from "./names.js";
import { curlOf, pretty, refusalOf, requestOf, send } from "./send.js";

// The values that a form begins with, by field.
const started = (call, preset) => Object.fromEntries(call.fields.map(({ name }) => [name, String(preset[name] ?? "")]));

export function Reply({ answer, isBusy }) {
  const refusal = answer && !answer.isGood ? refusalOf(answer) : null;
  const text = useMemo(() => (answer ? pretty(answer.text) || answer.text : ""), [answer]);
  return html`<div class="reply" data-reply data-status=${isBusy ? "" : answer?.status ?? ""} role="status">
    ${isBusy && html`<p class="soft">The exchange is at work …</p>`}
    ${!isBusy && answer && html`<p class="reply-head"><span class="tag ${answer.isGood ? "good" : "bad"}">${answer.status || "lost"}</span>
      ${refusal ? html`<b>${refusal.reason}</b>` : answer.isGood && html`<span class="soft">Done</span>`}</p>
      ${refusal ? html`<p>${refusal.message}</p>` : html`<pre tabindex="0"
        aria-label="Reply">${answer.status ? text : answer.text}</pre>`}`}
  </div>`;
}

export const Curl = ({ line }) => html`<div class="curl"><code data-curl tabindex="0" role="group"
  aria-label="The same call by curl">${line}</code>
  <${CopyButton} text=${line}>Copy curl<//></div>`;

// Asks before an act that cannot be taken back.
function Sure({ call, request, onNo, onYes }) {
  return html`<${Dialog} title="This cannot be taken back" onClose=${onNo}>
    <p><${Prose} text=${call.summary} /></p>
    <pre tabindex="0" aria-label="What is sent">${request.method} ${request.path}${request.body && `\n${request.body}`}</pre>
    <div class="dialog-end"><button type="button" onClick=${onNo}>Keep as it is</button>
      <button type="button" class="main" value="confirm" onClick=${onYes}>Do it</button></div>
  <//>`;
}

// A call that is ready to be sent: `[state, act]`. `act(values)` sends, after a question where the act is final.
export function useSending(call, onDone) {
  const [answer, setAnswer] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const [asked, setAsked] = useState(null);
  const carryOut = async (request) => {
    setAsked(null);
    setBusy(true);
    const reply = await send(request);
    setBusy(false);
    setAnswer(reply);
    if (!reply.isGood) return warn(refusalOf(reply)?.message ?? reply.text.slice(0, 200));
    if (request.body !== null) reloadNames();
    onDone?.(reply, request);
  };
  const act = (values) => {
    const request = requestOf(call, values);
    return call.isFinal ? setAsked(request) : carryOut(request);
  };
  const question = asked && html`<${Sure} call=${call} request=${asked} onNo=${() => setAsked(null)} onYes=${() => carryOut(asked)} />`;
  return [{ answer, isBusy, question }, act];
}

// The form. `only` names the fields that are shown, all without it; `preset` are the first values. `quick` are buttons that set values
// and send: `[{words, values}]`. A small one has words for the names of its fields. Fields that are not shown keep their first values.
export function CallForm({ call, only, preset = {}, quick = [], words = "Send", onDone, children, isSmall = false }) {
  const [values, setValues] = useState(() => started(call, preset));
  const [{ answer, isBusy, question }, act] = useSending(call, onDone);
  const id = useId();
  const shown = only ? call.fields.filter(({ name }) => only.includes(name)) : call.fields;
  const change = (name, value) => setValues((last) => ({ ...last, [name]: value }));
  const row = (field) => html`<${FieldRow} key=${field.name} id=${`${id}-${field.name}`} call=${call} field=${field}
    value=${values[field.name]}
    values=${values} isSmall=${isSmall} onChange=${change} />`;
  const line = curlOf(requestOf(call, values));
  const submit = (event) => {
    event.preventDefault();
    if (!isBusy) act(values);
  };
  const press = (more) => {
    const next = { ...values, ...more };
    setValues(next);
    act(next);
  };
  return html`<form class="call" data-call=${call.path} data-method=${call.method} noValidate onSubmit=${submit}>
    ${children}
    ${shown.length > 0 && html`<div class="call-fields">${shown.map(row)}</div>`}
    <div class="buttons">
      ${quick.map((one) => html`<button type="button" key=${one.words} class=${one.isMain ? "main" : ""} disabled=${isBusy || one.isOff}
        aria-label=${one.label}
        onClick=${() => press(typeof one.values === "function" ? one.values() : one.values)}>${one.words}</button>`)}
      ${words && html`<button type="submit" class=${call.method === "POST" && !quick.length ? "main" : ""}
        disabled=${isBusy}>${words}</button>`}
    </div>
    <${Curl} line=${line} />
    <${Reply} answer=${answer} isBusy=${isBusy} />
    ${question}
  </form>`;
}
