//! Steps of the system's clock, and when they are believed.
//!
//! The journal's time never goes back (INV-JRN-1). A clock that shows next year for a moment would stop the exchange's
//! time until then, and every start under a right clock would be refused.

use buttonwood_model::Time;
use std::sync::atomic::{AtomicU64, Ordering};

/// A step of up to this many microseconds is believed at once: time synchronisation makes such steps.
const SMALL: u64 = 10 * Time::SECOND;
/// A larger step is believed once it has lasted this long.
const LASTING: u64 = 60 * Time::SECOND;
/// Two consecutive readings differ by less.
const APART: u64 = Time::SECOND;
/// No step is in doubt.
const NONE: u64 = u64::MAX;

/// The filter between the system's clock and the exchange's; microseconds throughout.
#[derive(Debug)]
pub struct Steps {
    /// How far the time of day is ahead of the steady time, modulo 2⁶⁴.
    ahead: AtomicU64,
    /// The steady time since which the clock has been in doubt, or [`NONE`].
    since: AtomicU64,
    /// The same for the time of day in doubt.
    doubted: AtomicU64,
}

impl Steps {
    /// A filter that believes the clock as it is.
    pub(super) fn new(day: Time, steady: Time) -> Self {
        let ahead = day.0.wrapping_sub(steady.0);
        Self { ahead: AtomicU64::new(ahead), since: AtomicU64::new(NONE), doubted: AtomicU64::new(ahead) }
    }

    /// The believed time of day when the system's clock shows `day` and the steady clock `steady`: `day` itself, or
    /// `day` without its step while that is in doubt.
    pub(super) fn believed(&self, day: Time, steady: Time) -> Time {
        let expected = Time(steady.0.wrapping_add(self.ahead.load(Ordering::Relaxed)));
        let step = day.0.abs_diff(expected.0);
        if step > SMALL {
            return self.doubted(day, steady, expected);
        }
        // Many threads read this; writes are rare.
        if self.since.load(Ordering::Relaxed) != NONE {
            self.since.store(NONE, Ordering::Relaxed);
            tracing::info!("the system's clock is right again");
        }
        if step > APART {
            self.believe(day, steady);
        }
        day
    }

    #[cold]
    fn doubted(&self, day: Time, steady: Time, expected: Time) -> Time {
        let ahead = day.0.wrapping_sub(steady.0);
        let since = self.since.load(Ordering::Relaxed);
        let other = ahead.wrapping_sub(self.doubted.load(Ordering::Relaxed)).cast_signed().unsigned_abs();
        if since == NONE || other > SMALL {
            // Each value must last for a minute of its own.
            self.doubted.store(ahead, Ordering::Relaxed);
            self.since.store(steady.0, Ordering::Relaxed);
            let seconds = (i128::from(day.0) - i128::from(expected.0)) / i128::from(Time::SECOND);
            tracing::warn!(seconds, "the system's clock was set; it is believed if this lasts for a minute");
            return expected;
        }
        if steady.0.saturating_sub(since) < LASTING {
            return expected;
        }
        self.believe(day, steady);
        self.since.store(NONE, Ordering::Relaxed);
        tracing::warn!("the system's clock is believed: it was set a minute ago");
        day
    }

    fn believe(&self, day: Time, steady: Time) {
        self.ahead.store(day.0.wrapping_sub(steady.0), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In seconds, a steady time far from the day.
    const BOOT: u64 = 1_000_000;

    /// Reads the clock `at` seconds after the start, when it is `off` by that many seconds; returns the believed
    /// offset.
    fn off(steps: &Steps, at: u64, off: i64) -> i64 {
        let right = BOOT + at;
        let day = right.checked_add_signed(off).unwrap();
        let believed = steps.believed(Time(day * Time::SECOND), Time(at * Time::SECOND));
        i64::try_from(believed.0 / Time::SECOND).unwrap() - i64::try_from(right).unwrap()
    }

    fn steps() -> Steps {
        Steps::new(Time(BOOT * Time::SECOND), Time(0))
    }

    /// Small steps are believed at once, also many of them, in both directions.
    #[test]
    fn what_mends_a_clock_is_believed() {
        let steps = steps();
        let shown = [2, 12, 2, -8, -18, -8, 1].into_iter().chain(1..30).chain([29; 3]);
        for (at, shown) in (1..).zip(shown) {
            assert_eq!(off(&steps, at, shown), shown, "after {at} s");
        }
    }

    /// A clock that is far off for less than a minute, once or repeatedly, has no effect.
    #[test]
    fn a_moment_of_a_wrong_clock_is_not_believed() {
        for wrong in [11, -11, 3_600, -3_600, 500_000_000, -900_000] {
            let steps = steps();
            for begin in [100, 1_000] {
                assert_eq!(off(&steps, begin - 1, 0), 0);
                for at in [0, 1, 59] {
                    assert_eq!(off(&steps, begin + at, wrong), 0, "{wrong} s, {at} s on");
                }
                assert_eq!(off(&steps, begin + 60, 0), 0);
            }
        }
    }

    /// A step to another value must last for a minute of its own, however long the clock has been wrong before.
    #[test]
    fn every_step_has_to_last() {
        let steps = steps();
        let year = 365 * 86_400;
        for (at, shown) in
            [(100, 3_600), (157, 3_600), (158, year), (162, year), (163, 3_600), (200, -900), (259, -900)]
        {
            assert_eq!(off(&steps, at, shown), 0, "after {at} s");
        }
        assert_eq!(off(&steps, 260, -900), -900);
        for (at, shown) in [(300, 3_600), (340, 3_604), (359, 3_606)] {
            assert_eq!(off(&steps, at, shown), -900, "one that drifts is the same");
        }
        assert_eq!(off(&steps, 360, 3_606), 3_606);
    }

    /// A large step is believed after a minute, and so is the step back.
    #[test]
    fn a_step_that_lasts_is_believed() {
        for step in [11, -11, 86_400, -86_400] {
            let steps = steps();
            assert_eq!(off(&steps, 100, step), 0);
            assert_eq!(off(&steps, 159, step), 0);
            assert_eq!(off(&steps, 160, step), step);
            assert_eq!(off(&steps, 161, step), step);
            assert_eq!(off(&steps, 200, 0), step);
            assert_eq!(off(&steps, 260, 0), 0);
            assert_eq!(off(&steps, 261, 0), 0);
        }
    }

    /// A system that starts in 1970, as one without a hardware clock does, is set right.
    #[test]
    fn a_clock_that_began_at_nothing_is_set() {
        let steps = Steps::new(Time(0), Time(5 * Time::SECOND));
        let day = |at: u64| {
            steps.believed(Time((BOOT + at) * Time::SECOND), Time((5 + at) * Time::SECOND)).seconds()
        };
        assert_eq!(steps.believed(Time(7), Time(5 * Time::SECOND + 7)), Time(7));
        assert_eq!((day(1), day(61)), (1, BOOT + 61));
    }
}
