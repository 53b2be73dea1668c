//! Transfers between accounts of a group, and custody: clauses XFER-024 to XFER-030, and of XFER-012 the monthly fee.

use buttonwood_accept::{Answer, Dec, Exchange, Value, dec, json, laws, same_keys};

/// Seconds to the custody run of the first day.
const RUN: u64 = 20 * 3_600;

fn simulated() -> Exchange {
    Exchange::builder().flag("--funds", "simulated").start()
}

/// Opens an empty account in group one.
fn open(x: &Exchange, name: &str, kind: &str) {
    x.control("/sandbox/accounts", &json!({ "group": "one", "name": name, "kind": kind })).ok();
}

fn send(x: &Exchange, from: &str, to: &str, currency: &str, amount: &str) -> Answer {
    let params = json!({ "sourceAccount": from, "targetAccount": to, "amount": amount });
    x.as_("master").call(&format!("/v1/account/transfer/{currency}"), params)
}

/// Amount and available of an account of group one.
fn balance(x: &Exchange, account: &str, currency: &str) -> (Dec, Dec) {
    let rows = x.as_("master").call("/v1/balances", json!({ "account": account })).ok();
    let row = rows.as_array().unwrap().iter().find(|row| row["currency"] == currency).cloned();
    row.map_or((Dec::ZERO, Dec::ZERO), |row| (Dec::wire(&row["amount"]), Dec::wire(&row["available"])))
}

fn both(amount: &str) -> (Dec, Dec) {
    (dec(amount), dec(amount))
}

fn rows(x: &Exchange, account: &str) -> Vec<Value> {
    let rows = x.as_("master").call("/v2/transfers", json!({ "account": account, "limit_transfers": 50 }));
    rows.ok().as_array().unwrap().clone()
}

/// Adds blocks to a chain, the first with all that waits.
fn mine(x: &Exchange, network: &str, blocks: u32) {
    x.control(&format!("/sandbox/chains/{network}/mine"), &json!({ "blocks": blocks })).ok();
}

/// The payments that wait on a chain.
fn mempool(x: &Exchange, network: &str) -> Vec<Value> {
    x.get(&format!("/sandbox/chains/{network}")).ok()["mempool"].as_array().unwrap().clone()
}

/// The sum of all customers' balances.
fn customers(x: &Exchange, currency: &str) -> Value {
    let ledger = x.get("/sandbox/ledger").ok();
    let rows = ledger["currencies"].as_array().unwrap();
    rows.iter().find(|row| row["currency"] == currency).unwrap()["customers"].clone()
}

/// Money moves at once and free, the answer has these fields, and both accounts list it. Proves XFER-024, XFER-025, XFER-026.
#[test]
fn exchange_accounts_move_at_once() {
    let x = Exchange::start();
    let answer = send(&x, "primary", "savings", "btc", "1.50").ok();
    same_keys(
        &answer,
        &["fromAccount", "toAccount", "amount", "fee", "currency", "uuid", "message"],
        "exchange to exchange",
    );
    assert_eq!(
        [
            &answer["fromAccount"],
            &answer["toAccount"],
            &answer["amount"],
            &answer["fee"],
            &answer["currency"]
        ],
        ["primary", "savings", "1.5", "0", "Bitcoin"]
    );
    assert_eq!(balance(&x, "primary", "BTC"), both("998.5"));
    assert_eq!(balance(&x, "savings", "BTC"), both("1001.5"));
    let now = x.now_ms();
    for (account, kind) in [("primary", "Withdrawal"), ("savings", "Deposit")] {
        let row = &rows(&x, account)[0];
        same_keys(
            row,
            &["type", "status", "timestampms", "eid", "currency", "amount", "method"],
            "a transfer at once",
        );
        assert_eq!(row["type"], kind);
        assert_eq!([&row["status"], &row["currency"], &row["amount"]], ["Complete", "BTC", "1.5"]);
        assert_eq!((&row["method"], row["timestampms"].as_u64()), (&json!("Internal"), Some(now)));
    }
    // Fiat moves between them too, to its last decimal.
    send(&x, "savings", "primary", "USD", "0.01").ok();
    assert_eq!(balance(&x, "primary", "USD"), both("100000.01"));
    laws::check(&x);
}

