//! Perpetuals: positions, margin, index and mark, and the control calls about them (chapter Derivatives).

use buttonwood_accept::{Answer, Dec, Exchange, dec, laws, same_keys};
use serde_json::{Value, json};

const BTC: &str = "btcgusdperp";
const ETH: &str = "ethgusdperp";

/// A house account's balance of a currency.
fn house(x: &Exchange, currency: &str, account: &str) -> Dec {
    let ledger = x.get("/sandbox/ledger").ok();
    let rows = ledger["currencies"].as_array().expect("currencies are an array");
    let row = rows.iter().find(|row| row["currency"] == currency).expect("every listed currency has a row");
    Dec::wire(&row["house"][account])
}

fn pin(x: &Exchange, currency: &str, price: &str) -> Value {
    x.control(&format!("/sandbox/index/{currency}"), &json!({ "price": price })).ok()
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
        "symbol": BTC, "side": side, "type": "exchange limit", "amount": amount, "price": price,
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    x.as_(key).call("/v1/order/new", params)
}

fn limit(x: &Exchange, key: &str, side: &str, amount: &str, price: &str) -> Value {
    order(x, key, side, amount, price, json!({})).ok()
}

fn margin(x: &Exchange, key: &str, symbol: &str) -> Value {
    x.as_(key).call("/v1/margin", json!({ "symbol": symbol })).ok()
}

fn positions(x: &Exchange, key: &str) -> Value {
    x.as_(key).call("/v1/positions", json!({})).ok()
}

fn risk_stats(x: &Exchange, symbol: &str) -> Value {
    x.get(&format!("/v1/riskstats/{symbol}")).ok()
}

/// The cost of every position, summed: minus the clearing account's balance.
fn check(x: &Exchange) {
    laws::check(x);
}

/// The insurance fund is paid from the source account, and wrong input changes nothing.
#[test]
fn the_fund_is_paid() {
    let x = Exchange::start();
    let paid =
        x.control("/sandbox/ledger/insurance", &json!({ "currency": "GUSD", "amount": "2500.5" })).ok();
    assert_eq!(paid, json!({ "result": "ok", "currency": "GUSD", "amount": "2500.5" }));
    assert_eq!(house(&x, "GUSD", "insurance"), dec("2500.5"));
    for (body, reason) in [
        (json!({ "currency": "GUSD", "amount": "0" }), "InvalidParameterValue"),
        (json!({ "currency": "GUSD", "amount": "-1" }), "InvalidParameterValue"),
        (json!({ "currency": "NONE", "amount": "1" }), "InvalidCurrency"),
        (json!({ "currency": "GUSD" }), "MissingPayloadKey"),
        (json!({ "amount": "1" }), "MissingPayloadKey"),
    ] {
        x.control("/sandbox/ledger/insurance", &body).refused(400, reason);
    }
    assert_eq!(house(&x, "GUSD", "insurance"), dec("2500.5"));
    assert_eq!(house(&x, "GUSD", "clearing"), Dec::ZERO);
    check(&x);
}

/// Every perpetual is open, but without an index it takes no order and all its risk figures are zero (D-37).
#[test]
fn a_perpetual_without_an_index_takes_no_order() {
    let x = Exchange::start();
    for symbol in [BTC, ETH, "polgusdperp"] {
        assert_eq!(x.get(&format!("/v1/symbols/details/{symbol}")).ok()["status"], "open");
        assert_eq!(
            risk_stats(&x, symbol),
            json!({
                "product_type": "PerpetualSwapContract", "mark_price": "0", "index_price": "0",
                "open_interest": "0", "open_interest_notional": "0",
            })
        );
    }
    order(&x, "perp-000", "buy", "0.1", "50000", json!({})).refused(400, "MarketNotOpen");
    let figures = margin(&x, "perp-000", BTC);
    assert_eq!(figures["margin_assets_value"], "100000");
    for field in ["buying_power", "selling_power", "estimated_liquidation_price", "leverage"] {
        assert_eq!(figures[field], "0", "{field}");
    }
    check(&x);
}

