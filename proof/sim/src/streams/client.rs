//! A client: it reads a stream, and builds from its frames the book or the list of events that it promises.

use super::truth::Truth;
use crate::check::Finding;
use buttonwood_engine::State;
use buttonwood_model::{AccountId, Side, SymbolId};
use buttonwood_num::{Decimal, Money};
use buttonwood_stream::stepped::{Reader, Stream};
use buttonwood_views::{AccountEvent, EventId, Step, Views};
use buttonwood_wire::standing::balances_of;
use serde_json::Value;
use std::collections::BTreeMap;

/// Bits of a command's number in an event id.
const PLACE_BITS: u32 = 17;
/// Digits after the point of figures.
const SCALE: u8 = 19;

/// A client with its socket.
pub(super) struct Client {
    pub(super) reader: Reader,
    /// The client reads once in so many of its turns, and so many bytes then.
    pub(super) reads: (u64, usize),
    /// Whether the socket was opened again and the missed events are still to come.
    pub(super) is_held: bool,
    /// The last command before the socket's first frame; none until it is granted.
    pub(super) since: Option<u64>,
    pub(super) book: Book,
    /// Available and total balance by currency.
    balances: BTreeMap<String, [String; 2]>,
    /// The ids of events, or of trades, in the order in which they came.
    pub(super) ids: Vec<u64>,
    frames: u64,
    /// The next number of the socket.
    number: u64,
    /// The newest command that a frame was about.
    pub(super) newest: u64,
}

/// A book as a client knows it. Prices and quantities are in units of 10⁻¹⁹.
#[derive(Debug, Default)]
pub(super) struct Book {
    bids: BTreeMap<u128, u128>,
    asks: BTreeMap<u128, u128>,
    /// The newest update id.
    update: u64,
}

impl Book {
    fn side(&mut self, side: Side) -> &mut BTreeMap<u128, u128> {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }

    /// Sets a level; returns its quantity before.
    fn set(&mut self, side: Side, price: u128, qty: u128) -> u128 {
        let levels = self.side(side);
        let before = if qty == 0 { levels.remove(&price) } else { levels.insert(price, qty) };
        before.unwrap_or(0)
    }

    fn best(&self, side: Side, limit: usize) -> Vec<(u128, u128)> {
        let level = |(price, qty): (&u128, &u128)| (*price, *qty);
        match side {
            Side::Buy => self.bids.iter().rev().map(level).take(limit).collect(),
            Side::Sell => self.asks.iter().map(level).take(limit).collect(),
        }
    }
}

impl Client {
    /// A client that has read nothing, of a socket that was just opened.
    pub(super) fn new(reader: Reader, reads: (u64, usize)) -> Self {
        Self {
            reader,
            reads,
            is_held: false,
            since: None,
            book: Book::default(),
            balances: BTreeMap::new(),
            ids: Vec::new(),
            frames: 0,
            number: 0,
            newest: 0,
        }
    }

    /// The same client with another socket: it knows the events that it has read.
    pub(super) fn again(self, reader: Reader) -> Self {
        let Self { reads, since, ids, newest, .. } = self;
        Self { is_held: true, since, ids, newest, ..Self::new(reader, reads) }
    }

    /// Frames that were read.
    pub(super) fn frames(&self) -> u64 {
        self.frames
    }

    /// The account and the newest event that it knows, if missed events can be asked for.
    pub(super) fn known(&self) -> Option<(AccountId, EventId)> {
        let last = EventId(*self.ids.last()?);
        match self.reader.stream() {
            Stream::OrderEvents(account) | Stream::Orders(account, _) => Some((account, last)),
            Stream::GroupEvents(_)
            | Stream::MarketV1(_)
            | Stream::L2(_)
            | Stream::Depth(..)
            | Stream::Levels(..)
            | Stream::Ticker(_)
            | Stream::Trades(_)
            | Stream::Balances(..) => None,
        }
    }

    /// Reads so many bytes, about.
    pub(super) fn read(&mut self, room: usize) -> Result<(), Finding> {
        for text in self.reader.read(room) {
            let stream = self.reader.stream();
            self.frame(&text).map_err(|finding| format!("{stream:?}: {finding}: {text}"))?;
        }
        Ok(())
    }

