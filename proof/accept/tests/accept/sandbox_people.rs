//! People and apps of a sandbox: the users and apps that it lists, its control calls, and older sandboxes that gain them.

use crate::oauth::{app, code_in, encoded, error_of, grant, post, refresh, text};
use crate::upgrade::{copy, corpus};
use buttonwood_accept::{Answer, Browser, Exchange, Value, json, private_folder, same_keys, totp};
use std::collections::BTreeMap;

const PASSWORD: &str = "seven green turtles sing";

/// Signs a listed user in with password and second factor.
#[track_caller]
fn sign_in<'x>(x: &'x Exchange, user: &Value) -> Browser<'x> {
    let browser = Browser::new(x);
    let fields = json!({ "email": user["email"], "password": user["password"] });
    assert_eq!(browser.post("/site/signin", &fields).ok()["next"], "second_factor", "{user}");
    let code = json!({ "code": totp(&text(user, "totp_secret"), x.now_ms()) });
    assert_eq!(browser.post("/site/signin/code", &code).ok()["next"], "done", "{user}");
    browser
}

/// Each listed user signs in with the listed password and secret, and is who the list says.
#[track_caller]
fn users_work(x: &Exchange) {
    let users = x.credentials()["users"].as_array().expect("users").clone();
    assert_eq!(users.len(), 5);
    for user in &users {
        let session = sign_in(x, user).get("/site/session").ok();
        assert_eq!(session["user"]["email"], user["email"]);
        assert_eq!(session["group"], user["group"], "{session}");
        assert_eq!(session["operator"], json!(user["role"] == "Operator"), "{session}");
        let sorted = |roles: &Value| {
            let mut roles: Vec<String> = serde_json::from_value(roles.clone()).expect("texts");
            roles.sort_unstable();
            roles
        };
        assert_eq!(sorted(&session["roles"]), sorted(&user["roles"]));
    }
}

/// The listed users and apps work as listed: passwords and second factors, secrets, redirect URIs, scopes.
#[test]
fn users_and_apps_work_as_listed() {
    const CHALLENGE: [(&str, &str); 2] = [
        ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
        ("code_challenge_method", "S256"),
    ];
    let x = Exchange::start();
    users_work(&x);
    let owner = Browser::of(&x, "owner@one.test");
    for listed in x.credentials()["oauth_clients"].as_array().expect("apps") {
        let name = text(listed, "name");
        let tokens = grant(&x, &name, "owner@two.test", &["balances:read"]);
        refresh(&x, listed, &text(&tokens, "refresh_token")).ok();
        let scopes: Vec<&str> =
            listed["scopes"].as_array().expect("scopes").iter().filter_map(Value::as_str).collect();
        for uri in listed["redirect_uris"].as_array().expect("URIs") {
            let mut pairs = vec![("redirect_uri", uri.as_str().expect("a text"))];
            pairs.extend(CHALLENGE.iter().filter(|_| listed["public"] == json!(true)));
            code_in(&owner, listed, &pairs, &scopes);
        }
        let query = encoded(&[
            ("client_id", &text(listed, "client_id")),
            ("redirect_uri", listed["redirect_uris"][0].as_str().expect("a text")),
            ("response_type", "token"),
            ("scope", "balances:read"),
            ("state", "s"),
        ]);
        let answer = owner.get(&format!("/auth?{query}"));
        assert_eq!(answer.status() == 200, name == "implicit", "{name} {answer}");
    }
}

/// Passwords, secrets and ids stay over restarts.
#[test]
fn lists_stay_over_restarts() {
    let x = Exchange::start();
    let before = x.credentials();
    let tokens = grant(&x, "app", "owner@one.test", &["balances:read"]);
    x.kill9();
    std::fs::write(x.data().join("credentials.json"), "{}").expect("the list is written");
    x.restart();
    let after = x.credentials();
    assert_eq!((&after["users"], &after["oauth_clients"]), (&before["users"], &before["oauth_clients"]));
    users_work(&x);
    refresh(&x, &app(&x, "app"), &text(&tokens, "refresh_token")).ok();
}