/// Derivatives accounts trade perpetuals and nothing else, and no other account does (D-36). Proves PERP-002.
#[test]
fn only_derivatives_accounts_trade_perpetuals() {
    let x = pinned("50000");
    order(&x, "trader", "buy", "0.1", "50000", json!({})).refused(400, "AccountNotOfTypeRequired");
    order(&x, "margin-000", "buy", "0.1", "50000", json!({})).refused(400, "AccountNotOfTypeRequired");
    order(&x, "perp-000", "buy", "0.1", "50000", json!({ "symbol": "btcusd" }))
        .refused(400, "AccountNotOfTypeRequired");
    let wrap = json!({ "amount": "1", "side": "buy" });
    x.as_("perp-000").call("/v1/wrap/gusdusd", wrap).refused(400, "AccountNotOfTypeRequired");
    x.as_("trader").call("/v1/margin", json!({ "symbol": BTC })).refused(400, "AccountNotOfTypeRequired");
    assert_eq!(positions(&x, "trader"), json!([]));
    for name in ["BTC-GUSD-PERP", "btcgusdperp", "BtcGusdPerp"] {
        assert_eq!(margin(&x, "perp-auditor", name)["available_margin"], "100000", "{name}");
    }
    x.as_("perp-000").call("/v1/margin", json!({ "symbol": "btcusd" })).refused(400, "InvalidSymbol");
    x.as_("perp-000").call("/v1/margin", json!({ "symbol": "none" })).refused(400, "InvalidSymbol");
    x.as_("perp-000").call("/v1/margin", json!({})).refused(400, "MissingPayloadKey");
    for symbol in ["btcusd", "none"] {
        x.get(&format!("/v1/riskstats/{symbol}")).refused(400, "InvalidSymbol");
    }
    check(&x);
}

/// Options and kinds that perpetuals do not take.
#[test]
fn some_orders_are_not_for_perpetuals() {
    let x = pinned("50000");
    order(&x, "perp-000", "buy", "0.1", "50000", json!({ "options": ["auction-only"] }))
        .refused(400, "UnsupportedOption");
    let spend = json!({ "symbol": BTC, "side": "buy", "type": "exchange market", "total_spend": "1000" });
    let refusal = x.as_("perp-000").call("/v1/order/new", spend).refused(400, "InvalidParameterValue");
    assert!(refusal.message.contains("total_spend"), "{refusal:?}");
    check(&x);
}