/// Crypto moves at once between exchange, derivatives and margin accounts, dollars between margin and exchange; fiat does not
/// reach derivatives accounts or custody. Proves XFER-028; of XFER-025, the `withdrawalId`.
#[test]
fn other_kinds() {
    let x = simulated();
    for kind in ["derivatives", "margin", "custody"] {
        open(&x, &format!("a-{kind}"), kind);
    }
    x.credit("trader", "GUSD", "2");
    for (from, to, currency) in [
        ("primary", "a-derivatives", "btc"),
        ("a-derivatives", "primary", "btc"),
        ("primary", "a-margin", "eth"),
        ("a-margin", "primary", "eth"),
        ("primary", "a-margin", "usd"),
        ("a-margin", "primary", "usd"),
        ("primary", "a-derivatives", "gusd"),
        ("a-derivatives", "a-margin", "gusd"),
    ] {
        let before = (balance(&x, from, &currency.to_uppercase()), balance(&x, to, &currency.to_uppercase()));
        let answer = send(&x, from, to, currency, "2").ok();
        assert!(answer["withdrawalId"].is_string() && answer.get("uuid").is_none(), "{answer}");
        let after = (balance(&x, from, &currency.to_uppercase()), balance(&x, to, &currency.to_uppercase()));
        assert_eq!(after.0.0 + dec("2"), before.0.0, "{from} to {to}");
        assert_eq!(after.1.1, before.1.1 + dec("2"), "{from} to {to}");
        let row = &rows(&x, from)[0];
        assert_eq!((&row["withdrawalId"], &row["method"]), (&answer["withdrawalId"], &json!("Internal")));
        assert!(rows(&x, to)[0].get("withdrawalId").is_none(), "only a withdrawal has it");
    }
    x.control(
        "/sandbox/accounts/credit",
        &json!({ "group": "one", "account": "a-margin", "currency": "USD", "amount": "5" }),
    )
    .ok();
    for (from, to) in [
        ("primary", "a-derivatives"),
        ("a-derivatives", "primary"),
        ("a-margin", "a-derivatives"),
        ("primary", "a-custody"),
        ("a-custody", "primary"),
        ("a-custody", "a-derivatives"),
    ] {
        let refusal = send(&x, from, to, "usd", "1").refused(400, "InvalidFundTransfer");
        assert!(refusal.message.contains(from) && refusal.message.contains(to), "{refusal:?}");
    }
    laws::check(&x);
}

/// A transfer that cannot be made is refused by its field, and moves nothing. Proves XFER-029.
#[test]
fn wrong_transfers() {
    let x = Exchange::start();
    open(&x, "old", "exchange");
    x.control("/sandbox/accounts/close", &json!({ "group": "one", "account": "old" })).ok();
    let before = (balance(&x, "primary", "BTC"), balance(&x, "savings", "BTC"));
    send(&x, "nobody", "savings", "btc", "1").refused(400, "InvalidAccountName");
    send(&x, "primary", "broker", "btc", "1").refused(400, "InvalidAccountName");
    send(&x, "primary", "old", "btc", "1").refused(400, "AccountClosed");
    send(&x, "old", "primary", "btc", "1").refused(400, "AccountClosed");
    send(&x, "primary", "primary", "btc", "1").refused(400, "InvalidFundTransfer");
    send(&x, "primary", "savings", "btc", "1000.00000001").refused(406, "InsufficientFunds");
    send(&x, "primary", "savings", "nosuch", "1").refused(400, "InvalidCurrency");
    for amount in ["0", "-1", "1e3", "", "abc", "0.00000000000000000001"] {
        send(&x, "primary", "savings", "btc", amount).refused(400, "InvalidQuantity");
    }
    for missing in ["sourceAccount", "targetAccount", "amount"] {
        let mut params = json!({ "sourceAccount": "primary", "targetAccount": "savings", "amount": "1" });
        params.as_object_mut().unwrap().remove(missing);
        let refusal = x.as_("master").call("/v1/account/transfer/btc", params);
        let refusal = refusal.refused(400, "MissingPayloadKey");
        assert!(refusal.message.contains(missing), "{refusal:?}");
    }
    // Money that orders hold may not leave.
    x.as_("trader").limit("btcusd", "sell", "999.5", "90000");
    send(&x, "primary", "savings", "btc", "0.6").refused(406, "InsufficientFunds");
    assert_eq!(before, ((dec("1000"), dec("1000")), balance(&x, "savings", "BTC")));
    assert!(rows(&x, "savings").is_empty());
    // Without simulated funds nothing moves on chains.
    open(&x, "vault", "custody");
    send(&x, "primary", "vault", "btc", "0.1").refused(400, "InvalidFundTransfer");
    send(&x, "vault", "primary", "btc", "0.1").refused(400, "InvalidFundTransfer");
    laws::check(&x);
}

