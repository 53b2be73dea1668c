//! Scores of liquidity: which orders score how much, in which minutes, and what their makers are paid.

use super::{HOUR, MINUTE, stage};
use crate::predictions::{ANN, BOB, CAT, RAIN, Stage, money, refused};
use buttonwood_engine::prediction::{
    Command as Own, Infrequent, LiquidityRow, NewContract, Payment, Reject, RewardChange, Scored, eastern,
};
use buttonwood_engine::{Answer, Body, Command, Founding, PROMO, TradingCommand};
use buttonwood_model::{Day, EventId, Role, SymbolId, Time};
use buttonwood_num::Money;
use buttonwood_oracle::caller;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The points of an order of one contract whose distance from the middle is half a cent less than the maximum, on one side.
const QUARTER: u128 = 100 * 100 * 100 * 2;

impl Stage {
    /// The snapshots until a time.
    fn snapshots(&mut self, until: u64) -> Vec<Scored> {
        let mut snapshots = Vec::new();
        while let Some(due) = self.exchange.state.next_due().filter(|due| due.time.0 <= until) {
            let wait = due.time.0.saturating_sub(self.exchange.stamp.time.0);
            assert_eq!(self.exchange.submit(wait, &own(due.command)), Answer::Done);
            for event in std::mem::take(&mut self.exchange.of.predictions) {
                if let Infrequent::Scored(scored) = event {
                    snapshots.push(scored);
                }
            }
        }
        let wait = until.saturating_sub(self.exchange.stamp.time.0 + 1);
        self.exchange.submit(wait, &own(Founding::MoveClock.into()));
        snapshots
    }

    /// The points of each group in the snapshot of the second full minute from now, in quarters of cents squared × contracts, by place.
    fn points(&mut self) -> BTreeMap<u32, u128> {
        let minute = self.exchange.stamp.time.0.next_multiple_of(MINUTE) + MINUTE;
        let snapshots = self.snapshots(minute);
        let last = snapshots.iter().filter(|scored| scored.minute == Time(minute));
        let mut sums: BTreeMap<u32, u128> = BTreeMap::new();
        for (group, _, points) in last.flat_map(|scored| &scored.rows) {
            *sums.entry(group.0 - self.group(ANN)).or_default() += points;
        }
        { sums }.into_iter().map(|(group, points)| (group, points / QUARTER)).collect()
    }

    fn group(&self, who: usize) -> u32 {
        self.exchange.state.access().account(self.accounts[who]).and_then(|of| of.group).expect("a group").0
    }

    fn set_pools(&mut self, pools: &[(u32, &str)]) -> Answer {
        let pools = pools.iter().map(|(event, pool)| (EventId(*event), money(pool))).collect();
        self.own(Own::SetRewards(Arc::new(RewardChange { pools: Some(pools), ..RewardChange::default() })))
    }

    fn rows(&self, who: usize) -> Vec<LiquidityRow> {
        self.exchange.state.predictions().rewards().payouts(self.accounts[who]).to_vec()
    }

    fn is_due(&self, is_meant: impl Fn(&Own) -> bool) -> bool {
        let due = self.exchange.state.next_due();
        matches!(due, Some(due) if matches!(&due.command, Body::Prediction(own) if is_meant(own)))
    }

    /// Sends a command without a look at the laws.
    fn send(&mut self, who: usize, body: impl Into<Body>) {
        self.nonce += 1;
        let caller = caller(self.keys[who], self.accounts[who], self.nonce);
        self.exchange.submit(1, &Command { caller: Some(caller), body: body.into() });
    }

    /// Opens an account in the group of another.
    fn open_beside(&mut self, who: usize, name: &str) -> usize {
        let account = self.exchange.account_beside(self.accounts[who], name, "");
        self.keys.push(self.exchange.key(name, account, Role::Trader));
        self.accounts.push(account);
        let credit = Body::credit(account, vec![(self.usd, money("1000"))]);
        assert_eq!(self.exchange.own(credit), Answer::Done);
        self.accounts.len() - 1
    }
}

fn own(body: Body) -> Command {
    Command { caller: None, body }
}

