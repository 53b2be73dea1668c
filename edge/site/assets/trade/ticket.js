// The ticket: the form of an order, with a preview of what the exchange would do with it now.
import { compare, product, read, step, text } from "../decimal.js";
import { whole } from "../figures.js";
import { isSignedIn, signInUrl, url } from "../page.js";
import { html, Money, Region, SendButton, useEffect, Whole } from "../ui.js";
import { submit, wordsOf } from "./ask.js";
import { draft, edit, isComplete, isSheetOpen, most, outcome, plain, underWay, wrongWith } from "./draft.js";
import { boundOf, bookState, top } from "./feed.js";
import { amountFor, bare, base, isContract, isPerpetual, isPositive, lot, partOf, quote, shownPrice, tick } from "./market.js";
import { balances, claimsOf, positionHere, positions, whyNothingSent, whyNotReduced } from "./money.js";
import { Preview, Said, startPreview } from "./preview.js";
import { isRightAccount, RightAccount } from "./right-account.js";
import { amounts, useSettings } from "./settings.js";
import { store, useStore } from "./store.js";
import { openSettings } from "./settings-dialog.js";
import { Status } from "./status.js";

const SIDES = [["buy", "Buy"], ["sell", "Sell"]];
const TYPES = [["limit", "Limit"], ["market", "Market"], ["stop-limit", "Stop"]];
const OPTIONS = [["", "Until cancelled"], ["maker-or-cancel", "Maker or cancel"], ["immediate-or-cancel", "Immediate or cancel"],
  ["fill-or-kill", "Fill or kill"]];
const PARTS = [25, 50, 75, 100];

// The amount that the position has room for, as far as the page knows it now; it is cut once more at sending.
function cutToPosition(amount, side) {
  const held = positionHere()?.quantity;
  if (!held || !isPositive(amount) || held.startsWith("-") === (side === "sell")) return amount;
  const most = held.replace("-", "");
  return compare(read(amount), read(most)) > 0 ? most : amount;
}

// What would be sent for the form as it stands: a market order at its bound, a total as an amount.
export function orderOf(form, bound) {
  const { side, type, stop, option, outcome: named, isReducing } = form;
  const price = type === "market" ? boundOf(side, named, bound) : plain(form.price);
  const wanted = form.total ? amountFor(plain(form.total), price) : plain(form.amount);
  const amount = isPerpetual && isReducing ? cutToPosition(wanted, side) : wanted;
  return {
    side, type, price, amount, stop: plain(stop), option: type === "limit" ? option : "", outcome: named,
    isReducing: isPerpetual && isReducing,
  };
}

const typed = (event) => event.target.value;

// Why the order is not sent whatever its figures are; none if it may be.
const whyNotSent = (order) => (order.isReducing ? whyNotReduced(order.side) : "");

const isLetter = ({ key, ctrlKey, metaKey, altKey }) => /^\p{L}$/u.test(key) && !ctrlKey && !metaKey && !altKey;

function onKey(name, increment) {
  return (event) => {
    if (event.key === "Escape") return event.target.blur();
    // A letter is no digit, and no key that acts while a field has the focus.
    if (isLetter(event)) return event.preventDefault();
    if (!increment) return undefined;
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!by) return undefined;
    event.preventDefault();
    // A text that cannot be read is kept as it was typed: a step from it would begin at 0.
    if (wrongWith(event.target.value)) return undefined;
    // An amount may come from a total, and then stands in the field alone.
    const next = step(plain(event.target.value) || "0", increment, by * (event.shiftKey ? 10 : 1));
    return edit({ [name]: next, ...(name === "amount" && { total: "" }) });
  };
}

function Choice({ name, value, options, legend, className = "" }) {
  return html`<fieldset class="segments ${className}"><legend class="unseen">${legend}</legend>${options.map(([option, words]) => html`
    <label class=${option}><input type="radio" name=${name} value=${option} checked=${value === option}
      onChange=${() => edit({ [name]: option })} /><span>${words}</span></label>`)}</fieldset>`;
}

function Field({ name, label, unit, value, increment, onInput, isFixed, children }) {
  const wrong = isFixed ? "" : wrongWith(value);
  return html`<div class="field"><div class="field-head"><label for=${`ticket-${name}`}><${Whole} text=${label} /></label>${children}</div>
    <div class="with-unit"><input id=${`ticket-${name}`} name=${name} inputmode="decimal" autocomplete="off" spellcheck=${false}
      value=${value} readonly=${isFixed} aria-invalid=${wrong ? "true" : undefined}
      aria-describedby=${wrong ? `ticket-${name}-wrong` : undefined} onInput=${onInput}
      onKeyDown=${isFixed ? undefined : onKey(name, increment)} />${unit && html`<span aria-hidden="true">${unit}</span>`}</div>
    ${wrong && html`<p class="warning" id=${`ticket-${name}-wrong`} data-wrong=${name}><${Whole} text=${wrong} /></p>`}</div>`;
}

