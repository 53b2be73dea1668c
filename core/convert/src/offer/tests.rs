//! Offers, computed by hand.

use super::*;
use alloc::vec;
use buttonwood_num::Decimal;

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).unwrap()
}

fn money(text: &str) -> Money {
    Money::from_decimal(decimal(text)).unwrap()
}

/// Prices in cents, quantities in 10⁻⁸.
fn grid() -> Grid {
    Grid::new(decimal("0.01"), decimal("0.00000001")).unwrap()
}

/// An offer with these levels of price and quantity, best first.
fn offer<'a>(grid: &'a Grid, side: Side, levels: &[(&str, &str)], reference: &str) -> Offer<'a> {
    let (mut depth, mut notional, mut all) = (Qty::ZERO, Money::ZERO, vec![]);
    for (price, qty) in levels {
        let (price, qty) = (grid.price(decimal(price)).unwrap(), grid.qty(decimal(qty)).unwrap());
        depth += qty;
        notional = notional.checked_add(grid.notional(price, qty).unwrap()).unwrap();
        all.push(Level { price, depth, notional });
    }
    Offer { grid, side, levels: all, reference: money(reference) }
}

fn qty(grid: &Grid, text: &str) -> Qty {
    grid.qty(decimal(text)).unwrap()
}

fn price(grid: &Grid, text: &str) -> Price {
    grid.price(decimal(text)).unwrap()
}

/// A sale brings the lower of average and reference.
#[test]
fn a_sale_brings_the_lower() {
    let grid = grid();
    let levels = [("100.00", "1"), ("99.00", "1")];
    let sold =
        |reference, amount| offer(&grid, Side::Sell, &levels, reference).price_to_sell(qty(&grid, amount));
    // The average of both levels, then less of the second.
    assert_eq!(sold("101", "2"), Some(price(&grid, "99.50")));
    assert_eq!(sold("101", "1"), Some(price(&grid, "100.00")));
    assert_eq!(sold("99.257", "2"), Some(price(&grid, "99.25")));
    // The average is 1.5 : three quarters and more, cut to the tick.
    assert_eq!(sold("101", "1.5"), Some(price(&grid, "99.66")));
    assert_eq!(sold("101", "2.00000001"), None, "beyond the book");
    assert_eq!((sold("105", "2"), sold("94", "2")), (None, None), "too far from the reference");
}

/// A buy pays the higher of average and reference, and the whole money with its fee.
#[test]
fn a_buy_pays_the_higher() {
    let grid = grid();
    let levels = [("100.00", "1"), ("102.00", "1")];
    let bought =
        |reference, amount| offer(&grid, Side::Buy, &levels, reference).bought(money(amount), Bps(0));
    assert_eq!(bought("100", "50"), Some((qty(&grid, "0.5"), price(&grid, "100.00"))));
    assert_eq!(bought("101.5", "50.75"), Some((qty(&grid, "0.5"), price(&grid, "101.50"))));
    assert_eq!(bought("101.501", "50.755"), Some((qty(&grid, "0.5"), price(&grid, "101.51"))));
    // Both levels cost 202, so 2 at their average.
    assert_eq!(bought("100", "202"), Some((qty(&grid, "2"), price(&grid, "101.00"))));
    assert_eq!(bought("100", "203"), Some((qty(&grid, "2"), price(&grid, "101.50"))));
    assert_eq!((bought("95", "150"), bought("106", "150")), (None, None), "too far from the reference");
    assert_eq!(bought("100", "500"), None, "beyond the book");
    assert_eq!(offer(&grid, Side::Buy, &[], "100").bought(money("5"), Bps(0)), None);
}

/// For every amount the price is the lowest that pays the average.
#[test]
fn the_price_is_the_lowest_that_pays() {
    let grid = grid();
    let offer = offer(&grid, Side::Buy, &[("10.00", "1"), ("10.07", "2"), ("10.20", "3")], "9.99");
    for cents in 1..600 {
        let spend = money("0.1").mul_div(cents, 1, Round::Down).unwrap();
        let (qty, price) = offer.bought(spend, Bps(25)).unwrap();
        assert!(offer.in_book(qty).unwrap() <= grid.notional(price, qty).unwrap(), "{cents}");
        let lower = Price::from_ticks(price.ticks() - 1);
        let more = grid.qty_for(spend, lower, Bps(25));
        let pays = |paid: Money| offer.in_book(more).is_some_and(|costs| costs <= paid);
        assert!(lower < offer.levels[0].price || !pays(grid.notional(lower, more).unwrap()), "{cents}");
    }
}

/// A quote is void when the price has moved against the house by more than 1 %; what is better for the house does not matter.
#[test]
fn a_quote_holds_within_one_per_cent() {
    let grid = grid();
    let quote = |side| Quote {
        id: crate::QuoteId(1),
        account: buttonwood_model::AccountId(0),
        symbol: SymbolId(0),
        side,
        qty: qty(&grid, "1"),
        price: price(&grid, "100.00"),
        fee: Money::ZERO,
        time: buttonwood_model::Time(0),
    };
    let holds = |side, book, reference| {
        offer(&grid, side, &[(book, "1")], reference).holds(&quote(side), money("100"))
    };
    assert_eq!(holds(Side::Buy, "101.00", "101"), Some(true));
    assert_eq!(
        (holds(Side::Buy, "101.01", "99"), holds(Side::Buy, "99", "101.0001")),
        (Some(false), Some(false))
    );
    assert_eq!((holds(Side::Buy, "90", "91"), holds(Side::Sell, "120", "121")), (Some(true), Some(true)));
    assert_eq!(holds(Side::Sell, "99.00", "99"), Some(true));
    assert_eq!(
        (holds(Side::Sell, "98.99", "102"), holds(Side::Sell, "102", "98.9999")),
        (Some(false), Some(false))
    );
    assert_eq!(holds(Side::Buy, "100", "110"), None, "as a quote would be refused");
}
