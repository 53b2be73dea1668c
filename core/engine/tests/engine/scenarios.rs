//! The core's orders, step by step. The words are explained in `stage.rs`.

use crate::stage::{check, check_at};
use buttonwood_engine::FeeSchedule;
use buttonwood_num::Bps;

/// Better prices first, at one price older orders first, and each trade at the resting order's price.
/// Proves ORD-046, ORD-047.
#[test]
fn price_then_time() {
    check(
        "
        given   ann   BTC 3
        given   bob   BTC 3
        given   cat   USD 200000
        ann  sell btcusd 1 @ 30000.00 as A1   => accepted A1, booked A1
        bob  sell btcusd 1 @ 29990.00 as B1   => accepted B1, booked B1
        bob  sell btcusd 1 @ 30000.00 as B2   => accepted B2, booked B2
        ann  sell btcusd 1 @ 29990.00 as A2   => accepted A2, booked A2
        asks btcusd B1 A2 A1 B2
        cat  buy  btcusd 2.5 @ 30010.00 as C1 => accepted C1, filled B1 1 @ 29990.00 fees 59.98 119.96, filled A2 1 @ 29990.00 fees 59.98 119.96, filled A1 0.5 @ 30000.00 fees 30 60, completed C1
        asks btcusd A1 B2
        cat  buy  btcusd 1 @ 30000.00 as C2   => accepted C2, filled A1 0.5 @ 30000.00 fees 30 60, filled B2 0.5 @ 30000.00 fees 30 60, completed C2
        asks btcusd B2
        cat  buy  btcusd 0.1 @ 29000.00 as C3 => accepted C3, booked C3
        cat  buy  btcusd 0.1 @ 29900.00 as C4 => accepted C4, booked C4
        cat  buy  btcusd 0.1 @ 29900.00 as C5 => accepted C5, booked C5
        bids btcusd C4 C5 C3
        orders cat C5 C4 C3
        ann  sell btcusd 0.25 @ 29000.00 as A3 => accepted A3, filled C4 0.1 @ 29900.00 fees 5.98 11.96, filled C5 0.1 @ 29900.00 fees 5.98 11.96, filled C3 0.05 @ 29000.00 fees 2.9 5.8, completed A3
        bids btcusd C3
        ",
    );
}

/// Cancelling and entering anew, and a partial fill, do to the place in the queue what they should.
/// Proves ORD-047.
#[test]
fn a_partial_fill_keeps_its_place_and_a_new_order_goes_last() {
    check(
        "
        given ann BTC 3
        given bob BTC 3
        given cat USD 200000
        ann sell btcusd 1 @ 30000 as A1    => accepted A1, booked A1
        bob sell btcusd 1 @ 30000 as B1    => accepted B1, booked B1
        cat buy  btcusd 0.4 @ 30000 as C1  => accepted C1, filled A1 0.4 @ 30000.00 fees 24 48, completed C1
        asks btcusd A1 B1
        ann sell btcusd 1 @ 30000 as A2    => accepted A2, booked A2
        asks btcusd A1 B1 A2
        ann cancel A1                      => cancelled A1 Requested
        ann sell btcusd 0.6 @ 30000 as A3  => accepted A3, booked A3
        asks btcusd B1 A2 A3
        bob cancel B1                      => cancelled B1 Requested
        asks btcusd A2 A3
        ",
    );
}

/// The part that crosses is taken, the rest stays with its own place in the queue. Proves ORD-029, ORD-007.
#[test]
fn the_rest_of_a_limit_order_rests() {
    check(
        "
        given ann BTC 1
        given bob USD 100000
        ann sell btcusd 1 @ 30000 as A1       => accepted A1, booked A1
        order A1 live=true cancelled=false original=1 remaining=1 executed=0 notional=0
        bob buy  btcusd 0.25 @ 30000 as B1    => accepted B1, filled A1 0.25 @ 30000.00 fees 15 30, completed B1
        order A1 live=true cancelled=false original=1 remaining=0.75 executed=0.25 notional=7500
        order B1 live=false cancelled=false reason=- original=0.25 remaining=0 executed=0.25 notional=7500
        bob buy  btcusd 2 @ 30000.01 as B2    => accepted B2, filled A1 0.75 @ 30000.00 fees 45 90, booked B2
        order A1 live=false cancelled=false reason=- remaining=0 executed=1 notional=30000
        order B2 live=true cancelled=false original=2 remaining=1.25 executed=0.75 notional=22500
        asks btcusd -
        bids btcusd B2
        ",
    );
}

/// In which order balances move, and which come to be, is part of the format: every batch of a journal holds the number
/// that chains them. An order settles with all that it meets at its end, however it ends; one that trades nothing moves
/// and opens none.
#[test]
fn the_order_of_settling_is_part_of_the_format() {
    check(
        "
        given ann BTC 2, ETH 5
        given bob BTC 2
        given cat USD 200000
        given dan USD 200000
        ann sell btcusd 0.25 @ 30000 as A1       => accepted A1, booked A1
        bob sell btcusd 0.25 @ 30000 as B1       => accepted B1, booked B1
        cat buy  btcusd 1 @ 30000 as C1          => accepted C1, filled A1 0.25 @ 30000.00 fees 15 30, filled B1 0.25 @ 30000.00 fees 15 30, booked C1
        fingerprint 8292068073750807499
        ann sell btcusd 1 @ 30000 ioc as A2      => accepted A2, filled C1 0.5 @ 30000.00 fees 30 60, cancelled A2 ImmediateOrCancelWouldPost
        fingerprint 2510649827962009880
        dan buy  ethusd 1 @ 1000 as D1           => accepted D1, booked D1
        dan buy  ethusd 1 @ 900 as D2            => accepted D2, booked D2
        ann sell ethusd 3 @ 900 fok as A3        => accepted A3, cancelled A3 FillOrKillWouldNotFill
        fingerprint 8847490533127627005
        ann sell ethusd 2 @ 900 as A4            => accepted A4, filled D1 1 @ 1000.00 fees 2 4, filled D2 1 @ 900.00 fees 1.8 3.6, completed A4
        fingerprint 4087006090594351293
        ",
    );
}