function Best({ form }) {
  useStore(top);
  const best = boundOf(form.side, form.outcome, 0);
  return best && html`<button type="button" class="link" onClick=${() => edit({ price: best })}><${Whole}
    text=${`Best ${shownPrice(best)}`} /></button>`;
}

// One field for both kinds of order, so that the focus stays in it when the type changes.
function Price({ form, bound }) {
  const isMarket = form.type === "market";
  const worst = useStore(top, () => (isMarket ? boundOf(form.side, form.outcome, bound) : ""));
  const label = isMarket ? `Worst price, ${bound / 100} % beyond the best` : "Price";
  return html`<${Field} name="price" label=${label} unit=${quote} value=${isMarket ? worst || "–" : form.price} increment=${tick}
    isFixed=${isMarket} onInput=${(event) => edit({ price: typed(event) })}>${!isMarket && html`<${Best} form=${form} />`}</${Field}>`;
}

// What the account has for an order of this side: a sale is of the base currency, or of claims.
function Available({ form }) {
  const isSale = form.side === "sell" && !isPerpetual;
  const code = isSale ? base : quote;
  const balance = useStore(balances, (all) => all.get(code)?.available);
  const claims = useStore(positions, () => (isSale && isContract && isSignedIn() ? claimsOf(form.outcome) : ""));
  const available = claims || balance;
  return available && html`<p class="available"><span class="soft">Available</span> <${Money} text=${available} currency=${code} />
    </p>`;
}

function Amounts({ form }) {
  useStore(top, ({ middle }) => Boolean(middle));
  const isOf = (found) => found?.side === form.side && found.outcome === form.outcome;
  const possible = useStore(most, (found) => (isOf(found) ? found.amount : ""));
  return html`<div class="presets">
    <div role="group" aria-label="Preset amounts">${amounts().map((amount, at) => html`<button type="button" class="small" value=${amount}
      title=${`Key ${at + 1}`} onClick=${() => edit({ amount, total: "" })}>${whole(amount)}</button>`)}</div>
    <div role="group" aria-label="Part of the most that is possible">${PARTS.map((percent) => html`<button type="button" class="small"
      disabled=${!isPositive(possible)} onClick=${() => edit({ amount: partOf(possible, percent), total: "" })}>${percent} %
      </button>`)}</div></div>`;
}

function Total({ form, order }) {
  const shown = form.total || (isPositive(order.amount) && isPositive(order.price) ? bare(totalOf(order)) : "");
  return html`<${Field} name="total" label=${`Total, ${quote}`} value=${shown}
    onInput=${(event) => edit({ total: typed(event), amount: "" })} />`;
}
const totalOf = ({ amount, price }) => text(product(read(amount), read(price)));

function Reduce({ form }) {
  return html`<label class="check"><input type="checkbox" name="reduce" checked=${form.isReducing}
      onChange=${(event) => edit({ isReducing: event.target.checked })} /> Only reduce</label>
    ${form.isReducing && html`<p class="note">At sending the amount is cut to the position and nothing rests: what does not trade at once is
      cancelled, since the interface has no flag by which a resting order could only reduce.</p>`}`;
}

function Options({ form }) {
  if (form.type !== "limit" || form.isReducing) return null;
  return html`<div class="inline-field"><label for="ticket-options">Lasts</label>
    <select id="ticket-options" name="options" value=${form.option} onChange=${(event) => edit({ option: event.target.value })}>
      ${OPTIONS.map(([option, words]) => html`<option value=${option} selected=${option === form.option}>${words}</option>`)}</select>
        </div>`;
}

const WAITING = { sending: "Sending …", unknown: "Looking the order up …" };

function Send({ order }) {
  const waits = useStore(underWay);
  if (!isSignedIn()) {
    return html`<div class="notice"><p>Signed in, you place orders here. The preview then says what each would cost before it is sent.</p>
      <div class="buttons"><a class="button main" href=${signInUrl()}>Sign in to trade</a><a class="button"
        href=${url("/signup")}>Sign up</a></div></div>`;
  }
  if (!isRightAccount) return html`<${RightAccount} />`;
  return html`<${SendButton} type="submit" className="send ${order.side}" isBusy=${Boolean(waits)}
    isOff=${Boolean(whyNotSent(order))}><${Whole} text=${waits ? WAITING[waits] : wordsOf(order)} /></${SendButton}>`;
}

