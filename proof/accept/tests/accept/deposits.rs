//! Deposits from simulated chains: seen, confirmed, credited once, removed and lost. Clauses XFER-005, XFER-010, ADDR-007.

use buttonwood_accept::{Exchange, Value, dec, json, laws, wait_until};

const OUTSIDE: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";

fn start() -> Exchange {
    Exchange::builder().flag("--funds", "simulated").start()
}

fn address(x: &Exchange, network: &str) -> String {
    let made = x.as_("fund-manager").call(&format!("/v1/deposit/{network}/newAddress"), json!({})).ok();
    made["address"].as_str().expect("an address").to_owned()
}

fn chain(x: &Exchange, network: &str, call: &str, body: &Value) -> Value {
    x.control(&format!("/sandbox/chains/{network}/{call}"), body).ok()
}

fn send(x: &Exchange, network: &str, address: &str, currency: &str, amount: &str) -> Value {
    chain(x, network, "send", &json!({ "address": address, "currency": currency, "amount": amount }))
}

fn mine(x: &Exchange, network: &str, blocks: u32) {
    chain(x, network, "mine", &json!({ "blocks": blocks }));
}

fn amount(x: &Exchange, currency: &str) -> String {
    let rows = x.as_("fund-manager").balances();
    let row = rows.into_iter().find(|row| row["currency"] == currency);
    row.map_or_else(|| "0".to_owned(), |row| row["amount"].as_str().unwrap().to_owned())
}

/// The deposits from chains, newest first.
fn rows(x: &Exchange) -> Vec<Value> {
    let all = x.as_("fund-manager").call("/v1/transfers", json!({})).ok();
    let deposits =
        all.as_array().unwrap().iter().filter(|row| row["type"] == "Deposit" && row["txHash"].is_string());
    deposits.cloned().collect()
}

fn confirmations(x: &Exchange, network: &str) -> u32 {
    let shown = x.get(&format!("/sandbox/chains/{network}")).ok();
    u32::try_from(shown["confirmations"].as_u64().unwrap()).unwrap()
}

/// The directory of the stopped exchange is right.
fn check(x: &Exchange) {
    x.stop();
    laws::verified(x);
}

/// A payment shows as a pending row at once, and is credited at the required confirmations, exactly once, over a kill and further blocks.
/// Proves XFER-010, ADDR-007.
#[test]
fn a_deposit_is_credited_once_at_its_confirmations() {
    let x = start();
    let (own, before) = (address(&x, "bitcoin"), amount(&x, "BTC"));
    let required = confirmations(&x, "bitcoin");
    assert!(required >= 2);
    let sent = send(&x, "bitcoin", &own, "BTC", "1.5");
    let row = rows(&x).remove(0);
    assert_eq!((&row["status"], &row["txHash"]), (&json!("Pending"), &sent["txHash"]), "{row}");
    assert_eq!((&row["amount"], &row["outputIdx"]), (&json!("1.5"), &sent["outputIdx"]), "{row}");
    let shown = x.get(&format!("/sandbox/chains/bitcoin?address={own}")).ok();
    assert_eq!(shown["mempool"], json!([sent["txHash"]]));
    assert_eq!(shown["transactions"][0]["txHash"], sent["txHash"]);
    assert_eq!(shown["transactions"][0]["height"], Value::Null);
    assert_eq!(
        (&row["confirmations"], &row["requiredConfirmations"]),
        (&json!(0), &json!(required)),
        "{row}"
    );
    for confirmed in 1..required {
        mine(&x, "bitcoin", 1);
        assert_eq!(rows(&x)[0]["status"], "Pending");
        assert_eq!(rows(&x)[0]["confirmations"], confirmed);
        assert_eq!(amount(&x, "BTC"), before, "nothing is credited early");
    }
    x.kill9();
    x.restart();
    mine(&x, "bitcoin", 1);
    assert_eq!(rows(&x)[0]["status"], "Complete");
    let after = amount(&x, "BTC");
    assert_eq!(dec(&after) - dec(&before), dec("1.5"));
    mine(&x, "bitcoin", 5);
    x.kill9();
    x.restart();
    mine(&x, "bitcoin", 1);
    assert_eq!(amount(&x, "BTC"), after, "it is credited once");
    assert_eq!(rows(&x).len(), 1);
    check(&x);
}

/// A payment whose block is removed waits again; one that vanishes leaves the listing, and is never credited.
#[test]
fn a_reorganisation_before_the_credit_delays_or_ends_a_deposit() {
    let x = start();
    let (own, before) = (address(&x, "bitcoin"), amount(&x, "BTC"));
    let required = confirmations(&x, "bitcoin");
    send(&x, "bitcoin", &own, "BTC", "1");
    mine(&x, "bitcoin", 1);
    chain(&x, "bitcoin", "reorg", &json!({ "depth": 1 }));
    assert_eq!(rows(&x)[0]["status"], "Pending");
    assert_eq!(amount(&x, "BTC"), before);
    mine(&x, "bitcoin", required);
    assert_eq!(dec(&amount(&x, "BTC")) - dec(&before), dec("1"));
    let lost = send(&x, "bitcoin", &own, "BTC", "2");
    mine(&x, "bitcoin", 1);
    let gone = chain(&x, "bitcoin", "reorg", &json!({ "depth": 1, "drop": true }));
    assert_eq!(gone["dropped"], json!([lost["txHash"]]));
    mine(&x, "bitcoin", 20);
    assert_eq!(dec(&amount(&x, "BTC")) - dec(&before), dec("1"));
    check(&x);
}

