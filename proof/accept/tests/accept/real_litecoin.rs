//! A real node in place of a simulated chain (`--chain`): litecoind as a node of litecoin. Clauses XFER-010, XFER-019.
//!
//! `BUTTONWOOD_LITECOIND` names its program, which `cargo xtask test` installs; without it these tests say that they are skipped.

mod node;

use buttonwood_accept::{Answer, Exchange, Value, dec, json, laws};
use node::Node;

const WEEK: u64 = 7 * 86_400;

fn start_at(node: &Node) -> Exchange {
    let builder = Exchange::builder().flag("--funds", "simulated");
    builder.argument(&format!("--chain=litecoin={}", node.url())).start()
}

/// The height that the exchange has followed the node to: what the node shows is journaled, and what is owed is sent.
fn sync(x: &Exchange) -> u64 {
    x.get("/sandbox/chains/litecoin").ok()["height"].as_u64().unwrap()
}

fn mine(x: &Exchange, node: &Node, blocks: u64) {
    for _ in 0..blocks {
        node.mine(1);
        assert_eq!(sync(x), node.height());
    }
}

fn required(x: &Exchange) -> u64 {
    x.get("/sandbox/chains/litecoin").ok()["confirmations"].as_u64().unwrap()
}

fn amount(x: &Exchange) -> String {
    let rows = x.as_("fund-manager").balances();
    let row = rows.into_iter().find(|row| row["currency"] == "LTC");
    row.map_or_else(|| "0".to_owned(), |row| row["amount"].as_str().unwrap().to_owned())
}

/// The transfers over the chain of a kind, newest first.
fn rows(x: &Exchange, kind: &str) -> Vec<Value> {
    let all = x.as_("fund-manager").call("/v1/transfers", json!({})).ok();
    let of_kind =
        all.as_array().unwrap().iter().filter(|row| row["type"] == kind && row["txHash"].is_string());
    of_kind.cloned().collect()
}

fn own_address(x: &Exchange, legacy: bool) -> String {
    let terms = json!({ "legacy": legacy });
    let made = x.as_("fund-manager").call("/v1/deposit/litecoin/newAddress", terms).ok();
    made["address"].as_str().unwrap().to_owned()
}

/// The address of the house's hot wallet, which an operator fills up: the log shows it.
fn hot_wallet(x: &Exchange) -> String {
    sync(x);
    let log = x.log();
    let line = log.lines().find(|line| line.contains("a real node is followed")).expect("the log says so");
    let start = line.find("rltc1").expect("it has the address");
    line[start..].chars().take_while(char::is_ascii_alphanumeric).collect()
}

/// An exchange whose hot wallet has 20 LTC, and whose fund manager has some and may pay the address outside.
fn funded(node: &Node) -> (Exchange, String) {
    stocked(node, "20", false)
}

/// The same with another amount in the hot wallet, and deposits to an address of either form.
fn stocked(node: &Node, hot: &str, legacy: bool) -> (Exchange, String) {
    let x = start_at(node);
    node.send(&hot_wallet(&x), hot);
    node.send(&own_address(&x, legacy), "50");
    let outside = node.address();
    let owner = x.as_("fund-manager");
    owner.call("/v1/approvedAddresses/litecoin/request", json!({ "address": outside, "label": "mine" })).ok();
    x.advance(WEEK);
    mine(&x, node, required(&x));
    (x, outside)
}

fn withdraw(x: &Exchange, outside: &str, amount: &str) -> Answer {
    x.as_("fund-manager").call("/v2/withdraw/litecoin/ltc", json!({ "address": outside, "amount": amount }))
}

/// The directory of the stopped exchange is right.
fn check(x: &Exchange) {
    x.stop();
    laws::verified(x);
}

