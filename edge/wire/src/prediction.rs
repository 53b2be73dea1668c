//! Events, contracts and combos of the prediction markets in JSON (PM-002, PM-004, PM-009).
//!
//! Prices are those of yes, unless a field names the other outcome. Times have milliseconds. Optional fields of the published interface
//! for which the exchange has no data are left out: pictures, sports, tags, descriptions.

use crate::contract::{DecimalText, IsoTime, Label, Nullable};
use crate::time::iso_millis;
use crate::{answer, words};
use buttonwood_engine::State;
use buttonwood_engine::prediction::{self, Act, Event, Kind, Status, own_price};
use buttonwood_model::{Claim, EventId, Side, Symbol, SymbolId, Time};
use buttonwood_num::{Grid, MONEY_DECIMALS, Money, Price};
use std::collections::BTreeMap;

/// The path of the terms that hold for every contract.
const TERMS: &str = "/v1/prediction-markets/terms";

words! {
    /// An outcome of a contract.
    pub struct OutcomeName: "yes", "no"
}

words! {
    /// An outcome of a contract, as combos write it.
    pub struct LegOutcomeName: "Yes", "No"
}

words! {
    /// Where an event stands between its listing and its payout.
    pub struct EventStatusName: "approved", "active", "closed", "under_review", "settled", "invalid"
}

words! {
    /// Where the event of a contract stands; the capitalised ones are those of combos.
    pub struct ContractStatusName: "approved", "active", "closed", "under_review", "settled", "invalid", "Active", "Settled", "Voided"
}

words! {
    /// Whether an event has one contract or several, or is a combo.
    pub struct EventTypeName: "binary", "categorical", "combo"
}

words! {
    /// Whether a contract takes orders.
    pub struct MarketStateName: "open", "closed"
}

words! {
    /// The meaning of a strike.
    pub struct StrikeTypeName: "reference", "above", "spread", "over", "over_or_equal", "under", "under_or_equal"
}

words! {
    /// How far the resolution of an event has come.
    pub struct ResolutionStateName: "proposed", "disputed", "final", "void"
}

answer! {
    /// An event of the prediction markets.
    pub struct PredictionEvent {
        /// The number of the event.
        pub id: String,
        /// Its title.
        pub title: Label,
        /// Its title in lower case, with dashes between the words.
        pub slug: Label,
        /// Whether it has one contract or several.
        pub r#type as "type": EventTypeName,
        /// Its category.
        pub category: Label,
        /// Its ticker.
        pub ticker: String,
        /// Where it stands.
        pub status: EventStatusName,
        /// When it was settled or void.
        pub resolved_at as "resolvedAt": Option<IsoTime>,
        /// When it was listed.
        pub created_at as "createdAt": IsoTime,
        /// Its contracts.
        pub contracts: Vec<PredictionContract>,
        /// How many contracts were traded; each pays a dollar or nothing.
        pub volume: DecimalText,
        /// When trading begins.
        pub effective_date as "effectiveDate": IsoTime,
        /// When trading ends at the latest.
        pub expiry_date as "expiryDate": IsoTime,
        /// When trading begins.
        pub start_time as "startTime": IsoTime,
        /// By what it will be resolved, or was.
        pub source: Option<Label>,
        /// What its only contract paid for yes, once that is decided.
        pub settlement: Option<Settlement>,
        /// Its resolution, from the first proposal on.
        pub resolution: Option<EventResolution>,
    }
}

answer! {
    /// What a contract paid.
    pub struct Settlement {
        /// What a claim on yes paid, in dollars.
        pub value: DecimalText,
    }
}

answer! {
    /// The resolution of an event.
    pub struct EventResolution {
        /// How far it has come.
        pub state: ResolutionStateName,
        /// By what the outcomes were found.
        pub source: Option<Label>,
        /// When the window for disputes ends; `null` while a dispute stops it, and after it.
        pub settles_at as "settlesAt": Nullable<IsoTime>,
        /// All steps, the oldest first.
        pub history: Vec<ResolutionStep>,
    }
}

answer! {
    /// A step of the resolution of an event.
    pub struct ResolutionStep {
        /// When it was done.
        pub timestamp: IsoTime,
        /// The state since then.
        pub state: ResolutionStateName,
        /// The outcomes that were proposed, by the tickers of the contracts.
        pub outcomes: Option<BTreeMap<String, OutcomeName>>,
        /// By what they were found.
        pub source: Option<Label>,
        /// Why the outcomes were disputed, or the event became void.
        pub reason: Option<Label>,
    }
}

