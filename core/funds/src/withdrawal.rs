//! Withdrawals to the chains (XFER-013 to XFER-023, facts F§5 and F§6, INV-WD-1 to 7).
//!
//! A withdrawal is accepted by a client's command, which holds the amount and the fee. The exchange itself then commands each
//! further step, when it has happened outside: signed, sent, and its end. Each step is accepted once; a repeated one changes
//! nothing. Only what is durable here is signed, and only signed bytes that are durable here are sent.

mod accept;
mod fee;
mod payment;
mod progress;
mod remedy;
#[cfg(test)]
mod tests;

pub use accept::Withdraw;
pub use fee::FeeTerms;
pub use payment::{Attempt, Payment, Purpose, Settled, Withdrawals};
pub use progress::{Outcome, Settlement};
pub use remedy::{Mishap, Remedy};

use crate::{Eid, Funds, Infrequent, Made, Sender, Short};
use alloc::string::String;
use alloc::sync::Arc;
use buttonwood_model::{AccountId, BytesRef, Outbox, Right, Role, Roles, Scope, Scopes, commands, named};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};

/// A command of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Accept a withdrawal.
    Withdraw(Arc<Withdraw>),
    /// A transaction of the withdrawal was signed; it is sent only after this is durable.
    Signed(Eid, Arc<Attempt>),
    /// The node has this transaction of the withdrawal.
    Sent(Eid, String),
    /// The withdrawal has come to its end on the chain.
    Settle(Eid, Arc<Settlement>),
    /// A reorganisation has removed the block of the transaction that had ended the withdrawal.
    Unsettle(Eid, String),
    /// Let every withdrawal of the account be free, or no longer.
    OverrideFee(AccountId, bool),
    /// Nothing that was signed for it can confirm any more: what it spends is gone, or was finally spent otherwise.
    Lose(Eid),
    /// Something that was signed for it may confirm after all.
    Revive(Eid),
    /// An operator has it paid again, or calls it off.
    Remedy(Eid, Remedy),
}

// What ends a withdrawal is served on a nearly full disk too.
commands!(Command, "funds", {
    Withdraw { 0: withdraw } = "withdraw" 1: client(Self::RIGHT) neither,
    Signed { 0: eid, 1: attempt } = "withdrawal_signed" 1: exchange neither,
    Sent { 0: eid, 1: tx } = "withdrawal_sent" 1: exchange neither,
    Settle { 0: eid, 1: settlement } = "settle_withdrawal" 1: exchange reduces,
    Unsettle { 0: eid, 1: tx } = "unsettle_withdrawal" 1: exchange reduces,
    OverrideFee { 0: account, 1: on } = "override_withdrawal_fee" 1: exchange neither,
    Lose { 0: eid } = "lose_withdrawal" 1: exchange reduces,
    Revive { 0: eid } = "revive_withdrawal" 1: exchange reduces,
    Remedy { 0: eid, 1: remedy } = "remedy_withdrawal" 1: exchange neither,
});

impl Command {
    /// The rights that a client needs to withdraw.
    pub const RIGHT: Right =
        Right { roles: Roles::of(&[Role::FundManager]), scopes: Scopes::of(&[Scope::CryptoSend]) };
}

/// An event of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A withdrawal was accepted, at this fee; `true` if it has used a free withdrawal up.
    Accepted(Withdraw, Money, bool),
    /// A transaction was signed.
    Signed(Eid, Attempt),
    /// A transaction was sent.
    Sent(Eid, String),
    /// The amount has left, and the fee went to the house.
    Completed(Eid, Settlement),
    /// The transaction was final and has moved nothing: the hold was released.
    Failed(Eid, Settlement),
    /// Another transaction has finally used up what it would have spent: the hold was released.
    Voided(Eid, Settlement),
    /// The block that had ended it was removed.
    Unsettled(Eid, String),
    /// Withdrawals of the account are free, or no longer.
    FeeOverridden(AccountId, bool),
    /// It was paid after all, although it had been released: a reorganisation had removed the block of its void or failure. The house
    /// has lent the account what left.
    PaidLate(Eid, Settlement),
    /// It was complete, and its block was removed: the account has the money again, held.
    Reopened(Eid),
    /// Nothing that was signed for it can confirm any more.
    Lost(Eid),
    /// Something that was signed for it may confirm after all.
    Revived(Eid),
    /// The next payment, or an empty one, uses the number of its account again.
    Remedied(Eid, Remedy),
    /// It is paid again from other coins.
    Rebuilt(Eid),
    /// It was called off: the hold was released.
    CalledOff(Eid),
}

named!(Event, "funds", {
    Accepted { 0: withdraw, 1: fee, 2: is_free } = "withdrawal_accepted" 1,
    Signed { 0: eid, 1: attempt } = "withdrawal_was_signed" 1,
    Sent { 0: eid, 1: tx } = "withdrawal_was_sent" 1,
    Completed { 0: eid, 1: settlement } = "withdrawal_completed" 1,
    Failed { 0: eid, 1: settlement } = "withdrawal_failed" 1,
    Voided { 0: eid, 1: settlement } = "withdrawal_voided" 1,
    Unsettled { 0: eid, 1: tx } = "withdrawal_unsettled" 1,
    FeeOverridden { 0: account, 1: on } = "withdrawal_fee_overridden" 1,
    PaidLate { 0: eid, 1: settlement } = "withdrawal_paid_late" 1,
    Reopened { 0: eid } = "withdrawal_reopened" 1,
    Lost { 0: eid } = "withdrawal_lost" 1,
    Revived { 0: eid } = "withdrawal_revived" 1,
    Remedied { 0: eid, 1: remedy } = "withdrawal_remedied" 1,
    Rebuilt { 0: eid } = "withdrawal_rebuilt" 1,
    CalledOff { 0: eid } = "withdrawal_called_off" 1,
});

