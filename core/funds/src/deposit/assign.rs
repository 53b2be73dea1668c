//! Gives a payment that fitted no account to an account, once (D-73).

use super::{Event, OutputKey, Reject, State};
use crate::{Change, Funds, NewTransfer, Status};
use buttonwood_ledger::{About, Bucket, Cause, Posting, UNCLAIMED};
use buttonwood_model::AccountId;
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};

pub(super) fn decide(
    context: &Context<'_, Funds>,
    key: &OutputKey,
    account: AccountId,
) -> Result<Event, Reject> {
    let deposit = context.room.deposits.get(key).ok_or(Reject::Unknown)?;
    if !context.room.deposits.unclaimed.contains(key) {
        return Err(Reject::Owned);
    }
    if deposit.state == State::Lost {
        return Err(Reject::IsLost);
    }
    // A deposit that is not credited yet waits for the end of the halt anyway.
    let row = &context.room.transfer(deposit.eid).ok_or(Reject::Unknown)?.row;
    if deposit.state == State::Credited && context.room.halts.stops_credit(row.currency) {
        return Err(Reject::Halted);
    }
    context.account(account).ok_or(Reject::NoAccount)?;
    if context.access.is_closed(account) {
        return Err(Reject::Closed);
    }
    Ok(Event::Assigned(key.clone(), account))
}

/// The row that was there ends, and the account gets one of its own, from now on. The account is the house's where the owner has closed
/// its own before the payment came.
pub(super) fn evolve(books: &mut ContextMut<'_, Funds>, key: &OutputKey, account: AccountId) {
    let eid = books.room.next_eid();
    let (mut before, mut is_credited) = (eid, false);
    books.room.deposits.change(key, |deposit| {
        (before, is_credited) = (deposit.eid, deposit.state == State::Credited);
        deposit.eid = eid;
    });
    let unclaimed = books.ledger.house(UNCLAIMED.name);
    if unclaimed == Some(account) {
        books.room.deposits.unclaimed.insert(key.clone());
    } else {
        books.room.deposits.unclaimed.remove(key);
    }
    let row: NewTransfer = books.room.row(before).clone();
    books.room.change(&Change { eid: before, status: Status::Voided, held: Money::ZERO });
    if is_credited {
        let house = unclaimed.expect("the house accounts are open");
        let asset = row.currency.into();
        let posting = |account, amount| Posting { account, asset, bucket: Bucket::Available, amount };
        let entry = [posting(house, -row.amount), posting(account, row.amount)];
        books.ledger.post(Cause::Deposit.about(About::Transfer(eid.0)), &entry);
    }
    books.room.add(books.time, NewTransfer { account, ..row });
}
