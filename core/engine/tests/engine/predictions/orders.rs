//! Cancels, stops, and the rates of orders.

use super::*;
use buttonwood_engine::{FeeChange, Note, Operation, OrderRef};
use buttonwood_model::Product;
use buttonwood_num::Bps;

/// Proves PM-021: the room's command cancels an order of its account alone, and the floor's finds none.
#[test]
fn each_room_cancels_its_own_orders() {
    let mut stage = Stage::new();
    let order = stage.placed(ANN, "buy yes 10 @ 0.40");
    let by_floor = stage.call(ANN, TradingCommand::Cancel(OrderRef::Id(OrderId(order))));
    assert!(by_floor.is_not_live(), "{by_floor:?}");
    assert!(stage.cancel(BOB, order).is_not_live());
    let btc = stage.exchange.symbol(["BTC", "USD"], ["0.001", "0.001", "0.01"], &[]);
    let mut spot = stage.place(RAIN, "buy yes 10 @ 0.40");
    spot.symbol = btc;
    let spot = stage.call(ANN, TradingCommand::Place(spot)).order().expect("placed").id.0;
    assert!(stage.cancel(ANN, spot).is_not_live(), "an order of a listed symbol is not of this room");
    assert!(stage.cancel(ANN, order).order().is_ok());
    assert!(stage.cancel(ANN, order).is_not_live());
    assert_eq!(stage.left(order), None);
    assert!(stage.exchange.order(spot).is_some());
}

/// Whatever cancels all orders of an account or of a session takes these too (D-115).
#[test]
fn all_orders_are_these_too() {
    for act in 0..3 {
        let mut stage = Stage::new();
        stage.mint();
        stage.placed(ANN, "sell yes 30 @ 0.90");
        stage.placed(ANN, "buy no 30 @ 0.05");
        stage.placed(BOB, "buy yes 1 @ 0.05");
        let session = stage.keys[ANN];
        let answer = match act {
            0 => stage.call(ANN, TradingCommand::CancelAll),
            1 => stage.call(ANN, TradingCommand::CancelSession),
            _ => stage.own(TradingCommand::ExpireSession(session)),
        };
        assert_eq!(answer, Answer::Done);
        assert_eq!((stage.exchange.state.orders().len(), stage.held(ANN)), (1, Money::ZERO));
        stage.replays();
    }
}

/// An order keeps the rates of its placement, as maker and as what it holds.
#[test]
fn an_order_keeps_its_rates() {
    let mut stage = Stage::new();
    stage.placed(ANN, "buy yes 100 @ 0.40");
    let schedule = FeeSchedule { maker: Bps(0), taker: Bps(10_000), auction: Bps(0) };
    let change = FeeChange { product: Product::Contract, account: None, schedule: Some(schedule) };
    assert_eq!(stage.own(TradingCommand::SetFees(change)), Answer::Done);
    stage.placed(BOB, "buy no 100 @ 0.60");
    stage.expects(ANN, "959.6", "100", "0");
    stage.expects(BOB, "900", "0", "100");
    // The fee of the whole price: a sale at 0.40 brings nothing.
    stage.placed(CAT, "buy yes 100 @ 0.40");
    assert_eq!(stage.held(CAT), money("80"));
    stage.placed(ANN, "sell yes 100 @ 0.40");
    stage.expects(ANN, "959.6", "0", "0");
    stage.replays();
}

/// Rates that operators set before the first listing stay.
#[test]
fn rates_of_operators_stay() {
    let mut exchange = Exchange::open(FeeSchedule::default(), None);
    exchange.find_currency("USD");
    let schedule = FeeSchedule { maker: Bps(1), taker: Bps(2), auction: Bps(0) };
    let change = FeeChange { product: Product::Contract, account: None, schedule: Some(schedule) };
    assert_eq!(exchange.own(TradingCommand::SetFees(change).into()), Answer::Done);
    assert_eq!(exchange.own(Own::ListEvent(Arc::new(event("RAIN", &[]))).into()), Answer::Done);
    assert_eq!(exchange.state.fees().of_product(Product::Contract), schedule);
}

/// Makes the last price of yes 0.50.
fn print_half(stage: &mut Stage) {
    stage.mint();
    stage.placed(ANN, "buy yes 10 @ 0.50");
    stage.placed(BOB, "buy no 10 @ 0.50");
}

/// Proves PM-015: a stop lies between the last price and the limit in the order's own view, both included (D-117).
#[test]
fn stops_fit_in_the_orders_own_view() {
    let mut stage = Stage::new();
    print_half(&mut stage);
    let good = [
        "buy yes 1 @ 0.60 stop 0.51",
        "buy yes 1 @ 0.60 stop 0.60",
        "buy no 1 @ 0.60 stop 0.51",
        "buy no 1 @ 0.60 stop 0.60",
    ];
    for words in good {
        let order = stage.placed(CAT, words);
        let stop = stage.exchange.order(order).expect("it waits");
        assert!(stop.stop.is_some() && stage.held(CAT) > Money::ZERO, "{words}");
        stage.cancel(CAT, order);
    }
    for words in ["buy yes 1 @ 0.60 stop 0.61", "buy yes 1 @ 0.60 stop 0.49", "buy no 1 @ 0.60 stop 0.61"] {
        refuses(&stage.order(CAT, words), "Stop(");
    }
    refuses(&stage.order(CAT, "buy no 1 @ 0.60 stop 0.49"), "Stop(");
    for words in ["sell yes 1 @ 0.40 stop 0.39", "sell yes 1 @ 0.40 stop 0.51"] {
        refuses(&stage.order(ANN, words), "Stop(");
    }
    for words in ["sell no 1 @ 0.40 stop 0.39", "sell no 1 @ 0.40 stop 0.51"] {
        refuses(&stage.order(BOB, words), "Stop(");
    }
    stage.placed(ANN, "sell yes 1 @ 0.40 stop 0.40");
    stage.placed(BOB, "sell no 1 @ 0.40 stop 0.49");
    stage.replays();
}

