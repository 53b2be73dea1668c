//! The catalogue of bad input: each error, its reply, and that nothing else happens.
//!
//! A row is an input and its expected reply. After each table the state is compared with the state before.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use buttonwood_accept::{Answer, Exchange, NewOrder, Signed, Value, json, laws, raw, signature};

/// The allowed status codes and reasons; several where the catalogue leaves a choice.
type Expected = Vec<(u16, &'static str)>;

/// One input and its expected reply.
struct Row {
    input: String,
    answer: Answer,
    expected: Expected,
    /// Parts of the message.
    names: Vec<String>,
}

/// Runs rows, collects the failures, and reports all of them at once.
struct Table<'x> {
    x: &'x Exchange,
    before: Vec<Value>,
    rows: u32,
    failures: Vec<String>,
}

impl<'x> Table<'x> {
    fn new(x: &'x Exchange) -> Self {
        x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
        x.as_("trader").limit("btcusd", "buy", "0.4", "30000");
        x.as_("trader").limit("btcusd", "buy", "0.3", "29000");
        Self { x, before: state(x), rows: 0, failures: Vec::new() }
    }

    fn row(&mut self, row: Row) {
        self.rows += 1;
        let Row { input, answer, expected, names } = row;
        let body = answer.reply.json().unwrap_or_default();
        let found = (answer.status(), body["reason"].as_str().unwrap_or_default().to_owned());
        let message = body["message"].as_str().unwrap_or_default();
        let mut trouble = String::new();
        if !expected.iter().any(|(status, reason)| (*status, *reason) == (found.0, found.1.as_str())) {
            write!(trouble, " expected {expected:?}").unwrap();
        }
        if found.0 != 200 && body["result"] != "error" {
            trouble.push_str(" not an error body");
        }
        for name in names.iter().filter(|name| !message.contains(name.as_str())) {
            write!(trouble, " the message does not name {name:?}").unwrap();
        }
        if !trouble.is_empty() {
            let text: String = answer.reply.text().chars().take(300).collect();
            self.failures.push(format!("{input}:{trouble}\n      found {} {text}", found.0));
        }
    }

    /// Ends the table: all rows must be as expected, and nothing may have changed.
    fn finish(self) {
        assert!(
            self.failures.is_empty(),
            "{} of {} rows:\n  {}",
            self.failures.len(),
            self.rows,
            self.failures.join("\n  ")
        );
        assert_eq!(state(self.x), self.before, "refusals change nothing");
        laws::check(self.x);
    }
}

/// Balances, orders, trades and book, without stamps.
fn state(x: &Exchange) -> Vec<Value> {
    let mut all =
        vec![x.get("/v1/book/btcusd?limit_bids=0&limit_asks=0").ok(), x.get("/v1/trades/btcusd").ok()];
    for key in ["auditor", "savings-trader", "counterparty", "restricted"] {
        let actor = x.as_(key);
        all.push(actor.call("/v1/orders", json!({})).ok());
        for row in actor.balances() {
            all.push(json!([row["currency"], row["amount"], row["available"]]));
        }
    }
    all
}

fn short(text: &str) -> String {
    let cut: String = text.chars().take(60).collect();
    if cut.len() < text.len() { format!("{cut}… ({} bytes)", text.len()) } else { cut }
}

