// Live orders, trades, positions and contracts of the account.
import { call } from "../call.js";
import { url } from "../page.js";
import { Region, Side, html } from "../ui.js";
import { ask } from "./calls.js";
import { useFollowed } from "./live.js";
import { FailureNote, Time, timeTitle, useAct } from "./parts.js";
import { Table, amounts } from "./table.js";

const MOST = 50;
const MONEY = { places: 2, least: 2 };

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
  const [orders, contracts] = await Promise.all([ask("/v1/orders"), ask("/v1/prediction-markets/orders/active", { limit: 100 })]);
  return [...orders.map(spotOrder), ...contracts.orders.map(contractOrder)].sort((one, other) => other.at - one.at);
}

const orderColumns = (act, reload) => [
  { title: "Market", cell: ({ symbol }) => html`<${Market} symbol=${symbol} />` },
  { title: "Side", cell: ({ side, outcome }) => html`<${Side} side=${side} />${outcome && ` ${outcome}`}` },
  { title: "Type", cell: ({ kind }) => kind },
  amounts("Price", "price"), amounts("Filled", "filled"), amounts("Remaining", "remaining"),
  { title: timeTitle("Placed"), cell: ({ at }) => html`<${Time} at=${at} />` },
  { title: "Act", cell: (order) => html`<button type="button" class="small" value="cancel" disabled=${act.isBusy}
    aria-label=${`Cancel the order ${order.id}`} onClick=${async () => {
      await act.run(order.cancel, `Order ${order.id} is cancelled`);
      reload();
    }}>Cancel</button>` },
];

export function Orders() {
  const [state, orders, reload] = useFollowed(loadOrders, ["orders@account"]);
  const act = useAct();
  const empty = orders?.length === 0 && html`<p>Orders that rest in a book would stand here.</p>
    <p><a class="button" href=${url("/trade")}>Trade</a></p>`;
  return html`<${Region} name="orders" title="Live orders" state=${state} retry=${reload} empty=${empty}>
    <${FailureNote} failure=${act.failure} />
    <${Table} label="Live orders" columns=${orderColumns(act, reload)} rows=${orders ?? []} keyOf=${({ id }) => id}
      marks=${({ id }) => ({ "data-order": id })} /></${Region}>`;
}

function kindOf({ is_clearing_fill: isClearing, is_auction_fill: isAuction, aggressor }) {
  if (isClearing) return "clearing";
  return isAuction ? "auction" : aggressor ? "taker" : "maker";
}

const TRADES = [
  { title: timeTitle("Time"), cell: ({ timestampms }) => html`<${Time} at=${timestampms} />` },
  { title: "Market", cell: ({ symbol }) => html`<${Market} symbol=${symbol} />` },
  { title: "Side", cell: ({ type, outcome = "" }) => html`<${Side} side=${type} />${outcome && ` ${outcome}`}` },
  amounts("Price", "price"), amounts("Amount", "amount"),
  amounts("Fee", "fee_amount", { unit: (trade) => trade.fee_currency }),
  { title: "As", cell: (trade) => `${kindOf(trade)}${trade.break ? `, broken (${trade.break})` : ""}` },
];

export function Trades() {
  const [state, trades, retry] = useFollowed(() => ask("/v1/mytrades", { limit_trades: MOST }), ["orders@account"]);
  const empty = trades?.length === 0 && html`<p>The newest trades of this account would stand here.</p>
    <p><a class="button" href=${url("/trade")}>Trade</a></p>`;
  return html`<${Region} name="trades" title="Newest trades" state=${state} retry=${retry} empty=${empty}>
    <${Table} label="Trades" columns=${TRADES} rows=${trades ?? []} keyOf=${({ tid, type }) => `${tid}${type}`} /></${Region}>`;
}

const POSITIONS = [
  { title: "Perpetual", cell: ({ symbol }) => html`<${Market} symbol=${symbol} />` },
  amounts("Quantity", "quantity"), amounts("Average cost", "average_cost", { places: 4 }), amounts("Mark", "mark_price", { places: 4 }),
  amounts("Value", "notional_value", MONEY), amounts("Unrealised", "unrealised_pnl", MONEY), amounts("Realised", "realised_pnl", MONEY),
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
  amounts("Claims", "totalQuantity"), amounts("Average price", "avgPrice", { places: 4 }), amounts("Value", "marketValue", MONEY),
  amounts("Unrealised", "unrealizedPnl", MONEY),
];

export function Contracts() {
  const [state, held, retry] = useFollowed(() => ask("/v1/prediction-markets/positions"), ["positions@account", "orders@account"]);
  const empty = held?.positions.length === 0 && html`<p>Claims on outcomes of events would stand here.</p>
    <p><a class="button" href=${url("/predictions")}>Open the predictions</a></p>`;
  return html`<${Region} name="contracts" title="Contracts" state=${state} retry=${retry} empty=${empty}>
    <${Table} label="Contracts" columns=${CONTRACTS} rows=${held?.positions ?? []} keyOf=${({ symbol, outcome }) => symbol + outcome} />
      </${Region}>`;
}
