//! An order over the newest socket is the one that the same fields make through an endpoint or in a batch.

use super::*;
use buttonwood_engine::prediction::combo_grid;
use buttonwood_gate::{Reason, items};
use buttonwood_model::{CurrencyId, Product, SymbolStatus};

const LISTED: SymbolId = SymbolId(3);

fn symbol(name: &str, product: Product) -> Symbol {
    let (grid, qty_min) = combo_grid().unwrap();
    Symbol {
        name: name.to_owned(),
        base: CurrencyId(0),
        quote: CurrencyId(1),
        grid,
        qty_min,
        product,
        status: SymbolStatus::Open,
        wrap_enabled: false,
        closed_to: Vec::new(),
    }
}

fn payload(text: &str) -> Payload {
    Payload::read(text.as_bytes().to_vec()).expect(text)
}

/// Both drafts are the same order, or have the same refusal and the same event of it.
fn agree(socket: &Draft<'_>, other: &Draft<'_>, (id, symbol): (SymbolId, &Symbol), shown: &str) {
    let (placed, expected) = (socket.place(id, symbol), other.place(id, symbol));
    assert_eq!(placed, expected, "{shown}");
    let refusal = placed.err().unwrap_or_else(|| Refusal::new(Reason::InvalidPrice, "no"));
    assert_eq!(socket.refused(id, symbol, &refusal), other.refused(id, symbol, &refusal), "{shown}");
}

