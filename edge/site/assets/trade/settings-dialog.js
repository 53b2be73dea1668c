// The settings of trading: confirmations, bounds, preset amounts.
import { plain, wrongWith } from "../number.js";
import { Dialog, html, useState } from "../ui.js";
import { openDialog } from "./ask.js";
import { base, isPositive, symbol } from "./market.js";
import { amounts, change, keepAmounts, settings } from "./settings.js";

const KINDS = [["market", "Market orders"], ["far", "Limits that trade far from the middle"], ["limit", "Other limits"], ["stop",
  "Stop orders"]];

const isWord = (rule) => rule === "always" || rule === "never";
const isWrong = (typed) => !isPositive(plain(typed));
const [LEAST, MOST] = [0.01, 50];
const isNoPercent = (typed) => !plain(typed) || Number(plain(typed)) < LEAST || Number(plain(typed)) > MOST;

function Rule({ name, words, rule, set }) {
  const isAmount = !isWord(rule);
  return html`<div class="rule"><label for=${`rule-${name}`}>${words}</label>
    <select id=${`rule-${name}`} name=${`confirm-${name}`} value=${isAmount ? "above" : rule}
      onChange=${(event) => set(event.target.value === "above" ? "1" : event.target.value)}>
      ${[["always", "Always ask"], ["above", "Ask above"], ["never", "Never ask"]].map(([value, text]) =>
        html`<option value=${value} selected=${value === (isAmount ? "above" : rule)}>${text}</option>`)}</select>
    ${isAmount && html`<input name=${`above-${name}`} aria-label=${`${words}: amount, ${base}`} inputmode="decimal" value=${rule}
      aria-invalid=${isWrong(rule) ? "true" : undefined} aria-describedby="settings-wrong"
      onInput=${(event) => set(event.target.value)} />`}</div>`;
}

const Percent = ({ name, words, value, set }) => html`<div class="field"><label for=${`set-${name}`}>${words}</label>
  <input id=${`set-${name}`} name=${name} inputmode="decimal" autocomplete="off" value=${value}
    aria-invalid=${isNoPercent(value) ? "true" : undefined} aria-describedby="settings-wrong" onInput=${(event) => set(event.target.value)} /></div>`;

function Settings({ answer }) {
  const first = settings();
  const [rules, setRules] = useState(first.confirm);
  const [bound, setBound] = useState(String(first.bound / 100));
  const [far, setFar] = useState(String(first.far / 100));
  const [list, setList] = useState(amounts());
  const hundredths = (words) => Math.round(Number(plain(words)) * 100);
  const wrong = [...Object.values(rules).filter((rule) => !isWord(rule)), ...list].find(isWrong);
  const wrongPercent = [far, bound].find(isNoPercent);
  const fault = wrong !== undefined ? wrongWith(wrong) || "Write an amount above 0 in each field."
    : wrongPercent !== undefined ? wrongWith(wrongPercent) || `Write a percentage from ${LEAST} to ${MOST}.` : "";
  const save = (event) => {
    event.preventDefault();
    if (fault) return;
    const confirm = Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, isWord(rule) ? rule : plain(rule)]));
    change({ confirm, bound: hundredths(bound), far: hundredths(far) });
    if (list.length) keepAmounts(list.map(plain));
    answer(true);
  };
  return html`<${Dialog} title="Trading settings" onClose=${() => answer(null)}><form class="form" name="trading-settings" onSubmit=${save}>
    <fieldset class="form"><legend>Ask before an order is sent</legend>
      ${KINDS.map(([name, words]) => html`<${Rule} name=${name} words=${words} rule=${rules[name]}
        set=${(rule) => setRules({ ...rules, [name]: rule })} />`)}</fieldset>
    <div class="form-row"><${Percent} name="far" words="Far from the middle, %" value=${far} set=${setFar} />
      <${Percent} name="bound" words="Market orders go beyond the best by, %" value=${bound} set=${setBound} /></div>
    ${list.length > 0 && html`<fieldset><legend>Preset amounts of ${symbol.toUpperCase()}, keys 1 to 5</legend>
      <div class="five">${list.map((amount, at) => html`<input aria-label=${`Preset ${at + 1}, ${base}`} inputmode="decimal" value=${amount}
        aria-invalid=${isWrong(amount) ? "true" : undefined} aria-describedby="settings-wrong"
        onInput=${(event) => setList(list.map((one, place) => (place === at ? event.target.value.trim() : one)))} />`)}</div></fieldset>`}
    <p class="warning" id="settings-wrong" role="status">${fault}</p>
    <div class="dialog-end"><button type="button" onClick=${() => answer(null)}>Back</button><button class="main"
      disabled=${fault !== ""}>Save</button></div>
  </form></${Dialog}>`;
}

export const openSettings = () => openDialog(Settings);
