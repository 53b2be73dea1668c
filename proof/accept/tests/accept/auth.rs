//! Signing, keys, roles and master keys: clauses AUTH and ACCT.

use std::time::Duration;

use buttonwood_accept::{
    Actor, Answer, Exchange, NewOrder, Signed, Value, dec, json, laws, private_folder, raw, same_keys,
    signature,
};

fn balances(actor: &Actor) -> Answer {
    actor.call("/v1/balances", json!({}))
}

/// A body or a query has no effect: the parameters come from the payload header (D-03). Proves AUTH-001, AUTH-002.
#[test]
fn bodies_are_ignored() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let path = "/v1/order/new";
    for body in ["", "{}", r#"{"amount":"7","symbol":"ethusd"}"#, "not json at all"] {
        let payload = trader.payload(path, NewOrder::limit("btcusd", "buy", "1", "100").params());
        let signed = trader.sign(payload.as_bytes());
        let mut headers = signed.headers();
        headers.retain(|(name, _)| name.starts_with("X-SVC-"));
        let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let order = trader.send("POST", path, &headers, body.as_bytes()).ok();
        assert_eq!((&order["symbol"], &order["original_amount"]), (&json!("btcusd"), &json!("1")), "{body}");
    }
    let signed =
        trader.sign(trader.payload(path, NewOrder::limit("btcusd", "buy", "1", "100").params()).as_bytes());
    let order = trader.call_signed(&format!("{path}?amount=7&symbol=ethusd"), &signed).ok();
    assert_eq!((&order["symbol"], &order["original_amount"]), (&json!("btcusd"), &json!("1")), "{order}");
    laws::check(&x);
}

/// The signature is over the Base64 text, in either hex case. Proves AUTH-003.
#[test]
fn signature_is_over_the_text() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let secret = x.key("trader").credentials.api_secret.clone();
    let lower = trader.sign(trader.payload("/v1/balances", json!({})).as_bytes());
    assert_eq!(lower.signature, signature(&secret, lower.payload.as_bytes()));
    trader.call_signed("/v1/balances", &lower).ok();
    let mut upper = trader.sign(trader.payload("/v1/balances", json!({})).as_bytes());
    upper.signature = upper.signature.to_uppercase();
    trader.call_signed("/v1/balances", &upper).ok();
}

/// Blanks and the order of keys do not matter. Proves AUTH-004.
#[test]
fn formatting_does_not_matter() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let nonce = || trader.client().next_nonce();
    for payload in [
        format!(r#"{{"nonce":{},"request":"/v1/balances"}}"#, nonce()),
        format!("{{\r\n\t\"request\" : \"/v1/balances\" ,\n \"nonce\"\t: {}  }}  \n", nonce()),
        format!(r#"{{"request":"\/v1\/balances","nonce":"{}"}}"#, nonce()),
        format!(r#"{{"r\u0065quest":"/v1/balances","nonce":{}}}"#, nonce()),
    ] {
        trader.call_payload("/v1/balances", payload.as_bytes()).ok();
    }
}

/// A signature of anything else is refused, and the message says so. Proves AUTH-005.
#[test]
fn wrong_signatures() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let secret = x.key("trader").credentials.api_secret.clone();
    let other = x.key("counterparty").credentials.api_secret.clone();
    let payload = trader.payload("/v1/balances", json!({}));
    let good = trader.sign(payload.as_bytes());
    let with = |signature: String| Signed { signature, ..good.clone() };
    let mut changed = good.clone();
    let last = if changed.payload.starts_with('e') { "f" } else { "e" };
    changed.payload.replace_range(..1, last);
    for wrong in [
        with(signature(&secret, payload.as_bytes())),
        with(signature(&other, good.payload.as_bytes())),
        changed,
    ] {
        let answer = trader.call_signed("/v1/balances", &wrong);
        assert!(answer.refused(400, "InvalidSignature").message.contains("InvalidSignature"), "{answer}");
    }
    // None of these calls used the nonce.
    trader.call_signed("/v1/balances", &good).ok();
}

/// Text that is not Base64, and Base64 of something that is no object. Proves AUTH-006.
#[test]
fn wrong_payloads() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    for text in ["not base64!", "e30", "e30==", "e3 0=", "e31="] {
        let signed = x.key("trader").credentials.sign_text(text.to_owned());
        trader.call_signed("/v1/balances", &signed).refused(400, "InvalidSignature");
    }
    for json in ["[]", "\"text\"", "null", "1", "", "{", "{}{}", "{'a':1}"] {
        trader.call_payload("/v1/balances", json.as_bytes()).refused(400, "InvalidJson");
    }
}

