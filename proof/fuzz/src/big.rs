//! Natural numbers of up to 117 digits with schoolbook arithmetic, for comparison with exact products.

/// Digits of a limb.
const LIMB_DIGITS: usize = 9;
const LIMB: u64 = 1_000_000_000;
const LIMBS: usize = 13;

/// A natural number, most significant limb first, so that the derived order is the numeric one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Big([u64; LIMBS]);

impl Big {
    pub(crate) const ZERO: Self = Self([0; LIMBS]);

    /// Parses digits, followed by `shift` zeros.
    pub(crate) fn read(digits: impl IntoIterator<Item = u8>, shift: usize) -> Self {
        let mut number = Self::ZERO;
        for digit in digits.into_iter().chain(std::iter::repeat_n(b'0', shift)) {
            assert!(digit.is_ascii_digit());
            number = number.times_small(10).plus(Self::from(u128::from(digit - b'0')));
        }
        number
    }

    /// 10 to a power.
    pub(crate) fn power(exponent: usize) -> Self {
        let mut limbs = [0; LIMBS];
        limbs[LIMBS - 1 - exponent / LIMB_DIGITS] = 10u64.pow((exponent % LIMB_DIGITS).try_into().unwrap());
        Self(limbs)
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        let (mut sum, mut carry) = ([0; LIMBS], 0);
        for at in (0..LIMBS).rev() {
            let limb = self.0[at] + other.0[at] + carry;
            (sum[at], carry) = (limb % LIMB, limb / LIMB);
        }
        assert_eq!(carry, 0, "the number is too small a type");
        Self(sum)
    }

    fn times_small(self, factor: u64) -> Self {
        let (mut product, mut carry) = ([0; LIMBS], 0);
        for at in (0..LIMBS).rev() {
            let limb = self.0[at] * factor + carry;
            (product[at], carry) = (limb % LIMB, limb / LIMB);
        }
        assert_eq!(carry, 0, "the number is too small a type");
        Self(product)
    }

    pub(crate) fn times(self, other: Self) -> Self {
        let mut product = Self::ZERO;
        for at in 0..LIMBS {
            if other.0[at] == 0 {
                continue;
            }
            let row = self.times_small(other.0[at]);
            let places = LIMBS - 1 - at;
            assert!(row.0[..places].iter().all(|limb| *limb == 0), "the number is too small a type");
            let mut shifted = [0; LIMBS];
            shifted[..=at].copy_from_slice(&row.0[places..]);
            product = product.plus(Self(shifted));
        }
        product
    }
}

impl From<u128> for Big {
    fn from(mut number: u128) -> Self {
        let mut limbs = [0; LIMBS];
        for limb in limbs.iter_mut().rev() {
            *limb = u64::try_from(number % u128::from(LIMB)).unwrap();
            number /= u128::from(LIMB);
        }
        Self(limbs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reckons_as_words_do() {
        let (a, b) = (u128::from(u64::MAX), 98_765_432_109_876_543_u128);
        assert_eq!(Big::from(a).times(Big::from(b)), Big::from(a * b));
        assert_eq!(Big::from(a).plus(Big::from(b)), Big::from(a + b));
        assert_eq!(Big::read(*b"1234567890123", 7), Big::from(12_345_678_901_230_000_000));
        assert_eq!(Big::power(31), Big::from(10u128.pow(31)));
        assert!(Big::from(u128::MAX) > Big::from(u128::MAX - 1) && Big::power(40) > Big::from(u128::MAX));
        assert_eq!(Big::power(50).times(Big::power(41)), Big::power(91));
    }
}