answer! {
    /// A contract of an event.
    pub struct PredictionContract {
        /// The number of its event, a dash, and its own number within it.
        pub id: String,
        /// Its name.
        pub label: Label,
        /// Its prices.
        pub prices: ContractPrices,
        /// Where its event stands.
        pub status: EventStatusName,
        /// When it was listed.
        pub created_at as "createdAt": IsoTime,
        /// When trading ends at the latest.
        pub expiry_date as "expiryDate": IsoTime,
        /// Its final outcome.
        pub resolution_side as "resolutionSide": Nullable<OutcomeName>,
        /// When its outcome became final, or it void.
        pub resolved_at as "resolvedAt": Option<IsoTime>,
        /// Where the terms are.
        pub terms_and_conditions_url as "termsAndConditionsUrl": String,
        /// Its ticker within its event.
        pub ticker: String,
        /// Its symbol, for orders and market data.
        pub instrument_symbol as "instrumentSymbol": String,
        /// The increment of quantities.
        pub quantity_increment as "quantityIncrement": DecimalText,
        /// The least quantity of an order.
        pub quantity_minimum as "quantityMinimum": DecimalText,
        /// The increment of prices.
        pub price_increment as "priceIncrement": DecimalText,
        /// The lowest price. The highest one is a dollar less.
        pub price_minimum as "priceMinimum": DecimalText,
        /// When trading begins.
        pub effective_date as "effectiveDate": IsoTime,
        /// Whether it takes orders.
        pub market_state as "marketState": MarketStateName,
        /// Its place among the contracts of its event, from 0 on.
        pub sort_order as "sortOrder": u64,
        /// The strike of its event.
        pub strike: Option<Strike>,
        /// By what it will be resolved, or was.
        pub source: Option<Label>,
        /// What a claim on yes paid, in dollars, once that is decided.
        pub settlement_value as "settlementValue": Option<DecimalText>,
    }
}

answer! {
    /// The prices of a contract.
    pub struct ContractPrices {
        /// What a buyer of each outcome pays at best; without quotes it is empty.
        pub buy: OutcomePrices,
        /// What a seller of each outcome gets at best; without quotes it is empty.
        pub sell: OutcomePrices,
        /// The best bid for yes.
        pub best_bid as "bestBid": Option<DecimalText>,
        /// The best ask for yes.
        pub best_ask as "bestAsk": Option<DecimalText>,
        /// The price of yes in the last trade.
        pub last_trade_price as "lastTradePrice": Option<DecimalText>,
    }
}

answer! {
    /// Prices of both outcomes.
    pub struct OutcomePrices {
        /// That of yes.
        pub yes: Option<DecimalText>,
        /// That of no.
        pub no: Option<DecimalText>,
    }
}

answer! {
    /// The strike of an event.
    pub struct Strike {
        /// Its value; `null` before it is public.
        pub value: Nullable<String>,
        /// Its meaning.
        pub r#type as "type": StrikeTypeName,
        /// When the value is public.
        pub available_at as "availableAt": IsoTime,
    }
}

answer! {
    /// What rows about a contract say of it.
    pub struct ContractMetadata {
        /// The number of the contract.
        pub contract_id as "contractId": String,
        /// Its name.
        pub contract_name as "contractName": Label,
        /// Its ticker within its event; a combo's is its symbol.
        pub contract_ticker as "contractTicker": String,
        /// The ticker of its event; a combo's is its symbol.
        pub event_ticker as "eventTicker": String,
        /// The title of its event.
        pub event_name as "eventName": Label,
        /// The category of its event; `Combo` for a combo.
        pub category: Label,
        /// Where its event stands.
        pub contract_status as "contractStatus": ContractStatusName,
        /// What its event is made of.
        pub event_type as "eventType": EventTypeName,
        /// When trading ends at the latest.
        pub expiry_date as "expiryDate": IsoTime,
        /// When its outcome became final, or it void.
        pub resolved_at as "resolvedAt": Option<IsoTime>,
        /// Its final outcome.
        pub resolution_side as "resolutionSide": Option<OutcomeName>,
        /// Its place among the contracts of its event, from 0 on.
        pub sort_order as "sortOrder": u64,
        /// When trading begins.
        pub start_time as "startTime": IsoTime,
    }
}

answer! {
    /// A combo: one contract, whose outcome is that of its legs.
    pub struct Combo {
        /// Its contract.
        pub contract: ContractMetadata,
        /// Its legs.
        pub legs: Vec<ComboLeg>,
    }
}

answer! {
    /// A leg of a combo.
    pub struct ComboLeg {
        /// The number of the combo.
        pub combo_id as "comboId": u64,
        /// Its place among the legs, from 0 on.
        pub leg_index as "legIndex": u64,
        /// The number of its contract.
        pub contract_id as "contractId": String,
        /// The outcome that the combo needs.
        pub required_outcome as "requiredOutcome": LegOutcomeName,
        /// The outcome of the contract, once its event is settled.
        pub leg_outcome as "legOutcome": Nullable<LegOutcomeName>,
        /// When its event was settled or void.
        pub resolved_at as "resolvedAt": Nullable<IsoTime>,
        /// Its contract.
        pub contract: ContractMetadata,
    }
}

answer! {
    /// The part of a listing that was returned.
    pub struct ListingPagination {
        /// How many rows at most.
        pub limit: u64,
        /// How many rows were left out before the first one.
        pub offset: u64,
        /// How many rows there are.
        pub total: u64,
    }
}

answer! {
    /// Events of the prediction markets.
    pub struct EventPage {
        /// The events.
        pub data: Vec<PredictionEvent>,
        /// Which part of them.
        pub pagination: ListingPagination,
    }
}

answer! {
    /// Combos.
    pub struct ComboPage {
        /// The combos.
        pub combos: Vec<Combo>,
        /// Which part of them.
        pub pagination: ListingPagination,
    }
}

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

fn money(amount: Money) -> DecimalText {
    DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS))
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
        volume: money(volume),
        effective_date: iso(event.start),
        expiry_date: iso(event.expiry),
        start_time: iso(event.start),
        source: source(event),
        settlement: lone
            .and_then(own)
            .and_then(|of| of.value)
            .map(|value| Settlement { value: money(value) }),
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
        settlement_value: own.value.map(money),
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
