//! New events and combos.

use crate::{Contract, Event, Infrequent, Kind, Leg, Predictions, Reject, Status, Strike, life};
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_model::{BytesRef, EventId, Outbox, Product, Symbol, SymbolId, SymbolStatus, Time};
use buttonwood_num::{Bps, Decimal, Grid, HUNDREDTHS_PER_LOT, Money, Qty};
use buttonwood_room::Context;
use buttonwood_trading::{self as trading, FeeChange, FeeSchedule};
use serde::{Deserialize, Serialize};

use crate::state::Step;

/// The most contracts that can ever be listed.
pub const CONTRACTS_MAX: usize = 1_000_000;
/// The most contracts of an event. The bound keeps short what one command does to all of them.
pub const CONTRACTS_OF_EVENT_MAX: usize = 100;
/// The most combos with a leg on an event that are not decided, for the same reason.
const COMBOS_OF_EVENT_MAX: usize = 1_000;
/// The most decimals of both increments together. Four more of a fee's rate and two of quantities make nineteen, so fees are exact.
const DECIMALS_MAX: u8 = 13;
/// The longest ticker, in characters.
const TICKER_MAX: usize = 24;
/// The longest symbol of a combo and prefix of symbols, in characters.
const NAME_MAX: usize = 64;
/// The longest title, label, source, category or reason, in bytes.
pub(crate) const TEXT_MAX: usize = 500;
/// The longest text of terms, in bytes.
pub(crate) const CONTENT_MAX: usize = 100_000;
/// The most jurisdictions that an event is closed to.
const CLOSED_TO_MAX: usize = 300;
/// The longest name of a jurisdiction, in bytes.
const JURISDICTION_MAX: usize = 16;
/// The longest window for disputes: a year.
const DISPUTE_MAX: u64 = 366 * 86_400 * Time::SECOND;
/// The rates at first (D-109).
const RATES: FeeSchedule = FeeSchedule { maker: Bps(100), taker: Bps(500), auction: Bps(100) };

/// An event to be listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewEvent {
    /// The first part of its symbols.
    pub prefix: String,
    /// Its ticker: upper-case letters and digits.
    pub ticker: String,
    /// Its title.
    pub title: String,
    /// Its category.
    pub category: String,
    /// Its contracts; a lone one has the event's ticker.
    pub contracts: Vec<NewContract>,
    /// Whether exactly one contract is resolved with yes.
    pub is_exclusive: bool,
    /// When trading begins; none for at once.
    pub start: Option<Time>,
    /// When trading ends.
    pub expiry: Time,
    /// How long a resolution may be disputed, in microseconds.
    pub dispute: u64,
    /// Its strike.
    pub strike: Option<Strike>,
    /// Increments of price and quantity.
    pub grid: Grid,
    /// The smallest order.
    pub qty_min: Qty,
    /// Jurisdictions whose accounts may not buy.
    pub closed_to: Vec<String>,
    /// By what it will be resolved.
    pub source: Option<String>,
}

/// A contract to be listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewContract {
    /// Its ticker within the event.
    pub ticker: String,
    /// Its name for people.
    pub label: String,
}

/// A combo to be listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewCombo {
    /// Its symbol, in upper case.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its legs, sorted.
    pub legs: Vec<Leg>,
    /// Increments of price and quantity.
    pub grid: Grid,
    /// The smallest order.
    pub qty_min: Qty,
}

fn is_ticker(text: &str) -> bool {
    let is_good = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    !text.is_empty() && text.len() <= TICKER_MAX && text.bytes().all(is_good)
}

fn is_jurisdiction(text: &str) -> bool {
    !text.is_empty() && text.len() <= JURISDICTION_MAX && text.bytes().all(|byte| byte.is_ascii_graphic())
}

pub(crate) fn check_text(text: &str, most: usize) -> Result<(), Reject> {
    if text.trim().is_empty() || text.len() > most { Err(Reject::BadText) } else { Ok(()) }
}

/// The symbols of an event's contracts, in lower case.
fn names(new: &NewEvent) -> impl Iterator<Item = String> {
    let event = [new.prefix.as_str(), &new.ticker].join("-");
    let is_lone = new.contracts.len() == 1;
    new.contracts.iter().map(move |contract| {
        let name = if is_lone { event.clone() } else { [event.as_str(), &contract.ticker].join("-") };
        name.to_ascii_lowercase()
    })
}

/// Lists an event.
///
/// # Errors
/// [`Reject`].
pub(crate) fn decide<E: From<BytesRef> + From<trading::Event>>(
    context: &Context<'_, Predictions>,
    new: &NewEvent,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let dollar = context.ledger.dollar().ok_or(Reject::Unknown)?;
    check(context, new)?;
    set_first_rates(context, out);
    out.push_named(&Infrequent::Listed(new.clone()));
    let is_open = new.start.is_none_or(|start| start <= context.time);
    for name in names(new) {
        list(name, (&new.grid, new.qty_min), dollar, is_open, out);
    }
    Ok(())
}

