//! Events of orders: their sequence for each fate of an order, their figures, their ids, and those that a client missed.

use super::*;
use crate::Happening;
use crate::history::Resumed;
use crate::{AccountEvent, EventId as OrderEventId, OrderEvent, Step};
use buttonwood_engine::perp::Infrequent as PerpEvent;
use buttonwood_engine::perp::off_book::{Kind, OffBook, Taken};
use buttonwood_engine::{OrderRef, OrderState, RefusedOrder, Schedule};
use buttonwood_model::{OrderId, Product, RefusalReason, Symbol, SymbolStatus};
use buttonwood_num::Grid;
use std::collections::BTreeMap;

const BTC: CurrencyId = CurrencyId(1);
const BTCUSD: SymbolId = SymbolId(0);

/// A venue with a book of spot, on which each customer has coins.
fn spot() -> Venue {
    let mut venue = Venue::new();
    let decimal = |text: &str| Decimal::parse(text.as_bytes()).unwrap();
    venue.own(Body::list_currency(Currency {
        code: "BTC".to_owned(),
        name: "Bitcoin".to_owned(),
        decimals: 8,
        kind: CurrencyKind::Crypto,
        networks: Vec::new(),
    }));
    let grid = Grid::new(decimal("1"), decimal("0.01")).unwrap();
    venue.own(Body::list_symbol(Symbol {
        name: "btcusd".to_owned(),
        base: BTC,
        quote: USD,
        qty_min: grid.qty(decimal("0.01")).unwrap(),
        grid,
        product: Product::Spot,
        status: SymbolStatus::Open,
        wrap_enabled: false,
        closed_to: Vec::new(),
    }));
    for who in [ANN, BOB, CAT] {
        venue.own(Body::credit(account(who), vec![(BTC, money("100"))]));
    }
    venue
}

/// A limit order.
fn limit(side: Side, qty: u64, price: u64) -> Place {
    Place {
        symbol: BTCUSD,
        side,
        claim: Claim::Yes,
        kind: OrderKind::Limit,
        option: None,
        price: Price::from_ticks(price),
        qty: Qty::from_hundredths(u128::from(qty) * 10_000),
        spend: Money::ZERO,
        client_id: Some(ClientId::copied(b"mine")),
        stop: Price::default(),
        margin: false,
    }
}

fn buy(qty: u64, price: u64) -> Place {
    limit(Side::Buy, qty, price)
}

fn sell(qty: u64, price: u64) -> Place {
    limit(Side::Sell, qty, price)
}

fn with(option: ExecutionOption, place: Place) -> Place {
    Place { option: Some(option), ..place }
}

impl Venue {
    /// A call that is refused.
    #[track_caller]
    fn refused(&mut self, who: u32, command: TradingCommand) {
        self.nonce += 1;
        let nonce = Nonce::parse(self.nonce.to_string().as_bytes()).unwrap();
        let caller = Caller { session: SessionId(who), account: Some(account(who)), nonce };
        let outcome = self.submit(Some(caller), command.into());
        assert!(matches!(outcome, Outcome::Rejected(_)), "{outcome:?}");
    }

    fn place(&mut self, who: u32, place: Place) {
        self.call(who, TradingCommand::Place(place));
    }

    /// The newest order.
    fn newest(&self) -> OrderId {
        self.rows.kept.changes.last().unwrap().order.id
    }

    fn events(&self) -> Vec<OrderEvent> {
        self.rows.kept.changes.iter().flat_map(OrderChange::events).collect()
    }

    /// The events of all orders, also those that a rule refused.
    fn all_events(&self) -> Vec<AccountEvent> {
        let refused = self.rows.kept.refused.iter().map(|event| AccountEvent::Refused(*event));
        let mut all: Vec<_> = self.events().into_iter().map(AccountEvent::Order).chain(refused).collect();
        all.sort_by_key(AccountEvent::id);
        all
    }

