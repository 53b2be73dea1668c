//! Files that are mended row by row equal those that were never damaged.

use super::rig::{KEY, Row, append_all};
use super::{ALICE, ALL, BTCUSD, FILES, contents, exactly, scattered};
use crate::Sink;
use crate::history::{Fault, History, Index, Proof, Query, Scan, Since};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use tempfile::tempdir;

/// A damage to a file of a running exchange, which keeps it open.
fn spoil(path: &Path, damage: usize) {
    let held = fs::metadata(path).unwrap().len();
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    match damage {
        0 => file.write_all_at(&[!fs::read(path).unwrap()[usize::try_from(held / 2).unwrap()]], held / 2),
        1 => file.write_all_at(b"otherlog", 0),
        2 => file.write_all_at(&vec![0; usize::try_from(held / 3).unwrap()], held / 3),
        _ => file.set_len(held / 2),
    }
    .unwrap();
}

fn replay(rows: &[Row], sink: &mut Proof) {
    for row in rows {
        match row {
            Row::Trade(row) => {
                sink.row(row);
            }
            Row::Order(row) => {
                sink.row(row);
            }
            Row::Public(row) => {
                sink.row(row);
            }
            Row::Funding(row) => {
                sink.row(row);
            }
            Row::Entry(row) => {
                sink.row(row);
            }
            Row::Conversion(row) => {
                sink.row(row);
            }
            Row::Clearing(row) => {
                sink.row(row);
            }
            Row::Staking(row) => {
                sink.row(row);
            }
            Row::Prediction(row) => {
                sink.row(row);
            }
            Row::OrderEvent(change) => sink.order_event(change),
            Row::Refused(event) => sink.refused_order(event),
        }
        sink.check().unwrap();
    }
}

/// Whatever happens to a file, a damaged row is an error of the query, never another row; the rows of the journal mend it byte for
/// byte, next to rows that are in memory alone.
#[test]
fn every_file_is_mended() {
    for (file, damage) in FILES.into_iter().flat_map(|file| (0..4).map(move |damage| (file, damage))) {
        let directory = tempdir().unwrap();
        let mut rig = scattered(directory.path());
        rig.history.flush().unwrap();
        let (index, whole) = (rig.history.index().clone(), contents(&directory));
        let path = directory.path().join(file);
        // Opened again, memory holds no row but the last ones, which are not in the files.
        let mut history = History::open(directory.path(), index).unwrap();
        let later: Vec<Row> = rig.rows[..7].to_vec();
        append_all(&mut history, &later);
        spoil(&path, damage);
        let ask = || {
            let query = Query::whole(&history);
            let trades = query.trades(ALICE, None, Some(0), exactly(10_000))?;
            let orders = query.orders(ALICE, None, Some(0), exactly(10_000), ALL)?;
            Ok((trades, orders, query.public_trades(BTCUSD, Since::FromTime(0), exactly(10_000))?))
        };
        let before: Result<_, Fault> = ask();
        assert!(before.as_ref().err().is_none_or(Fault::is_damage), "{file}: {before:?}");
        let mut mending = Proof::mend(&history.syncer(), Index::new(KEY)).unwrap();
        replay(&rig.rows, &mut mending);
        assert!(mending.mended() > 0, "{file} {damage}");
        assert_eq!(contents(&directory), whole, "{file} {damage}");
        let after = ask().unwrap();
        assert!(before.is_err() || before.unwrap() == after, "{file} {damage}: another row was served");
        // Nothing is left to write.
        let mut again = Proof::mend(&history.syncer(), Index::new(KEY)).unwrap();
        replay(&rig.rows, &mut again);
        assert_eq!((again.mended(), again.proven()), (0, rig.rows.len().try_into().unwrap()));
    }
}

/// A file that is too short or of another kind is opened after it was padded; a scan then says where the first row is missing.
#[test]
fn a_padded_file_opens_and_shows_its_damage() {
    for (file, damage) in FILES.into_iter().flat_map(|file| [1, 3].map(|damage| (file, damage))) {
        let directory = tempdir().unwrap();
        let mut rig = scattered(directory.path());
        rig.history.flush().unwrap();
        let index = rig.history.index().clone();
        let rows = rig.rows.clone();
        drop(rig);
        spoil(&directory.path().join(file), damage);
        assert!(History::open(directory.path(), index.clone()).unwrap_err().is_damage());
        let folder = directory.path().into();
        History::pad(&folder, &index).unwrap();
        let history = History::open(directory.path(), index.clone()).unwrap();
        let scanned = || Scan::open(&folder, index.lengths()).unwrap().unwrap().check(|| true);
        assert_eq!(matches!(scanned(), Err(Fault::Damaged { .. })), damage == 3, "{file}");
        let mut mending = Proof::mend(&history.syncer(), Index::new(KEY)).unwrap();
        replay(&rows, &mut mending);
        scanned().unwrap();
    }
}
