//! Rewards of makers of the prediction markets: rebates, scores of liquidity and their payout.

use crate::predictions::{ANN, BOB, CAT, Stage, money};
use buttonwood_engine::prediction::{Command as Own, Payment, RewardChange, eastern};
use buttonwood_engine::{Answer, Body, PROMO};
use buttonwood_model::{EventId, Time};
use buttonwood_num::Money;
use std::sync::Arc;

const MINUTE: u64 = 60 * Time::SECOND;
const HOUR: u64 = 60 * MINUTE;

/// Rewards are on, with a pool for the event.
fn stage(pool: &str) -> Stage {
    // Noon of an Eastern day, and an event that does not end before the fourth.
    let mut stage = Stage::until(100 * HOUR);
    stage.pass_to(eastern::at(eastern::day_of(1970, 1, 2), 12 * 60).0);
    let pools = vec![(EventId(0), money(pool))];
    let change = RewardChange { enabled: Some(true), pools: Some(pools), ..RewardChange::default() };
    assert_eq!(stage.own(Own::SetRewards(Arc::new(change))), Answer::Done);
    let promo = stage.exchange.state.ledger().house(PROMO.name).expect("open");
    assert_eq!(stage.own(Body::credit(promo, vec![(stage.usd, money("1000"))])), Answer::Done);
    stage
}

/// Makers get half of their fees back at 17:00 Eastern Time, from the fees, and nothing for what they traded as takers.
#[test]
fn makers_get_a_part_of_their_fees_back() {
    let mut stage = stage("10");
    stage.placed(ANN, "buy yes 100 @ 0.40");
    stage.placed(BOB, "buy no 100 @ 0.60");
    stage.expects(ANN, "959.6", "100", "0");
    let due = eastern::at(eastern::day_of(1970, 1, 2), 17 * 60).0;
    stage.pass_to(due - 1);
    stage.expects(ANN, "959.6", "100", "0");
    stage.pass_to(due + MINUTE);
    stage.expects(ANN, "959.8", "100", "0");
    stage.expects(BOB, "938", "0", "100");
    let rewards = stage.exchange.state.predictions().rewards();
    let [rebate] = rewards.rebates(stage.accounts[ANN]) else { panic!("one rebate") };
    assert_eq!((rebate.amount, rebate.traded.fees), (money("0.2"), money("0.4")));
    assert_eq!((rebate.traded.volume, rebate.traded.fills), (money("40"), 1));
    assert!(rewards.rebates(stage.accounts[BOB]).is_empty());
    // Once: the next day has nothing to pay.
    stage.pass_to(due + 25 * HOUR);
    stage.expects(ANN, "959.8", "100", "0");
    stage.replays();
}

/// Fees from before rewards were switched on earn nothing.
#[test]
fn earlier_fees_earn_nothing() {
    let mut stage = Stage::until(100 * HOUR);
    stage.placed(ANN, "buy yes 100 @ 0.40");
    stage.placed(BOB, "buy no 100 @ 0.60");
    let change = RewardChange { enabled: Some(true), ..RewardChange::default() };
    assert_eq!(stage.own(Own::SetRewards(Arc::new(change))), Answer::Done);
    stage.pass_to(60 * HOUR);
    stage.expects(ANN, "959.6", "100", "0");
}

/// Orders that have rested for a minute score by distance and size, half as much again on both sides. The pool of a day is shared by points, in
/// whole cents, at 17:30 of the next day.
#[test]
fn makers_share_the_pool_by_their_points() {
    let mut stage = stage("10");
    // The middle is 0.50: two cents away on both sides, and two cents away on one.
    stage.placed(ANN, "buy yes 100 @ 0.48");
    stage.placed(ANN, "buy no 100 @ 0.48");
    stage.placed(BOB, "buy yes 100 @ 0.48");
    // Beyond the maximum spread, and too small.
    stage.placed(CAT, "buy yes 100 @ 0.40");
    stage.placed(CAT, "buy yes 9 @ 0.49");
    let midnight = eastern::at(eastern::day_of(1970, 1, 3), 0).0;
    stage.pass_to(midnight + 24 * HOUR);
    // Twelve hours of the first day are fewer than half of its snapshots, since none counts the first minute.
    let first = eastern::at(eastern::day_of(1970, 1, 3), 17 * 60 + 30).0;
    let rows = |stage: &Stage, who: usize| {
        stage.exchange.state.predictions().rewards().payouts(stage.accounts[who]).to_vec()
    };
    assert!(stage.exchange.stamp.time.0 > first);
    let row = rows(&stage, ANN);
    assert_eq!((row.len(), row[0].payment, row[0].amount), (1, Payment::Zero, Money::ZERO));
    assert_eq!(row[0].shares[0].snapshots, 719);
    stage.expects(ANN, "1000", "0", "0");
    // The second day: 64 × 100 × 1.5 on each of two sides, against 64 × 100 on one.
    stage.pass_to(eastern::at(eastern::day_of(1970, 1, 4), 17 * 60 + 31).0);
    assert_eq!(rows(&stage, ANN)[1].shares[0].snapshots, 1_440);
    stage.expects(ANN, "1007.5", "0", "0");
    stage.expects(BOB, "1002.5", "0", "0");
    stage.expects(CAT, "1000", "0", "0");
    assert!(rows(&stage, CAT).is_empty());
    stage.replays();
}