/// A hold takes from what is available at once: a buy its price and the taker's fee, a sell its quantity; a cancel
/// gives it back. Proves ORD-048.
#[test]
fn an_order_reserves_what_it_may_cost() {
    check(
        "
        given ann BTC 1
        given bob USD 1004
        ann sell btcusd 0.3 @ 30000 as A1  => accepted A1, booked A1
        balance ann BTC 1 available 0.7
        balance ann USD 0 available 0
        bob buy  btcusd 0.02 @ 20000 as B1 => accepted B1, booked B1
        balance bob USD 1004 available 602.4
        bob buy  btcusd 0.03 @ 20000 as B2 => accepted B2, booked B2
        balance bob USD 1004 available 0
        bob cancel B1                      => cancelled B1 Requested
        balance bob USD 1004 available 401.6
        ann cancel A1                      => cancelled A1 Requested
        balance ann BTC 1 available 1
        bob cancel B2                      => cancelled B2 Requested
        balance bob USD 1004 available 1004
        ",
    );
}

/// A fill below the limit, and a maker's lower fee, give back what the hold had too much. Proves ORD-048.
#[test]
fn a_better_price_returns_the_rest_of_the_hold() {
    check(
        "
        given ann BTC 2
        given bob USD 30120
        given cat USD 30120
        ann sell btcusd 0.5 @ 29000 as A1  => accepted A1, booked A1
        bob buy  btcusd 1 @ 30000 as B1    => accepted B1, filled A1 0.5 @ 29000.00 fees 29 58, booked B1
        balance bob BTC 0.5 available 0.5
        # spent 14558; the other half holds 15060
        balance bob USD 15562 available 502
        ann sell btcusd 0.5 @ 29990 as A2  => accepted A2, filled B1 0.5 @ 30000.00 fees 30 60, completed A2
        # as the maker he pays 30 instead of the 60 that were held
        balance bob USD 532 available 532
        balance ann USD 29411 available 29411
        balance ann BTC 1 available 1
        fees USD 177
        ",
    );
}

/// Rates are those of the role each order had in the fill, charged on what was executed only. Proves TYPE-010, TYPE-011.
#[test]
fn fees_are_of_what_was_executed() {
    check(
        "
        given ann BTC 1
        given bob USD 100000
        ann sell btcusd 0.12345678 @ 31234.57 as A1 => accepted A1, booked A1
        bob buy  btcusd 0.00012345 @ 31234.57 as B1 => accepted B1, filled A1 0.00012345 @ 31234.57 fees 0.007711815333 0.015423630666, completed B1
        fees USD 0.023135445999
        ann cancel A1 => cancelled A1 Requested
        fees USD 0.023135445999
        balance ann USD 3.848195851167 available 3.848195851167
        bob buy btcusd 1 @ 100 as B2 => accepted B2, booked B2
        bob cancel B2 => cancelled B2 Requested
        fees USD 0.023135445999
        ",
    );
}

/// Prices of eleven decimals and quantities of six: notional and fee to the last decimal there is, the fee rounded up
/// at the nineteenth. Proves TYPE-010, TYPE-020.
#[test]
fn nineteen_decimals_are_exact() {
    check(
        "
        given ann ELON 100000, DOGE 100
        given bob USD 10, BTC 1
        ann sell elonusd 60000.000001 @ 0.00000012345 as A1 => accepted A1, booked A1
        bob buy  elonusd 60000.000001 @ 0.00000012345 as B1 => accepted B1, filled A1 60000.000001 @ 0.00000012345 fees 0.0000148140000002469 0.0000296280000004938, completed B1
        balance bob USD 9.9925633719998760562 available 9.9925633719998760562
        balance ann USD 0.0073921860001232031 available 0.0073921860001232031
        fees USD 0.0000444420000007407
        ann sell dogebtc 1.00000001 @ 0.000000333 as A2 => accepted A2, booked A2
        bob buy  dogebtc 1.00000001 @ 0.000000333 as B2 => accepted B2, filled A2 1.00000001 @ 0.000000333 fees 0.0000000006660000067 0.0000000013320000134, completed B2
        balance bob BTC 0.9999996656679966566 available 0.9999996656679966566
        balance ann BTC 0.0000003323340033233 available 0.0000003323340033233
        fees BTC 0.0000000019980000201
        ",
    );
}

/// Other rates than the default ones, a maker's of nothing among them. Proves TYPE-010.
#[test]
fn the_schedule_is_data() {
    check_at(
        FeeSchedule { maker: Bps(0), taker: Bps(1), auction: Bps(1) },
        "
        given ann BTC 1
        given bob USD 30003
        ann sell btcusd 1 @ 30000 as A1 => accepted A1, booked A1
        bob buy  btcusd 1 @ 30000 as B1 => accepted B1, filled A1 1 @ 30000.00 fees 0 3, completed B1
        balance ann USD 30000 available 30000
        balance bob USD 0 available 0
        fees USD 3
        ",
    );
}

