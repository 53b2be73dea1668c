//! Signed products and quotients whose intermediate results need 256 bits, with a stated rounding.

use crate::conversion::scale_rest;
use crate::{MONEY_DECIMALS, Money};
use core::cmp::Ordering;

/// How a quotient that is no whole number is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
    /// Towards zero.
    Cut,
    /// To the nearest number; from the middle to the even one.
    HalfEven,
}

impl Round {
    /// Whether a quotient of this sign moves away from zero.
    fn grows(self, is_negative: bool, quotient: u128, rest: u128, divisor: u128) -> bool {
        match self {
            Self::Down => is_negative && rest > 0,
            Self::Up => !is_negative && rest > 0,
            Self::Cut => false,
            // The remainder is below the divisor, so the difference is positive.
            Self::HalfEven => match rest.cmp(&(divisor - rest)) {
                Ordering::Less => false,
                Ordering::Equal => !quotient.is_multiple_of(2),
                Ordering::Greater => true,
            },
        }
    }
}

/// a × b ÷ divisor with one rounding. `None` for a divisor of zero, and for a result of 2¹²⁷ or more in either direction.
pub fn mul_div(a: i128, b: i128, divisor: i128, round: Round) -> Option<i128> {
    let is_negative = (a < 0) ^ (b < 0) ^ (divisor < 0);
    let (quotient, rest) = scale_rest(a.unsigned_abs(), b.unsigned_abs(), divisor.unsigned_abs())?;
    let grows = round.grows(is_negative, quotient, rest, divisor.unsigned_abs());
    let size = i128::try_from(quotient).ok()?.checked_add(i128::from(grows))?;
    Some(if is_negative { -size } else { size })
}

impl Money {
    /// One unit of a currency.
    #[expect(clippy::as_conversions, reason = "a constant cannot convert otherwise")]
    pub const ONE: Self = Self::from_units(10_i128.pow(MONEY_DECIMALS as u32));