/// The same id with equal terms gives the first answer, whatever has happened since, and moves nothing; with other terms it is
/// refused. A refused request does not use its id up. Proves XFER-030.
#[test]
fn repeated_client_ids() {
    let x = simulated();
    open(&x, "vault", "custody");
    let call = |to: &str, currency: &str, amount: &str, field: &str, id: &str| {
        let mut params = json!({ "sourceAccount": "primary", "targetAccount": to, "amount": amount });
        params[field] = json!(id);
        x.as_("master").call(&format!("/v1/account/transfer/{currency}"), params)
    };
    let id = "0e9d1a7e-5b4c-4d7e-9a7e-3f0b6f2c1d11";
    call("savings", "btc", "1001", "clientTransferId", id).refused(406, "InsufficientFunds");
    let first = call("savings", "btc", "1", "clientTransferId", id).ok();
    for (amount, field) in [("1", "clientTransferId"), ("1.000", "client_transfer_id")] {
        assert_eq!(call("savings", "btc", amount, field, id).ok(), first);
    }
    for (to, currency, amount) in [("savings", "btc", "2"), ("savings", "eth", "1"), ("vault", "btc", "1")] {
        let refusal = call(to, currency, amount, "clientTransferId", id);
        let refusal = refusal.refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains("clientTransferId"), "{refusal:?}");
    }
    assert_eq!(balance(&x, "primary", "BTC"), both("999"));
    assert_eq!(balance(&x, "savings", "BTC"), both("1001"));
    // Another account has ids of its own.
    let other = json!({ "sourceAccount": "savings", "targetAccount": "primary", "amount": "3", "clientTransferId": id });
    let other = x.as_("master").call("/v1/account/transfer/btc", other).ok();
    assert_ne!(other["uuid"], first["uuid"]);
    let into = call("vault", "btc", "5", "clientTransferId", "vault-1").ok();
    x.advance(2 * RUN);
    mine(&x, "bitcoin", 3);
    assert_eq!(call("vault", "btc", "5", "clientTransferId", "vault-1").ok(), into);
    x.restart();
    assert_eq!(call("vault", "btc", "5", "clientTransferId", "vault-1").ok(), into);
    assert_eq!(balance(&x, "vault", "BTC"), both("5"));
    for wrong in [json!(""), json!("a b"), json!("x".repeat(101)), json!({})] {
        let mut params = json!({ "sourceAccount": "primary", "targetAccount": "savings", "amount": "1" });
        params["clientTransferId"] = wrong;
        let answer = x.as_("master").call("/v1/account/transfer/btc", params);
        answer.refused(400, "InvalidParameterValue");
    }
    laws::check(&x);
}

