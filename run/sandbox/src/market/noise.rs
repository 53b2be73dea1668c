//! Noise: numbers that look random and are a function of the seed and of what they are for.

/// The standard deviation of [`bell`].
pub(crate) const BELL: i64 = 37_837;

/// A number for these words, which looks random.
pub(crate) fn mix(seed: u64, words: &[u64]) -> u64 {
    words.iter().fold(scrambled(seed), |hash, word| scrambled(hash ^ scrambled(*word)))
}

/// The number of a text, for [`mix`].
pub(crate) fn of_text(text: &str) -> u64 {
    text.bytes()
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// A finalizer that spreads every bit of the word over all bits.
fn scrambled(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

/// A bell-shaped number around zero, from a number of [`mix`]: the sum of its four quarters.
pub(crate) fn bell(hash: u64) -> i64 {
    let sum: i64 = [hash, hash >> 16, hash >> 32, hash >> 48].into_iter().map(|part| low(part, 0xFFFF)).sum();
    sum - 2 * 0xFFFF
}

/// A number from 0 to below `count`, from a number of [`mix`].
pub(crate) fn below(hash: u64, count: u64) -> u64 {
    let scaled = (u128::from(hash) * u128::from(count)) >> 64;
    u64::try_from(scaled).unwrap_or_default()
}

fn low(word: u64, mask: u64) -> i64 {
    i64::try_from(word & mask).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread() {
        let draws: Vec<u64> = (0..100_000).map(|draw| mix(7, &[1, draw])).collect();
        let bells = draws.iter().map(|draw| i128::from(bell(*draw)));
        let (sum, squares) =
            bells.fold((0_i128, 0_i128), |(sum, squares), bell| (sum + bell, squares + bell * bell));
        assert!((sum / 100_000).abs() < 500, "{sum}");
        let deviation = (squares / 100_000).isqrt();
        assert!((deviation - i128::from(BELL)).abs() < 400, "{deviation}");
        for part in 0..10 {
            let count = draws.iter().filter(|draw| below(**draw, 10) == part).count();
            assert!((9_500..10_500).contains(&count), "{part}: {count}");
        }
    }
}
