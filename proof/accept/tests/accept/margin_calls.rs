//! Liquidations of perpetuals by pencil: when they start, what the book, the insurance fund and opposite positions take, at which prices,
//! and who pays what is missing (chapter Derivatives; decisions D-48, D-52 to D-55).

use buttonwood_accept::{Dec, Exchange, dec, laws};
use serde_json::{Value, json};

const BTC: &str = "btcgusdperp";
const ETH: &str = "ethgusdperp";

fn pin(x: &Exchange, currency: &str, price: &str) {
    x.control(&format!("/sandbox/index/{currency}"), &json!({ "price": price })).ok();
}

/// An exchange without fees whose indices are pinned.
fn pinned() -> Exchange {
    let x = Exchange::start();
    x.control("/sandbox/fees", &json!({ "maker_bps": 0, "taker_bps": 0, "auction_bps": 0 })).ok();
    pin(&x, "BTC", "50000");
    pin(&x, "ETH", "2000");
    x
}

fn insure(x: &Exchange, amount: &str) {
    x.control("/sandbox/ledger/insurance", &json!({ "currency": "GUSD", "amount": amount })).ok();
}

fn limit(x: &Exchange, key: &str, symbol: &str, side: &str, [amount, price]: [&str; 2]) -> Value {
    let params = json!({
        "symbol": symbol, "side": side, "type": "exchange limit", "amount": amount, "price": price,
    });
    x.as_(key).call("/v1/order/new", params).ok()
}

/// `buyer` buys from `seller`.
fn trade(x: &Exchange, symbol: &str, [buyer, seller]: [&str; 2], [amount, price]: [&str; 2]) {
    limit(x, seller, symbol, "sell", [amount, price]);
    let taken = limit(x, buyer, symbol, "buy", [amount, price]);
    assert_eq!(Dec::wire(&taken["executed_amount"]), dec(amount));
}

fn margin(x: &Exchange, key: &str, field: &str) -> Value {
    x.as_(key).call("/v1/margin", json!({ "symbol": BTC })).ok()[field].clone()
}

/// Symbol, quantity and average cost of each position.
fn positions(x: &Exchange, key: &str) -> Vec<[String; 3]> {
    let rows = x.as_(key).call("/v1/positions", json!({})).ok();
    let text = |row: &Value, field: &str| row[field].as_str().expect("a text").to_owned();
    let rows = rows.as_array().expect("an array");
    rows.iter().map(|row| ["symbol", "quantity", "average_cost"].map(|field| text(row, field))).collect()
}

fn position(symbol: &str, quantity: &str, average: &str) -> Vec<[String; 3]> {
    vec![[symbol.to_uppercase(), quantity.to_owned(), average.to_owned()]]
}

fn gusd(x: &Exchange, key: &str) -> Dec {
    x.as_(key).balance("GUSD").0
}

/// The balance of a house account in a currency.
fn house(x: &Exchange, currency: &str, account: &str) -> Dec {
    let ledger = x.get("/sandbox/ledger").ok();
    let rows = ledger["currencies"].as_array().expect("currencies are an array");
    let row = rows.iter().find(|row| row["currency"] == currency).expect("every listed currency has a row");
    Dec::wire(&row["house"][account])
}

fn fund(x: &Exchange) -> Value {
    x.get(&format!("/sandbox/perpetuals/{BTC}")).ok()["insurance"].clone()
}

fn public_trades(x: &Exchange) -> usize {
    x.get(&format!("/v1/trades/{BTC}")).ok().as_array().map_or(0, Vec::len)
}

/// The mark is the ask of a quoter, with a bid one step below and the index at the same price.
fn quote(x: &Exchange, [bid, ask]: [&str; 2]) {
    x.as_("perp-030").call("/v1/order/cancel/all", json!({})).ok();
    limit(x, "perp-030", BTC, "buy", ["0.0001", bid]);
    limit(x, "perp-030", BTC, "sell", ["0.0001", ask]);
    pin(x, "BTC", ask);
}

