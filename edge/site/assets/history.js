// The closed orders of the account: how each ended and why, its average price, and its trades.
import { ask } from "./account/calls.js";
import { useFollowed } from "./account/live.js";
import { call, getOwn } from "./call.js";
import { showFault } from "./faults.js";
import { decimalsOf, price } from "./figures.js";
import { Rest, marksOf } from "./lists.js";
import { isSignedIn, url } from "./page.js";
import { endOf } from "./reasons.js";
import { clock, day, moment } from "./time.js";
import { ActButton, Amount, Average, Dialog, Money, Price, Region, Side, html, useState } from "./ui.js";

const [FEW, MANY] = [50, 500];
const FORCED = { liquidation: "liquidation", deleveraging: "deleveraging" };
const TYPES = { "exchange limit": "Limit", "stop-limit": "Stop", "market buy": "Market", "market sell": "Market", limit: "Limit",
  "auction-only exchange limit": "Auction" };

const bare = (words) => (words?.includes(".") ? words.replace(/\.?0+$/, "") : words);

// An order of a contract in the form of the others. Its trades are asked for when they are looked at.
const ofContract = (order) => ({
  order_id: String(order.orderId), symbol: order.symbol, side: order.side, outcome: order.outcome, type: order.orderType, price: order.price,
  stop: order.stopPrice, amount: order.quantity, executed: order.filledQuantity, average_price: order.avgExecutionPrice, currency: "USD",
  state: order.status, reason: order.cancelReason, placed: Date.parse(order.createdAt),
  closed: Date.parse(order.cancelledAt ?? order.updatedAt ?? order.createdAt),
});

async function load({ symbol, isContract }, limit) {
  const of = symbol ? { symbol } : {};
  const listed = !isContract && getOwn(`/site/history?${new URLSearchParams({ ...of, limit })}`);
  const contracts = (isContract || !symbol) && ask("/v1/prediction-markets/orders/history", { ...of, limit });
  const [orders, claims] = await Promise.all([listed, contracts]);
  const all = [...(orders ? orders.orders : []), ...(claims ? claims.orders.map(ofContract) : [])];
  all.sort((one, other) => other.closed - one.closed || other.placed - one.placed);
  return { orders: all, more: Boolean(orders?.more) || (claims ? claims.orders.length >= limit : false) };
}

// The trades of an order of a contract are among those of the account.
async function tradesOf(order) {
  if (order.fills) return order.fills;
  const trades = await call("/v1/mytrades", { symbol: order.symbol, limit_trades: 500 });
  return trades.filter((trade) => trade.order_id === order.order_id)
    .map((trade) => ({ tid: trade.tid, at: trade.timestampms, price: trade.price, amount: trade.amount, fee: trade.fee_amount }));
}

const Cell = ({ children }) => html`<td class="number">${children}</td>`;

function Trades({ order, trades, onClose }) {
  return html`<${Dialog} title=${`Trades of the order ${order.order_id}`} onClose=${onClose}>
    ${trades.length === 0 && html`<p>${/[1-9]/.test(order.executed ?? "")
      ? html`Its trades are older than the newest ${MANY} of this market. The <a href=${url("/account/statement")}>statement</a> has them.`
      : "This order has no trades."}</p>`}
    ${trades.length > 0 && html`<div class="scroll" tabindex="0" role="group" aria-label="Trades"
      ...${marksOf("trades-of-order", trades.length)}><table><thead><tr><th>Time</th><th
      class="number">Price, ${order.currency}</th><th class="number">Amount</th><th class="number">Fee, ${order.currency}</th><th>Trade</th></tr>
      </thead><tbody>${trades.map((trade) => html`<tr key=${trade.tid} data-trade=${trade.tid}><td title=${moment(trade.at)}>${day(trade.at)} ${
        clock(trade.at)}</td><${Cell}><${Price} text=${trade.price} places=${decimalsOf(order.symbol)} /></${Cell}><${Cell}><${Amount} text=${bare(trade.amount)}
        /></${Cell}><${Cell}><${Money} text=${trade.fee} currency=${order.currency} unit="" /></${Cell}>
        <td class="soft">${trade.tid}</td></tr>`)}</tbody></table></div>`}</${Dialog}>`;
}

