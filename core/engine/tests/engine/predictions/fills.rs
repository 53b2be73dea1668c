//! Fills of every kind, their fees, and netting.

use super::*;

/// Proves PM-018, PM-019, PM-028: a buy of yes and a buy of no make a dollar together, a sale of what was bought moves claims, two sales take the
/// dollar apart. Makers pay 1 % of the smaller price, takers 5 %.
#[test]
fn every_kind_of_fill_moves_exact_amounts() {
    let mut stage = Stage::new();
    stage.placed(ANN, "buy yes 100 @ 0.40");
    // 40 dollars, and the larger fee, 5 % of 40.
    let balance = stage.exchange.state.ledger().balance(stage.accounts[ANN], stage.usd);
    assert_eq!(balance.held, money("42"));
    // A mint: the maker pays 40 and 0.40, the taker 60 and 2.
    stage.placed(BOB, "buy no 100 @ 0.60");
    stage.expects(ANN, "959.6", "100", "0");
    stage.expects(BOB, "938", "0", "100");
    assert_eq!(stage.escrow(), money("100"));
    // A transfer of yes, at 0.70: min(0.7, 0.3) = 0.3.
    stage.placed(ANN, "sell yes 50 @ 0.70");
    stage.placed(CAT, "buy yes 50 @ 0.75");
    stage.expects(ANN, "994.45", "50", "0");
    stage.expects(CAT, "964.25", "50", "0");
    assert_eq!(stage.escrow(), money("100"));
    // A merge: no for 0.45 and yes for 0.55.
    stage.placed(BOB, "sell no 40 @ 0.45");
    stage.placed(CAT, "sell yes 40 @ 0.50");
    stage.expects(BOB, "955.82", "0", "60");
    stage.expects(CAT, "985.35", "10", "0");
    assert_eq!(stage.escrow(), money("60"));
    let fees = buttonwood_oracle::fees_account();
    assert_eq!(stage.exchange.state.ledger().balance(fees, stage.usd).total(), money("4.38"));
    stage.replays();
}

/// Free pairs become dollars at once; claims that a sale holds net when they are free again. A sale and netting realise a result and keep the
/// average cost of what stays.
#[test]
fn free_pairs_net_at_once() {
    let mut stage = Stage::new();
    stage.placed(ANN, "buy yes 100 @ 0.40");
    stage.placed(BOB, "buy no 100 @ 0.60");
    let sale = stage.placed(ANN, "sell yes 100 @ 0.90");
    stage.placed(BOB, "buy yes 30 @ 0.50");
    stage.placed(ANN, "buy no 30 @ 0.50");
    // Bob's were free, Ann's are held by her sale.
    stage.expects(BOB, "952.85", "0", "70");
    stage.expects(ANN, "943.85", "100", "30");
    assert_eq!(stage.escrow(), money("100"));
    let position = |stage: &Stage, who: usize| {
        *stage.exchange.state.predictions().position(RAIN, stage.accounts[who]).expect("a position")
    };
    assert_eq!(position(&stage, BOB).realised, money("-3"));
    assert_eq!(position(&stage, BOB).costs, [Money::ZERO, money("42")]);
    assert!(stage.call(ANN, Own::Cancel(OrderId(sale))).order().is_ok());
    stage.expects(ANN, "973.85", "70", "0");
    assert_eq!(position(&stage, ANN).realised, money("3"));
    assert_eq!(position(&stage, ANN).costs, [money("28"), Money::ZERO]);
    assert_eq!(stage.escrow(), money("70"));
    stage.replays();
}

/// Proves PM-028: the fee is a part of the smaller of both prices, for either outcome. Makers pay 1 %, takers 5 %.
#[test]
fn fees_are_of_the_smaller_price() {
    for (yes, no, smaller) in [("0.01", "0.99", "1"), ("0.50", "0.50", "50"), ("0.99", "0.01", "1")] {
        let part =
            |rate: &str| money(smaller).times(money(rate), buttonwood_num::Round::Down).expect("small");
        for outcome in ["yes", "no"] {
            let mut stage = Stage::new();
            let (other, own, against) = if outcome == "yes" { ("no", yes, no) } else { ("yes", no, yes) };
            stage.placed(ANN, &format!("buy {outcome} 100 @ {own}"));
            stage.placed(BOB, &format!("buy {other} 100 @ {against}"));
            let [ann, bob] = [ANN, BOB].map(|who| stage.has(who)[0]);
            let cost =
                |price: &str| money(price).times(money("100"), buttonwood_num::Round::Down).expect("small");
            assert_eq!(ann, money("1000") - cost(own) - part("0.01"), "{outcome} at {own}");
            assert_eq!(bob, money("1000") - cost(against) - part("0.05"), "{other} at {against}");
        }
    }
}

