//! The checks of the room before the floor decides it.

use crate::{Predictions, Reject, buys};
use buttonwood_access::AccountKind;
use buttonwood_model::{AccountId, OrderClass, OrderKind};
use buttonwood_num::Money;
use buttonwood_room::Context;
use buttonwood_trading::place::Place;

/// Whether an account may place an order of a contract. The floor checks the rest.
///
/// # Errors
/// [`Reject`], in the order of the table of refusals.
pub fn check(context: &Context<'_, Predictions>, account: AccountId, place: &Place) -> Result<(), Reject> {
    let owner = context.account(account).ok_or(Reject::Unknown)?;
    if owner.kind != AccountKind::Exchange {
        return Err(Reject::WrongKind);
    }
    let room = context.room;
    if owner.group.is_none_or(|group| !room.has_accepted(group)) {
        return Err(Reject::TermsNotAccepted);
    }
    let contract = room.contract(place.symbol).ok_or(Reject::UnknownContract)?;
    let symbol = context.floor.symbols.get(place.symbol).ok_or(Reject::UnknownContract)?;
    check_prices(symbol.grid.ticks_of_one(), place)?;
    let event = room.event(contract.event).ok_or(Reject::UnknownContract)?;
    // The end may have come, and its command not yet.
    if !event.is_open() || event.expiry <= context.time {
        return Err(Reject::NotOpen);
    }
    let class = OrderClass::new(place.side, place.claim, crate::DESK);
    let is_closed = event.closed_to.contains(&owner.jurisdiction);
    if is_closed && buys(class) {
        return Err(Reject::SellOnly);
    }
    Ok(())
}

/// Refuses prices that are no prices of a contract, and kinds of orders that it does not have.
fn check_prices(one: Option<u64>, place: &Place) -> Result<(), Reject> {
    let is_price = |ticks: u64| ticks > 0 && one.is_some_and(|one| ticks < one);
    let has_stop = place.kind == OrderKind::StopLimit;
    let is_good = match place.kind {
        OrderKind::Limit | OrderKind::StopLimit => is_price(place.price.ticks()),
        OrderKind::Market | OrderKind::MarketSpend => false,
    };
    let is_good_stop = if has_stop { is_price(place.stop.ticks()) } else { place.stop.ticks() == 0 };
    let is_whole = place.spend == Money::ZERO && !place.margin;
    if is_good && is_good_stop && is_whole { Ok(()) } else { Err(Reject::BadPrice) }
}
