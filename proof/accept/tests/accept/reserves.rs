//! The proof of reserves: cuts at midnight, trees of sums, the checker of `docs/` on real replies (INV-POR-1).

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
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
    // A trade after the cut is in the next one.
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

const WEEK: u64 = 7 * DAY;
/// Addresses of the networks' own specifications (BIP-173, EIP-55).
const BTC: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
const ETH: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

fn simulated() -> Exchange {
    Exchange::builder().flag("--funds", "simulated").start()
}

/// Simulated funds, and a fund manager who may pay two addresses.
fn approved() -> Exchange {
    let x = simulated();
    let owner = x.as_("fund-manager");
    for (network, address) in [("bitcoin", BTC), ("ethereum", ETH)] {
        let path = format!("/v1/approvedAddresses/{network}/request");
        owner.call(&path, json!({ "address": address, "label": "mine" })).ok();
    }
    x.advance(WEEK);
    x
}

fn chain(x: &Exchange, network: &str, call: &str, body: Value) -> Value {
    x.control(&format!("/sandbox/chains/{network}/{call}"), &body).ok()
}

fn mine(x: &Exchange, network: &str, blocks: u32) {
    chain(x, network, "mine", json!({ "blocks": blocks }));
}

fn send(x: &Exchange, network: &str, address: &str, currency: &str, amount: &str) {
    chain(x, network, "send", json!({ "address": address, "currency": currency, "amount": amount }));
}

fn new_address(x: &Exchange, network: &str) -> String {
    let made = x.as_("fund-manager").call(&format!("/v1/deposit/{network}/newAddress"), json!({})).ok();
    text(&made["address"]).to_owned()
}

fn withdraw(x: &Exchange, path: &str, address: &str, amount: &str) -> String {
    let order = json!({ "address": address, "amount": amount });
    text(&x.as_("fund-manager").call(&format!("/v2/withdraw/{path}"), order).ok()["withdrawalId"]).to_owned()
}

/// The amount that the hot wallets of a network hold of a currency.
fn hot(x: &Exchange, network: &str, currency: &str) -> Dec {
    let all = reserves(x);
    let row = all["wallets"].as_array().unwrap().iter();
    let row = row.filter(|row| row["network"] == network && row["currency"] == currency);
    row.map(|row| dec(text(&row["hot"])) + dec(text(&row["cold"]))).next().unwrap_or(Dec::ZERO)
}

/// The house's stock of a currency for instant orders, and what it pays the interest of stakes from.
fn stock(x: &Exchange, currency: &str) -> Dec {
    let ledger = x.get("/sandbox/ledger").ok();
    let row =
        ledger["currencies"].as_array().unwrap().iter().find(|row| row["currency"] == currency).cloned();
    row.map_or(Dec::ZERO, |row| {
        dec(text(&row["house"]["instant"])) + dec(text(&row["house"]["staking_rewards"]))
    })
}

/// Cuts the state: assets are the liabilities and the house's stock to the last decimal, but for what is on its way to an
/// account of one currency.
#[track_caller]
fn exact(x: &Exchange, (coming, amount): (&str, &str)) {
    x.advance(DAY);
    for row in reserves(x)["currencies"].as_array().unwrap() {
        let beyond = if row["currency"] == coming { dec(amount) } else { Dec::ZERO };
        let (assets, liabilities) = (dec(text(&row["assets"])), dec(text(&row["liabilities"])));
        // The price that customers paid for tokens of the issuer is the house's.
        let owned = liabilities + stock(x, text(&row["currency"]));
        let is_equal = assets == owned + beyond || (row["currency"] == "USD" && assets > liabilities);
        assert!(is_equal, "{row}");
    }
}

const NONE: (&str, &str) = ("", "0");

