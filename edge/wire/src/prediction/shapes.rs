//! The fields of events, contracts and combos (facts F§18.2 and F§18.3).

use crate::contract::{DecimalText, IsoTime, Label, Nullable};
use crate::{answer, words};
use std::collections::BTreeMap;

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
