//! Accounts by hand, and random accounts against fractions.

use super::*;
use crate::rational::{Exact, Random, ceil, decimal, exact, floor, ratio};
use alloc::vec::Vec;

fn holding([quantity, cost, mark]: [&str; 3], [buys, sells]: [&str; 2], cap: u16) -> Holding {
    let position = Position { quantity: decimal(quantity), cost: decimal(cost), realised: Money::ZERO };
    let cap = Leverage::from_hundredths(cap).unwrap();
    Holding { position, mark: decimal(mark), cap, live_buys: decimal(buys), live_sells: decimal(sells) }
}

fn point<'a>(others: &'a Sums, holding: &'a Holding, tick: &str) -> LiquidationPoint<'a> {
    LiquidationPoint { others, holding, collateral: None, tick: decimal(tick) }
}

/// 10,000 GUSD, 1 BTC bought at 50,000, the mark at 51,000, a cap of 10, buys of 0.5 and sells of 1.2. Proves PERP-003 and PERP-004.
#[test]
fn an_account_by_hand() {
    let held = holding(["1", "50000", "51000"], ["0.5", "1.2"], 1_000);
    let sums = Sums::of(decimal("10000"), Money::ZERO, [], [held]).unwrap();
    assert_eq!(
        (sums.assets, sums.unrealised, sums.notional),
        (decimal("11000"), decimal("1000"), decimal("51000"))
    );
    assert_eq!((sums.positions, sums.buys, sums.sells), (decimal("5100"), decimal("2550"), decimal("1020")));
    assert_eq!((sums.reserved(), sums.initial()), (Some(decimal("3570")), Some(decimal("8670"))));
    assert_eq!((sums.available(), sums.maintenance()), (Some(decimal("2330")), decimal("2550")));
    assert_eq!(sums.leverage(), decimal("4.6363636363636363636"));
    // 2,330 × 10 ÷ 51,000 = 0.45686…
    assert_eq!(sums.power(held.cap, held.mark, decimal("0.0001")), decimal("0.4568"));
    assert_eq!(sums.free(), Free { usable: decimal("2330"), leaving: decimal("1330") });
    // 10,000 + p − 50,000 = p ÷ 20, so p = 40,000 ÷ 0.95 = 42,105.26…, towards the mark.
    let others = Sums::of_money(decimal("10000"), Money::ZERO, []).unwrap();
    assert_eq!(point(&others, &held, "0.5").price(), Some(decimal("42105.5")));
}

/// A short position is liquidated above the mark: 10,000 + 50,000 − p = p ÷ 20 at 57,142.85…, rounded down.
#[test]
fn a_short_position_s_price_is_above() {
    let held = holding(["-1", "-50000", "49000"], ["1.5", "0.25"], 1_000);
    let others = Sums::of_money(decimal("10000"), Money::ZERO, []).unwrap();
    assert_eq!(point(&others, &held, "0.5").price(), Some(decimal("57142.5")));
    let sums = others.with(&held).unwrap();
    assert_eq!((sums.assets, sums.buys, sums.sells), (decimal("11000"), decimal("2450"), decimal("1225")));
    // The amount that a withdrawal may take does not shrink for losses.
    let loss =
        Sums::of(decimal("10000"), Money::ZERO, [], [holding(["1", "50000", "49000"], ["0", "0"], 1_000)]);
    assert_eq!(loss.unwrap().free(), Free { usable: decimal("4100"), leaving: decimal("4100") });
}

