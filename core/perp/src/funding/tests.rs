//! Premiums by minute and the amounts of hours, against sums by hand.

use super::*;

fn dollars(amount: i128) -> Money {
    Money::from_units(amount * Money::ONE.units())
}

/// A time of the first hour after `HOUR`.
fn at(minute: u64, second: u64) -> Time {
    Time(HOUR + minute * MINUTE + second * Time::SECOND)
}

/// Premiums that begin without an index.
fn blank(time: Time) -> Premiums {
    Premiums { minute: time.0 / MINUTE, ..Premiums::default() }
}

const CAP: Bps = Bps(5);

const MARK: Money = Money::from_units(50_000 * Money::ONE.units());

/// The mean of a sum over all four values of each minute.
fn amount_of(sum: i128, minutes: u32) -> Money {
    funding::amount([dollars(sum)], minutes, MARK, CAP)
}

/// Each minute has the value in force as it began, the highest, the lowest and the last one; without marks the value in force stays.
/// Proves PERP-017.
#[test]
fn a_minute_has_four_values() {
    let mut premiums = blank(at(0, 10));
    premiums.take(Some(dollars(8)), at(0, 10));
    premiums.take(Some(dollars(2)), at(0, 20));
    premiums.take(Some(dollars(4)), at(0, 30));
    // Minute 0: 8, 8, 2, 4. Minutes 1 and 2: 4. Minute 3: 4, 10, 4, 10. Minutes 4 to 59: 10.
    premiums.take(Some(dollars(10)), at(3, 0));
    let sum = 22 + 2 * 16 + 28 + 56 * 40;
    assert_eq!(premiums.amount(at(60, 0), MARK, CAP), amount_of(sum, 60));
    assert_eq!(premiums.estimate(at(5, 59), MARK, CAP), amount_of(22 + 32 + 28 + 40, 5));
    assert_eq!(premiums.estimate(at(0, 59), MARK, CAP), Money::ZERO, "no minute is over");
}

/// A mark at the full hour counts in the next hour.
#[test]
fn the_hour_ends_before_its_last_instant() {
    let mut premiums = blank(at(0, 0));
    premiums.take(Some(dollars(24)), at(0, 0));
    premiums.take(Some(dollars(48)), at(60, 0));
    let amount = premiums.amount(at(60, 0), MARK, CAP);
    assert_eq!(amount, dollars(1));
    premiums.cut(HourAmount { hour: at(60, 0), amount });
    assert_eq!(premiums.last, Some(HourAmount { hour: at(60, 0), amount: dollars(1) }));
    // Minute 60: 24, 48, 24, 48. The others: 48.
    assert_eq!(premiums.amount(at(120, 0), MARK, CAP), amount_of(144 + 59 * 192, 60));
}

/// A mark that comes before a late cut, or a stop just after the hour, moves no minute into another hour.
#[test]
fn a_late_cut_counts_its_own_minutes() {
    let mut premiums = blank(at(0, 0));
    premiums.take(Some(dollars(6)), at(0, 0));
    premiums.take(Some(dollars(48)), at(90, 0));
    assert_eq!(premiums.amount(at(60, 0), MARK, CAP), amount_of(60 * 24, 60));
    premiums.cut(HourAmount { hour: at(60, 0), amount: Money::ZERO });
    // Minutes 60 to 89: 6. Minute 90: 6, 48, 6, 48. The others: 48.
    assert_eq!(premiums.amount(at(120, 0), MARK, CAP), amount_of(30 * 24 + 108 + 29 * 192, 60));
    let mut stopped = blank(at(0, 0));
    stopped.take(Some(dollars(6)), at(0, 0));
    stopped.skip(at(60, 0), at(65, 0));
    assert_eq!(stopped.amount(at(60, 0), MARK, CAP), amount_of(60 * 24, 60));
    stopped.cut(HourAmount { hour: at(60, 0), amount: Money::ZERO });
    stopped.take(Some(dollars(6)), at(65, 0));
    assert_eq!(stopped.amount(at(120, 0), MARK, CAP), amount_of(56 * 24, 60));
}

/// Minutes without an index, and minutes in which the exchange did not run, count zero.
#[test]
fn minutes_without_prices_count_zero() {
    let mut premiums = blank(at(30, 0));
    premiums.take(Some(dollars(24)), at(30, 0));
    premiums.take(None, at(40, 30));
    // The minute that loses its index keeps what it had.
    assert_eq!(premiums.amount(at(60, 0), MARK, CAP), amount_of(11 * 96, 60));
    premiums.take(Some(dollars(24)), at(50, 30));
    assert_eq!(premiums.amount(at(60, 0), MARK, CAP), amount_of(21 * 96, 60));
    // It stops in minute 52 and runs again in minute 57, when the marks are taken.
    premiums.skip(at(52, 30), at(57, 10));
    premiums.take(Some(dollars(24)), at(57, 10));
    assert_eq!(premiums.amount(at(60, 0), MARK, CAP), amount_of((14 + 3) * 96, 60));
    let before = premiums.clone();
    premiums.skip(at(58, 10), at(58, 50));
    assert_eq!(premiums, before, "a stop of less than a minute misses none");
}

/// An exchange that stops for hours pays each of them once, and those without any mark are worth nothing.
#[test]
fn missed_hours_count_zero() {
    let mut premiums = blank(at(0, 0));
    premiums.take(Some(dollars(24)), at(0, 0));
    premiums.skip(at(29, 59), at(150, 0));
    let first = premiums.amount(at(60, 0), MARK, CAP);
    assert_eq!(first, amount_of(30 * 96, 60));
    premiums.cut(HourAmount { hour: at(60, 0), amount: first });
    assert_eq!(premiums.amount(at(120, 0), MARK, CAP), Money::ZERO);
}
