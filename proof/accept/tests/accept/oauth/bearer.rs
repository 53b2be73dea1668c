//! Calls with an access token.

use super::{OWNER, app, call, grant, post, refresh, text};
use buttonwood_accept::{Browser, Exchange, Value, json};

const ALL: [&str; 13] = [
    "addresses:read",
    "addresses:create",
    "balances:read",
    "banks:create",
    "banks:read",
    "payments:create",
    "clearing:create",
    "clearing:read",
    "crypto:send",
    "history:read",
    "orders:create",
    "orders:read",
    "account:read",
];

/// The endpoints of each scope.
const TABLE: [(&str, &[(&str, &str)]); 13] = [
    (
        "addresses:read",
        &[("POST", "/v1/addresses/bitcoin"), ("POST", "/v1/approvedAddresses/account/bitcoin")],
    ),
    (
        "addresses:create",
        &[
            ("POST", "/v1/addresses/bitcoin"),
            ("POST", "/v1/deposit/bitcoin/newAddress"),
            ("POST", "/v1/approvedAddresses/bitcoin/request"),
            ("POST", "/v1/approvedAddresses/bitcoin/remove"),
        ],
    ),
    (
        "balances:read",
        &[
            ("POST", "/v1/balances"),
            ("POST", "/v1/notionalbalances/usd"),
            ("POST", "/v1/margin/account"),
            ("POST", "/v1/margin/rates"),
        ],
    ),
    (
        "banks:create",
        &[
            ("POST", "/v1/payments/addbank"),
            ("POST", "/v1/payments/addbank/cad"),
            ("POST", "/v1/payments/methods"),
        ],
    ),
    ("banks:read", &[("POST", "/v1/payments/methods")]),
    ("payments:create", &[("POST", "/v1/payments/sen/withdraw")]),
    (
        "clearing:create",
        &[
            ("POST", "/v1/clearing/new"),
            ("POST", "/v1/clearing/cancel"),
            ("POST", "/v1/clearing/confirm"),
            ("POST", "/v1/clearing/broker/new"),
        ],
    ),
    (
        "clearing:read",
        &[
            ("POST", "/v1/clearing/status"),
            ("POST", "/v1/clearing/list"),
            ("POST", "/v1/clearing/broker/list"),
            ("POST", "/v1/clearing/trades"),
        ],
    ),
    ("crypto:send", &[("POST", "/v1/withdraw/btc"), ("POST", "/v2/withdraw/bitcoin/btc")]),
    (
        "history:read",
        &[
            ("POST", "/v1/mytrades"),
            ("POST", "/v1/orders/history"),
            ("POST", "/v1/notionalvolume"),
            ("POST", "/v1/tradevolume"),
            ("POST", "/v1/transfers"),
            ("POST", "/v2/transfers"),
            ("POST", "/v1/custodyaccountfees"),
            ("POST", "/v1/transactions"),
        ],
    ),
    (
        "orders:create",
        &[
            ("POST", "/v1/order/new"),
            ("POST", "/v1/order/cancel"),
            ("POST", "/v1/order/cancel/session"),
            ("POST", "/v1/order/cancel/all"),
            ("POST", "/v1/wrap/btcusd"),
            ("POST", "/v1/instant/quote"),
            ("POST", "/v1/instant/quote/buy/btcusd"),
            ("POST", "/v1/instant/execute"),
            ("POST", "/v1/prediction-markets/order"),
            ("POST", "/v1/prediction-markets/order/cancel"),
        ],
    ),
    (
        "orders:read",
        &[
            ("POST", "/v1/order/status"),
            ("POST", "/v1/orders"),
            ("POST", "/v1/margin"),
            ("POST", "/v1/margin/order/preview"),
            ("POST", "/v1/perpetuals/fundingPayment"),
            ("POST", "/v1/perpetuals/fundingpaymentreport/records.json"),
            ("GET", "/v1/perpetuals/fundingpaymentreport/records.xlsx"),
            ("POST", "/v1/positions"),
            ("POST", "/v1/prediction-markets/positions"),
        ],
    ),
    ("account:read", &[("POST", "/v1/account"), ("POST", "/v1/account/list")]),
];

