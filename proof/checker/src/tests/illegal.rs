//! Histories that no order of events explains, each with one kind of wrong reply.

use super::told::{history, illegal};
use crate::verdict::Verdict;

/// An acknowledged order is gone, with or without a crash.
#[test]
fn an_acknowledged_order_is_lost() {
    illegal(
        "
        1..2 alice buy btcusd 1 @ 100   => 10 live executed 0
        died 3
        4..5 alice orders               => none
        ",
        "1 of 2 operations are explained",
    );
    illegal(
        "
        1..2 alice buy btcusd 1 @ 100   => 10 live executed 0
        3..4 alice status 10            => refused 404 OrderNotFound
        ",
        "#1",
    );
}

/// One resting order is sold twice.
#[test]
fn a_double_fill() {
    illegal(
        "
        1..2 alice sell btcusd 1 @ 100  => 10 live executed 0
        3..9 bob buy btcusd 1 @ 100     => 12 filled executed 1 average 100
        4..8 carol buy btcusd 1 @ 100   => 14 filled executed 1 average 100
        ",
        "2 of 3 operations are explained",
    );
}

/// A client does not see a change that it got a reply for.
#[test]
fn a_stale_read_after_a_write() {
    illegal(
        "
        1..2 alice buy btcusd 1 @ 100   => 10 live executed 0
        3..4 alice balances             => BTC 10; USD 1000
        ",
        "should be answered {\"balances\":{\"BTC\":[\"10\",\"10\"],\"USD\":[\"1000\",\"899.6\"]}}",
    );
    illegal(
        "
        1..2 alice buy btcusd 1 @ 100   => 10 live executed 0
        3..4 anyone book btcusd         => bids none; asks none
        ",
        "#1",
    );
}

/// Of two consecutive reads, the second shows an older state.
#[test]
fn a_read_that_goes_back() {
    illegal(
        "
        1..9 alice buy btcusd 1 @ 100   => 10 live executed 0
        2..3 anyone book btcusd         => bids 1 @ 100; asks none
        4..5 anyone book btcusd         => bids none; asks none
        ",
        "#2",
    );
}

/// A trade at a price although a better one was available.
#[test]
fn a_trade_through() {
    illegal(
        "
        1..2 alice sell btcusd 1 @ 100  => 10 live executed 0
        3..4 carol sell btcusd 1 @ 101  => 11 live executed 0
        5..6 bob buy btcusd 1 @ 101     => 12 filled executed 1 average 101
        ",
        "\"average\":\"100\"",
    );
}

/// The younger of two orders at one price trades first.
#[test]
fn a_wrong_priority() {
    illegal(
        "
        1..2 alice sell btcusd 1 @ 100  => 10 live executed 0
        3..4 carol sell btcusd 1 @ 100  => 11 live executed 0
        5..6 bob buy btcusd 1 @ 100     => 12 filled executed 1 average 100
        7..8 carol status 11            => 11 filled executed 1 average 100
        ",
        "#3",
    );
}

/// A balance without a source, and one whose holds do not match its orders.
#[test]
fn money_from_nowhere() {
    illegal("1..2 alice balances => BTC 10; USD 1000.01", "#0");
    illegal(
        "
        1..2 alice buy btcusd 1 @ 100   => 10 live executed 0
        3..4 bob sell btcusd 1 @ 100    => 11 filled executed 1 average 100
        5..6 alice balances             => BTC 11; USD 899.8
        7..8 bob balances               => BTC 9; USD 1100
        ",
        "\"1099.6\"",
    );
    illegal(
        "
        1..2 alice buy btcusd 1 @ 100   => 10 live executed 0
        3..4 alice balances             => BTC 10; USD 1000 available 900
        ",
        "#1",
    );
}

/// A reply shows an order, or its trade, before the order was sent.
#[test]
fn an_order_before_it_was_placed() {
    illegal(
        "
        1..2 anyone book btcusd         => bids 1 @ 100; asks none
        3..4 alice buy btcusd 1 @ 100   => 10 live executed 0
        ",
        "0 of 2 operations are explained",
    );
    illegal(
        "
        1..2 alice status as a1         => 10 live executed 0 as a1 buy btcusd 1 @ 100
        3.. alice buy btcusd 1 @ 100 as a1
        ",
        "0 of 2 operations are explained",
    );
}

/// A cancelled order still trades.
#[test]
fn a_cancelled_order_is_filled() {
    illegal(
        "
        1..2 alice sell btcusd 1 @ 100  => 10 live executed 0
        3..4 alice cancel 10            => 10 cancelled Requested executed 0
        5..6 bob buy btcusd 1 @ 100     => 11 filled executed 1 average 100
        ",
        "2 of 3 operations are explained",
    );
}

/// One id for two orders, and ids that do not follow the sequence of entry.
#[test]
fn ids_that_repeat_or_go_back() {
    illegal(
        "
        1..2 alice buy btcusd 1 @ 100   => 10 live executed 0
        3..4 bob buy btcusd 1 @ 99      => 10 live executed 0
        ",
        "order id 10 is given to two orders: #0 and #1",
    );
    illegal(
        "
        1..2 alice buy btcusd 1 @ 100   => 11 live executed 0
        3..4 bob buy btcusd 1 @ 99      => 10 live executed 0
        ",
        "has an id above that of an order still to come",
    );
}

