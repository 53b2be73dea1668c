//! One symbol's auctions, from one to the next.

use crate::{Finding, Schedule};
use buttonwood_model::{OrderId, Time};
use buttonwood_num::Qty;
use serde::{Deserialize, Serialize};

/// One symbol's auctions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Auctions {
    /// When they are; none where there are none any more.
    schedule: Option<Schedule>,
    /// The number of the next one, from 1.
    number: u64,
    /// When it is told next what the next one would come to.
    indicates: Option<Time>,
    /// The one that has found its price and is not settled yet.
    settling: Option<Settling>,
}

/// An auction that has found its price: who took part trades, whatever has happened since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settling {
    /// What it found; its quantity is what has traded so far.
    pub finding: Finding,
    /// Orders of lower ids took part.
    pub before: OrderId,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Tell what the auction would come to.
    Indication,
    /// Find its price.
    Auction,
    /// Go on with one that has.
    Settlement(Settling),
}

impl Auctions {
    /// Auctions by a schedule; those before, if there were any, count.
    pub fn scheduled(before: Option<&Self>, schedule: Option<Schedule>, now: Time) -> Self {
        Self {
            number: before.map_or(1, |before| before.number),
            indicates: schedule.and_then(|schedule| schedule.next_indication(now)),
            schedule,
            settling: None,
        }
    }

    /// When they are.
    pub fn schedule(&self) -> Option<&Schedule> {
        self.schedule.as_ref()
    }

    /// The number of the next one, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The one that is being settled.
    pub fn settling(&self) -> Option<&Settling> {
        self.settling.as_ref()
    }

    /// When it is told next what the next one would come to.
    pub fn next_indication(&self) -> Option<Time> {
        self.indicates
    }

    /// When something is to be done next.
    pub fn next(&self) -> Option<Time> {
        match self.settling {
            Some(_) => Some(Time(0)),
            None => self.schedule.map(|schedule| schedule.time.min(self.indicates.unwrap_or(schedule.time))),
        }
    }

    /// Whether an indication comes before the auction.
    pub fn is_indication_next(&self) -> bool {
        let before = |schedule: Schedule| self.indicates.is_some_and(|indicates| indicates < schedule.time);
        self.schedule.is_some_and(before)
    }

    /// What is to be done at `now`, if anything is.
    pub fn due(&self, now: Time) -> Option<Due> {
        if let Some(settling) = self.settling {
            return Some(Due::Settlement(settling));
        }
        let schedule = self.schedule?;
        if schedule.time <= now {
            return Some(Due::Auction);
        }
        self.indicates.is_some_and(|when| when <= now).then_some(Due::Indication)
    }

    /// When the auction is that an order of this id is for, if there is one: while one is being settled, orders that were
    /// not there when it found its price are for the one after it.
    pub fn schedule_for(&self, order: OrderId, now: Time) -> Option<Schedule> {
        match self.settling {
            Some(settling) if order >= settling.before => self.schedule?.after(now),
            _ => self.schedule,
        }
    }

    /// Whether the order, which waits for an auction, cannot be cancelled any more (AUCT-003).
    pub fn is_late(&self, order: OrderId, now: Time) -> bool {
        self.schedule_for(order, now).is_some_and(|schedule| schedule.last_cancel() <= now)
    }

    /// Notes that it was told what the next one would come to.
    pub fn note_indication(&mut self, now: Time) {
        self.indicates = self.schedule.and_then(|schedule| schedule.next_indication(now));
    }

    /// Notes that the auction has found its price, or that there is none, for orders `before` this id.
    pub fn note_cut(&mut self, finding: Finding, before: OrderId) {
        self.settling = Some(Settling { finding: Finding { qty: Qty::ZERO, ..finding }, before });
    }

    /// Notes that so much of it was settled.
    ///
    /// # Panics
    /// When none is being settled.
    pub fn note_settled(&mut self, qty: Qty) {
        self.settling.as_mut().expect("an auction is being settled").finding.qty += qty;
    }

    /// Notes that all of it is settled, and turns to the next.
    pub fn note_end(&mut self, now: Time) {
        self.settling = None;
        self.number += 1;
        self.schedule = self.schedule.and_then(|schedule| schedule.after(now));
        self.note_indication(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = Time::SECOND;

    /// Told twice, run, settled in two parts, then the next day's.
    #[test]
    fn one_thing_is_due_after_the_other() {
        let day = 86_400 * SECOND;
        let schedule = Schedule {
            time: Time(day),
            every: day,
            opens: Schedule::ALWAYS,
            indicates: 20 * SECOND,
            indicates_every: 10 * SECOND,
            last_cancel: 15 * SECOND,
        };
        let mut auctions = Auctions::scheduled(None, Some(schedule), Time(0));
        let told = [Time(day - 20 * SECOND), Time(day - 10 * SECOND)];
        assert_eq!(auctions.due(Time(told[0].0 - 1)), None);
        assert_eq!(auctions.schedule(), Some(&schedule));
        for when in told {
            assert_eq!((auctions.next(), auctions.due(when)), (Some(when), Some(Due::Indication)));
            assert_eq!(auctions.next_indication(), Some(when));
            auctions.note_indication(when);
        }
        let (taken, came) = (OrderId(6), OrderId(7));
        for order in [taken, came] {
            assert!(!auctions.is_late(order, Time(day - 15 * SECOND - 1)));
            assert!(auctions.is_late(order, Time(day - 15 * SECOND)));
        }
        assert_eq!((auctions.next(), auctions.due(Time(day - 1))), (Some(Time(day)), None));
        assert_eq!(auctions.due(Time(day)), Some(Due::Auction));
        let finding = Finding { qty: Qty::from_hundredths(9), ..Finding::default() };
        auctions.note_cut(finding, OrderId(7));
        auctions.note_settled(Qty::from_hundredths(4));
        auctions.note_settled(Qty::from_hundredths(5));
        let settling = Settling { finding, before: OrderId(7) };
        assert_eq!(
            (auctions.next(), auctions.due(Time(day))),
            (Some(Time(0)), Some(Due::Settlement(settling)))
        );
        assert_eq!((auctions.settling(), auctions.next_indication()), (Some(&settling), None));
        // Who came too late for it has all the time until the next one.
        assert!(auctions.is_late(taken, Time(day)) && !auctions.is_late(came, Time(day)));
        assert_eq!(auctions.schedule_for(came, Time(day)).map(|next| next.time), Some(Time(2 * day)));
        auctions.note_end(Time(day));
        assert_eq!((auctions.number(), auctions.next()), (2, Some(Time(2 * day - 20 * SECOND))));
        assert!(!auctions.is_late(came, Time(day)));
        // A new schedule goes on counting; without one nothing is due.
        let ended = Auctions::scheduled(Some(&auctions), None, Time(day));
        assert_eq!((ended.number(), ended.next(), ended.is_late(came, Time(day))), (2, None, false));
    }
}