/// A sandbox of an earlier build gains users and apps at its first start, keeps its keys, and has the same list at the next.
#[test]
fn an_older_sandbox_gains_users() {
    let older = corpus().into_iter().find(|path| path.ends_with("format-8-accounts")).expect("a directory");
    let home = private_folder();
    let data = home.path().join("data");
    copy(&older, &data);
    let file = std::fs::read(data.join("credentials.json")).expect("an older list");
    let before: Value = serde_json::from_slice(&file).expect("a list");
    let x = Exchange::builder().start_in(&data);
    let listed = x.credentials();
    let secrets = |file: &Value| -> BTreeMap<String, String> {
        let keys = file["keys"].as_array().expect("keys").iter();
        keys.map(|key| (text(key, "api_key"), text(key, "api_secret"))).collect()
    };
    let (old, new) = (secrets(&before), secrets(&listed));
    assert!(!old.is_empty() && old.iter().all(|(key, secret)| new.get(key) == Some(secret)));
    users_work(&x);
    let apps = listed["oauth_clients"].as_array().expect("apps").len();
    assert_eq!(apps, 4);
    x.kill9();
    x.restart();
    assert_eq!(
        (&x.credentials()["users"], &x.credentials()["oauth_clients"]),
        (&listed["users"], &listed["oauth_clients"])
    );
    let token = text(&grant(&x, "app", "owner@one.test", &["balances:read"]), "access_token");
    post(&x, &token, "/v1/balances").ok();
}

/// The four control calls refuse each wrong field by its name, and change nothing then. Proves SBX-005.
#[test]
fn control_calls_refuse_by_field() {
    let x = Exchange::start();
    let unreviewed = {
        let new = json!({ "name": "Lens", "scopes": ["balances:read"], "redirect_uris": ["https://lens.example/cb"] });
        Browser::of(&x, "owner@one.test").post("/site/apps", &new).ok()["client_id"].clone()
    };
    let narrow = app(&x, "narrow")["client_id"].clone();
    let user =
        json!({ "email": "new@people.test", "password": PASSWORD, "group": "one", "roles": ["Trader"] });
    let session = json!({ "email": "owner@one.test" });
    let tokens = json!({ "client_id": narrow, "email": "owner@one.test", "account": "primary", "scopes": ["balances:read"] });
    let check = |path: &str, good: &Value, field: &str, value: Option<Value>| {
        let mut body = good.clone();
        match value {
            Some(value) => body[field] = value,
            None => drop(body.as_object_mut().expect("an object").remove(field)),
        }
        let answer = x.control(path, &body);
        let message = text(&answer.json(), "message");
        // An unknown role is named as such.
        let names_it = message.contains(field) || field == "roles" && message.contains("'role'");
        assert!(answer.status() == 400 && names_it, "{body} {answer}");
        let named = body["password"].as_str().is_none_or(|it| it.len() < 5 || !message.contains(it));
        assert!(named, "no password is repeated: {answer}");
    };
    for (path, good) in
        [("/sandbox/users", &user), ("/sandbox/sessions", &session), ("/sandbox/oauth/grants", &tokens)]
    {
        for field in good.as_object().expect("an object").keys() {
            for value in [None, Some(Value::Null), Some(json!(7)), Some(json!({})), Some(json!(""))] {
                check(path, good, field, value);
            }
        }
        let answer = x.anyone().send("GET", path, &[], b"");
        assert_eq!((answer.status(), answer.reply.header("allow")), (405, Some("POST")), "{answer}");
    }
    let long = "x".repeat(257);
    for (field, value) in [
        ("email", json!("ada")),
        ("email", json!("ada@")),
        ("password", json!("short")),
        ("password", json!("new@people.test")),
        ("password", json!(long)),
        ("group", json!("none")),
        ("roles", json!(["Operator"])),
        ("roles", json!([7])),
        ("roles", json!(["Auditor", "Trader"])),
        ("disabled", json!("no")),
    ] {
        check("/sandbox/users", &user, field, Some(value));
    }
    let mut unknown = user.clone();
    unknown["roles"] = json!(["Operator"]);
    let message = x.control("/sandbox/users", &unknown).json()["message"].to_string();
    assert!(message.contains("'roles'") && message.contains("Operator"), "{message}");
    check("/sandbox/sessions", &session, "email", Some(json!("new@people.test")));
    for (field, value) in [
        ("client_id", json!("x")),
        ("client_id", json!("00000000-0000-4000-8000-000000000000")),
        ("email", json!("new@people.test")),
        ("account", json!("none")),
        ("scopes", json!([])),
        ("scopes", json!(["orders"])),
        ("scopes", json!(["orders:read"])),
        ("scopes", json!("balances:read")),
    ] {
        check("/sandbox/oauth/grants", &tokens, field, Some(value));
    }
    let mut foreign = tokens.clone();
    foreign["client_id"] = unreviewed;
    x.control("/sandbox/oauth/grants", &foreign).ok();
    foreign["email"] = json!("owner@two.test");
    assert_eq!(x.control("/sandbox/oauth/grants", &foreign).status(), 400);
    for query in ["to=%zz", "to=%ff"] {
        assert_eq!(x.get(&format!("/sandbox/mail?{query}")).status(), 400, "{query}");
    }
    assert_eq!(x.control("/sandbox/mail", &json!({})).status(), 405);
    assert_eq!(x.get("/sandbox/mail?to=nobody@people.test").ok(), json!({ "messages": [] }));
}

