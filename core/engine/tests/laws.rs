//! The laws of a state are recomputed from what it holds, so that one that was altered is found out.

use buttonwood_engine::{Body, Broken, BrokenLaw, Caller, Command, FeeSchedule, Outcome, Place, State};
use buttonwood_model::{OrderKind, Role, Side};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_oracle::{Exchange, nonce};

/// Ticks of the bid and of the ask, and units of money that nobody uses: numbers that occur once in the stored state.
const BID: u64 = 1_900_003;
const ASK: u64 = 2_000_001;
const IDLE: i128 = 123_456_789_012_345;

/// The bytes of a stored number that stand in place of those of another, as long ones.
fn exchanged(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes.split_at(*at).1.starts_with(old)).collect();
    let ([at], true) = (places.as_slice(), old.len() == new.len()) else { panic!("at {places:?}") };
    let (front, rest) = bytes.split_at(*at);
    [front, new, rest.split_at(old.len()).1].concat()
}

/// Proves INV-LEDGER-2, INV-LEDGER-5, INV-MATCH-1.
#[test]
fn a_broken_law_is_named() {
    let mut exchange = Exchange::open(FeeSchedule::default(), None);
    let symbol = exchange.symbol(["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &[]);
    let [btc, usd] = ["BTC", "USD"].map(|code| exchange.find_currency(code));
    let much = Money::from_units(i128::from(u64::MAX) * 1_000_000_000_000);
    let orders = [
        ("ann", vec![(btc, Money::from_units(IDLE)), (usd, much)], Side::Buy, BID),
        ("bob", vec![(btc, much)], Side::Sell, ASK),
    ];
    let [ann, _] = orders.map(|(name, amounts, side, ticks)| {
        let account = exchange.account(name, "");
        let session = exchange.key(name, account, Role::Trader);
        assert_eq!(exchange.own(Body::credit(account, amounts)), Outcome::Done);
        let place = Place {
            symbol,
            side,
            kind: OrderKind::Limit,
            option: None,
            price: Price::from_ticks(ticks),
            qty: Qty::from_hundredths(100_000_000),
            spend: Money::ZERO,
            client_id: None,
        };
        let caller = Some(Caller { session, account: Some(account), nonce: nonce(1) });
        let answer = exchange.submit(1, &Command { caller, body: Body::Place(place) });
        assert!(matches!(answer, Outcome::Order(order) if order.is_live()), "{answer:?}");
        account
    });
    exchange.state.prepare_to_store();
    let stored = postcard::to_allocvec(&exchange.state).unwrap();
    let ticks = |ticks: u64| postcard::to_allocvec(&ticks).unwrap();
    let units = |units: i128| postcard::to_allocvec(&units).unwrap();
    let law = |old: Vec<u8>, new: Vec<u8>| {
        let mut state: State = postcard::from_bytes(&exchanged(&stored, &old, &new)).unwrap();
        state.restore();
        state.broken_law()
    };
    assert_eq!(law(ticks(BID), ticks(BID)), None);
    assert_eq!(law(units(IDLE), units(IDLE + 1)), Some(Broken::Ledger(BrokenLaw::NotBalanced(btc))));
    assert_eq!(law(ticks(BID), ticks(BID - 1)), Some(Broken::Hold(ann, usd)));
    assert_eq!(law(ticks(ASK), ticks(BID + 1)), None, "a sell holds the same at any price");
    assert_eq!(law(ticks(ASK), ticks(BID)), Some(Broken::Crossed(symbol)));
}
