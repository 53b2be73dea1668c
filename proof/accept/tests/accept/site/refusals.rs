//! The order of the refusals of every call, and the form of its fields.

use super::{entry, user};
use buttonwood_accept::{Answer, Browser, Exchange, Value, json};

/// The needs of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Needs {
    Nothing,
    Password,
    Enrolling,
    Full,
    Code,
    Operator,
}

use Needs::{Code, Enrolling, Full, Nothing, Operator, Password};

/// Every POST but those whose fields hold an answer of an authenticator, what it needs, and a body that passes the checks of its types.
const POSTS: [(&str, Needs, &str); 31] = [
    ("/site/signup", Nothing, r#"{"email":"x@y.test","password":"p","name":"n"}"#),
    ("/site/confirm", Nothing, r#"{"token":"t"}"#),
    ("/site/password/forgot", Nothing, r#"{"email":"x@y.test"}"#),
    ("/site/password/reset", Nothing, r#"{"token":"t","password":"p"}"#),
    ("/site/sessions/stop", Nothing, r#"{"token":"t","password":"p","code":"c"}"#),
    ("/site/signin", Nothing, r#"{"email":"x@y.test","password":"p"}"#),
    ("/site/signin/sandbox", Nothing, r#"{"email":"x@y.test"}"#),
    ("/site/signin/code", Password, r#"{"code":"000000"}"#),
    ("/site/signout", Password, "{}"),
    ("/site/totp/begin", Enrolling, "{}"),
    ("/site/totp/confirm", Enrolling, r#"{"code":"000000"}"#),
    ("/site/passkeys/begin", Enrolling, r#"{"name":"n"}"#),
    ("/site/passkeys/remove", Code, r#"{"id":"1"}"#),
    ("/site/password", Code, r#"{"old":"o","new":"n"}"#),
    ("/site/account", Full, r#"{"account":"none"}"#),
    ("/site/sessions/end", Full, r#"{"id":"1"}"#),
    ("/site/apps", Code, r#"{"name":"n","scopes":["orders:read"],"redirect_uris":["https://a.example/"]}"#),
    ("/site/apps/secret", Code, r#"{"client_id":"x"}"#),
    ("/site/apps/delete", Code, r#"{"client_id":"x"}"#),
    ("/site/keys", Code, r#"{"name":"n","roles":["Trader"]}"#),
    ("/site/keys/rename", Code, r#"{"api_key":"x","name":"n"}"#),
    ("/site/keys/disable", Code, r#"{"api_key":"x"}"#),
    ("/site/keys/enable", Code, r#"{"api_key":"x"}"#),
    ("/site/keys/delete", Code, r#"{"api_key":"x"}"#),
    ("/site/grants/revoke", Full, r#"{"id":"1"}"#),
    ("/site/call", Full, r#"{"request":"/v1/roles"}"#),
    ("/site/operator/apps/review", Operator, r#"{"client_id":"x","approved":true}"#),
    ("/site/operator/approve", Operator, r#"{"proposal":1}"#),
    ("/site/operator/halt", Operator, r#"{"reason":"r"}"#),
    ("/site/operator/resume", Operator, r#"{"reason":"r"}"#),
    ("/site/operator/symbols/status", Operator, r#"{"symbol":"btcusd","status":"open","reason":"r"}"#),
];

const READS: [&str; 6] =
    ["/site/session", "/site/sessions", "/site/keys", "/site/passkeys", "/site/apps", "/site/grants"];

const JSON: (&str, &str) = ("Content-Type", "application/json");

fn send(browser: &Browser<'_>, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    browser.send("POST", path, headers, body.as_bytes())
}

/// The checks before the session, each before all that follow.
#[test]
fn a_post_is_checked_before_its_session() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let (anyone, full) = (Browser::new(&x), Browser::of(&x, "a@people.test"));
    for (path, needs, body) in POSTS {
        let reads = READS.contains(&path);
        for method in ["PUT", "DELETE", "GET"].into_iter().filter(|method| !(reads && *method == "GET")) {
            let answer = full.send(method, path, &[("Origin", "https://evil.example")], b"");
            answer.refused(405, "EndpointNotFound");
            assert!(answer.reply.header("allow").is_some_and(|allow| allow.contains("POST")), "{answer}");
        }
        for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""] {
            let headers = [("Content-Type", kind), ("Origin", "https://evil.example")];
            send(&anyone, path, &headers, body).refused(415, "InvalidParameterValue");
        }
        send(&anyone, path, &[], body).refused(415, "InvalidParameterValue");
        for other in ["https://evil.example", "null", "", "https://127.0.0.1", "http://127.0.0.1:1"] {
            send(&anyone, path, &[JSON, ("Origin", other)], body).refused(403, "CsrfMismatch");
        }
        for site in ["cross-site", "same-site", ""] {
            send(&anyone, path, &[JSON, ("Sec-Fetch-Site", site)], body).refused(403, "CsrfMismatch");
        }
        let own = [JSON, ("Origin", &x.base_url()), ("Sec-Fetch-Site", "same-origin")];
        let passed = send(&anyone, path, &own, "no JSON");
        let (status, reason) = if needs == Nothing { (400, "InvalidJson") } else { (401, "SignInRequired") };
        passed.refused(status, reason);
        let none = send(&anyone, path, &[JSON, ("Sec-Fetch-Site", "none")], "no JSON");
        none.refused(status, reason);
    }
}

/// The checks of the session, in their order: CSRF token, factors, code, and only then the fields.
#[test]
fn a_session_is_checked_before_the_fields() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let (half, old) = (Browser::new(&x), Browser::of(&x, "a@people.test"));
    half.post("/site/signin", &entry("a@people.test")).ok();
    let posts = || POSTS.iter().filter(|(_, needs, _)| *needs != Nothing);
    for (path, needs, _) in posts() {
        for browser in [&half, &old] {
            let csrf = browser.csrf().expect("signed in");
            for wrong in [None, Some(""), Some("x"), Some(&csrf[1..])] {
                browser.set_csrf(wrong);
                send(browser, path, &[JSON], "no JSON").refused(403, "CsrfMismatch");
            }
            browser.set_csrf(Some(&csrf));
        }
        if *needs != Password {
            send(&half, path, &[JSON], "no JSON").refused(403, "SecondFactorRequired");
        }
        if *needs == Operator {
            send(&old, path, &[JSON], "no JSON").refused(403, "MissingRole");
        } else if *path != "/site/signout" && *path != "/site/totp/begin" {
            send(&old, path, &[JSON], "no JSON").refused(400, "InvalidJson");
        }
    }
    for path in READS {
        Browser::new(&x).get(path).refused(401, "SignInRequired");
        half.get(path).refused(403, "SecondFactorRequired");
        old.get(path).ok();
    }
    x.advance(5 * 60);
    for (path, _, _) in posts().filter(|(_, needs, _)| matches!(needs, Enrolling | Code)) {
        send(&old, path, &[JSON], "no JSON").refused(403, "CodeRequired");
    }
    let operator = Browser::of(&x, "operator@house.test");
    x.advance(5 * 60 - 1);
    operator.post("/site/operator/apps/review", &json!({})).refused(400, "MissingPayloadKey");
    x.advance(1);
    operator.post("/site/operator/apps/review", &json!({})).refused(403, "CodeRequired");
}

/// A body of 64 KiB is read, and a longer one is refused as such.
#[test]
fn bodies_have_a_limit() {
    let x = Exchange::start();
    let anyone = Browser::new(&x);
    let of_length = |length: usize| {
        let frame = r#"{"email":"nosuch@people.test","x":""}"#.len();
        format!(r#"{{"email":"nosuch@people.test","x":"{}"}}"#, "x".repeat(length - frame))
    };
    assert_eq!(send(&anyone, "/site/password/forgot", &[JSON], &of_length(65_536)).status(), 202);
    assert_eq!(send(&anyone, "/site/password/forgot", &[JSON], &of_length(65_537)).status(), 413);
}

/// Fields that are missing, of another type, `null` or given twice are refused by name.
#[test]
fn fields_are_refused_by_name() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let operator = Browser::of(&x, "operator@house.test");
    for (path, needs, body) in POSTS {
        let fields: serde_json::Map<String, Value> = serde_json::from_str(body).expect("an object");
        let browser = if needs == Operator { &operator } else { &browser };
        for name in fields.keys().filter(|name| *name != "request" && *name != "id") {
            let mut without = fields.clone();
            without.remove(name);
            let missing = browser.post(path, &Value::Object(without.clone()));
            assert!(
                missing.refused(400, "MissingPayloadKey").message.contains(&format!("'{name}'")),
                "{missing}"
            );
            for wrong in [json!(1.5), json!({}), json!([1]), json!(null)] {
                let mut fields = without.clone();
                fields.insert(name.clone(), wrong);
                let refused = browser.post(path, &Value::Object(fields));
                let refusal = refused.refused(400, "InvalidParameterValue");
                assert!(refusal.message.contains(&format!("'{name}'")), "{refused}");
            }
            let twice = body.replacen('{', &format!("{{\"{name}\":\"x\","), 1);
            let refused = send(browser, path, &[JSON], &twice);
            assert!(refused.refused(400, "InvalidJson").message.contains(name), "{refused}");
        }
    }
    for body in ["[]", "1", "{", "{}x", "\u{feff}{}"] {
        send(&browser, "/site/signin", &[JSON], body).refused(400, "InvalidJson");
    }
}

/// An id that is unknown and one of another user are refused alike.
#[test]
fn foreign_ids_look_unknown() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    user(&x, "b@people.test");
    let (a, b) = (Browser::of(&x, "a@people.test"), Browser::of(&x, "b@people.test"));
    let app = json!({ "name": "n", "scopes": ["orders:read"], "redirect_uris": ["https://a.example/"], "public": false });
    let client_id = a.post("/site/apps", &app).ok()["client_id"].as_str().expect("a text").to_owned();
    let session = a.get("/site/sessions").ok()[0]["id"].as_str().expect("a text").to_owned();
    let unknown = "00000000-0000-4000-8000-000000000000";
    for (path, field, foreign, unknown) in [
        ("/site/apps/secret", "client_id", client_id.as_str(), unknown),
        ("/site/apps/delete", "client_id", &client_id, unknown),
        ("/site/sessions/end", "id", &session, "1"),
        ("/site/grants/revoke", "id", &session, "1"),
    ] {
        let refusals = [foreign, unknown, "", "x"].map(|id| {
            let refusal = b.post(path, &json!({ field: id })).refused(404, "EndpointNotFound");
            refusal.message.replace(id, "")
        });
        assert!(refusals.iter().all(|message| message.len() > 10), "{refusals:?}");
        assert_eq!(refusals[0], refusals[1], "{path}");
    }
    assert_eq!(a.get("/site/apps").ok().as_array().expect("an array").len(), 1);
    a.get("/site/session").ok();
}

/// A user who is no operator reviews no app.
#[test]
fn only_operators_review() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let a = Browser::of(&x, "a@people.test");
    let app = json!({ "name": "n", "scopes": ["orders:read"], "redirect_uris": ["https://a.example/"], "public": true });
    let client_id = a.post("/site/apps", &app).ok()["client_id"].clone();
    let review = json!({ "client_id": client_id, "approved": true });
    a.post("/site/operator/apps/review", &review).refused(403, "MissingRole");
    assert_eq!(a.get("/site/apps").ok()[0]["reviewed"], false);
    let operator = Browser::of(&x, "operator@house.test");
    operator.post("/site/operator/apps/review", &review).ok();
    assert_eq!(a.get("/site/apps").ok()[0]["reviewed"], true);
    let none = json!({ "client_id": "00000000-0000-4000-8000-000000000000", "approved": true });
    operator.post("/site/operator/apps/review", &none).refused(404, "EndpointNotFound");
}
