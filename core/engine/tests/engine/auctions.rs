//! The core's auctions, step by step. The words are explained in `stage.rs`.

use crate::stage::{check, check_at};
use buttonwood_engine::FeeSchedule;
use buttonwood_num::Bps;

/// An order for an auction waits apart: it holds what it may cost, and whoever comes neither sees it nor trades with it
/// (AUCT-001). Where there are no auctions there are no such orders (AUCT-002).
#[test]
fn who_waits_for_an_auction_waits_apart() {
    check(
        "
        given ann BTC 10
        given bob USD 100000
        ann sell btcusd 1 @ 30000 auction         => refused NoAuctions
        auctions btcusd in 600s                   => scheduled btcusd, opened btcusd
        ann sell btcusd 1 @ 30000 auction as A1   => accepted A1, booked A1
        ann sell ethusd 1 @ 30000 auction         => refused NoAuctions
        ann sell btcusd 1 market auction          => refused NoPrice
        bob buy  btcusd spend 10 auction          => refused NoPrice
        ann sell btcusd 0.000009 @ 30000 auction  => refused BelowMinimum
        ann sell btcusd 10 @ 30000 auction        => refused InsufficientFunds
        balance ann BTC 10 available 9
        asks btcusd -
        waiting btcusd asks A1
        orders ann A1
        bob buy  btcusd 1 @ 31000 ioc as B1       => accepted B1, cancelled B1 ImmediateOrCancelWouldPost
        bob buy  btcusd 1 market as B2            => accepted B2, cancelled B2 ImmediateOrCancelWouldPost
        bob buy  btcusd 1 @ 30000 moc as B3       => accepted B3, booked B3
        bob buy  btcusd 1 @ 30001 as B4           => accepted B4, booked B4
        bids btcusd B4 B3
        ann sell btcusd 1.5 @ 30000 as A2         => accepted A2, filled B4 1 @ 30001.00 fees 60.002 120.004, filled B3 0.5 @ 30000.00 fees 30 60, completed A2
        waiting btcusd asks A1
        bob buy  btcusd 1 @ 31000 auction as B5   => accepted B5, booked B5
        balance bob BTC 1.5 available 1.5
        bids btcusd B3
        waiting btcusd bids B5
        ",
    );
}

/// Until the last-cancel time an order leaves its auction; from then on nothing moves it, whoever asks for it in whichever way,
/// and others still come (AUCT-003).
#[test]
fn from_the_last_cancel_on_an_order_stays() {
    check(
        "
        given ann BTC 10
        auctions btcusd in 600s last 60s                  => scheduled btcusd, opened btcusd
        ann sell btcusd 1 @ 30000 auction as A1           => accepted A1, booked A1
        ann sell btcusd 1 @ 30000 auction as A2 client x  => accepted A2, booked A2
        ann sell btcusd 1 @ 30000 as A3                   => accepted A3, booked A3
        before btcusd 60000001us
        ann cancel A1                                     => cancelled A1 Requested
        before btcusd 60s
        ann cancel A2                                     => bound A2
        order A2 live=true cancelled=false reason=- remaining=1 executed=0
        ann cancel client:x                               => bound A2
        ann cancel session                                => cancelled A3 Requested, bound A2
        ann sell btcusd 1 @ 30000 as A4                   => accepted A4, booked A4
        ann cancel all                                    => cancelled A4 Requested, bound A2
        expire ann                                        => bound A2
        ann sell btcusd 1 @ 30000 auction as A5           => accepted A5, booked A5
        waiting btcusd asks A2 A5
        balance ann BTC 10 available 8
        before btcusd 0s
        ann cancel A5                                     => bound A5
        auction btcusd                                    => cut btcusd none book - - collar -, cancelled A2 AuctionCancelled, cancelled A5 AuctionCancelled, ended btcusd none
        balance ann BTC 10 available 10
        ",
    );
}

