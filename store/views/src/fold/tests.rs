//! A small life of prediction markets, through the engine's own decisions: its rows, its statement, and what a replay makes of it.

mod order_events;

use super::*;
use crate::history::{
    Change, ClosedContractOrder, EntriesFrom, EntryRow, Limit, Line, Lines, Numbered, Part, PredictionRow,
    Query, Row, SettledPosition, Settlement, Since, Sums, TradeRow,
};
use crate::reserves::{Cut, Nonces, Trees};
use crate::{Depth, Records, Views};
use buttonwood_engine::prediction::{
    Command as Own, NewContract, NewEvent, NewResolution, NewVoid, Status, combo_grid,
};
use buttonwood_engine::{
    About, Account, Body, BreakError, BreakKind, Caller, Cause, Command, FeeSchedule, Founding, Mode,
    NewSession, Opening, Outcome, Owner, Place, Reject, TradingCommand, TradingReject, Workspace, decide,
    funds, houses,
};
use buttonwood_model::{
    AccountId, CancelReason, Claim, ClientId, Currency, CurrencyId, CurrencyKind, EventId, ExecutionOption,
    GroupId, Nonce, Role, Roles, Seq, SessionId, Time, TradeId,
};
use buttonwood_num::{Decimal, Money};
use tempfile::{TempDir, tempdir};

const START: Time = Time(1_767_225_600_000_000);
const HOUR: u64 = 3_600 * Time::SECOND;
const USD: CurrencyId = CurrencyId(0);
const ANN: u32 = 0;
const BOB: u32 = 1;
const CAT: u32 = 2;
const RAIN: SymbolId = SymbolId::contract(0);
const SNOW: SymbolId = SymbolId::contract(1);
const ALL: Limit = Limit { rows: 1_000, most: 1_000 };

/// A sink that keeps the rows that contracts have, and the levels.
#[derive(Default)]
struct Kept {
    trades: Vec<TradeRow>,
    predictions: Vec<PredictionRow>,
    entries: Vec<EntryRow>,
    changes: Vec<OrderChange>,
    refused: Vec<RefusedEvent>,
    orders: usize,
    depth: Depth,
}

/// The same with the index, and the rows of statements.
struct Rows {
    counted: Counted,
    kept: Kept,
    changes: Vec<Numbered>,
}

impl Sink for Rows {
    fn row<R: RowKind>(&mut self, row: &R) -> Position {
        let of_any: Row = (*row).into();
        let at = self.counted.row(row);
        if let Row::Trade(row) = of_any {
            self.kept.trades.push(row);
            self.change(row.account, &Change::Trade(row));
        }
        if let Row::Order(_) = of_any {
            self.kept.orders += 1;
        }
        if let Row::Entry(row) = of_any {
            self.kept.entries.push(row);
            self.change(row.account, &Change::Entry(row));
        }
        if let Row::Prediction(row) = of_any {
            self.kept.predictions.push(row);
        }
        at
    }

    fn order_event(&mut self, change: &OrderChange) {
        self.kept.changes.push(*change);
        self.counted.order_event(change);
    }

    fn refused_order(&mut self, event: &RefusedEvent) {
        self.kept.refused.push(*event);
        self.counted.refused_order(event);
    }

    fn rested(&mut self, symbol: SymbolId, side: Side, price: Price, qty: Qty) {
        self.kept.depth.add(symbol, side, price, qty);
    }

    fn reduced(&mut self, symbol: SymbolId, side: Side, price: Price, qty: Qty, _why: Removed) {
        self.kept.depth.remove(symbol, side, price, qty);
    }
}

impl Rows {
    fn new() -> Self {
        Self { counted: Counted::new(Index::new(7)), kept: Kept::default(), changes: Vec::new() }
    }

    fn change(&mut self, account: AccountId, row: &Change) {
        self.changes.push(Numbered { last: self.counted.index.ids(account), row: *row });
    }
}

/// The events of a command, as the journal keeps them.
struct Frame {
    stamp: Stamp,
    events: Vec<Event>,
    texts: Vec<u8>,
}