    /// The difference; `None` beyond the representable range.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.units().checked_sub(other.units()).map(Self::from_units)
    }

    /// The amount × `factor` ÷ `divisor` with one rounding, at 10⁻¹⁹. `None` for a divisor of zero, and beyond the range of money.
    pub fn mul_div(self, factor: i128, divisor: i128, round: Round) -> Option<Self> {
        mul_div(self.units(), factor, divisor, round).map(Self::from_units)
    }

    /// The amount × a price or another number of 19 decimals, with one rounding, at 10⁻¹⁹. `None` beyond the range of money.
    pub fn times(self, factor: Self, round: Round) -> Option<Self> {
        self.mul_div(factor.units(), Self::ONE.units(), round)
    }

    /// The amount ÷ a price or another number of 19 decimals, with one rounding, at 10⁻¹⁹. `None` for a divisor of zero, and beyond
    /// the range of money.
    pub fn over(self, divisor: Self, round: Round) -> Option<Self> {
        self.mul_div(Self::ONE.units(), divisor.units(), round)
    }

    /// The nearest multiple of a positive step in the direction of the rounding. `None` for another step, and beyond the range of
    /// money.
    pub fn to_step(self, step: Self, round: Round) -> Option<Self> {
        if step <= Self::ZERO {
            return None;
        }
        mul_div(self.units(), 1, step.units(), round)?.checked_mul(step.units()).map(Self::from_units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::{BigInt, Sign};

    const ALL: [Round; 4] = [Round::Down, Round::Up, Round::Cut, Round::HalfEven];

    /// The same with integers of any length.
    fn plain(a: i128, b: i128, divisor: i128, round: Round) -> Option<i128> {
        let (mut product, mut divisor) = (BigInt::from(a) * b, BigInt::from(divisor));
        if divisor.sign() == Sign::NoSign {
            return None;
        }
        if divisor.sign() == Sign::Minus {
            (product, divisor) = (-product, -divisor);
        }
        // The floor: a truncated quotient, less one where the remainder is negative.
        let truncated = &product / &divisor;
        let is_below = &truncated * &divisor > product;
        let floor = if is_below { truncated - 1 } else { truncated };
        let twice: BigInt = (&product - &floor * &divisor) * 2;
        let is_exact = twice.sign() == Sign::NoSign;
        let result: BigInt = match round {
            Round::Down => floor,
            Round::Up => floor + i32::from(!is_exact),
            Round::Cut => floor + i32::from(!is_exact && product.sign() == Sign::Minus),
            Round::HalfEven if twice == divisor => {
                let odd = &floor % 2 != BigInt::ZERO;
                floor + i32::from(odd)
            }
            Round::HalfEven => floor + i32::from(twice > divisor),
        };
        i128::try_from(result).ok().filter(|result| *result != i128::MIN)
    }

    /// Random numbers of every length, of both signs, and the ends of the range.
    #[test]
    fn quotients_are_those_of_long_integers() {
        let mut word = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835_u128;
        let mut next = || {
            word ^= word << 29;
            word ^= word >> 53;
            word ^= word << 71;
            let size = i128::try_from((word >> 1) >> (word % 127)).unwrap();
            if word & (1 << 90) == 0 { size } else { -size }
        };
        for _ in 0..20_000 {
            let (a, b, divisor) = (next(), next(), next());
            for round in ALL {
                assert_eq!(
                    mul_div(a, b, divisor, round),
                    plain(a, b, divisor, round),
                    "{a} {b} {divisor} {round:?}"
                );
            }
        }
        let ends =
            [i128::MIN, i128::MIN + 1, -2, -1, 0, 1, 2, 3, 1 << 64, (1 << 64) - 1, i128::MAX - 1, i128::MAX];
        for (a, b, divisor) in
            ends.iter().flat_map(|a| ends.iter().flat_map(move |b| ends.map(|c| (*a, *b, c))))
        {
            for round in ALL {
                assert_eq!(
                    mul_div(a, b, divisor, round),
                    plain(a, b, divisor, round),
                    "{a} {b} {divisor} {round:?}"
                );
            }
        }
    }

    /// Each rounding goes its own way, and a tie goes to the even number.
    #[test]
    fn each_rounding_goes_its_own_way() {
        let all = |a, divisor| ALL.map(|round| mul_div(a, 1, divisor, round).unwrap());
        assert_eq!(all(7, 2), [3, 4, 3, 4]);
        assert_eq!(all(5, 2), [2, 3, 2, 2]);
        assert_eq!(all(-7, 2), [-4, -3, -3, -4]);
        assert_eq!(all(-5, 2), [-3, -2, -2, -2]);
        assert_eq!(all(-6, -2), [3; 4]);
        assert_eq!(all(0, -2), [0; 4]);
    }

    /// Products and quotients of numbers with 19 decimals, and multiples of a step.
    #[test]
    fn amounts_multiply_and_divide() {
        let [three, two] = [3, 2].map(|whole| Money::from_units(whole * Money::ONE.units()));
        assert_eq!(three.times(two, Round::Down), Some(Money::from_units(6 * Money::ONE.units())));
        assert_eq!(two.over(three, Round::Up), Some(Money::from_units(6_666_666_666_666_666_667)));
        assert_eq!((two.over(Money::ZERO, Round::Up), Money::MAX.times(two, Round::Up)), (None, None));
        let money = Money::from_units;
        assert_eq!(money(-7).to_step(money(5), Round::Down), Some(money(-10)));
        assert_eq!(money(7).to_step(money(5), Round::Up), Some(money(10)));
        assert_eq!(
            (money(7).to_step(money(0), Round::Up), money(7).to_step(money(-5), Round::Up)),
            (None, None)
        );
        assert_eq!(
            (money(3).checked_sub(money(5)), money(i128::MIN).checked_sub(money(1))),
            (Some(money(-2)), None)
        );
    }
}
