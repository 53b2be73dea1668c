//! The published contract and the page that shows it.

use buttonwood_accept::{Exchange, Setup, Value};

/// The served text equals the file in the repository, against which all other tests check their replies.
#[test]
fn the_contract_is_served() {
    let x = Exchange::start();
    let answer = x.get("/openapi.json");
    let kept: Value = serde_json::from_str(include_str!("../../../../contract/openapi.json")).unwrap();
    assert_eq!(answer.ok(), kept);
    assert_eq!(kept["openapi"], "3.1.0");
    assert!(kept["paths"]["/v1/order/events"]["x-stream"] == true, "a socket says so");
    assert_eq!(x.anyone().send("POST", "/openapi.json", &[], b"").status(), 405);
}

/// The page loads only its own files.
#[test]
fn the_contract_is_shown_to_browsers() {
    let x = Setup::default().start();
    let page = x.get("/docs");
    assert_eq!(page.status(), 200, "{page}");
    assert!(page.reply.header("content-security-policy").is_some_and(|policy| policy.contains("'none'")));
    let text = page.reply.text();
    let files: Vec<&str> =
        text.split('"').filter(|word| word.starts_with("/site/") || word.starts_with("http")).collect();
    for file in ["/site/base.css", "/site/docs.css", "/site/docs.js"] {
        assert!(files.contains(&file), "{file}: {files:?}");
    }
    for file in files {
        assert!(file.starts_with("/site/"), "{file}");
        assert_eq!(x.get(file).status(), 200, "{file}");
    }
}

/// Calls that take `all` for an amount say so in their schemas.
#[test]
fn amounts_that_may_be_all_say_so() {
    let kept: Value = serde_json::from_str(include_str!("../../../../contract/openapi.json")).unwrap();
    for name in [
        "AccountTransferCurrency",
        "PaymentsSenWithdraw",
        "StakingUnstake",
        "WithdrawCurrency",
        "WithdrawNetworkTicker",
    ] {
        let amount = &kept["components"]["schemas"][format!("{name}Payload")]["properties"]["amount"];
        assert!(
            amount["pattern"].as_str().is_some_and(|pattern| pattern.starts_with("^(all|")),
            "{name}: {amount}"
        );
        assert!(
            amount["description"].as_str().is_some_and(|about| about.contains("`all`")),
            "{name}: {amount}"
        );
    }
}
