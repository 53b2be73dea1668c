//! Withdrawals to the chains: what is accepted, what it holds, and every refusal. Clauses XFER-013 to XFER-023.

use buttonwood_accept::{Actor, Answer, Dec, Exchange, Value, dec, json, laws, same_keys, wait_until};
use std::thread;

/// Addresses of the networks' own specifications (BIP-173, EIP-55).
const BTC: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
const ETH: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const OTHER_BTC: &str = "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3";

const WEEK: u64 = 7 * 86_400;

fn start() -> Exchange {
    Exchange::builder().flag("--funds", "simulated").start()
}

fn request(actor: &Actor, network: &str, address: &str) {
    let path = format!("/v1/approvedAddresses/{network}/request");
    actor.call(&path, json!({ "address": address, "label": "mine" })).ok();
}

/// An exchange on which the fund manager's account may pay both addresses.
fn approved() -> Exchange {
    let x = start();
    let owner = x.as_("fund-manager");
    request(&owner, "bitcoin", BTC);
    request(&owner, "ethereum", ETH);
    x.advance(WEEK);
    x
}

fn withdraw(x: &Exchange, pair: &str, params: Value) -> Answer {
    x.as_("fund-manager").call(&format!("/v2/withdraw/{pair}"), params)
}

/// The directory of the stopped exchange is right: every hold is explained by an order or a transfer (INV-LEDGER-5).
fn check(x: &Exchange) {
    x.stop();
    laws::verified(x);
}

/// Withdraws beside other calls of the same key, which may take a higher nonce first.
fn pressing(owner: &Actor, order: &Value) -> Answer {
    loop {
        let answer = owner.call("/v2/withdraw/bitcoin/btc", order.clone());
        if answer.status() != 400 || answer.error().reason != "InvalidNonce" {
            return answer;
        }
    }
}

fn bitcoin(amount: &str) -> Value {
    json!({ "address": BTC, "amount": amount })
}

fn available(x: &Exchange, currency: &str) -> (String, String) {
    let rows = x.as_("fund-manager").balances();
    let row = rows.into_iter().find(|row| row["currency"] == currency).unwrap();
    (row["amount"].as_str().unwrap().to_owned(), row["available"].as_str().unwrap().to_owned())
}

/// Both versions answer with what they promise; the amount is held at once and still counts. Proves XFER-013, XFER-014.
#[test]
fn an_accepted_withdrawal_is_held_and_answered() {
    let x = approved();
    let (amount, before) = available(&x, "BTC");
    let answer = withdraw(&x, "bitcoin/btc", bitcoin("1.50")).ok();
    same_keys(&answer, &["withdrawalId", "address", "amount", "currency", "fee"], "v2");
    assert_eq!((&answer["address"], &answer["amount"]), (&json!(BTC), &json!("1.5")));
    assert_eq!((&answer["currency"], &answer["fee"]), (&json!("BTC"), &json!("0")));
    let id = answer["withdrawalId"].as_str().unwrap();
    assert!(id.len() == 36 && id.as_bytes()[14] == b'4', "{id}");
    let owner = x.as_("fund-manager");
    let answer = owner.call("/v1/withdraw/btc", bitcoin("0.5")).ok();
    same_keys(&answer, &["address", "amount", "fee", "withdrawalId", "message"], "v1");
    let message = answer["message"].as_str().unwrap();
    for part in ["0.5 BTC", BTC, "about 60 seconds"] {
        assert!(message.contains(part), "{message}");
    }
    let after = available(&x, "BTC");
    assert_eq!(after.0, amount, "what is held still counts");
    assert_eq!(dec(&before) - dec(&after.1), dec("2"));
    check(&x);
}

