//! A server process on processor 0.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use rustix::thread::{CpuSet, sched_setaffinity};

use crate::clock;

/// The server to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// The reference.
    Noop,
    /// The reference of sockets.
    NoopSockets,
    /// Ours.
    Product,
}

/// A running server; killed when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// The time just before its start.
    pub(crate) started: Instant,
}

/// The processor of servers; the load has the next one.
const PROCESSOR: usize = 0;

/// The path of this program.
fn own_path() -> PathBuf {
    std::env::current_exe().expect("this program has a path")
}

/// The path of the product, which must be built before the benchmarks run.
pub(crate) fn product() -> PathBuf {
    let beside = own_path().with_file_name("buttonwood");
    let fallback = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/buttonwood");
    if beside.exists() { beside } else { fallback }
}

/// Binds the calling thread to a processor.
pub(crate) fn pin(processor: usize) {
    let mut set = CpuSet::new();
    set.set(processor);
    sched_setaffinity(None, &set).expect("the machine has two processors");
}

impl Server {
    /// Starts a server on a data directory and waits for its ready line.
    pub(crate) fn start(which: Which, data: &Path) -> Self {
        let (program, arguments): (PathBuf, Vec<OsString>) = match which {
            Which::Noop => (own_path(), vec!["noop".into(), data.into()]),
            Which::NoopSockets => (own_path(), vec!["noop-sockets".into()]),
            Which::Product => {
                let words = "sandbox --listen 127.0.0.1:0 --activity off --rate-limits off --seed 23 --data";
                (product(), words.split(' ').map(OsString::from).chain([data.into()]).collect())
            }
        };
        let mut command = Command::new(&program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // SAFETY: only a system call is made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                let mut set = CpuSet::new();
                set.set(PROCESSOR);
                Ok(sched_setaffinity(None, &set)?)
            });
        }
        let started = Instant::now();
        let mut child =
            command.spawn().unwrap_or_else(|error| panic!("{}: {error}; build it first", program.display()));
        let mut line = String::new();
        let output = child.stdout.take().expect("standard output is piped");
        BufReader::new(output).read_line(&mut line).expect("the ready line is text");
        let address = line.trim().strip_prefix("ready http://").and_then(|address| address.parse().ok());
        let address =
            address.unwrap_or_else(|| panic!("{} did not say that it is ready: {line:?}", program.display()));
        Self { child, address, started }
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// CPU seconds used by its threads.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        clock::process_seconds(self.child.id())
    }

    /// Kills it at once, like a crash.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("the server runs");
        self.child.wait().expect("a killed process ends");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may already have been killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
