//! Keys that users keep by page: made, used, renamed, disabled, enabled and deleted.

use super::{user, user_in};
use buttonwood_accept::{Actor, Answer, Browser, Exchange, Value, json, laws, same_keys};
use buttonwood_client::Credentials;

/// The fields of a key of the account `savings`.
fn key(name: &str, roles: &[&str]) -> Value {
    json!({ "name": name, "account": "savings", "roles": roles, "require_heartbeat": false, "time_based_nonce": false })
}

fn master(name: &str, roles: &[&str]) -> Value {
    json!({ "name": name, "roles": roles })
}

fn order() -> Value {
    json!({ "symbol": "btcusd", "side": "buy", "type": "exchange limit", "amount": "0.01", "price": "100" })
}

/// Makes a key; returns its text and its credentials.
#[track_caller]
fn make(browser: &Browser<'_>, fields: &Value) -> (String, Credentials) {
    let made = browser.post("/site/keys", fields).ok();
    same_keys(&made, &["api_key", "api_secret"], &made);
    let text = |name: &str| made[name].as_str().expect("a text").to_owned();
    (text("api_key"), Credentials::new(text("api_key"), text("api_secret")))
}

fn change(browser: &Browser<'_>, what: &str, api_key: &str, mut fields: Value) -> Answer {
    fields["api_key"] = json!(api_key);
    browser.post(&format!("/site/keys/{what}"), &fields)
}

/// The rows of the keys that a browser's user keeps.
#[track_caller]
fn rows(browser: &Browser<'_>) -> Vec<Value> {
    browser.get("/site/keys").ok().as_array().expect("an array").clone()
}

/// The row of a key.
fn row(browser: &Browser<'_>, api_key: &str) -> Option<Value> {
    rows(browser).into_iter().find(|row| row["api_key"] == *api_key)
}

#[track_caller]
fn is_refused(bot: &Actor) {
    bot.call("/v1/orders", json!({})).refused(403, "InvalidApiKey");
}

/// A key trades as soon as it is made. The list shows the fields of its making, and never the secret. Proves AUTH-012, AUTH-015.
#[test]
fn a_key_is_made_and_used() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let mut fields = key("bot", &["Trader", "Fund Manager"]);
    fields["require_heartbeat"] = json!(true);
    let (api_key, credentials) = make(&browser, &fields);
    assert!(api_key.starts_with("account-"), "{api_key}");
    let found = row(&browser, &api_key).expect("the key");
    let names = [
        "api_key",
        "name",
        "account",
        "roles",
        "require_heartbeat",
        "time_based_nonce",
        "enabled",
        "created_ms",
        "last_used_ms",
        "from",
    ];
    same_keys(&found, &names, &found);
    for (name, value) in fields.as_object().expect("an object") {
        assert_eq!(&found[name], value, "{name}");
    }
    assert_eq!((&found["enabled"], &found["last_used_ms"]), (&json!(true), &json!(null)));
    assert!(found["created_ms"].as_u64().is_some_and(|made| made <= x.now_ms()), "{found}");
    let bot = x.actor_of(&credentials);
    assert_eq!(bot.call("/v1/order/new", order()).ok()["is_live"], true);
    assert!(row(&browser, &api_key).expect("the key")["last_used_ms"].is_u64());
    let (api_key, credentials) = make(&browser, &master("desk", &["Administrator", "Trader"]));
    assert!(api_key.starts_with("master-"), "{api_key}");
    assert_eq!(row(&browser, &api_key).expect("the key")["account"], json!(null));
    let desk = x.actor_of(&credentials);
    let mut on_savings = order();
    on_savings["account"] = json!("savings");
    desk.call("/v1/order/new", on_savings).ok();
    let (_, credentials) =
        make(&browser, &json!({ "name": "plain", "account": "savings", "roles": ["Trader"] }));
    assert_eq!(x.actor_of(&credentials).live_ids().len(), 2);
    let listed = browser.get("/site/keys").to_string();
    assert!(!listed.contains("secret"), "{listed}");
    laws::check(&x);
}