/// A token with the scope of an endpoint passes the check of scopes there, and one with all others does not: the refusal names the scopes
/// needed and held. Proves OAUTH-026, OAUTH-027, OAUTH-028, OAUTH-029, OAUTH-030, OAUTH-031, OAUTH-032, OAUTH-033, OAUTH-034,
/// OAUTH-035, OAUTH-036, OAUTH-037, OAUTH-038, OAUTH-039.
#[test]
fn each_scope_opens_its_endpoints() {
    let x = Exchange::start();
    for (scope, endpoints) in TABLE {
        let one = text(&grant(&x, "app", OWNER, &[scope]), "access_token");
        // Payment methods and addresses are read by two scopes.
        let (kind, _) = scope.split_once(':').unwrap();
        let is_shared = |other: &str| ["banks", "addresses"].contains(&kind) && other.starts_with(kind);
        let is_other = |other: &&str| *other != scope && !is_shared(other);
        let others: Vec<&str> = ALL.into_iter().filter(is_other).collect();
        let rest = text(&grant(&x, "app", OWNER, &others), "access_token");
        for (method, path) in endpoints {
            let answer = call(&x, &one, method, path, &json!({}));
            let words = ["of the scopes", "EndpointNotFound"];
            let is_refused = answer.status() == 401 || words.iter().any(|w| answer.reply.text().contains(w));
            assert!(!is_refused, "{scope} {answer}");
            let refusal = call(&x, &rest, method, path, &json!({}));
            assert_eq!(refusal.status(), 403, "{scope} {refusal}");
            let message = text(&refusal.json(), "message");
            let needed = message.split("scopes [").nth(1).unwrap_or_default();
            assert!(needed.split(']').next().unwrap().contains(scope), "{message}");
            assert!(message.contains(others[0]) && message.contains(others[others.len() - 1]), "{message}");
        }
    }
}

/// Endpoints without a scope take no token, but for the one that shows what the caller may do. Proves OAUTH-040.
#[test]
fn endpoints_without_a_scope_refuse_tokens() {
    let x = Exchange::start();
    let token = text(&grant(&x, "app", OWNER, &ALL), "access_token");
    for (method, path) in [
        ("POST", "/v1/heartbeat"),
        ("POST", "/v1/staking/stake"),
        ("POST", "/v1/staking/unstake"),
        ("POST", "/v1/account/create"),
        ("POST", "/v1/account/rename"),
        ("POST", "/v1/account/transfer/btc"),
        ("POST", "/v2/withdraw/bitcoin/btc/feeEstimate"),
        ("GET", "/v2/fxrate/eurusd/1594651859000"),
    ] {
        let answer = call(&x, &token, method, path, &json!({}));
        answer.refused(403, "MissingRole");
    }
    assert_eq!(post(&x, &token, "/v1/roles").ok()["isTrader"], json!(true));
}