/// Without a position there is no price; with more money than a fall can cost there is none either.
#[test]
fn some_accounts_have_no_liquidation_price() {
    let rich = Sums::of_money(decimal("60000"), Money::ZERO, []).unwrap();
    let long = holding(["1", "50000", "50000"], ["0", "0"], 10_000);
    assert_eq!(point(&rich, &long, "0.5").price(), None);
    let flat = holding(["0", "0", "50000"], ["0", "0"], 10_000);
    assert_eq!(point(&rich, &flat, "0.5").price(), None);
    assert_eq!(point(&rich, &long, "0").price(), None);
    // Its margin without leverage: half of the price is maintenance, and the price falls to a quarter of a dollar's worth.
    let poor = Sums::of_money(decimal("25000"), Money::ZERO, []).unwrap();
    let whole = holding(["1", "50000", "50000"], ["0", "0"], 100);
    assert_eq!(point(&poor, &whole, "0.5").price(), Some(decimal("50000")));
}

/// BTC that is held moves with the price: 0.5 BTC counts 0.45, so p × 1.45 − 50,000 = p ÷ 200 at 34,602.07…
#[test]
fn collateral_of_the_same_currency_moves_along() {
    let held = holding(["1", "50000", "50000"], ["0", "0"], 10_000);
    let others = Sums::of_money(Money::ZERO, Money::ZERO, []).unwrap();
    let collateral = Collateral { amount: decimal("0.5"), index: decimal("50000"), percent: 90 };
    let price = LiquidationPoint { collateral: Some(collateral), ..point(&others, &held, "0.5") }.price();
    assert_eq!(price, Some(decimal("34602.5")));
    // Without a position in BTC, it still carries the one in ETH: 0.45 × p = 10,000 ÷ 200 + 500 of loss.
    let eth = holding(["5", "10500", "2000"], ["0", "0"], 10_000);
    let others = others.with(&eth).unwrap();
    let flat = holding(["0", "0", "50000"], ["0", "0"], 10_000);
    let price = LiquidationPoint { collateral: Some(collateral), ..point(&others, &flat, "0.5") }.price();
    assert_eq!(price, Some(decimal("1222.5")));
}

/// An account without assets has no leverage, no power, and nothing that may leave.
#[test]
fn negative_assets_free_nothing() {
    let held = holding(["1", "50000", "30000"], ["0", "0"], 10_000);
    let sums = Sums::of(decimal("10000"), decimal("500"), [], [held]).unwrap();
    assert_eq!((sums.assets, sums.leverage()), (decimal("-10500"), Money::ZERO));
    assert_eq!(sums.power(held.cap, held.mark, decimal("0.0001")), Money::ZERO);
    assert_eq!(sums.free(), Free { usable: Money::ZERO, leaving: Money::ZERO });
    assert_eq!(sums.power(held.cap, Money::ZERO, decimal("1")), Money::ZERO);
    assert_eq!(Sums::default().power(held.cap, held.mark, Money::ZERO), Money::ZERO);
}

/// A fraction below the last decimal is rounded against the account.
#[test]
fn fractions_of_a_unit_round_up() {
    let unit = Money::from_units;
    let position = Position { quantity: unit(1), cost: Money::ZERO, realised: Money::ZERO };
    let (mark, cap) = (decimal("0.5"), Leverage::MAX);
    let held = Holding { position, mark, cap, live_buys: unit(1), live_sells: unit(2) };
    let sums = Sums::default().with(&held).unwrap();
    assert_eq!((sums.notional, sums.positions, sums.buys, sums.sells), (unit(1), unit(1), unit(1), unit(1)));
    assert_eq!((sums.unrealised, sums.maintenance()), (unit(0), unit(1)));
}

/// A price that is above the mark by less than the last decimal is rounded down to it.
#[test]
fn a_price_at_the_mark_stays() {
    // 1.5 × p = 300 − assets, with the assets a unit below 150.
    let others = Sums { assets: Money::from_units(150 * Money::ONE.units() - 1), ..Sums::default() };
    let held = holding(["3", "300", "100"], ["0", "0"], 100);
    assert_eq!(point(&others, &held, "0.5").price(), Some(decimal("100")));
}

/// A random account: exact figures of each kind.
struct Account {
    gusd: Money,
    owed: Money,
    collateral: Vec<Collateral>,
    holdings: Vec<Holding>,
}

