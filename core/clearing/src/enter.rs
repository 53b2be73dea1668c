//! The entry of an order (CLR-001, CLR-002, CLR-022).

use crate::{Answer, Clearing, Client, Infrequent, Order, Party, Reject, Status};
use alloc::string::String;
use buttonwood_access::{AccountKind, Request};
use buttonwood_model::{
    AccountId, BytesRef, OrderId, Outbox, Product, Side, Symbol, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Price, Qty};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// After this many hours a bilateral order expires whose request names no number of hours (CLR-014).
pub const HOURS: u16 = 24;
/// The most hours that an order may wait (D-86).
pub const HOURS_MAX: u16 = 8_760;
/// The most orders that an account has entered or confirmed and that are open or wait for money.
pub const ORDERS_MAX: usize = 1_000;

/// Who trades in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parties {
    /// The caller, with whoever has the id.
    Open,
    /// The caller, with this account.
    With(AccountId),
    /// Two others, for which the caller is the broker.
    Between {
        /// The account whose side the order names.
        source: AccountId,
        /// The other one.
        target: AccountId,
    },
}

/// The terms of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The symbol.
    pub symbol: SymbolId,
    /// The side of the source: of the caller, or of a broker's source.
    pub side: Side,
    /// The price.
    pub price: Price,
    /// The quantity, in the base currency.
    pub qty: Qty,
    /// After how many hours it expires.
    pub hours: u16,
    /// Who trades.
    pub parties: Parties,
}

/// The command: enter an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct New {
    /// Its terms.
    pub terms: Terms,
    /// The client's id of the request; empty without one (D-104).
    pub client_id: String,
}

/// Decides an entry. A repeated client id with equal terms has the earlier answer, and appends nothing.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Clearing>,
    client: Client,
    new: &New,
    out: &mut Outbox<E>,
) -> Result<Answer, Reject> {
    let New { terms, client_id } = new;
    client.check_kind(context)?;
    let may_broker = !matches!(terms.parties, Parties::Between { .. }) || is_broker(context, client.account);
    let number = match context.access.client_id(client.account, client_id) {
        Some(Request::Clearing(number)) if context.room.asked(number) == Some(terms) => number,
        _ if !may_broker => return Err(Reject::NotBroker),
        Some(_) => return Err(Reject::OtherTerms),
        None => {
            let order = entered(context, client, terms)?;
            out.push_named(&Infrequent::Entered(order, client_id.clone()));
            order.number
        }
    };
    Ok(Answer::Entered(context.room.code(number), first_status(terms.parties)))
}

fn is_broker(context: &Context<'_, Clearing>, account: AccountId) -> bool {
    context.access.account(account).is_some_and(|account| account.broker)
}

/// The status that an order has at first.
fn first_status(parties: Parties) -> Status {
    match parties {
        Parties::Open | Parties::With(_) => Status::AwaitConfirm,
        Parties::Between { .. } => Status::AwaitSourceTargetConfirm,
    }
}

/// The order, if its terms hold.
fn entered(context: &Context<'_, Clearing>, client: Client, terms: &Terms) -> Result<Order, Reject> {
    let symbol = context.symbol(terms.symbol).ok_or(Reject::InvalidSymbol)?;
    if symbol.product != Product::Spot {
        return Err(Reject::InvalidSymbol);
    }
    let is_bilateral = !matches!(terms.parties, Parties::Between { .. });
    if is_bilateral && !client.may_trade(context, symbol) {
        return Err(Reject::InvalidSymbol);
    }
    check_amounts(context, symbol, terms)?;
    let (source, target, broker) = parties(context, client, terms.parties)?;
    check_now(context, client, symbol)?;
    let rest = 3_600 * Time::SECOND;
    Ok(Order {
        number: context.room.next_number(),
        symbol: terms.symbol,
        side: terms.side,
        price: terms.price,
        qty: terms.qty,
        source,
        source_order: OrderId(context.next_id),
        source_confirmed: is_bilateral,
        target,
        target_order: None,
        broker,
        submitted: context.time,
        expires: context.time.plus(u64::from(terms.hours) * rest),
        changed: context.time,
        rank: 0,
        status: first_status(terms.parties),
    })
}

/// The amounts lie within the symbol's minimum and the range of money, the fee included (D-183).
fn check_amounts(context: &Context<'_, Clearing>, symbol: &Symbol, terms: &Terms) -> Result<(), Reject> {
    if terms.qty < symbol.qty_min {
        return Err(Reject::BelowMinimum);
    }
    if terms.price.ticks() == 0 {
        return Err(Reject::NoPrice);
    }
    let rate = context.room.fee();
    if symbol.grid.base(terms.qty).zip(symbol.grid.cost(terms.price, terms.qty, rate)).is_none() {
        return Err(Reject::BeyondRange);
    }
    if !(1..=HOURS_MAX).contains(&terms.hours) {
        return Err(Reject::BadHours);
    }
    Ok(())
}

/// Source, target and broker. All are different accounts that may trade here.
fn parties(
    context: &Context<'_, Clearing>,
    client: Client,
    parties: Parties,
) -> Result<(AccountId, Option<AccountId>, Option<AccountId>), Reject> {
    let check = |party, account: AccountId, others: &[AccountId]| {
        let is_other = !others.contains(&account) && is_counterparty(context, account);
        if is_other { Ok(()) } else { Err(Reject::Counterparty(party)) }
    };
    match parties {
        Parties::Open => Ok((client.account, None, None)),
        Parties::With(target) => {
            check(Party::Target, target, &[client.account])?;
            Ok((client.account, Some(target), None))
        }
        Parties::Between { source, target } => {
            check(Party::Source, source, &[client.account])?;
            check(Party::Target, target, &[client.account, source])?;
            Ok((source, Some(target), Some(client.account)))
        }
    }
}

/// Whether an account may be named: a client's of kind `exchange` that is not closed.
pub(crate) fn is_counterparty(context: &Context<'_, Clearing>, account: AccountId) -> bool {
    let is_kind = context.account(account).is_some_and(|account| account.kind == AccountKind::Exchange);
    is_kind && !context.access.is_closed(account)
}

/// The conditions of the moment, for entries and confirmations alike.
pub(crate) fn check_now(
    context: &Context<'_, Clearing>,
    client: Client,
    symbol: &Symbol,
) -> Result<(), Reject> {
    if symbol.status == SymbolStatus::Closed {
        return Err(Reject::MarketClosed);
    }
    if context.access.is_in_debt(client.account) {
        return Err(Reject::Debt);
    }
    if context.room.count_of(client.account) >= ORDERS_MAX {
        return Err(Reject::TooMany);
    }
    Ok(())
}

/// The terms with which an order was entered.
pub(crate) fn terms_of(order: &Order) -> Terms {
    let parties = match (order.broker, order.target) {
        (Some(_), Some(target)) => Parties::Between { source: order.source, target },
        (_, Some(target)) => Parties::With(target),
        (_, None) => Parties::Open,
    };
    let hour = 3_600 * Time::SECOND;
    let hours = order.expires.0.saturating_sub(order.submitted.0) / hour;
    Terms {
        symbol: order.symbol,
        side: order.side,
        price: order.price,
        qty: order.qty,
        hours: u16::try_from(hours).unwrap_or(u16::MAX),
        parties,
    }
}
