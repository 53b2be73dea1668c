//! The block of symbol and currency precisions that clients read out of the front page (D-34): ccxt cannot place an
//! order without it.

use buttonwood_engine::State;
use buttonwood_model::{Currency, CurrencyKind, SymbolStatus};
use buttonwood_num::{Grid, Qty};
use serde_json::{Value, json};

/// The content of the block, copied while the views are locked.
#[derive(Debug)]
pub(crate) struct Listing {
    pairs: Vec<Pair>,
    currencies: Vec<Currency>,
}

#[derive(Debug)]
struct Pair {
    name: String,
    grid: Grid,
    qty_min: Qty,
}

impl Listing {
    /// The symbols that are not closed, and all currencies.
    pub(crate) fn of(state: &State) -> Self {
        let open = state.symbols().iter().filter(|symbol| symbol.status != SymbolStatus::Closed);
        let pair = open.map(|symbol| Pair {
            name: symbol.name.clone(),
            grid: symbol.grid.clone(),
            qty_min: symbol.qty_min,
        });
        Self { pairs: pair.collect(), currencies: state.currencies().to_vec() }
    }
}

/// `tradingPairs`: symbol, price decimals, quantity decimals, minimum, rounding decimals, open. `currencies`: code,
/// name, number, decimals, place holder, decimals, place holder, fiat, place holder, network.
pub(crate) fn block(listing: &Listing) -> Value {
    let pairs: Vec<Value> = listing
        .pairs
        .iter()
        .map(|pair| {
            let mut least = Vec::new();
            pair.grid.push_qty(&mut least, pair.qty_min);
            json!([
                pair.name.to_ascii_uppercase(),
                pair.grid.tick_decimals(),
                pair.grid.lot_decimals(),
                String::from_utf8_lossy(&least),
                pair.grid.tick_decimals() + pair.grid.lot_decimals(),
                true,
            ])
        })
        .collect();
    let currencies: Vec<Value> = listing
        .currencies
        .iter()
        .enumerate()
        .map(|(number, currency)| {
            let fiat = (currency.kind == CurrencyKind::Fiat).then_some(true);
            json!([
                currency.code,
                currency.name,
                number,
                currency.decimals,
                0,
                currency.decimals,
                8,
                fiat,
                null_text(),
                currency.networks.first(),
            ])
        })
        .collect();
    json!({ "tradingPairs": pairs, "currencies": currencies, "networks": [] })
}

const fn null_text() -> Option<&'static str> {
    None
}
