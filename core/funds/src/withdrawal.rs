//! Withdrawals to the chains (XFER-013 to XFER-023, facts F§5 and F§6, INV-WD-1 to 7).
//!
//! A withdrawal is accepted by a client's command, which holds the amount and the fee. The exchange itself then commands each
//! further step, when it has happened outside: signed, sent, and its end. Each step is accepted once; a repeated one changes
//! nothing. Only what is durable here is signed, and only signed bytes that are durable here are sent.

mod accept;
mod fee;
mod payment;
mod progress;
#[cfg(test)]
mod tests;

pub use accept::Withdraw;
pub use fee::FeeTerms;
pub use payment::{Attempt, Payment, Purpose, Settled, Withdrawals};
pub use progress::{Outcome, Settlement};

use crate::{Books, Desk, Eid, Infrequent, Made, Sender, Short};
use alloc::string::String;
use alloc::sync::Arc;
use buttonwood_model::{AccountId, BytesRef, Outbox, Right, Role, Roles, named};
use buttonwood_num::Money;

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
}

named!(Command, "funds", {
    Withdraw { 0: withdraw } = "withdraw" 1,
    Signed { 0: eid, 1: attempt } = "withdrawal_signed" 1,
    Sent { 0: eid, 1: tx } = "withdrawal_sent" 1,
    Settle { 0: eid, 1: settlement } = "settle_withdrawal" 1,
    Unsettle { 0: eid, 1: tx } = "unsettle_withdrawal" 1,
    OverrideFee { 0: account, 1: on } = "override_withdrawal_fee" 1,
});

impl Command {
    /// What a client needs to withdraw.
    pub const RIGHT: Right = Right { roles: Roles::of(&[Role::FundManager]), scopes: &["crypto:send"] };

    /// A caller needs one of these roles (AUTH-025); only the exchange itself reports what has happened on a chain.
    pub(crate) fn roles(&self) -> Roles {
        match self {
            Self::Withdraw(_) => Self::RIGHT.roles,
            Self::Signed(..)
            | Self::Sent(..)
            | Self::Settle(..)
            | Self::Unsettle(..)
            | Self::OverrideFee(..) => Roles::NOBODY,
        }
    }

    /// Whether it is still accepted when journal space is low: what ends a withdrawal is.
    pub(crate) fn is_reducing(&self) -> bool {
        match self {
            Self::Settle(..) | Self::Unsettle(..) => true,
            Self::Withdraw(_) | Self::Signed(..) | Self::Sent(..) | Self::OverrideFee(..) => false,
        }
    }
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
    /// The amount is not positive, or finer than the asset can be sent.
    BadAmount,
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
}

/// Decides a command: appends its event, or refuses it. A repeated command appends nothing.
pub(crate) fn decide<E: From<BytesRef>>(
    desk: &Desk<'_>,
    sender: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    let event = match command {
        Command::Withdraw(withdraw) => match accept::decide(desk, sender, withdraw)? {
            accept::Accepted::Before(eid) => return Ok(Made::Transfer(eid)),
            accept::Accepted::Now(event) => Some(event),
        },
        Command::Signed(eid, attempt) => progress::sign(desk, *eid, attempt)?,
        Command::Sent(eid, tx) => progress::send(desk, *eid, tx)?,
        Command::Settle(eid, settlement) => progress::settle(desk, *eid, settlement)?,
        Command::Unsettle(eid, tx) => progress::unsettle(desk, *eid, tx)?,
        Command::OverrideFee(account, on) => {
            desk.account(*account).ok_or(Reject::Foreign)?;
            let differs = desk.funds.withdrawals.is_overridden(*account) != *on;
            differs.then_some(Event::FeeOverridden(*account, *on))
        }
    };
    let made = match &event {
        Some(Event::Accepted(..)) => Made::Transfer(desk.funds.next_eid()),
        // Its orders are cancelled, so that what they hold repays the loan.
        Some(Event::PaidLate(eid, _)) => {
            desk.funds.transfer(*eid).map_or(Made::Nothing, |transfer| Made::Loan(transfer.row.account))
        }
        Some(_) | None => Made::Nothing,
    };
    if let Some(event) = event {
        out.push_named(&Infrequent::from(event));
    }
    Ok(made)
}

/// Applies an event.
///
/// # Panics
/// When the event does not follow from the state.
pub(crate) fn evolve(books: &mut Books<'_>, event: Event) {
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
        Event::FeeOverridden(account, on) => books.funds.withdrawals.set_override(account, on),
    }
}