/// The same client id with equal terms is answered with the first reply, in both spellings and on both versions, after a kill
/// too; with other terms it is refused. A refused call uses no id up. Proves XFER-015.
#[test]
fn a_client_id_withdraws_once() {
    let x = approved();
    let owner = x.as_("fund-manager");
    let mut order = bitcoin("1");
    order["clientTransferId"] = json!("id-1");
    let mut wrong = order.clone();
    wrong["amount"] = json!("100000000");
    withdraw(&x, "bitcoin/btc", wrong).refused(406, "InsufficientFunds");
    let before = available(&x, "BTC").1;
    let first = withdraw(&x, "bitcoin/btc", order.clone()).ok();
    let threads: Vec<_> = (0..40)
        .map(|_| {
            let (owner, order) = (x.fresh("fund-manager"), order.clone());
            thread::spawn(move || (0..25).map(|_| pressing(&owner, &order).ok()).collect::<Vec<_>>())
        })
        .collect();
    for thread in threads {
        assert!(thread.join().unwrap().iter().all(|answer| *answer == first), "1,000 calls, one withdrawal");
    }
    let equal = json!({ "address": BTC.to_uppercase(), "amount": "1.000", "client_transfer_id": "id-1" });
    assert_eq!(withdraw(&x, "bitcoin/BTC", equal.clone()).ok(), first);
    let v1 = owner.call("/v1/withdraw/btc", equal).ok();
    assert_eq!(v1["withdrawalId"], first["withdrawalId"]);
    let mut other = order.clone();
    other["amount"] = json!("1.1");
    let refusal = withdraw(&x, "bitcoin/btc", other).refused(400, "InvalidParameterValue");
    assert!(refusal.message.contains("clientTransferId"), "{refusal:?}");
    x.kill9();
    x.restart();
    assert_eq!(withdraw(&x, "bitcoin/btc", order).ok(), first);
    assert_eq!(dec(&before) - dec(&available(&x, "BTC").1), dec("1"));
    check(&x);
}

/// Of many withdrawals of the whole balance one takes effect. Proves XFER-017.
#[test]
fn the_whole_balance_leaves_once() {
    let x = approved();
    let whole = available(&x, "BTC").1;
    let threads: Vec<_> = (0..40)
        .map(|_| {
            let (owner, order) = (x.fresh("fund-manager"), bitcoin(&whole));
            thread::spawn(move || (0..25).map(|_| pressing(&owner, &order).status()).collect::<Vec<_>>())
        })
        .collect();
    let statuses: Vec<u16> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 406].contains(status)), "{statuses:?}");
    assert_eq!(available(&x, "BTC").1, "0");
    check(&x);
}

/// Only active approved addresses are paid; an account without any list has a reason of its own. Proves XFER-016.
#[test]
fn only_active_approved_addresses_are_paid() {
    let x = start();
    let none = "CryptoAddressWhitelistsNotEnabled";
    withdraw(&x, "bitcoin/btc", bitcoin("1")).refused(400, none);
    let owner = x.as_("fund-manager");
    request(&owner, "ethereum", ETH);
    withdraw(&x, "bitcoin/btc", bitcoin("1")).refused(400, "AddressNotApproved");
    request(&owner, "bitcoin", BTC);
    x.advance(WEEK - 2);
    withdraw(&x, "bitcoin/btc", bitcoin("1")).refused(400, "AddressNotApproved");
    x.advance(2);
    withdraw(&x, "bitcoin/btc", bitcoin("1")).ok();
    let other = json!({ "address": OTHER_BTC, "amount": "1" });
    withdraw(&x, "bitcoin/btc", other).refused(400, "AddressNotApproved");
    owner.call("/v1/approvedAddresses/bitcoin/remove", json!({ "address": BTC })).ok();
    withdraw(&x, "bitcoin/btc", bitcoin("1")).refused(400, "AddressNotApproved");
    // Networks without addresses of their own use ethereum's list.
    withdraw(&x, "arbitrum/eth", json!({ "address": ETH.to_lowercase(), "amount": "1" })).ok();
    check(&x);
}

