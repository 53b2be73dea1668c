//! Compares live orders and their indices with a plain list.
use super::*;
use crate::NewOrder;
use alloc::string::String;
use buttonwood_model::{
    Claim, Desk, ExecutionOption, Held, OrderClass, OrderKind, Outbox, RatesId, SessionId, TextRef, Time,
};
use buttonwood_num::{Money, Qty};
use proptest::prelude::*;

const BTCUSD: SymbolId = SymbolId(0);
const ETHUSD: SymbolId = SymbolId(1);
const ALICE: AccountId = AccountId(0);
const BOB: AccountId = AccountId(1);

/// A live order in the list; its position in the list is its age on the book.
#[derive(Clone, Debug)]
struct Known {
    slot: Slot,
    id: u64,
    account: AccountId,
    symbol: SymbolId,
    side: Side,
    ticks: u64,
    client_id: Option<String>,
    /// Whether a later order had its client id.
    is_superseded: bool,
    /// Whether it waits for an auction.
    waits: bool,
}

fn open() -> Orders {
    let mut orders = Orders::default();
    orders.set_key(7);
    orders.open_account(BOB);
    orders
}

fn qty(hundredths: u128) -> Qty {
    Qty::from_hundredths(hundredths)
}

/// Puts an order of ten hundredths of a lot on its book.
fn place(orders: &mut Orders, known: &Known) -> Slot {
    let mut outbox = Outbox::<()>::default();
    let new = NewOrder {
        id: OrderId(known.id),
        price: Price::from_ticks(known.ticks),
        qty: qty(10),
        account: known.account,
        session: SessionId(5),
        symbol: known.symbol,
        class: OrderClass::new(known.side, Claim::No, Desk::new(15)),
        kind: OrderKind::Limit,
        option: known.waits.then_some(ExecutionOption::AuctionOnly),
        rates: RatesId(1),
        client_id: known
            .client_id
            .as_ref()
            .map_or_else(Default::default, |text| outbox.keep(text.as_bytes())),
    };
    orders.insert_booked(&new, &outbox.texts, Time(9), Held(3))
}

/// A bid of Alice on the first symbol.
fn bid(id: u64, ticks: u64) -> Known {
    let (slot, account, symbol, side) = (Slot(0), ALICE, BTCUSD, Side::Buy);
    Known { slot, id, account, symbol, side, ticks, client_id: None, waits: false, is_superseded: false }
}

fn named(id: u64, text: &str) -> Known {
    Known { client_id: Some(text.into()), ..bid(id, 100) }
}

/// The orders after a restart: only the stored parts are kept.
fn restored(orders: &Orders) -> Orders {
    let mut stored = orders.clone();
    stored.prepare_to_store();
    stored.near = Neighbours::default();
    stored.books = Books::default();
    stored.by_id = Index::default();
    stored.own.iter_mut().for_each(|own| own.index = Index::default());
    stored.reindex();
    stored
}

