//! The core as driven by tests: one state; commands in, events out; every law is checked after every command.
//!
//! Everything that these tests know of the core's internals (how to walk a book, which slot holds which order) is in
//! this file.

use crate::breaks::trade_of;
use crate::preview::{Foreseen, foresee};
use buttonwood_engine::{
    AccessEvent, Account, AccountKind, Adjustment, Answer, Balance, Body, Break, BreakKind, Caller,
    ClearingInfrequent as ClearingEvent, Command, ConvertInfrequent, Event, FEES, FeeSchedule, Finding,
    FundsInfrequent as FundsEvent, Infrequent, LedgerInfrequent, Mode, NewSession, Opening, OrderState,
    Outcome, Owner, PredictionInfrequent, RefusedOrder, Schedule, State, TradingCommand, TradingEvent,
    TradingInfrequent, Workspace, decide, decode_command, decode_events, encode, evolve, houses,
    perp::Infrequent as PerpEvent, spot_margin::Infrequent as MarginEvent,
    staking::Infrequent as StakingEvent,
};
use buttonwood_model::{
    AccountId, CancelReason, ConnectionId, Currency, CurrencyId, CurrencyKind, GroupId, LOOKS_OF_COMMAND,
    Nonce, OrderId, Outbox, Product, RefusalReason, Role, Roles, Seq, SessionId, Side, Stamp, Symbol,
    SymbolId, SymbolStatus, Time, TradeId,
};
use buttonwood_num::{Decimal, Grid, Money, Price, Qty};

/// One event, with ids instead of slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// An order got this id.
    Accepted(u64),
    /// The entering order traded with a resting one.
    Filled {
        /// The resting order.
        maker: u64,
        /// The trade's id.
        trade: u64,
        /// The resting order's price.
        price: Price,
        /// The quantity.
        qty: Qty,
        /// The resting order's fee.
        maker_fee: Money,
        /// The entering order's fee.
        taker_fee: Money,
    },
    /// Two resting orders traded in an auction.
    Crossed {
        /// The buyer's order.
        buy: u64,
        /// The seller's order.
        sell: u64,
        /// The trade's id.
        trade: u64,
        /// The auction's price.
        price: Price,
        /// The quantity.
        qty: Qty,
        /// The buyer's and the seller's fee.
        fees: [Money; 2],
    },
    /// The rest of the entering order rests.
    Booked(u64),
    /// The entering order waits for its stop price.
    Suspended(u64),
    /// A trade reached an order's stop price, and it enters.
    Triggered(u64),
    /// A rule refused an order, which took this id.
    Refused(u64, RefusalReason),
    /// A connection that cancels on disconnect was opened by a session for an account.
    Connected(ConnectionId, SessionId, AccountId),
    /// An order that lives was placed over a connection.
    Tied(ConnectionId, u64),
    /// A connection was closed.
    Disconnected(ConnectionId),
    /// Nothing of the entering order remains open.
    Completed(u64),
    /// An order ended before it was filled.
    Cancelled(u64, CancelReason),
    /// An order was not cancelled, since it is bound to its auction.
    CancelRejected(u64),
    /// A trade was broken.
    Broken(TradeId, BreakKind),
    /// A symbol's auctions have these times from now on; `None` ends them.
    Scheduled(SymbolId, Option<Schedule>),
    /// The symbol's auction with this number takes orders from now on.
    Opened(SymbolId, u64),
    /// The indicative price of the next auction was published.
    Indicated(SymbolId, Finding),
    /// An auction found its price, or none, for orders with lower ids than this.
    Cut(SymbolId, Finding, u64),
    /// An auction is settled.
    Ended(SymbolId, Finding),
    /// A symbol changed its status.
    Status(SymbolId, SymbolStatus),
    /// An account was given money.
    Credited(AccountId, CurrencyId, Money),
    /// An account converted.
    Converted(ConvertInfrequent),
}

/// The events of the rooms whose models read them whole.
#[derive(Debug, Default)]
pub struct RoomEvents {
    /// Of the desk of perpetuals.
    pub perps: Vec<PerpEvent>,
    /// Of the desk of spot margin.
    pub margin: Vec<MarginEvent>,
    /// Of money that enters and leaves.
    pub funds: Vec<FundsEvent>,
    /// Of OTC clearing.
    pub clearing: Vec<ClearingEvent>,
    /// Of staking.
    pub staking: Vec<StakingEvent>,
    /// Of the prediction markets.
    pub predictions: Vec<PredictionInfrequent>,
    /// The orders that a rule refused.
    pub refused: Vec<RefusedOrder>,
    /// The money that orders name to spend.
    pub spends: Vec<(OrderId, Money)>,
}

