//! Stop-limit orders. Clauses ORD-037 to ORD-042, ORD-069.

use buttonwood_accept::{Exchange, NewOrder, check, json, laws};

/// The reply names type and stop price; the order is live, and not on the book. Proves ORD-037.
#[test]
fn a_waiting_stop_is_live_and_not_on_the_book() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let order = trader.place(&NewOrder::limit("btcusd", "buy", "1", "31000").with_stop("30500").named("s"));
    let shown = |field: &str| order[field].clone();
    assert_eq!(
        (shown("type"), shown("stop_price"), shown("price"), shown("is_live"), shown("remaining_amount")),
        (json!("stop-limit"), json!("30500.00"), json!("31000.00"), json!(true), json!("1")),
        "{order}"
    );
    assert_eq!(trader.status(order["order_id"].as_str().unwrap()), order);
    assert_eq!(x.get("/v1/book/btcusd").ok(), json!({ "bids": [], "asks": [] }));
    let (amount, available) = trader.balance("USD");
    assert!(available < amount, "it holds what it needs: {available:?} of {amount:?}");
    laws::check(&x);
}

/// A buy's stop price lies below its limit and a sell's above; equal ones are refused. Proves ORD-038.
#[test]
fn the_stop_price_is_on_its_side_of_the_limit() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    for (side, stop, reason) in [
        ("buy", "100.00", "InvalidStopPriceBuy"),
        ("buy", "100.01", "InvalidStopPriceBuy"),
        ("sell", "100.00", "InvalidStopPriceSell"),
        ("sell", "99.99", "InvalidStopPriceSell"),
    ] {
        let order = NewOrder::limit("btcusd", side, "1", "100").with_stop(stop);
        let answer = trader.call("/v1/order/new", order.params());
        let refusal = answer.refused(400, reason);
        assert!(refusal.message.contains(stop), "{answer}");
    }
    trader.place(&NewOrder::limit("btcusd", "buy", "1", "100").with_stop("99.99"));
    trader.place(&NewOrder::limit("btcusd", "sell", "1", "100").with_stop("100.01"));
    assert_eq!(trader.live_ids().len(), 2);
    laws::check(&x);
}

/// A stop price that is missing, no decimal, zero or off the increment. Proves ORD-039.
#[test]
fn stop_prices_must_fit_the_symbol() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let mut order = NewOrder::limit("btcusd", "buy", "1", "100").with_stop("99").params();
    for wrong in [
        json!("99.001"),
        json!("0"),
        json!("0.00"),
        json!("-99"),
        json!("abc"),
        json!("1e2"),
        json!(""),
        json!(true),
        json!([]),
        json!(null),
        json!("123456789012345678901234567890"),
    ] {
        order["stop_price"] = wrong.clone();
        let answer = trader.call("/v1/order/new", order.clone());
        let refusal = answer.refused(400, "InvalidStopPrice");
        assert!(refusal.message.contains("stop price for symbol BTCUSD"), "{wrong}: {answer}");
    }
    order.as_object_mut().unwrap().remove("stop_price");
    trader.call("/v1/order/new", order.clone()).refused(400, "InvalidStopPrice");
    assert!(trader.live_ids().is_empty());
    order["stop_price"] = json!(99);
    assert_eq!(
        trader.call("/v1/order/new", order).ok()["stop_price"],
        json!("99.00"),
        "numbers are read too"
    );
    laws::check(&x);
}

/// The limit is at most half the stop price away from it. Proves ORD-040.
#[test]
fn the_limit_is_near_the_stop_price() {
    check(
        "
        trader buy btcusd 1 @ 150.00 stop 100           => live
        trader buy btcusd 1 @ 150.01 stop 100           => refused 400 InvalidStopPriceRatio
        trader sell btcusd 1 @ 50.00 stop 100           => live
        trader sell btcusd 1 @ 49.99 stop 100           => refused 400 InvalidStopPriceRatio
        ",
    );
}

