//! The catalogue of bad input for calls that move money: each row is refused by field, and nothing is held, moved or listed.

use buttonwood_accept::{Answer, Exchange, Value, json, laws};
use std::thread;

/// Addresses of the networks' own specifications (BIP-173, EIP-55).
const BTC: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
const ETH: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

const WEEK: u64 = 7 * 86_400;

/// Simulated funds; the account of the fund manager may pay both addresses and has a verified bank, whose id is returned.
fn start() -> (Exchange, String) {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let owner = x.as_("fund-manager");
    for (network, address) in [("bitcoin", BTC), ("ethereum", ETH)] {
        let path = format!("/v1/approvedAddresses/{network}/request");
        owner.call(&path, json!({ "address": address, "label": "mine" })).ok();
    }
    let bank = json!({ "accountnumber": "0001", "routing": "021000021", "type": "checking", "name": "Acme" });
    owner.call("/v1/payments/addbank", bank).ok();
    let wire = json!({
        "group": "one", "account": "primary", "currency": "USD", "amount": "100", "method": "Wire",
        "accountnumber": "0001", "routing": "021000021",
    });
    x.control("/sandbox/banks/wire", &wire).ok();
    x.advance(WEEK);
    let methods = owner.call("/v1/payments/methods", json!({})).ok();
    (x, methods["banks"][0]["bankId"].as_str().expect("a verified bank").to_owned())
}

/// A call that moves money: key, path, and its fields but the amount as they are written.
struct Payment {
    key: &'static str,
    path: &'static str,
    fields: String,
}