/// 20 bitcoin at 50,000 with 100,000 dollars: (100,000 + 20 p − 1,000,000) = 0.1 p at 45,226.13…; the step towards the mark keeps the
/// position, and one step further the liquidation starts with the cancel of every order. Proves PERP-027, PERP-030.
#[test]
fn a_liquidation_starts_past_its_price() {
    let x = pinned();
    trade(&x, BTC, ["perp-000", "perp-001"], ["20", "50000"]);
    let own = limit(&x, "perp-000", BTC, "sell", ["1", "60000"]);
    let ether = limit(&x, "perp-000", ETH, "buy", ["1", "1000"]);
    assert_eq!(margin(&x, "perp-000", "estimated_liquidation_price"), "45226.5");
    quote(&x, ["45226", "45226.5"]);
    assert_eq!(positions(&x, "perp-000"), position(BTC, "20", "50000"));
    assert_eq!(margin(&x, "perp-000", "margin_maintenance_limit"), "4522.65");
    let status = |order: &Value| x.as_("perp-000").status(order["order_id"].as_str().expect("an id"));
    assert_eq!(status(&own)["is_live"], true);
    quote(&x, ["45225.5", "45226"]);
    for order in [&own, &ether] {
        let ended = status(order);
        assert_eq!((&ended["is_cancelled"], &ended["reason"]), (&json!(true), &json!("TradingClosed")));
    }
    // A half is deleveraged at 45,000, and a half of the rest at 45,000.5: the zero price is rounded up, so the account recovers.
    assert_eq!(positions(&x, "perp-000"), position(BTC, "5", "50000"));
    laws::check(&x);
}

/// Half of the position is sold at the best bids, above the zero price of 45,000, for a fee of 0.5 % to the fund and no trading fee. The
/// account has recovered then and keeps the other half. Proves PERP-027, PERP-028, PERP-029.
#[test]
fn half_of_a_position_is_sold_and_the_account_recovers() {
    let x = Exchange::start();
    for currency in ["BTC", "ETH"] {
        pin(&x, currency, if currency == "BTC" { "50000" } else { "2000" });
    }
    x.control("/sandbox/fees", &json!({ "maker_bps": 0, "taker_bps": 0, "auction_bps": 0 })).ok();
    trade(&x, BTC, ["perp-000", "perp-001"], ["20", "50000"]);
    x.control("/sandbox/fees", &json!({ "maker_bps": 10, "taker_bps": 20, "auction_bps": 10 })).ok();
    limit(&x, "perp-002", BTC, "buy", ["10", "45500"]);
    limit(&x, "perp-030", BTC, "sell", ["0.0001", "45500.5"]);
    // The ask is far above the index, so the mark is 45,203 + 0.05 % = 45,225.6015: assets are 4,512.03, and 4,522.56… are needed.
    pin(&x, "BTC", "45203");
    assert_eq!(positions(&x, "perp-000"), position(BTC, "10", "50000"));
    // 100,000 − 45,000 lost − 0.5 % of 455,000.
    assert_eq!(house(&x, "GUSD", "insurance"), dec("2275"));
    assert_eq!(margin(&x, "perp-000", "margin_assets_value"), "4981.015");
    // The other side pays its usual fee: 0.1 % of 455,000.
    assert_eq!(house(&x, "GUSD", "fees"), dec("455"));
    assert_eq!(positions(&x, "perp-002"), position(BTC, "10", "45500"));
    let mine = x.as_("perp-000").call("/v1/mytrades", json!({ "symbol": BTC })).ok();
    assert_eq!(
        (&mine[0]["price"], &mine[0]["amount"], &mine[0]["fee_amount"], &mine[0]["type"]),
        (&json!("45500.0"), &json!("10"), &json!("0"), &json!("Sell"))
    );
    let forced = x.as_("perp-000").status(mine[0]["order_id"].as_str().expect("an id"));
    assert_eq!((&forced["executed_amount"], &forced["is_live"]), (&json!("10"), &json!(false)));
    assert_eq!(public_trades(&x), 2, "a forced trade on the book is public");
    laws::check(&x);
}