function Outcome() {
  const told = useStore(outcome);
  return told && html`<p class=${`notice ${told.isGood ? "good" : "bad"}`} data-outcome=${told.isGood ? "good" : "bad"}>
    <span><${Said} words=${told.words} /></span>
    <button type="button" class="quiet small" aria-label="Dismiss" onClick=${() => outcome.set(null)}>×</button></p>`;
}

// What the ticket would send now. Keys use it too.
export const current = store(null);

const LABELS = { price: "price", stop: "stop price", amount: "amount", total: "total" };

// The field that an order cannot be sent with, and why as a sentence; none if it can be.
function faultOf(form, order) {
  const amount = form.total ? "total" : "amount";
  const fields = [...(form.type === "market" ? [] : ["price"]), ...(form.type === "stop-limit" ? ["stop"] : []), amount];
  const wrong = fields.find((name) => wrongWith(form[name]));
  if (wrong) return [wrong, `The ${LABELS[wrong]} “${form[wrong].trim()}” cannot be read. ${wrongWith(form[wrong])}`];
  if (isComplete(order)) return null;
  const empty = fields.find((name) => !form[name].trim());
  if (empty) return [empty, `The order lacks ${empty === "amount" ? "an" : "a"} ${LABELS[empty]}.`];
  const zero = fields.find((name) => !isPositive(plain(form[name])));
  if (zero) return [zero, `The ${LABELS[zero]} must be above 0.`];
  return [amount, isPositive(order.price) ? `The total is less than the price of ${lot}.` : "The book has no price to trade at."];
}

export async function sendNow() {
  const order = current.get()?.();
  if (!order || !isSignedIn() || !isRightAccount || underWay.get()) return;
  const why = order.isReducing ? whyNothingSent(order.side) : "";
  const [name, words] = faultOf(draft.get(), order) ?? ["", why];
  if (words) {
    outcome.set({ isGood: false, words });
    if (name) /** @type {HTMLElement} */ (document.querySelector(`#ticket-${name}`))?.focus();
    return;
  }
  const placed = await submit(order);
  // What became of the order stays on the page, so this is no edit.
  if (placed) draft.set({ ...draft.get(), amount: "", total: "" });
}

function Form({ form }) {
  const { bound } = useSettings();
  useStore(top, ({ bid, ask }) => (form.type === "market" ? `${bid} ${ask}` : ""));
  useStore(positions);
  const order = orderOf(form, bound);
  const why = whyNotSent(order);
  useEffect(() => current.set(() => orderOf(draft.get(), bound)), [bound]);
  return html`<form name="order" class="ticket-form" data-side=${form.side} autocomplete="off" onSubmit=${(event) => {
    event.preventDefault();
    sendNow();
  }}>
    <${Choice} name="side" legend="Side" value=${form.side} options=${SIDES} className="sides" />
    ${isContract && html`<${Choice} name="outcome" legend="Outcome" value=${form.outcome} options=${[["yes", "Yes"], ["no", "No"]]} />`}
    <${Choice} name="type" legend="Type" value=${form.type} options=${TYPES} />
    ${form.type === "stop-limit" && html`<${Field} name="stop" label="Stop price" unit=${quote} value=${form.stop} increment=${tick}
      onInput=${(event) => edit({ stop: typed(event) })} />`}
    <${Price} form=${form} bound=${bound} />
    <div class="pair"><${Field} name="amount" label=${isContract ? "Contracts" : `Amount, ${base}`}
      value=${form.total ? order.amount : form.amount} increment=${lot}
      onInput=${(event) => edit({ amount: typed(event), total: "" })} />
      <${Total} form=${form} order=${order} /></div>
    <${Amounts} form=${form} />
    <${Available} form=${form} />
    <${Options} form=${form} />
    ${isPerpetual && html`<${Reduce} form=${form} />`}
    <${Send} order=${order} />
    <${Outcome} />
    ${isSignedIn() && isRightAccount && (why ? html`<p class="notice" role="status" data-preview="reduce"><${Whole} text=${why} /></p>` : html`<${Preview} />`)}
  </form>`;
}

export function Ticket() {
  const form = useStore(draft);
  const state = useStore(bookState);
  useEffect(() => (isRightAccount ? startPreview(() => current.get()?.()) : undefined), []);
  const tools = html`<span class="buttons"><button type="button" class="quiet small" onClick=${openSettings}>Settings</button>
    <button type="button" class="quiet small sheet-close" aria-label="Close the ticket" onClick=${() => isSheetOpen.set(false)}>×</button>
      </span>`;
  return html`<${Region} name="ticket" title="Order" state=${state} className="ticket" tools=${tools}>
    <${Status} /><${Form} form=${form} /></${Region}>`;
}