/// Every wrong field is refused by name, an unknown pair before the address, and nothing is held. Proves XFER-017, XFER-018.
#[test]
fn wrong_withdrawals_are_refused() {
    let x = approved();
    let owner = x.as_("fund-manager");
    let before = available(&x, "BTC");
    for pair in ["mars/btc", "bitcoin/eth", "bitcoin/usd", "bitcoin/nothing", "Bitcoin/btc", "solana/btc"] {
        let refusal = withdraw(&x, pair, json!({ "address": "x", "amount": "y" }));
        refusal.refused(404, "UnsupportedNetwork");
    }
    for currency in ["nothing", "eur", "us"] {
        let path = format!("/v1/withdraw/{currency}");
        owner.call(&path, bitcoin("1")).refused(400, "InvalidCurrency");
    }
    for address in ["", "x", ETH, &BTC.replace("kv8", "kv9"), &format!(" {BTC}")] {
        let answer = withdraw(&x, "bitcoin/btc", json!({ "address": address, "amount": "1" }));
        answer.refused(400, "InvalidAddress");
    }
    for missing in ["address", "amount"] {
        let mut order = bitcoin("1");
        order.as_object_mut().unwrap().remove(missing);
        let refusal = withdraw(&x, "bitcoin/btc", order).error();
        assert!(refusal.message.contains(missing), "{refusal:?}");
    }
    for amount in ["0", "0.0", "-1", "0.000000001", "1e3", "", "abc", "0.00000001", "1.123456789", " 1"] {
        let refusal = withdraw(&x, "bitcoin/btc", bitcoin(amount)).refused(400, "InvalidQuantity");
        assert!(refusal.message.contains("amount"), "{refusal:?}");
    }
    for amount in ["100000000", "99999999999999999999.99999999"] {
        let status = withdraw(&x, "bitcoin/btc", bitcoin(amount)).status();
        assert!([400, 406].contains(&status), "{amount}: {status}");
    }
    for id in ["", "a b", "\u{e9}", &"x".repeat(101)] {
        let mut order = bitcoin("1");
        order["clientTransferId"] = json!(id);
        withdraw(&x, "bitcoin/btc", order).refused(400, "InvalidParameterValue");
    }
    let memo = json!({ "address": BTC, "amount": "1", "memo": "a\u{7}" });
    withdraw(&x, "bitcoin/btc", memo).refused(400, "InvalidParameterValue");
    x.as_("trader").call("/v2/withdraw/bitcoin/btc", bitcoin("1")).refused(403, "MissingRole");
    assert_eq!(available(&x, "BTC"), before, "nothing was held");
    check(&x);
}

/// The estimate equals the fee of the withdrawal that follows: free while free ones are left, then charged, free again under an
/// override. It moves nothing, and takes addresses that are not approved. Proves XFER-022, XFER-023.
#[test]
fn the_fee_is_the_estimate() {
    let x = approved();
    let owner = x.as_("fund-manager");
    let estimate = |address: &str| {
        let params = json!({ "address": address, "amount": "0.01" });
        owner.call("/v2/withdraw/bitcoin/btc/feeEstimate", params)
    };
    for left in (0..10).rev() {
        let before = available(&x, "BTC");
        let expected = json!({
            "currency": "BTC", "fee": 0, "isOverride": false, "monthlyLimit": 10, "monthlyRemaining": left + 1
        });
        assert_eq!(estimate(OTHER_BTC).ok(), expected);
        assert_eq!(available(&x, "BTC"), before, "it moves nothing");
        assert_eq!(withdraw(&x, "bitcoin/btc", bitcoin("0.01")).ok()["fee"], "0");
    }
    let charged = estimate(BTC).ok();
    assert_eq!(charged["monthlyRemaining"], 0);
    let fee = charged["fee"].to_string();
    assert!(dec(&fee) > dec("0"), "a number above zero: {charged}");
    let before = available(&x, "BTC").1;
    assert_eq!(withdraw(&x, "bitcoin/btc", bitcoin("0.01")).ok()["fee"], json!(fee));
    assert_eq!(dec(&before) - dec(&available(&x, "BTC").1), dec("0.01") + dec(&fee));
    let account = |on: bool| json!({ "group": "one", "account": "primary", "on": on });
    x.control("/sandbox/accounts/fee-override", &account(true)).ok();
    let free = estimate(BTC).ok();
    assert_eq!((&free["fee"], &free["isOverride"]), (&json!(0), &json!(true)));
    assert_eq!(withdraw(&x, "bitcoin/btc", bitcoin("0.01")).ok()["fee"], "0");
    x.control("/sandbox/accounts/fee-override", &account(false)).ok();
    assert_eq!(estimate(BTC).ok(), charged);
    estimate("x").refused(400, "InvalidAddress");
    owner.call("/v2/withdraw/mars/btc/feeEstimate", bitcoin("1")).refused(404, "UnsupportedNetwork");
    check(&x);
}

/// Without simulated funds nothing leaves: that is decided before every field. Proves XFER-018.
#[test]
fn without_simulated_funds_nothing_leaves() {
    let x = Exchange::start();
    let owner = x.as_("fund-manager");
    for path in ["/v1/withdraw/btc", "/v1/withdraw/x", "/v2/withdraw/x/y", "/v2/withdraw/x/y/feeEstimate"] {
        owner.call(path, json!({})).refused(400, "InvalidFundTransfer");
    }
}

