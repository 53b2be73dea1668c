//! Keys that are made and changed while the exchange runs. Clauses AUTH-011, AUTH-013, AUTH-015, AUTH-024, SES-010, SES-016.

use buttonwood_accept::{Actor, Answer, Exchange, Value, json, laws, private_folder, raw, run_to_end};
use buttonwood_client::Credentials;
use std::io::Write;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Makes a key by the control call; returns its actor and its public text.
fn make(x: &Exchange, fields: Value) -> (Actor, String) {
    let (key, api_key) = made(&x.control("/sandbox/keys", &fields).ok());
    (x.actor_of(&key), api_key)
}

/// The credentials of a key that was just made, and its public text.
fn made(answer: &Value) -> (Credentials, String) {
    let text = |name: &str| answer[name].as_str().unwrap().to_owned();
    (Credentials::new(text("api_key"), text("api_secret")), text("api_key"))
}

fn trader() -> Value {
    json!({ "group": "one", "account": "savings", "roles": ["Trader"] })
}

fn change(x: &Exchange, what: &str, api_key: &str, mut fields: Value) -> Value {
    fields["api_key"] = json!(api_key);
    x.control(&format!("/sandbox/keys/{what}"), &fields).ok()
}

fn order() -> Value {
    json!({ "symbol": "btcusd", "side": "buy", "type": "exchange limit", "amount": "0.01", "price": "100" })
}

/// The key of `credentials.json` with this text.
fn listed(x: &Exchange, api_key: &str) -> Option<Value> {
    let file = x.credentials();
    file["keys"].as_array().unwrap().iter().find(|key| key["api_key"] == api_key).cloned()
}

/// A new key trades at once, is in `credentials.json` and in the list of keys, and stays over a restart; its options are those
/// that were asked for. Proves AUTH-015.
#[test]
fn a_made_key_is_usable_at_once() {
    let x = Exchange::start();
    let mut fields = trader();
    fields["name"] = json!("bot");
    fields["roles"] = json!(["trader", "FUND-manager"]);
    fields["time_based_nonce"] = json!(false);
    let (bot, api_key) = make(&x, fields);
    assert!(api_key.starts_with("account-"), "{api_key}");
    assert_eq!(bot.call("/v1/order/new", order()).ok()["is_live"], true);
    let row = listed(&x, &api_key).unwrap();
    assert_eq!((&row["name"], &row["account"]), (&json!("bot"), &json!("savings")));
    assert_eq!(row["roles"], json!(["Trader", "Fund Manager"]));
    let (master, master_key) =
        make(&x, json!({ "group": "one", "roles": ["Administrator", "Trader"], "name": "desk" }));
    assert!(master_key.starts_with("master-"), "{master_key}");
    let mut on_savings = order();
    on_savings["account"] = json!("savings");
    master.call("/v1/order/new", on_savings).ok();
    x.restart();
    let file = x.key("bot");
    assert_eq!(file.credentials.api_key, api_key);
    assert_eq!(x.as_("bot").live_ids().len(), 2);
    let rows = x.admin(&["key", "list"]).list();
    let row = rows.iter().find(|row| row["api_key"] == *api_key).unwrap();
    assert_eq!((&row["enabled"], &row["from"]), (&json!(true), &json!([])));
    assert!(row["created_ms"].is_u64() && row["last_used_ms"].is_u64(), "{row}");
    x.stop();
    assert_eq!(x.admin(&["key", "list"]).list().len(), rows.len(), "also without a running exchange");
}

