//! `event resolve` and `event dispute`: the outcomes of an event.

use super::{EventStatusName, Named, check_text, find_event, finish, status_of, wrong_event};
use buttonwood_engine::prediction::{Act, Event, NewResolution};
use buttonwood_engine::{PredictionCommand, PredictionReject, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::{Claim, Time};
use buttonwood_operate::{Argument, Command, Effect, Form, Operator};
use buttonwood_wire::contract::{Done, InPayload, Needed, Text, TextMap, Texts};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// Outcomes by the tickers of contracts.
type Outcomes = Vec<(String, Claim)>;

/// The command line names the contracts by their outcome.
pub(crate) const RESOLVE: Command =
    Command::once("event resolve", Effect::Gives, |operator, fields| Box::pin(resolve(operator, fields)))
        .after("event strike")
        .about("Proposes the outcomes of an event: each of its contracts once with --yes or --no. Trading ends, and the window for disputes begins.")
        .takes::<Resolve>(&[
            Argument::new("event", Form::Place),
            Argument::new("source", Form::Option),
            Argument::new("yes", Form::Options),
            Argument::new("no", Form::Options),
        ])
        .gives::<EventResolved>();

/// `POST /sandbox/predictions/events/{event}/resolve`.
pub(crate) const RESOLVE_CALL: Command = RESOLVE
    .called::<ResolveCall, EventResolved>(|operator, fields| Box::pin(resolve_call(operator, fields)))
    .about("Proposes the outcomes of an event. Trading ends, and the window for disputes begins.");

/// It stops the payout.
pub(crate) const DISPUTE: Command =
    Command::once("event dispute", Effect::Halts, |operator, fields| Box::pin(dispute(operator, fields)))
        .after("event resolve")
        .about("Disputes the proposed outcomes of an event, which is then resolved again or made void.")
        .takes::<Dispute>(&[Argument::new("event", Form::Place), Argument::new("why", Form::Place)])
        .gives::<EventDisputed>();

/// `POST /sandbox/predictions/events/{event}/dispute`.
pub(crate) const DISPUTE_CALL: Command =
    DISPUTE.called::<DisputeCall, EventDisputed>(|operator, fields| Box::pin(dispute_call(operator, fields)));

request! {
    /// Outcomes to propose.
    struct Resolve in InPayload {
        /// The event's ticker.
        event: Needed<Text>,
        /// By what it is resolved.
        source: Needed<Text>,
        /// The ticker of a contract whose outcome is yes.
        yes: Texts,
        /// The ticker of a contract whose outcome is no.
        no: Texts,
    }
}

request! {
    /// Outcomes to propose.
    struct ResolveCall in InPayload {
        /// The event's ticker.
        event: Needed<Text>,
        /// `yes` or `no` for each contract, by its ticker; a lone contract has the event's.
        outcomes: Needed<TextMap>,
        /// By what it is resolved.
        source: Needed<Text>,
    }
}

request! {
    /// A dispute.
    struct Dispute in InPayload {
        /// The event's ticker.
        event: Needed<Text>,
        /// Why, for people.
        why: Needed<Text>,
    }
}

request! {
    /// A dispute.
    struct DisputeCall in InPayload {
        /// The event's ticker.
        event: Needed<Text>,
        /// Why, for people and for the audit.
        reason: Needed<Text>,
    }
}

answer! {
    /// The proposed outcomes.
    struct EventResolved {
        /// Always `ok`.
        result: Done,
        /// Where the event stands: `settled` once it is paid.
        status: EventStatusName,
        /// When the window for disputes ends, and payouts begin.
        settles_at_ms: u64,
    }
}

answer! {
    /// The dispute.
    struct EventDisputed {
        /// Always `ok`.
        result: Done,
        /// Where the event stands.
        status: EventStatusName,
        /// Always true.
        disputed: bool,
    }
}

async fn resolve(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Resolve::of(fields);
    let event = find_event(operator, &request.event()?)?;
    let of = |sent: Option<Vec<std::borrow::Cow<'_, str>>>, claim| -> Outcomes {
        sent.unwrap_or_default().into_iter().map(|ticker| (ticker.into_owned(), claim)).collect()
    };
    let mut outcomes = of(request.yes()?, Claim::Yes);
    outcomes.extend(of(request.no()?, Claim::No));
    propose(operator, &event, outcomes, &request.source()?).await
}

