//! Prices of feeds: how many an index needs, when the marks follow them, and when they go stale.
#![expect(clippy::unwrap_used, reason = "what a test cannot do, fails it")]

use buttonwood_engine::perp::{self, Contract};
use buttonwood_engine::{Answer, Body, Command, FeeSchedule, Mode, Opening, Place, Reject, TradingCommand};
use buttonwood_engine::{FeedPrices, index::FRESH};
use buttonwood_model::{CurrencyId, Due, Product, Role, Side, Symbol, SymbolId, SymbolStatus, Time};
use buttonwood_num::{Decimal, Grid, Money, Price, Qty};
use buttonwood_oracle::{Exchange, caller};

struct World {
    exchange: Exchange,
    base: CurrencyId,
    contract: SymbolId,
}

impl World {
    fn new(mode: Mode) -> Self {
        let mut exchange = Exchange::blank();
        exchange.journal = Some(Vec::new());
        let opening = Opening { mode, seed: 1, hash_key: 2, fees: FeeSchedule::default() };
        assert_eq!(exchange.own(Body::open(opening)), Answer::Done);
        let [base, quote] = ["BNB", "GUSD"].map(|code| exchange.find_currency(code));
        exchange.find_currency("EUR");
        let [lot, tick] = ["0.001", "0.05"].map(|text| Decimal::parse(text.as_bytes()).unwrap());
        let grid = Grid::new(tick, lot).unwrap();
        let symbol = Symbol {
            name: "bnbgusdperp".into(),
            base,
            quote,
            qty_min: grid.qty(lot).unwrap(),
            grid,
            product: Product::Swap,
            status: SymbolStatus::Open,
            wrap_enabled: false,
            closed_to: Vec::new(),
        };
        assert_eq!(exchange.own(Body::list_symbol(symbol)), Answer::Done);
        let contract = SymbolId::from_index(exchange.state.symbols().len() - 1);
        let mut world = Self { exchange, base, contract };
        world.advance(Time(1_000 * Time::SECOND));
        world
    }

    fn feed(&mut self, feed: &str, price: &str) {
        let prices = vec![(self.base, money(price))];
        assert_eq!(self.send(feed, prices), Answer::Done);
    }

    fn send(&mut self, feed: &str, prices: Vec<(CurrencyId, Money)>) -> Answer {
        self.exchange.own(perp::Command::FeedPrice(FeedPrices { feed: feed.into(), prices, age: 0 }).into())
    }

    fn due(&self) -> Option<Due<perp::Command>> {
        self.exchange.state.next_due_in(self.exchange.state.perps())
    }

    /// Runs what of perpetuals is due, and moves the time.
    fn advance(&mut self, to: Time) {
        while let Some(due) = self.due().filter(|due| due.time <= to) {
            self.run(due.time, due.command.into());
        }
        self.run(to, Body::Founding(buttonwood_engine::Founding::MoveClock));
    }

    fn run(&mut self, time: Time, body: Body) {
        let micros = time.0.saturating_sub(self.exchange.stamp.time.0);
        assert_eq!(self.exchange.submit(micros, &Command { caller: None, body }), Answer::Done);
    }

    /// The contract after the next full second.
    fn marked(&mut self) -> Option<Contract> {
        let second = Time((self.exchange.stamp.time.0 / Time::SECOND + 1) * Time::SECOND);
        self.advance(second);
        self.exchange.state.perps().contract(self.contract).copied()
    }

    fn index(&mut self) -> Option<Money> {
        self.marked().filter(|contract| contract.is_fresh).map(|contract| contract.index)
    }
}

fn money(text: &str) -> Money {
    Money::from_decimal(Decimal::parse(text.as_bytes()).unwrap()).unwrap()
}

