// The parts that the pages of an account share: the frame with its account, times, and what an act ends with.
import { useAct } from "../act.js";
import { chooseAccount } from "../call.js";
import { addressOf, data, signInUrl } from "../page.js";
import "../shell.js";
import { keep, kept } from "../kept.js";
import { wrongWith } from "../number.js";
import { clock, day, moment, zone } from "../time.js";
import { CopyButton, SendButton, html, render, useLayoutEffect, useState } from "../ui.js";

export { useAct };

export const account = data.page.account;
export const counterpartyId = data.page.counterparty_id;
// Only an exchange account stakes and clears; others have regions of their own.
export const isExchange = (data.page.kind ?? "exchange") === "exchange";
export const currencies = data.page.currencies ?? [];

// A time as the user chose to read it; the zone stands in the column's title.
export const Time = ({ at }) =>
  html`<time datetime=${new Date(Number(at)).toISOString()} title=${moment(Number(at))}>${day(Number(at))} ${clock(Number(at))}</time>`;

export const timeTitle = (words) => `${words} (${zone()})`;

// A name that is long, whole for copying and in the tooltip, short for reading.
export function Long({ text, ends = 6, words = "" }) {
  if (!text) return html`–`;
  const shown = text.length > 2 * ends + 3 ? `${text.substring(0, ends)}…${text.substring(text.length - ends)}` : text;
  return html`<span class="long"><code title=${text} aria-label=${text}>${shown}</code> <${CopyButton} text=${text}>
    Copy<span class="unseen"> ${words || text}</span></${CopyButton}></span>`;
}

// A note of what failed, and what one can do.
export function FailureNote({ failure }) {
  if (!failure) return null;
  const isCode = failure.reason === "CodeRequired";
  const isGone = failure.reason === "SignInRequired" || failure.reason === "SecondFactorRequired";
  return html`<div class="failure" role="alert"><p>${failure.message}</p>
    ${isCode && html`<a class="button" href=${signInUrl("code")}>Give a new code</a>`}
    ${isGone && html`<a class="button" href=${signInUrl()}>Sign in again</a>`}</div>`;
}

// Values of a form that outlive the way to another code and back, in this tab alone.
export function useKept(name, first) {
  const place = `account-${name}`;
  const [value, setValue] = useState(() => ({ ...first, ...JSON.parse(kept(place) ?? "{}") }));
  const set = (next) => {
    keep(place, JSON.stringify(next));
    setValue(next);
  };
  return [value, set];
}

// `wrong` says what is wrong with the value; it stands in place of the note.
export function Field({ label, name, id = name, children, note, wrong, ...input }) {
  const noteId = wrong || note ? `${id}-note` : undefined;
  return html`<div class="field"><label for=${id}>${label}</label>
    ${children ?? html`<input id=${id} name=${name} autocomplete="off" aria-describedby=${noteId}
      aria-invalid=${wrong ? "true" : undefined} ...${input} />`}
    ${noteId && html`<p class=${`note ${wrong ? "down" : ""}`} id=${noteId}>${wrong || note}</p>`}</div>`;
}

// A field of an amount. One that cannot be read is marked while it is typed, and its form is not sent.
export function AmountField(props) {
  const { id = props.name, value } = props;
  const wrong = wrongWith(value);
  useLayoutEffect(() => document.getElementById(id).setCustomValidity(wrong), [wrong]);
  return html`<${Field} inputmode="decimal" wrong=${wrong} ...${props} />`;
}

// By number: another account may bear a name by now.
function AccountChoice() {
  const { number: shown, numbered } = data.user;
  const [chosen, choose] = useState(shown);
  const act = useAct();
  const change = async (event) => {
    event.preventDefault();
    if (await act.run(() => chooseAccount(chosen))) location.assign(addressOf(chosen));
  };
  return html`<form name="account" class="account-choice" onSubmit=${change}>
    <label for="account-name">Account</label>
    <select id="account-name" name="account" onChange=${(event) => choose(Number(event.target.value))}>${numbered.map(({ number, name }) =>
      html`<option key=${number} value=${number} selected=${number === chosen}>${name}</option>`)}</select>
    <${SendButton} isBusy=${act.isBusy} isOff=${chosen === shown}>Switch</${SendButton}>
    <${FailureNote} failure=${act.failure} />
  </form>`;
}

// Draws a page of the chosen account. `what` is what only an exchange account does.
export function start(View, what = "") {
  const app = document.getElementById("app");
  app.className = "account";
  const none = html`<p class="notice">You act for no account: an operator does not trade.</p>`;
  const other = html`<p class="notice">${account} is a ${data.page.kind} account: only an exchange account ${what}.
    Switch to one above.</p>`;
  render(account ? html`<${AccountChoice} />${what && !isExchange ? other : html`<${View} />`}` : none, app);
}
