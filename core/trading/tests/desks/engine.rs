//! A small engine: floor and desks, decided and applied as the exchange's own engine does, with a journal in memory.

use crate::desks::{Refusal, TestDesks};
use buttonwood_ledger as ledger;
use buttonwood_model::{
    AccountId, AssetId, BytesRef, CancelReason, Currency, CurrencyId, CurrencyKind, Held, Named, OrderId,
    OrderKind, Outbox, Product, Record, Side, Symbol, SymbolId, SymbolStatus, Time, take_named,
};
use buttonwood_num::{Decimal, Grid, Money, Price, Qty};
use buttonwood_trading::place::{self, Place, Placer};
use buttonwood_trading::{
    self as trading, Event as FloorEvent, Floor, Infrequent, Market, OrderState, Planner, cancel,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(crate) const USD: CurrencyId = CurrencyId(0);
pub(crate) const BTC: CurrencyId = CurrencyId(1);
/// Cash and margin orders on one book.
pub(crate) const BTCUSD: SymbolId = SymbolId(0);
/// Like a perpetual.
pub(crate) const PERP: SymbolId = SymbolId(1);
/// Like a yes/no contract.
pub(crate) const RAIN: SymbolId = SymbolId(2);

/// The house's accounts, which are opened first; those of `true` may be negative.
const HOUSES: [(&str, bool); 7] = [
    ("source", true),
    ("fees", false),
    ("rounding", false),
    ("clearing", true),
    ("collateral", false),
    ("issuer", true),
    ("lending", true),
];

/// The first account of a customer.
pub(crate) const FIRST: u32 = 8;

/// The events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event {
    Floor(FloorEvent),
    Named(BytesRef),
}

impl From<FloorEvent> for Event {
    fn from(event: FloorEvent) -> Self {
        Self::Floor(event)
    }
}

impl From<BytesRef> for Event {
    fn from(kept: BytesRef) -> Self {
        Self::Named(kept)
    }
}

impl Record for Event {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Floor(event) => {
                out.push(0);
                event.put(out);
            }
            Self::Named(kept) => {
                out.push(1);
                kept.put(out);
            }
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        match u8::take(bytes)? {
            0 => Record::take(bytes).map(Self::Floor),
            1 => Record::take(bytes).map(Self::Named),
            _ => None,
        }
    }
}

/// The commands of the engine.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Place(Placer, Place),
    Cancel(AccountId, OrderId),
    CancelAll(AccountId),
    Trading(trading::Command),
    Credit(AccountId, CurrencyId, Money),
}

/// Why it refuses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reject {
    Place(place::Reject<Refusal>),
    Trading(trading::Reject<Refusal>),
    NotLive,
}

/// The whole state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) floor: Floor,
    pub(crate) desks: TestDesks,
    pub(crate) next_id: u64,
}

/// A symbol of these currencies with a lot of 0.001, or one of outcomes with a lot of 1.
fn symbol(name: &str, lot: &str, product: Product) -> Symbol {
    let decimal = |text: &str| Decimal::parse(text.as_bytes()).unwrap();
    Symbol {
        name: name.into(),
        base: BTC,
        quote: USD,
        grid: Grid::new(decimal("0.01"), decimal(lot)).unwrap(),
        qty_min: Qty::from_hundredths(100),
        product,
        status: SymbolStatus::Open,
        wrap_enabled: false,
        closed_to: Vec::new(),
    }
}

impl State {
    /// Currencies, symbols, the house, and as many customers.
    fn found(customers: u32) -> Self {
        let mut state = Self { next_id: 1, ..Self::default() };
        for code in ["USD", "BTC"] {
            state.desks.ledger.list_currency(Currency {
                code: code.into(),
                name: code.into(),
                decimals: 19,
                kind: CurrencyKind::Crypto,
                networks: Vec::new(),
            });
        }
        for (name, may_be_negative) in HOUSES {
            let account = state.desks.ledger.open_house(name.into(), may_be_negative);
            state.floor.open_account(account);
        }
        while state.desks.ledger.accounts() < FIRST + customers {
            let account = state.desks.ledger.open_account();
            state.floor.open_account(account);
        }
        for symbol in [
            symbol("btcusd", "0.001", Product::Spot),
            symbol("btcperp", "0.001", Product::Swap),
            symbol("rain", "1", Product::Spot),
        ] {
            state.floor.symbols.push_listed(symbol);
        }
        state
    }

