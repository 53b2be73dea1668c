//! Tests of a day of the market: what its middles and its last trades look like by the minute.

use super::asset::asset;
use super::flow::Flow;
use super::ladder::Ladder;
use super::latent::Latent;
use super::noise::of_text;
use super::quotes::{Quote, Quotes, SIDES, changes};
use buttonwood_engine::Indices;
use buttonwood_model::{CurrencyId, OrderId, Product, Side, Symbol, SymbolStatus, Time};
use buttonwood_num::{Decimal, Grid, Money};

/// 2027-01-15T08:00:00Z.
const START: u64 = 1_800_000_000;
/// Seconds between two looks at the market.
const STEP: u64 = 12;

fn symbol(code: &str) -> Symbol {
    let decimal = |text: &str| Decimal::parse(text.as_bytes()).unwrap();
    let grid = Grid::new(decimal("0.01"), decimal("0.00000001")).unwrap();
    Symbol {
        name: format!("{}usd", code.to_lowercase()),
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

/// Twice the middle, and the last trade, at the end of each minute of a day, in price steps.
fn day(seed: u64, code: &str) -> [Vec<i128>; 2] {
    let (symbol, kind) = (symbol(code), asset(code));
    let start = Money::from_units(Money::ONE.units() * 50_000);
    let latent = Latent::new(seed, [("USD", Some(Money::ONE)), (code, Some(start))].into_iter());
    let flow = Flow { seed, symbol: of_text(&symbol.name), hourly: kind.trades };
    let (mut quotes, mut next) = (Quotes::default(), 0);
    let (mut middles, mut lasts, mut last) = (Vec::new(), Vec::new(), None);
    for second in (START..START + 86_400).step_by(usize::try_from(STEP).unwrap()) {
        let fair = latent.at(Time(second * Time::SECOND), &Indices::default()).of(CurrencyId(1)).unwrap();
        let ladder = Ladder::new(&symbol, (fair, fair), kind.spread, 1, kind.depth).unwrap();
        let changes = changes(&ladder, &quotes);
        for side in &mut quotes {
            side.retain(|quote| !changes.cancels.contains(&quote.id));
        }
        for (side, level) in changes.places {
            next += 1;
            let price = ladder.price(side, level).unwrap();
            let left = ladder.size(level, 500_000).unwrap();
            quotes[side.index()].push(Quote { id: OrderId(next), price, left });
        }
        let [bid, ask] = SIDES.map(|side| i128::from(quotes[side.index()][0].price.ticks()));
        if flow.count(second, STEP) > 0 {
            last = Some(if flow.side(second, 0) == Side::Buy { ask } else { bid });
        }
        if (second + STEP).is_multiple_of(60) {
            middles.push(bid + ask);
            lasts.extend(last);
        }
    }
    [middles, lasts]
}

/// The correlation of each return with the one before, in thousandths.
fn lag(prices: &[i128]) -> i128 {
    let returns: Vec<i128> =
        prices.windows(2).map(|two| (two[1] - two[0]) * 1_000_000_000 / two[0]).collect();
    let squares: i128 = returns.iter().map(|change| change * change).sum();
    returns.windows(2).map(|two| two[0] * two[1]).sum::<i128>() * 1_000 / squares
}

/// One-minute returns of middles and of last trades do not correlate with the ones before, for narrow books and for wide ones.
#[test]
fn returns_do_not_correlate() {
    for seed in 1..=3 {
        for code in ["BTC", "AAVE"] {
            let [middles, lasts] = day(seed, code);
            let lags = [lag(&middles), lag(&lasts)];
            assert!(lags.iter().all(|lag| (-100..=100).contains(lag)), "seed {seed}, {code}: {lags:?}");
        }
    }
}
