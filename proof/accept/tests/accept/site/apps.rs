//! Apps that users register, and grants.

use super::user;
use buttonwood_accept::{Browser, Exchange, Value, json, same_keys};

fn app() -> Value {
    json!({
        "name": "Lens", "description": "Shows balances.", "background": "#fff", "logo": "https://lens.example/logo.svg",
        "scopes": ["orders:read", "balances:read"], "redirect_uris": ["https://lens.example/cb", "com.lens.app:/cb"],
        "public": false
    })
}

/// An app gets an id and a secret, which is shown once; its list shows it as it was registered. Proves OAUTH-001, SBX-008.
#[test]
fn an_app_is_registered() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let made = browser.post("/site/apps", &app()).ok();
    same_keys(&made, &["client_id", "client_secret"], &made);
    let (id, secret) = (&made["client_id"], made["client_secret"].as_str().expect("a secret"));
    assert_eq!(secret.len(), 43, "{made}");
    let list = browser.get("/site/apps").ok();
    let mut expected = app();
    expected["client_id"] = id.clone();
    expected["reviewed"] = json!(false);
    expected["scopes"] = json!(["balances:read", "orders:read"]);
    assert_eq!(list, json!([expected]));
    let renewed = browser.post("/site/apps/secret", &json!({ "client_id": id })).ok();
    same_keys(&renewed, &["client_secret"], &renewed);
    assert_ne!(renewed["client_secret"], made["client_secret"]);
    browser.post("/site/apps/delete", &json!({ "client_id": id })).ok();
    browser.post("/site/apps/delete", &json!({ "client_id": id })).refused(404, "EndpointNotFound");
    assert_eq!(browser.get("/site/apps").ok(), json!([]));
}

/// A public client has no secret, and gets none later.
#[test]
fn a_public_client_has_no_secret() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let mut public = app();
    public["public"] = json!(true);
    let made = browser.post("/site/apps", &public).ok();
    same_keys(&made, &["client_id"], &made);
    browser
        .post("/site/apps/secret", &json!({ "client_id": made["client_id"] }))
        .refused(400, "InvalidParameterValue");
}

/// Wrong fields are refused by name.
#[test]
fn poor_apps_are_refused() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    for (field, value) in [
        ("name", json!("")),
        ("name", json!("x".repeat(101))),
        ("name", json!("a\nb")),
        ("description", json!(1)),
        ("scopes", json!([])),
        ("scopes", json!(["orders"])),
        ("scopes", json!("orders:read")),
        ("scopes", json!([1])),
        ("redirect_uris", json!([])),
        ("redirect_uris", json!(["http://lens.example/cb"])),
        ("redirect_uris", json!(["lens.example/cb"])),
        ("redirect_uris", json!(["https://lens.example/cb#x"])),
        ("redirect_uris", json!(["https://a@lens.example/cb"])),
        ("redirect_uris", json!(["https://*.lens.example/cb"])),
        ("redirect_uris", json!(["https://lens.example/a/../cb"])),
        ("redirect_uris", json!(["https://lens.example\\cb"])),
        ("redirect_uris", json!(["javascript:alert(1)"])),
        ("redirect_uris", json!(["data:text/html,x"])),
        ("public", json!("true")),
    ] {
        let mut fields = app();
        fields[field] = value;
        let answer = browser.post("/site/apps", &fields);
        let refusal = answer.refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains(&format!("'{field}'")), "{answer}");
    }
    assert_eq!(browser.get("/site/apps").ok(), json!([]));
    for good in ["http://localhost:8787/cb", "http://127.0.0.1/cb", "http://[::1]:1/cb"] {
        let mut fields = app();
        fields["redirect_uris"] = json!([good]);
        for name in ["description", "background", "logo", "public"] {
            fields[name] = json!(null);
        }
        browser.post("/site/apps", &fields).ok();
    }
}

/// A user has at most 20 apps.
#[test]
fn apps_are_limited() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    for _ in 0..20 {
        browser.post("/site/apps", &app()).ok();
    }
    assert_eq!(browser.post("/site/apps", &app()).status(), 400);
}

/// Grants are listed and revoked.
#[test]
fn grants_are_revoked() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    assert_eq!(browser.get("/site/grants").ok(), json!([]));
    let clients = x.credentials();
    let client =
        clients["oauth_clients"].as_array().expect("clients").iter().find(|client| client["name"] == "app");
    let client_id = client.expect("a client")["client_id"].clone();
    let account = browser.get("/site/session").ok()["account"].clone();
    let fields = json!({ "client_id": client_id, "email": "a@people.test", "account": account, "scopes": ["balances:read"] });
    x.control("/sandbox/oauth/grants", &fields).ok();
    let list = browser.get("/site/grants").ok();
    let row = &list[0];
    same_keys(row, &["id", "client_id", "app", "account", "scopes"], row);
    assert_eq!((&row["client_id"], &row["app"], &row["account"]), (&client_id, &json!("app"), &account));
    assert_eq!(row["scopes"], json!(["balances:read"]));
    browser.post("/site/grants/revoke", &json!({ "id": row["id"] })).ok();
    assert_eq!(browser.get("/site/grants").ok(), json!([]));
    browser.post("/site/grants/revoke", &json!({ "id": row["id"] })).refused(404, "EndpointNotFound");
}
