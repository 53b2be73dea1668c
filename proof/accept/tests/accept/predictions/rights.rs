//! Who may call, and the bodies of refusals.

use super::*;
use buttonwood_accept::same_keys;

/// Orders, cancels and acceptances need a Trader, reads a Trader or an Auditor; a missing role has the common fields and a code. Proves
/// PM-035, PM-036.
#[test]
fn a_missing_role_has_both_bodies() {
    let x = exchange();
    let calls = |path: &str, key: &str| {
        let answer = if path == STATUS {
            x.as_(key).signed_get(path, json!({}))
        } else {
            x.as_(key).call(path, json!({}))
        };
        (answer.status(), answer)
    };
    for (path, keys) in [
        (ORDER, ["auditor", "fund-manager", "master-auditor"].as_slice()),
        (CANCEL, &["auditor", "fund-manager"]),
        (BATCH, &["auditor", "fund-manager"]),
        (BATCH_CANCEL, &["auditor", "fund-manager"]),
        (ACCEPT, &["auditor", "fund-manager"]),
        (ACTIVE, &["fund-manager"]),
        (HISTORY, &["fund-manager"]),
        (POSITIONS, &["fund-manager"]),
        (SETTLED, &["fund-manager"]),
        (VOLUME, &["fund-manager"]),
        (STATUS, &["fund-manager"]),
    ] {
        for key in keys.iter().filter(|key| !key.starts_with("master")) {
            let (status, answer) = calls(path, key);
            assert_eq!(status, 403, "{answer}");
            let body = answer.json();
            same_keys(&body, &["result", "reason", "error", "message"], &body);
            assert_eq!((&body["reason"], &body["error"]), (&json!("MissingRole"), &json!("MissingRole")));
        }
    }
    for path in [ACTIVE, HISTORY, POSITIONS, SETTLED, STATUS] {
        for key in ["trader", "auditor"] {
            let (status, answer) = calls(path, key);
            assert_eq!(status, 200, "{answer}");
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