/// Everybody who waits and everybody on the book trades at the one price at which most does, best price first and at one price
/// the older one first, whichever book it is on; who does not reach it keeps his place or is cancelled. Proves AUCT-004, AUCT-006.
#[test]
fn one_price_for_both_books() {
    check(
        "
        given ann BTC 10
        given bob USD 100000
        given cat BTC 10
        given dan USD 200000
        auctions btcusd in 600s                   => scheduled btcusd, opened btcusd
        bob buy  btcusd 1 @ 29990 as B1           => accepted B1, booked B1
        ann sell btcusd 1 @ 30010 moc as A1       => accepted A1, booked A1
        ann sell btcusd 1 @ 30100 as A2           => accepted A2, booked A2
        dan buy  btcusd 2.5 @ 30020 auction as D1 => accepted D1, booked D1
        cat sell btcusd 1 @ 30010 auction as C1   => accepted C1, booked C1
        cat sell btcusd 0.25 @ 30000 auction as C2 => accepted C2, booked C2
        cat sell btcusd 1 @ 30030 auction as C3   => accepted C3, booked C3
        dan buy  btcusd 1 @ 29995 auction as D2   => accepted D2, booked D2
        before btcusd 0s
        auction btcusd                            => cut btcusd 2.25 @ 30010.00 book 29990.00 30010.00 collar 30000.00, crossed D1 C2 0.25 @ 30010.00 fees 15.005 15.005, crossed D1 A1 1 @ 30010.00 fees 60.02 60.02, crossed D1 C1 1 @ 30010.00 fees 60.02 60.02
        auction btcusd                            => cancelled D1 AuctionCancelled, cancelled D2 AuctionCancelled, cancelled C3 AuctionCancelled, ended btcusd 2.25 @ 30010.00
        auction btcusd                            => refused NotNow
        order D1 live=false cancelled=true reason=AuctionCancelled original=2.5 remaining=0.25 executed=2.25 notional=67522.5
        order A1 live=false cancelled=false reason=- remaining=0 executed=1 notional=30010
        order C3 live=false cancelled=true reason=AuctionCancelled remaining=1 executed=0 notional=0
        bids btcusd B1
        asks btcusd A2
        waiting btcusd bids -
        waiting btcusd asks -
        balance dan BTC 2.25 available 2.25
        balance dan USD 132342.455 available 132342.455
        balance cat BTC 8.75 available 8.75
        balance ann BTC 9 available 8
        ",
    );
}

/// Of prices where as much trades, the one that leaves least over; of these the one nearest to the middle of the book, or to
/// the last trade where it has none, or the middle of them where there is neither. Proves AUCT-004.
#[test]
fn among_as_good_prices() {
    check(
        "
        given ann BTC 20
        given bob USD 1000000
        given cat BTC 20
        # neither a book nor a trade: the middle of 30000 and 30101, which leave nothing over
        auctions btcusd in 600s every 600s        => scheduled btcusd, opened btcusd
        bob buy  btcusd 1 @ 30101 auction as B1   => accepted B1, booked B1
        ann sell btcusd 1 @ 30000 auction as A1   => accepted A1, booked A1
        before btcusd 0s
        auction btcusd                            => cut btcusd 1 @ 30050.50 book - - collar -, crossed B1 A1 1 @ 30050.50 fees 60.101 60.101
        auction btcusd                            => ended btcusd 1 @ 30050.50, opened btcusd
        # the last trade, since nobody sells on the book; all prices from 30000 on are as good
        bob buy  btcusd 1 @ 29000 as B2           => accepted B2, booked B2
        bob buy  btcusd 1 @ 30300 auction as B3   => accepted B3, booked B3
        ann sell btcusd 1 @ 30000 auction as A3   => accepted A3, booked A3
        before btcusd 0s
        auction btcusd                            => cut btcusd 1 @ 30050.50 book 29000.00 - collar 30050.50, crossed B3 A3 1 @ 30050.50 fees 60.101 60.101
        auction btcusd                            => ended btcusd 1 @ 30050.50, opened btcusd
        # the middle of the book, between two ticks; the lower one is as near
        ann sell btcusd 1 @ 31000.01 as A4        => accepted A4, booked A4
        bob buy  btcusd 1 @ 30300 auction as B5   => accepted B5, booked B5
        ann sell btcusd 1 @ 29500 auction as A5   => accepted A5, booked A5
        before btcusd 0s
        auction btcusd                            => cut btcusd 1 @ 30000.00 book 29000.00 31000.01 collar 30000.00½, crossed B5 A5 1 @ 30000.00 fees 60 60
        auction btcusd                            => ended btcusd 1 @ 30000.00, opened btcusd
        # from 29900 on another seller is left over: it is below that
        bob buy  btcusd 1 @ 30300 auction as B6   => accepted B6, booked B6
        ann sell btcusd 1 @ 29500 auction as A6   => accepted A6, booked A6
        cat sell btcusd 1 @ 29900 auction as C6   => accepted C6, booked C6
        before btcusd 0s
        auction btcusd                            => cut btcusd 1 @ 29899.99 book 29000.00 31000.01 collar 30000.00½, crossed B6 A6 1 @ 29899.99 fees 59.79998 59.79998
        auction btcusd                            => cancelled C6 AuctionCancelled, ended btcusd 1 @ 29899.99, opened btcusd
        ",
    );
}

