//! One change of a call that was good, so that the rest of it still goes deep.

use crate::call::Call;
use crate::contract::{Operation, Place};
use crate::extreme;
use crate::rng::Rng;
use serde_json::Value;

/// Changes one field of a call, in one case of five two.
pub(crate) fn mutate(rng: &mut Rng, operation: &Operation, call: &mut Call) {
    change(rng, operation, call);
    if rng.percent(20) {
        change(rng, operation, call);
    }
}

fn change(rng: &mut Rng, operation: &Operation, call: &mut Call) {
    match rng.below(100) {
        0..75 => replace(rng, operation, call),
        75..85 => drop_one(rng, call),
        85..95 => add_one(rng, operation, call),
        // A field that no operation has, or one that the client sets.
        _ => {
            let name = rng.word(&["unknown", "request", "nonce", "__proto__", ""]);
            let value = extreme::value(rng, &Value::Null);
            call.fields.push((Place::Body, name.to_owned(), value));
        }
    }
}

fn replace(rng: &mut Rng, operation: &Operation, call: &mut Call) {
    let place = rng.place(call.fields.len());
    if let Some((_, name, value)) = call.fields.get_mut(place) {
        let field = operation.fields.iter().find(|field| field.name == *name);
        *value = extreme::value(rng, field.map_or(&Value::Null, |field| &field.schema));
    }
}

/// A field less; one of the path becomes empty, since a path has it in any case.
fn drop_one(rng: &mut Rng, call: &mut Call) {
    let place = rng.place(call.fields.len());
    match call.fields.get_mut(place) {
        Some((Place::Path, _, value)) => *value = "".into(),
        Some(_) => drop(call.fields.remove(place)),
        None => {}
    }
}

/// A field that the call has left out.
fn add_one(rng: &mut Rng, operation: &Operation, call: &mut Call) {
    let missing: Vec<_> = operation.fields.iter().filter(|field| call.field(&field.name).is_none()).collect();
    if let Some(field) = rng.pick(&missing) {
        let value = extreme::value(rng, &field.schema);
        call.fields.push((field.place, field.name.clone(), value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{By, Field};
    use serde_json::json;
    use std::collections::BTreeSet;

    fn operation() -> Operation {
        let field = |name: &str, place| Field {
            name: name.to_owned(),
            place,
            required: true,
            schema: json!({ "type": "string", "minimum": 0 }),
        };
        Operation {
            method: "POST".to_owned(),
            path: "/v1/x/{symbol}".to_owned(),
            by: By::Key,
            for_masters: false,
            kinds: Vec::new(),
            roles: Vec::new(),
            fields: vec![
                field("symbol", Place::Path),
                field("amount", Place::Body),
                field("price", Place::Body),
            ],
            odd: BTreeSet::new(),
        }
    }

    /// Most mutants differ from their parent in one field, and every kind of change occurs.
    #[test]
    fn a_mutant_differs_in_a_field_or_two() {
        let good = Call {
            operation: 0,
            who: None,
            fields: vec![
                (Place::Path, "symbol".to_owned(), json!("btcusd")),
                (Place::Body, "amount".to_owned(), json!("1")),
            ],
        };
        let operation = operation();
        let mut rng = Rng::new(2);
        let (mut dropped, mut added, mut replaced) = (0, 0, 0);
        for _ in 0..500 {
            let mut mutant = good.clone();
            mutate(&mut rng, &operation, &mut mutant);
            dropped += u32::from(mutant.fields.len() < 2);
            added += u32::from(mutant.fields.len() > 2);
            replaced += u32::from(mutant.field("amount").is_some_and(|amount| *amount != json!("1")));
            assert!(mutant.field("symbol").is_some(), "a path keeps its parameters");
        }
        assert!(dropped > 5 && added > 20 && replaced > 50, "{dropped} {added} {replaced}");
    }
}
