//! Price-time matching, self-crossing and the collar, as scenarios.

use buttonwood_accept::{Exchange, Script, check, laws};

/// Better prices first, then older orders; trades print at the resting price. Proves ORD-046, ORD-047.
#[test]
fn price_then_time() {
    check(
        "
        counterparty sell btcusd 1 @ 30020 as A3
        counterparty sell btcusd 1 @ 30010 as A1
        broker sell btcusd 1 @ 30010 as A2
        trader buy btcusd 1.5 @ 30500               => filled, executed 1.5
        order A1                                    => filled
        order A2                                    => live, executed 0.5
        order A3                                    => live, executed 0
        trader buy btcusd 1 @ 30020                 => filled, average 30015
        order A2                                    => filled
        order A3                                    => live, executed 0.5, remaining 0.5
        trades btcusd => 0.5 @ 30020 buy, 0.5 @ 30010 buy, 0.5 @ 30010 buy, 1 @ 30010 buy
        ",
    );
}

/// The same on the other side: the highest bid first. Proves ORD-046, ORD-047.
#[test]
fn sells_take_the_highest_bid() {
    check(
        "
        trader buy btcusd 1 @ 29000 as B2
        savings-trader buy btcusd 1 @ 29500 as B1
        counterparty sell btcusd 1.25 @ 28900       => filled, average 29400
        order B1                                    => filled
        order B2                                    => live, executed 0.25
        trades btcusd => 0.25 @ 29000 sell, 1 @ 29500 sell
        ",
    );
}

/// A cancelled order loses its place in the queue, an untouched one keeps it. Proves ORD-047.
#[test]
fn place_in_the_queue() {
    check(
        "
        counterparty sell btcusd 1 @ 30000 as A1
        broker sell btcusd 1 @ 30000 as A2
        counterparty cancel A1
        counterparty sell btcusd 1 @ 30000 as A3
        trader buy btcusd 1 @ 30000                 => filled
        order A2                                    => filled
        order A3                                    => live, executed 0
        ",
    );
}

/// Base and quote change hands once; both fees are in the quote currency. Proves ORD-017, BAL-009.
#[test]
fn settlement() {
    check(
        "
        counterparty sell btcusd 1 @ 30000
        trader buy btcusd 0.4 @ 30000               => filled
        balance trader BTC 1000.4, USD 100000 - 12000 - 48
        balance counterparty BTC 999.6 available 999, USD 100000 + 12000 - 24
        ",
    );
}

/// An order that would meet one of its own account is cancelled entirely, before any fill. Proves ORD-050.
#[test]
fn self_cross() {
    check(
        "
        trader sell btcusd 1 @ 30000 as S1
        trader buy btcusd 1 @ 30000                 => cancelled SelfCrossPrevented, executed 0, remaining 1
        trader buy btcusd 1 @ 31000                 => cancelled SelfCrossPrevented, executed 0
        order S1                                    => live, executed 0
        trades btcusd                               => none
        balance trader USD 100000
        trader buy btcusd 1 @ 29999.99              => live
        ",
    );
}

/// Better-priced orders of others make no difference: nothing is executed first. Proves ORD-050.
#[test]
fn self_cross_behind_others() {
    check(
        "
        counterparty sell btcusd 1 @ 29900 as A1
        trader sell btcusd 1 @ 30000 as S1
        trader buy btcusd 2 @ 30000                 => cancelled SelfCrossPrevented, executed 0
        trader buy btcusd 0.5 @ 30000               => cancelled SelfCrossPrevented, executed 0
        order A1                                    => live, executed 0
        trader buy btcusd 0.5 @ 29900               => filled
        ",
    );
}

/// Two keys of one account count as one; two accounts of one group do not. Proves ORD-050.
#[test]
fn self_cross_is_within_one_account() {
    check(
        "
        trader sell btcusd 1 @ 30000
        second-session buy btcusd 1 @ 30000         => cancelled SelfCrossPrevented
        savings-trader buy btcusd 1 @ 30000         => filled
        ",
    );
}