/// `request` is the path that was called. Proves AUTH-007.
#[test]
fn request_is_the_path() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    for wrong in [json!("/v1/orders"), json!(""), json!("/v1/Balances"), json!("/v1/balances/"), json!(5)] {
        let answer = trader.call("/v1/balances", json!({ "request": wrong }));
        assert!(answer.refused(400, "EndpointMismatch").message.contains("EndpointMismatch"), "{answer}");
    }
    let nonce = trader.client().next_nonce();
    trader
        .call_payload("/v1/balances", format!(r#"{{"nonce":{nonce}}}"#).as_bytes())
        .refused(400, "EndpointMismatch");
    // The mismatch is checked before the nonce, which is still unused.
    trader.call("/v1/balances", json!({ "nonce": nonce })).ok();
}

/// `request` may lack its first slash. Proves AUTH-008.
#[test]
fn request_without_its_first_slash() {
    let x = Exchange::start();
    x.as_("trader").call("/v1/balances", json!({ "request": "v1/balances" })).ok();
}

/// One header missing, each named; all of them missing. Proves AUTH-009, AUTH-010.
#[test]
fn missing_headers() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    for (name, reason) in [
        ("APIKEY", "MissingApikeyHeader"),
        ("PAYLOAD", "MissingPayloadHeader"),
        ("SIGNATURE", "MissingSignatureHeader"),
    ] {
        let signed = trader.sign(trader.payload("/v1/balances", json!({})).as_bytes());
        let headers = signed.headers();
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .filter(|(header, _)| !header.ends_with(name))
            .collect();
        let answer = trader.send("POST", "/v1/balances", &headers, b"");
        let refusal = answer.refused(400, reason);
        assert!(refusal.message.contains(&format!("'X-SVC-{name}'")), "{answer}");
    }
    let none = trader.send("POST", "/v1/balances", &[("Content-Type", "text/plain")], b"");
    none.refused(401, "MissingSecurityHeaders");
}

/// The JSON belongs in the header, not in the body. Proves ERR-007.
#[test]
fn json_in_the_body() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let payload = trader.payload("/v1/balances", json!({}));
    let answer =
        trader.send("POST", "/v1/balances", &[("Content-Type", "application/json")], payload.as_bytes());
    answer.refused(401, "MissingSecurityHeaders");
    let key = x.key("trader").credentials.api_key.clone();
    let headers = [("X-SVC-APIKEY", key.as_str()), ("X-SVC-SIGNATURE", "00")];
    trader.send("POST", "/v1/balances", &headers, payload.as_bytes()).refused(400, "MissingPayloadHeader");
}

/// An unknown key. Proves AUTH-011.
#[test]
fn unknown_key() {
    let x = Exchange::start();
    for key in ["account-nobody", "nonsense", "master-nobody"] {
        let mut signed = x.as_("trader").sign(x.as_("trader").payload("/v1/balances", json!({})).as_bytes());
        key.clone_into(&mut signed.api_key);
        x.anyone().call_signed("/v1/balances", &signed).refused(403, "InvalidApiKey");
    }
}

/// A key and a token at once. Proves AUTH-012.
#[test]
fn key_and_token() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let signed = trader.sign(trader.payload("/v1/balances", json!({})).as_bytes());
    let mut headers = signed.headers();
    headers.push(("Authorization".to_owned(), "Bearer abc".to_owned()));
    let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    trader.send("POST", "/v1/balances", &headers, b"").refused(400, "AmbiguousAuthentication");
}

/// No tokens are issued yet, so each one is unknown, expired or revoked. Proves ERR-006.
#[test]
fn unknown_tokens() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    for path in ["/v1/balances", "/v1/order/new", "/v1/heartbeat"] {
        let signed = trader.sign(trader.payload(path, json!({})).as_bytes());
        for token in ["Bearer abc", "bearer abc", "Bearer a.b-c_d"] {
            let alone = [("Authorization", token)];
            trader.send("POST", path, &alone, b"").refused(401, "InvalidAccessToken");
            let with_payload = [("Authorization", token), ("X-SVC-PAYLOAD", signed.payload.as_str())];
            trader.send("POST", path, &with_payload, b"").refused(401, "InvalidAccessToken");
        }
        let other = [("Authorization", "Basic abc")];
        trader.send("POST", path, &other, b"").refused(401, "MissingSecurityHeaders");
    }
}

