//! What an event is listed with, its strike, and the terms.

use super::*;
use buttonwood_engine::prediction::{Strike, StrikeKind};
use buttonwood_num::{Decimal, Grid};

fn grid(tick: &str, lot: &str) -> Grid {
    let [tick, lot] = [tick, lot].map(|text| Decimal::parse(text.as_bytes()).expect("a decimal"));
    Grid::new(tick, lot).expect("a grid")
}

/// Each field of a new event is checked, and a refusal changes nothing.
#[test]
fn an_event_is_listed_whole_or_not_at_all() {
    type Change = fn(&mut NewEvent);
    let cases: [(Change, Reject); 17] = [
        (|new| new.ticker = "rain".to_owned(), Reject::BadTicker),
        (|new| new.ticker = String::new(), Reject::BadTicker),
        (|new| new.ticker = "RAIN".to_owned(), Reject::Taken),
        (|new| new.prefix = "S-C".to_owned(), Reject::BadTicker),
        (|new| new.title = " ".to_owned(), Reject::BadText),
        (|new| new.category = "x".repeat(501), Reject::BadText),
        (|new| new.source = Some(String::new()), Reject::BadText),
        (|new| new.closed_to = vec![String::new()], Reject::BadText),
        (|new| new.expiry = Time(1), Reject::BadExpiry),
        (|new| new.start = Some(new.expiry), Reject::BadExpiry),
        (|new| new.grid = grid("0.03", "0.01"), Reject::BadIncrement),
        (|new| new.grid = grid("1", "0.01"), Reject::BadIncrement),
        (|new| new.grid = grid("0.00000001", "0.000001"), Reject::BadIncrement),
        (|new| new.qty_min = buttonwood_num::Qty::from_hundredths(150), Reject::BadMinimum),
        (|new| new.contracts.clear(), Reject::BadContracts),
        (|new| new.contracts = [new.contracts.clone(), new.contracts.clone()].concat(), Reject::BadContracts),
        (|new| new.contracts[0].ticker = "X".to_owned(), Reject::BadTicker),
    ];
    let mut stage = Stage::new();
    for (at, (change, reject)) in cases.into_iter().enumerate() {
        let mut new = event("SNOW", &[]);
        change(&mut new);
        assert_eq!(stage.list(new), refused(reject), "case {at}");
    }
    assert_eq!(stage.exchange.state.predictions().events().len(), 1);
    let mut fine = event("SNOW", &[]);
    fine.grid = grid("0.0000001", "0.000001");
    fine.qty_min = fine.grid.qty(Decimal::parse(b"1").unwrap()).unwrap();
    assert_eq!(stage.list(fine), Answer::Done);
    stage.replays();
}

/// Contracts count against no limit of symbols, and one takes its own place.
#[test]
fn contracts_are_in_no_list_of_symbols() {
    let mut stage = Stage::new();
    let symbols = stage.exchange.state.symbols().len();
    assert_eq!(stage.list(event("VOTE", &["A", "B", "C"])), Answer::Done);
    assert_eq!(stage.exchange.state.symbols().len(), symbols);
    let name = |at| stage.exchange.state.symbol(SymbolId::contract(at)).map(|symbol| symbol.name.clone());
    assert_eq!((name(0), name(2), name(4)), (Some("svc-rain".into()), Some("svc-vote-b".into()), None));
    // A contract cannot be listed like a symbol.
    let mut symbol = stage.exchange.state.symbol(RAIN).expect("listed").clone();
    symbol.name = "svc-hail".to_owned();
    symbol.base = stage.exchange.find_currency("BTC");
    refuses(&stage.own(Body::list_symbol(symbol)), "Unknown");
}

/// The value of a strike may be replaced until it is public.
#[test]
fn a_strike_is_public_from_its_time_on() {
    let mut stage = Stage::new();
    let available = Time(HOUR / 2);
    let strike = Strike { kind: StrikeKind::Reference, value: None, available };
    stage.listed("SNOW", |new| new.strike = Some(strike));
    let set =
        |stage: &mut Stage, event, value: &str| stage.own(Own::SetStrike(EventId(event), value.to_owned()));
    let public = |stage: &Stage| {
        let event = stage.exchange.state.predictions().event(EventId(1)).expect("listed");
        event.strike.as_ref().and_then(|strike| strike.public_value(Time(stage.now()))).map(ToOwned::to_owned)
    };
    assert_eq!(set(&mut stage, 0, "1"), refused(Reject::NoStrike));
    assert_eq!(set(&mut stage, 7, "1"), refused(Reject::UnknownEvent));
    for bad in ["", "x", "1.2.3", "--1"] {
        assert_eq!(set(&mut stage, 1, bad), refused(Reject::BadStrike), "{bad}");
    }
    assert_eq!(set(&mut stage, 1, "49123.45"), Answer::Done);
    assert_eq!(set(&mut stage, 1, "-3.5"), Answer::Done);
    assert_eq!(public(&stage), None);
    stage.pass_to(HOUR / 2 + 1);
    assert_eq!(public(&stage), Some("-3.5".to_owned()));
    assert_eq!(set(&mut stage, 1, "4"), refused(Reject::BadStrike));
    stage.replays();
}
