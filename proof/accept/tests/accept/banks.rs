//! Banks: links, wires, advances, payments, and what of it balances show. Clauses BANK-001 to BANK-009, BAL-003 to BAL-006,
//! decisions D-62, D-75, D-167.

use buttonwood_accept::{Actor, Answer, Dec, Exchange, Value, dec, json, laws, same_keys};
use std::sync::Arc;

fn start() -> Exchange {
    Exchange::builder().flag("--funds", "simulated").start()
}

/// The key that manages the funds of the account that `trader` trades on.
fn manager(x: &Exchange) -> Arc<Actor> {
    x.as_("fund-manager")
}

fn bank() -> Value {
    json!({ "accountnumber": "000123451111", "routing": "021000021", "type": "checking", "name": "Acme Bank" })
}

/// Money from a bank for the account.
fn wire(x: &Exchange, amount: &str, method: &str) -> u64 {
    let body = json!({
        "group": "one", "account": "primary", "currency": "USD", "amount": amount, "method": method,
        "accountnumber": "000123451111", "routing": "021000021",
    });
    x.control("/sandbox/banks/wire", &body).ok()["eid"].as_u64().expect("a number")
}

fn settle(x: &Exchange, body: Value) -> Answer {
    x.control("/sandbox/banks/settle", &body)
}

fn pay(x: &Exchange, bank: &Value, amount: Value) -> Answer {
    manager(x).call("/v1/payments/sen/withdraw", json!({ "bankId": bank, "amount": amount }))
}

/// Links the bank, verifies it by a wire, and returns its id.
fn verified(x: &Exchange) -> Value {
    manager(x).call("/v1/payments/addbank", bank()).ok();
    wire(x, "100", "Wire");
    banks(x)[0]["bankId"].clone()
}

fn banks(x: &Exchange) -> Vec<Value> {
    manager(x).call("/v1/payments/methods", json!({})).ok()["banks"].as_array().unwrap().clone()
}

/// The row of a currency with pending amounts shown: amount, available, for withdrawal.
fn row(x: &Exchange, code: &str) -> Value {
    let rows = manager(x).call("/v1/balances", json!({ "showPendingBalances": true })).ok();
    rows.as_array().unwrap().iter().find(|row| row["currency"] == code).expect("a row").clone()
}

fn amounts(x: &Exchange, code: &str) -> [Dec; 3] {
    let row = row(x, code);
    ["amount", "available", "availableForWithdrawal"].map(|field| Dec::wire(&row[field]))
}

/// Links have numbers, their own fields are checked, and the same bank account is linked once. Proves BANK-001, BANK-002.
#[test]
fn banks_are_linked() {
    let x = Exchange::start();
    let manager = manager(&x);
    let add = |fields: Value| manager.call("/v1/payments/addbank", fields);
    let answer = add(bank());
    let linked = answer.ok();
    same_keys(&linked, &["referenceId"], &answer);
    let number = |linked: &Value| {
        let text = linked["referenceId"].as_str().unwrap();
        let digits = text.strip_prefix("BankAccountRefId(").and_then(|rest| rest.strip_suffix(')'));
        digits.expect("the form of a reference").parse::<u64>().unwrap()
    };
    assert_eq!(number(&add(bank()).ok()), number(&linked));
    let mut other = bank();
    other["type"] = json!("savings");
    assert_eq!(number(&add(other).ok()), number(&linked) + 1);
    for field in ["accountnumber", "routing", "type", "name"] {
        let mut without = bank();
        without.as_object_mut().unwrap().remove(field);
        let message = add(without).refused(400, "MissingPayloadKey").message;
        assert!(message.contains(&format!("'{field}'")), "{message}");
        for wrong in [
            json!(""),
            json!(" "),
            json!("a\u{0}b"),
            json!("x".repeat(101)),
            json!(12),
            json!(null),
            json!([]),
        ] {
            let mut fields = bank();
            fields[field] = wrong.clone();
            let answer = add(fields);
            assert!(
                answer.status() == 400 && answer.error().message.contains(&format!("'{field}'")),
                "{answer}"
            );
        }
    }
    for kind in ["Checking", "current", "SAVINGS"] {
        let mut fields = bank();
        fields["type"] = json!(kind);
        let message = add(fields).refused(400, "InvalidParameterValue").message;
        assert!(message.contains(kind) && message.contains("checking, savings"), "{message}");
    }
    for key in ["trader", "auditor"] {
        x.as_(key).call("/v1/payments/addbank", bank()).refused(403, "MissingRole");
    }
    laws::check(&x);
}

