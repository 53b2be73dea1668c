//! The symbols that calls are mostly about, with prices and amounts on their grids.

use crate::rng::Rng;

/// A symbol.
#[derive(Debug)]
pub(crate) struct Market {
    pub(crate) symbol: &'static str,
    /// Its price at the index, in units of `price_decimals`.
    price: u64,
    price_decimals: u32,
    /// Prices are multiples of this many units.
    step: u64,
    /// A usual amount, in units of `amount_decimals`.
    amount: u64,
    amount_decimals: u32,
}

const fn market(symbol: &'static str, price: [u64; 3], amount: [u64; 2]) -> Market {
    let [price, price_decimals, step] = price;
    let [amount, amount_decimals] = amount;
    // Decimals are at most eight.
    #[expect(clippy::cast_possible_truncation, clippy::as_conversions, reason = "a constant below nine")]
    let [price_decimals, amount_decimals] = [price_decimals as u32, amount_decimals as u32];
    Market { symbol, price, price_decimals, step, amount, amount_decimals }
}

/// Spot markets: price, its decimals and its step, then a usual amount and its decimals.
pub(crate) const SPOT: [Market; 7] = [
    market("btcusd", [5_000_000, 2, 1], [500_000, 8]),
    market("ethusd", [250_000, 2, 1], [200_000, 6]),
    market("ethbtc", [5_000, 5, 1], [200_000, 6]),
    market("btcgusd", [5_000_000, 2, 1], [500_000, 8]),
    market("linkusd", [1_500_000, 5, 1], [10_000_000, 6]),
    market("gusdusd", [10_000, 4, 1], [200_000_000, 6]),
    market("usdcusd", [100_000, 5, 1], [200_000_000, 6]),
];

/// Perpetuals.
pub(crate) const PERPETUALS: [Market; 3] = [
    market("btcgusdperp", [500_000, 1, 5], [2_000, 4]),
    market("ethgusdperp", [250_000, 2, 5], [4_000, 3]),
    market("solgusdperp", [150_000, 3, 5], [500, 1]),
];

impl Market {
    /// A price near the index, on the grid: mostly within 2 %, at times far away.
    pub(crate) fn near(&self, rng: &mut Rng) -> String {
        let permille = match rng.below(10) {
            0..=5 => rng.within(985, 1_015),
            6..=8 => rng.within(900, 1_100),
            _ => rng.within(10, 5_000),
        };
        self.at(permille)
    }

    /// A price at which an order of this side rests, within 2 % of the index.
    pub(crate) fn beside(&self, rng: &mut Rng, side: &str) -> String {
        let away = rng.within(1, 20);
        self.at(if side == "buy" { 1_000 - away } else { 1_000 + away })
    }

    /// So many thousandths of the price at the index.
    fn at(&self, permille: u64) -> String {
        let units = self.price * permille / 1_000 / self.step * self.step;
        decimal(units.max(self.step), self.price_decimals)
    }

    /// An amount on the grid, from a hundredth of the usual one to ten times it.
    pub(crate) fn some(&self, rng: &mut Rng) -> String {
        let percent = rng.pick(&[1, 10, 50, 100, 100, 200, 1_000]).copied().unwrap_or(100);
        decimal((self.amount * percent / 100).max(1), self.amount_decimals)
    }
}

/// Units as a decimal text.
fn decimal(units: u64, decimals: u32) -> String {
    let width = usize::try_from(decimals).unwrap_or(0);
    let digits = format!("{units:0>least$}", least = width + 1);
    let (whole, fraction) = digits.split_at(digits.len() - width);
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_lie_on_the_grid() {
        assert_eq!((decimal(5, 2), decimal(500, 0)), ("0.05".to_owned(), "500".to_owned()));
        let mut rng = Rng::new(3);
        for _ in 0..200 {
            let price = PERPETUALS[0].near(&mut rng);
            assert!(price.ends_with(".0") || price.ends_with(".5"), "{price}");
        }
    }
}
