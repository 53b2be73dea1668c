//! Exact decimals as text, and back.

/// The text that `push` writes.
pub(crate) fn text(push: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    push(&mut out);
    String::from_utf8(out).expect("decimals are ASCII")
}

/// How many times `text` holds `one`, both decimals of any length; `None` if it is no whole number of times.
pub(crate) fn multiple(text: &str, one: &str) -> Option<u128> {
    let decimals = decimals(text).max(decimals(one));
    let (whole, one) = (units(text, decimals)?, units(one, decimals)?);
    (one > 0 && whole.is_multiple_of(one)).then(|| whole / one)
}

fn decimals(text: &str) -> usize {
    text.split_once('.').map_or(0, |(_, fraction)| fraction.len())
}

/// A decimal in units of 10^-`decimals`.
fn units(text: &str, decimals: usize) -> Option<u128> {
    let (integer, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{integer}{fraction:0<decimals$}");
    let is_decimal = !integer.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_num::{Decimal, Grid, MONEY_DECIMALS, Money, Price, Qty};
    use proptest::prelude::*;

    #[test]
    fn strange_texts_are_refused() {
        for strange in ["", "-1", "1.", "+1", "1e3", "one", "1.5.5", "0.005"] {
            let parsed = multiple(strange, "0.01");
            assert_eq!(parsed, (strange == "1.").then_some(100), "{strange}");
        }
        assert_eq!(multiple("1", "0"), None);
    }

    proptest! {
        /// Every amount comes back from its text.
        #[test]
        fn amounts_come_back(ticks in 0_u64..1 << 60, hundredths in 0_u128..1 << 80, units in 0_i128..i128::MAX) {
            let decimal = |text: &str| Decimal::parse(text.as_bytes()).unwrap();
            for (tick, lot) in [("0.01", "0.00000001"), ("5", "1"), ("0.0005", "0.002"), ("0.00001", "0.000001")] {
                let grid = Grid::new(decimal(tick), decimal(lot)).unwrap();
                let price = |ticks| text(|out| grid.push_price(out, Price::from_ticks(ticks)));
                let qty = |hundredths| text(|out| grid.push_qty(out, Qty::from_hundredths(hundredths)));
                prop_assert_eq!(multiple(&price(ticks), &price(1)), Some(u128::from(ticks)));
                prop_assert_eq!(multiple(&qty(hundredths), &qty(1)), Some(hundredths));
            }
            let money = |units| text(|out| Money::from_units(units).push_floored(out, MONEY_DECIMALS));
            prop_assert_eq!(multiple(&money(units), &money(1)), u128::try_from(units).ok());
        }
    }
}