/// Maker-or-cancel rests whole, or nothing of it trades.
#[test]
fn maker_or_cancel() {
    check(
        "
        given ann BTC 2
        given bob USD 100000
        ann sell btcusd 1 @ 30000 moc as A1    => accepted A1, booked A1
        bob buy  btcusd 2 @ 30000 moc as B1    => accepted B1, cancelled B1 MakerOrCancelWouldTake
        order B1 live=false cancelled=true executed=0 remaining=2
        bob buy  btcusd 2 @ 29999.99 moc as B2 => accepted B2, booked B2
        ann sell btcusd 1 @ 29999.99 moc as A2 => accepted A2, cancelled A2 MakerOrCancelWouldTake
        balance ann BTC 2 available 1
        balance bob USD 100000 available 39760.02008
        asks btcusd A1
        bids btcusd B2
        ",
    );
}

/// Immediate-or-cancel takes what its limit allows and never rests. Proves ORD-032, ORD-034.
#[test]
fn immediate_or_cancel() {
    check(
        "
        given ann BTC 2
        given bob USD 100000
        ann sell btcusd 1 @ 30000 as A1       => accepted A1, booked A1
        ann sell btcusd 1 @ 30100 as A2       => accepted A2, booked A2
        bob buy  btcusd 1.5 @ 30050 ioc as B1 => accepted B1, filled A1 1 @ 30000.00 fees 60 120, cancelled B1 ImmediateOrCancelWouldPost
        order B1 live=false cancelled=true executed=1 remaining=0.5 notional=30000
        bob buy  btcusd 1 @ 30000 ioc as B2   => accepted B2, cancelled B2 ImmediateOrCancelWouldPost
        bob buy  btcusd 0.5 @ 30100 ioc as B3 => accepted B3, filled A2 0.5 @ 30100.00 fees 30.1 60.2, completed B3
        order B3 live=false cancelled=false reason=- executed=0.5 remaining=0
        bids btcusd -
        balance bob USD 54769.8 available 54769.8
        ",
    );
}

/// Fill-or-kill fills completely, over several prices if need be, or not at all. Proves ORD-033, ORD-034.
#[test]
fn fill_or_kill() {
    check(
        "
        given ann BTC 3
        given bob USD 100000
        ann sell btcusd 1 @ 30000 as A1       => accepted A1, booked A1
        ann sell btcusd 1 @ 30100 as A2       => accepted A2, booked A2
        bob buy  btcusd 2 @ 30099.99 fok as B1         => accepted B1, cancelled B1 FillOrKillWouldNotFill
        bob buy  btcusd 2.00000001 @ 30100 fok as B2   => accepted B2, cancelled B2 FillOrKillWouldNotFill
        order B2 live=false cancelled=true executed=0 remaining=2.00000001
        balance bob USD 100000 available 100000
        asks btcusd A1 A2
        bob buy  btcusd 1.5 @ 30100 fok as B3 => accepted B3, filled A1 1 @ 30000.00 fees 60 120, filled A2 0.5 @ 30100.00 fees 30.1 60.2, completed B3
        order B3 live=false cancelled=false reason=- executed=1.5 remaining=0
        ann sell btcusd 0.001 @ 29000 fok as A3        => accepted A3, cancelled A3 FillOrKillWouldNotFill
        ",
    );
}

/// An order that reaches one of its own account's is cancelled whole, before anything trades, whatever lies before
/// it and whichever key placed either. Proves ORD-050.
#[test]
fn nobody_trades_with_himself() {
    check(
        "
        given ann BTC 3, USD 100000
        given bob BTC 3, USD 100000
        key   ann2 of ann
        bob sell btcusd 1 @ 30000 as B1        => accepted B1, booked B1
        ann sell btcusd 1 @ 30100 as A1        => accepted A1, booked A1
        ann buy  btcusd 0.5 @ 30100 as A2      => accepted A2, cancelled A2 SelfCrossPrevented
        order A2 live=false cancelled=true executed=0 remaining=0.5
        ann2 buy btcusd 0.5 @ 30200 as A3      => accepted A3, cancelled A3 SelfCrossPrevented
        ann buy  btcusd 0.5 @ 30100 ioc as A4  => accepted A4, cancelled A4 SelfCrossPrevented
        ann buy  btcusd 0.5 @ 30100 fok as A5  => accepted A5, cancelled A5 SelfCrossPrevented
        ann buy  btcusd 0.5 @ 30100 moc as A6  => accepted A6, cancelled A6 SelfCrossPrevented
        asks btcusd B1 A1
        ann buy  btcusd 0.5 @ 30099.99 as A7   => accepted A7, filled B1 0.5 @ 30000.00 fees 30 60, completed A7
        ann buy  btcusd 0.1 @ 29000 as A8      => accepted A8, booked A8
        bob buy  btcusd 0.1 @ 29500 as B2      => accepted B2, booked B2
        ann sell btcusd 0.1 @ 29000 as A9      => accepted A9, cancelled A9 SelfCrossPrevented
        ann sell btcusd 0.1 @ 29000.01 as A10  => accepted A10, filled B2 0.1 @ 29500.00 fees 5.9 11.8, completed A10
        ann buy  ethusd 1 @ 30000 as A11       => accepted A11, booked A11
        balance ann BTC 3.4 available 2.4
        ",
    );
}

