//! Which fee rates an order pays when rates change while it lives, step by step. The words are explained in `stage.rs`.

use crate::stage::{check, check_at};
use buttonwood_engine::{
    AccessReject, Body, Command, FeeChange, FeeSchedule, Outcome, Reject, TradingCommand,
};
use buttonwood_model::{AccountId, Product, Role, Roles};
use buttonwood_num::Bps;
use buttonwood_oracle::{Exchange, caller};

/// An order pays the rates in force when it was placed, as maker and as taker, for its hold too, until it is done.
/// Proves TYPE-011.
#[test]
fn rates_are_those_of_the_placing() {
    let early = FeeSchedule { maker: Bps(10), taker: Bps(30), auction: Bps(10) };
    check_at(
        early,
        "
        given ann BTC 3
        given bob USD 40000
        bob buy  btcusd 3 @ 10000 as B1           => accepted B1, booked B1
        balance bob USD 40000 available 9910
        rates spot 2 50 2                         => (nothing)
        balance bob USD 40000 available 9910
        ann sell btcusd 1 @ 10000 as A1           => accepted A1, filled B1 1 @ 10000.00 fees 10 50, completed A1
        balance bob USD 29990 available 9930
        rates spot none                           => (nothing)
        ann sell btcusd 2 @ 10000 as A2           => accepted A2, filled B1 2 @ 10000.00 fees 20 60, completed A2
        balance bob USD 9970 available 9970
        balance ann USD 29890 available 29890
        fees USD 140
        ",
    );
}

/// A cancelled order returns the hold of its placing, and the rest of a taker keeps the rates that it took with.
#[test]
fn holds_end_with_the_rates_that_they_began_with() {
    check(
        "
        given ann BTC 1
        given bob USD 40000
        bob buy  btcusd 1 @ 10000 as B1           => accepted B1, booked B1
        balance bob USD 40000 available 29960
        rates spot 0 200 0                        => (nothing)
        bob cancel B1                             => cancelled B1 Requested
        balance bob USD 40000 available 40000
        ann sell btcusd 0.5 @ 10000 as A1         => accepted A1, booked A1
        bob buy  btcusd 1 @ 10000 as B2           => accepted B2, filled A1 0.5 @ 10000.00 fees 0 100, booked B2
        rates spot 1 2 1                          => (nothing)
        balance bob USD 34900 available 29800
        ann sell btcusd 0.5 @ 10000 as A2         => accepted A2, filled B2 0.5 @ 10000.00 fees 0 1, completed A2
        balance bob USD 29900 available 29900
        ",
    );
}

/// An account's own rates come before those of its product, whichever was set later, and end with the account's next change.
/// Proves TYPE-011.
#[test]
fn an_account_may_have_rates_of_its_own() {
    check(
        "
        given ann BTC 10
        given cat BTC 10
        given bob USD 100000
        rates spot of ann 0 10 5                  => (nothing)
        ann sell btcusd 1 @ 10000 as A1           => accepted A1, booked A1
        cat sell btcusd 1 @ 10000 as C1           => accepted C1, booked C1
        rates spot 5 50 5                         => (nothing)
        rates swap 1 1 1                          => (nothing)
        rates swap of cat 1 1 1                   => (nothing)
        ann sell btcusd 1 @ 10000 as A2           => accepted A2, booked A2
        cat sell btcusd 1 @ 10000 as C2           => accepted C2, booked C2
        rates spot of ann none                    => (nothing)
        ann sell btcusd 1 @ 10000 as A3           => accepted A3, booked A3
        rates spot of bob 0 100 0                 => (nothing)
        bob buy btcusd 1 @ 9000 as B1             => accepted B1, booked B1
        balance bob USD 100000 available 90910
        bob cancel B1                             => cancelled B1 Requested
        bob buy btcusd 5 @ 10000 as B2            => accepted B2, filled A1 1 @ 10000.00 fees 0 100, filled C1 1 @ 10000.00 fees 20 100, filled A2 1 @ 10000.00 fees 0 100, filled C2 1 @ 10000.00 fees 5 100, filled A3 1 @ 10000.00 fees 5 100, completed B2
        ",
    );
}

