//! Months of the civil calendar, in UTC.

use crate::{Day, Time};

/// The first moment of the month after the one that a moment is in.
pub fn next_month(time: Time) -> Time {
    let (year, month) = month_of(Day::of(time));
    let (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    first_day(year, month).start()
}

/// Whether a month begins at this moment.
pub fn is_month_start(time: Time) -> bool {
    time.0.checked_sub(1).is_some_and(|before| next_month(Time(before)) == time)
}

/// The number of the month that a moment is in, counted from January of year 0.
pub fn month_number(time: Time) -> u32 {
    let (year, month) = month_of(Day::of(time));
    u32::try_from(year * 12 + month - 1).unwrap_or(u32::MAX)
}

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: u64 = 719_468;
/// Days in 400 years.
const ERA: u64 = 146_097;

/// Year and month of a day (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`).
fn month_of(day: Day) -> (u64, u64) {
    let days = day.0.saturating_add(EPOCH);
    let (era, day) = (days / ERA, days % ERA);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months count from March, so that the leap day is the last of its year.
    let month = (5 * day + 2) / 153;
    let year = era * 400 + year;
    if month < 10 { (year, month + 3) } else { (year + 1, month - 9) }
}

/// The first day of a month (the same source, `days_from_civil`).
fn first_day(year: u64, month: u64) -> Day {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year) = (year / 400, year % 400);
    let day = year * 365 + year / 4 - year / 100 + (153 * month + 2) / 5;
    Day((era * ERA + day).saturating_sub(EPOCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_begin_on_their_first_day() {
        // Days since 1970-01-01 of the first days of months: 1970, 2000 with its leap day, 2026, 2100 without.
        for (day, next) in [
            (0, 31),
            (30, 31),
            (31, 59),
            (10_957, 10_988),
            (11_015, 11_017),
            (11_016, 11_017),
            (20_788, 20_819),
            (47_540, 47_541),
            (47_541, 47_572),
        ] {
            let time = Day(day).start();
            assert_eq!(next_month(time), Day(next).start(), "day {day}");
            assert_eq!(next_month(time.plus(Day::MICROS - 1)), Day(next).start(), "day {day}");
            assert!(is_month_start(Day(next).start()), "day {next}");
            assert!(!is_month_start(Day(next).start().plus(1)), "day {next}");
        }
    }
}