/// Three customers of one group with a thousand dollars each, two events, and views that follow.
struct Venue {
    state: State,
    stamp: Stamp,
    work: Workspace,
    nonce: u64,
    fold: Fold,
    rows: Rows,
    sums: Sums,
    views: Views,
    frames: Vec<Frame>,
    _directory: TempDir,
}

fn account(who: u32) -> AccountId {
    AccountId::from_index(houses().count() + usize::try_from(who).unwrap())
}

fn money(text: &str) -> Money {
    let digits = text.trim_start_matches('-');
    let amount = Money::from_decimal(Decimal::parse(digits.as_bytes()).unwrap()).unwrap();
    if text == digits { amount } else { -amount }
}

fn event(ticker: &str) -> Own {
    let (grid, qty_min) = combo_grid().unwrap();
    Own::ListEvent(Arc::new(NewEvent {
        prefix: "SVC".to_owned(),
        ticker: ticker.to_owned(),
        title: ticker.to_owned(),
        category: "weather".to_owned(),
        contracts: vec![NewContract { ticker: ticker.to_owned(), label: ticker.to_owned() }],
        is_exclusive: true,
        start: None,
        expiry: START.plus(HOUR),
        dispute: 0,
        strike: None,
        grid,
        qty_min,
        closed_to: Vec::new(),
        source: None,
    }))
}

/// Currencies, accounts and keys.
fn founding() -> Vec<Body> {
    let open = Opening { mode: Mode::Sandbox, seed: 1, hash_key: 2, fees: FeeSchedule::default() };
    let dollar = Currency {
        code: "USD".to_owned(),
        name: "US Dollar".to_owned(),
        decimals: 2,
        kind: CurrencyKind::Fiat,
        networks: Vec::new(),
    };
    let mut bodies = vec![Body::open(open), Body::list_currency(dollar), Body::add_group("one".to_owned())];
    for who in [ANN, BOB, CAT] {
        let mut opened = Account::house(START);
        opened.group = Some(GroupId(0));
        opened.short_name = format!("account-{who}");
        bodies.push(Body::open_account(opened));
        bodies.push(Body::add_session(NewSession {
            owner: Owner::Account(account(who)),
            roles: Roles::of(&[Role::Trader]),
            require_heartbeat: false,
            time_based_nonce: false,
            api_key: format!("account-key-{who}"),
            name: format!("key-{who}"),
            addresses: Vec::new(),
        }));
        bodies.push(Body::credit(account(who), vec![(USD, money("1000"))]));
    }
    bodies
}

impl Venue {
    fn new() -> Self {
        let directory = tempdir().unwrap();
        let state = State::new();
        let mut venue = Self {
            sums: Sums::of(&state),
            state,
            stamp: Stamp { seq: Seq(0), time: START },
            work: Workspace::default(),
            nonce: 0,
            fold: Fold::default(),
            rows: Rows::new(),
            views: Views::open(directory.path(), Fold::default(), Index::new(7)).unwrap(),
            frames: Vec::new(),
            _directory: directory,
        };
        for body in founding() {
            venue.own(body);
        }
        venue.own(event("RAIN"));
        venue.own(event("SNOW"));
        venue.call(ANN, Own::AcceptTerms);
        venue
    }

    #[track_caller]
    fn own(&mut self, body: impl Into<Body>) {
        let outcome = self.submit(None, body.into());
        assert!(!matches!(outcome, Outcome::Rejected(_)), "{outcome:?}");
    }

    #[track_caller]
    fn call(&mut self, who: u32, body: impl Into<Body>) {
        self.nonce += 1;
        let nonce = Nonce::parse(self.nonce.to_string().as_bytes()).unwrap();
        let caller = Caller { session: SessionId(who), account: Some(account(who)), nonce };
        let outcome = self.submit(Some(caller), body.into());
        assert!(!matches!(outcome, Outcome::Rejected(_)), "{outcome:?}");
    }

