//! The life of an event: its start, halts, expiry, proposals and disputes.

use super::*;

/// Proves PM-020: orders wait for the start of an approved event.
#[test]
fn an_approved_event_takes_orders_from_its_start() {
    let mut stage = Stage::new();
    stage.listed("SNOW", |new| new.start = Some(Time(HOUR / 2)));
    let snow = SymbolId::contract(1);
    assert_eq!(stage.status(1), Status::Approved);
    assert_eq!(stage.order_on(snow, ANN, "buy yes 1 @ 0.40"), refused(Reject::NotOpen));
    stage.pass_to(HOUR / 2 - 1);
    assert_eq!(stage.status(1), Status::Approved);
    stage.pass_to(HOUR / 2);
    assert_eq!(stage.status(1), Status::Active);
    stage.order_on(snow, ANN, "buy yes 1 @ 0.40").order().expect("open");
    stage.replays();
}

/// A halt keeps orders, which can be cancelled, and lasts over a start of the exchange and over the event's own start.
#[test]
fn a_halt_keeps_orders() {
    let mut stage = Stage::new();
    stage.mint();
    let kept = stage.placed(ANN, "sell yes 10 @ 0.90");
    let gone = stage.placed(ANN, "buy no 10 @ 0.05");
    assert_eq!(stage.halt(0, true), Answer::Done);
    stage.exchange.state = stage.exchange.stored();
    assert_eq!(stage.order(BOB, "buy yes 10 @ 0.90"), refused(Reject::NotOpen));
    assert!(stage.cancel(ANN, gone).order().is_ok());
    assert_eq!((stage.left(kept), stage.left(gone)), (Some(1_000), None));
    assert_eq!(stage.status(0), Status::Active);
    assert_eq!(stage.halt(0, false), Answer::Done);
    stage.placed(BOB, "buy yes 10 @ 0.90");
    assert_eq!(stage.left(kept), None);
    stage.listed("SNOW", |new| new.start = Some(Time(HOUR / 2)));
    assert_eq!(stage.halt(1, true), Answer::Done);
    stage.pass_to(HOUR / 2);
    let snow = SymbolId::contract(1);
    assert_eq!(stage.order_on(snow, ANN, "buy yes 1 @ 0.40"), refused(Reject::NotOpen));
    assert_eq!(stage.halt(1, false), Answer::Done);
    stage.order_on(snow, ANN, "buy yes 1 @ 0.40").order().expect("open");
    stage.pass_to(HOUR);
    assert_eq!(stage.halt(0, true), refused(Reject::NotTrading));
    stage.replays();
}

/// Proves PM-027: expiry cancels live orders and frees what they held; positions stay.
#[test]
fn expiry_cancels_orders() {
    let mut stage = Stage::new();
    stage.mint();
    stage.placed(ANN, "sell yes 100 @ 0.90");
    stage.placed(ANN, "buy no 30 @ 0.05");
    stage.placed(CAT, "buy yes 10 @ 0.60 stop 0.50");
    stage.pass_to(HOUR - 1);
    assert_eq!((stage.status(0), stage.exchange.state.orders().len()), (Status::Active, 3));
    let due = stage.exchange.state.next_due().expect("the expiry");
    assert_eq!(due.time, Time(HOUR));
    stage.pass_to(HOUR);
    assert_eq!((stage.status(0), stage.exchange.state.orders().len()), (Status::Closed, 0));
    assert_eq!([ANN, CAT].map(|who| stage.held(who)), [Money::ZERO; 2]);
    assert_eq!(stage.has(ANN)[1], money("100"));
    assert_eq!(stage.order(CAT, "buy yes 1 @ 0.60"), refused(Reject::NotOpen));
    stage.replays();
}

/// An order that comes when the expiry is due and has not run is too late, and so is a combo.
#[test]
fn nothing_trades_after_the_expiry() {
    let mut stage = Stage::new();
    stage.listed("SNOW", |new| new.expiry = Time(3 * HOUR));
    let order = TradingCommand::Place(stage.place(RAIN, "buy yes 1 @ 0.40"));
    stage.nonce += 1;
    let caller = Some(caller(stage.keys[ANN], stage.accounts[ANN], stage.nonce));
    let command = Command { caller, body: order.into() };
    let wait = HOUR - stage.now();
    assert_eq!(stage.exchange.submit(wait, &command), refused(Reject::NotOpen));
    assert_eq!(stage.combo("A", &[(0, Claim::Yes), (1, Claim::Yes)]), refused(Reject::BadLegs));
    stage.catch_up();
    assert_eq!(stage.status(0), Status::Closed);
}

/// The event of a cancel at the end says that the market is closed.
#[test]
fn cancels_at_the_end_say_why() {
    let mut stage = Stage::new();
    let order = stage.placed(ANN, "buy yes 10 @ 0.40");
    let mut reasons = Vec::new();
    while let Some(due) = stage.exchange.state.next_due().filter(|due| due.time.0 <= HOUR) {
        let wait = due.time.0.saturating_sub(stage.now());
        stage.exchange.submit(wait, &Command { caller: None, body: due.command });
        for happening in &stage.exchange.happened {
            if let Happening::Cancelled(id, reason) = happening {
                reasons.push((*id, *reason));
            }
        }
    }
    assert_eq!(reasons, [(order, CancelReason::MarketClosed)]);
}