#[test]
fn an_order_of_a_listed_symbol_is_that_of_rest() {
    let btcusd = symbol("btcusd", Product::Spot);
    for (sent, rest) in [
        (
            r#""side":"BUY","type":"limit","timeInForce":"GTC","quantity":"5","price":0.30"#,
            r#""side":"buy","type":"exchange limit","amount":"5","price":"0.30""#,
        ),
        (
            r#""side":"sell","type":"LIMIT","timeInForce":"MOC","quantity":5,"price":"7","stopPrice":null"#,
            r#""side":"sell","type":"exchange limit","amount":"5","price":"7","options":["maker-or-cancel"]"#,
        ),
        (
            r#""side":"SELL","type":"MARKET","timeInForce":"IOC","quantity":"2.5","price":"9","clientOrderId":"a#1""#,
            r#""side":"sell","type":"exchange market","amount":"2.5","options":[],"client_order_id":"a#1""#,
        ),
        (
            r#""side":"BUY","type":"MARKET","timeInForce":"FOK","quantity":"2.5""#,
            r#""side":"buy","type":"exchange market","amount":"2.5","options":["fill-or-kill"]"#,
        ),
        (
            r#""side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":"2","price":"8","stopPrice":"7.50""#,
            r#""side":"buy","type":"exchange stop limit","amount":"2","price":"8","stop_price":"7.50""#,
        ),
        // Refused: off the grid, below the minimum, a stop of zero, and options that the type does not take.
        (
            r#""side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":"2","price":"8.001""#,
            r#""side":"buy","type":"exchange limit","amount":"2","price":"8.001""#,
        ),
        (
            r#""side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":"0.5","price":"8""#,
            r#""side":"buy","type":"exchange limit","amount":"0.5","price":"8""#,
        ),
        (
            r#""side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":"2","price":"8","stopPrice":"0""#,
            r#""side":"buy","type":"exchange stop limit","amount":"2","price":"8","stop_price":"0""#,
        ),
        (
            r#""side":"BUY","type":"LIMIT","timeInForce":"IOC","quantity":"2","price":"8","stopPrice":"7""#,
            r#""side":"buy","type":"exchange stop limit","amount":"2","price":"8","stop_price":"7","options":["immediate-or-cancel"]"#,
        ),
        (
            r#""side":"BUY","type":"MARKET","timeInForce":"MOC","quantity":"2""#,
            r#""side":"buy","type":"exchange market","amount":"2","options":["maker-or-cancel"]"#,
        ),
    ] {
        let params = payload(&format!(r#"{{"symbol":"btcusd",{sent}}}"#));
        let rest = payload(&format!(r#"{{"symbol":"btcusd",{rest}}}"#));
        agree(&draft(&params, false).unwrap(), &Draft::of_order(&rest), (LISTED, &btcusd), sent);
    }
}

#[test]
fn an_order_of_a_contract_is_that_of_rest_and_of_a_batch() {
    let (id, rain) = (SymbolId::contract(0), symbol("svc-rain", Product::Contract));
    for (sent, rest) in [
        (
            r#""side":"BUY","timeInForce":"GTC","price":"0.30","eventOutcome":"YES""#,
            r#""side":"buy","orderType":"limit","price":"0.30","outcome":"yes""#,
        ),
        (
            r#""side":"SELL","timeInForce":"MOC","price":0.3,"eventOutcome":"no","clientOrderId":"x""#,
            r#""side":"sell","orderType":"limit","price":"0.3","outcome":"no","makerOrCancel":true,"clientOrderId":"x""#,
        ),
        (
            r#""side":"SELL","timeInForce":"GTC","price":"0.30","stopPrice":"0.4","eventOutcome":"No""#,
            r#""side":"sell","orderType":"stop-limit","price":"0.30","stopPrice":"0.4","outcome":"no","timeInForce":"good-til-cancel""#,
        ),
        (
            r#""side":"BUY","timeInForce":"FOK","price":"0.301","eventOutcome":"YES""#,
            r#""side":"buy","orderType":"limit","price":"0.301","outcome":"yes","timeInForce":"fill-or-kill""#,
        ),
        (
            r#""side":"BUY","timeInForce":"GTC","price":"1","eventOutcome":"YES""#,
            r#""side":"buy","orderType":"limit","price":"1","outcome":"yes""#,
        ),
        (
            r#""side":"BUY","timeInForce":"IOC","price":"0.3","stopPrice":"0.2","eventOutcome":"YES""#,
            r#""side":"buy","orderType":"stop-limit","price":"0.3","stopPrice":"0.2","outcome":"yes","timeInForce":"immediate-or-cancel""#,
        ),
    ] {
        let params = format!(r#"{{"symbol":"Svc-Rain","type":"LIMIT","quantity":"5",{sent}}}"#);
        let params = payload(&params);
        let socket = draft(&params, true).unwrap();
        let rest = format!(r#"{{"symbol":"Svc-Rain","quantity":5,{rest}}}"#);
        let batch = payload(&format!(r#"{{"orders":[{rest}]}}"#));
        let Some(Value::Array(entries)) = batch.field("orders") else { unreachable!("{rest}") };
        let Some(Value::Object(entry)) = items(entries).next() else { unreachable!("{rest}") };
        for fields in [payload(&rest), payload(entry)] {
            agree(&socket, &Draft::of_contract(&fields), (id, &rain), sent);
        }
    }
}

/// The terms of a stop-limit order that is immediate-or-cancel cannot be read, so that its refusal has no event (D-147).
#[test]
fn an_order_that_cannot_be_read_has_no_event() {
    let (id, rain) = (SymbolId::contract(0), symbol("svc-rain", Product::Contract));
    let terms = r#""timeInForce":"IOC","quantity":"1","price":"0.3","stopPrice":"0.2","eventOutcome":"YES""#;
    let params = payload(&format!(r#"{{"symbol":"svc-rain","type":"LIMIT","side":"BUY",{terms}}}"#));
    let draft = draft(&params, true).unwrap();
    let refusal = draft.place(id, &rain).unwrap_err();
    let expected = "Field 'timeInForce' must be good-til-cancel for a stop-limit order: immediate-or-cancel";
    assert_eq!(refusal.message, expected);
    assert_eq!(draft.refused(id, &rain, &Refusal::coded(400, "InvalidInput", "no")), None);
}

/// The socket's own words and faults come before any rule, in the order of its fields.
#[test]
fn parameters_that_cannot_be_read_are_faults() {
    let good = [
        ("side", r#""BUY""#),
        ("type", r#""LIMIT""#),
        ("timeInForce", r#""GTC""#),
        ("quantity", "1"),
        ("price", "1"),
        ("eventOutcome", r#""YES""#),
    ];
    let fault = |name: &str, value: &str, is_contract: bool| {
        let with = |(field, usual): &(&str, &str)| match *field {
            field if field == name => format!("\"{field}\":{value}"),
            field => format!("\"{field}\":{usual}"),
        };
        let mut fields: Vec<String> =
            good.iter().filter(|row| is_contract || row.0 != "eventOutcome").map(with).collect();
        if good.iter().all(|row| row.0 != name) || name == "eventOutcome" && !is_contract {
            fields.push(format!("\"{name}\":{value}"));
        }
        let params = payload(&format!("{{\"symbol\":\"x\",{}}}", fields.join(",")));
        let fault = draft(&params, is_contract).unwrap_err();
        assert_eq!((fault.status, fault.code), (400, -1013));
        fault.text
    };
    for (name, value, text) in [
        ("side", r#""HOLD""#, "Field 'side' must be BUY or SELL: HOLD"),
        ("side", "null", "Missing required field 'side'"),
        ("type", "1", "Field 'type' must be LIMIT or MARKET: 1"),
        ("timeInForce", r#""DAY""#, "Field 'timeInForce' must be GTC, IOC, FOK or MOC: DAY"),
        ("quantity", "null", "Missing required field 'quantity'"),
        ("quantity", "1e5", "Field 'quantity' must be a decimal without sign and exponent: 1e5"),
        ("quantity", "[]", "Field 'quantity' must be a decimal: []"),
        ("price", "null", "Missing required field 'price': a LIMIT order needs one"),
        ("stopPrice", r#""-1""#, "Field 'stopPrice' must be a decimal without sign and exponent: -1"),
        ("clientOrderId", "7", "Field 'clientOrderId' must be a string: 7"),
    ] {
        assert_eq!([false, true].map(|is_contract| fault(name, value, is_contract)), [text, text]);
    }
    assert_eq!(
        fault("eventOutcome", r#""YES""#, false),
        "Field 'eventOutcome' must be left out unless the symbol is a contract: YES"
    );
    assert_eq!(fault("eventOutcome", "null", true), "Missing required field 'eventOutcome'");
    assert_eq!(fault("eventOutcome", r#""MAYBE""#, true), "Field 'eventOutcome' must be YES or NO: MAYBE");
    assert_eq!(
        fault("type", r#""MARKET""#, true),
        "Field 'type' must be LIMIT for orders of contracts: MARKET"
    );
}
