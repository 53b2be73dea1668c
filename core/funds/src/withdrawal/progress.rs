//! The steps of an accepted withdrawal, as they have happened on the chain (INV-WD-2 to 4, XFER-019, XFER-020).

use super::{Attempt, Event, Payment, Purpose, Reject, Settled, remedy};
use crate::{Change, Eid, Funds, NewTransfer, Status, Transfer, debt};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_ledger::{About, Bucket, Cause, FEES, FeePart, ISSUER, LENDING, Posting, SOURCE};
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// The fate of a withdrawal on the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It is paid.
    Completed,
    /// Its transaction is final, but has failed and moved nothing (an EVM revert).
    Failed,
    /// Another transaction has finally used up what it would have spent.
    Voided,
}

/// The end of a withdrawal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settlement {
    /// Its fate.
    pub outcome: Outcome,
    /// The transaction that has decided it.
    pub tx: String,
    /// The height and hash of its block.
    pub block: (u64, String),
    /// The charge of the network to the house, in the network's own currency.
    pub cost: Money,
}

/// The row and the payment of a withdrawal.
pub(super) fn find<'a>(
    context: &Context<'a, Funds>,
    eid: Eid,
) -> Result<(&'a Transfer, &'a Payment), Reject> {
    let payment = context.room.withdrawals.payment(eid).ok_or(Reject::Unknown)?;
    Ok((context.room.transfer(eid).ok_or(Reject::Unknown)?, payment))
}

pub(super) fn sign(
    context: &Context<'_, Funds>,
    eid: Eid,
    attempt: &Attempt,
) -> Result<Option<Event>, Reject> {
    let (transfer, payment) = find(context, eid)?;
    if let Some(known) = payment.attempt(&attempt.tx) {
        return if known == attempt { Ok(None) } else { Err(Reject::OtherTransaction) };
    }
    if transfer.row.status != Status::Pending {
        return Err(Reject::Settled);
    }
    match payment.attempts.first() {
        Some(first) if first.spends != attempt.spends => Err(Reject::OtherSpends),
        None if attempt.purpose != Purpose::Pay => Err(Reject::OtherTransaction),
        Some(_) | None => Ok(Some(Event::Signed(eid, attempt.clone()))),
    }
}

pub(super) fn send(context: &Context<'_, Funds>, eid: Eid, tx: &str) -> Result<Option<Event>, Reject> {
    let (_, payment) = find(context, eid)?;
    payment.attempt(tx).ok_or(Reject::OtherTransaction)?;
    Ok((!payment.sent.contains(tx)).then(|| Event::Sent(eid, tx.into())))
}

pub(super) fn settle(
    context: &Context<'_, Funds>,
    eid: Eid,
    settlement: &Settlement,
) -> Result<Vec<Event>, Reject> {
    let (transfer, payment) = find(context, eid)?;
    let attempt = payment.attempt(&settlement.tx).ok_or(Reject::OtherTransaction)?;
    let is_void = attempt.purpose == Purpose::Void;
    if is_void != (settlement.outcome == Outcome::Voided) {
        return Err(Reject::OtherTransaction);
    }
    if let Some(settled) = &payment.settled {
        let is_known = settled.tx == settlement.tx && settled.block.as_ref() == Some(&settlement.block);
        if settled.outcome != settlement.outcome {
            return settle_late(context, eid, settled, settlement);
        }
        if is_known {
            return Ok(Vec::new());
        }
    } else if transfer.row.status != Status::Pending {
        return Err(Reject::Settled);
    }
    Ok(alloc::vec![event_of(eid, settlement)])
}

/// The event of an end.
fn event_of(eid: Eid, settlement: &Settlement) -> Event {
    let settlement = settlement.clone();
    match settlement.outcome {
        Outcome::Completed => Event::Completed(eid, settlement),
        Outcome::Failed => Event::Failed(eid, settlement),
        Outcome::Voided => Event::Voided(eid, settlement),
    }
}

