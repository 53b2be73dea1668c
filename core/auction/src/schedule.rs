//! When a symbol's auctions are.

use buttonwood_model::Time;
use serde::{Deserialize, Serialize};

/// When a symbol's next auction is, and those after it. Spans are microseconds before the auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// When the next one runs.
    pub time: Time,
    /// Microseconds from one to the next; 0 when there is none after it.
    pub every: u64,
    /// Since when it takes orders; [`Schedule::ALWAYS`] when since the last one.
    pub opens: u64,
    /// When what it would come to is told first; 0 for never.
    pub indicates: u64,
    /// Microseconds from telling that to telling it again.
    pub indicates_every: u64,
    /// From when on orders for it cannot be cancelled.
    pub last_cancel: u64,
}

/// What is wrong with a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleError {
    /// Its auction is not in the future.
    Past,
    /// Its auctions follow one another too fast, or too far apart to be reckoned with.
    Every,
    /// It is told too often what an auction would come to, or more often than is worth keeping.
    Indicates,
    /// Orders could not be cancelled before they are taken.
    LastCancel,
}

impl Schedule {
    /// An auction that takes orders from the end of the one before.
    pub const ALWAYS: u64 = u64::MAX;
    /// Auctions are so far apart at least: a minute.
    pub const EVERY_MIN: u64 = 60 * Time::SECOND;
    /// And at most: a leap year.
    pub const EVERY_MAX: u64 = 366 * 86_400 * Time::SECOND;
    /// What an auction would come to is told at most once a second.
    pub const INDICATES_EVERY_MIN: u64 = Time::SECOND;
    /// And so often at most before one auction.
    pub const INDICATIONS_MAX: u64 = 100;

    /// Whether it can be followed from `now` on.
    ///
    /// # Errors
    /// [`ScheduleError`], the first that holds.
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

    /// So long before the next auction; the beginning of time where that is longer ago.
    const fn before(&self, span: u64) -> Time {
        Time(self.time.0.saturating_sub(span))
    }

    /// From when on the next auction takes orders.
    pub const fn opening(&self) -> Time {
        self.before(self.opens)
    }

    /// From when on orders for the next auction cannot be cancelled (AUCT-003).
    pub const fn last_cancel(&self) -> Time {
        self.before(self.last_cancel)
    }

    /// When it is told next, strictly after `now`, what the auction would come to; none before the auction.
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

    /// The schedule after its auction, which ran no later than `now`: auctions that nobody was there for are left out.
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

    /// At each bound a schedule still makes sense.
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

    /// Indications are told at their times and not at that of the auction itself.
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

    /// The next auction is the first that is still to come.
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