/// Compares every query with the list.
fn check(orders: &Orders, list: &[Known]) {
    assert_eq!((orders.len(), orders.is_empty()), (list.len(), list.is_empty()));
    assert_eq!(orders.any_waits(), list.iter().any(|known| known.waits));
    for known in list {
        assert_eq!(orders.find(OrderId(known.id)), Some(known.slot));
        let client_id = known.client_id.as_ref().map(|text| ClientId::new(text).unwrap());
        assert_eq!(orders.client_id(known.slot), client_id);
        let like = |other: &&Known| (other.account, &other.client_id) == (known.account, &known.client_id);
        if let Some(client_id) = client_id {
            let newest = list.iter().filter(like).find(|other| !other.is_superseded).map(|other| other.slot);
            assert_eq!(orders.find_client_id(known.account, &client_id), newest);
        }
        let place = |known: &Known| (known.waits, known.symbol, known.side, known.ticks);
        let beside = |other: &&Known| place(other) == place(known);
        let queue: Vec<Slot> = list.iter().filter(beside).map(|other| other.slot).collect();
        let price = Price::from_ticks(known.ticks);
        let found: Vec<_> = if known.waits {
            orders.auction_queue(known.symbol, known.side, price).collect()
        } else {
            orders.queue(known.symbol, known.side, price).collect()
        };
        assert_eq!(found, queue);
        assert_eq!(orders.has_younger(known.slot), queue.last() != Some(&known.slot));
        assert_eq!(orders.get(known.slot).is_auction_only(), known.waits);
    }
    for (symbol, side) in
        [(BTCUSD, Side::Buy), (BTCUSD, Side::Sell), (ETHUSD, Side::Buy), (ETHUSD, Side::Sell)]
    {
        for (book, waits) in [(orders.book(symbol), false), (orders.auction(symbol), true)] {
            let is_on = |known: &&Known| (known.symbol, known.side, known.waits) == (symbol, side, waits);
            let mut ticks: Vec<u64> = list.iter().filter(is_on).map(|known| known.ticks).collect();
            ticks.sort_unstable();
            ticks.dedup();
            if side == Side::Buy {
                ticks.reverse();
            }
            let prices = book.side(side).prices().map(Price::ticks);
            assert_eq!(prices.collect::<Vec<_>>(), ticks);
            assert_eq!(book.side(side).best().map(Price::ticks), ticks.first().copied());
        }
    }
    for account in [ALICE, BOB] {
        let own = || list.iter().filter(|known| known.account == account);
        let mut newest_first: Vec<u64> = own().map(|known| known.id).collect();
        newest_first.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(orders.of_account(account).map(|(_, order)| order.id.0).collect::<Vec<_>>(), newest_first);
        assert_eq!(orders.in_any_order(account).count(), newest_first.len());
        for side in [Side::Buy, Side::Sell] {
            let count = own().filter(|known| known.side == side).count();
            assert_eq!(orders.count(account, side), u32::try_from(count).unwrap());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Orders enter and leave, on the continuous book or on that of an auction; every query equals the list, also
    /// after a restart.
    #[test]
    fn everything_is_found_as_in_a_list(
        steps in prop::collection::vec((0..5_u8, any::<prop::sample::Index>(), 0..2_u32, 0..2_u32, any::<(bool, bool)>(), 1..6_u64, 0..4_usize), 1..80),
    ) {
        let texts = ["a", "an id of sixteen", "somewhat more than twenty", "long enough to take two of the chunks, and then some"]
            .map(|text| text.replace([' ', ','], "-"));
        let mut orders = open();
        let mut list: Vec<Known> = Vec::new();
        for (id, (kind, index, account, symbol, (buys, waits), ticks, text)) in (1..).zip(steps) {
            if kind == 0 && !list.is_empty() {
                let left = list.remove(index.index(list.len()));
                orders.remove(left.slot);
                prop_assert_eq!(orders.find(OrderId(left.id)), None);
            } else {
                let known = Known {
                    slot: orders.next_slot(),
                    id,
                    account: AccountId(account),
                    symbol: SymbolId(symbol),
                    side: if buys { Side::Buy } else { Side::Sell },
                    ticks,
                    client_id: (kind > 2).then(|| texts[text].clone()),
                    waits,
                    is_superseded: false,
                };
                for older in list.iter_mut().filter(|older| older.account == known.account) {
                    older.is_superseded |= known.client_id.is_some() && older.client_id == known.client_id;
                }
                prop_assert_eq!(place(&mut orders, &known), known.slot);
                list.push(known);
            }
            check(&orders, &list);
        }
        let restored = restored(&orders);
        check(&restored, &list);
        prop_assert_eq!(&restored, &orders);
    }
}

/// Thousands of orders, more than the indices start with, leave in another order than they came. Each is found while
/// it lives, and its slot is used again.
#[test]
fn the_indices_grow_with_the_orders() {
    let mut orders = open();
    let count = 3_000_u64;
    for id in 1..=count {
        let client_id = id.is_multiple_of(3).then(|| alloc::format!("order-{id}"));
        place(&mut orders, &Known { client_id, ..bid(id, 1 + id % 7) });
    }
    let mut gone = Vec::new();
    // 7 has no divisor in common with the count, so this reaches each order once.
    for step in 1..=count {
        let id = step * 7 % count + 1;
        let slot = orders.find(OrderId(id)).unwrap();
        assert_eq!(orders.get(slot).id.0, id);
        if id.is_multiple_of(3) {
            let client_id = ClientId::new(&alloc::format!("order-{id}")).unwrap();
            assert_eq!(orders.find_client_id(ALICE, &client_id), Some(slot));
        }
        orders.remove(slot);
        assert_eq!(orders.find(OrderId(id)), None);
        gone.push(slot);
    }
    assert!(orders.is_empty() && orders.in_any_order(ALICE).next().is_none());
    assert_eq!(place(&mut orders, &bid(count + 1, 5)), *gone.last().unwrap());
}

/// An order that waits for an auction is on no other book, for any length of its client id. It trades in part like
/// others and survives a restart; after the last one has left, none waits.
#[test]
fn who_waits_for_an_auction_waits_apart() {
    for text in ["a".into(), "a".repeat(100)] {
        let mut orders = open();
        let price = Price::from_ticks(100);
        let resting = place(&mut orders, &bid(1, 100));
        assert!(!orders.any_waits());
        let slot = place(&mut orders, &Known { waits: true, ..named(2, &text) });
        let younger = place(&mut orders, &Known { waits: true, symbol: ETHUSD, ..bid(3, 100) });
        assert_eq!(orders.fill(slot, qty(4), Money::from_units(400)), qty(6));
        for orders in [&restored(&orders), &orders] {
            assert!(orders.any_waits());
            assert_eq!(orders.queue(BTCUSD, Side::Buy, price).collect::<Vec<_>>(), [resting]);
            assert_eq!(orders.auction_queue(BTCUSD, Side::Buy, price).collect::<Vec<_>>(), [slot]);
            assert_eq!(orders.auction_queue(ETHUSD, Side::Buy, price).collect::<Vec<_>>(), [younger]);
            assert_eq!(orders.find_client_id(ALICE, &ClientId::new(&text).unwrap()), Some(slot));
            assert_eq!((orders.get(slot).remaining, orders.count(ALICE, Side::Buy)), (qty(6), 3));
        }
        let mut again = restored(&orders);
        for orders in [&mut again, &mut orders] {
            orders.remove(slot);
            assert!(orders.any_waits() && orders.auction(BTCUSD).side(Side::Buy).best().is_none());
            orders.remove(younger);
            assert!(!orders.any_waits() && orders.auction(ETHUSD).side(Side::Buy).best().is_none());
            assert_eq!(orders.book(BTCUSD).side(Side::Buy).best(), Some(price));
        }
        assert_eq!(again, orders);
    }
}

/// An order enters unchanged, and a trade reduces its open quantity.
#[test]
fn a_trade_takes_from_what_remains() {
    let mut orders = open();
    let slot = place(&mut orders, &bid(1, 100));
    assert_eq!(orders.fill(slot, qty(4), Money::from_units(400)), qty(6));
    assert_eq!(orders.fill(slot, qty(1), Money::from_units(100)), qty(5));
    let (order, entry) = (orders.get(slot), orders.entry(slot));
    assert_eq!(orders.traded(slot), Traded { qty: qty(5), notional: Money::from_units(500) });
    assert_eq!((order.remaining, order.held, order.is_booked()), (qty(5), Held(3), true));
    assert_eq!((entry.placed, entry.session), (Time(9), SessionId(5)));
    assert_eq!(
        (order.rates, order.class()),
        (RatesId(1), OrderClass::new(Side::Buy, Claim::No, Desk::new(15)))
    );
}

/// A bid of Bob on the first symbol that is not yet on the book.
fn entering() -> NewOrder {
    NewOrder {
        id: OrderId(2),
        price: Price::from_ticks(100),
        qty: qty(10),
        account: BOB,
        session: SessionId(6),
        symbol: BTCUSD,
        class: OrderClass::new(Side::Buy, Claim::Yes, Desk::new(0)),
        kind: OrderKind::Limit,
        option: None,
        rates: RatesId(1),
        client_id: TextRef::default(),
    }
}

/// An order that trades before it rests keeps its trades; it cannot be found until it rests.
#[test]
fn what_trades_first_may_rest_later() {
    let mut orders = open();
    let older = place(&mut orders, &bid(1, 100));
    let slot = orders.insert(&entering(), &[], Time(9));
    orders.fill_entered(slot, qty(3), Money::from_units(30));
    assert_eq!((orders.find(OrderId(2)), orders.get(slot).is_booked()), (None, false));
    assert_eq!(orders.traded(slot), Traded { qty: qty(3), notional: Money::from_units(30) });
    orders.book_rest(slot, Held(4));
    orders.fill(slot, qty(2), Money::from_units(20));
    for orders in [restored(&orders), orders] {
        assert_eq!((orders.find(OrderId(2)), orders.get(slot).held), (Some(slot), Held(4)));
        assert_eq!(orders.traded(slot), Traded { qty: qty(5), notional: Money::from_units(50) });
        assert_eq!((orders.get(slot).remaining, orders.traded(older)), (qty(5), Traded::default()));
        assert!(orders.has_younger(older) && !orders.has_younger(slot));
    }
}

/// The books of a symbol that is done are dropped; another symbol gets its own.
#[test]
fn books_are_made_at_first_use_and_dropped() {
    let mut orders = open();
    let slot = place(&mut orders, &bid(1, 100));
    orders.print(BTCUSD, TradeId(7), Price::from_ticks(100));
    orders.remove(slot);
    orders.drop_books(BTCUSD);
    orders.drop_books(SymbolId(9_999_999));
    assert!(orders.book(BTCUSD).is_empty());
    let far = Known { symbol: SymbolId(5), ..bid(2, 7) };
    place(&mut orders, &far);
    let again = place(&mut orders, &bid(3, 9));
    for orders in [restored(&orders), orders] {
        assert_eq!(orders.book(SymbolId(5)).side(Side::Buy).best(), Some(Price::from_ticks(7)));
        assert_eq!(orders.queue(BTCUSD, Side::Buy, Price::from_ticks(9)).collect::<Vec<_>>(), [again]);
        assert_eq!((orders.last(BTCUSD), orders.last(SymbolId(5))), (Some(Price::from_ticks(100)), None));
    }
}

/// An order that reserves nothing can rest.
#[test]
fn an_order_without_a_hold_rests() {
    let mut orders = open();
    let slot = orders.insert_booked(&entering(), &[], Time(9), Held::NONE);
    assert_eq!((orders.get(slot).is_booked(), orders.get(slot).held), (true, Held::NONE));
    assert_eq!(orders.find(OrderId(2)), Some(slot));
    orders.remove(slot);
    assert_eq!((orders.find(OrderId(2)), orders.count_of(BOB)), (None, 0));
}

/// An order that rests without a trade has no record of trades.
#[test]
fn what_rests_whole_has_traded_nothing() {
    let mut orders = open();
    let slot = orders.insert(&entering(), &[], Time(9));
    orders.book_rest(slot, Held(4));
    assert!(orders.get(slot).traded.is_none());
    orders.fill(slot, qty(2), Money::from_units(20));
    assert!(!orders.get(slot).traded.is_none());
}

/// A client id finds only the account's own orders, and only if every character matches.
#[test]
fn client_ids_are_the_accounts_own() {
    let mut orders = open();
    let slot = place(&mut orders, &named(1, "mine"));
    let find = |account, text: &str| orders.find_client_id(account, &ClientId::new(text).unwrap());
    assert_eq!(find(ALICE, "mine"), Some(slot));
    assert_eq!(find(BOB, "mine"), None);
    assert_eq!(find(ALICE, "mind"), None);
    assert_eq!(find(AccountId(9), "mine"), None);
    assert_eq!(orders.count(AccountId(9), Side::Buy), 0);
}

/// A client id means the newest order that had it: when that is gone, an older one is found by its own id alone, after a restore too. Proves
/// D-175.
#[test]
fn an_older_order_lost_its_client_id() {
    let mut orders = open();
    let mine = ClientId::new("mine").unwrap();
    let [older, newer] = [1, 2].map(|id| place(&mut orders, &named(id, "mine")));
    let all = |orders: &Orders| orders.with_client_id(ALICE, &mine).collect::<Vec<_>>();
    assert_eq!(orders.find_client_id(ALICE, &mine), Some(newer));
    for orders in [&orders, &restored(&orders)] {
        assert_eq!(all(orders), [newer, older]);
    }
    assert_eq!(orders.with_client_id(ALICE, &ClientId::new("mind").unwrap()).count(), 0);
    orders.remove(newer);
    for orders in [&orders, &restored(&orders)] {
        assert_eq!(all(orders), [older]);
        assert_eq!(orders.find_client_id(ALICE, &mine), None);
        assert_eq!(orders.find(OrderId(1)), Some(older));
        assert_eq!(orders.client_id(older), Some(mine), "its owner still sees it");
        assert_eq!(orders.in_any_order(ALICE).count(), 1);
    }
    orders.remove(older);
    assert!(orders.is_empty() && all(&orders).is_empty());
    let newest = place(&mut orders, &named(3, "mine"));
    assert_eq!(orders.find_client_id(ALICE, &mine), Some(newest));
}

/// Two states are equal only with the same orders in the same queues and the same last prices: replays are compared
/// this way.
#[test]
fn equal_states_have_equal_queues_and_prices() {
    let placed = |ids: [u64; 2]| {
        let mut orders = open();
        let slots = ids.map(|id| place(&mut orders, &bid(id, 100)));
        (orders, slots)
    };
    let (orders, slots) = placed([1, 2]);
    assert_eq!(orders, placed([1, 2]).0);
    assert_ne!(orders, placed([2, 1]).0, "other orders in the places");
    let changed = |change: &dyn Fn(&mut Orders)| {
        let mut other = orders.clone();
        change(&mut other);
        other
    };
    assert_ne!(
        orders,
        changed(&|other| other.print(BTCUSD, TradeId(7), Price::from_ticks(3))),
        "another last price"
    );
    let traded = changed(&|other| {
        other.fill(slots[0], qty(1), Money::ZERO);
    });
    assert_ne!(orders, traded, "another rest");
    let requeued = changed(&|other| {
        other.prepare_to_store();
        other.queues.reverse();
        other.reindex();
    });
    assert_ne!(orders, requeued, "the same orders in another queue");
    assert_ne!(orders, changed(&|other| other.own[0].count[1] += 1), "another count");
}

/// The last price belongs to one symbol and survives a restart.
#[test]
fn the_last_price_is_remembered() {
    let mut orders = open();
    orders.print(ETHUSD, TradeId(9), Price::from_ticks(8));
    for orders in [restored(&orders), orders] {
        assert_eq!((orders.last(BTCUSD), orders.last(ETHUSD)), (None, Some(Price::from_ticks(8))));
    }
}

/// The hash of a client id is stored with its order in every snapshot: with another hash, a restored order would not
/// be found. It depends on the secret key, on the account, and on all of the text. Another program computed these
/// values.
#[test]
fn the_hash_of_a_client_id_is_part_of_the_format() {
    let mut orders = open();
    for (id, (account, text, hash)) in (1..).zip([
        (BOB, "a", 0xda50_cdb4),
        (BOB, "order-12", 0x5f65_391b),
        (BOB, "order-123", 0xd471_b994),
        (BOB, "an-id-of-sixteen", 0xb8a5_d9da),
        (ALICE, "an-id-of-sixteen", 0xd9b8_3670),
    ]) {
        let slot = place(&mut orders, &Known { account, ..named(id, text) });
        assert_eq!(orders.get(slot).client_hash, hash, "{text}");
    }
}

/// Two client ids with the same hash are distinguished.
#[test]
fn client_ids_of_one_hash_are_told_apart() {
    let mut orders = open();
    let [first, second] = ["order-43625", "order-73038"];
    let slots = [(1, first), (2, second)].map(|(id, text)| place(&mut orders, &named(id, text)));
    let [one, other] = slots.map(|slot| orders.get(slot).client_hash);
    assert_eq!(one, other, "the example is one of a collision");
    for (text, slot) in [first, second].into_iter().zip(slots) {
        assert_eq!(orders.find_client_id(ALICE, &ClientId::new(text).unwrap()), Some(slot), "{text}");
    }
}
