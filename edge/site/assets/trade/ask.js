// Dialogs that stand before an order is sent: confirmation, the price of a move, cancelling everything.
import { compare, isDecimal, read, step } from "../decimal.js";
import { whole } from "../figures.js";
import { Dialog, html, useState } from "../ui.js";
import { movesIntoTrade, wrongPrice } from "./checks.js";
import { outcome, plain, wrongWith } from "./draft.js";
import { bookState, isFar } from "./feed.js";
import { base, isPositive, quote, shownPrice, symbol, tick, toPrice } from "./market.js";
import { orders } from "./orders.js";
import { cancelAll, move, place } from "./send.js";
import { settings } from "./settings.js";
import { store, useStore } from "./store.js";

const asked = store(null);

// Asks with a dialog, `view(answer)`, and gives what it answers; undefined if it is closed.
function ask(view) {
  if (asked.get()) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    asked.set({
      view,
      answer(value) {
        asked.set(null);
        resolve(value);
      },
    });
  });
}

export function Asked() {
  const now = useStore(asked);
  return now && html`<${now.view} answer=${now.answer} />`;
}

// An Enter that is held down since before a question stood there does not answer it: no repeated one acts on this page.
addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.repeat) return;
  event.preventDefault();
  event.stopPropagation();
}, true);

const SIDES = { buy: "Buy", sell: "Sell" };

// An order in words, as its button says it.
export function wordsOf({ side, type, amount, price, stop, outcome, isReducing }) {
  const of = outcome ? `${outcome === "no" ? "No" : "Yes"}` : base;
  const what = `${SIDES[side]} ${isPositive(amount) ? whole(amount) : "–"} ${of}`;
  const at = isPositive(price) ? shownPrice(price) : "–";
  if (type === "market") return `${what} at market, ${at} at worst${isReducing ? ", only reduce" : ""}`;
  if (type === "stop-limit") return `${what} at ${at} from ${isPositive(stop) ? shownPrice(stop) : "–"} on`;
  return `${what} at ${at}${isReducing ? ", only reduce" : ""}`;
}

// Why an order is not sent at once, as a sentence; none if it is.
function reasonToAsk(order) {
  const { confirm, far } = settings();
  const { kind, since } = bookState.get();
  if (kind !== "live") return `The prices on this page are ${since ? `${Math.round((Date.now() - since) / 1000)} s old` : "not live"}.`;
  const asks = (rule) => rule === "always" || (isDecimal(rule) && compare(read(order.amount), read(rule)) > 0);
  if (order.type === "market") return asks(confirm.market) && "A market order trades at once, at the worst at the price that is shown.";
  if (order.type === "stop-limit") return asks(confirm.stop) && "The order waits for the stop price.";
  if (isFar(order.side, toPrice(order.price), far, order.outcome) && asks(confirm.far)) {
    return `It would trade at once, more than ${far / 100} % from the middle of the book.`;
  }
  return asks(confirm.limit) && "Limit orders are confirmed, by your setting.";
}

const Confirm = (order, reason) => ({ answer }) => html`<${Dialog} title=${wordsOf(order)} onClose=${() => answer(false)}>
  <p>${reason}</p>
  <div class="dialog-end"><button type="button" onClick=${() => answer(false)}>Back</button>
    <button type="button" class=${order.side} value="confirm" autofocus onClick=${() => answer(true)}>${SIDES[order.side]}</button></div>
</${Dialog}>`;

// Sends an order, after asking where the settings say so. Gives the exchange's order or null.
export async function submit(order) {
  const reason = reasonToAsk(order);
  if (reason && !(await ask(Confirm(order, reason)))) return null;
  return place(order);
}

const Trades = (order, price) => ({ answer }) => html`<${Dialog} title="The move would trade at once" onClose=${() => answer(false)}>
  <p>At ${shownPrice(price)} ${quote} the order meets the other side of the book.</p>
  <div class="dialog-end"><button type="button" onClick=${() => answer(false)}>Back</button>
    <button type="button" class=${order.side} value="confirm" autofocus onClick=${() => answer(true)}>Move and trade</button></div>
</${Dialog}>`;

