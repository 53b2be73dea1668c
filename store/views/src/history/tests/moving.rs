//! A history that grows during a query: rows are appended, written or not, and leave memory.

use super::rig::{KEY, Rig, Row, TINY, append_all, client_id, step};
use super::{ALICE, BOB, BTCUSD, EVER};
use crate::history::{Fault, History, Index, Limit, Look, Query, Since};
use buttonwood_model::{OrderId, Time};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use tempfile::tempdir;

struct Moving {
    history: RefCell<History>,
    /// The rows to append; the next one is last.
    to_come: RefCell<Vec<Row>>,
    /// Rows appended before each look but the first.
    rows: usize,
    /// Looks between two writes.
    looks_a_write: usize,
    looks: Cell<usize>,
}

impl Look for Moving {
    fn look(&self, see: &mut dyn FnMut(&History)) {
        let looks = self.looks.replace(self.looks.get() + 1);
        let mut history = self.history.borrow_mut();
        if looks > 0 {
            let mut to_come = self.to_come.borrow_mut();
            let left = to_come.len().saturating_sub(self.rows);
            let come: Vec<Row> = to_come.drain(left..).rev().collect();
            append_all(&mut history, &come);
            if looks.is_multiple_of(self.looks_a_write) {
                history.flush().unwrap();
            }
        }
        see(&history);
    }
}

/// The answer to one of seven queries.
fn ask(query: Query<'_>, which: usize, limit: Limit) -> Result<String, Fault> {
    const BEGIN: u64 = 1_700_000_000_000;
    Ok(match which {
        0 => format!("{:?}", query.trades(ALICE, None, None, limit)?),
        1 => format!("{:?}", query.trades(ALICE, None, Some(BEGIN), limit)?),
        2 => format!("{:?}", query.orders(ALICE, Some(BTCUSD), Some(BEGIN + 20), limit, usize::MAX)?),
        3 => format!("{:?}", query.public_trades(BTCUSD, Since::FromTime(BEGIN), limit)?),
        4 => format!("{:?}", query.public_trades(BTCUSD, Since::AfterTrade(9), limit)?),
        5 => format!("{:?}", query.order_by_client_id(ALICE, &client_id(1), EVER, Time(0))?),
        _ => format!("{:?}", query.order(BOB, OrderId(3))?),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A query that releases the history between two rows returns the rows that existed when it began.
    #[test]
    fn what_comes_meanwhile_changes_no_answer(
        steps in prop::collection::vec(step(), 200..600),
        cut in any::<prop::sample::Index>(),
        rows in 1_usize..6,
        looks_a_write in 1_usize..9,
        page in 1_usize..40,
    ) {
        let directory = tempdir().unwrap();
        let mut rig = Rig::new(directory.path());
        rig.run(&steps);
        let (before, after) = rig.rows.split_at(cut.index(rig.rows.len() + 1));
        let limit = Limit { rows: page, most: 2 * page };
        for which in 0..7 {
            let place = tempdir().unwrap();
            let mut history = History::open_with(place.path().into(), Index::new(KEY), TINY).unwrap();
            for chunk in before.chunks(5) {
                append_all(&mut history, chunk);
                history.flush().unwrap();
            }
            let whole = ask(Query::whole(&history), which, limit).unwrap();
            let to_come = RefCell::new(after.iter().rev().copied().collect());
            let moving = Moving { history: history.into(), to_come, rows, looks_a_write, looks: Cell::new(0) };
            prop_assert_eq!(ask(Query::far(&moving), which, limit).unwrap(), whole, "question {}", which);
        }
    }
}
