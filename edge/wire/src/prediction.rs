//! Events, contracts and combos of the prediction markets in JSON (PM-002, PM-004, PM-009).
//!
//! Prices are those of yes, unless a field names the other outcome. Times have milliseconds. Optional fields of the published interface
//! for which the exchange has no data are left out: pictures, sports, tags, descriptions.

mod shapes;

pub use shapes::{
    Combo, ComboLeg, ComboPage, ContractMetadata, ContractPrices, ContractStatusName, EventPage,
    EventResolution, EventStatusName, EventTypeName, LegOutcomeName, ListingPagination, MarketStateName,
    OutcomeName, OutcomePrices, PredictionContract, PredictionEvent, ResolutionStateName, ResolutionStep,
    Settlement, Strike, StrikeTypeName,
};

use crate::contract::{DecimalText, IsoTime, Label, Nullable};
use crate::time::iso_millis;
use buttonwood_engine::State;
use buttonwood_engine::prediction::{self, Act, Event, Kind, Status, own_price};
use buttonwood_model::{Claim, EventId, Side, Symbol, SymbolId, Time};
use buttonwood_num::{Grid, Money, Price};

/// The path of the terms that hold for every contract.
const TERMS: &str = "/v1/prediction-markets/terms";

/// The name of an outcome on the wire.
pub const fn outcome_name(claim: Claim) -> OutcomeName {
    OutcomeName(claim.name())
}

const fn leg_outcome(claim: Claim) -> LegOutcomeName {
    match claim {
        Claim::Yes => LegOutcomeName("Yes"),
        Claim::No => LegOutcomeName("No"),
    }
}

/// A time with milliseconds.
pub fn iso(time: Time) -> IsoTime {
    IsoTime(iso_millis(time))
}

/// The number of an event on the wire: they begin with 1.
pub fn event_number(id: EventId) -> u64 {
    u64::from(id.0).saturating_add(1)
}

/// The number of a contract on the wire, as `contractId` has it: they begin with 1.
pub fn contract_number(contract: SymbolId) -> u64 {
    u64::try_from(contract.contract_index()).unwrap_or(u64::MAX).saturating_add(1)
}

/// The symbol of a contract as the wire shows it, in upper case.
pub fn symbol_name(symbol: &Symbol) -> String {
    symbol.name.to_ascii_uppercase()
}

/// The status of a combo: active until it is paid or void.
pub const fn combo_status(event: &Event) -> &'static str {
    match event.status {
        Status::Approved | Status::Active | Status::Closed | Status::UnderReview => "Active",
        Status::Settled => "Settled",
        Status::Invalid => "Voided",
    }
}

/// Which prices of its contracts an event shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// All that there are.
    Shown,
    /// None.
    Emptied,
}

/// The prices of a contract (PM-002).
pub fn prices(state: &State, contract: SymbolId) -> ContractPrices {
    let Some(symbol) = state.symbol(contract) else { return no_prices() };
    let orders = &state.floor().orders;
    let best = |side| orders.book(contract).side(side).best();
    let (bid, ask) = (best(Side::Buy), best(Side::Sell));
    let shown = |price: Option<Price>| price.map(|price| shown_price(&symbol.grid, price));
    let other = |price: Option<Price>| shown(price.and_then(|price| own_price(symbol, Claim::No, price)));
    ContractPrices {
        buy: OutcomePrices { yes: shown(ask), no: other(bid) },
        sell: OutcomePrices { yes: shown(bid), no: other(ask) },
        best_bid: shown(bid),
        best_ask: shown(ask),
        last_trade_price: shown(orders.last(contract)),
    }
}

fn no_prices() -> ContractPrices {
    let none = || OutcomePrices { yes: None, no: None };
    ContractPrices { buy: none(), sell: none(), best_bid: None, best_ask: None, last_trade_price: None }
}

