//! The times of a symbol's auctions.

use buttonwood_model::Time;
use serde::{Deserialize, Serialize};

/// The time of a symbol's next auction, and of those after it. Spans are in microseconds before the auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Time of the next auction.
    pub time: Time,
    /// Microseconds from one auction to the next; 0 if this is the last.
    pub every: u64,
    /// When it starts to accept orders; [`Schedule::ALWAYS`] for the end of the previous auction.
    pub opens: u64,
    /// When its indicative price is first published; 0 for never.
    pub indicates: u64,
    /// Microseconds between two indicative prices.
    pub indicates_every: u64,
    /// When orders for it can no longer be cancelled.
    pub last_cancel: u64,
}

/// The mistake in a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleError {
    /// The auction is not in the future.
    Past,
    /// The auctions are too close together or too far apart.
    Every,
    /// Indicative prices are published too often or too many times, or begin too early.
    Indicates,
    /// Orders could not be cancelled even before the auction accepts them.
    LastCancel,
}

impl Schedule {
    /// An auction that accepts orders from the end of the previous one.
    pub const ALWAYS: u64 = u64::MAX;
    /// Least distance between two auctions: a minute.
    pub const EVERY_MIN: u64 = 60 * Time::SECOND;
    /// Largest distance between two auctions: a leap year.
    pub const EVERY_MAX: u64 = 366 * 86_400 * Time::SECOND;
    /// Least distance between two indicative prices: a second.
    pub const INDICATES_EVERY_MIN: u64 = Time::SECOND;
    /// Most indicative prices before one auction.
    pub const INDICATIONS_MAX: u64 = 100;

    /// Whether the schedule is valid from `now` on.
    ///
    /// # Errors
    /// The first [`ScheduleError`] that applies.
    pub fn check(&self, now: Time) -> Result<(), ScheduleError> {
        if self.time <= now {
            return Err(ScheduleError::Past);
        }
        if self.every != 0 && !(Self::EVERY_MIN..=Self::EVERY_MAX).contains(&self.every) {
            return Err(ScheduleError::Every);
        }
        let room = if self.every == 0 { u64::MAX } else { self.every };
        let tells = self.indicates > 0;
        let told_most = self.indicates_every.saturating_mul(Self::INDICATIONS_MAX);
        if tells
            && (self.indicates_every < Self::INDICATES_EVERY_MIN
                || self.indicates > told_most
                || self.indicates > room
                || self.indicates > self.opens)
        {
            return Err(ScheduleError::Indicates);
        }
        if self.last_cancel > self.opens || self.last_cancel > room {
            return Err(ScheduleError::LastCancel);
        }
        Ok(())
    }

    /// The time `span` before the next auction, or time zero if that would be negative.
    const fn before(&self, span: u64) -> Time {
        Time(self.time.0.saturating_sub(span))
    }

    /// When the next auction starts to accept orders.
    pub const fn opening(&self) -> Time {
        self.before(self.opens)
    }

    /// Whether the next auction accepts orders.
    pub fn is_open(&self, now: Time) -> bool {
        self.opening() <= now
    }

    /// When orders for the next auction can no longer be cancelled (AUCT-003).
    pub const fn last_cancel(&self) -> Time {
        self.before(self.last_cancel)
    }

    /// Time of the next indicative price strictly after `now`; `None` if there is none left before the auction.
    pub fn next_indication(&self, now: Time) -> Option<Time> {
        if self.indicates == 0 {
            return None;
        }
        let first = self.before(self.indicates);
        if now < first {
            return Some(first);
        }
        let told = (now.0 - first.0) / self.indicates_every + 1;
        let next = first.plus(told.saturating_mul(self.indicates_every));
        (next < self.time).then_some(next)
    }

