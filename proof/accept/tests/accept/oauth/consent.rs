//! The authorization endpoint: what is refused before a user is asked, the consent page, and its answers.

use super::{OWNER, app, call, decide, encoded, error_of, redirected, text, tokens};
use buttonwood_accept::{Answer, Browser, Exchange, Value, json};

const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// A request for the consent of the browser's user.
fn ask(browser: &Browser<'_>, pairs: &[(&str, &str)]) -> Answer {
    browser.get(&format!("/auth?{}", encoded(pairs)))
}

/// The right request of an app, with one parameter put, added (`+`) or taken away.
fn asked<'a>(app: &'a Value, id: &'a str, change: (&'a str, Option<&'a str>)) -> Vec<(&'a str, &'a str)> {
    let uri = app["redirect_uris"][0].as_str().unwrap();
    let mut pairs = vec![
        ("client_id", id),
        ("redirect_uri", uri),
        ("response_type", "code"),
        ("scope", "balances:read"),
        ("state", "s t&=%\u{e9}"),
    ];
    if app["public"] == json!(true) {
        pairs.extend([("code_challenge", CHALLENGE), ("code_challenge_method", "S256")]);
    }
    match (change.0.strip_prefix('+'), change.1) {
        (Some(name), Some(value)) => pairs.push((name, value)),
        (None, Some(value)) if pairs.iter().any(|(name, _)| *name == change.0) => {
            pairs.iter_mut().filter(|(name, _)| *name == change.0).for_each(|pair| pair.1 = value);
        }
        (None, Some(value)) => pairs.push((change.0, value)),
        (_, None) => pairs.retain(|(name, _)| *name != change.0),
    }
    pairs
}

/// An unknown app, or an address that the app has not registered, gets a page and no redirect. Proves OAUTH-003.
#[test]
fn unknown_apps_and_addresses_are_no_redirect() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let id = text(&app, "client_id");
    let browser = Browser::of(&x, OWNER);
    for change in [
        ("client_id", None),
        ("client_id", Some("x")),
        ("client_id", Some("00000000-0000-4000-8000-000000000000")),
        ("+client_id", Some(id.as_str())),
        ("redirect_uri", None),
        ("redirect_uri", Some("https://app.example/callback/")),
        ("redirect_uri", Some("https://app.example/callbac")),
        ("redirect_uri", Some("https://app.example/callback?a=1")),
        ("redirect_uri", Some("https://APP.example/callback")),
        ("redirect_uri", Some("https://app.example:443/callback")),
        ("redirect_uri", Some("https://app.example/x/../callback")),
        ("redirect_uri", Some("https://app.example@evil.example/callback")),
        ("redirect_uri", Some("https://app.example/callback#x")),
        ("redirect_uri", Some("http://127.0.0.1:1/callback")),
        ("redirect_uri", Some("http://localhost:8787/callback")),
    ] {
        let answer = ask(&browser, &asked(&app, &id, change));
        assert_eq!(answer.status(), 400, "{change:?} {answer}");
        assert!(answer.reply.header("location").is_none(), "{change:?}");
        assert!(answer.reply.header("content-type").unwrap().starts_with("text/html"), "{change:?}");
    }
}

/// Other errors go back to the app with the unchanged state, before anyone signs in. Proves OAUTH-004, OAUTH-018,
/// OAUTH-006 (part).
#[test]
fn errors_go_back_to_the_app() {
    let x = Exchange::start();
    let stranger = Browser::new(&x);
    let check = |name: &str, change: (&str, Option<&str>), error: &str| {
        let app = app(&x, name);
        let id = text(&app, "client_id");
        let answer = ask(&stranger, &asked(&app, &id, change));
        assert_eq!(answer.status(), 303, "{change:?} {answer}");
        assert_eq!(redirected(&answer, "error").as_deref(), Some(error), "{change:?} {answer}");
        assert!(redirected(&answer, "iss").is_some(), "{answer}");
        let state = redirected(&answer, "state");
        assert_eq!(state.is_some(), change.0 != "state", "{answer}");
    };
    for scope in [Some(""), None, Some("orders"), Some("orders:read"), Some(" , "), Some("balances:read,,x")]
    {
        check("narrow", ("scope", scope), "invalid_scope");
    }
    check("app", ("response_type", Some("id_token")), "unsupported_response_type");
    check("app", ("response_type", Some("token")), "unauthorized_client");
    check("app", ("response_type", None), "invalid_request");
    check("app", ("+response_type", Some("code")), "invalid_request");
    for change in [
        ("state", None),
        ("code_challenge", None),
        ("code_challenge_method", None),
        ("code_challenge_method", Some("plain")),
        ("code_challenge", Some("short")),
        ("code_challenge", Some("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c+")),
    ] {
        check("native", change, "invalid_request");
    }
}

