// A field of a call: a label with its mark, the input that fits its kind, and what the contract says of it.
import { wrongWithSigned } from "../number.js";
import { html } from "../ui.js";
import { LABELS } from "./labels.js";
import { accountsOf, listOf, useNames } from "./names.js";

// A sentence whose words between backticks are code.
export const Prose = ({ text }) => html`${text.split("`").map((part, at) => (at % 2 ? html`<code>${part}</code>` : part))}`;

// What a first value looks like, by field.
const EXAMPLES = {
  account: "primary", amount: "1.5", auction_time_ms: "in milliseconds since 1970", contracts: '[{"ticker":"ANN","label":"Ann"}]',
  currency: "BTC", email: "ann@mail.test", from: "192.0.2.0/24, 127.0.0.1", group: "one", legs: '[{"symbol":"…","outcome":"yes"}]',
  network: "bitcoin", outcomes: '{"ANN":"yes","BOB":"no"}', pools: '[{"event_ticker":"DEMOBTC","daily_pool_usd":"25.00"}]',
  price: "65000", roles: "Trader, Fund Manager", scopes: "balances:read", seconds: "3600", strike: '{"type":"reference"}',
  symbol: "btcusd", symbols: "btcusd, ethusd", tiers: '[{"from":"0","maker_bps":20,"taker_bps":40}]', pair: "EURUSD", rate: "1.09",
};
const MUST = html`<span class="must" aria-hidden="true"> *</span>`;
const INPUTS = { whole: "numeric", decimal: "decimal" };

function Flag({ field, ...others }) {
  const usual = field.usual === undefined ? "left out" : `left out: ${field.usual ? "yes" : "no"}`;
  return html`<select ...${others}><option value="">${field.isRequired ? "choose" : usual}</option>
    <option value="true">yes</option><option value="false">no</option></select>`;
}

function Choice({ field, ...others }) {
  return html`<select ...${others}><option value="">${field.isRequired ? "choose" : "left out"}</option>
    ${field.words.map((word) => html`<option value=${word}>${word}</option>`)}</select>`;
}

// The options of a list that is the form's own: accounts of the chosen group, or words of the contract.
function options(field, values, known) {
  if (field.name === "account") return accountsOf(known, values.group).map(({ name }) => name);
  return field.words;
}

function Typed({ call, field, values, id, ...others }) {
  const own = options(field, values, useNames());
  const list = own.length ? `${id}-list` : listOf(call, field) && `names-${listOf(call, field)}`;
  return html`<input id=${id} type="text" list=${list || undefined} inputmode=${INPUTS[field.kind]} autocomplete="off" spellcheck=${false}
      placeholder=${EXAMPLES[field.name] ?? ""} ...${others} />
    ${own.length > 0 && html`<datalist id=${`${id}-list`}>${own.map((word) => html`<option value=${word} />`)}</datalist>`}`;
}

// A time in milliseconds as a date.
const date = (name, value) => {
  const moment = name.endsWith("_ms") && /^\d{1,15}$/.test(value) ? new Date(Number(value)) : null;
  return moment && !Number.isNaN(moment.getTime()) ? moment.toISOString() : "";
};

// The fault of a field's text: of a number that cannot be read, and of JSON. A form with one is not sent (D-290).
export function faultOf({ kind }, value) {
  if (kind === "decimal" || kind === "whole") return wrongWithSigned(value);
  if (kind !== "json" || !value.trim()) return "";
  try {
    JSON.parse(value);
    return "";
  } catch (failure) {
    return `Not JSON yet: ${failure.message}`;
  }
}

const INPUT_OF = { flag: Flag, choice: Choice };

export function FieldRow({ call, field, value, values, id, isSmall, onChange }) {
  const wrong = faultOf(field, value);
  const hint = wrong || date(field.name, value);
  const set = {
    id, name: field.name, value, required: field.isRequired, "aria-describedby": isSmall && !hint ? undefined : `${id}-about`,
    "aria-invalid": wrong ? "true" : undefined, onInput: ({ target }) => onChange(field.name, target.value),
  };
  const Input = INPUT_OF[field.kind] ?? Typed;
  const more = Input === Typed ? { call, values } : {};
  return html`<div class="field ${field.kind === "json" ? "whole-row" : ""}">
    <label for=${id}>${isSmall ? LABELS[field.name] ?? field.name : field.name}${field.isRequired && MUST}</label>
    ${field.kind === "json" ? html`<textarea rows="2" spellcheck=${false} placeholder=${EXAMPLES[field.name] ?? ""} ...${set} />`
      : html`<${Input} field=${field} ...${more} ...${set} />`}
    ${(hint || !isSmall) && html`<p class="note" id=${`${id}-about`}>${hint || html`<${Prose} text=${field.about} />`}</p>`}
  </div>`;
}
