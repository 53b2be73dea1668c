//! The statement: every change of a balance, with what it was (decision D-171), and wraps and instant orders by their ids (D-170).

use buttonwood_accept::{Actor, Dec, Exchange, Value, dec, json, laws, run_to_end, same_keys, skipped};
use buttonwood_client::Credentials;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const PATH: &str = "/v1/statement";

fn page(actor: &Actor, params: Value) -> Vec<Value> {
    actor.call(PATH, params).ok().as_array().expect("an array").clone()
}

/// Every line, oldest first, in pages of seven.
fn all(actor: &Actor) -> Vec<Value> {
    let (mut lines, mut since) = (Vec::new(), 0);
    loop {
        let more = page(actor, json!({ "since_entry_id": since, "limit_entries": 7 }));
        let Some(last) = more.last() else { return lines };
        assert!(more.len() <= 7);
        since = last["entry_id"].as_u64().expect("a number");
        lines.extend(more);
    }
}

/// Checks that each line says the sum so far and that the sums are the balances; returns the lines, oldest first.
#[track_caller]
fn explained(actor: &Actor) -> Vec<Value> {
    let lines = all(actor);
    assert!(lines.is_sorted_by_key(|line| line["entry_id"].as_u64()), "{lines:?}");
    let mut sums: BTreeMap<String, Dec> = BTreeMap::new();
    for line in &lines {
        let sum = sums.entry(line["currency"].as_str().expect("a code").to_owned()).or_insert(Dec::ZERO);
        *sum = *sum + Dec::wire(&line["amount"]);
        assert_eq!(*sum, Dec::wire(&line["balance"]), "{line}");
    }
    for row in actor.balances() {
        let sum = sums.remove(row["currency"].as_str().expect("a code")).unwrap_or(Dec::ZERO);
        // Balances on the wire are cut to 15 decimals (TYPE-021).
        let off = (sum - Dec::wire(&row["amount"])).abs();
        assert!(off < dec("0.000000000000001"), "the lines sum to {sum}, the balance is {row}");
    }
    sums.retain(|_, sum| *sum != Dec::ZERO);
    assert!(sums.is_empty(), "no balance shows {sums:?}");
    lines
}

/// Cause, currency and amount of lines.
fn shown(lines: &[Value]) -> Vec<[String; 3]> {
    let text = |line: &Value, name: &str| line[name].as_str().expect("a text").to_owned();
    lines.iter().map(|line| ["cause", "currency", "amount"].map(|name| text(line, name))).collect()
}

fn causes(lines: &[Value]) -> BTreeSet<&str> {
    lines.iter().map(|line| line["cause"].as_str().expect("a text")).collect()
}

/// Trades of a taker and a maker, their fees, wraps and credits are lines that refer to what they were. Cancelled orders and reserves are
/// none. Proves D-171.
#[test]
fn trades_and_conversions_are_lines() {
    let x = Exchange::start();
    let (trader, other) = (x.as_("trader"), x.as_("counterparty"));
    let before = all(&trader).len();
    other.limit("btcusd", "sell", "1", "100");
    other.limit("btcusd", "sell", "1", "110");
    let taken = trader.limit("btcusd", "buy", "2", "110");
    let resting = trader.limit("btcusd", "sell", "3", "112");
    other.limit("btcusd", "buy", "1", "112");
    trader.cancel(resting["order_id"].as_str().unwrap());
    let wrapped = trader.call("/v1/wrap/gusdusd", json!({ "side": "buy", "amount": "250.5" })).ok();
    x.credit("trader", "ETH", "3");
    let lines = explained(&trader);
    let expected = [
        ["trade", "BTC", "1"],
        ["trade", "USD", "-100"],
        ["fee", "USD", "-0.4"],
        ["trade", "BTC", "1"],
        ["trade", "USD", "-110"],
        ["fee", "USD", "-0.44"],
        ["trade", "BTC", "-1"],
        ["trade", "USD", "112"],
        ["fee", "USD", "-0.224"],
        ["conversion", "USD", "-250.5"],
        ["conversion", "GUSD", "250.5"],
        ["adjustment", "ETH", "3"],
    ];
    assert_eq!(shown(&lines[before..]), expected.map(|row| row.map(str::to_owned)));
    let own = trader.call("/v1/mytrades", json!({ "symbol": "btcusd" })).ok();
    let tids: Vec<&Value> = own.as_array().unwrap().iter().rev().map(|trade| &trade["tid"]).collect();
    for (place, line) in lines[before..].iter().take(9).enumerate() {
        assert_eq!(&line["tid"], tids[place / 3], "{line}");
        let order = if place < 6 { &taken } else { &resting };
        assert_eq!(line["order_id"], order["order_id"]);
    }
    let keys = ["entry_id", "timestampms", "currency", "amount", "balance", "cause"];
    for line in &lines[before + 9..before + 11] {
        same_keys(line, &[&keys[..], &["order_id"]].concat(), line);
        assert_eq!(line["order_id"], json!(wrapped["orderId"].to_string()));
    }
    same_keys(&lines[before + 11], &keys, &lines[before + 11]);
    explained(&other);
    x.restart();
    assert_eq!(explained(&x.fresh("trader")), lines);
    laws::check(&x);
}

