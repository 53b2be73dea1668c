//! Where calls are struck: stages of an exchange's life, with the calls that a trace shows in each.
//!
//! The lists are what `strace -f -Y -y` shows of every thread. A call that is not met any more fails the sweep, so that they
//! stay true.

use crate::trace::Harm;

/// When a call is struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// While old orders and trades are asked for.
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
    /// What it is called where strikes are counted.
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

/// Calls that change something or make way for it; each of them is met.
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

/// Those that only some rounds meet: left-over files are removed, lines are logged.
const PERHAPS: [Point; 3] =
    [(Stage::Recovering, "unlink"), (Stage::Stopping, "unlink"), (Stage::Stopping, "write")];

/// Calls that read. Those of the first stage come first: they look at every order there is.
const READS: [Point; 4] = [
    (Stage::Reading, "pread64"),
    (Stage::Recovering, "pread64"),
    (Stage::Running("snapshots"), "pread64"),
    (Stage::Stopping, "pread64"),
];

/// Calls that may need room.
const GROWING: [&str; 6] = ["pwrite64", "write", "fallocate", "openat", "rename", "mkdir"];

/// The points that a harm makes sense at.
pub fn points(harm: Harm) -> Vec<Point> {
    let changes = CHANGES.iter().flat_map(|(stage, calls)| calls.iter().map(|call| (*stage, *call)));
    let changes = changes.chain(PERHAPS);
    match harm {
        Harm::Kill => changes.collect(),
        Harm::Error("ENOSPC") => changes.filter(|(_, call)| GROWING.contains(call)).collect(),
        // An empty directory has nothing to read, and what the loader opens before is not the product's.
        Harm::Error(_) => READS
            .into_iter()
            .chain(changes.filter(|(stage, call)| *stage != Stage::Founding || *call != "openat"))
            .filter(|(_, call)| *call != "mkdir")
            .collect(),
    }
}

/// Whether a point is met in every round.
pub fn is_met(point: Point) -> bool {
    !PERHAPS.contains(&point)
}