/// The first listing sets the product's rates, unless operators did.
fn set_first_rates<E: From<BytesRef>>(context: &Context<'_, Predictions>, out: &mut Outbox<E>) {
    let fees = &context.floor.fees;
    if context.room.contracts.is_empty() && !fees.is_set(Product::Contract) && fees.has_room_for(&[RATES]) {
        let change = FeeChange { product: Product::Contract, account: None, schedule: Some(RATES) };
        out.push_named(&trading::Infrequent::FeesChanged(change));
    }
}

fn list<E: From<BytesRef>>(
    name: String,
    (grid, qty_min): (&Grid, Qty),
    dollar: buttonwood_model::CurrencyId,
    is_open: bool,
    out: &mut Outbox<E>,
) {
    let symbol = Symbol {
        name,
        base: dollar,
        quote: dollar,
        grid: grid.clone(),
        qty_min,
        product: Product::Contract,
        status: if is_open { SymbolStatus::Open } else { SymbolStatus::CancelOnly },
        wrap_enabled: false,
        closed_to: Vec::new(),
    };
    out.push_named(&trading::Infrequent::ContractListed(symbol));
}

fn check(context: &Context<'_, Predictions>, new: &NewEvent) -> Result<(), Reject> {
    let room = context.room;
    if !is_ticker(&new.ticker) || !is_ticker(&new.prefix) {
        return Err(Reject::BadTicker);
    }
    if room.find_event(&new.ticker).is_some() {
        return Err(Reject::Taken);
    }
    let labels = new.contracts.iter().map(|contract| &contract.label);
    let texts = [&new.title, &new.category].into_iter().chain(labels).chain(new.source.as_ref());
    { texts }.try_for_each(|text| check_text(text, TEXT_MAX))?;
    if new.expiry <= context.time.max(new.start.unwrap_or_default()) {
        return Err(Reject::BadExpiry);
    }
    check_grid(&new.grid, new.qty_min)?;
    check_contracts(new)?;
    if new.dispute > DISPUTE_MAX {
        return Err(Reject::BadValue);
    }
    if new.closed_to.len() > CLOSED_TO_MAX || new.closed_to.iter().any(|place| !is_jurisdiction(place)) {
        return Err(Reject::BadText);
    }
    if let Some(value) = new.strike.as_ref().and_then(|strike| strike.value.as_deref()) {
        life::check_value(value)?;
    }
    check_room_for(room, new.contracts.len())
}

fn check_room_for(room: &Predictions, more: usize) -> Result<(), Reject> {
    let after = room.contracts.len().saturating_add(more);
    if after > CONTRACTS_MAX { Err(Reject::Full) } else { Ok(()) }
}

fn check_grid(grid: &Grid, qty_min: Qty) -> Result<(), Reject> {
    let divides = grid.ticks_of_one().is_some_and(|one| one > 1);
    if !divides || grid.tick_decimals() + grid.lot_decimals() > DECIMALS_MAX || !grid.has_exact_fees() {
        return Err(Reject::BadIncrement);
    }
    let minimum = qty_min.hundredths();
    let is_good = minimum > 0 && minimum.is_multiple_of(HUNDREDTHS_PER_LOT) && grid.base(qty_min).is_some();
    if is_good { Ok(()) } else { Err(Reject::BadMinimum) }
}

fn check_contracts(new: &NewEvent) -> Result<(), Reject> {
    let tickers: BTreeSet<&str> = new.contracts.iter().map(|contract| contract.ticker.as_str()).collect();
    let is_lone = new.contracts.len() == 1;
    let count = new.contracts.len();
    if count == 0 || count > CONTRACTS_OF_EVENT_MAX || tickers.len() != count {
        return Err(Reject::BadContracts);
    }
    let is_good = |ticker: &&str| is_ticker(ticker) && (!is_lone || **ticker == new.ticker);
    if tickers.iter().all(is_good) { Ok(()) } else { Err(Reject::BadTicker) }
}

/// Adds an event and its contracts.
pub(crate) fn evolve(room: &mut Predictions, new: NewEvent, time: Time) {
    let is_open = new.start.is_none_or(|start| start <= time);
    let start = new.start.filter(|_| !is_open).unwrap_or(time);
    let kind = if new.contracts.len() == 1 { Kind::Binary } else { Kind::Categorical };
    let event = Event {
        ticker: new.ticker,
        title: new.title,
        category: new.category,
        kind,
        is_exclusive: new.is_exclusive,
        listed: time,
        start,
        expiry: new.expiry,
        dispute: new.dispute,
        strike: new.strike,
        closed_to: new.closed_to,
        source: new.source,
        status: if is_open { Status::Active } else { Status::Approved },
        is_halted: false,
        is_closed: false,
        awaits_void: false,
        first: 0,
        count: 0,
        resolution: None,
        resolved: None,
        legs: Vec::new(),
    };
    let id = add(room, event, new.contracts);
    if !is_open {
        room.agenda.insert((start, Step::Start, id));
    }
}

