// What the exchange would do with the ticket's order now. The core decides it; the page only shows the texts.
import { change } from "../decimal.js";
import { money } from "../figures.js";
import { isSignedIn, url } from "../page.js";
import { endOf } from "../reasons.js";
import { Exact, html, Whole } from "../ui.js";
import { Claims } from "./claims.js";
import { draft, isComplete, most, outcome, preview } from "./draft.js";
import { bookState, last, onBook, top } from "./feed.js";
import { previewed, saidBy } from "./lookup.js";
import { base, isContract, isPerpetual, isPositive, market, ONE, priceText, quote, shownAverage, shownPrice } from "./market.js";
import { balances } from "./money.js";
import { orders } from "./orders.js";
import { ownMeeting } from "./stops.js";
import { store, useStore } from "./store.js";

// How long after the last change it is asked for, and how often again while the book moves.
const [PAUSE, AGAIN] = [150, 2_000];

const isAsking = store(false);

// A figure of the preview. `shown` writes it: money of its unit, unless another function is named.
export const Row = ({ name, label, value, unit = "", shown = (words) => money(words, unit) }) => value !== null && value !== undefined && html`
  <dt><${Whole} text=${label} /></dt><dd key=${`${name} ${value}`} data-preview=${name} data-value=${value}><${Exact} text=${value} shown=${shown(value)}
    unit=${unit} name=${name} /></dd>`;

// Words of the exchange. Those of terms that are not accepted lead to the page on which they are.
export const Said = ({ words }) => (/not accepted the (latest )?terms/i.test(words)
  ? html`<a href=${url("/predictions")} data-terms>Accept the terms first</a>` : html`<${Whole} text=${words} />`);

// How far the average is from the middle of the book, in per cent.
function slippage(average, named) {
  const { middle } = top.get();
  if (middle === undefined || average === null) return null;
  return change(priceText(named === "no" ? ONE - middle : middle), average);
}

const Perpetual = ({ shown }) => html`
  <${Row} name="position_after" label="Position afterwards" value=${shown.position_after} unit=${base} />
  <${Row} name="leverage_after" label="Leverage" value=${shown.leverage_after} unit="×" />
  <${Row} name="margin_after" label="Margin" value=${shown.margin_after} unit=${quote} />
  <${Row} name="liquidation_price_after" label="Liquidation price" value=${shown.liquidation_price_after} unit=${quote}
    shown=${shownAverage} />`;

// What an order pays with: a sale with the currency or the claims that it sells.
const paysIn = ({ side }) => (side === "buy" || isPerpetual ? quote : base);
const costOf = ({ side }) => (isPerpetual ? "Value" : side === "buy" ? "Cost" : "Proceeds");

// A stop is in no book before its price is reached.
const restsOf = ({ type, stop }) => (type === "stop-limit" ? `Waits for ${shownPrice(stop)}` : "Rests in the book");

// A stop that would trade with an own order when its price is reached is cancelled then, and not refused now.
function MeetsOwn({ of }) {
  const own = of.type === "stop-limit" && ownMeeting(of);
  return own && html`<p class="notice" role="status" data-preview="own" data-value=${own.id}><${Whole}
    text=${`When the stop is reached, the order would meet your own at ${shownPrice(own.price)} and be cancelled.`} /></p>`;
}

function Good({ shown }) {
  const slip = slippage(shown.average_price, shown.of.outcome);
  return html`<dl class="pairs">
    <${Row} name="executed" label="Trades now" value=${shown.executed} unit=${isContract ? "" : base} />
    <${Row} name="average_price" label="Average price" value=${shown.average_price} unit=${quote} shown=${shownAverage} />
    <${Row} name="worst_price" label="Worst price" value=${shown.worst_price} unit=${quote} shown=${shownPrice} />
    ${slip && html`<dt>Against the middle</dt><dd key=${`slippage ${slip}`} data-preview="slippage" data-value=${slip.replace(" %", "")}>${slip}</dd>`}
    <${Row} name="rests" label=${restsOf(shown.of)} value=${shown.rests} unit=${isContract ? "" : base} />
    <${Row} name="cost" label=${costOf(shown.of)} value=${shown.cost} unit=${quote} />
    <${Row} name="fee" label="Fee" value=${shown.fee} unit=${quote} />
    <${Row} name="hold" label="Held for the rest" value=${shown.hold} unit=${paysIn(shown.of)} />
    <${Row} name="available_after" label="Available afterwards" value=${shown.available_after} unit=${paysIn(shown.of)} />
    <${Row} name="most" label="Most that is possible" value=${shown.most} unit=${isContract ? "" : base} />
    ${isPerpetual && html`<${Perpetual} shown=${shown} />`}${isContract && html`<${Claims} shown=${shown} Row=${Row} />`}
  </dl>`;
}

