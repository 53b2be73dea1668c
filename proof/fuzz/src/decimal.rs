//! Decimals, and their interpretation by a symbol's grid.
//!
//! The input is lines: a decimal, a price step, a lot, a price, a quantity, a rate in basis points. Texts are parsed
//! again by the letter of the grammar; products are computed again in decimal limbs.

use crate::big::Big;
use buttonwood_model::Nonce;
use buttonwood_num::{Bps, Decimal, Grid, MONEY_DECIMALS, Money, Price, Qty};

/// A number of decimals at which all amounts of a case are whole.
const SCALE: usize = 40;

/// A text of the grammar, split at its point.
#[derive(Clone, Copy)]
struct Plain<'a> {
    integer: &'a str,
    fraction: &'a str,
    decimal: Decimal,
}

/// Reads and checks one case.
pub fn run(bytes: &[u8]) {
    let mut lines = bytes.splitn(6, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (value, tick, lot, price, qty, rate) = (line(), line(), line(), line(), line(), line());
    nonce(value, price);
    let [value, tick, lot, price, qty] = [value, tick, lot, price, qty].map(read);
    let rate = std::str::from_utf8(rate).ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    if let Some(value) = value {
        units(value, rate % 40);
        money(value);
    }
    let (Some(tick), Some(lot)) = (tick, lot) else { return };
    let grid = grid(tick, lot);
    let Some(grid) = grid else { return };
    let price = price.and_then(|price| ticks(&grid, tick, price));
    let qty = qty.and_then(|qty| hundredths(&grid, lot, qty));
    let rate = Bps(rate.min(10_000));
    let unit = mantissa(tick).0.times(mantissa(lot).0);
    let unit = unit.times(Big::power(19 - 2 - mantissa(tick).1 - mantissa(lot).1));
    let case = Case { grid, unit, rate };
    if let Some(qty) = qty {
        case.base(qty, mantissa(lot));
    }
    if let (Some(price), Some(qty)) = (price, qty) {
        case.products(price, qty);
    }
    if let (Some(price), Some(spend)) = (price, value) {
        case.spend(price, Money::from_decimal(spend.decimal).unwrap());
    }
    if let (Some(value), Some(qty)) = (value, qty) {
        case.average(Money::from_decimal(value.decimal).unwrap(), qty, mantissa(lot));
    }
}

/// Checks that exactly the texts of the grammar are accepted: `(0|[1-9][0-9]{0,17})(\.[0-9]{1,19})?`.
fn read(text: &[u8]) -> Option<Plain<'_>> {
    let got = Decimal::parse(text);
    let text = std::str::from_utf8(text).unwrap_or("no decimal");
    let (integer, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| part.bytes().all(|letter| letter.is_ascii_digit());
    let is_integer = integer == "0" || (1..=18).contains(&integer.len()) && !integer.starts_with('0');
    let is_decimal = is_integer && digits(integer) && (1..=19).contains(&fraction.len()) && digits(fraction);
    assert_eq!(got.is_ok(), is_decimal, "{text:?}");
    let decimal = got.ok()?;
    assert_eq!(decimal.is_zero(), text.bytes().all(|byte| matches!(byte, b'0' | b'.')), "{text}");
    Some(Plain { integer, fraction, decimal })
}

/// The value in units of 10^-`decimals`, by shifting the point of the text.
fn units(value: Plain<'_>, decimals: u16) {
    let decimals = usize::from(decimals);
    let (kept, dropped) = value.fraction.split_at(value.fraction.len().min(decimals));
    let is_whole = dropped.bytes().all(|digit| digit == b'0');
    let shifted = format!("{}{kept}{}", value.integer, "0".repeat(decimals - kept.len()));
    let expected = shifted.parse::<u128>().ok().filter(|_| is_whole);
    let got = value.decimal.units(u8::try_from(decimals).unwrap());
    // Zero may be refused too at a scale beyond the table of powers.
    assert!(got == expected || got.is_none() && decimals > 37, "{got:?}, expected {expected:?}");
}

/// Converts to money and back: the canonical text, and truncated to every number of decimals.
fn money(value: Plain<'_>) {
    let money = Money::from_decimal(value.decimal).expect("the grammar allows no more than money holds");
    let exact = shown(|out| money.push_floored(out, MONEY_DECIMALS));
    assert_eq!(exact, canonical(value.integer, value.fraction));
    let again = Decimal::parse(exact.as_bytes()).expect("what is printed is a decimal");
    assert_eq!(Money::from_decimal(again), Some(money));
    assert_eq!(again.normalized(), value.decimal.normalized());
    let decimals = value.fraction.len() / 2;
    let floored = shown(|out| money.push_floored(out, u8::try_from(decimals).unwrap()));
    assert_eq!(floored, canonical(value.integer, &value.fraction[..decimals]));
}

/// Nonces are longer numbers, with leading zeros and exponents; their order must be that of their values.
fn nonce(one: &[u8], other: &[u8]) {
    if let (Some((one, plain)), Some((other, other_plain))) = (read_nonce(one), read_nonce(other)) {
        assert_eq!(one.cmp(&other), plain.cmp(&other_plain), "{plain:?}, {other_plain:?}");
        assert!(one != other || one.digest() == other.digest());
    }
}

/// The sort key of a nonce: the number of its integer digits, those digits, and the digits of its fraction.
type Written = (usize, String, String);

/// A nonce and its sort key.
fn read_nonce(text: &[u8]) -> Option<(Nonce, Written)> {
    let got = Nonce::parse(text);
    let text = std::str::from_utf8(text).unwrap_or("no nonce");
    let written = match text.split_once(['e', 'E']) {
        None => written(text, None),
        Some((mantissa, exponent)) => {
            exponent.parse().ok().and_then(|places| written(mantissa, Some(places)))
        }
    };
    assert_eq!(got.is_ok(), written.is_some(), "{text:?}");
    Some((got.ok()?, written?))
}

/// The digits of a number; an exponent moves its point by this many places to the right.
fn written(text: &str, exponent: Option<i16>) -> Option<Written> {
    let (integer, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.chars().all(|letter| letter.is_ascii_digit());
    if !digits(integer) || !digits(fraction) {
        return None;
    }
    let fraction = if text.contains('.') { fraction } else { "" };
    let point = integer.len();
    let mut all = format!("{integer}{fraction}");
    if exponent.is_some() && all.trim_matches('0').is_empty() {
        return Some((0, String::new(), String::new()));
    }
    let places = exponent.unwrap_or_default();
    let shift = usize::from(places.unsigned_abs());
    let point = if places < 0 {
        all.insert_str(0, &"0".repeat(shift));
        point
    } else {
        let behind = all.len() - point;
        all.push_str(&"0".repeat(shift.saturating_sub(behind)));
        point + shift
    };
    let (whole, rest) = all.split_at(point);
    let whole = whole.trim_start_matches('0');
    (whole.len() + rest.len() <= 64)
        .then(|| (whole.len(), whole.to_owned(), rest.trim_end_matches('0').to_owned()))
}

/// A grid must exist exactly for positive increments whose products have at most 19 decimals and fit.
fn grid(tick: Plain<'_>, lot: Plain<'_>) -> Option<Grid> {
    let got = Grid::new(tick.decimal, lot.decimal).ok();
    let ((tick_mantissa, tick_decimals), (lot_mantissa, lot_decimals)) = (mantissa(tick), mantissa(lot));
    let word = Big::from(u128::from(u64::MAX));
    let steps = [tick_mantissa, lot_mantissa];
    let product = tick_mantissa.times(lot_mantissa);
    let fits = |most: Big| {
        steps.iter().all(|step| *step > Big::ZERO && *step <= word)
            && tick_decimals + lot_decimals + 2 <= 19
            && product.times(Big::power(17 - tick_decimals - lot_decimals)) <= most
            && lot_mantissa.times(Big::power(17 - lot_decimals)) <= most
    };
    assert!(got.is_none() || fits(most()), "a grid that cannot be exact");
    assert!(got.is_some() || !fits(Big::power(37)), "a grid that could be served");
    if let Some(grid) = &got {
        assert_eq!(shown(|out| grid.push_tick(out)), canonical(tick.integer, tick.fraction));
        assert_eq!(shown(|out| grid.push_lot(out)), canonical(lot.integer, lot.fraction));
    }
    got
}

/// A price is a whole positive number of ticks that fits a word, printed with the decimals of the step.
fn ticks(grid: &Grid, tick: Plain<'_>, price: Plain<'_>) -> Option<Price> {
    let got = grid.price(price.decimal);
    let ticks = steps(tick, price).and_then(|ticks| u64::try_from(ticks).ok()).filter(|ticks| *ticks > 0);
    assert_eq!(got, ticks.map(Price::from_ticks));
    let got = got?;
    let decimals = mantissa(tick).1;
    let fraction = format!("{:0<19}", price.fraction);
    let expected = match decimals {
        0 => price.integer.to_owned(),
        _ => format!("{}.{}", price.integer, &fraction[..decimals]),
    };
    assert_eq!(shown(|out| grid.push_price(out, got)), expected);
    Some(got)
}

/// A quantity is a whole positive number of lots, printed without trailing zeros.
fn hundredths(grid: &Grid, lot: Plain<'_>, qty: Plain<'_>) -> Option<Qty> {
    let got = grid.qty(qty.decimal);
    let lots = steps(lot, qty).filter(|lots| *lots > 0);
    assert_eq!(got, lots.map(|lots| Qty::from_hundredths(lots * 100)));
    let got = got?;
    assert_eq!(shown(|out| grid.push_qty(out, got)), canonical(qty.integer, qty.fraction));
    Some(got)
}

/// The value in steps, if it is a whole number of them.
fn steps(step: Plain<'_>, value: Plain<'_>) -> Option<u128> {
    let (mantissa, decimals) = (step.decimal.normalized().0, mantissa(step).1);
    let fraction = format!("{:0<19}", value.fraction);
    let (kept, dropped) = fraction.split_at(decimals);
    let units: u128 = format!("{}{kept}", value.integer).parse().unwrap();
    (dropped.bytes().all(|digit| digit == b'0') && units.is_multiple_of(mantissa)).then(|| units / mantissa)
}

/// A grid with its unit, the money of one tick × one hundredth of a lot, and a rate.
struct Case {
    grid: Grid,
    unit: Big,
    rate: Bps,
}

impl Case {
    fn notional(&self, price: Price, qty: Qty) -> Big {
        Big::from(u128::from(price.ticks())).times(Big::from(qty.hundredths())).times(self.unit)
    }

    fn base(&self, qty: Qty, (lot, decimals): (Big, usize)) {
        let exact = Big::from(qty.hundredths()).times(lot).times(Big::power(17 - decimals));
        same(self.grid.base(qty), exact);
    }

    /// Products must be exact, fees rounded up, and both refused only beyond the range of money.
    fn products(&self, price: Price, qty: Qty) {
        let exact = self.notional(price, qty);
        let notional = self.grid.notional(price, qty);
        same(notional, exact);
        let whole = Big::from(u128::from(Bps::WHOLE));
        let rate = Big::from(self.rate.get().unsigned_abs());
        let fee = self.grid.fee(price, qty, self.rate);
        match fee {
            None => assert!(exact > most(), "a fee in range was refused"),
            Some(fee) => {
                let (fee, parts) = (Big::from(fee.units().unsigned_abs()), exact.times(rate));
                assert!(fee.times(whole) >= parts, "a fee is rounded up");
                assert!(fee.times(whole) < parts.plus(whole), "a fee is rounded by less than a unit");
            }
        }
        let cost = self.grid.cost(price, qty, self.rate);
        match (notional, fee) {
            (Some(notional), Some(fee)) => assert_eq!(cost, notional.checked_add(fee)),
            _ => assert_eq!(cost, None, "a cost without its parts"),
        }
    }

    /// The quantity for an amount of money must be the largest that it pays for.
    fn spend(&self, price: Price, spend: Money) {
        let qty = self.grid.qty_for(spend, price, self.rate);
        let rate = Big::from(u128::from(Bps::WHOLE) + self.rate.get().unsigned_abs());
        let money = Big::from(spend.units().unsigned_abs()).times(Big::from(u128::from(Bps::WHOLE)));
        // notional + fee, rounded up, stays within whole units exactly if notional × (1 + rate) does.
        let pays = |qty: Qty| self.notional(price, qty).times(rate) <= money;
        assert!(qty == Qty::ZERO || pays(qty), "{spend:?} does not pay for {qty:?}");
        assert!(!pays(qty + Qty::from_hundredths(1)), "{spend:?} pays for more than {qty:?}");
    }

    /// An average must be the quotient, truncated at the end of its text.
    fn average(&self, notional: Money, qty: Qty, (lot, lot_decimals): (Big, usize)) {
        let text = shown(|out| self.grid.push_average(out, notional, qty));
        let (integer, fraction) = text.split_once('.').unwrap_or((&text, ""));
        if integer.len() > 18 {
            // No order is ever executed at such a price.
            return;
        }
        let decimals = fraction.len();
        assert!(decimals <= 19 && !fraction.ends_with('0'), "{text}");
        let divisor = Big::from(qty.hundredths()).times(lot);
        let shift = |decimals: usize| Big::power(SCALE - decimals);
        let low = Big::read(integer.bytes().chain(fraction.bytes()), 0).times(divisor);
        let low = low.times(shift(decimals + lot_decimals + 2));
        let high = low.plus(divisor.times(shift(19 + lot_decimals + 2)));
        let exact = Big::from(notional.units().unsigned_abs()).times(shift(19));
        assert!(low <= exact && exact < high, "{notional:?} / {qty:?} is not {text}");
    }
}

fn most() -> Big {
    Big::from(i128::MAX.unsigned_abs())
}

/// The amount must be exact, and absent only beyond the range.
fn same(got: Option<Money>, exact: Big) {
    match got {
        Some(money) => assert_eq!(Big::from(money.units().unsigned_abs()), exact),
        None => assert!(exact > most(), "an amount in range was refused"),
    }
}

/// The digits of an increment as a number, and its decimals, without trailing zeros.
fn mantissa(step: Plain<'_>) -> (Big, usize) {
    let fraction = step.fraction.trim_end_matches('0');
    (Big::read(step.integer.bytes().chain(fraction.bytes()), 0), fraction.len())
}

/// The shortest text of a value.
fn canonical(integer: &str, fraction: &str) -> String {
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { integer.to_owned() } else { format!("{integer}.{fraction}") }
}

fn shown(print: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    print(&mut out);
    String::from_utf8(out).expect("digits are text")
}
