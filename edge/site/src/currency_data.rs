//! The block of symbol and currency precisions that clients read out of the front page (D-34): ccxt cannot place an
//! order without it.

use buttonwood_engine::State;
use buttonwood_model::{CurrencyKind, SymbolStatus};
use serde_json::{Value, json};

/// `tradingPairs`: symbol, price decimals, quantity decimals, minimum, rounding decimals, open. `currencies`: code,
/// name, number, decimals, place holder, decimals, place holder, fiat, place holder, network.
pub(crate) fn block(state: &State) -> Value {
    let pairs: Vec<Value> = state
        .symbols()
        .iter()
        .filter(|symbol| symbol.status != SymbolStatus::Closed)
        .map(|symbol| {
            let mut least = Vec::new();
            symbol.grid.push_qty(&mut least, symbol.qty_min);
            json!([
                symbol.name.to_ascii_uppercase(),
                symbol.grid.tick_decimals(),
                symbol.grid.lot_decimals(),
                String::from_utf8_lossy(&least),
                symbol.grid.tick_decimals() + symbol.grid.lot_decimals(),
                true,
            ])
        })
        .collect();
    let currencies: Vec<Value> = state
        .currencies()
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