fn payments(bank: &str) -> [Payment; 6] {
    let to = |address: &str| format!(r#""address":"{address}""#);
    let accounts = r#""sourceAccount":"primary","targetAccount":"savings""#.to_owned();
    [
        Payment { key: "fund-manager", path: "/v2/withdraw/bitcoin/btc", fields: to(BTC) },
        Payment { key: "fund-manager", path: "/v1/withdraw/btc", fields: to(BTC) },
        Payment { key: "fund-manager", path: "/v1/withdraw/usd", fields: to(ETH) },
        Payment { key: "fund-manager", path: "/v2/withdraw/bitcoin/btc/feeEstimate", fields: to(BTC) },
        Payment {
            key: "fund-manager",
            path: "/v1/payments/sen/withdraw",
            fields: format!(r#""bankId":"{bank}""#),
        },
        Payment { key: "master", path: "/v1/account/transfer/btc", fields: accounts },
    ]
}

/// A call whose payload has these fields, written exactly like this.
fn call(x: &Exchange, key: &str, path: &str, fields: &str) -> Answer {
    let actor = x.as_(key);
    let nonce = actor.client().next_nonce();
    actor.call_payload(path, format!(r#"{{"request":"{path}","nonce":{nonce},{fields}}}"#).as_bytes())
}

/// Balances without stamps, and transfers.
fn state(x: &Exchange) -> Vec<Value> {
    let mut all = Vec::new();
    for key in ["auditor", "savings-trader"] {
        for row in x.as_(key).balances() {
            all.push(json!([row["currency"], row["amount"], row["available"]]));
        }
        all.push(x.as_(key).call("/v1/transfers", json!({})).ok());
    }
    all
}

/// Collects what is not as expected.
struct Table<'x> {
    x: &'x Exchange,
    before: Vec<Value>,
    failures: Vec<String>,
}

impl<'x> Table<'x> {
    fn new(x: &'x Exchange) -> Self {
        Self { x, before: state(x), failures: Vec::new() }
    }

    /// The answer has one of the status codes and reasons, and its message names the field.
    fn row(&mut self, input: &str, answer: &Answer, expected: &[(u16, &str)], field: &str) {
        let body = answer.reply.json().unwrap_or_default();
        let found = (answer.status(), body["reason"].as_str().unwrap_or_default());
        let named = body["message"].as_str().unwrap_or_default().contains(field);
        if !expected.contains(&found) || !named || body["result"] != "error" {
            let input: String = input.chars().take(120).collect();
            let text: String = answer.reply.text().chars().take(200).collect();
            self.failures.push(format!("{input}: {} {text}", found.0));
        }
    }

    /// All rows are as expected, and nothing has changed.
    #[track_caller]
    fn finish(self) {
        assert!(self.failures.is_empty(), "{} rows:\n  {}", self.failures.len(), self.failures.join("\n  "));
        assert_eq!(state(self.x), self.before, "refusals change nothing");
        laws::check(self.x);
    }
}

/// Texts that are no decimal above zero, in a string.
const TEXTS: &[&str] = &[
    "1e1000000",
    "1E5",
    "1e2",
    "NaN",
    "Infinity",
    "-Infinity",
    "+1",
    "-1",
    "-0",
    ".5",
    "5.",
    "00.1",
    "01",
    "0x10",
    "1_000",
    "1,000",
    " 1",
    "1 ",
    "1\\u0000",
    "1\\n",
    "\u{661}",
    "\u{ff11}",
    "1\u{66b}5",
    "\u{2212}1",
    "",
    "abc",
    "1.2.3",
    "--1",
    "0",
    "0.0",
    "0.00",
    "true",
    "null",
    "[]",
    "1\\ud83d\\ude00",
    "0.00000000000000000001",
];

/// Texts that are no decimal above zero, without quotes.
const BARE: &[&str] =
    &["null", "true", "false", "[]", "[1]", "{}", "-1", "0", "0.0", "1e5", "1E5", "1e-2", "-0"];

/// Texts that are no amounts. Proves XFER-017, BANK-008, XFER-029.
#[test]
fn amounts() {
    let (x, bank) = start();
    let mut table = Table::new(&x);
    let long = [format!("\"{}\"", "1".repeat(10_000)), format!("\"1.{}1\"", "0".repeat(30))];
    let quoted = TEXTS.iter().map(|text| format!("\"{text}\""));
    let bare = BARE.iter().map(|text| (*text).to_owned());
    let all: Vec<String> = quoted.chain(bare).chain(long).collect();
    for Payment { key, path, fields } in payments(&bank) {
        for amount in &all {
            let expected: &[(u16, &str)] = match amount.as_str() {
                "null" => &[(400, "InvalidQuantity"), (400, "MissingPayloadKey")],
                _ => &[(400, "InvalidQuantity")],
            };
            let answer = call(&x, key, path, &format!(r#"{fields},"amount":{amount}"#));
            table.row(&format!("{path} {amount}"), &answer, expected, "'amount'");
        }
    }
    table.finish();
}

/// Amounts at and beyond the ends of the integers are refused as too much or as none; they neither wrap nor panic.
#[test]
fn huge_amounts() {
    let (x, bank) = start();
    let mut table = Table::new(&x);
    let expected = [(400, "InvalidQuantity"), (406, "InsufficientFunds")];
    for Payment { key, path, fields } in payments(&bank) {
        if path.ends_with("/feeEstimate") {
            continue;
        }
        for amount in [
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551616",
            "17014118346046923173.1687303715884105727",
            "17014118346046923173.17",
            "170141183460469231731687303715884105727",
            "170141183460469231731687303715884105728",
        ] {
            let answer = call(&x, key, path, &format!(r#"{fields},"amount":"{amount}""#));
            table.row(&format!("{path} {amount}"), &answer, &expected, "");
        }
    }
    table.finish();
}

/// A field twice, whichever comes first, and texts that are no JSON.
#[test]
fn duplicate_keys() {
    let (x, bank) = start();
    let mut table = Table::new(&x);
    for Payment { key, path, fields } in payments(&bank) {
        for wrong in [
            format!(r#"{fields},"amount":"0.01","amount":"0.01""#),
            format!(r#"{fields},"amount":"0.01","amount":"0.02""#),
            format!(r#"{fields},{fields},"amount":"0.01""#),
            format!(r#"{fields},"amount":NaN"#),
            format!(r#"{fields},"amount":'1'"#),
            format!(r#"{fields},"amount":"\ud800""#),
        ] {
            let answer = call(&x, key, path, &wrong);
            table.row(&format!("{path} {wrong}"), &answer, &[(400, "InvalidJson")], "");
        }
    }
    table.finish();
}

/// Client ids that are none, in both spellings. Proves XFER-015, XFER-030.
#[test]
fn client_ids() {
    let (x, bank) = start();
    let mut table = Table::new(&x);
    let long = format!("\"{}\"", "x".repeat(101));
    let ids = [
        "\"\"",
        "\" \"",
        "\"a b\"",
        "\"a\\r\\nb\"",
        "\"a\\u0000\"",
        "\"\u{e9}\"",
        "\"\\ud83d\\ude00\"",
        "5",
        "1.5",
        "true",
        "[]",
        "{}",
        "[\"a\"]",
        &long,
    ];
    for Payment { key, path, fields } in payments(&bank) {
        if !matches!(path, "/v2/withdraw/bitcoin/btc" | "/v1/withdraw/btc" | "/v1/account/transfer/btc") {
            continue;
        }
        for spelling in ["clientTransferId", "client_transfer_id"] {
            for id in ids {
                let answer = call(&x, key, path, &format!(r#"{fields},"amount":"0.01","{spelling}":{id}"#));
                let input = format!("{path} {spelling} {id}");
                table.row(&input, &answer, &[(400, "InvalidParameterValue")], "ransfer");
            }
        }
    }
    table.finish();
}

/// A memo is a string: what else is sent would reach the receiver as a text that nobody meant.
#[test]
fn memos() {
    let (x, bank) = start();
    let mut table = Table::new(&x);
    for Payment { key, path, fields } in payments(&bank) {
        if !matches!(path, "/v2/withdraw/bitcoin/btc" | "/v1/withdraw/btc") {
            continue;
        }
        for memo in ["5", "1e3", "true", "[]", "{}", "[\"a\"]", "\"a\\u0000\"", "\"a\\r\\nb\""] {
            let answer = call(&x, key, path, &format!(r#"{fields},"amount":"0.01","memo":{memo}"#));
            table.row(&format!("{path} memo {memo}"), &answer, &[(400, "InvalidParameterValue")], "'memo'");
        }
    }
    table.finish();
}

/// Texts that are no address of the network, or only look like an approved one. Proves XFER-016.
#[test]
fn addresses() {
    let (x, _) = start();
    let mut table = Table::new(&x);
    let long = format!("\"{}\"", "b".repeat(10_000));
    let in_quotes = |text: String| format!("\"{text}\"");
    let texts = [
        in_quotes(BTC.replacen("bc1q", "bc1\u{51b}", 1)),
        in_quotes(BTC.replace("v8f3t4", "v8f3t5")),
        in_quotes(BTC.replacen("bc1q", "bc1Q", 1)),
        in_quotes(format!("{BTC}\\u0000")),
        in_quotes(format!("{BTC}\\n")),
        in_quotes(format!("bitcoin:{BTC}")),
        in_quotes(ETH.to_owned()),
        in_quotes(String::new()),
        long,
    ];
    for path in ["/v2/withdraw/bitcoin/btc", "/v1/withdraw/btc", "/v2/withdraw/bitcoin/btc/feeEstimate"] {
        for address in &texts {
            let answer = call(&x, "fund-manager", path, &format!(r#""amount":"0.01","address":{address}"#));
            table.row(&format!("{path} {address}"), &answer, &[(400, "InvalidAddress")], "'address'");
        }
        for address in ["5", "true", "null", "[]", "{}"] {
            let answer = call(&x, "fund-manager", path, &format!(r#""amount":"0.01","address":{address}"#));
            let expected =
                [(400, "InvalidAddress"), (400, "InvalidParameterValue"), (400, "MissingPayloadKey")];
            table.row(&format!("{path} {address}"), &answer, &expected, "'address'");
        }
    }
    table.finish();
}

/// Accounts that the caller may not name, on every call about funds. Proves AUTH-017, AUTH-019.
#[test]
fn accounts() {
    let (x, _) = start();
    let mut table = Table::new(&x);
    let long = format!(r#""account":"{}""#, "a".repeat(8_000));
    for path in [
        "/v2/withdraw/bitcoin/btc",
        "/v1/withdraw/btc",
        "/v1/withdraw/usd",
        "/v2/withdraw/bitcoin/btc/feeEstimate",
        "/v1/deposit/bitcoin/newAddress",
        "/v1/addresses/bitcoin",
        "/v1/approvedAddresses/account/bitcoin",
        "/v1/payments/addbank",
        "/v1/payments/addbank/cad",
        "/v1/payments/methods",
        "/v1/payments/sen/withdraw",
        "/v1/transfers",
        "/v2/transfers",
        "/v1/custody/fee-transfers",
        "/v1/custodyaccountfees",
        "/v1/reserves/proof",
    ] {
        for (key, fields, reason) in [
            ("master", r#""x":1"#, "MissingAccounts"),
            ("master", r#""account":"nobody""#, "InvalidAccountName"),
            ("master", r#""account":"broker""#, "InvalidAccountName"),
            ("master", r#""account":"PRIMARY\u0000""#, "InvalidAccountName"),
            ("master", r#""account":["primary"]"#, "MoreThanOneAccount"),
            ("master", long.as_str(), "InvalidAccountName"),
            ("fund-manager", r#""account":"savings""#, "AccountsOnGroupOnlyApi"),
            ("fund-manager", r#""account":"nobody""#, "AccountsOnGroupOnlyApi"),
        ] {
            let answer = call(&x, key, path, fields);
            table.row(&format!("{path} as {key} {fields}"), &answer, &[(400, reason)], "ccount");
        }
    }
    table.finish();
}

/// Times and numbers of rows that cannot be read. Proves TYPE-007, TYPE-008.
#[test]
fn pages() {
    let (x, _) = start();
    let mut table = Table::new(&x);
    let times =
        ["\"abc\"", "\"\"", "true", "[]", "{}", "\"1e9\"", "1e30", "-1", "\"12 34\"", "\"2026-01-01\""];
    let limits = ["0", "-1", "1.5", "\"abc\"", "\"\"", "true", "[]", "{}", "1e2"];
    let listings = ["/v1/transfers", "/v2/transfers", "/v1/custody/fee-transfers", "/v1/custodyaccountfees"];
    for path in listings.into_iter().chain(["/v1/addresses/bitcoin"]) {
        for time in times {
            let answer = call(&x, "fund-manager", path, &format!(r#""timestamp":{time}"#));
            let expected = [(400, "InvalidTimestampInPayload")];
            table.row(&format!("{path} timestamp {time}"), &answer, &expected, "'timestamp'");
        }
    }
    for path in listings {
        for limit in limits {
            let answer = call(&x, "fund-manager", path, &format!(r#""limit_transfers":{limit}"#));
            let expected = [(400, "InvalidParameterValue")];
            table.row(&format!("{path} limit_transfers {limit}"), &answer, &expected, "'limit_transfers'");
        }
    }
    table.finish();
}

/// Networks and currencies in paths that are none; nothing of a path is decoded or walked.
#[test]
fn paths() {
    let (x, _) = start();
    let mut table = Table::new(&x);
    let fields = format!(r#""address":"{BTC}","amount":"0.01","label":"a""#);
    let unknown: &[(u16, &str)] = &[
        (400, "InvalidParameterValue"),
        (400, "InvalidCurrency"),
        (400, "InvalidSymbol"),
        (404, "UnsupportedNetwork"),
        (404, "EndpointNotFound"),
    ];
    for name in ["nowhere", "BTC%00", "%2e%2e", "bitcoin%2Fbtc", "bit%63oin", "b\u{131}tcoin", "%ff", "-1"] {
        let name = name.replace('\u{131}', "%C4%B1");
        for path in [
            format!("/v1/deposit/{name}/newAddress"),
            format!("/v1/addresses/{name}"),
            format!("/v1/approvedAddresses/{name}/request"),
            format!("/v1/approvedAddresses/{name}/remove"),
            format!("/v1/approvedAddresses/account/{name}"),
            format!("/v1/withdraw/{name}"),
            format!("/v2/withdraw/{name}/btc"),
            format!("/v2/withdraw/bitcoin/{name}"),
            format!("/v2/withdraw/{name}/btc/feeEstimate"),
        ] {
            table.row(&path, &call(&x, "fund-manager", &path, &fields), unknown, "");
        }
    }
    table.finish();
}

/// A withdrawal and orders for the same coins at the same time: what leaves and what orders hold is never more than there was.
#[test]
fn withdrawals_race_with_trades() {
    let (x, _) = start();
    let before = x.as_("fund-manager").balance("BTC").1;
    let whole = before.to_string();
    let threads: Vec<_> = (0..16)
        .map(|number| {
            let (key, path, order) = if number % 2 == 0 {
                ("fund-manager", "/v2/withdraw/bitcoin/btc", json!({ "address": BTC, "amount": whole }))
            } else {
                let order = json!({
                    "symbol": "btcusd", "side": "sell", "amount": whole, "price": "900000", "type": "exchange limit",
                });
                ("trader", "/v1/order/new", order)
            };
            let actor = x.fresh(key);
            thread::spawn(move || {
                // Other calls of the same key may take a higher nonce first.
                loop {
                    let answer = actor.call(path, order.clone());
                    if answer.status() != 400 || answer.error().reason != "InvalidNonce" {
                        return answer.status();
                    }
                }
            })
        })
        .collect();
    let statuses: Vec<u16> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 406].contains(status)), "{statuses:?}");
    assert_eq!(x.as_("fund-manager").balance("BTC").1.to_string(), "0");
    x.stop();
    laws::verified(&x);
}