async function checkedMove(order, to) {
  if (movesIntoTrade(order, to.price) && !(await ask(Trades(order, to.price)))) return;
  await move(order.id, to);
}

function arrows(value, set) {
  return (event) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    if (!wrongWith(value)) set(step(plain(value) || "0", tick, by * (event.shiftKey ? 10 : 1)));
  };
}

// What is wrong with a typed price, as a sentence; none while there is none.
const wrong = (typed) => wrongWith(typed) || (typed.trim() ? wrongPrice(plain(typed)) : "");

const Price = ({ name, label, value, set }) => html`<div class="field"><label for=${`move-${name}`}>${label}, ${quote}</label>
  <input id=${`move-${name}`} name=${name} inputmode="decimal" autocomplete="off" value=${value} autofocus=${name === "price"}
    aria-invalid=${wrong(value) ? "true" : undefined} aria-describedby=${wrong(value) ? `move-${name}-wrong` : undefined}
    onInput=${(event) => set(event.target.value)} onKeyDown=${arrows(value, set)} />
  ${wrong(value) && html`<p class="warning" id=${`move-${name}-wrong`} role="status" data-wrong=${name}>${wrong(value)}</p>`}</div>`;

const MoveTo = (order, first, firstStop) => function Move({ answer }) {
  const [price, setPrice] = useState(first ?? order.price);
  const [stop, setStop] = useState(firstStop ?? order.stop ?? "");
  const isStop = order.type === "stop-limit";
  const isGood = (typed) => Boolean(plain(typed)) && !wrong(typed);
  const isReady = isGood(price) && (!isStop || isGood(stop)) && (price !== order.price || stop !== (order.stop ?? ""));
  const send = (event) => {
    event.preventDefault();
    if (isReady) answer({ price: plain(price), ...(isStop && { stop: plain(stop) }) });
  };
  return html`<${Dialog} title=${`Move: ${SIDES[order.side]} ${whole(order.remaining)} ${base}`} onClose=${() => answer(null)}>
    <form class="form" name="move" onSubmit=${send}>
      <p class="note">The order is cancelled, then what is left of it is sent at the new price. Its place in the queue is lost.</p>
      <${Price} name="price" label="Price" value=${price} set=${setPrice} />
      ${isStop && html`<${Price} name="stop_price" label="Stop price" value=${stop} set=${setStop} />`}
      <div class="dialog-end"><button type="button" onClick=${() => answer(null)}>Back</button>
        <button class="main" value="confirm" disabled=${!isReady}>Move</button></div>
    </form></${Dialog}>`;
};

// Asks for the new price of an order, or of a stop its trigger too, and moves it there.
export async function askMove(id, price, stop) {
  const order = orders.get().get(id);
  if (!order || order.isUnknown || order.busy) return;
  if (order.symbol !== symbol) {
    outcome.set({ isGood: false, words: `The order is of ${order.symbol.toUpperCase()}: it is moved on the page of that market.` });
    return;
  }
  const to = await ask(MoveTo(order, price, stop));
  if (to) await checkedMove(order, to);
}

// Moves an order to a price that a drag named. Where one click trades it goes at once.
export function dragMove(order, price, isArmed) {
  return isArmed && bookState.get().kind === "live" ? checkedMove(order, { price, stop: order.stop }) : askMove(order.id, price);
}

const All = ({ answer }) => html`<${Dialog} title="Cancel every order of the account?" onClose=${() => answer(false)}>
  <p>Orders of other markets are cancelled too.</p>
  <div class="dialog-end"><button type="button" onClick=${() => answer(false)}>Back</button>
    <button type="button" class="main" value="confirm" autofocus onClick=${() => answer(true)}>Cancel all</button></div>
</${Dialog}>`;

export async function askCancelAll() {
  if (await ask(All)) await cancelAll();
}

// Opens a dialog of another part of the page.
export const openDialog = (view) => ask(view);
