//! The proof of reserves: cuts at midnight, trees of sums, the checker of `docs/` on real replies (INV-POR-1).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use buttonwood_accept::{Answer, Dec, Exchange, Value, dec, json, laws};

const DAY: u64 = 86_400;

fn reserves(x: &Exchange) -> Value {
    x.get("/v1/reserves").ok()
}

fn proof(x: &Exchange, key: &str, currency: &str) -> Answer {
    x.as_(key).call("/v1/reserves/proof", json!({ "currency": currency }))
}

fn row(reserves: &Value, currency: &str) -> Value {
    let rows = reserves["currencies"].as_array().unwrap();
    rows.iter().find(|row| row["currency"] == currency).unwrap_or_else(|| panic!("no {currency}")).clone()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// The totals of customers, from the ledger.
fn customers(x: &Exchange) -> Vec<(String, String)> {
    let ledger = x.get("/sandbox/ledger").ok();
    let rows = ledger["currencies"].as_array().unwrap().iter();
    rows.map(|row| (text(&row["currency"]).to_owned(), text(&row["customers"]).to_owned())).collect()
}

/// Runs the checker of `docs/` on replies.
fn check(folder: &Path, owner: &str, replies: &[&Value]) -> Output {
    let files: Vec<PathBuf> = replies
        .iter()
        .enumerate()
        .map(|(at, reply)| {
            let path = folder.join(format!("{at}.json"));
            std::fs::write(&path, reply.to_string()).unwrap();
            path
        })
        .collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/check_reserves.py");
    let mut command = Command::new("python3");
    command.arg(script).args(["--owner", owner]).args(files);
    command.output().expect("python3 starts")
}

#[track_caller]
fn refused(output: &Output, words: &str) {
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{line}");
    assert!(line.contains(words), "{line}");
}

/// Before the first midnight nothing is cut; then every midnight cuts what all accounts have, and the sums are exact.
#[test]
fn each_midnight_cuts_the_state() {
    let x = Exchange::start();
    assert_eq!(reserves(&x), json!({ "time": null, "currencies": [], "wallets": [] }));
    proof(&x, "trader", "BTC").refused(400, "InvalidParameterValue");
    x.advance(DAY - 1);
    assert_eq!(reserves(&x)["time"], Value::Null);
    x.advance(1);
    let first = reserves(&x);
    assert_eq!((&first["time"], &first["wallets"]), (&json!("2026-01-02T00:00:00.000Z"), &json!([])));
    let mut listed = BTreeSet::new();
    for row in first["currencies"].as_array().unwrap() {
        let (assets, liabilities) = (dec(text(&row["assets"])), dec(text(&row["liabilities"])));
        assert!(assets >= liabilities, "{row}");
        listed.insert((text(&row["currency"]).to_owned(), text(&row["liabilities"]).to_owned()));
    }
    let owed = customers(&x).into_iter().filter(|(_, amount)| amount != "0");
    assert_eq!(listed, owed.collect::<BTreeSet<_>>());
    // What happens after the cut is in the next one.
    x.credit("trader", "BTC", "0.5");
    assert_eq!(reserves(&x), first);
    let before = proof(&x, "trader", "BTC").ok();
    x.advance(DAY);
    let (second, after) = (reserves(&x), proof(&x, "trader", "BTC").ok());
    assert_eq!(second["time"], "2026-01-03T00:00:00.000Z");
    let more = |before: &Value, after: &Value| dec(text(after)) - dec(text(before));
    assert_eq!(more(&before["amount"], &after["amount"]), dec("0.5"));
    let of = |reserves: &Value, name: &str| row(reserves, "BTC")[name].clone();
    for name in ["liabilities", "assets"] {
        assert_eq!(more(&of(&first, name), &of(&second, name)), dec("0.5"), "{name}");
    }
    assert_ne!(of(&first, "root"), of(&second, "root"));
    laws::check(&x);
}

/// The whole balance counts, with what orders hold; the checker finds it among the liabilities, and finds every forgery.
#[test]
fn the_checker_proves_a_balance_and_finds_forgeries() {
    let x = Exchange::start();
    let folder = tempfile::tempdir().unwrap();
    x.as_("trader").limit("btcusd", "buy", "0.5", "100");
    // Fees make amounts with many decimals.
    x.as_("counterparty").limit("btcusd", "sell", "0.12345678", "100");
    let (usd, _) = x.as_("trader").balance("USD");
    x.advance(DAY);
    let (all, own) = (reserves(&x), proof(&x, "trader", "USD").ok());
    let btc = proof(&x, "trader", "btc").ok();
    assert_eq!((dec(text(&own["amount"])), &btc["currency"]), (usd, &json!("BTC")));
    assert!(!own["path"].as_array().unwrap().is_empty());
    let held = check(folder.path(), "one/primary", &[&all, &own, &btc]);
    assert!(held.status.success(), "{}", String::from_utf8_lossy(&held.stderr));
    assert!(String::from_utf8_lossy(&held.stdout).contains("USD: "));
    let other = proof(&x, "counterparty", "USD").ok();
    assert!(check(folder.path(), "two/primary", &[&all, &other]).status.success());
    refused(&check(folder.path(), "two/primary", &[&all, &own]), "belongs to 'one/primary'");
    refused(&check(folder.path(), "one/primary", &[&all, &own, &own]), "the same leaf");
    let mut forged = own.clone();
    forged["amount"] = json!("1");
    refused(&check(folder.path(), "one/primary", &[&all, &forged]), "the published root");
    forged["amount"] = json!(format!("{}.0", text(&own["amount"]).split('.').next().unwrap()));
    refused(&check(folder.path(), "one/primary", &[&all, &forged]), "no plain decimal");
    let mut forged = own.clone();
    forged["path"][0]["sum"] = json!("0");
    refused(&check(folder.path(), "one/primary", &[&all, &forged]), "the published root");
    let mut less = all.clone();
    for row in less["currencies"].as_array_mut().unwrap() {
        row["liabilities"] = json!("1");
    }
    refused(&check(folder.path(), "one/primary", &[&less, &own]), "the published liabilities");
    less["currencies"][0]["assets"] = json!("0.5");
    refused(&check(folder.path(), "one/primary", &[&less, &own]), "do not cover");
}

/// Every customer's leaf leads to the same root with the same sum; their nonces are all different.
#[test]
fn every_leaf_is_under_one_root() {
    let x = Exchange::start();
    x.advance(DAY);
    let all = reserves(&x);
    let mut nonces = BTreeSet::new();
    for key in ["trader", "savings-trader", "counterparty", "broker", "restricted", "load-000", "load-127"] {
        let own = proof(&x, key, "ETH").ok();
        let owner = text(&own["nonce"]).rsplit_once('/').unwrap().0.to_owned();
        let known = x.key(key);
        assert_eq!(owner, format!("{}/{}", known.group, known.account));
        let folder = tempfile::tempdir().unwrap();
        let output = check(folder.path(), &owner, &[&all, &own]);
        assert!(output.status.success(), "{key}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(nonces.insert(text(&own["nonce"]).rsplit_once('/').unwrap().1.to_owned()));
    }
    // A currency has another tree with other nonces.
    let btc = proof(&x, "trader", "BTC").ok();
    assert!(!nonces.contains(text(&btc["nonce"]).rsplit_once('/').unwrap().1));
}

/// A proof is the same after a crash, after a clean stop with its snapshot, and after the account's name changed.
#[test]
fn a_proof_outlives_restarts() {
    let x = Exchange::start();
    x.advance(DAY);
    let (all, own) = (reserves(&x), proof(&x, "trader", "BTC").ok());
    let is_same = |x: &Exchange| {
        assert_eq!((reserves(x), proof(x, "trader", "BTC").ok()), (all.clone(), own.clone()));
    };
    x.kill9();
    x.restart();
    is_same(&x);
    let names = json!({ "account": "primary", "newAccount": "renamed" });
    x.as_("master").call("/v1/account/rename", names).ok();
    x.credit("savings-trader", "BTC", "1");
    is_same(&x);
    x.stop();
    x.restart();
    is_same(&x);
    x.advance(DAY);
    let next = proof(&x, "trader", "BTC").ok();
    assert!(text(&next["nonce"]).starts_with("one/renamed/"), "{next}");
}

/// Cuts that a long move of the clock passes are all made, and the last one counts.
#[test]
fn a_long_move_makes_every_cut() {
    let x = Exchange::start();
    x.advance(40 * DAY + 3_600);
    assert_eq!(reserves(&x)["time"], "2026-02-10T00:00:00.000Z");
}

#[test]
fn a_proof_needs_a_currency_that_the_account_had() {
    let x = Exchange::start();
    x.advance(DAY);
    proof(&x, "trader", "XYZ").refused(400, "InvalidCurrency");
    proof(&x, "trader", "").refused(400, "InvalidCurrency");
    proof(&x, "empty", "BTC").refused(400, "InvalidParameterValue");
    x.as_("trader").call("/v1/reserves/proof", json!({})).refused(400, "MissingPayloadKey");
    let wrong = json!({ "currency": ["BTC"] });
    assert_eq!(x.as_("trader").call("/v1/reserves/proof", wrong).status(), 400);
    // It had nothing at the cut, whatever it got since.
    x.credit("empty", "BTC", "1");
    let refusal = proof(&x, "empty", "BTC").refused(400, "InvalidParameterValue");
    assert!(refusal.message.contains("2026-01-02T00:00:00.000Z"), "{}", refusal.message);
    // A master key names the account.
    let named = json!({ "currency": "BTC", "account": "savings" });
    let savings = x.as_("master").call("/v1/reserves/proof", named).ok();
    assert!(text(&savings["nonce"]).starts_with("one/savings/"));
    let total: Dec = dec(text(&savings["amount"]));
    assert_eq!(total, x.as_("savings-trader").balance("BTC").0);
}
