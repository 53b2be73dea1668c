//! Deposits from the chains (XFER-010, facts F§3, INV-DEP-1).
//!
//! The exchange itself reports what its watchers see. A payment is known by network, transaction and output, for ever: it is
//! credited once, whatever is reported afterwards. A report that repeats what is known changes nothing.

mod arrivals;
mod assign;
mod observe;
#[cfg(test)]
mod tests;

pub use arrivals::{ChainBlock, Deposit, Deposits, OutputKey, State};
pub use observe::{Origin, Seen};

use crate::{Funds, Infrequent, Made, Sender, Status};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, BytesRef, CurrencyId, Outbox, commands, named};
use buttonwood_room::{Context, ContextMut};

/// A command of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A payment was seen, waiting or in a block.
    Seen(Arc<Seen>),
    /// It is in this block, with so many confirmations.
    Confirmed(Arc<OutputKey>, ChainBlock, u32),
    /// This block, which held it, was removed by a reorganisation.
    Reorganised(Arc<OutputKey>, ChainBlock),
    /// It cannot confirm any more.
    Lost(Arc<OutputKey>),
    /// A network's watcher has read these blocks, after every block above a height was removed.
    Followed(String, Option<u64>, Arc<Vec<ChainBlock>>),
    /// Give a payment that fitted no account to this one.
    Assign(Arc<OutputKey>, AccountId),
}

commands!(Command, "funds", {
    Seen { 0: seen } = "see_deposit" 1: exchange neither,
    Confirmed { 0: key, 1: block, 2: confirmations } = "confirm_deposit" 1: exchange neither,
    Reorganised { 0: key, 1: block } = "reorganise_deposit" 1: exchange neither,
    Lost { 0: key } = "lose_deposit" 1: exchange neither,
    Followed { 0: network, 1: removed_above, 2: blocks } = "follow_chain" 1: exchange neither,
    Assign { 0: key, 1: account } = "assign_deposit" 1: exchange neither,
});

/// An event of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A payment was seen for the first time; it is this account's.
    Seen(Seen, AccountId),
    /// A payment that was lost was seen again.
    Revived(OutputKey),
    /// It has so many confirmations.
    Confirmed(OutputKey, ChainBlock, u32),
    /// It was credited.
    Credited(OutputKey),
    /// Its block was removed; it waits again.
    Reorganised(OutputKey),
    /// Its block was removed after it had been credited: the asset is halted.
    Reversed(OutputKey),
    /// It cannot confirm any more.
    Lost(OutputKey),
    /// A watcher has read these blocks.
    Followed(String, Option<u64>, Vec<ChainBlock>),
    /// It belongs to this account now: an operator has assigned it, or it is the house's since its owner was closed.
    Assigned(OutputKey, AccountId),
}

named!(Event, "funds", {
    Seen { 0: seen, 1: account } = "deposit_seen" 1,
    Revived { 0: key } = "deposit_revived" 1,
    Confirmed { 0: key, 1: block, 2: confirmations } = "deposit_confirmed" 1,
    Credited { 0: key } = "deposit_credited" 1,
    Reorganised { 0: key } = "deposit_reorganised" 1,
    Reversed { 0: key } = "deposit_reversed" 1,
    Lost { 0: key } = "deposit_lost" 1,
    Followed { 0: network, 1: removed_above, 2: blocks } = "chain_followed" 1,
    Assigned { 0: key, 1: account } = "deposit_assigned" 1,
});

/// Why a command of this module is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The asset does not arrive on this network, or the amount is not positive.
    Unacceptable,
    /// The house account for payments that fit no account is not open.
    NoHouse,
    /// No such payment was seen.
    Unknown,
    /// The payment belongs to an account already.
    Owned,
    /// The payment was lost.
    IsLost,
    /// No customer has this account.
    NoAccount,
    /// The account is closed.
    Closed,
    /// Credits of the currency are halted.
    Halted,
}

/// Decides a command: appends its events, or refuses it. A repeated command appends nothing.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Funds>,
    _: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    let mut push = |event| out.push_named(&Infrequent::from(event));
    match command {
        Command::Seen(seen) => observe::see(context, seen)?.into_iter().for_each(push),
        Command::Confirmed(key, block, confirmations) => {
            observe::confirm(context, key, block, *confirmations)?.into_iter().for_each(push);
        }
        Command::Reorganised(key, block) => {
            observe::reorganise(context, key, block)?.into_iter().for_each(push);
        }
        Command::Lost(key) => observe::lose(context, key)?.into_iter().for_each(push),
        Command::Followed(network, removed_above, blocks) => {
            push(Event::Followed(network.clone(), *removed_above, Vec::clone(blocks)));
        }
        Command::Assign(key, account) => {
            push(assign::decide(context, key, *account)?);
        }
    }
    Ok(Made::Nothing)
}

/// Appends the credits of a currency that its halt has delayed.
pub(crate) fn credit_waiting<E: From<BytesRef>>(
    context: &Context<'_, Funds>,
    currency: CurrencyId,
    out: &mut Outbox<E>,
) {
    for key in observe::final_of(context, currency) {
        out.push_named(&Infrequent::from(Event::Credited(key)));
    }
}

/// Applies an event.
///
/// # Panics
/// When the event does not follow from the state.
pub(crate) fn evolve(books: &mut ContextMut<'_, Funds>, event: Event) {
    match event {
        Event::Seen(seen, account) => observe::seen(books, seen, account),
        Event::Revived(key) => {
            observe::set_status(books, &key, State::Waiting, Status::Pending);
        }
        Event::Lost(key) => observe::lost(books, &key),
        Event::Confirmed(key, block, confirmations) => observe::confirmed(books, &key, block, confirmations),
        Event::Credited(key) => observe::credited(books, &key),
        Event::Reorganised(key) => observe::unconfirmed(books, &key),
        Event::Reversed(key) => observe::reversed(books, &key),
        Event::Followed(network, removed_above, blocks) => {
            books.room.deposits.follow(&network, removed_above, blocks);
        }
        Event::Assigned(key, account) => assign::evolve(books, &key, account),
    }
}
