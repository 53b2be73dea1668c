//! The reference data a new directory begins with: currencies and symbols, from two tables in `data/`.

use crate::trouble::Trouble;
use buttonwood_model::{Currency, CurrencyId, CurrencyKind, Product, Symbol, SymbolStatus};
use buttonwood_num::{Decimal, Grid, Money, Price};

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
        assert_eq!(reference.symbols.iter().filter(|listed| listed.start.is_some()).count(), 10);
    }
}
