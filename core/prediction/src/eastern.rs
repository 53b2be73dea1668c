//! Eastern Time, in which rewards count their days (D-120), with the daylight saving rule of the United States since 2007: from the second
//! Sunday of March to the first Sunday of November, at 2:00 each.

use buttonwood_model::{Day, Time};

const HOUR: u64 = 3_600 * Time::SECOND;
/// How far standard time is behind UTC.
const STANDARD: u64 = 5 * HOUR;
/// How far daylight time is behind UTC.
const DAYLIGHT: u64 = 4 * HOUR;

/// The Eastern day of a time, as the day of the calendar with the same date.
pub fn day(time: Time) -> Day {
    Day(time.0.saturating_sub(offset(time)) / Day::MICROS)
}

/// When it is so many minutes after midnight of an Eastern day, by the clock on the wall. The minutes must not lie in the hour that a day skips
/// or repeats.
pub fn at(day: Day, minutes: u64) -> Time {
    let wall = day.start().0.saturating_add(minutes.saturating_mul(60 * Time::SECOND));
    let standard = Time(wall.saturating_add(STANDARD));
    if offset(standard) == STANDARD { standard } else { Time(wall.saturating_add(DAYLIGHT)) }
}

/// How many minutes an Eastern day has: 1,440, or an hour less or more where the clock changes.
pub fn minutes(day: Day) -> u64 {
    at(day.plus(1), 0).0.saturating_sub(at(day, 0).0) / (60 * Time::SECOND)
}

/// How far Eastern Time is behind UTC at a time.
fn offset(time: Time) -> u64 {
    let (year, ..) = date(Day(time.0.saturating_sub(STANDARD) / Day::MICROS));
    let starts = sunday(year, 3, 2).start().0 + 2 * HOUR + STANDARD;
    let ends = sunday(year, 11, 1).start().0 + 2 * HOUR + DAYLIGHT;
    if (starts..ends).contains(&time.0) { DAYLIGHT } else { STANDARD }
}

/// The Sunday of a month with this number, counted from 1.
fn sunday(year: u64, month: u64, number: u64) -> Day {
    let first = day_of(year, month, 1);
    // The first day of the calendar, 1970-01-01, was a Thursday.
    let weekday = (first.0 + 4) % 7;
    Day(first.0 + (7 - weekday) % 7 + 7 * (number - 1))
}

/// Year, month and day of a day of the calendar.
pub fn date(day: Day) -> (u64, u64, u64) {
    // Years begin in March here, so that the day of a leap year is the last.
    let shifted = day.0 + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year_of_era + 400 * era + next, month, day)
}

/// The day of the calendar with this date.
pub fn day_of(year: u64, month: u64, day: u64) -> Day {
    let year = year - u64::from(month <= 2);
    let (era, year_of_era) = (year / 400, year % 400);
    let month = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * month + 2) / 5 + day - 1;
    Day(era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(date: (u64, u64, u64), hour: u64, minute: u64) -> Time {
        let (year, month, day) = date;
        Time(day_of(year, month, day).start().0 + hour * HOUR + minute * 60 * Time::SECOND)
    }

    /// The clock changes on the Sundays of the law, and a day has an hour less or more then.
    #[test]
    fn the_clock_changes_in_march_and_november() {
        let [spring, autumn] = [(2026, 3, 8), (2026, 11, 1)];
        let day_of = |(year, month, day)| day_of(year, month, day);
        assert_eq!((minutes(day_of(spring)), minutes(day_of(autumn))), (1_380, 1_500));
        assert_eq!(minutes(day_of((2026, 11, 27))), 1_440);
        assert_eq!(at(day_of((2026, 11, 27)), 17 * 60), utc((2026, 11, 27), 22, 0));
        assert_eq!(at(day_of((2026, 7, 1)), 17 * 60), utc((2026, 7, 1), 21, 0));
        assert_eq!(at(day_of(spring), 17 * 60), utc(spring, 21, 0));
        assert_eq!(at(day_of(spring), 0), utc(spring, 5, 0));
        assert_eq!(at(day_of(autumn), 17 * 60), utc(autumn, 22, 0));
        assert_eq!(at(day_of(autumn), 0), utc(autumn, 4, 0));
        assert_eq!(day(utc((2026, 11, 27), 4, 59)), day_of((2026, 11, 26)));
        assert_eq!(day(utc((2026, 11, 27), 5, 0)), day_of((2026, 11, 27)));
        assert_eq!(day(utc((2026, 7, 1), 4, 0)), day_of((2026, 7, 1)));
    }

    /// A date leads to its day and back, over leap years.
    #[test]
    fn dates_come_back() {
        for number in (0..60_000).step_by(13) {
            let (year, month, day) = date(Day(number));
            assert_eq!(day_of(year, month, day), Day(number), "{year}-{month}-{day}");
        }
        assert_eq!(date(Day(20_784)), (2026, 11, 27));
    }
}
