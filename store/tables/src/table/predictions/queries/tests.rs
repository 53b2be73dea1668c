//! Pages and sums of the tables against the rows that they were made from, in whatever steps these came.

use super::*;
use crate::{Reached, Row};
use buttonwood_model::{CancelReason, Claim, ClientId, OrderKind, Side, Time, TradeId};
use buttonwood_num::{Money, Price};
use buttonwood_views::history::{Lengths, Part, PublicTrade, Settlement, TradeRow};
use tempfile::tempdir;

const ANN: AccountId = AccountId(1);
const BOB: AccountId = AccountId(2);
/// Contracts with high numbers, to show that no table grows to them.
const RAIN: SymbolId = SymbolId::contract(999_998);
const SNOW: SymbolId = SymbolId::contract(999_999);

/// A database of these rows, and the same rows in steps.
fn database_of(rows: &[Row]) -> Database {
    let directory = tempdir().unwrap();
    let put = |database: &mut Database, rows: &[Row], seq| {
        let reached = Reached { seq, lengths: Lengths { predictions: 8 + seq, ..Lengths::empty() }, void: 0 };
        database.update(&[], rows.iter().copied().map(Ok::<_, Fault>), reached).unwrap();
    };
    let (mut stepped, _) = Database::open(directory.path(), "origin").unwrap();
    for (rows, seq) in rows.chunks(3).zip(1..) {
        put(&mut stepped, rows, seq);
    }
    drop(stepped);
    let (stepped, _) = Database::open(directory.path(), "origin").unwrap();
    assert_eq!(stepped.reached().lengths.predictions, 8 + stepped.reached().seq);
    let mut whole = Database::temporary().unwrap();
    put(&mut whole, rows, 1);
    assert_eq!(stepped.difference(&whole).unwrap(), None);
    whole
}

/// An order of Ann that closed at the millisecond of its number divided by two; every third one was cancelled.
fn closed(number: u64) -> ClosedContractOrder {
    ClosedContractOrder {
        account: ANN,
        contract: if number.is_multiple_of(5) { SNOW } else { RAIN },
        order: OrderId(number),
        claim: Claim::No,
        side: Side::Buy,
        kind: OrderKind::Limit,
        option: None,
        price: Price::from_ticks(40),
        original: Qty::from_hundredths(u128::MAX),
        remaining: Qty::ZERO,
        notional: Money::from_units(i128::MAX),
        stop: None,
        placed: Time(number),
        closed: Time(number / 2 * 1_000 + number),
        reason: number.is_multiple_of(3).then_some(CancelReason::Requested),
        client_id: Some(ClientId::copied(b"mine")),
    }
}

/// Closed orders are found by every condition, newest first, page by page.
#[test]
fn closed_orders_are_paged() {
    let orders: Vec<ClosedContractOrder> = (1..=20).map(closed).collect();
    let others = closed(7);
    let others = [ClosedContractOrder { account: BOB, ..others }];
    let rows: Vec<Row> =
        orders.iter().chain(&others).map(|order| Row::Prediction(PredictionRow::Order(*order))).collect();
    let database = database_of(&rows);
    let found = |page: ContractOrdersPage| {
        let mut kept: Vec<ClosedContractOrder> = orders.clone();
        kept.retain(|order| {
            page.filled.is_none_or(|filled| order.is_filled() == filled)
                && page.contract.is_none_or(|contract| order.contract == contract)
                && page.from.is_none_or(|from| order.closed.millis() >= from)
                && page.to.is_none_or(|to| order.closed.millis() < to)
        });
        kept.reverse();
        let from = usize::try_from(page.offset).unwrap().min(kept.len());
        let kept: Vec<_> = kept[from..].iter().take(page.rows).copied().collect();
        let found = database.contract_orders(ANN, &page).unwrap();
        assert_eq!(found, kept, "{page:?}");
        found.len()
    };
    let all = ContractOrdersPage { rows: 100, ..ContractOrdersPage::default() };
    assert_eq!(found(all.clone()), 20);
    assert_eq!(found(ContractOrdersPage { filled: Some(true), ..all.clone() }), 14);
    assert_eq!(found(ContractOrdersPage { filled: Some(false), ..all.clone() }), 6);
    assert_eq!(found(ContractOrdersPage { contract: Some(SNOW), ..all.clone() }), 4);
    assert_eq!(found(ContractOrdersPage { contract: Some(SNOW), filled: Some(false), ..all.clone() }), 1);
    assert_eq!(found(ContractOrdersPage { from: Some(3), to: Some(5), ..all.clone() }), 4);
    assert_eq!(found(ContractOrdersPage { from: Some(u64::MAX), to: Some(u64::MAX), ..all.clone() }), 0);
    for offset in [0, 1, 19, 20, u64::MAX >> 33] {
        found(ContractOrdersPage { offset, rows: 3, ..all.clone() });
    }
    assert_eq!(found(ContractOrdersPage { rows: 0, ..all }), 0);
    assert_eq!(database.contract_order(ANN, OrderId(7)).unwrap(), Some(orders[6]));
    assert_eq!(database.contract_order(BOB, OrderId(7)).unwrap(), Some(others[0]));
    assert_eq!(database.contract_order(BOB, OrderId(8)).unwrap(), None);
}

