//! A small life of a contract over stops and starts: the rows in the files, in the tables and of a rebuilt history are those that the journal
//! gives, and the statements explain every balance.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{SEGMENTS, START, Trading, account, founded};
use buttonwood_engine::prediction::{
    Command as Own, NewContract, NewEvent, NewResolution, Status, combo_grid,
};
use buttonwood_engine::{Body, Command, Outcome, Place, TradingCommand};
use buttonwood_model::{Claim, EventId, OrderKind, Side, SymbolId, Time};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_sequencer::{recover, verify};
use buttonwood_views::history::{Lengths, Limit, PredictionRow, Query};
use std::path::Path;
use std::sync::Arc;

const RAIN: SymbolId = SymbolId::contract(0);
const ALL: Limit = Limit { rows: 100, most: 100 };

fn own(trading: &Trading, body: impl Into<Body>) {
    let outcome = trading.exchange.execute(Command { caller: None, body: body.into() }).unwrap().outcome;
    assert!(!matches!(outcome, Outcome::Rejected(_)), "{outcome:?}");
}

fn event() -> Own {
    let (grid, qty_min) = combo_grid().unwrap();
    let contract = NewContract { ticker: "RAIN".to_owned(), label: "Rain".to_owned() };
    Own::ListEvent(Arc::new(NewEvent {
        prefix: "SVC".to_owned(),
        ticker: "RAIN".to_owned(),
        title: "Rain".to_owned(),
        category: "weather".to_owned(),
        contracts: vec![contract],
        is_exclusive: true,
        start: None,
        expiry: START.plus(3_600 * Time::SECOND),
        dispute: 0,
        strike: None,
        grid,
        qty_min,
        closed_to: Vec::new(),
        source: None,
    }))
}

/// A limit order at a price of the book.
fn order(trading: &mut Trading, session: u32, (side, claim): (Side, Claim), ticks: u64, hundredths: u128) {
    let place = Place {
        symbol: RAIN,
        side,
        claim,
        kind: OrderKind::Limit,
        option: None,
        price: Price::from_ticks(ticks),
        qty: Qty::from_hundredths(hundredths),
        spend: Money::ZERO,
        client_id: None,
        stop: Price::default(),
        margin: false,
    };
    let outcome = trading.call(session, TradingCommand::Place(place).into());
    assert!(!matches!(outcome, Outcome::Rejected(_)), "{outcome:?}");
}

/// The rows of prediction markets in the files of a directory.
fn rows(dir: &Path) -> Vec<PredictionRow> {
    let recovered = recover(dir, SEGMENTS).unwrap();
    recovered.views().history().after(Lengths::empty()).predictions.map(Result::unwrap).collect()
}

/// Rows and levels survive stops and starts, and a verification finds them as the journal gives them.
#[test]
fn a_contract_lives_over_starts() {
    let dir = tempfile::tempdir().unwrap();
    let mut trading = Trading::start(founded(dir.path()), 4, 0);
    own(&trading, event());
    trading.call(0, Own::AcceptTerms.into());
    order(&mut trading, 0, (Side::Buy, Claim::Yes), 40, 200_000);
    order(&mut trading, 1, (Side::Sell, Claim::No), 40, 100_000);
    trading.running.stop().unwrap();

    let recovered = recover(dir.path(), SEGMENTS).unwrap();
    let best = recovered.views().depth().best(RAIN, Side::Buy);
    assert_eq!(best, Some((Price::from_ticks(40), Qty::from_hundredths(100_000))));
    let mut trading = Trading::start(recovered, 1_000, 100);
    order(&mut trading, 0, (Side::Sell, Claim::Yes), 90, 10_000);
    order(&mut trading, 1, (Side::Buy, Claim::No), 30, 50_000);
    let outcomes = vec![("RAIN".to_owned(), Claim::No)];
    let source = "the sky".to_owned();
    own(&trading, Own::Resolve(Arc::new(NewResolution { event: EventId(0), outcomes, source })));
    let moved = trading.exchange.advance(START.plus(60 * Time::SECOND)).unwrap();
    moved.blocking_recv().unwrap();
    {
        let views = trading.exchange.views();
        let status = views.state().predictions().event(EventId(0)).unwrap().status;
        assert_eq!(status, Status::Settled);
        let orders = Query::whole(views.history()).orders(account(0), None, None, ALL, 9);
        assert_eq!(orders.unwrap(), []);
    }
    trading.running.stop().unwrap();

    let report = verify(dir.path()).unwrap();
    let sizes = report.tables.unwrap().tables;
    let size = |table| sizes.iter().find(|size| size.table == table).map(|size| size.rows);
    assert_eq!(
        ["contract_orders", "contract_settlements", "contract_parts"].map(size),
        [Some(4), Some(2), Some(2)]
    );
    let kept = rows(dir.path());
    assert_eq!(kept.len(), 6);
    std::fs::remove_dir_all(dir.path().join("history")).unwrap();
    assert_eq!(rows(dir.path()), kept, "built again from the journal");
    verify(dir.path()).unwrap();
}