impl RoomEvents {
    fn note(&mut self, event: &Event, texts: &[u8]) {
        let Event::Infrequent(kept) = event else { return };
        let event = Infrequent::read(*kept, texts).unwrap();
        if let Infrequent::Perp(event) = event {
            self.perps.push(event);
        } else if let Infrequent::SpotMargin(event) = event {
            self.margin.push(event);
        } else if let Infrequent::Funds(event) = event {
            self.funds.push(event);
        } else if let Infrequent::Clearing(event) = event {
            self.clearing.push(event);
        } else if let Infrequent::Staking(event) = event {
            self.staking.push(event);
        } else if let Infrequent::Prediction(event) = event {
            self.predictions.push(event);
        } else if let Infrequent::Trading(TradingInfrequent::OrderRefused(order)) = event {
            self.refused.push(order);
        } else if let Infrequent::Trading(TradingInfrequent::OrderSpends(order, amount)) = event {
            self.spends.push((order, amount));
        }
    }
}

/// A state and the means to change it.
#[derive(Default)]
pub struct Exchange {
    /// The state of the core.
    pub state: State,
    /// The workspace of decisions, with the last command's events.
    pub work: Workspace,
    /// Sequence and time of the last command.
    pub stamp: Stamp,
    /// The events of the last command.
    pub happened: Vec<Happening>,
    /// The events of single rooms in the last command.
    pub of: RoomEvents,
    /// Every trade, oldest first.
    pub trades: Vec<Break>,
    /// The value of each of them in volumes, in dollars.
    pub(crate) dollars: Vec<Money>,
    /// The last command's frame.
    pub frame: Vec<u8>,
    /// How the preview of the last command differs from what it did; none if it does not.
    pub preview_differs: Option<String>,
    /// The frames of all commands, if recorded.
    pub journal: Option<Vec<Vec<u8>>>,
    /// The rows that the last command has read.
    pub looks: usize,
}

impl Exchange {
    /// An exchange before its first command.
    pub fn blank() -> Self {
        Self { state: State::new(), ..Self::default() }
    }

    /// An exchange with these fee rates and nothing else; it records a journal if it is given one.
    pub fn open(fees: FeeSchedule, journal: Option<Vec<Vec<u8>>>) -> Self {
        Self::open_as_mode(Mode::Sandbox, fees, journal)
    }

    /// The same as a venue.
    pub fn venue(journal: Option<Vec<Vec<u8>>>) -> Self {
        Self::open_as_mode(Mode::Venue, FeeSchedule::default(), journal)
    }

    fn open_as_mode(mode: Mode, fees: FeeSchedule, journal: Option<Vec<Vec<u8>>>) -> Self {
        let mut exchange = Self { journal, ..Self::blank() };
        let opening = Opening { mode, seed: 1, hash_key: 0x5EED, fees };
        assert_eq!(exchange.own(Body::open(opening)), Outcome::Done);
        exchange
    }

    /// An independent copy.
    #[must_use]
    pub fn fork(&self) -> Self {
        let trades = self.trades.clone();
        let dollars = self.dollars.clone();
        Self { state: self.state.clone(), stamp: self.stamp, trades, dollars, ..Self::default() }
    }

    /// Runs a command of the exchange itself, one microsecond after the last command.
    pub fn own(&mut self, body: Body) -> Answer {
        self.submit(1, &Command { caller: None, body })
    }

