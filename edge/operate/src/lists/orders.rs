//! `order list` and `order cancel`: the live orders of accounts and symbols.

use super::{chosen, names, send_of_each};
use crate::Shared;
use crate::command::{Argument, Command, Form, Lines};
use crate::operator::Operator;
use buttonwood_engine::{OrderState, State, TradingCommand};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::{AccountId, SymbolId};
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
    Command::once("order cancel", |operator, fields| Box::pin(cancel(operator, fields)))
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
    send_of_each(operator, lines, meant, |state, account| rows(operator, state, account, symbol)).await;
    Ok(())
}

fn symbol_of(operator: &Operator<'_>, name: Option<&str>) -> Result<Option<SymbolId>, Refusal> {
    let find = |name: &str| operator.find_symbol(name).map(|(id, _)| id).ok_or_else(|| unknown_symbol(name));
    name.map(find).transpose()
}

fn rows(shared: &Shared, state: &State, account: AccountId, symbol: Option<SymbolId>) -> Vec<Vec<u8>> {
    let floor = state.floor();
    let own = floor.orders.of_account(account);
    let meant = own.filter(|(_, order)| symbol.is_none_or(|symbol| order.symbol == symbol));
    meant.map(|(slot, _)| row(shared, state, &OrderState::live(floor, slot))).collect()
}

fn row(shared: &Shared, state: &State, order: &OrderState) -> Vec<u8> {
    let (group, account) = names(state, order.account);
    let symbol = shared.names.symbol(order.symbol);
    json::body(&ListedOrder {
        order_id: Digits(order.id.0),
        client_order_id: order.client_id.as_ref().map(|id| Label(id.as_str().to_owned())),
        group,
        account,
        symbol: symbol.name.clone(),
        side: side_name(order.side).to_owned(),
        kind: type_name(order).to_owned(),
        price: DecimalText::of(|out| symbol.grid.push_price(out, order.price)),
        stop_price: order.stop.map(|stop| DecimalText::of(|out| symbol.grid.push_price(out, stop))),
        remaining_amount: DecimalText::of(|out| symbol.grid.push_qty(out, order.remaining)),
        timestampms: order.placed.millis(),
    })
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
    let live_orders = count(operator.exchange.views().state(), account, symbol);
    operator.send(TradingCommand::CancelOrders(account, symbol), |_| None).await?;
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