impl Account {
    fn random(random: &mut Random) -> Self {
        let cap = [100, 250, 700, 1_000, 3_333, 10_000][usize::try_from(random.between(0, 5)).unwrap()];
        let holdings = (0..random.between(1, 4)).map(|_| Holding {
            position: Position {
                quantity: random.amount(-5, 5, 6),
                cost: Money::ZERO,
                realised: Money::ZERO,
            },
            mark: random.amount(1, 60_000, 12),
            cap: Leverage::from_hundredths(cap).unwrap(),
            live_buys: random.amount(0, 9, 6),
            live_sells: random.amount(0, 9, 6),
        });
        let mut holdings: Vec<Holding> = holdings.collect();
        for held in &mut holdings {
            let away = random.between(70, 130);
            held.position.cost =
                floor(&(exact(held.position.quantity) * exact(held.mark) * ratio(away, 100)));
        }
        let collateral = |random: &mut Random| Collateral {
            amount: random.amount(0, 3, 10),
            index: random.amount(0, 4_000, 12),
            percent: 90,
        };
        let collateral = (0..random.between(0, 2)).map(|_| collateral(random)).collect();
        Self { gusd: random.amount(0, 90_000, 15), owed: random.amount(0, 100, 15), collateral, holdings }
    }

    fn sums(&self) -> Sums {
        let (collateral, holdings) = (self.collateral.iter().copied(), self.holdings.iter().copied());
        Sums::of(self.gusd, self.owed, collateral, holdings).unwrap()
    }
}

fn cap(holding: &Holding) -> Exact {
    ratio(i128::from(holding.cap.hundredths()), 100)
}

/// The figures of the table, straight from its text.
#[test]
fn figures_are_those_of_fractions() {
    let mut random = Random::new(5);
    for _ in 0..400 {
        let account = Account::random(&mut random);
        let sums = account.sums();
        let mut assets = exact(account.gusd) - exact(account.owed);
        for held in &account.collateral {
            assets += exact(floor(&(exact(held.amount) * exact(held.index) * ratio(9, 10))));
        }
        let (mut positions, mut notional) = (ratio(0, 1), ratio(0, 1));
        let (mut buys, mut sells) = (ratio(0, 1), ratio(0, 1));
        for held in &account.holdings {
            let (quantity, mark) = (exact(held.position.quantity), exact(held.mark));
            assets += &quantity * &mark - exact(held.position.cost);
            let size = quantity.clone().max(-quantity.clone());
            notional += &size * &mark;
            positions += exact(ceil(&(&size * &mark / cap(held))));
            let zero = ratio(0, 1);
            let beyond_buys =
                (exact(held.live_buys) - (-quantity.clone()).max(zero.clone())).max(zero.clone());
            let beyond_sells = (exact(held.live_sells) - quantity.max(zero.clone())).max(zero);
            buys += exact(ceil(&(beyond_buys * &mark / cap(held))));
            sells += exact(ceil(&(beyond_sells * &mark / cap(held))));
        }
        assert_eq!(
            [&assets, &positions, &notional],
            [&exact(sums.assets), &exact(sums.positions), &exact(sums.notional)]
        );
        assert_eq!([&buys, &sells], [&exact(sums.buys), &exact(sums.sells)]);
        let available = &assets - &positions - &buys - &sells;
        assert_eq!(exact(sums.available().unwrap()), available);
        assert_eq!(sums.maintenance(), ceil(&(&positions / ratio(2, 1))));
        let leverage = if assets > ratio(0, 1) { floor(&(&notional / &assets)) } else { Money::ZERO };
        assert_eq!(sums.leverage(), leverage);
        let held = account.holdings[0];
        let lots = (available.max(ratio(0, 1)) * cap(&held) / exact(held.mark) * ratio(10_000, 1)).floor();
        assert_eq!(exact(sums.power(held.cap, held.mark, decimal("0.0001"))), lots / ratio(10_000, 1));
    }
}

