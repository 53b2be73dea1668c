// Clearing orders of the account: what waits for it, both legs, and what it lacks for its own.
import { compare, difference, product, read, text } from "../decimal.js";
import { useExchangeTime } from "../predictions/clock.js";
import { duration } from "../predictions/times.js";
import { trimmed } from "../figures.js";
import { part, totalOf } from "../lists.js";
import { url } from "../page.js";
import { Money, Region, html } from "../ui.js";
import { ask, askPublic } from "./calls.js";
import { useEvery, useFollowed } from "./live.js";
import { Time, counterpartyId, timeTitle } from "./parts.js";
import { Table, prices, sums } from "./table.js";

const OVER = ["Settled", "Expired", "Canceled"];
const PAUSE = 5_000;
// The most orders and trades that the exchange answers with, and the orders of the summary.
const [MOST, MOST_TRADES, FIRST] = [500, 300, 20];

const pairs = new Map();

// Base and quote of a symbol.
export function pairOf(symbol) {
  const name = symbol.toLowerCase();
  if (!pairs.has(name)) {
    const found = askPublic(`/v1/symbols/details/${encodeURIComponent(name)}`);
    found.catch((failure) => {
      console.info(failure.message);
      pairs.delete(name);
    });
    pairs.set(name, found);
  }
  return pairs.get(name);
}

// Whether an order waits for this account: the side that has not confirmed is named by the status.
function waitsForMe(status, isSource) {
  if (status === "AwaitSourceTargetConfirm") return true;
  return status === "AwaitSourceConfirm" ? isSource : (status === "AwaitConfirm" || status === "AwaitTargetConfirm") && !isSource;
}

// The legs of an order as this account sees it: what it gets and what it gives.
function legs(side, quantity, price, { base_currency: base, quote_currency: quote }) {
  const total = { amount: trimmed(text(product(read(quantity), read(price)))), currency: quote };
  const whole = { amount: quantity, currency: base };
  return side === "buy" ? { gets: whole, gives: total } : { gets: total, gives: whole };
}

// How much of what it gives the account has not; none if it has all of it.
function lack({ amount, currency }, available) {
  const [wanted, held] = [read(amount), read(available.get(currency) ?? "0")];
  return compare(wanted, held) > 0 ? trimmed(text(difference(wanted, held))) : null;
}

// An order with its legs and what the account lacks for it.
export async function described(order, balances) {
  const available = new Map((balances ?? await ask("/v1/balances")).map((row) => [row.currency, row.available]));
  const both = legs(order.side, order.quantity, order.price, await pairOf(order.symbol));
  return { ...order, ...both, lacks: OVER.includes(order.status) ? null : lack(both.gives, available) };
}

// Whether the user may clear: the exchange refuses these lists to others.
let mayClear = null;

// All orders; null if the user may not see any.
async function load() {
  mayClear ??= (await ask("/v1/roles")).isTrader;
  if (!mayClear) return null;
  const [{ orders }, { results }, balances] = await Promise.all([
    ask("/v1/clearing/list", { limit_orders: MOST }), ask("/v1/clearing/trades", { limit_per_account: MOST_TRADES }), ask("/v1/balances"),
  ]);
  const sources = new Map(results.map((one) => [one.clearingId, one]));
  const all = await Promise.all(orders.map((order) => {
    const { sourceAccount } = sources.get(order.clearing_id) ?? {};
    const isSource = sourceAccount === counterpartyId;
    const known = {
      ...order, quantity: String(order.quantity), price: String(order.price), isMine: waitsForMe(order.status, isSource),
      isOver: OVER.includes(order.status), mayCancel: !OVER.includes(order.status) && (isSource || Boolean(order.broker_id)),
    };
    return described(known, balances);
  }));
  return Object.assign(all, { total: totalOf(orders, MOST) });
}

// All clearing orders: `[state, orders, reload, isBarred]`. They are loaded again and again, since no stream reports that another side
// entered or confirmed one. `isBarred` is whether the user's role does not clear.
export function useClearing() {
  const [state, orders, reload] = useFollowed(load, ["balances@account"]);
  useEvery(PAUSE, reload);
  return [state, orders, reload, mayClear === false];
}

export const Barred = () => html`<p>Your role does not clear. A user with the role Trader enters and confirms clearing orders.</p>`;

export const Leg = ({ leg: { amount, currency } }) => html`<${Money} text=${amount} currency=${currency} />`;

export function Left({ until }) {
  const now = useExchangeTime();
  if (now === null) return html`<${Time} at=${until} />`;
  return until > now ? duration(until - now) : "over";
}

export function Party({ order }) {
  if (!order.counterparty_id) return html`<span class="soft">anyone with the id</span>`;
  if (!order.counterparty_alias) return html`<code>${order.counterparty_id}</code>`;
  return html`${order.counterparty_alias} <code>${order.counterparty_id}</code>`;
}

export const Lacks = ({ order }) => (order.lacks
  ? html`<span class="tag bad" data-lacks=${order.lacks}>lacks <${Money} text=${order.lacks} currency=${order.gives.currency} /></span>`
  : order.isOver ? "–" : html`<span class="tag good">covered</span>`);

export const COLUMNS = [
  { title: "Order", cell: ({ clearing_id: id }) => html`<code>${id}</code>` },
  { title: "With", cell: (order) => html`<${Party} order=${order} />` },
  { title: "Market", cell: ({ symbol, side }) => `${side === "buy" ? "Buy" : "Sell"} ${symbol}` },
  prices("Price", "price"),
  sums("You get", ({ gets }) => gets.amount, { currencyOf: ({ gets }) => gets.currency, unit: ({ gets }) => gets.currency }),
  sums("You give", ({ gives }) => gives.amount, { currencyOf: ({ gives }) => gives.currency, unit: ({ gives }) => gives.currency }),
  { title: "Your money", cell: (order) => html`<${Lacks} order=${order} />` },
];

export const STATE = { title: "State", cell: ({ status, isMine }) => html`<span
  class=${`tag ${isMine ? "warn" : ""}`}>${isMine ? "Waits for you" : status}</span>` };

const SUMMARY = [...COLUMNS, STATE, { title: timeTitle("Submitted"), cell: ({ submission }) => html`<${Time} at=${submission} />` }];

export function ClearingSummary() {
  const [state, orders, retry, isBarred] = useClearing();
  const empty = isBarred ? html`<${Barred} />` : orders?.length === 0
    && html`<p>Trades that were agreed with another account would stand here.</p>
    <p><a class="button" href=${url("/account/clearing")}>Enter a clearing order</a></p>`;
  const tools = orders?.some(({ isMine }) => isMine) && html`<a href=${url("/account/clearing")}>Confirm or cancel</a>`;
  return html`<${Region} name="clearing" title="Clearing orders" state=${state} retry=${retry} empty=${empty} tools=${tools}>
    <${Table} label="Clearing orders" columns=${SUMMARY} rows=${part(orders ?? [], FIRST)} total=${orders?.total}
      rest=${{ what: "orders", link: { href: url("/account/clearing"), words: "All clearing orders" } }}
      keyOf=${(order) => order.clearing_id} />
      </${Region}>`;
}