const countOf = ({ fills }) => (fills ? `${fills.length} fill${fills.length === 1 ? "" : "s"}` : "Fills");

// How an order ended, in words.
function End({ order }) {
  const isFilled = order.state === "filled";
  const isPart = !isFilled && /[1-9]/.test(order.executed ?? "");
  const state = isFilled ? "Filled" : isPart ? "Filled in part, rest cancelled" : "Cancelled";
  return html`<td class="wrap">${order.forced && html`<b class="tag bad">${FORCED[order.forced]}</b> `}${state}${order.reason
    && !order.forced ? html`<span class="soft">: ${endOf(order.reason)}</span>` : ""}</td>`;
}

function Row({ order, hasMarket, onShow }) {
  const traded = /[1-9]/.test(order.executed ?? "");
  return html`<tr data-closed=${order.order_id} data-end=${order.state} data-forced=${order.forced ?? ""}>
    <td title=${moment(order.closed)}>${day(order.closed)} ${clock(order.closed)}</td>
    ${hasMarket && html`<td><a href=${url(`/trade/${order.symbol.toLowerCase()}`)}>${order.symbol.toUpperCase()}</a></td>`}
    <td><${Side} side=${order.side} />${order.outcome && ` ${order.outcome}`}</td><td>${TYPES[order.type] ?? order.type}${order.stop
      ? html` <small class="soft">at ${price(order.stop, decimalsOf(order.symbol))}</small>` : ""}</td>
    <${End} order=${order} /><${Cell}><${Amount} text=${bare(order.executed)} /></${Cell}><${Cell}><${Average} text=${order.average_price}
      places=${decimalsOf(order.symbol)} /></${Cell}><${Cell}><${Amount} text=${bare(order.amount)} /></${Cell}><${Cell}><${Price}
      text=${order.price} places=${decimalsOf(order.symbol)} /></${Cell}>
    <td>${traded ? html`<${ActButton} type="button" className="small" value="fills" aria-label=${`${countOf(order)} of the order ${order.order_id}`}
      onClick=${() => onShow(order)}>${countOf(order)}</${ActButton}>`
      : "–"}</td></tr>`;
}

// Closed orders of one market, or of all.
export function History({ symbol = "", isContract = false }) {
  const [limit, setLimit] = useState(FEW);
  const [shown, setShown] = useState(null);
  const [state, value, retry] = useFollowed(() => (isSignedIn() ? load({ symbol, isContract }, limit) : { orders: [], more: false }),
    isSignedIn() ? ["orders@account"] : [], { inputs: [limit] });
  const show = async (order) => {
    try {
      setShown({ order, trades: await tradesOf(order) });
      showFault("trades-of-order", "");
    } catch (failure) {
      showFault("trades-of-order", `The trades of the order could not be read. ${failure.message}`);
    }
  };
  const orders = value?.orders ?? [];
  const total = value?.more ? "more" : orders.length;
  const empty = value && orders.length === 0 && html`<p>${isSignedIn() ? "No order has ended yet. Filled and cancelled ones stand here."
    : "Signed in, you see your closed orders here."}</p>`;
  return html`<${Region} name="history" title="History" state=${state} retry=${retry} empty=${empty} className="history">
    <div class="scroll" tabindex="0" role="group" aria-label="Closed orders"
      ...${marksOf("history", orders.length, total)}><table><thead><tr><th>Ended</th>${!symbol
      && html`<th>Market</th>`}<th>Side</th><th>Type</th><th>End</th><th class="number">Filled</th><th
      class="number">Average</th><th class="number">Amount</th><th class="number">Price</th><th>Trades</th></tr></thead>
      <tbody>${orders.map((order) => html`<${Row} key=${order.order_id} order=${order} hasMarket=${!symbol} onShow=${show} />`)}</tbody></table>
    </div>
    <${Rest} shown=${orders.length} total=${total} what="closed orders" onMore=${limit < MANY && (() => setLimit(MANY))}
      link=${limit >= MANY && { href: url("/docs#post_v1_orders_history"), words: "A call has all of them" }} />
    ${shown && html`<${Trades} ...${shown} onClose=${() => setShown(null)} />`}</${Region}>`;
}
