//! No command is a step of any size: how many orders one trades with, and how many an account has, is bounded.
#![expect(clippy::unwrap_used, reason = "what a test cannot do, fails it")]

use buttonwood_engine::{
    Answer, Body, CANCELS_MAX, Caller, Command, FILLS_MAX, FeeSchedule, ORDERS_MAX, OrderRef, Place,
    PlaceReject, Reject, SYMBOLS_MAX, Schedule, TradingAnswer, TradingCommand, TradingReject,
};
use buttonwood_model::{
    AccountId, CancelReason, ExecutionOption, OrderId, Product, Role, SessionId, Side, Symbol, SymbolId,
    SymbolStatus, Time,
};
use buttonwood_num::{Decimal, Money, Price, Qty};
use buttonwood_oracle::{Exchange, Happening, nonce};

struct Market {
    exchange: Exchange,
    symbol: SymbolId,
    nonce: u64,
}

type Trader = (AccountId, SessionId);

impl Market {
    fn new() -> Self {
        let mut exchange = Exchange::open(FeeSchedule::default(), None);
        let symbol = exchange.symbol(["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &[]);
        Self { exchange, symbol, nonce: 0 }
    }

    fn trader(&mut self, name: &str) -> Trader {
        let account = self.exchange.account(name, "");
        let session = self.exchange.key(name, account, Role::Trader);
        let plenty = Money::from_decimal(Decimal::parse(b"1000000000").unwrap()).unwrap();
        let both = ["BTC", "USD"].map(|code| (self.exchange.find_currency(code), plenty));
        assert_eq!(self.exchange.own(Body::credit(account, both.into())), Answer::Done);
        (account, session)
    }

    fn call(&mut self, (account, session): Trader, body: Body) -> Answer {
        self.nonce += 1;
        let caller = Caller { session, account: Some(account), nonce: nonce(self.nonce) };
        self.exchange.submit(1, &Command { caller: Some(caller), body })
    }

    /// A limit order of so many lots of the smallest size, at a price in dollars.
    fn place(&mut self, trader: Trader, side: Side, lots: usize, price: u64) -> Answer {
        let place = self.limit(side, lots, price);
        self.call(trader, Body::Trading(TradingCommand::Place(place)))
    }

    fn limit(&self, side: Side, lots: usize, price: u64) -> Place {
        Place::limit(
            self.symbol,
            side,
            Price::from_ticks(price * 100),
            Qty::from_hundredths(100_000 * u128::try_from(lots).unwrap()),
        )
    }

    fn fill_up(&mut self, trader: Trader, side: Side, price: u64) -> OrderId {
        let mut last = OrderId(0);
        for _ in 0..ORDERS_MAX {
            let placed = self.place(trader, side, 1, price);
            let Answer::Trading(TradingAnswer::Order(order)) = placed else { panic!("{placed:?}") };
            last = order.id;
        }
        last
    }

    /// An order that waits for the next auction.
    fn wait(&mut self, trader: Trader, side: Side, lots: usize, price: u64) -> OrderId {
        let place = Place { option: Some(ExecutionOption::AuctionOnly), ..self.limit(side, lots, price) };
        let Answer::Trading(TradingAnswer::Order(order)) =
            self.call(trader, Body::Trading(TradingCommand::Place(place)))
        else {
            panic!("it waits")
        };
        assert!(order.is_live());
        order.id
    }

    /// Does what is due of the auctions: the quantities that traded, and how many orders were cancelled; whether it is over.
    fn auction(&mut self) -> (Vec<Qty>, usize, bool) {
        assert_eq!(self.exchange.own(Body::Trading(TradingCommand::Auction(self.symbol))), Answer::Done);
        assert_eq!(self.exchange.state.broken_law(), None);
        let happened = &self.exchange.happened;
        let traded = |what: &Happening| {
            if let Happening::Crossed { qty, .. } = what { Some(*qty) } else { None }
        };
        (
            happened.iter().filter_map(traded).collect(),
            happened.iter().filter(|what| matches!(what, Happening::Cancelled(..))).count(),
            happened.iter().any(|what| matches!(what, Happening::Ended(..))),
        )
    }
}

fn refused(reject: PlaceReject) -> Answer {
    Answer::Rejected(Reject::Trading(TradingReject::Place(reject)))
}

/// An account that has as many orders as it may gets no more on the books, and trades all the same.
#[test]
fn an_account_has_so_many_orders() {
    let mut market = Market::new();
    let (full, other) = (market.trader("full"), market.trader("other"));
    let last = market.fill_up(full, Side::Buy, 100);
    assert_eq!(market.place(full, Side::Buy, 1, 100), refused(PlaceReject::TooManyOrders));
    assert_eq!(market.place(full, Side::Sell, 1, 104), refused(PlaceReject::TooManyOrders));
    assert!(matches!(market.place(other, Side::Sell, 1, 104), Answer::Trading(TradingAnswer::Order(_))));
    assert!(
        matches!(market.place(full, Side::Buy, 1, 104), Answer::Trading(TradingAnswer::Order(_))),
        "it does not rest"
    );
    assert!(matches!(market.place(other, Side::Sell, 1, 104), Answer::Trading(TradingAnswer::Order(_))));
    let dollars = market.exchange.find_currency("USD");
    let before = market.exchange.balance(full.0, dollars);
    assert_eq!(market.place(full, Side::Buy, 2, 104), refused(PlaceReject::TooManyOrders), "its rest would");
    assert_eq!(market.exchange.balance(full.0, dollars), before);
    assert!(matches!(
        market.call(full, Body::Trading(TradingCommand::Cancel(OrderRef::Id(last)))),
        Answer::Trading(TradingAnswer::Order(_))
    ));
    assert!(matches!(market.place(full, Side::Buy, 2, 104), Answer::Trading(TradingAnswer::Order(_))));
}

/// An order that would trade with more orders than one may is refused whole; one that trades with as many is not.
#[test]
fn an_order_trades_with_so_many() {
    let mut market = Market::new();
    let mut maker = market.trader("maker");
    for number in 0..=FILLS_MAX / usize::try_from(ORDERS_MAX).unwrap() {
        maker = market.trader(&format!("maker{number}"));
        market.fill_up(maker, Side::Sell, 100);
    }
    let taker = market.trader("taker");
    let resting = market.exchange.state.orders().len();
    assert_eq!(market.place(taker, Side::Buy, FILLS_MAX + 1, 100), refused(PlaceReject::TooManyFills));
    assert_eq!(market.exchange.state.orders().len(), resting);
    let order = market.limit(Side::Buy, FILLS_MAX + 1, 100);
    let posts = Place { option: Some(ExecutionOption::MakerOrCancel), ..order };
    let Answer::Trading(TradingAnswer::Order(posted)) =
        market.call(taker, Body::Trading(TradingCommand::Place(posts)))
    else {
        panic!("it is cancelled")
    };
    assert_eq!(posted.reason, Some(CancelReason::MakerOrCancelWouldTake));
    let Answer::Trading(TradingAnswer::Order(crossed)) = market.place(maker, Side::Buy, FILLS_MAX + 1, 100)
    else {
        panic!("likewise")
    };
    assert_eq!(crossed.reason, Some(CancelReason::SelfCrossPrevented));
    assert!(matches!(
        market.place(taker, Side::Buy, FILLS_MAX, 100),
        Answer::Trading(TradingAnswer::Order(_))
    ));
    assert_eq!(market.exchange.state.orders().len(), resting - FILLS_MAX);
}

/// An auction of more orders than one step may touch is settled in several, and others have their turn in between: who comes
/// then takes no part, and who leaves the book does not trade.
#[test]
fn an_auction_takes_as_many_steps_as_it_must() {
    let mut market = Market::new();
    let [buyer, other, first, second] = ["buyer", "other", "first", "second"].map(|name| market.trader(name));
    let schedule = Schedule {
        time: market.exchange.stamp.time.plus(60 * Time::SECOND),
        every: Schedule::EVERY_MIN,
        opens: Schedule::ALWAYS,
        indicates: 0,
        indicates_every: 0,
        last_cancel: 0,
    };
    let scheduled = Body::Trading(TradingCommand::ScheduleAuctions(market.symbol, Some(schedule)));
    assert_eq!(market.exchange.own(scheduled), Answer::Done);
    let (each, part) = (usize::try_from(ORDERS_MAX).unwrap() - 100, 300);
    for trader in [first, second] {
        for _ in 0..each {
            market.wait(trader, Side::Sell, 1, 100);
        }
    }
    let Answer::Trading(TradingAnswer::Order(leaves)) = market.place(other, Side::Sell, 1, 100) else {
        panic!("it rests")
    };
    let Answer::Trading(TradingAnswer::Order(stays)) = market.place(other, Side::Sell, 1, 100) else {
        panic!("it rests")
    };
    // More than one step's trades, of more orders than can be cancelled in one.
    market.wait(buyer, Side::Buy, FILLS_MAX + part, 100);
    market.exchange.stamp.time = schedule.time;
    let lot = market.limit(Side::Buy, 1, 100).qty;
    assert_eq!(market.auction(), (vec![lot; FILLS_MAX], 0, false));
    let late = market.wait(first, Side::Sell, 1, 90);
    assert!(matches!(
        market.call(other, Body::Trading(TradingCommand::Cancel(OrderRef::Id(leaves.id)))),
        Answer::Trading(TradingAnswer::Order(_))
    ));
    assert_eq!(market.auction(), (vec![lot; part], 0, false));
    let left = 2 * each - FILLS_MAX - part;
    assert_eq!(market.auction(), (vec![], left, true));
    for (order, is_live) in [(late, true), (stays.id, true), (leaves.id, false)] {
        assert_eq!(market.exchange.order(order.0).is_some(), is_live);
    }
    // Nothing trades in the next one, and all are cancelled.
    for trader in [first, second] {
        for _ in 0..each {
            market.wait(trader, Side::Sell, 1, 90);
        }
    }
    market.exchange.stamp.time = schedule.time.plus(schedule.every);
    assert_eq!(market.auction(), (vec![], FILLS_MAX, false));
    let left = 2 * each + 1 - FILLS_MAX;
    let late = market.wait(first, Side::Sell, 1, 90);
    assert_eq!(market.auction(), (vec![], left, true));
    assert_eq!(market.exchange.orders_of(first.0).map(|order| order.id).collect::<Vec<_>>(), [late]);
}

/// A perpetual is priced in the one currency that its desk settles in.
#[test]
fn a_perpetual_is_priced_in_gusd() {
    let mut market = Market::new();
    let spot = market.exchange.state.symbols()[0].clone();
    let symbol = Symbol { name: "btcperp".into(), product: Product::Swap, ..spot };
    let answer = market.exchange.own(Body::list_symbol(symbol));
    assert_eq!(answer, Answer::Rejected(Reject::Trading(TradingReject::Unknown)));
}

/// Symbols are listed up to a number that their ids can tell apart; one more is refused and nothing is listed.
#[test]
fn so_many_symbols_and_no_more() {
    let mut market = Market::new();
    let first = market.exchange.state.symbols()[0].clone();
    let mut list = |number: usize| {
        let symbol = Symbol { name: format!("btcusd{number}"), ..first.clone() };
        (market.exchange.own(Body::list_symbol(symbol)), market.exchange.state.symbols().len())
    };
    for number in 1..SYMBOLS_MAX {
        assert_eq!(list(number), (Answer::Done, number + 1));
    }
    assert_eq!(list(SYMBOLS_MAX), (Answer::Rejected(Reject::Trading(TradingReject::TooMany)), SYMBOLS_MAX));
}

/// The steps of an operator's cancel end at an order: those placed between two steps stay, and the oldest go.
#[test]
fn an_operators_cancel_ends_at_an_order() {
    let mut market = Market::new();
    let [buyer, seller, late] = ["buyer", "seller", "late"].map(|name| market.trader(name));
    market.fill_up(buyer, Side::Buy, 100);
    let last = market.fill_up(seller, Side::Sell, 104);
    let cancel = Body::Trading(TradingCommand::CancelOrders(None, Some(market.symbol), Some(last)));
    for (of_late, left) in [(5, CANCELS_MAX + 5), (10, 10)] {
        for _ in 0..5 {
            market.place(late, Side::Buy, 1, 98);
        }
        assert_eq!(market.exchange.own(cancel.clone()), Answer::Done);
        assert_eq!(market.exchange.state.orders().count_of(late.0), of_late);
        assert_eq!(market.exchange.state.orders().len(), left);
    }
    assert_eq!(market.exchange.state.broken_law(), None);
}

/// A symbol with more orders than one command cancels closes in steps, which come before all other commands, also after a restore; an
/// operator's cancel takes the newest.
#[test]
fn a_close_takes_as_many_steps_as_it_must() {
    let mut market = Market::new();
    for (name, side, price) in
        [("buyer", Side::Buy, 100), ("seller", Side::Sell, 104), ("other", Side::Buy, 99)]
    {
        let trader = market.trader(name);
        market.fill_up(trader, side, price);
    }
    let late = market.trader("late");
    for _ in 0..5 {
        market.place(late, Side::Buy, 1, 98);
    }
    let cancelled = |market: &Market| {
        let cancelled = |what: &&Happening| matches!(what, Happening::Cancelled(..));
        market.exchange.happened.iter().filter(cancelled).count()
    };
    let cancel = TradingCommand::CancelOrders(None, Some(market.symbol), None);
    assert_eq!(market.exchange.own(Body::Trading(cancel)), Answer::Done);
    assert_eq!(cancelled(&market), CANCELS_MAX);
    assert_eq!(market.exchange.state.orders().count_of(late.0), 0, "the newest go first");
    let close = TradingCommand::SetSymbolStatus(market.symbol, SymbolStatus::Closed);
    assert_eq!(market.exchange.own(Body::Trading(close.clone())), Answer::Done);
    assert_eq!(cancelled(&market), CANCELS_MAX);
    assert_eq!(market.exchange.state.orders().len(), CANCELS_MAX + 5);
    let closed = refused(PlaceReject::MarketClosed);
    assert_eq!(market.place(late, Side::Buy, 1, 98), closed);
    let mut restored = market.exchange.state.clone();
    restored.prepare_to_store();
    restored.restore();
    for left in [5, 0] {
        assert!(market.exchange.state.has_follow_up());
        let due = market.exchange.state.next_due().expect("the close goes on");
        if left == 5 {
            assert_eq!(restored.next_due(), Some(due.clone()));
        }
        assert_eq!(due.command, Body::Trading(close.clone()));
        assert_eq!(market.exchange.own(due.command), Answer::Done);
        assert_eq!(market.exchange.state.orders().len(), left);
    }
    assert!(!market.exchange.state.has_follow_up());
    assert_eq!(market.exchange.state.broken_law(), None);
}