/// An operator halts all withdrawals, or one asset, and resumes them; trading goes on.
#[test]
fn withdrawals_are_halted_by_scope() {
    let x = approved();
    let ether = || withdraw(&x, "ethereum/eth", json!({ "address": ETH, "amount": "1" }));
    let asset = json!({ "scope": "asset", "currency": "BTC" });
    assert_eq!(x.control("/sandbox/halt", &asset).ok()["halted"], true);
    withdraw(&x, "bitcoin/btc", bitcoin("1")).refused(503, "System");
    ether().ok();
    assert_eq!(x.as_("trader").limit("btcusd", "buy", "1", "100")["is_live"], true);
    let all = json!({ "scope": "withdrawals" });
    x.control("/sandbox/halt", &all).ok();
    ether().refused(503, "System");
    x.kill9();
    x.restart();
    ether().refused(503, "System");
    x.control("/sandbox/resume", &all).ok();
    ether().ok();
    withdraw(&x, "bitcoin/btc", bitcoin("1")).refused(503, "System");
    assert_eq!(x.control("/sandbox/resume", &asset).ok()["halted"], false);
    withdraw(&x, "bitcoin/btc", bitcoin("1")).ok();
    for wrong in [json!({ "scope": "x" }), json!({ "scope": "asset" }), json!({ "currency": "BTC" })] {
        x.control("/sandbox/halt", &wrong).refused(400, "InvalidParameterValue");
    }
    let unknown = json!({ "scope": "asset", "currency": "NONE" });
    x.control("/sandbox/halt", &unknown).refused(400, "InvalidCurrency");
    check(&x);
}

/// Nothing is unclaimed at first, and what was never seen is not assigned.
#[test]
fn unknown_payments_are_not_assigned() {
    let x = start();
    assert_eq!(x.get("/sandbox/deposits/unclaimed").ok(), json!([]));
    let body = |group: &str, account: &str| json!({ "network": "bitcoin", "txHash": "00", "outputIdx": 0, "group": group, "account": account });
    x.control("/sandbox/deposits/assign", &body("one", "primary")).refused(400, "InvalidParameterValue");
    assert_eq!(x.control("/sandbox/deposits/assign", &body("one", "nobody")).status(), 400);
}

fn chain(x: &Exchange, network: &str, call: &str, body: &Value) -> Value {
    x.control(&format!("/sandbox/chains/{network}/{call}"), body).ok()
}

fn mine(x: &Exchange, network: &str, blocks: u32) {
    chain(x, network, "mine", &json!({ "blocks": blocks }));
}

fn node(x: &Exchange, network: &str, broadcast: &str, times: u32) {
    chain(x, network, "node", &json!({ "broadcast": broadcast, "times": times }));
}

/// The chain's view of an address.
fn shown(x: &Exchange, network: &str, address: &str) -> Value {
    x.get(&format!("/sandbox/chains/{network}?address={address}")).ok()
}

/// How often a chain shows a payment to the address.
fn paid(x: &Exchange, network: &str, address: &str) -> usize {
    shown(x, network, address)["transactions"].as_array().unwrap().len()
}

/// How many withdrawals are complete.
fn ended(x: &Exchange) -> usize {
    let all = x.as_("fund-manager").call("/v1/transfers", json!({})).ok();
    let rows = all.as_array().unwrap().iter();
    rows.filter(|row| row["type"] == "Withdrawal" && row["status"] == "Complete").count()
}

/// The newest withdrawal.
fn newest(x: &Exchange) -> Value {
    let all = x.as_("fund-manager").call("/v1/transfers", json!({})).ok();
    let rows = all.as_array().unwrap();
    rows.iter().find(|row| row["type"] == "Withdrawal").expect("a withdrawal").clone()
}

/// A withdrawal is signed and sent, complete at its confirmations, and takes its amount only then. Proves XFER-019, BAL-003.
#[test]
fn a_withdrawal_is_paid() {
    let x = approved();
    let before = available(&x, "BTC");
    withdraw(&x, "bitcoin/btc", bitcoin("1.5")).ok();
    let waiting = shown(&x, "bitcoin", BTC);
    assert_eq!(waiting["transactions"][0]["amount"], "1.5");
    let row = newest(&x);
    assert_eq!(row["txHash"], waiting["transactions"][0]["txHash"], "{row}");
    assert_eq!(waiting["mempool"], json!([row["txHash"]]));
    assert_eq!(available(&x, "BTC").0, before.0, "what is on its way still counts");
    mine(&x, "bitcoin", 1);
    assert_eq!(newest(&x)["status"], "Pending");
    mine(&x, "bitcoin", 10);
    let row = newest(&x);
    assert_eq!((&row["status"], &row["amount"]), (&json!("Complete"), &json!("1.5")), "{row}");
    let after = available(&x, "BTC");
    assert_eq!(dec(&before.0) - dec(&after.0), dec("1.5"));
    assert_eq!(after.0, after.1, "nothing is held any more");
    assert_eq!(paid(&x, "bitcoin", BTC), 1);
    check(&x);
}