/// A Canadian bank, in both spellings. Proves BANK-004.
#[test]
fn canadian_banks_are_linked() {
    let x = start();
    let add = |fields: Value| manager(&x).call("/v1/payments/addbank/cad", fields);
    let lower = json!({
        "swiftcode": "ROYCCAT2", "accountnumber": "5551234", "institutionnumber": "003", "branchnumber": "00042",
        "type": "savings", "name": "Royal",
    });
    assert_eq!(add(lower.clone()).ok(), json!({ "result": "OK" }));
    let camel = json!({
        "swiftCode": "ROYCCAT2", "accountNumber": "5559999", "institutionNumber": "003", "branchNumber": "00042",
        "type": "checking", "name": "Royal",
    });
    assert_eq!(add(camel).ok(), json!({ "result": "OK" }));
    let fewest =
        json!({ "swiftcode": "ROYCCAT2", "accountnumber": "1", "type": "checking", "name": "Royal" });
    assert_eq!(add(fewest).ok(), json!({ "result": "OK" }));
    for field in ["swiftcode", "accountnumber", "type", "name"] {
        let mut without = lower.clone();
        without.as_object_mut().unwrap().remove(field);
        let message = add(without).refused(400, "MissingPayloadKey").message;
        assert!(message.contains(&format!("'{field}'")), "{message}");
    }
    let mut wrong = lower.clone();
    wrong["branchnumber"] = json!("a\nb");
    assert!(add(wrong).refused(400, "InvalidParameterValue").message.contains("'branchnumber'"));
    // Its SWIFT code is its routing number.
    let body = json!({
        "group": "one", "account": "primary", "currency": "USD", "amount": "20.5", "method": "Wire",
        "accountnumber": "5551234", "routing": "roYccat2",
    });
    x.control("/sandbox/banks/wire", &body).ok();
    let listed = banks(&x);
    assert_eq!((listed.len(), &listed[0]["bank"]), (1, &json!("Royal Savings - 1234")));
    laws::check(&x);
}

/// State money alone is listed, with the banks that a wire from them has verified; another account's banks are not. Proves BANK-003,
/// BANK-005, BANK-006.
#[test]
fn payment_methods() {
    let x = start();
    manager(&x).call("/v1/payments/addbank", bank()).ok();
    let mut second = bank();
    second["accountnumber"] = json!("77");
    manager(&x).call("/v1/payments/addbank", second).ok();
    assert_eq!(banks(&x), Vec::<Value>::new(), "no wire has come");
    wire(&x, "5", "ACH");
    assert_eq!(banks(&x), Vec::<Value>::new(), "an ACH credit verifies nothing");
    wire(&x, "100.25", "Wire");
    let answer = manager(&x).call("/v1/payments/methods", json!({}));
    let methods = answer.ok();
    same_keys(&methods, &["balances", "banks"], &answer);
    for row in methods["balances"].as_array().unwrap() {
        same_keys(row, &["type", "currency", "amount", "available", "availableForWithdrawal"], &answer);
        assert!(
            row["type"] == "exchange"
                && !["BTC", "ETH", "GUSD", "USDC"].contains(&row["currency"].as_str().unwrap())
        );
    }
    let dollars =
        methods["balances"].as_array().unwrap().iter().find(|row| row["currency"] == "USD").unwrap();
    assert_eq!(Dec::wire(&dollars["amount"]) - Dec::wire(&dollars["availableForWithdrawal"]), dec("5"));
    let listed = &methods["banks"][0];
    same_keys(listed, &["bank", "bankId"], &answer);
    assert_eq!(
        (methods["banks"].as_array().unwrap().len(), &listed["bank"]),
        (1, &json!("Acme Bank Checking - 1111"))
    );
    let id = listed["bankId"].as_str().unwrap();
    assert!(id.len() == 36 && id.split('-').count() == 5, "{id}");
    for key in ["trader", "auditor", "fund-manager"] {
        let banks = x.as_(key).call("/v1/payments/methods", json!({})).ok()["banks"].clone();
        assert_eq!(banks.as_array().unwrap().len(), 1, "{key}");
    }
    let other = x.as_("counterparty").call("/v1/payments/methods", json!({})).ok();
    assert_eq!(other["banks"], json!([]));
    assert_eq!(
        x.as_("empty").call("/v1/payments/methods", json!({})).ok(),
        json!({ "balances": [], "banks": [] })
    );
    // It outlives a crash.
    x.kill9();
    x.restart();
    assert_eq!(banks(&x).as_slice(), std::slice::from_ref(listed));
    laws::check(&x);
}

