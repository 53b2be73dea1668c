//! The most entries that lists of customers may have (D-185). An older list that is longer stays, and cannot grow.

use crate::{Funds, Infrequent, Made, Sender};
use buttonwood_model::{BytesRef, Outbox, commands, named};
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// The highest limit that an operator may set: a list is shown in one reply.
pub const HIGHEST: u64 = 100_000;

/// The most entries of each list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Approved addresses on the list of an account or of a group, over all networks; those that wait count too.
    pub approved_addresses: u32,
    /// Deposit addresses of an account, over all networks.
    pub deposit_addresses: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { approved_addresses: 1_000, deposit_addresses: 1_000 }
    }
}

/// A command of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Set the limits.
    SetLimits(Limits),
}

commands!(Command, "funds", { SetLimits { 0: limits } = "set_limits" 1: exchange neither });

/// An event of this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The limits were set.
    LimitsSet(Limits),
}

named!(Event, "funds", { LimitsSet { 0: limits } = "limits_set" 1 });

/// Why a command of this module is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// A limit is 0 or above [`HIGHEST`].
    Range,
}

/// Decides a command; one that changes nothing has no event.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Funds>,
    _: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    let Command::SetLimits(limits) = command;
    let fits = |limit: u32| (1..=HIGHEST).contains(&u64::from(limit));
    if !fits(limits.approved_addresses) || !fits(limits.deposit_addresses) {
        return Err(Reject::Range);
    }
    if context.room.limits != *limits {
        out.push_named(&Infrequent::from(Event::LimitsSet(*limits)));
    }
    Ok(Made::Nothing)
}

/// Applies an event.
pub(crate) fn evolve(books: &mut ContextMut<'_, Funds>, event: Event) {
    let Event::LimitsSet(limits) = event;
    books.room.limits = limits;
}