    /// Decides and applies one command, like the sequencer.
    pub fn submit(&mut self, micros: u64, command: &Command) -> Answer {
        let stamp = Stamp { seq: Seq(self.stamp.seq.0 + 1), time: self.stamp.time.plus(micros) };
        let foreseen = foresee(&self.state, command, stamp);
        self.work.out.clear();
        self.state.take_looks();
        let outcome = decide(&self.state, command, stamp, &mut self.work);
        self.stamp = stamp;
        self.happened.clear();
        self.frame.clear();
        let Workspace { out, .. } = &self.work;
        let answer = outcome.with_order(stamp, &out.events, &out.texts, &self.state);
        encode(stamp.time, command, &out.events, &out.texts, &mut self.frame).unwrap();
        if let Some(journal) = &mut self.journal {
            journal.push(self.frame.clone());
        }
        let mut entered = 0;
        self.of = RoomEvents::default();
        for event in &out.events {
            self.of.note(event, &out.texts);
            self.happened
                .extend(happening(&self.state, &mut entered, event, &out.texts).into_iter().flatten());
            if let Some((trade, dollars)) = trade_of(&self.state, stamp.time, event) {
                self.dollars.push(dollars);
                self.trades.push(trade);
            }
            evolve(&mut self.state, stamp, event, &out.texts);
        }
        self.state.advance(stamp);
        self.looks = self.state.take_looks();
        assert!(self.looks <= LOOKS_OF_COMMAND, "{command:?} reads {} rows (D-256)", self.looks);
        self.compare_preview(foreseen);
        if let Some(difference) = &self.preview_differs {
            panic!("{command:?}: {difference}");
        }
        answer
    }

    /// Applies one frame, like a recovery.
    pub fn replay(&mut self, frame: &[u8]) {
        let mut out = Outbox::default();
        let (time, command) = decode_events(frame, &mut out).unwrap();
        let command = decode_command(command, &out).unwrap();
        self.stamp = Stamp { seq: Seq(self.stamp.seq.0 + 1), time };
        let foreseen = foresee(&self.state, &command, self.stamp);
        self.happened.clear();
        let mut entered = 0;
        self.of = RoomEvents::default();
        for event in &out.events {
            self.of.note(event, &out.texts);
            self.happened
                .extend(happening(&self.state, &mut entered, event, &out.texts).into_iter().flatten());
            if let Some((trade, dollars)) = trade_of(&self.state, self.stamp.time, event) {
                self.dollars.push(dollars);
                self.trades.push(trade);
            }
            evolve(&mut self.state, self.stamp, event, &out.texts);
        }
        self.state.advance(self.stamp);
        self.compare_preview(foreseen);
    }

    fn compare_preview(&mut self, foreseen: Result<Option<Foreseen>, String>) {
        let checked = foreseen.and_then(|foreseen| foreseen.map_or(Ok(()), |order| order.check(&self.state)));
        self.preview_differs = checked.err();
    }

    /// The state after a round trip through a snapshot.
    pub fn stored(&mut self) -> State {
        self.state.prepare_to_store();
        let bytes = postcard::to_allocvec(&self.state).unwrap();
        let mut state: State = postcard::from_bytes(&bytes).unwrap();
        state.restore();
        state
    }

    /// Lists a currency.
    pub fn currency(&mut self, code: &str) -> CurrencyId {
        let currency = Currency {
            code: code.into(),
            name: code.into(),
            decimals: 19,
            kind: if code == "USD" { CurrencyKind::Fiat } else { CurrencyKind::Crypto },
            networks: Vec::new(),
        };
        assert_eq!(self.own(Body::list_currency(currency)), Outcome::Done);
        CurrencyId::from_index(self.state.currencies().len() - 1)
    }

    /// Lists an open symbol of `pair` (base, quote); `steps` are minimum, lot and tick, as printed in the
    /// specification.
    pub fn symbol(&mut self, pair: [&str; 2], steps: [&str; 3], closed_to: &[&str]) -> SymbolId {
        self.symbol_that(pair, steps, closed_to, false)
    }

    /// The same, with whether it wraps.
    pub(crate) fn symbol_that(
        &mut self,
        pair: [&str; 2],
        steps: [&str; 3],
        closed_to: &[&str],
        wraps: bool,
    ) -> SymbolId {
        let [base, quote] = pair.map(|code| self.find_currency(code));
        let [min, lot, tick] = steps.map(|text| Decimal::parse(text.as_bytes()).unwrap());
        let grid = Grid::new(tick, lot).unwrap();
        let symbol = Symbol {
            name: pair.concat().to_lowercase(),
            base,
            quote,
            qty_min: grid.qty(min).unwrap(),
            grid,
            product: Product::Spot,
            status: SymbolStatus::Open,
            wrap_enabled: wraps,
            closed_to: closed_to.iter().map(|&place| place.into()).collect(),
        };
        assert_eq!(self.own(Body::list_symbol(symbol)), Outcome::Done);
        SymbolId::from_index(self.state.symbols().len() - 1)
    }

