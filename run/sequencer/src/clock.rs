//! The clock of stamps, and the clock that measures silence.

mod steps;

use buttonwood_model::Time;
use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use steps::Steps;

/// The exchange's clock.
#[derive(Debug)]
pub enum Clock {
    /// The system's clock; large steps must last before they are believed.
    Real(Steps),
    /// Stands still until moved; microseconds since 1970.
    Manual(AtomicU64),
    /// A real clock for tests: the time of day can be set while the steady time goes on.
    #[cfg(test)]
    Set {
        /// The system's time of day.
        day: AtomicU64,
        /// The steady time.
        steady: AtomicU64,
        /// The filter between them.
        steps: Steps,
    },
}

impl Clock {
    /// The system's clock. It is believed as it is now. A later step of more than some seconds is ignored until it has
    /// lasted for a minute.
    pub fn real() -> Self {
        Self::Real(Steps::new(day(), steady()))
    }

    /// A manual clock at `time`.
    pub fn manual(time: Time) -> Self {
        Self::Manual(AtomicU64::new(time.0))
    }

    /// A real clock for tests.
    #[cfg(test)]
    pub(crate) fn set_to(day: Time, steady: Time) -> Self {
        let steps = Steps::new(day, steady);
        Self::Set { day: AtomicU64::new(day.0), steady: AtomicU64::new(steady.0), steps }
    }

    /// The time now.
    pub fn now(&self) -> Time {
        match self {
            Self::Real(steps) => steps.believed(day(), steady()),
            Self::Manual(time) => Time(time.load(Ordering::Acquire)),
            #[cfg(test)]
            Self::Set { day, steps, .. } => steps.believed(Time(day.load(Ordering::Acquire)), self.steady()),
        }
    }

    /// The time that measures silence. For a real clock it counts from the system's start: it cannot be
    /// set, and it goes on while the machine is suspended, so that a suspension is noticed.
    pub(crate) fn steady(&self) -> Time {
        match self {
            Self::Real(_) => steady(),
            Self::Manual(_) => self.now(),
            #[cfg(test)]
            Self::Set { steady, .. } => Time(steady.load(Ordering::Acquire)),
        }
    }

    /// The time of work that falls due at the steady time `when`; a manual clock is moved there.
    pub(crate) fn reach(&self, when: Time) -> Time {
        if self.is_manual() {
            self.move_to(when);
            when
        } else {
            self.now()
        }
    }

    /// Whether it is moved by hand.
    pub fn is_manual(&self) -> bool {
        matches!(self, Self::Manual(_))
    }

    /// Moves a manual clock forward; has no effect on a real one.
    pub(crate) fn move_to(&self, time: Time) {
        if let Self::Manual(now) = self {
            now.fetch_max(time.0, Ordering::AcqRel);
        }
    }
}

fn day() -> Time {
    micros(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn steady() -> Time {
    micros(clock_gettime(ClockId::Boottime).try_into().unwrap_or_default())
}

fn micros(time: Duration) -> Time {
    Time(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}