    /// Runs a command. The statement explains every balance after it, and all folds have the levels of the books.
    fn submit(&mut self, caller: Option<Caller>, body: Body) -> Outcome {
        self.stamp = Stamp { seq: Seq(self.stamp.seq.0 + 1), time: self.stamp.time.plus(1_000) };
        self.work.out.events.clear();
        self.work.out.texts.clear();
        let outcome = decide(&self.state, &Command { caller, body }, self.stamp, &mut self.work);
        let (events, texts) = (self.work.out.events.clone(), self.work.out.texts.clone());
        self.state.apply(self.stamp, &events, &texts);
        self.fold.apply(self.stamp, &events, &texts, &mut self.rows);
        self.views.apply(self.stamp, &events, &texts);
        assert_eq!(self.state.broken_law(), None);
        assert_eq!(self.fold.state().fingerprint(), self.state.fingerprint());
        for row in self.rows.changes.drain(..) {
            self.sums.add(self.state.symbols(), &row).unwrap();
        }
        self.sums.check(&self.state).unwrap();
        assert_eq!(*self.views.depth(), self.rows.kept.depth);
        self.frames.push(Frame { stamp: self.stamp, events, texts });
        outcome
    }

    /// Runs what falls due within a second.
    fn wait(&mut self) {
        let until = self.stamp.time.plus(Time::SECOND);
        while let Some(due) = self.state.next_due().filter(|due| due.time <= until) {
            self.stamp.time = self.stamp.time.max(due.time);
            self.own(due.command);
        }
        self.stamp.time = self.stamp.time.max(until);
        self.own(Founding::MoveClock);
    }

    /// An order in its own view: `buy no 10 @ 0.60`, with `ioc` at its end if it must not rest.
    #[track_caller]
    fn order(&mut self, contract: SymbolId, who: u32, words: &str) {
        let words: Vec<&str> = words.split(' ').collect();
        let grid = &self.state.symbol(contract).unwrap().grid;
        let claim = if words[1] == "yes" { Claim::Yes } else { Claim::No };
        let own = grid.price(Decimal::parse(words[4].as_bytes()).unwrap()).unwrap();
        let place = Place {
            symbol: contract,
            side: if (words[0] == "buy") == (claim == Claim::Yes) { Side::Buy } else { Side::Sell },
            claim,
            kind: OrderKind::Limit,
            option: (words.get(5) == Some(&"ioc")).then_some(ExecutionOption::ImmediateOrCancel),
            price: if claim == Claim::Yes { own } else { Price::from_ticks(100 - own.ticks()) },
            qty: grid.qty(Decimal::parse(words[2].as_bytes()).unwrap()).unwrap(),
            spend: Money::ZERO,
            client_id: Some(ClientId::copied(b"mine")),
            stop: Price::default(),
            margin: false,
        };
        self.call(who, TradingCommand::Place(place));
    }

    fn resolve(&mut self, event: u32, ticker: &str, outcome: Claim) {
        let outcomes = vec![(ticker.to_owned(), outcome)];
        let source = "the sky".to_owned();
        self.own(Own::Resolve(Arc::new(NewResolution { event: EventId(event), outcomes, source })));
        self.wait();
    }

    /// All lines of an account in dollars, oldest first.
    fn lines(&self, who: u32) -> Vec<Line> {
        let lines = Lines::of(&self.state, self.views.history(), account(who), None);
        let mut lines = lines.page(Query::whole(self.views.history()), EntriesFrom::Newest, ALL).unwrap();
        lines.reverse();
        lines
    }

    fn orders(&self) -> Vec<ClosedContractOrder> {
        let of = |row: &PredictionRow| match row {
            PredictionRow::Order(order) => Some(*order),
            PredictionRow::Settled(_) | PredictionRow::Sold(_) => None,
        };
        self.rows.kept.predictions.iter().filter_map(of).collect()
    }

    fn settled(&self) -> Vec<SettledPosition> {
        let of = |row: &PredictionRow| match row {
            PredictionRow::Settled(settled) => Some(*settled),
            PredictionRow::Order(_) | PredictionRow::Sold(_) => None,
        };
        self.rows.kept.predictions.iter().filter_map(of).collect()
    }