async fn resolve_call(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = ResolveCall::of(fields);
    let event = find_event(operator, &request.event()?)?;
    let claim = |(ticker, outcome): (String, String)| match outcome.as_str() {
        "yes" => Ok((ticker, Claim::Yes)),
        "no" => Ok((ticker, Claim::No)),
        _ => Err(bad_value("outcomes", &format!("'yes' or 'no' for '{ticker}'"), &outcome)),
    };
    let outcomes = request.outcomes()?.into_iter().map(claim).collect::<Result<Outcomes, _>>()?;
    propose(operator, &event, outcomes, &request.source()?).await
}

async fn propose(
    operator: &Operator<'_>,
    event: &Named,
    outcomes: Outcomes,
    source: &str,
) -> Result<Vec<u8>, Refusal> {
    check_text("source", source)?;
    check_outcomes(operator, event, &outcomes)?;
    let yes = outcomes.iter().filter(|(_, claim)| *claim == Claim::Yes).count();
    let new = NewResolution { event: event.id, outcomes, source: source.to_owned() };
    let refuse = |reject| {
        if reject == Reject::Prediction(PredictionReject::NotOneYes) {
            let expected = "exactly one yes: the event is exclusive";
            return Some(bad_value("outcomes", expected, &format!("{yes} yes")));
        }
        wrong_event(operator, event, reject)
    };
    operator.send(PredictionCommand::Resolve(Arc::new(new)), refuse).await?;
    finish(operator, event.id).await;
    let now = operator.exchange.now();
    let views = operator.exchange.views();
    let found = views.state().predictions().event(event.id);
    let settles = found.map_or(now, |found| settles(found).unwrap_or(now.plus(found.dispute)));
    let status = EventStatusName(found.map_or("under_review", |found| found.status.name()));
    Ok(json::body(&EventResolved { result: Done, status, settles_at_ms: settles.millis() }))
}

/// When the window of the latest proposal ends or ended; none without a proposal.
fn settles(event: &Event) -> Option<Time> {
    let resolution = event.resolution.as_ref()?;
    let proposed = |act: &Act| matches!(act, Act::Proposed(..));
    let latest = resolution.history.iter().rev().find(|past| proposed(&past.act));
    resolution.settles.or(latest.map(|past| past.time.plus(event.dispute)))
}

/// Refuses outcomes that do not name each contract of the event once.
fn check_outcomes(operator: &Operator<'_>, event: &Named, outcomes: &Outcomes) -> Result<(), Refusal> {
    let tickers: Vec<String> = {
        let views = operator.exchange.views();
        let room = views.state().predictions();
        let contracts = room.event(event.id).into_iter().flat_map(Event::contracts);
        contracts.filter_map(|id| room.contract(id)).map(|contract| contract.ticker.clone()).collect()
    };
    let mut named: Vec<&str> = Vec::with_capacity(outcomes.len());
    for (ticker, _) in outcomes {
        if !tickers.contains(ticker) {
            let expected = format!("by the tickers of the contracts of {}", event.ticker);
            return Err(bad_value("outcomes", &expected, ticker));
        }
        if named.contains(&ticker.as_str()) {
            return Err(bad_value("outcomes", "one for each contract", ticker));
        }
        named.push(ticker);
    }
    match tickers.iter().find(|ticker| !named.contains(&ticker.as_str())) {
        Some(missing) => {
            Err(bad_value("outcomes", &format!("complete; '{missing}' has none"), &named.join(", ")))
        }
        None => Ok(()),
    }
}

async fn dispute(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Dispute::of(fields);
    object(operator, &request.event()?, ("why", &request.why()?)).await
}

async fn dispute_call(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = DisputeCall::of(fields);
    object(operator, &request.event()?, ("reason", &request.reason()?)).await
}

async fn object(
    operator: &Operator<'_>,
    event: &str,
    (field, why): (&str, &str),
) -> Result<Vec<u8>, Refusal> {
    let event = find_event(operator, event)?;
    check_text(field, why)?;
    let refuse = |reject| wrong_event(operator, &event, reject);
    operator.send(PredictionCommand::Dispute(event.id, why.to_owned()), refuse).await?;
    let status = status_of(operator, event.id);
    Ok(json::body(&EventDisputed { result: Done, status, disputed: true }))
}