/// A disabled key is refused at once and goes on when it is enabled, with the nonces that it has used; a deleted one is gone for good.
/// Orders stay unless they are cancelled with it. Proves AUTH-011, AUTH-024.
#[test]
fn a_key_is_disabled_enabled_and_deleted() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let (api_key, credentials) = make(&browser, &key("bot", &["Trader"]));
    let bot = x.actor_of(&credentials);
    let payload = bot.payload("/v1/order/new", order());
    bot.call_payload("/v1/order/new", payload.as_bytes()).ok();
    for _ in 0..2 {
        change(&browser, "disable", &api_key, json!({})).ok();
        is_refused(&bot);
        assert_eq!(row(&browser, &api_key).expect("the key")["enabled"], false);
    }
    assert_eq!(x.as_("savings-trader").live_ids().len(), 1, "its order stays");
    for _ in 0..2 {
        change(&browser, "enable", &api_key, json!({ "cancel_orders": true })).ok();
        assert_eq!(bot.live_ids().len(), 1);
    }
    bot.call_payload("/v1/order/new", payload.as_bytes()).refused(400, "InvalidNonce");
    change(&browser, "disable", &api_key, json!({ "cancel_orders": true })).ok();
    assert_eq!(x.as_("savings-trader").live_ids().len(), 0);
    change(&browser, "enable", &api_key, json!({})).ok();
    bot.call("/v1/order/new", order()).ok();
    change(&browser, "delete", &api_key, json!({ "cancel_orders": null })).ok();
    is_refused(&bot);
    assert_eq!(x.as_("savings-trader").live_ids().len(), 1, "its order stays");
    assert!(row(&browser, &api_key).is_none(), "an ended key is not listed");
    for what in ["enable", "disable", "delete"] {
        change(&browser, what, &api_key, json!({})).refused(404, "EndpointNotFound");
    }
    change(&browser, "rename", &api_key, json!({ "name": "again" })).refused(404, "EndpointNotFound");
    let (again, credentials) = make(&browser, &key("bot", &["Trader"]));
    x.actor_of(&credentials).call("/v1/order/new", order()).ok();
    change(&browser, "delete", &again, json!({ "cancel_orders": true })).ok();
    assert_eq!(x.as_("savings-trader").live_ids().len(), 1);
    laws::check(&x);
}

/// All of it outlives a kill: the secret, the name, the ends, the nonces that were used. Proves AUTH-011, AUTH-015.
#[test]
fn keys_outlive_a_kill() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let [used, off, gone, renamed] =
        ["used", "off", "gone", "named"].map(|name| make(&browser, &key(name, &["Trader"])));
    let bot = x.actor_of(&used.1);
    let payload = bot.payload("/v1/order/new", order());
    bot.call_payload("/v1/order/new", payload.as_bytes()).ok();
    change(&browser, "disable", &off.0, json!({})).ok();
    change(&browser, "delete", &gone.0, json!({})).ok();
    change(&browser, "rename", &renamed.0, json!({ "name": "Ärger & <Söhne>" })).ok();
    let before: Vec<Value> = rows(&browser).into_iter().filter(|row| row["last_used_ms"].is_null()).collect();
    x.kill9();
    x.restart();
    for row in before {
        assert!(rows(&browser).contains(&row), "{row}");
    }
    x.actor_of(&used.1).call_payload("/v1/order/new", payload.as_bytes()).refused(400, "InvalidNonce");
    assert_eq!(x.actor_of(&used.1).live_ids().len(), 1);
    assert_eq!(x.actor_of(&renamed.1).live_ids().len(), 1);
    is_refused(&x.actor_of(&off.1));
    change(&browser, "enable", &off.0, json!({})).ok();
    assert_eq!(x.actor_of(&off.1).live_ids().len(), 1);
    change(&browser, "enable", &gone.0, json!({})).refused(404, "EndpointNotFound");
    let gone = x.actor_of(&gone.1).call("/v1/orders", json!({}));
    assert!((400..=403).contains(&gone.status()), "{gone}");
    x.stop();
    laws::verified(&x);
}

