//! Real nodes in place of simulated chains (`--chain`): anvil as a node of ethereum. Clauses XFER-010, XFER-019.
//!
//! `BUTTONWOOD_ANVIL` names its program, which `cargo xtask test` installs; without it these tests say that they are skipped.

mod node;

use buttonwood_accept::{Answer, Exchange, Value, dec, json, laws, run_to_end};
use node::{Node, OUTSIDE, TOKEN, ether};

const WEEK: u64 = 7 * 86_400;

fn start_at(url: &str) -> Exchange {
    let builder = Exchange::builder().flag("--funds", "simulated");
    let builder = builder.argument(&format!("--chain=ethereum={url}"));
    builder.argument(&format!("--chain-token=ethereum/GUSD={TOKEN}")).start()
}

/// The height that the exchange has followed the node to: what the node shows is journaled, and what is owed is sent.
fn sync(x: &Exchange) -> u64 {
    x.get("/sandbox/chains/ethereum").ok()["height"].as_u64().unwrap()
}

fn mine(x: &Exchange, node: &Node, blocks: u64) {
    for _ in 0..blocks {
        node.mine(1);
        assert_eq!(sync(x), node.height());
    }
}

fn required(x: &Exchange) -> u64 {
    x.get("/sandbox/chains/ethereum").ok()["confirmations"].as_u64().unwrap()
}

fn amount(x: &Exchange, currency: &str) -> String {
    let rows = x.as_("fund-manager").balances();
    let row = rows.into_iter().find(|row| row["currency"] == currency);
    row.map_or_else(|| "0".to_owned(), |row| row["amount"].as_str().unwrap().to_owned())
}

/// The transfers over chains of a kind, newest first.
fn rows(x: &Exchange, kind: &str) -> Vec<Value> {
    let all = x.as_("fund-manager").call("/v1/transfers", json!({})).ok();
    let of_kind =
        all.as_array().unwrap().iter().filter(|row| row["type"] == kind && row["txHash"].is_string());
    of_kind.cloned().collect()
}

fn own_address(x: &Exchange) -> String {
    let made = x.as_("fund-manager").call("/v1/deposit/ethereum/newAddress", json!({})).ok();
    made["address"].as_str().unwrap().to_owned()
}

/// The address of the house's hot wallet, which an operator fills up: the log shows it.
fn hot_wallet(x: &Exchange) -> String {
    sync(x);
    let log = x.log();
    let line = log.lines().find(|line| line.contains("a real node is followed")).expect("the log says so");
    let start = line.find("0x").expect("it has the address");
    line[start..start + 42].to_owned()
}

/// An exchange whose hot wallet has 100 ETH and 1,000 GUSD, and whose fund manager may pay an address outside.
fn funded(node: &Node, url: &str) -> (Exchange, String) {
    let x = start_at(url);
    let wallet = hot_wallet(&x);
    node.set_balance(&wallet, ether(100));
    node.set_tokens(&wallet, 100_000);
    let owner = x.as_("fund-manager");
    owner.call("/v1/approvedAddresses/ethereum/request", json!({ "address": OUTSIDE, "label": "mine" })).ok();
    x.credit("fund-manager", "GUSD", "100");
    x.advance(WEEK);
    mine(&x, node, 1);
    (x, wallet)
}

fn withdraw(x: &Exchange, ticker: &str, amount: &str) -> Answer {
    let terms = json!({ "address": OUTSIDE, "amount": amount });
    x.as_("fund-manager").call(&format!("/v2/withdraw/ethereum/{ticker}"), terms)
}

/// The directory of the stopped exchange is right.
fn check(x: &Exchange) {
    x.stop();
    laws::verified(x);
}