/// A page has the newest lines first; a currency, a time and a number narrow it; wrong parameters are refused by name. Proves D-171.
#[test]
fn pages() {
    let x = Exchange::start();
    let (trader, other) = (x.as_("trader"), x.as_("counterparty"));
    for round in 0..20 {
        other.limit("btcusd", "sell", "0.1", "100");
        trader.limit("btcusd", "buy", "0.1", "100");
        if round % 5 == 0 {
            x.advance(3);
        }
    }
    let mut lines = all(&trader);
    let later = lines.iter().rfind(|line| line["cause"] != "trade" && line["cause"] != "fee").cloned();
    assert_eq!(later.expect("the opening balances")["cause"], "adjustment");
    let whole = lines.clone();
    lines.reverse();
    assert_eq!(page(&trader, json!({})), lines[..50]);
    assert_eq!(page(&trader, json!({ "limit_entries": 5 })), lines[..5]);
    assert_eq!(page(&trader, json!({ "limit_entries": 10_000 })), lines);
    let btc: Vec<Value> = lines.iter().filter(|line| line["currency"] == "BTC").cloned().collect();
    assert_eq!(page(&trader, json!({ "currency": "btc" })), btc);
    let (mut read, mut from) = (Vec::new(), 0);
    loop {
        let mut more = page(&trader, json!({ "timestamp": from, "limit_entries": 4 }));
        more.reverse();
        let Some(last) = more.last() else { break };
        from = last["timestampms"].as_u64().unwrap() + 1;
        read.extend(more);
    }
    assert_eq!(read, whole);
    let refused = |params: Value, reason: &str, word: &str| {
        let message = trader.call(PATH, params).refused(400, reason).message;
        assert!(message.contains(word), "{message}");
    };
    refused(json!({ "currency": "QQQ" }), "InvalidCurrency", "QQQ");
    let both = json!({ "timestamp": 1, "since_entry_id": 2 });
    assert!(trader.call(PATH, both).error().message.contains("since_entry_id"));
    for bad in [json!(-1), json!("x"), json!(1.5)] {
        let message = trader.call(PATH, json!({ "since_entry_id": bad })).error().message;
        assert!(message.contains("since_entry_id"), "{message}");
    }
    assert_eq!(x.as_("auditor").call(PATH, json!({})).status(), 200, "an Auditor reads it");
    laws::check(&x);
}

