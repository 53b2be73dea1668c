//! Void events: what each position is paid back (D-106).

use super::*;

/// Every position gets its cost where the costs are the escrow; fees stay charged.
#[test]
fn a_void_event_pays_costs_back() {
    let mut stage = Stage::new();
    stage.mint();
    stage.placed(CAT, "buy yes 10 @ 0.20");
    assert_eq!(stage.void(None, false), Answer::Done);
    assert_eq!(stage.status(0), Status::Invalid);
    stage.catch_up();
    stage.expects(ANN, "999.6", "0", "0");
    stage.expects(BOB, "998", "0", "0");
    stage.expects(CAT, "1000", "0", "0");
    assert_eq!(stage.escrow(), Money::ZERO);
    assert_eq!(stage.void(None, false), refused(Reject::Ended));
    assert_eq!(stage.resolve(0, &[("RAIN", Claim::Yes)]), refused(Reject::Ended));
    stage.replays();
}

/// Two accounts that sell to each other push costs: such a void needs a word more, and then shares the escrow by cost, rounded down; the
/// rest goes to the rounding account. The last price decides nothing.
#[test]
fn costs_that_resales_pushed_are_scaled() {
    let mut stage = Stage::new();
    stage.mint();
    // A hundred yes that cost 40 go for 90: costs are 150, the escrow is 100.
    stage.placed(ANN, "sell yes 100 @ 0.90");
    stage.placed(CAT, "buy yes 100 @ 0.90");
    let before = [ANN, BOB, CAT].map(|who| stage.has(who)[0]);
    assert_eq!(stage.void(None, false), refused(Reject::CostsDiffer));
    assert_eq!(stage.status(0), Status::Active);
    assert_eq!(stage.void(None, true), Answer::Done);
    stage.catch_up();
    let gained = [ANN, BOB, CAT].map(|who| stage.has(who)[0]);
    let gained = [0, 1, 2].map(|who: usize| gained[who] - before[who]);
    assert_eq!(gained, [money("0"), money("40"), money("60")]);
    stage.replays();
}

/// What is rounded down goes to the rounding account, and nothing stays in escrow.
#[test]
fn the_rounding_account_gets_the_rest() {
    let mut stage = Stage::new();
    stage.mint();
    stage.placed(ANN, "sell yes 50 @ 0.70");
    stage.placed(CAT, "buy yes 50 @ 0.70");
    // Costs are 20, 60 and 35.
    assert_eq!(stage.void(None, true), Answer::Done);
    stage.catch_up();
    let ledger = stage.exchange.state.ledger();
    let rounding = ledger.house("rounding").expect("opened");
    let left = ledger.balance(rounding, stage.usd).available;
    assert!(left > Money::ZERO && left < money("0.000000000000000001"), "{left:?}");
    assert_eq!(stage.escrow(), Money::ZERO);
    stage.replays();
}

/// Sales that are live at the call net when they are cancelled, and the sums are those of then.
#[test]
fn held_pairs_count_as_netted() {
    let mut stage = Stage::new();
    stage.mint();
    stage.placed(ANN, "sell yes 100 @ 0.90");
    stage.placed(ANN, "buy no 30 @ 0.50");
    stage.placed(BOB, "buy yes 30 @ 0.50");
    // Bob netted at a loss of 3, and Ann will at a gain of 3: together the costs are the escrow.
    assert_eq!(stage.void(None, false), Answer::Done);
    stage.catch_up();
    assert_eq!(stage.escrow(), Money::ZERO);
    assert_eq!([ANN, BOB].map(|who| stage.has(who)[1]), [Money::ZERO; 2]);
    stage.replays();
}

/// A value pays so much for each yes and the rest of the dollar for each no.
#[test]
fn a_value_decides_what_is_paid() {
    for (value, yes, no) in [("0.25", "25", "75"), ("0", "0", "100"), ("1", "100", "0")] {
        let mut stage = Stage::new();
        stage.mint();
        let before = [ANN, BOB].map(|who| stage.has(who)[0]);
        assert_eq!(stage.void(Some("1.01"), false), refused(Reject::BadValue));
        assert_eq!(stage.void(Some("-0.01"), false), refused(Reject::BadValue));
        assert_eq!(stage.void(Some(value), false), Answer::Done);
        stage.catch_up();
        let gained = [stage.has(ANN)[0] - before[0], stage.has(BOB)[0] - before[1]];
        assert_eq!(gained, [money(yes), money(no)], "at {value}");
        let row = stage.exchange.state.predictions().contract(RAIN).expect("listed");
        assert_eq!((row.value, row.outcome), (Some(money(value)), None));
        stage.replays();
    }
}

