//! The points at which calls are struck: stages of an exchange's life, and the calls that a trace shows in each.
//!
//! The lists come from `strace -f -Y -y` on all threads. A listed call that no longer occurs fails the sweep, so the
//! lists stay correct.

use crate::trace::Harm;

/// The stage in which a call is struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// While old orders and trades are read.
    Reading,
    /// While an empty directory is founded.
    Founding,
    /// While a killed directory is recovered.
    Recovering,
    /// Under load, in the thread of this name.
    Running(&'static str),
    /// While it stops cleanly.
    Stopping,
}

impl Stage {
    /// Its name in the counts of strikes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Founding => "founding",
            Self::Recovering => "recovering",
            Self::Running(thread) => thread,
            Self::Stopping => "stopping",
        }
    }
}

/// A stage and a kind of call.
pub type Point = (Stage, &'static str);

/// Calls that change something or prepare a change; each of them occurs.
const CHANGES: [(Stage, &[&str]); 6] = [
    (
        Stage::Founding,
        &[
            "pwrite64",
            "write",
            "fdatasync",
            "fsync",
            "rename",
            "unlink",
            "fallocate",
            "ftruncate",
            "openat",
            "mkdir",
        ],
    ),
    (
        Stage::Recovering,
        &["pwrite64", "write", "fsync", "rename", "fallocate", "ftruncate", "openat", "mkdir"],
    ),
    (Stage::Running("journal"), &["pwrite64", "fdatasync", "fsync", "rename", "openat"]),
    (Stage::Running("journal-prepare"), &["pwrite64", "fsync", "openat", "fallocate"]),
    (Stage::Running("snapshots"), &["pwrite64", "fdatasync", "fsync", "rename", "unlink", "openat"]),
    (Stage::Stopping, &["pwrite64", "fdatasync", "fsync", "rename", "openat"]),
];

/// Calls that occur only in some rounds: left-over files are removed, lines are logged, segments get a
/// name in the archive.
const PERHAPS: [Point; 6] = [
    (Stage::Running("snapshots"), "linkat"),
    (Stage::Recovering, "unlink"),
    (Stage::Running("tables"), "pwrite64"),
    (Stage::Running("tables"), "fdatasync"),
    (Stage::Stopping, "unlink"),
    (Stage::Stopping, "write"),
];

/// Calls that read. Those of the first stage come first, because they read all orders.
const READS: [Point; 4] = [
    (Stage::Reading, "pread64"),
    (Stage::Recovering, "pread64"),
    (Stage::Running("snapshots"), "pread64"),
    (Stage::Stopping, "pread64"),
];

/// Calls that may need room.
const GROWING: [&str; 7] = ["pwrite64", "write", "fallocate", "openat", "rename", "linkat", "mkdir"];

/// The points at which a harm makes sense.
pub fn points(harm: Harm) -> Vec<Point> {
    let changes = CHANGES.iter().flat_map(|(stage, calls)| calls.iter().map(|call| (*stage, *call)));
    let changes = changes.chain(PERHAPS);
    match harm {
        Harm::Kill => changes.collect(),
        Harm::Error("ENOSPC") => changes.filter(|(_, call)| GROWING.contains(call)).collect(),
        // An empty directory has nothing to read, and the files opened before it are the loader's.
        Harm::Error(_) => READS
            .into_iter()
            .chain(changes.filter(|(stage, call)| *stage != Stage::Founding || *call != "openat"))
            .filter(|(_, call)| *call != "mkdir")
            .collect(),
    }
}

/// Whether a point occurs in every round.
pub fn is_met(point: Point) -> bool {
    !PERHAPS.contains(&point)
}
