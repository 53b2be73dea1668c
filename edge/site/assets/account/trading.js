// Live orders, trades, positions and contracts of the account.
import { call, getOwn } from "../call.js";
import { liveContractOrders } from "../contract-orders.js";
import { totalOf, usePart } from "../lists.js";
import { url } from "../page.js";
import { html, Region, SendButton, Side, useState } from "../ui.js";
import { ask } from "./calls.js";
import { useFollowed } from "./live.js";
import { FailureNote, Time, timeTitle, useAct } from "./parts.js";
import { Table, amounts, averages, money, prices, sums } from "./table.js";

// Rows that a list begins with, and the most trades that the exchange answers with.
const [FIRST, MOST] = [50, 500];

const Market = ({ symbol }) => html`<a href=${url(`/trade/${symbol.toLowerCase()}`)}>${symbol.toUpperCase()}</a>`;

const spotOrder = (order) => ({
  id: order.order_id, symbol: order.symbol, side: order.side, outcome: "", kind: order.options[0] ?? order.type.replace("exchange ", ""),
  price: order.price, filled: order.executed_amount, remaining: order.remaining_amount, at: order.timestampms,
  cancel: () => call("/v1/order/cancel", { order_id: order.order_id }),
});

const contractOrder = (order) => ({
  id: String(order.orderId), symbol: order.symbol, side: order.side, outcome: order.outcome, kind: order.orderType, price: order.price,
  filled: order.filledQuantity, remaining: order.remainingQuantity, at: Date.parse(order.createdAt),
  cancel: () => call("/v1/prediction-markets/order/cancel", { orderId: order.orderId }),
});

async function loadOrders() {
  const [orders, contracts] = await Promise.all([ask("/v1/orders"), liveContractOrders(ask)]);
  return [...orders.map(spotOrder), ...contracts.map(contractOrder)].sort((one, other) => other.at - one.at);
}

const orderColumns = (act, reload) => [
  { title: "Market", cell: ({ symbol }) => html`<${Market} symbol=${symbol} />` },
  { title: "Side", cell: ({ side, outcome }) => html`<${Side} side=${side} />${outcome && ` ${outcome}`}` },
  { title: "Type", cell: ({ kind }) => kind },
  prices("Price", "price"), amounts("Filled", "filled"), amounts("Remaining", "remaining"),
  { title: timeTitle("Placed"), cell: ({ at }) => html`<${Time} at=${at} />` },
  { title: "Act", cell: (order) => html`<${SendButton} type="button" className="small" value="cancel" isBusy=${act.isBusy}
    aria-label=${`Cancel the order ${order.id}`} onClick=${async () => {
      await act.run(order.cancel, `Order ${order.id} is cancelled`);
      reload();
    }}>Cancel</${SendButton}>` },
];

export function Orders() {
  const [state, orders, reload] = useFollowed(loadOrders, ["orders@account"]);
  const act = useAct();
  const [shown, more] = usePart(orders ?? [], FIRST);
  const empty = orders?.length === 0 && html`<p>Orders that rest in a book would stand here.</p>
    <p><a class="button" href=${url("/trade")}>Trade</a></p>`;
  return html`<${Region} name="orders" title="Live orders" state=${state} retry=${reload} empty=${empty}>
    <${FailureNote} failure=${act.failure} />
    <${Table} label="Live orders" columns=${orderColumns(act, reload)} rows=${shown} total=${orders?.length}
      rest=${{ what: "orders", onMore: more }} keyOf=${({ id }) => id}
      marks=${({ id }) => ({ "data-order": id })} /></${Region}>`;
}

// The newest trades, each with why the exchange placed its order, if it did.
async function loadTrades(limit) {
  const [trades, { orders }] = await Promise.all([ask("/v1/mytrades", { limit_trades: limit }), getOwn("/site/forced")]);
  const whys = new Map(orders.map(({ order_id: id, forced }) => [String(id), forced]));
  return trades.map((trade) => ({ ...trade, forced: whys.get(String(trade.order_id)) }));
}