/// A market order is judged by the worst price it would reach. Proves ORD-050.
#[test]
fn a_market_order_does_not_reach_its_own() {
    check(
        "
        given ann BTC 3, USD 100000
        given bob BTC 3, USD 100000
        bob sell btcusd 1 @ 30000 as B1        => accepted B1, booked B1
        ann sell btcusd 1 @ 30100 as A1        => accepted A1, booked A1
        ann buy  btcusd 1.00000001 market as A2 => accepted A2, cancelled A2 SelfCrossPrevented
        ann buy  btcusd spend 30121 as A3      => accepted A3, cancelled A3 SelfCrossPrevented
        ann buy  btcusd 0.5 market as A4       => accepted A4, filled B1 0.5 @ 30000.00 fees 30 60, completed A4
        ann buy  btcusd spend 3012 as A5       => accepted A5, filled B1 0.1 @ 30000.00 fees 6 12, completed A5
        asks btcusd B1 A1
        ",
    );
}

/// Beyond 5 % of the last trade nothing is taken; a limit that lies there but meets nothing simply rests.
/// Proves ORD-051.
#[test]
fn the_collar_stops_at_five_percent_of_the_last_trade() {
    check(
        "
        given ann BTC 10
        given bob USD 500000
        ann sell btcusd 0.1 @ 30000 as A1      => accepted A1, booked A1
        bob buy  btcusd 0.1 @ 30000 as B1      => accepted B1, filled A1 0.1 @ 30000.00 fees 6 12, completed B1
        ann sell btcusd 1 @ 30100 as A2        => accepted A2, booked A2
        ann sell btcusd 1 @ 31500 as A3        => accepted A3, booked A3
        ann sell btcusd 1 @ 31500.01 as A4     => accepted A4, booked A4
        bob buy  btcusd 0.1 @ 20000 as B2      => accepted B2, booked B2
        bob buy  btcusd 3 @ 40000 as B3        => accepted B3, filled A2 1 @ 30100.00 fees 60.2 120.4, filled A3 1 @ 31500.00 fees 63 126, cancelled B3 ExceedsPriceLimits
        order B3 live=false cancelled=true executed=2 remaining=1
        asks btcusd A4
        ann sell btcusd 0.1 @ 50000 as A5      => accepted A5, booked A5
        asks btcusd A4 A5
        ",
    );
}

/// The same for sells, and to the tick. Proves ORD-051.
#[test]
fn the_collar_stops_sells_too() {
    check(
        "
        given ann BTC 10
        given bob USD 500000
        bob buy  btcusd 1 @ 30000 as B1        => accepted B1, booked B1
        bob buy  btcusd 1 @ 28500 as B2        => accepted B2, booked B2
        bob buy  btcusd 1 @ 28499.99 as B3     => accepted B3, booked B3
        ann sell btcusd 0.5 @ 30000 as A1      => accepted A1, filled B1 0.5 @ 30000.00 fees 30 60, completed A1
        ann sell btcusd 3 @ 20000 ioc as A2    => accepted A2, filled B1 0.5 @ 30000.00 fees 30 60, filled B2 1 @ 28500.00 fees 57 114, cancelled A2 ExceedsPriceLimits
        bids btcusd B3
        ",
    );
}

/// A last trade outside the spread is moved into it; that is where the market is now. Proves ORD-051.
#[test]
fn the_collar_moves_a_stale_last_trade_into_the_spread() {
    check(
        "
        given ann BTC 10
        given bob USD 900000
        ann sell btcusd 0.1 @ 30000 as A1      => accepted A1, booked A1
        bob buy  btcusd 0.1 @ 30000 as B1      => accepted B1, filled A1 0.1 @ 30000.00 fees 6 12, completed B1
        bob buy  btcusd 1 @ 39000 as B2        => accepted B2, booked B2
        ann sell btcusd 1 @ 40000 as A2        => accepted A2, booked A2
        ann sell btcusd 1 @ 40950 as A3        => accepted A3, booked A3
        ann sell btcusd 1 @ 40950.01 as A4     => accepted A4, booked A4
        bob buy  btcusd 3 @ 50000 ioc as B3    => accepted B3, filled A2 1 @ 40000.00 fees 80 160, filled A3 1 @ 40950.00 fees 81.9 163.8, cancelled B3 ExceedsPriceLimits
        ann sell btcusd 1 @ 37050.01 moc as A5 => accepted A5, cancelled A5 MakerOrCancelWouldTake
        bob buy  btcusd 1 @ 38902.5 as B4      => accepted B4, booked B4
        bob buy  btcusd 1 @ 38902.49 as B5     => accepted B5, booked B5
        ann sell btcusd 3 @ 1 ioc as A6        => accepted A6, filled B2 1 @ 39000.00 fees 78 156, filled B4 1 @ 38902.50 fees 77.805 155.61, cancelled A6 ExceedsPriceLimits
        ",
    );
}

