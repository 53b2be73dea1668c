//! Days of staking: each ends at 20:00 UTC, when its interest accrues.

use buttonwood_model::Time;

/// Seconds of a day.
pub(crate) const DAY: u64 = 86_400;

/// The second of a UTC day at which interest accrues.
const ACCRUES: u64 = 20 * 3_600;

/// A day of staking, by the UTC day on which it ends, counted from 1970-01-01.
pub(crate) const fn day_of(seconds: u64) -> u64 {
    seconds.saturating_add(DAY - ACCRUES) / DAY
}

/// The second at which a day ends.
pub(crate) const fn end_of(day: u64) -> u64 {
    day.saturating_mul(DAY).saturating_add(ACCRUES)
}

/// The second at which a day begins.
pub(crate) const fn start_of(day: u64) -> u64 {
    end_of(day).saturating_sub(DAY)
}

/// The instant at which a day ends: 20:00 UTC.
pub const fn accrual_time(day: u64) -> Time {
    Time(end_of(day).saturating_mul(Time::SECOND))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20:00:00 is the first second of the next day.
    #[test]
    fn a_day_ends_at_eight_in_the_evening() {
        assert_eq!([0, 71_999, 72_000, 158_399, 158_400].map(day_of), [0, 0, 1, 1, 2]);
        for day in [1, 20_000] {
            assert_eq!((day_of(start_of(day)), day_of(end_of(day) - 1)), (day, day));
            assert_eq!(end_of(day) - start_of(day), DAY);
        }
        assert_eq!(accrual_time(1), Time(158_400_000_000));
    }
}