/// A payment that fails in its block, or that the node refuses, releases what is held and is never complete. Proves XFER-020.
#[test]
fn a_failed_withdrawal_is_released() {
    let x = approved();
    let ether = || withdraw(&x, "ethereum/eth", json!({ "address": ETH, "amount": "1" })).ok();
    let before = (available(&x, "ETH"), available(&x, "BTC"));
    node(&x, "ethereum", "revert", 1);
    ether();
    mine(&x, "ethereum", 20);
    assert_eq!(ended(&x), 0, "it is not complete");
    assert_eq!(available(&x, "ETH"), before.0);
    node(&x, "bitcoin", "refuse", 1);
    withdraw(&x, "bitcoin/btc", bitcoin("1")).ok();
    mine(&x, "bitcoin", 20);
    assert_eq!(available(&x, "BTC"), before.1);
    assert_eq!(ended(&x), 0, "it is not complete");
    assert_eq!((paid(&x, "ethereum", ETH), paid(&x, "bitcoin", BTC)), (0, 0));
    ether();
    mine(&x, "ethereum", 20);
    assert_eq!(newest(&x)["status"], "Complete");
    assert_eq!(paid(&x, "ethereum", ETH), 1, "the next one is paid");
    check(&x);
}

/// A reply that is lost, and a node that takes nothing for a while, do not pay twice, on chains of both kinds.
#[test]
fn a_silent_node_is_paid_through_once() {
    let x = approved();
    for (network, pair, address) in [("bitcoin", "bitcoin/btc", BTC), ("ethereum", "ethereum/eth", ETH)] {
        for (count, treatment) in [(1, "lose_reply"), (2, "time_out")] {
            node(&x, network, treatment, 2);
            withdraw(&x, pair, json!({ "address": address, "amount": "1" })).ok();
            mine(&x, network, 20);
            mine(&x, network, 20);
            assert_eq!(newest(&x)["status"], "Complete", "{network} {treatment}");
            assert_eq!(paid(&x, network, address), count, "{network} {treatment}");
        }
    }
    check(&x);
}

/// Dollars leave as dollar tokens, and the call answers with their transaction, which the chain has. Proves XFER-021.
#[test]
fn dollars_leave_as_tokens() {
    let x = approved();
    let before = available(&x, "USD");
    let answer =
        x.as_("fund-manager").call("/v1/withdraw/usd", json!({ "address": ETH, "amount": "100" })).ok();
    same_keys(&answer, &["destination", "amount", "txHash"], "usd");
    assert_eq!((&answer["destination"], &answer["amount"]), (&json!(ETH), &json!("100")));
    let waiting = shown(&x, "ethereum", ETH);
    assert_eq!(waiting["transactions"][0]["txHash"], answer["txHash"]);
    assert_eq!(waiting["transactions"][0]["currency"], "GUSD");
    mine(&x, "ethereum", 20);
    assert_eq!(dec(&before.0) - dec(&available(&x, "USD").0), dec("100"));
    check(&x);
}

/// A process that is killed at any moment of many withdrawals pays each of them once.
#[test]
fn every_withdrawal_is_paid_once_over_kills() {
    let x = approved();
    let before = available(&x, "BTC").0;
    for round in 0..8 {
        for _ in 0..5 {
            withdraw(&x, "bitcoin/btc", bitcoin("0.01")).ok();
        }
        // The thread signs and sends while the process is killed.
        let sent = 5 * round + round % 6;
        wait_until("payments on the chain", || paid(&x, "bitcoin", BTC) >= sent);
        x.kill9();
        x.restart();
        if round % 2 == 1 {
            mine(&x, "bitcoin", 1);
        }
    }
    mine(&x, "bitcoin", 20);
    assert_eq!(paid(&x, "bitcoin", BTC), 40);
    let after = available(&x, "BTC");
    assert_eq!(after.0, after.1, "all have ended");
    assert!(dec(&before) - dec(&after.0) >= dec("0.4"));
    mine(&x, "bitcoin", 5);
    assert_eq!(paid(&x, "bitcoin", BTC), 40);
    check(&x);
}