    /// A currency, listed now if it is new.
    pub fn find_currency(&mut self, code: &str) -> CurrencyId {
        match self.state.currencies().iter().position(|listed| listed.code == code) {
            Some(at) => CurrencyId::from_index(at),
            None => self.currency(code),
        }
    }

    /// Opens an account in a group of its own name.
    pub fn account(&mut self, name: &str, jurisdiction: &str) -> AccountId {
        assert_eq!(self.own(Body::add_group(name.into())), Outcome::Done);
        self.open_account(GroupId::from_index(self.state.access().groups().len() - 1), name, jurisdiction)
    }

    /// Opens an account in the group of another account.
    pub fn account_beside(&mut self, other: AccountId, name: &str, jurisdiction: &str) -> AccountId {
        self.open_account(self.group_of(other), name, jurisdiction)
    }

    /// Opens an account of another kind in the group of another account.
    pub fn account_of_kind(&mut self, other: AccountId, name: &str, kind: AccountKind) -> AccountId {
        self.open_as(Account { kind, ..new_account(self.group_of(other), name, "", self.stamp.time) })
    }

    /// The group of an account.
    fn group_of(&self, account: AccountId) -> GroupId {
        self.state.access().account(account).unwrap().group.unwrap()
    }

    fn open_account(&mut self, group: GroupId, name: &str, jurisdiction: &str) -> AccountId {
        self.open_as(new_account(group, name, jurisdiction, self.stamp.time))
    }

    fn open_as(&mut self, account: Account) -> AccountId {
        assert_eq!(self.own(Body::open_account(account)), Outcome::Done);
        AccountId::from_index(self.state.access().accounts().len() - 1)
    }

    /// Creates a key of an account.
    pub fn key(&mut self, name: &str, account: AccountId, role: Role) -> SessionId {
        self.new_key(new_key(name, Owner::Account(account), role))
    }

    /// Creates a key of an account whose session requires heartbeats.
    pub fn beating_key(&mut self, name: &str, account: AccountId, role: Role) -> SessionId {
        self.new_key(NewSession { require_heartbeat: true, ..new_key(name, Owner::Account(account), role) })
    }

    /// Creates a key of an account with time-based nonces.
    pub fn timed_key(&mut self, name: &str, account: AccountId, role: Role) -> SessionId {
        self.new_key(NewSession { time_based_nonce: true, ..new_key(name, Owner::Account(account), role) })
    }

    /// Creates a master key of the group of an account.
    pub fn master_key(&mut self, name: &str, account: AccountId, role: Role) -> SessionId {
        self.new_key(new_key(name, Owner::Group(self.group_of(account)), role))
    }

    fn new_key(&mut self, key: NewSession) -> SessionId {
        assert_eq!(self.own(Body::add_session(key)), Outcome::Done);
        SessionId::from_index(self.state.access().sessions().len() - 1)
    }

    /// The live orders of a side in the sequence in which they will trade: best price first, then oldest.
    pub fn queue(&self, symbol: SymbolId, side: Side) -> impl Iterator<Item = OrderState> {
        let orders = self.state.orders();
        let book = orders.book(symbol);
        book.side(side)
            .prices()
            .flat_map(move |price| orders.queue(symbol, side, price))
            .map(|slot| OrderState::live(self.state.floor(), slot))
    }

    /// The live orders of a side that wait for an auction, best price first, then oldest.
    pub fn waiting(&self, symbol: SymbolId, side: Side) -> impl Iterator<Item = OrderState> {
        let orders = self.state.orders();
        let book = orders.auction(symbol);
        book.side(side)
            .prices()
            .flat_map(move |price| orders.auction_queue(symbol, side, price))
            .map(|slot| OrderState::live(self.state.floor(), slot))
    }

    /// The live orders of an account, newest first.
    pub fn orders_of(&self, account: AccountId) -> impl Iterator<Item = OrderState> {
        orders_of(&self.state, account)
    }

    /// A live order.
    pub fn order(&self, id: u64) -> Option<OrderState> {
        let slot = self.state.find_order(buttonwood_model::OrderId(id))?;
        Some(OrderState::live(self.state.floor(), slot))
    }