/// Payments to both forms of address are seen while they wait, and credited once, at the required confirmations; addresses are spelled
/// as on the node's chain. Proves XFER-010.
#[test]
fn deposits_are_credited_once_at_their_confirmations() {
    let Some(node) = Node::start() else { return };
    let x = start_at(&node);
    let required = required(&x);
    let (own, legacy) = (own_address(&x, false), own_address(&x, true));
    assert!(own.starts_with("rltc1q"), "{own}");
    let before = dec(&amount(&x));
    let sent = [node.send(&own, "1.5"), node.send(&legacy, "0.00012345")];
    sync(&x);
    let pending = rows(&x, "Deposit");
    assert_eq!(pending.len(), 2, "{pending:?}");
    for (tx, paid) in [(&sent[0], "1.5"), (&sent[1], "0.00012345")] {
        let row = pending.iter().find(|row| row["txHash"] == **tx).expect("a row for the payment");
        assert_eq!((&row["currency"], &row["amount"]), (&json!("LTC"), &json!(paid)), "{row}");
        assert_eq!((&row["status"], &row["requiredConfirmations"]), (&json!("Pending"), &json!(required)));
    }
    mine(&x, &node, required - 1);
    assert_eq!(dec(&amount(&x)), before, "nothing is credited early");
    x.kill9();
    x.restart();
    mine(&x, &node, 1);
    assert_eq!(dec(&amount(&x)) - before, dec("1.50012345"));
    mine(&x, &node, 2);
    assert_eq!(dec(&amount(&x)) - before, dec("1.50012345"), "credited once");
    check(&x);
}

/// A kill at any step between acceptance and confirmation: each withdrawal is paid once, by the hot wallet. Proves XFER-019.
#[test]
fn a_kill_at_any_step_pays_once() {
    let Some(node) = Node::start() else { return };
    let (x, outside) = funded(&node);
    let (required, before) = (required(&x), dec(&amount(&x)));
    for (paid, blocks) in (1_u64..).zip([None, Some(0), Some(1)]) {
        withdraw(&x, &outside, "2").ok();
        if let Some(blocks) = blocks {
            sync(&x);
            mine(&x, &node, blocks);
        }
        x.kill9();
        x.restart();
        sync(&x);
        mine(&x, &node, required);
        assert_eq!(
            dec(&node.received(&outside)),
            dec(&(2 * paid).to_string()),
            "killed after {blocks:?} blocks"
        );
    }
    let ended = rows(&x, "Withdrawal");
    assert!(ended.len() == 3 && ended.iter().all(|row| row["status"] == "Complete"), "{ended:?}");
    assert_eq!(before - dec(&amount(&x)), dec("6"));
    check(&x);
}

/// Deposits to addresses of the older form pay nothing: a withdrawal waits, with an alarm, until the hot wallet can pay it.
#[test]
fn older_addresses_pay_nothing() {
    let Some(node) = Node::start() else { return };
    let (x, outside) = stocked(&node, "1", true);
    withdraw(&x, &outside, "3").ok();
    mine(&x, &node, 2);
    withdraw(&x, &outside, "0.5").ok();
    mine(&x, &node, required(&x));
    assert_eq!(dec(&node.received(&outside)), dec("0.5"), "another payment goes on");
    assert!(x.log().contains("an address of deposits cannot be swept"), "{}", x.log());
    node.send(&hot_wallet(&x), "20");
    mine(&x, &node, 1);
    mine(&x, &node, required(&x));
    assert_eq!(dec(&node.received(&outside)), dec("3.5"));
    check(&x);
}

/// A reorganisation before the end of a withdrawal delays it, and its same bytes are sent again; one after the end halts the asset.
#[test]
fn a_reorganisation_pays_once() {
    let Some(node) = Node::start() else { return };
    let (x, outside) = funded(&node);
    withdraw(&x, &outside, "3").ok();
    sync(&x);
    let tx = rows(&x, "Withdrawal").remove(0)["txHash"].clone();
    mine(&x, &node, 2);
    node.reorg(2);
    assert_eq!((sync(&x), dec(&node.received(&outside))), (node.height(), dec("0")));
    let required = required(&x);
    mine(&x, &node, required);
    let row = rows(&x, "Withdrawal").remove(0);
    assert_eq!((&row["status"], &row["txHash"]), (&json!("Complete"), &tx), "{row}");
    node.reorg(required);
    sync(&x);
    assert_eq!(rows(&x, "Withdrawal")[0]["status"], "Complete");
    withdraw(&x, &outside, "1").refused(503, "System");
    mine(&x, &node, required);
    assert_eq!(dec(&node.received(&outside)), dec("3"));
    check(&x);
}