/// A page of `/auth` has the frame of the site, in the theme of its user, and files that are there; a browser must not translate it.
#[track_caller]
fn is_framed(x: &Exchange, text: &str) {
    for part in [
        "<html lang=\"en\" translate=\"no\"",
        "<meta name=\"google\" content=\"notranslate\">",
        "<header class=\"top\">",
        "<a href=\"/account\">Account</a>",
        "<main id=\"main\" tabindex=\"-1\">",
        "/site/base.css",
        "/site/auth.css",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for part in ["<script", "<style", " style=", "javascript:"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
    for file in text.split('"').filter(|word| word.starts_with("/site/") && word.contains('.')) {
        assert_eq!(x.get(file).status(), 200, "{file}");
    }
}

/// Every page of an error has the frame too, and lets no form be sent; the theme is the one that the user chose, or else the system's.
#[test]
fn errors_and_themes_are_those_of_the_site() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let id = text(&app, "client_id");
    let browser = Browser::of(&x, OWNER);
    let operator = Browser::of(&x, "operator@house.test");
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    for (status, page) in [
        (400, browser.get("/auth?client_id=x")),
        (403, ask(&operator, &asked(&app, &id, ("x", Some("1"))))),
        (400, browser.send("POST", "/auth", &form, b"decision=allow")),
        (405, browser.send("PUT", "/auth", &[], b"")),
    ] {
        assert_eq!(page.status(), status, "{page}");
        let policy = page.reply.header("content-security-policy").unwrap_or_default();
        for part in ["default-src 'none'", "form-action 'none'", "frame-ancestors 'none'"] {
            assert!(policy.contains(part), "{policy}");
        }
        is_framed(&x, &page.reply.text());
    }
    let consent = || ask(&browser, &asked(&app, &id, ("x", Some("1")))).reply.text();
    assert!(consent().contains("data-theme=\"system\" data-palette=\"standard\""));
    let chosen = json!({ "value": { "theme": "dark", "palette": "blind", "zone": "utc" } });
    browser.post("/site/preferences", &chosen).ok();
    assert!(consent().contains("data-theme=\"dark\" data-palette=\"blind\" data-density=\"normal\""));
    let odd = json!({ "value": { "theme": "\"><b>" } });
    x.advance(60);
    browser.post("/site/preferences", &odd).ok();
    assert!(!consent().contains("<b>"));
}

/// A user who is not signed in is sent to the sign-in and back. Consent is always asked, by a page that runs nothing.
#[test]
fn a_consent_is_a_page() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let id = text(&app, "client_id");
    let pairs = asked(&app, &id, ("x", Some("1")));
    let answer = ask(&Browser::new(&x), &pairs);
    let location = answer.reply.header("location").unwrap_or_default().to_string();
    assert!(answer.status() == 303 && location.starts_with("/signin?next="), "{answer}");
    let browser = Browser::of(&x, OWNER);
    for _ in 0..2 {
        let page = ask(&browser, &pairs);
        assert_eq!(page.status(), 200, "{page}");
        let header = |name: &str| page.reply.header(name).unwrap_or_default().to_string();
        let policy = header("content-security-policy");
        for part in [
            "default-src 'none'",
            "style-src 'self'; img-src 'self'",
            "frame-ancestors 'none'",
            "form-action 'self' https://app.example",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert_eq!([header("x-frame-options"), header("cache-control")], ["DENY", "no-store"]);
        assert_eq!(header("referrer-policy"), "same-origin");
        let text = page.reply.text();
        assert!(
            !text.contains("<script") && text.contains("app") && text.contains("balances:read"),
            "{text}"
        );
        assert_eq!(text.matches("<form").count(), 1);
        is_framed(&x, &text);
    }
    let operator = ask(&Browser::of(&x, "operator@house.test"), &pairs);
    assert_eq!(operator.status(), 403, "{operator}");
}

/// The answer of the user goes to the app: a code, or the refusal; state and issuer are there. The form is bound to the session. Proves
/// OAUTH-002, OAUTH-005.
#[test]
fn the_user_decides() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let id = text(&app, "client_id");
    let browser = Browser::of(&x, OWNER);
    let pairs = asked(&app, &id, ("scope", Some("balances:read orders:read")));
    let page = ask(&browser, &pairs);
    let allow = [("account", "savings"), ("decision", "allow"), ("scope", "orders:read")];
    for origin in ["https://evil.example", "null"] {
        assert_eq!(decide(&browser, &page, &allow, Some(origin)).status(), 403);
    }
    let other = Browser::of(&x, "owner@two.test");
    for answer in [
        decide(
            &other,
            &page,
            &[("account", "primary"), ("decision", "allow"), ("scope", "orders:read")],
            None,
        ),
        decide(
            &browser,
            &page,
            &[("account", "none"), ("decision", "allow"), ("scope", "orders:read")],
            None,
        ),
        browser.send(
            "POST",
            "/auth",
            &[("Content-Type", "application/x-www-form-urlencoded")],
            b"decision=allow",
        ),
    ] {
        assert_eq!(answer.status(), 400, "{answer}");
        assert!(answer.reply.header("location").is_none(), "{answer}");
    }
    let state = "s%20t%26%3D%25%C3%A9";
    let denied = decide(&browser, &page, &[("account", "savings"), ("decision", "deny")], None);
    assert_eq!(redirected(&denied, "error").as_deref(), Some("access_denied"), "{denied}");
    let allowed = decide(&browser, &page, &allow, Some(&x.base_url()));
    for answer in [&denied, &allowed] {
        assert_eq!(answer.status(), 303, "{answer}");
        let location = answer.reply.header("location").unwrap().to_string();
        assert!(location.starts_with("https://app.example/callback?"), "{location}");
        let decoded = redirected(answer, "state").unwrap().replace('+', "%20");
        assert_eq!(decoded, state, "{location}");
        assert!(redirected(answer, "iss").is_some(), "{location}");
    }
    let granted = tokens::redeem(&x, &app, &redirected(&allowed, "code").unwrap(), &[]).ok();
    assert_eq!(granted["scope"], json!("orders:read"));
    call(&x, &text(&granted, "access_token"), "POST", "/v1/orders", &json!({ "account": "savings" })).ok();
}