    /// The account's balance in a currency.
    pub fn balance(&self, account: AccountId, currency: CurrencyId) -> Balance {
        self.state.ledger().balance(account, currency)
    }

    /// All accounts, the house's first.
    pub fn accounts(&self) -> impl Iterator<Item = AccountId> + use<> {
        (0..self.state.access().accounts().len()).map(AccountId::from_index)
    }

    /// All currencies.
    pub fn currencies(&self) -> impl Iterator<Item = CurrencyId> + use<> {
        (0..self.state.currencies().len()).map(CurrencyId::from_index)
    }

    /// All symbols.
    pub fn symbols(&self) -> impl Iterator<Item = SymbolId> + use<> {
        (0..self.state.symbols().len()).map(SymbolId::from_index)
    }

    /// Whether the two have the same state, including the order of every queue and the slots of future orders.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.state != other.state {
            return Some("states differ".into());
        }
        if self.state.fingerprint() != other.state.fingerprint() {
            return Some("fingerprints differ".into());
        }
        if self.state.orders().next_slot() != other.state.orders().next_slot() {
            return Some("the next order would lie elsewhere".into());
        }
        for symbol in self.symbols() {
            for side in [Side::Buy, Side::Sell] {
                if !self.queue(symbol, side).eq(other.queue(symbol, side)) {
                    return Some(format!("queues of {symbol:?} {side:?} differ"));
                }
                if !self.waiting(symbol, side).eq(other.waiting(symbol, side)) {
                    return Some(format!("those who wait for an auction of {symbol:?} {side:?} differ"));
                }
            }
        }
        None
    }
}

/// An exchange account.
fn new_account(group: GroupId, name: &str, jurisdiction: &str, opened: Time) -> Account {
    Account {
        group: Some(group),
        short_name: name.into(),
        counterparty_id: String::new(),
        jurisdiction: jurisdiction.into(),
        broker: false,
        opened,
        kind: AccountKind::Exchange,
        display_name: String::new(),
    }
}

/// An ordinary key.
fn new_key(name: &str, owner: Owner, role: Role) -> NewSession {
    let kind = if matches!(owner, Owner::Group(_)) { "master" } else { "account" };
    NewSession {
        api_key: format!("{kind}-{name}"),
        name: name.into(),
        owner,
        roles: Roles::of(&[role]),
        require_heartbeat: false,
        time_based_nonce: false,
        addresses: Vec::new(),
    }
}

/// The live orders of an account, newest first.
pub(crate) fn orders_of(state: &State, account: AccountId) -> impl Iterator<Item = OrderState> {
    let orders = state.orders();
    orders.of_account(account).map(|(slot, _)| OrderState::live(state.floor(), slot))
}

/// The happenings of an event, read before it is applied: at most two.
fn happening(state: &State, entered: &mut u64, event: &Event, texts: &[u8]) -> [Option<Happening>; 2] {
    let only = match event {
        Event::Trading(TradingEvent::Rested { order, .. }) => {
            return [Some(Happening::Accepted(order.id.0)), Some(Happening::Booked(order.id.0))];
        }
        Event::Trading(TradingEvent::Placed(placed)) => {
            *entered = placed.id.0;
            Some(Happening::Accepted(placed.id.0))
        }
        Event::Trading(TradingEvent::Filled { maker, trade, qty, maker_fee, taker_fee }) => {
            let resting = state.orders().get(*maker);
            Some(Happening::Filled {
                maker: resting.id.0,
                trade: trade.0,
                price: resting.price,
                qty: *qty,
                maker_fee: *maker_fee,
                taker_fee: *taker_fee,
            })
        }
        Event::Trading(TradingEvent::Crossed { buy, sell, trade, price, qty, fees }) => {
            let [buy, sell] = [buy, sell].map(|slot| state.orders().get(*slot).id.0);
            Some(Happening::Crossed { buy, sell, trade: trade.0, price: *price, qty: *qty, fees: *fees })
        }
        Event::Trading(TradingEvent::CancelRejected { order, .. }) => {
            Some(Happening::CancelRejected(order.0))
        }
        Event::Trading(TradingEvent::Booked { .. }) => Some(Happening::Booked(*entered)),
        Event::Trading(TradingEvent::Suspended { .. }) => Some(Happening::Suspended(*entered)),
        Event::Trading(TradingEvent::Triggered { order, .. }) => {
            *entered = order.0;
            Some(Happening::Triggered(order.0))
        }
        Event::Trading(TradingEvent::Completed) => Some(Happening::Completed(*entered)),
        Event::Trading(TradingEvent::Cancelled { reason, order, .. }) => {
            Some(Happening::Cancelled(order.0, *reason))
        }
        Event::Access(AccessEvent::NonceUsed(..)) => None,
        Event::Infrequent(kept) => infrequent(Infrequent::read(*kept, texts).unwrap()),
    };
    [only, None]
}