/// A dispute stops the window until a new proposal, which has a window of its own; nothing is paid before its end.
#[test]
fn a_dispute_stops_the_window() {
    let mut stage = Stage::new();
    stage.mint();
    assert_eq!(stage.dispute(0), refused(Reject::NotProposed));
    assert_eq!(stage.resolve(0, &[("RAIN", Claim::Yes)]), Answer::Done);
    assert_eq!(stage.resolve(0, &[("RAIN", Claim::No)]), refused(Reject::AlreadyProposed));
    let first = stage.settles(0).expect("a window");
    stage.pass_to(first - 10);
    assert_eq!(stage.dispute(0), Answer::Done);
    assert_eq!((stage.dispute(0), stage.settles(0)), (refused(Reject::NotProposed), None));
    stage.pass_to(first + 5 * HOUR);
    assert_eq!((stage.status(0), stage.escrow()), (Status::UnderReview, money("100")));
    assert_eq!(stage.resolve(0, &[("RAIN", Claim::No)]), Answer::Done);
    let second = stage.settles(0).expect("a window");
    assert_eq!(second, stage.now() + HOUR);
    stage.pass_to(second - 1);
    assert_eq!(stage.escrow(), money("100"));
    stage.pass_to(second);
    assert_eq!((stage.status(0), stage.escrow()), (Status::Settled, Money::ZERO));
    stage.expects(ANN, "959.6", "0", "0");
    stage.expects(BOB, "1038", "0", "0");
    assert_eq!(stage.dispute(0), refused(Reject::Ended));
    stage.replays();
}

/// A dispute that comes when the window has ended is too late, also before the payout has begun.
#[test]
fn a_dispute_at_the_end_of_the_window_is_late() {
    let mut stage = Stage::new();
    stage.mint();
    stage.resolve(0, &[("RAIN", Claim::Yes)]);
    stage.catch_up();
    let settles = stage.settles(0).expect("a window");
    let command = |stage: &Stage, at: u64| {
        let body = Own::Dispute(EventId(0), "late".to_owned()).into();
        (at - stage.now(), Command { caller: None, body })
    };
    let (wait, late) = command(&stage, settles);
    assert_eq!(stage.exchange.submit(wait, &late), refused(Reject::Ended));
    stage.catch_up();
    assert_eq!(stage.status(0), Status::Settled);
}

/// A resolution names each contract once, and an exclusive event has one yes.
#[test]
fn a_resolution_names_each_contract_once() {
    let mut stage = Stage::new();
    let mut vote = event("VOTE", &["A", "B", "C"]);
    vote.expiry = Time(3 * HOUR);
    assert_eq!(stage.list(vote), Answer::Done);
    let (yes, no) = (Claim::Yes, Claim::No);
    let bad: [&[(&str, Claim)]; 5] = [
        &[("A", yes), ("B", no)],
        &[("A", yes), ("B", no), ("D", no)],
        &[("A", yes), ("B", no), ("B", no)],
        &[("A", yes), ("B", no), ("C", no), ("D", no)],
        &[],
    ];
    for outcomes in bad {
        assert_eq!(stage.resolve(1, outcomes), refused(Reject::BadOutcomes), "{outcomes:?}");
    }
    for outcomes in [[yes, yes, no], [no, no, no]] {
        let named = [("A", outcomes[0]), ("B", outcomes[1]), ("C", outcomes[2])];
        assert_eq!(stage.resolve(1, &named), refused(Reject::NotOneYes));
    }
    assert_eq!(stage.status(1), Status::Active);
    assert_eq!(stage.resolve(1, &[("C", no), ("B", yes), ("A", no)]), Answer::Done);
    stage.catch_up();
    let settles = stage.settles(1).expect("a window");
    stage.pass_to(settles);
    let outcome =
        |at| stage.exchange.state.predictions().contract(SymbolId::contract(at)).expect("listed").outcome;
    assert_eq!([1, 2, 3].map(outcome), [Some(no), Some(yes), Some(no)]);
    stage.replays();
}

/// A resolution may come before the start, and then the event never starts.
#[test]
fn a_resolution_may_come_before_the_start() {
    let mut stage = Stage::new();
    stage.listed("SNOW", |new| new.start = Some(Time(HOUR / 2)));
    assert_eq!(stage.resolve(1, &[("SNOW", Claim::Yes)]), Answer::Done);
    stage.pass_to(stage.settles(1).expect("a window"));
    assert_eq!(stage.status(1), Status::Settled);
    stage.replays();
}

/// While the exchange is halted nobody trades contracts, and expiries, resolutions and payouts go on.
#[test]
fn events_go_on_while_the_exchange_is_halted() {
    let mut stage = Stage::new();
    stage.mint();
    let order = stage.placed(ANN, "sell yes 1 @ 0.90");
    assert_eq!(stage.own(buttonwood_engine::Operation::Halt), Answer::Done);
    assert_eq!(stage.order(ANN, "buy yes 1 @ 0.40"), Answer::Rejected(AnyReject::Halted));
    assert!(stage.cancel(ANN, order).order().is_ok());
    stage.pass_to(HOUR);
    assert_eq!(stage.status(0), Status::Closed);
    assert_eq!(stage.resolve(0, &[("RAIN", Claim::Yes)]), Answer::Done);
    stage.pass_to(stage.settles(0).expect("a window"));
    assert_eq!(stage.status(0), Status::Settled);
    stage.expects(ANN, "1059.6", "0", "0");
    stage.replays();
}