/// Test credits are minted on the home network of their currency: wallets are there before the first cut, and cover what customers have.
#[test]
fn wallets_hold_what_was_credited() {
    let x = simulated();
    let all = reserves(&x);
    assert_eq!((&all["time"], &all["currencies"]), (&Value::Null, &json!([])));
    for (currency, amount) in customers(&x) {
        let wallets = all["wallets"].as_array().unwrap().iter();
        let wallets: Vec<&Value> = wallets.filter(|row| row["currency"] == *currency).collect();
        let held = wallets.iter().map(|row| dec(text(&row["hot"]))).fold(Dec::ZERO, |sum, hot| sum + hot);
        let is_fiat = wallets.is_empty();
        let all = dec(&amount) + stock(&x, &currency);
        assert!(is_fiat || held == all, "{currency}: {held} of {all}");
        assert_eq!(
            is_fiat,
            ["USD", "EUR", "GBP", "SGD"].contains(&&*currency) || all == Dec::ZERO,
            "{currency}"
        );
        assert!(
            wallets.iter().all(|row| row["addresses"].as_array().unwrap().len() == 2 && row["cold"] == "0")
        );
    }
    let before = hot(&x, "bitcoin", "BTC");
    x.credit("trader", "BTC", "0.5");
    assert_eq!(hot(&x, "bitcoin", "BTC"), before + dec("0.5"));
    exact(&x, NONE);
    // Nothing is minted twice, and nothing is lost.
    for stop in [Exchange::kill9, Exchange::stop] {
        stop(&x);
        x.restart();
        assert_eq!(hot(&x, "bitcoin", "BTC"), before + dec("0.5"));
    }
    exact(&x, NONE);
    laws::check(&x);
}

/// Assets equal liabilities after any mix of deposits, withdrawals, credits, reorganisations and crashes, wherever payments are.
#[test]
fn assets_follow_every_movement() {
    let x = approved();
    exact(&x, NONE);
    let before = hot(&x, "bitcoin", "BTC");
    let own = new_address(&x, "bitcoin");
    send(&x, "bitcoin", &own, "BTC", "2");
    exact(&x, NONE);
    mine(&x, "bitcoin", 1);
    exact(&x, ("BTC", "2"));
    chain(&x, "bitcoin", "reorg", json!({ "depth": 1 }));
    exact(&x, NONE);
    mine(&x, "bitcoin", 3);
    exact(&x, NONE);
    assert_eq!(hot(&x, "bitcoin", "BTC"), before + dec("2"));
    // A withdrawal in a block that is not final has left the wallet, and is still owed.
    withdraw(&x, "bitcoin/btc", BTC, "1.25");
    x.credit("trader", "BTC", "0.125");
    exact(&x, NONE);
    mine(&x, "bitcoin", 1);
    assert_eq!(hot(&x, "bitcoin", "BTC"), before + dec("0.875"));
    exact(&x, NONE);
    x.kill9();
    x.restart();
    chain(&x, "bitcoin", "reorg", json!({ "depth": 1 }));
    assert_eq!(hot(&x, "bitcoin", "BTC"), before + dec("2.125"));
    exact(&x, NONE);
    mine(&x, "bitcoin", 300);
    exact(&x, NONE);
    assert_eq!(hot(&x, "bitcoin", "BTC"), before + dec("0.875"));
    // Money that is credited on one network leaves on another, dollars leave as tokens, a payment fails.
    let all = hot(&x, "ethereum", "ETH");
    withdraw(&x, "arbitrum/eth", ETH, "3");
    mine(&x, "arbitrum", 1);
    exact(&x, NONE);
    mine(&x, "arbitrum", 19);
    exact(&x, NONE);
    assert_eq!((hot(&x, "ethereum", "ETH"), hot(&x, "arbitrum", "ETH")), (all - dec("3"), dec("0")));
    x.as_("fund-manager").call("/v1/withdraw/usd", json!({ "address": ETH, "amount": "70" })).ok();
    mine(&x, "ethereum", 1);
    exact(&x, NONE);
    chain(&x, "ethereum", "node", json!({ "broadcast": "revert", "times": 1 }));
    withdraw(&x, "ethereum/eth", ETH, "5");
    mine(&x, "ethereum", 1);
    exact(&x, NONE);
    mine(&x, "ethereum", 11);
    exact(&x, NONE);
    assert_eq!(hot(&x, "ethereum", "ETH"), all - dec("3"));
    laws::check(&x);
}