fn shown_price(grid: &Grid, price: Price) -> DecimalText {
    DecimalText::of(|out| grid.push_price(out, price))
}

/// An event (PM-002); none if there is no event with this id. Strikes are shown as of `now`.
pub fn event(state: &State, id: EventId, now: Time, quotes: Quotes) -> Option<PredictionEvent> {
    let event = state.predictions().event(id)?;
    let contracts = (0..).zip(event.contracts());
    let contracts = contracts.filter_map(|(place, contract)| {
        let all = (state, event, now, quotes);
        self::contract(all, id, place, contract)
    });
    let own = |contract| state.predictions().contract(contract);
    let volume = event.contracts().filter_map(own).fold(Money::ZERO, |sum, of| sum.capped_add(of.traded));
    let lone = event.contracts().next().filter(|_| event.count == 1);
    Some(PredictionEvent {
        id: event_number(id).to_string(),
        title: Label(event.title.clone()),
        slug: Label(slug(&event.title)),
        r#type: EventTypeName(event.kind.name()),
        category: Label(event.category.clone()),
        ticker: event.ticker.clone(),
        status: EventStatusName(event.status.name()),
        resolved_at: event.resolved.map(iso),
        created_at: iso(event.listed),
        contracts: contracts.collect(),
        volume: DecimalText::exact(volume),
        effective_date: iso(event.start),
        expiry_date: iso(event.expiry),
        start_time: iso(event.start),
        source: source(event),
        settlement: lone
            .and_then(own)
            .and_then(|of| of.value)
            .map(|value| Settlement { value: DecimalText::exact(value) }),
        resolution: resolution(state, event),
    })
}

fn contract(
    (state, event, now, quotes): (&State, &Event, Time, Quotes),
    id: EventId,
    place: u64,
    contract: SymbolId,
) -> Option<PredictionContract> {
    let own = state.predictions().contract(contract)?;
    let symbol = state.symbol(contract)?;
    let grid = &symbol.grid;
    let is_open = event.is_open() && !state.operations().is_halted();
    Some(PredictionContract {
        id: format!("{}-{}", event_number(id), place.saturating_add(1)),
        label: Label(own.label.clone()),
        prices: if quotes == Quotes::Shown { prices(state, contract) } else { no_prices() },
        status: EventStatusName(event.status.name()),
        created_at: iso(event.listed),
        expiry_date: iso(event.expiry),
        resolution_side: Nullable(own.outcome.map(outcome_name)),
        resolved_at: own.resolved.map(iso),
        terms_and_conditions_url: TERMS.to_owned(),
        ticker: own.ticker.clone(),
        instrument_symbol: symbol_name(symbol),
        quantity_increment: DecimalText::of(|out| grid.push_lot(out)),
        quantity_minimum: DecimalText::of(|out| grid.push_qty(out, symbol.qty_min)),
        price_increment: DecimalText::of(|out| grid.push_tick(out)),
        price_minimum: DecimalText::of(|out| grid.push_tick(out)),
        effective_date: iso(event.start),
        market_state: MarketStateName(if is_open { "open" } else { "closed" }),
        sort_order: place,
        strike: event.strike.as_ref().map(|of| strike(of, now)),
        source: source(event),
        settlement_value: own.value.map(DecimalText::exact),
    })
}

/// A strike, as of `now` (PM-004).
pub fn strike(strike: &prediction::Strike, now: Time) -> Strike {
    Strike {
        value: Nullable(strike.public_value(now).map(str::to_owned)),
        r#type: StrikeTypeName(strike.kind.name()),
        available_at: iso(strike.available),
    }
}

/// By what an event was resolved, or will be.
fn source(event: &Event) -> Option<Label> {
    let found = event.resolution.as_ref().map(|resolution| &resolution.source);
    found.filter(|source| !source.is_empty()).or(event.source.as_ref()).cloned().map(Label)
}