/// A payment whose block is removed after its end is paid again by the same transaction.
#[test]
fn a_reorganisation_pays_again_by_the_same_transaction() {
    let x = approved();
    let before = available(&x, "BTC");
    withdraw(&x, "bitcoin/btc", bitcoin("1")).ok();
    mine(&x, "bitcoin", 3);
    let tx = newest(&x)["txHash"].clone();
    chain(&x, "bitcoin", "reorg", &json!({ "depth": 3, "drop": true }));
    x.kill9();
    x.restart();
    mine(&x, "bitcoin", 5);
    let row = newest(&x);
    assert_eq!((&row["status"], &row["txHash"]), (&json!("Complete"), &tx), "{row}");
    assert_eq!(paid(&x, "bitcoin", BTC), 1);
    assert_eq!(dec(&before.0) - dec(&available(&x, "BTC").0), dec("1"));
    check(&x);
}

/// An address of xrpl.
const XRP: &str = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh";

/// Requests the approval of an address with a memo, on the account's list or, by a master key, on its group's.
fn request_with(actor: &Actor, network: &str, address: &str, memo: &str) {
    let path = format!("/v1/approvedAddresses/{network}/request");
    let mut fields = json!({ "address": address, "label": "mine" });
    if !memo.is_empty() {
        fields["memo"] = json!(memo);
    }
    actor.call(&path, fields).ok();
}

/// An address approved with a memo is paid with this memo alone: another one is refused, and without one, or with an empty one, it is paid
/// with the entry's, which the reply shows. One approved without a memo takes none. Proves D-172.
#[test]
fn the_memo_is_part_of_the_approved_address() {
    let x = start();
    let owner = x.as_("fund-manager");
    let other = "rrrrrrrrrrrrrrrrrrrrBZbvji";
    x.admin(&["credit", "one", "primary", "XRP", "1000", "--reason", "x"]).done();
    request_with(&owner, "xrpl", XRP, "111");
    request_with(&owner, "xrpl", other, "");
    x.advance(WEEK);
    let order = |address: &str, memo: Option<&str>| {
        let mut order = json!({ "address": address, "amount": "20" });
        if let Some(memo) = memo {
            order["memo"] = json!(memo);
        }
        order
    };
    for path in ["/v2/withdraw/xrpl/xrp", "/v1/withdraw/xrp"] {
        for (address, memo) in [(XRP, "222"), (other, "111")] {
            let refusal = owner.call(path, order(address, Some(memo))).refused(400, "AddressNotApproved");
            assert!(refusal.message.contains("'memo'") && refusal.message.contains(memo), "{refusal:?}");
        }
        for memo in [None, Some(""), Some("111")] {
            let answer = owner.call(path, order(XRP, memo)).ok();
            assert_eq!(answer["memo"], "111", "{memo:?}");
        }
        for memo in [None, Some("")] {
            assert_eq!(owner.call(path, order(other, memo)).ok().get("memo"), None);
        }
    }
    let paid = shown(&x, "xrpl", XRP);
    let paid = paid["transactions"].as_array().unwrap();
    assert!(paid.len() == 6 && paid.iter().all(|one| one["memo"] == "111"), "{paid:?}");
    // A client id stands for its withdrawal, whether the memo is named again or not.
    let named = |memo: Option<&str>| {
        let mut order = order(XRP, memo);
        order["clientTransferId"] = json!("once");
        withdraw(&x, "xrpl/xrp", order)
    };
    let first = named(None).ok();
    assert_eq!(named(Some("111")).ok(), first);
    named(Some("222")).refused(400, "InvalidParameterValue");
    check(&x);
}

/// Networks without memos refuse one, in withdrawals, estimates and requests; an empty one is none. Proves D-172.
#[test]
fn other_networks_take_no_memo() {
    let x = approved();
    let owner = x.as_("fund-manager");
    let with = |memo: &str| json!({ "address": BTC, "amount": "0.1", "memo": memo });
    for path in ["/v2/withdraw/bitcoin/btc", "/v1/withdraw/btc", "/v2/withdraw/bitcoin/btc/feeEstimate"] {
        let refusal = owner.call(path, with("5")).refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains("'memo'"), "{refusal:?}");
        owner.call(path, with("")).ok();
    }
    let fields = json!({ "address": OTHER_BTC, "label": "a", "memo": "5" });
    let refusal = owner.call("/v1/approvedAddresses/bitcoin/request", fields);
    assert!(refusal.refused(400, "InvalidParameterValue").message.contains("'memo'"));
    check(&x);
}

