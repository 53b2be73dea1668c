//! One round: a seed, a folder of its own, and what it counts.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use buttonwood_accept::{Exchange, Setup, run_to_end};

use crate::draw::Draw;
use crate::load::Load;
use crate::oracle::Scope;
use crate::record::Record;

/// What happened, by name, over all rounds of a family.
pub type Tally = BTreeMap<String, u64>;

/// One round under way.
#[derive(Debug)]
pub struct Round {
    /// Its number, from 1; where a family counts calls, the number of the call that is struck.
    pub number: u64,
    /// What its choices are drawn from.
    pub draw: Draw,
    /// Its folder: the data directory, the record of the load, logs and traces.
    pub dir: PathBuf,
    /// Whether only the bounded part is run.
    pub quick: bool,
    /// What it did so far.
    pub tally: Tally,
    /// Set when the sweep shall end.
    stop: Arc<AtomicBool>,
    records: u64,
}

impl Round {
    /// A round that is about to begin in an empty folder.
    pub fn new(number: u64, seed: u64, dir: &Path, quick: bool, stop: &Arc<AtomicBool>) -> Self {
        let (draw, dir, stop) = (Draw::new(seed), dir.to_owned(), Arc::clone(stop));
        Self { number, draw, dir, quick, tally: Tally::new(), stop, records: 0 }
    }

    /// Whether somebody wants the sweep to end: long rounds look between two steps.
    pub fn is_told_to_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Counts something.
    pub fn count(&mut self, what: &str, many: u64) {
        *self.tally.entry(what.to_owned()).or_default() += many;
    }

    /// Where the round's data directory lies, unless it lies on a disk of its own.
    pub fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    /// How its exchanges are started: a real clock, segments of 64 KiB, a snapshot every 60 commands, so that a short
    /// load meets every kind of write.
    pub fn setup(&self) -> Setup {
        Exchange::builder()
            .real_time()
            .flag("--segment-bytes", "65536")
            .flag("--ballast-bytes", "1048576")
            .flag("--snapshot-every", "60")
            .log_at(&self.dir.join("stderr.log"))
    }

    /// A load on an exchange that has just been founded.
    pub fn load(&mut self, x: &Exchange) -> Load {
        self.records += 1;
        let record = Record::create(&self.dir.join(format!("load-{}.jsonl", self.records)));
        Load::new(x, Arc::new(record), self.draw.fork())
    }

    /// Starts an exchange that must become ready.
    pub fn start(&mut self, data: &Path) -> Exchange {
        self.count("starts", 1);
        self.setup().start_in(data)
    }

    /// Starts what has ended, once its directory is proved, and compares everything touched since the last time.
    pub fn start_again(&mut self, data: &Path, load: &mut Load) -> Exchange {
        verified(data);
        let x = self.start(data);
        self.compare(load, &x, Scope::Touched);
        x
    }

    /// Compares what the load was told with what the exchange has.
    pub fn compare(&mut self, load: &mut Load, x: &Exchange, scope: Scope) {
        let compared = load.check(x, scope);
        self.count("orders compared", compared);
    }

    /// The last comparison of a round.
    pub fn finish(&mut self, load: &mut Load, x: &Exchange) {
        let compared = load.finish(x);
        self.count("orders compared", compared);
    }
}

/// `verify` must prove the directory of an exchange that does not run.
#[track_caller]
pub fn verified(data: &Path) {
    let output = run_to_end(&["verify", "--data", &data.to_string_lossy()]);
    assert!(
        output.status.success(),
        "verify must prove {}\n{}{}",
        data.display(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Whether a check that should not pass does not. It says so by a panic, which is not shown.
pub fn complains<T>(check: impl FnOnce() -> T) -> bool {
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let ended = catch_unwind(AssertUnwindSafe(check));
    set_hook(hook);
    ended.is_err()
}
