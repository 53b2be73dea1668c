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
    /// Number of the last auction that opened: that takes or took orders; 0 before the first. An auction whose times change opens anew.
    opened: u64,
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
    /// Report that the auction takes orders from now on.
    Opening,
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
        let number = before.map_or(1, |before| before.number);
        let mut auctions = Self { schedule, number, indicates: None, settling: None, opened: 0 };
        auctions.begin(now);
        auctions
    }

    /// Begins to wait for the next auction. One that takes orders at once is open by the command that scheduled it or that ended
    /// the auction before; a journal from before openings has no event of it, so it is noted here.
    fn begin(&mut self, now: Time) {
        let is_open = self.schedule.is_some_and(|schedule| schedule.is_open(now));
        self.opened = if is_open { self.number } else { self.number.saturating_sub(1) };
        self.indicates = self.schedule.and_then(|schedule| schedule.next_indication(now));
    }

    /// Times of the auctions.
    pub fn schedule(&self) -> Option<&Schedule> {
        self.schedule.as_ref()
    }

    /// Number of the next auction, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Number of the last auction that opened; 0 before the first.
    pub fn opened(&self) -> u64 {
        self.opened
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
            None => {
                let schedule = self.schedule?;
                Some(self.before_auction().map_or(schedule.time, |before| before.min(schedule.time)))
            }
        }
    }

    /// Time of the opening, if the next auction has not opened.
    fn opening(&self) -> Option<Time> {
        self.schedule.filter(|_| self.opened < self.number).map(|schedule| schedule.opening())
    }

    /// Time of the next report about an auction to come: of its opening, or of an indicative price.
    fn before_auction(&self) -> Option<Time> {
        self.opening().into_iter().chain(self.indicates).min()
    }

    /// Whether an opening or an indication comes before the auction.
    pub fn is_report_next(&self) -> bool {
        let is_before = |schedule: Schedule| self.before_auction().is_some_and(|time| time < schedule.time);
        self.schedule.is_some_and(is_before)
    }

    /// Number of the auction that opens at `now`, if the one that is settled now ends then.
    pub fn opens_after(&self, now: Time) -> Option<u64> {
        let next = self.schedule.and_then(|schedule| schedule.after(now));
        next.filter(|next| next.is_open(now)).map(|_| self.number + 1)
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
        if self.opening().is_some_and(|when| when <= now) {
            return Some(Due::Opening);
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

    /// Records that the auction with this number opened.
    pub fn note_opening(&mut self, number: u64) {
        self.opened = number;
    }

    /// Records that an indicative price was published.
    pub fn note_indication(&mut self, now: Time) {
        self.opened = self.number;
        self.indicates = self.schedule.and_then(|schedule| schedule.next_indication(now));
    }

    /// Records that the auction has found its price, or found none, for orders with ids before `before`.
    pub fn note_cut(&mut self, finding: Finding, before: OrderId) {
        self.opened = self.number;
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
        self.begin(now);
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
        assert_eq!(auctions.opened(), 2);
        assert!(!auctions.is_late(came, Time(day)));
        // A new schedule continues the numbers; without one nothing is due.
        let ended = Auctions::scheduled(Some(&auctions), None, Time(day));
        assert_eq!((ended.number(), ended.next(), ended.is_late(came, Time(day))), (2, None, false));
    }

    /// An auction opens once, at its time, before its first indication; the next one opens at its own time.
    #[test]
    fn an_auction_opens_once() {
        let schedule = Schedule {
            time: Time(100 * SECOND),
            every: 60 * SECOND,
            opens: 30 * SECOND,
            indicates: 30 * SECOND,
            indicates_every: 20 * SECOND,
            last_cancel: 0,
        };
        let opening = Time(70 * SECOND);
        let mut auctions = Auctions::scheduled(None, Some(schedule), Time(0));
        assert_eq!((auctions.opened(), auctions.next()), (0, Some(opening)));
        assert_eq!(auctions.due(Time(opening.0 - 1)), None);
        assert_eq!(auctions.due(opening), Some(Due::Opening));
        assert_eq!(auctions.due(schedule.time), Some(Due::Auction), "a clock may pass the opening");
        assert!(auctions.is_report_next());
        auctions.note_opening(1);
        assert_eq!((auctions.opened(), auctions.due(opening)), (1, Some(Due::Indication)));
        auctions.note_indication(opening);
        assert_eq!(auctions.due(opening), None);
        // Half a minute after this end, the next one opens.
        assert_eq!(auctions.opens_after(schedule.time), None);
        assert_eq!(auctions.opens_after(Time(130 * SECOND)), Some(2));
        auctions.note_cut(Finding::default(), OrderId(1));
        auctions.note_end(schedule.time);
        assert_eq!((auctions.opened(), auctions.next()), (1, Some(Time(130 * SECOND))));
    }

    /// An auction that takes orders at once is open with its schedule; other times open it anew. A cut or an indication of a journal
    /// from before openings opens it too.
    #[test]
    fn an_auction_without_an_opening_is_open() {
        let schedule = |opens| Schedule {
            time: Time(100 * SECOND),
            every: 0,
            opens,
            indicates: 0,
            indicates_every: 0,
            last_cancel: 0,
        };
        let now = Time(80 * SECOND);
        let open = Auctions::scheduled(None, Some(schedule(Schedule::ALWAYS)), now);
        assert_eq!((open.opened(), open.is_report_next()), (1, false));
        assert_eq!(Auctions::scheduled(None, Some(schedule(20 * SECOND)), now).opened(), 1);
        let mut later = Auctions::scheduled(Some(&open), Some(schedule(20 * SECOND - 1)), now);
        assert_eq!((later.opened(), later.is_report_next()), (0, true));
        later.note_cut(Finding::default(), OrderId(1));
        assert_eq!(later.opened(), 1);
        // An auction that takes orders from its own time on opens with its cut.
        assert!(!Auctions::scheduled(None, Some(schedule(0)), now).is_report_next());
    }
}