/// A payment of ether and one of a token are seen while they wait, and credited once, at the required confirmations. Proves XFER-010.
#[test]
fn deposits_are_credited_once_at_their_confirmations() {
    let Some(node) = Node::start() else { return };
    let x = start_at(&node.url);
    let (own, required) = (own_address(&x), required(&x));
    sync(&x);
    let before = ["ETH", "GUSD"].map(|code| dec(&amount(&x, code)));
    let sent = [node.send(&own, 15 * ether(1) / 10), node.send_tokens(&own, 123)];
    sync(&x);
    let pending = rows(&x, "Deposit");
    assert_eq!(pending.len(), 2, "{pending:?}");
    for (tx, code, paid) in [(&sent[0], "ETH", "1.5"), (&sent[1], "GUSD", "1.23")] {
        let row = pending.iter().find(|row| row["txHash"] == **tx).expect("a row for the payment");
        assert_eq!((&row["currency"], &row["amount"]), (&json!(code), &json!(paid)), "{row}");
        assert_eq!((&row["status"], &row["requiredConfirmations"]), (&json!("Pending"), &json!(required)));
    }
    mine(&x, &node, required - 1);
    assert_eq!(["ETH", "GUSD"].map(|code| dec(&amount(&x, code))), before, "nothing is credited early");
    x.kill9();
    x.restart();
    mine(&x, &node, 1);
    let gained = ["ETH", "GUSD"].map(|code| dec(&amount(&x, code)));
    assert_eq!((gained[0] - before[0], gained[1] - before[1]), (dec("1.5"), dec("1.23")));
    mine(&x, &node, 3);
    assert_eq!(["ETH", "GUSD"].map(|code| dec(&amount(&x, code))), gained, "credited once");
    assert!(rows(&x, "Deposit").iter().all(|row| row["status"] == "Complete"));
    check(&x);
}

/// Of a real node only its height and the confirmations are shown, and no control call moves it; other networks stay simulated.
#[test]
fn a_real_node_is_not_moved_by_control_calls() {
    let Some(node) = Node::start() else { return };
    let x = start_at(&node.url);
    let shown = x.get("/sandbox/chains/ethereum").ok();
    assert_eq!(shown, json!({ "height": node.height(), "confirmations": 12 }));
    let payment = json!({ "address": OUTSIDE, "currency": "ETH", "amount": "1" });
    let calls = [
        ("send", payment),
        ("mine", json!({ "blocks": 1 })),
        ("reorg", json!({ "depth": 1 })),
        ("node", json!({ "broadcast": "normal" })),
    ];
    for (call, body) in calls {
        let path = format!("/sandbox/chains/ethereum/{call}");
        x.control(&path, &body).refused(400, "InvalidParameterValue");
    }
    x.control("/sandbox/chains/bitcoin/mine", &json!({ "blocks": 1 })).ok();
    x.control("/sandbox/chains/base/mine", &json!({ "blocks": 1 })).ok();
    check(&x);
}

/// Withdrawals of ether and of a token are paid by the hot wallet, which pays the network too; the account pays none of that.
/// Proves XFER-019.
#[test]
fn withdrawals_are_paid_by_the_hot_wallet() {
    let Some(node) = Node::start() else { return };
    let (x, wallet) = funded(&node, &node.url);
    let before = ["ETH", "GUSD"].map(|code| dec(&amount(&x, code)));
    withdraw(&x, "eth", "3").ok();
    withdraw(&x, "gusd", "20").ok();
    mine(&x, &node, required(&x) - 1);
    assert!(rows(&x, "Withdrawal").iter().all(|row| row["status"] == "Pending"));
    mine(&x, &node, 1);
    let ended = rows(&x, "Withdrawal");
    assert!(ended.len() == 2 && ended.iter().all(|row| row["status"] == "Complete"), "{ended:?}");
    assert_eq!((node.balance(OUTSIDE), node.tokens(OUTSIDE)), (ether(3), 2_000));
    let after = ["ETH", "GUSD"].map(|code| dec(&amount(&x, code)));
    assert_eq!((before[0] - after[0], before[1] - after[1]), (dec("3"), dec("20")));
    assert!(node.balance(&wallet) < ether(97), "the network's cost is the house's");
    assert_eq!(node.tokens(&wallet), 98_000);
    // No flag names the contract of USDC on this chain.
    withdraw(&x, "usdc", "20").refused(404, "UnsupportedNetwork");
    check(&x);
}