/// A payment is held at once and pending until its bank settles or returns it, once. Proves BANK-007, BAL-004, BAL-006.
#[test]
fn payments_are_held_until_the_bank_settles() {
    let x = start();
    let bank = verified(&x);
    let [before, ..] = amounts(&x, "USD");
    for (returned, left) in [(true, before), (false, before - dec("12.5"))] {
        let answer = pay(&x, &bank, json!("12.50"));
        let held = answer.ok();
        same_keys(&held, &["amount", "withdrawalId", "message"], &answer);
        let id = held["withdrawalId"].as_str().unwrap();
        assert!(
            id.len() == 6 && id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()),
            "{id}"
        );
        let message = held["message"].as_str().unwrap();
        assert!(held["amount"] == "12.5" && message.contains("SEN") && message.contains("12.50"), "{held}");
        assert_eq!(amounts(&x, "USD"), [before, before - dec("12.5"), before - dec("12.5")]);
        let dollars = row(&x, "USD");
        assert_eq!(
            (&dollars["pendingWithdrawal"], &dollars["pendingDeposit"]),
            (&json!("12.5"), &json!("0"))
        );
        assert!(row(&x, "BTC").get("pendingWithdrawal").is_none(), "nothing is pending there");
        for flag in [json!({}), json!({ "showPendingBalances": false })] {
            let rows = manager(&x).call("/v1/balances", flag).ok();
            assert!(rows.as_array().unwrap().iter().all(|row| row.get("pendingWithdrawal").is_none()));
        }
        settle(&x, json!({ "withdrawalId": id, "returned": returned })).ok();
        assert_eq!(amounts(&x, "USD"), [left; 3]);
        assert!(row(&x, "USD").get("pendingWithdrawal").is_none());
        for again in [true, false] {
            let answer = settle(&x, json!({ "withdrawalId": id, "returned": again }));
            assert!(answer.refused(400, "InvalidParameterValue").message.contains(id));
        }
    }
    laws::check(&x);
}

/// Transactions name the linked bank account of a wire and of a payment by its id; a wire from an unknown one names none. Proves XFER-034.
#[test]
fn transactions_name_the_bank() {
    let x = start();
    wire(&x, "7", "Wire");
    let bank = verified(&x);
    pay(&x, &bank, json!("25")).ok();
    let answer = x.as_("master").call("/v1/transactions", json!({ "limit": 300 })).ok();
    let at_banks: Vec<(&Value, &Value)> = { answer["results"].as_array().unwrap() }
        .iter()
        .filter(|item| item["method"] == "Wire" || item["method"] == "SEN")
        .map(|item| (&item["amount"], &item["bankId"]))
        .collect();
    let (first, second, third) = (json!("7"), json!("100"), json!("25"));
    assert_eq!(at_banks, [(&first, &Value::Null), (&second, &bank), (&third, &bank)]);
}

