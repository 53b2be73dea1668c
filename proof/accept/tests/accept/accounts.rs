//! Accounts of a group, as its master key sees them. Clauses ACCT-009 and ACCT-010.

use buttonwood_accept::{Answer, Exchange, Value, dec, json, laws};

fn rename(x: &Exchange, key: &str, params: Value) -> Answer {
    x.as_(key).call("/v1/account/rename", params)
}

/// The short name is one of the group's accounts.
fn is_known(x: &Exchange, account: &str) -> bool {
    let answer = x.as_("master").call("/v1/balances", json!({ "account": account }));
    if answer.status() != 200 {
        answer.refused(400, "InvalidAccountName");
        return false;
    }
    true
}

/// The answer has the names that were sent, as they were sent, and only those; sending none is no error. Proves ACCT-009.
#[test]
fn only_sent_names_are_answered() {
    let x = Exchange::start();
    let call = |params: Value| rename(&x, "master", params).ok();
    assert_eq!(call(json!({ "account": "savings", "newName": "Old Gold" })), json!({ "name": "Old Gold" }));
    assert!(is_known(&x, "savings"), "a name alone leaves the short name as it is");
    assert_eq!(call(json!({ "account": "savings", "newAccount": "gold" })), json!({ "account": "gold" }));
    let both = json!({ "account": "gold", "newName": "S\u{f8}n \"&\" \\ \u{1f3e6}", "newAccount": "7-x" });
    assert_eq!(call(both.clone()), json!({ "name": both["newName"], "account": "7-x" }));
    assert_eq!(call(json!({ "account": "7-x" })), json!({}));
    assert_eq!(call(json!({ "account": "7-x", "new_name": "Other", "name": "Other" })), json!({}));
    // The names that it has are no change, and no conflict.
    let same = json!({ "account": "7-x", "newName": both["newName"], "newAccount": "7-x" });
    assert_eq!(call(same), json!({ "name": both["newName"], "account": "7-x" }));
    let longest = ["\u{e9}".repeat(50), "x".repeat(50)];
    let params = json!({ "account": "7-x", "newName": longest[0], "newAccount": longest[1] });
    assert_eq!(call(params), json!({ "name": longest[0], "account": longest[1] }));
    assert!(is_known(&x, &longest[1]));
    laws::check(&x);
}