    /// Mints, transfers, merges and nets on one contract, and leaves an order on its book.
    fn trades(&mut self) {
        self.order(RAIN, ANN, "buy yes 10 @ 0.40");
        self.order(RAIN, BOB, "buy no 10 @ 0.65");
        self.order(RAIN, ANN, "sell yes 4 @ 0.50");
        self.order(RAIN, CAT, "buy yes 4 @ 0.50");
        self.order(RAIN, ANN, "sell yes 2 @ 0.55");
        self.order(RAIN, BOB, "sell no 2 @ 0.45");
        self.order(RAIN, BOB, "sell no 3 @ 0.50");
        self.order(RAIN, CAT, "buy no 2 @ 0.50");
        self.order(RAIN, CAT, "buy yes 5 @ 0.70 ioc");
        self.order(RAIN, ANN, "buy no 1 @ 0.05");
    }
}

/// The life of a contract up to its payout.
fn paid() -> Venue {
    let mut venue = Venue::new();
    venue.trades();
    venue.resolve(0, "RAIN", Claim::Yes);
    assert_eq!(venue.state.predictions().event(EventId(0)).unwrap().status, Status::Settled);
    venue
}

/// Trades and closed orders have the price and the side of their own outcome. Closed orders are rows of prediction markets alone.
#[test]
fn rows_are_in_the_view_of_their_outcome() {
    let venue = paid();
    let ticks = |row: &TradeRow| (row.account, row.claim, row.side, row.price.ticks(), row.part);
    let (ann, bob, cat) = (account(ANN), account(BOB), account(CAT));
    let (yes, no, buy, sell) = (Claim::Yes, Claim::No, Side::Buy, Side::Sell);
    let trades: Vec<_> = venue.rows.kept.trades.iter().map(ticks).collect();
    let expected = [
        (ann, yes, buy, 40, Part::Maker),
        (bob, no, buy, 60, Part::Taker),
        (ann, yes, sell, 50, Part::Maker),
        (cat, yes, buy, 50, Part::Taker),
        (ann, yes, sell, 55, Part::Maker),
        (bob, no, sell, 45, Part::Taker),
        (bob, no, sell, 50, Part::Maker),
        (cat, no, buy, 50, Part::Taker),
    ];
    assert_eq!(trades, expected);
    assert!(venue.rows.kept.trades.iter().all(|row| row.settled.is_none()));
    let shown = |row: &ClosedContractOrder| {
        (
            row.account,
            row.claim,
            row.side,
            row.price.ticks(),
            row.executed().hundredths() / 10_000,
            row.reason,
        )
    };
    let orders: Vec<_> = venue.orders().iter().map(shown).collect();
    let (cancelled, closed) = (CancelReason::ImmediateOrCancelWouldPost, CancelReason::MarketClosed);
    let expected = [
        (ann, yes, buy, 40, 10, None),
        (bob, no, buy, 65, 10, None),
        (ann, yes, sell, 50, 4, None),
        (cat, yes, buy, 50, 4, None),
        (ann, yes, sell, 55, 2, None),
        (bob, no, sell, 45, 2, None),
        (cat, no, buy, 50, 2, None),
        (cat, yes, buy, 70, 0, Some(cancelled)),
        (bob, no, sell, 50, 2, Some(closed)),
        (ann, no, buy, 5, 0, Some(closed)),
    ];
    assert_eq!(orders, expected);
    let notional = |place: usize| venue.orders()[place].notional;
    assert_eq!([notional(1), notional(5), notional(8)], ["6", "0.9", "1"].map(money));
    assert!(venue.orders().iter().all(|row| row.client_id == Some(ClientId::copied(b"mine"))));
    assert_eq!(venue.rows.kept.orders, 0);
    assert_eq!(*venue.views.candles(), Candles::default());
    assert_eq!(venue.views.trade_volumes(), &TradeVolumes::default());
    let history = Query::whole(venue.views.history());
    assert_eq!(history.orders(ann, None, None, ALL, 9).unwrap(), []);
    assert_eq!(history.trades(ann, Some(RAIN), None, ALL).unwrap().len(), 3);
    let public = history.public_trades(RAIN, Since::Newest, ALL).unwrap();
    let taken: Vec<_> = public.iter().rev().map(|row| (row.price.ticks(), row.taker)).collect();
    assert_eq!(taken, [(40, Some(sell)), (50, Some(buy)), (55, Some(buy)), (50, Some(sell))]);
    // It trades no more.
    assert_eq!(
        venue.views.tape().sums(RAIN, venue.stamp.time).unwrap().day(None, &combo_grid().unwrap().0).base,
        Qty::ZERO
    );
    assert_eq!(venue.views.tape().last(RAIN), Some(Price::from_ticks(50)));
}

