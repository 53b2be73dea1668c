//! Rewards of makers of the prediction markets: rebates, scores of liquidity and their payout.
#![expect(clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

mod scores;

use crate::approved_groups::{approve, sign_up};
use crate::predictions::{ANN, BOB, CAT, RAIN, Stage, money};
use buttonwood_engine::prediction::{Command as Own, Payment, RewardChange, Rewards, eastern};
use buttonwood_engine::{Adjustment, Answer, Body, Break, LedgerCommand, PROMO, Party, TradingCommand};
use buttonwood_model::{EventId, OrderId, Side, Time, TradeId};
use buttonwood_num::{Decimal, Money};
use buttonwood_oracle::Exchange;
use std::sync::Arc;

const MINUTE: u64 = 60 * Time::SECOND;
const HOUR: u64 = 60 * MINUTE;

/// Rewards are on, with a pool for the event.
fn stage(pool: &str) -> Stage {
    // An event that does not end before the fourth day.
    rewarding(Stage::until(100 * HOUR), pool)
}

/// The same, from noon of an Eastern day on.
fn rewarding(mut stage: Stage, pool: &str) -> Stage {
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

/// The moment of a day's rebates.
fn rebates_at(day: u64) -> u64 {
    eastern::at(eastern::day_of(1970, 1, day), 17 * 60).0
}

impl Stage {
    fn set(&mut self, change: RewardChange) {
        assert_eq!(self.own(Own::SetRewards(Arc::new(change))), Answer::Done);
    }

    fn rewards(&self) -> &Rewards {
        self.exchange.state.predictions().rewards()
    }

    fn rebates(&self, who: usize) -> Vec<(Money, u64)> {
        let rebates = self.rewards().rebates(self.accounts[who]);
        rebates.iter().map(|rebate| (rebate.amount, rebate.traded.fills)).collect()
    }

    /// The operator gives dollars to the account of fees, or takes them.
    fn adjust_fees(&mut self, amount: Money) {
        let (account, currency) = (self.exchange.state.ledger().fees(), self.usd);
        let change = Adjustment { account, currency, amount, reference: String::new() };
        assert_eq!(self.own(LedgerCommand::Adjust(Arc::new(change))), Answer::Done);
    }
}

/// Each fill earns its rebate at the rate that is in force then, as the published rules say.
#[test]
fn a_rate_counts_from_its_change_on() {
    let mut stage = stage("10");
    let rate = |bps| RewardChange { rebate_bps: Some(bps), ..RewardChange::default() };
    for bps in [5_000, 10_000, 0] {
        stage.set(rate(bps));
        stage.placed(ANN, "buy yes 10 @ 0.40");
        stage.placed(BOB, "buy no 10 @ 0.60");
    }
    stage.pass_to(rebates_at(2) + MINUTE);
    // Three fees of four cents: half, whole, none.
    assert_eq!(stage.rebates(ANN), [(money("0.06"), 3)]);
    stage.replays();
}

/// A rebate that the account of fees cannot pay is paid by later runs, whether rewards are on or not; its trades are counted once.
#[test]
fn a_rebate_waits_for_fees() {
    let mut stage = stage("10");
    stage.placed(ANN, "buy yes 100 @ 0.40");
    stage.placed(BOB, "buy no 100 @ 0.60");
    stage.placed(CAT, "buy yes 100 @ 0.40");
    stage.placed(BOB, "buy no 100 @ 0.60");
    // Fees of 2 × 0.4 of makers and 2 × 2 of takers.
    stage.adjust_fees(-money("4.8"));
    stage.pass_to(rebates_at(2) + MINUTE);
    assert_eq!((stage.rebates(ANN), stage.rebates(CAT)), (vec![], vec![]));
    stage.set(RewardChange { enabled: Some(false), ..RewardChange::default() });
    stage.adjust_fees(money("0.25"));
    stage.pass_to(rebates_at(3) + MINUTE);
    // The first account is paid whole, the next one gets the rest.
    assert_eq!((stage.rebates(ANN), stage.rebates(CAT)), (vec![(money("0.2"), 1)], vec![(money("0.05"), 1)]));
    stage.set(RewardChange { enabled: Some(true), ..RewardChange::default() });
    stage.adjust_fees(money("5"));
    stage.pass_to(rebates_at(4) + MINUTE);
    assert_eq!(stage.rebates(CAT), [(money("0.05"), 1), (money("0.15"), 0)]);
    stage.pass_to(rebates_at(5) + MINUTE);
    assert_eq!((stage.rebates(ANN).len(), stage.rebates(CAT).len()), (1, 2));
    stage.replays();
}

/// Rewards that were off for a moment before 17:00 count the fills after it alone; those that stay off pay what was earned until then.
#[test]
fn rewards_that_were_off_begin_anew() {
    for (again, paid) in [(true, "0.2"), (false, "0.4")] {
        let mut stage = stage("10");
        let switch = |on: bool| RewardChange { enabled: Some(on), ..RewardChange::default() };
        let trade = |stage: &mut Stage, qty: u32| {
            stage.placed(ANN, &format!("buy yes {qty} @ 0.40"));
            stage.placed(BOB, &format!("buy no {qty} @ 0.60"));
        };
        trade(&mut stage, 200);
        stage.set(switch(false));
        if again {
            stage.set(switch(true));
        }
        trade(&mut stage, 100);
        stage.pass_to(rebates_at(2) + MINUTE);
        assert_eq!(stage.rebates(ANN), [(money(paid), 1)]);
        stage.replays();
    }
}

/// A trade that was broken by hand, whose fees the operator returns, earns no rebate that has not been paid or fallen due before.
#[test]
fn a_broken_trade_earns_no_rebate() {
    let mut stage = stage("10");
    let first = stage.placed(ANN, "buy yes 100 @ 0.40");
    stage.placed(ANN, "buy yes 50 @ 0.30");
    let taken = stage.placed(BOB, "buy no 100 @ 0.60");
    let traded = stage.exchange.stamp.time;
    stage.placed(BOB, "buy no 50 @ 0.70");
    let symbol = stage.exchange.state.symbol(RAIN).expect("listed");
    let ticks = symbol.grid.price(Decimal::parse(b"0.40").expect("a price")).expect("on the grid");
    let qty = symbol.grid.qty(Decimal::parse(b"100").expect("a quantity")).expect("on the grid");
    let party = |account, order, fee| Party { account, order: OrderId(order), fee: money(fee) };
    let broken = Break {
        // The id after that of the taker.
        trade: TradeId(taken + 1),
        symbol: RAIN,
        time: traded,
        price: ticks,
        qty,
        taker: Some(Side::Sell),
        buyer: party(stage.accounts[ANN], first, "0.4"),
        seller: party(stage.accounts[BOB], taken, "2"),
        figures: None,
        is_off_book: false,
    };
    assert_eq!(stage.own(TradingCommand::BreakTrade(Arc::new(broken))), Answer::Done);
    stage.pass_to(rebates_at(2) + MINUTE);
    // The fee of the other trade is 0.15.
    assert_eq!(stage.rebates(ANN), [(money("0.075"), 2)]);
    stage.replays();
}

/// A maker who signed up in a venue scores nothing and gets no rebate while no operator has approved the group, also not later for the time
/// before.
#[test]
fn makers_earn_nothing_before_the_approval() {
    for is_approved in [false, true] {
        let mut exchange = Exchange::venue(Some(Vec::new()));
        let (group, ann) = sign_up(&mut exchange, 3);
        let [bob, cat] = ["bob", "cat"].map(|name| exchange.account(name, ""));
        if is_approved {
            assert_eq!(approve(&mut exchange, group), Answer::Done);
        }
        let mut stage = rewarding(Stage::with(exchange, [ann, bob, cat], 100 * HOUR), "10");
        stage.placed(ANN, "buy yes 100 @ 0.40");
        stage.placed(BOB, "buy no 100 @ 0.60");
        stage.placed(ANN, "buy yes 100 @ 0.48");
        stage.placed(ANN, "buy no 100 @ 0.48");
        stage.pass_to(rebates_at(2) + MINUTE);
        let earns = usize::from(is_approved);
        assert_eq!(stage.rebates(ANN).len(), earns);
        assert_eq!(stage.rewards().makers_of(EventId(0)), earns);
        assert_eq!(approve(&mut stage.exchange, group), Answer::Done);
        stage.pass_to(rebates_at(3) - HOUR);
        assert_eq!(stage.rebates(ANN).len(), earns, "what was traded before earns nothing");
        assert_eq!(stage.rewards().makers_of(EventId(0)), 1, "orders score from now on");
        stage.replays();
    }
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
        // The first row is that of a day with too few snapshots.
        let row = &rewards.payouts(stage.accounts[who])[at + 1];
        (row.amount, row.payment)
    };
    assert_eq!(row(&stage, ANN, 0), (money("500"), Payment::Paid));
    assert_eq!(row(&stage, ANN, 1), (money("500"), Payment::Pending));
    stage.expects(ANN, "1500", "0", "0");
    let promo = stage.exchange.state.ledger().house(PROMO.name).expect("open");
    assert_eq!(stage.own(Body::credit(promo, vec![(stage.usd, money("1000"))])), Answer::Done);
    stage.pass_to(paid(6));
    assert_eq!(row(&stage, ANN, 1), (money("500"), Payment::Paid));
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
