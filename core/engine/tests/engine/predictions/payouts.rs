//! Payouts: once, when the window has ended, in steps between which others act.

use super::*;
use buttonwood_engine::prediction::STEP_MAX;

/// Proves PM-027: each winning claim is paid a dollar without being claimed, once, when the window for disputes has ended.
#[test]
fn winners_are_paid_when_the_window_ends() {
    let mut stage = Stage::new();
    stage.placed(ANN, "buy yes 100 @ 0.40");
    stage.placed(BOB, "buy no 100 @ 0.60");
    stage.placed(CAT, "buy yes 10 @ 0.20");
    assert_eq!(stage.resolve(0, &[("RAIN", Claim::Yes)]), Answer::Done);
    stage.catch_up();
    // The live order is cancelled, and nothing is paid within the window.
    stage.expects(CAT, "1000", "0", "0");
    assert_eq!(stage.exchange.state.orders().len(), 0);
    assert_eq!((stage.status(0), stage.escrow()), (Status::UnderReview, money("100")));
    assert_eq!(stage.order(ANN, "sell yes 10 @ 0.40"), refused(Reject::NotOpen));
    let settles = stage.exchange.state.predictions().event(EventId(0)).unwrap().resolution.as_ref().unwrap();
    let settles = settles.settles.unwrap().0;
    stage.pass_to(settles - 1);
    assert_eq!(stage.status(0), Status::UnderReview);
    stage.pass_to(settles);
    assert_eq!((stage.status(0), stage.escrow()), (Status::Settled, Money::ZERO));
    stage.expects(ANN, "1059.6", "0", "0");
    stage.expects(BOB, "938", "0", "0");
    assert_eq!(stage.void(None, false), refused(Reject::Ended));
    stage.replays();
}

/// A stage with a crowd in Ann's group, each with a yes of a cent less than half a dollar, against Bob's no.
fn crowded(crowd: usize) -> (Stage, Vec<AccountId>) {
    let mut stage = Stage::new();
    let mut members = Vec::new();
    stage.placed(BOB, &format!("buy no {crowd} @ 0.51"));
    for number in 0..crowd {
        let name = format!("crowd-{number}");
        let account = stage.exchange.account_beside(stage.accounts[ANN], &name, "");
        stage.exchange.own(Body::credit(account, vec![(stage.usd, money("1"))]));
        let key = stage.exchange.key(&name, account, Role::Trader);
        let place = stage.place(RAIN, "buy yes 1 @ 0.49");
        stage.nonce += 1;
        let caller = Some(caller(key, account, stage.nonce));
        let answer = stage.exchange.submit(1, &Command { caller, body: TradingCommand::Place(place).into() });
        assert!(answer.order().is_ok(), "{answer:?}");
        members.push(account);
    }
    assert_eq!(stage.exchange.state.broken_law(), None);
    (stage, members)
}

/// Runs one due command, at its time.
fn step(stage: &mut Stage) -> Body {
    let due = stage.exchange.state.next_due().expect("due");
    let wait = due.time.0.saturating_sub(stage.now());
    assert_eq!(
        stage.exchange.submit(wait, &Command { caller: None, body: due.command.clone() }),
        Answer::Done
    );
    assert_eq!(stage.exchange.state.broken_law(), None);
    due.command
}

/// Proves PM-027: a payout of more holders than two steps pay is exact while others trade between its steps, over a snapshot and a replay in its
/// middle; while it runs, nothing of the event can be decided any more.
#[test]
fn a_crowd_is_paid_once_in_steps() {
    let (mut stage, members) = crowded(1_100);
    stage.listed("SNOW", |new| new.expiry = Time(10 * HOUR));
    let snow = SymbolId::contract(1);
    assert_eq!(stage.resolve(0, &[("RAIN", Claim::Yes)]), Answer::Done);
    stage.catch_up();
    // The last command before the first step.
    stage.pass_to(stage.settles(0).expect("a window") - 1);
    assert!(matches!(step(&mut stage), Body::Prediction(Own::Finish(_))));
    let mut steps = 0;
    while stage.status(0) == Status::UnderReview {
        assert!(matches!(step(&mut stage), Body::Prediction(Own::Work)));
        steps += 1;
        refuses(&stage.void(None, true), "Ended");
        refuses(&stage.dispute(0), "Ended");
        refuses(&stage.resolve(0, &[("RAIN", Claim::No)]), "Ended");
        let paid = members.iter().filter(|account| stage.has_of(RAIN, **account)[0] > money("1")).count();
        // One of the first step is Bob, who is paid nothing.
        assert_eq!(paid, (steps * STEP_MAX - 1).min(1_100), "after {steps} steps");
        stage.order_on(snow, ANN, "buy yes 1 @ 0.30").order().expect("others trade");
        stage.exchange.state = stage.exchange.stored();
    }
    assert!((23..=25).contains(&steps), "{steps} steps");
    let each = money("1.4855");
    assert!(members.iter().all(|account| stage.has_of(RAIN, *account) == [each, Money::ZERO, Money::ZERO]));
    assert_eq!(stage.escrow(), Money::ZERO);
    stage.replays();
}

/// More live orders than a step cancels: trading has ended at once, and holds return step by step.
#[test]
fn a_crowd_of_orders_is_cancelled_in_steps() {
    let mut stage = Stage::new();
    for number in 0..1_100 {
        stage.order(number % 3, "buy yes 1 @ 0.01").order().expect("placed");
    }
    assert_eq!(stage.resolve(0, &[("RAIN", Claim::No)]), Answer::Done);
    let mut left = vec![];
    while !stage.exchange.state.orders().is_empty() {
        refuses(&stage.order(ANN, "buy yes 1 @ 0.01"), "NotOpen");
        step(&mut stage);
        left.push(stage.exchange.state.orders().len());
    }
    let expected: Vec<usize> = (0..11).rev().map(|hundreds| hundreds * 100).collect();
    assert_eq!(left, expected);
    assert_eq!([ANN, BOB, CAT].map(|who| stage.held(who)), [Money::ZERO; 3]);
    stage.replays();
}

/// A window of no time pays at once. Two events that end at one time both do.
#[test]
fn a_window_of_no_time_pays_at_once() {
    let mut stage = Stage::new();
    stage.listed("SNOW", |new| (new.dispute, new.expiry) = (0, Time(HOUR)));
    let snow = SymbolId::contract(1);
    stage.order_on(snow, ANN, "buy yes 10 @ 0.40").order().expect("placed");
    stage.order_on(snow, BOB, "buy no 10 @ 0.60").order().expect("placed");
    stage.pass_to(HOUR);
    assert_eq!([stage.status(0), stage.status(1)], [Status::Closed; 2]);
    assert_eq!(stage.resolve(1, &[("SNOW", Claim::No)]), Answer::Done);
    stage.catch_up();
    assert_eq!(stage.status(1), Status::Settled);
    assert_eq!(stage.has_of(snow, stage.accounts[BOB]), ["1003.8", "0", "0"].map(money));
    stage.replays();
}