/// The accounts of a group share the free withdrawals of a month. Proves D-185.
#[test]
fn a_group_shares_its_free_withdrawals() {
    let x = start();
    let owner = x.as_("fund-manager");
    request(&owner, "bitcoin", BTC);
    x.advance(WEEK);
    let left = |account: &str| {
        let plan = json!({ "address": BTC, "amount": "0.1", "account": account });
        let shown = x.as_("master").call("/v2/withdraw/bitcoin/btc/feeEstimate", plan).ok();
        shown["monthlyRemaining"].clone()
    };
    assert_eq!((left("primary"), left("savings")), (json!(10), json!(10)));
    for _ in 0..2 {
        withdraw(&x, "bitcoin/btc", bitcoin("0.1")).ok();
    }
    assert_eq!((left("primary"), left("savings")), (json!(8), json!(8)));
    for _ in 0..8 {
        withdraw(&x, "bitcoin/btc", bitcoin("0.1")).ok();
    }
    assert_eq!((left("primary"), left("savings")), (json!(0), json!(0)));
    assert_ne!(withdraw(&x, "bitcoin/btc", bitcoin("0.1")).ok()["fee"], "0");
    check(&x);
}

/// A deposit of so much that a withdrawal of it spends its coin, and the withdrawal; `blocks` are added after it.
fn spend_a_deposit(x: &Exchange, blocks: u32) -> Value {
    let owner = x.as_("fund-manager");
    let address = owner.call("/v1/deposit/bitcoin/newAddress", json!({})).ok()["address"].clone();
    chain(x, "bitcoin", "send", &json!({ "address": address, "currency": "BTC", "amount": "50000000000" }));
    mine(x, "bitcoin", 3);
    withdraw(x, "bitcoin/btc", bitcoin("50000000000")).ok();
    if blocks > 0 {
        mine(x, "bitcoin", blocks);
    }
    newest(x)
}

/// Runs `withdrawal rebuild` or `withdrawal void`.
fn remedy(x: &Exchange, what: &str, row: &Value) -> buttonwood_accept::Admin {
    x.admin(&["withdrawal", what, &row["eid"].to_string(), "--reason", "deep reorganisation"])
}

/// A reorganisation deeper than final removes the deposit whose coin a withdrawal spends: the row says so, and an operator calls it off,
/// once, and not before.
#[test]
fn a_lost_withdrawal_is_called_off() {
    for blocks in [0, 3] {
        let x = approved();
        let before = available(&x, "BTC");
        let row = spend_a_deposit(&x, blocks);
        let refused = remedy(&x, "void", &row).refused();
        // The payer may not have signed it yet.
        let words = if blocks == 0 { ["may still confirm", "not signed yet"] } else { ["has ended"; 2] };
        assert!(words.iter().any(|words| refused.contains(words)), "{refused}");
        chain(&x, "bitcoin", "reorg", &json!({ "depth": 3 + blocks, "drop": true }));
        mine(&x, "bitcoin", 5);
        let row = newest(&x);
        let message = row["message"].as_str().unwrap_or_default();
        assert!(row["status"] == "Pending" && message.contains("cannot confirm any more"), "{row}");
        let credited = dec(&before.0) + dec("50000000000");
        assert_eq!((dec(&available(&x, "BTC").0), available(&x, "BTC").1), (credited, before.1.clone()));
        x.kill9();
        x.restart();
        assert_eq!(newest(&x), row, "after a start too");
        assert_eq!(remedy(&x, "void", &row).done()["status"], "Voided");
        assert_eq!(dec(&available(&x, "BTC").1), dec(&before.1) + dec("50000000000"));
        assert!(remedy(&x, "void", &row).refused().contains("has ended"));
        assert!(remedy(&x, "rebuild", &row).refused().contains("has ended"));
        let all = x.as_("master").call("/v1/transactions", json!({})).ok();
        let rows = all["results"].as_array().or_else(|| all.as_array()).cloned().unwrap_or_default();
        let listed = rows.iter().find(|one| one["eid"] == row["eid"]).expect("it is listed").clone();
        assert!(listed["message"].as_str().unwrap_or_default().contains("called it off"), "{listed}");
        mine(&x, "bitcoin", 5);
        assert_eq!(paid(&x, "bitcoin", BTC), 0);
        let act = x.admin(&["audit", "--limit", "10"]).list();
        assert!(
            act.iter().any(|act| act["what"] == json!(format!("withdrawal void eid={}", row["eid"]))),
            "{act:?}"
        );
        check(&x);
    }
}

