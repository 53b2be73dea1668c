//! Times as text.

use buttonwood_gate::timestamp_millis;
use buttonwood_model::{Day, Time};
use jiff::Timestamp;

/// ISO 8601 in UTC with microseconds, as balances carry it (BAL-007).
pub fn iso_micros(time: Time) -> String {
    shown(time, "%Y-%m-%dT%H:%M:%S%.6fZ")
}

/// ISO 8601 in UTC with milliseconds.
pub fn iso_millis(time: Time) -> String {
    shown(time, "%Y-%m-%dT%H:%M:%S%.3fZ")
}

/// A time in a path, in milliseconds: seconds or milliseconds since 1970, or ISO 8601 with its zone (FX-006). Its colons and its
/// plus sign may be percent-encoded.
pub fn moment_millis(text: &str) -> Option<u64> {
    timestamp_millis(text).or_else(|| {
        let plain = text.replace("%3A", ":").replace("%3a", ":").replace("%2B", "+").replace("%2b", "+");
        u64::try_from(plain.parse::<Timestamp>().ok()?.as_millisecond()).ok()
    })
}

/// The whole milliseconds next to a moment; before 1970 they are negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Millis {
    /// The first one at or after it.
    pub from: i64,
    /// The last one at or before it.
    pub until: i64,
}

/// A time as ISO 8601 with its zone.
pub fn zoned_millis(text: &str) -> Option<Millis> {
    let nanos = text.parse::<Timestamp>().ok()?.as_nanosecond();
    let until = i64::try_from(nanos.div_euclid(1_000_000)).ok()?;
    let is_whole = nanos.rem_euclid(1_000_000) == 0;
    Some(Millis { from: if is_whole { until } else { until + 1 }, until })
}

/// The date of a UTC day: `yyyy-MM-dd`.
pub fn iso_date(day: Day) -> String {
    shown(day.start(), "%Y-%m-%d")
}

/// The UTC day of a date, `yyyy-MM-dd`, from 1970 on.
pub fn day(date: &str) -> Option<Day> {
    let is_plain = date.len() == 10 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let start = format!("{date}T00:00:00Z").parse::<Timestamp>().ok().filter(|_| is_plain)?;
    let millis = u64::try_from(start.as_millisecond()).ok()?;
    Some(Day::of(Time(millis * 1_000)))
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
        assert_eq!(iso_date(Day::of(time)), "2026-01-01");
        assert_eq!(iso_date(Day::of(Time(time.0 - 123_457))), "2025-12-31");
    }

    #[test]
    fn a_date_is_a_day() {
        let at = |date| day(date).map(iso_date);
        for date in ["1970-01-01", "2024-02-29", "2026-11-24", "9999-12-30"] {
            assert_eq!(at(date).as_deref(), Some(date));
        }
        for text in [
            "",
            "2026-2-29",
            "2026-02-29",
            "1969-12-31",
            "20260101",
            "2026-01-01T00",
            "2026-13-01",
            "2026/01/01",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
    }

    /// Fractions and zones are read; a time between two milliseconds lies between them.
    #[test]
    fn a_zoned_time_lies_at_or_between_milliseconds() {
        for (text, from, until) in [
            ("2026-01-01T00:00:00Z", 1_767_225_600_000, 1_767_225_600_000),
            ("2026-01-01T05:30:00.5+05:30", 1_767_225_600_500, 1_767_225_600_500),
            ("2025-12-31T16:00:00.0001-08:00", 1_767_225_600_001, 1_767_225_600_000),
            ("1969-12-31T23:59:59.9995Z", 0, -1),
        ] {
            assert_eq!(zoned_millis(text), Some(Millis { from, until }), "{text}");
        }
        for text in
            ["", "2026-01-01", "2026-01-01T00:00:00", "1767225600000", "2026-02-30T00:00:00Z", "now", "Z"]
        {
            assert_eq!(zoned_millis(text), None, "{text}");
        }
    }

    /// Every form names the same moment; what has no zone or is no time is refused.
    #[test]
    fn a_moment_has_three_forms() {
        for text in [
            "1744844847189",
            "1744844847.189",
            "2025-04-16T23:07:27.189Z",
            "2025-04-17T01:07:27.1899+02:00",
            "2025-04-17T01%3A07%3a27.189%2B02:00",
        ] {
            assert_eq!(moment_millis(text), Some(1_744_844_847_189), "{text}");
        }
        for text in ["", "now", "-1", "2025-04-16T23:07:27", "2025-04-16", "1960-01-01T00:00:00Z", "1e9"] {
            assert_eq!(moment_millis(text), None, "{text}");
        }
    }
}