fn resolution(state: &State, event: &Event) -> Option<EventResolution> {
    let of = event.resolution.as_ref()?;
    Some(EventResolution {
        state: ResolutionStateName(of.stage.name()),
        source: Some(of.source.clone()).filter(|source| !source.is_empty()).map(Label),
        settles_at: Nullable(of.settles.map(iso)),
        history: of.history.iter().map(|past| step(state, event, past)).collect(),
    })
}

fn step(state: &State, event: &Event, past: &prediction::Past) -> ResolutionStep {
    let ticker = |contract| state.predictions().contract(contract).map(|of| of.ticker.clone());
    let tickers = || event.contracts().filter_map(ticker);
    let (name, outcomes, source, reason) = match &past.act {
        Act::Proposed(outcomes, source) => {
            let outcomes = tickers().zip(outcomes.iter().copied().map(outcome_name)).collect();
            ("proposed", Some(outcomes), Some(source), None)
        }
        Act::Disputed(reason) => ("disputed", None, None, Some(reason)),
        Act::Final => ("final", None, None, None),
        Act::Void(reason) => ("void", None, None, Some(reason)),
    };
    ResolutionStep {
        timestamp: iso(past.time),
        state: ResolutionStateName(name),
        outcomes,
        source: source.cloned().map(Label),
        reason: reason.cloned().map(Label),
    }
}

/// What rows about a contract say of it; none if there is no such contract.
pub fn contract_metadata(state: &State, contract: SymbolId) -> Option<ContractMetadata> {
    let room = state.predictions();
    let own = room.contract(contract)?;
    let event = room.event(own.event)?;
    let place = contract.contract_index().saturating_sub(SymbolId::contract(event.first).contract_index());
    let status = match event.kind {
        Kind::Combo => combo_status(event),
        Kind::Binary | Kind::Categorical => event.status.name(),
    };
    Some(ContractMetadata {
        contract_id: contract_number(contract).to_string(),
        contract_name: Label(own.label.clone()),
        contract_ticker: own.ticker.clone(),
        event_ticker: event.ticker.clone(),
        event_name: Label(event.title.clone()),
        category: Label(event.category.clone()),
        contract_status: ContractStatusName(status),
        event_type: EventTypeName(event.kind.name()),
        expiry_date: iso(event.expiry),
        resolved_at: own.resolved.map(iso),
        resolution_side: own.outcome.map(outcome_name),
        sort_order: u64::try_from(place).unwrap_or(u64::MAX),
        start_time: iso(event.start),
    })
}

/// A combo (PM-009); none if the event is no combo.
pub fn combo(state: &State, id: EventId) -> Option<Combo> {
    let room = state.predictions();
    let event = room.event(id).filter(|event| !event.legs.is_empty())?;
    let legs = (0..).zip(&event.legs).filter_map(|(place, leg)| {
        let (_, on) = room.event_of(leg.contract)?;
        Some(ComboLeg {
            combo_id: event_number(id),
            leg_index: place,
            contract_id: contract_number(leg.contract).to_string(),
            required_outcome: leg_outcome(leg.required),
            leg_outcome: Nullable(room.leg_outcome(leg).map(leg_outcome)),
            resolved_at: Nullable(on.resolved.map(iso)),
            contract: contract_metadata(state, leg.contract)?,
        })
    });
    let legs = legs.collect();
    Some(Combo { contract: contract_metadata(state, event.contracts().next()?)?, legs })
}

/// A title in lower case, with a dash between its words.
fn slug(title: &str) -> String {
    let words = title.split(|character: char| !character.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_has_words_and_dashes() {
        for (title, expected) in [
            ("Will it rain in Chicago?", "will-it-rain-in-chicago"),
            ("  BTC > $100,000 -- 2026 ", "btc-100-000-2026"),
            ("\u{c9}t\u{e9}", "\u{e9}t\u{e9}"),
            ("???", ""),
        ] {
            assert_eq!(slug(title), expected);
        }
    }
}
