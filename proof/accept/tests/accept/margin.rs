//! Spot margin: orders that borrow, what an account may owe, interest and liquidation (chapter Margin trading).

use buttonwood_accept::{Actor, Answer, Dec, Exchange, dec, laws, same_keys};
use buttonwood_client::Credentials;
use serde_json::{Value, json};

const ACCOUNT: &str = "/v1/margin/account";
const RATES: &str = "/v1/margin/rates";
const PREVIEW: &str = "/v1/margin/order/preview";

/// A house account's balance of a currency.
fn house(x: &Exchange, currency: &str, account: &str) -> Dec {
    let ledger = x.get("/sandbox/ledger").ok();
    let rows = ledger["currencies"].as_array().expect("currencies are an array");
    let row = rows.iter().find(|row| row["currency"] == currency).expect("every listed currency has a row");
    Dec::wire(&row["house"][account])
}

fn pin(x: &Exchange, currency: &str, price: &str) {
    x.control(&format!("/sandbox/index/{currency}"), &json!({ "price": price })).ok();
}

/// An exchange whose bitcoin index is pinned, with accounts that pay no fees.
fn pinned(price: &str) -> Exchange {
    let x = Exchange::start();
    x.control("/sandbox/fees", &json!({ "maker_bps": 0, "taker_bps": 0, "auction_bps": 0 })).ok();
    pin(&x, "BTC", price);
    x
}