/// Adds an event with its contracts; returns its id.
fn add(room: &mut Predictions, event: Event, contracts: Vec<NewContract>) -> EventId {
    let id = EventId::from_index(room.events.len());
    let first = u32::try_from(room.contracts.len()).unwrap_or(u32::MAX);
    let count = u32::try_from(contracts.len()).unwrap_or(u32::MAX);
    if event.legs.is_empty() {
        room.agenda.insert((event.expiry, Step::Expire, id));
    }
    for NewContract { ticker, label } in contracts {
        room.contracts.push(Contract {
            event: id,
            ticker,
            label,
            outcome: None,
            value: None,
            resolved: None,
            traded: Money::ZERO,
            costs: Money::ZERO,
        });
    }
    room.events.push(Event { first, count, ..event });
    room.index_event(id);
    room.fold_event(id);
    id
}

/// Lists a combo. The legs of one that exists change nothing.
///
/// # Errors
/// [`Reject`].
pub(crate) fn decide_combo<E: From<BytesRef> + From<trading::Event>>(
    context: &Context<'_, Predictions>,
    new: &NewCombo,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let room = context.room;
    let dollar = context.ledger.dollar().ok_or(Reject::Unknown)?;
    check_legs(context, &new.legs)?;
    if room.combo_of(&new.legs).is_some() {
        return Ok(());
    }
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-';
    if new.name.is_empty() || new.name.len() > NAME_MAX || !new.name.bytes().all(is_name) {
        return Err(Reject::BadTicker);
    }
    if room.find_contract(&new.name).is_some() {
        return Err(Reject::Taken);
    }
    check_text(&new.title, TEXT_MAX * 6)?;
    check_grid(&new.grid, new.qty_min)?;
    check_room_for(room, 1)?;
    out.push_named(&Infrequent::ComboListed(new.clone()));
    let is_open = !events_of(room, &new.legs).any(|event| event.is_halted);
    list(new.name.to_ascii_lowercase(), (&new.grid, new.qty_min), dollar, is_open, out);
    Ok(())
}

/// The events of legs.
pub(crate) fn events_of<'a>(room: &'a Predictions, legs: &'a [Leg]) -> impl Iterator<Item = &'a Event> {
    legs.iter().filter_map(|leg| room.event_of(leg.contract)).map(|(_, event)| event)
}

fn check_legs(context: &Context<'_, Predictions>, legs: &[Leg]) -> Result<(), Reject> {
    let room = context.room;
    let mut events = BTreeSet::new();
    for leg in legs {
        let (id, event) = room.event_of(leg.contract).ok_or(Reject::UnknownContract)?;
        let combos = room.combos_on(id).iter().filter_map(|combo| room.event(*combo));
        let is_full = combos.filter(|combo| !combo.is_decided()).count() >= COMBOS_OF_EVENT_MAX;
        let is_over = !event.is_before_close() || event.expiry <= context.time;
        if !event.legs.is_empty() || is_over || is_full || !events.insert(id) {
            return Err(Reject::BadLegs);
        }
    }
    let is_sorted = legs.is_sorted();
    if (2..=6).contains(&legs.len()) && is_sorted { Ok(()) } else { Err(Reject::BadLegs) }
}

/// Adds a combo.
pub(crate) fn evolve_combo(room: &mut Predictions, new: NewCombo, time: Time) {
    let NewCombo { name, title, legs, .. } = new;
    let mut closed_to: Vec<String> =
        events_of(room, &legs).flat_map(|event| event.closed_to.iter().cloned()).collect();
    closed_to.sort_unstable();
    closed_to.dedup();
    let expiry = events_of(room, &legs).map(|event| event.expiry).min().unwrap_or(time);
    let is_halted = events_of(room, &legs).any(|event| event.is_halted);
    let event = Event {
        ticker: name.clone(),
        title: title.clone(),
        category: String::from("Combo"),
        kind: Kind::Combo,
        is_exclusive: false,
        listed: time,
        start: time,
        expiry,
        dispute: 0,
        strike: None,
        closed_to,
        source: None,
        status: Status::Active,
        is_halted,
        is_closed: false,
        awaits_void: false,
        first: 0,
        count: 0,
        resolution: None,
        resolved: None,
        legs: legs.clone(),
    };
    let id = add(room, event, alloc::vec![NewContract { ticker: name, label: title }]);
    room.combos.insert(legs, id);
}

/// The grid of combos, and their smallest order: a hundredth of a dollar, a hundredth of a contract, and one contract.
pub fn combo_grid() -> Option<(Grid, Qty)> {
    let hundredth = Decimal::parse(b"0.01").ok()?;
    let grid = Grid::new(hundredth, hundredth).ok()?;
    let one = grid.qty(Decimal::parse(b"1").ok()?)?;
    Some((grid, one))
}

/// The symbol of a contract, as the floor has it.
pub(crate) fn symbol_of<'a>(context: &Context<'a, Predictions>, contract: SymbolId) -> Option<&'a Symbol> {
    context.floor.symbols.get(contract)
}
