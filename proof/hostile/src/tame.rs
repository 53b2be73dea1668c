//! The control calls that are left out, and the bounds of those that are not: an operator may do what the law cannot forgive, and the law
//! is about what clients do.

use crate::call::Call;
use crate::contract::{By, Operation};
use crate::people::SPARE;
use crate::rng::Rng;
use crate::{money, prices};

/// Operations that are never called, each with the reason.
pub(crate) const LEFT_OUT: [(&str, &str); 11] = [
    ("/sandbox/accounts/credit", "it gives money away"),
    ("/sandbox/ledger/insurance", "it moves money of the house"),
    ("/sandbox/index/{currency}", "it moves the index"),
    ("/sandbox/instant", "it sets what the house may lose by instant orders"),
    ("/sandbox/fees", "it sets what the house takes"),
    ("/sandbox/fees/schedule", "it sets what the house takes"),
    ("/sandbox/promotions", "it sets what the house grants"),
    ("/sandbox/maintenance", "it stops everything"),
    ("/sandbox/halt", "it stops everything"),
    ("/sandbox/resume", "without a halt it does nothing"),
    ("/sandbox/groups/addresses", "it locks the fuzzer's own keys out"),
];

/// The largest ACH credit: the law grants a twentieth of those that are returned, so they stay small.
const ACH_DOLLARS: i128 = 1_000;

/// The largest sum from outside that a group which acts is given.
const SUM_DOLLARS: i128 = 10_000;

/// Whether an operation is never called.
pub(crate) fn is_left_out(operation: &Operation) -> bool {
    operation.by == By::Control && LEFT_OUT.iter().any(|(path, _)| *path == operation.path)
}

/// How often an operation is drawn, in shares.
pub(crate) fn weight(operation: &Operation) -> u64 {
    match operation.path.as_str() {
        "/v1/order/new" => 220,
        "/v1/account/transfer/{currency}" => 50,
        "/v1/order/cancel"
        | "/v1/instant/execute"
        | "/v1/wrap/{symbol}"
        | "/v1/instant/quote"
        | "/v1/instant/quote/{side}/{symbol}" => 40,
        "/v1/withdraw/{currency}" | "/v2/withdraw/{network}/{ticker}" | "/v1/margin/order/preview" => 25,
        "/sandbox/clock/advance"
        | "/sandbox/banks/wire"
        | "/sandbox/banks/settle"
        | "/v1/payments/sen/withdraw"
        | "/sandbox/chains/{network}/send"
        | "/sandbox/chains/{network}/mine" => 12,
        // Calls whose effect grows for ever, or takes away the means of the others.
        "/v1/order/cancel/all"
        | "/v1/order/cancel/session"
        | "/sandbox/accounts"
        | "/sandbox/symbols"
        | "/sandbox/accounts/close" => 2,
        "/v1/account/create"
        | "/v1/account/rename"
        | "/sandbox/symbols/{symbol}/status"
        | "/sandbox/keys" => 3,
        _ => 10,
    }
}

/// Draws an operation by weight.
pub(crate) fn draw(rng: &mut Rng, operations: &[Operation]) -> usize {
    let all: u64 = operations.iter().map(drawn_weight).sum();
    let mut left = rng.below(all);
    for (place, operation) in operations.iter().enumerate() {
        let weight = drawn_weight(operation);
        if left < weight {
            return place;
        }
        left -= weight;
    }
    0
}

fn drawn_weight(operation: &Operation) -> u64 {
    if is_left_out(operation) { 0 } else { weight(operation) }
}

/// Keeps a control call within its bounds; what is no number, or beyond what the exchange takes, stays as it is.
pub(crate) fn tame(operation: &Operation, call: &mut Call) {
    match operation.path.as_str() {
        "/sandbox/clock/advance" => bound(call, "seconds", 172_800),
        "/sandbox/chains/{network}/mine" => bound(call, "blocks", 40),
        // A block that was final takes back what a deposit has credited.
        "/sandbox/chains/{network}/reorg" => bound(call, "depth", 1),
        "/sandbox/chains/{network}/node" => bound(call, "times", 2),
        "/sandbox/symbols/{symbol}/auctions" => {
            floor(call, "every_seconds", 3_600);
            floor(call, "indicative_every_seconds", 60);
        }
        "/sandbox/banks/wire" => tame_wire(call),
        "/sandbox/chains/{network}/send" => tame_send(call),
        _ => {}
    }
}