/// Without a bid the fund takes the whole position over, part by part, at the zero price of 45,000: no fee, and nothing public. Its assets
/// are then a tenth of 904,452 and a little more (D-178). A fall that takes the fund below zero then deleverages the fund itself, whole,
/// at its own zero price. Proves PERP-028, PERP-029.
#[test]
fn the_fund_takes_over_and_is_deleveraged_itself() {
    let x = pinned();
    insure(&x, "86000");
    trade(&x, BTC, ["perp-000", "perp-001"], ["20", "50000"]);
    pin(&x, "BTC", "45200");
    assert_eq!(positions(&x, "perp-000"), Vec::<[String; 3]>::new());
    assert_eq!(gusd(&x, "perp-000"), Dec::ZERO);
    assert_eq!(fund(&x), json!({ "quantity": "20", "average_cost": "45000" }));
    let sides = x.get(&format!("/sandbox/perpetuals/{BTC}")).ok();
    assert_eq!((&sides["open_interest"], &sides["long"]), (&json!("20"), &json!([])));
    assert_eq!(house(&x, "GUSD", "insurance"), dec("86000"));
    assert_eq!(public_trades(&x), 1);
    let before = (fund(&x), positions(&x, "perp-001"));
    x.kill9();
    x.restart();
    assert_eq!((fund(&x), positions(&x, "perp-001")), before);
    // At a mark of 40,020 the fund is worth 86,000 − 99,600, and its zero price is 40,700.
    pin(&x, "BTC", "40000");
    assert_eq!(fund(&x), json!({ "quantity": "0", "average_cost": "0" }));
    assert_eq!(positions(&x, "perp-001"), Vec::<[String; 3]>::new());
    assert_eq!(gusd(&x, "perp-001"), dec("286000"));
    assert_eq!((house(&x, "GUSD", "insurance"), house(&x, "GUSD", "clearing")), (Dec::ZERO, Dec::ZERO));
    assert_eq!(public_trades(&x), 1);
    laws::check(&x);
}

/// The fund takes as much as leaves its assets at a tenth of what it holds, cut to the lot, and the rest is deleveraged at once (D-178).
/// Proves PERP-029.
#[test]
fn the_fund_takes_what_a_tenth_carries() {
    let x = pinned();
    insure(&x, "40000");
    trade(&x, BTC, ["perp-000", "perp-001"], ["20", "50000"]);
    pin(&x, "BTC", "45200");
    // The mark is 45,222.6 and the zero price 45,000: 40,000 + 222.6 q = 4,522.26 q at 9.3030….
    assert_eq!(positions(&x, "perp-000"), Vec::<[String; 3]>::new());
    assert_eq!(fund(&x), json!({ "quantity": "9.303", "average_cost": "45000" }));
    assert_eq!(positions(&x, "perp-001"), position(BTC, "-9.303", "50000"));
    // The rest closes at the zero price too: 10.697 × 5,000.
    assert_eq!(gusd(&x, "perp-001"), dec("153485"));
    laws::check(&x);
}

