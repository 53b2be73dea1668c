//! Connections that cancel on disconnect (D-150): which orders they take, and which they leave.
#![expect(clippy::unwrap_used, reason = "what a test cannot do, fails it")]

use buttonwood_engine::{
    Answer, Body, Caller, Command, FeeSchedule, Operation, OrderRef, Outcome, Place, Reject, Schedule,
    TradingCommand, TradingReject,
};
use buttonwood_model::{
    AccountId, CancelReason, ConnectionId, ExecutionOption, Nonce, OrderId, OrderKind, Role, SessionId, Side,
    SymbolId, Time,
};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_oracle::{Exchange, Happening};
use std::sync::Arc;

const NO_CONNECTION: Answer = Outcome::Rejected(Reject::Trading(TradingReject::NoConnection));

struct Stage {
    exchange: Exchange,
    symbol: SymbolId,
    ann: AccountId,
    key: SessionId,
}

impl Stage {
    fn new() -> Self {
        let mut exchange = Exchange::open(FeeSchedule::default(), Some(Vec::new()));
        for code in ["USD", "BTC"] {
            exchange.currency(code);
        }
        let symbol = exchange.symbol(["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &[]);
        let ann = exchange.account("ann", "");
        let key = exchange.timed_key("ann", ann, Role::Trader);
        let mut stage = Self { exchange, symbol, ann, key };
        stage.give(ann);
        stage
    }

    fn give(&mut self, account: AccountId) {
        let million = Money::from_units(1_000_000 * Money::ONE.units());
        let all = self.exchange.currencies().map(|currency| (currency, million)).collect();
        assert_eq!(self.exchange.own(Body::credit(account, all)), Outcome::Done);
    }

    /// Sends a command over a socket, which uses no nonce.
    fn send(&mut self, session: SessionId, account: AccountId, body: TradingCommand) -> Answer {
        let caller = Caller { session, account: Some(account), nonce: Nonce::default() };
        let answer = self.exchange.submit(1, &Command { caller: Some(caller), body: body.into() });
        assert_eq!(self.exchange.state.broken_law(), None);
        answer
    }

    fn call(&mut self, body: TradingCommand) -> Answer {
        self.send(self.key, self.ann, body)
    }

    fn connect(&mut self) -> ConnectionId {
        self.call(TradingCommand::OpenConnection).connection().unwrap()
    }

    fn close(&mut self, connection: ConnectionId) -> Answer {
        let answer = self.exchange.own(TradingCommand::CloseConnection(connection).into());
        assert_eq!(self.exchange.state.broken_law(), None);
        answer
    }

    fn buy(&self, price: u64) -> Place {
        Place::limit(self.symbol, Side::Buy, Price::from_ticks(price), Qty::from_hundredths(100_000))
    }

    fn over(&mut self, connection: ConnectionId, place: Place) -> u64 {
        let answer = self.call(TradingCommand::PlaceOver(connection, Arc::new(place)));
        answer.order().unwrap_or_else(|reject| panic!("{reject:?}")).id.0
    }

    fn place(&mut self, price: u64) -> u64 {
        let place = self.buy(price);
        self.call(TradingCommand::Place(place)).order().unwrap().id.0
    }

    fn tied(&self, connection: ConnectionId) -> Vec<u64> {
        let open = self.exchange.state.floor().connections.get(connection);
        let live = open.into_iter().flat_map(|open| open.live(self.exchange.state.orders()));
        live.map(|(_, order)| order.0).collect()
    }

    fn replays(&mut self) {
        let mut again = Exchange::blank();
        for frame in self.exchange.journal.iter().flatten() {
            again.replay(frame);
        }
        assert_eq!(self.exchange.difference(&again), None);
        assert!(self.exchange.stored() == self.exchange.state, "a snapshot holds the connections");
    }
}

/// A connection's end cancels its own live orders, newest first, and no other of the key. Proves EVT-022.
#[test]
fn a_connection_takes_its_own_orders() {
    let mut stage = Stage::new();
    let [one, other] = [stage.connect(), stage.connect()];
    assert_eq!((one, other), (ConnectionId(1), ConnectionId(2)));
    let (buy, mut stop) = (stage.buy(100), stage.buy(300));
    (stop.kind, stop.stop) = (OrderKind::StopLimit, Price::from_ticks(250));
    let first = stage.over(one, buy);
    assert_eq!(stage.exchange.happened.last(), Some(&Happening::Tied(one, first)));
    let of_other = stage.over(other, buy);
    let gone = stage.over(one, buy);
    let waits = stage.over(one, stop);
    let apart = stage.place(100);
    let cancel = TradingCommand::Cancel(OrderRef::Id(OrderId(gone)));
    assert!(stage.call(cancel).order().is_ok());
    assert_eq!((stage.tied(one), stage.tied(other)), (vec![first, waits], vec![of_other]));
    assert_eq!(stage.close(one), Outcome::Done);
    let cancelled = |id| Happening::Cancelled(id, CancelReason::Requested);
    assert_eq!(stage.exchange.happened, [cancelled(waits), cancelled(first), Happening::Disconnected(one)]);
    for (order, is_live) in [(first, false), (waits, false), (of_other, true), (apart, true)] {
        assert_eq!(stage.exchange.order(order).is_some(), is_live, "{order}");
    }
    let open: Vec<_> = stage.exchange.state.floor().open_connections().map(|(id, _)| id).collect();
    assert_eq!(open, [other]);
    // It is no more, and its number is not used again.
    assert_eq!(stage.close(one), NO_CONNECTION);
    assert_eq!(stage.call(TradingCommand::PlaceOver(one, Arc::new(buy))), NO_CONNECTION);
    assert_eq!(stage.connect(), ConnectionId(3));
    stage.replays();
}

/// An order that is closed by its own command is not tied; one that rests after fills is. Proves EVT-022.
#[test]
fn only_what_lives_is_tied() {
    let mut stage = Stage::new();
    let bob = stage.exchange.account("bob", "");
    let seller = stage.exchange.timed_key("bob", bob, Role::Trader);
    stage.give(bob);
    let connection = stage.connect();
    let sell = Place { side: Side::Sell, ..stage.buy(100) };
    let at_once = Place { option: Some(ExecutionOption::ImmediateOrCancel), ..stage.buy(90) };
    stage.over(connection, at_once);
    assert_eq!(stage.tied(connection), []);
    for qty in [1, 2] {
        assert!(stage.send(seller, bob, TradingCommand::Place(sell)).order().is_ok());
        let order = Place { qty: Qty::from_hundredths(100_000 * qty), ..stage.buy(100) };
        let id = stage.over(connection, order);
        let is_tied = stage.exchange.happened.contains(&Happening::Tied(connection, id));
        assert_eq!((is_tied, stage.exchange.order(id).is_some()), (qty == 2, qty == 2));
    }
    stage.replays();
}

/// An order that is bound to its auction stays until then, though its connection is gone. Proves EVT-022.
#[test]
fn an_auction_keeps_what_is_bound_to_it() {
    let mut stage = Stage::new();
    let schedule = Schedule {
        time: stage.exchange.stamp.time.plus(60 * Time::SECOND),
        every: 0,
        opens: Schedule::ALWAYS,
        indicates: 0,
        indicates_every: 0,
        last_cancel: 60 * Time::SECOND - 1_000,
    };
    let schedule = TradingCommand::ScheduleAuctions(stage.symbol, Some(schedule));
    assert_eq!(stage.exchange.own(schedule.into()), Outcome::Done);
    let connections = [stage.connect(), stage.connect()];
    let waits = Place { option: Some(ExecutionOption::AuctionOnly), ..stage.buy(100) };
    let orders = connections.map(|connection| stage.over(connection, waits));
    assert_eq!(stage.close(connections[0]), Outcome::Done);
    assert!(stage.exchange.order(orders[0]).is_none());
    stage.exchange.stamp.time = stage.exchange.stamp.time.plus(1_000);
    assert_eq!(stage.close(connections[1]), Outcome::Done);
    let bound = [Happening::CancelRejected(orders[1]), Happening::Disconnected(connections[1])];
    assert_eq!(stage.exchange.happened, bound);
    assert!(stage.exchange.order(orders[1]).is_some());
}

/// A connection is its session's alone; a master key has none. A refused order over one takes an id as any other; a halt takes no orders, and
/// lets connections end. Proves EVT-022.
#[test]
fn a_connection_is_its_session_s() {
    let mut stage = Stage::new();
    let second = stage.exchange.timed_key("second", stage.ann, Role::Trader);
    let master = stage.exchange.master_key("master", stage.ann, Role::Trader);
    let auditor = stage.exchange.timed_key("eve", stage.ann, Role::Auditor);
    let (ann, connection) = (stage.ann, stage.connect());
    let order = Arc::new(stage.buy(100));
    let id = stage.exchange.state.next_id();
    let over = TradingCommand::PlaceOver(connection, order);
    assert_eq!(stage.send(second, ann, over.clone()), NO_CONNECTION);
    let caller = Caller { session: master, account: Some(ann), nonce: Nonce::parse(b"1").unwrap() };
    let open = Command { caller: Some(caller), body: TradingCommand::OpenConnection.into() };
    assert_eq!(stage.exchange.submit(1, &open), Outcome::Rejected(Reject::Unknown));
    assert!(stage.send(auditor, ann, TradingCommand::OpenConnection).connection().is_err());
    assert_eq!((stage.exchange.happened.len(), stage.exchange.state.next_id()), (0, id));
    let dear = Place { qty: Qty::from_hundredths(u128::from(u64::MAX)), ..stage.buy(100_000_000) };
    let answer = stage.call(TradingCommand::PlaceOver(connection, Arc::new(dear)));
    assert!(answer.order().is_err() && stage.exchange.of.refused.len() == 1, "{answer:?}");
    let tied = stage.over(connection, stage.buy(100));
    assert_eq!(tied, id + 1);
    assert_eq!(stage.exchange.own(Operation::Halt.into()), Outcome::Done);
    assert_eq!(stage.call(over), Outcome::Rejected(Reject::Halted));
    assert_eq!(stage.close(connection), Outcome::Done);
    assert!(stage.exchange.order(tied).is_none());
    stage.replays();
}

/// A connection remembers no more than its live orders need.
#[test]
fn closed_orders_are_forgotten() {
    let mut stage = Stage::new();
    let connection = stage.connect();
    let (mut most, mut live) = (0, Vec::new());
    for round in 0..1_000_u64 {
        live.push(stage.over(connection, stage.buy(100)));
        if round % 10 != 0 {
            let order = live.pop().unwrap();
            stage.call(TradingCommand::Cancel(OrderRef::Id(OrderId(order))));
        }
        let open = stage.exchange.state.floor().connections.get(connection).unwrap();
        most = most.max(open.remembered());
        assert!(open.remembered() <= 2 * live.len() + 64, "{} of {}", open.remembered(), live.len());
    }
    assert!(most > 64);
    assert_eq!(stage.tied(connection), live);
    assert_eq!(stage.close(connection), Outcome::Done);
    assert!(stage.exchange.state.orders().is_empty());
    stage.replays();
}

/// Nonce zero changes nothing that a key with time-based nonces is judged by: the highest nonce stays, and each nonce is taken as before. A key
/// with rising nonces may not use it.
#[test]
fn a_socket_uses_no_nonce() {
    let mut stage = Stage::new();
    let rising = stage.exchange.key("rising", stage.ann, Role::Trader);
    let ann = stage.ann;
    let high = Nonce::parse(b"1700000000").unwrap();
    let with = |nonce| Caller { session: stage.key, account: Some(ann), nonce };
    let signed = Command { caller: Some(with(high)), body: TradingCommand::CancelSession.into() };
    assert_eq!(stage.exchange.submit(1, &signed), Outcome::Done);
    for _ in 0..40 {
        assert_eq!(stage.call(TradingCommand::CancelSession), Outcome::Done);
        let session = stage.exchange.state.access().session(stage.key).unwrap();
        assert_eq!(session.highest_nonce(), high);
    }
    assert_eq!(stage.exchange.submit(1, &signed), Outcome::Done);
    let refused = stage.send(rising, ann, TradingCommand::CancelSession);
    assert!(matches!(refused, Outcome::Rejected(_)) && stage.exchange.work.out.events.is_empty());
}