/// A wrap and an instant order are found by their ids, as closed market orders with their one trade, and are trades of the group's
/// transactions. The lists of the book do not have them. Proves D-170.
#[test]
fn conversions_are_found() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let fields = json!({ "side": "sell", "amount": "1", "client_order_id": "mine" });
    x.credit("trader", "GUSD", "5");
    trader.call("/v1/wrap/gusdusd", fields.clone()).ok();
    let wrapped = trader.call("/v1/wrap/gusdusd", fields).ok();
    let bought = instant(&x);
    let status = |params: Value| trader.call("/v1/order/status", params).ok();
    let id = wrapped["orderId"].to_string();
    let found = status(json!({ "client_order_id": "mine", "include_trades": true }));
    assert_eq!(found["order_id"], json!(id), "the newest of that name");
    assert_eq!(status(json!({ "order_id": id, "include_trades": true })), found);
    let texts = ["symbol", "side", "type", "executed_amount", "remaining_amount", "avg_execution_price"];
    assert_eq!(
        texts.map(|name| found[name].as_str().unwrap()),
        ["gusdusd", "sell", "market sell", "1", "0", "1"]
    );
    assert_eq!((&found["is_live"], &found["is_cancelled"]), (&json!(false), &json!(false)));
    let trades = found["trades"].as_array().unwrap();
    assert_eq!((trades.len(), &trades[0]["order_id"], &trades[0]["price"]), (1, &json!(id), &json!("1")));
    let id = bought["orderId"].to_string();
    let found = status(json!({ "order_id": id, "include_trades": true }));
    assert_eq!(found["type"], "market buy");
    assert_eq!(Dec::wire(&found["executed_amount"]), Dec::wire(&bought["quantity"]));
    assert_eq!(found["trades"][0]["fee_amount"], bought["fee"]);
    x.as_("counterparty").call("/v1/order/status", json!({ "order_id": id })).refused(404, "OrderNotFound");
    let listed = x.as_("master").call("/v1/transactions", json!({ "limit": 300 })).ok();
    let listed = listed["results"].as_array().unwrap().clone();
    let ids = [wrapped["orderId"].clone(), bought["orderId"].clone()];
    let ours: Vec<&Value> = listed.iter().filter(|row| ids.contains(&row["orderId"])).collect();
    assert_eq!(ours.len(), 2, "{listed:?}");
    assert!(ours.iter().all(|row| row["type"] == "trade"));
    for path in ["/v1/orders/history", "/v1/mytrades"] {
        let rows = trader.call(path, json!({ "symbol": "gusdusd" })).ok();
        assert_eq!(rows, json!([]), "{path}");
    }
    // An order placed later under the same name is meant from then on.
    let placed = trader.call(
        "/v1/order/new",
        json!({ "symbol": "btcusd", "side": "buy", "type": "exchange limit", "amount": "1", "price": "50",
            "client_order_id": "mine" }),
    );
    let placed = placed.ok();
    assert_eq!(status(json!({ "client_order_id": "mine" }))["order_id"], placed["order_id"]);
    // And a wrap takes the name from it: a cancel by it touches no order.
    let wrapped =
        trader.call("/v1/wrap/gusdusd", json!({ "side": "buy", "amount": "1", "client_order_id": "mine" }));
    let wrapped = wrapped.ok()["orderId"].to_string();
    for named in [json!({ "client_order_id": "mine" }), json!({ "order_id": wrapped })] {
        let cancelled = trader.call("/v1/order/cancel", named).ok();
        assert_eq!((&cancelled["order_id"], &cancelled["is_live"]), (&json!(wrapped), &json!(false)));
    }
    assert_eq!(trader.status(placed["order_id"].as_str().unwrap())["is_live"], json!(true));
    explained(&trader);
    laws::check(&x);
}

/// Executes an instant buy of the trader.
fn instant(x: &Exchange) -> Value {
    x.control("/sandbox/instant", &json!({ "depth_usd": "100" })).ok();
    let other = x.as_("counterparty");
    for (side, price) in [("sell", "101"), ("buy", "99")] {
        other.limit("btcusd", side, "2", price);
    }
    let trader = x.as_("trader");
    let asked = json!({ "symbol": "btcusd", "side": "buy", "totalSpend": "50" });
    let quote = trader.call("/v1/instant/quote", asked).ok();
    let terms = json!({
        "symbol": "btcusd", "side": "buy", "quantity": quote["quantity"], "price": quote["price"],
        "fee": quote["fee"], "quoteId": quote["quoteId"],
    });
    trader.call("/v1/instant/execute", terms).ok()
}

