//! The sequence of one symbol's auctions.

use crate::{Finding, Schedule};
use buttonwood_model::{OrderId, Time};
use buttonwood_num::Qty;
use serde::{Deserialize, Serialize};

/// One symbol's auctions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Auctions {
    /// Times of the auctions; `None` when there are no more.
    schedule: Option<Schedule>,
    /// Number of the next auction, from 1.
    number: u64,
    /// Time of the next indicative price.
    indicates: Option<Time>,
    /// The auction that has found its price and is not fully settled.
    settling: Option<Settling>,
}

/// An auction that has found its price: the orders that took part trade at it, no matter what happened since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settling {
    /// The finding; its quantity is what has traded so far.
    pub finding: Finding,
    /// Orders with lower ids took part.
    pub before: OrderId,
}

/// The next thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Publish the indicative price.
    Indication,
    /// Find the auction's price.
    Auction,
    /// Continue to settle an auction.
    Settlement(Settling),
}

impl Auctions {
    /// Auctions by a schedule; the numbers continue those of `before`, if there were any.
    pub fn scheduled(before: Option<&Self>, schedule: Option<Schedule>, now: Time) -> Self {
        Self {
            number: before.map_or(1, |before| before.number),
            indicates: schedule.and_then(|schedule| schedule.next_indication(now)),
            schedule,
            settling: None,
        }
    }

    /// Times of the auctions.
    pub fn schedule(&self) -> Option<&Schedule> {
        self.schedule.as_ref()
    }

    /// Number of the next auction, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The auction that is being settled.
    pub fn settling(&self) -> Option<&Settling> {
        self.settling.as_ref()
    }

    /// Time of the next indicative price.
    pub fn next_indication(&self) -> Option<Time> {
        self.indicates
    }

    /// When something is due next.
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

    /// The step that is due at `now`, if any.
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

    /// The schedule of the auction that an order of this id is for, if there is one. While one auction is being
    /// settled, orders that arrived after its cut are for the next one.
    pub fn schedule_for(&self, order: OrderId, now: Time) -> Option<Schedule> {
        match self.settling {
            Some(settling) if order >= settling.before => self.schedule?.after(now),
            _ => self.schedule,
        }
    }

    /// Whether the order, which waits for an auction, can no longer be cancelled (AUCT-003).
    pub fn is_late(&self, order: OrderId, now: Time) -> bool {
        self.schedule_for(order, now).is_some_and(|schedule| schedule.last_cancel() <= now)
    }

    /// Records that an indicative price was published.
    pub fn note_indication(&mut self, now: Time) {
        self.indicates = self.schedule.and_then(|schedule| schedule.next_indication(now));
    }

    /// Records that the auction has found its price, or found none, for orders with ids before `before`.
    pub fn note_cut(&mut self, finding: Finding, before: OrderId) {
        self.settling = Some(Settling { finding: Finding { qty: Qty::ZERO, ..finding }, before });
    }

    /// Records that `qty` was settled.
    ///
    /// # Panics
    /// If no auction is being settled.
    pub fn note_settled(&mut self, qty: Qty) {
        self.settling.as_mut().expect("an auction is being settled").finding.qty += qty;
    }

    /// Records that the auction is fully settled, and continues with the next.
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

    /// Two indications, the auction, its settlement in two parts, then the next day's auction.
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
        // An order that came too late for this auction may be cancelled until the last moment of the next one.
        assert!(auctions.is_late(taken, Time(day)) && !auctions.is_late(came, Time(day)));
        assert_eq!(auctions.schedule_for(came, Time(day)).map(|next| next.time), Some(Time(2 * day)));
        auctions.note_end(Time(day));
        assert_eq!((auctions.number(), auctions.next()), (2, Some(Time(2 * day - 20 * SECOND))));
        assert!(!auctions.is_late(came, Time(day)));
        // A new schedule continues the numbers; without one nothing is due.
        let ended = Auctions::scheduled(Some(&auctions), None, Time(day));
        assert_eq!((ended.number(), ended.next(), ended.is_late(came, Time(day))), (2, None, false));
    }
}