/// In an auction each side pays the auction rate of its own placing. Proves TYPE-011.
#[test]
fn each_side_of_an_auction_pays_the_rate_of_its_placing() {
    check(
        "
        given ann BTC 1
        given bob USD 100000
        auctions btcusd in 600s                   => scheduled btcusd, opened btcusd
        ann sell btcusd 1 @ 10000 auction as A1   => accepted A1, booked A1
        rates spot 5 40 7                         => (nothing)
        bob buy  btcusd 1 @ 10000 auction as B1   => accepted B1, booked B1
        rates spot 5 40 40                        => (nothing)
        before btcusd 0s
        auction btcusd                            => cut btcusd 1 @ 10000.00 book - - collar -, crossed B1 A1 1 @ 10000.00 fees 7 20
        ",
    );
}

/// Rates beyond the whole, and auction rates that no order reserves, are refused and change nothing.
#[test]
fn rates_that_are_not_valid_are_refused() {
    check(
        "
        given ann BTC 10
        given bob USD 100000
        rates spot 0 10001 0                      => refused BadFees
        rates spot 10001 0 0                      => refused BadFees
        rates spot 20 40 41                       => refused BadFees
        rates spot of bob 0 0 1                   => refused BadFees
        rates swap 65535 65535 65535              => refused BadFees
        ann sell btcusd 1 @ 10000 as A1           => accepted A1, booked A1
        bob buy  btcusd 1 @ 10000 as B1           => accepted B1, filled A1 1 @ 10000.00 fees 20 40, completed B1
        rates spot 10000 10000 10000              => (nothing)
        ann sell btcusd 1 @ 10000 as A2           => accepted A2, booked A2
        bob buy  btcusd 1 @ 10000 as B2           => accepted B2, filled A2 1 @ 10000.00 fees 10000 10000, completed B2
        balance ann USD 9980 available 9980
        ",
    );
}

/// Nobody inherits rates that were set for an account before it was opened.
#[test]
fn rates_of_no_account_are_refused() {
    let mut exchange = Exchange::open(FeeSchedule::default(), None);
    let account = exchange.account("ann", "");
    let own = FeeSchedule { maker: Bps(0), taker: Bps(1), auction: Bps(0) };
    let rates = |account| FeeChange { product: Product::Spot, account: Some(account), schedule: Some(own) };
    let mut set = |account| exchange.own(Body::Trading(TradingCommand::SetFees(rates(account))));
    assert_eq!(set(AccountId(account.0 + 1)), Outcome::Rejected(Reject::Unknown));
    assert_eq!(set(account), Outcome::Done);
    let next = exchange.account("bob", "");
    assert_eq!(exchange.state.floor().rates(Product::Spot, None, next).1, FeeSchedule::default());
}

/// Rates that were set before the directory is made would be lost.
#[test]
fn rates_come_after_the_opening() {
    let change = FeeChange { product: Product::Spot, account: None, schedule: None };
    let answer = Exchange::blank().own(Body::Trading(TradingCommand::SetFees(change)));
    assert_eq!(answer, Outcome::Rejected(Reject::NotNow));
}

/// No key may change fee rates.
#[test]
fn a_key_may_not_change_rates() {
    let mut exchange = Exchange::open(FeeSchedule::default(), None);
    let account = exchange.account("ann", "");
    let session = exchange.key("ann", account, Role::Trader);
    let change = FeeChange { product: Product::Spot, account: None, schedule: None };
    let body = Body::Trading(TradingCommand::SetFees(change));
    let answer = exchange.submit(1, &Command { caller: Some(caller(session, account, 1)), body });
    let has = Roles::of(&[Role::Trader]);
    assert_eq!(answer, Outcome::Rejected(Reject::Access(AccessReject::MissingRole(has))));
}
