//! `combo add`: lists a contract on the outcomes of several events.

use super::symbol_of;
use buttonwood_engine::prediction::{Leg, NewCombo, combo_grid};
use buttonwood_engine::{PredictionCommand, PredictionReject, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::{Claim, Day, EventId, SymbolId, Time};
use buttonwood_operate::{Argument, Command, Effect, Form, Operator};
use buttonwood_wire::contract::{Done, InPayload, Needed, Objects, Text, Texts};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::time::iso_date;
use buttonwood_wire::{answer, json, request, words};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

/// Bytes of the key's hash in a symbol.
const HASH_BYTES: usize = 6;

/// The same legs in any order are one combo.
pub(crate) const COMMAND: Command = Command::once("combo add", Effect::Opens, |operator, fields| {
    Box::pin(run(operator, fields))
})
    .after("event void")
    .about("Lists a combo of 2 to 6 contracts of different events, which pays when each has its outcome; legs that are one already change nothing.")
    .takes::<AddCombo>(&[Argument::new("yes", Form::Options), Argument::new("no", Form::Options)])
    .gives::<ComboListed>();

/// `POST /sandbox/predictions/combos`.
pub(crate) const CALL: Command =
    COMMAND.called::<ComboCall, ComboListed>(|operator, fields| Box::pin(call(operator, fields)));

request! {
    /// A combo to list.
    struct AddCombo in InPayload {
        /// The symbol of a leg whose outcome must be yes.
        yes: Texts,
        /// The symbol of a leg whose outcome must be no.
        no: Texts,
    }
}

request! {
    /// A combo to list.
    struct ComboCall in InPayload {
        /// Its legs, on contracts of different events.
        legs: Needed<Objects<AddLeg<'static>>>,
    }
}

words! {
    /// An outcome.
    struct LegOutcome: "yes", "no"
}

request! {
    /// A leg.
    struct AddLeg in InPayload {
        /// The symbol of a contract that is no combo.
        symbol: Needed<Text>,
        /// The outcome that it must have.
        outcome: Needed<LegOutcome>,
    }
}

answer! {
    /// The combo.
    struct ComboListed {
        /// Always `ok`.
        result: Done,
        /// Its symbol.
        symbol: String,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = AddCombo::of(fields);
    let (yes, no) = (request.yes()?.unwrap_or_default(), request.no()?.unwrap_or_default());
    let yes = yes.iter().map(|symbol| leg(operator, ("yes", symbol), Claim::Yes));
    let no = no.iter().map(|symbol| leg(operator, ("no", symbol), Claim::No));
    let legs = yes.chain(no).collect::<Result<_, _>>()?;
    list(operator, "yes", legs).await
}

async fn call(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let sent = ComboCall::of(fields).legs()?;
    let mut legs = Vec::with_capacity(sent.len());
    for (number, fields) in (1..).zip(&sent) {
        let leg = read(operator, fields);
        legs.push(leg.map_err(|refusal| refusal.and(&format!("it is in leg {number} of 'legs'")))?);
    }
    list(operator, "legs", legs).await
}

fn read(operator: &Operator<'_>, fields: &Payload) -> Result<Leg, Refusal> {
    let request = AddLeg::of(fields);
    let (symbol, outcome) = (request.symbol()?, request.outcome()?);
    let claim = match &*outcome {
        "yes" => Claim::Yes,
        "no" => Claim::No,
        other => return Err(bad_value("outcome", "'yes' or 'no'", other)),
    };
    leg(operator, ("symbol", &symbol), claim)
}

/// A leg on a contract whose event is approved or active, and no combo.
fn leg(operator: &Operator<'_>, (field, symbol): (&str, &str), required: Claim) -> Result<Leg, Refusal> {
    let views = operator.exchange.views();
    let (state, room) = (views.state(), views.state().predictions());
    let is_named =
        |id: &SymbolId| state.symbol(*id).is_some_and(|found| found.name.eq_ignore_ascii_case(symbol));
    let contract = room.find_contract(symbol).filter(is_named);
    let found = contract.and_then(|contract| Some((contract, room.event_of(contract)?.1)));
    let (contract, event) = found.ok_or_else(|| bad_value(field, "the symbol of a contract", symbol))?;
    if !event.legs.is_empty() {
        return Err(bad_value(field, "the symbol of a contract that is no combo", symbol));
    }
    if !event.is_before_close() {
        let expected = "the symbol of a contract whose event is approved or active";
        return Err(bad_value(field, expected, symbol).and(&format!("its event is {}", event.status.name())));
    }
    Ok(Leg { contract, required })
}

async fn list(operator: &Operator<'_>, field: &str, mut legs: Vec<Leg>) -> Result<Vec<u8>, Refusal> {
    let count = legs.len();
    if !(2..=6).contains(&count) {
        return Err(bad_value(field, "2 to 6 legs", &format!("{count} legs")));
    }
    legs.sort_unstable();
    check_events(operator, field, &legs)?;
    let (grid, qty_min) = combo_grid().ok_or_else(failed)?;
    let name = name(&operator.contract_prefix, operator.exchange.now(), &legs);
    let new =
        NewCombo { name: name.clone(), title: title(operator, &legs), legs: legs.clone(), grid, qty_min };
    let refuse = |reject| {
        let Reject::Prediction(reject) = reject else { return None };
        let words = [
            (
                PredictionReject::BadLegs,
                "legs on events that are approved or active, each in at most 1000 combos",
            ),
            (PredictionReject::Full, "among the contracts that there can be"),
            (PredictionReject::Taken, "legs whose symbol no other combo has"),
        ];
        let (_, expected) = words.into_iter().find(|(of, _)| *of == reject)?;
        Some(bad_value(field, expected, &name))
    };
    operator.send(PredictionCommand::ListCombo(Arc::new(new)), refuse).await?;
    let listed = {
        let views = operator.exchange.views();
        let room = views.state().predictions();
        room.combo_of(&legs).and_then(|id| room.event(id)).map(|event| event.ticker.clone())
    };
    Ok(json::body(&ComboListed { result: Done, symbol: listed.unwrap_or(name) }))
}

/// Refuses two legs on one event.
fn check_events(operator: &Operator<'_>, field: &str, legs: &[Leg]) -> Result<(), Refusal> {
    let second = {
        let views = operator.exchange.views();
        let room = views.state().predictions();
        let mut events: BTreeSet<EventId> = BTreeSet::new();
        let mut on = legs.iter().filter_map(|leg| Some((leg.contract, room.event_of(leg.contract)?.0)));
        on.find(|(_, event)| !events.insert(*event)).map(|(contract, _)| contract)
    };
    let refuse = |contract| bad_value(field, "on different events", &symbol_of(operator, contract));
    second.map_or(Ok(()), |contract| Err(refuse(contract)))
}

/// The labels of the legs' contracts.
fn title(operator: &Operator<'_>, legs: &[Leg]) -> String {
    let views = operator.exchange.views();
    let room = views.state().predictions();
    let labels = legs.iter().filter_map(|leg| room.contract(leg.contract));
    labels.map(|contract| contract.label.as_str()).collect::<Vec<_>>().join(" + ")
}

/// The symbol of a combo with these legs, which are sorted: month and year of its listing, and the beginning of the hash of its key
/// (facts F§18.3).
pub(crate) fn name(prefix: &str, now: Time, legs: &[Leg]) -> String {
    let date = iso_date(Day::of(now));
    let (year, month) = (date.get(2..4).unwrap_or_default(), date.get(5..7).unwrap_or_default());
    let mut name = format!("{prefix}-CMB-{month}{year}-");
    for byte in Sha256::digest(key(legs)).iter().take(HASH_BYTES) {
        // A string takes any text.
        let _ = write!(name, "{byte:02X}");
    }
    name
}

/// The key of a combo: each leg's contract, by its number from 1 on, and outcome.
fn key(legs: &[Leg]) -> String {
    let leg = |leg: &Leg| {
        let outcome = match leg.required {
            Claim::Yes => "Yes",
            Claim::No => "No",
        };
        format!("{}:{outcome}", leg.contract.contract_index().saturating_add(1))
    };
    legs.iter().map(leg).collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The symbol has the month of its listing, and twelve digits of the hash of its key.
    #[test]
    fn a_combo_is_named_by_its_legs() {
        let leg = |number, required| Leg { contract: SymbolId::contract(number), required };
        let legs = [leg(100, Claim::Yes), leg(201, Claim::No)];
        assert_eq!(key(&legs), "101:Yes|202:No");
        // printf '101:Yes|202:No' | sha256sum
        assert_eq!(name("SVC", Time(1_764_201_600_000_000), &legs), "SVC-CMB-1125-5EAA03134839");
    }
}