/// Of two errors, the one of the earlier check is reported. Proves AUTH-014.
#[test]
fn order_of_checks() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let path = "/v1/order/new";
    let bad_order = json!({ "symbol": "nosuch", "nonce": 0, "request": "/v1/other", "account": "nobody" });
    let payload = trader.payload(path, bad_order);
    let signed = trader.sign(payload.as_bytes());
    let send = |signed: &Signed, path: &str| trader.call_signed(path, signed);
    // Path and method, then framing and size, then headers: these three have none.
    for (method, path, status) in [
        ("POST", "/v1/nowhere", 404),
        ("PUT", path, 405),
        ("POST", path, 413),
        ("POST", "/v1/heartbeat", 413),
    ] {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: 65537\r\n\r\n",
            x.address()
        );
        let answer = raw::send(&x, request.as_bytes(), Duration::from_secs(10));
        assert_eq!(answer.status(), Some(status), "{method} {path}: {}", answer.text());
    }
    x.anyone().send("POST", path, &[], b"").refused(401, "MissingSecurityHeaders");
    send(&Signed { api_key: "account-nobody".to_owned(), ..signed.clone() }, "/v1/nowhere")
        .refused(404, "EndpointNotFound");
    // Key, then signature, then JSON.
    let unknown =
        Signed { api_key: "account-nobody".to_owned(), signature: "00".to_owned(), ..signed.clone() };
    send(&unknown, path).refused(403, "InvalidApiKey");
    let unsigned = Signed { signature: "00".to_owned(), payload: "e30x".to_owned(), ..signed.clone() };
    send(&unsigned, path).refused(400, "InvalidSignature");
    trader.call_payload(path, br#"{"request":"/v1/other","nonce":}"#).refused(400, "InvalidJson");
    // `request`, nonce, account, role, parameters, market, funds.
    send(&signed, path).refused(400, "EndpointMismatch");
    let call = |key: &str, params: Value| x.as_(key).call(path, params);
    call("auditor", json!({ "symbol": "nosuch", "nonce": 0, "account": "nobody" }))
        .refused(400, "InvalidNonce");
    call("auditor", json!({ "symbol": "nosuch", "account": "nobody" }))
        .refused(400, "AccountsOnGroupOnlyApi");
    call("auditor", json!({ "symbol": "nosuch" })).refused(403, "MissingRole");
    x.set_status("btcusd", "cancel_only");
    let mut order = NewOrder::limit("btcusd", "sell", "0", "100").params();
    call("empty", order.clone()).refused(400, "InvalidQuantity");
    order["amount"] = json!("1");
    call("empty", order.clone()).refused(400, "MarketNotOpen");
    x.set_status("btcusd", "open");
    call("empty", order).refused(406, "InsufficientFunds");
    laws::check(&x);
}

/// Account keys and master keys are distinguished by their prefix. Proves AUTH-015.
#[test]
fn key_prefixes() {
    let x = Exchange::start();
    for name in x.key_names() {
        let prefix = if name.starts_with("master") { "master-" } else { "account-" };
        let key = x.key(&name);
        assert!(key.credentials.api_key.starts_with(prefix), "{name}: {}", key.credentials.api_key);
        assert!(!key.credentials.api_secret.is_empty());
    }
}

/// A master key acts on the account it names, and on that only. Proves AUTH-016.
#[test]
fn master_keys_name_their_account() {
    let x = Exchange::start();
    let master = x.as_("master");
    let mut order = NewOrder::limit("btcusd", "buy", "1", "100").params();
    order["account"] = json!("savings");
    let placed = master.call("/v1/order/new", order).ok();
    assert_eq!(x.as_("savings-trader").live_ids(), [placed["order_id"].as_str().unwrap()]);
    assert_eq!(x.as_("trader").live_ids(), [""; 0]);
    assert_eq!(x.as_("savings-trader").balance("USD").1, dec("100000") - dec("100.4"));
    assert_eq!(x.as_("trader").balance("USD").1, dec("100000"));
    let status = json!({ "account": "primary", "order_id": placed["order_id"] });
    master.call("/v1/order/status", status).refused(404, "OrderNotFound");
    let live = master.call("/v1/orders", json!({ "account": "savings" })).ok();
    assert_eq!(live[0]["order_id"], placed["order_id"]);
    laws::check(&x);
}

/// A master key must name one of its own group's accounts. Proves AUTH-017.
#[test]
fn master_keys_without_an_account() {
    let x = Exchange::start();
    let master = x.as_("master");
    for path in [
        "/v1/order/new",
        "/v1/order/cancel",
        "/v1/order/cancel/session",
        "/v1/order/cancel/all",
        "/v1/order/status",
        "/v1/orders",
        "/v1/mytrades",
        "/v1/orders/history",
        "/v1/balances",
        "/v1/account",
        "/v1/account/rename",
        "/v1/transfers",
    ] {
        master.call(path, json!({})).refused(400, "MissingAccounts");
        for wrong in ["nobody", "broker", "Primary ", ""] {
            master.call(path, json!({ "account": wrong })).refused(400, "InvalidAccountName");
        }
    }
}

