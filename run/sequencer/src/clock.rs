//! Where stamps get their time from.

use buttonwood_model::Time;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The exchange's clock.
#[derive(Debug)]
pub enum Clock {
    /// The system's.
    Real,
    /// Stands still until it is moved; microseconds since 1970.
    Manual(AtomicU64),
}

impl Clock {
    /// A clock that stands at `time`.
    pub fn manual(time: Time) -> Self {
        Self::Manual(AtomicU64::new(time.0))
    }

    /// The time now.
    pub fn now(&self) -> Time {
        match self {
            Self::Real => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Time(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
            }
            Self::Manual(time) => Time(time.load(Ordering::Acquire)),
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
