//! Commands that fall due by the clock.

use crate::Time;

/// When a due command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Before any other command: it continues what a command began.
    FollowUp,
    /// Between other commands, after its time has come.
    Step,
}

/// A command that a room is due to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due<C> {
    /// When it runs.
    pub rank: Rank,
    /// When it fell due; a follow-up is due at once.
    pub time: Time,
    /// Whether a long move of a manual clock may skip it: never where it moves money.
    pub may_skip: bool,
    /// The command.
    pub command: C,
}

impl<C> Due<C> {
    /// The same with another type of command.
    pub fn map<D>(self, to: impl FnOnce(C) -> D) -> Due<D> {
        let Self { rank, time, may_skip, command } = self;
        Due { rank, time, may_skip, command: to(command) }
    }

    /// The sort key: the smaller of two comes first.
    pub fn key(&self) -> (Rank, Time) {
        (self.rank, self.time)
    }
}
