//! A withdrawal whose payment a reorganisation deeper than final has removed, and what operators do about it (INV-WD-5, D-184, Q-412).
//!
//! On a chain of outputs a payment is lost once what it spends is gone or was finally spent otherwise: the driver says so, and until then
//! it may still confirm, so nothing else is paid and nothing is released. On a chain of accounts all payments of a withdrawal use one
//! number, of which the chain takes one: there the next payment, or an empty one, uses it again.

use super::progress::{Ended, find, pay_back};
use super::{Event, Outcome, Payment, Reject, Settled};
use crate::{Change, Eid, Funds, NetworkKind, Status, Transfer};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_ledger::{Bucket, Cause, FEES, ISSUER, Posting, SOURCE};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// An operator's remedy for a withdrawal that does not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Remedy {
    /// It is paid again.
    Rebuild,
    /// It is called off, and its hold is released.
    Void,
}

/// An unusual event of a withdrawal's payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mishap {
    /// A reorganisation has removed its block after it was final. It was sent again.
    Removed,
    /// It cannot confirm any more: what it spends is gone, or was spent otherwise.
    Lost,
    /// An operator has it paid again.
    Rebuilt,
    /// An operator has called it off.
    CalledOff,
}

impl Mishap {
    /// The row's message, for people.
    pub const fn message(self) -> &'static str {
        match self {
            Self::Removed => "A reorganisation has removed the payment from the chain; it was sent again.",
            Self::Lost => {
                "The payment cannot confirm any more, since the chain has lost what it spends; an operator pays it again or calls it off."
            }
            Self::Rebuilt => {
                "An operator has it paid again, since its first payment did not stay on the chain."
            }
            Self::CalledOff => "An operator has called it off, since its payment did not stay on the chain.",
        }
    }
}

impl Payment {
    /// Whether anything was ever signed for it.
    pub fn was_signed(&self) -> bool {
        !self.attempts.is_empty() || !self.replaced.is_empty()
    }

    /// Whether an operator has called it off without another payment in its place.
    pub fn is_called_off(&self) -> bool {
        self.settled
            .as_ref()
            .is_some_and(|settled| settled.outcome == Outcome::Voided && settled.tx.is_empty())
    }
}

/// The event that makes a completed withdrawal pending again whose block was removed; none for one that is pending.
///
/// # Errors
/// [`Reject::Settled`] for one that has ended.
pub(super) fn reopen(
    context: &Context<'_, Funds>,
    transfer: &Transfer,
    payment: &Payment,
) -> Result<Option<Event>, Reject> {
    let row = &transfer.row;
    if row.status == Status::Pending {
        return Ok(None);
    }
    let is_removed = payment.settled.as_ref().is_some_and(|settled| settled.block.is_none());
    if row.status != Status::Complete || !is_removed {
        return Err(Reject::Settled);
    }
    let gives = |name, currency, amount| {
        context
            .ledger
            .house(name)
            .is_some_and(|house| context.ledger.can_give(house, currency, amount).is_ok())
    };
    let is_wrapped = row.held_currency() != row.currency;
    let can_give = gives(SOURCE.name, row.currency, row.amount)
        && gives(FEES.name, row.currency, row.fee)
        && (!is_wrapped || gives(ISSUER.name, row.held_currency(), row.amount));
    if can_give { Ok(Some(Event::Reopened(transfer.eid))) } else { Err(Reject::Settled) }
}

/// Decides that nothing that was signed can confirm any more.
pub(super) fn lose(context: &Context<'_, Funds>, eid: Eid) -> Result<Vec<Event>, Reject> {
    let (transfer, payment) = find(context, eid)?;
    if payment.lost || !payment.was_signed() || payment.is_called_off() {
        return Ok(Vec::new());
    }
    let mut events: Vec<Event> = reopen(context, transfer, payment)?.into_iter().collect();
    events.push(Event::Lost(eid));
    Ok(events)
}

/// Decides that something that was signed may confirm after all.
pub(super) fn revive(context: &Context<'_, Funds>, eid: Eid) -> Result<Vec<Event>, Reject> {
    let (_, payment) = find(context, eid)?;
    Ok(payment.lost.then_some(Event::Revived(eid)).into_iter().collect())
}