/// Wrong fields are refused by name, and make no key.
#[test]
fn poor_keys_are_refused() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let before = rows(&browser);
    for (field, value) in [
        ("name", json!("")),
        ("name", json!(" bot")),
        ("name", json!("x".repeat(51))),
        ("name", json!("a\nb")),
        ("name", json!("a\u{202e}b")),
        ("name", json!("trader")),
        ("roles", json!([])),
        ("roles", json!(["Trader", "Auditor"])),
        ("roles", json!(["Administrator"])),
        ("roles", json!(["Owner"])),
        ("roles", json!("Trader")),
        ("roles", json!([1])),
        ("roles", json!(null)),
        ("require_heartbeat", json!("true")),
        ("time_based_nonce", json!(1)),
        ("account", json!(1)),
    ] {
        let mut fields = key("bot", &["Trader"]);
        fields[field] = value;
        let answer = browser.post("/site/keys", &fields);
        let refusal = answer.refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains(&format!("'{field}'")), "{fields}: {answer}");
    }
    for foreign in ["", "nosuch", "counterparty", "Savings"] {
        let mut fields = key("bot", &["Trader"]);
        fields["account"] = json!(foreign);
        browser.post("/site/keys", &fields).refused(400, "InvalidAccountName");
    }
    let mut watched = master("desk", &["Trader"]);
    watched["require_heartbeat"] = json!(true);
    let refusal = browser.post("/site/keys", &watched);
    assert!(
        refusal.refused(400, "InvalidParameterValue").message.contains("'require_heartbeat'"),
        "{refusal}"
    );
    assert_eq!(rows(&browser), before);
    let (api_key, _) = make(
        &browser,
        &json!({
            "name": "é".repeat(50), "account": "savings", "roles": ["trader", "FUND-manager"], "require_heartbeat": null,
            "time_based_nonce": null
        }),
    );
    assert_eq!(row(&browser, &api_key).expect("the key")["roles"], json!(["Trader", "Fund Manager"]));
    for (name, is_good) in [("", false), ("trader", false), ("a\nb", false), ("bot 2", true), ("bot 2", true)]
    {
        let answer = change(&browser, "rename", &api_key, json!({ "name": name }));
        if is_good {
            answer.ok();
        } else {
            assert!(answer.refused(400, "InvalidParameterValue").message.contains("'name'"), "{answer}");
        }
    }
    assert_eq!(row(&browser, &api_key).expect("the key")["name"], "bot 2");
    change(&browser, "delete", &api_key, json!({ "cancel_orders": "yes" }))
        .refused(400, "InvalidParameterValue");
}

/// A user grants no role that the user lacks, and only administrators make master keys.
#[test]
fn no_role_is_granted_that_the_user_lacks() {
    let x = Exchange::start();
    for (email, roles) in [
        ("owner@people.test", &["Administrator", "Trader", "Fund Manager"][..]),
        ("trader@people.test", &["Trader"]),
        ("auditor@people.test", &["Auditor"]),
    ] {
        user_in(&x, email, "one", roles);
    }
    let [owner, trader, auditor] = ["owner@people.test", "trader@people.test", "auditor@people.test"]
        .map(|email| Browser::of(&x, email));
    for (browser, fields, lacks) in [
        (&owner, key("k", &["Auditor"]), "Auditor"),
        (&owner, master("k", &["Auditor"]), "Auditor"),
        (&trader, key("k", &["Fund Manager"]), "Fund Manager"),
        (&trader, key("k", &["Trader", "Fund Manager"]), "Fund Manager"),
        (&trader, key("k", &["Auditor"]), "Auditor"),
        (&trader, master("k", &["Trader"]), "Administrator"),
        (&trader, master("k", &["Administrator"]), "Administrator"),
        (&auditor, key("k", &["Trader"]), "Trader"),
        (&auditor, master("k", &["Auditor"]), "Administrator"),
    ] {
        let answer = browser.post("/site/keys", &fields);
        assert!(answer.refused(403, "MissingRole").message.contains(lacks), "{answer}");
    }
    make(&trader, &key("t", &["Trader"]));
    let (_, credentials) = make(&auditor, &key("a", &["Auditor"]));
    x.actor_of(&credentials).call("/v1/balances", json!({})).ok();
    let (_, credentials) = make(&owner, &master("m", &["Administrator"]));
    x.actor_of(&credentials).call("/v1/account/list", json!({})).ok();
    let operator = Browser::of(&x, "operator@house.test");
    assert_eq!(operator.get("/site/keys").ok(), json!([]));
    operator.post("/site/keys", &key("o", &["Trader"])).refused(403, "MissingRole");
    user_in(&x, "trader@people.test", "one", &["Auditor"]);
    trader.post("/site/keys", &key("late", &["Trader"])).refused(403, "MissingRole");
}