/// At each mark the fund sends what it holds to the book, at the mark or better. From one minute before a full hour to its cut it takes
/// nothing, and what it holds is deleveraged at the mark (D-178).
#[test]
fn the_fund_holds_nothing_over_a_full_hour() {
    let x = pinned();
    insure(&x, "1000000");
    trade(&x, BTC, ["perp-000", "perp-001"], ["20", "50000"]);
    pin(&x, "BTC", "45200");
    assert_eq!(fund(&x)["quantity"], "20");
    limit(&x, "perp-030", BTC, "sell", ["0.0001", "45600"]);
    // A bid below the mark is left alone, and one above it is hit when the next mark is taken.
    limit(&x, "perp-030", BTC, "buy", ["1", "45000"]);
    x.advance(1);
    assert_eq!(fund(&x)["quantity"], "20");
    limit(&x, "perp-030", BTC, "buy", ["3", "45300"]);
    x.advance(1);
    assert_eq!(fund(&x)["quantity"], "17");
    assert_eq!(positions(&x, "perp-030"), position(BTC, "3", "45300"));
    // 3 × 300 gained, without a fee.
    assert_eq!(house(&x, "GUSD", "insurance"), dec("1000900"));
    x.kill9();
    x.restart();
    x.advance(3_537);
    assert_eq!(fund(&x)["quantity"], "17");
    let mark = x.get(&format!("/v1/riskstats/{BTC}")).ok()["mark_price"].clone();
    x.advance(1);
    assert_eq!(fund(&x), json!({ "quantity": "0", "average_cost": "0" }));
    assert_eq!(positions(&x, "perp-001"), position(BTC, "-3", "50000"));
    let gained = (Dec::wire(&mark) - dec("45000")) * dec("17");
    assert_eq!(house(&x, "GUSD", "insurance"), dec("1000900") + gained);
    // In the last minute it takes nothing: a position that falls then goes to the other side whole.
    trade(&x, ETH, ["perp-002", "perp-003"], ["500", "2000"]);
    pin(&x, "ETH", "1800");
    assert_eq!(x.get(&format!("/sandbox/perpetuals/{ETH}")).ok()["insurance"]["quantity"], "0");
    assert_eq!(positions(&x, "perp-003"), Vec::<[String; 3]>::new());
    laws::check(&x);
    laws::verified(&x);
}

/// Where the fund could not be made flat before the hour, that hour's amount of the contract is zero (D-178).
#[test]
fn an_hour_with_the_fund_pays_nothing() {
    let x = pinned();
    insure(&x, "1000000");
    trade(&x, BTC, ["perp-000", "perp-001"], ["20", "50000"]);
    trade(&x, ETH, ["perp-002", "perp-003"], ["10", "2000"]);
    pin(&x, "BTC", "45200");
    assert_eq!(fund(&x)["quantity"], "20");
    // Both books say less than their index, with 1,000 dollars on each side.
    for (symbol, bid, ask) in [(BTC, "44900", "45150"), (ETH, "1990", "1999")] {
        limit(&x, "perp-030", symbol, "buy", ["1", bid]);
        limit(&x, "perp-030", symbol, "sell", ["1", ask]);
    }
    x.advance(3_500);
    x.control("/sandbox/index/BTC", &json!({ "pinned": false })).ok();
    x.advance(100);
    let amount = |symbol: &str| x.get(&format!("/v1/fundingamount/{symbol}")).ok()["amount"].clone();
    assert_eq!(fund(&x)["quantity"], "20");
    assert_eq!(amount(BTC).as_f64(), Some(0.0));
    assert!(amount(ETH).as_f64().is_some_and(|amount| amount < 0.0), "{}", amount(ETH));
    // A minute before the next hour it is made flat.
    pin(&x, "BTC", "45200");
    x.advance(3_600);
    assert_eq!(fund(&x)["quantity"], "0");
    assert!(amount(BTC).as_f64().is_some_and(|amount| amount < 0.0), "{}", amount(BTC));
    laws::check(&x);
}

/// While the index does not move, no client takes money out of the fund: a group that is long with one account and short with another, and paints the
/// book with small orders, leaves it at what it had after twelve hours (D-177, D-178).
#[test]
fn a_painted_book_takes_nothing_out_of_the_fund() {
    let x = pinned();
    insure(&x, "100000");
    trade(&x, BTC, ["perp-000", "perp-001"], ["40", "50000"]);
    limit(&x, "perp-002", BTC, "buy", ["0.0001", "75000"]);
    limit(&x, "perp-002", BTC, "sell", ["0.0001", "76000"]);
    for _ in 0..12 {
        x.advance(3_600);
        assert!(house(&x, "GUSD", "insurance") >= dec("100000"));
        assert_eq!(fund(&x)["quantity"], "0");
    }
    assert_eq!(positions(&x, "perp-000"), position(BTC, "40", "50000"));
    laws::check(&x);
}

