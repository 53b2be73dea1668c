//! The commands that the exchange runs by itself, and their times: nonces of reads, silent sessions, auctions, midnights,
//! what is due of funds and of perpetuals.

use super::{Checker, Finding, SILENCE};
use buttonwood_engine::{
    AccessCommand, Body, Command, Founding, FundsCommand, OrderState, State, TradingCommand, perp,
};
use buttonwood_model::{Due, ExecutionOption, Rank, SessionId, Time};
use buttonwood_oracle::Step;

/// The task of funds that is due next.
pub(super) fn funds_due(state: &State) -> Option<Due<FundsCommand>> {
    state.next_due_in(state.funds())
}

/// The task of perpetuals that is due next: marks, funding, liquidations.
pub(super) fn perp_due(state: &State) -> Option<Due<perp::Command>> {
    state.next_due_in(state.perps())
}

/// Whether a command is the one that is due: a follow-up at any time, a step at its own, or later if it may be late.
pub(crate) fn is_due<C: PartialEq>(due: Option<&Due<C>>, command: &C, now: Time, may_be_late: bool) -> bool {
    due.is_some_and(|due| {
        let is_on_time = due.rank == Rank::FollowUp || due.time == now || may_be_late && due.time < now;
        due.command == *command && is_on_time
    })
}

impl Checker {
    #[expect(clippy::wildcard_enum_match_arm, reason = "there is nothing else it may do by itself")]
    /// Whether the exchange may journal this command without a request.
    pub(super) fn is_own(&self, command: &Command) -> Result<(), Finding> {
        if command.caller.is_some() {
            return Err(String::new());
        }
        match &command.body {
            // The naive exchange checks that a triggered order is the one that is due.
            Body::Access(AccessCommand::NoncesSeen(_))
            | Body::Founding(Founding::MoveClock)
            | Body::Trading(TradingCommand::Trigger(_)) => Ok(()),
            Body::Trading(TradingCommand::Auction(_) | TradingCommand::CloseDay) => {
                // The naive exchange checks whether it was due at all. An auction being settled is due at once.
                let is_due = |(when, step): (Time, Step)| {
                    let on_time = when == self.exchange.stamp.time || when == Time(0);
                    step.body() == command.body && (on_time || self.may_be_late)
                };
                let due = self.step_due;
                if due.is_some_and(is_due) { Ok(()) } else { Err(format!(": due was {due:?}")) }
            }
            Body::Funds(command) => {
                let (due, now) = (self.funds_due.as_ref(), self.exchange.stamp.time);
                if is_due(due, command, now, self.may_be_late) {
                    Ok(())
                } else {
                    Err(format!(": due was {due:?}"))
                }
            }
            Body::Perp(command) => {
                let (due, now) = (self.perp_due.as_ref(), self.exchange.stamp.time);
                if is_due(due, command, now, self.may_be_late) {
                    Ok(())
                } else {
                    Err(format!(": due was {due:?}"))
                }
            }
            Body::Trading(TradingCommand::ExpireSession(session)) => {
                let now = self.exchange.stamp.time;
                let heard = self.heard.get(session).ok_or(": it needs no heartbeat")?;
                // A call at that very moment may have come after it.
                let heard = heard.iter().rfind(|heard| **heard < now).copied().unwrap_or_default();
                let silent = now.0.saturating_sub(heard.0);
                if silent == SILENCE { Ok(()) } else { Err(format!(": heard {silent} us ago")) }
            }
            _ => Err(String::new()),
        }
    }

    /// Checks that no auction and no midnight is overdue at `now`, unless room is short.
    pub(crate) fn check_steps(&mut self, now: Time, has_room: bool) -> Result<(), Finding> {
        match buttonwood_oracle::next_step(&self.exchange.state) {
            Some((when, step)) if when <= now => {
                if self.may_be_late {
                    Ok(())
                } else {
                    Err(format!("{step:?} was due at {when:?}, at {now:?}"))
                }
            }
            Some(_) | None => {
                self.may_be_late = !has_room;
                Ok(())
            }
        }
    }

    /// Checks that no session that requires heartbeats still has orders after being silent for too long, at `now`.
    pub(crate) fn check_silence(&self, now: Time) -> Result<(), Finding> {
        let sessions = self.exchange.state.access().sessions();
        for (id, session) in sessions.iter().enumerate().filter(|(_, session)| session.key.require_heartbeat)
        {
            let id = SessionId::from_index(id);
            let heard = self.heard.get(&id).and_then(|heard| heard.last()).copied().unwrap_or_default();
            let buttonwood_engine::Owner::Account(account) = session.key.owner else { continue };
            // An order for an auction may have been bound to it when its session fell silent.
            let is_lost = |order: &OrderState| {
                order.session == id && order.option != Some(ExecutionOption::AuctionOnly)
            };
            let mut orders = self.exchange.orders_of(account).filter(is_lost);
            if now.0.saturating_sub(heard.0) >= SILENCE && orders.next().is_some() {
                return Err(format!("{id:?} was silent since {heard:?} and has orders at {now:?}"));
            }
        }
        Ok(())
    }
}