/// Names with JSON escapes are answered as the text that they mean: of TYPE-023, the names.
#[test]
fn names_with_escapes() {
    let x = Exchange::start();
    let master = x.as_("master");
    for (written, meant) in [
        (r"\u00c9tage \ud83c\udfe6", "\u{c9}tage \u{1f3e6}"),
        (r#"a\/b \"c\" \\"#, r#"a/b "c" \"#),
        ("\u{65e5}\u{672c} \u{5d0}", "\u{65e5}\u{672c} \u{5d0}"),
    ] {
        let nonce = master.client().next_nonce();
        let payload = format!(
            r#"{{"request":"/v1/account/rename","nonce":{nonce},"account":"savings","newName":"{written}"}}"#
        );
        let answer = master.call_payload("/v1/account/rename", payload.as_bytes()).ok();
        assert_eq!(answer["name"], meant, "{written}");
    }
}

/// The new short name counts from the answer on, and the old one no more; what the account has stays. Proves ACCT-010.
#[test]
fn the_new_short_name_works_at_once() {
    let x = Exchange::start();
    let (owner, master) = (x.as_("savings-trader"), x.as_("master"));
    let order = owner.limit("btcusd", "buy", "1", "100");
    x.as_("counterparty").limit("ethusd", "sell", "1", "3000");
    owner.limit("ethusd", "buy", "0.5", "3000");
    let trades = |params: Value| master.call("/v1/mytrades", params).ok();
    let before = (owner.balances(), owner.live_ids(), trades(json!({ "account": "savings" })));
    let mut old = "savings".to_owned();
    for number in 0..10 {
        let new = format!("vault-{number}");
        let answer = rename(&x, "master", json!({ "account": old, "newAccount": new }));
        assert_eq!(answer.ok(), json!({ "account": new }));
        assert!(is_known(&x, &new) && !is_known(&x, &old), "{old} to {new}");
        let message = rename(&x, "master", json!({ "account": old, "newAccount": "other" }));
        let message = message.refused(400, "InvalidAccountName").message;
        assert!(message.contains(&format!("'{old}'")), "{message}");
        old = new;
    }
    // An account key may name its own account, by the name that it has now.
    let live = |account: &str| owner.call("/v1/orders", json!({ "account": account }));
    live("savings").refused(400, "AccountsOnGroupOnlyApi");
    assert_eq!(live("vault-9").ok()[0]["order_id"], order["order_id"]);
    assert_eq!((owner.balances(), owner.live_ids(), trades(json!({ "account": "vault-9" }))), before);
    let id = order["order_id"].as_str().unwrap();
    let cancel = json!({ "order_id": id, "account": "vault-9" });
    assert_eq!(master.call("/v1/order/cancel", cancel).ok()["is_cancelled"], true);
    assert_eq!(x.as_("trader").balance("USD").0, dec("100000"), "the group's other account");
    laws::check(&x);
}

/// A name that another account of the group has is refused by its field; another group's is free, and so is one that was given
/// up. Proves ACCT-010.
#[test]
fn used_names_are_refused() {
    let x = Exchange::start();
    rename(&x, "master", json!({ "account": "primary", "newName": "First \u{c9}tage" })).ok();
    let used = |field: &str, value: &str| {
        let mut params = json!({ "account": "savings", "newName": "Free", "newAccount": "free" });
        params[field] = json!(value);
        let refusal = rename(&x, "master", params).refused(400, "ConflictingAccountName");
        assert!(
            refusal.message.contains(&format!("'{field}'")) && refusal.message.contains(value),
            "{refusal:?}"
        );
        assert!(is_known(&x, "savings") && !is_known(&x, "free"), "nothing was changed");
    };
    used("newAccount", "primary");
    used("newName", "First \u{c9}tage");
    used("newName", "FIRST \u{e9}tage");
    // An account without a display name is shown by its short name.
    x.control("/sandbox/accounts", &json!({ "group": "one", "name": "My Margin", "kind": "margin" })).ok();
    used("newName", "my margin");
    used("newAccount", "my-margin");
    let alone = json!({ "account": "primary", "newName": "Savings" });
    rename(&x, "master", alone).refused(400, "ConflictingAccountName");
    rename(&x, "master", json!({ "account": "primary", "newName": "A-1" })).ok();
    let refusal = rename(&x, "master", json!({ "account": "savings", "newAccount": "a-1" }));
    let message = refusal.refused(400, "ConflictingAccountName").message;
    assert!(message.contains("'newAccount'") && message.contains("a-1"), "{message}");
    // A new account may not take them either.
    let open = |name: &str| {
        x.control("/sandbox/accounts", &json!({ "group": "one", "name": name, "kind": "margin" }))
    };
    open("a-1").refused(400, "ConflictingAccountName");
    // A name that is given up is free again, and a name is used in its own group alone.
    rename(&x, "master", json!({ "account": "primary", "newName": "Broker", "newAccount": "broker" })).ok();
    rename(&x, "master", json!({ "account": "savings", "newName": "Primary", "newAccount": "primary" })).ok();
    open("a-1").ok();
    assert_eq!(x.as_("savings-trader").call("/v1/orders", json!({ "account": "primary" })).ok(), json!([]));
    laws::check(&x);
}

/// An account key is refused whatever it names, and a master key without the role: of AUTH-036, AUTH-039 and D-10, the endpoint
/// that there is yet. A refused call has used its nonce.
#[test]
fn renaming_needs_an_administrator() {
    let x = Exchange::start();
    for key in ["trader", "fund-manager", "trader-fund-manager", "auditor", "savings-trader"] {
        for account in [Value::Null, json!("primary"), json!("savings"), json!("nobody"), json!(5)] {
            let mut params = json!({ "newName": "Mine", "newAccount": "mine" });
            if !account.is_null() {
                params["account"] = account;
            }
            let refusal = rename(&x, key, params).refused(403, "MissingRole");
            assert!(refusal.message.contains("[Administrator]"), "{refusal:?}");
            assert!(refusal.message.contains("account key"), "{refusal:?}");
        }
    }
    let auditor = rename(&x, "master-auditor", json!({ "account": "savings", "newAccount": "mine" }));
    let message = auditor.refused(403, "MissingRole").message;
    assert!(message.contains("[Administrator]") && message.contains("[Auditor]"), "{message}");
    assert!(!is_known(&x, "mine") && is_known(&x, "savings"));
    let trader = x.as_("trader");
    let payload = trader.payload("/v1/account/rename", json!({}));
    trader.call_payload("/v1/account/rename", payload.as_bytes()).refused(403, "MissingRole");
    trader.call_payload("/v1/account/rename", payload.as_bytes()).refused(400, "InvalidNonce");
    laws::check(&x);
}

/// A text that is no name is refused by its field, and changes nothing, the other field included. Proves ACCT-009.
#[test]
fn bad_names_are_refused() {
    let x = Exchange::start();
    let long = ["\u{e9}".repeat(51), "x".repeat(51)];
    let names =
        [json!(""), json!(" "), json!(" a"), json!("a "), json!("a\nb"), json!("\u{7f}"), json!(long[0])];
    let accounts = [
        json!(""),
        json!("Upper"),
        json!("a b"),
        json!("-a"),
        json!("a_b"),
        json!("a/b"),
        json!("caf\u{e9}"),
        json!("a\u{0}"),
        json!(long[1]),
    ];
    let types = [json!(5), json!(true), json!(["a"]), json!({ "a": "b" })];
    for (field, values) in [("newName", names.as_slice()), ("newAccount", accounts.as_slice())] {
        for value in values.iter().chain(&types) {
            let mut params = json!({ "account": "savings", "newName": "Free", "newAccount": "free" });
            params[field] = value.clone();
            let refusal = rename(&x, "master", params).refused(400, "InvalidParameterValue");
            assert!(refusal.message.contains(&format!("'{field}'")), "{value}: {refusal:?}");
        }
    }
    for (params, reason) in [
        (json!({ "newAccount": "free" }), "MissingAccounts"),
        (json!({ "account": ["savings"], "newAccount": "free" }), "MoreThanOneAccount"),
        (json!({ "account": null, "newAccount": "free" }), "InvalidParameterValue"),
        (json!({ "account": "nobody", "newAccount": "free" }), "InvalidAccountName"),
        // Another group's.
        (json!({ "account": "broker", "newAccount": "free" }), "InvalidAccountName"),
    ] {
        rename(&x, "master", params).refused(400, reason);
    }
    assert!(is_known(&x, "savings") && !is_known(&x, "free"));
    rename(&x, "master", json!({ "account": "primary", "newName": "Free" })).ok();
    laws::check(&x);
}

/// An answered rename outlives a kill, and a start from a snapshot. Proves ACCT-009, ACCT-010.
#[test]
fn renames_survive() {
    let x = Exchange::start();
    let order = x.as_("savings-trader").limit("btcusd", "buy", "1", "100");
    rename(&x, "master", json!({ "account": "savings", "newName": "Reserve", "newAccount": "vault" })).ok();
    let ends: [fn(&Exchange); 2] = [Exchange::kill9, |x| {
        x.stop();
    }];
    for end in ends {
        end(&x);
        x.restart();
        assert!(is_known(&x, "vault") && !is_known(&x, "savings"));
        assert_eq!(x.key("savings-trader").account, "vault", "credentials.json follows");
        assert_eq!(x.as_("savings-trader").live_ids(), [order["order_id"].as_str().unwrap()]);
        rename(&x, "master", json!({ "account": "primary", "newName": "Reserve" }))
            .refused(400, "ConflictingAccountName");
    }
    laws::check(&x);
}
