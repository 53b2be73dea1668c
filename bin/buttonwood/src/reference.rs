//! The reference data a new directory begins with: currencies and symbols, from two tables in `data/`.

use crate::trouble::Trouble;
use buttonwood_model::{Currency, CurrencyId, CurrencyKind, Product, Symbol, SymbolStatus};
use buttonwood_num::{Decimal, Grid, Money, Price, Round};

const CURRENCIES: &str = include_str!("../data/currencies.csv");
const SYMBOLS: &str = include_str!("../data/symbols.csv");

/// A currency, and a sandbox account's start balance in it.
pub(crate) struct ListedCurrency {
    pub(crate) currency: Currency,
    pub(crate) start: Money,
}

/// A symbol, and where its simulated trading starts, if it has any.
pub(crate) struct ListedSymbol {
    pub(crate) symbol: Symbol,
    pub(crate) start: Option<Price>,
}

/// Both tables.
pub(crate) struct Reference {
    pub(crate) currencies: Vec<ListedCurrency>,
    pub(crate) symbols: Vec<ListedSymbol>,
}

impl Reference {
    /// Reads the tables built into the binary.
    pub(crate) fn load() -> Result<Self, Trouble> {
        let currencies = CURRENCIES.lines().skip(1).map(currency).collect::<Result<Vec<_>, _>>()?;
        let symbols =
            SYMBOLS.lines().skip(1).map(|line| symbol(line, &currencies)).collect::<Result<_, _>>()?;
        Ok(Self { currencies, symbols })
    }
}

impl Reference {
    /// The start price of a currency in dollars, by currency, as far as the symbols' start prices connect it with the dollar.
    pub(crate) fn dollar_prices(&self) -> Vec<Option<Money>> {
        let is_dollar = |listed: &ListedCurrency| (listed.currency.code == "USD").then_some(Money::ONE);
        let mut prices: Vec<Option<Money>> = self.currencies.iter().map(is_dollar).collect();
        let of = |prices: &[Option<Money>], id: CurrencyId| prices.get(id.index()).copied().flatten();
        // A symbol may connect a currency that an earlier one needs, so all are read again after each pass that found one.
        loop {
            let before = prices.iter().flatten().count();
            for ListedSymbol { symbol, start } in &self.symbols {
                let Some(start) = start else { continue };
                let start = symbol.grid.value(Money::ONE, *start);
                let (id, price) = match (of(&prices, symbol.base), of(&prices, symbol.quote)) {
                    (None, Some(quote)) => (symbol.base, quote.times(start, Round::HalfEven)),
                    (Some(base), None) => (symbol.quote, base.over(start, Round::HalfEven)),
                    _ => continue,
                };
                if let Some(place) = prices.get_mut(id.index()) {
                    *place = price;
                }
            }
            if prices.iter().flatten().count() == before {
                return prices;
            }
        }
    }
}

fn bad(line: &str, what: &str) -> Trouble {
    Trouble::Reference(format!("{what} in '{line}'"))
}

fn list(field: &str) -> Vec<String> {
    field.split(';').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn currency(line: &str) -> Result<ListedCurrency, Trouble> {
    let fields: Vec<&str> = line.split(',').collect();
    let [code, name, decimals, kind, networks, start] = *fields else {
        return Err(bad(line, "6 fields expected"));
    };
    let kind = match kind {
        "fiat" => CurrencyKind::Fiat,
        "crypto" => CurrencyKind::Crypto,
        _ => return Err(bad(line, "fiat or crypto expected")),
    };
    let start =
        decimal(start).and_then(Money::from_decimal).ok_or_else(|| bad(line, "an amount expected"))?;
    let decimals = decimals.parse().map_err(|_| bad(line, "decimals expected"))?;
    let currency =
        Currency { code: code.to_owned(), name: name.to_owned(), decimals, kind, networks: list(networks) };
    Ok(ListedCurrency { currency, start })
}

fn symbol(line: &str, currencies: &[ListedCurrency]) -> Result<ListedSymbol, Trouble> {
    let fields: Vec<&str> = line.split(',').collect();
    let [name, base, quote, least, lot, tick, product, status, wrap, closed_to, start] = *fields else {
        return Err(bad(line, "11 fields expected"));
    };
    let id_of = |code: &str| {
        let place = currencies.iter().position(|listed| listed.currency.code == code);
        place.map(CurrencyId::from_index).ok_or_else(|| bad(line, "an unknown currency"))
    };
    let increments = decimal(tick).zip(decimal(lot)).and_then(|(tick, lot)| Grid::new(tick, lot).ok());
    let grid = increments.ok_or_else(|| bad(line, "increments that cannot be served"))?;
    let qty_min =
        decimal(least).and_then(|least| grid.qty(least)).ok_or_else(|| bad(line, "a minimum off the lot"))?;
    let start = match start {
        "" => None,
        text => Some(
            decimal(text)
                .and_then(|price| grid.price(price))
                .ok_or_else(|| bad(line, "a price off the tick"))?,
        ),
    };
    let status = SymbolStatus::ALL.into_iter().find(|known| known.name() == status);
    let symbol = Symbol {
        name: name.to_owned(),
        base: id_of(base)?,
        quote: id_of(quote)?,
        qty_min,
        product: if product == "swap" { Product::Swap } else { Product::Spot },
        status: status.ok_or_else(|| bad(line, "an unknown status"))?,
        wrap_enabled: wrap == "true",
        closed_to: list(closed_to),
        grid,
    };
    Ok(ListedSymbol { symbol, start })
}

fn decimal(text: &str) -> Option<Decimal> {
    Decimal::parse(text.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves SYM-002, SYM-003.
    #[test]
    fn the_tables_read_and_list_what_the_specification_lists() {
        let reference = Reference::load().unwrap_or_else(|trouble| panic!("{trouble}"));
        let has = |name: &str| reference.symbols.iter().any(|listed| listed.symbol.name == name);
        for name in ["efilfil", "gusdusd", "zecusd", "zbcusd", "usdtgusd", "solbtc", "soleth", "hypegusdperp"]
        {
            assert!(has(name), "{name}");
        }
        let bases = "avax bch bnb bome bonk btc doge dot eth floki goat hype inj link ltc mew moodeng op pepe pnut \
                     pol popcat pyth shib sol trump uni wif xrp";
        for base in bases.split_whitespace() {
            assert!(has(&format!("{base}gusdperp")), "{base}");
        }
        let is_spot = |listed: &&ListedSymbol| listed.symbol.product == Product::Spot;
        let prices = reference.dollar_prices();
        for ListedSymbol { symbol, .. } in reference.symbols.iter().filter(is_spot) {
            for currency in [symbol.base, symbol.quote] {
                assert!(prices[currency.index()].is_some(), "{}: no start price", symbol.name);
            }
        }
    }
}
