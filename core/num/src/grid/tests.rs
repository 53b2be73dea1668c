//! Products, roundings and printing of a grid, against arithmetic by hand or with wider integers.
use super::*;
use alloc::string::String;
use proptest::prelude::*;

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).unwrap()
}

fn grid(tick: &str, lot: &str) -> Grid {
    Grid::new(decimal(tick), decimal(lot)).unwrap()
}

fn shown(print: impl Fn(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    print(&mut out);
    String::from_utf8(out).unwrap()
}

fn money(text: &str) -> Money {
    Money::from_decimal(decimal(text)).unwrap()
}

/// Proves SYM-010, SYM-011.
#[test]
fn off_grid_is_refused_never_rounded() {
    let btcusd = grid("0.01", "0.00000001");
    assert_eq!(btcusd.price(decimal("100.005")), None);
    assert_eq!(btcusd.price(decimal("0")), None);
    assert_eq!(btcusd.qty(decimal("0.000000001")), None);
    assert_eq!(btcusd.qty(decimal("0.00000001")), Some(Qty::from_hundredths(100)));
    let perp = grid("0.5", "0.0001");
    assert_eq!(perp.price(decimal("100.5")), Some(Price::from_ticks(201)));
    assert_eq!(perp.price(decimal("100.2")), None);
    // Three lots of 0.05 are accepted; one and two fifths are not.
    let coarse = grid("0.5", "0.05");
    assert_eq!(coarse.qty(decimal("0.15")), Some(Qty::from_hundredths(300)));
    assert_eq!(coarse.qty(decimal("0.07")), None);
    assert_eq!(coarse.qty(decimal("0.00")), None);
    assert_eq!(shown(|out| coarse.push_qty(out, Qty::from_hundredths(301))), "0.1505");
    assert_eq!(Grid::new(decimal("0.0"), decimal("0.05")), Err(GridError::NotAnIncrement));
}

/// A price is beyond the range only if it is on the step and larger than the largest price.
#[test]
fn prices_beyond_the_range_are_told_from_others() {
    for (tick, most, next, off) in [
        ("0.01", "184467440737095516.15", "184467440737095516.16", "184467440737095516.165"),
        ("0.00000000001", "184467440.73709551615", "184467440.73709551616", "184467440.737095516161"),
        ("0.05", "0.05", "999999999999999999.95", "999999999999999999.99"),
    ] {
        let grid = grid(tick, "0.000001");
        assert!(grid.price(decimal(most)).is_some() && !grid.is_beyond(decimal(most)), "{most}");
        assert!(grid.price(decimal(next)).is_none() && grid.is_beyond(decimal(next)), "{next}");
        for other in [off, "0", "0.000000000001"] {
            assert!(grid.price(decimal(other)).is_none() && !grid.is_beyond(decimal(other)), "{other}");
        }
    }
}

/// Amounts beyond 64 bits are as exact as small ones. By hand: a lot is 10^-8 and a tick 0.01, so 10^20 hundredths of
/// a lot are 10^10 of the base, and cost 10^8 of the quote at one tick.
#[test]
fn large_amounts_are_exact() {
    let btcusd = grid("0.01", "0.00000001");
    let (tick, many) = (Price::from_ticks(1), Qty::from_hundredths(100_000_000_000_000_000_000));
    assert_eq!(btcusd.base(many), Some(money("10000000000")));
    assert_eq!(btcusd.base(Qty::from_hundredths(250)), Some(money("0.000000025")));
    assert_eq!(btcusd.notional(tick, many), Some(money("100000000")));
    assert_eq!(btcusd.fee(tick, many, Bps(40)), Some(money("400000")));
    assert_eq!(btcusd.cost(tick, many, Bps(40)), Some(money("100400000")));
    assert_eq!(btcusd.reserve(true, tick, many, Bps(40)), Some(money("100400000")));
    assert_eq!(btcusd.reserve(false, tick, many, Bps(40)), Some(money("10000000000")));
    assert_eq!(btcusd.base(Qty::from_hundredths(u128::MAX)), None);
    assert_eq!(btcusd.notional(Price::from_ticks(u64::MAX), many), None);
}

/// A buy reserves its notional and fee, a sell its base at any price. Two at 30,000 with 40 basis points are 60,000
/// and 240.
#[test]
fn a_buy_reserves_quote_and_a_sell_base() {
    let btcusd = grid("0.01", "0.00000001");
    let (price, qty) = (btcusd.price(decimal("30000")).unwrap(), btcusd.qty(decimal("2")).unwrap());
    assert_eq!(btcusd.notional(price, qty), Some(money("60000")));
    assert_eq!(btcusd.fee(price, qty, Bps(40)), Some(money("240")));
    assert_eq!(btcusd.cost(price, qty, Bps(40)), Some(money("60240")));
    assert_eq!(btcusd.reserve(true, price, qty, Bps(40)), Some(money("60240")));
    assert_eq!(btcusd.reserve(false, price, qty, Bps(40)), Some(money("2")));
    assert_eq!(btcusd.reserve(false, Price::from_ticks(u64::MAX), qty, Bps(40)), Some(money("2")));
}

/// The two fees of a fill equal those computed one by one; there is no result if they need more than words.
#[test]
fn the_fees_of_a_fill_are_those_of_its_parties() {
    let btcusd = grid("0.01", "0.00000001");
    let (price, qty) = (btcusd.price(decimal("30000")).unwrap(), btcusd.qty(decimal("2")).unwrap());
    assert_eq!(btcusd.fees(price, qty, [Bps(10), Bps(40)]), Some([money("60"), money("240")]));
    let many = Qty::from_hundredths(100_000_000_000_000_000_000);
    assert_eq!(btcusd.fees(Price::from_ticks(1), many, [Bps(10), Bps(40)]), None);
    assert_eq!(grid("0.000000001", "0.00000001").fees(price, qty, [Bps(10), Bps(40)]), None);
}

/// Increments print as they were listed, and say whether fees need a division.
#[test]
fn increments_print_as_they_were_listed() {
    let (btcusd, perp) = (grid("0.01", "0.00000001"), grid("0.5", "0.0001"));
    assert_eq!(
        (shown(|out| btcusd.push_tick(out)), shown(|out| btcusd.push_lot(out))),
        ("0.01".into(), "0.00000001".into())
    );
    assert_eq!(
        (shown(|out| perp.push_tick(out)), shown(|out| perp.push_lot(out))),
        ("0.5".into(), "0.0001".into())
    );
    assert_eq!((btcusd.tick_decimals(), btcusd.lot_decimals()), (2, 8));
    assert_eq!(shown(|out| perp.push_price(out, Price::from_ticks(201))), "100.5");
    assert!(btcusd.has_exact_fees());
    assert!(!grid("0.000000001", "0.00000001").has_exact_fees());
}

/// A middle on the price step has the step's decimals, one between two steps may have one more.
#[test]
fn middles_of_two_prices_are_exact() {
    let middle = |tick: &str, half_ticks: u128| {
        let grid = grid(tick, "1");
        shown(|out| grid.push_half_ticks(out, half_ticks))
    };
    assert_eq!(middle("0.01", 2 * 3_000_001), "30000.01");
    assert_eq!(middle("0.01", 2 * 3_000_000 + 1), "30000.005");
    assert_eq!(middle("0.5", 201), "50.25");
    assert_eq!(middle("1", 3), "1.5");
    // Half of an even step needs no more decimals.
    assert_eq!(middle("2", 3), "3");
    assert_eq!(middle("0.2", 1), "0.1");
}

/// Proves SYM-013, TYPE-010.
#[test]
fn the_finest_increments_multiply_exactly() {
    let elonusd = grid("0.00000000001", "0.000001");
    let price = elonusd.price(decimal("0.00000012345")).unwrap();
    let qty = elonusd.qty(decimal("60000.000001")).unwrap();
    assert_eq!(elonusd.notional(price, qty), Some(money("0.0074070000001234500")));
    let dogebtc = grid("0.000000001", "0.00000001");
    let price = dogebtc.price(decimal("0.000000001")).unwrap();
    let qty = dogebtc.qty(decimal("1.00000001")).unwrap();
    // 0.0000000010000000100 x 0.0040 has 21 decimals: the fee ends at the 19th, rounded up.
    assert_eq!(dogebtc.fee(price, qty, Bps(40)), Some(money("0.0000000000040000001")));
    assert_eq!(Grid::new(decimal("0.0000000001"), decimal("0.00000001")), Err(GridError::TooFine));
}

/// Proves ORD-044.
#[test]
fn a_spend_buys_the_most_it_covers() {
    let btcusd = grid("0.01", "0.00000001");
    let price = btcusd.price(decimal("448.06")).unwrap();
    // The worked example of the facts: 500 at 448.06 with 2 % fee buys 1.0940411517.
    let qty = btcusd.qty_for(money("500"), price, Bps(200));
    assert_eq!(shown(|out| btcusd.push_qty(out, qty)), "1.0940411517");
    assert_eq!(btcusd.qty_for(Money::ZERO, price, Bps(200)), Qty::ZERO);
}

/// Increments are refused if one unit with its fee does not fit in money.
#[test]
fn a_unit_and_its_fee_fit_in_money() {
    let (price, qty) = (Price::from_ticks(1), Qty::from_hundredths(1));
    let largest = grid("850", "900000000000000000");
    assert_eq!(largest.cost(price, qty, Bps(10_000)), largest.notional(Price::from_ticks(2), qty));
    assert_eq!(Grid::new(decimal("1701"), decimal("999949999999999799")), Err(GridError::NotAnIncrement));
}

/// A fee is refused only beyond the range of money, so the search for a quantity is always short: spending nearly all
/// the money that can exist takes no longer than spending little.
#[test]
fn a_spend_of_all_there_is_ends_at_once() {
    let elonusd = grid("0.00000000001", "0.000001");
    let price = elonusd.price(decimal("0.00000007")).unwrap();
    let spend = money("999999999999999999.1234567890123456789");
    let qty = elonusd.qty_for(spend, price, Bps(40));
    let cost = |qty: Qty| elonusd.cost(price, qty, Bps(40)).unwrap();
    assert!(cost(qty) <= spend && cost(qty + Qty::from_hundredths(1)) > spend);
    assert_eq!(
        elonusd.qty_for(spend, Price::from_ticks(1), Bps(10_000)).hundredths() * 2,
        9_999_999_999_999_999_991_234_567_890_123_456_788
    );
    // If not even a hundredth is affordable, nothing is bought.
    let dear = grid("850", "900000000000000000");
    assert_eq!(dear.qty_for(Money::from_units(i128::MAX), Price::from_ticks(u64::MAX), Bps(0)), Qty::ZERO);
}

/// Proves ORD-004.
#[test]
fn averages_are_unrounded_quotients() {
    let btcusd = grid("0.01", "0.00000001");
    let average = |notional: &str, qty: &str| {
        let (notional, qty) = (money(notional), btcusd.qty(decimal(qty)).unwrap());
        shown(|out| btcusd.push_average(out, notional, qty))
    };
    assert_eq!(average("199", "2"), "99.5");
    assert_eq!(average("100", "3"), "33.3333333333333333333");
    assert_eq!(shown(|out| btcusd.push_average(out, Money::ZERO, Qty::ZERO)), "0.00");
    let below_zero = Money::ZERO - money("199");
    assert_eq!(shown(|out| btcusd.push_average(out, below_zero, btcusd.qty(decimal("2")).unwrap())), "-99.5");
    // 7 / 70 ends after one decimal. The lot of 0.05 counts: 3 for 20 lots, a quantity of one, are 3.
    assert_eq!(average("7", "70"), "0.1");
    let coarse = grid("0.5", "0.05");
    assert_eq!(shown(|out| coarse.push_average(out, money("3"), coarse.qty(decimal("1")).unwrap())), "3");
}

proptest! {
    #[test]
    fn prices_and_quantities_print_what_was_read(ticks in 1u64..u64::MAX, lots in 1u64..1_000_000_000_000) {
        let btcusd = grid("0.01", "0.00000001");
        let price = Price::from_ticks(ticks);
        let text = shown(|out| btcusd.push_price(out, price));
        if let Ok(back) = Decimal::parse(text.as_bytes()) {
            prop_assert_eq!(btcusd.price(back), Some(price));
        }
        let qty = Qty::from_hundredths(u128::from(lots) * HUNDREDTHS_PER_LOT);
        let text = shown(|out| btcusd.push_qty(out, qty));
        prop_assert_eq!(btcusd.qty(decimal(&text)), Some(qty));
    }

    /// Splitting one quantity in two never lowers the fee, and raises it by at most one quantum (INV-FEE-3).
    #[test]
    fn splitting_never_lowers_a_fee(ticks in 1u64..1_000_000_000, first in 1u64..1_000_000, second in 1u64..1_000_000) {
        let dogebtc = grid("0.000000001", "0.00000001");
        let fee = |hundredths: u64| {
            dogebtc.fee(Price::from_ticks(ticks), Qty::from_hundredths(u128::from(hundredths)), Bps(37)).unwrap().units()
        };
        let (whole, parts) = (fee(first + second), fee(first) + fee(second));
        prop_assert!(parts == whole || parts == whole + 1);
    }

    #[test]
    fn a_spend_is_never_exceeded_and_never_leaves_room(ticks in 1u64..10_000_000, spend in 0u64..1_000_000_000, rate in 0u16..500) {
        let btcusd = grid("0.01", "0.00000001");
        let (price, spend, rate) = (Price::from_ticks(ticks), Money::from_units(i128::from(spend) * 1_000_000_000_000), Bps(rate));
        let cost = |qty: Qty| btcusd.notional(price, qty).unwrap() + btcusd.fee(price, qty, rate).unwrap();
        let qty = btcusd.qty_for(spend, price, rate);
        prop_assert!(cost(qty) <= spend);
        prop_assert!(cost(qty + Qty::from_hundredths(1)) > spend);
    }
}

/// A holding is covered by a quantity, rounded up to a hundredth of a lot.
#[test]
fn a_quantity_holds_an_amount() {
    let grid = Grid::new(Decimal::parse(b"0.01").unwrap(), Decimal::parse(b"0.001").unwrap()).unwrap();
    let unit = 10_i128.pow(14);
    for (units, hundredths) in [(0, 0), (1, 1), (unit, 1), (unit + 1, 2), (5 * unit, 5)] {
        assert_eq!(grid.qty_holding(Money::from_units(units)), Some(Qty::from_hundredths(hundredths)));
    }
    assert_eq!(grid.qty_holding(Money::from_units(-2 * unit)), None);
}

/// A value ends at 10⁻¹⁹, and saturates.
#[test]
fn a_value_is_truncated() {
    let btcusd = grid("0.01", "0.00000001");
    let value = |amount: &str, ticks| btcusd.value(money(amount), Price::from_ticks(ticks));
    assert_eq!(value("0.1", 3_000_050), money("3000.05"));
    assert_eq!(value("0.0000000000000000199", 1_23), money("0.0000000000000000244"));
    assert_eq!(value("999999999999999999", 100), money("999999999999999999"));
    assert_eq!(value("999999999999999999", u64::MAX), Money::from_units(i128::MAX));
}

/// Amounts and values are cut to the grid, and what is less than a step is nothing.
#[test]
fn amounts_are_cut_to_the_grid() {
    let perp = grid("0.5", "0.0001");
    assert_eq!((perp.tick(), perp.lot()), (money("0.5"), Some(money("0.0001"))));
    let qty = |text| perp.qty_within(money(text));
    assert_eq!(qty("0.0001"), Some(Qty::from_hundredths(100)));
    assert_eq!(qty("0.0000019999"), Some(Qty::from_hundredths(1)));
    assert_eq!((qty("0.0000009999"), qty("0"), perp.qty_within(-money("1"))), (None, None, None));
    let price = |text| perp.price_within(money(text));
    assert_eq!(
        (price("100.5"), price("100.9")),
        (Some(Price::from_ticks(201)), Some(Price::from_ticks(201)))
    );
    assert_eq!((price("0.4999"), price("0"), perp.price_within(-money("1"))), (None, None, None));
    let fine = grid("0.00000000000000001", "1");
    assert_eq!(fine.price_within(Money::MAX), None);
}

/// Prices, quantities and amounts are decimals again, as a client writes them.
#[test]
fn figures_are_decimals_again() {
    let btcusd = grid("0.01", "0.00000001");
    assert_eq!(btcusd.decimal_of_price(Price::from_ticks(3_000_050)), Some(decimal("30000.50")));
    assert_eq!(btcusd.decimal_of_qty(Qty::from_hundredths(150_000_000 * 100)), Some(decimal("1.5")));
    assert_eq!(btcusd.decimal_of_qty(Qty::from_hundredths(1)), Some(decimal("0.0000000001")));
    assert_eq!(btcusd.decimal_of_qty(Qty::from_hundredths(u128::MAX)), None);
    let coarse = grid("1000000", "1");
    assert_eq!(coarse.decimal_of_price(Price::from_ticks(u64::MAX)), None);
    assert_eq!(money("0.25").decimal(), Some(decimal("0.25")));
    assert_eq!((Money::ZERO.decimal(), Money::MAX.decimal()), (Some(decimal("0")), None));
    assert_eq!((-money("1")).decimal(), None);
}
