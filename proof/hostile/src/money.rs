//! Amounts as the exchange writes them, and what they are worth at the pinned prices.

/// Decimals of a dollar that count: enough for a cent in a thousand calls, and small enough for 10^24 dollars.
const DECIMALS: u32 = 10;

/// A cent.
pub(crate) const CENT: i128 = 10_i128.pow(DECIMALS - 2);

/// A decimal text in units of 10^-19, truncated; `None` if it is no decimal or too large.
pub(crate) fn units(text: &str) -> Option<i128> {
    let (negative, plain) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction: String = fraction.chars().take(19).collect();
    let magnitude: i128 = format!("{whole}{fraction:0<19}").parse().ok()?;
    Some(if negative { -magnitude } else { magnitude })
}

/// The worth of an amount in units of 10^-19 at a price in whole dollars, in units of 10^-10 dollars.
pub(crate) fn worth(units: i128, dollars: u64) -> i128 {
    (units / 10_i128.pow(19 - DECIMALS)).saturating_mul(i128::from(dollars))
}

/// Dollars for people, cut to cents.
pub(crate) fn shown(worth: i128) -> String {
    let cents = worth / CENT;
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_values_decimals() {
        assert_eq!(units("1"), Some(10_i128.pow(19)));
        assert_eq!(units("-0.0000000000000000001"), Some(-1));
        for wrong in ["", "x", "1e3", "-", "999999999999999999999999"] {
            assert_eq!(units(wrong), None, "{wrong}");
        }
        assert_eq!(worth(10_i128.pow(19) / 2, 50_000), 25_000 * 100 * CENT);
        assert_eq!((shown(123_456 * CENT), shown(-5 * CENT)), ("1234.56".to_owned(), "-0.05".to_owned()));
    }
}
