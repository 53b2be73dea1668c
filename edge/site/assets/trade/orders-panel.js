// The account's live orders and fills as tables.
import { decimalsOf, money, price, whole } from "../figures.js";
import { isSignedIn, signInUrl, url } from "../page.js";
import { clock, moment } from "../time.js";
import { Exact, html, Region, SendButton, Side, useCallback, useState, Whole } from "../ui.js";
import { askCancelAll, askMove } from "./ask.js";
import { base, PRICE_PLACES, quote, shownPrice, symbol } from "./market.js";
import { forced } from "./forced.js";
import { fills, fillsTotal, loadMoreFills, mayLoadFills } from "./fills.js";
import { accountState, chosen, executedOf, orders, queue, queueFault, tryAgain } from "./orders.js";
import { cancel, cancelSymbol, isCancellingMany } from "./send.js";
import { useStore } from "./store.js";
import { Windowed } from "./windowed.js";

const TYPES = { limit: "Limit", "stop-limit": "Stop", market: "Market" };
const BUSY = { cancelling: "Cancelling …", moving: "Moving …" };

const Number = ({ text }) => html`<td class="number" data-value=${text} title=${text}><${Whole} text=${whole(text)} /></td>`;

export const SignedOut = ({ what }) => html`<p>Signed in, you see ${what} here.</p><p><a class="button" href=${signInUrl()}>Sign in</a>
  </p>`;

// The decimals of prices in an order's market.
const placesIn = (order) => (order.symbol === symbol ? PRICE_PLACES : decimalsOf(order.symbol));

// How an order stands: what is done to it, or how long its queue is.
function standing(order, place) {
  if (order.isUnknown) return "unknown";
  if (order.busy) return BUSY[order.busy];
  return order.type === "stop-limit" ? `waits for ${price(order.stop, placesIn(order))}` : whole(place?.ahead);
}

const typeOf = ({ type, isReached }) => (isReached ? "Limit (stop reached)" : TYPES[type] ?? type);

function Order({ order, place, isChosen, hasMarket }) {
  const isOther = order.symbol !== symbol;
  const isHeld = Boolean(order.busy || order.isUnknown);
  const of = `${order.side} at ${price(order.price, placesIn(order))}`;
  return html`<tr data-order=${order.id} data-symbol=${order.symbol} data-state=${order.isUnknown ? "unknown" : order.busy ?? "live"}
    aria-selected=${isChosen} class=${isChosen ? "chosen" : ""} onClick=${() => chosen.set(order.id)} onFocusIn=${() =>
      chosen.set(order.id)}>
    <td title=${order.at ? moment(order.at) : ""}>${order.at ? clock(order.at) : "–"}</td>
    ${hasMarket && html`<td>${isOther ? html`<a
      href=${url(`/trade/${order.symbol}`)}>${order.symbol.toUpperCase()}</a>` : order.symbol.toUpperCase()}</td>`}
    <td><${Side} side=${order.side} />${order.outcome && ` ${order.outcome}`}</td>
    <td><${Whole} text=${typeOf(order)} />${order.options?.[0] === "maker-or-cancel" ? html` <small class="soft"
      title="Maker or cancel">maker</small>` : ""}</td>
    <td class="number" data-value=${order.price}>${price(order.price, placesIn(order))}</td><${Number} text=${order.amount} /><${Number}
      text=${executedOf(order)} /><${Number} text=${order.remaining} />
    <td class="number">${order.isUnknown ? html`<b class="warning">unknown</b>`
      : html`<${Whole} text=${standing(order, place)} />`}</td>
    <td class="acts"><${SendButton} type="button" className="small" value="cancel" isBusy=${order.busy === "cancelling"} isOff=${isHeld}
      aria-label=${`Cancel ${of}`} onClick=${() => cancel(order.id)}>Cancel</${SendButton}>
      <${SendButton} type="button" className="small" value="move" isBusy=${order.busy === "moving"} isOff=${isHeld || isOther}
        aria-label=${`Move ${of}`} onClick=${() => askMove(order.id)}>Move</${SendButton}></td></tr>`;
}

const head = (hasMarket) => html`<th>Time</th>${hasMarket && html`<th>Market</th>`}<th>Side</th><th>Type</th><th class="number">Price</th>
  <th class="number">Amount</th>
  <th class="number">Filled</th><th class="number">Remains</th><th class="number">Ahead</th><th><span class="unseen">Acts</span></th>`;