    /// The schedule after its auction, which ran no later than `now`; missed auctions are skipped.
    #[must_use]
    pub fn after(&self, now: Time) -> Option<Self> {
        let passed = now.0.saturating_sub(self.time.0).checked_div(self.every)?;
        let time = self.time.plus(passed.saturating_add(1).saturating_mul(self.every));
        Some(Self { time, ..*self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600 * Time::SECOND;

    fn schedule() -> Schedule {
        Schedule {
            time: Time(100 * HOUR),
            every: 24 * HOUR,
            opens: Schedule::ALWAYS,
            indicates: 600 * Time::SECOND,
            indicates_every: 60 * Time::SECOND,
            last_cancel: 60 * Time::SECOND,
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let wrong = |change: fn(&mut Schedule)| {
            let mut schedule = schedule();
            change(&mut schedule);
            schedule.check(Time(HOUR)).unwrap_err()
        };
        assert_eq!(schedule().check(Time(HOUR)), Ok(()));
        assert_eq!(wrong(|it| it.time = Time(HOUR)), ScheduleError::Past);
        assert_eq!(wrong(|it| it.every = Schedule::EVERY_MIN - 1), ScheduleError::Every);
        assert_eq!(wrong(|it| it.every = Schedule::EVERY_MAX + 1), ScheduleError::Every);
        assert_eq!(
            wrong(|it| it.indicates_every = Schedule::INDICATES_EVERY_MIN - 1),
            ScheduleError::Indicates
        );
        assert_eq!(wrong(|it| it.indicates = 101 * it.indicates_every), ScheduleError::Indicates);
        assert_eq!(wrong(|it| it.opens = it.indicates - 1), ScheduleError::Indicates);
        assert_eq!(
            wrong(|it| (it.every, it.indicates) = (Schedule::EVERY_MIN, Schedule::EVERY_MIN + 1)),
            ScheduleError::Indicates
        );
        assert_eq!(wrong(|it| it.last_cancel = it.every + 1), ScheduleError::LastCancel);
        assert_eq!(
            wrong(|it| (it.opens, it.indicates, it.last_cancel) = (HOUR, 0, HOUR + 1)),
            ScheduleError::LastCancel
        );
        let once = Schedule { every: 0, indicates: 0, indicates_every: 0, ..schedule() };
        assert_eq!(once.check(Time(HOUR)), Ok(()));
    }

    /// A schedule at each bound is still valid.
    #[test]
    fn what_just_makes_sense_is_taken() {
        assert_eq!((Schedule::EVERY_MIN, Schedule::EVERY_MAX), (60_000_000, 31_622_400_000_000));
        let taken = |change: fn(&mut Schedule)| {
            let mut schedule = schedule();
            change(&mut schedule);
            schedule.check(Time(HOUR))
        };
        let changes: [fn(&mut Schedule); 7] = [
            |it| it.time = Time(HOUR + 1),
            |it| (it.every, it.indicates) = (Schedule::EVERY_MIN, Schedule::EVERY_MIN),
            |it| it.every = Schedule::EVERY_MAX,
            |it| (it.indicates, it.indicates_every) = (100 * Time::SECOND, Time::SECOND),
            |it| it.opens = it.indicates,
            |it| (it.last_cancel, it.indicates) = (it.every, 0),
            |it| (it.opens, it.last_cancel, it.indicates) = (HOUR, HOUR, 0),
        ];
        for (at, change) in changes.into_iter().enumerate() {
            assert_eq!(taken(change), Ok(()), "{at}");
        }
    }

    /// Indicative prices come at their times, but not at the time of the auction itself.
    #[test]
    fn indications_come_one_by_one() {
        let schedule = schedule();
        let first = Time(100 * HOUR - 600 * Time::SECOND);
        assert_eq!(schedule.next_indication(Time(0)), Some(first));
        assert_eq!(schedule.next_indication(Time(first.0 - 1)), Some(first));
        assert_eq!(schedule.next_indication(first), Some(first.plus(60 * Time::SECOND)));
        assert_eq!(
            schedule.next_indication(first.plus(479 * Time::SECOND)),
            Some(first.plus(480 * Time::SECOND))
        );
        assert_eq!(schedule.next_indication(first.plus(540 * Time::SECOND)), None);
        assert_eq!(Schedule { indicates: 0, ..schedule }.next_indication(Time(0)), None);
    }

    /// The next auction is the first one in the future.
    #[test]
    fn auctions_that_were_missed_are_left_out() {
        let schedule = schedule();
        let after = |hours: u64| schedule.after(Time(hours * HOUR)).map(|next| next.time);
        assert_eq!(after(100), Some(Time(124 * HOUR)));
        assert_eq!(after(123), Some(Time(124 * HOUR)));
        assert_eq!(after(124), Some(Time(148 * HOUR)));
        assert_eq!(after(200), Some(Time(220 * HOUR)));
        assert_eq!(Schedule { every: 0, ..schedule }.after(Time(100 * HOUR)), None);
    }
}
