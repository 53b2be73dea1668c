//! Tests of the quotes: how they follow a price, and how deep they are.

use super::*;
use buttonwood_model::{CurrencyId, Product, Symbol, SymbolStatus};
use buttonwood_num::{Decimal, Grid, Money};

fn symbol(tick: &str) -> Symbol {
    let decimal = |text: &str| Decimal::parse(text.as_bytes()).unwrap();
    let grid = Grid::new(decimal(tick), decimal("0.00000001")).unwrap();
    Symbol {
        name: "btcusd".to_owned(),
        base: CurrencyId(1),
        quote: CurrencyId(0),
        qty_min: grid.qty(decimal("0.00001")).unwrap(),
        product: Product::Spot,
        status: SymbolStatus::Open,
        wrap_enabled: false,
        closed_to: Vec::new(),
        grid,
    }
}

fn dollars(cents: i128) -> Money {
    Money::from_units(Money::ONE.units() / 100 * cents)
}

fn ladder(symbol: &Symbol, cents: i128) -> Ladder<'_> {
    let fair = dollars(cents);
    Ladder::new(symbol, (fair, fair), 200, 10, 40_000).unwrap()
}

/// A book after these changes.
fn carried_out(ladder: &Ladder<'_>, mut quotes: Quotes, next: &mut u64) -> Quotes {
    let Changes { cancels, places } = changes(ladder, &quotes);
    for side in &mut quotes {
        side.retain(|quote| !cancels.contains(&quote.id));
    }
    for (side, level) in places {
        *next += 1;
        let price = ladder.price(side, level).unwrap();
        let left = ladder.size(level, 500_000).unwrap();
        quotes[side.index()].push(Quote { id: OrderId(*next), price, left });
    }
    quotes[0].sort_by_key(|quote| std::cmp::Reverse(quote.price));
    quotes[1].sort_by_key(|quote| quote.price);
    quotes
}

/// An empty book is filled, and then nothing changes while the price does not.
#[test]
fn a_book_is_filled_once() {
    let symbol = symbol("0.01");
    let ladder = ladder(&symbol, 6_500_000);
    let quotes = carried_out(&ladder, Quotes::default(), &mut 0);
    assert_eq!([quotes[0].len(), quotes[1].len()], [10, 10]);
    assert_eq!(quotes[0][0].price.ticks(), 6_499_350);
    assert_eq!(quotes[1][0].price.ticks(), 6_500_650);
    assert_eq!(changes(&ladder, &quotes), Changes::default());
    // A best bid that is nearly used up is replaced, and the best ask with it.
    let mut worn = quotes.clone();
    worn[0][0].left = symbol.qty_min;
    let seen = changes(&ladder, &worn);
    assert_eq!(seen.cancels, [quotes[0][0].id, quotes[1][0].id]);
    assert_eq!(seen.places, [(Side::Buy, 0), (Side::Sell, 0)]);
}

/// However the price moves, the middle stays within half a spread of it, the spread keeps its size, and no level is missing.
#[test]
fn quotes_follow_the_price() {
    for tick in ["0.01", "5"] {
        let symbol = symbol(tick);
        let (mut quotes, mut next, mut cents) = (Quotes::default(), 0, 6_500_000);
        let steps = [3, -7, 250, 11, -90, 1_300, -400, 60_000, -5, -60_000, 700, 700, 700, -2_100];
        for step in steps.into_iter().cycle().take(500) {
            cents += step;
            let ladder = ladder(&symbol, cents);
            quotes = carried_out(&ladder, quotes, &mut next);
            let tick = symbol.grid.value(Money::ONE, Price::from_ticks(1)).units() / dollars(1).units();
            let [bid, ask] = [0, 1].map(|side: usize| i128::from(quotes[side][0].price.ticks()) * tick);
            let (spread, wanted) = (ask - bid, cents / 5_000);
            assert!(
                spread * 4 >= wanted * 3 - 4 && spread * 2 <= (wanted + 2 * tick) * 3,
                "{spread} {cents}"
            );
            assert!((bid + ask - 2 * cents).abs() <= wanted + tick, "{bid} {ask} {cents}");
            assert_eq!([quotes[0].len(), quotes[1].len()], [10, 10]);
            assert!(changes(&ladder, &quotes) == Changes::default(), "{cents}");
        }
    }
}

/// Depth thins with distance: each stretch of prices holds less than the one before.
#[test]
fn depth_thins_with_distance() {
    let symbol = symbol("0.01");
    let ladder = ladder(&symbol, 6_500_000);
    let place = |level: usize| ladder.price(Side::Sell, level).unwrap().ticks();
    let density = |level: usize| {
        let size = ladder.size(level, 500_000).unwrap().hundredths();
        size * 1_000 / u128::from(place(level + 1) - place(level))
    };
    for level in 0..8 {
        assert!(density(level) > density(level + 1), "{level}");
    }
}