/// A fill opens opposite positions, the mark values them, and a close moves the profit into what is realised; the figures are exact.
/// Proves PERP-001, PERP-003, PERP-004, PERP-006, PERP-007, PERP-008, PERP-009, PERP-010, PERP-011.
#[test]
fn positions_open_and_close() {
    let x = pinned("50000");
    limit(&x, "perp-001", "sell", "2", "50000");
    let taken = limit(&x, "perp-000", "buy", "1.5", "50000");
    assert_eq!((&taken["executed_amount"], &taken["is_live"]), (&json!("1.5"), &json!(false)));
    // A hundredth of 75,000; the maker's other half reserves 250 more.
    let long = margin(&x, "perp-000", BTC);
    assert_eq!(
        long,
        json!({
            "margin_assets_value": "100000", "initial_margin": "750", "available_margin": "99250",
            "margin_maintenance_limit": "375", "leverage": "0.75", "notional_value": "75000",
            "estimated_liquidation_price": "0", "initial_margin_positions": "750", "reserved_margin": "0",
            "reserved_margin_buys": "0", "reserved_margin_sells": "0", "buying_power": "198.5",
            "selling_power": "198.5",
        })
    );
    let short = margin(&x, "perp-001", BTC);
    assert_eq!((&short["reserved_margin_sells"], &short["initial_margin"]), (&json!("250"), &json!("1000")));
    // 100,000 + 75,000 = 1.5 p + 1.5 p ÷ 200 at 116,086.235…, rounded to the step towards the mark.
    assert_eq!(short["estimated_liquidation_price"], "116086");
    pin(&x, "BTC", "52000");
    // The book's median is the ask at 50,000, so the mark is 0.05 % below the index.
    let mark = "51974";
    let row = |key: &str| positions(&x, key)[0].clone();
    assert_eq!(
        row("perp-000"),
        json!({
            "symbol": "BTCGUSDPERP", "instrument_type": "perp", "quantity": "1.5", "notional_value": "77961",
            "realised_pnl": "0", "unrealised_pnl": "2961", "average_cost": "50000", "mark_price": mark,
        })
    );
    assert_eq!(
        (
            &row("perp-001")["quantity"],
            &row("perp-001")["notional_value"],
            &row("perp-001")["unrealised_pnl"]
        ),
        (&json!("-1.5"), &json!("-77961"), &json!("-2961"))
    );
    assert_eq!(
        risk_stats(&x, BTC),
        json!({
            "product_type": "PerpetualSwapContract", "mark_price": mark, "index_price": "52000",
            "open_interest": "1.5", "open_interest_notional": "77961",
        })
    );
    // Half a coin of the long position is closed at 52,000.
    x.as_("perp-001").call("/v1/order/cancel/all", json!({})).ok();
    limit(&x, "perp-002", "buy", "0.5", "52000");
    limit(&x, "perp-000", "sell", "0.5", "52000");
    assert_eq!(
        (&row("perp-000")["quantity"], &row("perp-000")["realised_pnl"], &row("perp-000")["average_cost"]),
        (&json!("1"), &json!("1000"), &json!("50000"))
    );
    assert_eq!(x.as_("perp-000").balance("GUSD").0, dec("101000"));
    // The cost of all open positions: 50,000 − 75,000 + 26,000.
    assert_eq!(house(&x, "GUSD", "clearing"), dec("-1000"));
    let sides = x.get(&format!("/sandbox/perpetuals/{BTC}")).ok();
    same_keys(
        &sides,
        &["symbol", "index_price", "mark_price", "open_interest", "insurance", "long", "short"],
        "positions",
    );
    assert_eq!(sides["insurance"], json!({ "quantity": "0", "average_cost": "0" }));
    assert_eq!(
        (&sides["long"][0]["account"], &sides["long"][1]["quantity"]),
        (&json!("perp-000"), &json!("0.5"))
    );
    assert_eq!(sides["short"][0]["group"], "perp");
    // A restart and a kill change nothing.
    let before = (margin(&x, "perp-000", BTC), positions(&x, "perp-001"), risk_stats(&x, BTC));
    x.kill9();
    x.restart();
    assert_eq!((margin(&x, "perp-000", BTC), positions(&x, "perp-001"), risk_stats(&x, BTC)), before);
    // All positions close; a flat one is not listed.
    limit(&x, "perp-001", "buy", "1.5", "52000");
    limit(&x, "perp-000", "sell", "1", "52000");
    limit(&x, "perp-002", "sell", "0.5", "52000");
    for key in ["perp-000", "perp-001", "perp-002"] {
        assert_eq!(positions(&x, key), json!([]), "{key}");
    }
    assert_eq!(
        (house(&x, "GUSD", "clearing"), risk_stats(&x, BTC)["open_interest"].clone()),
        (Dec::ZERO, json!("0"))
    );
    assert_eq!(x.as_("perp-001").balance("GUSD").0, dec("97000"));
    check(&x);
}

/// Fees are the account's rates on price × amount, in GUSD.
#[test]
fn fees_are_paid_in_dollars() {
    let x = Exchange::start();
    pin(&x, "BTC", "50000");
    limit(&x, "perp-001", "sell", "1", "50000");
    let taken = limit(&x, "perp-000", "buy", "1", "50000");
    let order = json!({ "order_id": taken["order_id"], "include_trades": true });
    let status = x.as_("perp-000").call("/v1/order/status", order).ok();
    assert_eq!(
        (&status["trades"][0]["fee_currency"], &status["trades"][0]["fee_amount"]),
        (&json!("GUSD"), &json!("200"))
    );
    assert_eq!(x.as_("perp-000").balance("GUSD").0, dec("99800"));
    assert_eq!(x.as_("perp-001").balance("GUSD").0, dec("99900"));
    assert_eq!(house(&x, "GUSD", "fees"), dec("300"));
    check(&x);
}