    fn frame(&mut self, text: &str) -> Result<(), Finding> {
        let frame: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        self.frames += 1;
        match self.reader.stream() {
            Stream::MarketV1(_) => self.market_v1(&frame),
            Stream::L2(_) => self.l2(&frame),
            Stream::Depth(..) => self.depth(&frame),
            Stream::Levels(..) => self.levels(&frame),
            Stream::Ticker(_) => self.ticker(&frame),
            Stream::OrderEvents(_) | Stream::GroupEvents(_) => self.events(&frame),
            Stream::Orders(..) => self.event(number(&frame, "u")?),
            Stream::Trades(_) => self.trade(number(&frame, "t")?),
            Stream::Balances(..) => self.balances(&frame),
        }
    }

    fn market_v1(&mut self, frame: &Value) -> Result<(), Finding> {
        self.numbered(frame, "socket_sequence")?;
        self.updated(number(frame, "eventId")?, true)?;
        self.newest = self.newest.max(self.book.update >> PLACE_BITS);
        for event in list(frame, "events")?.iter().filter(|event| event["type"] == "change") {
            let side = if event["side"] == "bid" { Side::Buy } else { Side::Sell };
            let now = units(&event["remaining"])?;
            let before = self.book.set(side, units(&event["price"])?, now);
            let delta = event["delta"].as_str().ok_or("no delta")?;
            let (amount, more, less) = match delta.strip_prefix('-') {
                Some(amount) => (amount, before, now),
                None => (delta, now, before),
            };
            if less + units(&Value::from(amount))? != more {
                return Err(format!("{before:?} does not become {now:?} by {delta}"));
            }
        }
        Ok(())
    }

    fn l2(&mut self, frame: &Value) -> Result<(), Finding> {
        self.numbered(frame, "sequence")?;
        if frame["type"] != "l2_updates" {
            return Ok(());
        }
        for change in list(frame, "changes")? {
            let side = if change[0] == "buy" { Side::Buy } else { Side::Sell };
            self.book.set(side, units(&change[1])?, units(&change[2])?);
        }
        Ok(())
    }

    fn depth(&mut self, frame: &Value) -> Result<(), Finding> {
        let (first, last) = (number(frame, "U")?, number(frame, "u")?);
        let expected = if self.frames == 1 { last } else { self.book.update };
        if first != expected {
            return Err(format!("U should be {expected}"));
        }
        self.book.update = last;
        self.newest = self.newest.max(last);
        for (name, side) in [("b", Side::Buy), ("a", Side::Sell)] {
            for level in list(frame, name)? {
                self.book.set(side, units(&level[0])?, units(&level[1])?);
            }
        }
        Ok(())
    }

    fn levels(&mut self, frame: &Value) -> Result<(), Finding> {
        let update = number(frame, "lastUpdateId")?;
        self.replaced(update)?;
        for (name, side) in [("bids", Side::Buy), ("asks", Side::Sell)] {
            for level in list(frame, name)? {
                self.book.set(side, units(&level[0])?, units(&level[1])?);
            }
        }
        Ok(())
    }

    fn ticker(&mut self, frame: &Value) -> Result<(), Finding> {
        self.replaced(number(frame, "u")?)?;
        for (name, amount, side) in [("b", "B", Side::Buy), ("a", "A", Side::Sell)] {
            if frame[amount] != "0" {
                self.book.set(side, units(&frame[name])?, units(&frame[amount])?);
            }
        }
        Ok(())
    }

    /// A state takes the place of the former one.
    fn replaced(&mut self, update: u64) -> Result<(), Finding> {
        self.updated(update, false)?;
        self.newest = self.newest.max(update);
        self.book.bids.clear();
        self.book.asks.clear();
        Ok(())
    }

    /// Update ids never go back.
    fn updated(&mut self, update: u64, is_strict: bool) -> Result<(), Finding> {
        let former = self.book.update;
        if update < former || (is_strict && update == former) {
            return Err(format!("{update} follows {former}"));
        }
        self.book.update = update;
        Ok(())
    }

