//! A query for old rows waits for the disk; other callers do not.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{SEGMENTS, Trading, account, founded};
use buttonwood_disk::Folder;
use buttonwood_disk::watched::{Call, Warden, Watched};
use buttonwood_engine::{Body, Command};
use buttonwood_model::SymbolId;
use buttonwood_sequencer::recover;
use buttonwood_views::history::{Limit, Query, Since};
use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;
use tokio::task::{LocalSet, yield_now};

/// Longer than anything here takes, so that a deadlock fails the test.
const PATIENCE: Duration = Duration::from_secs(30);
const ALL: Limit = Limit { rows: 1_000, most: 1_000 };

/// The system's disk with reads that can be held up.
#[derive(Clone, Debug, Default)]
struct SlowDisk(Arc<Gate>);

#[derive(Debug, Default)]
struct Gate {
    held: Mutex<Held>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Held {
    is_closed: bool,
    /// Reads that wait.
    waiting: usize,
    /// Whether a read has waited until the time limit.
    is_hopeless: bool,
}

impl SlowDisk {
    fn held(&self) -> MutexGuard<'_, Held> {
        let held = self.0.held.lock().unwrap();
        assert!(!held.is_hopeless, "what should have gone on has waited for the disk");
        held
    }

    fn close(&self) {
        self.held().is_closed = true;
    }

    fn open(&self) {
        self.held().is_closed = false;
        self.0.changed.notify_all();
    }

    fn waiting(&self) -> usize {
        self.held().waiting
    }

    fn pass(&self) {
        let mut held = self.0.held.lock().unwrap();
        held.waiting += 1;
        let waits = |held: &mut Held| held.is_closed && !held.is_hopeless;
        let (mut held, over) = self.0.changed.wait_timeout_while(held, PATIENCE, waits).unwrap();
        held.is_hopeless |= over.timed_out();
        held.waiting -= 1;
    }
}

impl Warden for SlowDisk {
    fn around(&self, _: &Path, call: Call<'_>, act: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
        if call == Call::Read {
            self.pass();
        }
        act()
    }
}

/// While the disk hangs on old rows, the querying thread has commands executed and reads rows in memory.
#[test]
fn a_hanging_disk_delays_only_who_asks_for_it() {
    let home = tempfile::tempdir().unwrap();
    let mut trading = Trading::start(founded(home.path()), u64::MAX, 0);
    for step in 0..60 {
        trading.trade(step);
    }
    let before =
        Query::whole(trading.exchange.views().history()).trades(account(0), None, None, ALL).unwrap();
    assert!(before.len() > 10);
    trading.running.stop().unwrap();

    // The last snapshot left all rows in the files; those of a trade after it are in memory.
    let disk = SlowDisk::default();
    let folder = Folder::new(Arc::new(Watched::by(disk.clone())), home.path());
    let mut trading = Trading::start(recover(folder, SEGMENTS).unwrap(), u64::MAX, trading.nonce);
    for step in 60..80 {
        trading.trade(step);
    }
    let exchange = trading.exchange.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    LocalSet::new().block_on(&runtime, async {
        disk.close();
        let asking = exchange.clone();
        let old = tokio::task::spawn_local(async move {
            asking.query_history(|history| history.trades(account(0), None, Some(0), ALL)).await
        });
        while disk.waiting() == 0 {
            yield_now().await;
        }
        let command = Command { caller: None, body: Body::add_group("two".to_owned()) };
        let seq = exchange.submit(command).unwrap().await.unwrap().stamp.seq;
        assert_eq!(exchange.views().state().stamp().seq, seq);
        let newest = Limit { rows: 1, most: 1 };
        let near =
            exchange.query_history(move |history| history.public_trades(SymbolId(0), Since::Newest, newest));
        assert_eq!(near.await.unwrap().len(), 1);
        assert!(!old.is_finished());
        disk.open();
        let rows = old.await.unwrap().unwrap();
        assert!(rows.len() > before.len());
        assert!(rows.ends_with(&before));
    });
}
