//! Histories in which keys change while they are used.

use super::told::{illegal, legal};

/// A call sent after the disable was acknowledged and let in is found; one that was under way then may be either.
#[test]
fn a_disabled_key_that_is_let_in() {
    illegal(
        "
        1..2 anyone key bob disable         => done
        3..4 bob buy btcusd 1 @ 100         => 10 live executed 0
        ",
        "#1 was let in, but its key was disabled all the time; the last change before is #0",
    );
    illegal(
        "
        1..2 anyone key bob disable         => done
        died 3
        4..5 bob balances                   => BTC 10; USD 1000
        ",
        "#1 was let in",
    );
    for reply in ["10 live executed 0", "refused 403 InvalidApiKey"] {
        legal(&format!("1..3 anyone key bob disable => done\n2..4 bob buy btcusd 1 @ 100 => {reply}"));
    }
}

/// A call is refused though its key was not disabled yet, or enabled again.
#[test]
fn an_enabled_key_that_is_refused() {
    illegal(
        "
        1..2 bob balances                   => refused 403 InvalidApiKey
        3..4 anyone key bob disable         => done
        ",
        "#0 was refused, but its key was enabled all the time",
    );
    illegal(
        "
        1..2 anyone key bob disable         => done
        3..4 anyone key bob enable          => done
        5..6 bob balances                   => refused 403 InvalidApiKey
        ",
        "#2 was refused",
    );
    illegal("1..2 carol balances => refused 403 InvalidApiKey", "#0 was refused");
}

/// A change without an answer may have happened, until the next one that has an answer.
#[test]
fn a_change_without_an_answer_leaves_both() {
    for reply in ["BTC 10; USD 1000", "refused 403 InvalidApiKey"] {
        legal(&format!("1.. anyone key bob disable\n2..3 bob balances => {reply}"));
    }
    illegal(
        "
        1.. anyone key bob disable
        died 2
        3..4 anyone key bob enable          => done
        5..6 bob balances                   => refused 403 InvalidApiKey
        ",
        "#2 was refused",
    );
}

/// With other roles a key reads and changes nothing.
#[test]
fn roles_count_at_once() {
    legal(
        "
        1..2 anyone key bob auditor         => done
        3..4 bob buy btcusd 1 @ 100         => refused 403 MissingRole
        5..6 bob balances                   => BTC 10; USD 1000
        7..8 anyone key bob trader          => done
        9..10 bob buy btcusd 1 @ 100        => 10 live executed 0
        ",
    );
    illegal(
        "
        1..2 anyone key bob auditor         => done
        3..4 bob buy btcusd 1 @ 100         => 10 live executed 0
        ",
        "#1 was let in, but its key lacked the role all the time",
    );
    illegal("1..2 bob cancel all => refused 403 MissingRole", "had all the time");
}

/// The reply to a change does not say which orders it ended, so it may take effect late.
#[test]
fn orders_that_came_in_time_end_too() {
    legal(
        "
        1..9 anyone key alice disable cancelling => done
        2..3 alice buy btcusd 1 @ 100       => 10 live executed 0
        8..9 alice2 orders                  => none
        ",
    );
}

/// A key that ends with its orders leaves none, and another key's orders stay.
#[test]
fn orders_end_with_their_key() {
    let begin = "
        1..2 alice buy btcusd 1 @ 100       => 10 live executed 0
        3..4 alice2 buy btcusd 1 @ 90       => 11 live executed 0
        5..6 anyone key alice end cancelling => done
        ";
    legal(&format!("{begin}\n7..8 alice2 orders => 11 live executed 0"));
    illegal(
        &format!("{begin}\n7..8 alice2 orders => 11 live executed 0; 10 live executed 0"),
        "should be answered",
    );
    illegal(&format!("{begin}\n7..8 alice balances => BTC 10; USD 1000"), "#3 was let in");
}