/// An administrator keeps all keys of the group; another user the account keys without a role that the user lacks. All others look unknown.
#[test]
fn keys_of_others_look_unknown() {
    let x = Exchange::start();
    user(&x, "owner@people.test");
    user_in(&x, "trader@people.test", "one", &["Trader"]);
    user_in(&x, "two@people.test", "two", &["Administrator", "Trader", "Fund Manager"]);
    let [owner, trader, two] =
        ["owner@people.test", "trader@people.test", "two@people.test"].map(|email| Browser::of(&x, email));
    let (funds, _) = make(&owner, &key("funds", &["Trader", "Fund Manager"]));
    let (desk, _) = make(&owner, &master("desk", &["Trader"]));
    let (own, credentials) = make(&trader, &key("own", &["Trader"]));
    let keeps = |browser: &Browser<'_>| [&funds, &desk, &own].map(|api_key| row(browser, api_key).is_some());
    assert_eq!(keeps(&owner), [true; 3]);
    assert_eq!(keeps(&trader), [false, false, true]);
    assert_eq!(keeps(&two), [false; 3]);
    for what in ["rename", "disable", "enable", "delete"] {
        let messages = |browser: &Browser<'_>, keys: &[&str]| -> Vec<String> {
            let refused = keys.iter().map(|api_key| {
                let refusal =
                    change(browser, what, api_key, json!({ "name": "x" })).refused(404, "EndpointNotFound");
                refusal.message.replace(api_key, "")
            });
            refused.collect()
        };
        let mut all = messages(&trader, &[&funds, &desk, "account-nosuch", ""]);
        all.extend(messages(&two, &[&own, &desk, "x"]));
        assert!(all.iter().all(|message| *message == all[0]), "{all:?}");
    }
    let bot = x.actor_of(&credentials);
    bot.call("/v1/order/new", order()).ok();
    change(&owner, "disable", &own, json!({})).ok();
    is_refused(&bot);
    let refusal = change(&trader, "enable", &own, json!({})).refused(403, "MissingRole");
    assert!(refusal.message.contains("an administrator of your group"), "{}", refusal.message);
    change(&owner, "enable", &own, json!({})).ok();
    assert_eq!(bot.live_ids().len(), 1);
    x.admin(&["key", "disable", &own]).done();
    let refusal = change(&owner, "enable", &own, json!({})).refused(403, "MissingRole");
    assert!(refusal.message.contains("an operator"), "{}", refusal.message);
    x.admin(&["key", "enable", &own]).done();
    assert_eq!(bot.live_ids().len(), 1);
}

/// A group has at most 200 keys that have not ended.
#[test]
fn keys_are_limited() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let mut made = Vec::new();
    for number in rows(&browser).len()..200 {
        made.push(make(&browser, &key(&format!("bot {number}"), &["Trader"])).0);
    }
    let refusal = browser.post("/site/keys", &key("more", &["Trader"])).refused(400, "InvalidParameterValue");
    assert!(refusal.message.contains("200"), "{}", refusal.message);
    change(&browser, "delete", &made[0], json!({})).ok();
    make(&browser, &key("more", &["Trader"]));
}

/// A key that is made with a list of addresses is used from these alone; the list shows them, and a wrong one is refused. Proves AUTH-013
/// (part).
#[test]
fn a_key_has_its_addresses() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let with = |from: Value| {
        let mut fields = key("bot", &["Trader"]);
        fields["from"] = from;
        fields
    };
    for wrong in [json!(["localhost"]), json!(["127.0.0.1/8"]), json!(["10.0.0.0/33"]), json!([""])] {
        let refused = browser.post("/site/keys", &with(wrong)).refused(400, "InvalidParameterValue");
        assert!(refused.message.contains("'from'"), "{refused:?}");
    }
    assert_eq!(rows(&browser).iter().filter(|row| row["name"] == "bot").count(), 0);
    let (api_key, elsewhere) = make(&browser, &with(json!(["192.0.2.7", "2001:db8::/32"])));
    let found = row(&browser, &api_key).expect("the key");
    assert_eq!(found["from"], json!(["192.0.2.7/32", "2001:db8::/32"]));
    let refused = x.actor_of(&elsewhere).call("/v1/orders", json!({}));
    refused.refused(403, "ApiKeyIpFilteringFailure");
    let mut fields = with(json!(["127.0.0.0/30"]));
    fields["name"] = json!("home");
    let (_, here) = make(&browser, &fields);
    x.actor_of(&here).call("/v1/orders", json!({})).ok();
}
