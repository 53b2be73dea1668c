//! Where stamps get their time from, and what silence is measured by.

mod steps;

use buttonwood_model::Time;
use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use steps::Steps;

/// The exchange's clock.
#[derive(Debug)]
pub enum Clock {
    /// The system's, as far as it is believed.
    Real(Steps),
    /// Stands still until it is moved; microseconds since 1970.
    Manual(AtomicU64),
    /// A real one as tests want it: the time of day may be set, and the steady time goes on meanwhile.
    #[cfg(test)]
    Set {
        /// What the system's clock shows.
        day: AtomicU64,
        /// What silence is measured by.
        steady: AtomicU64,
        /// What is believed of the two.
        steps: Steps,
    },
}

impl Clock {
    /// The system's clock. It is believed as it is now; when it is set by more than some seconds later, time goes on without
    /// that until it has lasted for a minute.
    pub fn real() -> Self {
        Self::Real(Steps::new(day(), steady()))
    }

    /// A clock that stands at `time`.
    pub fn manual(time: Time) -> Self {
        Self::Manual(AtomicU64::new(time.0))
    }

    /// A real clock as tests want it.
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

    /// The time that silence is measured by (DESIGN Q-004). A real clock's counts from the system's start: nobody sets
    /// it, and it goes on while the machine is suspended, so that this is noticed.
    pub(crate) fn steady(&self) -> Time {
        match self {
            Self::Real(_) => steady(),
            Self::Manual(_) => self.now(),
            #[cfg(test)]
            Self::Set { steady, .. } => Time(steady.load(Ordering::Acquire)),
        }
    }

    /// The time of what falls due at `when` of the steady time: a manual clock is moved there for it.
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

    /// Moves a manual clock forward; a real one moves by itself.
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
