//! Products and quotients whose intermediate results need 256 bits, for conversions between currencies.

use crate::Money;

/// An exact positive quotient by which an amount of one currency is converted to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: u128,
    denominator: u128,
}

impl Ratio {
    /// One: the currency itself.
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// A quotient in lowest terms; `None` unless both parts are positive.
    pub fn new(numerator: u128, denominator: u128) -> Option<Self> {
        if numerator == 0 || denominator == 0 {
            return None;
        }
        let common = common_divisor(numerator, denominator);
        Some(Self { numerator: numerator / common, denominator: denominator / common })
    }

    /// The conversion back.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { numerator: self.denominator, denominator: self.numerator }
    }

    /// This conversion and then `other`; `None` if the product needs more than 128 bits.
    pub fn then(self, other: Self) -> Option<Self> {
        let one = Self::new(self.numerator, other.denominator)?;
        let two = Self::new(other.numerator, self.denominator)?;
        let numerator = one.numerator.checked_mul(two.numerator)?;
        Some(Self { numerator, denominator: one.denominator.checked_mul(two.denominator)? })
    }
}

fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Money {
    /// The amount × the ratio, with one rounding: towards zero, at 10⁻¹⁹. `None` beyond the range of money.
    pub fn converted(self, ratio: Ratio) -> Option<Self> {
        self.scaled(ratio.numerator, ratio.denominator)
    }

    /// The amount × `numerator` ÷ `denominator`, with one rounding: towards zero, at 10⁻¹⁹. `None` for a denominator of
    /// zero, and beyond the range of money.
    pub fn scaled(self, numerator: u128, denominator: u128) -> Option<Self> {
        let size = scale(self.units().unsigned_abs(), numerator, denominator)?;
        let size = i128::try_from(size).ok()?;
        Some(Self::from_units(if self.is_negative() { -size } else { size }))
    }
}

/// a × b ÷ c, rounded down; `None` if c is zero or the result needs more than 128 bits.
fn scale(a: u128, b: u128, c: u128) -> Option<u128> {
    match a.checked_mul(b) {
        Some(product) => product.checked_div(c),
        None => divide(multiply(a, b), c).map(|(quotient, _)| quotient),
    }
}

/// a × b ÷ c, rounded down, and the remainder; `None` if c is zero or the quotient needs more than 128 bits.
pub(crate) fn scale_rest(a: u128, b: u128, c: u128) -> Option<(u128, u128)> {
    match a.checked_mul(b) {
        Some(product) => {
            let quotient = product.checked_div(c)?;
            // A second division would take as long as the first.
            Some((quotient, product - quotient * c))
        }
        None => divide(multiply(a, b), c),
    }
}

/// The low half of a word.
const LOW: u128 = u128::MAX >> 64;

/// The full product, as its high and its low word.
pub(crate) fn multiply(a: u128, b: u128) -> (u128, u128) {
    let ([a_high, a_low], [b_high, b_low]) = ([a >> 64, a & LOW], [b >> 64, b & LOW]);
    let low = a_low * b_low;
    // Each sum is below 2^128: a product of halves is at most (2^64 - 1)^2, and 2^128 - 2^65 + 1 leaves room for two halves.
    let middle = a_high * b_low + (low >> 64);
    let other = a_low * b_high + (middle & LOW);
    (a_high * b_high + (middle >> 64) + (other >> 64), (other << 64) | (low & LOW))
}

/// The quotient of two words and a divisor, and the remainder; `None` if the quotient does not fit a word.
pub(crate) fn divide((high, low): (u128, u128), divisor: u128) -> Option<(u128, u128)> {
    if high >= divisor {
        return None;
    }
    if divisor <= LOW {
        return Some(divide_by_half(high, low, divisor));
    }
    Some(divide_by_word(high, low, divisor))
}

/// The same for a divisor of more than half a word, in two digits of half a word each, as in long division (Knuth, algorithm D): the
/// divisor is shifted so that its highest bit is set, and a digit that is guessed from its high half is then too large by at most two.
/// `high` is below the divisor.
fn divide_by_word(high: u128, low: u128, divisor: u128) -> (u128, u128) {
    let shift = divisor.leading_zeros();
    let (divisor, low_shifted) = (divisor << shift, low << shift);
    // The divisor has a bit in its high half, so fewer than 64 bits are shifted.
    let high_shifted = (high << shift) | ((low >> 64) >> (64 - shift));
    let [upper, lower] = [low_shifted >> 64, low_shifted & LOW];
    let (first, rest) = digit(high_shifted, upper, divisor);
    let (second, rest) = digit(rest, lower, divisor);
    ((first << 64) | second, rest >> shift)
}