/// Both sides pay the auction's rate on what they traded, and a buyer gets back what he had reserved beyond it (AUCT-005).
#[test]
fn both_sides_pay_for_an_auction() {
    check_at(
        FeeSchedule { maker: Bps(10), taker: Bps(40), auction: Bps(5) },
        "
        given ann BTC 2
        given bob USD 90000
        auctions btcusd in 600s                   => scheduled btcusd, opened btcusd
        bob buy  btcusd 2 @ 30000 auction as B1   => accepted B1, booked B1
        balance bob USD 90000 available 29760
        ann sell btcusd 2 @ 29000 auction as A1   => accepted A1, booked A1
        before btcusd 0s
        auction btcusd                            => cut btcusd 2 @ 29500.00 book - - collar -, crossed B1 A1 2 @ 29500.00 fees 29.5 29.5
        # in which order balances move is part of the format
        fingerprint 17518780294280519860
        balance bob USD 30970.5 available 30970.5
        balance bob BTC 2 available 2
        balance ann USD 58970.5 available 58970.5
        balance ann BTC 0 available 0
        fees USD 59
        ",
    );
}

/// A buyer's fees, each rounded up, are never more than what he reserved for all of them: of three he pays one a quantum less,
/// and is left with nothing, not with less (AUCT-005).
#[test]
fn fees_end_with_the_hold() {
    check_at(
        FeeSchedule { maker: Bps(37), taker: Bps(37), auction: Bps(37) },
        "
        given ann ELON 180000.000003
        given bob USD units:18066600000302
        auctions elonusd in 600s                                      => scheduled elonusd, opened elonusd
        bob buy  elonusd 180000.000003 @ 0.00000000001 auction as B1  => accepted B1, booked B1
        balance bob USD units:18066600000302 available 0
        ann sell elonusd 60000.000001 @ 0.00000000001 auction as A1   => accepted A1, booked A1
        ann sell elonusd 60000.000001 @ 0.00000000001 auction as A2   => accepted A2, booked A2
        ann sell elonusd 60000.000001 @ 0.00000000001 auction as A3   => accepted A3, booked A3
        before elonusd 0s
        auction elonusd                                               => cut elonusd 180000.000003 @ 0.00000000001 book - - collar -, crossed B1 A1 60000.000001 @ 0.00000000001 fees 0.0000000022200000001 0.0000000022200000001, crossed B1 A2 60000.000001 @ 0.00000000001 fees 0.00000000222 0.0000000022200000001, crossed B1 A3 60000.000001 @ 0.00000000001 fees 0.0000000022200000001 0.0000000022200000001
        balance bob USD 0 available 0
        ",
    );
}