/// A hot wallet that cannot pay leaves the withdrawal waiting; once it is filled up it pays.
#[test]
fn a_withdrawal_waits_for_the_wallet_to_be_filled_up() {
    let Some(node) = Node::start() else { return };
    let (x, wallet) = funded(&node, &node.url);
    node.set_balance(&wallet, ether(2));
    withdraw(&x, "eth", "3").ok();
    mine(&x, &node, 14);
    assert_eq!(rows_pending(&x), 1);
    assert_eq!(node.balance(OUTSIDE), 0);
    node.set_balance(&wallet, ether(100));
    mine(&x, &node, 1);
    mine(&x, &node, required(&x));
    assert_eq!((node.balance(OUTSIDE), rows_pending(&x)), (ether(3), 0));
    check(&x);
}

/// A token at an address of deposits without gas cannot be swept: what needs it waits, with an alarm, and nothing else does. Once the
/// address has gas, the token is swept.
#[test]
fn a_token_without_gas_waits() {
    let Some(node) = Node::start() else { return };
    let (x, wallet) = funded(&node, &node.url);
    let own = own_address(&x);
    node.set_tokens(&wallet, 1_000);
    node.send_tokens(&own, 2_000);
    mine(&x, &node, required(&x));
    withdraw(&x, "gusd", "25").ok();
    mine(&x, &node, 2);
    withdraw(&x, "eth", "3").ok();
    withdraw(&x, "gusd", "5").ok();
    sync(&x);
    mine(&x, &node, required(&x));
    assert_eq!((node.balance(OUTSIDE), node.tokens(OUTSIDE), rows_pending(&x)), (ether(3), 500, 1));
    assert!(x.log().contains("an address of deposits cannot be swept"), "{}", x.log());
    node.send(&own, ether(1));
    mine(&x, &node, required(&x));
    mine(&x, &node, required(&x));
    assert_eq!((node.tokens(OUTSIDE), rows_pending(&x)), (2_500 + 500, 0));
    assert_eq!((node.tokens(&wallet), node.tokens(&own)), (0, 0));
    check(&x);
}

/// A withdrawal that was accepted before a halt is not signed while the halt lasts, over a kill too; after it, it is paid once.
#[test]
fn a_halt_stops_what_is_not_signed() {
    let Some(node) = Node::start() else { return };
    let (x, wallet) = funded(&node, &node.url);
    let scopes = [json!({ "scope": "withdrawals" }), json!({ "scope": "asset", "currency": "ETH" })];
    for (paid, scope) in (0_u128..).zip(&scopes) {
        node.set_balance(&wallet, ether(2));
        withdraw(&x, "eth", "3").ok();
        mine(&x, &node, 1);
        x.control("/sandbox/halt", scope).ok();
        node.set_balance(&wallet, ether(100));
        mine(&x, &node, 2);
        x.kill9();
        x.restart();
        mine(&x, &node, required(&x));
        assert_eq!((node.balance(OUTSIDE), rows_pending(&x)), (ether(3 * paid), 1), "{scope}");
        x.control("/sandbox/resume", scope).ok();
        sync(&x);
        mine(&x, &node, required(&x));
        assert_eq!((node.balance(OUTSIDE), rows_pending(&x)), (ether(3 * paid + 3), 0), "{scope}");
    }
    // A withdrawal that is signed already goes on.
    withdraw(&x, "eth", "3").ok();
    sync(&x);
    x.control("/sandbox/halt", &scopes[0]).ok();
    mine(&x, &node, required(&x));
    assert_eq!((node.balance(OUTSIDE), rows_pending(&x)), (ether(9), 0));
    check(&x);
}

fn rows_pending(x: &Exchange) -> usize {
    let all = x.as_("fund-manager").call("/v1/transfers", json!({})).ok();
    let rows = all.as_array().unwrap().iter();
    rows.filter(|row| row["type"] == "Withdrawal" && row["status"] == "Pending").count()
}

