//! `event add`: lists an event with one contract or several (PM-027).

use super::grid::Increments;
use super::{EventStatusName, check_text, check_ticker, strike, switch, time};
use buttonwood_engine::prediction::{CONTRACTS_MAX, CONTRACTS_OF_EVENT_MAX, NewContract, NewEvent, Status};
use buttonwood_engine::{PredictionCommand, PredictionReject, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::Time;
use buttonwood_operate::{Argument, Command, Effect, Form, Operator, jurisdiction};
use buttonwood_wire::contract::{
    Decimal, Done, InPayload, Needed, Object, Objects, Optional, Sent, Switch, Text, Texts, Timestamp,
    WholeUpTo,
};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The longest window for disputes: a year.
const DISPUTE_MAX: u64 = 366 * 86_400;
/// The window for disputes unless the call says otherwise: an hour.
const DISPUTE: u64 = 3_600;

/// Also `POST /sandbox/predictions/events`.
pub(crate) const COMMAND: Command =
    Command::once("event add", Effect::Opens, |operator, fields| Box::pin(run(operator, fields)))
        .after("proposals")
        .about("Lists an event of the prediction markets, with one contract or several.")
        .takes::<AddEvent>(&[
            Argument::new("ticker", Form::Place),
            Argument::new("title", Form::Option),
            Argument::new("category", Form::Option),
            Argument::new("expiry_ms", Form::Option).named("expiry"),
            Argument::new("contracts", Form::File),
            Argument::new("exclusive", Form::Option),
            Argument::new("start_ms", Form::Option).named("start"),
            Argument::new("dispute_seconds", Form::Option),
            Argument::new("strike", Form::File),
            Argument::new("price_increment", Form::Option),
            Argument::new("quantity_increment", Form::Option),
            Argument::new("quantity_minimum", Form::Option),
            Argument::new("closed_to", Form::Options),
            Argument::new("source", Form::Option),
        ])
        .gives::<EventListed>();

request! {
    /// An event to list.
    struct AddEvent in InPayload {
        /// Its ticker, of A to Z and digits; unique for ever.
        ticker: Needed<Text>,
        /// Its title.
        title: Needed<Text>,
        /// Its category, such as `crypto`.
        category: Needed<Text>,
        /// When trading ends.
        expiry_ms: Needed<Timestamp>,
        /// Its contracts, in their order; one contract with the event's ticker and title without them.
        contracts: Optional<Objects<AddContract<'static>>>,
        /// Whether exactly one contract is resolved with yes; true where there are several, unless it is said otherwise.
        exclusive: Sent<Switch>,
        /// When trading begins; at once without it.
        start_ms: Timestamp,
        /// How long a resolution may be disputed, in seconds; 3600 without it. With 0 it is paid at once.
        dispute_seconds: WholeUpTo<DISPUTE_MAX>,
        /// The value that decides it.
        strike: Optional<Object<strike::AddStrike<'static>>>,
        /// The increment of prices, which divides 1; 0.01 without it.
        price_increment: Decimal,
        /// The increment of quantities; 0.01 without it. Both increments have at most 13 decimals together.
        quantity_increment: Decimal,
        /// The smallest order, a multiple of `quantity_increment`; 1 without it.
        quantity_minimum: Decimal,
        /// Jurisdictions whose accounts may not buy: a country's two letters, or these with a region's, such as US-NY.
        closed_to: Texts,
        /// By what it will be resolved.
        source: Text,
    }
}

request! {
    /// A contract to list.
    struct AddContract in InPayload {
        /// Its ticker within the event, of A to Z and digits; a lone contract has the event's.
        ticker: Needed<Text>,
        /// Its name for people.
        label: Needed<Text>,
    }
}

answer! {
    /// The event that was listed.
    struct EventListed {
        /// Always `ok`.
        result: Done,
        /// The ticker.
        event_ticker: String,
        /// The symbols of its contracts, in their order.
        symbols: Vec<String>,
        /// `approved` before a later start, else `active`.
        status: EventStatusName,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let event = read(operator, fields)?;
    let (ticker, symbols) = (event.ticker.clone(), symbols(&event));
    let expiry = event.expiry.millis().to_string();
    let is_later = event.start.is_some_and(|start| start > operator.exchange.now());
    let refuse = |reject| refused(reject, &ticker, &expiry);
    operator.send(PredictionCommand::ListEvent(Arc::new(event)), refuse).await?;
    let listed = {
        let views = operator.exchange.views();
        let room = views.state().predictions();
        room.find_event(&ticker).and_then(|id| room.event(id)).map(|event| event.status)
    };
    let status = listed.unwrap_or(if is_later { Status::Approved } else { Status::Active });
    let status = EventStatusName(status.name());
    Ok(json::body(&EventListed { result: Done, event_ticker: ticker, symbols, status }))
}

/// Words the rejects that the fields alone do not show.
fn refused(reject: Reject, ticker: &str, expiry: &str) -> Option<Refusal> {
    let Reject::Prediction(reject) = reject else { return None };
    let full = format!("among the {CONTRACTS_MAX} contracts that there can be");
    let words = [
        (PredictionReject::Taken, "ticker", "one that no event has", ticker),
        (PredictionReject::BadExpiry, "expiry_ms", "later than now and than start_ms", expiry),
        (PredictionReject::Full, "contracts", &full, ticker),
    ];
    let found = words.into_iter().find(|(of, ..)| *of == reject);
    found.map(|(_, field, expected, value)| bad_value(field, expected, value))
}

/// The symbols of its contracts.
fn symbols(event: &NewEvent) -> Vec<String> {
    let name = format!("{}-{}", event.prefix, event.ticker);
    match event.contracts.as_slice() {
        [_lone] => vec![name],
        several => several.iter().map(|contract| format!("{name}-{}", contract.ticker)).collect(),
    }
}

fn read(operator: &Operator<'_>, fields: &Payload) -> Result<NewEvent, Refusal> {
    let request = AddEvent::of(fields);
    let (ticker, title, category) = (request.ticker()?, request.title()?, request.category()?);
    check_ticker("ticker", &ticker)?;
    check_text("title", &title)?;
    check_text("category", &category)?;
    let source = request.source()?;
    source.as_deref().map_or(Ok(()), |source| check_text("source", source))?;
    let (start, expiry) = times(operator.exchange.now(), request)?;
    let contracts = match request.contracts()? {
        Some(sent) => contracts(&ticker, &sent)?,
        None => vec![NewContract { ticker: ticker.to_string(), label: title.to_string() }],
    };
    let is_exclusive = switch("exclusive", request.exclusive())?.unwrap_or(contracts.len() > 1);
    let dispute = request.dispute_seconds()?.unwrap_or(DISPUTE).saturating_mul(Time::SECOND);
    let strike = request.strike()?.map(|sent| strike::read(operator, &sent)).transpose()?;
    let [price, quantity, minimum] = [
        (request.price_increment(), "0.01"),
        (request.quantity_increment(), "0.01"),
        (request.quantity_minimum(), "1"),
    ]
    .map(|(sent, default)| sent.unwrap_or(default.into()));
    let (grid, qty_min) = Increments { price: &price, quantity: &quantity, minimum: &minimum }.read()?;
    let closed_to = request.closed_to()?.unwrap_or_default();
    let closed_to: BTreeSet<String> =
        closed_to.iter().map(|place| jurisdiction("closed_to", place)).collect::<Result<_, _>>()?;
    Ok(NewEvent {
        prefix: operator.contract_prefix.clone(),
        ticker: ticker.into_owned(),
        title: title.into_owned(),
        category: category.into_owned(),
        contracts,
        is_exclusive,
        start,
        expiry,
        dispute,
        strike,
        grid,
        qty_min,
        closed_to: closed_to.into_iter().collect(),
        source: source.map(std::borrow::Cow::into_owned),
    })
}

/// The start, if there is one, and the expiry.
fn times(now: Time, request: AddEvent<'_>) -> Result<(Option<Time>, Time), Refusal> {
    let millis = request.expiry_ms()?;
    let expiry = time("expiry_ms", millis)?;
    let start = request.start_ms()?.map(|start| time("start_ms", start)).transpose()?;
    if expiry <= now {
        return Err(bad_value("expiry_ms", "later than now", &millis.to_string()));
    }
    if start.is_some_and(|start| expiry <= start) {
        return Err(bad_value("expiry_ms", "later than start_ms", &millis.to_string()));
    }
    Ok((start, expiry))
}

fn contracts(event: &str, sent: &[Payload]) -> Result<Vec<NewContract>, Refusal> {
    let count = sent.len();
    if count == 0 || count > CONTRACTS_OF_EVENT_MAX {
        let expected = format!("an array of 1 to {CONTRACTS_OF_EVENT_MAX} contracts");
        return Err(bad_value("contracts", &expected, &format!("{count} contracts")));
    }
    let mut all: Vec<NewContract> = Vec::with_capacity(count);
    for (number, fields) in (1..).zip(sent) {
        let contract = contract(fields);
        let contract =
            contract.map_err(|refusal| refusal.and(&format!("it is in contract {number} of 'contracts'")))?;
        if all.iter().any(|other| other.ticker == contract.ticker) {
            return Err(bad_value(
                "contracts",
                "contracts with a ticker of their own each",
                &contract.ticker,
            ));
        }
        all.push(contract);
    }
    if let [lone] = all.as_mut_slice() {
        event.clone_into(&mut lone.ticker);
    }
    Ok(all)
}

fn contract(fields: &Payload) -> Result<NewContract, Refusal> {
    let request = AddContract::of(fields);
    let (ticker, label) = (request.ticker()?, request.label()?);
    check_ticker("ticker", &ticker)?;
    check_text("label", &label)?;
    Ok(NewContract { ticker: ticker.into_owned(), label: label.into_owned() })
}