function kindOf({ is_clearing_fill: isClearing, is_auction_fill: isAuction, aggressor }) {
  if (isClearing) return "clearing";
  return isAuction ? "auction" : aggressor ? "taker" : "maker";
}

const TRADES = [
  { title: timeTitle("Time"), cell: ({ timestampms }) => html`<${Time} at=${timestampms} />` },
  { title: "Market", cell: ({ symbol }) => html`<${Market} symbol=${symbol} />` },
  { title: "Side", cell: ({ type, outcome = "" }) => html`<${Side} side=${type} />${outcome && ` ${outcome}`}` },
  prices("Price", "price"), amounts("Amount", "amount"),
  sums("Fee", "fee_amount", { currencyOf: (trade) => trade.fee_currency, unit: (trade) => trade.fee_currency }),
  { title: "As", cell: (trade) => html`${trade.forced ? html`<b class="tag bad">${trade.forced}</b>` : kindOf(trade)}${
    trade.break ? `, broken (${trade.break})` : ""}` },
];

export function Trades() {
  const [limit, setLimit] = useState(FIRST);
  const [state, trades, retry] = useFollowed(() => loadTrades(limit), ["orders@account"], { inputs: [limit] });
  const rest = limit < MOST ? { onMore: () => setLimit(MOST) }
    : { link: { href: url("/account/statement?cause=trade"), words: "The statement has all trades" } };
  const empty = trades?.length === 0 && html`<p>The newest trades of this account would stand here.</p>
    <p><a class="button" href=${url("/trade")}>Trade</a></p>`;
  return html`<${Region} name="trades" title="Newest trades" state=${state} retry=${retry} empty=${empty}>
    <${Table} label="Trades" columns=${TRADES} rows=${trades ?? []} total=${totalOf(trades ?? [], limit)}
      rest=${{ what: "trades", ...rest }} keyOf=${({ tid, type }) => `${tid}${type}`}
      marks=${({ forced }) => ({ "data-forced": forced })} /></${Region}>`;
}

const POSITIONS = [
  { title: "Perpetual", cell: ({ symbol }) => html`<${Market} symbol=${symbol} />` },
  amounts("Quantity", "quantity"), averages("Average cost", "average_cost"), averages("Mark", "mark_price"),
  money("Value", "notional_value"), money("Unrealised", "unrealised_pnl"), money("Realised", "realised_pnl"),
];

export function Positions() {
  const [state, positions, retry] = useFollowed(() => ask("/v1/positions"), ["positions@account", "orders@account"]);
  const empty = positions?.length === 0 && html`<p>Positions in perpetuals would stand here.</p>
    <p><a class="button" href=${url("/trade/btcgusdperp")}>Open BTCGUSDPERP</a></p>`;
  return html`<${Region} name="positions" title="Positions" state=${state} retry=${retry} empty=${empty}>
    <${Table} label="Positions" columns=${POSITIONS} rows=${positions ?? []} keyOf=${({ symbol }) => symbol} /></${Region}>`;
}

const CONTRACTS = [
  { title: "Contract", cell: ({ symbol, contractMetadata: { eventName, contractName } }) =>
    html`<a href=${url(`/trade/${symbol.toLowerCase()}`)} title=${symbol}>${eventName}: ${contractName}</a>` },
  { title: "Outcome", cell: ({ outcome }) => outcome },
  amounts("Claims", "totalQuantity"), averages("Average price", "avgPrice"), money("Value", "marketValue"),
  money("Unrealised", "unrealizedPnl"),
];

export function Contracts() {
  const [state, held, retry] = useFollowed(() => ask("/v1/prediction-markets/positions"), ["positions@account", "orders@account"]);
  const empty = held?.positions.length === 0 && html`<p>Claims on outcomes of events would stand here.</p>
    <p><a class="button" href=${url("/predictions")}>Open the predictions</a></p>`;
  return html`<${Region} name="contracts" title="Contracts" state=${state} retry=${retry} empty=${empty}>
    <${Table} label="Contracts" columns=${CONTRACTS} rows=${held?.positions ?? []} keyOf=${({ symbol, outcome }) => symbol + outcome} />
      </${Region}>`;
}