    fn evolve(&mut self, time: Time, event: &Event, texts: &[u8]) {
        let Self { floor, desks, next_id } = self;
        match event {
            Event::Floor(event) => {
                if let Some(used) = trading::evolve(floor, desks, time, event, texts) {
                    assert_eq!(used, *next_id, "ids have no holes");
                    *next_id += 1;
                }
            }
            Event::Named(kept) => {
                let mut bytes = kept.of(texts).unwrap();
                let record = take_named(&mut bytes).unwrap();
                match record.room {
                    Infrequent::ROOM => {
                        trading::evolve_infrequent(floor, desks, time, *next_id, record.read().unwrap());
                    }
                    _ => ledger::evolve(&mut desks.ledger, record.read().unwrap()),
                }
            }
        }
    }

    /// The live orders of a side in the order they will trade.
    pub(crate) fn queue(&self, symbol: SymbolId, side: Side) -> Vec<OrderState> {
        let orders = &self.floor.orders;
        let prices = orders.book(symbol).side(side).prices();
        let slots = prices.flat_map(|price| orders.queue(symbol, side, price));
        slots.map(|slot| OrderState::live(&self.floor, slot)).collect()
    }

    pub(crate) fn balance(&self, account: AccountId, asset: impl Into<AssetId>) -> ledger::Balance {
        self.desks.ledger.balance(account, asset)
    }

    /// The balance of the house in an asset in one of its accounts.
    pub(crate) fn house(&self, name: &str, asset: impl Into<AssetId>) -> i128 {
        self.balance(self.desks.ledger.house(name).unwrap(), asset).total().units()
    }

    /// Every asset sums to zero, only those of the house that may are negative, and what is held is what orders reserve.
    pub(crate) fn check_laws(&self) {
        assert_eq!(self.desks.ledger.broken_law(), None);
        assert!(trading::Desks::is_settled(&self.desks));
        let mut reserved: BTreeMap<(AccountId, AssetId), Money> = BTreeMap::new();
        for account in (0..self.desks.ledger.accounts()).map(AccountId) {
            for (asset, amount) in self.floor.reserved(&self.desks, account) {
                *reserved.entry((account, asset)).or_insert(Money::ZERO) += amount;
            }
            for (slot, order) in self.floor.orders.in_any_order(account) {
                let is_reserving = trading::Desks::reserved(&self.desks, self.floor.live(slot)).is_some();
                assert_eq!(is_reserving, order.held != Held::NONE, "an order knows whether it reserves");
            }
        }
        for (account, asset, balance) in self.desks.ledger.balances() {
            let expected = reserved.remove(&(account, asset)).unwrap_or(Money::ZERO);
            assert_eq!(balance.held, expected, "held by {account:?} of {asset:?}");
        }
        assert!(reserved.is_empty());
        assert_eq!(self.desks.perp.positions.values().map(|position| position.qty).sum::<i128>(), 0);
    }

    /// The state as a snapshot has it, read back.
    pub(crate) fn stored(&mut self) -> Self {
        self.floor.orders.prepare_to_store();
        let bytes = postcard::to_allocvec(self).unwrap();
        let mut state: Self = postcard::from_bytes(&bytes).unwrap();
        state.desks.ledger.reindex();
        state.floor.orders.reindex();
        state
    }
}

/// A state and all that moves it.
pub(crate) struct Engine {
    pub(crate) state: State,
    pub(crate) time: Time,
    planner: Planner<<TestDesks as trading::Desks>::Plan>,
    /// Events of the last command, and their texts.
    pub(crate) out: Outbox<Event>,
    customers: u32,
    journal: Vec<Vec<u8>>,
}