/// Proves PM-019: a buy holds price x quantity and the larger fee, a sale what it sells and no money (D-107).
#[test]
fn a_buy_holds_its_price_and_the_larger_fee() {
    let mut stage = Stage::new();
    let cases =
        [("yes", "0.40", "42"), ("no", "0.60", "62"), ("no", "0.05", "5.25"), ("yes", "0.99", "99.05")];
    for (outcome, price, hold) in cases {
        let order = stage.placed(ANN, &format!("buy {outcome} 100 @ {price}"));
        assert_eq!(stage.held(ANN), money(hold), "{outcome} at {price}");
        assert!(stage.cancel(ANN, order).order().is_ok());
        assert_eq!(stage.held(ANN), Money::ZERO);
    }
    // The whole balance buys, and not a contract more.
    refuses(&stage.order(ANN, "buy yes 952.39 @ 1.00"), "BadPrice");
    refuses(&stage.order(ANN, "buy yes 2380.96 @ 0.40"), "InsufficientFunds");
    stage.placed(ANN, "buy yes 2380.95 @ 0.40");
    stage.replays();
}

/// The resting order's price applies, for the part that trades; what is left holds at its own price.
#[test]
fn a_better_price_is_given_and_the_rest_holds() {
    let mut stage = Stage::new();
    stage.placed(ANN, "buy yes 50 @ 0.40");
    let rest = stage.placed(BOB, "buy no 80 @ 0.70");
    stage.expects(BOB, "969", "0", "50");
    assert_eq!((stage.left(rest), stage.held(BOB)), (Some(3_000), money("21.45")));
    stage.placed(CAT, "buy yes 10 @ 0.35");
    // The order of no at 0.70 is there for yes at 0.30.
    stage.expects(CAT, "996.85", "10", "0");
    assert_eq!(stage.left(rest), Some(2_000));
    stage.replays();
}

/// Without the claims there is nothing to sell, and what a sale holds cannot be sold twice.
#[test]
fn only_free_claims_can_be_sold() {
    let mut stage = Stage::new();
    refuses(&stage.order(ANN, "sell yes 1 @ 0.50"), "InsufficientFunds");
    stage.mint();
    refuses(&stage.order(ANN, "sell no 1 @ 0.50"), "InsufficientFunds");
    refuses(&stage.order(ANN, "sell yes 100.01 @ 0.50"), "InsufficientFunds");
    let sale = stage.placed(ANN, "sell yes 60 @ 0.90");
    refuses(&stage.order(ANN, "sell yes 40.01 @ 0.90"), "InsufficientFunds");
    stage.placed(ANN, "sell yes 40 @ 0.90");
    stage.cancel(ANN, sale);
    stage.placed(ANN, "sell yes 60 @ 0.80");
    assert_eq!(stage.held(ANN), Money::ZERO);
}

/// An order of one outcome that would meet an own order of the other is cancelled, and that one stays.
#[test]
fn an_account_does_not_meet_itself_across_outcomes() {
    let mut stage = Stage::new();
    let resting = stage.placed(ANN, "buy yes 10 @ 0.40");
    let answer = stage.order(ANN, "buy no 10 @ 0.60");
    let order = answer.order().expect("it is accepted");
    assert_eq!(order.reason, Some(CancelReason::SelfCrossPrevented));
    assert_eq!(stage.left(resting), Some(1_000));
    stage.placed(ANN, "buy no 10 @ 0.59");
    assert_eq!(stage.exchange.state.orders().len(), 2);
}

/// Proves PM-014: an order that must trade at once, whole or not at all is accepted and ends cancelled.
#[test]
fn orders_that_end_at_once_say_why() {
    let mut stage = Stage::new();
    stage.placed(ANN, "buy yes 50 @ 0.40");
    let end = |stage: &mut Stage, words: &str| {
        let answer = stage.order(BOB, words);
        let order = *answer.order().expect("it is accepted");
        (order.remaining.hundredths() / 10_000, order.reason)
    };
    assert_eq!(end(&mut stage, "buy no 60 @ 0.60 fok"), (60, Some(CancelReason::FillOrKillWouldNotFill)));
    assert_eq!(end(&mut stage, "buy no 60 @ 0.60 moc"), (60, Some(CancelReason::MakerOrCancelWouldTake)));
    stage.expects(BOB, "1000", "0", "0");
    assert_eq!(end(&mut stage, "buy no 60 @ 0.60 ioc"), (10, Some(CancelReason::ImmediateOrCancelWouldPost)));
    assert_eq!(stage.held(BOB), Money::ZERO);
    assert_eq!(stage.has(BOB)[2], money("50"));
    stage.placed(ANN, "buy yes 10 @ 0.40");
    assert_eq!(end(&mut stage, "buy no 10 @ 0.60 fok"), (0, None));
    assert_eq!(end(&mut stage, "buy no 10 @ 0.60 moc"), (10, None));
}

/// A sale of a part keeps the average cost of what stays, and realises a result without fees.
#[test]
fn a_sale_keeps_the_average() {
    let mut stage = Stage::new();
    stage.mint();
    stage.placed(ANN, "buy yes 50 @ 0.70");
    stage.placed(BOB, "buy no 50 @ 0.30");
    stage.placed(ANN, "sell yes 30 @ 0.60");
    stage.placed(CAT, "buy yes 30 @ 0.60");
    let position = *stage.exchange.state.predictions().position(RAIN, stage.accounts[ANN]).expect("one");
    assert_eq!((position.costs[0], position.realised), (money("60"), money("3")));
    let (costs, escrow) =
        stage.exchange.state.predictions().sums_when_closed(stage.exchange.state.ledger(), RAIN);
    assert_eq!((costs, escrow), (money("153"), money("150")));
}
