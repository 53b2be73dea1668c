//! Perpetuals: positions, margin, index and mark, and the control calls about them (chapter Derivatives).

use buttonwood_accept::{Dec, Exchange, dec, laws};
use serde_json::json;

/// What a house account has of a currency.
fn house(x: &Exchange, currency: &str, account: &str) -> Dec {
    let ledger = x.get("/sandbox/ledger").ok();
    let rows = ledger["currencies"].as_array().expect("currencies are an array");
    let row = rows.iter().find(|row| row["currency"] == currency).expect("every listed currency has a row");
    Dec::wire(&row["house"][account])
}

/// The insurance fund is paid from the source account, and wrong input changes nothing.
#[test]
fn the_fund_is_paid() {
    let x = Exchange::start();
    let paid =
        x.control("/sandbox/ledger/insurance", &json!({ "currency": "GUSD", "amount": "2500.5" })).ok();
    assert_eq!(paid, json!({ "result": "ok", "currency": "GUSD", "amount": "2500.5" }));
    assert_eq!(house(&x, "GUSD", "insurance"), dec("2500.5"));
    for (body, reason) in [
        (json!({ "currency": "GUSD", "amount": "0" }), "InvalidParameterValue"),
        (json!({ "currency": "GUSD", "amount": "-1" }), "InvalidParameterValue"),
        (json!({ "currency": "NONE", "amount": "1" }), "InvalidCurrency"),
        (json!({ "currency": "GUSD" }), "MissingPayloadKey"),
        (json!({ "amount": "1" }), "MissingPayloadKey"),
    ] {
        x.control("/sandbox/ledger/insurance", &body).refused(400, reason);
    }
    assert_eq!(house(&x, "GUSD", "insurance"), dec("2500.5"));
    assert_eq!(house(&x, "GUSD", "clearing"), Dec::ZERO);
    laws::check(&x);
}