fn order(x: &Exchange, key: &str, side: &str, amount: &str, price: &str, more: Value) -> Answer {
    let mut params = json!({
        "symbol": "btcusd", "side": side, "type": "exchange limit", "amount": amount, "price": price,
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    x.as_(key).call("/v1/order/new", params)
}

fn cash(x: &Exchange, key: &str, side: &str, amount: &str, price: &str) -> Answer {
    order(x, key, side, amount, price, json!({}))
}

fn on_margin(x: &Exchange, key: &str, side: &str, amount: &str, price: &str) -> Answer {
    order(x, key, side, amount, price, json!({ "margin_order": true }))
}

/// Buys bitcoin on margin at a price, from an account with money.
fn buy(x: &Exchange, key: &str, amount: &str, price: &str) {
    cash(x, "trader", "sell", amount, price).ok();
    let bought = on_margin(x, key, "buy", amount, price).ok();
    assert_eq!(bought["remaining_amount"], "0");
}

fn figures(x: &Exchange, key: &str) -> Value {
    x.as_(key).call(ACCOUNT, json!({})).ok()
}

#[track_caller]
fn assert_values(figures: &Value, expected: &[(&str, &str)]) {
    for (field, value) in expected {
        let found = &figures[*field];
        let amount = if found.is_object() { &found["value"] } else { found };
        assert_eq!(Dec::wire(amount), dec(value), "{field} of {figures}");
    }
}

fn owed(x: &Exchange, key: &str) -> Dec {
    Dec::wire(&figures(x, key)["totalBorrowed"]["value"])
}

/// A fresh account has its dollars and nothing else: no risk, no rate. Proves MARG-002.
#[test]
fn an_account_without_a_debt() {
    let x = pinned("50000");
    let fresh = figures(&x, "margin-000");
    same_keys(
        &fresh,
        &[
            "marginAssetValue",
            "availableCollateral",
            "notionalValue",
            "totalBorrowed",
            "leverage",
            "buyingPower",
            "sellingPower",
            "reservedBuyOrders",
            "reservedSellOrders",
        ],
        "without positions and borrows",
    );
    assert_eq!(fresh["marginAssetValue"], json!({ "currency": "USD", "value": "10000" }));
    assert_eq!(fresh["leverage"], "0");
    assert_eq!(figures(&x, "margin-auditor"), fresh);
    laws::check(&x);
}

/// Only margin accounts have these endpoints, and only they place margin orders, on four symbols. Proves MARG-001, MARG-011, ORD-045.
#[test]
fn only_margin_accounts_borrow() {
    let x = pinned("50000");
    let previewed =
        json!({ "symbol": "btcusd", "side": "buy", "type": "limit", "amount": "0.1", "price": "50000" });
    for key in ["trader", "perp-000"] {
        for (path, params) in [(ACCOUNT, json!({})), (RATES, json!({})), (PREVIEW, previewed.clone())] {
            x.as_(key).call(path, params).refused(400, "AccountNotOfTypeRequired");
        }
    }
    for path in [ACCOUNT, RATES] {
        x.as_("margin-auditor").call(path, json!({})).ok();
    }
    x.as_("margin-auditor").call(PREVIEW, previewed.clone()).ok();
    on_margin(&x, "trader", "buy", "0.1", "50000").refused(400, "InvalidParameterValue");
    order(&x, "perp-000", "buy", "0.1", "50000", json!({ "symbol": "btcgusdperp", "margin_order": true }))
        .refused(400, "InvalidParameterValue");
    for symbol in ["ethbtc", "ltcusd", "btceur"] {
        let refused =
            order(&x, "margin-000", "buy", "0.1", "1", json!({ "symbol": symbol, "margin_order": true }));
        assert_eq!(refused.status(), 400, "{symbol}: {refused}");
    }
    order(&x, "margin-000", "buy", "0.1", "50000", json!({ "margin_order": "yes" }))
        .refused(400, "InvalidParameterValue");
    // Other orders of a margin account spend only what is there.
    cash(&x, "margin-000", "buy", "0.3", "50000").refused(406, "InsufficientFunds");
    cash(&x, "margin-000", "buy", "0.2", "50000").ok();
    laws::check(&x);
}

/// A buy spends what is there and borrows the rest; a sale repays first. Figures by hand. Proves MARG-003, MARG-004.
#[test]
fn a_buy_borrows_and_a_sale_repays() {
    let x = pinned("50000");
    buy(&x, "margin-000", "0.8", "50000");
    let bought = figures(&x, "margin-000");
    assert_values(
        &bought,
        &[
            ("marginAssetValue", "10000"),
            ("notionalValue", "40000"),
            ("totalBorrowed", "30000"),
            ("leverage", "4"),
            ("availableCollateral", "6000"),
            ("buyingPower", "6000"),
            ("sellingPower", "6000"),
            ("reservedBuyOrders", "0"),
        ],
    );
    // (10,000 - 2,000) / 38,000, and 30,000 / (0.95 x 0.8) up to a cent.
    let risk = json!({
        "lossPercentage": "0.2105", "liquidationPrice": { "currency": "USD", "value": "39473.69" },
    });
    assert_eq!(bought["liquidationRisk"], risk);
    assert_eq!(bought["interestRate"], json!({ "rate": "0.00000913242009", "interval": "hour" }));
    assert_eq!(house(&x, "USD", "lending"), -dec("30000"));
    assert_eq!(x.as_("margin-000").balance("BTC").0, dec("0.8"));
    // The index moves all but the debt.
    pin(&x, "BTC", "45000");
    assert_values(
        &figures(&x, "margin-000"),
        &[("marginAssetValue", "6000"), ("leverage", "6"), ("availableCollateral", "2400")],
    );
    pin(&x, "BTC", "50000");
    // A sale needs the coins, and repays first.
    on_margin(&x, "margin-000", "sell", "0.81", "50000").refused(406, "InsufficientFunds");
    cash(&x, "trader", "buy", "0.4", "50000").ok();
    on_margin(&x, "margin-000", "sell", "0.4", "50000").ok();
    assert_values(
        &figures(&x, "margin-000"),
        &[("totalBorrowed", "10000"), ("marginAssetValue", "10000"), ("leverage", "2")],
    );
    assert_eq!(x.as_("margin-000").balance("USD").0, Dec::ZERO);
    // A sale without margin repays too; what is more than the debt stays.
    cash(&x, "trader", "buy", "0.4", "50000").ok();
    cash(&x, "margin-000", "sell", "0.4", "50000").ok();
    assert_eq!(owed(&x, "margin-000"), Dec::ZERO);
    assert_eq!(x.as_("margin-000").balance("USD").0, dec("10000"));
    assert_eq!(house(&x, "USD", "lending"), Dec::ZERO);
    laws::check(&x);
}

/// A resting buy borrows when it fills, also as the maker, and money that is credited repays.
#[test]
fn a_resting_buy_borrows_at_its_fill() {
    let x = pinned("50000");
    on_margin(&x, "margin-000", "buy", "0.5", "50000").ok();
    assert_values(&figures(&x, "margin-000"), &[("reservedBuyOrders", "25000"), ("totalBorrowed", "0")]);
    assert_eq!(x.as_("margin-000").balance("USD"), (dec("10000"), dec("10000")));
    cash(&x, "trader", "sell", "0.3", "50000").ok();
    assert_values(&figures(&x, "margin-000"), &[("reservedBuyOrders", "10000"), ("totalBorrowed", "5000")]);
    let order = x.as_("margin-000").call("/v1/orders", json!({})).ok()[0]["order_id"].clone();
    x.as_("margin-000").cancel(order.as_str().unwrap());
    x.credit("margin-000", "USD", "7000");
    assert_values(&figures(&x, "margin-000"), &[("reservedBuyOrders", "0"), ("totalBorrowed", "0")]);
    assert_eq!(x.as_("margin-000").balance("USD").0, dec("2000"));
    // A live margin sell reserves the coins.
    on_margin(&x, "margin-000", "sell", "0.3", "60000").ok();
    assert_values(&figures(&x, "margin-000"), &[("reservedSellOrders", "18000")]);
    assert_eq!(x.as_("margin-000").balance("BTC"), (dec("0.3"), Dec::ZERO));
    // Figures that are the same after a crash were durable.
    let before = figures(&x, "margin-000");
    x.kill9();
    x.restart();
    assert_eq!(figures(&x, "margin-000"), before);
    laws::check(&x);
}

/// Notional, live margin buys and the order are at most five times the assets, whether the order fills or rests. Proves MARG-010.
#[test]
fn five_times_the_assets_is_the_most() {
    let x = pinned("50000");
    cash(&x, "trader", "sell", "2", "50000").ok();
    on_margin(&x, "margin-000", "buy", "1.00001", "50000").refused(406, "InsufficientFunds");
    on_margin(&x, "margin-000", "buy", "1", "50000").ok();
    assert_values(&figures(&x, "margin-000"), &[("leverage", "5"), ("availableCollateral", "5000")]);
    on_margin(&x, "margin-000", "buy", "0.00001", "40000").refused(406, "InsufficientFunds");
    // Orders that rest count as well.
    on_margin(&x, "margin-001", "buy", "0.6", "49000").ok();
    on_margin(&x, "margin-001", "buy", "0.5", "49000").refused(406, "InsufficientFunds");
    on_margin(&x, "margin-001", "buy", "0.42", "49000").ok();
    // The price above the index counts as lost: 0.91 x 50,000 is more than 5 x (10,000 - 910), and 0.9 x 50,000 is not.
    pin(&x, "BTC", "49000");
    x.as_("trader").call("/v1/order/cancel/all", json!({})).ok();
    on_margin(&x, "margin-002", "buy", "0.91", "50000").refused(406, "InsufficientFunds");
    on_margin(&x, "margin-002", "buy", "0.9", "50000").ok();
    // A market order by what it spends.
    cash(&x, "counterparty", "sell", "2", "49500").ok();
    let spend = |amount: &str| {
        let params = json!({
            "symbol": "btcusd", "side": "buy", "type": "exchange market", "total_spend": amount, "margin_order": true,
        });
        x.as_("margin-003").call("/v1/order/new", params)
    };
    spend("49000").refused(406, "InsufficientFunds");
    spend("20000").ok();
    laws::check(&x);
}

/// A resting buy whose fill would leave the account below maintenance is cancelled, and the next one trades.
#[test]
fn a_fill_that_is_not_covered_cancels_its_order() {
    let x = pinned("50000");
    let bid = on_margin(&x, "margin-000", "buy", "0.9", "50000").ok();
    on_margin(&x, "margin-001", "buy", "0.1", "49900").ok();
    // Filled at 50,000, the holding would be worth 36,000 and the assets 1,000.
    pin(&x, "BTC", "40000");
    cash(&x, "trader", "sell", "0.9", "49900").ok();
    let status = x.as_("margin-000").status(bid["order_id"].as_str().unwrap());
    assert_eq!((&status["reason"], &status["executed_amount"]), (&json!("Uncovered"), &json!("0")));
    assert_eq!(x.as_("margin-001").balance("BTC").0, dec("0.1"));
    x.as_("trader").call("/v1/order/cancel/all", json!({})).ok();
    // A sale far below the index is not covered either: what is left of it is cancelled.
    pin(&x, "BTC", "50000");
    buy(&x, "margin-002", "0.9", "50000");
    pin(&x, "BTC", "42000");
    cash(&x, "counterparty", "sell", "0.5", "38200").ok();
    cash(&x, "counterparty", "buy", "0.5", "38000").ok();
    // 0.4 x 42,000 - (35,000 - 0.5 x 38,000) is 800, and 5 % of 16,800 are 840.
    let sale = on_margin(&x, "margin-002", "sell", "0.5", "38000").ok();
    assert_eq!((&sale["reason"], &sale["executed_amount"]), (&json!("Uncovered"), &json!("0")));
    let sale = on_margin(&x, "margin-002", "sell", "0.4", "38000").ok();
    assert_eq!((&sale["is_cancelled"], &sale["executed_amount"]), (&json!(false), &json!("0.4")));
    x.as_("counterparty").call("/v1/order/cancel/all", json!({})).ok();
    laws::check(&x);
}

/// Fees lower the assets before the order is judged.
#[test]
fn fees_count() {
    let x = Exchange::start();
    pin(&x, "BTC", "50000");
    cash(&x, "trader", "sell", "2", "50000").ok();
    // 40 bps of 50,000 are 200, so the assets would be 9,800.
    on_margin(&x, "margin-000", "buy", "1", "50000").refused(406, "InsufficientFunds");
    on_margin(&x, "margin-000", "buy", "0.981", "50000").refused(406, "InsufficientFunds");
    on_margin(&x, "margin-000", "buy", "0.98", "50000").ok();
    assert_values(&figures(&x, "margin-000"), &[("marginAssetValue", "9804"), ("totalBorrowed", "39196")]);
    laws::check(&x);
}

/// Without an index there are no margin orders, and with a stale one no margin buys.
#[test]
fn a_margin_order_needs_an_index() {
    let x = Exchange::start();
    for side in ["buy", "sell"] {
        on_margin(&x, "margin-000", side, "0.1", "50000").refused(400, "MarketNotOpen");
    }
    let previewed =
        json!({ "symbol": "btcusd", "side": "buy", "type": "limit", "amount": "0.1", "price": "50000" });
    x.as_("margin-000").call(PREVIEW, previewed).refused(400, "MarketNotOpen");
    laws::check(&x);
}

/// Quotes of a borrower's own group make the index of a sandbox, and lend nothing (D-262): a resting buy borrows no more, and sells trade
/// as before. With a pin it is lent again.
#[test]
fn quotes_of_the_own_group_lend_nothing() {
    let x = Exchange::start();
    x.control("/sandbox/fees", &json!({ "maker_bps": 0, "taker_bps": 0, "auction_bps": 0 })).ok();
    x.admin(&["group", "add", "whales"]).done();
    let open = |name: &str, kind: &str| {
        x.admin(&["account", "add", "whales", name, "--kind", kind]).done();
        let fields = json!({ "group": "whales", "account": name, "roles": ["Trader"] });
        let made = x.control("/sandbox/keys", &fields).ok();
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        x.actor_of(&Credentials::new(text("api_key"), text("api_secret")))
    };
    let [quoter, borrower] = [open("quoter", "exchange"), open("borrower", "margin")];
    let credit = |account: &str, currency: &str, amount: &str| {
        let body = json!({ "group": "whales", "account": account, "currency": currency, "amount": amount });
        x.control("/sandbox/accounts/credit", &body).ok();
    };
    credit("quoter", "USD", "2000000");
    credit("quoter", "BTC", "3");
    credit("borrower", "BTC", "1");
    let place = |actor: &Actor, side: &str, price: &str, margin: bool| {
        let fields = json!({
            "symbol": "btcusd", "side": side, "type": "exchange limit", "amount": "1", "price": price,
            "margin_order": margin,
        });
        actor.call("/v1/order/new", fields)
    };
    place(&quoter, "buy", "1000000", false).ok();
    place(&quoter, "sell", "1000002", false).ok();
    x.advance(2);
    let figures = borrower.call(ACCOUNT, json!({})).ok();
    assert_values(&figures, &[("marginAssetValue", "1000001")]);
    let refused = place(&borrower, "buy", "1000002", true).refused(400, "MarketNotOpen");
    assert!(refused.message.contains("orders of your own group"), "{}", refused.message);
    place(&borrower, "sell", "1000000", true).ok();
    assert_values(&borrower.call(ACCOUNT, json!({})).ok(), &[("totalBorrowed", "0")]);
    pin(&x, "BTC", "1000000");
    place(&borrower, "buy", "1000002", true).ok();
    laws::check(&x);
}

/// While an account owes or has live margin buys it buys nothing without margin, and the reverse.
#[test]
fn cash_buys_and_margin_buys_do_not_mix() {
    let x = pinned("50000");
    let cancel_all = || x.as_("margin-000").call("/v1/order/cancel/all", json!({})).ok();
    on_margin(&x, "margin-000", "buy", "0.1", "49000").ok();
    cash(&x, "margin-000", "buy", "0.1", "49000").refused(406, "InsufficientFunds");
    cancel_all();
    cash(&x, "margin-000", "buy", "0.1", "49000").ok();
    on_margin(&x, "margin-000", "buy", "0.1", "49000").refused(406, "InsufficientFunds");
    cancel_all();
    buy(&x, "margin-000", "0.4", "50000");
    for symbol in ["btcusd", "ethusd", "ltcusd"] {
        order(&x, "margin-000", "buy", "0.1", "1", json!({ "symbol": symbol }))
            .refused(406, "InsufficientFunds");
    }
    // A sale for dollars repays; a sale for something else does not.
    cash(&x, "margin-000", "sell", "0.1", "52000").ok();
    order(&x, "margin-000", "sell", "0.1", "40000", json!({ "symbol": "btceur" }))
        .refused(406, "InsufficientFunds");
    laws::check(&x);
}

/// While an account owes, what leaves it keeps it within five times. Proves MARG-010 where money leaves.
#[test]
fn what_may_leave_an_account_that_owes() {
    let x = pinned("50000");
    x.control("/sandbox/accounts", &json!({ "group": "one", "name": "borrower", "kind": "margin" })).ok();
    let credit = json!({ "group": "one", "account": "borrower", "currency": "USD", "amount": "10000" });
    x.control("/sandbox/accounts/credit", &credit).ok();
    let master = x.as_("master");
    let free = |currency: &str| {
        let rows = master.call("/v1/balances", json!({ "account": "borrower" })).ok();
        let row = rows.as_array().unwrap().iter().find(|row| row["currency"] == currency).cloned();
        row.map_or(Dec::ZERO, |row| Dec::wire(&row["availableForWithdrawal"]))
    };
    let send = |currency: &str, amount: &str| {
        let params = json!({ "sourceAccount": "borrower", "targetAccount": "primary", "amount": amount });
        master.call(&format!("/v1/account/transfer/{currency}"), params)
    };
    let place = |amount: &str, price: &str| {
        let params = json!({
            "symbol": "btcusd", "side": "buy", "type": "exchange limit", "amount": amount, "price": price,
            "margin_order": true, "account": "borrower",
        });
        master.call("/v1/order/new", params)
    };
    assert_eq!(free("USD"), dec("10000"));
    cash(&x, "counterparty", "sell", "0.4", "50000").ok();
    place("0.4", "50000").ok();
    // 20,000 - v is at most 5 x (10,000 - v) up to v = 7,500.
    assert_eq!((free("BTC"), free("USD")), (dec("0.15"), Dec::ZERO));
    send("btc", "0.15000001").refused(406, "InsufficientFunds");
    // A live margin buy of 20,000 leaves (50,000 - 40,000) / 4.
    let live = place("0.5", "40000").ok();
    assert_eq!(free("BTC"), dec("0.05"));
    send("btc", "0.06").refused(406, "InsufficientFunds");
    master.call("/v1/order/cancel", json!({ "order_id": live["order_id"], "account": "borrower" })).ok();
    send("btc", "0.15").ok();
    assert_eq!(free("BTC"), Dec::ZERO);
    send("btc", "0.00001").refused(406, "InsufficientFunds");
    let account = master.call(ACCOUNT, json!({ "account": "borrower" })).ok();
    assert_values(&account, &[("leverage", "5"), ("totalBorrowed", "10000")]);
    laws::check(&x);
}

/// Rates as configured, each cut from the annual one. Proves MARG-005.
#[test]
fn rates() {
    let x = pinned("50000");
    let rates = x.as_("margin-000").call(RATES, json!({})).ok();
    let rows = rates["rates"].as_array().unwrap();
    let codes: Vec<&Value> = rows.iter().map(|row| &row["currency"]).collect();
    assert_eq!(json!(codes), json!(["BTC", "ETH", "SOL", "USD", "XRP"]));
    for row in rows {
        let (hourly, daily, annual) = if row["currency"] == "USD" {
            ("0.00000913242009", "0.00021917808216", "0.08")
        } else {
            ("0.00001141552511", "0.00027397260264", "0.1")
        };
        assert_eq!(
            (&row["borrowRate"], &row["borrowRateDaily"], &row["borrowRateAnnual"]),
            (&json!(hourly), &json!(daily), &json!(annual))
        );
        let updated = row["lastUpdated"].as_u64().unwrap();
        assert!(updated <= x.now_ms() && updated.is_multiple_of(3_600_000), "{updated}");
    }
    laws::check(&x);
}

/// An operator sets leverage, maintenance and rates. Proves MARG-010, MARG-005.
#[test]
fn conditions_are_configured() {
    let x = pinned("50000");
    let set = x
        .admin(&["margin", "set", "--max-leverage", "3", "--maintenance-bps", "1000", "--usd-rate", "0.1"])
        .done();
    assert_eq!(
        set,
        json!({
            "result": "ok", "initial_bps": 1000, "maintenance_bps": 1000, "max_leverage": "3", "usd_rate": "0.1",
            "other_rate": "0.1",
        })
    );
    for words in [
        ["--max-leverage", "0.5"],
        ["--max-leverage", "10"],
        ["--maintenance-bps", "3400"],
        ["--maintenance-bps", "0"],
        ["--usd-rate", "1.01"],
        ["--other-rate", "-1"],
    ] {
        x.admin(&[["margin", "set"], words].concat()).refused();
    }
    cash(&x, "trader", "sell", "1", "50000").ok();
    on_margin(&x, "margin-000", "buy", "0.61", "50000").refused(406, "InsufficientFunds");
    on_margin(&x, "margin-000", "buy", "0.6", "50000").ok();
    let bought = figures(&x, "margin-000");
    assert_eq!(bought["interestRate"]["rate"], "0.00001141552511");
    // (10,000 - 3,000) / 27,000, and 20,000 / (0.9 x 0.6) up to a cent.
    assert_eq!(bought["liquidationRisk"]["lossPercentage"], "0.2592");
    assert_eq!(bought["liquidationRisk"]["liquidationPrice"]["value"], "37037.04");
    x.kill9();
    x.restart();
    assert_eq!(figures(&x, "margin-000"), bought);
    laws::check(&x);
}

/// At each full hour the debt grows by the hour's interest, which the house gets; a crash changes nothing. Proves MARG-006.
#[test]
fn interest_compounds_at_each_full_hour() {
    let x = pinned("50000");
    buy(&x, "margin-000", "0.8", "50000");
    let to_hour = 3_600 - x.now_ms() / 1_000 % 3_600;
    let fees = house(&x, "USD", "fees");
    x.advance(to_hour - 1);
    assert_eq!(owed(&x, "margin-000"), dec("30000"));
    x.advance(1);
    assert_eq!(owed(&x, "margin-000"), dec("30000.2739726027"));
    x.kill9();
    x.restart();
    x.advance(3_600);
    // 30,000.2739726027 x 0.00000913242009, rounded up at the last decimal.
    assert_eq!(owed(&x, "margin-000"), dec("30000.5479477074329010071"));
    assert_eq!(house(&x, "USD", "fees") - fees, dec("0.5479477074329010071"));
    assert_eq!(house(&x, "USD", "lending"), -dec("30000.5479477074329010071"));
    laws::check(&x);
}

/// A preview is the summary now and that after the order, and changes nothing. Proves MARG-007, MARG-008.
#[test]
fn a_preview_leads_to_its_figures() {
    let x = pinned("50000");
    cash(&x, "trader", "sell", "0.5", "50000").ok();
    let plain = |mut figures: Value| {
        figures.as_object_mut().unwrap().remove("interestRate");
        figures
    };
    let orders = [
        (json!({ "side": "buy", "type": "limit", "amount": "0.3", "price": "50000" }), "exchange limit"),
        (json!({ "side": "buy", "type": "limit", "amount": "0.3", "price": "50100" }), "exchange limit"),
        (json!({ "side": "sell", "type": "limit", "amount": "0.1", "price": "51000" }), "exchange limit"),
        (json!({ "side": "sell", "type": "market", "amount": "0.05" }), "exchange market"),
        (json!({ "side": "buy", "type": "market", "totalSpend": "2000" }), "exchange market"),
    ];
    for (mut params, kind) in orders {
        if params["type"] == "market" {
            // Both sides of the book, away from the account's own orders.
            x.as_("margin-000").call("/v1/order/cancel/all", json!({})).ok();
            cash(&x, "trader", "buy", "1", "49900").ok();
            cash(&x, "trader", "sell", "1", "50050").ok();
        }
        params["symbol"] = json!("BTCUSD");
        let before = plain(figures(&x, "margin-000"));
        let preview = x.as_("margin-000").call(PREVIEW, params.clone()).ok();
        assert_eq!(preview["preorder"], before);
        assert_eq!(plain(figures(&x, "margin-000")), before, "a preview changes nothing");
        params["margin_order"] = json!(true);
        params["type"] = json!(kind);
        if let Some(spend) = params.as_object_mut().unwrap().remove("totalSpend") {
            params["total_spend"] = spend;
        }
        x.as_("margin-000").call("/v1/order/new", params).ok();
        assert_eq!(plain(figures(&x, "margin-000")), preview["postorder"]);
        x.as_("trader").call("/v1/order/cancel/all", json!({})).ok();
    }
    laws::check(&x);
}

/// A preview names the field that is missing or wrong. Proves MARG-009.
#[test]
fn bad_previews() {
    let x = pinned("50000");
    let preview = |params: Value| x.as_("margin-000").call(PREVIEW, params);
    let good =
        json!({ "symbol": "btcusd", "side": "buy", "type": "limit", "amount": "0.1", "price": "50000" });
    for missing in ["symbol", "side", "type", "amount", "price"] {
        let mut params = good.clone();
        params.as_object_mut().unwrap().remove(missing);
        let refusal = preview(params).refused(400, "MissingPayloadKey");
        assert!(refusal.message.contains(missing), "{}", refusal.message);
    }
    for (params, reason) in [
        (json!({ "symbol": "btcusd", "side": "buy", "type": "market", "amount": "1" }), "MissingPayloadKey"),
        (json!({ "symbol": "btcusd", "side": "sell", "type": "market" }), "MissingPayloadKey"),
        (json!({ "symbol": "none", "side": "buy", "type": "market", "totalSpend": "1" }), "InvalidSymbol"),
        (
            json!({ "symbol": "ethbtc", "side": "buy", "type": "market", "totalSpend": "1" }),
            "InvalidParameterValue",
        ),
        (json!({ "symbol": "btcusd", "side": "up", "type": "market", "totalSpend": "1" }), "InvalidSide"),
        (json!({ "symbol": "btcusd", "side": "buy", "type": "stop", "totalSpend": "1" }), "InvalidOrderType"),
        (
            json!({ "symbol": "btcusd", "side": "buy", "type": "market", "totalSpend": "0" }),
            "InvalidQuantity",
        ),
        (json!({ "symbol": "btcusd", "side": "sell", "type": "market", "amount": "-1" }), "InvalidQuantity"),
        (
            json!({ "symbol": "btcusd", "side": "buy", "type": "limit", "amount": "1", "price": "0.001" }),
            "InvalidPrice",
        ),
    ] {
        preview(params).refused(400, reason);
    }
    // As the core would decide.
    let params =
        json!({ "symbol": "btcusd", "side": "buy", "type": "limit", "amount": "1.1", "price": "50000" });
    preview(params).refused(406, "InsufficientFunds");
    let params =
        json!({ "symbol": "btcusd", "side": "sell", "type": "limit", "amount": "1", "price": "50000" });
    preview(params).refused(406, "InsufficientFunds");
    laws::check(&x);
}

/// Below maintenance all orders are cancelled, the book takes a part at the zero price or better, and the fund the rest.
#[test]
fn book_and_fund_take_what_is_liquidated() {
    let x = pinned("50000");
    x.control("/sandbox/ledger/insurance", &json!({ "currency": "GUSD", "amount": "10000" })).ok();
    buy(&x, "margin-000", "0.8", "50000");
    let live = on_margin(&x, "margin-000", "sell", "0.1", "60000").ok();
    // 31,600 - 30,000 is 5.06 % of 31,600: not yet.
    pin(&x, "BTC", "39500");
    assert_eq!(owed(&x, "margin-000"), dec("30000"));
    // A book around the index, so that the collar is there too.
    cash(&x, "counterparty", "buy", "0.1", "38500").ok();
    cash(&x, "counterparty", "sell", "1", "38600").ok();
    pin(&x, "BTC", "39000");
    let status = x.as_("margin-000").status(live["order_id"].as_str().unwrap());
    assert_eq!((&status["is_live"], &status["reason"]), (&json!(false), &json!("TradingClosed")));
    // The book took 0.1 at 38,500, for 0.5 % to the fund.
    let trades = x.as_("margin-000").call("/v1/mytrades", json!({ "symbol": "btcusd" })).ok();
    let trades = trades.as_array().unwrap();
    let forced = trades.iter().find(|trade| trade["price"] == "38500.00").unwrap();
    // The fund took the rest of the half, in an order and a trade of their own.
    assert!(
        trades.iter().any(|trade| trade["type"] == "Sell" && trade["tid"] != forced["tid"]),
        "{trades:?}"
    );
    assert_eq!(
        (&forced["price"], &forced["amount"], &forced["type"]),
        (&json!("38500.00"), &json!("0.1"), &json!("Sell"))
    );
    assert_eq!(Dec::wire(&forced["fee_amount"]), Dec::ZERO);
    assert!(house(&x, "BTC", "insurance") >= dec("0.3"), "the fund took the rest of the half");
    let after = figures(&x, "margin-000");
    let [assets, notional] =
        ["marginAssetValue", "notionalValue"].map(|field| Dec::wire(&after[field]["value"]));
    assert!(assets * dec("20") >= notional, "{after}");
    assert_eq!(x.as_("margin-000").live_ids(), [""; 0]);
    laws::check(&x);
}

/// A position that neither book nor fund takes waits for the next index, and the fund never goes below zero.
#[test]
fn what_nobody_takes_waits() {
    let x = pinned("50000");
    buy(&x, "margin-000", "0.8", "50000");
    // The account owes 6,000 more than it has: its zero price is above the index, and the fund has nothing.
    pin(&x, "BTC", "30000");
    assert_values(&figures(&x, "margin-000"), &[("marginAssetValue", "-6000"), ("totalBorrowed", "30000")]);
    x.control("/sandbox/ledger/insurance", &json!({ "currency": "USD", "amount": "50000" })).ok();
    assert_eq!(owed(&x, "margin-000"), dec("30000"), "no liquidation without a new index");
    pin(&x, "BTC", "30001");
    let after = figures(&x, "margin-000");
    assert_values(&after, &[("totalBorrowed", "0"), ("notionalValue", "0")]);
    assert_eq!(house(&x, "BTC", "insurance"), dec("0.8"));
    assert_eq!(house(&x, "USD", "lending"), Dec::ZERO);
    // The fund paid what was owed; prices are rounded in the account's favour.
    assert!(house(&x, "USD", "insurance") <= dec("20000"));
    laws::check(&x);
}

/// The fund takes holdings as far as its assets, those of perpetuals too, are a tenth of all that it holds; the rest waits for the next
/// index (D-178).
#[test]
fn a_tenth_bounds_what_the_fund_takes() {
    let x = pinned("50000");
    let insure = |amount: &str| {
        x.control("/sandbox/ledger/insurance", &json!({ "currency": "GUSD", "amount": amount })).ok()
    };
    insure("500");
    buy(&x, "margin-000", "0.8", "50000");
    // 31,200 - 30,000 is too little; the zero price of the half is 37,500: 500 + 1,500 q = 3,900 q at 0.20833333.
    pin(&x, "BTC", "39000");
    assert_eq!(house(&x, "BTC", "insurance"), dec("0.20833333"));
    assert_eq!(x.as_("margin-000").balance("BTC").0, dec("0.59166667"));
    assert_eq!(owed(&x, "margin-000"), dec("22187.500125"));
    insure("20000");
    assert_eq!(house(&x, "BTC", "insurance"), dec("0.20833333"), "it waits for the next index");
    pin(&x, "BTC", "38999");
    assert!(house(&x, "BTC", "insurance") > dec("0.5"));
    laws::check(&x);
}

/// Trades of margin accounts are only marked as broken.
#[test]
fn a_margin_trade_is_broken_by_hand_only() {
    let x = pinned("50000");
    buy(&x, "margin-000", "0.8", "50000");
    let trades = x.as_("margin-000").call("/v1/mytrades", json!({ "symbol": "btcusd" })).ok();
    let tid = &trades[0]["tid"];
    let refused = x.control("/sandbox/trades/break", &json!({ "tid": tid, "kind": "full" }));
    assert_eq!(refused.status(), 400, "{refused}");
    x.control("/sandbox/trades/break", &json!({ "tid": tid, "kind": "manual" })).ok();
    laws::check(&x);
}

/// An index or a credit with which all bitcoins could no longer be valued is refused. Figures beyond the range of money all the same, here
/// by dollars, end at the largest number, and nothing is available.
#[test]
fn figures_stay_within_the_range_of_money() {
    let x = pinned("50000");
    let index = |price: &str| x.control("/sandbox/index/BTC", &json!({ "price": price }));
    let key = x.key("margin-000");
    let credit =
        json!({ "group": key.group, "account": key.account, "currency": "BTC", "amount": "100000000000000" });
    let before = x.as_("margin-000").balance("BTC");
    let refusal = x.control("/sandbox/accounts/credit", &credit).refused(400, "InvalidParameterValue");
    assert!(refusal.message.contains("amount") && refusal.message.contains("100000000000000"), "{refusal:?}");
    assert_eq!(x.as_("margin-000").balance("BTC"), before);
    // A sixteenth of the range is 1,063,382,396,627,932,698 dollars.
    x.credit("margin-000", "BTC", "20000000000000");
    let refusal = index("60000").refused(400, "InvalidParameterValue");
    assert!(refusal.message.contains("price") && refusal.message.contains("60000"), "{refusal:?}");
    index("53000").ok();
    figures(&x, "margin-000");
    for (key, currency) in [("margin-000", "USD"), ("perp-000", "GUSD")] {
        for _ in 0..17 {
            x.credit(key, currency, "990000000000000000");
        }
    }
    let largest = "17014118346046923173.1687303715884105727";
    assert_values(&figures(&x, "margin-000"), &[("marginAssetValue", largest), ("availableCollateral", "0")]);
    x.as_("perp-000").call("/v1/margin", json!({ "symbol": "btcgusdperp" })).ok();
    laws::check(&x);
}