/// A session sets its cookie in the browser that asks for it, which is signed in then, and in no other.
#[test]
fn a_session_sets_its_cookie() {
    let x = Exchange::start();
    let enter = |browser: &Browser<'_>, body: &Value| browser.post("/sandbox/sessions", body);
    let email = "owner@one.test";
    let browser = Browser::new(&x);
    for body in [json!({ "email": email }), json!({ "email": email, "set_cookie": false })] {
        let answer = enter(&browser, &body);
        assert!(answer.reply.header("set-cookie").is_none(), "{answer}");
        answer.ok();
    }
    let answer = enter(&browser, &json!({ "email": email, "set_cookie": true }));
    let set = answer.reply.header("set-cookie").expect("a cookie").to_owned();
    let made = answer.ok();
    assert_eq!(set, format!("{}; HttpOnly; SameSite=Lax; Path=/", text(&made, "cookie")));
    let session = browser.get("/site/session").ok();
    assert_eq!((&session["user"]["email"], &session["csrf"]), (&json!(email), &made["csrf"]));
    browser.post("/site/call", &json!({ "request": "/v1/roles" })).ok();
    for wrong in [json!("true"), json!(1), json!([])] {
        let answer = x.control("/sandbox/sessions", &json!({ "email": email, "set_cookie": wrong }));
        assert!(answer.status() == 400 && answer.to_string().contains("'set_cookie'"), "{wrong} {answer}");
    }
}

/// Without an address the mail of all is listed, the oldest first.
#[test]
fn mail_of_all_is_listed() {
    let x = Exchange::start();
    assert_eq!(x.get("/sandbox/mail").ok(), json!({ "messages": [] }));
    let all = ["owner@two.test", "owner@one.test", "owner@two.test"];
    for email in all {
        Browser::new(&x).post("/site/password/forgot", &json!({ "email": email }));
    }
    let listed = |query: &str| -> Vec<String> {
        let mails = x.get(&format!("/sandbox/mail{query}")).ok();
        mails["messages"].as_array().expect("mails").iter().map(|mail| text(mail, "to")).collect()
    };
    assert_eq!(listed(""), all);
    assert_eq!(listed("?to=owner%40one.test"), ["owner@one.test"]);
}