/// Each movement of dollars is a line with its cause and what it is about; nothing else is one.
#[test]
fn the_statement_tells_every_movement() {
    let venue = paid();
    let trades: Vec<TradeId> = venue.rows.kept.trades.iter().map(|row| row.trade).collect();
    // The place of the trade, or 9 for the contract.
    let about = |line: &Line| {
        if let About::Trade(_, trade) = line.about {
            return trades.iter().position(|own| *own == trade).map(|place| place / 2);
        }
        (line.about == About::Contract(RAIN)).then_some(9)
    };
    let told = |who| {
        let lines = venue.lines(who);
        assert!(lines.iter().all(|line| line.currency == USD));
        lines.iter().skip(1).map(|line| (line.cause, line.amount, about(line))).collect::<Vec<_>>()
    };
    let (trade, fee) = (Cause::Trade, Cause::Fee);
    let line = |cause, amount: &str, about| (cause, money(amount), Some(about));
    // A maker pays 1 %, a taker 5 % of the smaller price.
    let ann = [
        line(trade, "-4", 0),
        line(fee, "-0.04", 0),
        line(trade, "2", 1),
        line(fee, "-0.02", 1),
        line(trade, "1.1", 2),
        line(fee, "-0.009", 2),
        line(Cause::Payout, "4", 9),
    ];
    assert_eq!(told(ANN), ann);
    let cat = [
        line(trade, "-2", 1),
        line(fee, "-0.1", 1),
        line(trade, "-1", 3),
        line(fee, "-0.05", 3),
        line(Cause::Netting, "2", 9),
        line(Cause::Payout, "2", 9),
    ];
    assert_eq!(told(CAT), cat);
    assert_eq!(told(BOB).last(), Some(&line(fee, "-0.01", 3)), "a lost position moves no dollars");
}

/// Paid, lost and refunded positions are rows with what they cost and how their contract ended.
#[test]
fn positions_end_as_rows() {
    let mut venue = paid();
    venue.order(SNOW, ANN, "buy yes 10 @ 0.40");
    venue.order(SNOW, BOB, "buy no 10 @ 0.60");
    let reason = "no clouds".to_owned();
    let void = NewVoid { event: EventId(1), reason, value: Some(money("0.25")), at_cost: false };
    venue.own(Own::Void(Arc::new(void)));
    venue.wait();
    let shown = |row: &SettledPosition| {
        (row.account, row.contract, row.claim, [row.quantity, row.payout, row.cost, row.realised], row.result)
    };
    let rows: Vec<_> = venue.settled().iter().map(shown).collect();
    let of = |texts: [&str; 4]| texts.map(money);
    let (yes, no) = (Claim::Yes, Claim::No);
    let (rained, void) = (Settlement::Outcome(yes), Settlement::Void(Some(money("0.25"))));
    let expected = [
        (account(ANN), RAIN, yes, of(["4", "4", "1.6", "0.7"]), rained),
        (account(BOB), RAIN, no, of(["6", "0", "3.6", "-0.5"]), rained),
        (account(CAT), RAIN, yes, of(["2", "2", "1", "0"]), rained),
        (account(ANN), SNOW, yes, of(["10", "2.5", "4", "0"]), void),
        (account(BOB), SNOW, no, of(["10", "7.5", "6", "0"]), void),
    ];
    assert_eq!(rows, expected);
    let last = venue.lines(BOB).pop().unwrap();
    assert_eq!((last.cause, last.about), (Cause::Refund, About::Contract(SNOW)));
    assert_eq!(venue.views.tape().last(SNOW), Some(Price::from_ticks(40)));
}

