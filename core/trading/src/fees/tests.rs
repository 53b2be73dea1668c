//! Which schedule is in force, and the table of rates.

use super::*;

const ALICE: AccountId = AccountId(7);
const BOB: AccountId = AccountId(8);
const BTCUSD: SymbolId = SymbolId(3);

fn rates(maker: u16, taker: u16) -> FeeSchedule {
    FeeSchedule { maker: Bps(maker), taker: Bps(taker), auction: Bps(maker) }
}

fn tier(from: i128, rates: FeeSchedule) -> FeeTier {
    FeeTier { from: Money::from_units(from), rates }
}

/// The rates of an account with this volume, without a promotion and under one.
fn at(fees: &Fees, product: Product, account: AccountId, volume: i128) -> [FeeSchedule; 2] {
    [None, Some(BTCUSD)].map(|symbol| fees.of(product, symbol, account, || Money::from_units(volume)).1)
}

/// An account's own schedule takes precedence over its product's. Rows of the table are shared and never
/// change.
#[test]
fn the_nearest_schedule_is_in_force() {
    let (plain, swap, own) = (rates(20, 40), rates(2, 5), rates(0, 1));
    let mut fees = Fees::new(plain);
    let placed = fees.of(Product::Swap, None, ALICE, Money::default).0;
    fees.set(Product::Swap, None, Some(swap));
    fees.set(Product::Swap, Some(ALICE), Some(own));
    fees.set(Product::Spot, Some(BOB), Some(own));
    let now = |product, account| at(&fees, product, account, 0)[0];
    assert_eq!((now(Product::Swap, ALICE), now(Product::Swap, BOB)), (own, swap));
    assert_eq!((now(Product::Spot, ALICE), now(Product::Spot, BOB)), (plain, own));
    assert_eq!((fees.get(placed), fees.of_product(Product::Swap)), (plain, swap));
    assert_eq!(
        fees.of_accounts().collect::<Vec<_>>(),
        [(ALICE, Product::Swap, own), (BOB, Product::Spot, own)]
    );
    fees.set(Product::Swap, Some(ALICE), None);
    fees.set(Product::Swap, None, None);
    assert_eq!((at(&fees, Product::Swap, ALICE, 0)[0], fees.table.len()), (plain, 3));
}

/// A tier begins exactly at its volume. An account's own rates take precedence, and one schedule for all ends the tiers.
///
/// Proves VOL-005.
#[test]
fn a_tier_begins_at_its_volume() {
    let (plain, low, high, own) = (rates(20, 40), rates(10, 20), rates(0, 10), rates(30, 30));
    let mut fees = Fees::new(plain);
    let tiers = [tier(0, plain), tier(100, low), tier(1_000, high)];
    fees.set_tiers(Product::Spot, &tiers);
    assert!(fees.tiers_of(Product::Spot).eq(tiers));
    for (volume, expected) in [(0, plain), (99, plain), (100, low), (999, low), (1_000, high), (9_999, high)]
    {
        assert_eq!(at(&fees, Product::Spot, ALICE, volume), [expected; 2], "{volume}");
    }
    assert_eq!(at(&fees, Product::Swap, ALICE, 9_999), [plain; 2]);
    fees.set(Product::Spot, Some(ALICE), Some(own));
    assert_eq!(
        (at(&fees, Product::Spot, ALICE, 9_999)[0], at(&fees, Product::Spot, BOB, 100)[0]),
        (own, low)
    );
    fees.set(Product::Spot, None, Some(high));
    assert_eq!((at(&fees, Product::Spot, BOB, 100)[0], fees.tiers_of(Product::Spot).count()), (high, 0));
}

/// A promotion lowers every rate on its symbols, raises none, and never makes an auction dearer than what an order reserves.
///
/// Proves MKT-036, VOL-006.
#[test]
fn a_promotion_only_lowers_rates() {
    let (plain, own) = (rates(20, 40), rates(0, 50));
    let mut fees = Fees::new(plain);
    let promotion = Promotion { symbols: alloc::vec![BTCUSD], rates: rates(5, 10) };
    fees.promote(&promotion);
    assert_eq!(at(&fees, Product::Spot, ALICE, 0), [plain, rates(5, 10)]);
    fees.set(Product::Spot, Some(ALICE), Some(own));
    assert_eq!(at(&fees, Product::Spot, ALICE, 0), [own, rates(0, 10)]);
    assert_eq!(fees.of(Product::Spot, Some(SymbolId(4)), BOB, Money::default).1, plain);
    assert!(fees.symbols_promoted().eq([BTCUSD]) && fees.promotion() == Some(rates(5, 10)));
    fees.promote(&Promotion { symbols: Vec::new(), ..promotion });
    assert_eq!((at(&fees, Product::Spot, BOB, 0), fees.promotion()), ([plain; 2], None));
    let crossed = FeeSchedule { maker: Bps(0), taker: Bps(40), auction: Bps(40) };
    assert!(rates(40, 0).promoted(crossed).is_valid());
}

/// A product that a later build added has the opening's schedule until it is given one.
#[test]
fn a_new_product_begins_with_the_first_schedule() {
    let (plain, swap) = (rates(1, 3), rates(2, 5));
    let mut fees = Fees::new(plain);
    fees.products.clear();
    assert_eq!(fees.of(Product::Swap, None, ALICE, Money::default), (RatesId(0), plain));
    fees.set(Product::Swap, None, Some(swap));
    assert_eq!((fees.of_product(Product::Spot), fees.of_product(Product::Swap)), (plain, swap));
}

/// A full table refuses new schedules and still takes those that it has.
#[test]
fn a_full_table_takes_no_new_schedule() {
    let mut fees = Fees::new(rates(0, 0));
    for taker in 1..u16::MAX {
        fees.table.push(FeeSchedule { maker: Bps(0), taker: Bps(taker), auction: Bps(0) });
    }
    assert!(fees.has_room_for(&[rates(1, 9)]) && !fees.has_room_for(&[rates(1, 9), rates(1, 8)]));
    fees.table.push(FeeSchedule { maker: Bps(0), taker: Bps(u16::MAX), auction: Bps(0) });
    assert!(fees.has_room_for(&[rates(0, 9)]) && !fees.has_room_for(&[rates(1, 9)]));
    assert!(fees.has_room_to_promote(rates(1, 9)));
    // The rates themselves are in the table, and as the promotion lowers them they are not.
    fees.promote(&Promotion {
        symbols: alloc::vec![BTCUSD],
        rates: FeeSchedule { auction: Bps(0), ..rates(1, 9) },
    });
    assert!(fees.has_room_for(&[rates(0, 9)]));
}