fn settled(contract: SymbolId, claim: Claim, payout: i128, time: u64) -> SettledPosition {
    SettledPosition {
        account: ANN,
        contract,
        claim,
        quantity: Money::from_units(5),
        payout: Money::from_units(payout),
        cost: Money::from_units(2),
        realised: Money::from_units(-3),
        result: Settlement::Void(None),
        time: Time(time),
    }
}

/// Positions that ended are sorted by time or payout, both ways, and counted over all pages.
#[test]
fn settled_positions_are_sorted() {
    let other = SymbolId::contract(3);
    let rows = [
        settled(RAIN, Claim::Yes, 0, 1_000),
        settled(SNOW, Claim::No, i128::MAX, 1_000),
        settled(other, Claim::Yes, 256, 999),
        settled(RAIN, Claim::No, 255, 1_000),
    ];
    let [rain_yes, snow_no, other_yes, rain_no] = rows;
    let bobs = SettledPosition { account: BOB, ..rain_yes };
    let all: Vec<Row> = rows
        .into_iter()
        .chain([bobs])
        .map(|settled| Row::Prediction(PredictionRow::Settled(settled)))
        .collect();
    let database = database_of(&all);
    let found = |page: &SettledPage| database.contract_settlements(ANN, page).unwrap();
    let page = SettledPage { rows: 10, ..SettledPage::default() };
    assert_eq!(found(&page), (vec![snow_no, rain_yes, rain_no, other_yes], 4));
    let ascending = SettledPage { ascending: true, ..page.clone() };
    assert_eq!(found(&ascending), (vec![other_yes, rain_no, rain_yes, snow_no], 4));
    let by_payout = SettledPage { by_payout: true, ..page.clone() };
    assert_eq!(found(&by_payout), (vec![snow_no, other_yes, rain_no, rain_yes], 4));
    let second = SettledPage { by_payout: true, ascending: true, offset: 1, rows: 2, ..page.clone() };
    assert_eq!(found(&second), (vec![rain_no, other_yes], 4));
    let of = |contracts: &[SymbolId]| SettledPage { contracts: Some(contracts.to_vec()), ..page.clone() };
    assert_eq!(found(&of(&[SNOW, other])), (vec![snow_no, other_yes], 2));
    assert_eq!(found(&of(&[])), (vec![], 0));
    assert_eq!(database.contract_settlements(BOB, &page).unwrap(), (vec![bobs], 1));
}

/// A trade of a contract at a millisecond as its three rows in the history.
fn traded(trade: u64, symbol: SymbolId, millis: u64, [maker, taker]: [AccountId; 2], qty: u128) -> [Row; 3] {
    let (trade, time) = (TradeId(trade), Time(millis * 1_000 + 1));
    let (price, qty) = (Price::from_ticks(40), Qty::from_hundredths(qty));
    let part = |account, part| {
        Row::Trade(TradeRow {
            account,
            symbol,
            order: OrderId(1),
            trade,
            time,
            claim: Claim::Yes,
            side: Side::Buy,
            part,
            price,
            qty,
            fee: Money::ZERO,
            client_id: None,
            of_order: None,
            settled: None,
            counted: None,
        })
    };
    let public = PublicTrade { symbol, trade, time, price, qty, taker: Some(Side::Buy) };
    [Row::Public(public), part(maker, Part::Maker), part(taker, Part::Taker)]
}

