//! One round: its seed, its folder, and its counts.

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

/// Counts by name, over all rounds of a family.
pub type Tally = BTreeMap<String, u64>;

/// A round in progress.
#[derive(Debug)]
pub struct Round {
    /// Its number, from 1; in families that count calls, the number of the call to strike.
    pub number: u64,
    /// The source of its choices.
    pub draw: Draw,
    /// Its folder: the data directory, the record of the load, logs and traces.
    pub dir: PathBuf,
    /// Whether only the bounded part is run.
    pub quick: bool,
    /// Whether its exchanges move old segments to an archive.
    pub archives: bool,
    /// Its counts so far.
    pub tally: Tally,
    /// Set when the sweep should end.
    stop: Arc<AtomicBool>,
    records: u64,
}

impl Round {
    /// A new round in an empty folder.
    pub fn new(number: u64, seed: u64, dir: &Path, quick: bool, stop: &Arc<AtomicBool>) -> Self {
        let (draw, dir, stop) = (Draw::new(seed), dir.to_owned(), Arc::clone(stop));
        Self { number, draw, dir, quick, archives: false, tally: Tally::new(), stop, records: 0 }
    }

    /// Whether the sweep should end; long rounds check this between two steps.
    pub fn is_told_to_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Adds to a count.
    pub fn count(&mut self, what: &str, many: u64) {
        *self.tally.entry(what.to_owned()).or_default() += many;
    }

    /// The path of the round's data directory, unless it is on a disk of its own.
    pub fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    /// The setup of its exchanges: a real clock, segments of 64 KiB, a snapshot every 60 commands, so that a short
    /// load causes every kind of write.
    pub fn setup(&self) -> Setup {
        let setup = Exchange::builder()
            .real_time()
            .flag("--segment-bytes", "65536")
            .flag("--ballast-bytes", "1048576")
            .flag("--snapshot-every", "60")
            .log_at(&self.dir.join("stderr.log"));
        if !self.archives {
            return setup;
        }
        setup.flag("--keep-journal", "0").flag("--archive", &self.dir.join("archive").to_string_lossy())
    }

    /// A load on a newly founded exchange.
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

    /// Verifies an ended exchange's directory, starts it, and compares everything touched since the last time.
    pub fn start_again(&mut self, data: &Path, load: &mut Load) -> Exchange {
        verified(data);
        let x = self.start(data);
        self.compare(load, &x, Scope::Touched);
        x
    }

    /// Compares the facts of the load with the exchange.
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

/// `verify` must accept the directory of a stopped exchange.
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

/// Whether a check fails that should fail. It fails by a panic, which is not printed.
pub fn complains<T>(check: impl FnOnce() -> T) -> bool {
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let ended = catch_unwind(AssertUnwindSafe(check));
    set_hook(hook);
    ended.is_err()
}