/// At 5 % from the middle of the book an auction trades, a tick farther it fails: nobody trades, and who waited for it is
/// cancelled. Proves AUCT-007.
#[test]
fn too_far_from_the_book() {
    check(
        "
        given ann BTC 10
        given bob USD 200000
        given cat BTC 10
        auctions btcusd in 600s every 600s         => scheduled btcusd, opened btcusd
        ann sell btcusd 1 @ 32000 as A1            => accepted A1, booked A1
        bob buy  btcusd 1 @ 28000 as B1            => accepted B1, booked B1
        ann sell btcusd 1 @ 31500.01 auction as A2 => accepted A2, booked A2
        bob buy  btcusd 2 @ 31500.01 auction as B2 => accepted B2, booked B2
        before btcusd 0s
        auction btcusd                             => cut btcusd none beyond 1 book 28000.00 32000.00 collar 30000.00, cancelled B2 AuctionCancelled, cancelled A2 AuctionCancelled, ended btcusd none beyond 1, opened btcusd
        order A2 live=false cancelled=true reason=AuctionCancelled remaining=1 executed=0 notional=0
        balance bob USD 200000 available 171888
        bids btcusd B1
        asks btcusd A1
        ann sell btcusd 1 @ 31500 auction as A3    => accepted A3, booked A3
        bob buy  btcusd 1 @ 31500.01 auction as B3 => accepted B3, booked B3
        before btcusd 0s
        auction btcusd                             => cut btcusd 1 @ 31500.00 book 28000.00 32000.00 collar 30000.00, crossed B3 A3 1 @ 31500.00 fees 63 63
        auction btcusd                             => ended btcusd 1 @ 31500.00, opened btcusd
        cat sell btcusd 1 @ 28499.98 auction as C4 => accepted C4, booked C4
        bob buy  btcusd 1 @ 28499.99 auction as B4 => accepted B4, booked B4
        before btcusd 0s
        auction btcusd                             => cut btcusd none beyond 1 book 28000.00 32000.00 collar 30000.00, cancelled B4 AuctionCancelled, cancelled C4 AuctionCancelled, ended btcusd none beyond 1, opened btcusd
        cat sell btcusd 1 @ 28000 auction as C5    => accepted C5, booked C5
        bob buy  btcusd 1 @ 28500 auction as B5    => accepted B5, booked B5
        before btcusd 0s
        auction btcusd                             => cut btcusd 1 @ 28500.00 book 28000.00 32000.00 collar 30000.00, crossed B5 C5 1 @ 28500.00 fees 57 57
        auction btcusd                             => ended btcusd 1 @ 28500.00, opened btcusd
        ",
    );
}

/// The indication of an auction is published at its times, and changes nothing; a missed one is not published later.
#[test]
fn it_is_told_what_an_auction_would_come_to() {
    check(
        "
        given ann BTC 10
        given bob USD 200000
        auctions btcusd in 600s every 600s indicates 30s 10s => scheduled btcusd, opened btcusd
        ann sell btcusd 2 @ 30000 auction as A1   => accepted A1, booked A1
        before btcusd 30000001us
        auction btcusd                            => refused NotNow
        before btcusd 30s
        auction btcusd                            => indicated btcusd none book - - collar -
        auction btcusd                            => refused NotNow
        bob buy  btcusd 1 @ 30000 auction as B1   => accepted B1, booked B1
        before btcusd 9s
        auction btcusd                            => indicated btcusd 1 @ 30000.00 book - - collar -
        auction btcusd                            => refused NotNow
        bob cancel B1                             => cancelled B1 Requested
        before btcusd 1us
        auction btcusd                            => refused NotNow
        before btcusd 0s
        auction btcusd                            => cut btcusd none book - - collar -, cancelled A1 AuctionCancelled, ended btcusd none, opened btcusd
        before btcusd 25s
        auction btcusd                            => indicated btcusd none book - - collar -
        ",
    );
}

