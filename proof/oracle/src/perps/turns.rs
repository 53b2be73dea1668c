//! When the desk's own commands must run: nothing comes between the commands of a round or of an hour's payments, and no order after the
//! time at which an hour was to be cut or marks to be taken.

use super::PerpJudge;
use super::prices::top;
use crate::exchange::Exchange;
use crate::naive::PerpPremiums;
use buttonwood_engine::{Body, Command, perp};
use buttonwood_model::{SymbolId, Time};
use buttonwood_num::Money;
use std::collections::BTreeMap;

const MINUTE: u64 = 60 * Time::SECOND;

/// The state on which the times of own commands depend.
#[derive(Debug, Default)]
pub(super) struct Turns {
    tops: BTreeMap<SymbolId, [Option<Money>; 3]>,
    /// Since when a book says something else than the marks.
    changed: Option<Time>,
    /// When marks were last taken.
    marked: Option<Time>,
    /// Whether a premium other than zero is in force.
    has_premium: bool,
    /// The hour that was cut last.
    pub(super) paid_hour: Time,
}

impl Turns {
    pub(super) fn marked<'a>(&mut self, now: Time, premiums: impl Iterator<Item = &'a PerpPremiums>) {
        (self.changed, self.marked) = (None, Some(now));
        let mut last = premiums.filter_map(|premiums| premiums.taken.last()?.1);
        self.has_premium = last.any(|premium| premium != Money::ZERO);
    }

    /// When marks were last taken, if full minutes in which a premium counts lie between then and a start at this time.
    pub(super) fn stopped_since(&self, now: Time) -> Option<Time> {
        self.marked.filter(|marked| self.has_premium && marked.0 / MINUTE + 1 < now.0 / MINUTE)
    }

    /// When marks are taken next.
    fn marks_due(&self) -> Option<Time> {
        let after = |time: Time, span: u64| Time((time.0 / span + 1) * span);
        let changed = self.changed.map(|time| after(time, Time::SECOND));
        let minute = self.marked.filter(|_| self.has_premium).map(|time| after(time, MINUTE));
        changed.into_iter().chain(minute).min()
    }
}

impl PerpJudge {
    /// Whether the exchange stopped while a premium counted, for full minutes until a start at this time: then the first command of the
    /// start must say so.
    pub fn must_resume(&self, now: Time) -> bool {
        self.turns.stopped_since(now).is_some()
    }

    /// Whether payments are under way.
    pub fn is_paying(&self) -> bool {
        self.is_paying
    }

    /// Whether accounts wait for liquidation, or are being liquidated.
    pub fn is_liquidating(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Whether a round is under way.
    pub fn is_in_round(&self) -> bool {
        self.round.is_some() || self.is_bare
    }

    /// Whether the command may run now.
    pub(super) fn check_turn(&self, exchange: &Exchange, command: &Command) -> Result<(), String> {
        let now = exchange.stamp.time;
        let own = if let Body::Perp(own) = &command.body { Some(own) } else { None };
        if own == Some(&perp::Command::Resume) {
            return Ok(());
        }
        if self.is_paying && own != Some(&perp::Command::PayFunding) {
            return Err(format!("{:?} comes between payments of funding", command.body));
        }
        if self.is_in_round() && own != Some(&perp::Command::Liquidate) {
            return Err(format!("{:?} comes into a round", command.body));
        }
        if command.caller.is_none() {
            return Ok(());
        }
        if let Some(hour) = self.next_hour.filter(|hour| *hour < now) {
            return Err(format!("a command at {now:?}, and the hour {hour:?} is not cut"));
        }
        if self.is_late_with_fund(now) {
            return Err(format!("a command at {now:?}, and the fund is not flat"));
        }
        match self.turns.marks_due().filter(|due| *due < now) {
            Some(due) => Err(format!("a command at {now:?}, and marks were due at {due:?}")),
            None => Ok(()),
        }
    }

    /// Notes whether a book has changed.
    pub(super) fn see_books(&mut self, exchange: &Exchange) {
        for symbol in self.contracts.keys() {
            let top = top(exchange, *symbol);
            if self.turns.tops.insert(*symbol, top).is_some_and(|before| before != top) {
                self.turns.changed.get_or_insert(exchange.stamp.time);
            }
        }
    }
}