    /// The events of the commands since the last call. Orders are letters, in the order in which they entered.
    fn story(&self, from: &mut usize) -> String {
        let events = self.events();
        let mut letters = BTreeMap::new();
        for event in events.iter().filter(|event| event.step == Step::Accepted) {
            let letter = char::from(b'A' + u8::try_from(letters.len()).unwrap());
            letters.insert(event.order.id, letter);
        }
        let words = events[*from..].iter().map(|event| {
            let word = match event.step {
                Step::Accepted => "accepted".to_owned(),
                Step::Booked => "booked".to_owned(),
                Step::Filled(fill) => format!("filled {:?}", fill.part),
                Step::Cancelled(reason) => format!("cancelled {reason:?}"),
                Step::CancelRejected => "cancel rejected".to_owned(),
                Step::Closed => "closed".to_owned(),
            };
            format!("{} {word}", letters[&event.order.id])
        });
        let told = words.collect::<Vec<_>>().join(", ");
        *from = events.len();
        told
    }

    /// The live order as the state has it.
    fn live(&self, order: OrderId) -> Option<OrderState> {
        self.views.live_with_broken(order)
    }

    /// The events of each order add up to the order: accepted first, closed last, each once, and its figures.
    fn check_orders(&self) {
        let mut orders: BTreeMap<OrderId, Vec<OrderEvent>> = BTreeMap::new();
        for event in self.events() {
            orders.entry(event.order.id).or_default().push(event);
        }
        for (id, events) in &orders {
            let count = |step: fn(&Step) -> bool| events.iter().filter(|event| step(&event.step)).count();
            let first = events[0];
            assert_eq!((first.step, first.order.remaining), (Step::Accepted, first.order.original));
            assert_eq!(count(|step| *step == Step::Accepted), 1);
            assert!(count(|step| *step == Step::Booked) <= 1);
            let last = events.last().unwrap();
            let is_closed = last.step == Step::Closed;
            assert_eq!(count(|step| *step == Step::Closed), usize::from(is_closed), "{events:?}");
            assert_eq!(self.live(*id).is_none(), is_closed);
            assert!(self.live(*id).is_none_or(|live| live == last.order), "{last:?}");
            let mut executed = Qty::ZERO;
            for event in events {
                if let Step::Filled(fill) = event.step {
                    executed += fill.qty;
                }
                assert_eq!(event.order.executed(), executed, "{event:?}");
                assert_eq!(event.order.original, first.order.original);
                let reason = events.iter().take_while(|earlier| earlier.id <= event.id);
                let reason = reason.fold(None, |found, event| match event.step {
                    Step::Cancelled(reason) => Some(reason),
                    Step::Accepted | Step::Booked | Step::Filled(_) | Step::CancelRejected | Step::Closed => {
                        found
                    }
                });
                assert_eq!(event.order.reason, reason);
            }
            let trades = self.rows.kept.trades.iter().filter(|row| row.order == *id);
            let fills: Vec<_> = trades.map(|row| Step::Filled(row.into())).collect();
            let steps = events.iter().map(|event| event.step).filter(|step| matches!(step, Step::Filled(_)));
            assert_eq!(steps.collect::<Vec<_>>(), fills);
        }
        for closed in self.orders() {
            let last = orders[&closed.order].last().unwrap();
            assert_eq!((last.order.remaining, last.order.reason), (closed.remaining, closed.reason));
        }
        let ids: Vec<_> = self.all_events().iter().map(AccountEvent::id).collect();
        assert!(ids.is_sorted_by(|earlier, later| earlier < later));
    }

    /// After any event of an account exactly the later ones come, with the same content, and no other event of the account is known.
    fn check_resumes(&self) {
        let all = self.all_events();
        let after = |who, after| {
            let history = Query::whole(self.views.history());
            history.order_events_after(account(who), after, 1_000, |order| self.live(order)).unwrap()
        };
        for who in [ANN, BOB, CAT] {
            let of = |event: &&AccountEvent| event.account() == account(who);
            let own: Vec<AccountEvent> = all.iter().filter(of).copied().collect();
            for event in &all {
                let place = own.iter().position(|own| own.id() == event.id());
                let missed = place.map(|place| Resumed::Missed(own[place + 1..].to_vec()));
                assert_eq!(after(who, event.id()), missed.unwrap_or(Resumed::Unknown));
            }
            assert_eq!(after(who, OrderEventId(0)), Resumed::Unknown);
            assert_eq!(after(who, OrderEventId(u64::MAX)), Resumed::Unknown);
        }
    }

