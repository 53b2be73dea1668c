// What the exchange would do with the ticket's order now. The core decides it; the page only shows the texts.
import { post } from "../call.js";
import { change, grouped, ratio, read, short, sum, text } from "../decimal.js";
import { isSignedIn } from "../page.js";
import { html } from "../ui.js";
import { draft, isComplete, preview } from "./draft.js";
import { bookState, last, onBook, top } from "./feed.js";
import { payload } from "./lookup.js";
import { base, isContract, isPerpetual, isPositive, ONE, priceText, quote } from "./market.js";
import { store, useStore } from "./store.js";

// How long after the last change it is asked for, and how often again while the book moves.
const [PAUSE, AGAIN] = [150, 2_000];

const isAsking = store(false);

const Row = ({ name, label, value, unit = "", places }) => value !== null && value !== undefined && html`<dt>${label}</dt>
  <dd data-preview=${name} data-value=${value}
    title=${`${value} ${unit}`}>${grouped(short(value, places ?? 8))}${unit && html` <small>${unit}</small>`}</dd>`;

// How far the average is from the middle of the book, in per cent.
function slippage(average) {
  const { middle } = top.get();
  if (middle === undefined || average === null) return null;
  return change(priceText(draft.get().outcome === "no" ? ONE - middle : middle), average);
}

function Contract({ shown }) {
  if (!shown.payout) return null;
  const paid = [shown.cost, shown.fee, shown.hold].filter(Boolean).reduce((total, one) => sum(total, read(one)), read("0"));
  const even = isPositive(shown.payout) ? text({ digits: ratio(paid, read(shown.payout), 10_000), places: 2 }) : null;
  const isBuy = draft.get().side === "buy";
  return html`<${Row} name="payout" label="Pays if it comes true" value=${shown.payout} unit=${quote} />
    ${isBuy && html`<${Row} name="most_lost" label="Most that is lost" value=${text(paid)} unit=${quote} />
      <${Row} name="break_even" label="Breaks even from" value=${even} unit="%" />`}`;
}

const Perpetual = ({ shown }) => html`
  <${Row} name="position_after" label="Position afterwards" value=${shown.position_after} unit=${base} />
  <${Row} name="leverage_after" label="Leverage" value=${shown.leverage_after} unit="×" places=${2} />
  <${Row} name="margin_after" label="Margin" value=${shown.margin_after} unit=${quote} places=${2} />
  <${Row} name="liquidation_price_after" label="Liquidation price" value=${shown.liquidation_price_after} unit=${quote} places=${2} />`;

function Good({ shown }) {
  const slip = slippage(shown.average_price);
  return html`<dl class="pairs">
    <${Row} name="executed" label="Trades now" value=${shown.executed} unit=${isContract ? "" : base} />
    <${Row} name="average_price" label="Average price" value=${shown.average_price} unit=${quote} />
    <${Row} name="worst_price" label="Worst price" value=${shown.worst_price} unit=${quote} />
    ${slip && html`<dt>Against the middle</dt><dd data-preview="slippage" data-value=${slip.replace(" %", "")}>${slip}</dd>`}
    <${Row} name="rests" label="Rests in the book" value=${shown.rests} unit=${isContract ? "" : base} />
    <${Row} name="cost" label="Cost" value=${shown.cost} unit=${quote} />
    <${Row} name="fee" label="Fee" value=${shown.fee} unit=${quote} />
    <${Row} name="hold" label="Held for the rest" value=${shown.hold}
      unit=${draft.get().side === "buy" || isPerpetual || isContract ? quote : base} />
    <${Row} name="available_after" label="Available afterwards" value=${shown.available_after} unit=${quote} />
    <${Row} name="most" label="Most that is possible" value=${shown.most} unit=${isContract ? "" : base} />
    ${isPerpetual && html`<${Perpetual} shown=${shown} />`}${isContract && html`<${Contract} shown=${shown} />`}
  </dl>`;
}

export function Preview() {
  const shown = useStore(preview);
  const isOld = useStore(isAsking);
  if (!shown) return html`<p class="note preview-empty">With price and amount, this shows what the order would do now.</p>`;
  return html`<section class="preview" aria-label="What the order would do now" data-preview-state=${isOld ? "asking" : "current"}>
    ${shown.message && html`<p class="notice bad" role="status" data-preview="message" data-value=${shown.message}
      data-reason=${shown.reason}>${shown.message}</p>`}
    ${shown.result === "ok" ? html`<${Good} shown=${shown} />` : shown.most && html`<dl class="pairs">
      <${Row} name="most" label="Most that is possible" value=${shown.most} unit=${isContract ? "" : base} /></dl>`}
  </section>`;
}

let turn = 0;
let timer = 0;
let asked = 0;
let sent = "";

async function ask(order) {
  const mine = ++turn;
  const { request, ...fields } = payload(order);
  asked = Date.now();
  isAsking.set(true);
  let shown;
  try {
    shown = await post("/site/preview", { request, ...fields });
  } catch (failure) {
    // What cannot be read as an order is refused as the order would be; without an answer nothing is claimed.
    shown = failure.isLost || failure.status === 0 ? null : { result: "refused", reason: failure.reason, message: failure.plain };
  }
  if (mine !== turn) return;
  isAsking.set(false);
  preview.set(shown);
}

// Follows the form, and the book while an order is in the form. Returns a function that ends it.
export function startPreview(orderNow) {
  if (!isSignedIn()) return () => {};
  const due = () => {
    timer = 0;
    const order = orderNow();
    if (order && isComplete(order)) return ask(order);
    turn++;
    isAsking.set(false);
    return preview.set(null);
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
  const again = () => {
    if (!timer && !document.hidden && preview.get() && Date.now() - asked > AGAIN && bookState.get().kind === "live") due();
  };
  const ends = [draft.subscribe(changed), onBook(again), last.subscribe(again), () => clearTimeout(timer)];
  return () => ends.forEach((end) => end());
}
