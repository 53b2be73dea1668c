//! Times as text.

use buttonwood_model::Time;
use jiff::Timestamp;

/// ISO 8601 in UTC with microseconds, as balances carry it (BAL-007).
pub fn iso_micros(time: Time) -> String {
    shown(time, "%Y-%m-%dT%H:%M:%S%.6fZ")
}

/// ISO 8601 in UTC with milliseconds.
pub fn iso_millis(time: Time) -> String {
    shown(time, "%Y-%m-%dT%H:%M:%S%.3fZ")
}

fn shown(time: Time, format: &str) -> String {
    let micros = i64::try_from(time.0).unwrap_or(i64::MAX);
    Timestamp::from_microsecond(micros).unwrap_or(Timestamp::MAX).strftime(format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_utc() {
        let time = Time(1_767_225_600_123_456);
        assert_eq!(iso_micros(time), "2026-01-01T00:00:00.123456Z");
        assert_eq!(iso_millis(time), "2026-01-01T00:00:00.123Z");
    }
}