/// With `disabled` the sessions, tokens, families and codes of a user end at once and for good; the user signs in again once it is lifted.
#[test]
fn disabling_ends_all() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let set = |disabled: bool| {
        let body = json!({ "email": "eve@one.test", "password": PASSWORD, "group": "one",
            "roles": ["Administrator", "Trader"], "disabled": disabled });
        text(&x.control("/sandbox/users", &body).ok(), "totp_secret")
    };
    let secret = set(false);
    let browser = Browser::of(&x, "eve@one.test");
    let tokens = grant(&x, "app", "eve@one.test", &["balances:read"]);
    let code = code_in(&browser, &app, &[], &["balances:read"]);
    browser.post("/site/password/forgot", &json!({ "email": "eve@one.test" }));
    let mails = x.get("/sandbox/mail?to=eve@one.test").ok();
    let link = text(mails["messages"].as_array().expect("mails").last().expect("a mail"), "token");
    set(true);
    x.control("/sandbox/sessions", &json!({ "email": "eve@one.test" })).error();
    let ended = || {
        browser.get("/site/session").refused(401, "SignInRequired");
        post(&x, &text(&tokens, "access_token"), "/v1/balances").refused(401, "InvalidAccessToken");
        assert_eq!(error_of(&refresh(&x, &app, &text(&tokens, "refresh_token")), 400), "invalid_grant");
        let redeem = json!({ "grant_type": "authorization_code", "code": code, "redirect_uri": app["redirect_uris"][0] });
        assert_eq!(error_of(&crate::oauth::token_request(&x, &app, redeem), 400), "invalid_grant");
        let reset = json!({ "token": link, "password": "nine amber violins hum" });
        Browser::new(&x).post("/site/password/reset", &reset).refused(400, "InvalidParameterValue");
    };
    ended();
    x.kill9();
    x.restart();
    ended();
    assert_eq!(set(false), secret, "the second factor stays");
    ended();
    let user = json!({ "email": "eve@one.test", "password": PASSWORD, "totp_secret": secret });
    sign_in(&x, &user).get("/site/session").ok();
}

/// The users of an account's group, with the time of their last sign-in, their status, and the country of the account. Proves ACCT-003.
#[test]
fn an_account_shows_its_users() {
    let x = Exchange::start();
    let users = |key: &str| -> Vec<Value> {
        let answer: Answer = x.as_(key).call("/v1/account", json!({}));
        answer.ok()["users"].as_array().expect("users").clone()
    };
    let tom = |users: &[Value]| users.iter().find(|user| user["name"] == "Tom Trader").expect("Tom").clone();
    assert_eq!(
        tom(&users("trader")),
        json!({ "name": "Tom Trader", "status": "Active", "isVerified": true })
    );
    x.advance(90);
    let at = x.now_ms();
    let listed = x.credentials()["users"]
        .as_array()
        .expect("users")
        .iter()
        .find(|user| user["email"] == "trader@one.test")
        .expect("listed")
        .clone();
    sign_in(&x, &listed);
    x.advance(60);
    let seen = tom(&users("trader"));
    let last = text(&seen, "lastSignIn");
    assert_eq!(iso(&last), at, "{seen}");
    let off = json!({ "email": "trader@one.test", "password": PASSWORD, "group": "one", "roles": ["Trader"], "disabled": true });
    x.control("/sandbox/users", &off).ok();
    let seen = tom(&users("trader"));
    assert_eq!((&seen["status"], &seen["lastSignIn"]), (&json!("Suspended"), &json!(last)));
    let new = json!({ "email": "far@four.test", "password": PASSWORD, "group": "four", "roles": ["Trader"] });
    x.control("/sandbox/users", &new).ok();
    let seen = users("restricted");
    same_keys(&seen[0], &["name", "status", "countryCode", "isVerified"], &seen[0]);
    let country = text(&seen[0], "countryCode");
    assert!(country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase()), "{country}");
}

/// The milliseconds of a time such as `2026-01-02T03:04:05.678Z`.
fn iso(text: &str) -> u64 {
    let parts: Vec<u64> = text
        .split(|letter: char| !letter.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().expect("a number"))
        .collect();
    let [year, month, day, hour, minute, second, millis] = parts[..] else { panic!("no time: {text}") };
    // Days since 1970 of the civil calendar, by years that begin in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    (((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000 + millis
}