/// Without a trade the middle of the spread is the reference; with one side only there is none. Proves ORD-051.
#[test]
fn the_collar_without_a_trade() {
    check(
        "
        given ann BTC 10
        given bob USD 900000
        ann sell btcusd 0.1 @ 30000 as A1      => accepted A1, booked A1
        ann sell btcusd 0.1 @ 60000 as A2      => accepted A2, booked A2
        bob buy  btcusd 0.2 @ 70000 as B1      => accepted B1, filled A1 0.1 @ 30000.00 fees 6 12, filled A2 0.1 @ 60000.00 fees 12 24, completed B1
        ann sell ethusd 1 @ 1 as N1            => refused InsufficientFunds
        ",
    );
    check(
        "
        given ann BTC 10
        given bob USD 900000
        bob buy  btcusd 1 @ 20000 as B1        => accepted B1, booked B1
        ann sell btcusd 1 @ 20000.01 as A1     => accepted A1, booked A1
        ann sell btcusd 1 @ 21000 as A2        => accepted A2, booked A2
        ann sell btcusd 1 @ 21000.01 as A3     => accepted A3, booked A3
        bob buy  btcusd 3 @ 25000 as B2        => accepted B2, filled A1 1 @ 20000.01 fees 40.00002 80.00004, filled A2 1 @ 21000.00 fees 42 84, cancelled B2 ExceedsPriceLimits
        ",
    );
}

/// A fill-or-kill that only the collar stops is killed as such, unexecuted. Proves ORD-033.
#[test]
fn the_collar_kills_fill_or_kill() {
    check(
        "
        given ann BTC 10
        given bob USD 900000
        ann sell btcusd 1 @ 30000 as A1        => accepted A1, booked A1
        bob buy  btcusd 0.5 @ 30000 as B1      => accepted B1, filled A1 0.5 @ 30000.00 fees 30 60, completed B1
        ann sell btcusd 1 @ 31500.01 as A2     => accepted A2, booked A2
        bob buy  btcusd 1 @ 40000 fok as B2    => accepted B2, cancelled B2 FillOrKillWouldNotFill
        order B2 executed=0 remaining=1
        bob buy  btcusd 1 market as B3         => accepted B3, filled A1 0.5 @ 30000.00 fees 30 60, cancelled B3 ExceedsPriceLimits
        bob buy  btcusd 0.1 @ 40000 as B4      => accepted B4, cancelled B4 ExceedsPriceLimits
        bob buy  btcusd 0.1 @ 31500 as B5      => accepted B5, booked B5
        bob cancel B5                          => cancelled B5 Requested
        ",
    );
}

/// Market orders take what is there, never rest, and pay no more than they must.
#[test]
fn market_orders_never_rest() {
    check(
        "
        given ann BTC 10
        given bob USD 60240.5
        ann sell btcusd 1 @ 30000 as A1        => accepted A1, booked A1
        ann sell btcusd 1 @ 30001 as A2        => accepted A2, booked A2
        bob buy  btcusd 0.5 market as B1       => accepted B1, filled A1 0.5 @ 30000.00 fees 30 60, completed B1
        bob buy  btcusd 2 market as B2         => refused InsufficientFunds
        bob buy  btcusd 1 market as B3         => accepted B3, filled A1 0.5 @ 30000.00 fees 30 60, filled A2 0.5 @ 30001.00 fees 30.001 60.002, completed B3
        balance bob USD 15059.998 available 15059.998
        bob buy  btcusd 0.1 @ 29900 as B4      => accepted B4, booked B4
        ann sell btcusd 3 market as A3         => accepted A3, filled B4 0.1 @ 29900.00 fees 5.98 11.96, cancelled A3 ImmediateOrCancelWouldPost
        order A3 live=false cancelled=true original=3 executed=0.1 remaining=2.9
        ann sell btcusd 3 market as A4         => accepted A4, cancelled A4 ImmediateOrCancelWouldPost
        bids btcusd -
        ann sell btcusd 9 market as A5         => refused InsufficientFunds
        ",
    );
}

/// A market buy of money spends it with its fee inside, to two decimals beyond the lot. Proves ORD-044.
#[test]
fn a_market_buy_spends_what_it_names() {
    check(
        "
        given ann BTC 10
        given bob USD 1000
        ann sell btcusd 0.01 @ 30000 as A1     => accepted A1, booked A1
        ann sell btcusd 1 @ 31000 as A2        => accepted A2, booked A2
        # 100 / 1.004 / 30000 = 0.0033200531|208
        bob buy  btcusd spend 100 as B1        => accepted B1, filled A1 0.0033200531 @ 30000.00 fees 0.199203186 0.398406372, completed B1
        balance bob USD 900.000000628 available 900.000000628
        order B1 live=false cancelled=false original=0.0033200531 remaining=0
        # what is left of A1 costs 201.200000628, and 298.8 / 1.004 / 31000 = 0.0096003084|436
        bob buy  btcusd spend 500.000000628 as B2 => accepted B2, filled A1 0.0066799469 @ 30000.00 fees 0.400796814 0.801593628, filled A2 0.0096003084 @ 31000.00 fees 0.5952191208 1.1904382416, completed B2
        balance bob USD 400.0000013584 available 400.0000013584
        bob buy  btcusd spend 400.01 as B3     => refused InsufficientFunds
        bob buy  btcusd spend 0.000001 as B4   => refused BelowMinimum
        ",
    );
}