/// An order may add risk as long as its margin is available; one that only reduces is always accepted. The cap of the account
/// decides how much. Proves PERP-005.
#[test]
fn admission_is_by_available_margin() {
    let x = pinned("50000");
    let risk =
        json!({ "group": "perp", "account": "perp-000", "max_leverage": "10", "cross_collateral": false });
    let mut shown = risk.clone();
    shown["result"] = json!("ok");
    assert_eq!(x.control("/sandbox/accounts/risk", &risk).ok(), shown);
    // A tenth of 1,000,000 is all that there is.
    assert_eq!(margin(&x, "perp-000", BTC)["buying_power"], "20");
    order(&x, "perp-000", "buy", "20.0001", "50000", json!({})).refused(406, "InsufficientFunds");
    let resting = limit(&x, "perp-000", "buy", "20", "49000");
    assert_eq!(margin(&x, "perp-000", BTC)["available_margin"], "0");
    order(&x, "perp-000", "sell", "0.0001", "51000", json!({})).refused(406, "InsufficientFunds");
    x.as_("perp-000").cancel(resting["order_id"].as_str().unwrap());
    assert_eq!(margin(&x, "perp-000", BTC)["available_margin"], "100000");
    // A fill away from the mark costs its distance.
    limit(&x, "perp-001", "sell", "20", "50500");
    order(&x, "perp-000", "buy", "20", "50500", json!({})).refused(406, "InsufficientFunds");
    limit(&x, "perp-000", "buy", "16", "50500");
    let figures = margin(&x, "perp-000", BTC);
    // The median of last trade and ask is 50,500, and the mark is kept at 50,025 once it is taken; until then it is 50,000.
    assert_eq!(
        (&figures["margin_assets_value"], &figures["initial_margin"]),
        (&json!("92000"), &json!("80000"))
    );
    // Far too large an order is refused, not filled in part.
    limit(&x, "perp-002", "sell", "100", "50500");
    order(&x, "perp-000", "buy", "100", "50500", json!({})).refused(406, "InsufficientFunds");
    x.as_("perp-002").call("/v1/order/cancel/all", json!({})).ok();
    // The rest of the margin would carry 2.4 more; an order that closes the position needs none.
    let out = limit(&x, "perp-000", "sell", "16", "51000");
    assert_eq!(margin(&x, "perp-000", BTC)["reserved_margin_sells"], "0");
    x.as_("perp-000").cancel(out["order_id"].as_str().unwrap());
    check(&x);
}

/// The list of symbols has lower case, a position and a record of funding upper case. Proves SYM-008.
#[test]
fn symbols_have_the_case_of_their_list() {
    let x = pinned("50000");
    let symbols = x.get("/v1/symbols").ok();
    assert!(symbols.as_array().unwrap().contains(&json!(BTC)), "{symbols}");
    limit(&x, "perp-001", "sell", "2", "50040");
    limit(&x, "perp-000", "buy", "1.5", "50040");
    limit(&x, "perp-003", "buy", "0.1", "49900");
    assert_eq!(positions(&x, "perp-000")[0]["symbol"], BTC.to_uppercase());
    x.advance(2 * 3_600);
    let paid = x.as_("perp-000").call("/v1/perpetuals/fundingPayment", json!({})).ok();
    let records = paid.as_array().expect("records");
    assert!(!records.is_empty(), "{paid}");
    assert!(
        records
            .iter()
            .all(|record| record["hourlyFundingTransfer"]["instrumentSymbol"] == BTC.to_uppercase()),
        "{paid}"
    );
}

fn market(x: &Exchange, key: &str, side: &str, amount: &str) -> Answer {
    let order = json!({ "symbol": BTC, "side": side, "type": "exchange market", "amount": amount });
    x.as_(key).call("/v1/order/new", order)
}

