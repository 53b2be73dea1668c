//! `order list` and `order cancel`: the live orders of accounts and symbols.

use super::{chosen, names, send_of_each};
use crate::command::{Argument, Command, Effect, Form, Lines};
use crate::operator::Operator;
use buttonwood_engine::prediction::own_price;
use buttonwood_engine::{CANCELS_MAX, OrderState, State, TradingCommand};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::{AccountId, Claim, OrderId, SymbolId};
use buttonwood_wire::contract::{DecimalText, Digits, Done, InPayload, Label, Text};
use buttonwood_wire::field::unknown_symbol;
use buttonwood_wire::order::{side_name, type_name};
use buttonwood_wire::{answer, json, request};

const ARGUMENTS: &[Argument] = &[
    Argument::new("group", Form::Option),
    Argument::new("account", Form::Option),
    Argument::new("symbol", Form::Option),
];

/// Only for operators.
pub(crate) const LIST: Command = Command::list("order list", |operator, fields, lines| {
    Box::pin(list(operator, fields, lines))
})
.about("Lists live orders: all, or those of a group, an account or a symbol; by account, the newest first.")
.takes::<Which>(ARGUMENTS)
.gives::<ListedOrder>();

/// Only for operators.
pub(crate) const CANCEL: Command =
    Command::once("order cancel", Effect::Halts, |operator, fields| Box::pin(cancel(operator, fields)))
        .about("Cancels every live order of an account, of a symbol, or of an account on a symbol.")
        .with_reason()
        .takes::<Which>(ARGUMENTS)
        .gives::<OrdersCancelled>();

request! {
    /// Which orders.
    struct Which in InPayload {
        /// The name of a group.
        group: Text,
        /// The short name of an account of the group.
        account: Text,
        /// A symbol.
        symbol: Text,
    }
}

answer! {
    /// A live order.
    struct ListedOrder {
        /// Its id.
        order_id: Digits,
        /// The client's id, if it has one.
        client_order_id: Option<Label>,
        /// The name of its account's group.
        group: Label,
        /// The short name of its account.
        account: Label,
        /// The symbol.
        symbol: String,
        /// `buy` or `sell`.
        side: String,
        /// The outcome that it is about, where the symbol is a contract of the prediction markets.
        outcome: Option<String>,
        /// Its type.
        kind as "type": String,
        /// Its limit.
        price: DecimalText,
        /// Its stop price, until that is reached.
        stop_price: Option<DecimalText>,
        /// The amount that is left of it.
        remaining_amount: DecimalText,
        /// When it was placed, in milliseconds.
        timestampms: u64,
    }
}

answer! {
    /// The orders are cancelled.
    struct OrdersCancelled {
        /// Always `ok`.
        result: Done,
        /// How many were live. Those that wait for an auction too late to be cancelled stay.
        live_orders: u64,
    }
}

async fn list(operator: &Operator<'_>, fields: &Payload, lines: &Lines) -> Result<(), Refusal> {
    let request = Which::of(fields);
    let meant = chosen(operator, request.group()?.as_deref(), request.account()?.as_deref())?;
    let symbol = symbol_of(operator, request.symbol()?.as_deref())?;
    send_of_each(operator, lines, meant, |state, account| rows(state, account, symbol)).await;
    Ok(())
}

fn symbol_of(operator: &Operator<'_>, name: Option<&str>) -> Result<Option<SymbolId>, Refusal> {
    let find = |name: &str| operator.find_any(name).map(|(id, _)| id).ok_or_else(|| unknown_symbol(name));
    name.map(find).transpose()
}

fn rows(state: &State, account: AccountId, symbol: Option<SymbolId>) -> Vec<Vec<u8>> {
    let floor = state.floor();
    let own = floor.orders.of_account(account);
    let meant = own.filter(|(_, order)| symbol.is_none_or(|symbol| order.symbol == symbol));
    let rows = meant.filter_map(|(slot, order)| {
        let claim = order.class().claim();
        row(state, &OrderState::live(floor, slot), claim)
    });
    rows.collect()
}

/// A live order in its own view: prices and side of an order of a contract are those of its outcome.
fn row(state: &State, order: &OrderState, claim: Claim) -> Option<Vec<u8>> {
    let (group, account) = names(state, order.account);
    let symbol = state.symbol(order.symbol)?;
    let outcome = order.symbol.is_contract().then(|| claim.name().to_owned());
    let side = if claim == Claim::Yes { order.side } else { order.side.opposite() };
    let own = |price| {
        let price = own_price(symbol, claim, price).unwrap_or(price);
        DecimalText::of(|out| symbol.grid.push_price(out, price))
    };
    Some(json::body(&ListedOrder {
        order_id: Digits(order.id.0),
        client_order_id: order.client_id.as_ref().map(|id| Label(id.as_str().to_owned())),
        group,
        account,
        symbol: symbol.name.clone(),
        side: side_name(side).to_owned(),
        outcome,
        kind: type_name(order).to_owned(),
        price: own(order.price),
        stop_price: order.stop.map(own),
        remaining_amount: DecimalText::of(|out| symbol.grid.push_qty(out, order.remaining)),
        timestampms: order.placed.millis(),
    }))
}

async fn cancel(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Which::of(fields);
    let (group, account, symbol) = (request.group()?, request.account()?, request.symbol()?);
    let account = match (&group, &account) {
        (Some(group), Some(account)) => Some(operator.find_account(group, account)?),
        (None, Some(_)) => return Err(Refusal::missing_key("group")),
        (Some(_), None) => return Err(Refusal::missing_key("account")),
        (None, None) => None,
    };
    let symbol = symbol_of(operator, symbol.as_deref())?;
    if account.is_none() && symbol.is_none() {
        return Err(Refusal::missing_key("symbol"));
    }
    let (live_orders, newest) = {
        let views = operator.exchange.views();
        (count(views.state(), account, symbol), OrderId(views.state().next_id() - 1))
    };
    // One command cancels at most the newest `CANCELS_MAX`. Several end at the orders that stand now, so that those placed between two of them
    // are not cancelled in place of the oldest.
    let steps = live_orders / u64::try_from(CANCELS_MAX).unwrap_or(u64::MAX);
    let last = (steps > 0).then_some(newest);
    for _ in 0..=steps {
        operator.send(TradingCommand::CancelOrders(account, symbol, last), |_| None).await?;
    }
    Ok(json::body(&OrdersCancelled { result: Done, live_orders }))
}

/// How many live orders are meant.
fn count(state: &State, account: Option<AccountId>, symbol: Option<SymbolId>) -> u64 {
    let all = 0..state.access().accounts().len();
    let accounts = all.map(AccountId::from_index).filter(|id| account.is_none_or(|account| account == *id));
    let orders = accounts.flat_map(|account| state.orders().in_any_order(account));
    let meant = orders.filter(|(_, order)| symbol.is_none_or(|symbol| order.symbol == symbol));
    u64::try_from(meant.count()).unwrap_or(u64::MAX)
}