/// An event may become void before its start, in its window, and when it is disputed; not from the end of the window on.
#[test]
fn an_event_may_become_void_until_it_is_paid() {
    let mut stage = Stage::new();
    stage.listed("SNOW", |new| new.start = Some(Time(HOUR / 2)));
    assert_eq!(stage.void_event(1, None, false), Answer::Done);
    stage.mint();
    stage.resolve(0, &[("RAIN", Claim::Yes)]);
    stage.dispute(0);
    assert_eq!(stage.void(None, false), Answer::Done);
    stage.pass_to(5 * HOUR);
    assert_eq!([stage.status(0), stage.status(1)], [Status::Invalid; 2]);
    stage.expects(ANN, "999.6", "0", "0");
    stage.listed("HAIL", |_| {});
    stage.resolve(2, &[("HAIL", Claim::Yes)]);
    assert_eq!(stage.void_event(2, None, false), Answer::Done);
    stage.pass_to(9 * HOUR);
    assert_eq!(stage.status(2), Status::Invalid);
    stage.replays();
}

/// A void whose orders take several steps to cancel pays all the same, what is left by then.
#[test]
fn a_void_waits_for_its_orders() {
    let mut stage = Stage::new();
    stage.mint();
    for _ in 0..600 {
        stage.placed(CAT, "buy yes 1 @ 0.01");
    }
    stage.placed(ANN, "sell yes 100 @ 0.90");
    assert_eq!(stage.void(None, false), Answer::Done);
    let order = stage.exchange.orders_of(stage.accounts[CAT]).next().expect("it lives").id;
    assert!(stage.cancel(CAT, order.0).order().is_ok(), "a client may be faster");
    stage.catch_up();
    stage.expects(ANN, "999.6", "0", "0");
    stage.expects(CAT, "1000", "0", "0");
    stage.replays();
}

/// A void while orders wait to enter that a trade has reached: each step cancels a bounded number of them, whichever account they are of,
/// and all are cancelled in the end. From the first step on nothing trades.
#[test]
fn due_stops_of_a_void_event_are_cancelled_in_steps() {
    let mut stage = Stage::new();
    for _ in 0..150 {
        for who in [ANN, BOB] {
            stage.placed(who, "buy yes 1 @ 0.60 stop 0.55");
        }
    }
    stage.placed(CAT, "buy no 1 @ 0.45");
    stage.placed(ANN, "buy yes 1 @ 0.55");
    // The trade has reached all of them, and a halt keeps them from entering.
    assert_eq!(stage.own(buttonwood_engine::Operation::Halt), Answer::Done);
    let orders = stage.exchange.state.orders().len();
    assert_eq!(orders, 300);
    assert_eq!(stage.void(None, false), Answer::Done);
    let mut steps = Vec::new();
    while let Some(due) = stage.exchange.state.next_due().filter(|due| due.time <= stage.exchange.stamp.time)
    {
        assert_eq!(stage.own(due.command), Answer::Done);
        let cancelled = stage.exchange.happened.iter();
        let cancelled = cancelled.filter(|what| matches!(what, Happening::Cancelled(..))).count();
        assert!(!stage.exchange.happened.iter().any(|what| matches!(what, Happening::Filled { .. })));
        steps.push(cancelled);
    }
    steps.retain(|cancelled| *cancelled > 0);
    assert_eq!(steps, [100, 100, 100]);
    assert!(stage.exchange.state.orders().is_empty());
    assert_eq!(stage.escrow(), Money::ZERO);
    stage.replays();
}

/// The sums of a void are those of the call, however many accounts hold pairs that their sales keep from netting: the call reads them once
/// for each contract.
#[test]
fn a_void_reads_one_sum_for_a_contract() {
    let mut stage = Stage::new();
    stage.mint();
    stage.placed(ANN, "sell yes 100 @ 0.90");
    stage.placed(BOB, "sell no 100 @ 0.90");
    stage.placed(ANN, "buy no 30 @ 0.50");
    stage.placed(CAT, "buy yes 30 @ 0.50");
    stage.placed(CAT, "sell yes 30 @ 0.95");
    stage.placed(CAT, "buy no 10 @ 0.20");
    stage.placed(BOB, "buy yes 10 @ 0.80");
    let sums = |stage: &Stage| {
        stage.exchange.state.predictions().sums_when_closed(stage.exchange.state.ledger(), RAIN)
    };
    let (before, held) = (sums(&stage), stage.escrow());
    assert_ne!(before.1, held, "pairs are held");
    assert_eq!(
        stage.exchange.stored().predictions().sums_when_closed(stage.exchange.state.ledger(), RAIN),
        before
    );
    for who in [ANN, BOB, CAT] {
        stage.call(who, TradingCommand::CancelAll);
    }
    // Nothing is held any more, so that the sums are the costs and the escrow.
    let costs = stage.exchange.state.predictions().contract(RAIN).expect("listed").costs;
    assert_eq!((costs, stage.escrow()), before);
    stage.replays();
}