/// The same with a book deep enough to count, near the index: the long account is drained into the short one at the cap until it is
/// liquidated. The fund takes what it carries, is made flat at the mark before each hour, and pays no funding (D-177, D-178).
#[test]
fn a_deep_painted_book_takes_nothing_out_of_the_fund() {
    let x = pinned();
    insure(&x, "100000");
    trade(&x, BTC, ["perp-000", "perp-001"], ["190", "50000"]);
    limit(&x, "perp-002", BTC, "buy", ["0.1", "52000"]);
    limit(&x, "perp-002", BTC, "sell", ["0.1", "52100"]);
    for _ in 0..14 {
        x.advance(3_600);
        assert!(house(&x, "GUSD", "insurance") >= dec("100000"));
    }
    assert_ne!(positions(&x, "perp-000"), position(BTC, "190", "50000"));
    assert!(house(&x, "GUSD", "insurance") > dec("100000"));
    laws::check(&x);
}

/// After a fall beyond the zero price an empty fund takes nothing. Opposite positions close at the zero price, the most profitable and
/// most leveraged first, and the bankrupt account owes nothing. Proves PERP-029.
#[test]
fn opposite_positions_close_in_their_order() {
    let x = pinned();
    trade(&x, BTC, ["perp-000", "perp-001"], ["12", "50000"]);
    trade(&x, BTC, ["perp-000", "perp-002"], ["8", "50000"]);
    pin(&x, "BTC", "48000");
    // Both have gained 1,976 a coin at a mark of 48,024: 0.03952 × (12 × 48,024 ÷ 123,712), and × (8 × 48,024 ÷ 115,808).
    let sides = x.get(&format!("/sandbox/perpetuals/{BTC}")).ok();
    let ranked: Vec<_> = ["account", "quantity", "score"]
        .map(|field| [&sides["short"][0][field], &sides["short"][1][field]])
        .into();
    assert_eq!(
        ranked,
        [
            [&json!("perp-001"), &json!("perp-002")],
            [&json!("-12"), &json!("-8")],
            [&json!("0.18409614"), &json!("0.131107245")],
        ]
    );
    pin(&x, "BTC", "40000");
    for key in ["perp-000", "perp-001", "perp-002"] {
        assert_eq!(positions(&x, key), Vec::<[String; 3]>::new(), "{key}");
    }
    assert_eq!(
        ["perp-000", "perp-001", "perp-002"].map(|key| gusd(&x, key)),
        [Dec::ZERO, dec("160000"), dec("140000")]
    );
    assert_eq!((house(&x, "GUSD", "lending"), house(&x, "GUSD", "insurance")), (Dec::ZERO, Dec::ZERO));
    assert_eq!(public_trades(&x), 2);
    laws::check(&x);
}

/// Opposite positions without profit close at the mark, so a bankrupt account may still owe something: the fund pays as far as it goes,
/// and the rest stays owed and is repaid first. It is the last minute before a full hour, in which the fund takes no position.
#[test]
fn the_fund_pays_as_far_as_it_goes() {
    let x = pinned();
    insure(&x, "40000");
    x.advance(3_545);
    x.credit("perp-001", "GUSD", "200000");
    trade(&x, BTC, ["perp-000", "perp-001"], ["20", "50000"]);
    trade(&x, ETH, ["perp-000", "perp-003"], ["500", "2000"]);
    pin(&x, "BTC", "60000");
    pin(&x, "ETH", "1500");
    // Who sold ether at 2,000 leaves, and who sells it at 1,500 now has no profit later.
    trade(&x, ETH, ["perp-003", "perp-004"], ["500", "1500"]);
    // 100,000 − 250,000 lost on ether.
    pin(&x, "BTC", "50000");
    for key in ["perp-000", "perp-001", "perp-003", "perp-004"] {
        assert_eq!(positions(&x, key), Vec::<[String; 3]>::new(), "{key}");
    }
    assert_eq!(house(&x, "GUSD", "insurance"), Dec::ZERO);
    assert_eq!(house(&x, "GUSD", "lending"), dec("-110000"));
    assert_eq!(margin(&x, "perp-000", "margin_assets_value"), "-110000");
    assert_eq!(["perp-001", "perp-004"].map(|key| gusd(&x, key)), [dec("300000"), dec("100000")]);
    x.credit("perp-000", "GUSD", "1000");
    assert_eq!((gusd(&x, "perp-000"), house(&x, "GUSD", "lending")), (Dec::ZERO, dec("-109000")));
    laws::check(&x);
}