    /// A socket's numbers have no gaps.
    fn numbered(&mut self, frame: &Value, field: &str) -> Result<(), Finding> {
        let number = number(frame, field)?;
        if number != self.number {
            return Err(format!("{field} should be {}", self.number));
        }
        self.number += 1;
        Ok(())
    }

    fn events(&mut self, frame: &Value) -> Result<(), Finding> {
        for event in frame.as_array().ok_or("no array")? {
            self.numbered(event, "socket_sequence")?;
            if event["type"] == "initial" {
                continue;
            }
            let id = event["event_id"].as_str().and_then(|id| id.parse().ok());
            self.event(id.ok_or("no event_id")?)?;
        }
        Ok(())
    }

    fn event(&mut self, id: u64) -> Result<(), Finding> {
        if let Some(last) = self.ids.last().filter(|last| **last >= id) {
            return Err(format!("event {id} follows {last}"));
        }
        self.ids.push(id);
        self.newest = self.newest.max(EventId(id).seq().0);
        Ok(())
    }

    fn trade(&mut self, id: u64) -> Result<(), Finding> {
        if let Some(last) = self.ids.last().filter(|last| **last >= id) {
            return Err(format!("trade {id} follows {last}"));
        }
        self.ids.push(id);
        Ok(())
    }

    fn balances(&mut self, frame: &Value) -> Result<(), Finding> {
        for row in list(frame, "B")? {
            let text = |field: &str| row[field].as_str().map(str::to_owned).ok_or(format!("no {field}"));
            self.balances.insert(text("a")?, [text("f")?, text("c")?]);
        }
        Ok(())
    }

    /// Checks what a client that has read everything knows.
    pub(super) fn check_all(&self, truth: &Truth, views: &Views) -> Result<(), Finding> {
        let stream = self.reader.stream();
        let wrong = |finding: Finding| format!("{stream:?}: {finding}");
        match stream {
            Stream::MarketV1(symbol) | Stream::L2(symbol) | Stream::Depth(symbol, _) => {
                self.check_book(views, symbol, usize::MAX).map_err(wrong)
            }
            Stream::Levels(symbol, limit, _) => self.check_book(views, symbol, limit.into()).map_err(wrong),
            Stream::Ticker(symbol) => self.check_book(views, symbol, 1).map_err(wrong),
            Stream::OrderEvents(_) | Stream::GroupEvents(_) | Stream::Orders(..) => {
                self.check_events(truth, views.state(), true).map_err(wrong)
            }
            Stream::Trades(symbol) => self.check_trades(truth, symbol, true).map_err(wrong),
            Stream::Balances(account, _) => self.check_balances(views.state(), account).map_err(wrong),
        }
    }

    /// Checks that nothing was told that is not in the journal. A client that has not read everything knows the first events.
    pub(super) fn check_told(&self, truth: &Truth, state: &State) -> Result<(), Finding> {
        let stream = self.reader.stream();
        if self.newest > truth.seq() {
            return Err(format!(
                "{stream:?} told of command {}, and {} is durable",
                self.newest,
                truth.seq()
            ));
        }
        let checked = if let Stream::Trades(symbol) = stream {
            self.check_trades(truth, symbol, false)
        } else {
            self.check_events(truth, state, false)
        };
        checked.map_err(|finding| format!("{stream:?}: {finding}"))
    }

    fn check_trades(&self, truth: &Truth, symbol: SymbolId, is_all: bool) -> Result<(), Finding> {
        let Some(since) = self.since else { return Ok(()) };
        let later = truth.trades().iter().filter(|(seq, row)| *seq > since && row.symbol == symbol);
        self.compare(since, later.map(|(_, row)| row.trade.0).collect(), is_all)
    }

    fn check_balances(&self, state: &State, account: AccountId) -> Result<(), Finding> {
        let mut expected = BTreeMap::new();
        for (balance, _) in balances_of(state, account) {
            let currency = state.currencies().get(balance.currency.index()).ok_or("an unknown currency")?;
            let text = |amount: Money| {
                let mut text = Vec::new();
                amount.push_floored(&mut text, currency.decimals);
                String::from_utf8_lossy(&text).into_owned()
            };
            expected.insert(currency.code.clone(), [text(balance.available), text(balance.total)]);
        }
        if self.balances == expected {
            Ok(())
        } else {
            Err(format!("its reader knows {:?}\nexpected {expected:?}", self.balances))
        }
    }

