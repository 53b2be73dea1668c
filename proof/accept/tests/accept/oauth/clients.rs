//! Apps before the token endpoint: how they show who they are, their challenges, and what ends with a secret or an app.

use super::{
    OWNER, app, base64, call, code, code_in, encoded, error_of, grant, post, refresh, server, text,
    token_request, tokens, with_client,
};
use buttonwood_accept::{Answer, Browser, Exchange, Value, json};

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: [(&str, &str); 2] =
    [("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), ("code_challenge_method", "S256")];

/// A form to the token endpoint with these header fields.
fn form(x: &Exchange, headers: &[(&str, &str)], pairs: &[(&str, &str)]) -> Answer {
    let mut all = vec![("Content-Type", "application/x-www-form-urlencoded")];
    all.extend(headers);
    x.anyone().send("POST", "/auth/token", &all, encoded(pairs).as_bytes())
}

/// An app that a browser's user registers.
#[track_caller]
fn register(browser: &Browser<'_>) -> Value {
    let uri = "https://lens.example/cb";
    let new = json!({ "name": "Lens", "scopes": ["balances:read"], "redirect_uris": [uri], "public": false });
    let mut made = browser.post("/site/apps", &new).ok();
    made["redirect_uris"] = json!([uri]);
    made
}

/// A confidential client that sent a challenge must show its verifier too, and a refused one leaves the code usable.
#[test]
fn a_challenge_binds_a_confidential_client() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let new = code(&x, &app, &CHALLENGE, &["balances:read"]);
    let other = VERIFIER.replace('d', "e");
    assert_eq!(error_of(&tokens::redeem(&x, &app, &new, &[]), 400), "invalid_grant");
    let wrong = tokens::redeem(&x, &app, &new, &[("code_verifier", &other)]);
    assert_eq!(error_of(&wrong, 400), "invalid_grant");
    tokens::redeem(&x, &app, &new, &[("code_verifier", VERIFIER)]).ok();
}

/// A client that fails by HTTP Basic is challenged for it, one that fails in the body is not. Proves OAUTH-008.
#[test]
fn basic_is_challenged() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let (id, secret) = (text(&app, "client_id"), text(&app, "client_secret"));
    let token = text(&grant(&x, "app", OWNER, &["balances:read"]), "refresh_token");
    let pairs = [("grant_type", "refresh_token"), ("refresh_token", token.as_str())];
    let basic = |user: &str| {
        let field = format!("Basic {}", base64(user.as_bytes()));
        form(&x, &[("Authorization", &field)], &pairs)
    };
    let none = "00000000-0000-4000-8000-000000000000";
    for user in [
        format!("{id}:wrong"),
        format!("{id}:"),
        format!("{none}:{secret}"),
        format!(":{secret}"),
        id.clone(),
    ] {
        let answer = basic(&user);
        assert_eq!(error_of(&answer, 401), "invalid_client", "{user}");
        let challenge = answer.reply.header("www-authenticate").unwrap_or_default();
        assert!(challenge.starts_with("Basic"), "{answer}");
    }
    for field in ["Basic", "Basic ?", "Bearer x", &format!("Basic {}", base64(b"\xff\xfe:x"))] {
        let answer = form(&x, &[("Authorization", field)], &pairs);
        assert_eq!(error_of(&answer, 401), "invalid_client", "{field}");
    }
    let mut in_body = pairs.to_vec();
    in_body.extend([("client_id", id.as_str()), ("client_secret", "wrong")]);
    let answer = form(&x, &[], &in_body);
    assert_eq!(error_of(&answer, 401), "invalid_client");
    assert_eq!(answer.reply.header("www-authenticate"), None, "{answer}");
    basic(&format!("{id}:{secret}")).ok();
}

/// A refresh needs the secret of its client as a code does, uses nothing up without it, and is no other client's. Proves OAUTH-013.
#[test]
fn a_refresh_needs_the_secret() {
    let x = Exchange::start();
    let [app, narrow, native] = ["app", "narrow", "native"].map(|name| app(&x, name));
    let token = text(&grant(&x, "app", OWNER, &["balances:read"]), "refresh_token");
    let fields = json!({ "grant_type": "refresh_token", "refresh_token": token });
    for secret in [json!("wrong"), json!(""), Value::Null, narrow["client_secret"].clone()] {
        let mut body = with_client(&app, fields.clone());
        body["client_secret"] = secret;
        assert_eq!(error_of(&server(&x, "/auth/token", &body), 401), "invalid_client", "{body}");
    }
    for other in [&narrow, &native] {
        assert_eq!(error_of(&refresh(&x, other, &token), 400), "invalid_grant");
    }
    let mut shown = with_client(&native, fields);
    shown["client_secret"] = app["client_secret"].clone();
    assert_eq!(error_of(&server(&x, "/auth/token", &shown), 401), "invalid_client");
    refresh(&x, &app, &token).ok();
}

/// Nothing between commas and blanks is skipped, but there must be a scope, at a consent and at a refresh. Proves OAUTH-004 (part).
#[test]
fn an_empty_scope_is_refused() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let token = text(&grant(&x, "app", OWNER, &["balances:read", "orders:read"]), "refresh_token");
    let id = text(&app, "client_id");
    for scope in [",", ", ", "\t"] {
        let fields = json!({ "grant_type": "refresh_token", "refresh_token": token, "scope": scope });
        assert_eq!(error_of(&token_request(&x, &app, fields), 400), "invalid_scope", "{scope}");
        let query = encoded(&[
            ("client_id", &id),
            ("redirect_uri", "https://app.example/callback"),
            ("response_type", "code"),
            ("scope", scope),
            ("state", "s"),
        ]);
        let answer = x.get(&format!("/auth?{query}"));
        assert_eq!(super::redirected(&answer, "error").as_deref(), Some("invalid_scope"), "{scope} {answer}");
    }
    refresh(&x, &app, &token).ok();
}