/// An order that trades at once and only makes a position smaller passes, regardless of resting orders. A part that would turn the position
/// over needs margin, together with all live orders of its side, and so does what a resting order adds when it would fill (D-173). Proves
/// PERP-005.
#[test]
fn a_position_is_made_smaller_beside_a_resting_order() {
    let x = pinned("50000");
    let risk =
        json!({ "group": "perp", "account": "perp-000", "max_leverage": "10", "cross_collateral": false });
    x.control("/sandbox/accounts/risk", &risk).ok();
    limit(&x, "perp-001", "sell", "19", "50000");
    limit(&x, "perp-000", "buy", "19", "50000");
    pin(&x, "BTC", "49600");
    let profit = limit(&x, "perp-000", "sell", "19", "51000");
    limit(&x, "perp-002", "buy", "5", "49600");
    // Nothing is available: the mark is 49,624.8, and an order that would rest is judged as before.
    order(&x, "perp-000", "sell", "1", "50500", json!({})).refused(406, "InsufficientFunds");
    let sold = market(&x, "perp-000", "sell", "5").ok();
    assert_eq!((&sold["executed_amount"], &sold["is_cancelled"]), (&json!("5"), &json!(false)));
    assert_eq!(positions(&x, "perp-000")[0]["quantity"], "14");
    // Of a limit order the fills stand, and what would rest is cancelled.
    limit(&x, "perp-002", "buy", "1", "49600");
    let rest = order(&x, "perp-000", "sell", "2", "49600", json!({})).ok();
    assert_eq!(
        (&rest["executed_amount"], &rest["is_cancelled"], &rest["reason"]),
        (&json!("1"), &json!(true), &json!("ExceedsPriceLimits"))
    );
    // 13 are left, and 16 would turn the position over beside the 19 that rest.
    limit(&x, "perp-002", "buy", "20", "49600");
    let kill = json!({ "options": ["fill-or-kill"] });
    order(&x, "perp-000", "sell", "16", "49600", kill).refused(406, "InsufficientFunds");
    let turned = market(&x, "perp-000", "sell", "16").ok();
    assert_eq!(
        (&turned["executed_amount"], &turned["is_cancelled"], &turned["reason"]),
        (&json!("13"), &json!(true), &json!("ExceedsPriceLimits"))
    );
    assert_eq!(positions(&x, "perp-000"), json!([]));
    market(&x, "perp-000", "sell", "1").refused(406, "InsufficientFunds");
    // An order that meets nothing and cannot rest reserves nothing.
    let gone =
        order(&x, "perp-000", "sell", "1", "50900", json!({ "options": ["immediate-or-cancel"] })).ok();
    assert_eq!(gone["reason"], "ImmediateOrCancelWouldPost");
    // The order that rests would now add 19, of which the account cannot carry the margin.
    x.as_("perp-002").call("/v1/order/cancel/all", json!({})).ok();
    pin(&x, "BTC", "51500");
    assert_eq!(limit(&x, "perp-003", "buy", "19", "51000")["executed_amount"], "0");
    let passed = x.as_("perp-000").status(profit["order_id"].as_str().unwrap());
    assert_eq!((&passed["is_cancelled"], &passed["reason"]), (&json!(true), &json!("ExceedsPriceLimits")));
    assert_eq!(positions(&x, "perp-000"), json!([]));
    check(&x);
}

/// A resting order whose fill would leave its account below maintenance is cancelled, and matching goes on with the next one (D-43).
#[test]
fn no_fill_leaves_a_maker_below_maintenance() {
    let x = pinned("50000");
    let first = limit(&x, "perp-000", "buy", "150", "50000");
    let second = limit(&x, "perp-001", "buy", "10", "50000");
    // The mark is 49,524.75: 150 coins would lose 71,287.5, and their maintenance is 37,143.5625.
    pin(&x, "BTC", "49500");
    assert_eq!(risk_stats(&x, BTC)["mark_price"], "49524.75");
    let taker = limit(&x, "perp-002", "sell", "160", "50000");
    assert_eq!(taker["executed_amount"], "10");
    let passed = x.as_("perp-000").status(first["order_id"].as_str().unwrap());
    assert_eq!((&passed["is_cancelled"], &passed["reason"]), (&json!(true), &json!("ExceedsPriceLimits")));
    assert_eq!(passed["executed_amount"], "0");
    assert_eq!(x.as_("perp-001").status(second["order_id"].as_str().unwrap())["executed_amount"], "10");
    assert_eq!(margin(&x, "perp-000", BTC)["reserved_margin"], "0");
    check(&x);
}

