//! What falls due by the clock: silent sessions, auctions, and what a move of a manual clock meets on its way.

use super::Writer;
use crate::batch::EVENTS_MAX;
use crate::shared::Shared;
use buttonwood_engine::{Body, Command, Outcome, State};
use buttonwood_model::{SessionId, SymbolId, Time};
use std::sync::atomic::Ordering;
use tokio::sync::oneshot;

/// Auctions, and tellings of what they would come to, that a move of a manual clock runs at their times at most. What comes
/// behind them on the way is missed, as if nobody had been there: a century of auctions a minute apart has no end.
const MOVE_AUCTIONS_MAX: u32 = 100_000;

/// A move of a manual clock.
pub(super) struct Moving {
    to: Time,
    reply: oneshot::Sender<Time>,
    /// How many auctions it may still run at their times.
    auctions: u32,
}

impl Writer {
    /// Goes on with an auction that has found its price. A batch holds so much of it, and the next one more; until all of it
    /// is settled nobody else has a turn, so that who took part when it found its price is who trades (INV-AUC-5).
    pub(super) fn settle(&mut self, shared: &Shared) {
        if self.state.is_settling() {
            self.run_due(None, Time(0), shared);
        }
    }

    /// Whether everybody waits: for a move that is not done, or for an auction that is being settled. While little room is
    /// left that is not gone on with, and cancels are taken.
    pub(super) fn holds_up(&self, shared: &Shared) -> bool {
        let settles = self.state.is_settling() && !shared.low_space.load(Ordering::Relaxed);
        self.moving.is_some() || settles && self.is_full()
    }

    /// Moves a manual clock, and runs what falls due on the way in its order.
    pub(super) fn advance(&mut self, to: Time, reply: oneshot::Sender<Time>, shared: &Shared) {
        self.moving = Some(Moving { to, reply, auctions: MOVE_AUCTIONS_MAX });
        self.go_on_moving(shared);
    }

    /// Goes on with a move. What falls due on the way may be more than a batch holds: then the next one takes more of it, and
    /// nobody else has a turn before all of it is done, since only then the time behind it is told.
    pub(super) fn go_on_moving(&mut self, shared: &Shared) {
        let Some(Moving { to, .. }) = self.moving else { return };
        if self.run_due(Some(to), to, shared)
            && let Some(Moving { to, reply, .. }) = self.moving.take()
        {
            shared.clock.move_to(to);
            self.batch.moved.push((to, reply));
        }
    }

    /// Expires the sessions whose windows end by `silence`, which is a steady time, and does what auctions need by `day`: in
    /// the order of their times where one clock tells both. Many may fall silent at one time, with thousands of orders each, and
    /// a batch has a bound: while it is full of events, which it stays as long as the disk is slow, the others wait for a later
    /// look. False when some do.
    pub(super) fn run_due(&mut self, silence: Option<Time>, day: Time, shared: &Shared) -> bool {
        while self.work.out.events.len() < EVENTS_MAX {
            let orders_of = |session: SessionId| has_orders(&self.state, session);
            let silent = silence.and_then(|until| shared.pulse.due(until, orders_of));
            let auction = self.auction_due(day, shared);
            let is_first = |when: Time| auction.is_none_or(|(at, _)| when <= at || !shared.clock.is_manual());
            let (when, body) = match (silent, auction) {
                (Some((session, when)), _) if is_first(when) => {
                    shared.pulse.expire(session, when);
                    (when, Body::ExpireSession(session))
                }
                (_, Some((when, symbol))) => (when, Body::Auction(symbol)),
                (_, None) => return true,
            };
            if let (Some(moving), Body::Auction(_)) = (&mut self.moving, &body) {
                moving.auctions = moving.auctions.saturating_sub(1);
            }
            let time = shared.clock.reach(when);
            self.execute(time, Command { caller: None, body }, None, shared);
            if self.batch.entries.last().is_some_and(|entry| matches!(entry.outcome, Outcome::Rejected(_))) {
                // It would be due again at once; a later look tries it again.
                return true;
            }
        }
        false
    }

    /// The auction that is due by then. While little room is left to journal, all of them wait: what they come to may be long.
    fn auction_due(&self, by: Time, shared: &Shared) -> Option<(Time, SymbolId)> {
        if shared.low_space.load(Ordering::Relaxed) {
            return None;
        }
        let (when, symbol) = self.state.next_auction().filter(|(when, _)| *when <= by)?;
        // Where a move runs no more of them on its way, they run at its end; one that is being settled goes on at once.
        let is_missed = self.moving.as_ref().is_some_and(|moving| moving.auctions == 0) && when > Time(0);
        Some((if is_missed { by } else { when }, symbol))
    }
}

fn has_orders(state: &State, session: SessionId) -> bool {
    let Some(buttonwood_engine::Owner::Account(account)) =
        state.access().session(session).map(|s| s.key.owner)
    else {
        return false;
    };
    let orders = state.orders();
    orders.in_any_order(account).any(|(slot, _)| orders.entry(slot).session == session)
}