/// A payment that offers too little for six blocks is replaced by one that offers more; one of the two is paid.
#[test]
fn a_payment_that_waits_too_long_offers_more() {
    let Some(node) = Node::start() else { return };
    let (x, _) = funded(&node, &node.url);
    withdraw(&x, "eth", "3").ok();
    sync(&x);
    let first = rows(&x, "Withdrawal").remove(0)["txHash"].clone();
    // The next blocks cost far more than the payment offers.
    node.set_base_fee(100_000_000_000);
    mine(&x, &node, 5);
    assert_eq!(rows(&x, "Withdrawal")[0]["txHash"], first);
    mine(&x, &node, 1);
    let second = rows(&x, "Withdrawal").remove(0)["txHash"].clone();
    assert_ne!(first, second);
    mine(&x, &node, required(&x) + 1);
    let row = rows(&x, "Withdrawal").remove(0);
    assert_eq!((&row["status"], &row["txHash"]), (&json!("Complete"), &second), "{row}");
    assert_eq!(node.balance(OUTSIDE), ether(3));
    check(&x);
}

/// A reorganisation before the end of a deposit and of a withdrawal delays both; the withdrawal's same bytes are sent again.
#[test]
fn a_reorganisation_before_the_end_delays() {
    let Some(node) = Node::start() else { return };
    let (x, _) = funded(&node, &node.url);
    let (own, before) = (own_address(&x), dec(&amount(&x, "ETH")));
    withdraw(&x, "eth", "3").ok();
    sync(&x);
    let deposit = node.send(&own, ether(1));
    let bytes = node.raw(&deposit);
    let tx = rows(&x, "Withdrawal").remove(0)["txHash"].clone();
    mine(&x, &node, 2);
    node.reorg(3);
    assert_eq!(sync(&x), node.height());
    assert_eq!((rows(&x, "Deposit")[0]["confirmations"].clone(), node.balance(OUTSIDE)), (json!(0), 0));
    assert_eq!(dec(&amount(&x, "ETH")), before);
    node.send_raw(&bytes);
    mine(&x, &node, required(&x));
    let row = rows(&x, "Withdrawal").remove(0);
    assert_eq!((&row["status"], &row["txHash"]), (&json!("Complete"), &tx), "{row}");
    assert_eq!((&rows(&x, "Deposit")[0]["status"], node.balance(OUTSIDE)), (&json!("Complete"), ether(3)));
    assert_eq!(before - dec(&amount(&x, "ETH")), dec("2"));
    check(&x);
}

/// A reorganisation after the end halts the asset: what was credited stays, the payment is sent again and made once.
#[test]
fn a_reorganisation_after_the_end_halts_the_asset() {
    let Some(node) = Node::start() else { return };
    let (x, _) = funded(&node, &node.url);
    withdraw(&x, "eth", "3").ok();
    sync(&x);
    let required = required(&x);
    mine(&x, &node, required);
    assert_eq!(rows(&x, "Withdrawal")[0]["status"], "Complete");
    let after = amount(&x, "ETH");
    node.reorg(required);
    sync(&x);
    assert_eq!(
        (&rows(&x, "Withdrawal")[0]["status"], amount(&x, "ETH")),
        (&json!("Complete"), after.clone())
    );
    withdraw(&x, "eth", "1").refused(503, "System");
    mine(&x, &node, required);
    assert_eq!((node.balance(OUTSIDE), amount(&x, "ETH")), (ether(3), after));
    withdraw(&x, "gusd", "20").ok();
    check(&x);
}

/// A kill at any step between acceptance and confirmation: the withdrawal is paid once.
#[test]
fn a_kill_at_any_step_pays_once() {
    let Some(node) = Node::start() else { return };
    let (x, _) = funded(&node, &node.url);
    let required = required(&x);
    for (paid, blocks) in (1_u128..).zip([None, Some(0), Some(1)]) {
        withdraw(&x, "eth", "2").ok();
        if let Some(blocks) = blocks {
            sync(&x);
            mine(&x, &node, blocks);
        }
        x.kill9();
        x.restart();
        sync(&x);
        mine(&x, &node, required);
        assert_eq!(node.balance(OUTSIDE), ether(2) * paid, "killed after {blocks:?} blocks");
        assert_eq!(rows_pending(&x), 0);
    }
    check(&x);
}