/// Payments that cannot be made. Proves BANK-008.
#[test]
fn payments_that_cannot_be() {
    let x = start();
    let bank = verified(&x);
    let nobody = json!("6b0c3f5e-0000-4000-8000-000000000000");
    for wrong in [&nobody, &json!(""), &json!("BankAccountRefId(1)"), &json!("1")] {
        let message = pay(&x, wrong, json!("1")).refused(400, "InvalidBank").message;
        assert!(message.contains("'bankId'"), "{message}");
    }
    // Another account's bank is unknown, and so is that of another account of the group.
    let foreign = json!({ "bankId": bank, "amount": "1" });
    x.as_("counterparty").call("/v1/payments/sen/withdraw", foreign.clone()).refused(400, "InvalidBank");
    for key in ["trader", "auditor"] {
        x.as_(key).call("/v1/payments/sen/withdraw", foreign.clone()).refused(403, "MissingRole");
    }
    let savings = json!({ "account": "savings", "bankId": bank, "amount": "1" });
    x.as_("master").call("/v1/payments/sen/withdraw", savings).refused(400, "InvalidBank");
    for wrong in
        ["0", "0.00", "-1", "1.234", "abc", "", "1e3", "0.001", "99999999999999999999999999999999999999999"]
    {
        let answer = pay(&x, &bank, json!(wrong));
        assert!(answer.refused(400, "InvalidQuantity").message.contains("'amount'"), "{answer}");
    }
    for field in ["bankId", "amount"] {
        let mut fields = json!({ "bankId": bank, "amount": "1" });
        fields.as_object_mut().unwrap().remove(field);
        let answer = manager(&x).call("/v1/payments/sen/withdraw", fields);
        assert!(answer.refused(400, "MissingPayloadKey").message.contains(field), "{answer}");
    }
    let [_, available, _] = amounts(&x, "USD");
    let more = (available + dec("0.01")).to_string();
    pay(&x, &bank, json!(more)).refused(406, "InsufficientFunds");
    assert_eq!(amounts(&x, "USD")[1], available);
    pay(&x, &bank, json!(2)).ok();
    x.stop();
    laws::verified(&x);
}

/// `all` pays every whole cent that may leave; any other spelling is no amount.
#[test]
fn all_is_paid_in_cents() {
    let x = start();
    let bank = verified(&x);
    for word in ["All", " all", "ALL"] {
        pay(&x, &bank, json!(word)).refused(400, "InvalidQuantity");
    }
    let [_, _, free] = amounts(&x, "USD");
    let answer = pay(&x, &bank, json!("all")).ok();
    let paid = Dec::wire(&answer["amount"]);
    assert!(free - paid < dec("0.01") && paid <= free, "{paid} of {free}");
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains(answer["amount"].as_str().unwrap()), "{message}");
    pay(&x, &bank, json!("all")).refused(406, "InsufficientFunds");
    x.stop();
    laws::verified(&x);
}

/// Without simulated funds, payments are refused before their fields are read, and no bank sends anything; links work. Proves SBX-003 (part).
#[test]
fn no_money_moves_without_simulated_funds() {
    let x = Exchange::start();
    for fields in [json!({}), json!({ "bankId": 7, "amount": "x" }), json!({ "bankId": "a", "amount": "1" })]
    {
        manager(&x).call("/v1/payments/sen/withdraw", fields).refused(400, "InvalidFundTransfer");
    }
    x.as_("auditor").call("/v1/payments/sen/withdraw", json!({})).refused(403, "MissingRole");
    for path in ["/sandbox/banks/wire", "/sandbox/banks/settle"] {
        x.control(path, &json!({})).refused(400, "InvalidFundTransfer");
    }
    manager(&x).call("/v1/payments/addbank", bank()).ok();
    assert_eq!(banks(&x), Vec::<Value>::new());
    laws::check(&x);
}

/// An ACH credit trades at once and leaves after five days to the second. Proves BAL-005.
#[test]
fn an_advance_clears() {
    let x = start();
    let bank = verified(&x);
    let [before, ..] = amounts(&x, "USD");
    wire(&x, "1000", "ACH");
    assert_eq!(amounts(&x, "USD"), [before + dec("1000"), before + dec("1000"), before]);
    let notional = |x: &Exchange| {
        let rows = manager(x).call("/v1/notionalbalances/usd", json!({})).ok();
        let rows = rows.as_array().unwrap().iter();
        let dollars = { rows }.find(|row| row["currency"] == "USD").unwrap().clone();
        ["availableForWithdrawal", "availableForWithdrawalNotional"].map(|field| Dec::wire(&dollars[field]))
    };
    assert_eq!(notional(&x), [before; 2]);
    pay(&x, &bank, json!((before + dec("0.01")).to_string())).refused(406, "InsufficientFunds");
    x.advance(5 * 24 * 3600 - 1);
    assert_eq!(amounts(&x, "USD")[2], before);
    x.advance(1);
    assert_eq!(amounts(&x, "USD"), [before + dec("1000"); 3]);
    assert_eq!(notional(&x), [before + dec("1000"); 2]);
    laws::check(&x);
}

