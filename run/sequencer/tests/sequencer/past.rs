//! The rows of a directory's past, with and without a running exchange, a snapshot and the history's files.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{SEGMENTS, Trading, founded};
use buttonwood_disk::Folder;
use buttonwood_sequencer::{Fault, Past, PastRow, PastTable, recover};
use std::path::Path;

const TABLES: [PastTable; 3] = [PastTable::Orders, PastTable::Trades, PastTable::PublicTrades];

/// The number of the last command, and all rows of every table.
fn past(dir: &Path) -> (u64, [Vec<PastRow>; 3]) {
    let mut past = Past::open(dir).unwrap();
    let rows = TABLES.map(|table| {
        let mut rows = Vec::new();
        past.visit(table, |_, row| {
            rows.push(*row);
            Ok::<_, Fault>(())
        })
        .unwrap();
        rows
    });
    (past.state().stamp().seq.0, rows)
}

/// Positions of rows aside, which only links use, the rows are the same wherever they are read from: the files, the
/// journal, or both.
#[test]
fn rows_are_the_same_from_files_and_journal() {
    let dir = tempfile::tempdir().unwrap();
    let mut trading = Trading::start(founded(dir.path()), 40, 0);
    for step in 0..200 {
        trading.trade(step);
    }
    let running = past(dir.path());
    assert_eq!(running.0, trading.exchange.views().state().stamp().seq.0);
    assert!(running.1.iter().all(|rows| rows.len() > 20), "{running:?}");
    trading.running.stop().unwrap();
    assert_eq!(past(dir.path()), running, "all in the files");
    let mut trading = Trading::start(recover(dir.path(), SEGMENTS).unwrap(), 1_000, 1_000);
    for step in 200..300 {
        trading.trade(step);
    }
    let later = past(dir.path());
    for (later, before) in later.1.iter().zip(&running.1) {
        assert!(later.len() > before.len() && later.starts_with(before));
    }
    trading.running.stop().unwrap();
    std::fs::remove_dir_all(dir.path().join("history")).unwrap();
    assert_eq!(past(dir.path()), later, "all from the journal");
}

/// The visitor's refusal ends the reading, in the files and in the journal, and a folder without a journal is refused.
#[test]
fn a_visitor_may_refuse() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(Past::open(dir.path()), Err(Fault::Journal(_))));
    let mut trading = Trading::start(founded(dir.path()), 1_000, 0);
    for step in 0..50 {
        trading.trade(step);
    }
    let refuses_second = |dir: &Folder| {
        let mut seen = 0;
        let refused = Past::open(dir).unwrap().visit(PastTable::Trades, |_, _| {
            seen += 1;
            if seen == 2 { Err(Fault::Diverged { seq: 7 }) } else { Ok(()) }
        });
        assert!(matches!(refused, Err(Fault::Diverged { seq: 7 })) && seen == 2);
    };
    refuses_second(&dir.path().into());
    trading.running.stop().unwrap();
    refuses_second(&dir.path().into());
}
