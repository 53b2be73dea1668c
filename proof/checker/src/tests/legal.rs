//! Histories that some order of events explains.

use super::told::{history, legal};
use crate::operation::History;
use crate::verdict::Verdict;

/// Sequential calls, all answered.
#[test]
fn one_after_the_other() {
    let tally = legal(
        "
        1..2 alice buy btcusd 1 @ 100 as a1     => 10 live executed 0
        3..4 bob sell btcusd 0.4 @ 90           => 12 filled executed 0.4 average 100
        5..6 alice status as a1                 => 10 live executed 0.4 average 100
        7..8 alice orders                       => 10 live executed 0.4 average 100
        9..10 anyone book btcusd                => bids 0.6 @ 100; asks none
        11..12 alice trades                     => 13 of 10 0.4 @ 100 buy maker fee 0.08
        13..14 bob trades                       => 13 of 12 0.4 @ 100 sell taker fee 0.16
        15..16 alice balances                   => BTC 10.4; USD 959.92 available 899.68
        17..18 alice cancel 10                  => 10 cancelled Requested executed 0.4 average 100
        19..20 alice cancel 10                  => 10 cancelled Requested executed 0.4 average 100
        21..22 alice balances                   => BTC 10.4; USD 959.92
        23..24 bob balances                     => BTC 9.6; USD 1039.84
        25..26 bob cancel all                   => none
        27..28 bob status 10                    => refused 404 OrderNotFound
        ",
    );
    assert_eq!((tally.operations, tally.windows, tally.width), (14, 14, 1));
}

/// Every option, every cancel reason, both refusals.
#[test]
fn every_kind_of_order() {
    legal(
        "
        1..2 alice sell btcusd 1 @ 100                          => 10 live executed 0
        2..3 carol buy btcusd for 0.00000001 at market          => refused 400 InvalidQuantity
        3..4 bob buy btcusd 2 @ 100 maker-or-cancel             => 11 cancelled MakerOrCancelWouldTake executed 0
        5..6 bob buy btcusd 2 @ 100 fill-or-kill                => 12 cancelled FillOrKillWouldNotFill executed 0
        7..8 alice2 buy btcusd 1 @ 100                          => 13 cancelled SelfCrossPrevented executed 0
        9..10 bob buy btcusd 0.5 at market                      => 14 filled executed 0.5 average 100
        11..12 bob buy btcusd for 10.04 at market               => 16 filled executed 0.1 average 100
        13..14 bob buy btcusd 2 @ 100 immediate-or-cancel       => 18 cancelled ImmediateOrCancelWouldPost executed 0.4 average 100
        15..16 carol sell btcusd 1 @ 106                        => 20 live executed 0
        17..18 bob buy btcusd 1 @ 106                           => 21 cancelled ExceedsPriceLimits executed 0
        19..20 bob buy btcusd 1 @ 101                           => 22 live executed 0
        21..22 bob buy btcusd 1 @ 106                           => 23 filled executed 1 average 106
        23..24 carol sell btcusd 11 @ 200                       => refused 406 InsufficientFunds
        ",
    );
}

/// Overlapping calls may have happened in either order; only one explains the replies.
#[test]
fn overlapping_calls() {
    legal(
        "
        3..9 bob buy btcusd 1 @ 100 immediate-or-cancel => 13 cancelled ImmediateOrCancelWouldPost executed 0
        4..8 alice sell btcusd 1 @ 100          => 14 live executed 0
        ",
    );
    legal(
        "
        1..2 alice sell btcusd 1 @ 100          => 10 live executed 0
        3..9 bob buy btcusd 1 @ 100             => 12 live executed 0
        4..8 alice cancel 10                    => 10 cancelled Requested executed 0
        5..7 carol sell btcusd 0.5 @ 100        => 13 filled executed 0.5 average 100
        5..6 anyone book btcusd                 => bids none; asks 1 @ 100
        5..8 anyone book btcusd                 => bids 0.5 @ 100; asks none
        10..11 bob status 12                    => 12 live executed 0.5 average 100
        ",
    );
}

/// A lost order may never have happened, or show only much later; the same holds for a lost cancel and a lost taker.
#[test]
fn lost_answers() {
    let tally = legal(
        "
        1..2 alice buy btcusd 1 @ 100 as a1     => 10 live executed 0
        3..4 bob buy btcusd 1 @ 99 as b1        => 11 live executed 0
        5.. alice buy btcusd 1 @ 98 as a2
        6.. bob cancel as b1
        7.. carol sell btcusd 0.5 @ 100 as c1
        8.. carol buy btcusd 1 @ 97 as c2
        died 9
        10..11 alice orders                     => 15 live executed 0 as a2 buy btcusd 1 @ 98; 10 live executed 0.5 average 100
        12..13 bob orders                       => none
        14..15 carol status as c2               => refused 404 OrderNotFound
        16..17 carol balances                   => BTC 9.5; USD 1049.8
        "
    );
    assert_eq!((tally.lost, tally.happened), (4, 3));
}

/// Lost cancels of every kind that did not happen: the orders they would have cancelled are still shown.
#[test]
fn lost_cancels() {
    let tally = legal(
        "
        1..2 alice buy btcusd 1 @ 100 as a1     => 10 live executed 0
        3.. alice cancel 10
        4.. alice2 cancel as a1
        5.. alice cancel session
        6.. alice2 cancel all
        7.. alice2 cancel session
        died 8
        9..10 alice orders                      => 10 live executed 0
        ",
    );
    assert_eq!((tally.lost, tally.happened), (5, 0));
}

/// A call that timed out without a crash may take effect at any time, here between two reads.
#[test]
fn late_effects() {
    legal(
        "
        1.. alice buy btcusd 1 @ 100 as a1
        2..3 anyone book btcusd                 => bids none; asks none
        4..5 anyone book btcusd                 => bids 1 @ 100; asks none
        6..7 alice orders                       => 10 live executed 0 as a1 buy btcusd 1 @ 100
        ",
    );
}

/// A lower nonce is refused, and a crash loses only nonces of reads.
#[test]
fn nonces() {
    legal(
        "
        1..9 alice/5 orders                     => none
        2..8 alice/4 orders                     => refused 400 InvalidNonce
        10..11 alice/7 orders                   => none
        died 12
        13..14 alice/6 orders                   => none
        15..16 alice/7 balances                 => BTC 10; USD 1000
        ",
    );
}

/// A saved history is read back unchanged.
#[test]
fn files() {
    let history = history(
        "
        1..2 alice buy btcusd 1 @ 100 maker-or-cancel as a1 => 10 live executed 0
        3.. bob sell btcusd 1 at market as b1
        died 4
        5..6 bob balances                       => BTC 10; USD 1000
        7..8 anyone book btcusd                 => bids 1 @ 100; asks none
        ",
    );
    let path = std::env::temp_dir().join(format!("buttonwood-checker-{}", std::process::id()));
    history.save(&path).unwrap();
    let read = History::load(&path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(read.unwrap(), history);
    assert!(matches!(history.judge(), Verdict::Legal(_)));
}
