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

/// The order of commands that are due at one instant: money arrives before prices are taken, and prices before anything is paid by them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Auctions, triggered orders, and the end of a day of trading.
    #[default]
    Orders,
    /// Money that enters, leaves or moves to custody.
    Transfers,
    /// Marks and indices.
    Prices,
    /// The insurance fund's own positions.
    Fund,
    /// Funding.
    Funding,
    /// Interest on loans.
    Interest,
    /// Liquidations.
    Liquidation,
    /// The end of what waits for an operator's approval.
    Approvals,
}

/// A command that a room is due to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due<C> {
    /// When it runs.
    pub rank: Rank,
    /// When it fell due; a follow-up is due at once.
    pub time: Time,
    /// Its place among those of the same rank and time.
    pub phase: Phase,
    /// Whether a long move of a manual clock may skip it: never where it moves money.
    pub may_skip: bool,
    /// Whether thousands may be due at once, each the beginning of a chain: a turn runs some of them, so that other commands have theirs.
    pub is_storm: bool,
    /// The command.
    pub command: C,
}

impl<C> Due<C> {
    /// A step, which no move of a clock skips.
    pub fn step(time: Time, phase: Phase, command: C) -> Self {
        Self { rank: Rank::Step, time, phase, may_skip: false, is_storm: false, command }
    }

    /// A follow-up.
    pub fn follow_up(time: Time, phase: Phase, command: C) -> Self {
        Self { rank: Rank::FollowUp, ..Self::step(time, phase, command) }
    }

    /// The same, which a long move of a manual clock may skip.
    #[must_use]
    pub fn skippable(self, may_skip: bool) -> Self {
        Self { may_skip, ..self }
    }

    /// The same, of which a turn runs some.
    #[must_use]
    pub fn in_storm(self) -> Self {
        Self { is_storm: true, ..self }
    }

    /// The same with another type of command.
    pub fn map<D>(self, to: impl FnOnce(C) -> D) -> Due<D> {
        let Self { rank, time, phase, may_skip, is_storm, command } = self;
        Due { rank, time, phase, may_skip, is_storm, command: to(command) }
    }

    /// The sort key: the smaller of two comes first.
    pub fn key(&self) -> (Rank, Time, Phase) {
        (self.rank, self.time, self.phase)
    }
}
