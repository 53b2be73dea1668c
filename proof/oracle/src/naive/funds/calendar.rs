//! Months of the calendar, counted day by day from 1970.

use buttonwood_model::{Day, Time};

/// Days of the months of a year.
fn lengths(year: u64) -> [u64; 12] {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

/// When the month after that of a moment begins.
pub(super) fn next_month(time: Time) -> Time {
    let day = time.0 / Day::MICROS;
    let mut ends = (1970..).flat_map(lengths).scan(0, |end, length| {
        *end += length;
        Some(*end)
    });
    Time(ends.find(|end| day < *end).unwrap() * Day::MICROS)
}

/// Whether a month begins at a moment.
pub(super) fn is_month_start(time: Time) -> bool {
    time.0 > 0 && next_month(Time(time.0 - 1)) == time
}