fn bound(call: &mut Call, name: &str, most: u64) {
    // A number with an exponent is no bounded one: the exchange may read it.
    let text = call.text(name);
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_within = text.parse::<u64>().is_ok_and(|number| number <= most);
    if (is_digits && !is_within) || text.contains(['e', 'E']) {
        call.set(name, most);
    }
}

fn floor(call: &mut Call, name: &str, least: u64) {
    if call.text(name).parse::<u64>().is_ok_and(|number| number < least) {
        call.set(name, least);
    }
}

/// An ACH credit stays small, and a large wire goes to a group that makes no call.
fn tame_wire(call: &mut Call) {
    let Some(dollars) = money::units(&call.text("amount")) else { return };
    let is_wire = call.text("method") == "Wire";
    if !is_wire && dollars > ACH_DOLLARS * 10_i128.pow(19) {
        call.set("amount", ACH_DOLLARS.to_string());
    } else if dollars > SUM_DOLLARS * 10_i128.pow(19) {
        call.set("group", SPARE);
        call.set("account", "front");
    }
}

fn tame_send(call: &mut Call) {
    let units = money::units(&call.text("amount"));
    let worth = units.map(|units| money::worth(units, prices::of(&call.text("currency"))));
    if worth.is_some_and(|worth| worth > SUM_DOLLARS * 100 * money::CENT) {
        call.set("amount", "0.01");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Place;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    fn tamed(path: &str, fields: &Value) -> Value {
        let operation = Operation {
            method: "POST".to_owned(),
            path: path.to_owned(),
            by: By::Control,
            for_masters: false,
            kinds: Vec::new(),
            roles: Vec::new(),
            fields: Vec::new(),
            odd: BTreeSet::new(),
        };
        let fields = fields.as_object().unwrap().clone().into_iter();
        let fields = fields.map(|(name, value)| (Place::Body, name, value)).collect();
        let mut call = Call { operation: 0, who: None, fields };
        tame(&operation, &mut call);
        call.fields
            .into_iter()
            .map(|(_, name, value)| (name, value))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }

    #[test]
    fn an_operator_does_not_give_more_than_the_law_allows_for() {
        let clock = |seconds: Value| {
            tamed("/sandbox/clock/advance", &json!({ "seconds": seconds }))["seconds"].clone()
        };
        assert_eq!(clock(json!("99999999")), json!(172_800));
        assert_eq!(
            (clock(json!(61)), clock(json!("-1")), clock(json!("x"))),
            (json!(61), json!("-1"), json!("x"))
        );
        let wire = |amount: &str, method: &str| {
            let fields =
                json!({ "group": "hostile-a", "account": "back", "amount": amount, "method": method });
            let tamed = tamed("/sandbox/banks/wire", &fields);
            (tamed["group"].clone(), tamed["amount"].clone())
        };
        assert_eq!(wire("5000", "ACH"), (json!("hostile-a"), json!("1000")));
        assert_eq!(wire("5000", "Wire"), (json!("hostile-a"), json!("5000")));
        assert_eq!(wire("1000000000000000000", "Wire").0, json!(SPARE));
        let send = json!({ "currency": "BTC", "amount": "1" });
        assert_eq!(tamed("/sandbox/chains/{network}/send", &send)["amount"], json!("0.01"));
    }

    #[test]
    fn what_is_left_out_is_never_drawn() {
        let mut operations = crate::contract::operations(&json!({ "paths": {
            "/sandbox/halt": { "post": { "x-by": "control", "responses": {} } },
            "/v1/orders": { "post": { "x-by": "account", "responses": {} } },
        } }));
        let mut rng = Rng::new(4);
        assert!((0..100).all(|_| operations[draw(&mut rng, &operations)].path == "/v1/orders"));
        operations.clear();
        assert_eq!(draw(&mut rng, &operations), 0);
    }
}