/// A stop enters when the last price of its own view reaches it, as a limit order; claims that it held net if they are free then.
#[test]
fn stops_enter_when_their_own_price_reaches_them() {
    let mut stage = Stage::new();
    print_half(&mut stage);
    let bought = stage.placed(CAT, "buy no 5 @ 0.70 stop 0.60");
    let sold = stage.placed(BOB, "sell no 5 @ 0.30 stop 0.40");
    // No at 0.45, then at 0.60: only the buy is reached, and rests.
    stage.placed(ANN, "buy yes 1 @ 0.40");
    stage.placed(BOB, "buy no 1 @ 0.60");
    stage.catch_up();
    let resting = stage.exchange.order(bought).expect("it rests");
    assert_eq!((resting.price, resting.side), (Price::from_ticks(30), Side::Sell));
    assert!(stage.exchange.queue(RAIN, Side::Sell).any(|order| order.id.0 == bought));
    assert!(!stage.exchange.queue(RAIN, Side::Buy).any(|order| order.id.0 == sold));
    // Yes at 0.60 is no at 0.40: the sale is reached.
    stage.cancel(CAT, bought);
    stage.placed(ANN, "buy yes 1 @ 0.60");
    stage.placed(BOB, "buy no 1 @ 0.40");
    stage.catch_up();
    assert!(stage.exchange.queue(RAIN, Side::Buy).any(|order| order.id.0 == sold));
    stage.replays();
}

/// A stop that the last price has reached already enters at once.
#[test]
fn a_stop_at_the_last_price_enters_at_once() {
    let mut stage = Stage::new();
    print_half(&mut stage);
    let order = stage.placed(CAT, "buy yes 1 @ 0.60 stop 0.50");
    stage.catch_up();
    assert!(stage.exchange.queue(RAIN, Side::Buy).any(|resting| resting.id.0 == order));
}

/// A stop that is reached when the exchange halts waits, also over a start, and enters when it resumes; an expiry in the halt cancels it.
#[test]
fn reached_stops_wait_while_the_exchange_is_halted() {
    for expires in [false, true] {
        let mut stage = Stage::new();
        print_half(&mut stage);
        let stop = stage.placed(CAT, "buy no 5 @ 0.70 stop 0.60");
        stage.placed(ANN, "buy yes 1 @ 0.40");
        stage.placed(BOB, "buy no 1 @ 0.60");
        let operate = |stage: &mut Stage, operation: Operation| {
            let note = Note { who: "ann".into(), what: "a halt".into(), why: "a test".into(), user: None };
            assert_eq!(stage.own(Body::act(note, Some(operation.into()))), Answer::Done);
        };
        operate(&mut stage, Operation::Halt);
        stage.exchange.state = stage.exchange.stored();
        stage.pass_to(HOUR - 1);
        let waits = |stage: &Stage| stage.exchange.queue(RAIN, Side::Sell).all(|order| order.id.0 != stop);
        assert!(waits(&stage) && stage.exchange.order(stop).is_some());
        if expires {
            stage.pass_to(HOUR);
            assert_eq!((stage.status(0), stage.held(CAT)), (Status::Closed, Money::ZERO));
        }
        operate(&mut stage, Operation::Resume);
        stage.catch_up();
        assert_eq!((waits(&stage), stage.exchange.order(stop).is_some()), (expires, !expires));
        stage.replays();
    }
}

/// An order of a contract that a rule refuses is reported with the word of its interface and in the view of its own outcome; one of a batch
/// too.
#[test]
fn refused_orders_of_contracts_are_reported() {
    let mut stage = Stage::new();
    let id = stage.exchange.state.next_id();
    let order = stage.place(RAIN, "buy no 30000 @ 0.40");
    for batch in [false, true] {
        let answer = if batch {
            stage.call(ANN, Own::BatchPlace(Arc::new(order)))
        } else {
            stage.call(ANN, TradingCommand::Place(order))
        };
        assert!(answer.order().is_err(), "{answer:?}");
        let [refused] = &stage.exchange.of.refused[..] else { panic!("{answer:?}") };
        assert_eq!(refused.id, OrderId(id + u64::from(batch)));
        assert_eq!((refused.side, refused.claim), (Side::Buy, Claim::No));
        assert_eq!(refused.reason.name(), "InsufficientFunds");
        let shown = |figure: Option<buttonwood_num::Decimal>| {
            let mut out = Vec::new();
            figure.expect("it has one").push(&mut out);
            String::from_utf8(out).expect("digits")
        };
        assert_eq!((shown(refused.price), shown(refused.qty)), ("0.40".to_owned(), "30000".to_owned()));
        assert_eq!((refused.stop, refused.spend), (None, None));
    }
    let mut late = stage.place(RAIN, "buy yes 1 @ 0.40");
    stage.pass_to(HOUR);
    stage.call(ANN, TradingCommand::Place(late));
    assert_eq!(stage.exchange.of.refused[0].reason.name(), "InvalidInput");
    // A contract that does not exist is no order at all.
    let next = stage.exchange.state.next_id();
    late.symbol = SymbolId::contract(9);
    stage.call(ANN, TradingCommand::Place(late));
    assert_eq!((stage.exchange.of.refused.len(), stage.exchange.state.next_id()), (0, next));
    stage.replays();
}