/// With cross collateral the fund takes USDT first, then bitcoin at 90 % of its index, and pays the debt with its own dollars.
#[test]
fn collateral_pays_what_is_owed() {
    let x = pinned();
    insure(&x, "1000000");
    x.credit("perp-000", "BTC", "1");
    x.credit("perp-000", "USDT", "3000");
    let risk = json!({ "group": "perp", "account": "perp-000", "cross_collateral": true });
    x.control("/sandbox/accounts/risk", &risk).ok();
    trade(&x, BTC, ["perp-000", "perp-001"], ["20", "50000"]);
    // At a mark of 40,020: 100,000 − 199,600 + 36,000 + 3,000 = −60,600, so the zero price is 43,050.
    pin(&x, "BTC", "40000");
    assert_eq!(positions(&x, "perp-000"), Vec::<[String; 3]>::new());
    for currency in ["GUSD", "BTC", "USDT"] {
        assert_eq!(x.as_("perp-000").balance(currency).0, Dec::ZERO, "{currency}");
    }
    assert_eq!(fund(&x), json!({ "quantity": "20", "average_cost": "43050" }));
    assert_eq!(
        ["GUSD", "BTC", "USDT"].map(|currency| house(&x, currency, "insurance")),
        [dec("961000"), dec("1"), dec("3000")]
    );
    assert_eq!(house(&x, "GUSD", "lending"), Dec::ZERO);
    laws::check(&x);
}

/// The fund pays for collateral with what it has, and borrows nothing: what it cannot pay stays owed, beside the rest of the collateral.
#[test]
fn the_fund_borrows_nothing_for_collateral() {
    let x = pinned();
    insure(&x, "10000");
    x.credit("perp-000", "BTC", "1");
    x.credit("perp-000", "USDT", "3000");
    let risk = json!({ "group": "perp", "account": "perp-000", "cross_collateral": true });
    x.control("/sandbox/accounts/risk", &risk).ok();
    trade(&x, BTC, ["perp-000", "perp-001"], ["20", "50000"]);
    // In the last minute before a full hour the fund takes no position.
    x.advance(3_545);
    // At a mark of 43,021.5 the position has lost 139,570, and the collateral counts 38,700 + 3,000: the zero price is 42,915.
    // The other side closes there, so the account owes 41,700.
    pin(&x, "BTC", "43000");
    assert_eq!(positions(&x, "perp-000"), Vec::<[String; 3]>::new());
    assert_eq!(house(&x, "GUSD", "insurance"), Dec::ZERO);
    assert_eq!(house(&x, "USDT", "insurance"), dec("3000"));
    // 7,000 dollars pay for bitcoin at 38,700.
    let taken = house(&x, "BTC", "insurance");
    assert!(taken > dec("0.1808") && taken < dec("0.1809"), "{taken:?}");
    assert_eq!(x.as_("perp-000").balance("BTC").0, dec("1") - taken);
    let owed = Dec::ZERO - house(&x, "GUSD", "lending");
    assert!(owed > dec("31000") && owed < dec("32000"), "{owed:?}");
    laws::check(&x);
}

/// A position whose index has no source is not closed; its holder is liquidated on other symbols (D-38).
#[test]
fn a_position_without_an_index_stays() {
    let x = pinned();
    insure(&x, "1000000");
    trade(&x, BTC, ["perp-000", "perp-001"], ["10", "50000"]);
    trade(&x, ETH, ["perp-000", "perp-002"], ["100", "2000"]);
    x.control("/sandbox/index/BTC", &json!({ "pinned": false })).ok();
    // 100,000 − 99,950 lost on ether.
    pin(&x, "ETH", "1000");
    assert_eq!(positions(&x, "perp-000"), position(BTC, "10", "50000"));
    assert_eq!(positions(&x, "perp-002"), position(ETH, "-100", "2000"));
    // The index returns, and with it the liquidation.
    pin(&x, "BTC", "49000");
    assert_eq!(positions(&x, "perp-000"), Vec::<[String; 3]>::new());
    laws::check(&x);
    laws::verified(&x);
}