/// The clock of an advance goes on over a restart, also where its time came while the exchange was down or crashed.
#[test]
fn an_advance_clears_after_a_crash() {
    let x = start();
    verified(&x);
    let [before, ..] = amounts(&x, "USD");
    wire(&x, "1000", "ACH");
    x.advance(3 * 24 * 3600);
    x.kill9();
    x.restart();
    assert_eq!(amounts(&x, "USD")[2], before);
    x.advance(2 * 24 * 3600);
    assert_eq!(amounts(&x, "USD")[2], before + dec("1000"));
    laws::check(&x);
}

fn transfer(x: &Exchange, currency: &str, amount: &str) -> Answer {
    let fields = json!({ "sourceAccount": "primary", "targetAccount": "savings", "amount": amount });
    x.as_("master").call(&format!("/v1/account/transfer/{currency}"), fields)
}

/// A returned advance that was spent: orders are cancelled, the house lends the rest, and the account neither trades nor withdraws until
/// what comes in has repaid it.
#[test]
fn a_returned_advance_that_was_spent() {
    let x = start();
    let bank = verified(&x);
    let trader = x.as_("trader");
    let [mine, ..] = amounts(&x, "USD");
    transfer(&x, "usd", &mine.to_string()).ok();
    let eid = wire(&x, "1000", "ACH");
    x.control("/sandbox/index/BTC", &json!({ "price": "10000" })).ok();
    x.as_("counterparty").limit("btcusd", "sell", "0.05", "10000");
    trader.limit("btcusd", "buy", "0.05", "10000");
    trader.limit("btcusd", "buy", "0.04", "10000");
    trader.limit("ethusd", "sell", "1", "90000");
    let [total, ..] = amounts(&x, "USD");
    settle(&x, json!({ "eid": eid, "returned": true })).ok();
    assert_eq!(trader.live_ids(), Vec::<String>::new());
    assert_eq!(trader.balance("USD"), (Dec::ZERO, Dec::ZERO));
    assert_eq!(
        amounts(&x, "BTC")[1..],
        [Dec::ZERO; 2],
        "an account in debt may use nothing, and nothing leaves it"
    );
    let owed = dec("1000") - total;
    let lending = |x: &Exchange| {
        let ledger = x.get("/sandbox/ledger").ok();
        let rows = ledger["currencies"].as_array().unwrap();
        let house = rows.iter().find(|row| row["currency"] == "USD").unwrap()["house"].clone();
        Dec::wire(&house["lending"])
    };
    assert_eq!(lending(&x), Dec::ZERO - owed);
    let order = buttonwood_accept::NewOrder::limit("ethusd", "sell", "1", "90000");
    for key in ["trader", "master"] {
        let mut params = order.params();
        if key == "master" {
            params["account"] = json!("primary");
        }
        let refusal = x.as_(key).call("/v1/order/new", params).refused(406, "InsufficientFunds");
        assert!(refusal.message.contains(&format!("owes the exchange {owed} USD")), "{refusal:?}");
    }
    trader
        .call("/v1/wrap/gusdusd", json!({ "side": "sell", "amount": "1" }))
        .refused(406, "InsufficientFunds");
    let refusal = transfer(&x, "btc", "0.01").refused(406, "InsufficientFunds");
    assert!(refusal.message.contains(&format!("owes the exchange {owed} USD")), "{refusal:?}");
    pay(&x, &bank, json!("1")).refused(406, "InsufficientFunds");
    for again in [true, false] {
        settle(&x, json!({ "eid": eid, "returned": again })).refused(400, "InvalidParameterValue");
    }
    // It is so after a crash too, and what comes in repays it first.
    x.kill9();
    x.restart();
    x.as_("trader").call("/v1/order/new", order.params()).refused(406, "InsufficientFunds");
    x.credit("trader", "USD", "100");
    assert_eq!((x.as_("trader").balance("USD").0, lending(&x)), (Dec::ZERO, dec("100") - owed));
    x.credit("trader", "USD", &owed.to_string());
    assert_eq!((x.as_("trader").balance("USD").0, lending(&x)), (dec("100"), Dec::ZERO));
    x.as_("trader").call("/v1/order/new", order.params()).ok();
    transfer(&x, "btc", "0.01").ok();
    x.advance(6 * 24 * 3600);
    assert_eq!(x.as_("trader").balance("USD").0, dec("100"), "nothing completes later");
    laws::check(&x);
}