/// Such a withdrawal is paid again from other coins, once, over a start too.
#[test]
fn a_lost_withdrawal_is_paid_again() {
    let x = approved();
    let before = available(&x, "BTC");
    let first = spend_a_deposit(&x, 3);
    assert_eq!(first["status"], "Complete");
    chain(&x, "bitcoin", "reorg", &json!({ "depth": 6, "drop": true }));
    mine(&x, "bitcoin", 5);
    let owner = x.as_("fund-manager");
    let address = owner.call("/v1/deposit/bitcoin/newAddress", json!({})).ok()["address"].clone();
    chain(&x, "bitcoin", "send", &json!({ "address": address, "currency": "BTC", "amount": "60000000000" }));
    mine(&x, "bitcoin", 3);
    remedy(&x, "rebuild", &first).done();
    mine(&x, "bitcoin", 1);
    x.kill9();
    x.restart();
    mine(&x, "bitcoin", 5);
    let row = newest(&x);
    assert_eq!(row["status"], "Complete", "{row}");
    assert!(row["message"].as_str().unwrap_or_default().contains("paid again"), "{row}");
    assert_ne!(row["txHash"], first["txHash"]);
    assert_eq!(paid(&x, "bitcoin", BTC), 1);
    assert_eq!(available(&x, "BTC").0, before.0);
    assert!(remedy(&x, "rebuild", &row).refused().contains("has ended"));
    check(&x);
}

/// On a chain of accounts an empty payment uses the number again: one of the two becomes final, also after the withdrawal was complete and
/// a deep reorganisation has removed it.
#[test]
fn an_empty_payment_calls_off_on_a_chain_of_accounts() {
    let x = approved();
    let before = available(&x, "ETH");
    withdraw(&x, "ethereum/eth", json!({ "address": ETH, "amount": "1" })).ok();
    mine(&x, "ethereum", 20);
    let row = newest(&x);
    assert_eq!(row["status"], "Complete", "{row}");
    assert!(remedy(&x, "void", &row).refused().contains("has ended"));
    chain(&x, "ethereum", "reorg", &json!({ "depth": 20, "drop": true }));
    let row = newest(&x);
    assert!(row["message"].as_str().unwrap_or_default().contains("has removed"), "{row}");
    assert_eq!(remedy(&x, "void", &row).done()["status"], "Pending");
    assert!(remedy(&x, "rebuild", &row).refused().contains("already had this remedy"));
    mine(&x, "ethereum", 20);
    assert_eq!((available(&x, "ETH"), paid(&x, "ethereum", ETH)), (before, 0));
    assert_eq!(ended(&x), 0, "it is not complete");
    assert!(remedy(&x, "void", &row).refused().contains("has ended"));
    check(&x);
}

/// `all` withdraws what may leave, less the fee; any other spelling is no amount, and an estimate takes none.
#[test]
fn all_leaves_without_the_fee() {
    let x = approved();
    for word in ["All", " all", "all ", "ALL"] {
        let refusal = withdraw(&x, "bitcoin/btc", bitcoin(word)).refused(400, "InvalidQuantity");
        assert!(refusal.message.contains("'amount'"), "{refusal:?}");
    }
    x.as_("fund-manager")
        .call("/v2/withdraw/bitcoin/btc/feeEstimate", bitcoin("all"))
        .refused(400, "InvalidQuantity");
    for _ in 0..10 {
        withdraw(&x, "bitcoin/btc", bitcoin("0.01")).ok();
    }
    let mut all = bitcoin("all");
    all["clientTransferId"] = json!("all-1");
    let free = dec(&available(&x, "BTC").1);
    let first = withdraw(&x, "bitcoin/btc", all.clone()).ok();
    let (amount, fee) = (Dec::wire(&first["amount"]), Dec::wire(&first["fee"]));
    assert!(fee > Dec::ZERO, "the free ones of the month are used up: {first}");
    assert_eq!(amount + fee, free);
    assert_eq!(dec(&available(&x, "BTC").1), Dec::ZERO);
    assert_eq!(withdraw(&x, "bitcoin/btc", all).ok(), first, "the same reply");
    let refusal = withdraw(&x, "bitcoin/btc", bitcoin("all")).refused(406, "InsufficientFunds");
    assert!(refusal.message.contains("no BTC"), "{refusal:?}");
    // The older call takes it too.
    let ether = json!({ "address": ETH, "amount": "all" });
    let whole = dec(&available(&x, "ETH").1);
    let answer = x.as_("fund-manager").call("/v1/withdraw/eth", ether).ok();
    assert_eq!(Dec::wire(&answer["amount"]) + Dec::wire(&answer["fee"]), whole, "{answer}");
    check(&x);
}
