//! Public market data in JSON: books, trades, auctions, the details of a symbol.

use crate::json::{self, Json};
use crate::names::Names;
use crate::order::side_name;
use buttonwood_model::{Product, SymbolId, SymbolStatus};
use buttonwood_num::{Grid, Price, Qty, push_fixed};
use buttonwood_views::AuctionResult;
use buttonwood_views::history::PublicTrade;

/// Writes a price, or `null` where there is none (MKT-006).
pub fn price(json: &mut Json, grid: &Grid, name: &str, price: Option<Price>) {
    match price {
        Some(price) => json.decimal(name, |out| grid.push_price(out, price)),
        None => json.null(name),
    }
}

/// A book as a whole body: its levels, best first, and the second that each level carries (MKT-011).
pub fn book(grid: &Grid, bids: &[(Price, Qty)], asks: &[(Price, Qty)], seconds: u64) -> Vec<u8> {
    json::object(96 * (bids.len() + asks.len()) + 32, |json| {
        json.array_field("bids", bids, |json, level| book_level(json, grid, *level, seconds));
        json.array_field("asks", asks, |json, level| book_level(json, grid, *level, seconds));
    })
}

fn book_level(json: &mut Json, grid: &Grid, (price, qty): (Price, Qty), seconds: u64) {
    json.object(|json| {
        json.decimal("price", |out| grid.push_price(out, price));
        json.decimal("amount", |out| grid.push_qty(out, qty));
        json.number_text("timestamp", seconds);
    });
}

/// Writes the fields of a public trade (MKT-016).
pub fn public_trade(json: &mut Json, names: &Names, grid: &Grid, row: &PublicTrade) {
    json.number("timestamp", row.time.seconds());
    json.number("timestampms", row.time.millis());
    json.number("tid", row.trade.0);
    json.decimal("price", |out| grid.push_price(out, row.price));
    json.decimal("amount", |out| grid.push_qty(out, row.qty));
    json.plain("exchange", names.service());
    json.plain("type", row.taker.map_or("auction", side_name));
}

/// Writes the details of a symbol (SYM-015 to SYM-022).
pub fn symbol_details(json: &mut Json, names: &Names, id: SymbolId, status: SymbolStatus) {
    let symbol = names.symbol(id);
    let (base, quote) = (&names.currency(symbol.base).code, &names.currency(symbol.quote).code);
    let (product, contract) = match symbol.product {
        Product::Spot => ("spot", "vanilla"),
        Product::Swap => ("swap", "linear"),
    };
    json.plain("symbol", &symbol.name.to_ascii_uppercase());
    json.plain("base_currency", base);
    json.plain("quote_currency", quote);
    json.decimal("tick_size", |out| symbol.grid.push_lot(out));
    json.decimal("quote_increment", |out| symbol.grid.push_tick(out));
    json.decimal("min_order_size", |out| symbol.grid.push_qty(out, symbol.qty_min));
    json.plain("status", status.name());
    json.flag("wrap_enabled", symbol.wrap_enabled);
    json.plain("product_type", product);
    json.plain("contract_type", contract);
    // Linear perpetuals settle in the currency they are quoted in.
    json.plain("contract_price_currency", quote);
}

/// The names of an auction's result: price, quantity, best bid, best ask, collar.
pub type AuctionNames = [&'static str; 5];

/// Writes the result of an auction, or of an indication, under these names; a value that is absent is 0.
pub fn auction_result(json: &mut Json, grid: &Grid, result: &AuctionResult, names: &AuctionNames) {
    let [price, qty, bid, ask, collar] = *names;
    let finding = &result.finding;
    price_or_zero(json, grid, price, finding.price);
    json.decimal(qty, |out| grid.push_qty(out, finding.qty));
    price_or_zero(json, grid, bid, finding.bid);
    price_or_zero(json, grid, ask, finding.ask);
    json.decimal(collar, |out| match finding.collar {
        Some(collar) => grid.push_half_ticks(out, collar.half_ticks()),
        None => out.push(b'0'),
    });
}

fn price_or_zero(json: &mut Json, grid: &Grid, name: &str, price: Option<Price>) {
    json.decimal(name, |out| match price {
        Some(price) => grid.push_price(out, price),
        None => out.push(b'0'),
    });
}

/// Appends hundredths of a percent as percent with two decimals.
pub fn push_percent(out: &mut Vec<u8>, hundredths: i128) {
    if hundredths < 0 {
        out.push(b'-');
    }
    push_fixed(out, hundredths.unsigned_abs(), 2);
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_views::Move;

    /// Proves MKT-026.
    #[test]
    fn change_is_percent_with_two_decimals() {
        let shown = |open, last| {
            let (open, last) = (Price::from_ticks(open), Price::from_ticks(last));
            let mut out = Vec::new();
            push_percent(&mut out, Move { open, last }.change());
            String::from_utf8(out).unwrap()
        };
        assert_eq!(shown(10_000, 10_523), "5.23");
        assert_eq!(shown(10_000, 9_950), "-0.50");
        assert_eq!(shown(10_000_000, 9_999_999), "0.00");
        assert_eq!(shown(100, 100), "0.00");
        assert_eq!(shown(1, u64::MAX), "1844674407370955161400.00");
    }
}
