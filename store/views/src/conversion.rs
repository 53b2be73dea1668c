//! The conversion of amounts at last prices (BAL-013).

use crate::Views;
use buttonwood_model::{CurrencyId, Product, Symbol, SymbolId};
use buttonwood_num::{Money, Price, Ratio};

/// The conversion of one currency to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion(Option<[Ratio; 2]>);

impl Conversion {
    /// Converts with one rounding, towards zero at 10⁻¹⁹: `None` without a price. An amount beyond the range of money is cut to
    /// the largest one.
    pub fn of(self, amount: Money) -> Option<Money> {
        let [first, second] = self.0?;
        let converted = match first.then(second) {
            Some(ratio) => amount.converted(ratio),
            // Prices of more digits than any real one: each step rounds by itself.
            None => amount.converted(first).and_then(|dollars| dollars.converted(second)),
        };
        Some(converted.unwrap_or(Money::MAX))
    }
}

impl Views {
    /// How `from` is converted to `to`: at the last price of the pair in either direction; else through dollars; else not.
    pub fn conversion(&self, from: CurrencyId, to: CurrencyId) -> Conversion {
        let dollars = self.state().currencies().iter().position(|currency| currency.code == "USD");
        let market = Market { symbols: self.state().symbols(), last: |symbol| self.tape().last(symbol) };
        market.conversion(from, to, dollars.map(CurrencyId::from_index))
    }
}

/// Symbols and their last prices.
struct Market<'a, F> {
    symbols: &'a [Symbol],
    last: F,
}

impl<F: Fn(SymbolId) -> Option<Price>> Market<'_, F> {
    fn conversion(&self, from: CurrencyId, to: CurrencyId, dollars: Option<CurrencyId>) -> Conversion {
        let one = Ratio::ONE;
        let direct = self.direct(from, to).map(|ratio| [ratio, one]);
        Conversion(direct.or_else(|| Some([self.direct(from, dollars?)?, self.direct(dollars?, to)?])))
    }

    /// The last price of the first spot symbol of these two currencies that has traded.
    fn direct(&self, from: CurrencyId, to: CurrencyId) -> Option<Ratio> {
        if from == to {
            return Some(Ratio::ONE);
        }
        self.symbols.iter().enumerate().find_map(|(at, symbol)| {
            let is_back = (symbol.base, symbol.quote) == (to, from);
            let is_pair = is_back || (symbol.base, symbol.quote) == (from, to);
            if !is_pair || symbol.product != Product::Spot {
                return None;
            }
            let price = symbol.grid.conversion((self.last)(SymbolId::from_index(at))?)?;
            Some(if is_back { price.inverse() } else { price })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_model::SymbolStatus;
    use buttonwood_num::{Decimal, Grid, Qty};

    const USD: CurrencyId = CurrencyId(0);
    const BTC: CurrencyId = CurrencyId(1);
    const LTC: CurrencyId = CurrencyId(2);
    const EUR: CurrencyId = CurrencyId(3);

    fn symbol(base: CurrencyId, quote: CurrencyId, product: Product) -> Symbol {
        let [tick, lot] = ["0.01", "0.0001"].map(|text| Decimal::parse(text.as_bytes()).unwrap());
        Symbol {
            name: String::new(),
            base,
            quote,
            grid: Grid::new(tick, lot).unwrap(),
            qty_min: Qty::ZERO,
            product,
            status: SymbolStatus::Open,
            wrap_enabled: false,
            closed_to: Vec::new(),
        }
    }

    /// The value of 300 units of one currency in another, with the last price of each symbol in hundredths.
    fn converted(symbols: &[(Symbol, u64)], from: CurrencyId, to: CurrencyId) -> Option<i128> {
        let prices: Vec<u64> = symbols.iter().map(|(_, price)| *price).collect();
        let symbols: Vec<Symbol> = symbols.iter().map(|(symbol, _)| symbol.clone()).collect();
        let last =
            |id: SymbolId| Some(Price::from_ticks(prices[id.index()])).filter(|price| price.ticks() > 0);
        let conversion = Market { symbols: &symbols, last }.conversion(from, to, Some(USD));
        conversion.of(Money::from_units(300)).map(Money::units)
    }

    /// Proves BAL-013.
    #[test]
    fn the_direct_pair_comes_before_dollars() {
        let spot = |base, quote| symbol(base, quote, Product::Spot);
        let market = |direct| [(spot(BTC, USD), 200), (spot(LTC, USD), 50), (spot(LTC, BTC), direct)];
        assert_eq!(converted(&market(10), LTC, BTC), Some(30), "at 0.1, not at 0.5 / 2");
        assert_eq!(converted(&market(10), BTC, LTC), Some(3_000));
        assert_eq!(converted(&market(0), LTC, BTC), Some(75), "a pair that never traded counts as none");
        assert_eq!(converted(&market(0), BTC, LTC), Some(1_200));
        assert_eq!(converted(&market(0), USD, BTC), Some(150));
        assert_eq!(converted(&market(0), BTC, USD), Some(600));
        assert_eq!(converted(&market(0), EUR, EUR), Some(300));
        for (from, to) in [(EUR, BTC), (BTC, EUR), (EUR, USD), (USD, EUR)] {
            assert_eq!(converted(&market(0), from, to), None);
        }
        assert_eq!(
            converted(&[(symbol(BTC, USD, Product::Swap), 200)], BTC, USD),
            None,
            "a perpetual is no pair"
        );
    }

    /// Two prices are one quotient, which is rounded once: 0.33 units of dollars are not lost on the way.
    #[test]
    fn only_the_result_is_rounded() {
        let spot = |base, quote, price| (symbol(base, quote, Product::Spot), price);
        let market = [spot(LTC, USD, 7), spot(BTC, USD, 3)];
        assert_eq!(converted(&market, LTC, BTC), Some(700));
        let market = [spot(LTC, USD, 1), spot(BTC, USD, 7)];
        assert_eq!(converted(&market, LTC, BTC), Some(42), "300 / 7");
        // Prices of more digits than fit a quotient are applied one after the other.
        let market = [spot(LTC, USD, u64::MAX), spot(BTC, USD, u64::MAX - 1)];
        assert_eq!(converted(&market, LTC, BTC), Some(300));
        // A little below 3: 300 is 899, and that is 2,696.
        let ratio = Ratio::new(u128::MAX, u128::MAX / 3 + 1).unwrap();
        assert_eq!(
            Conversion(Some([ratio, ratio])).of(Money::from_units(300)),
            Some(Money::from_units(2_696))
        );
        assert_eq!(Conversion(Some([ratio, Ratio::ONE])).of(Money::MAX), Some(Money::MAX));
    }
}