/// A market order that would reach the account's own order. Proves ORD-050.
#[test]
fn self_cross_of_market_orders() {
    check(
        "
        counterparty sell btcusd 1 @ 29900
        trader sell btcusd 1 @ 30000 as S1
        trader buy btcusd 2 at market               => cancelled SelfCrossPrevented, executed 0
        trader buy btcusd 1 at market               => filled, average 29900
        order S1                                    => live, executed 0
        ",
    );
}

/// Trading ends at 5 percent from the last price; the rest is cancelled. Proves ORD-051.
#[test]
fn collar() {
    check(
        "
        counterparty sell btcusd 0.1 @ 30000
        trader buy btcusd 0.1 @ 30000
        counterparty sell btcusd 0.5 @ 31000
        counterparty sell btcusd 0.5 @ 31500
        counterparty sell btcusd 0.5 @ 31500.01 as A3
        trader buy btcusd 1.5 @ 40000 as B1         => cancelled ExceedsPriceLimits, executed 1, remaining 0.5
        order A3                                    => live, executed 0
        ",
    );
}

/// The same for market orders, and for sells. Proves ORD-051.
#[test]
fn collar_of_market_orders_and_sells() {
    check(
        "
        trader buy btcusd 0.1 @ 30000
        counterparty sell btcusd 0.1 @ 30000
        trader buy btcusd 0.5 @ 29000
        trader buy btcusd 0.5 @ 28500
        trader buy btcusd 0.5 @ 28499.99 as B3
        counterparty sell btcusd 1.5 at market      => cancelled ExceedsPriceLimits, executed 1, remaining 0.5
        order B3                                    => live, executed 0
        ",
    );
}

/// An order that only rests far away is accepted. Proves ORD-051.
#[test]
fn collar_leaves_resting_orders_alone() {
    check(
        "
        counterparty sell btcusd 0.1 @ 30000
        trader buy btcusd 0.1 @ 30000
        trader buy btcusd 1 @ 1                     => live
        counterparty sell btcusd 1 @ 1000000        => live
        ",
    );
}

/// The reference follows the book when it has moved away from the last trade. Proves ORD-051.
#[test]
fn collar_reference_follows_the_book() {
    check(
        "
        counterparty sell btcusd 0.1 @ 30000
        trader buy btcusd 0.1 @ 30000
        broker buy btcusd 0.5 @ 40000               => live
        broker buy btcusd 0.5 @ 38000               => live
        broker buy btcusd 0.5 @ 37999.99            => live
        counterparty sell btcusd 1.5 @ 30000        => cancelled ExceedsPriceLimits, executed 1
        ",
    );
}

/// The first trade on a one-sided book has no reference and no collar. Proves ORD-051.
#[test]
fn no_collar_without_a_reference() {
    check(
        "
        counterparty sell btcusd 0.1 @ 100
        counterparty sell btcusd 0.1 @ 200
        trader buy btcusd 0.2 @ 200                 => filled, average 150
        ",
    );
}

/// A fill-or-kill order that the collar stops has its own reason. Proves ORD-033.
#[test]
fn collar_kills_fill_or_kill() {
    check(
        "
        counterparty sell btcusd 0.1 @ 30000
        trader buy btcusd 0.1 @ 30000
        counterparty sell btcusd 0.5 @ 31000
        counterparty sell btcusd 0.5 @ 32000
        trader buy btcusd 1 @ 40000 fill-or-kill    => cancelled FillOrKillWouldNotFill, executed 0
        trader buy btcusd 1 @ 40000 immediate-or-cancel => cancelled ExceedsPriceLimits, executed 0.5
        ",
    );
}

