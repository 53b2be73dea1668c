//! Public market data in JSON: books, trades, auctions, the details of a symbol.

use crate::contract::{DecimalText, Nullable};
use crate::json::{self, Json};
use crate::names::Names;
use crate::order::side_name;
use crate::{answer, words};
use buttonwood_model::{Product, SymbolId, SymbolStatus};
use buttonwood_num::{Grid, Price, Qty, push_fixed};
use buttonwood_views::history::PublicTrade;
use buttonwood_views::{AuctionResult, FRAMES};

/// The names of the time frames, in the order of [`FRAMES`]; the second is that of clients (facts T§2.7).
pub const FRAME_NAMES: [[&str; 2]; FRAMES.len()] = [
    ["1m", "1m"],
    ["5m", "5m"],
    ["15m", "15m"],
    ["30m", "30m"],
    ["1h", "1hr"],
    ["6h", "6hr"],
    ["1day", "1d"],
];

/// A price, or `null` where there is none (MKT-006).
pub fn price(grid: &Grid, price: Option<Price>) -> Nullable<DecimalText> {
    Nullable(price.map(|price| DecimalText::of(|out| grid.push_price(out, price))))
}

/// A book as a whole body: its levels, best first, and the second that each level carries (MKT-011).
pub fn book(grid: &Grid, bids: &[(Price, Qty)], asks: &[(Price, Qty)], seconds: u64) -> Vec<u8> {
    json::object(LEVEL_BYTES * (bids.len() + asks.len()) + 32, |json| {
        json.array_field("bids", bids, |json, level| book_level(json, grid, *level, seconds));
        json.array_field("asks", asks, |json, level| book_level(json, grid, *level, seconds));
    })
}

/// Bytes of a level, about.
const LEVEL_BYTES: usize = 96;

/// As [`book`], for very many levels: other tasks of the thread run in between.
pub async fn long_book(grid: &Grid, bids: &[(Price, Qty)], asks: &[(Price, Qty)], seconds: u64) -> Vec<u8> {
    let write = |json: &mut Json, level: &(Price, Qty)| book_level(json, grid, *level, seconds);
    let bids = json::elements(bids, LEVEL_BYTES, write).await;
    let asks = json::elements(asks, LEVEL_BYTES, write).await;
    json::object(bids.len() + asks.len() + 32, |json| {
        json.elements_field("bids", &bids);
        json.elements_field("asks", &asks);
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

words! {
    /// Which orders a symbol takes.
    pub struct StatusName: "open", "closed", "cancel_only", "post_only", "limit_only"
}

words! {
    /// The kind of product that trades under a symbol.
    pub struct ProductName: "spot", "swap"
}

words! {
    /// How its contracts settle.
    pub struct ContractName: "vanilla", "linear"
}

answer! {
    /// The details of a symbol.
    pub struct SymbolDetails {
        /// The symbol, in upper case.
        pub symbol: String,
        /// The currency that is bought and sold.
        pub base_currency: String,
        /// The currency of the price.
        pub quote_currency: String,
        /// The increment of quantities.
        pub tick_size: DecimalText,
        /// The increment of prices.
        pub quote_increment: DecimalText,
        /// The least quantity of an order.
        pub min_order_size: DecimalText,
        /// Which orders it takes.
        pub status: StatusName,
        /// Whether it can be wrapped.
        pub wrap_enabled: bool,
        /// The kind of product.
        pub product_type: ProductName,
        /// How its contracts settle.
        pub contract_type: ContractName,
        /// The currency in which its contracts settle.
        pub contract_price_currency: String,
    }
}

/// The details of a symbol (SYM-015 to SYM-022).
pub fn symbol_details(names: &Names, id: SymbolId, status: SymbolStatus) -> SymbolDetails {
    let symbol = names.symbol(id);
    let (base, quote) = (&names.currency(symbol.base).code, &names.currency(symbol.quote).code);
    let (product, contract) = match symbol.product {
        Product::Spot => ("spot", "vanilla"),
        Product::Swap => ("swap", "linear"),
        Product::Contract => ("contract", "binary"),
    };
    SymbolDetails {
        symbol: symbol.name.to_ascii_uppercase(),
        base_currency: base.clone(),
        quote_currency: quote.clone(),
        tick_size: DecimalText::of(|out| symbol.grid.push_lot(out)),
        quote_increment: DecimalText::of(|out| symbol.grid.push_tick(out)),
        min_order_size: DecimalText::of(|out| symbol.grid.push_qty(out, symbol.qty_min)),
        status: StatusName(status.name()),
        wrap_enabled: symbol.wrap_enabled,
        product_type: ProductName(product),
        contract_type: ContractName(contract),
        // Linear perpetuals settle in the currency they are quoted in.
        contract_price_currency: quote.clone(),
    }
}

/// The figures of an auction or an indication as text; an absent value is 0.
#[derive(Clone, Debug)]
pub struct AuctionFigures {
    /// The price that the auction found.
    pub price: DecimalText,
    /// The quantity that traded at it.
    pub qty: DecimalText,
    /// The best bid.
    pub bid: DecimalText,
    /// The best ask.
    pub ask: DecimalText,
    /// The collar's price.
    pub collar: DecimalText,
}

/// The figures of an auction's result.
pub fn auction_figures(grid: &Grid, result: &AuctionResult) -> AuctionFigures {
    let finding = &result.finding;
    let price = |price: Option<Price>| {
        price.map_or_else(DecimalText::zero, |price| DecimalText::of(|out| grid.push_price(out, price)))
    };
    AuctionFigures {
        price: price(finding.price),
        qty: DecimalText::of(|out| grid.push_qty(out, finding.qty)),
        bid: price(finding.bid),
        ask: price(finding.ask),
        collar: finding.collar.map_or_else(DecimalText::zero, |collar| {
            DecimalText::of(|out| grid.push_half_ticks(out, collar.half_ticks()))
        }),
    }
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
    use buttonwood_num::Decimal;
    use buttonwood_views::Move;

    /// A long book is written as a short one, with levels on both sides, on one and on none.
    #[test]
    fn a_long_book_has_the_same_text() {
        let decimal = |text: &str| Decimal::parse(text.as_bytes()).unwrap();
        let grid = Grid::new(decimal("0.01"), decimal("0.001")).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let levels = |count: u64| -> Vec<(Price, Qty)> {
            (1..=count)
                .map(|at| (Price::from_ticks(at), Qty::from_hundredths(u128::from(at) * 700)))
                .collect()
        };
        for (bids, asks) in [(0, 0), (1, 0), (0, 3), (600, 1_700)] {
            let (bids, asks) = (levels(bids), levels(asks));
            let short = book(&grid, &bids, &asks, 7);
            assert_eq!(runtime.block_on(long_book(&grid, &bids, &asks, 7)), short);
            let text = String::from_utf8(short).unwrap();
            assert_eq!(text.matches("\"timestamp\":\"7\"").count(), bids.len() + asks.len());
        }
    }

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