impl Engine {
    pub(crate) fn found(customers: u32) -> Self {
        Self {
            state: State::found(customers),
            time: Time(1_000_000),
            planner: Planner::default(),
            out: Outbox::default(),
            customers,
            journal: Vec::new(),
        }
    }

    /// Decides one command, journals its events and applies them.
    pub(crate) fn submit(&mut self, command: &Command) -> Result<(), Reject> {
        self.time = self.time.plus(1_000);
        self.out.clear();
        self.out.begin();
        self.decide(command).inspect_err(|_| self.out.undo())?;
        let mut record = Vec::new();
        self.time.put(&mut record);
        u32::try_from(self.out.events.len()).unwrap().put(&mut record);
        for event in &self.out.events {
            event.put(&mut record);
        }
        record.extend_from_slice(&self.out.texts);
        self.journal.push(record);
        for event in &self.out.events {
            self.state.evolve(self.time, event, &self.out.texts);
        }
        Ok(())
    }

    fn decide(&mut self, command: &Command) -> Result<(), Reject> {
        let State { floor, desks, next_id } = &self.state;
        let market = Market { floor, desks, next_id: *next_id, time: self.time };
        let (planner, out) = (&mut self.planner, &mut self.out);
        match command {
            Command::Place(placer, place) => {
                place::decide(market, *placer, || "", place, planner, out).map_err(Reject::Place)?;
            }
            Command::Cancel(account, id) => {
                let order = cancel::OrderRef::Id(*id);
                cancel::one(market, *account, &order, false, out).ok_or(Reject::NotLive)?;
            }
            Command::CancelAll(account) => cancel::many(market, *account, None, planner, out),
            Command::Trading(command) => {
                trading::decide(market, command, out).map_err(Reject::Trading)?;
            }
            Command::Credit(account, currency, amount) => {
                out.push_named(&ledger::Infrequent::Credited(*account, (*currency).into(), *amount));
            }
        }
        Ok(())
    }

    /// Checks that the journal, replayed from the founding, leads to the same state.
    pub(crate) fn check_replay(&self) {
        let mut again = State::found(self.customers);
        for record in &self.journal {
            let bytes = &mut record.as_slice();
            let time = Time::take(bytes).unwrap();
            let events: Vec<Event> =
                (0..u32::take(bytes).unwrap()).map(|_| Event::take(bytes).unwrap()).collect();
            for event in &events {
                again.evolve(time, event, bytes);
            }
        }
        assert!(again == self.state, "a replay leads to the same state");
        assert_eq!(again.desks.ledger.fingerprint(), self.state.desks.ledger.fingerprint());
    }

    /// Goes on from a snapshot.
    pub(crate) fn restart(&mut self) {
        let stored = self.state.stored();
        assert!(stored == self.state, "a snapshot holds the whole state");
        self.state = stored;
    }

    /// The orders that the last command cancelled, and why.
    pub(crate) fn cancelled(&self) -> Vec<(u64, CancelReason)> {
        let reason = |event: &Event| match event {
            Event::Floor(FloorEvent::Cancelled { order, reason, .. }) => Some((order.0, *reason)),
            Event::Floor(_) | Event::Named(_) => None,
        };
        self.out.events.iter().filter_map(reason).collect()
    }

    /// How many fills the last command made.
    pub(crate) fn fills(&self) -> usize {
        let is_fill = |event: &&Event| matches!(event, Event::Floor(FloorEvent::Filled { .. }));
        self.out.events.iter().filter(is_fill).count()
    }
}

impl Engine {
    /// The order that closes an account's position at the market, if it has one.
    pub(crate) fn closing(&self, account: AccountId) -> Option<Place> {
        let position = self.state.desks.perp.position(account, PERP).qty;
        (position != 0).then(|| Place {
            kind: OrderKind::Market,
            ..Place::limit(
                PERP,
                if position > 0 { Side::Sell } else { Side::Buy },
                Price::default(),
                Qty::from_hundredths(position.unsigned_abs()),
            )
        })
    }
}
