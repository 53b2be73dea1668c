//! Timestamps as requests carry them: seconds or milliseconds since 1970.
//!
//! Clauses: `TYPE-005`, `TYPE-012`, `TYPE-013`, `TYPE-016`.

use buttonwood_model::Time;

/// Above this a timestamp is in milliseconds; as seconds it would lie in the year 5138.
const SECONDS_MAX: u64 = 100_000_000_000;
/// Later moments do not fit into 64 bits of microseconds; only a nanosecond clock sends such numbers.
const MILLIS_MAX: u64 = 10_000_000_000_000_000;

/// The earliest start of an exchange's clock, 1974-01-01T00:00:00Z. From 90 days before it, as far as a request reaches
/// back, a time in milliseconds is too large to be read as seconds.
pub const EARLIEST: Time = Time(126_230_400 * Time::SECOND);
/// The latest start, 5138-01-01T00:00:00Z: a time in seconds from later years would be read as milliseconds.
pub const LATEST: Time = Time(99_972_403_200 * Time::SECOND);

/// The moment in milliseconds, or `None` when the text is no timestamp. Digits beyond a millisecond are dropped.
pub fn millis(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    if whole > SECONDS_MAX {
        return (whole <= MILLIS_MAX).then_some(whole);
    }
    let thousandths = fraction.bytes().map(|digit| u64::from(digit - b'0')).chain([0, 0]);
    let part = thousandths.take(3).fold(0, |part, digit| part * 10 + digit);
    Some(to_millis(whole) + part)
}

/// Milliseconds of a whole number that counts either them or seconds.
pub(crate) const fn to_millis(whole: u64) -> u64 {
    if whole > SECONDS_MAX { whole } else { whole * 1_000 }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At both ends of the range of starts, seconds and milliseconds name the same moment. Proves TYPE-005.
    #[test]
    fn clocks_start_where_seconds_are_told_from_milliseconds() {
        let days_before = Time(EARLIEST.0 - 90 * 86_400 * Time::SECOND);
        for time in [days_before, EARLIEST, LATEST] {
            let meant = Some(time.millis());
            assert_eq!(millis(&time.millis().to_string()), meant);
            assert_eq!(millis(&time.seconds().to_string()), meant);
        }
    }

    /// Proves TYPE-005.
    #[test]
    fn seconds_and_milliseconds_name_one_moment() {
        assert_eq!(millis("1700000000"), Some(1_700_000_000_000));
        assert_eq!(millis("1700000000000"), Some(1_700_000_000_000));
        assert_eq!(millis("1700000000.1239"), Some(1_700_000_000_123));
        assert_eq!(millis("1700000000.5"), Some(1_700_000_000_500));
        assert_eq!(millis("0"), Some(0));
        assert_eq!(millis("100000000000"), Some(100_000_000_000_000));
        assert_eq!(millis("100000000001"), Some(100_000_000_001));
    }

    /// Proves TYPE-016.
    #[test]
    fn refuses_what_is_no_moment() {
        for text in [
            "",
            "abc",
            "-1",
            "+1",
            "1e30",
            " 1",
            "1 ",
            "1.",
            ".5",
            "1.2.3",
            "0x1",
            "NaN",
            "true",
            "١",
            "2020-01-01",
            "1700000000000000000",
            "99999999999999999999999",
        ] {
            assert_eq!(millis(text), None, "{text:?}");
        }
    }
}