    /// A replay gives the same events, and both folds the same positions.
    fn check_replay(&self) {
        let (mut fold, mut rows) = (Fold::default(), Rows::new());
        for frame in &self.frames {
            fold.apply(frame.stamp, &frame.events, &frame.texts, &mut rows);
        }
        assert!(fold == self.fold);
        assert_eq!(rows.kept.changes, self.rows.kept.changes);
        assert_eq!(rows.kept.refused, self.rows.kept.refused);
        assert_eq!(self.views.history().index().lengths(), self.rows.counted.index.lengths());
        let read = self.views.history().after(crate::history::Lengths::empty());
        let refused = rows.kept.refused.iter().map(OrderEventRow::from);
        let mut kept: Vec<_> = rows.kept.changes.iter().map(OrderEventRow::from).chain(refused).collect();
        kept.sort_by_key(|row| row.first);
        assert_eq!(read.order_events.map(Result::unwrap).collect::<Vec<_>>(), kept);
    }

    fn check(&self) {
        self.check_orders();
        self.check_resumes();
        self.check_replay();
    }
}

/// Orders that rest, take a part and rest, and are taken whole. The resting order's events come before the taker's of the same trade.
#[test]
fn orders_rest_and_take() {
    let (mut venue, mut from) = (spot(), 0);
    venue.place(ANN, sell(2, 100));
    assert_eq!(venue.story(&mut from), "A accepted, A booked");
    venue.place(BOB, buy(3, 100));
    assert_eq!(venue.story(&mut from), "B accepted, A filled Maker, A closed, B filled Taker, B booked");
    venue.place(CAT, sell(1, 90));
    assert_eq!(venue.story(&mut from), "C accepted, B filled Maker, B closed, C filled Taker, C closed");
    venue.place(ANN, sell(1, 100));
    venue.place(CAT, sell(3, 101));
    venue.story(&mut from);
    venue.place(BOB, buy(2, 105));
    let expected =
        "F accepted, D filled Maker, D closed, F filled Taker, E filled Maker, F filled Taker, F closed";
    assert_eq!(venue.story(&mut from), expected);
    venue.check();
}

/// Cancels, and orders that their option cancels: none of these is booked unless it rested.
#[test]
fn orders_are_cancelled() {
    let (mut venue, mut from) = (spot(), 0);
    venue.place(ANN, sell(2, 100));
    venue.place(BOB, with(ExecutionOption::MakerOrCancel, buy(1, 100)));
    venue.place(BOB, with(ExecutionOption::FillOrKill, buy(3, 100)));
    venue.place(BOB, with(ExecutionOption::ImmediateOrCancel, buy(3, 100)));
    let expected = "A accepted, A booked, \
        B accepted, B cancelled MakerOrCancelWouldTake, B closed, \
        C accepted, C cancelled FillOrKillWouldNotFill, C closed, \
        D accepted, A filled Maker, A closed, D filled Taker, D cancelled ImmediateOrCancelWouldPost, D closed";
    assert_eq!(venue.story(&mut from), expected);
    venue.place(ANN, with(ExecutionOption::MakerOrCancel, sell(2, 100)));
    venue.call(ANN, TradingCommand::Cancel(OrderRef::Id(venue.newest())));
    assert_eq!(venue.story(&mut from), "E accepted, E booked, E cancelled Requested, E closed");
    venue.place(ANN, sell(2, 100));
    venue.place(ANN, sell(2, 101));
    venue.story(&mut from);
    venue.call(ANN, TradingCommand::CancelAll);
    assert_eq!(venue.story(&mut from), "G cancelled Requested, G closed, F cancelled Requested, F closed");
    venue.check();
}

