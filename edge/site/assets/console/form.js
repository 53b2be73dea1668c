// The form of a control call: its fields, the line for a shell that does the same, and the reply.
import { useId } from "../hooks.js";
import { CopyButton, Dialog, SendButton, html, useEffect, useMemo, useRef, useState, warn } from "../ui.js";
import { FieldRow, Prose, faultOf } from "./field.js";
import { LABELS } from "./labels.js";
import { reloadNames } from "./names.js";
import { Refused, saidOf } from "./refused.js";
import { curlOf, pretty, refusalOf, requestOf, send } from "./send.js";

// The values that a form begins with, by field.
const started = (call, preset) => Object.fromEntries(call.fields.map(({ name }) => [name, String(preset[name] ?? "")]));

// The values of a form: `[values, setValues, own]`. A field that still has its first value follows it, such as a time that moves on.
// `own(values)` are those values with the first ones in fields that are not shown, which a quick button may have set.
function useValues(call, preset, only) {
  const first = started(call, preset);
  const [values, setValues] = useState(first);
  const before = useRef(first);
  useEffect(() => {
    const last = before.current;
    before.current = first;
    setValues((held) => Object.fromEntries(Object.keys(first).map((name) => [name, held[name] === last[name] ? first[name] : held[name]])));
  }, [JSON.stringify(first)]);
  const own = (held) => (only ? { ...first, ...Object.fromEntries(only.map((name) => [name, held[name]])) } : held);
  return [values, setValues, own];
}

export function Reply({ answer, isBusy }) {
  const refusal = answer && !answer.isGood ? refusalOf(answer) : null;
  const text = useMemo(() => (answer ? pretty(answer.text) || answer.text : ""), [answer]);
  return html`<div class="reply" data-reply data-status=${isBusy ? "" : answer?.status ?? ""} role="status">
    ${isBusy && html`<p class="soft">The exchange is at work …</p>`}
    ${!isBusy && answer && html`<p class="reply-head"><span class="tag ${answer.isGood ? "good" : "bad"}">${answer.status || "lost"}</span>
      ${answer.isGood && html`<span class="soft">Done</span>`}</p>
      ${refusal ? html`<p><${Refused} refusal=${refusal} /></p>` : html`<pre tabindex="0"
        aria-label="Reply">${answer.status ? text : answer.text}</pre>`}`}
  </div>`;
}

// `of` is what tells the button from those of other calls.
export const Curl = ({ line, of }) => html`<div class="curl"><code data-curl tabindex="0" role="group"
  aria-label="The same call by curl">${line}</code>
  <${CopyButton} text=${line}>Copy curl${of && html`<span class="unseen"> of ${of}</span>`}<//></div>`;

// Asks before an act that cannot be taken back.
function Sure({ call, request, onNo, onYes }) {
  return html`<${Dialog} title="This cannot be taken back" onClose=${onNo}>
    <p><${Prose} text=${call.summary} /></p>
    <pre tabindex="0" aria-label="What is sent">${request.method} ${request.path}${request.body && `\n${request.body}`}</pre>
    <div class="dialog-end"><button type="button" onClick=${onNo}>Keep as it is</button>
      <button type="button" class="main" value="confirm" onClick=${onYes}>Do it</button></div>
  <//>`;
}

const labelOf = (name) => LABELS[name] ?? name;

// The number among the values that cannot be read, as what stops the form; none if all can be.
function unreadable(fields, values) {
  const isNumber = ({ kind }) => kind === "decimal" || kind === "whole";
  const wrong = fields.find((field) => isNumber(field) && faultOf(field, values[field.name]));
  return wrong ? { name: wrong.name, why: `${labelOf(wrong.name)}: ${faultOf(wrong, values[wrong.name])} Nothing was sent.` } : null;
}

// What is read aloud of an answer that is no success.
const wordsOf = (answer) => (refusalOf(answer) ? saidOf(refusalOf(answer)) : answer.text.substring(0, 200));

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
    if (!reply.isGood) return warn(wordsOf(reply));
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
// and send: `[{words, values}]`. A small one has words for the names of its fields. Fields that are not shown keep their first values
// but for what a quick button sends. `musts` are shown fields that may not be empty though the contract lets them be left out.
export function CallForm({ call, only, preset = {}, quick = [], musts = [], words = "Send", onDone, children, isSmall = false }) {
  const [values, setValues, own] = useValues(call, preset, only);
  const [{ answer, isBusy, question }, act] = useSending(call, onDone);
  const [stopped, setStopped] = useState(null);
  const name = `${call.method} ${call.path}`;
  const id = useId();
  const shown = only ? call.fields.filter(({ name }) => only.includes(name)) : call.fields;
  const change = (name, value) => setValues((last) => own({ ...last, [name]: value }));
  const row = (field) => html`<${FieldRow} key=${field.name} id=${`${id}-${field.name}`} call=${call} field=${field}
    value=${values[field.name]}
    values=${values} isSmall=${isSmall} onChange=${change} />`;
  const line = curlOf(requestOf(call, values));
  const sendUnless = (missing, sent) => {
    const stopped = missing || unreadable(shown, sent);
    setStopped(stopped);
    setValues(sent);
    if (stopped) return warn(stopped.why);
    return act(sent);
  };
  const submit = (event) => {
    event.preventDefault();
    if (isBusy) return;
    const sent = own(values);
    const empty = musts.find((name) => !sent[name].trim());
    sendUnless(empty && { name: empty, why: `${labelOf(empty)} is empty: nothing was sent.` }, sent);
  };
  const press = (more) => {
    sendUnless(null, { ...own(values), ...more });
  };
  return html`<form class="call" data-call=${call.path} data-method=${call.method} noValidate onSubmit=${submit}>
    ${children}
    ${shown.length > 0 && html`<div class="call-fields">${shown.map(row)}</div>`}
    <div class="buttons">
      ${quick.map((one) => html`<${SendButton} type="button" key=${one.words} className=${one.isMain ? "main" : ""} isBusy=${isBusy}
        isOff=${one.isOff} isRepeatable aria-label=${one.label}
        onClick=${() => press(typeof one.values === "function" ? one.values() : one.values)}>${one.words}</${SendButton}>`)}
      ${words && html`<${SendButton} type="submit" className=${call.method === "POST" && !quick.length ? "main" : ""}
        aria-label=${`${words} ${name}`} isBusy=${isBusy}>${words}</${SendButton}>`}
    </div>
    ${stopped && html`<p class="down" data-missing=${stopped.name}>${stopped.why}</p>`}
    <${Curl} line=${line} of=${name} />
    <${Reply} answer=${answer} isBusy=${isBusy} />
    ${question}
  </form>`;
}