/// A disabled key is refused at once, without using the nonce, whatever connection it has open; its orders stay unless they are
/// cancelled with it. Enabled again, it goes on. Repeating changes nothing. Proves AUTH-011.
#[test]
fn a_disabled_key_is_refused_until_it_is_enabled() {
    let x = Exchange::start();
    let (key, api_key) = made(&x.control("/sandbox/keys", &trader()).ok());
    let bot = x.actor_of(&key);
    let owner = x.as_("savings-trader");
    bot.call("/v1/order/new", order()).ok();
    for _ in 0..2 {
        assert_eq!(change(&x, "disable", &api_key, json!({}))["enabled"], false);
        let message = bot.call("/v1/balances", json!({})).refused(403, "InvalidApiKey").message;
        assert!(message.contains("is disabled"), "{message}");
        bot.call("/v1/order/new", order()).refused(403, "InvalidApiKey");
        bot.call("/v1/heartbeat", json!({})).refused(403, "InvalidApiKey");
    }
    assert!(listed(&x, &api_key).is_none(), "every entry of the file works");
    assert_eq!(owner.live_ids().len(), 1, "its order stays");
    x.restart();
    let again = x.actor_of(&key);
    again.call("/v1/balances", json!({})).refused(403, "InvalidApiKey");
    for _ in 0..2 {
        assert_eq!(change(&x, "enable", &api_key, json!({}))["enabled"], true);
        assert_eq!(again.live_ids().len(), 1);
    }
    change(&x, "disable", &api_key, json!({ "cancel_orders": true }));
    assert_eq!(x.as_("savings-trader").live_ids().len(), 0);
    change(&x, "enable", &api_key, json!({}));
    again.call("/v1/order/new", order()).ok();
    assert_eq!(change(&x, "end", &api_key, json!({ "cancel_orders": true }))["ended"], true);
    assert_eq!(x.as_("savings-trader").live_ids().len(), 0);
    again.call("/v1/balances", json!({})).refused(403, "InvalidApiKey");
    let body = json!({ "api_key": api_key });
    x.control("/sandbox/keys/enable", &body).refused(400, "InvalidParameterValue");
    laws::check(&x);
}

/// Other roles count for the next call, and the refusal names them. Proves AUTH-024.
#[test]
fn roles_count_at_once() {
    let x = Exchange::start();
    let (bot, api_key) = make(&x, trader());
    bot.call("/v1/order/new", order()).ok();
    change(&x, "roles", &api_key, json!({ "roles": ["Auditor"] }));
    let message = bot.call("/v1/order/new", order()).refused(403, "MissingRole").message;
    assert!(message.ends_with("has the roles [Auditor]"), "{message}");
    assert_eq!(bot.live_ids().len(), 1);
    change(&x, "roles", &api_key, json!({ "roles": ["Fund Manager", "Trader"] }));
    bot.call("/v1/order/new", order()).ok();
    for roles in
        [json!([]), json!(["Auditor", "Trader"]), json!(["Administrator"]), json!(["Owner"]), json!("Trader")]
    {
        let body = json!({ "api_key": api_key, "roles": roles });
        x.control("/sandbox/keys/roles", &body).refused(400, "InvalidParameterValue");
    }
    assert_eq!(listed(&x, &api_key).unwrap()["roles"], json!(["Trader", "Fund Manager"]));
}

/// The status and the body of a signed call that comes from an address of the loop.
fn call_from(x: &Exchange, actor: &Actor, last: u8) -> (Option<u16>, String) {
    let payload = actor.payload("/v1/balances", json!({}));
    let signed = actor.sign(payload.as_bytes());
    let lines: Vec<String> =
        signed.headers().iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let fields = lines.concat();
    let head = format!(
        "POST /v1/balances HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\nConnection: close\r\n",
        x.address()
    );
    let mut stream = raw::connect_from(x, [127, 0, 0, last]);
    stream.write_all(format!("{head}{fields}\r\n").as_bytes()).unwrap();
    let answer = raw::receive(stream, Duration::from_secs(10));
    (answer.status(), answer.text())
}