/// A profit, a fee and the funding of a perpetual have causes of their own, and refer to order and trade. Proves D-171.
#[test]
fn perpetuals() {
    let x = Exchange::start();
    x.control("/sandbox/index/BTC", &json!({ "price": "50000" })).ok();
    let [long, short] = ["perp-000", "perp-001"].map(|key| x.as_(key));
    let before = all(&long).len();
    short.limit("btcgusdperp", "sell", "2", "50000");
    let bought = long.limit("btcgusdperp", "buy", "2", "50000");
    short.limit("btcgusdperp", "buy", "2", "50100");
    let sold = long.limit("btcgusdperp", "sell", "1", "50100");
    x.advance(3_600);
    let lines = explained(&long).split_off(before);
    let profit = lines.iter().find(|line| line["cause"] == "realised").expect("a profit");
    assert_eq!((&profit["amount"], &profit["order_id"]), (&json!("100"), &sold["order_id"]));
    let fee = lines.iter().find(|line| line["cause"] == "fee").expect("a fee");
    assert_eq!(fee["order_id"], bought["order_id"]);
    assert!(profit["tid"].is_u64() && fee["tid"].is_u64(), "{lines:?}");
    assert!(causes(&lines).is_subset(&BTreeSet::from(["fee", "realised", "funding"])), "{lines:?}");
    let maker = explained(&short);
    assert!(maker.iter().any(|line| line["cause"] == "fee" && line["tid"].is_u64()), "{maker:?}");
    laws::check(&x);
}

/// A deposit that is advanced, spent and returned: the return, what the house lends, and its repayment by a later credit are lines; so are
/// a transfer at both ends, the loan of a margin account and its interest. Proves D-171.
#[test]
fn banks_debts_transfers_and_loans() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    x.control("/sandbox/index/BTC", &json!({ "price": "50000" })).ok();
    x.admin(&["group", "add", "north"]).done();
    let key = |fields: Value| {
        let made = x.control("/sandbox/keys", &fields).ok();
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        x.actor_of(&Credentials::new(text("api_key"), text("api_secret")))
    };
    let open = |name: &str, kind: &str| {
        x.admin(&["account", "add", "north", name, "--kind", kind]).done();
        key(json!({ "group": "north", "account": name, "roles": ["Trader", "Fund Manager"] }))
    };
    let (front, back) = (open("front", "exchange"), open("back", "exchange"));
    let margin = open("margin", "margin");
    let credit = |account: &str, amount: &str| {
        let body = json!({ "group": "north", "account": account, "currency": "USD", "amount": amount });
        x.control("/sandbox/accounts/credit", &body).ok();
    };
    let wire =
        json!({ "group": "north", "account": "front", "currency": "USD", "amount": "1000", "method": "ACH" });
    let eid = x.control("/sandbox/banks/wire", &wire).ok()["eid"].as_u64().unwrap();
    x.as_("counterparty").limit("btcusd", "sell", "0.01", "50000");
    let buy = json!({ "symbol": "btcusd", "side": "buy", "type": "exchange limit", "amount": "0.01", "price": "50000" });
    front.call("/v1/order/new", buy).ok();
    x.control("/sandbox/banks/settle", &json!({ "eid": eid, "returned": true })).ok();
    credit("front", "600");
    let lines = explained(&front);
    let told: Vec<_> = shown(&lines).into_iter().filter(|row| row[1] == "USD" && row[0] != "trade").collect();
    let causes_told: Vec<&str> = told.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(causes_told, ["deposit", "fee", "loan", "deposit", "adjustment", "repayment"], "{told:?}");
    let deposits: Vec<&Value> = lines.iter().filter(|line| line["cause"] == "deposit").collect();
    assert!(deposits.iter().all(|line| line["eid"] == json!(eid)), "{deposits:?}");
    assert_eq!((&told[2][2], &told[5][2]), (&"502".to_owned(), &"-502".to_owned()));

    let master = key(json!({ "group": "north", "roles": ["Fund Manager"] }));
    let moved = json!({ "sourceAccount": "front", "targetAccount": "back", "amount": "50" });
    master.call("/v1/account/transfer/usd", moved).ok();
    let (from, to) = (explained(&front), explained(&back));
    let (from, to) = (from.last().unwrap(), to.last().unwrap());
    assert_eq!(
        (&from["amount"], &to["amount"], &to["cause"]),
        (&json!("-50"), &json!("50"), &json!("transfer"))
    );
    assert_eq!(to["eid"].as_u64().unwrap(), from["eid"].as_u64().unwrap() + 1);

    credit("margin", "10000");
    x.as_("counterparty").limit("btcusd", "sell", "0.4", "50000");
    let buy = json!({
        "symbol": "btcusd", "side": "buy", "type": "exchange limit", "amount": "0.4", "price": "50000",
        "margin_order": true,
    });
    margin.call("/v1/order/new", buy).ok();
    x.advance(2 * 3_600);
    let lines = explained(&margin);
    assert_eq!(causes(&lines), BTreeSet::from(["adjustment", "fee", "interest", "loan", "trade"]));
    laws::check(&x);
}