/// The last trade reaches the stop price: the order enters under its id, behind what rests at its limit by then. Proves ORD-041.
#[test]
fn a_trade_triggers() {
    check(
        "
        trader buy btcusd 1 @ 30200 stop 30100 as S1        => live, executed 0, remaining 1
        broker buy btcusd 1 @ 30200 as R1                   => live
        counterparty sell btcusd 0.1 @ 30200                => filled
        book btcusd                                         => bids 1.9 @ 30200; asks none
        order S1                                            => live, executed 0
        counterparty sell btcusd 0.9 @ 30200                => filled
        order R1                                            => filled
        order S1                                            => live, executed 0
        counterparty sell btcusd 1 @ 30200                  => filled
        order S1                                            => filled, executed 1, average 30200
        ",
    );
}

/// A trade short of the stop price triggers nothing; one at it does, on both sides. Proves ORD-041.
#[test]
fn a_trade_short_of_the_stop_price_triggers_nothing() {
    check(
        "
        broker buy btcusd 1 @ 30000                         => live
        trader sell btcusd 1 @ 29900 stop 29990 as S1       => live
        trader buy btcusd 1 @ 30300 stop 30001 as S2        => live
        counterparty sell btcusd 0.1 @ 30000                => filled
        book btcusd                                         => bids 0.9 @ 30000; asks none
        broker buy btcusd 0.1 @ 29990                       => live
        counterparty sell btcusd 1 @ 29990                  => filled
        order S1                                            => live, executed 0
        order S2                                            => live, executed 0
        book btcusd                                         => bids none; asks 1 @ 29900
        broker buy btcusd 0.5 @ 29900                       => filled
        order S1                                            => live, executed 0.5
        ",
    );
}

/// A stop price that the last trade has reached already: the order enters at once. Proves ORD-041.
#[test]
fn an_order_through_its_stop_price_enters_at_once() {
    check(
        "
        counterparty sell btcusd 2 @ 30000                  => live
        trader buy btcusd 0.5 @ 30000                       => filled
        trader buy btcusd 1 @ 30000 stop 29900 as S1        => live, executed 0
        order S1                                            => filled, executed 1, average 30000
        book btcusd                                         => bids none; asks 0.5 @ 30000
        ",
    );
}

/// Triggered orders enter one after another, nearest stop price first and then oldest; their trades trigger more. Proves ORD-041.
#[test]
fn triggers_chain() {
    check(
        "
        counterparty sell btcusd 1 @ 30000                  => live
        counterparty sell btcusd 1 @ 30100                  => live
        counterparty sell btcusd 1 @ 30200                  => live
        counterparty sell btcusd 1 @ 30300                  => live
        trader buy btcusd 1 @ 30500 stop 30200 as S3        => live
        trader buy btcusd 1 @ 30500 stop 30100 as S2        => live
        trader buy btcusd 1 @ 30500 stop 30000 as S1        => live
        broker buy btcusd 1 @ 30000                         => filled
        order S1                                            => filled, average 30100
        order S2                                            => filled, average 30200
        order S3                                            => filled, average 30300
        trades btcusd   => 1 @ 30300 buy, 1 @ 30200 buy, 1 @ 30100 buy, 1 @ 30000 buy
        ",
    );
}

/// Options are refused on a stop-limit order. Proves ORD-042.
#[test]
fn stops_take_no_option() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    for option in ["maker-or-cancel", "immediate-or-cancel", "fill-or-kill", "auction-only"] {
        let order = NewOrder::limit("btcusd", "buy", "1", "100").with_stop("99").with_option(option);
        let answer = trader.call("/v1/order/new", order.params());
        let refusal = answer.refused(400, "UnsupportedOption");
        assert!(refusal.message.contains(option) && refusal.message.contains("stop-limit"), "{answer}");
    }
    let mut both = NewOrder::limit("btcusd", "buy", "1", "100").with_stop("99").params();
    both["options"] = json!(["fill-or-kill", "maker-or-cancel"]);
    trader.call("/v1/order/new", both).refused(400, "ConflictingOptions");
    assert!(trader.live_ids().is_empty());
}

