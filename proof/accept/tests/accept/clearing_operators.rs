//! Operators' settings of OTC clearing: the mark of a broker, aliases, the fee.

use buttonwood_accept::{Exchange, Value, json};

/// The counterparty id of an account of group `one`.
fn counterparty(x: &Exchange, name: &str) -> String {
    let accounts = x.as_("master").call("/v1/account/list", json!({})).ok();
    let mut all = accounts.as_array().unwrap().iter();
    let found = all.find(|account| account["account"] == name).expect("the account is listed");
    found["counterparty_id"].as_str().unwrap().to_owned()
}

/// A control call marks a broker and removes the mark; the command line too. Each field that does not fit is refused by its name.
#[test]
fn an_operator_marks_brokers() {
    let x = Exchange::start();
    let mark = |broker: Value| json!({ "group": "one", "account": "primary", "broker": broker });
    for broker in [true, false] {
        let shown = x.control("/sandbox/accounts/broker", &mark(json!(broker))).ok();
        assert_eq!(shown, json!({ "result": "ok", "broker": broker }));
    }
    for wrong in [json!("true"), json!(1), json!(null), json!([])] {
        let refused = x.control("/sandbox/accounts/broker", &mark(wrong));
        assert!(refused.status() == 400 && refused.error().message.contains("'broker'"), "{refused:?}");
    }
    let missing = json!({ "group": "one", "account": "primary" });
    x.control("/sandbox/accounts/broker", &missing).refused(400, "MissingPayloadKey");
    let other = json!({ "group": "perp", "account": "perp-000", "broker": true });
    x.control("/sandbox/accounts/broker", &other).refused(400, "AccountNotOfTypeRequired");
    let unknown = json!({ "group": "one", "account": "nobody", "broker": true });
    x.control("/sandbox/accounts/broker", &unknown).refused(400, "InvalidAccountName");
    let command = ["account", "broker", "one", "primary"];
    let set = |more: &[&str]| x.admin(&[command.as_slice(), more].concat());
    assert_eq!(set(&["--dry-run"]).done()["broker"], true);
    assert_eq!(set(&[]).done(), json!({ "result": "ok", "broker": true }));
    assert_eq!(set(&["--off"]).done()["broker"], false);
    let act = x.admin(&["audit", "--limit", "1"]).list().remove(0);
    assert_eq!(act["what"], "account broker group=one account=primary off=true");
}

/// An alias is set for a counterparty id of another account; what does not fit is refused by its field.
#[test]
fn an_operator_sets_aliases() {
    let x = Exchange::start();
    let id = counterparty(&x, "savings");
    let alias =
        |name: &str| json!({ "group": "one", "account": "primary", "counterparty_id": id, "alias": name });
    let shown = x.control("/sandbox/clearing/alias", &alias("desk")).ok();
    assert_eq!(shown, json!({ "result": "ok", "counterparty_id": id, "alias": "desk" }));
    x.control("/sandbox/clearing/alias", &alias(&"é".repeat(50))).ok();
    for name in [String::new(), "x".repeat(51)] {
        let refused = x.control("/sandbox/clearing/alias", &alias(&name));
        assert!(refused.status() == 400 && refused.error().message.contains("'alias'"), "{refused:?}");
    }
    let own = counterparty(&x, "primary");
    for wrong in [own.as_str(), "ZZZZZZZZ", ""] {
        let mut fields = alias("desk");
        fields["counterparty_id"] = json!(wrong);
        let refused = x.control("/sandbox/clearing/alias", &fields);
        assert!(
            refused.status() == 400 && refused.error().message.contains("'counterparty_id'"),
            "{refused:?}"
        );
    }
    let done = x.admin(&["clearing", "alias", "one", "primary", &id, "South Desk"]).done();
    assert_eq!(done["alias"], "South Desk");
}

/// A fee is a rate in whole basis points up to 100 %.
#[test]
fn an_operator_sets_the_fee_of_clearing() {
    let x = Exchange::start();
    assert_eq!(x.admin(&["clearing", "fee", "25"]).done(), json!({ "result": "ok", "bps": 25 }));
    for wrong in ["10001", "-1", "1.5", "x", ""] {
        let refused = x.admin(&["clearing", "fee", "--", wrong]).refused();
        assert!(refused.contains("'bps'"), "{wrong}: {refused}");
    }
    assert_eq!(x.admin(&["clearing", "fee", "0"]).done()["bps"], 0);
}