/// The export has the lines of every account, as the interface shows them.
#[test]
fn the_export_is_the_statement() {
    let x = Exchange::start();
    let (trader, other) = (x.as_("trader"), x.as_("counterparty"));
    for _ in 0..5 {
        other.limit("ethusd", "sell", "1", "20");
        trader.limit("ethusd", "buy", "1", "20");
        x.advance(1);
    }
    let lines = all(&trader);
    let rows = exported(&x);
    let key = x.key("trader");
    let own = rows.iter().filter(|row| row["group"] == key.group && row["account"] == key.account);
    for (row, line) in own.clone().zip(&lines) {
        let cell = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        for (name, value) in line.as_object().unwrap() {
            assert_eq!(row[name], cell(value), "{name} of {line}");
        }
    }
    assert_eq!(own.count(), lines.len());
    x.stop();
    assert_eq!(exported(&x), rows, "from the files too");
    laws::check(&x);
}

/// The exported rows by their columns' names.
fn exported(x: &Exchange) -> Vec<BTreeMap<String, String>> {
    let output = run_to_end(&["export", "--data", x.data().to_str().unwrap(), "--table", "statement"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines().map(|line| line.split(','));
    let names: Vec<&str> = lines.next().expect("the line with the names").collect();
    let row = |values: std::str::Split<'_, char>| {
        names.iter().map(|name| (*name).to_owned()).zip(values.map(str::to_owned)).collect()
    };
    lines.map(row).collect()
}

/// The variable that names a Python interpreter with pandas (`cargo xtask test` sets it).
const VARIABLE: &str = "BUTTONWOOD_OPENPYXL";

/// A month of trades, conversions, funding, loans and transfers, recomputed from the export alone in pandas. Proves D-171.
#[test]
fn a_month_in_pandas() {
    let Ok(python) = std::env::var(VARIABLE) else {
        return skipped("a month in pandas", &format!("{VARIABLE} does not name a Python interpreter"));
    };
    let x = Exchange::start();
    x.control("/sandbox/index/BTC", &json!({ "price": "50000" })).ok();
    let keys = ["trader", "counterparty", "perp-000", "perp-001"];
    let [trader, other, long, short] = keys.map(|key| x.as_(key));
    for day in 0..30 {
        other.limit("btcusd", "sell", "0.03", "50000");
        trader.limit("btcusd", "buy", "0.02", "50000");
        trader.call("/v1/wrap/gusdusd", json!({ "side": "buy", "amount": "7.25" })).ok();
        short.limit("btcgusdperp", "sell", "0.1", &(50_000 - day).to_string());
        long.limit("btcgusdperp", "buy", "0.1", "50000");
        x.advance(24 * 3_600);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("statement.csv");
    let table = ["export", "--table", "statement", "--data", x.data().to_str().unwrap()];
    let output = run_to_end(&[&table[..], &["--out", file.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/openpyxl/statement.py");
    let output = Command::new(python).arg(script).arg(&file).output().expect("the interpreter starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let sums: Value = serde_json::from_slice(&output.stdout).expect("the script prints JSON");
    for name in keys {
        let (key, actor) = (x.key(name), x.as_(name));
        for row in actor.balances() {
            let sum = &sums[format!("{}/{}/{}", key.group, key.account, row["currency"].as_str().unwrap())];
            let off = (Dec::wire(sum) - Dec::wire(&row["amount"])).abs();
            assert!(off < dec("0.000000000000001"), "pandas has {sum}, the balance is {row}");
        }
    }
    laws::check(&x);
}