/// Every reason a spot order can end with, and only documented ones. Proves ORD-052.
#[test]
fn reasons() {
    check(
        "
        counterparty sell btcusd 1 @ 30000
        trader buy btcusd 1 @ 30000 maker-or-cancel        => cancelled MakerOrCancelWouldTake
        trader buy btcusd 2 @ 30000 immediate-or-cancel    => cancelled ImmediateOrCancelWouldPost
        trader buy btcusd 2 @ 30000 fill-or-kill           => cancelled FillOrKillWouldNotFill
        trader buy btcusd 1 @ 20000 as B1
        trader sell btcusd 1 @ 20000                       => cancelled SelfCrossPrevented
        trader cancel B1                                   => cancelled Requested
        counterparty sell btcusd 1 @ 32000
        trader buy btcusd 1 @ 32000                        => cancelled ExceedsPriceLimits
        trader buy btcusd 1 @ 20000 as B2
        status btcusd closed
        order B2                                           => cancelled MarketClosed
        ",
    );
}

/// A very large funded order is accepted. Proves LIM-017.
#[test]
fn very_large_orders() {
    check(
        "
        credit trader BTC 1000000000
        trader sell btcusd 1000000000 @ 30000 as S1        => live, remaining 1000000000
        credit empty USD 20000000000000
        empty buy btcusd 500000000 @ 30000                 => filled
        order S1                                           => live, executed 500000000
        balance empty USD 20000000000000 - 15000000000000 - 60000000000, BTC 500000000
        ",
    );
}

/// More is traded than `Money` can count, in a minute and in a day, since the same money changes hands again and again. No single order
/// is worth as much (D-183). The published volume saturates, and the exchange continues, also over restarts.
#[test]
fn more_traded_than_money_can_count() {
    let x = Exchange::start();
    (0..10).for_each(|_| x.credit("empty", "USD", "999999999999999999"));
    x.credit("broker", "BTC", "30000000000");
    let mut script = Script::new(&x);
    script.run(
        "
        broker sell btcusd 16900000000 @ 1000000000 as S1 => live
        empty buy btcusd 9900000000 @ 1000000000          => filled
        advance 60
        broker buy btcusd 9800000000 @ 999999999          => live
        empty sell btcusd 9800000000 @ 999999999          => filled
        ",
    );
    let seen = || ["/v1/pubticker/btcusd", "/v2/ticker/btcusd", "/v1/pricefeed"].map(|path| x.get(path).ok());
    let most = "17014118346046923173.1687303715884105727";
    assert_eq!(seen()[0]["volume"]["USD"], most);
    script.run(
        "
        empty buy btcusd 6900000000 @ 1000000000          => filled, average 1000000000
        order S1                                          => live, executed 16800000000, remaining 100000000
        ",
    );
    let before = seen();
    assert_eq!(
        (&before[0]["volume"]["USD"], &before[0]["volume"]["BTC"]),
        (&most.into(), &"26600000000".into())
    );
    x.kill9();
    x.restart();
    assert_eq!(seen(), before);
    laws::check(&x);
}

/// The finest grids trade end to end: 10^-11 price steps. Proves SYM-013.
#[test]
fn finest_grids_trade() {
    check(
        "
        credit counterparty ELON 1000000
        counterparty sell elonusd 60000.000001 @ 0.00000012345 => live, remaining 60000.000001
        trader buy elonusd 60000.000001 @ 0.00000012345        => filled
        balance trader ELON 60000.000001
        balance counterparty ELON 1000000 - 60000.000001
        ",
    );
}

/// Two exchanges with the same requests give the same replies, including ids.
#[test]
fn same_seed_same_answers() {
    let told = || {
        let x = Exchange::start();
        Script::new(&x).run(
            "
            counterparty sell btcusd 1 @ 30000
            trader buy btcusd 0.4 @ 30000
            advance 10
            broker buy btcusd 2 @ 29000
            ",
        );
        let paths = ["/v1/book/btcusd", "/v1/trades/btcusd", "/v1/pubticker/btcusd"];
        let answers = paths.map(|path| x.get(path).ok());
        laws::check(&x);
        answers
    };
    assert_eq!(told(), told());
}