/// Money that the book cannot take is not spent. Proves ORD-044.
#[test]
fn a_market_buy_of_money_in_a_thin_book() {
    check(
        "
        given ann BTC 10
        given bob USD 100000
        bob buy  btcusd spend 100 as B0        => accepted B0, cancelled B0 ImmediateOrCancelWouldPost
        ann sell btcusd 1 @ 30000 as A1        => accepted A1, booked A1
        bob buy  btcusd spend 50000 as B1      => accepted B1, filled A1 1 @ 30000.00 fees 60 120, cancelled B1 ImmediateOrCancelWouldPost
        balance bob USD 69880 available 69880
        ann sell btcusd 0.1 @ 30000 as A2      => accepted A2, booked A2
        ann sell btcusd 1 @ 31500.01 as A3     => accepted A3, booked A3
        bob buy  btcusd spend 50000 as B2      => accepted B2, filled A2 0.1 @ 30000.00 fees 6 12, cancelled B2 ExceedsPriceLimits
        balance bob USD 66868 available 66868
        ",
    );
}

/// Every kind of order is refused beyond what is available, to the last unit, and leaves nothing behind.
#[test]
fn insufficient_funds() {
    check(
        "
        given ann BTC 1
        given bob USD 30120
        ann sell btcusd 1.00000001 @ 30000     => refused InsufficientFunds
        ann sell btcusd 1.00000001 market      => refused InsufficientFunds
        ann sell btcusd 1.00000001 @ 30000 moc => refused InsufficientFunds
        ann sell btcusd 1.00000001 @ 30000 fok => refused InsufficientFunds
        ann buy  btcusd 0.00001 @ 0.01         => refused InsufficientFunds
        bob buy  btcusd 1 @ 30000.01           => refused InsufficientFunds
        bob buy  btcusd 1.00000001 @ 30000 ioc => refused InsufficientFunds
        bob buy  btcusd spend 30120.01         => refused InsufficientFunds
        balance bob USD 30120 available 30120
        orders bob -
        bob buy  btcusd 0.5 @ 30000 as B1      => accepted B1, booked B1
        bob buy  btcusd 0.50000001 @ 30000     => refused InsufficientFunds
        bob buy  btcusd 0.5 @ 30000 as B2      => accepted B2, booked B2
        bob buy  btcusd 0.00001 @ 0.01         => refused InsufficientFunds
        bob cancel all                         => cancelled B2 Requested, cancelled B1 Requested
        ann sell btcusd 1 @ 30000 as A1        => accepted A1, booked A1
        ann sell btcusd 0.00001 @ 30000        => refused InsufficientFunds
        bob buy  btcusd 1 market as B3         => accepted B3, filled A1 1 @ 30000.00 fees 60 120, completed B3
        balance bob USD 0 available 0
        ",
    );
}

/// The saving at a better price does not count when the order enters: its whole hold must be there.
#[test]
fn a_limit_order_must_be_covered_at_its_limit() {
    check(
        "
        given ann BTC 1
        given bob USD 20080
        ann sell btcusd 1 @ 20000 as A1        => accepted A1, booked A1
        bob buy  btcusd 1 @ 20000.01           => refused InsufficientFunds
        bob buy  btcusd 1 @ 20000 as B1        => accepted B1, filled A1 1 @ 20000.00 fees 40 80, completed B1
        balance bob USD 0 available 0
        ",
    );
}

/// At the minimum an order enters, a lot below it does not; above it only the lot counts. Proves SYM-009,
/// SYM-012.
#[test]
fn minimum_and_lot() {
    check(
        "
        given ann BTC 1, FTM 1, ELON 70000
        ann sell btcusd 0.00001 @ 30000 as A1      => accepted A1, booked A1
        ann sell btcusd 0.00000999 @ 30000         => refused BelowMinimum
        ann sell btcusd 0.00000999 market          => refused BelowMinimum
        ann sell btcusd 0.00001001 @ 30000 as A2   => accepted A2, booked A2
        ann sell ftmusd 0.03 @ 1 as A3             => accepted A3, booked A3
        ann sell ftmusd 0.029999 @ 1               => refused BelowMinimum
        ann sell ftmusd 0.030001 @ 1 as A4         => accepted A4, booked A4
        ann sell elonusd 59999.999999 @ 1          => refused BelowMinimum
        ann sell elonusd 60000 @ 0.00000000001 as A5 => accepted A5, booked A5
        ",
    );
}

/// Each status takes what it should; cancels are always taken. Proves SYM-024, SYM-025, SYM-026.
#[test]
fn statuses() {
    check(
        "
        given ann BTC 10
        given bob USD 100000
        ann sell btcusd 1 @ 30000 as A1        => accepted A1, booked A1
        status btcusd cancel_only              => status btcusd cancel_only
        status btcusd cancel_only              => (nothing)
        ann sell btcusd 1 @ 30000              => refused MarketNotOpen
        bob buy  btcusd 1 @ 30000 moc          => refused MarketNotOpen
        asks btcusd A1
        ann cancel A1                          => cancelled A1 Requested
        status btcusd post_only                => status btcusd post_only
        ann sell btcusd 1 @ 30000 as A2        => accepted A2, booked A2
        bob buy  btcusd 1 @ 30000              => refused MarketNotOpen
        bob buy  btcusd 1 @ 30000 ioc          => refused MarketNotOpen
        bob buy  btcusd 1 market               => refused MarketNotOpen
        bob buy  btcusd spend 1                => refused MarketNotOpen
        bob buy  btcusd 1 @ 30000 moc as B1    => accepted B1, cancelled B1 MakerOrCancelWouldTake
        bob buy  btcusd 1 @ 29999.99 as B2     => accepted B2, booked B2
        status btcusd limit_only               => status btcusd limit_only
        ann sell btcusd 1 market               => refused MarketNotOpen
        bob buy  btcusd spend 1                => refused MarketNotOpen
        ann sell btcusd 1 @ 29999.99 as A3     => accepted A3, filled B2 1 @ 29999.99 fees 59.99998 119.99996, completed A3
        status btcusd closed                   => cancelled A2 MarketClosed, status btcusd closed
        ann sell btcusd 1 @ 30000              => refused MarketClosed
        ann sell btcusd 1 market               => refused MarketClosed
        status btcusd open                     => status btcusd open
        ann sell btcusd 1 @ 30000 as A4        => accepted A4, booked A4
        ",
    );
}

