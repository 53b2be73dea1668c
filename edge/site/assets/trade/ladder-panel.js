// The ladder's panel: step, amount, arming, and what a click does.
import { whole } from "../figures.js";
import { isSignedIn } from "../page.js";
import { announce, html, Region, useEffect, useRef, useState } from "../ui.js";
import { arm, isArmed } from "./arm.js";
import { dragMove, submit } from "./ask.js";
import { draft, edit, setBookPrice } from "./draft.js";
import { bookState, top } from "./feed.js";
import { steps } from "./grouped.js";
import { COLUMNS, firstStep, Ladder } from "./ladder.js";
import { base, isContract, isPositive, opposite, priceShown, priceText, quote, TICK, toPrice } from "./market.js";
import { cancel } from "./send.js";
import { amounts } from "./settings.js";
import { store, useStore } from "./store.js";

const HEADS = { own: "Own", bid: "Bids", price: "Price", ask: "Asks", traded: "Traded" };
// The amount of one click, and the ladder that is drawn.
export const clickAmount = store("");
export const ladder = store(null);

// On the ladder of a contract a buy is one of yes; selling yes needs a holding, so an ask buys no.
function orderAt(column, price, isMaker) {
  const order = { type: "limit", amount: clickAmount.get() || amounts()[0] || "", option: isMaker ? "maker-or-cancel" : "" };
  if (column === "bid") return { ...order, side: "buy", price, ...(isContract && { outcome: "yes" }) };
  if (!isContract) return { ...order, side: "sell", price };
  return { ...order, side: "buy", outcome: "no", price: priceText(opposite(toPrice(price))) };
}

function act(column, price, orders, event) {
  const isSide = column === "bid" || column === "ask";
  if (!isArmed.get() || (!isSide && column !== "own")) {
    if (isSide && !isContract) edit({ side: column === "bid" ? "buy" : "sell" });
    if (draft.get().type === "market") edit({ type: "limit" });
    setBookPrice(price);
    return;
  }
  if (column === "own") {
    if (orders[0]) cancel(orders[0].id);
    return;
  }
  const order = orderAt(column, price, event.shiftKey);
  if (isPositive(order.amount)) submit(order);
  else announce("Choose an amount for the clicks first");
}

const drop = (order, price) =>
  dragMove(order, order.outcome === "no" ? priceText(opposite(toPrice(price))) : price, isArmed.get());

function ArmButton() {
  const isOn = useStore(isArmed);
  return html`<button type="button" class="small arm" data-arm aria-pressed=${isOn} disabled=${!isSignedIn()} onClick=${() => arm(!isOn)}
    title="Armed, a click on a bid or an ask places an order, and one on an own order cancels it">${isOn ? "Armed: a click trades"
      : "Arm one click"}</button>`;
}

function ClickAmount() {
  const value = useStore(clickAmount);
  useStore(top, ({ middle }) => Boolean(middle));
  const list = amounts();
  return html`<select class="step" name="click-amount" aria-label=${`Amount of a click, ${base}`} value=${value || list[0]}
    onChange=${(event) => clickAmount.set(event.target.value)}>${list.map((one) => html`<option
      value=${one}>${whole(one)}</option>`)}</select>`;
}

function Step({ step, choose }) {
  const figures = useStore(top, ({ middle }) => (middle ? String(middle).length : 0));
  return html`<select class="step" aria-label="Step of the ladder" value=${priceText(step)}
    onChange=${(event) => choose(toPrice(event.target.value))}>
    ${steps(TICK, figures && 10n ** BigInt(figures - 1)).map((one) => html`<option value=${priceText(one)} selected=${one === step}>
      ${priceShown(one)}</option>`)}</select>`;
}

export function LadderPanel() {
  const state = useStore(bookState);
  const isOn = useStore(isArmed);
  const place = useRef(null);
  const [step, setStep] = useState(TICK);
  const hasBook = useStore(top, ({ middle }) => middle !== undefined);
  useEffect(() => {
    const made = new Ladder(place.current, { act, drop });
    ladder.set(made);
    return () => made.stop();
  }, []);
  // The first step fits the first book; then it stays until the user chooses.
  useEffect(() => {
    if (hasBook) setStep(firstStep());
  }, [hasBook]);
  useEffect(() => ladder.get()?.setStep(step), [step, hasBook]);
  const tools = html`<${ArmButton} />`;
  return html`<${Region} name="ladder" title="Ladder" state=${state} className=${isOn ? "ladder armed" : "ladder"} tools=${tools}>
    <div class="ladder-tools"><label>Step <${Step} step=${step} choose=${setStep} /></label><label>Amount <${ClickAmount} /></label>
      <button type="button" class="small" onClick=${() => ladder.get()?.center()}>Centre <kbd>C</kbd></button></div>
    <div class="rung rung-head" aria-hidden="true">${COLUMNS.map((name) => html`<span class=${name}>${HEADS[name]}</span>`)}</div>
    <div class="fixed-rows" role="grid" tabindex="0" data-ladder ref=${place}
      aria-label=${`Ladder: own orders, bids, prices in ${quote}, asks and traded amounts in ${base}`}></div></${Region}>`;
}
