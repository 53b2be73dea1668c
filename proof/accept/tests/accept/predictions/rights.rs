//! Who may call, and the bodies of refusals.

use super::*;
use buttonwood_accept::same_keys;

/// Orders, cancels and acceptances need a Trader, reads a Trader or an Auditor; a missing role has the common fields and a code. Proves
/// PM-035, PM-036.
#[test]
fn a_missing_role_has_both_bodies() {
    let x = exchange();
    let calls = |path: &str, key: &str| {
        let fields = if key.starts_with("master") { json!({ "account": "primary" }) } else { json!({}) };
        let is_get = path == STATUS || path.contains("/summary/");
        let answer = if is_get { x.as_(key).signed_get(path, fields) } else { x.as_(key).call(path, fields) };
        (answer.status(), answer)
    };
    let rewards = [
        "maker-rebate/payouts",
        "maker-rebate/summary/total",
        "liquidity-rewards/summary/daily",
        "liquidity-rewards/summary/total",
    ];
    let rewards = rewards.map(|end| format!("{ROOT}/{end}"));
    let readers = rewards.iter().map(|path| (path.as_str(), ["fund-manager"].as_slice()));
    let table = [
        (ORDER, ["auditor", "fund-manager", "master-auditor"].as_slice()),
        (CANCEL, &["auditor", "fund-manager", "master-auditor"]),
        (BATCH, &["auditor", "fund-manager", "master-auditor"]),
        (BATCH_CANCEL, &["auditor", "fund-manager", "master-auditor"]),
        (ACCEPT, &["auditor", "fund-manager", "master-auditor"]),
        (ACTIVE, &["fund-manager"]),
        (HISTORY, &["fund-manager"]),
        (POSITIONS, &["fund-manager"]),
        (SETTLED, &["fund-manager"]),
        (VOLUME, &["fund-manager"]),
        (STATUS, &["fund-manager"]),
    ];
    for (path, keys) in table.into_iter().chain(readers) {
        for key in keys {
            let (status, answer) = calls(path, key);
            assert_eq!(status, 403, "{answer}");
            let body = answer.json();
            same_keys(&body, &["result", "reason", "error", "message"], &body);
            assert_eq!((&body["reason"], &body["error"]), (&json!("MissingRole"), &json!("MissingRole")));
        }
    }
    for path in [ACTIVE, HISTORY, POSITIONS, SETTLED, STATUS] {
        for key in ["trader", "auditor", "master-auditor"] {
            let (status, answer) = calls(path, key);
            assert_eq!(status, 200, "{answer}");
        }
    }
    // Both roles come as far as the parameters, or as the rewards that are off.
    for key in ["trader", "auditor", "master-auditor"] {
        assert_eq!(calls(VOLUME, key).0, 400, "{key}");
        for path in &rewards {
            let (status, answer) = calls(path, key);
            assert!([400, 503].contains(&status) && answer.json().get("error").is_some(), "{answer}");
        }
    }
}

/// Failures of headers, key, signature, nonce, `request` and `account` keep the common body. Proves PM-035.
#[test]
fn authentication_failures_keep_the_common_body() {
    let x = exchange();
    let trader = x.as_("trader");
    for path in [ORDER, BATCH, CANCEL, BATCH_CANCEL, ACTIVE, ACCEPT] {
        x.anyone().send("POST", path, &[], b"").refused(401, "MissingSecurityHeaders");
        trader.call(path, json!({ "nonce": 1 })).refused(400, "InvalidNonce");
        trader.call(path, json!({ "request": "/v1/orders" })).refused(400, "EndpointMismatch");
        trader.call(path, json!({ "account": 5 })).refused(400, "InvalidParameterValue");
        trader.call(path, json!({ "account": "other" })).refused(400, "AccountsOnGroupOnlyApi");
        x.as_("master").call(path, json!({})).refused(400, "MissingAccounts");
        trader.call_payload(path, b"[]").refused(400, "InvalidJson");
        let mut signed = trader.sign(trader.payload(path, json!({})).as_bytes());
        signed.signature = "0".repeat(96);
        trader.call_signed(path, &signed).refused(400, "InvalidSignature");
    }
}