/// Commas with blanks beside them part scopes, as developers write lists (D-295).
#[test]
fn scopes_are_parted_by_commas_and_blanks_together() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let mut token = text(&grant(&x, "app", OWNER, &["balances:read", "orders:read"]), "refresh_token");
    for scope in [
        "balances:read, orders:read",
        ",balances:read  orders:read,",
        "orders:read ,balances:read",
        "balances:read\torders:read",
    ] {
        let fields = json!({ "grant_type": "refresh_token", "refresh_token": token, "scope": scope });
        let answer = token_request(&x, &app, fields).ok();
        assert_eq!(answer["scope"], "balances:read,orders:read", "{scope}");
        token = text(&answer, "refresh_token");
    }
}

/// A scope whose role the user lacks is not granted; where none is left, nothing is.
#[test]
fn a_scope_needs_its_role() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let trader = Browser::of(&x, "trader@one.test");
    let both = ["orders:create", "crypto:send"];
    let granted = tokens::redeem(&x, &app, &code_in(&trader, &app, &[], &both), &[]).ok();
    assert_eq!(granted["scope"], "orders:create");
    let token = text(&granted, "access_token");
    let order =
        json!({ "symbol": "btcusd", "amount": "1", "price": "10", "side": "buy", "type": "exchange limit" });
    call(&x, &token, "POST", "/v1/order/new", &order).ok();
    call(&x, &token, "POST", "/v1/withdraw/btc", &json!({ "address": "x", "amount": "1" }))
        .refused(403, "MissingRole");
    let query = encoded(&[
        ("client_id", &text(&app, "client_id")),
        ("redirect_uri", "https://app.example/callback"),
        ("response_type", "code"),
        ("scope", "crypto:send"),
        ("state", "s"),
    ]);
    let page = trader.get(&format!("/auth?{query}"));
    let fields = [("account", "primary"), ("decision", "allow"), ("scope", "crypto:send")];
    let answer = super::decide(&trader, &page, &fields, None);
    assert_eq!(super::redirected(&answer, "code"), None, "{answer}");
    assert!(answer.status() < 500, "{answer}");
}

/// A used code and a consumed refresh token stay used over a kill, and end what they ended before it. Proves OAUTH-010, OAUTH-015.
#[test]
fn what_is_used_stays_used() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let used = code(&x, &app, &[], &["balances:read"]);
    let by_code = text(&tokens::redeem(&x, &app, &used, &[]).ok(), "access_token");
    let first = text(&grant(&x, "app", OWNER, &["balances:read"]), "refresh_token");
    let second = refresh(&x, &app, &first).ok();
    let open = code(&x, &app, &[], &["balances:read"]);
    x.kill9();
    x.restart();
    assert_eq!(error_of(&refresh(&x, &app, &first), 400), "invalid_grant");
    let access = text(&second, "access_token");
    for token in [&by_code, &access] {
        post(&x, token, "/v1/balances").ok();
    }
    x.advance(11);
    assert_eq!(error_of(&refresh(&x, &app, &first), 400), "invalid_grant");
    assert_eq!(error_of(&tokens::redeem(&x, &app, &used, &[]), 400), "invalid_grant");
    x.kill9();
    x.restart();
    for token in [&by_code, &access] {
        post(&x, token, "/v1/balances").refused(401, "InvalidAccessToken");
    }
    assert_eq!(error_of(&refresh(&x, &app, &text(&second, "refresh_token")), 400), "invalid_grant");
    tokens::redeem(&x, &app, &open, &[]).ok();
}

/// A new secret ends the old one, and no token. Deleting the app ends its tokens, families and codes, also after a kill.
#[test]
fn secrets_and_apps_end() {
    let x = Exchange::start();
    let browser = Browser::of(&x, OWNER);
    let before = register(&browser);
    let redeem = |app: &Value, code: &str| tokens::redeem(&x, app, code, &[]);
    let granted = redeem(&before, &code_in(&browser, &before, &[], &["balances:read"])).ok();
    let open = code_in(&browser, &before, &[], &["balances:read"]);
    let renewed = browser.post("/site/apps/secret", &json!({ "client_id": before["client_id"] })).ok();
    let mut after = before.clone();
    after["client_secret"] = renewed["client_secret"].clone();
    let token = text(&granted, "refresh_token");
    assert_eq!(error_of(&refresh(&x, &before, &token), 401), "invalid_client");
    assert_eq!(error_of(&redeem(&before, &open), 401), "invalid_client");
    post(&x, &text(&granted, "access_token"), "/v1/balances").ok();
    let next = refresh(&x, &after, &token).ok();
    browser.post("/site/apps/delete", &json!({ "client_id": before["client_id"] })).ok();
    for _ in 0..2 {
        for tokens in [&granted, &next] {
            post(&x, &text(tokens, "access_token"), "/v1/balances").refused(401, "InvalidAccessToken");
        }
        assert_eq!(error_of(&refresh(&x, &after, &text(&next, "refresh_token")), 401), "invalid_client");
        assert_eq!(error_of(&redeem(&after, &open), 401), "invalid_client");
        x.kill9();
        x.restart();
    }
    assert_eq!(Browser::of(&x, OWNER).get("/site/grants").ok(), json!([]));
}