/// A sandbox needs one source; a price counts from the next full second until a minute after its command, and the marks are taken at
/// that moment. A price that came again is fresh longer.
#[test]
fn a_price_counts_for_a_minute() {
    let mut world = World::new(Mode::Sandbox);
    assert_eq!((world.due(), world.marked()), (None, None));
    world.feed("a", "600.5");
    let sent = world.exchange.stamp.time;
    assert_eq!(world.due().unwrap().time, Time((sent.0 / Time::SECOND + 1) * Time::SECOND));
    assert_eq!(world.index(), Some(money("600.5")));
    let stale = sent.plus(FRESH);
    assert_eq!(world.due().map(|due| (due.time, due.may_skip)), Some((stale, false)));
    // The same price only moves the time.
    world.feed("a", "600.5");
    let again = world.exchange.stamp.time;
    assert_eq!(world.due().unwrap().time, again.plus(FRESH));
    world.advance(Time(again.plus(FRESH).0 - 1));
    assert!(world.exchange.state.perps().contract(world.contract).unwrap().is_fresh);
    world.advance(again.plus(FRESH));
    // The last prices stay.
    let contract = world.exchange.state.perps().contract(world.contract).copied().unwrap();
    assert_eq!((contract.index, contract.mark, contract.is_fresh), (money("600.5"), money("600.5"), false));
    let hour = perp::funding::next_hour(world.exchange.stamp.time);
    assert_eq!(world.due().unwrap().time, hour, "nothing else is due");
    world.feed("a", "600.5");
    assert_eq!(world.index(), Some(money("600.5")));
    // A pin counts alone.
    world.exchange.own(perp::Command::PinIndex(world.base, Some(money("700"))).into());
    world.feed("a", "601");
    assert_eq!(world.index(), Some(money("700")));
}

/// A venue needs three sources. Of three the middle one is the index, of four the mean of the middle two; the currency's own dollar
/// book is one of them. Proves PERP-012 (part).
#[test]
fn a_venue_needs_three_sources() {
    let mut world = World::new(Mode::Venue);
    world.feed("a", "600");
    assert_eq!(world.index(), None);
    world.feed("b", "610");
    assert_eq!(world.index(), None);
    world.feed("c", "601");
    assert_eq!(world.index(), Some(money("601")));
    world.feed("d", "602");
    assert_eq!(world.index(), Some(money("601.5")));
    // Two go stale; the book is the third source.
    world.advance(world.exchange.stamp.time.plus(FRESH / 2));
    world.feed("a", "600");
    world.feed("b", "610");
    world.advance(world.exchange.stamp.time.plus(FRESH / 2));
    assert_eq!(world.index(), None);
    let exchange = &mut world.exchange;
    let book = exchange.symbol(["BNB", "USD"], ["0.001", "0.001", "0.01"], &[]);
    let account = exchange.account("one", "");
    let session = exchange.key("one", account, Role::Trader);
    let usd = exchange.find_currency("USD");
    assert_eq!(exchange.own(Body::credit(account, vec![(usd, money("10000"))])), Answer::Done);
    let place = Place::limit(book, Side::Buy, Price::from_ticks(60_550), Qty::from_hundredths(100_000));
    let body = TradingCommand::Place(place).into();
    exchange.submit(1, &Command { caller: Some(caller(session, account, 1)), body });
    assert_eq!(world.index(), Some(money("605.5")));
}

/// A wrong document is refused whole and changes nothing; a taken one is in the snapshot and in the replay.
#[test]
fn wrong_prices_change_nothing() {
    let mut world = World::new(Mode::Sandbox);
    let (base, one) = (world.base, money("1"));
    let [dollar, none] = [world.exchange.find_currency("USD"), CurrencyId(999)];
    let before = world.exchange.fork();
    for (feed, prices, reject) in [
        ("", vec![(base, one)], perp::Reject::BadFeed),
        ("a b", vec![(base, one)], perp::Reject::BadFeed),
        ("a", vec![], perp::Reject::BadFeed),
        ("a", vec![(base, one), (base, one)], perp::Reject::BadFeed),
        ("a", vec![(base, one), (dollar, one)], perp::Reject::Unknown),
        ("a", vec![(none, one)], perp::Reject::Unknown),
        ("a", vec![(base, Money::ZERO)], perp::Reject::BadPrice),
        ("a", vec![(base, -one)], perp::Reject::BadPrice),
        ("a", vec![(base, Money::MAX)], perp::Reject::BadPrice),
    ] {
        assert_eq!(world.send(feed, prices), Answer::Rejected(Reject::Perp(reject)), "{feed}");
    }
    assert_eq!((world.exchange.state.perps(), world.due()), (before.state.perps(), None));
    world.feed("a", "600");
    world.feed("b", "602");
    assert_eq!(world.index(), Some(money("601")));
    let stored = world.exchange.stored();
    assert!(stored == world.exchange.state, "a snapshot holds the state");
    let mut again = Exchange::blank();
    for frame in world.exchange.journal.clone().unwrap() {
        again.replay(&frame);
    }
    assert_eq!(world.exchange.difference(&again), None);
}