/// What an infrequent event of the floor, the ledger or the conversions says.
fn infrequent(event: Infrequent) -> Option<Happening> {
    if let Infrequent::Trading(event) = event {
        return of_floor(event);
    }
    if let Infrequent::Ledger(LedgerInfrequent::Credited(account, currency, amount)) = event {
        let currency = currency.currency().expect("only currencies are credited");
        return Some(Happening::Credited(account, currency, amount));
    }
    if let Infrequent::Ledger(LedgerInfrequent::Adjusted(Adjustment { account, currency, amount, .. })) =
        event
    {
        return Some(Happening::Credited(account, currency, amount));
    }
    if let Infrequent::Convert(event) = event { Some(Happening::Converted(event)) } else { None }
}

fn of_floor(event: TradingInfrequent) -> Option<Happening> {
    Some(match event {
        TradingInfrequent::SymbolStatusChanged(symbol, status) => Happening::Status(symbol, status),
        TradingInfrequent::AuctionsScheduled(symbol, schedule) => Happening::Scheduled(symbol, schedule),
        TradingInfrequent::AuctionOpened(symbol, number) => Happening::Opened(symbol, number),
        TradingInfrequent::AuctionIndicated(symbol, finding) => Happening::Indicated(symbol, finding),
        TradingInfrequent::AuctionCut(symbol, finding, before) => Happening::Cut(symbol, finding, before.0),
        TradingInfrequent::AuctionEnded(symbol, finding) => Happening::Ended(symbol, finding),
        TradingInfrequent::OrderRefused(order) => Happening::Refused(order.id.0, order.reason),
        TradingInfrequent::ConnectionOpened(connection, session, account) => {
            Happening::Connected(connection, session, account)
        }
        TradingInfrequent::OrderTied(connection, order) => Happening::Tied(connection, order.0),
        TradingInfrequent::ConnectionClosed(connection) => Happening::Disconnected(connection),
        TradingInfrequent::TradeBroken(broken) => Happening::Broken(broken.trade, broken.kind()),
        TradingInfrequent::SymbolListed(_)
        | TradingInfrequent::ContractListed(_)
        | TradingInfrequent::FeesChanged(_)
        | TradingInfrequent::FeeTiersChanged(_)
        | TradingInfrequent::PromotionChanged(_)
        | TradingInfrequent::ReferencesTaken(_)
        | TradingInfrequent::OrderSpends(..)
        | TradingInfrequent::DayClosed(_) => return None,
    })
}

/// A nonce without a fraction.
pub fn nonce(number: u64) -> Nonce {
    Nonce::parse(number.to_string().as_bytes()).unwrap()
}

/// A caller.
pub fn caller(session: SessionId, account: AccountId, number: u64) -> Caller {
    Caller { session, account: Some(account), nonce: nonce(number) }
}

/// The account that fees go to.
pub fn fees_account() -> AccountId {
    AccountId::from_index(houses().position(|house| house == FEES).unwrap())
}

/// A command that falls due by the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Of the symbol's auctions.
    Auction(SymbolId),
    /// The end of a day.
    Midnight,
}

impl Step {
    /// Its command.
    pub fn body(self) -> Body {
        Body::Trading(match self {
            Self::Auction(symbol) => TradingCommand::Auction(symbol),
            Self::Midnight => TradingCommand::CloseDay,
        })
    }
}

/// The next command of trading that falls due by the clock, and when.
pub fn next_step(state: &State) -> Option<(Time, Step)> {
    let due = state.floor().next_due(false, state.operations().is_halted())?;
    if due.command == TradingCommand::CloseDay {
        return Some((due.time, Step::Midnight));
    }
    let TradingCommand::Auction(symbol) = due.command else { return None };
    Some((due.time, Step::Auction(symbol)))
}