/// Into custody: held at the source until the run at 20:00 UTC has moved it; then both rows are complete and have its transaction.
/// Proves XFER-027.
#[test]
fn into_custody() {
    let x = simulated();
    open(&x, "vault", "custody");
    open(&x, "second", "custody");
    let all = customers(&x, "BTC");
    x.advance(60);
    let accepted = x.now_ms();
    let answer = send(&x, "primary", "vault", "btc", "10").ok();
    assert!(answer["withdrawalId"].is_string() && answer.get("uuid").is_none(), "{answer}");
    assert_eq!(answer["fee"], "0");
    for _ in 0..2 {
        assert_eq!(balance(&x, "primary", "BTC"), (dec("1000"), dec("990")));
        assert_eq!(balance(&x, "vault", "BTC"), both("0"));
        for (account, kind) in [("primary", "Withdrawal"), ("vault", "Deposit")] {
            let row = &rows(&x, account)[0];
            assert_eq!([&row["type"], &row["status"], &row["amount"]], [kind, "Pending", "10"]);
            assert!(row.get("txHash").is_none(), "{row}");
        }
        assert_eq!(customers(&x, "BTC"), all);
        x.restart();
    }
    x.as_("trader").limit("btcusd", "sell", "990", "90000");
    send(&x, "primary", "vault", "btc", "0.1").refused(406, "InsufficientFunds");
    // One second before the run nothing has happened.
    x.advance(RUN - 61);
    assert_eq!(balance(&x, "vault", "BTC"), both("0"));
    assert!(mempool(&x, "bitcoin").is_empty());
    x.advance(1);
    // The run has sent it: a crash changes neither its bytes nor its hash. It is settled when it is final.
    let waits = mempool(&x, "bitcoin");
    assert_eq!(waits.len(), 1);
    x.kill9();
    x.restart();
    assert_eq!(mempool(&x, "bitcoin"), waits);
    mine(&x, "bitcoin", 2);
    assert_eq!(balance(&x, "primary", "BTC"), (dec("1000"), dec("0")));
    mine(&x, "bitcoin", 1);
    assert_eq!(balance(&x, "primary", "BTC"), (dec("990"), dec("0")));
    assert_eq!(balance(&x, "vault", "BTC"), both("10"));
    let hashes: Vec<Value> = ["primary", "vault"]
        .map(|account| {
            let row = rows(&x, account)[0].clone();
            assert_eq!((&row["status"], row["timestampms"].as_u64()), (&json!("Complete"), Some(accepted)));
            row["txHash"].clone()
        })
        .to_vec();
    assert!(hashes[0].as_str().is_some_and(|hash| hash.len() == 64) && hashes[0] == hashes[1], "{hashes:?}");
    assert_eq!(hashes[0], waits[0], "the hash is the chain's");
    // A move that comes exactly with the run waits for the next one; from custody to custody is the same way.
    send(&x, "vault", "second", "btc", "4").ok();
    assert_eq!(balance(&x, "vault", "BTC"), (dec("10"), dec("6")));
    x.advance(24 * 3_600 - 1);
    mine(&x, "bitcoin", 3);
    assert_eq!(balance(&x, "second", "BTC"), both("0"));
    x.advance(1);
    mine(&x, "bitcoin", 3);
    assert_eq!((balance(&x, "vault", "BTC"), balance(&x, "second", "BTC")), (both("6"), both("4")));
    // An account with a move on its way is not closed, even if it is empty.
    open(&x, "third", "custody");
    send(&x, "second", "third", "btc", "4").ok();
    let close = || x.control("/sandbox/accounts/close", &json!({ "group": "one", "account": "third" }));
    close().refused(400, "InvalidParameterValue");
    assert_eq!(customers(&x, "BTC"), all);
    laws::check(&x);
}