/// Live orders are listed newest first, waiting stops among them; a triggered one keeps its place. Proves ORD-069.
#[test]
fn waiting_stops_are_listed() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    assert!(trader.live_ids().is_empty());
    let place = |order: &NewOrder| trader.place(order)["order_id"].as_str().unwrap().to_owned();
    let first = place(&NewOrder::limit("btcusd", "buy", "1", "100"));
    let second = place(&NewOrder::limit("btcusd", "sell", "1", "29000").with_stop("29500"));
    let third = place(&NewOrder::limit("ethusd", "buy", "1", "100"));
    assert_eq!(trader.live_ids(), [third.clone(), second.clone(), first.clone()]);
    x.as_("broker").limit("btcusd", "sell", "1", "29500");
    x.as_("counterparty").limit("btcusd", "buy", "1", "29500");
    assert_eq!(trader.live_ids(), [third, second, first]);
    laws::check(&x);
}

/// The hold of a waiting stop is freed by every way of cancelling it.
#[test]
fn stops_are_cancelled_like_others() {
    check(
        "
        trader sell btcusd 1 @ 29000 stop 29500 as S1       => live
        trader sell btcusd 1 @ 29000 stop 29400 as S2       => live
        trader sell btcusd 1 @ 29000 stop 29300 as S3       => live
        balance trader BTC 1000 available 997
        trader cancel S2                                    => cancelled Requested, executed 0
        balance trader BTC 1000 available 998
        trader cancel session                               => S1, S3
        balance trader BTC 1000
        trader sell btcusd 1001 @ 29000 stop 29500          => refused 406 InsufficientFunds
        trader sell btcusd 1 @ 29000 stop 29500 as S4       => live
        trader cancel all                                   => S4
        trader sell btcusd 1 @ 29000 stop 29500 as S5       => live
        status btcusd closed
        order S5                                            => cancelled MarketClosed, executed 0
        balance trader BTC 1000
        ",
    );
}

/// Whether an order would meet one of its own account is judged when it triggers.
#[test]
fn self_crossing_is_judged_at_the_trigger() {
    check(
        "
        trader sell btcusd 1 @ 30200 as A1                  => live
        trader buy btcusd 1 @ 30300 stop 30100 as S1        => live
        counterparty sell btcusd 1 @ 30100                  => live
        broker buy btcusd 1 @ 30100                         => filled
        order S1                                            => cancelled SelfCrossPrevented, executed 0
        order A1                                            => live
        balance trader USD 100000
        ",
    );
}

/// A triggered order does not trade beyond the collar.
#[test]
fn the_collar_holds_for_triggered_orders() {
    check(
        "
        counterparty sell btcusd 1 @ 30000                  => live
        counterparty sell btcusd 1 @ 36000                  => live
        trader buy btcusd 2 @ 36000 stop 30000 as S1        => live
        broker buy btcusd 1 @ 30000                         => filled
        order S1                                            => cancelled ExceedsPriceLimits, executed 0
        ",
    );
}

/// The trades of an auction trigger too; the order enters after the auction's end. Proves ORD-041.
#[test]
fn trades_of_an_auction_trigger() {
    check(
        "
        auction btcusd in 60
        trader buy btcusd 1 @ 30500 stop 30000 as S1        => live
        counterparty sell btcusd 1 @ 30000 auction-only     => live
        broker buy btcusd 1 @ 30000 auction-only            => live
        advance 60
        order S1                                            => live, executed 0
        book btcusd                                         => bids 1 @ 30500; asks none
        ",
    );
}

/// Waiting stops, and those that a trade has reached, survive a kill.
#[test]
fn stops_survive_a_kill() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let order = trader.place(&NewOrder::limit("btcusd", "buy", "1", "30200").with_stop("30100"));
    let id = order["order_id"].as_str().unwrap();
    x.kill9();
    x.restart();
    assert_eq!(x.as_("trader").status(id), order);
    x.as_("broker").limit("btcusd", "buy", "1", "30100");
    x.as_("counterparty").limit("btcusd", "sell", "1", "30100");
    x.kill9();
    x.restart();
    assert_eq!(x.get("/v1/book/btcusd").ok()["bids"][0]["price"], json!("30200.00"));
    assert_eq!(x.as_("trader").status(id), order, "its stop price and its type stay");
    laws::check(&x);
}
