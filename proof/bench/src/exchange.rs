//! Our core under the shared flow: the whole path of a command, from its bytes to its event records.
//!
//! An operation becomes one binary record, or two if it moves an order (a cancel, then a new order under a new id).
//! The timed path decodes the record into a [`Command`], decides it, applies its events, moves them to a ring like
//! the writer does for its journal, and records the stamp.

use std::hint::black_box;
use std::sync::Arc;

use buttonwood_engine::{
    AccessCommand, AccessInfrequent, Account, AccountKind, Body, Caller, Coming, Command, Event, FeeSchedule,
    LedgerCommand, LedgerInfrequent, Mode, NewSession, Opening, OrderRef, Outcome, Owner, PREFETCH_DISTANCE,
    Place, Prefetch, Sketch, State, TradingAnswer, TradingCommand, TradingEvent, Workspace, decide, perp,
};
use buttonwood_model::{
    AccountId, ClientId, Currency, CurrencyId, CurrencyKind, ExecutionOption, GroupId, Nonce, OrderId,
    OrderKind, Outbox, Product, Role, Roles, Seq, SessionId, Side, Stamp, Symbol, SymbolId, SymbolStatus,
    Time,
};
use buttonwood_num::{Decimal, Grid, Money, Price, Qty};

use crate::opgen::{Flow, Op, Tally};

/// Accounts of the flow, one session each; the house accounts come before them.
const ACCOUNTS: u32 = 1_001;
const HOUSE_ACCOUNTS: u32 = 12;
/// 2026-01-01.
const START_MICROS: u64 = 1_767_225_600_000_000;

/// Bytes of a command on the wire.
const RECORD: usize = 40;
const CANCEL: u8 = 0;
const LIMIT: u8 = 1;
const IMMEDIATE: u8 = 2;
const MARKET: u8 = 3;
const SELLS: u8 = 1;
/// The next record belongs to the same operation.
const MORE: u8 = 2;
/// The order is one on margin.
const MARGIN: u8 = 4;

/// One binary command: client id (16) or order id, price, lots, account, symbol, kind, flags; and its nonce as the
/// gate provides it.
#[derive(Clone, Copy)]
pub(crate) struct Record([u8; RECORD], Nonce);

impl Record {
    fn word(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.0[at..at + 8].try_into().expect("eight bytes"))
    }

    fn half(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.0[at..at + 4].try_into().expect("four bytes"))
    }

    /// Whether the next record belongs to the same operation.
    pub(crate) fn has_more(&self) -> bool {
        self.0[39] & MORE != 0
    }

    /// The same as an order on margin; a cancel stays as it is.
    pub(crate) fn on_margin(mut self) -> Self {
        self.0[39] |= MARGIN;
        self
    }

    /// The prefetch hint for a command, read before it is decoded.
    #[inline]
    fn preview(&self) -> Coming<'_> {
        let account = self.half(32);
        let session = SessionId(account);
        if self.0[38] == CANCEL {
            return Coming::Cancel(session, OrderId(self.word(0)));
        }
        let sketch = Sketch {
            symbol: SymbolId(u16::from_le_bytes([self.0[36], self.0[37]]).into()),
            side: if self.0[39] & SELLS == 0 { Side::Buy } else { Side::Sell },
            price: Price::from_ticks(self.word(16)),
            client_id: &self.0[..16],
        };
        Coming::Place(session, AccountId(HOUSE_ACCOUNTS + account), sketch)
    }

    /// Decodes the command.
    #[inline]
    pub(crate) fn decode(&self) -> Command {
        let account = self.half(32);
        // In one expression, so that it is built in its final place.
        Command {
            caller: Some(Caller {
                session: SessionId(account),
                account: Some(AccountId(HOUSE_ACCOUNTS + account)),
                nonce: self.1,
            }),
            body: match self.0[38] {
                CANCEL => Body::Trading(TradingCommand::Cancel(OrderRef::Id(OrderId(self.word(0))))),
                kind => Body::Trading(TradingCommand::Place(Place {
                    kind: if kind == MARKET { OrderKind::Market } else { OrderKind::Limit },
                    option: (kind == IMMEDIATE).then_some(ExecutionOption::ImmediateOrCancel),
                    client_id: Some(ClientId::copied(&self.0[..16])),
                    margin: self.0[39] & MARGIN != 0,
                    ..Place::limit(
                        SymbolId(u16::from_le_bytes([self.0[36], self.0[37]]).into()),
                        if self.0[39] & SELLS == 0 { Side::Buy } else { Side::Sell },
                        Price::from_ticks(self.word(16)),
                        Qty::from_hundredths(u128::from(self.word(24)) * 100),
                    )
                })),
            },
        }
    }
}