/// What `promo` cannot pay is pending, and paid with the next day.
#[test]
fn a_reward_waits_for_money() {
    let mut stage = stage("1000");
    stage.placed(ANN, "buy yes 100 @ 0.48");
    stage.placed(BOB, "buy no 100 @ 0.48");
    let paid = |day| eastern::at(eastern::day_of(1970, 1, day), 17 * 60 + 31).0;
    // Two whole days of 1,000 dollars each, with 1,000 in all.
    stage.pass_to(paid(5));
    let row = |stage: &Stage, who: usize, at: usize| {
        let rewards = stage.exchange.state.predictions().rewards();
        let row = &rewards.payouts(stage.accounts[who])[at];
        (row.amount, row.payment)
    };
    assert_eq!(row(&stage, ANN, 1), (money("500"), Payment::Paid));
    assert_eq!(row(&stage, ANN, 2), (money("500"), Payment::Pending));
    stage.expects(ANN, "1500", "0", "0");
    let promo = stage.exchange.state.ledger().house(PROMO.name).expect("open");
    assert_eq!(stage.own(Body::credit(promo, vec![(stage.usd, money("1000"))])), Answer::Done);
    stage.pass_to(paid(6));
    assert_eq!(row(&stage, ANN, 2), (money("500"), Payment::Paid));
    stage.expects(ANN, "2000", "0", "0");
    stage.replays();
}

/// The clock of an exchange that runs is always a little late: each due command ends the reason for which it was due all the same.
#[test]
fn due_commands_may_come_late() {
    let mut stage = stage("1000");
    stage.placed(ANN, "buy yes 100 @ 0.48");
    stage.placed(BOB, "buy no 100 @ 0.48");
    let end = eastern::at(eastern::day_of(1970, 1, 6), 18 * 60).0;
    let mut count = 0;
    while let Some(due) = stage.exchange.state.next_due().filter(|due| due.time.0 <= end) {
        let wait = (due.time.0 + 1_000).saturating_sub(stage.exchange.stamp.time.0).max(1);
        let command = buttonwood_engine::Command { caller: None, body: due.command };
        assert_eq!(stage.exchange.submit(wait, &command), Answer::Done);
        count += 1;
        assert!(count < 10_000, "a due command ends the reason for which it was due: {command:?}");
    }
    assert_eq!(stage.exchange.state.broken_law(), None);
}

/// Minutes in which the exchange did not run earn nothing.
#[test]
fn missed_minutes_have_no_snapshot() {
    let mut stage = stage("1000");
    stage.placed(ANN, "buy yes 100 @ 0.48");
    stage.placed(BOB, "buy no 100 @ 0.48");
    let body = buttonwood_engine::Founding::MoveClock.into();
    stage.exchange.submit(8 * HOUR, &buttonwood_engine::Command { caller: None, body });
    let now = stage.exchange.stamp.time;
    let mut dues = 0;
    while let Some(due) = stage.exchange.state.next_due().filter(|due| due.time <= now) {
        let command = buttonwood_engine::Command { caller: None, body: due.command };
        assert_eq!(stage.exchange.submit(1, &command), Answer::Done);
        dues += 1;
        assert!(dues < 5, "missed minutes are not made up for: {command:?}");
    }
}

/// Terms that make no sense are refused and change nothing.
#[test]
fn bad_terms_are_refused() {
    let mut stage = stage("10");
    let before = stage.exchange.state.predictions().rewards().terms().clone();
    let bad = [
        RewardChange { rebate_bps: Some(10_001), ..RewardChange::default() },
        RewardChange { spread_cents: Some(0), ..RewardChange::default() },
        RewardChange { min_payout: Some(money("-1")), ..RewardChange::default() },
        RewardChange { pools: Some(vec![(EventId(0), money("0.001"))]), ..RewardChange::default() },
        RewardChange { pools: Some(vec![(EventId(0), Money::ZERO)]), ..RewardChange::default() },
        RewardChange { pools: Some(vec![(EventId(9), Money::ONE)]), ..RewardChange::default() },
        RewardChange { pools: Some(vec![(EventId(0), Money::ONE); 2]), ..RewardChange::default() },
    ];
    for change in bad {
        assert!(matches!(stage.own(Own::SetRewards(Arc::new(change))), Answer::Rejected(_)));
    }
    assert_eq!(stage.exchange.state.predictions().rewards().terms(), &before);
}