/// The refusals of the control calls, by field.
#[test]
fn what_banks_do_not_do() {
    let x = start();
    x.control("/sandbox/accounts", &json!({ "group": "one", "name": "vault", "kind": "custody" })).ok();
    let good =
        json!({ "group": "one", "account": "primary", "currency": "USD", "amount": "1", "method": "Wire" });
    for (field, wrong, reason) in [
        ("group", json!("nowhere"), "InvalidParameterValue"),
        ("account", json!("nowhere"), "InvalidAccountName"),
        ("account", json!("vault"), "InvalidFundTransfer"),
        ("account", json!("perps"), "InvalidFundTransfer"),
        ("currency", json!("BTC"), "InvalidCurrency"),
        ("currency", json!("none"), "InvalidCurrency"),
        ("amount", json!("0"), "InvalidQuantity"),
        ("amount", json!("-1"), "InvalidQuantity"),
        ("amount", json!("0.001"), "InvalidQuantity"),
        ("amount", json!("99999999999999999999"), "InvalidQuantity"),
        ("method", json!("SEN"), "InvalidParameterValue"),
        ("method", json!("wire"), "InvalidParameterValue"),
        ("accountnumber", json!(5), "InvalidParameterValue"),
        ("routing", json!({}), "InvalidParameterValue"),
    ] {
        let mut body = good.clone();
        body[field] = wrong;
        let refusal = x.control("/sandbox/banks/wire", &body).refused(400, reason);
        assert!(refusal.message.contains(&format!("'{field}'")), "{refusal:?}");
    }
    for field in ["group", "account", "currency", "amount"] {
        let mut body = good.clone();
        body.as_object_mut().unwrap().remove(field);
        assert!(
            x.control("/sandbox/banks/wire", &body).refused(400, "MissingPayloadKey").message.contains(field)
        );
    }
    let row = x.control("/sandbox/banks/wire", &good).ok()["eid"].clone();
    for (body, field) in [
        (json!({ "eid": row }), "'eid'"),
        (json!({ "eid": 999 }), "'eid'"),
        (json!({ "eid": "x" }), "'eid'"),
        (json!({ "eid": 0 }), "'eid'"),
        (json!({ "withdrawalId": "ABC123" }), "'withdrawalId'"),
        (json!({ "withdrawalId": "ABC123", "eid": 1 }), "'eid'"),
        (json!({ "eid": 1, "returned": "yes" }), "'returned'"),
        (json!({}), "'withdrawalId'"),
    ] {
        let answer = settle(&x, body);
        assert!(answer.status() == 400 && answer.error().message.contains(field), "{answer}");
    }
    laws::check(&x);
}

/// An account with transfers under way, or with a debt, is not closed; the refusal names them. An operator's commands do what banks do.
#[test]
fn accounts_with_open_transfers_stay_open() {
    let x = start();
    let close = || x.control("/sandbox/accounts/close", &json!({ "group": "five", "account": "primary" }));
    let wire = |method: &str| {
        let done = x
            .admin(&["bank", "wire", "five", "primary", "USD", "5", "--method", method, "--reason", "test"])
            .done();
        done["eid"].as_u64().unwrap()
    };
    let eid = wire("ACH");
    // Everything is named at once.
    let order = x.as_("empty").limit("btcusd", "buy", "0.01", "100")["order_id"].as_str().unwrap().to_owned();
    let message = close().refused(400, "InvalidParameterValue").message;
    let all = format!("not with live orders {order}; open transfers eid {eid}; money USD 5: primary");
    assert!(message.ends_with(&all), "{message}");
    x.as_("empty").cancel(&order);
    // It is spent, then returned: the account owes it.
    let debit = ["debit", "five", "primary", "USD", "5", "--reason", "spent"];
    x.admin(&debit).done();
    x.admin(&["bank", "settle", "--eid", &eid.to_string(), "--returned", "--reason", "test"]).done();
    let message = close().refused(400, "InvalidParameterValue").message;
    assert!(message.contains("USD 5"), "{message}");
    wire("Wire");
    close().ok();
    let late = json!({ "group": "five", "account": "primary", "currency": "USD", "amount": "1" });
    x.control("/sandbox/banks/wire", &late).refused(400, "AccountClosed");
    laws::check(&x);
}