/// Closing a symbol cancels its orders, bids first, each side in its order, releases their holds and leaves every
/// other symbol alone. Proves SYM-028.
#[test]
fn closing_cancels() {
    check(
        "
        given ann BTC 10, USD 100000
        given bob BTC 10, USD 100000, ETH 10
        ann sell btcusd 1 @ 30000 as A1        => accepted A1, booked A1
        bob sell btcusd 1 @ 29900 as B1        => accepted B1, booked B1
        bob sell btcusd 1 @ 30000 as B2        => accepted B2, booked B2
        ann buy  btcusd 1 @ 20000 as A2        => accepted A2, booked A2
        bob buy  btcusd 1 @ 25000 as B3        => accepted B3, booked B3
        bob sell ethusd 1 @ 2000 as B4         => accepted B4, booked B4
        bob sell ethbtc 1 @ 0.05 as B5         => accepted B5, booked B5
        status btcusd closed => cancelled B3 MarketClosed, cancelled A2 MarketClosed, cancelled B1 MarketClosed, cancelled A1 MarketClosed, cancelled B2 MarketClosed, status btcusd closed
        order A1 live=false cancelled=true reason=MarketClosed remaining=1
        balance ann BTC 10 available 10
        balance ann USD 100000 available 100000
        balance bob BTC 10 available 10
        balance bob USD 100000 available 100000
        balance bob ETH 10 available 8
        orders bob B5 B4
        orders ann -
        bob cancel B4                          => cancelled B4 Requested
        ann cancel A1                          => unknown
        ",
    );
}

/// A cancel names an order by the exchange's id or the client's; of several with one client id the newest, whether it lives or not. A partly
/// filled one keeps its fills. Proves ORD-055.
#[test]
fn cancel_one() {
    check(
        "
        given ann BTC 10
        given bob USD 100000
        ann sell btcusd 1 @ 30000 as A1 client x  => accepted A1, booked A1
        ann sell btcusd 1 @ 30001 as A2 client x  => accepted A2, booked A2
        ann sell btcusd 1 @ 30002 as A3 client x-with-more-than-twenty-eight-characters => accepted A3, booked A3
        ann sell btcusd 1 @ 30003 as A4           => accepted A4, booked A4
        bob buy  btcusd 0.25 @ 30000 as B1 client x => accepted B1, filled A1 0.25 @ 30000.00 fees 15 30, completed B1
        bob cancel client:x                       => unknown
        bob cancel A1                             => unknown
        ann cancel client:x                       => cancelled A2 Requested
        ann cancel client:x                       => unknown
        ann cancel A1                             => cancelled A1 Requested
        order A1 live=false cancelled=true reason=Requested original=1 executed=0.25 remaining=0.75 notional=7500
        balance ann BTC 9.75 available 7.75
        ann cancel client:x                       => unknown
        ann cancel A1                             => unknown
        ann cancel client:x-with-more-than-twenty-eight-characters => cancelled A3 Requested
        ann cancel client:y                       => unknown
        ann cancel id:999                         => unknown
        ann cancel id:18446744073709551615        => unknown
        ann cancel A4                             => cancelled A4 Requested
        balance ann BTC 9.75 available 9.75
        ",
    );
}

/// A session's cancel takes the orders of the calling key, on all symbols, newest first, and no other key's.
/// Proves ORD-060.
#[test]
fn cancel_session() {
    check(
        "
        given ann BTC 10, ETH 10
        given bob BTC 10
        key   ann2 of ann
        ann  sell btcusd 1 @ 30000 as A1  => accepted A1, booked A1
        ann2 sell btcusd 1 @ 30000 as A2  => accepted A2, booked A2
        ann  sell ethusd 1 @ 2000 as A3   => accepted A3, booked A3
        bob  sell btcusd 1 @ 30000 as B1  => accepted B1, booked B1
        ann  sell ethbtc 1 @ 0.05 as A4   => accepted A4, booked A4
        ann  cancel session               => cancelled A4 Requested, cancelled A3 Requested, cancelled A1 Requested
        orders ann A2
        orders bob B1
        ann  cancel session               => (nothing)
        ann  cancel A2                    => cancelled A2 Requested
        balance ann BTC 10 available 10
        balance ann ETH 10 available 10
        ",
    );
}