/// A replay gives the same fold and the same rows. Views that start from any point have the levels of contracts.
#[test]
fn a_replay_gives_the_same() {
    let venue = paid();
    let (mut fold, mut rows) = (Fold::default(), Rows::new());
    for frame in &venue.frames {
        fold.apply(frame.stamp, &frame.events, &frame.texts, &mut rows);
        let directory = tempdir().unwrap();
        crate::history::History::pad(&directory.path().into(), &rows.counted.index).unwrap();
        let views = Views::open(directory.path(), fold.clone(), rows.counted.index.clone()).unwrap();
        assert_eq!(*views.depth(), views_depth(&rows));
    }
    assert!(fold == venue.fold);
    let (own, again) = (&venue.rows.kept, &rows.kept);
    assert_eq!(
        (&own.trades, &own.predictions, &own.entries),
        (&again.trades, &again.predictions, &again.entries)
    );
    let history = venue.views.history();
    let read = history.after(crate::history::Lengths::empty());
    assert_eq!(read.predictions.map(Result::unwrap).collect::<Vec<_>>(), own.predictions);
    assert_eq!(history.index().lengths().predictions, rows.counted.index.lengths().predictions);
}

/// The levels of the sink without those that have become empty, as a start makes them.
fn views_depth(rows: &Rows) -> Depth {
    let mut depth = Depth::new();
    for side in [Side::Buy, Side::Sell] {
        for (price, qty) in rows.kept.depth.levels(RAIN, side, 0) {
            depth.add(RAIN, side, price, qty);
        }
    }
    depth
}

/// The facts of a contract's trade are found, its parties by their sides of the book; it is broken by hand, and not in full.
#[test]
fn a_trade_of_a_contract_is_broken_by_hand() {
    let mut venue = paid();
    let [mint, .., last] = [0, 2, 4, 6].map(|place: usize| venue.rows.kept.trades[place].trade);
    let find = |venue: &Venue, trade, kind| {
        Records::of(venue.views.state()).find(Query::whole(venue.views.history()), trade, kind).unwrap()
    };
    let broken = find(&venue, mint, BreakKind::Manual).unwrap();
    assert_eq!((broken.symbol, broken.price.ticks()), (RAIN, 40));
    assert_eq!([broken.buyer.account, broken.seller.account], [account(ANN), account(BOB)]);
    let sold = find(&venue, last, BreakKind::Manual).unwrap();
    assert_eq!([sold.buyer.account, sold.seller.account], [account(BOB), account(CAT)]);
    assert_eq!(find(&venue, TradeId(u64::MAX), BreakKind::Manual), None);
    let full = find(&venue, mint, BreakKind::Full).unwrap();
    let refused = venue.submit(None, TradingCommand::BreakTrade(Arc::new(full)).into());
    let expected = Reject::Trading(TradingReject::Break(BreakError::ManualOnly));
    assert_eq!(refused, Outcome::Rejected(expected));
    venue.own(TradingCommand::BreakTrade(Arc::new(broken)));
    assert_eq!(venue.views.state().floor().breaks.of(RAIN, mint), Some(BreakKind::Manual));
}

/// The dollars in all escrows are one line among the liabilities, which the accounts and this line sum to.
#[test]
fn the_escrows_are_a_line_of_the_proof_of_reserves() {
    let mut venue = Venue::new();
    let check = |venue: &Venue, escrowed: &str| {
        let cut = Cut::of(&venue.state, venue.stamp.time);
        let trees = Trees::of(&cut, &Nonces::new(b"secret"));
        let (_, tree) = trees.currencies().find(|(id, _)| *id == USD).unwrap();
        let sums = funds::reserves::sums(venue.state.funds(), venue.state.ledger(), USD);
        assert_eq!(tree.root.sum, sums.liabilities);
        let line = trees.proof(USD, AccountId(u32::MAX));
        assert_eq!(line.as_ref().map_or(Money::ZERO, |leaf| leaf.amount), money(escrowed));
        assert!(line.is_none_or(|leaf| leaf.nonce.starts_with("escrow/")));
    };
    check(&venue, "0");
    venue.trades();
    check(&venue, "6");
    venue.order(SNOW, ANN, "buy yes 10 @ 0.40");
    venue.order(SNOW, BOB, "buy no 10 @ 0.60");
    check(&venue, "16");
    venue.resolve(0, "RAIN", Claim::Yes);
    check(&venue, "10");
}