/// An account key may name its own account and no other. Proves AUTH-019.
#[test]
fn account_keys_naming_an_account() {
    let x = Exchange::start();
    x.as_("trader").call("/v1/balances", json!({ "account": "primary" })).ok();
    for other in ["savings", "broker", "nobody"] {
        x.as_("trader")
            .call("/v1/balances", json!({ "account": other }))
            .refused(400, "AccountsOnGroupOnlyApi");
    }
}

/// Endpoints about the key itself need no account, but a named one must still be the key's. Proves AUTH-017,
/// AUTH-019.
#[test]
fn sessions_naming_an_account() {
    let x = Exchange::start();
    let call = |key: &str, path: &str, account: Value| x.as_(key).call(path, json!({ "account": account }));
    for path in ["/v1/heartbeat", "/v1/roles"] {
        for (key, own) in [("trader", "primary"), ("master", "savings")] {
            x.as_(key).call(path, json!({})).ok();
            call(key, path, json!(own)).ok();
            call(key, path, json!(["primary"])).refused(400, "MoreThanOneAccount");
            call(key, path, json!(5)).refused(400, "InvalidParameterValue");
        }
        for other in ["savings", "broker", "nobody", ""] {
            call("trader", path, json!(other)).refused(400, "AccountsOnGroupOnlyApi");
        }
        for unknown in ["broker", "nobody", ""] {
            let message = call("master", path, json!(unknown)).refused(400, "InvalidAccountName").message;
            assert!(message.contains(&format!("'{unknown}'")), "{message}");
        }
    }
    // The account is checked before the role (AUTH-014).
    call("auditor", "/v1/heartbeat", json!("nobody")).refused(400, "AccountsOnGroupOnlyApi");
}

/// The refusal names the roles needed and the key's own. Proves ERR-002.
#[test]
fn missing_role_message() {
    let x = Exchange::start();
    for (key, own) in [("fund-manager", "Fund"), ("auditor", "Auditor")] {
        let answer = x.as_(key).call("/v1/order/new", NewOrder::limit("btcusd", "buy", "1", "100").params());
        let message = answer.refused(403, "MissingRole").message;
        assert!(message.contains("Trader") && message.contains(own), "{answer}");
        assert!(message.contains('[') && message.contains(']'), "{answer}");
    }
    assert_eq!(x.as_("trader").live_ids(), [""; 0]);
}

/// Trader and Fund Manager together may do what each may. Proves AUTH-024.
#[test]
fn roles_combine() {
    let x = Exchange::start();
    let both = x.as_("trader-fund-manager");
    both.limit("btcusd", "buy", "1", "100");
    balances(&both).ok();
    let roles = both.call("/v1/roles", json!({})).ok();
    assert_eq!(roles, json!({ "isAuditor": false, "isFundManager": true, "isTrader": true }));
    for name in x.key_names() {
        let roles = x.key(&name).entry["roles"].clone();
        let roles = roles.as_array().unwrap();
        assert!(roles.len() == 1 || !roles.contains(&json!("Auditor")), "{name}: {roles:?}");
    }
}

/// A master key's roles hold for the accounts it names: of AUTH-022, the changes that exist so far.
#[test]
fn master_auditor_reads_only() {
    let x = Exchange::start();
    let auditor = x.as_("master-auditor");
    auditor.call("/v1/balances", json!({ "account": "savings" })).ok();
    let mut order = NewOrder::limit("btcusd", "buy", "1", "100").params();
    order["account"] = json!("savings");
    auditor.call("/v1/order/new", order).refused(403, "MissingRole");
}