/// Why a command of this module is refused. The variants of acceptance come first, in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The key does not act for the account, or it is no customer's.
    Foreign,
    /// The account is closed.
    Closed,
    /// The currency cannot leave on this network (XFER-018).
    UnsupportedNetwork,
    /// The client id stands for a transfer with other terms (XFER-015).
    OtherTerms,
    /// An operator, or the exchange itself, has halted withdrawals or this asset, or assets do not cover what customers have.
    Halted,
    /// The account has no list of approved addresses (XFER-016).
    NoList,
    /// The address is not on the list, or not active yet (XFER-016).
    NotApproved,
    /// The address is active with another memo (D-172).
    OtherMemo,
    /// The amount is not positive, or finer than the asset can be sent: with at most this many decimals.
    BadAmount(u8),
    /// The amount is less than this least one.
    BelowMinimum(Money),
    /// The amount and this fee may not leave the account (XFER-017).
    Short(Short, Money),
    /// The account has no withdrawal on its way with this number.
    Unknown,
    /// The transaction spends something else than the earlier ones of the withdrawal (INV-WD-4).
    OtherSpends,
    /// No transaction of the withdrawal has this hash and can end it so.
    OtherTransaction,
    /// The withdrawal has ended otherwise.
    Settled,
    /// Nothing was signed for it yet: it only waits.
    Unsigned,
    /// A transaction signed for it may still confirm.
    MayConfirm,
    /// An operator has done this before, or has called it off.
    Remedied,
}

/// Decides a command: appends its event, or refuses it. A repeated command appends nothing.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Funds>,
    sender: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    let events = match command {
        Command::Withdraw(withdraw) => match accept::decide(context, sender, withdraw)? {
            accept::Accepted::Before(eid) => return Ok(Made::Transfer(eid)),
            accept::Accepted::Now(event) => alloc::vec![event],
        },
        Command::Signed(eid, attempt) => progress::sign(context, *eid, attempt)?.into_iter().collect(),
        Command::Sent(eid, tx) => progress::send(context, *eid, tx)?.into_iter().collect(),
        Command::Settle(eid, settlement) => progress::settle(context, *eid, settlement)?,
        Command::Unsettle(eid, tx) => progress::unsettle(context, *eid, tx)?.into_iter().collect(),
        Command::OverrideFee(account, on) => {
            context.account(*account).ok_or(Reject::Foreign)?;
            let differs = context.room.withdrawals.is_overridden(*account) != *on;
            differs.then_some(Event::FeeOverridden(*account, *on)).into_iter().collect()
        }
        Command::Lose(eid) => remedy::lose(context, *eid)?,
        Command::Revive(eid) => remedy::revive(context, *eid)?,
        Command::Remedy(eid, what) => remedy::remedy(context, *eid, *what)?,
    };
    let made = match events.last() {
        Some(Event::Accepted(..)) => Made::Transfer(context.room.next_eid()),
        // Its orders are cancelled, so that what they hold repays the loan.
        Some(Event::PaidLate(eid, _)) => {
            context.room.transfer(*eid).map_or(Made::Nothing, |transfer| Made::Loan(transfer.row.account))
        }
        Some(_) | None => Made::Nothing,
    };
    for event in events {
        out.push_named(&Infrequent::from(event));
    }
    Ok(made)
}

/// Applies an event.
///
/// # Panics
/// When the event does not follow from the state.
pub(crate) fn evolve(books: &mut ContextMut<'_, Funds>, event: Event) {
    match event {
        Event::Accepted(withdraw, fee, is_free) => accept::evolve(books, withdraw, fee, is_free),
        Event::Signed(eid, attempt) => progress::signed(books, eid, attempt),
        Event::Sent(eid, tx) => progress::sent(books, eid, &tx),
        Event::Completed(eid, settlement) => progress::completed(books, eid, settlement),
        Event::Failed(eid, settlement) | Event::Voided(eid, settlement) => {
            progress::released(books, eid, settlement);
        }
        Event::PaidLate(eid, settlement) => progress::paid_late(books, eid, settlement),
        Event::Unsettled(eid, _) => progress::unsettled(books, eid),
        Event::FeeOverridden(account, on) => books.room.withdrawals.set_override(account, on),
        Event::Reopened(eid) => remedy::reopened(books, eid),
        Event::Lost(eid) => remedy::lost(books, eid),
        Event::Revived(eid) => remedy::revived(books, eid),
        Event::Remedied(eid, what) => remedy::remedied(books, eid, what),
        Event::Rebuilt(eid) => remedy::rebuilt(books, eid),
        Event::CalledOff(eid) => remedy::called_off(books, eid),
    }
}