/// A key is used from its addresses alone, and from those of its group. Proves AUTH-013.
#[test]
fn addresses_outside_the_lists_are_refused() {
    let x = Exchange::start();
    let mut fields = trader();
    fields["from"] = json!(["127.0.0.2", "2001:db8::/32"]);
    let (bot, api_key) = make(&x, fields);
    let reason = |last: u8| {
        let (status, text) = call_from(&x, &bot, last);
        let reasons = ["ApiKeyIpFilteringFailure", "RemoteAddressForbidden"];
        let reason = reasons.into_iter().find(|reason| text.contains(reason));
        assert_eq!(status, Some(if reason.is_some() { 403 } else { 200 }), "{text}");
        reason
    };
    assert_eq!(reason(2), None);
    assert_eq!(reason(1), Some("ApiKeyIpFilteringFailure"));
    change(&x, "addresses", &api_key, json!({ "from": ["127.0.0.0/30"] }));
    assert_eq!((reason(1), reason(4)), (None, Some("ApiKeyIpFilteringFailure")));
    let group =
        |from: Value| x.control("/sandbox/groups/addresses", &json!({ "group": "one", "from": from })).ok();
    group(json!(["127.0.0.2/32", "::1"]));
    assert_eq!(
        (reason(2), reason(1), reason(4)),
        (None, Some("RemoteAddressForbidden"), Some("RemoteAddressForbidden"))
    );
    x.as_("trader").call("/v1/balances", json!({})).refused(403, "RemoteAddressForbidden");
    x.as_("counterparty").call("/v1/balances", json!({})).ok();
    x.restart();
    x.as_("trader").call("/v1/balances", json!({})).refused(403, "RemoteAddressForbidden");
    x.control("/sandbox/groups/addresses", &json!({ "group": "one", "from": [] })).ok();
    x.as_("trader").call("/v1/balances", json!({})).ok();
    let rows = x.admin(&["key", "list"]).list();
    let row = rows.iter().find(|row| row["api_key"] == *api_key).unwrap();
    assert_eq!(row["from"], json!(["127.0.0.0/30"]));
    for from in ["127.0.0.1/8", "localhost", "10.0.0.0/33", ""] {
        let body = json!({ "api_key": api_key, "from": [from] });
        x.control("/sandbox/keys/addresses", &body).refused(400, "InvalidParameterValue");
    }
}

/// The orders of a heartbeat key that was made while the exchange runs are cancelled 30 seconds after its last call.
/// Proves SES-010, SES-016.
#[test]
fn a_made_key_with_heartbeat_is_watched() {
    let x = Exchange::start();
    let mut fields = trader();
    fields["require_heartbeat"] = json!(true);
    let (bot, api_key) = make(&x, fields);
    let owner = x.as_("savings-trader");
    bot.call("/v1/order/new", order()).ok();
    owner.call("/v1/order/new", order()).ok();
    x.advance(29);
    assert_eq!(owner.live_ids().len(), 2);
    change(&x, "disable", &api_key, json!({}));
    bot.call("/v1/heartbeat", json!({})).refused(403, "InvalidApiKey");
    x.advance(2);
    assert_eq!(owner.live_ids().len(), 1, "a refused call is no sign of life");
    let body = json!({ "group": "one", "roles": ["Trader"], "require_heartbeat": true });
    x.control("/sandbox/keys", &body).refused(400, "InvalidParameterValue");
}

/// A key that cannot be is refused by the field, and nothing is made.
#[test]
fn wrong_keys_are_refused_by_field() {
    let x = Exchange::start();
    let before = x.admin(&["key", "list"]).list().len();
    for (fields, reason, field) in [
        (json!({ "roles": ["Trader"] }), "MissingPayloadKey", "group"),
        (json!({ "group": "one" }), "MissingPayloadKey", "roles"),
        (json!({ "group": "none", "roles": ["Trader"] }), "InvalidParameterValue", "group"),
        (json!({ "group": "one", "account": "none", "roles": ["Trader"] }), "InvalidAccountName", "account"),
        (
            json!({ "group": "one", "account": "savings", "roles": ["Administrator"] }),
            "InvalidParameterValue",
            "role",
        ),
        (json!({ "group": "one", "roles": ["Trader", "Auditor"] }), "InvalidParameterValue", "role"),
        (json!({ "group": "one", "roles": ["Trader"], "name": "trader" }), "InvalidParameterValue", "name"),
        (json!({ "group": "one", "roles": ["Trader"], "name": "" }), "InvalidParameterValue", "name"),
        (
            json!({ "group": "one", "roles": ["Trader"], "from": ["10.0.0.1/8"] }),
            "InvalidParameterValue",
            "from",
        ),
        (json!({ "group": "one", "roles": ["Trader"], "from": "10.0.0.1" }), "InvalidParameterValue", "from"),
    ] {
        let message = x.control("/sandbox/keys", &fields).refused(400, reason).message;
        assert!(message.contains(&format!("'{field}'")), "{message}");
    }
    let unknown = x.control("/sandbox/keys/disable", &json!({ "api_key": "account-none" }));
    assert!(unknown.refused(400, "InvalidParameterValue").message.contains("account-none"));
    assert_eq!(x.admin(&["key", "list"]).list().len(), before);
}