/// Scopes that move money need a code of the last five minutes.
#[test]
fn money_needs_a_new_code() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let id = text(&app, "client_id");
    let browser = Browser::of(&x, OWNER);
    let money = ["crypto:send", "payments:create", "clearing:create", "addresses:create", "banks:create"];
    let all = format!("balances:read {}", money.join(" "));
    let page = ask(&browser, &asked(&app, &id, ("scope", Some(&all))));
    let allow = |scope| {
        let fields = [("account", "primary"), ("decision", "allow"), ("scope", scope)];
        decide(&browser, &page, &fields, None)
    };
    x.advance(300);
    for scope in money {
        let answer = allow(scope);
        assert_eq!(answer.status(), 403, "{scope} {answer}");
        assert!(answer.reply.header("location").is_none(), "{scope} {answer}");
    }
    let read = allow("balances:read");
    assert!(redirected(&read, "code").is_some(), "{read}");
}

/// Where it is switched on, the implicit flow answers with a token in the fragment, and no refresh token. Proves OAUTH-006.
#[test]
fn the_implicit_flow_is_for_those_who_have_it() {
    let x = Exchange::start();
    let app = app(&x, "implicit");
    let id = text(&app, "client_id");
    let browser = Browser::of(&x, OWNER);
    let page = ask(&browser, &asked(&app, &id, ("response_type", Some("token"))));
    let answer = decide(
        &browser,
        &page,
        &[("account", "primary"), ("decision", "allow"), ("scope", "balances:read")],
        None,
    );
    let location = answer.reply.header("location").unwrap().to_string();
    assert!(location.starts_with("https://app.example/implicit#"), "{location}");
    assert_eq!(redirected(&answer, "token_type").as_deref(), Some("Bearer"));
    assert_eq!(redirected(&answer, "expires_in").as_deref(), Some("86400"));
    assert!(redirected(&answer, "state").is_some() && redirected(&answer, "scope").is_some());
    assert!(redirected(&answer, "refresh_token").is_none() && redirected(&answer, "code").is_none());
    let token = redirected(&answer, "access_token").unwrap();
    super::post(&x, &token, "/v1/balances").ok();
}

/// An app that no operator has reviewed acts for its owner alone. Proves OAUTH-001, SBX-008.
#[test]
fn an_unreviewed_app_is_its_owners() {
    let x = Exchange::start();
    let owner = Browser::of(&x, OWNER);
    let new = json!({ "name": "Lens", "description": "Reads.", "background": "#fff", "logo": "", "public": false,
        "scopes": ["balances:read"], "redirect_uris": ["https://lens.example/cb"] });
    let made = owner.post("/site/apps", &new).ok();
    let (id, secret) = (text(&made, "client_id"), text(&made, "client_secret"));
    let app = json!({ "client_id": id, "client_secret": secret, "redirect_uris": new["redirect_uris"] });
    let pairs = asked(&app, &id, ("x", Some("1")));
    let allow = [("account", "primary"), ("decision", "allow"), ("scope", "balances:read")];
    let page = ask(&owner, &pairs);
    let code = redirected(&decide(&owner, &page, &allow, None), "code").unwrap();
    tokens::redeem(&x, &app, &code, &[]).ok();
    let foreign = Browser::of(&x, "owner@two.test");
    let answer = ask(&foreign, &pairs);
    assert_eq!(redirected(&answer, "error").as_deref(), Some("unauthorized_client"), "{answer}");
    let operator = Browser::of(&x, "operator@house.test");
    operator.post("/site/operator/apps/review", &json!({ "client_id": id, "approved": true })).ok();
    let page = ask(&foreign, &pairs);
    let code = redirected(&decide(&foreign, &page, &allow, None), "code").unwrap();
    let granted = tokens::redeem(&x, &app, &code, &[]).ok();
    operator.post("/site/operator/apps/review", &json!({ "client_id": id, "approved": false })).ok();
    super::post(&x, &text(&granted, "access_token"), "/v1/balances").refused(401, "InvalidAccessToken");
    let answer = super::refresh(&x, &app, &text(&granted, "refresh_token"));
    assert_eq!(error_of(&answer, 400), "invalid_grant");
}