/// An order with one field written exactly like this.
fn order_payload(x: &Exchange, field: &str, json: &str) -> String {
    let mut text =
        format!(r#"{{"request":"/v1/order/new","nonce":{}"#, x.as_("trader").client().next_nonce());
    for (name, value) in [
        ("symbol", r#""btcusd""#),
        ("amount", r#""1""#),
        ("price", r#""100.00""#),
        ("side", r#""buy""#),
        ("type", r#""exchange limit""#),
    ] {
        if name != field {
            write!(text, r#","{name}":{value}"#).unwrap();
        }
    }
    write!(text, r#","{field}":{json}}}"#).unwrap();
    text
}

fn order_with(x: &Exchange, field: &str, json: &str) -> Answer {
    x.as_("trader").call_payload("/v1/order/new", order_payload(x, field, json).as_bytes())
}

/// A call whose payload has these fields, written exactly like this, after `request` and `nonce`.
fn call_with(x: &Exchange, key: &str, path: &str, fields: &str) -> Answer {
    let actor = x.as_(key);
    let payload = format!(r#"{{"request":"{path}","nonce":{},{fields}}}"#, actor.client().next_nonce());
    actor.call_payload(path, payload.as_bytes())
}

/// Texts that are no decimals, and decimals that the symbol does not accept. Proves TYPE-004, ORD-026.
#[test]
fn decimals() {
    let x = Exchange::start();
    let mut table = Table::new(&x);
    let long = "1".repeat(10_000);
    let fraction = format!("1.{}", "0".repeat(30));
    let strings: Vec<&str> = vec![
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
        "١",
        "１",
        "1٫5",
        "\u{2212}1",
        "",
        "abc",
        "1.2.3",
        "--1",
        "1-",
        "0",
        "0.0",
        "0.00",
        "9223372036854775808",
        "18446744073709551616",
        "170141183460469231731687303715884105728",
        "true",
        "null",
        "[]",
        "²",
        "1\\ud83d\\ude00",
    ];
    for (field, reason, off) in
        [("amount", "InvalidQuantity", "1.000000001"), ("price", "InvalidPrice", "100.001")]
    {
        for text in strings.iter().copied().chain([off, long.as_str(), fraction.as_str()]) {
            let plain = !text.is_empty() && text.len() < 40 && text.is_ascii() && !text.contains('\\');
            let mut names = vec!["for symbol BTCUSD: ".to_owned()];
            if plain {
                names.push(format!("for symbol BTCUSD: {text}"));
            }
            table.row(Row {
                input: format!("{field} \"{}\"", short(text)),
                answer: order_with(&x, field, &format!("\"{text}\"")),
                expected: vec![(400, reason)],
                names,
            });
        }
        for json in [
            "null", "true", "false", "[]", "[1]", "{}", "-1", "0", "0.0", "1e5", "1E5", "1e-2", "-0", "1.0e1",
        ] {
            table.row(Row {
                input: format!("{field} {json}"),
                answer: order_with(&x, field, json),
                expected: vec![(400, reason)],
                names: vec!["for symbol BTCUSD: ".to_owned()],
            });
        }
    }
    table.row(Row {
        input: "amount below the minimum".to_owned(),
        answer: order_with(&x, "amount", "\"0.00000999\""),
        expected: vec![(400, "InvalidQuantity")],
        names: vec!["for symbol BTCUSD: 0.00000999".to_owned()],
    });
    let huge = NewOrder::limit("btcusd", "buy", "999999999999999999", "999999999999999.99").params();
    table.row(Row {
        input: "price times amount beyond any integer".to_owned(),
        answer: x.as_("trader").call("/v1/order/new", huge),
        expected: vec![(400, "InvalidQuantity"), (400, "InvalidPrice"), (406, "InsufficientFunds")],
        names: vec![],
    });
    table.finish();
}

/// Invalid amounts of money to spend. Proves TYPE-004.
#[test]
fn amounts_to_spend() {
    let x = Exchange::start();
    let mut table = Table::new(&x);
    for spend in [
        "\"0\"",
        "\"-1\"",
        "\"abc\"",
        "\"1.2.3\"",
        "\"1,5\"",
        "\"NaN\"",
        "\"Infinity\"",
        "1e5",
        "true",
        "null",
        "{}",
        "[1]",
        "\"\"",
        "\"0.0000000001\"",
    ] {
        let fields =
            format!(r#""symbol":"btcusd","side":"buy","type":"exchange market","total_spend":{spend}"#);
        table.row(Row {
            input: format!("total_spend {spend}"),
            answer: call_with(&x, "trader", "/v1/order/new", &fields),
            expected: vec![
                (400, "InvalidQuantity"),
                (400, "InvalidPrice"),
                (400, "InvalidParameterValue"),
                (400, "InvalidTotalSpend"),
            ],
            names: vec![
                format!("Invalid total spend for symbol BTCUSD: {}; ", spend.trim_matches('"')),
                match spend {
                    "\"0.0000000001\"" => "buys less than can be traded",
                    "1e5" => "exponents are not taken",
                    _ => "is more than 0",
                }
                .to_owned(),
            ],
        });
    }
    table.finish();
}

/// A market order for both a quantity and an amount of money, whether or not each is valid.
#[test]
fn amount_and_total_spend() {
    let x = Exchange::start();
    let mut table = Table::new(&x);
    for (side, must_be) in [
        ("buy", "sent instead of 'amount', not beside it"),
        ("sell", "left out of a sell, which is for an 'amount'"),
    ] {
        for (amount, spend) in [("\"0.1\"", "\"100\""), ("\"0.1\"", "\"abc\""), ("\"0\"", "100")] {
            let fields = format!(
                r#""symbol":"btcusd","side":"{side}","type":"exchange market","amount":{amount},"total_spend":{spend}"#
            );
            let shown = spend.trim_matches('"');
            table.row(Row {
                input: format!("{side} amount {amount} and total_spend {spend}"),
                answer: call_with(&x, "trader", "/v1/order/new", &fields),
                expected: vec![(400, "InvalidParameterValue")],
                names: vec![format!("'total_spend' must be {must_be}: {shown}")],
            });
        }
    }
    table.finish();
}

/// The other fields of an order. Proves ORD-012, ORD-027, ORD-028, ORD-030.
#[test]
fn order_fields() {
    let x = Exchange::start();
    let mut table = Table::new(&x);
    let too_long = format!("\"{}\"", "x".repeat(101));
    let shown_long = format!("'client_order_id' has more than 100 characters: {}…", "x".repeat(80));
    let very_long = format!("\"{}\"", "b".repeat(8000));
    let long_list = format!("[{very_long}]");
    let rows: &[(&str, &str, &str, &str)] = &[
        ("symbol", "\"nosuch\"", "InvalidSymbol", "'nosuch'"),
        ("symbol", "\"\"", "InvalidSymbol", "''"),
        ("symbol", "\"../btcusd\"", "InvalidSymbol", "'../btcusd'"),
        ("symbol", "\"btcusd\\u0000\"", "InvalidSymbol", ""),
        ("symbol", "\"btcuѕd\"", "InvalidSymbol", "'btcuѕd'"),
        ("symbol", &very_long, "InvalidSymbol", "…'"),
        ("symbol", "\"btcgusdperp\"", "AccountNotOfTypeRequired", "BTCGUSDPERP"),
        ("side", "\"BUY\"", "InvalidSide", "'BUY'"),
        ("side", "\"\"", "InvalidSide", "''"),
        ("side", "\"buy \"", "InvalidSide", "'buy '"),
        ("type", "\"limit\"", "InvalidOrderType", "'limit'"),
        ("type", "\"exchange  limit\"", "InvalidOrderType", "'exchange  limit'"),
        ("type", "\"exchange stop limit\"", "InvalidStopPrice", "stop price"),
        ("type", "\"exchange stop\"", "InvalidOrderType", "'exchange stop'"),
        (
            "options",
            "\"fill-or-kill\"",
            "OptionsMustBeArray",
            "'options' must be an array of strings: fill-or-kill",
        ),
        ("options", "{\"0\":\"fill-or-kill\"}", "OptionsMustBeArray", "{\"0\":\"fill-or-kill\"}"),
        ("options", "[\"post-only\"]", "UnsupportedOption", "\"post-only\""),
        ("options", "[5]", "UnsupportedOption", "\"5\""),
        ("options", "[null]", "UnsupportedOption", "\"null\""),
        ("options", "[[\"fill-or-kill\"]]", "UnsupportedOption", "[\"fill-or-kill\"]"),
        ("options", "[\"fill-or-kill\",\"fill-or-kill\"]", "ConflictingOptions", "fill-or-kill\"]"),
        ("options", "[\"maker-or-cancel\",\"fill-or-kill\"]", "ConflictingOptions", "fill-or-kill\"]"),
        ("client_order_id", &too_long, "ClientOrderIdTooLong", &shown_long),
        ("client_order_id", &very_long, "ClientOrderIdTooLong", "bbbb…"),
        ("client_order_id", "7", "ClientOrderIdMustBeString", "7"),
        ("client_order_id", &long_list, "ClientOrderIdMustBeString", "[\"bbbb"),
        ("client_order_id", &long_list, "ClientOrderIdMustBeString", "bbbb…"),
        ("client_order_id", "[\"a\"]", "ClientOrderIdMustBeString", "[\"a\"]"),
        (
            "client_order_id",
            "\"a b\"",
            "InvalidParameterValue",
            "'client_order_id' must be 1 to 100 letters, digits and # - . : _: a b",
        ),
        ("client_order_id", "\"😀\"", "InvalidParameterValue", "client_order_id"),
        ("client_order_id", "\"a\\r\\nX: y\"", "InvalidParameterValue", "client_order_id"),
        ("client_order_id", "\"<script>\"", "InvalidParameterValue", "client_order_id"),
        ("client_order_id", "\"\"", "InvalidParameterValue", "client_order_id"),
        ("margin_order", "\"true\"", "InvalidParameterValue", "margin_order"),
        ("margin_order", "1", "InvalidParameterValue", "'margin_order' must be true or false: 1"),
    ];
    for (field, json, reason, name) in rows {
        table.row(Row {
            input: format!("{field} {}", short(json)),
            answer: order_with(&x, field, json),
            expected: vec![(400, reason)],
            names: vec![(*name).to_owned()],
        });
    }
    for (field, reason) in
        [("symbol", "InvalidSymbol"), ("side", "InvalidSide"), ("type", "InvalidOrderType")]
    {
        for json in ["null", "5", "true", "[]", "{}"] {
            table.row(Row {
                input: format!("{field} {json}"),
                answer: order_with(&x, field, json),
                expected: vec![(400, reason)],
                names: vec![json.to_owned()],
            });
        }
    }
    table.finish();
}

/// Texts that are not one strict JSON object. Proves AUTH-006, ERR-013.
#[test]
fn json_texts() {
    let x = Exchange::start();
    let mut table = Table::new(&x);
    let trader = x.as_("trader");
    let good = || order_payload(&x, "price", "\"100.00\"");
    let with_extra = |extra: &str| good().replacen('{', &format!("{{{extra},"), 1);
    let nested = |depth: usize| format!("\"deep\":{}{}", "[".repeat(depth), "]".repeat(depth));
    let utf16: Vec<u8> = good().encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bytes = |text: String| text.into_bytes();
    let rows: Vec<(&str, Vec<u8>)> = vec![
        ("depth 17", bytes(with_extra(&nested(17)))),
        ("depth 129", bytes(with_extra(&nested(129)))),
        ("depth 2000", bytes(with_extra(&nested(2000)))),
        ("amount twice", bytes(with_extra("\"amount\":\"2\""))),
        ("nonce twice", bytes(with_extra("\"nonce\":1"))),
        ("request twice", bytes(with_extra("\"request\":\"/v1/order/new\""))),
        ("an unknown key twice", bytes(with_extra("\"x\":1,\"x\":1"))),
        ("trailing bytes", bytes(good() + "x")),
        ("two documents", bytes(good() + &good())),
        ("a byte order mark", [b"\xef\xbb\xbf".as_slice(), good().as_bytes()].concat()),
        ("UTF-16", utf16),
        (
            "invalid UTF-8",
            good().replace("btcusd", "btc\u{1}usd").bytes().map(|b| if b == 1 { 0xff } else { b }).collect(),
        ),
        ("a lone surrogate", bytes(with_extra("\"x\":\"\\ud800\""))),
        ("a control character", bytes(with_extra("\"x\":\"\u{1}\""))),
        ("a comment", bytes(good().replacen('{', "{/* no */", 1))),
        ("single quotes", bytes(good().replace('"', "'"))),
        ("NaN", bytes(with_extra("\"x\":NaN"))),
        ("Infinity", bytes(with_extra("\"x\":Infinity"))),
        ("a plus sign", bytes(with_extra("\"x\":+1"))),
        ("a leading zero", bytes(with_extra("\"x\":01"))),
        ("a trailing comma", bytes(good().replace("\"}", "\",}"))),
        ("no end", bytes(good().trim_end_matches('}').to_owned())),
        ("an array", bytes(format!("[{}]", good()))),
        ("a string", b"\"text\"".to_vec()),
        ("null", b"null".to_vec()),
        ("a number", b"5".to_vec()),
        ("blanks", b"   ".to_vec()),
        ("nothing", Vec::new()),
        ("a NUL at the end", bytes(good() + "\u{0}")),
    ];
    for (name, payload) in rows {
        let missing = payload.is_empty();
        let mut expected = vec![(400, "InvalidJson")];
        if missing {
            expected.push((400, "MissingPayloadHeader"));
        }
        let answer = trader.call_payload("/v1/order/new", &payload);
        table.row(Row { input: name.to_owned(), answer, expected, names: vec![] });
    }
    table.finish();
}

/// Payload headers that are not strict Base64. Proves AUTH-006.
#[test]
fn base64_texts() {
    let x = Exchange::start();
    let mut table = Table::new(&x);
    let trader = x.as_("trader");
    let credentials = x.key("trader").credentials;
    // Blanks at the end set the length; the special letters produce `+` and `/`.
    let text = |length_mod_3: usize| {
        let mut payload = trader.payload("/v1/balances", json!({ "x": "~~~???>>>ÿÿÿ" }));
        while payload.len() % 3 != length_mod_3 {
            payload.push(' ');
        }
        trader.sign(payload.as_bytes()).payload
    };
    assert!(text(0).contains('+') || text(0).contains('/'), "{}", text(0));
    let sloppy = {
        // One byte in the last group: its second letter carries four bits that must be zero.
        let mut letters = text(1).into_bytes();
        let place = letters.len() - 3;
        letters[place] += 1;
        String::from_utf8(letters).unwrap()
    };
    let middle = |insert: &str| {
        let text = text(0);
        let (head, tail) = text.split_at(8);
        format!("{head}{insert}{tail}")
    };
    let rows = [
        ("the URL alphabet", text(0).replace('+', "-").replace('/', "_")),
        ("no padding", text(1).trim_end_matches('=').to_owned()),
        ("half the padding", text(1).trim_end_matches("==").to_owned() + "="),
        ("too much padding", text(0) + "="),
        ("padding in the middle", middle("==")),
        ("a blank inside", middle(" ")),
        ("a tab inside", middle("\t")),
        ("bits after the end", sloppy),
        ("a dot", middle(".")),
        ("five letters", "abcde".to_owned()),
    ];
    for (name, text) in rows {
        let answer = trader.call_signed("/v1/balances", &credentials.sign_text(text));
        table.row(Row {
            input: name.to_owned(),
            answer,
            expected: vec![(400, "InvalidSignature")],
            names: vec![],
        });
    }
    let answer = trader.call_signed("/v1/balances", &credentials.sign_text(String::new()));
    table.row(Row {
        input: "nothing".to_owned(),
        answer,
        expected: vec![(400, "InvalidJson"), (400, "InvalidSignature"), (400, "MissingPayloadHeader")],
        names: vec![],
    });
    table.finish();
}

/// Invalid signatures. Proves AUTH-005, AUTH-011.
#[test]
fn signatures() {
    let x = Exchange::start();
    let mut table = Table::new(&x);
    let trader = x.as_("trader");
    let secret = x.key("trader").credentials.api_secret.clone();
    let other = x.key("counterparty").credentials.api_secret.clone();
    let payload = trader.payload("/v1/order/new", NewOrder::limit("btcusd", "buy", "1", "100").params());
    let good = trader.sign(payload.as_bytes());
    let hex = good.signature.clone();
    let elsewhere = trader.sign(trader.payload("/v1/balances", json!({})).as_bytes()).signature;
    let rows = [
        ("95 letters", hex[..95].to_owned()),
        ("97 letters", format!("{hex}0")),
        ("192 letters", format!("{hex}{hex}")),
        ("half of it", hex[..48].to_owned()),
        ("64 letters", hex[..64].to_owned()),
        ("no hex", format!("g{}", &hex[1..])),
        ("an x in front", format!("0x{}", &hex[2..])),
        ("zeros", "0".repeat(96)),
        ("one bit off", format!("{}{}", if hex.starts_with('0') { '1' } else { '0' }, &hex[1..])),
        ("a blank inside", format!("{} {}", &hex[..48], &hex[49..])),
        ("of the decoded JSON", signature(&secret, payload.as_bytes())),
        ("of another secret", signature(&other, good.payload.as_bytes())),
        ("of the secret in upper case", signature(&secret.to_uppercase(), good.payload.as_bytes())),
        ("of an empty text", signature(&secret, b"")),
        ("of another call", elsewhere),
        ("the text itself", good.payload.chars().take(96).collect()),
    ];
    for (name, signature) in rows {
        let answer = trader.call_signed("/v1/order/new", &Signed { signature, ..good.clone() });
        table.row(Row {
            input: name.to_owned(),
            answer,
            expected: vec![(400, "InvalidSignature")],
            names: vec!["InvalidSignature".to_owned()],
        });
    }
    for (name, api_key) in [
        ("an unknown key", "account-nobody".to_owned()),
        ("a key in upper case", good.api_key.to_uppercase()),
        ("a key cut short", good.api_key[..good.api_key.len() - 1].to_owned()),
        ("a very long key", "account-".repeat(500)),
    ] {
        let answer = trader.call_signed("/v1/order/new", &Signed { api_key, ..good.clone() });
        table.row(Row {
            input: name.to_owned(),
            answer,
            expected: vec![(403, "InvalidApiKey")],
            names: vec![],
        });
    }
    table.finish();
}

/// `request` values that are not the path. Proves AUTH-007.
#[test]
fn requests() {
    let x = Exchange::start();
    let mut table = Table::new(&x);
    let trader = x.as_("trader");
    for wrong in [
        "\"/v1/orders\"",
        "\"/V1/balances\"",
        "\"/v1/Balances\"",
        "\"/v1/balances/\"",
        "\"/v1//balances\"",
        "\"//v1/balances\"",
        "\"/v1/./balances\"",
        "\"/v1/orders/../balances\"",
        "\"/v1/%62alances\"",
        "\"/v1/balances?\"",
        "\"/v1/balances?a=1\"",
        "\"/v1/balances#\"",
        "\" /v1/balances\"",
        "\"/v1/balances \"",
        "\"/v1/balancеs\"",
        "\"\\\\v1\\\\balances\"",
        "\"http://127.0.0.1/v1/balances\"",
        "\"\"",
        "\"/\"",
        "null",
        "5",
        "[]",
        "{}",
        "true",
    ] {
        let payload = format!(r#"{{"request":{wrong},"nonce":{}}}"#, trader.client().next_nonce());
        table.row(Row {
            input: format!("request {wrong}"),
            answer: trader.call_payload("/v1/balances", payload.as_bytes()),
            expected: vec![(400, "EndpointMismatch")],
            names: vec!["EndpointMismatch".to_owned()],
        });
    }
    table.row(Row {
        input: "no request".to_owned(),
        answer: trader.call_payload(
            "/v1/balances",
            format!(r#"{{"nonce":{}}}"#, trader.client().next_nonce()).as_bytes(),
        ),
        expected: vec![(400, "EndpointMismatch")],
        names: vec![],
    });
    table.finish();
}

/// Nonces that are invalid, or used. Proves SES-002, SES-004, SES-005, SES-008.
#[test]
fn nonces() {
    let x = Exchange::start();
    let mut table = Table::new(&x);
    let trader = x.as_("trader");
    trader.call("/v1/balances", json!({})).ok();
    let used = trader.client().next_nonce();
    trader.call("/v1/balances", json!({ "nonce": used })).ok();
    let call = |key: &str, nonce: &str| {
        let payload = format!(r#"{{"request":"/v1/balances","nonce":{nonce}}}"#);
        x.as_(key).call_payload("/v1/balances", payload.as_bytes())
    };
    for text in [
        "\"abc\"",
        "\"\"",
        "\" \"",
        "\"1 2\"",
        "\"0x1f\"",
        "\"NaN\"",
        "true",
        "[]",
        "{}",
        "[1]",
        "\"١٢٣\"",
        "\".\"",
    ] {
        table.row(Row {
            input: format!("nonce {text}"),
            answer: call("trader", text),
            expected: vec![(400, "InvalidNonce")],
            names: vec!["was not parseable as a number".to_owned()],
        });
    }
    for low in [
        used.to_string(),
        (used - 1).to_string(),
        format!("\"{used}\""),
        format!("{used}.0"),
        "0".to_owned(),
        "1".to_owned(),
    ] {
        table.row(Row {
            input: format!("nonce {low}, used up to {used}"),
            answer: call("trader", &low),
            expected: vec![(400, "InvalidNonce")],
            names: vec!["has not increased since your last call to the".to_owned()],
        });
    }
    let digits = "9".repeat(65);
    let odd =
        ["-1", "\"-1\"", "-0.5", "1E5", "-1e30", "1e64", "\"1e\"", "\"e9\"", "1e999999999", "1e-999999999"];
    for odd in odd.into_iter().chain([digits.as_str()]) {
        table.row(Row {
            input: format!("nonce {odd}"),
            answer: call("trader", odd),
            expected: vec![(400, "InvalidNonce")],
            names: vec!["Nonce '".to_owned()],
        });
    }
    table.row(Row {
        input: "nonce null".to_owned(),
        answer: call("trader", "null"),
        expected: vec![(400, "InvalidNonce"), (400, "MissingNonce")],
        names: vec![],
    });
    table.row(Row {
        input: "no nonce".to_owned(),
        answer: trader.call_payload("/v1/balances", br#"{"request":"/v1/balances"}"#),
        expected: vec![(400, "MissingNonce")],
        names: vec![],
    });
    let now = x.now_ms() / 1000;
    for far in [now - 31, now + 31, now * 1000, 0] {
        table.row(Row {
            input: format!("time-based nonce {far} at {now}"),
            answer: call("time-nonce", &far.to_string()),
            expected: vec![(400, "InvalidNonce")],
            names: vec!["is not within 30 seconds of server time".to_owned(), format!("'{far}'")],
        });
    }
    table.finish();
}

/// Ids of nothing. Proves ORD-058, ORD-059, ORD-066, TYPE-007, ERR-003.
#[test]
fn ids() {
    let x = Exchange::start();
    let mut table = Table::new(&x);
    for path in ["/v1/order/cancel", "/v1/order/status"] {
        for wrong in
            ["-1", "1.5", "\"1.5\"", "\"abc\"", "\"\"", "true", "[]", "{}", "\" 1\"", "\"0x1\"", "1e3"]
        {
            table.row(Row {
                input: format!("{path} order_id {wrong}"),
                answer: call_with(&x, "trader", path, &format!(r#""order_id":{wrong}"#)),
                expected: vec![(400, "InvalidParameterValue")],
                names: vec!["'order_id' must be a whole number in digits alone: ".to_owned()],
            });
        }
        for unknown in ["999999999", "\"999999999\"", "0", "9007199254740993"] {
            table.row(Row {
                input: format!("{path} order_id {unknown}"),
                answer: call_with(&x, "trader", path, &format!(r#""order_id":{unknown}"#)),
                expected: vec![(404, "OrderNotFound")],
                names: vec![unknown.trim_matches('"').to_owned()],
            });
        }
        for wide in ["18446744073709551616", "\"340282366920938463463374607431768211456\""] {
            table.row(Row {
                input: format!("{path} order_id {wide}"),
                answer: call_with(&x, "trader", path, &format!(r#""order_id":{wide}"#)),
                expected: vec![(400, "InvalidParameterValue"), (404, "OrderNotFound")],
                names: vec![],
            });
        }
        for (fields, expected) in [
            (r#""x":1"#, vec![(400, "MissingOrderField")]),
            (r#""order_id":null"#, vec![(400, "MissingOrderField"), (400, "InvalidParameterValue")]),
            (r#""client_order_id":"no-such-order""#, vec![(404, "OrderNotFound")]),
            (
                r#""client_order_id":5"#,
                vec![(400, "ClientOrderIdMustBeString"), (400, "InvalidParameterValue")],
            ),
        ] {
            table.row(Row {
                input: format!("{path} {fields}"),
                answer: call_with(&x, "trader", path, fields),
                expected,
                names: vec![],
            });
        }
    }
    let foreign = x.as_("counterparty").live_ids()[0].clone();
    for path in ["/v1/order/cancel", "/v1/order/status"] {
        table.row(Row {
            input: format!("{path} of another account"),
            answer: call_with(&x, "trader", path, &format!(r#""order_id":{foreign}"#)),
            expected: vec![(404, "OrderNotFound")],
            names: vec![],
        });
    }
    let both = r#""order_id":1,"client_order_id":"a""#;
    for path in ["/v1/order/cancel", "/v1/order/status"] {
        table.row(Row {
            input: format!("{path} with both ids"),
            answer: call_with(&x, "trader", path, both),
            expected: vec![(400, "InvalidParameterValue")],
            names: vec!["'order_id'".to_owned(), "1 and a".to_owned()],
        });
    }
    for path in
        ["/v1/book/nosuch", "/v1/book/%2e%2e", "/v1/trades/btcusd%00", "/v2/ticker/btc%2Fusd", "/v1/book/%ff"]
    {
        table.row(Row {
            input: path.to_owned(),
            answer: x.get(path),
            expected: vec![(400, "InvalidSymbol"), (404, "EndpointNotFound")],
            names: vec![],
        });
    }
    table.finish();
}

/// Accounts that the caller may not name. Proves AUTH-017, AUTH-019, BAL-008.
#[test]
fn accounts() {
    let x = Exchange::start();
    let mut table = Table::new(&x);
    let long = format!("\"{}\"", "a".repeat(8000));
    let rows: &[(&str, &str, Expected, &str)] = &[
        ("master", r#""x":1"#, vec![(400, "MissingAccounts")], "'account'"),
        ("master", r#""account":"nobody""#, vec![(400, "InvalidAccountName")], "'nobody'"),
        ("master", r#""account":"broker""#, vec![(400, "InvalidAccountName")], "'broker'"),
        ("master", r#""account":"PRIMARY\u0000""#, vec![(400, "InvalidAccountName")], "'account'"),
        ("master", r#""account":["primary"]"#, vec![(400, "MoreThanOneAccount")], "[\"primary\"]"),
        ("master", r#""account":5"#, vec![(400, "InvalidAccountName"), (400, "InvalidParameterValue")], "5"),
        (
            "master",
            r#""account":null"#,
            vec![(400, "InvalidAccountName"), (400, "MissingAccounts"), (400, "InvalidParameterValue")],
            "account",
        ),
        ("trader", r#""account":"savings""#, vec![(400, "AccountsOnGroupOnlyApi")], "'savings'"),
        ("trader", r#""account":"nobody""#, vec![(400, "AccountsOnGroupOnlyApi")], "'nobody'"),
    ];
    for (key, fields, expected, named) in rows {
        table.row(Row {
            input: format!("{key} {fields}"),
            answer: call_with(&x, key, "/v1/balances", fields),
            expected: expected.clone(),
            names: vec![(*named).to_owned()],
        });
    }
    table.row(Row {
        input: "an account of 8000 letters".to_owned(),
        answer: call_with(&x, "master", "/v1/balances", &format!(r#""account":{long}"#)),
        expected: vec![(400, "InvalidAccountName")],
        names: vec![],
    });
    table.finish();
}

/// Limits, timestamps and flags. Proves TYPE-007, TYPE-008, TYPE-012, TYPE-016, MKT-015, ERR-010.
#[test]
fn pages() {
    let x = Exchange::start();
    let mut table = Table::new(&x);
    for wrong in ["0", "-1", "1.5", "\"abc\"", "\"\"", "true", "[]", "{}", "1e2"] {
        table.row(Row {
            input: format!("limit_trades {wrong}"),
            answer: call_with(&x, "trader", "/v1/mytrades", &format!(r#""limit_trades":{wrong}"#)),
            expected: vec![(400, "InvalidParameterValue")],
            names: vec!["limit_trades".to_owned()],
        });
        table.row(Row {
            input: format!("limit_orders {wrong}"),
            answer: call_with(&x, "trader", "/v1/orders/history", &format!(r#""limit_orders":{wrong}"#)),
            expected: vec![(400, "InvalidParameterValue")],
            names: vec!["limit_orders".to_owned()],
        });
    }
    for wrong in
        ["\"abc\"", "\"\"", "true", "[]", "{}", "\"1e9\"", "1e30", "-1", "\"12 34\"", "\"2026-01-01\""]
    {
        table.row(Row {
            input: format!("timestamp {wrong}"),
            answer: call_with(&x, "trader", "/v1/mytrades", &format!(r#""timestamp":{wrong}"#)),
            expected: vec![(400, "InvalidTimestampInPayload")],
            names: vec![],
        });
        table.row(Row {
            input: format!("history timestamp {wrong}"),
            answer: call_with(&x, "trader", "/v1/orders/history", &format!(r#""timestamp":{wrong}"#)),
            expected: vec![(400, "InvalidTimestampInPayload")],
            names: vec![],
        });
    }
    for wrong in ["\"true\"", "1", "0", "\"\"", "[]"] {
        table.row(Row {
            input: format!("showPendingBalances {wrong}"),
            answer: call_with(&x, "trader", "/v1/balances", &format!(r#""showPendingBalances":{wrong}"#)),
            expected: vec![(400, "InvalidParameterValue")],
            names: vec!["showPendingBalances".to_owned()],
        });
    }
    for wrong in ["\"nosuch\"", "\"\"", "5"] {
        table.row(Row {
            input: format!("mytrades symbol {wrong}"),
            answer: call_with(&x, "trader", "/v1/mytrades", &format!(r#""symbol":{wrong}"#)),
            expected: vec![(400, "InvalidSymbol"), (400, "InvalidParameterValue")],
            names: vec![],
        });
        table.row(Row {
            input: format!("history symbol {wrong}"),
            answer: call_with(&x, "trader", "/v1/orders/history", &format!(r#""symbol":{wrong}"#)),
            expected: vec![(400, "InvalidSymbol"), (400, "InvalidParameterValue")],
            names: vec![],
        });
    }
    for (query, reason) in [
        ("book/btcusd?limit_bids=-1", "InvalidParameterValue"),
        ("book/btcusd?limit_asks=all", "InvalidParameterValue"),
        ("trades/btcusd?limit_trades=0", "InvalidParameterValue"),
        ("trades/btcusd?limit_trades=-5", "InvalidParameterValue"),
        ("trades/btcusd?limit_trades=9.5", "InvalidParameterValue"),
        ("trades/btcusd?since_tid=-1", "InvalidParameterValue"),
        ("trades/btcusd?since_tid=x", "InvalidParameterValue"),
        ("trades/btcusd?include_breaks=perhaps", "InvalidParameterValue"),
        ("trades/btcusd?timestamp=yesterday", "InvalidTimestampInPayload"),
        ("trades/btcusd?since=1e30", "InvalidTimestampInPayload"),
    ] {
        table.row(Row {
            input: query.to_owned(),
            answer: x.get(&format!("/v1/{query}")),
            expected: vec![(400, reason)],
            names: vec![],
        });
    }
    // Unusual but allowed.
    for fields in [
        r#""limit_trades":501"#,
        r#""limit_trades":1000000000"#,
        r#""timestamp":253402300799000"#,
        r#""timestamp":"0""#,
        r#""unheard_of":{"of":[1,2,3]}"#,
    ] {
        let answer = call_with(&x, "trader", "/v1/mytrades", fields);
        table.row(Row { input: fields.to_owned(), answer, expected: vec![(200, "")], names: vec![] });
    }
    table.finish();
}

/// The headers of a signed, valid order.
fn signed_order(x: &Exchange) -> String {
    let trader = x.as_("trader");
    let payload = trader.payload("/v1/order/new", NewOrder::limit("btcusd", "buy", "1", "100").params());
    let mut text = String::new();
    for (name, value) in trader.sign(payload.as_bytes()).headers() {
        write!(text, "{name}: {value}\r\n").unwrap();
    }
    text
}

const PATIENCE: Duration = Duration::from_secs(10);

/// A reply that leaves a body unread announces that the connection closes, so that no client sends another request on
/// it. Without a body the connection stays open. Proves ERR-008, ERR-009.
#[test]
fn an_unread_body_ends_the_connection() {
    let x = Exchange::start();
    let host = format!("Host: {}\r\n", x.address());
    let check = |line: &str, status: u16| {
        let request =
            format!("{line} HTTP/1.1\r\n{host}Content-Length: 3000000\r\n\r\n{}", "x".repeat(200_000));
        let answer = raw::send(&x, request.as_bytes(), PATIENCE);
        let text = answer.text().to_ascii_lowercase();
        assert_eq!(
            (answer.status(), answer.answers(), answer.closed),
            (Some(status), 1, true),
            "{line}: {text}"
        );
        assert!(text.contains("\r\nconnection: close\r\n"), "{line}: {text}");
        // Two requests in a row; only the second announces the end.
        let next = format!("GET /health/live HTTP/1.1\r\n{host}Connection: close\r\n\r\n");
        let answers = raw::send(&x, format!("{line} HTTP/1.1\r\n{host}\r\n{next}").as_bytes(), PATIENCE);
        assert_eq!((answers.status(), answers.answers()), (Some(status), 2), "{line}: {}", answers.text());
    };
    check("POST /v1/nowhere", 404);
    check("PUT /v1/order/new", 405);
    check("POST /", 405);
    check("GET /health/live", 200);
    x.control("/sandbox/maintenance", &json!({ "on": true })).ok();
    check("POST /v1/order/new", 503);
    x.control("/sandbox/maintenance", &json!({ "on": false })).ok();
}

/// Fifty pipelined requests are answered in order; bodies of up to 64 KiB are read and ignored.
#[test]
fn proper_but_unusual() {
    let x = Exchange::start();
    let host = format!("Host: {}\r\n", x.address());
    let mut text = String::new();
    for number in 0..50 {
        let last = if number == 49 { "Connection: close\r\n" } else { "" };
        let path = if number % 2 == 0 { "/v1/book/btcusd" } else { "/v1/nowhere" };
        write!(text, "GET {path} HTTP/1.1\r\n{host}{last}\r\n").unwrap();
    }
    let answers = raw::send(&x, text.as_bytes(), PATIENCE).text();
    let statuses: Vec<&str> = answers.split("HTTP/1.1 ").skip(1).map(|part| &part[..3]).collect();
    assert_eq!(statuses, ["200", "404"].repeat(25));
    let body = "x".repeat(65_536);
    let request = format!(
        "POST /v1/order/new HTTP/1.1\r\n{host}Connection: close\r\n{}Content-Length: 65536\r\n\r\n{body}",
        signed_order(&x)
    );
    assert_eq!(raw::send(&x, request.as_bytes(), PATIENCE).status(), Some(200));
    let chunked = format!(
        "POST /v1/order/new HTTP/1.1\r\n{host}Connection: close\r\n{}Transfer-Encoding: chunked\r\n\r\n\
         5\r\nhello\r\n0\r\n\r\n",
        signed_order(&x)
    );
    assert_eq!(raw::send(&x, chunked.as_bytes(), PATIENCE).status(), Some(200));
    assert_eq!(x.as_("trader").live_ids().len(), 2);
    // A reply does not wait for the rest of the next request.
    let one_and_a_half = format!("GET /health/live HTTP/1.1\r\n{host}\r\nGET /hea");
    let answer = raw::send_and_finish(&x, one_and_a_half.as_bytes(), PATIENCE);
    assert_eq!(answer.status(), Some(200), "{}", answer.text());
    // An invalid request after a valid one: both are answered, the second with a body too.
    for version in ["1.1", "1.0"] {
        let first = format!("GET /health/live HTTP/{version}\r\nConnection: keep-alive\r\n{host}\r\n");
        let answer = raw::send(&x, format!("{first}G@T / HTTP/1.1\r\n{host}\r\n").as_bytes(), PATIENCE);
        let second = answer.text().find(" 400 ").unwrap() - "HTTP/1.1".len();
        assert_eq!(answer.status(), Some(200), "{}", answer.text());
        let second = raw::Raw { bytes: answer.bytes[second..].to_vec(), ..answer };
        assert_eq!((second.status(), second.worded()), (Some(400), Ok(())), "{}", second.text());
    }
    // Half a request and an end: no reply is required, but the exchange continues to serve.
    raw::send_and_finish(&x, b"POST /v1/order/new HTTP/1.1\r\nHost: x\r\nX-SVC", PATIENCE);
    raw::send_and_finish(&x, b"", PATIENCE);
    x.get("/v1/symbols").ok();
    laws::check(&x);
}

/// The headers of a key that does not exist.
const UNKNOWN_KEY: &str =
    "X-GEMINI-APIKEY: account-nobody\r\nX-GEMINI-PAYLOAD: e30=\r\nX-GEMINI-SIGNATURE: 00\r\n";

/// A request without a key is answered from its head, however long its body stays away, and the connection then closes. A body that
/// is there is read, and the connection stays open.
#[test]
fn a_head_without_a_key_waits_for_no_body() {
    let x = Exchange::start();
    let host = format!("Host: {}\r\n", x.address());
    let next = format!("GET /health/live HTTP/1.1\r\n{host}Connection: close\r\n\r\n");
    for (line, status) in [("POST /v1/balances", 401), ("POST /v1/order/new", 401), ("GET /v1/symbols", 200)]
    {
        for framing in ["Content-Length: 10\r\n\r\nab", "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"] {
            let begun = Instant::now();
            let answer = raw::send(&x, format!("{line} HTTP/1.1\r\n{host}{framing}").as_bytes(), PATIENCE);
            assert_eq!((answer.status(), answer.answers(), answer.closed), (Some(status), 1, true), "{line}");
            assert!(begun.elapsed() < PATIENCE / 2, "{line} has waited for its body");
        }
        let whole = format!("{line} HTTP/1.1\r\n{host}Content-Length: 2\r\n\r\nab{next}");
        let answers = raw::send(&x, whole.as_bytes(), PATIENCE);
        assert_eq!((answers.status(), answers.answers()), (Some(status), 2), "{line}: {}", answers.text());
    }
}

/// A body in chunks of one byte uses no more memory than its connection, even with many unauthenticated senders.
#[test]
fn tiny_chunks_take_no_memory() {
    const SENDERS: usize = 30;
    let x = Exchange::start();
    let status = format!("/proc/{}/status", x.pid().as_raw_nonzero());
    let memory = |name: &str| -> usize {
        let text = std::fs::read_to_string(&status).expect("a running process has a status");
        let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("the line is there");
        line.trim_matches([':', ' ', '\t', 'k', 'B']).parse().expect("kilobytes")
    };
    let head = format!(
        "POST /v1/balances HTTP/1.1\r\nHost: {}\r\n{UNKNOWN_KEY}Transfer-Encoding: chunked\r\n\r\n",
        x.address()
    );
    let chunks = "1\r\nx\r\n".repeat(60_000);
    let begin = || {
        let mut sender = TcpStream::connect(x.address()).expect("the exchange listens");
        sender.write_all(head.as_bytes()).unwrap();
        sender
    };
    let mut senders: Vec<TcpStream> = (0..SENDERS).map(|_| begin()).collect();
    // Resets the peak.
    std::fs::write(format!("/proc/{}/clear_refs", x.pid().as_raw_nonzero()), "5").unwrap();
    let before = memory("VmRSS");
    for sender in &mut senders {
        sender.write_all(chunks.as_bytes()).unwrap();
    }
    for mut sender in senders {
        sender.write_all(b"0\r\n\r\n").unwrap();
        assert_eq!(raw::receive(sender, Duration::from_secs(20)).status(), Some(403));
    }
    let more = memory("VmHWM").saturating_sub(before);
    assert!(more < SENDERS * 500, "{SENDERS} senders take {more} kB");
}