/// An auction takes orders from its opening time on.
#[test]
fn an_auction_opens() {
    check(
        "
        given ann BTC 10
        auctions btcusd in 600s every 600s opens 300s => scheduled btcusd
        ann sell btcusd 1 @ 30000 auction as A1   => refused AuctionNotOpen
        auction btcusd                            => refused NotNow
        before btcusd 300000001us
        ann sell btcusd 1 @ 30000 auction as A1   => refused AuctionNotOpen
        before btcusd 300s
        ann sell btcusd 1 @ 30000 auction as A1   => accepted A1, booked A1
        auction btcusd                            => opened btcusd
        auction btcusd                            => refused NotNow
        before btcusd 0s
        auction btcusd                            => cut btcusd none book - - collar -, cancelled A1 AuctionCancelled, ended btcusd none
        ann sell btcusd 1 @ 30000 auction as A2   => refused AuctionNotOpen
        # a clock that passes the opening has both at once; another schedule that is open at once opens it anew
        before btcusd 0s
        auction btcusd                            => opened btcusd, cut btcusd none book - - collar -, ended btcusd none
        before btcusd 300s
        auction btcusd                            => opened btcusd
        auctions btcusd in 600s opens 600s        => scheduled btcusd, opened btcusd
        ",
    );
}

/// Other times leave those who wait waiting; none cancels them. A schedule that makes no sense is refused and changes nothing.
#[test]
fn auctions_are_moved_or_abandoned() {
    check(
        "
        given ann BTC 10
        given bob USD 200000
        auctions btcusd in 600s last 600s         => scheduled btcusd, opened btcusd
        ann sell btcusd 1 @ 30000 auction as A1   => accepted A1, booked A1
        bob buy  btcusd 1 @ 29000 auction as B1   => accepted B1, booked B1
        bob buy  btcusd 1 @ 29000 as B2           => accepted B2, booked B2
        ann cancel A1                             => bound A1
        auctions btcusd in 0s                     => refused Schedule(Past)
        auctions btcusd in 600s every 59s         => refused Schedule(Every)
        auctions btcusd in 600s indicates 10s 0s  => refused Schedule(Indicates)
        auctions btcusd in 600s opens 60s last 61s => refused Schedule(LastCancel)
        waiting btcusd asks A1
        auctions btcusd in 900s last 60s          => scheduled btcusd, opened btcusd
        waiting btcusd asks A1
        ann cancel A1                             => cancelled A1 Requested
        ann sell btcusd 1 @ 30000 auction as A2   => accepted A2, booked A2
        ann sell btcusd 1 @ 29500 auction as A3   => accepted A3, booked A3
        auctions btcusd none                      => cancelled B1 AuctionCancelled, cancelled A3 AuctionCancelled, cancelled A2 AuctionCancelled, scheduled btcusd none
        balance ann BTC 10 available 10
        bids btcusd B2
        ann sell btcusd 1 @ 30000 auction         => refused NoAuctions
        auction btcusd                            => refused NotNow
        ",
    );
}

/// A symbol that closes cancels those who wait as it does the others; an auction whose symbol does not trade comes to nothing.
#[test]
fn auctions_of_symbols_that_do_not_trade() {
    check(
        "
        given ann BTC 10
        given bob USD 200000
        auctions btcusd in 600s every 600s        => scheduled btcusd, opened btcusd
        ann sell btcusd 1 @ 30000 auction as A1   => accepted A1, booked A1
        bob buy  btcusd 1 @ 30000 auction as B1   => accepted B1, booked B1
        ann sell btcusd 1 @ 31000 as A2           => accepted A2, booked A2
        status btcusd closed                      => cancelled B1 MarketClosed, cancelled A1 MarketClosed, cancelled A2 MarketClosed, status btcusd closed
        ann sell btcusd 1 @ 30000 auction         => refused MarketClosed
        before btcusd 0s
        auction btcusd                            => cut btcusd none book - - collar -, ended btcusd none, opened btcusd
        status btcusd open                        => status btcusd open
        ann sell btcusd 1 @ 30000 auction as A3   => accepted A3, booked A3
        bob buy  btcusd 1 @ 30000 auction as B3   => accepted B3, booked B3
        status btcusd cancel_only                 => status btcusd cancel_only
        ann sell btcusd 1 @ 30000 auction         => refused MarketNotOpen
        before btcusd 0s
        auction btcusd                            => cut btcusd none book - - collar -, cancelled B3 AuctionCancelled, cancelled A3 AuctionCancelled, ended btcusd none, opened btcusd
        status btcusd post_only                   => status btcusd post_only
        bob buy  btcusd 1 @ 30000 as B4           => accepted B4, booked B4
        ann sell btcusd 1 @ 30000                 => refused MarketNotOpen
        ann sell btcusd 1 @ 30000 auction as A4   => accepted A4, booked A4
        before btcusd 0s
        auction btcusd                            => cut btcusd 1 @ 30000.00 book 30000.00 - collar -, crossed B4 A4 1 @ 30000.00 fees 60 60
        auction btcusd                            => ended btcusd 1 @ 30000.00, opened btcusd
        ",
    );
}