/// Two calls of one key are accepted with the same nonce, or with a lower one, or a crash loses a nonce.
#[test]
fn nonces_that_do_not_increase() {
    let words = "nonces that do not increase";
    illegal("1..4 alice/5 orders => none\n2..3 alice/5 orders => none", words);
    illegal(
        "1..2 alice/5 orders => none\n3..4 alice/4 orders => none",
        "nonce 5 of #0 was taken although #1, sent at 3 or later, had taken 4 before",
    );
    illegal(
        "
        1..2 alice/5 cancel all => none
        died 3
        4..5 alice/5 orders     => none
        ",
        words,
    );
    illegal("1..2 alice/5 orders => refused 400 InvalidNonce", "none as high had been taken");
}

/// An order that no client sent.
#[test]
fn a_ghost_order() {
    let words = "shows order 10, which nobody has placed";
    illegal("1..2 alice orders => 10 live executed 0 as a1 buy btcusd 1 @ 100", words);
    illegal("1..2 alice cancel all => 10", words);
    illegal("1..2 alice trades => 12 of 10 1 @ 100 buy maker fee 0.2", words);
}

/// An order of another account.
#[test]
fn a_foreign_order() {
    illegal(
        "
        1..2 alice buy btcusd 1 @ 100   => 10 live executed 0
        3..4 bob status 10              => 10 live executed 0
        ",
        "shows order 10 of another account",
    );
}

/// The two parties of a trade get different data, or its id changes.
#[test]
fn trades_that_differ() {
    let traded = "
        1..2 alice sell btcusd 1 @ 100  => 10 live executed 0
        3..4 bob buy btcusd 1 @ 100     => 11 filled executed 1 average 100
        5..6 alice trades               => 12 of 10 1 @ 100 sell maker fee 0.2
        ";
    for wrong in [
        "12 of 11 1 @ 100 buy taker fee 0.2",
        "12 of 11 0.9 @ 100 buy taker fee 0.4",
        "12 of 11 1 @ 100 buy maker fee 0.4",
        "13 of 11 1 @ 100 buy taker fee 0.4",
        "none",
    ] {
        illegal(&format!("{traded}\n7..8 bob trades => {wrong}"), "#3");
    }
}

/// A fill-or-kill that was half filled, a post-only order that took, an order beyond the collar, one that its account
/// could not cover.
#[test]
fn options_that_are_not_kept() {
    let resting = "1..2 alice sell btcusd 1 @ 100   => 10 live executed 0\n";
    for (wrong, expected) in [
        (
            "buy btcusd 2 @ 100 fill-or-kill => 11 cancelled ImmediateOrCancelWouldPost executed 1 average 100",
            "FillOrKill",
        ),
        ("buy btcusd 1 @ 100 maker-or-cancel => 11 filled executed 1 average 100", "MakerOrCancelWouldTake"),
        (
            "buy btcusd 2 @ 100 immediate-or-cancel => 11 live executed 1 average 100",
            "ImmediateOrCancelWouldPost",
        ),
        ("buy btcusd 100 @ 99 => 11 live executed 0", "InsufficientFunds"),
        ("buy btcusd 1 @ 99 => refused 406 InsufficientFunds", "\"is_live\":true"),
    ] {
        illegal(&format!("{resting}3..4 bob {wrong}"), expected);
    }
    illegal(
        &format!("{resting}3..4 alice2 buy btcusd 1 @ 100 => 11 filled executed 1 average 100"),
        "SelfCrossPrevented",
    );
}

/// A lost cancel explains that an order is gone, but neither before it was sent nor after the crash.
#[test]
fn what_is_lost_explains_only_its_time() {
    illegal(
        "
        1..2 alice buy btcusd 1 @ 100   => 10 live executed 0
        3..4 anyone book btcusd         => bids none; asks none
        5.. alice cancel 10
        ",
        "#1",
    );
    illegal(
        "
        1..2 alice buy btcusd 1 @ 100   => 10 live executed 0
        3.. alice cancel 10
        died 4
        5..6 anyone book btcusd         => bids 1 @ 100; asks none
        7..8 anyone book btcusd         => bids none; asks none
        ",
        "#3",
    );
}

/// The checker reports what it would have to guess, and names the data it lacks.
#[test]
fn what_cannot_be_told() {
    for (text, words) in [
        ("1.. alice buy btcusd 1 @ 100", "neither an answer nor a client id"),
        (
            "1.. alice buy btcusd 1 @ 100 as a\n2..3 alice buy btcusd 1 @ 100 as a => 10 live executed 0",
            "shares its client id",
        ),
        ("1.. alice buy btcusd 1 @ 100 as a\n2..3 alice cancel all => 10", "ask for their status"),
    ] {
        match history(text).judge() {
            Verdict::Undecided(why) => assert!(why.contains(words), "{why}"),
            other @ (Verdict::Legal(_) | Verdict::Illegal(_)) => panic!("{other:?}"),
        }
    }
}