/// A call needs the payload header and the path, and no nonce. A token that is dead, unknown, malformed or one for refreshes is refused.
/// Proves OAUTH-020, OAUTH-021, AUTH-012.
#[test]
fn calls_are_checked() {
    let x = Exchange::start();
    let tokens = grant(&x, "app", OWNER, &["balances:read"]);
    let (token, refresh) = (text(&tokens, "access_token"), text(&tokens, "refresh_token"));
    post(&x, &token, "/v1/balances").ok();
    call(&x, &token, "POST", "/v1/balances", &json!({ "nonce": "nonsense" })).ok();
    let payload = super::base64(br#"{"request":"/v1/balances"}"#);
    let send = |headers: &[(&str, &str)]| x.anyone().send("POST", "/v1/balances", headers, b"");
    let bearer = format!("Bearer {token}");
    for scheme in ["bearer", "BEARER"] {
        send(&[("Authorization", &format!("{scheme} {token}")), ("X-SVC-PAYLOAD", &payload)]).ok();
    }
    send(&[("Authorization", &bearer)]).refused(400, "MissingPayloadHeader");
    let with = |payload: &str| send(&[("Authorization", &bearer), ("X-SVC-PAYLOAD", payload)]);
    with(&super::base64(b"[]")).refused(400, "InvalidJson");
    with(&super::base64(br#"{"request":"/v1/orders"}"#)).refused(400, "EndpointMismatch");
    with(&super::base64(b"{}")).refused(400, "EndpointMismatch");
    send(&[("Authorization", &bearer), ("X-SVC-PAYLOAD", &payload), ("X-SVC-APIKEY", "account-x")])
        .refused(400, "AmbiguousAuthentication");
    send(&[("Authorization", &bearer), ("Authorization", &bearer), ("X-SVC-PAYLOAD", &payload)])
        .refused(400, "AmbiguousAuthentication");
    for dead in [refresh.as_str(), "x", "", &"A".repeat(43), &format!("{token}="), &format!("{token} ")[1..]]
    {
        let answer = post(&x, dead, "/v1/balances");
        answer.refused(401, "InvalidAccessToken");
        assert_eq!(answer.reply.header("www-authenticate"), Some("Bearer"), "{answer}");
    }
    let path = format!("/v1/balances?access_token={token}");
    x.anyone().send("POST", &path, &[("X-SVC-PAYLOAD", &payload)], b"").refused(400, "MissingApikeyHeader");
}

/// A token acts on the account that granted it, which the payload may name and no other. Proves OAUTH-023.
#[test]
fn a_token_acts_on_its_account() {
    let x = Exchange::start();
    let token = text(&grant(&x, "app", OWNER, &["balances:read"]), "access_token");
    call(&x, &token, "POST", "/v1/balances", &json!({ "account": "primary" })).ok();
    for other in ["savings", "none"] {
        let answer = call(&x, &token, "POST", "/v1/balances", &json!({ "account": other }));
        answer.refused(400, "AccountsOnGroupOnlyApi");
    }
}

/// The lists of a group show a token its own account alone, whatever its user may see. Proves OAUTH-023, OAUTH-036.
#[test]
fn lists_of_the_group_show_the_tokens_account() {
    let x = Exchange::start();
    let token = text(&grant(&x, "app", OWNER, &["account:read", "history:read"]), "access_token");
    let order = json!({ "symbol": "btcusd", "amount": "0.1", "price": "50000", "side": "sell", "type": "exchange limit" });
    x.as_("trader").call("/v1/order/new", order.clone()).ok();
    let mut buying = order;
    buying["side"] = json!("buy");
    x.as_("savings-trader").call("/v1/order/new", buying).ok();
    let master = x.as_("master");
    let all = master.call("/v1/account/list", json!({})).ok();
    let rows = |list: &Value| list.as_array().expect("an array").clone();
    let own: Vec<Value> = rows(&all).into_iter().filter(|row| row["account"] == "primary").collect();
    assert!(own.len() == 1 && rows(&all).len() > 1, "{all}");
    assert_eq!(post(&x, &token, "/v1/account/list").ok(), json!(own));
    let all = rows(&master.call("/v1/transactions", json!({})).ok()["results"]);
    let of_primary =
        |row: &&Value| [&row["account"], &row["source"], &row["destination"]].contains(&&json!("primary"));
    let own: Vec<Value> = all.iter().filter(of_primary).cloned().collect();
    assert!(own.iter().any(|row| row["type"] == "trade") && own.len() < all.len(), "{all:?}");
    let mut pages = Vec::new();
    let mut asked = json!({ "limit": 1 });
    loop {
        let page = call(&x, &token, "POST", "/v1/transactions", &asked).ok();
        pages.extend(rows(&page["results"]));
        if page["continuationToken"].is_null() {
            break;
        }
        asked["continuation_token"] = page["continuationToken"].clone();
    }
    assert_eq!(pages, own);
    for path in ["/v1/account/list", "/v1/transactions"] {
        call(&x, &token, "POST", path, &json!({ "account": "primary" })).ok();
        let answer = call(&x, &token, "POST", path, &json!({ "account": "savings" }));
        answer.refused(400, "AccountsOnGroupOnlyApi");
        x.as_("trader").call(path, json!({})).refused(403, "MissingRole");
    }
}

/// A token does no more than its user may now, and ends with the user for good. Proves INV-AUTH-1 for roles.
#[test]
fn a_token_follows_the_roles_of_its_user() {
    let x = Exchange::start();
    let made = |roles: &[&str], disabled: bool| {
        let body = json!({ "email": "eve@one.test", "password": "seven green turtles sing", "group": "one",
            "roles": roles, "disabled": disabled });
        x.control("/sandbox/users", &body).ok();
    };
    made(&["Trader", "Fund Manager"], false);
    let token = text(&grant(&x, "app", "eve@one.test", &["orders:create", "balances:read"]), "access_token");
    let order =
        json!({ "symbol": "btcusd", "amount": "1", "price": "10", "side": "buy", "type": "exchange limit" });
    let place = || call(&x, &token, "POST", "/v1/order/new", &order);
    place().ok();
    made(&["Auditor"], false);
    place().refused(403, "MissingRole");
    post(&x, &token, "/v1/balances").ok();
    made(&["Trader"], false);
    place().ok();
    made(&["Trader"], true);
    place().refused(401, "InvalidAccessToken");
    made(&["Trader"], false);
    place().refused(401, "InvalidAccessToken");
}

/// Each grant is a session of its own: `cancel/session` takes its own orders alone.
#[test]
fn a_grant_is_a_session() {
    let x = Exchange::start();
    let both = ["orders:create", "orders:read"];
    let tokens = [grant(&x, "app", OWNER, &both), grant(&x, "app", OWNER, &both)];
    let tokens = tokens.map(|tokens| text(&tokens, "access_token"));
    let order =
        json!({ "symbol": "btcusd", "amount": "1", "price": "10", "side": "buy", "type": "exchange limit" });
    for token in &tokens {
        call(&x, token, "POST", "/v1/order/new", &order).ok();
    }
    x.as_("trader").call("/v1/order/new", order.clone()).ok();
    let cancelled = post(&x, &tokens[0], "/v1/order/cancel/session").ok();
    assert_eq!(cancelled["details"]["cancelledOrders"].as_array().unwrap().len(), 1, "{cancelled}");
    assert_eq!(post(&x, &tokens[1], "/v1/orders").ok().as_array().unwrap().len(), 2);
    let browser = Browser::of(&x, OWNER);
    let mut by_page = order;
    by_page["request"] = json!("/v1/order/new");
    browser.post("/site/call", &by_page).ok();
    let cancelled = browser.post("/site/call", &json!({ "request": "/v1/order/cancel/session" })).ok();
    assert_eq!(cancelled["details"]["cancelledOrders"].as_array().unwrap().len(), 1, "{cancelled}");
    assert_eq!(post(&x, &tokens[1], "/v1/orders").ok().as_array().unwrap().len(), 2);
}

/// A token lives for 24 hours and outlives a kill; its refresh token lives on. Proves OAUTH-016, OAUTH-022.
#[test]
fn a_token_lives_for_a_day() {
    let x = Exchange::start();
    let tokens = grant(&x, "app", OWNER, &["balances:read"]);
    let token = text(&tokens, "access_token");
    x.advance(86_399);
    post(&x, &token, "/v1/balances").ok();
    x.kill9();
    let x = Exchange::builder().start_in(x.data());
    post(&x, &token, "/v1/balances").ok();
    x.advance(1);
    post(&x, &token, "/v1/balances").refused(401, "InvalidAccessToken");
    x.advance(400 * 86_400);
    let next = refresh(&x, &app(&x, "app"), &text(&tokens, "refresh_token")).ok();
    post(&x, &text(&next, "access_token"), "/v1/balances").ok();
}

/// A token ends all that its app has of its user and account, and nothing else, also after a restart. Keys and browsers may not. Proves
/// OAUTH-024, OAUTH-025.
#[test]
fn a_token_revokes_its_app() {
    const PATH: &str = "/v1/oauth/revokeByToken";
    let x = Exchange::start();
    let scopes = ["balances:read"];
    let [first, second] = [grant(&x, "app", OWNER, &scopes), grant(&x, "app", OWNER, &scopes)];
    let stay = [grant(&x, "narrow", OWNER, &scopes), grant(&x, "app", "owner@two.test", &scopes)];
    let app = app(&x, "app");
    let code = super::code(&x, &app, &[], &scopes);
    let token = text(&first, "access_token");
    let message = text(&post(&x, &token, PATH).ok(), "message");
    assert!(message.contains(&text(&app, "client_id")), "{message}");
    post(&x, &token, PATH).refused(401, "InvalidAccessToken");
    x.kill9();
    let x = Exchange::builder().start_in(x.data());
    for ended in [&first, &second] {
        post(&x, &text(ended, "access_token"), "/v1/balances").refused(401, "InvalidAccessToken");
        let answer = refresh(&x, &app, &text(ended, "refresh_token"));
        assert_eq!(super::error_of(&answer, 400), "invalid_grant");
    }
    let redeemed = super::tokens::redeem(&x, &app, &code, &[]);
    assert_eq!(super::error_of(&redeemed, 400), "invalid_grant");
    for stays in &stay {
        post(&x, &text(stays, "access_token"), "/v1/balances").ok();
    }
    x.as_("trader").call(PATH, json!({})).refused(403, "MissingRole");
    Browser::of(&x, OWNER).post("/site/call", &json!({ "request": PATH })).refused(403, "MissingRole");
}
