//! A halt: nothing new may trade, everything else goes on.

use buttonwood_accept::{Answer, Exchange, NewOrder, Value, dec, json, laws};

const ORDER: &str = "/v1/order/new";
const QUOTE: &str = "/v1/instant/quote";

fn halt(x: &Exchange) {
    assert_eq!(x.control("/sandbox/halt", &json!({})).ok(), json!({ "result": "ok", "halted": true }));
}

fn resume(x: &Exchange) {
    assert_eq!(x.control("/sandbox/resume", &json!({})).ok(), json!({ "result": "ok", "halted": false }));
}

fn buy(price: &str) -> Value {
    NewOrder::limit("btcusd", "buy", "1", price).params()
}

fn is_refused(answer: &Answer) {
    let refusal = answer.refused(503, "System");
    assert!(refusal.message.contains("halted") && refusal.message.contains("nothing was done"), "{answer}");
}

/// Orders, wraps and instant orders are refused with 503; cancels and reads are not. Readiness follows. Proves ERR-008 (part).
#[test]
fn nothing_new_trades() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    x.as_("counterparty").limit("btcusd", "sell", "10", "101");
    x.control("/sandbox/index/BTC", &json!({ "price": "101" })).ok();
    let orders = ["1", "2"].map(|price| trader.limit("btcusd", "buy", "1", price)["order_id"].clone());
    let quote = trader.call(QUOTE, json!({ "symbol": "btcusd", "side": "buy", "totalSpend": "10" })).ok();
    assert_eq!(x.get("/health/ready").status(), 200);
    halt(&x);
    let funds = trader.balances();
    assert_eq!(x.get("/health/ready").status(), 503);
    assert_eq!(x.get("/health/live").status(), 200);
    for option in ["maker-or-cancel", "auction-only"] {
        is_refused(
            &trader.call(ORDER, NewOrder::limit("btcusd", "buy", "1", "99").with_option(option).params()),
        );
    }
    for price in ["99", "101"] {
        is_refused(&trader.call(ORDER, buy(price)));
    }
    is_refused(&trader.call("/v1/wrap/gusdusd", json!({ "side": "buy", "amount": "1" })));
    is_refused(&trader.call(QUOTE, json!({ "symbol": "btcusd", "side": "buy", "totalSpend": "10" })));
    let terms = json!({
        "symbol": quote["pair"], "side": quote["side"], "quantity": quote["quantity"],
        "price": quote["price"], "fee": quote["fee"], "quoteId": quote["quoteId"],
    });
    is_refused(&trader.call("/v1/instant/execute", terms.clone()));
    // An order that is wrong anyway is refused as ever.
    trader.call(ORDER, buy("-1")).refused(400, "InvalidPrice");
    x.as_("auditor").call(ORDER, buy("99")).refused(403, "MissingRole");
    assert_eq!(trader.balances(), funds);

    trader.cancel(orders[0].as_str().unwrap());
    assert_eq!(trader.live_ids(), [orders[1].as_str().unwrap()]);
    trader.call("/v1/heartbeat", json!({})).ok();
    assert_eq!(x.get("/v1/book/btcusd").ok()["asks"].as_array().unwrap().len(), 1);
    trader.call("/v1/order/cancel/all", json!({})).ok();
    assert_eq!(trader.live_ids(), [""; 0]);
    x.credit("trader", "USD", "1");
    halt(&x);
    resume(&x);
    resume(&x);
    assert_eq!(x.get("/health/ready").status(), 200);
    trader.call("/v1/instant/execute", terms).ok();
    trader.call(ORDER, buy("101")).ok();
    laws::check(&x);
}

/// An auction that is due while trading is halted runs after that; silent sessions expire at their time. Proves AUCT-004 (part), SES-010 (part).
#[test]
fn auctions_wait_and_silence_does_not() {
    let x = Exchange::start();
    x.schedule_auction("btcusd", &json!({}), 60);
    let order = |side: &str| NewOrder::limit("btcusd", side, "1", "100").with_option("auction-only");
    x.as_("trader").place(&order("buy"));
    x.as_("counterparty").place(&order("sell"));
    x.as_("heartbeat").limit("ethusd", "buy", "1", "5");
    halt(&x);
    x.advance(120);
    assert_eq!(x.get("/v1/auction/btcusd/history").ok(), json!([]));
    assert_eq!(x.as_("auditor").live_ids().len(), 1, "the silent session's order was cancelled");
    resume(&x);
    x.advance(1);
    let history = x.get("/v1/auction/btcusd/history").ok();
    assert_eq!(
        (&history[0]["auction_price"], &history[0]["auction_quantity"]),
        (&json!("100.00"), &json!("1"))
    );
    assert_eq!(x.as_("trader").live_ids(), [""; 0]);
    laws::check(&x);
}

/// A halt outlives a kill, and a start from a snapshot.
#[test]
fn a_halt_outlives_restarts() {
    let x = Exchange::start();
    let order = x.as_("trader").limit("btcusd", "buy", "1", "100");
    halt(&x);
    let ends: [fn(&Exchange); 2] = [Exchange::kill9, Exchange::stop];
    for end in ends {
        end(&x);
        x.restart();
        assert_eq!(x.get("/health/ready").status(), 503);
        is_refused(&x.as_("trader").call(ORDER, buy("99")));
    }
    x.as_("trader").cancel(order["order_id"].as_str().unwrap());
    resume(&x);
    x.kill9();
    x.restart();
    x.as_("trader").call(ORDER, buy("99")).ok();
    assert_eq!(x.as_("trader").balance("USD").1, dec("100000") - dec("99") - dec("0.396"));
    laws::check(&x);
}
