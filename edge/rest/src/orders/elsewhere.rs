//! Orders that are in none of the lists of the book (D-287): that of a clearing trade is found as a closed market order, as a wrap is (D-170);
//! of others the refusal names the call that has them. Closed ones are in the history's database alone, which may lag: an id is looked up there
//! only if no faster source rules it out.

use buttonwood_call::{App, not_current, unread};
use buttonwood_engine::{OrderRef, OrderState};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_model::{AccountId, Claim, ClientId, OrderId, OrderKind, SessionId, SymbolId};
use buttonwood_num::{Money, Qty};
use buttonwood_tables::{ClearingOrder, ContractOrdersPage};
use buttonwood_views::history::{Limit, Part, TradeRow};
use buttonwood_wire::order_request::not_found;

/// The newest closed orders of contracts among which a client's id is searched.
const NEWEST: usize = 1_000;
/// The clearing trades of a millisecond that are read at once.
const PAGE: Limit = Limit { rows: 500, most: usize::MAX };

/// The clearing trade of an account whose order is named, and the order as a closed market order.
///
/// # Errors
/// The refusal of an order that is not found; or the history cannot be read.
pub(super) async fn find(
    app: &App,
    account: AccountId,
    named: &OrderRef,
) -> Result<(OrderState, TradeRow), Refusal> {
    let id = match *named {
        OrderRef::Id(id) => id,
        OrderRef::ClientId(client_id) => return Err(of_client_id(app, account, named, client_id).await),
    };
    if is_not_given(app, id) || is_on_book(app, id).await? {
        return Err(not_found(named));
    }
    if let Some(number) = open_clearing(app, account, id) {
        return Err(in_clearing(app, id, number));
    }
    let closed = app.exchange.query_tables(move |tables| {
        let clearing = tables.clearing_order_of(account, id)?;
        Ok((clearing, tables.contract_order(account, id)?.map(|order| order.contract)))
    });
    let (clearing, contract) = closed.await.map_err(|fault| not_current(&fault))?;
    if let Some(contract) = contract {
        return Err(of_contract(app, named, contract, "history"));
    }
    let Some(order) = clearing else { return Err(not_found(named)) };
    let trade = trade(app, account, (id, &order)).await?;
    let trade = trade.ok_or_else(|| in_clearing(app, id, order.number))?;
    Ok((as_order(app, account, &trade), trade))
}

/// The refusal of an order that a client's id names, which may be a closed one of a contract. A group that never accepted the terms has none.
async fn of_client_id(app: &App, account: AccountId, named: &OrderRef, client_id: ClientId) -> Refusal {
    if !has_traded_contracts(app, account) {
        return not_found(named);
    }
    let page = ContractOrdersPage { rows: NEWEST, ..ContractOrdersPage::default() };
    let newest = app.exchange.query_tables(move |tables| tables.contract_orders(account, &page)).await;
    match newest {
        Err(fault) => not_current(&fault),
        Ok(newest) => match newest.iter().find(|order| order.client_id == Some(client_id)) {
            Some(order) => of_contract(app, named, order.contract, "history"),
            None => not_found(named),
        },
    }
}

/// Whether the account's group has ever accepted the terms of the prediction markets.
fn has_traded_contracts(app: &App, account: AccountId) -> bool {
    let views = app.exchange.views();
    let group = views.state().access().account(account).and_then(|account| account.group);
    group.is_some_and(|group| views.state().predictions().acceptance(group).is_some())
}

/// The refusal of a cancel of an order that is in none of the lists of the book. That of a live order of a contract names the list.
pub(super) fn not_cancelled(app: &App, account: AccountId, named: &OrderRef) -> Refusal {
    let live = app.exchange.views().find_live(account, named).map(|found| found.order.symbol);
    match live.filter(|symbol| symbol.is_contract()) {
        Some(contract) => of_contract(app, named, contract, "active"),
        None => not_found(named),
    }
}

/// Whether no order has had this id yet.
fn is_not_given(app: &App, id: OrderId) -> bool {
    id.0 == 0 || id.0 >= app.exchange.views().state().next_id()
}

/// Whether it is, or was, an order of a book: then it belongs to another account, since the lists of the caller's account lack it.
async fn is_on_book(app: &App, id: OrderId) -> Result<bool, Refusal> {
    // Searched before the history: an order that closes in between is found there.
    if app.exchange.views().state().floor().orders.find(id).is_some() {
        return Ok(true);
    }
    let closed = app.exchange.query_history(move |history| history.order_of_any(id));
    Ok(closed.await.map_err(|fault| unread(&fault))?.is_some())
}

/// The refusal of an order of a contract: a list of the prediction markets has it.
pub(super) fn of_contract(app: &App, named: &OrderRef, contract: SymbolId, list: &str) -> Refusal {
    let symbol = app.current_names().symbol(contract).name.to_ascii_uppercase();
    elsewhere(named, &format!("it is one of {symbol}, in /v1/prediction-markets/orders/{list}"))
}

/// The refusal of a clearing order that did not trade, or not yet.
fn in_clearing(app: &App, id: OrderId, number: u64) -> Refusal {
    let code = app.exchange.views().state().clearing().code(number);
    elsewhere(&OrderRef::Id(id), &format!("it is of clearing order {code}, in /v1/clearing/status"))
}

fn elsewhere(named: &OrderRef, place: &str) -> Refusal {
    Refusal::new(Reason::OrderNotFound, format!("{}: {place}", not_found(named).message))
}

/// The open clearing order of which an account is a side under this order id.
fn open_clearing(app: &App, account: AccountId, id: OrderId) -> Option<u64> {
    let views = app.exchange.views();
    let mut open = views.state().clearing().of_account(account);
    let is_it = |order: &&buttonwood_engine::ClearingOrder| {
        (order.source == account && order.source_order == id)
            || (order.target == Some(account) && order.target_order == Some(id))
    };
    open.find(is_it).map(|order| order.number)
}

/// The trade of a closed clearing order, if it settled.
async fn trade(
    app: &App,
    account: AccountId,
    (id, order): (OrderId, &ClearingOrder),
) -> Result<Option<TradeRow>, Refusal> {
    let (Some((symbol, _)), from) = (app.find_symbol(&order.symbol), order.changed.millis()) else {
        return Ok(None);
    };
    let rows =
        app.exchange.query_history(move |history| history.trades(account, Some(symbol), Some(from), PAGE));
    let rows = rows.await.map_err(|fault| unread(&fault))?;
    Ok(rows.into_iter().find(|row| row.order == id && row.part == Part::Clearing))
}

/// It as a closed market order.
fn as_order(app: &App, account: AccountId, trade: &TradeRow) -> OrderState {
    let grid = &app.names.symbol(trade.symbol).grid;
    OrderState {
        id: trade.order,
        account,
        session: SessionId::EXCHANGE,
        symbol: trade.symbol,
        side: trade.side,
        claim: Claim::Yes,
        kind: OrderKind::Market,
        option: None,
        price: trade.price,
        original: trade.qty,
        remaining: Qty::ZERO,
        notional: grid.notional(trade.price, trade.qty).unwrap_or(Money::ZERO),
        broken: Qty::ZERO,
        placed: trade.time,
        reason: None,
        client_id: None,
        stop: None,
    }
}