/// Every role is shown as the key has it (of AUTH-040, the one endpoint that exists so far); master keys show more.
/// Proves ACCT-001, ACCT-002.
#[test]
fn roles() {
    let x = Exchange::start();
    for (key, auditor, fund_manager, trader) in [
        ("trader", false, false, true),
        ("fund-manager", false, true, false),
        ("auditor", true, false, false),
        ("trader-fund-manager", false, true, true),
        ("heartbeat", false, false, true),
    ] {
        let expected = json!({ "isAuditor": auditor, "isFundManager": fund_manager, "isTrader": trader });
        assert_eq!(x.as_(key).call("/v1/roles", json!({})).ok(), expected, "{key}");
    }
    let mut ids = Vec::new();
    for (key, admin, auditor) in [("master", true, false), ("master-auditor", false, true)] {
        let answer = x.as_(key).call("/v1/roles", json!({}));
        let roles = answer.ok();
        same_keys(
            &roles,
            &["isAuditor", "isFundManager", "isTrader", "isAccountAdmin", "counterparty_id"],
            &answer,
        );
        // A key that is no auditor is also Trader and Fund Manager.
        let expected = [admin, auditor, !auditor, !auditor];
        let names = ["isAccountAdmin", "isAuditor", "isTrader", "isFundManager"];
        assert_eq!(names.map(|name| &roles[name]), expected.map(Value::from).each_ref(), "{answer}");
        let id = roles["counterparty_id"].as_str().unwrap();
        assert_eq!(id.len(), 8, "{answer}");
        assert!(id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()), "{answer}");
        ids.push(id.to_owned());
    }
    assert_eq!(ids[0], ids[1], "they clear for one group");
}

/// A signed request for balances under a header prefix, without the headers that end in `without`.
fn under(actor: &Actor, prefix: &str, without: &str) -> Vec<(String, String)> {
    let signed = actor.sign(actor.payload("/v1/balances", json!({})).as_bytes());
    let mut headers = signed.headers();
    headers.retain(|(name, _)| without.is_empty() || !name.ends_with(without));
    headers.into_iter().map(|(name, value)| (name.replace("X-SVC", prefix), value)).collect()
}

fn post_balances(actor: &Actor, headers: &[(String, String)]) -> Answer {
    let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    actor.send("POST", "/v1/balances", &headers, b"")
}

/// A sandbox reads the headers of stock clients without a flag: a request chooses its prefix, and errors name it.
/// Proves AUTH-001 (part), AUTH-009 (part).
#[test]
fn any_header_prefix() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    for prefix in ["X-SVC", "X-OTHER", "x-never-seen"] {
        post_balances(&trader, &under(&trader, prefix, "")).ok();
        let answer = post_balances(&trader, &under(&trader, prefix, "PAYLOAD"));
        let named = format!("'{}-PAYLOAD'", prefix.to_ascii_uppercase());
        assert!(answer.refused(400, "MissingPayloadHeader").message.contains(&named), "{answer}");
    }
    let mut both = under(&trader, "X-SVC", "");
    both.extend(under(&trader, "X-OTHER", ""));
    let answer = post_balances(&trader, &both);
    let message = answer.refused(400, "AmbiguousAuthentication").message;
    assert!(message.contains("'X-SVC'") && message.contains("'X-OTHER'"), "{answer}");
    let answer = post_balances(&trader, &under(&trader, "OTHER", ""));
    let message = answer.refused(401, "MissingSecurityHeaders").message;
    assert!(message.contains("'X-SVC-APIKEY'") && message.contains("--header-prefix OTHER"), "{answer}");
}

/// The flag, the environment or the file narrows a sandbox to the prefixes that they name and `X-SVC`.
#[test]
fn named_header_prefixes() {
    let file = private_folder();
    let config = file.path().join("config.toml");
    std::fs::write(&config, "header_prefix = [\"X-OTHER\", \"X-THIRD\"]\n").unwrap();
    let named = [
        Exchange::builder().flag("--header-prefix", "X-OTHER").argument("--header-prefix=X-THIRD"),
        Exchange::builder().env("BUTTONWOOD_HEADER_PREFIX", "X-OTHER,X-THIRD"),
        Exchange::builder().flag("--config", config.to_str().unwrap()),
    ];
    for builder in named {
        let x = builder.start();
        let trader = x.as_("trader");
        for prefix in ["X-SVC", "X-OTHER", "x-third"] {
            post_balances(&trader, &under(&trader, prefix, "")).ok();
        }
        let answer = post_balances(&trader, &under(&trader, "X-OTHER", "SIGNATURE"));
        let message = answer.refused(400, "MissingSignatureHeader").message;
        assert!(message.contains("'X-OTHER-SIGNATURE'"), "{answer}");
        let answer = post_balances(&trader, &under(&trader, "X-NEVER", ""));
        let message = answer.refused(401, "MissingSecurityHeaders").message;
        assert!(
            message.contains("'X-SVC-APIKEY'") && message.contains("--header-prefix X-NEVER"),
            "{answer}"
        );
        // A header under a prefix that is not read changes nothing.
        let mut both = under(&trader, "X-SVC", "");
        both.extend(under(&trader, "X-NEVER", ""));
        post_balances(&trader, &both).ok();
    }
}