/// Decides what an operator does.
pub(super) fn remedy(context: &Context<'_, Funds>, eid: Eid, remedy: Remedy) -> Result<Vec<Event>, Reject> {
    let (transfer, payment) = find(context, eid)?;
    let mut events: Vec<Event> = reopen(context, transfer, payment)?.into_iter().collect();
    let has_number = transfer.row.chain().is_some_and(|chain| {
        let network = context.room.networks().find(&chain.network);
        network.is_some_and(|(_, network)| network.kind == NetworkKind::Evm)
    });
    let is_same = payment.remedy == Some(remedy) || payment.remedy == Some(Remedy::Void);
    events.push(match remedy {
        _ if !payment.was_signed() => return Err(Reject::Unsigned),
        Remedy::Rebuild if payment.lost => Event::Rebuilt(eid),
        Remedy::Void if payment.lost => Event::CalledOff(eid),
        _ if !has_number => return Err(Reject::MayConfirm),
        _ if is_same => return Err(Reject::Remedied),
        Remedy::Rebuild | Remedy::Void => Event::Remedied(eid, remedy),
    });
    Ok(events)
}

fn set_mishap(books: &mut ContextMut<'_, Funds>, eid: Eid, mishap: Option<Mishap>) {
    books.room.change_chain(eid, |chain| chain.mishap = mishap);
}

/// Notes that a block that was final was removed.
pub(super) fn note_removal(books: &mut ContextMut<'_, Funds>, eid: Eid) {
    set_mishap(books, eid, Some(Mishap::Removed));
}

/// Notes that it is paid: what was only interrupted needs no words any more.
pub(super) fn note_end(books: &mut ContextMut<'_, Funds>, eid: Eid) {
    let mishap = books.room.row(eid).chain().and_then(|chain| chain.mishap);
    if matches!(mishap, Some(Mishap::Removed | Mishap::Lost)) {
        set_mishap(books, eid, None);
    }
}

/// Applies the removal of a payment that was complete: the account has the money again, held.
pub(super) fn reopened(books: &mut ContextMut<'_, Funds>, eid: Eid) {
    let ended = Ended::of(books.room.row(eid));
    let network = books.room.row(eid).chain().map(|chain| chain.network.clone()).unwrap_or_default();
    books.room.withdrawals.unend(eid, &network);
    books.room.withdrawals.change(eid, |payment| payment.settled = None);
    let held = ended.amount + ended.fee;
    pay_back(books, eid, &ended, held);
    books.room.change(&Change { eid, status: Status::Pending, held });
}

/// Applies that nothing that was signed can confirm any more.
pub(super) fn lost(books: &mut ContextMut<'_, Funds>, eid: Eid) {
    books.room.withdrawals.change(eid, |payment| payment.lost = true);
    set_mishap(books, eid, Some(Mishap::Lost));
}

/// Applies that something that was signed may confirm after all.
pub(super) fn revived(books: &mut ContextMut<'_, Funds>, eid: Eid) {
    let mut is_rebuilt = false;
    books.room.withdrawals.change(eid, |payment| {
        payment.lost = false;
        is_rebuilt = !payment.replaced.is_empty();
    });
    set_mishap(books, eid, Some(if is_rebuilt { Mishap::Rebuilt } else { Mishap::Removed }));
}

/// Applies that the next payment, or an empty one, uses the number again.
pub(super) fn remedied(books: &mut ContextMut<'_, Funds>, eid: Eid, remedy: Remedy) {
    books.room.withdrawals.set_remedy(eid, remedy);
    let mishap = if remedy == Remedy::Void { Mishap::CalledOff } else { Mishap::Rebuilt };
    set_mishap(books, eid, Some(mishap));
}

/// Applies that it is paid again from other coins: what was signed for it is never sent again.
pub(super) fn rebuilt(books: &mut ContextMut<'_, Funds>, eid: Eid) {
    books.room.withdrawals.change(eid, |payment| {
        let attempts = core::mem::take(&mut payment.attempts);
        // One that was not signed anew since the last time replaces nothing.
        if !attempts.is_empty() {
            payment.replaced.push(attempts);
        }
        payment.lost = false;
    });
    books.room.change_chain(eid, |chain| chain.tx.clear());
    remedied(books, eid, Remedy::Rebuild);
}

/// Applies that it is called off: its hold is released. Should the chain pay it after all, the house lends what left.
pub(super) fn called_off(books: &mut ContextMut<'_, Funds>, eid: Eid) {
    let ended = Ended::of(books.room.row(eid));
    let posting =
        |bucket, amount| Posting { account: ended.account, asset: ended.given.into(), bucket, amount };
    let entry = [posting(Bucket::Held, -ended.held), posting(Bucket::Available, ended.held)];
    books.ledger.post(Cause::Withdrawal, &entry);
    books.room.change(&Change { eid, status: Status::Voided, held: Money::ZERO });
    let group = books.access.account(ended.account).and_then(|account| account.group);
    books.room.withdrawals.give_back(eid, group, ended.currency);
    remedied(books, eid, Remedy::Void);
    books.room.withdrawals.change(eid, |payment| {
        payment.lost = false;
        payment.settled = Some(Settled { outcome: Outcome::Voided, tx: String::new(), block: None });
    });
}