/// Encodes operations as records: the work of a client and of the gate before the core.
pub(crate) struct Scribe {
    /// Number of nonces each account has used.
    used: Vec<u32>,
    written: u64,
}

impl Scribe {
    pub(crate) fn new() -> Self {
        Self::for_accounts(ACCOUNTS)
    }

    pub(crate) fn for_accounts(accounts: u32) -> Self {
        Self { used: vec![0; accounts as usize], written: 0 }
    }

    fn write(&mut self, kind: u8, flags: u8, op: &Op, text: [u8; 16]) -> Record {
        let last = &mut self.used[op.account as usize];
        *last += 1;
        self.written += 1;
        let mut bytes = [0; RECORD];
        bytes[..16].copy_from_slice(&text);
        bytes[16..24].copy_from_slice(&op.price.to_le_bytes());
        bytes[24..32].copy_from_slice(&op.lots.to_le_bytes());
        bytes[32..36].copy_from_slice(&op.account.to_le_bytes());
        bytes[36..38].copy_from_slice(&op.symbol.to_le_bytes());
        bytes[38] = kind;
        bytes[39] = flags | if op.sells { SELLS } else { 0 };
        Record(bytes, nonce(u64::from(*last)))
    }

    fn cancel(&mut self, op: &Op, order: OrderId) -> Record {
        let mut text = [0; 16];
        text[..8].copy_from_slice(&order.0.to_le_bytes());
        self.write(CANCEL, if op.kind == b'M' { MORE } else { 0 }, op, text)
    }

    /// The new order of an operation, under a client id of 16 characters.
    pub(crate) fn place(&mut self, op: &Op) -> Record {
        let kind = match op.kind {
            b'I' => IMMEDIATE,
            b'K' => MARKET,
            _ => LIMIT,
        };
        let mut text = *b"20261120-0000000";
        let mut rest = self.written;
        for digit in text[9..].iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        self.write(kind, 0, op, text)
    }
}

/// A flow as binary commands.
pub(crate) struct Script {
    pub(crate) records: Vec<Record>,
    /// Records before the measured ones.
    pub(crate) prefill: usize,
    pub(crate) symbols: u16,
}

impl Script {
    /// Encodes the flow as commands. One untimed run finds the exchange's order ids, and checks that every result
    /// equals the generator's.
    pub(crate) fn of(flow: &Flow) -> Self {
        let mut script = Self { records: Vec::new(), prefill: 0, symbols: flow.symbols };
        let mut ids = vec![OrderId(0); flow.ops.len() + 1];
        let mut scribe = Scribe::new();
        let mut exchange = Exchange::new(flow.symbols);
        let mut answer = |record: Record, script: &mut Self| {
            script.records.push(record);
            match exchange.apply(&record) {
                Outcome::Trading(TradingAnswer::Order(order)) => order.id,
                outcome => panic!("record {}: {outcome:?}", script.records.len()),
            }
        };
        for (index, op) in flow.ops.iter().enumerate() {
            if index == flow.prefill {
                script.prefill = script.records.len();
            }
            if matches!(op.kind, b'C' | b'M') {
                let id = answer(scribe.cancel(op, ids[op.id as usize]), &mut script);
                assert_eq!(id, ids[op.id as usize]);
            }
            if op.kind != b'C' {
                ids[op.id as usize] = answer(scribe.place(op), &mut script);
            }
        }
        assert_eq!(exchange.proven(), flow.expect, "{}: ours against the generator", flow.name);
        script
    }
}