/// Out of custody: credited at once; it trades, and may not leave until the run has moved it. Proves XFER-027.
#[test]
fn out_of_custody() {
    let x = simulated();
    open(&x, "vault", "custody");
    send(&x, "primary", "vault", "btc", "1000").ok();
    x.advance(RUN);
    mine(&x, "bitcoin", 3);
    let all = customers(&x, "BTC");
    send(&x, "vault", "primary", "btc", "1000.1").refused(406, "InsufficientFunds");
    let answer = send(&x, "vault", "primary", "btc", "100").ok();
    assert!(answer["withdrawalId"].is_string(), "{answer}");
    assert_eq!(balance(&x, "vault", "BTC"), both("900"));
    assert_eq!(balance(&x, "primary", "BTC"), both("100"));
    let statuses = || ["vault", "primary"].map(|account| rows(&x, account)[0]["status"].clone());
    assert_eq!(statuses(), ["Pending", "Advanced"]);
    send(&x, "primary", "savings", "btc", "0.00000001").refused(406, "InsufficientFunds");
    x.as_("trader").limit("btcusd", "sell", "30", "3000");
    x.as_("counterparty").limit("btcusd", "buy", "30", "3000").get("order_id").unwrap();
    assert_eq!(balance(&x, "primary", "BTC"), both("70"), "what is advanced trades");
    send(&x, "primary", "savings", "btc", "1").refused(406, "InsufficientFunds");
    x.advance(24 * 3_600);
    assert_eq!(statuses(), ["Pending", "Advanced"], "the chain has not confirmed it");
    mine(&x, "bitcoin", 3);
    assert_eq!(statuses(), ["Complete"; 2]);
    assert_eq!(balance(&x, "primary", "BTC"), both("70"));
    assert_eq!(rows(&x, "vault")[0]["txHash"], rows(&x, "primary")[0]["txHash"]);
    send(&x, "primary", "savings", "btc", "70").ok();
    assert_eq!(customers(&x, "BTC"), all);
    laws::check(&x);
}

/// A node that refuses the run's payment, or lets it fail, does not end the move: another one is sent until one is confirmed, and an
/// advance is never returned. Proves XFER-027.
#[test]
fn a_custody_move_is_repeated_until_it_is_confirmed() {
    let x = simulated();
    open(&x, "vault", "custody");
    let node = |network: &str, how: &str| {
        x.control(&format!("/sandbox/chains/{network}/node"), &json!({ "broadcast": how })).ok();
    };
    send(&x, "primary", "vault", "eth", "10").ok();
    node("ethereum", "revert");
    x.advance(RUN);
    mine(&x, "ethereum", 12);
    assert_eq!(
        (rows(&x, "vault")[0]["status"].clone(), mempool(&x, "ethereum").len()),
        (json!("Pending"), 1)
    );
    x.kill9();
    x.restart();
    mine(&x, "ethereum", 12);
    assert_eq!(balance(&x, "vault", "ETH"), both("10"));
    send(&x, "vault", "primary", "eth", "4").ok();
    node("ethereum", "refuse");
    x.advance(24 * 3_600);
    for _ in 0..2 {
        assert_eq!(rows(&x, "primary")[0]["status"], "Advanced");
        mine(&x, "ethereum", 12);
    }
    assert_eq!(["vault", "primary"].map(|of| rows(&x, of)[0]["status"].clone()), ["Complete"; 2]);
    laws::check(&x);
}

