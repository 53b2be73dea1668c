//! The laws that the core watches: a state that was altered is found out, since they are recomputed from what it holds, and what
//! does not follow from a state is not applied to it.

use buttonwood_engine::{
    Body, Broken, BrokenLaw, Caller, Command, Event, FeeSchedule, OrderRef, Outcome, Place, State,
    TradingAnswer, TradingCommand, TradingEvent, Workspace, decide,
};
use buttonwood_model::{AccountId, CurrencyId, OrderId, Role, Seq, SessionId, Side, Stamp, SymbolId, Time};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_oracle::{Exchange, nonce};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Ticks of the bid and of the ask, and units of money that nobody uses: numbers that occur once in the stored state.
const BID: u64 = 1_900_003;
const ASK: u64 = 2_000_001;
const IDLE: i128 = 123_456_789_012_345;

/// Ann's bid below Bob's ask.
struct Market {
    exchange: Exchange,
    symbol: SymbolId,
    btc: CurrencyId,
    usd: CurrencyId,
    ann: (AccountId, SessionId),
    bid: OrderId,
}

impl Market {
    fn open() -> Self {
        let mut exchange = Exchange::open(FeeSchedule::default(), None);
        let symbol = exchange.symbol(["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &[]);
        let [btc, usd] = ["BTC", "USD"].map(|code| exchange.find_currency(code));
        let much = Money::from_units(i128::from(u64::MAX) * 1_000_000_000_000);
        let mut member = |name: &str, amounts, side, ticks| {
            let account = exchange.account(name, "");
            let owner = (account, exchange.key(name, account, Role::Trader));
            assert_eq!(exchange.own(Body::credit(account, amounts)), Outcome::Done);
            let answer = exchange.submit(1, &by(owner, 1, order(symbol, side, ticks)));
            let Outcome::Trading(TradingAnswer::Order(order)) = answer else { panic!("{answer:?}") };
            assert!(order.is_live(), "{order:?}");
            (owner, order.id)
        };
        let (ann, bid) = member("ann", vec![(btc, Money::from_units(IDLE)), (usd, much)], Side::Buy, BID);
        member("bob", vec![(btc, much)], Side::Sell, ASK);
        Self { exchange, symbol, btc, usd, ann, bid }
    }

    /// The stamp of the next command, and what happens if it is this one of Ann's.
    fn decided(&self, body: Body) -> (Stamp, Vec<Event>) {
        let mut work = Workspace::default();
        let Stamp { seq, time } = self.exchange.state.stamp();
        let stamp = Stamp { seq: Seq(seq.0 + 1), time };
        decide(&self.exchange.state, &by(self.ann, 2, body), stamp, &mut work);
        (stamp, work.out.events)
    }
}

fn order(symbol: SymbolId, side: Side, ticks: u64) -> Body {
    Body::Trading(TradingCommand::Place(Place::limit(
        symbol,
        side,
        Price::from_ticks(ticks),
        Qty::from_hundredths(100_000_000),
    )))
}

fn by((account, session): (AccountId, SessionId), number: u64, body: Body) -> Command {
    let caller = Some(Caller { session, account: Some(account), nonce: nonce(number) });
    Command { caller, body }
}

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
    let Market { mut exchange, symbol, btc, usd, ann: (ann, _), .. } = Market::open();
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
    assert_eq!(law(units(IDLE), units(IDLE + 1)), Some(Broken::Balances(BrokenLaw::NotBalanced(btc.into()))));
    assert_eq!(law(ticks(BID), ticks(BID - 1)), Some(Broken::Hold(ann, usd.into())));
    assert_eq!(law(ticks(ASK), ticks(BID + 1)), None, "a sell holds the same at any price");
    assert_eq!(law(ticks(ASK), ticks(BID)), Some(Broken::Crossed(symbol)));
}

/// Numbers without holes, time that does not go back, orders that settle and end as they must: nothing goes on from what is
/// otherwise. Proves INV-LEDGER-1, INV-LEDGER-10, INV-JRN-1.
#[test]
fn what_does_not_follow_is_not_applied() {
    let market = Market::open();
    let applied = |stamp: Stamp, events: &[Event]| {
        let mut state = market.exchange.state.clone();
        let panic = catch_unwind(AssertUnwindSafe(|| state.apply(stamp, events, &[]))).err()?;
        Some(panic.downcast_ref::<&str>().expect("a plain message").to_string())
    };
    let (stamp, rests) = market.decided(order(market.symbol, Side::Buy, BID));
    let (_, takes) = market.decided(order(market.symbol, Side::Buy, ASK));
    let (_, cancels) = market.decided(Body::Trading(TradingCommand::Cancel(OrderRef::Id(market.bid))));
    for events in [&rests, &takes, &cancels] {
        assert_eq!(applied(stamp, events), None);
    }
    let [used, Event::Trading(TradingEvent::Placed(placed)), filled, completed] = takes.as_slice() else {
        panic!("{takes:?}")
    };
    let [_, Event::Trading(TradingEvent::Cancelled { slot, reason, order })] = cancels.as_slice() else {
        panic!("{cancels:?}")
    };
    let Stamp { seq: Seq(seq), time: Time(micros) } = stamp;
    let numbered = |seq: u64, micros: u64| Stamp { seq: Seq(seq), time: Time(micros) };
    let place = |more: u64| {
        let mut order = *placed;
        order.id.0 += more;
        Event::Trading(TradingEvent::Placed(order))
    };
    let cancel =
        Event::Trading(TradingEvent::Cancelled { slot: *slot, reason: *reason, order: OrderId(order.0 + 1) });
    for (stamp, events, law) in [
        (numbered(seq - 1, micros), vec![], "commands are numbered without holes"),
        (numbered(seq + 1, micros), vec![], "commands are numbered without holes"),
        (numbered(seq, micros - 1), vec![], "time does not go back"),
        (stamp, vec![*used, place(1), *filled, *completed], "order and trade ids have no holes"),
        (stamp, vec![*used, place(0), *filled, place(2)], "an order settles before the next one enters"),
        (stamp, vec![*used, place(0), *completed], "a completed order has nothing left"),
        (stamp, vec![*used, cancel], "the order lies where the decision found it"),
    ] {
        assert_eq!(applied(stamp, &events).as_deref(), Some(law), "{stamp:?} {events:?}");
    }
}