/// An account of the flow, counted from 0.
pub(crate) fn customer(number: u32) -> AccountId {
    AccountId(HOUSE_ACCOUNTS + number)
}

/// A nonce in milliseconds since 1970, as clients choose them.
pub(crate) fn nonce(number: u64) -> Nonce {
    Nonce::parse((START_MICROS / 1_000 + number).to_string().as_bytes()).expect("digits are a nonce")
}

/// The writer's data for its journal: events stay where they were decided, and each command records its share.
struct Ring {
    /// Stamp and number of events of each command.
    frames: Vec<(Stamp, usize)>,
}

/// Commands of a batch, after which the buffer is reused: as many as a load of 64 connections can queue. Its events
/// are dropped at once, so a larger batch than the product's would affect the tail.
const BATCH: usize = 64;

impl Ring {
    fn new() -> Self {
        Self { frames: Vec::with_capacity(BATCH) }
    }

    #[inline]
    fn take(&mut self, stamp: Stamp, work: &mut Workspace) {
        self.frames.push((stamp, work.out.latest().0.len()));
        if self.frames.len() == BATCH {
            self.frames.clear();
            work.out.clear();
        }
    }
}

/// A command, its events, and the state's fingerprint after it.
pub(crate) struct Told<'a> {
    pub(crate) stamp: Stamp,
    pub(crate) command: &'a Command,
    pub(crate) work: &'a Workspace,
    pub(crate) fingerprint: u64,
}

/// The core, its workspace and its ring.
pub(crate) struct Exchange {
    pub(crate) state: State,
    pub(crate) work: Workspace,
    ring: Ring,
    trades: u64,
    hundredths: u64,
}

impl Exchange {
    /// An exchange founded with accounts, sessions, symbols and plenty of money, all through commands.
    pub(crate) fn new(symbols: u16) -> Self {
        Self::founded(symbols, Product::Spot)
    }

    /// The same with perpetuals, whose indices are pinned to the flow's first prices.
    pub(crate) fn of_perpetuals(symbols: u16) -> Self {
        let mut exchange = Self::founded(symbols, Product::Swap);
        for symbol in 0..symbols {
            exchange.pin(CurrencyId(symbol + 1), 200);
        }
        exchange
    }

    /// The same with margin accounts on one symbol. They have no dollars, so that each buy borrows, and their currency has an index: that
    /// of a perpetual which nobody trades.
    pub(crate) fn of_borrowers() -> Self {
        let mut exchange = Self::empty();
        let index = [list_currency("GUSD".to_owned(), CurrencyKind::Fiat), list_symbol(0, 2, Product::Swap)];
        for body in founding(1, ACCOUNTS, AccountKind::Margin).chain(index) {
            assert_eq!(exchange.run(&Command { caller: None, body }), Outcome::Done);
        }
        exchange.pin(CurrencyId(1), 200);
        exchange
    }

    fn founded(symbols: u16, product: Product) -> Self {
        let mut exchange = Self::empty();
        for body in founding(symbols, ACCOUNTS, kind_of(product)) {
            let outcome = exchange.run(&Command { caller: None, body });
            assert_eq!(outcome, Outcome::Done);
        }
        exchange
    }

    /// Pins an index to so many dollars, and takes the marks.
    pub(crate) fn pin(&mut self, currency: CurrencyId, price: i128) {
        let price = Money::from_units(price * Money::ONE.units());
        let body = perp::Command::PinIndex(currency, Some(price)).into();
        assert_eq!(self.run(&Command { caller: None, body }), Outcome::Done);
    }

