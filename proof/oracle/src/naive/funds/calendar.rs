//! Months of the calendar, counted day by day from 1970.

use buttonwood_model::{Day, Time};

/// Days of the months of a year.
fn lengths(year: u64) -> [u64; 12] {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

/// When each month ends, in days from 1970.
fn ends() -> impl Iterator<Item = u64> {
    (1970..).flat_map(lengths).scan(0, |end, length| {
        *end += length;
        Some(*end)
    })
}

/// The number of the month that a moment is in, from January 1970.
pub(crate) fn month_of(time: Time) -> u64 {
    let ended = ends().take_while(|end| *end <= time.0 / Day::MICROS).count();
    u64::try_from(ended).unwrap()
}

/// When the month after that of a moment begins.
pub(super) fn next_month(time: Time) -> Time {
    Time(ends().find(|end| time.0 / Day::MICROS < *end).unwrap() * Day::MICROS)
}

/// Whether a month begins at a moment.
pub(super) fn is_month_start(time: Time) -> bool {
    time.0 > 0 && next_month(Time(time.0 - 1)) == time
}