export function Orders() {
  const state = useStore(accountState);
  const all = useStore(orders);
  const places = useStore(queue);
  const now = useStore(chosen);
  const isCancelling = useStore(isCancellingMany);
  const [isHere, setHere] = useState(true);
  const fault = useStore(queueFault);
  const here = [...all.values()].filter((order) => order.symbol === symbol);
  const list = (isHere ? here : [...all.values()]).reverse();
  const row = useCallback((order) => html`<${Order} key=${order.id} order=${order} place=${places.get(order.id)}
    isChosen=${order.id === now} hasMarket=${!isHere} />`,
    [places, now, isHere]);
  const empty = !isSignedIn() ? html`<${SignedOut} what="your live orders" />` : list.length === 0 && html`<p>No live orders${
    isHere && all.size ? html` in this market, <button type="button" class="link"
      onClick=${() => setHere(false)}><${Whole} text=${`${all.size} in others`} /></button>` : ""}.
    Place one with the ticket, or click a price in the book.</p>`;
  const tools = isSignedIn() && html`<span class="buttons">
    <label class="check"><input type="checkbox" name="all-markets" checked=${!isHere}
      onChange=${(event) => setHere(!event.target.checked)} /> All markets</label>
    <${SendButton} type="button" className="small" value="cancel-symbol" title="Cancel all orders of this market" isBusy=${isCancelling}
      isOff=${!here.length} onClick=${cancelSymbol}>Cancel ${symbol.toUpperCase()}</${SendButton}>
    <${SendButton} type="button" className="small" value="cancel-account" title="Cancel all orders of the account" isOff=${!all.size}
      isBusy=${isCancelling} onClick=${askCancelAll}>Cancel all</${SendButton}></span>`;
  return html`<${Region} name="orders" title="Orders" state=${state} retry=${tryAgain} empty=${empty} tools=${tools} className="orders">
    ${fault && html`<p class="warning list-rest" role="status" data-fault="queue">The places in the queue cannot be read. ${fault}</p>`}
    <${Windowed} items=${list} head=${head(!isHere)} columns=${isHere ? 9 : 10} label="Live orders" refuge="#table-orders"
      row=${row} /></${Region}>`;
}

const FILL_HEAD = html`<th>Time</th><th>Side</th><th class="number">Price, ${quote}</th><th class="number">Amount, ${base}</th><th
  class="number">Fee</th>
  <th>As</th><th>Order</th>`;

const ROLES = { true: "maker", false: "taker", undefined: "–" };
const feeIn = ({ feeCurrency }) => feeCurrency ?? quote;

// `why` is why the exchange placed the order, if it did.
const Fill = ({ fill, why }) => html`<tr data-fill=${fill.id} data-forced=${why}><td title=${moment(fill.at)}>${clock(fill.at)}</td>
  <td><${Side} side=${fill.side} />${fill.outcome && ` ${fill.outcome}`}</td><td class="number"
    data-value=${fill.price}>${shownPrice(fill.price)}</td><${Number} text=${fill.amount} />
  <td class="number" data-value=${fill.fee} title=${fill.fee}>${fill.fee ? html`<${Exact} text=${fill.fee}
    shown=${money(fill.fee, feeIn(fill))} name="fee" />` : "–"} <small class="soft">${feeIn(fill)}</small></td>
  <td>${why ? html`<b class="tag bad">${why}</b>` : html`<${Whole} text=${ROLES[fill.isMaker]} />`}</td><td class="soft">${fill.order}</td></tr>`;

const ALL_FILLS = { href: url("/account/statement?cause=trade"), words: "The statement has all trades" };

export function Fills() {
  const state = useStore(accountState);
  const list = useStore(fills);
  const total = useStore(fillsTotal);
  const whys = useStore(forced);
  const empty = !isSignedIn() ? html`<${SignedOut}
    what="your trades in this market" />` : list.length === 0 && html`<p>No trades in this market yet.</p>`;
  return html`<${Region} name="fills" title="Fills" state=${state} empty=${empty} className="fills">
    <${Windowed} items=${list} head=${FILL_HEAD} columns=${7} name="Fills" label="Trades of this market" total=${total === "more" ? total : list.length}
      rest=${mayLoadFills() ? { what: "fills", onMore: loadMoreFills } : { what: "fills", link: ALL_FILLS }} row=${(fill) => html`<${Fill} key=${fill.id}
      fill=${fill} why=${whys.get(fill.order)} />`} /></${Region}>`;
}