// Of an order that would be taken: why it, or what is left of it, would be cancelled at once.
function Cancelled({ shown }) {
  const why = endOf(shown.reason);
  const words = isPositive(shown.executed ?? "") ? `The rest would be cancelled: ${why}.` : `The order would be cancelled: ${why}.`;
  return html`<p class="notice" role="status" data-preview="reason" data-value=${shown.reason}><${Whole} text=${words} /></p>`;
}

export function Preview() {
  const shown = useStore(preview);
  const isOld = useStore(isAsking);
  // A refusal that stands above already is not said again.
  const said = useStore(outcome, (told) => told?.words);
  useStore(orders);
  if (!shown) return html`<p class="note preview-empty">With price and amount, this shows what the order would do now.</p>`;
  return html`<section class="preview" aria-label="What the order would do now" data-preview-state=${isOld ? "asking" : "current"}>
    ${shown.message && shown.message !== said && html`<p class="notice bad" role="status" data-preview="message" data-value=${shown.message}
      data-reason=${shown.reason}><${Said} words=${shown.message} /></p>`}
    ${shown.result === "ok" && shown.reason && html`<${Cancelled} shown=${shown} />`}
    <${MeetsOwn} of=${shown.of} />
    ${shown.result === "ok" ? html`<${Good} shown=${shown} />` : shown.most && html`<dl class="pairs">
      <${Row} name="most" label="Most that is possible" value=${shown.most} unit=${isContract ? "" : base} /></dl>`}
  </section>`;
}

let turn = 0;
let timer = 0;
let later = 0;
let asked = 0;
let sent = "";

async function answerTo(order) {
  try {
    return { ...(await previewed(order)), of: order };
  } catch (failure) {
    // What cannot be read as an order is refused as the order would be; without an answer nothing is claimed.
    if (failure.isLost || failure.status === 0) return null;
    return { result: "refused", reason: failure.reason, message: saidBy(failure), of: order };
  }
}

const setMost = ({ side, outcome }, shown) => most.set(shown?.most ? { side, outcome, amount: shown.most } : null);

async function ask(order) {
  const mine = ++turn;
  asked = Date.now();
  isAsking.set(true);
  const shown = await answerTo(order);
  if (mine !== turn) return;
  isAsking.set(false);
  setMost(order, shown);
  preview.set(shown);
}

// Of an order that lacks its amount alone: the most that is possible, by the least order.
async function askMost(order) {
  const mine = ++turn;
  asked = Date.now();
  isAsking.set(false);
  preview.set(null);
  const least = { ...order, amount: market.minimum };
  const shown = isComplete(least) ? await answerTo(least) : null;
  if (mine === turn) setMost(order, shown);
}

// Follows the form, and the book while an order is in the form. Returns a function that ends it.
export function startPreview(orderNow) {
  if (!isSignedIn()) return () => {};
  const due = () => {
    clearTimeout(later);
    [timer, later] = [0, 0];
    const order = orderNow();
    if (order) (isComplete(order) ? ask : askMost)(order);
  };
  const changed = () => {
    const order = orderNow();
    const now = JSON.stringify(order);
    if (now === sent) return;
    sent = now;
    isAsking.set(true);
    clearTimeout(timer);
    timer = setTimeout(due, PAUSE);
  };
  const late = () => {
    later = 0;
    if (!timer && !document.hidden && bookState.get().kind === "live") due();
  };
  // After every change of the market one more question follows, if not at once then when it may.
  const again = () => {
    if (!timer && !document.hidden) later ||= setTimeout(late, Math.max(0, asked + AGAIN - Date.now()));
  };
  document.addEventListener("visibilitychange", again);
  // A market order needs a book before it has a bound.
  const ends = [draft.subscribe(changed), onBook(again), last.subscribe(again), balances.subscribe(again), () => {
    clearTimeout(timer);
    clearTimeout(later);
    document.removeEventListener("visibilitychange", again);
  }];
  return () => ends.forEach((end) => end());
}