/// Decides another end than the first one, whose block was removed since. A released withdrawal may still be paid; a paid one is
/// pending again before its release.
fn settle_late(
    context: &Context<'_, Funds>,
    eid: Eid,
    first: &Settled,
    settlement: &Settlement,
) -> Result<Vec<Event>, Reject> {
    let is_released = first.outcome != Outcome::Completed && first.block.is_none();
    let (transfer, payment) = find(context, eid)?;
    let row = &transfer.row;
    if first.outcome == Outcome::Completed && first.block.is_none() {
        let reopened = remedy::reopen(context, transfer, payment)?;
        return Ok(reopened.into_iter().chain([event_of(eid, settlement)]).collect());
    }
    let total = row.amount.checked_add(row.fee).ok_or(Reject::Settled)?;
    let gives = |name, currency, amount| {
        context
            .ledger
            .house(name)
            .is_some_and(|house| context.ledger.can_give(house, currency, amount).is_ok())
    };
    let is_wrapped = row.held_currency() != row.currency;
    let can_pay = gives(LENDING.name, row.held_currency(), total)
        && (!is_wrapped || gives(ISSUER.name, row.currency, row.amount));
    Ok(alloc::vec![match settlement.outcome {
        _ if !is_released => return Err(Reject::Settled),
        Outcome::Completed if can_pay => Event::PaidLate(eid, settlement.clone()),
        Outcome::Completed => return Err(Reject::Settled),
        Outcome::Failed | Outcome::Voided => event_of(eid, settlement),
    }])
}

pub(super) fn unsettle(context: &Context<'_, Funds>, eid: Eid, tx: &str) -> Result<Option<Event>, Reject> {
    let (_, payment) = find(context, eid)?;
    match &payment.settled {
        Some(settled) if settled.tx == tx => {
            Ok(settled.block.is_some().then(|| Event::Unsettled(eid, tx.into())))
        }
        Some(_) | None => Err(Reject::OtherTransaction),
    }
}

pub(super) fn signed(books: &mut ContextMut<'_, Funds>, eid: Eid, attempt: Attempt) {
    if attempt.purpose != Purpose::Void {
        set_tx(books, eid, &attempt.tx);
    }
    books.room.withdrawals.change(eid, |payment| payment.attempts.push(attempt));
}

/// The row shows the newest transaction that pays.
fn set_tx(books: &mut ContextMut<'_, Funds>, eid: Eid, tx: &str) {
    books.room.change_chain(eid, |chain| chain.tx = tx.into());
}

pub(super) fn sent(books: &mut ContextMut<'_, Funds>, eid: Eid, tx: &str) {
    books.room.withdrawals.change(eid, |payment| {
        payment.sent.insert(tx.into());
    });
}

/// The state that the entries about the end of a withdrawal need.
pub(super) struct Ended {
    pub(super) account: AccountId,
    pub(super) currency: CurrencyId,
    pub(super) given: CurrencyId,
    pub(super) amount: Money,
    pub(super) fee: Money,
    pub(super) held: Money,
    is_pending: bool,
}

impl Ended {
    /// Of a row.
    pub(super) fn of(row: &NewTransfer) -> Self {
        Self {
            account: row.account,
            currency: row.currency,
            given: row.held_currency(),
            amount: row.amount,
            fee: row.fee,
            held: row.held,
            is_pending: row.status == Status::Pending,
        }
    }
}

/// Notes the end of a withdrawal; returns what it was until then.
fn end(books: &mut ContextMut<'_, Funds>, eid: Eid, settlement: Settlement, status: Status) -> Ended {
    let row = books.room.row(eid);
    let ended = Ended::of(row);
    let network = row.chain().map(|chain| chain.network.clone()).unwrap_or_default();
    let Settlement { outcome, tx, block, cost } = settlement;
    // One that ends again, after a reorganisation, was charged before.
    if ended.is_pending {
        books.room.note_network_cost(&network, cost);
    }
    if outcome != Outcome::Voided {
        set_tx(books, eid, &tx);
    }
    books.room.change(&Change { eid, status, held: Money::ZERO });
    books.room.withdrawals.end(eid, &network, Settled { outcome, tx, block: Some(block) });
    ended
}

/// Applies a completion: the amount leaves, and the fee goes to the house. One that comes again, after a reorganisation, moves
/// nothing.
pub(super) fn completed(books: &mut ContextMut<'_, Funds>, eid: Eid, settlement: Settlement) {
    remedy::note_end(books, eid);
    let ended = end(books, eid, settlement, Status::Complete);
    if ended.is_pending {
        pay(books, eid, &ended, Bucket::Held, ended.held);
    }
}