/// A leaked key is disabled while it floods the exchange: no order of it enters after the answer, and none of it is left.
/// Proves AUTH-011, INV-AUTH-4.
#[test]
fn a_leaked_key_stops_at_once_under_load() {
    let x = Exchange::builder().real_time().start();
    let (key, api_key) = made(&x.control("/sandbox/keys", &trader()).ok());
    let is_over = AtomicBool::new(false);
    let owner = x.fresh("savings-trader");
    std::thread::scope(|scope| {
        let floods: Vec<_> = (0..4)
            .map(|_| {
                // Each thread its own connection; nonces overtake each other, which some calls pay for.
                let actor = x.actor_of(&key);
                let is_over = &is_over;
                scope.spawn(move || {
                    let mut late = 0;
                    let mut accepted = 0;
                    for _ in 0..100_000 {
                        let was_over = is_over.load(Ordering::SeqCst);
                        let answer = actor.call("/v1/order/new", order());
                        if answer.status() == 200 {
                            accepted += 1;
                            late += usize::from(was_over);
                        } else if answer.status() == 403 && was_over {
                            break;
                        }
                    }
                    (accepted, late)
                })
            })
            .collect();
        while owner.live_ids().len() < 50 {
            std::thread::yield_now();
        }
        change(&x, "disable", &api_key, json!({ "cancel_orders": true }));
        is_over.store(true, Ordering::SeqCst);
        assert!(owner.live_ids().is_empty(), "the answer means that all are gone");
        let ends: Vec<(usize, usize)> = floods.into_iter().map(|flood| flood.join().unwrap()).collect();
        assert!(
            ends.iter().any(|(accepted, _)| *accepted > 0) && ends.iter().all(|(_, late)| *late == 0),
            "{ends:?}"
        );
        assert!(owner.live_ids().is_empty(), "none came later");
    });
    laws::check(&x);
}

/// `admin` makes and changes keys like the control calls, and shows the sessions.
#[test]
fn admin_works_on_keys_too() {
    let x = Exchange::start();
    let dry = x.admin(&["key", "add", "--group", "one", "--role", "trader", "--dry-run"]).done();
    assert!(dry["api_key"].is_null() && dry["api_secret"].is_null(), "{dry}");
    let answer = x
        .admin(&[
            "key",
            "add",
            "--group",
            "one",
            "--account",
            "savings",
            "--role",
            "Trader",
            "--role",
            "fund-manager",
            "--from",
            "127.0.0.0/8",
        ])
        .done();
    let (key, api_key) = made(&answer);
    let bot = x.actor_of(&key);
    bot.call("/v1/order/new", order()).ok();
    let sessions = x.admin(&["sessions"]).list();
    let row = sessions.iter().find(|row| row["api_key"] == *api_key).unwrap();
    assert_eq!((&row["kind"], &row["live_orders"]), (&json!("key"), &json!(1)));
    assert!(row["address"].as_str().unwrap().parse::<IpAddr>().unwrap().is_loopback(), "{row}");
    for _ in 0..2 {
        assert_eq!(x.admin(&["key", "disable", &api_key, "--cancel-orders"]).done()["enabled"], false);
    }
    bot.call("/v1/balances", json!({})).refused(403, "InvalidApiKey");
    assert_eq!(x.admin(&["key", "enable", &api_key]).done()["enabled"], true);
    assert_eq!(x.admin(&["key", "roles", &api_key, "--role", "Auditor"]).done()["roles"], json!(["Auditor"]));
    assert_eq!(x.admin(&["key", "rename", &api_key, "spare"]).done()["name"], "spare");
    let other = x.admin(&["key", "add", "--group", "one", "--role", "Auditor", "--name", "other"]).done();
    assert!(x.admin(&["key", "rename", &api_key, "other"]).refused().contains("'name'"), "{other}");
    assert_eq!(x.admin(&["key", "from", &api_key]).done()["from"], json!([]));
    assert!(x.admin(&["key", "roles", &api_key, "--role", "Owner"]).refused().contains("'role'"));
    assert!(x.admin(&["key", "disable", "account-none"]).refused().contains("account-none"));
    let audit = x.admin(&["audit"]).list();
    assert!(audit.iter().any(|act| act["what"].as_str().unwrap().starts_with("key disable")), "{audit:?}");
    assert!(!format!("{audit:?}{}", x.log()).contains(&key.api_secret), "no secret is told twice");
}