/// Cancel-all takes the orders of all sessions of the account and none of another's; a session that fell silent loses
/// only its own. Proves ORD-063, ORD-054.
#[test]
fn cancel_all_and_expiry() {
    check(
        "
        given  ann BTC 10
        given  bob BTC 10
        key    ann2 of ann
        master boss of ann
        ann  sell btcusd 1 @ 30000 as A1  => accepted A1, booked A1
        ann2 sell btcusd 1 @ 30000 as A2  => accepted A2, booked A2
        boss sell btcusd 1 @ 30000 as A3  => accepted A3, booked A3
        bob  sell btcusd 1 @ 30000 as B1  => accepted B1, booked B1
        ann2 cancel all                   => cancelled A3 Requested, cancelled A2 Requested, cancelled A1 Requested
        order A1 live=false cancelled=true reason=Requested
        ann2 cancel all                   => (nothing)
        orders bob B1
        ann  sell btcusd 1 @ 30000 as A4  => accepted A4, booked A4
        ann2 sell btcusd 1 @ 30000 as A5  => accepted A5, booked A5
        expire ann                        => cancelled A4 Requested
        expire ann                        => (nothing)
        order A4 live=false cancelled=true reason=Requested
        asks btcusd B1 A5
        ann  sell btcusd 1 @ 30000 as A6  => accepted A6, booked A6
        ann  cancel session               => cancelled A6 Requested
        order A6 live=false cancelled=true reason=Requested
        ann2 cancel A5                    => cancelled A5 Requested
        order A5 live=false cancelled=true reason=Requested
        ",
    );
}

/// A symbol closed to a jurisdiction does not exist for its accounts, and is open to all others.
#[test]
fn restricted_jurisdiction() {
    check(
        "
        given ann from US-NY BTC 1, USDT 100000
        given bob from US-CA BTC 1, USDT 100000
        given cat BTC 1, USDT 100000
        ann sell btcusdt 1 @ 30000        => refused InvalidSymbol
        ann buy  btcusdt 1 @ 30000 moc    => refused InvalidSymbol
        ann buy  btcusdt 1 market         => refused InvalidSymbol
        ann buy  btcusdt spend 100        => refused InvalidSymbol
        bob sell btcusdt 1 @ 30000 as B1  => accepted B1, booked B1
        cat buy  btcusdt 1 @ 30000 as C1  => accepted C1, filled B1 1 @ 30000.00 fees 60 120, completed C1
        ann sell btcusd 1 @ 30000 as A1   => accepted A1, booked A1
        ",
    );
}

/// A nonce works once per key, used up even by a refused order; another key's are its own.
/// Proves SES-003.
#[test]
fn a_nonce_works_once() {
    check(
        "
        given ann BTC 10
        given bob USD 10
        key   ann2 of ann
        ann  sell btcusd 1 @ 30000 as A1 nonce 7  => accepted A1, booked A1
        ann  sell btcusd 1 @ 30000 nonce 7        => refused NonceUsed
        ann  cancel A1 nonce 7                    => refused NonceUsed
        ann2 sell btcusd 1 @ 30000 as A2 nonce 7  => accepted A2, booked A2
        ann  sell btcusd 90 @ 30000 nonce 8       => refused InsufficientFunds
        ann  cancel A1 nonce 8                    => refused NonceUsed
        ann  on bob cancel A1 nonce 9             => refused ForeignAccount
        ann  cancel A1 nonce 9                    => refused NonceUsed
        ann  cancel id:77 nonce 10                => unknown
        ann  cancel A1 nonce 10                   => refused NonceUsed
        ann  cancel A1 nonce 11                   => cancelled A1 Requested
        ",
    );
}

/// A key reaches its own account only, a master key those of its group; without the Trader role no order moves.
#[test]
fn foreign_accounts_and_missing_roles() {
    check(
        "
        given  ann BTC 10
        given  bob BTC 10
        key    eye of ann Auditor
        key    fund of ann FundManager
        master boss of ann
        ann  sell btcusd 1 @ 30000 as A1       => accepted A1, booked A1
        bob  on ann sell btcusd 1 @ 30000      => refused ForeignAccount
        bob  on ann cancel A1                  => refused ForeignAccount
        bob  on ann cancel all                 => refused ForeignAccount
        bob  on ann cancel session             => refused ForeignAccount
        eye  sell btcusd 1 @ 30000             => refused MissingRole
        eye  cancel A1                         => refused MissingRole
        eye  cancel session                    => refused MissingRole
        fund cancel all                        => refused MissingRole
        fund on bob cancel all                 => refused ForeignAccount
        boss on bob cancel all                 => refused ForeignAccount
        asks btcusd A1
        boss cancel A1                         => cancelled A1 Requested
        balance ann BTC 10 available 10
        balance bob BTC 10 available 10
        ",
    );
}

/// A credit must be positive and stay within what money can count, in sum too; a refused one changes nothing.
#[test]
fn credits_out_of_range() {
    check(
        "
        given  ann
        given  bob
        credit ann USD 0                       => refused BadAmount
        credit ann USD units:-1                => refused BadAmount
        credit ann BTC 1, USD 0                => refused BadAmount
        balance ann BTC 0 available 0
        credit ann USD 1, USD 2, BTC 1         => credited ann USD 1, credited ann USD 2, credited ann BTC 1
        balance ann USD 3 available 3
        credit ann USD units:170141183460469231731687303715884105727 => refused BadAmount
        credit ann USD units:170141183460469231731687303715884105727, USD units:1 => refused BadAmount
        credit ann ETH units:170141183460469231731687303715884105727 => credited ann ETH 17014118346046923173.1687303715884105727
        credit bob ETH units:170141183460469231731687303715884105727 => refused BadAmount
        credit bob DOGE units:100000000000000000000000000000000000000, DOGE units:100000000000000000000000000000000000000 => refused BadAmount
        balance bob DOGE 0 available 0
        ann sell ethusd 999999999999999999 @ 999999999999999 => refused InsufficientFunds
        ann buy  ethusd 999999999999999999 @ 999999999999999 => refused InsufficientFunds
        ",
    );
}