/// A digit of a quotient, and the remainder: `high` and one more half-word divided by a divisor whose highest bit is set.
fn digit(high: u128, next: u128, divisor: u128) -> (u128, u128) {
    let [divisor_high, divisor_low] = [divisor >> 64, divisor & LOW];
    let mut digit = high / divisor_high;
    let mut rest = high - digit * divisor_high;
    while digit > LOW || digit * divisor_low > (rest << 64 | next) {
        digit -= 1;
        rest += divisor_high;
        if rest > LOW {
            break;
        }
    }
    // Both products are taken modulo 2^128; their difference is below the divisor.
    let whole = (high << 64 | next).wrapping_sub(digit.wrapping_mul(divisor));
    (digit, whole)
}

/// The same for a divisor of half a word, such as 10¹⁹: two divisions instead of 128 steps. `high` is below the divisor.
fn divide_by_half(high: u128, low: u128, divisor: u128) -> (u128, u128) {
    let upper = (high << 64) | (low >> 64);
    let first = upper / divisor;
    let lower = ((upper - first * divisor) << 64) | (low & LOW);
    let second = lower / divisor;
    ((first << 64) | second, lower - second * divisor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_products_are_plain() {
        assert_eq!(scale(7, 3, 2), Some(10));
        assert_eq!(scale(0, u128::MAX, 1), Some(0));
        assert_eq!(scale(1, 1, 0), None);
        assert_eq!(scale(u128::MAX, u128::MAX, 0), None);
    }

    /// Products of more than 128 bits divide exactly, at the ends of their range too.
    #[test]
    fn wide_products_are_exact() {
        let most = u128::MAX;
        assert_eq!(multiply(most, most), (most - 1, 1));
        assert_eq!(multiply(1 << 127, 6), (3, 0));
        assert_eq!(scale(most, most, most), Some(most));
        assert_eq!(scale(most, most - 1, most), Some(most - 1));
        assert_eq!(scale(most - 1, most - 1, most), Some(most - 2));
        assert_eq!(scale(most, 3, 2), None);
        assert_eq!(scale(1 << 100, 1 << 100, 1 << 73), Some(1 << 127));
        assert_eq!(scale(1 << 100, 1 << 100, 1 << 72), None);
        assert_eq!(scale(10_u128.pow(30), 10_u128.pow(30), 3 * 10_u128.pow(25)), Some(10_u128.pow(35) / 3));
    }

    /// A quotient times its divisor, plus a remainder below it, is the product.
    #[test]
    fn every_quotient_multiplies_back() {
        let mut word = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835_u128;
        let mut next = || {
            word ^= word << 29;
            word ^= word >> 53;
            word ^= word << 71;
            word >> (word % 100)
        };
        for _ in 0..2_000 {
            let (a, b, c) = (next(), next(), next().max(1));
            let Some(quotient) = scale(a, b, c) else {
                assert!(multiply(a, b).0 >= c);
                continue;
            };
            let ((high, low), (back_high, back_low)) = (multiply(a, b), multiply(quotient, c));
            let (rest, borrows) = low.overflowing_sub(back_low);
            assert!(rest < c && high == back_high + u128::from(borrows), "{a} {b} {c}");
        }
    }

    /// Ratios stay in lowest terms, so that their products seldom outgrow a word.
    #[test]
    fn ratios_multiply_in_lowest_terms() {
        let ratio = |numerator, denominator| Ratio::new(numerator, denominator).unwrap();
        assert_eq!(ratio(6, 4), ratio(3, 2));
        assert_eq!(ratio(3, 2).inverse(), ratio(2, 3));
        assert_eq!(ratio(3, 2).then(ratio(2, 9)), Some(ratio(1, 3)));
        assert_eq!(ratio(u128::MAX, 7).then(ratio(7, u128::MAX)), Some(Ratio::ONE));
        assert_eq!(ratio(u128::MAX, 1).then(ratio(2, 1)), None);
        assert_eq!(ratio(1, u128::MAX).then(ratio(1, 2)), None);
        assert_eq!((Ratio::new(0, 1), Ratio::new(1, 0)), (None, None));
        assert_eq!(Money::from_units(10).converted(ratio(2, 3)), Some(Money::from_units(6)));
    }

    /// The one rounding goes towards zero, for debts of the house too.
    #[test]
    fn amounts_are_scaled_with_one_rounding() {
        let money = Money::from_units;
        assert_eq!(money(10).scaled(2, 3), Some(money(6)));
        assert_eq!(money(-10).scaled(2, 3), Some(money(-6)));
        assert_eq!(money(1).scaled(1, 0), None);
        assert_eq!(money(i128::MAX).scaled(3, 3), Some(money(i128::MAX)));
        assert_eq!(money(i128::MAX).scaled(3, 2), None);
        assert_eq!(money(i128::MIN).scaled(1, 1), None);
    }
}