/// A loss beyond the account's money is lent, owed, and repaid first from whatever comes in (D-46).
#[test]
fn what_an_account_lacks_is_lent() {
    let x = pinned("50000");
    pin(&x, "ETH", "2000");
    // The other side outlasts the rise of bitcoin.
    x.credit("perp-001", "GUSD", "200000");
    let eth = |key: &str, side: &str, amount: &str, price: &str| {
        order(&x, key, side, amount, price, json!({ "symbol": ETH })).ok()
    };
    limit(&x, "perp-001", "sell", "20", "50000");
    limit(&x, "perp-000", "buy", "20", "50000");
    eth("perp-002", "sell", "500", "2000");
    eth("perp-000", "buy", "500", "2000");
    // A profit of 199,400 on bitcoin, at a mark of 59,970, and a loss of 149,575 on ether, at 1,700.85.
    pin(&x, "BTC", "60000");
    pin(&x, "ETH", "1700");
    assert_eq!(margin(&x, "perp-000", ETH)["margin_assets_value"], "149825");
    eth("perp-003", "buy", "500", "1700");
    eth("perp-004", "sell", "1", "1701");
    eth("perp-000", "sell", "500", "1700");
    assert_eq!(x.as_("perp-000").balance("GUSD").0, Dec::ZERO);
    assert_eq!(house(&x, "GUSD", "lending"), dec("-50000"));
    assert_eq!(margin(&x, "perp-000", BTC)["margin_assets_value"], "149400");
    assert_eq!(positions(&x, "perp-000").as_array().unwrap().len(), 1);
    check(&x);
    x.kill9();
    x.restart();
    x.credit("perp-000", "GUSD", "20000");
    assert_eq!(
        (x.as_("perp-000").balance("GUSD").0, house(&x, "GUSD", "lending")),
        (Dec::ZERO, dec("-30000"))
    );
    x.credit("perp-000", "GUSD", "40000");
    assert_eq!(
        (x.as_("perp-000").balance("GUSD").0, house(&x, "GUSD", "lending")),
        (dec("10000"), Dec::ZERO)
    );
    check(&x);
}

/// Stop orders count in the reserves while they wait, and enter when the last trade reaches their stop price.
#[test]
fn stop_orders_reserve_and_enter() {
    let x = pinned("50000");
    let stop = json!({ "type": "exchange stop limit", "stop_price": "50010" });
    let waiting = order(&x, "perp-000", "buy", "2", "50050", stop).ok();
    assert_eq!(margin(&x, "perp-000", BTC)["reserved_margin_buys"], "1000");
    limit(&x, "perp-001", "sell", "3", "50020");
    limit(&x, "perp-002", "buy", "1", "50020");
    let entered = x.as_("perp-000").status(waiting["order_id"].as_str().unwrap());
    assert_eq!((&entered["executed_amount"], &entered["is_live"]), (&json!("2"), &json!(false)));
    assert_eq!(margin(&x, "perp-000", BTC)["reserved_margin"], "0");
    assert_eq!(positions(&x, "perp-000")[0]["quantity"], "2");
    check(&x);
}