/// Quantities are summed from a millisecond on, before another one; contracts are in no candle and no daily volume.
#[test]
fn volumes_are_sums_of_parts() {
    let most = u128::from(u64::MAX);
    let cat = AccountId(3);
    let rows = [
        traded(1, RAIN, 10, [ANN, BOB], 100),
        traded(2, RAIN, 10, [BOB, ANN], most),
        traded(3, RAIN, 19, [cat, ANN], most),
        traded(4, SNOW, 15, [BOB, cat], 7),
        traded(5, RAIN, 20, [ANN, BOB], 1_000),
    ];
    let database = database_of(&rows.concat());
    let sums = |contracts: &[SymbolId], account| {
        let found = database.contract_volume(contracts, account, 10, 20).unwrap();
        found.into_iter().map(|(id, sums)| (id, sums.map(Qty::hundredths))).collect::<Vec<_>>()
    };
    let nothing = SymbolId::contract(0);
    assert_eq!(
        sums(&[SNOW, RAIN, nothing], ANN),
        [(SNOW, [7, 0, 0]), (RAIN, [100 + 2 * most, 2 * most, 100]), (nothing, [0; 3])]
    );
    assert_eq!(sums(&[RAIN], BOB), [(RAIN, [100 + 2 * most, 100, most])]);
    let taken =
        |from, to, period| database.taken_volumes(from, to, NonZeroU64::new(period).unwrap()).unwrap();
    let qty = Qty::from_hundredths;
    assert_eq!(taken(10, 20, 10), [(10, RAIN, qty(100 + 2 * most)), (10, SNOW, qty(7))]);
    assert_eq!(taken(10, 20, 5), [(10, RAIN, qty(100 + most)), (15, RAIN, qty(most)), (15, SNOW, qty(7))]);
    assert_eq!((taken(20, 21, 10), taken(21, u64::MAX, 10)), (vec![(20, RAIN, qty(1_000))], vec![]));
    let sizes = database.sizes().unwrap();
    let rows = |table| sizes.iter().find(|size| size.table == table).map(|size| size.rows);
    assert_eq!(
        [rows("candles"), rows("daily_volumes"), rows("contract_parts")],
        [Some(0), Some(0), Some(10)]
    );
}

/// A caller reads no more sales than it may: of the sales that fit it has the newest and the sums, of more than that none.
#[test]
fn sales_are_read_up_to_a_bound() {
    let sale = |number: u64, contract: SymbolId| {
        Row::Prediction(PredictionRow::Sold(SoldClaims {
            account: ANN,
            contract,
            claim: Claim::Yes,
            order: OrderId(number),
            trade: TradeId(number),
            quantity: Money::ONE,
            proceeds: Money::ONE,
            cost: Money::ZERO,
            time: Time(number),
        }))
    };
    let rows: Vec<Row> = [(1, RAIN), (2, RAIN), (3, RAIN), (4, SNOW)].map(|(at, on)| sale(at, on)).into();
    let database = database_of(&rows);
    let read = |contract, left: &mut usize| {
        let found = database.contract_sales((ANN, contract, Claim::Yes), 2, left, |_| true).unwrap();
        found.map(|sales| (sales.newest.iter().map(|sold| sold.trade.0).collect::<Vec<_>>(), sales.proceeds))
    };
    let mut left = 4;
    let three = Money::from_units(3 * Money::ONE.units());
    assert_eq!((read(RAIN, &mut left), left), (Some((vec![3, 2], three)), 1));
    assert_eq!((read(SNOW, &mut left), left), (Some((vec![4], Money::ONE)), 0));
    assert_eq!(read(SNOW, &mut left), None);
    assert_eq!(read(RAIN, &mut 2), None);
    assert_eq!(read(SymbolId::contract(1), &mut 0), Some((vec![], Money::ZERO)), "it has no sales");
}