/// Orders score by the square of what their distance leaves of the maximum, times their size from 10 to 250, all orders of a group on a side
/// together; half as much again on both sides; the middle is that of orders of 10 or more. A fourth account is in Ann's group.
#[test]
fn points_of_a_table_of_orders() {
    const DEE: usize = 3;
    type Orders<'a> = &'a [(usize, &'a str)];
    // Cat quotes one cent away from the middle, on both sides.
    let cat = (2, 4 * 81 * 10 * 2 * 3 / 2);
    let ann = |points: u128| vec![(0, 4 * points), cat];
    let table: &[(Orders<'_>, Vec<(u32, u128)>)] = &[
        (&[], vec![cat]),
        (&[(ANN, "buy yes 10 @ 0.48")], ann(64 * 10)),
        (&[(ANN, "buy yes 9.99 @ 0.48")], vec![cat]),
        (&[(ANN, "buy yes 9.99 @ 0.50")], vec![cat]),
        (&[(ANN, "buy yes 12.34 @ 0.41")], vec![(0, 49), cat]),
        (&[(ANN, "buy yes 100 @ 0.40")], vec![cat]),
        (&[(ANN, "buy no 20 @ 0.46")], ann(36 * 20)),
        (&[(ANN, "buy yes 250 @ 0.46")], ann(36 * 250)),
        (&[(ANN, "buy yes 251 @ 0.46")], ann(36 * 250)),
        // The nearest orders count first.
        (&[(ANN, "buy yes 200 @ 0.44"), (ANN, "buy yes 200 @ 0.46")], ann(36 * 200 + 16 * 50)),
        (&[(ANN, "buy yes 200 @ 0.46"), (DEE, "buy yes 200 @ 0.46")], ann(36 * 250)),
        (&[(ANN, "buy yes 250 @ 0.46"), (DEE, "buy no 10 @ 0.46")], ann(36 * 260 * 3 / 2)),
        (&[(ANN, "buy yes 250 @ 0.46"), (BOB, "buy yes 250 @ 0.46")], vec![(0, 36_000), (1, 36_000), cat]),
        // The middle is 0.505.
        (&[(BOB, "buy yes 10 @ 0.50")], vec![(1, 361 * 10), (2, (289 + 361) * 10 * 3 / 2)]),
    ];
    for (orders, expected) in table {
        let mut stage = stage("10");
        assert_eq!(stage.open_beside(ANN, "dee"), DEE);
        for (who, words) in [(CAT, "buy yes 10 @ 0.49"), (CAT, "buy no 10 @ 0.49")].iter().chain(*orders) {
            stage.placed(*who, words);
        }
        let points: Vec<(u32, u128)> = stage.points().into_iter().collect();
        assert_eq!(points, *expected, "{orders:?}");
    }
    // A book with one side has no middle.
    let mut stage = stage("10");
    stage.placed(ANN, "buy yes 10 @ 0.48");
    stage.placed(CAT, "buy no 9 @ 0.48");
    assert!(stage.points().is_empty());
}

/// An order scores at a full minute if it has rested since the one before; one with a stop price rests since it entered.
#[test]
fn orders_rest_a_full_minute_first() {
    let mut stage = stage("10");
    stage.placed(CAT, "buy yes 10 @ 0.40");
    stage.placed(CAT, "buy no 10 @ 0.52");
    let waiting = stage.placed(ANN, "buy yes 20 @ 0.44 stop 0.42");
    let minute = stage.exchange.stamp.time.0.next_multiple_of(MINUTE) + 10 * MINUTE;
    let groups = |stage: &mut Stage, until: u64| -> Vec<u32> {
        let snapshots = stage.snapshots(until);
        let last = snapshots.iter().rfind(|scored| scored.minute == Time(until)).expect("a snapshot");
        last.rows.iter().map(|(group, ..)| group.0 - stage.group(ANN)).collect()
    };
    assert_eq!(groups(&mut stage, minute), [2]);
    // Placed at the full minute, and just after it.
    stage.placed(BOB, "buy yes 10 @ 0.42");
    assert_eq!(groups(&mut stage, minute + MINUTE), [2]);
    assert_eq!(groups(&mut stage, minute + 2 * MINUTE), [1, 2]);
    // A trade at the stop price: the order enters.
    stage.placed(CAT, "buy no 1 @ 0.58");
    assert!(stage.exchange.order(waiting).is_some_and(|order| order.remaining > buttonwood_num::Qty::ZERO));
    assert_eq!(groups(&mut stage, minute + 3 * MINUTE), [2]);
    assert_eq!(groups(&mut stage, minute + 4 * MINUTE), [0, 2]);
}

/// Ann's orders rest from the day before until a number of snapshots of the day; Cat's score all day.
fn quote_for(stage: &mut Stage, day: Day, snapshots: u64) -> [LiquidityRow; 2] {
    let noon = eastern::at(Day(day.0 - 1), 12 * 60).0;
    stage.pass_to(noon);
    let change = RewardChange { enabled: Some(true), ..RewardChange::default() };
    assert_eq!(stage.own(Own::SetRewards(Arc::new(change))), Answer::Done);
    assert_eq!(stage.set_pools(&[(0, "10")]), Answer::Done);
    let promo = stage.exchange.state.ledger().house(PROMO.name).expect("open");
    assert_eq!(stage.own(Body::credit(promo, vec![(stage.usd, money("1000"))])), Answer::Done);
    let order = stage.placed(ANN, "buy yes 10 @ 0.48");
    stage.placed(CAT, "buy yes 10 @ 0.48");
    stage.placed(CAT, "buy no 10 @ 0.48");
    stage.snapshots(eastern::at(day, 0).0 + snapshots * MINUTE);
    let cancelled = stage.cancel(ANN, order);
    assert!(matches!(cancelled, Answer::Trading(_)), "{cancelled:?}");
    stage.snapshots(eastern::at(day.plus(1), 17 * 60 + 31).0);
    assert_eq!(stage.exchange.state.broken_law(), None);
    [ANN, CAT].map(|who| stage.rows(who).into_iter().find(|row| row.day == day).expect("a row"))
}

/// Half of the day's snapshots are enough, and one less is not, also on the days of 1,380 and 1,500 minutes.
#[test]
fn half_of_the_snapshots_are_enough() {
    for (month, date, minutes) in [(1, 7, 1_440), (3, 8, 1_380), (11, 1, 1_500)] {
        let day = eastern::day_of(1970, month, date);
        for snapshots in [minutes / 2, minutes / 2 - 1] {
            let mut stage = Stage::until(400 * 24 * HOUR);
            let [ann, cat] = quote_for(&mut stage, day, snapshots);
            assert_eq!((cat.total_snapshots, cat.shares[0].snapshots), (minutes, minutes));
            if snapshots == minutes / 2 {
                // Ann has half of the points of a day of 640 each, against Cat's 1,920.
                let part = (ann.amount, ann.shares[0].snapshots, ann.payment);
                assert_eq!(part, (money("1.42"), snapshots, Payment::Paid));
                assert_eq!(cat.amount, money("8.57"));
            } else {
                // The row shows why it earns nothing.
                let part = (ann.amount, ann.shares[0].snapshots, ann.payment);
                assert_eq!(part, (Money::ZERO, snapshots, Payment::Zero));
                assert_eq!(cat.amount, money("10"));
            }
        }
    }
}

/// A reward below the smallest one is a row without a payment.
#[test]
fn small_rewards_are_not_paid() {
    for (least, payment) in [("1.43", Payment::Zero), ("1.42", Payment::Paid)] {
        let mut stage = Stage::until(400 * 24 * HOUR);
        let change = RewardChange { min_payout: Some(money(least)), ..RewardChange::default() };
        assert_eq!(stage.own(Own::SetRewards(Arc::new(change))), Answer::Done);
        let [ann, _] = quote_for(&mut stage, eastern::day_of(1970, 1, 7), 720);
        assert_eq!((ann.amount, ann.payment), (money("1.42"), payment));
        stage.expects(ANN, if payment == Payment::Paid { "1001.42" } else { "1000" }, "0", "0");
    }
}

/// An event is scored from the first full minute on at which it has its pool; a decided event gets none.
#[test]
fn a_pool_begins_with_the_next_minute() {
    let mut stage = stage("10");
    stage.listed("SNOW", |new| new.expiry = Time(new.expiry.0 + 100 * HOUR));
    let minute = stage.exchange.stamp.time.0.next_multiple_of(MINUTE) + MINUTE;
    stage.snapshots(minute + MINUTE / 2);
    assert_eq!(stage.set_pools(&[(0, "10"), (1, "5")]), Answer::Done);
    let snapshots = stage.snapshots(minute + 2 * MINUTE);
    let found: Vec<(u32, u64)> =
        snapshots.iter().map(|scored| (scored.event.0, (scored.minute.0 - minute) / MINUTE)).collect();
    assert_eq!(found, [(0, 1), (1, 1), (0, 2), (1, 2)]);
    // A halt takes the event out, and its end puts it in again.
    stage.halt(1, true);
    assert!(stage.snapshots(minute + 3 * MINUTE).iter().all(|scored| scored.event == EventId(0)));
    stage.halt(1, false);
    assert_eq!(stage.snapshots(minute + 4 * MINUTE).len(), 2);
    assert_eq!(stage.void_event(1, None, false), Answer::Done);
    assert_eq!(stage.set_pools(&[(0, "10"), (1, "5")]), refused(Reject::Ended));
    assert_eq!(stage.snapshots(minute + 5 * MINUTE).len(), 1);
    stage.replays();
}

/// Small orders in front of others do not keep these from scoring; a command ends with the contract at which it has looked at many orders.
#[test]
fn small_orders_crowd_nobody_out() {
    let mut stage = stage("10");
    stage.pass_to(eastern::at(eastern::day_of(1970, 1, 3), 0).0 - 5 * MINUTE);
    stage.listed("TWO", |new| {
        let contract = |ticker: &str| NewContract { ticker: ticker.to_owned(), label: ticker.to_owned() };
        new.contracts = vec![contract("A"), contract("B")];
        new.expiry = Time(new.expiry.0 + 100 * HOUR);
    });
    assert_eq!(stage.set_pools(&[(1, "5")]), Answer::Done);
    let [one, two] = [1, 2].map(SymbolId::contract);
    let small = stage.place(one, "buy yes 1 @ 0.02");
    for _ in 0..10_000 {
        stage.send(CAT, TradingCommand::Place(small));
    }
    for contract in [one, two] {
        stage.order_on(contract, ANN, "buy yes 20 @ 0.02");
        stage.order_on(contract, BOB, "buy no 20 @ 0.96");
    }
    let minute = stage.exchange.stamp.time.0.next_multiple_of(MINUTE) + MINUTE;
    let snapshots = stage.snapshots(minute);
    let last: Vec<&Scored> = snapshots.iter().filter(|scored| scored.minute == Time(minute)).collect();
    let [first, second] = last[..] else { panic!("two parts: {last:?}") };
    assert_eq!((first.until, second.until), (Some(one), None));
    for part in [first, second] {
        let points: Vec<u128> = part.rows.iter().map(|(.., points)| points / QUARTER).collect();
        assert_eq!(points, [4 * 81 * 20; 2]);
    }
    // Both parts are one snapshot.
    stage.snapshots(eastern::at(eastern::day_of(1970, 1, 3), 12 * 60).0);
    assert_eq!(stage.void_event(1, None, false), Answer::Done);
    stage.snapshots(eastern::at(eastern::day_of(1970, 1, 4), 17 * 60 + 31).0);
    let row = stage.rows(ANN).pop().expect("a row");
    assert_eq!((row.shares[0].snapshots, row.amount), (720, money("2.5")));
    stage.replays();
}

/// A wall of orders that are large enough, of a group that scores with 250 contracts, takes no place of the others behind it.
#[test]
fn a_wall_of_one_group_crowds_nobody_out() {
    let mut stage = stage("10");
    let credit = Body::credit(stage.accounts[CAT], vec![(stage.usd, money("1000"))]);
    assert_eq!(stage.own(credit), Answer::Done);
    let wall = stage.place(RAIN, "buy yes 10 @ 0.01");
    for _ in 0..10_000 {
        stage.send(CAT, TradingCommand::Place(wall));
    }
    stage.placed(ANN, "buy yes 20 @ 0.01");
    stage.placed(BOB, "buy no 20 @ 0.96");
    assert_eq!(stage.points(), BTreeMap::from([(0, 289 * 20), (1, 289 * 20), (2, 289 * 250)]));
}

/// Rewards that are pending wait until `promo` has the money for the first of them, without a command until then.
#[test]
fn pending_rewards_wait_without_commands() {
    let mut stage = stage("1000");
    stage.placed(ANN, "buy yes 100 @ 0.48");
    stage.placed(BOB, "buy no 100 @ 0.48");
    let day = |number: u64| eastern::at(eastern::day_of(1970, 1, number), 17 * 60 + 31).0;
    stage.pass_to(day(4));
    assert_eq!(stage.void_event(0, None, false), Answer::Done);
    stage.pass_to(day(10));
    // The first row is that of a day with too few snapshots.
    let payments = |stage: &Stage| stage.rows(ANN).iter().skip(1).map(|row| row.payment).collect::<Vec<_>>();
    assert_eq!(payments(&stage), [Payment::Paid, Payment::Pending]);
    assert!(!stage.is_due(|own| matches!(own, Own::BeginPayout)));
    let last = stage.exchange.state.predictions().rewards().last_score_day();
    assert_eq!(last, Some(eastern::day_of(1970, 1, 4)));
    let promo = stage.exchange.state.ledger().house(PROMO.name).expect("open");
    assert_eq!(stage.own(Body::credit(promo, vec![(stage.usd, money("2000"))])), Answer::Done);
    stage.pass_to(day(10) + MINUTE);
    assert_eq!(payments(&stage), [Payment::Paid, Payment::Paid]);
    stage.replays();
}

/// A reward goes to the account that earned most of it in dollars, whatever the points of its events are.
#[test]
fn the_account_that_earned_most_is_paid() {
    let mut stage = stage("10");
    stage.listed("SNOW", |new| new.expiry = Time(new.expiry.0 + 100 * HOUR));
    assert_eq!(stage.set_pools(&[(0, "10"), (1, "50")]), Answer::Done);
    let dee = stage.open_beside(ANN, "dee");
    // Many points of the small pool, few of the large one.
    stage.placed(ANN, "buy yes 250 @ 0.49");
    stage.placed(CAT, "buy no 10 @ 0.49");
    stage.order_on(SymbolId::contract(1), dee, "buy yes 10 @ 0.42");
    stage.order_on(SymbolId::contract(1), CAT, "buy no 10 @ 0.42");
    stage.snapshots(eastern::at(eastern::day_of(1970, 1, 4), 17 * 60 + 31).0);
    assert!(stage.rows(ANN).iter().all(|row| row.amount == Money::ZERO));
    let row = stage.rows(dee).pop().expect("a row");
    assert_eq!(row.shares.iter().map(|share| share.amount).collect::<Vec<_>>(), [money("9.61"), money("25")]);
}

/// A step of a payout ends once it has read a thousand scores; the groups of all steps share the pool.
#[test]
fn a_payout_has_several_steps() {
    const MAKERS: usize = 1_001;
    let mut stage = stage("1000");
    stage.pass_to(eastern::at(eastern::day_of(1970, 1, 3), 0).0 - 2 * MINUTE);
    for number in 0..MAKERS {
        let account = stage.exchange.account(&format!("maker-{number}"), "");
        stage.keys.push(stage.exchange.key(&format!("maker-{number}"), account, Role::Trader));
        stage.accounts.push(account);
        stage.exchange.own(Body::credit(account, vec![(stage.usd, money("10"))]));
        let who = stage.accounts.len() - 1;
        let place = stage.place(RAIN, "buy yes 10 @ 0.48");
        stage.send(who, Own::AcceptTerms);
        stage.send(who, TradingCommand::Place(place));
    }
    stage.placed(ANN, "buy no 10 @ 0.48");
    stage.snapshots(eastern::at(eastern::day_of(1970, 1, 3), 12 * 60 + 1).0);
    assert_eq!(stage.void_event(0, None, false), Answer::Done);
    let paid = eastern::at(eastern::day_of(1970, 1, 4), 17 * 60 + 31).0;
    let mut steps = 0;
    while let Some(due) = stage.exchange.state.next_due().filter(|due| due.time.0 <= paid) {
        let wait = due.time.0.saturating_sub(stage.exchange.stamp.time.0);
        stage.exchange.submit(wait, &own(due.command));
        let rows = |event: &Infrequent| matches!(event, Infrequent::Rewarded(paid) if !paid.rows.is_empty());
        steps += stage.exchange.of.predictions.iter().filter(|event| rows(event)).count();
    }
    // Two for the day before, which has too few snapshots.
    assert_eq!(steps, 4);
    assert_eq!(stage.exchange.state.broken_law(), None);
    let all = (0..stage.accounts.len()).flat_map(|who| stage.rows(who));
    let amounts: Vec<Money> = all.map(|row| row.amount).filter(|amount| *amount > Money::ZERO).collect();
    // 64 × 10 each, of a thousand dollars: less than a dollar, which is a row without a payment.
    assert_eq!(amounts, [money("0.99"); MAKERS + 1]);
}