/// Collateral counts at its haircut value where cross collateral is on, and no more of it may leave than the margin spares (D-48).
#[test]
fn collateral_counts_where_it_is_switched_on() {
    let x = pinned("50000");
    x.credit("perp-000", "BTC", "2");
    x.credit("perp-000", "USDT", "1000");
    assert_eq!(margin(&x, "perp-000", BTC)["margin_assets_value"], "100000");
    let risk = json!({ "group": "perp", "account": "perp-000", "cross_collateral": true });
    x.control("/sandbox/accounts/risk", &risk).ok();
    assert_eq!(margin(&x, "perp-000", BTC)["margin_assets_value"], "191000");
    limit(&x, "perp-001", "sell", "160", "50000");
    limit(&x, "perp-000", "buy", "160", "50000");
    limit(&x, "perp-002", "sell", "200", "50000");
    limit(&x, "perp-000", "buy", "200", "50000");
    // 191,000 less a hundredth of 18,000,000: 11,000 ÷ 45,000 coins may be used.
    assert_eq!(margin(&x, "perp-000", BTC)["available_margin"], "11000");
    let rows = x.as_("perp-000").balances();
    let of = |currency: &str| rows.iter().find(|row| row["currency"] == currency).unwrap().clone();
    assert_eq!(of("BTC")["availableForWithdrawal"], "0.24444444");
    assert_eq!((&of("USDT")["available"], &of("GUSD")["available"]), (&json!("1000"), &json!("11000")));
    check(&x);
}

/// The available part of a balance, and what may leave, follow the margin (D-47).
#[test]
fn balances_follow_the_margin() {
    let x = pinned("50000");
    let balance = |key: &str| {
        let rows = x.as_(key).balances();
        let row = rows.into_iter().find(|row| row["currency"] == "GUSD").unwrap();
        ["amount", "available", "availableForWithdrawal"].map(|field| Dec::wire(&row[field]))
    };
    limit(&x, "perp-001", "sell", "10", "50000");
    limit(&x, "perp-000", "buy", "10", "50000");
    assert_eq!(balance("perp-000"), [dec("100000"), dec("95000"), dec("95000")]);
    pin(&x, "BTC", "51000");
    // The mark is the last trade's, kept at 0.05 % below the index: 50,974.5.
    assert_eq!(balance("perp-000"), [dec("100000"), dec("100000"), dec("94902.55")]);
    assert_eq!(balance("perp-001"), [dec("100000"), dec("85157.55"), dec("85157.55")]);
    // More than that does not leave the account.
    let transfer = |amount: &str| {
        let params = json!({ "sourceAccount": "perp-000", "targetAccount": "perp-000", "amount": amount });
        x.as_("perp-fund-manager").call("/v1/account/transfer/gusd", params)
    };
    let refused = transfer("94902.56");
    assert!(refused.status() >= 400, "{refused:?}");
    check(&x);
}

/// The marks are taken at the next full second after a book changed, and at once when an index is set. Proves PERP-012.
#[test]
fn marks_follow_the_books() {
    let x = pinned("50000");
    assert_eq!(risk_stats(&x, BTC)["mark_price"], "50000");
    limit(&x, "perp-000", "buy", "1", "50010");
    assert_eq!(risk_stats(&x, BTC)["mark_price"], "50000", "the second is not over");
    x.advance(1);
    assert_eq!(risk_stats(&x, BTC)["mark_price"], "50010");
    limit(&x, "perp-001", "sell", "1", "50020.5");
    x.advance(1);
    assert_eq!(risk_stats(&x, BTC)["mark_price"], "50015.25");
    // Back to the books: the spot book of the currency gives the index.
    x.as_("counterparty").limit("btcusd", "sell", "1", "50040");
    x.as_("trader").limit("btcusd", "buy", "1", "50020");
    let unpinned = x.control("/sandbox/index/btc", &json!({ "pinned": false })).ok();
    assert_eq!(
        unpinned,
        json!({ "result": "ok", "currency": "BTC", "index_price": "50030", "pinned": false })
    );
    x.as_("counterparty").limit("btcusd", "sell", "1", "50030");
    x.advance(1);
    assert_eq!(risk_stats(&x, BTC)["index_price"], "50025");
    // Without a book it keeps its mark, and takes only orders that reduce.
    x.as_("counterparty").call("/v1/order/cancel/all", json!({})).ok();
    x.as_("trader").call("/v1/order/cancel/all", json!({})).ok();
    x.advance(1);
    assert_eq!(risk_stats(&x, BTC)["index_price"], "50025");
    order(&x, "perp-000", "buy", "0.1", "50000", json!({})).refused(400, "MarketNotOpen");
    // A pin outlives a kill.
    pin(&x, "BTC", "50000");
    x.kill9();
    x.restart();
    assert_eq!(risk_stats(&x, BTC)["index_price"], "50000");
    check(&x);
}