    /// `accounts` accounts on one symbol, added as events, which skips the checks for taken names. They have nothing if it is a
    /// perpetual.
    pub(crate) fn crowded(accounts: u32, product: Product) -> Self {
        let mut exchange = Self::empty();
        for body in founding(1, accounts, kind_of(product)) {
            let mut out = Outbox::<Event>::default();
            match body {
                Body::Access(AccessCommand::OpenAccount(account)) => {
                    out.push_named(&AccessInfrequent::AccountOpened(Arc::unwrap_or_clone(account)));
                }
                Body::Access(AccessCommand::AddSession(session)) => {
                    out.push_named(&AccessInfrequent::SessionAdded(Arc::unwrap_or_clone(session)));
                }
                Body::Ledger(LedgerCommand::Credit(_)) if product == Product::Swap => continue,
                Body::Ledger(LedgerCommand::Credit(credit)) => {
                    for (currency, amount) in &credit.amounts {
                        let asset = (*currency).into();
                        out.push_named(&LedgerInfrequent::Credited(credit.account, asset, *amount));
                    }
                }
                body => {
                    exchange.run(&Command { caller: None, body });
                    continue;
                }
            }
            let stamp = exchange.next_stamp();
            exchange.state.apply(stamp, &out.events, &out.texts);
        }
        exchange
    }

    fn empty() -> Self {
        let (state, work) = (State::new(), Workspace::default());
        Self { state, work, ring: Ring::new(), trades: 0, hundredths: 0 }
    }

    /// The stamp of the next command: a microsecond after the last.
    pub(crate) fn next_stamp(&self) -> Stamp {
        let Stamp { seq, time } = self.state.stamp();
        Stamp { seq: Seq(seq.0 + 1), time: Time(time.0.max(START_MICROS) + 1) }
    }

    #[inline]
    pub(crate) fn apply(&mut self, record: &Record) -> Outcome {
        let command = record.decode();
        self.run(&command)
    }

    /// Applies all records. Like the writer with queued commands, it prefetches if the state is large.
    pub(crate) fn apply_all(&mut self, records: &[Record]) {
        if !self.state.is_large() {
            for record in records {
                black_box(self.apply(record));
            }
            return;
        }
        let mut ahead = Prefetch::default();
        for (at, record) in records.iter().enumerate() {
            if let Some(coming) = records.get(at + PREFETCH_DISTANCE) {
                ahead.see(&self.state, coming.preview());
            }
            black_box(self.apply(record));
        }
    }

    /// Runs a command at a time of its own; it must not be refused.
    pub(crate) fn run_at(&mut self, command: &Command, time: Time) {
        let stamp = Stamp { time, ..self.next_stamp() };
        let outcome = decide(&self.state, command, stamp, &mut self.work);
        assert!(!matches!(outcome, Outcome::Rejected(_)), "{command:?}: {outcome:?}");
        let (events, texts) = self.work.out.latest();
        self.state.apply(stamp, events, texts);
        self.ring.take(stamp, &mut self.work);
    }

    #[inline]
    pub(crate) fn run(&mut self, command: &Command) -> Outcome {
        let stamp = self.next_stamp();
        let outcome = decide(&self.state, command, stamp, &mut self.work);
        let (events, texts) = self.work.out.latest();
        // The events of a nonce and an order come before any fill.
        for event in events.iter().skip(2) {
            if let Event::Trading(TradingEvent::Filled { qty, .. }) = event {
                self.trades += 1;
                self.hundredths += qty.hundredths() as u64;
            }
        }
        self.state.apply(stamp, events, texts);
        self.ring.take(stamp, &mut self.work);
        outcome
    }