/// A heartbeat of a key on a connection of its own.
fn beat(x: &Exchange, key: &Credentials) -> Answer {
    x.actor_of(key).call("/v1/heartbeat", json!({}))
}

/// The secret of a key that ended is in the vault no more, at once; other keys keep theirs. After a restart the key is refused like
/// an unknown one. A crash between the end and the removal, or a copy of the directory made between them, harms no other key.
#[test]
fn the_secret_of_an_ended_key_is_removed() {
    let x = Exchange::start();
    let (ended, ended_key) = made(&x.control("/sandbox/keys", &trader()).ok());
    let (stays, _) = made(&x.control("/sandbox/keys", &trader()).ok());
    let sealed = |number: u32| {
        let to = x.data().join(format!("key-{number}"));
        x.admin(&["vault", "rotate", "--to", to.to_str().unwrap()]).done()["secrets"].as_u64().unwrap()
    };
    let before = sealed(1);
    let read = || ["vault", "vault.log"].map(|name| std::fs::read(x.data().join(name)).ok());
    let old_vault = read();
    assert_eq!(x.admin(&["key", "end", &ended_key, "--dry-run"]).done()["ended"], true);
    assert_eq!(read(), old_vault, "a dry run removes nothing");
    beat(&x, &ended).ok();
    x.admin(&["key", "end", &ended_key]).done();
    assert_eq!(sealed(2), before - 1);
    x.admin(&["key", "end", &ended_key]).done();
    assert_eq!(sealed(3), before - 1, "ending it again changes nothing");
    beat(&x, &ended).refused(403, "InvalidApiKey");
    beat(&x, &stays).ok();
    x.restart();
    beat(&x, &ended).refused(403, "InvalidApiKey");
    beat(&x, &stays).ok();
    assert_eq!(sealed(4), before - 1);
}

/// A directory in which the vault has an end that the journal lacks, as a copy of both may have: the key cannot be used, all others can.
/// The other way round, as after a crash, the start removes the secret.
#[test]
fn the_vault_and_the_journal_may_differ_by_an_end() {
    let x = Exchange::start();
    let (stays, _) = made(&x.control("/sandbox/keys", &trader()).ok());
    let (ended, ended_key) = made(&x.control("/sandbox/keys", &trader()).ok());
    let home = private_folder();
    let [old, new] = ["old", "new"].map(|name| home.path().join(name));
    let back_up = |to: &std::path::Path| {
        let output =
            run_to_end(&["backup", "--data", x.data().to_str().unwrap(), "--to", to.to_str().unwrap()]);
        assert!(output.status.success(), "{output:?}");
    };
    back_up(&old);
    x.admin(&["key", "end", &ended_key]).done();
    back_up(&new);
    let between = home.path().join("between");
    std::fs::create_dir(&between).unwrap();
    for name in ["vault", "vault.log"] {
        for (from, to) in [(&old, &between), (&new, &old), (&between, &new)] {
            let _ = std::fs::remove_file(to.join(name));
            if from.join(name).exists() {
                std::fs::copy(from.join(name), to.join(name)).unwrap();
            }
        }
    }
    for copy in [&old, &new] {
        let y = Exchange::builder().start_in(copy);
        beat(&y, &stays).ok();
        beat(&y, &ended).refused(403, "InvalidApiKey");
        assert!(listed(&y, &ended_key).is_none());
        let to = copy.join("another-key");
        let sealed = y.admin(&["vault", "rotate", "--to", to.to_str().unwrap()]).done()["secrets"].clone();
        let keys = y.admin(&["key", "list"]).list().len();
        // Those of all keys but the one that has ended, that of the proofs of reserves, that of passkeys' challenges, three of each user and
        // one of each app with a secret.
        assert_eq!(sealed, json!(keys + 5 * 3 + 4), "{}", copy.display());
    }
    // A vault without the record of a key is still refused: it is not this directory's.
    std::fs::remove_file(new.join("vault")).unwrap();
    assert!(Exchange::builder().refuses_in(&new).contains("vault"));
}