/// The index of an own book is its middle while bid and ask are within a hundredth, whichever side traded last; a wider book counts with its
/// last trade, as before. Proves D-288.
#[test]
fn an_index_follows_the_middle_of_its_book() {
    let x = Exchange::start();
    let (maker, taker) = (x.as_("counterparty"), x.as_("trader"));
    maker.limit("btcusd", "buy", "1", "50000");
    maker.limit("btcusd", "sell", "1", "50500");
    for (side, price) in [("buy", "50500"), ("sell", "50000"), ("buy", "50500")] {
        taker.limit("btcusd", side, "0.01", price);
        x.advance(1);
        assert_eq!(risk_stats(&x, BTC)["index_price"], "50250", "after a {side}");
    }
    x.restart();
    assert_eq!(risk_stats(&x, BTC)["index_price"], "50250");
    let (maker, taker) = (x.as_("counterparty"), x.as_("trader"));
    maker.call("/v1/order/cancel/all", json!({})).ok();
    maker.limit("btcusd", "buy", "1", "50000");
    maker.limit("btcusd", "sell", "1", "50501");
    x.advance(1);
    assert_eq!(risk_stats(&x, BTC)["index_price"], "50500", "the last trade");
    taker.limit("btcusd", "sell", "0.01", "50000");
    x.advance(1);
    assert_eq!(risk_stats(&x, BTC)["index_price"], "50000");
    laws::check(&x);
}

/// Control calls refuse by field and change nothing.
#[test]
fn wrong_control_calls_change_nothing() {
    let x = pinned("50000");
    let before = risk_stats(&x, BTC);
    for (currency, body, reason) in [
        ("btc", json!({ "price": "0" }), "InvalidParameterValue"),
        ("btc", json!({ "price": "-1" }), "InvalidParameterValue"),
        ("btc", json!({ "price": "x" }), "InvalidParameterValue"),
        ("btc", json!({}), "MissingPayloadKey"),
        ("btc", json!({ "pinned": true }), "MissingPayloadKey"),
        ("btc", json!({ "pinned": "no" }), "InvalidParameterValue"),
        ("btc", json!({ "price": "10000000000000000000" }), "InvalidParameterValue"),
        ("none", json!({ "price": "1" }), "InvalidCurrency"),
        ("usd", json!({ "price": "1" }), "InvalidParameterValue"),
    ] {
        x.control(&format!("/sandbox/index/{currency}"), &body).refused(400, reason);
    }
    for (field, value, reason) in [
        ("max_leverage", json!("0.99"), "InvalidParameterValue"),
        ("max_leverage", json!("100.01"), "InvalidParameterValue"),
        ("max_leverage", json!("x"), "InvalidParameterValue"),
        ("cross_collateral", json!("yes"), "InvalidParameterValue"),
        ("account", json!("none"), "InvalidAccountName"),
        ("group", json!("none"), "InvalidParameterValue"),
    ] {
        let mut body = json!({ "group": "perp", "account": "perp-000", "max_leverage": "10" });
        body[field] = value;
        x.control("/sandbox/accounts/risk", &body).refused(400, reason);
    }
    let other = json!({ "group": "one", "account": "primary", "max_leverage": "10" });
    x.control("/sandbox/accounts/risk", &other).refused(400, "AccountNotOfTypeRequired");
    assert_eq!(
        (risk_stats(&x, BTC), margin(&x, "perp-000", BTC)["buying_power"].clone()),
        (before, json!("200"))
    );
    x.get("/sandbox/perpetuals/btcusd").refused(400, "InvalidSymbol");
    check(&x);
}
