//! Where stamps get their time from, and what silence is measured by.

use buttonwood_model::Time;
use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The exchange's clock.
#[derive(Debug)]
pub enum Clock {
    /// The system's.
    Real,
    /// Stands still until it is moved; microseconds since 1970.
    Manual(AtomicU64),
    /// A real one as tests want it: the time of day may be set, and the steady time goes on meanwhile.
    #[cfg(test)]
    Set {
        /// What the system's clock shows.
        day: AtomicU64,
        /// What silence is measured by.
        steady: AtomicU64,
    },
}

impl Clock {
    /// A clock that stands at `time`.
    pub fn manual(time: Time) -> Self {
        Self::Manual(AtomicU64::new(time.0))
    }

    /// The time now.
    pub fn now(&self) -> Time {
        match self {
            Self::Real => micros(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()),
            Self::Manual(time) => Time(time.load(Ordering::Acquire)),
            #[cfg(test)]
            Self::Set { day, .. } => Time(day.load(Ordering::Acquire)),
        }
    }

    /// The time that silence is measured by (DESIGN Q-004). A real clock's counts from the system's start: nobody sets
    /// it, and it goes on while the machine is suspended, so that this is noticed.
    pub(crate) fn steady(&self) -> Time {
        match self {
            Self::Real => micros(clock_gettime(ClockId::Boottime).try_into().unwrap_or_default()),
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

fn micros(time: Duration) -> Time {
    Time(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}