/// Money that waits to be withdrawn carries no position, although it is still the account's (D-47).
#[test]
fn money_that_leaves_is_no_margin() {
    const ADDRESS: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let manager = x.as_("perp-fund-manager");
    let wanted = json!({ "address": ADDRESS, "label": "mine" });
    manager.call("/v1/approvedAddresses/ethereum/request", wanted).ok();
    x.advance(7 * 86_400);
    pin(&x, "BTC", "50000");
    manager.call("/v2/withdraw/ethereum/gusd", json!({ "address": ADDRESS, "amount": "99000" })).ok();
    assert_eq!(x.as_("perp-000").balance("GUSD").0, dec("100000"));
    assert_eq!(margin(&x, "perp-000", "margin_assets_value"), "1000");
    let order = json!({
        "symbol": BTC, "side": "buy", "type": "exchange limit", "amount": "2.1", "price": "50000",
    });
    x.as_("perp-000").call("/v1/order/new", order).refused(406, "InsufficientFunds");
    limit(&x, "perp-000", BTC, "buy", ["2", "50000"]);
}

/// A price at which positions could not be counted is no index: it is refused, and nothing changes.
#[test]
fn an_index_keeps_positions_countable() {
    let x = pinned();
    pin(&x, "BTC", "1");
    trade(&x, BTC, ["perp-000", "perp-001"], ["7000000", "1"]);
    for price in ["100000000000000", "10000000000"] {
        let refusal =
            x.control("/sandbox/index/BTC", &json!({ "price": price })).refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains(price), "{refusal:?}");
    }
    assert_eq!(x.get(&format!("/v1/riskstats/{BTC}")).ok()["index_price"], "1");
    pin(&x, "BTC", "1000");
    assert_eq!(positions(&x, "perp-001"), Vec::<[String; 3]>::new());
    laws::check(&x);
}

/// An account without positions that owes more than its collateral covers with a twentieth to spare is liquidated too: the fund takes the
/// collateral at haircut value. A loan is no free bet on the collateral.
#[test]
fn collateral_of_a_flat_account_is_taken() {
    let x = pinned();
    pin(&x, "BTC", "20000");
    insure(&x, "100000");
    let risk = json!({ "group": "perp", "account": "perp-003", "cross_collateral": true });
    x.control("/sandbox/accounts/risk", &risk).ok();
    x.credit("perp-003", "BTC", "1");
    let has = gusd(&x, "perp-003");
    // It loses all that it has, and 15,000 more than that.
    let mut lost = Dec::ZERO;
    while lost < has + dec("15000") {
        trade(&x, BTC, ["perp-003", "perp-000"], ["10", "20500"]);
        trade(&x, BTC, ["perp-000", "perp-003"], ["10", "20000"]);
        lost = lost + dec("5000");
    }
    assert_eq!(gusd(&x, "perp-003"), Dec::ZERO);
    let assets = || Dec::wire(&margin(&x, "perp-003", "margin_assets_value"));
    // 18,000 of 15,000 are left; at 17,600 it is 840 more, a twentieth is 750.
    assert_eq!(assets(), dec("3000"));
    pin(&x, "BTC", "17600");
    assert_eq!((assets(), x.as_("perp-003").balance("BTC").0), (dec("840"), dec("1")));
    pin(&x, "BTC", "17400");
    // All but 15,000 ÷ (17,400 × 0.9) bitcoins are left, and nothing is owed.
    let left = x.as_("perp-003").balance("BTC").0;
    assert!(left > dec("0.04214") && left < dec("0.04215"), "{left:?}");
    assert!(assets() > dec("659.99") && assets() < dec("660"), "{:?}", assets());
    laws::check(&x);
}