/// The checker finds a balance among the liabilities on simulated chains too: after a deposit, with a withdrawal on its way, and with both
/// final. A deposit counts once it is credited, a withdrawal until it is final.
#[test]
fn the_checker_follows_deposits_and_withdrawals() {
    let x = approved();
    let folder = tempfile::tempdir().unwrap();
    let (start, _) = x.as_("fund-manager").balance("BTC");
    let proven = |x: &Exchange, expected: Dec| {
        x.advance(DAY);
        let (all, own) = (reserves(x), proof(x, "fund-manager", "BTC").ok());
        let dollars = proof(x, "fund-manager", "USD").ok();
        assert_eq!(dec(text(&own["amount"])), expected);
        let output = check(folder.path(), "one/primary", &[&all, &own, &dollars]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (all, own)
    };
    let address = new_address(&x, "bitcoin");
    send(&x, "bitcoin", &address, "BTC", "2.00000001");
    proven(&x, start);
    mine(&x, "bitcoin", 3);
    let (earlier, _) = proven(&x, start + dec("2.00000001"));
    withdraw(&x, "bitcoin/btc", BTC, "1.25");
    proven(&x, start + dec("2.00000001"));
    mine(&x, "bitcoin", 20);
    let (all, own) = proven(&x, start + dec("0.75000001"));
    refused(&check(folder.path(), "one/primary", &[&earlier, &own]), "fetch both again");
    // A wallet that lost coins does not cover what is owed.
    let mut less = all;
    for row in less["currencies"].as_array_mut().unwrap().iter_mut().filter(|row| row["currency"] == "BTC") {
        row["assets"] = json!((dec(text(&row["liabilities"])) - dec("0.00000001")).to_string());
    }
    refused(&check(folder.path(), "one/primary", &[&less, &own]), "do not cover");
}

/// Money at addresses of deposits pays withdrawals: on chains of accounts it is swept into the hot wallet first.
#[test]
fn deposits_are_swept_when_they_are_needed() {
    let x = approved();
    for _ in 0..3 {
        let own = new_address(&x, "ethereum");
        send(&x, "ethereum", &own, "GALA", "60");
    }
    mine(&x, "ethereum", 12);
    exact(&x, NONE);
    withdraw(&x, "ethereum/gala", ETH, "150");
    let waits = || x.get("/sandbox/chains/ethereum").ok()["mempool"].as_array().unwrap().len();
    assert_eq!(waits(), 3, "one sweep for each address");
    mine(&x, "ethereum", 1);
    exact(&x, NONE);
    assert_eq!(waits(), 1, "the withdrawal");
    x.kill9();
    x.restart();
    mine(&x, "ethereum", 12);
    exact(&x, NONE);
    assert_eq!(hot(&x, "ethereum", "GALA"), dec("30"));
    let paid = x.get(&format!("/sandbox/chains/ethereum?address={ETH}")).ok();
    assert_eq!(paid["transactions"][0]["amount"], "150");
    laws::check(&x);
}

/// The metric of payments that wait for a wallet.
fn waiting(x: &Exchange) -> u32 {
    let log = x.log();
    let (_, rest) = log.split_once("metrics are at http://").expect("an address of metrics");
    let (address, _) = rest.split_once("/metrics").expect("a path");
    let mut page = String::new();
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .write_all(
            format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes(),
        )
        .unwrap();
    stream.read_to_string(&mut page).unwrap();
    let line = page.lines().find_map(|line| line.strip_prefix("buttonwood_wallet_waiting "));
    line.expect("the metric").trim().parse().unwrap()
}

/// A withdrawal that the wallets cannot pay waits, with a metric, and is paid when a wallet is refilled: that credits no account.
#[test]
fn a_withdrawal_waits_for_its_wallet() {
    let x = Exchange::builder().flag("--funds", "simulated").flag("--metrics-listen", "127.0.0.1:0").start();
    let owner = x.as_("fund-manager");
    owner.call("/v1/approvedAddresses/ethereum/request", json!({ "address": ETH, "label": "mine" })).ok();
    x.advance(WEEK);
    let own = new_address(&x, "ethereum");
    send(&x, "ethereum", &own, "GALA", "100");
    mine(&x, "ethereum", 12);
    chain(&x, "ethereum", "reorg", json!({ "depth": 12, "drop": true }));
    x.admin(&["resume", "--scope", "asset", "GALA", "--reason", "looked at"]);
    withdraw(&x, "ethereum/gala", ETH, "80");
    mine(&x, "ethereum", 1);
    let paid = || x.get(&format!("/sandbox/chains/ethereum?address={ETH}")).ok()["transactions"].clone();
    assert_eq!(paid(), json!([]));
    assert_eq!(waiting(&x), 1);
    let all = customers(&x);
    let wallets = reserves(&x)["wallets"].clone();
    let ether = wallets.as_array().unwrap().iter().find(|row| row["network"] == "ethereum").unwrap();
    send(&x, "ethereum", text(&ether["addresses"][0]), "GALA", "100");
    mine(&x, "ethereum", 1);
    assert_eq!((&paid()[0]["amount"], waiting(&x)), (&json!("80"), 0));
    assert_eq!(customers(&x), all, "no account is credited");
    mine(&x, "ethereum", 12);
    exact(&x, NONE);
    assert_eq!(hot(&x, "ethereum", "GALA"), dec("20"));
}