/// A credit stays when its block is removed; withdrawals of the asset then stop until an operator resumes them.
#[test]
fn a_reorganisation_after_the_credit_halts_the_asset() {
    let x = start();
    let (own, before) = (address(&x, "bitcoin"), amount(&x, "BTC"));
    let required = confirmations(&x, "bitcoin");
    send(&x, "bitcoin", &own, "BTC", "1");
    mine(&x, "bitcoin", required);
    chain(&x, "bitcoin", "reorg", &json!({ "depth": required }));
    mine(&x, "bitcoin", required);
    assert_eq!(dec(&amount(&x, "BTC")) - dec(&before), dec("1"), "credited once, and it stays");
    let owner = x.as_("fund-manager");
    owner.call("/v1/approvedAddresses/bitcoin/request", json!({ "address": OUTSIDE, "label": "mine" })).ok();
    x.advance(7 * 86_400);
    let leave = json!({ "address": OUTSIDE, "amount": "1" });
    owner.call("/v2/withdraw/bitcoin/btc", leave).refused(503, "System");
    check(&x);
}

/// A network without addresses of its own pays into those of ethereum. Proves XFER-005.
#[test]
fn arbitrum_pays_into_an_address_of_ethereum() {
    let x = start();
    let (own, before) = (address(&x, "ethereum"), amount(&x, "ETH"));
    send(&x, "arbitrum", &own, "ETH", "3");
    mine(&x, "arbitrum", confirmations(&x, "arbitrum"));
    assert_eq!(dec(&amount(&x, "ETH")) - dec(&before), dec("3"));
    assert_eq!(rows(&x)[0]["status"], "Complete");
    check(&x);
}

/// Where the clock is real, blocks come by themselves while a payment waits.
#[test]
fn blocks_come_by_themselves_where_the_clock_is_real() {
    let x = Exchange::builder().flag("--funds", "simulated").flag("--clock", "real").start();
    let own = address(&x, "bitcoin");
    send(&x, "bitcoin", &own, "BTC", "1");
    wait_until("blocks", || rows(&x)[0]["status"] == "Complete");
    check(&x);
}

/// A payment to an address of another is none of ours; wrong fields are refused by name.
#[test]
fn foreign_payments_and_wrong_fields_change_nothing() {
    let x = start();
    let before = amount(&x, "BTC");
    send(&x, "bitcoin", OUTSIDE, "BTC", "1");
    mine(&x, "bitcoin", 10);
    assert_eq!((amount(&x, "BTC"), rows(&x).len()), (before, 0));
    let refused = |network: &str, call: &str, body: Value, field: &str| {
        let refusal = x.control(&format!("/sandbox/chains/{network}/{call}"), &body);
        assert_eq!(refusal.status(), 400, "{body}");
        assert!(refusal.error().message.contains(field), "{:?}", refusal.error());
    };
    let payment = |address: &str, currency: &str, amount: &str| json!({ "address": address, "currency": currency, "amount": amount });
    refused("nowhere", "mine", json!({ "blocks": 1 }), "nowhere");
    refused("bitcoin", "mine", json!({ "blocks": 0 }), "blocks");
    refused("bitcoin", "mine", json!({ "blocks": 10_001 }), "blocks");
    refused("bitcoin", "mine", json!({}), "blocks");
    refused("bitcoin", "reorg", json!({ "depth": 0 }), "depth");
    refused("bitcoin", "reorg", json!({ "depth": 50 }), "depth");
    refused("bitcoin", "reorg", json!({ "depth": 1, "drop": 1 }), "drop");
    refused("bitcoin", "node", json!({ "broadcast": "explode", "times": 1 }), "broadcast");
    refused("bitcoin", "node", json!({ "broadcast": "revert", "times": 1 }), "broadcast");
    refused("bitcoin", "node", json!({ "broadcast": "refuse", "times": -1 }), "times");
    refused("bitcoin", "send", payment("x", "BTC", "1"), "address");
    refused("bitcoin", "send", payment(OUTSIDE, "ETH", "1"), "currency");
    refused("bitcoin", "send", payment(OUTSIDE, "BTC", "0"), "amount");
    refused("bitcoin", "send", payment(OUTSIDE, "BTC", "-1"), "amount");
    assert_eq!(x.get("/sandbox/chains/bitcoin?address=x").status(), 400);
    check(&x);
}

/// Many empty blocks take little room, in the journal and in the chain's file, and what was paid before them is final.
#[test]
fn many_empty_blocks_take_little_room() {
    let x = start();
    let (own, before) = (address(&x, "bitcoin"), amount(&x, "BTC"));
    send(&x, "bitcoin", &own, "BTC", "1");
    mine(&x, "bitcoin", 1);
    let chain_file = x.data().join("chains").join("bitcoin.chain");
    let size = || std::fs::metadata(&chain_file).unwrap().len();
    // Segments are filled with zeros ahead.
    let journal = || {
        let files = std::fs::read_dir(x.data().join("journal")).unwrap().map(|entry| entry.unwrap().path());
        let segments = files.filter(|path| path.extension().is_some_and(|end| end == "segment"));
        segments
            .map(|path| std::fs::read(path).unwrap().iter().filter(|byte| **byte != 0).count())
            .sum::<usize>()
    };
    let (bytes, kept) = (size(), journal());
    mine(&x, "bitcoin", 10_000);
    assert!(size() - bytes < 100, "{} bytes", size() - bytes);
    assert!(journal() - kept < 20_000, "{} bytes", journal() - kept);
    assert_eq!(dec(&amount(&x, "BTC")), dec(&before) + dec("1"));
    x.kill9();
    x.restart();
    chain(&x, "bitcoin", "reorg", &json!({ "depth": 60 }));
    mine(&x, "bitcoin", 3);
    assert_eq!(dec(&amount(&x, "BTC")), dec(&before) + dec("1"));
    check(&x);
}