/// A stop order is booked when it begins to wait. Its trigger has no event; then it trades, or rests without a second booked.
#[test]
fn stop_orders_are_booked_once() {
    let (mut venue, mut from) = (spot(), 0);
    let stop =
        |place: Place, stop| Place { kind: OrderKind::StopLimit, stop: Price::from_ticks(stop), ..place };
    venue.place(CAT, stop(buy(1, 110), 100));
    assert_eq!(venue.story(&mut from), "A accepted, A booked");
    let booked = *venue.events().last().unwrap();
    assert_eq!(booked.order.stop, Some(Price::from_ticks(100)));
    assert_eq!(venue.events()[0].order.stop, booked.order.stop);
    venue.place(CAT, stop(buy(1, 101), 100));
    venue.place(ANN, sell(3, 100));
    venue.story(&mut from);
    venue.place(BOB, buy(1, 100));
    venue.wait();
    let expected = "D accepted, C filled Maker, D filled Taker, D closed, \
        C filled Maker, A filled Taker, A closed, C filled Maker, C closed, B filled Taker, B closed";
    assert_eq!(venue.story(&mut from), expected);
    venue.place(CAT, stop(buy(1, 99), 90));
    venue.place(ANN, sell(1, 95));
    venue.story(&mut from);
    venue.place(BOB, buy(1, 95));
    venue.wait();
    assert_eq!(venue.story(&mut from), "G accepted, F filled Maker, F closed, G filled Taker, G closed");
    assert!(venue.views.depth().best(BTCUSD, Side::Buy).is_some(), "the triggered order rests");
    venue.call(CAT, TradingCommand::CancelAll);
    assert_eq!(venue.story(&mut from), "E cancelled Requested, E closed");
    venue.check();
}

/// Orders for an auction are booked while they wait; in the auction both sides fill. A cancel that comes too late is rejected.
#[test]
fn auctions_fill_both_sides() {
    let (mut venue, mut from) = (spot(), 0);
    let minute = 60 * Time::SECOND;
    let schedule = Schedule {
        time: venue.stamp.time.plus(2 * minute),
        every: 0,
        opens: Schedule::ALWAYS,
        indicates: 0,
        indicates_every: 0,
        last_cancel: 2 * minute - 5 * Time::SECOND,
    };
    venue.own(TradingCommand::ScheduleAuctions(BTCUSD, Some(schedule)));
    venue.place(ANN, with(ExecutionOption::AuctionOnly, sell(2, 100)));
    venue.place(BOB, buy(1, 99));
    venue.place(CAT, with(ExecutionOption::AuctionOnly, buy(2, 101)));
    assert_eq!(venue.story(&mut from), "A accepted, A booked, B accepted, B booked, C accepted, C booked");
    venue.stamp.time = venue.stamp.time.plus(minute);
    venue.call(ANN, TradingCommand::CancelAll);
    assert_eq!(venue.story(&mut from), "A cancel rejected");
    venue.stamp.time = venue.stamp.time.plus(minute);
    venue.wait();
    assert_eq!(venue.story(&mut from), "C filled Auction, C closed, A filled Auction, A closed");
    venue.check();
}

/// Trades off the book: every order is accepted, filled and closed in the command.
#[test]
fn off_book_orders_live_for_one_command() {
    let (mut venue, mut from) = (spot(), 0);
    let off = |who, order, qty: u128| OffBook {
        account: account(who),
        order: OrderId(order),
        trade: buttonwood_model::TradeId(order + 1),
        price: money("99.5"),
        qty: Qty::from_hundredths(qty),
    };
    let taken = Taken {
        account: account(ANN),
        symbol: BTCUSD,
        side: Side::Sell,
        order: OrderId(9_000),
        fee: Money::ZERO,
        kind: Kind::TakenOver,
        trades: vec![off(BOB, 9_001, 500), off(CAT, 9_003, 700)],
        left: Qty::ZERO,
    };
    let stamp = Stamp { seq: Seq(venue.stamp.seq.0 + 1), ..venue.stamp };
    PerpEvent::OffBookTaken(taken).record(&mut venue.fold, stamp, &mut venue.rows);
    let part = format!("{:?}", Part::OffBook(money("99.5")));
    let expected =
        "A accepted, B accepted, A filled, B filled, B closed, C accepted, A filled, C filled, C closed, \
        A closed"
            .replace("filled", &format!("filled {part}"));
    assert_eq!(venue.story(&mut from), expected);
    let events = venue.events();
    assert_eq!(events[0].order.remaining, Qty::from_hundredths(1_200));
    assert_eq!(events[2].order.remaining, Qty::from_hundredths(700));
    assert_eq!(events.last().unwrap().order.executed(), Qty::from_hundredths(1_200));
}

