//! The cost of a page: reads in proportion to its rows and to the orders that were live, not to all orders.

use super::*;
use crate::history::chain::Chain;
use buttonwood_engine::OrderState;
use buttonwood_model::{Claim, OrderKind, SessionId, Side, Time};
use buttonwood_num::{Money, Price, Qty};
use std::cell::Cell;

const ORDERS: u64 = 100_000;
const ROWS: usize = 50;
const LIMIT: Limit = Limit { rows: ROWS, most: 500 };

/// Orders of which one is placed every millisecond. Each closes ten milliseconds later, except that every hundredth of
/// the first `late` hundreds closes after all others.
struct Venue {
    closed: Vec<(OrderRow, Link, OrderId)>,
    head: Option<Position>,
    reads: Cell<u64>,
}

impl Venue {
    fn new(late: u64) -> Self {
        let is_late = |id: &u64| id.is_multiple_of(100) && *id < late * 100;
        let (mut ids, kept): (Vec<u64>, Vec<u64>) = (0..ORDERS).partition(|id| !is_late(id));
        ids.extend(kept);
        let mut chain = Chain::default();
        let place = |(at, id): (u64, u64)| {
            let closed = Time(if is_late(&id) { ORDERS + 20 } else { id + 10 } * 1_000);
            let (link, least) = chain.push_with(Position::new(at).unwrap(), OrderId(id));
            (OrderRow { order: order(id), closed, trades: None }, link, least)
        };
        let closed = (1..).zip(ids).map(place).collect();
        Self { closed, head: chain.newest(), reads: Cell::new(0) }
    }

    fn read(&self, at: Position) -> Result<Closed, Fault> {
        self.reads.set(self.reads.get() + 1);
        let (row, link, least) = self.closed[usize::try_from(at.get() - 1).unwrap()];
        Ok(Closed { row, link, least })
    }

    /// The ids of a page, and the reads that it took.
    fn page(&self, from_millis: Option<u64>) -> (Vec<u64>, u64) {
        self.reads.set(0);
        let read = |at| self.read(at);
        let rows = match from_millis {
            Some(from) => oldest(&mut Search::begin(self.head, read, from).unwrap(), LIMIT),
            None => newest(self.head, read, ROWS),
        };
        (rows.unwrap().iter().map(|row| row.order.id.0).collect(), self.reads.get())
    }
}

fn order(id: u64) -> OrderState {
    OrderState {
        account: AccountId(0),
        session: SessionId(0),
        id: OrderId(id),
        symbol: SymbolId(0),
        side: Side::Buy,
        claim: Claim::Yes,
        kind: OrderKind::Limit,
        option: None,
        price: Price::from_ticks(1),
        original: Qty::from_hundredths(1),
        remaining: Qty::ZERO,
        notional: Money::ZERO,
        broken: Qty::ZERO,
        placed: Time(id * 1_000),
        reason: None,
        client_id: None,
        stop: None,
    }
}

/// Of 100,000 orders a page of 50 costs a few hundred reads, wherever it begins.
#[test]
fn a_page_costs_its_rows() {
    let venue = Venue::new(0);
    for from in (0..ORDERS).step_by(997) {
        let (ids, reads) = venue.page(Some(from));
        assert!(ids.into_iter().eq((from..ORDERS).take(ROWS)), "from {from}");
        assert!(reads <= 250, "{reads} reads from {from}");
    }
    let (ids, reads) = venue.page(None);
    assert!(ids.into_iter().eq((ORDERS - 50..ORDERS).rev()));
    assert!(reads <= 70, "{reads} reads");
}

/// Orders that were live for very long cost a few reads each, on the pages during their lives.
#[test]
fn long_lived_orders_cost_a_few_reads() {
    let venue = Venue::new(300);
    for from in [0, 99, 100, 15_000, 30_000, 60_000, 99_900] {
        let (ids, reads) = venue.page(Some(from));
        assert!(ids.into_iter().eq((from..ORDERS).take(ROWS)), "from {from}");
        assert!(reads <= 300 + 600, "{reads} reads from {from}");
    }
    let (ids, reads) = venue.page(None);
    assert!(ids.into_iter().eq((ORDERS - 50..ORDERS).rev()));
    assert!(reads <= 370, "{reads} reads");
}