/// On the first of each month a twelfth of 40 basis points goes to the house, rounded up; both paths list it, newest first, and
/// each wants its own path. Proves XFER-011, XFER-012.
#[test]
fn the_custody_fee() {
    let x = simulated();
    open(&x, "vault", "custody");
    open(&x, "bare", "custody");
    send(&x, "primary", "vault", "btc", "900").ok();
    send(&x, "primary", "vault", "eth", "1.000000000000000001").ok();
    let fees = |path: &str, params: Value| {
        let mut params = params;
        params["account"] = json!("vault");
        x.as_("master-auditor").call(path, params).ok()
    };
    let paths = ["/v1/custody/fee-transfers", "/v1/custodyaccountfees"];
    let day = 24 * 3_600;
    x.advance(RUN);
    mine(&x, "bitcoin", 3);
    mine(&x, "ethereum", 12);
    x.advance(31 * day - 1 - RUN);
    assert_eq!(fees(paths[0], json!({})), json!([]));
    x.advance(1);
    let february = x.now_ms();
    let listed = fees(paths[0], json!({}));
    let amounts: Vec<(&Value, &Value)> =
        listed.as_array().unwrap().iter().map(|row| (&row["feeCurrency"], &row["feeAmount"])).collect();
    // 900 / 3000, and 1.000000000000000001 / 3000 rounded up at the nineteenth decimal.
    let (btc, eth) = (json!("BTC"), json!("ETH"));
    assert!(amounts.contains(&(&btc, &json!("0.3"))), "{listed}");
    assert!(amounts.contains(&(&eth, &json!("0.0003333333333333334"))), "{listed}");
    for row in listed.as_array().unwrap() {
        same_keys(row, &["txTime", "feeAmount", "feeCurrency", "eid", "eventType"], "a fee");
        assert_eq!((&row["txTime"], &row["eventType"]), (&json!(february), &json!("CustodyFeeDebit")));
    }
    assert_eq!(balance(&x, "vault", "BTC"), both("899.7"));
    x.advance(28 * day);
    let march = x.now_ms();
    for path in paths {
        let times = |params: Value| -> Vec<u64> {
            let rows = fees(path, params);
            rows.as_array().unwrap().iter().map(|row| row["txTime"].as_u64().unwrap()).collect()
        };
        assert_eq!(times(json!({})), [march, march, february, february]);
        assert_eq!(times(json!({ "limit_transfers": 1 })), [march]);
        assert_eq!(times(json!({ "timestamp": march })), [march; 2], "on or after");
        assert_eq!(times(json!({ "timestamp": february, "limit_transfers": 3 })), [february; 2]);
        assert_eq!(times(json!({ "timestamp": march + 1 })), [0; 0]);
        let other = paths[usize::from(path == paths[0])];
        let wrong = json!({ "account": "vault", "request": other });
        x.as_("master").call(path, wrong).refused(400, "EndpointMismatch");
        for (field, value, reason) in [
            ("limit_transfers", json!(0), "InvalidParameterValue"),
            ("limit_transfers", json!("x"), "InvalidParameterValue"),
            ("timestamp", json!("soon"), "InvalidTimestampInPayload"),
        ] {
            let mut params = json!({ "account": "vault" });
            params[field] = value;
            let message = x.as_("master").call(path, params).refused(400, reason).message;
            assert!(message.contains(field), "{message}");
        }
        assert_eq!(x.as_("trader").call(path, json!({})).ok(), json!([]), "no custody account");
    }
    let kinds: Vec<Value> = rows(&x, "vault").iter().map(|row| row["type"].clone()).collect();
    assert_eq!(kinds, ["Deposit", "Deposit"], "fees are in their own list");
    laws::check(&x);
}

/// `all` moves what may leave the account, once; any other spelling is no amount.
#[test]
fn all_moves_what_may_leave() {
    let x = Exchange::start();
    x.as_("trader").limit("btcusd", "sell", "1.25", "90000");
    for word in ["All", " all", "all ", "ALL"] {
        let refusal = send(&x, "primary", "savings", "btc", word).refused(400, "InvalidQuantity");
        assert!(refusal.message.contains("'amount'"), "{refusal:?}");
    }
    let (before, free) = balance(&x, "primary", "BTC");
    assert_eq!(before - free, dec("1.25"));
    let all = json!({
        "sourceAccount": "primary", "targetAccount": "savings", "amount": "all", "clientTransferId": "all-1",
    });
    let first = x.as_("master").call("/v1/account/transfer/btc", all.clone()).ok();
    assert_eq!(Dec::wire(&first["amount"]), free, "{first}");
    assert_eq!(balance(&x, "primary", "BTC"), (dec("1.25"), Dec::ZERO));
    assert_eq!(x.as_("master").call("/v1/account/transfer/btc", all).ok(), first, "the same reply");
    assert_eq!(balance(&x, "savings", "BTC"), (dec("1000") + free, dec("1000") + free));
    let refusal = send(&x, "primary", "savings", "btc", "all").refused(406, "InsufficientFunds");
    assert!(refusal.message.contains("no BTC that may leave"), "{refusal:?}");
    let refusal = send(&x, "primary", "savings", "btc", "3").refused(406, "InsufficientFunds");
    assert!(refusal.message.contains("less than 3 BTC that may leave"), "{refusal:?}");
    // An order has no such amount.
    let order = json!({ "symbol": "btcusd", "side": "sell", "type": "exchange limit", "amount": "all", "price": "1" });
    x.as_("counterparty").call("/v1/order/new", order).refused(400, "InvalidQuantity");
    laws::check(&x);
}