/// Whose order could meet an own one in an auction is not taken, if one of the two is for auctions only; what does not rest
/// until then is.
#[test]
fn nobody_meets_himself_in_an_auction() {
    check(
        "
        given ann BTC 10, USD 200000
        given bob BTC 10, USD 200000
        auctions btcusd in 600s                   => scheduled btcusd, opened btcusd
        ann sell btcusd 1 @ 30000 as A1           => accepted A1, booked A1
        ann buy  btcusd 1 @ 30000 auction as A2   => accepted A2, cancelled A2 SelfCrossPrevented
        ann buy  btcusd 1 @ 29999.99 auction as A3 => accepted A3, booked A3
        ann sell btcusd 1 @ 29999.99 auction as A4 => accepted A4, cancelled A4 SelfCrossPrevented
        ann sell btcusd 1 @ 29999.99 as A5        => accepted A5, cancelled A5 SelfCrossPrevented
        ann sell btcusd 1 @ 29999.99 moc as A6    => accepted A6, cancelled A6 SelfCrossPrevented
        order A6 live=false cancelled=true executed=0 remaining=1
        bob buy  btcusd 0.5 @ 29990 as B1         => accepted B1, booked B1
        ann sell btcusd 1 @ 29990 as A7           => accepted A7, cancelled A7 SelfCrossPrevented
        ann sell btcusd 0.5 @ 29990 ioc as A8     => accepted A8, filled B1 0.5 @ 29990.00 fees 29.99 59.98, completed A8
        ann sell ethusd 1 @ 1 as A9               => refused InsufficientFunds
        bob sell btcusd 1 @ 29999.99 as B2        => accepted B2, booked B2
        waiting btcusd bids A3
        ",
    );
}

/// Who comes once an auction has found its price waits for the next one, and may leave that; after a last one there is none.
#[test]
fn who_comes_while_an_auction_is_settled() {
    check(
        "
        given ann BTC 10
        given bob USD 200000
        auctions btcusd in 600s every 60s last 30s => scheduled btcusd, opened btcusd
        ann sell btcusd 2 @ 30000 auction as A1   => accepted A1, booked A1
        bob buy  btcusd 1 @ 30000 auction as B1   => accepted B1, booked B1
        before btcusd 0s
        auction btcusd                            => cut btcusd 1 @ 30000.00 book - - collar -, crossed B1 A1 1 @ 30000.00 fees 60 60
        auctions btcusd none                      => refused NotNow
        bob buy  btcusd 1 @ 30000 auction as B2   => accepted B2, booked B2
        bob buy  btcusd 1 @ 30000 auction as B3   => accepted B3, booked B3
        ann cancel A1                             => bound A1
        bob cancel B3                             => cancelled B3 Requested
        auction btcusd                            => cancelled A1 AuctionCancelled, ended btcusd 1 @ 30000.00, opened btcusd
        order A1 live=false cancelled=true reason=AuctionCancelled original=2 remaining=1 executed=1
        waiting btcusd bids B2
        auctions btcusd in 60s                    => scheduled btcusd, opened btcusd
        ann sell btcusd 1 @ 30000 auction as A2   => accepted A2, booked A2
        before btcusd 0s
        auction btcusd                            => cut btcusd 1 @ 30000.00 book - - collar 30000.00, crossed B2 A2 1 @ 30000.00 fees 60 60
        ann sell btcusd 1 @ 30000 auction         => refused NoAuctions
        auction btcusd                            => ended btcusd 1 @ 30000.00
        ann sell btcusd 1 @ 30000 auction         => refused NoAuctions
        ",
    );
}