    fn check_book(&self, views: &Views, symbol: SymbolId, limit: usize) -> Result<(), Finding> {
        let grid = &views.state().symbol(symbol).ok_or("a symbol that is not listed")?.grid;
        for side in [Side::Buy, Side::Sell] {
            let levels = views.depth().levels(symbol, side, limit);
            let units = |(price, qty)| {
                let price = units_of(grid.decimal_of_price(price))?;
                Some((price, units_of(grid.decimal_of_qty(qty))?))
            };
            let expected: Vec<_> = levels.into_iter().filter_map(units).collect();
            let known = self.book.best(side, usize::MAX);
            if known != expected {
                return Err(format!("its reader knows {side:?} {known:?}\nexpected {expected:?}"));
            }
        }
        Ok(())
    }

    fn check_events(&self, truth: &Truth, state: &State, is_all: bool) -> Result<(), Finding> {
        let Some(since) = self.since else { return Ok(()) };
        let later = truth.events().iter().skip_while(|event| event.id().seq().0 <= since);
        let expected = later.filter(|event| self.promises(state, event)).map(|event| event.id().0);
        self.compare(since, expected.collect(), is_all)
    }

    /// Compares the ids that came with those since a command.
    fn compare(&self, since: u64, mut expected: Vec<u64>, is_all: bool) -> Result<(), Finding> {
        if !is_all {
            expected.truncate(self.ids.len());
        }
        let differs = self.ids.iter().zip(&expected).position(|(known, expected)| known != expected);
        if differs.is_none() && self.ids.len() == expected.len() {
            return Ok(());
        }
        let place = differs.unwrap_or(self.ids.len().min(expected.len()));
        Err(format!(
            "of {} events {} came; number {place} is {:?} and should be {:?} (since command {since})",
            expected.len(),
            self.ids.len(),
            self.ids.get(place),
            expected.get(place)
        ))
    }

    /// Whether the stream shows an event.
    fn promises(&self, state: &State, event: &AccountEvent) -> bool {
        match self.reader.stream() {
            Stream::OrderEvents(account) => event.account() == account && !event.symbol().is_contract(),
            Stream::GroupEvents(group) => {
                let of = state.access().account(event.account()).and_then(|account| account.group);
                of == Some(group) && !event.symbol().is_contract()
            }
            Stream::Orders(account, session) => {
                event.account() == account
                    && session.is_none_or(|session| event.session() == session)
                    && is_update(event)
            }
            Stream::MarketV1(_)
            | Stream::L2(_)
            | Stream::Depth(..)
            | Stream::Levels(..)
            | Stream::Ticker(_)
            | Stream::Trades(_)
            | Stream::Balances(..) => false,
        }
    }
}

/// Whether the newest socket has an update for an event.
fn is_update(event: &AccountEvent) -> bool {
    match event {
        AccountEvent::Refused(_) => true,
        AccountEvent::Order(event) => match event.step {
            Step::Accepted | Step::Booked | Step::Filled(_) | Step::Cancelled(_) => true,
            Step::CancelRejected | Step::Closed => false,
        },
    }
}

fn number(frame: &Value, field: &str) -> Result<u64, Finding> {
    frame[field].as_u64().ok_or_else(|| format!("no {field}"))
}

fn list<'a>(frame: &'a Value, field: &str) -> Result<&'a Vec<Value>, Finding> {
    frame[field].as_array().ok_or_else(|| format!("no {field}"))
}

/// A figure in units of 10⁻¹⁹.
fn units(value: &Value) -> Result<u128, Finding> {
    let text = value.as_str().ok_or("no decimal")?;
    units_of(Decimal::parse(text.as_bytes()).ok()).ok_or_else(|| format!("{text} is no decimal"))
}

fn units_of(decimal: Option<Decimal>) -> Option<u128> {
    decimal.and_then(|decimal| decimal.units(SCALE))
}
