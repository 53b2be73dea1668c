//! Public market data.

pub(crate) mod auction;
pub(crate) mod auction_history;
pub(crate) mod book;
pub(crate) mod details;
pub(crate) mod price_feed;
pub(crate) mod symbols;
pub(crate) mod ticker_v1;
pub(crate) mod ticker_v2;
pub(crate) mod trades;

use crate::app::App;
use crate::call::Asked;
use crate::field;
use crate::json::Json;
use crate::reply::Reply;
use buttonwood_model::SymbolId;
use buttonwood_num::{Grid, Price};

/// The symbol in the path, or 400 `InvalidSymbol` (MKT-007).
fn symbol(app: &App, asked: &Asked) -> Result<SymbolId, Reply> {
    asked.symbol(app).ok_or_else(|| field::unknown_symbol(asked.parameter).into())
}

/// A price, or `null` where there is none (MKT-006).
fn price(json: &mut Json, grid: &Grid, name: &str, price: Option<Price>) {
    match price {
        Some(price) => json.decimal(name, |out| grid.push_price(out, price)),
        None => json.null(name),
    }
}