/// Applies a payment that was confirmed although its hold had been released: the void or the failure was in a block that was removed. The
/// account has had both, so the house lends it what left, and takes that at once. The row is complete, as the chain says.
pub(super) fn paid_late(books: &mut ContextMut<'_, Funds>, eid: Eid, settlement: Settlement) {
    let ended = end(books, eid, settlement, Status::Complete);
    let total = ended.amount + ended.fee;
    debt::lend(books, ended.account, ended.given, total);
    pay(books, eid, &ended, Bucket::Available, total);
}

/// Takes the whole from a part of the account's balance: the amount leaves, and the fee goes to the house.
fn pay(books: &mut ContextMut<'_, Funds>, eid: Eid, ended: &Ended, from: Bucket, total: Money) {
    let postings = postings(books, ended, from, total);
    post(books, eid, ended, &postings, ended.fee);
}

/// Posts what a withdrawal moves, its fee apart; a negative fee comes back.
fn post(books: &mut ContextMut<'_, Funds>, eid: Eid, ended: &Ended, entry: &[Posting], fee: Money) {
    let fee = FeePart { account: ended.account, asset: ended.given.into(), amount: fee };
    books.ledger.post_with_fee(Cause::Withdrawal.about(About::Transfer(eid.0)), entry, &fee);
}

/// Gives the whole back to what the account holds: the reverse of a payment.
pub(super) fn pay_back(books: &mut ContextMut<'_, Funds>, eid: Eid, ended: &Ended, total: Money) {
    let mut postings = postings(books, ended, Bucket::Held, total);
    for posting in &mut postings {
        posting.amount = -posting.amount;
    }
    post(books, eid, ended, &postings, -ended.fee);
}

fn postings(books: &ContextMut<'_, Funds>, ended: &Ended, from: Bucket, total: Money) -> Vec<Posting> {
    let house = |name| books.ledger.house(name).expect("the house accounts are open");
    let posting = |account, currency: CurrencyId, bucket, amount| Posting {
        account,
        asset: currency.into(),
        bucket,
        amount,
    };
    let mut postings: Vec<Posting> = alloc::vec![
        posting(ended.account, ended.given, from, -total),
        posting(house(SOURCE.name), ended.currency, Bucket::Available, ended.amount),
    ];
    if ended.fee != Money::ZERO {
        postings.push(posting(house(FEES.name), ended.currency, Bucket::Available, ended.fee));
    }
    if ended.given != ended.currency {
        let issuer = house(ISSUER.name);
        postings.push(posting(issuer, ended.given, Bucket::Available, ended.amount));
        postings.push(posting(issuer, ended.currency, Bucket::Available, -ended.amount));
    }
    postings
}

/// Applies a failure or a void: the hold is released in full, and a free withdrawal comes back.
pub(super) fn released(books: &mut ContextMut<'_, Funds>, eid: Eid, settlement: Settlement) {
    let status = match settlement.outcome {
        Outcome::Voided => Status::Voided,
        Outcome::Failed | Outcome::Completed => Status::Failed,
    };
    let ended = end(books, eid, settlement, status);
    if !ended.is_pending {
        return;
    }
    let posting =
        |bucket, amount| Posting { account: ended.account, asset: ended.given.into(), bucket, amount };
    let entry = [posting(Bucket::Held, -ended.held), posting(Bucket::Available, ended.held)];
    books.ledger.post(Cause::Withdrawal, &entry);
    let group = books.access.account(ended.account).and_then(|account| account.group);
    books.room.withdrawals.give_back(eid, group, ended.currency);
}

/// Applies the removal of the block of its end: the asset is halted until an operator has looked at it.
pub(super) fn unsettled(books: &mut ContextMut<'_, Funds>, eid: Eid) {
    let row = books.room.row(eid);
    let currency = row.currency;
    let network = row.chain().map(|chain| chain.network.clone()).unwrap_or_default();
    books.room.withdrawals.unend(eid, &network);
    books.room.halts.halt_asset(currency);
    remedy::note_removal(books, eid);
}