    /// Founds an exchange and applies `records`. Passes every command to `see` with its events, before they are
    /// applied, and the state's fingerprint after them.
    pub(crate) fn recorded(script: &Script, records: &[Record], mut see: impl FnMut(&Told<'_>)) -> Self {
        let mut exchange = Self::empty();
        let founding = founding(script.symbols, ACCOUNTS, AccountKind::Exchange)
            .map(|body| Command { caller: None, body });
        for command in founding.chain(records.iter().map(|record| record.decode())) {
            let stamp = exchange.next_stamp();
            exchange.work.out.clear();
            decide(&exchange.state, &command, stamp, &mut exchange.work);
            let (events, texts) = exchange.work.out.latest();
            exchange.state.apply(stamp, events, texts);
            let fingerprint = exchange.state.fingerprint();
            see(&Told { stamp, command: &command, work: &exchange.work, fingerprint });
        }
        exchange
    }

    /// The figures so far.
    pub(crate) fn tally(&self) -> Tally {
        assert!(self.hundredths.is_multiple_of(100), "whole lots trade here");
        let resting = self.state.orders().len() as u64;
        Tally { trades: self.trades, lots: self.hundredths / 100, resting }
    }

    /// The figures, after a check of every law.
    pub(crate) fn proven(&self) -> Tally {
        assert_eq!(self.state.broken_law(), None, "every law holds");
        self.tally()
    }
}

/// The commands that found an exchange for a flow, and their time.
pub(crate) fn founding_commands(symbols: u16) -> (Time, Vec<Command>) {
    let commands =
        founding(symbols, ACCOUNTS, AccountKind::Exchange).map(|body| Command { caller: None, body });
    (Time(START_MICROS), commands.collect())
}

/// The accounts that trade a product, for cash if it is spot.
fn kind_of(product: Product) -> AccountKind {
    match product {
        Product::Spot | Product::Contract => AccountKind::Exchange,
        Product::Swap => AccountKind::Derivatives,
    }
}

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).expect("a decimal")
}

fn list_currency(code: String, kind: CurrencyKind) -> Body {
    Body::list_currency(Currency { name: code.clone(), code, decimals: 19, kind, networks: Vec::new() })
}

/// Lists a symbol of the currency after the first, in another currency.
fn list_symbol(symbol: u16, quote: u16, product: Product) -> Body {
    let suffix = if product == Product::Swap && quote > 0 { "perp" } else { "" };
    Body::list_symbol(Symbol {
        name: format!("c{symbol}usd{suffix}"),
        base: CurrencyId(symbol + 1),
        quote: CurrencyId(quote),
        grid: Grid::new(decimal("0.01"), decimal("0.00000001")).expect("the grid of btcusd"),
        qty_min: Qty::from_hundredths(100),
        product,
        status: SymbolStatus::Open,
        wrap_enabled: false,
        closed_to: Vec::new(),
    })
}

fn founding(symbols: u16, accounts: u32, kind: AccountKind) -> impl Iterator<Item = Body> {
    let opening = Opening {
        mode: Mode::Sandbox,
        seed: 23,
        hash_key: 0x5EED_0023_5EED_0023,
        fees: FeeSchedule::default(),
    };
    let borrows = kind == AccountKind::Margin;
    let (quote, product) = match kind {
        AccountKind::Derivatives => ("GUSD", Product::Swap),
        AccountKind::Exchange | AccountKind::Custody | AccountKind::Margin => ("USD", Product::Spot),
    };
    let first = [Body::open(opening), list_currency(quote.to_owned(), CurrencyKind::Fiat)];
    let listings = (0..symbols).flat_map(move |symbol| {
        // Only some currencies can be bought on margin.
        let code = if borrows { "BTC".to_owned() } else { format!("C{symbol}") };
        [list_currency(code, CurrencyKind::Crypto), list_symbol(symbol, 0, product)]
    });
    let people = (0..accounts).flat_map(move |account| {
        let id = AccountId(HOUSE_ACCOUNTS + account);
        let amount = Money::from_decimal(decimal("1000000000")).expect("money");
        let amounts = (u16::from(borrows)..=symbols).map(|currency| (CurrencyId(currency), amount)).collect();
        [
            Body::open_account(Account {
                group: Some(GroupId(0)),
                short_name: format!("account-{account}"),
                counterparty_id: format!("AC{account:06}"),
                jurisdiction: String::new(),
                broker: false,
                opened: Time(START_MICROS),
                kind,
                display_name: String::new(),
            }),
            Body::credit(id, amounts),
            Body::add_session(NewSession {
                api_key: format!("account-bench{account:015}"),
                name: format!("bench-{account}"),
                owner: Owner::Account(id),
                roles: Roles::of(&[Role::Trader]),
                require_heartbeat: false,
                time_based_nonce: false,
                addresses: Vec::new(),
            }),
        ]
    });
    first.into_iter().chain(listings).chain([Body::add_group("bench".to_owned())]).chain(people)
}