/// At the exact price assets equal maintenance; at the rounded price the account keeps its position, and one step further it is
/// liquidated. Proves PERP-030.
#[test]
fn liquidation_happens_at_the_liquidation_price() {
    let mut random = Random::new(6);
    let (mut found, tick) = (0, decimal("0.5"));
    for _ in 0..1_200 {
        let mut account = Account::random(&mut random);
        let own =
            Collateral { index: account.holdings[0].mark, amount: random.amount(0, 2, 10), percent: 90 };
        let others = Account { holdings: account.holdings.split_off(1), ..account };
        let others_sums = others.sums();
        let held = account.holdings[0];
        let point = LiquidationPoint { others: &others_sums, holding: &held, collateral: Some(own), tick };
        let at = |price: Money| {
            let moved = Holding { mark: price, ..held };
            let collateral = Collateral { index: price, ..own };
            let sums = others_sums.with(&moved).unwrap();
            let assets = sums.assets.checked_add(collateral.value().unwrap()).unwrap();
            (assets, sums.maintenance())
        };
        let Some(price) = point.price() else { continue };
        found += 1;
        let quantity = exact(held.position.quantity);
        let size = quantity.clone().max(-quantity.clone());
        let moving = exact(own.amount) * ratio(9, 10);
        let fixed = exact(others_sums.assets) - exact(held.position.cost);
        let slope = &quantity + &moving - &size / cap(&held) / ratio(2, 1);
        let zero = (exact(others_sums.positions) / ratio(2, 1) - &fixed) / &slope;
        // Before any rounding, assets equal maintenance there.
        let maintenance = (exact(others_sums.positions) + &size * &zero / cap(&held)) / ratio(2, 1);
        assert_eq!(fixed + (&quantity + moving) * &zero, maintenance);
        let distance = exact(price) - &zero;
        assert!(distance.clone().max(-distance) < exact(tick), "less than a step away");
        let (assets, _) = at(held.mark);
        let dead = assets < at(held.mark).1;
        let step = if slope > ratio(0, 1) { tick } else { Money::from_units(-tick.units()) };
        let safe = if dead { price.checked_add(step).unwrap() } else { price };
        let due = if dead { price } else { price.checked_sub(step).unwrap() };
        // Roundings of maintenance and collateral are below a unit each.
        let margin = |price: Money| {
            let (assets, least) = at(price);
            exact(assets) - exact(least)
        };
        assert!(margin(safe) >= ratio(-2, Money::ONE.units()), "{price:?}");
        if due > Money::ZERO {
            assert!(margin(due) <= ratio(0, 1), "{price:?}");
        }
    }
    assert!(found > 300, "{found}");
}

/// No input panics.
#[test]
fn wild_amounts_are_refused() {
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let position = Position { quantity: random.wild(), cost: random.wild(), realised: random.wild() };
        let held = Holding {
            position,
            mark: random.wild(),
            cap: Leverage::MAX,
            live_buys: random.wild(),
            live_sells: random.wild(),
        };
        let collateral = Collateral { amount: random.wild(), index: random.wild(), percent: 90 };
        let _ = Sums::of(random.wild(), random.wild(), [collateral], [held]);
        let sums = Sums {
            assets: random.wild(),
            unrealised: random.wild(),
            positions: random.wild(),
            buys: random.wild(),
            sells: random.wild(),
            notional: random.wild(),
        };
        let _ = (sums.with(&held), sums.excess(), sums.leverage(), sums.free(), sums.maintenance());
        let _ = sums.power(Leverage::MIN, random.wild(), random.wild());
        let point = LiquidationPoint {
            others: &sums,
            holding: &held,
            collateral: Some(collateral),
            tick: random.wild(),
        };
        let _ = (point.price(), collateral.worth(random.wild()), collateral.covering(random.wild()));
    }
}