/// Contracts have the same events; an order about no has the figures of the book, and its fills those of its outcome.
#[test]
fn contracts_have_events() {
    let venue = paid();
    venue.check();
    let events = venue.events();
    let no = events.iter().find(|event| event.order.claim == Claim::No).unwrap();
    assert_eq!((no.order.side, no.order.price.ticks()), (Side::Sell, 35));
    let fill =
        events.iter().find(|event| event.order.id == no.order.id && matches!(event.step, Step::Filled(_)));
    let Step::Filled(fill) = fill.unwrap().step else { panic!("it is a fill") };
    assert_eq!((fill.price.ticks(), fill.claim), (60, Claim::No));
}

/// Events are kept for a reader only while it wants them, each once.
#[test]
fn a_reader_gets_each_event_once() {
    let mut venue = spot();
    venue.place(ANN, sell(2, 100));
    assert_eq!(told(&mut venue.views), []);
    venue.views.tell(true);
    venue.place(BOB, buy(1, 100));
    venue.place(BOB, buy(1, 90));
    venue.views.tell(true);
    assert_eq!(told(&mut venue.views), venue.all_events()[2..]);
    assert_eq!(told(&mut venue.views), []);
    venue.views.tell(false);
    venue.place(BOB, buy(1, 90));
    assert_eq!(told(&mut venue.views), []);
    venue.check();
}

/// An order that a rule refuses has one event, among the others of its account, and takes an id. It is nowhere else.
#[test]
fn a_refused_order_has_one_event() {
    let (mut venue, mut from) = (spot(), 0);
    venue.views.tell(true);
    venue.place(ANN, sell(2, 100));
    let place = buy(90_000_000, 1_000_000);
    venue.refused(BOB, TradingCommand::Place(place));
    let event = *venue.rows.kept.refused.last().unwrap();
    let expected = RefusedOrder {
        id: OrderId(venue.newest().0 + 1),
        account: account(BOB),
        session: SessionId(BOB),
        symbol: BTCUSD,
        side: Side::Buy,
        claim: Claim::Yes,
        kind: OrderKind::Limit,
        option: None,
        price: venue.state.symbol(BTCUSD).unwrap().grid.decimal_of_price(place.price),
        stop: None,
        qty: venue.state.symbol(BTCUSD).unwrap().grid.decimal_of_qty(place.qty),
        spend: None,
        client_id: place.client_id,
        reason: RefusalReason::InsufficientFunds,
    };
    assert_eq!(event.order, expected);
    assert_eq!((event.id, event.time), (OrderEventId::new(venue.stamp.seq, 0), venue.stamp.time));
    assert_eq!(venue.live(event.order.id), None);
    venue.place(BOB, buy(1, 100));
    venue.refused(BOB, TradingCommand::Place(with(ExecutionOption::AuctionOnly, buy(1, 100))));
    assert_eq!(
        venue.story(&mut from),
        "A accepted, A booked, B accepted, A filled Maker, B filled Taker, B closed"
    );
    let all = venue.all_events();
    assert_eq!(told(&mut venue.views), all);
    assert_eq!(all.len(), 8);
    assert!(
        matches!(all[7], AccountEvent::Refused(event) if event.order.reason == RefusalReason::UnsupportedOption)
    );
    venue.check();
}

/// A refused order of a contract has the side and the price of its own outcome.
#[test]
fn a_refused_order_of_a_contract_is_in_its_own_view() {
    let mut venue = paid();
    let price = Price::from_ticks(35);
    let place = Place { symbol: RAIN, claim: Claim::No, price, ..sell(90_000_000, 0) };
    venue.refused(CAT, TradingCommand::Place(place));
    let order = venue.rows.kept.refused.last().unwrap().order;
    assert_eq!((order.side, order.claim, order.price), (Side::Buy, Claim::No, Decimal::parse(b"0.65").ok()));
    venue.check();
}

/// The order events that were told.
fn told(views: &mut Views) -> Vec<AccountEvent> {
    let told = views.take_told().unwrap_or_default();
    let order = |happening: &Happening| match happening {
        Happening::Order(event) => Some(*event),
        Happening::Level(_)
        | Happening::Trade(_)
        | Happening::Mark(..)
        | Happening::Funding(..)
        | Happening::Account(_)
        | Happening::Paid(_)
        | Happening::Auction(..)
        | Happening::Contracts => None,
    };
    told.commands().flat_map(|(_, happenings)| happenings.iter().filter_map(order)).collect()
}
