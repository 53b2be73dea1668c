//! Clearing orders that a broker enters between two others: clauses CLR-022 to CLR-027.

use crate::clearing::{HOUR, cancel, confirm, confirmed, id_of, money, order, status, terms, trades, with};
use buttonwood_accept::{Exchange, Value, dec, json, laws, same_keys};

/// The trader sells to the counterparty.
fn between(x: &Exchange) -> Value {
    with(
        terms(),
        json!({
            "source_counterparty_id": id_of(x, "trader"), "target_counterparty_id": id_of(x, "counterparty"),
            "expires_in_hrs": 1.0,
        }),
    )
}

#[track_caller]
fn enter(x: &Exchange, more: Value) -> String {
    let entered = x.as_("broker").call("/v1/clearing/broker/new", with(between(x), more)).ok();
    same_keys(&entered, &["result", "clearing_id"], "broker/new");
    assert_eq!(entered["result"], "AwaitSourceTargetConfirm");
    entered["clearing_id"].as_str().unwrap().to_owned()
}

/// Both sides confirm, in any order, the source with its own side and the target with the other; nothing moves before both have.
/// Proves CLR-022, CLR-023, CLR-024, CLR-027.
#[test]
fn both_sides_confirm_in_any_order() {
    let x = Exchange::start();
    let (source, target) =
        (("trader", "sell", "AwaitTargetConfirm"), ("counterparty", "buy", "AwaitSourceConfirm"));
    for [first, second] in [[source, target], [target, source]] {
        let before = [money(&x, "trader"), money(&x, "counterparty"), money(&x, "broker")];
        let id = enter(&x, json!({}));
        for key in ["trader", "counterparty", "broker"] {
            let shown = order(&x, key, &id);
            let side = if key == "counterparty" { "buy" } else { "sell" };
            assert_eq!(
                (&shown["status"], &shown["side"]),
                (&json!("AwaitSourceTargetConfirm"), &json!(side)),
                "{key}"
            );
        }
        assert_eq!(status(&x, "savings-trader", &id), "Not Found");
        confirm(&x, "savings-trader", &id, "buy").refused(404, "ClearingOrderNotFound");
        let refusal = confirm(&x, "broker", &id, "sell").refused(400, "InvalidClearingId");
        assert!(refusal.message.contains("AwaitSourceTargetConfirm"), "{refusal:?}");
        // The side of the other one is wrong.
        confirm(&x, first.0, &id, second.1).refused(400, "InvalidSide");
        confirmed(&x, first.0, &id, first.1);
        let shown = order(&x, "broker", &id);
        assert_eq!((&shown["status"], &shown["is_confirmed"]), (&json!(first.2), &json!(false)));
        let refusal = confirm(&x, first.0, &id, first.1).refused(400, "InvalidClearingId");
        assert!(refusal.message.contains(first.2), "{refusal:?}");
        assert_eq!([money(&x, "trader"), money(&x, "counterparty"), money(&x, "broker")], before);
        confirmed(&x, second.0, &id, second.1);
        for key in ["trader", "counterparty", "broker"] {
            let shown = order(&x, key, &id);
            assert_eq!(
                (&shown["status"], &shown["is_confirmed"]),
                (&json!("Settled"), &json!(true)),
                "{key}"
            );
        }
        assert_eq!(money(&x, "counterparty")[0], before[1][0] + dec("2"));
        assert_eq!(money(&x, "broker"), before[2], "the broker has no part");
        assert!(trades(&x, "broker").is_empty());
        // Money for the next round.
        x.credit("counterparty", "USD", "60000");
    }
    laws::check(&x);
}

/// Source, target and broker cancel until both sides have confirmed, others never. Proves CLR-024.
#[test]
fn each_of_the_three_cancels_until_both_have_confirmed() {
    let x = Exchange::start();
    for canceller in ["trader", "counterparty", "broker"] {
        for first in [None, Some(("trader", "sell")), Some(("counterparty", "buy"))] {
            let id = enter(&x, json!({}));
            if let Some((key, side)) = first {
                confirmed(&x, key, &id, side);
            }
            assert_eq!(cancel(&x, "savings-trader", &id), "failed");
            assert_eq!(cancel(&x, canceller, &id), "ok");
            for key in ["trader", "counterparty", "broker"] {
                assert_eq!(status(&x, key, &id), "Canceled");
                assert_eq!(cancel(&x, key, &id), "failed");
            }
            confirm(&x, "counterparty", &id, "buy").refused(400, "InvalidClearingId");
        }
    }
    let id = enter(&x, json!({}));
    confirmed(&x, "trader", &id, "sell");
    confirmed(&x, "counterparty", &id, "buy");
    for key in ["trader", "counterparty", "broker"] {
        assert_eq!(cancel(&x, key, &id), "failed");
    }
    assert_eq!(trades(&x, "trader").len(), 1);
    laws::check(&x);
}

