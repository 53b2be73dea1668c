//! Time in the core: a stamp on every command, never a clock.

use crate::Seq;
use serde::{Deserialize, Serialize};

/// Microseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Time(pub u64);

impl Time {
    /// Microseconds in a second.
    pub const SECOND: u64 = 1_000_000;

    /// Whole milliseconds (`timestampms` on the wire, TYPE-017).
    pub const fn millis(self) -> u64 {
        self.0 / 1_000
    }

    /// Whole seconds (`timestamp` on the wire, TYPE-017).
    pub const fn seconds(self) -> u64 {
        self.0 / Self::SECOND
    }

    /// This many microseconds later.
    #[must_use]
    pub const fn plus(self, micros: u64) -> Self {
        Self(self.0.saturating_add(micros))
    }
}

/// A UTC day, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Day(pub u64);

impl Day {
    /// Microseconds in a day.
    pub const MICROS: u64 = 86_400 * Time::SECOND;

    /// The day of a moment.
    pub const fn of(time: Time) -> Self {
        Self(time.0 / Self::MICROS)
    }

    /// The midnight with which it begins.
    pub const fn start(self) -> Time {
        Time(self.0.saturating_mul(Self::MICROS))
    }

    /// This many days later.
    #[must_use]
    pub const fn plus(self, days: u64) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// This many days earlier, or the first day.
    #[must_use]
    pub const fn minus(self, days: u64) -> Self {
        Self(self.0.saturating_sub(days))
    }
}

/// The place of a command in the one order of all commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Its sequence number.
    pub seq: Seq,
    /// Its time; never before that of an earlier command.
    pub time: Time,
}