/// A node whose answers are malformed, too large, of another call or missing changes nothing; when it is right again, what was owed
/// is paid once.
#[test]
fn a_node_that_answers_wrongly_changes_nothing() {
    let Some(node) = Node::start() else { return };
    let proxy = node::Proxy::start(&node);
    let (x, _) = funded(&node, &proxy.url);
    let own = own_address(&x);
    sync(&x);
    let before = amount(&x, "ETH");
    withdraw(&x, "eth", "3").ok();
    node.send(&own, ether(1));
    for wrong in node::WRONG {
        proxy.answer(Some(wrong));
        x.get("/sandbox/chains/ethereum").refused(503, "System");
        assert_eq!(amount(&x, "ETH"), before);
        assert!(x.is_running());
    }
    node.mine(3);
    x.kill9();
    proxy.answer(None);
    x.restart();
    sync(&x);
    mine(&x, &node, required(&x) + 1);
    assert_eq!((node.balance(OUTSIDE), rows_pending(&x)), (ether(3), 0));
    assert_eq!(dec(&before) - dec(&amount(&x, "ETH")), dec("2"));
    check(&x);
}

/// The line with which a start is refused.
fn refused(arguments: &[&str]) -> String {
    let common = ["sandbox", "--listen", "127.0.0.1:0", "--activity", "off", "--ephemeral"];
    let output = run_to_end(&[&common, arguments].concat());
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    line
}

/// A node that is missing or serves something else ends the start with one line, without the password.
#[test]
fn a_wrong_node_ends_the_start() {
    const NOBODY: &str = "--chain=ethereum=http://user:secret@127.0.0.1:1/?key=secret";
    let funds = "--funds=simulated";
    let line = refused(&[funds, NOBODY]);
    assert!(line.contains("--chain ethereum=http://127.0.0.1:1/: the node did not answer"), "{line}");
    assert!(!line.contains("secret"), "{line}");
    assert!(refused(&[NOBODY]).contains("--chain: real nodes need --funds simulated"));
    assert!(refused(&[funds, "--chain=mars=http://x"]).contains("no network has this name"));
    assert!(refused(&[funds, "--chain=ethereum=ftp://x"]).contains("a node's URL begins with http://"));
    let Some(node) = Node::start() else { return };
    let chain = format!("--chain=ethereum={}", node.url);
    let line =
        refused(&[funds, &chain, "--chain-token=ethereum/USDC=0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]);
    assert!(line.contains("no contract lies at this address"), "{line}");
    node.set_chain_id(8_453);
    assert!(refused(&[funds, &chain]).contains("this is a node of base"));
}

/// A directory follows one chain of a network: neither another node's nor a simulated one.
#[test]
fn a_directory_stays_with_its_chain() {
    let (Some(node), Some(other)) = (Node::start(), Node::start_as(&["--chain-id", "99"])) else { return };
    let x = start_at(&node.url);
    sync(&x);
    x.stop();
    let data = x.data().to_str().unwrap().to_owned();
    let open = |more: &[&str]| {
        let common = ["sandbox", "--listen", "127.0.0.1:0", "--clock", "manual", "--data", &data];
        let output = run_to_end(&[&common, ["--funds=simulated"].as_slice(), more].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, line) = open(&[]);
    assert!(
        code == Some(2) && line.contains("--chain ethereum: this directory has followed a real node"),
        "{line}"
    );
    let (code, line) = open(&[&format!("--chain=ethereum={}", other.url)]);
    assert!(code == Some(2) && line.contains("has followed another chain"), "{line}");
    x.restart();
    sync(&x);
    check(&x);
}
