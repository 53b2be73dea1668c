//! Confirmations (CLR-008 to CLR-010, CLR-013, CLR-023, CLR-024, D-87).

use crate::enter::check_now;
use crate::settle::Purse;
use crate::{Answer, Clearing, Client, Code, Infrequent, Judge, Order, Party, Reject, Status};
use buttonwood_model::{BytesRef, OrderId, Outbox, Side, SymbolId, TradeId};
use buttonwood_num::{Price, Qty};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// The command: confirm an order, whose terms the client repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirm {
    /// The order's `clearing_id`.
    pub code: Code,
    /// The symbol; none if there is none of the name.
    pub symbol: Option<SymbolId>,
    /// The quantity; none if it is none of the symbol's.
    pub qty: Option<Qty>,
    /// The price; none if it is none of the symbol's.
    pub price: Option<Price>,
    /// The caller's side.
    pub side: Side,
}

/// A term of an order that a confirmation must repeat, in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// The symbol.
    Symbol,
    /// The quantity.
    Quantity,
    /// The price.
    Price,
    /// The side.
    Side,
}

/// Decides a confirmation; the last one settles at once if both sides have the money.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Clearing>,
    client: Client,
    confirm: &Confirm,
    judge: &mut dyn Judge,
    out: &mut Outbox<E>,
) -> Result<Answer, Reject> {
    client.check_kind(context)?;
    let order = context.room.find(confirm.code).ok_or(Reject::NotFound)?;
    let party = party(context, client, order)?;
    let side = match party {
        Party::Source => order.side,
        Party::Target => order.side.opposite(),
    };
    if let Some(term) = difference(confirm, order, side) {
        return Err(Reject::Differs(term));
    }
    let symbol = context.symbol(order.symbol).ok_or(Reject::InvalidSymbol)?;
    if !client.may_trade(context, symbol) {
        return Err(Reject::InvalidSymbol);
    }
    check_now(context, client, symbol)?;
    let confirmed = confirmed(context, client, *order, party);
    out.push_named(&Infrequent::Confirmed(confirmed, party));
    if confirmed.is_confirmed() {
        let used = u64::from(party == Party::Target);
        let trade = TradeId(context.next_id.saturating_add(used));
        if let Some(settlement) = Purse::new(context).settle(&confirmed, trade, judge) {
            out.push_named(&Infrequent::Settled(settlement));
        }
    }
    Ok(Answer::Confirmed)
}

/// The side that the caller confirms.
fn party(context: &Context<'_, Clearing>, client: Client, order: &Order) -> Result<Party, Reject> {
    let status = if order.is_over(context.time) { Status::Expired } else { order.status };
    let own = order.party(client.account);
    let party = match (order.broker, own) {
        (None, Some(Party::Source)) => return Err(Reject::NotOpen(status)),
        (Some(broker), None) if broker == client.account => return Err(Reject::NotOpen(status)),
        (_, Some(party)) => party,
        (None, None) if order.target.is_none() && status.is_open() => Party::Target,
        (_, None) => return Err(Reject::NotFound),
    };
    let has_confirmed = match party {
        Party::Source => order.source_confirmed,
        Party::Target => order.target_order.is_some(),
    };
    if has_confirmed || !status.is_open() { Err(Reject::NotOpen(status)) } else { Ok(party) }
}

/// The first term that differs from the order's.
fn difference(confirm: &Confirm, order: &Order, side: Side) -> Option<Term> {
    let terms = [
        (confirm.symbol == Some(order.symbol), Term::Symbol),
        (confirm.qty == Some(order.qty), Term::Quantity),
        (confirm.price == Some(order.price), Term::Price),
        (confirm.side == side, Term::Side),
    ];
    terms.into_iter().find(|(is_equal, _)| !is_equal).map(|(_, term)| term)
}

/// The order after the confirmation. The last one gives it its place among those that settle.
fn confirmed(context: &Context<'_, Clearing>, client: Client, order: Order, party: Party) -> Order {
    let mut after = Order { changed: context.time, ..order };
    match party {
        Party::Source => {
            after.source_confirmed = true;
            after.status = Status::AwaitTargetConfirm;
        }
        Party::Target => {
            after.target = Some(client.account);
            after.target_order = Some(OrderId(context.next_id));
            after.status = Status::AwaitSourceConfirm;
        }
    }
    if after.is_confirmed() {
        after.status = Status::AttemptSettlement;
        after.rank = context.room.next_rank();
    }
    after
}