/// An order of a broker expires at its time, confirmed by one side or not. Proves CLR-014, CLR-023.
#[test]
fn a_brokers_order_expires() {
    let x = Exchange::start();
    let id = enter(&x, json!({}));
    confirmed(&x, "counterparty", &id, "buy");
    x.advance(HOUR - 1);
    assert_eq!(status(&x, "broker", &id), "AwaitSourceConfirm");
    x.advance(1);
    let shown = order(&x, "broker", &id);
    assert_eq!((&shown["status"], &shown["is_confirmed"]), (&json!("Expired"), &json!(false)));
    confirm(&x, "trader", &id, "sell").refused(400, "InvalidClearingId");
    laws::check(&x);
}

/// An account without the operator's mark is refused before its fields are read; the mark can be set and removed, and orders stay.
/// Proves CLR-027, D-94.
#[test]
fn only_a_marked_account_is_a_broker() {
    let x = Exchange::start();
    for fields in [between(&x), json!({}), json!({ "symbol": 5 })] {
        let refusal =
            x.as_("savings-trader").call("/v1/clearing/broker/new", fields).refused(403, "MissingRole");
        assert!(refusal.message.contains("Trader"), "{refusal:?}");
    }
    for key in ["auditor", "fund-manager"] {
        let refusal = x.as_(key).call("/v1/clearing/broker/new", between(&x)).refused(403, "MissingRole");
        assert!(refusal.message.contains("Trader"), "{refusal:?}");
    }
    let retried = json!({ "client_transfer_id": "once" });
    let id = enter(&x, retried.clone());
    let mark = |on: bool| {
        let body = json!({ "group": "three", "account": "broker", "broker": on });
        assert_eq!(x.control("/sandbox/accounts/broker", &body).ok()["result"], "ok");
    };
    mark(false);
    x.as_("broker").call("/v1/clearing/broker/new", between(&x)).refused(403, "MissingRole");
    assert_eq!(enter(&x, retried), id, "a retry has the reply of its order, which stays");
    confirmed(&x, "trader", &id, "sell");
    confirmed(&x, "counterparty", &id, "buy");
    assert_eq!(status(&x, "broker", &id), "Settled");
    mark(true);
    enter(&x, json!({}));
    laws::check(&x);
}

/// The three accounts of an order are different, known and open. Proves CLR-022.
#[test]
fn the_three_accounts_are_different() {
    let x = Exchange::start();
    let own = id_of(&x, "broker");
    let derivatives = id_of(&x, "perp-000");
    for field in ["source_counterparty_id", "target_counterparty_id"] {
        for id in
            [json!(own), json!("AAAAAAAA"), json!(""), json!(5), json!(null), json!([]), json!(derivatives)]
        {
            let fields = with(between(&x), json!({ field: id }));
            let refusal =
                x.as_("broker").call("/v1/clearing/broker/new", fields).refused(400, "InvalidParameterValue");
            assert!(refusal.message.contains(field), "{refusal:?}");
        }
        let mut fields = between(&x);
        fields.as_object_mut().unwrap().remove(field);
        let refusal =
            x.as_("broker").call("/v1/clearing/broker/new", fields).refused(400, "MissingPayloadKey");
        assert!(refusal.message.contains(field), "{refusal:?}");
    }
    let same = with(between(&x), json!({ "source_counterparty_id": id_of(&x, "counterparty") }));
    x.as_("broker").call("/v1/clearing/broker/new", same).refused(400, "InvalidParameterValue");
    // The hours are required.
    let mut fields = between(&x);
    fields.as_object_mut().unwrap().remove("expires_in_hrs");
    x.as_("broker").call("/v1/clearing/broker/new", fields).refused(400, "MissingPayloadKey");
    let nothing = with(between(&x), json!({ "expires_in_hrs": null }));
    x.as_("broker").call("/v1/clearing/broker/new", nothing).refused(400, "InvalidParameterValue");
    assert_eq!(x.as_("broker").call("/v1/clearing/broker/list", json!({})).ok()["orders"], json!([]));
    laws::check(&x);
}
