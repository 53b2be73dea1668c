//! Makes system calls of the product fail, or kills it at one, by strace.
//!
//! Calls are counted per thread. At a start, one trace follows all threads. On a running exchange it is attached to
//! one thread, so that the Nth call is the Nth of that thread.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::base::files;

/// The harm at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Harm {
    /// The process is killed before the call is made.
    Kill,
    /// The call is not made and fails with this error; the next one succeeds.
    Error(&'static str),
}

/// One strike.
#[derive(Clone, Debug)]
pub struct Strike {
    /// The system call, or several separated by commas.
    pub call: &'static str,
    /// The harm.
    pub harm: Harm,
    /// The number of the call, from 1.
    pub when: u64,
    /// The file of the trace.
    pub log: PathBuf,
    /// Only calls on these files count; on any file if empty.
    pub within: Vec<PathBuf>,
}

impl Strike {
    fn words(&self) -> Vec<String> {
        let harm = match self.harm {
            Harm::Kill => "signal=SIGKILL".to_owned(),
            Harm::Error(error) => format!("error={error}"),
        };
        let log = self.log.display().to_string();
        let inject = format!("inject={}:{harm}:when={}", self.call, self.when);
        let head = ["-qq", "-tt", "-y", "-o", &log, "-e", &format!("trace={}", self.call), "-e", &inject];
        let within = self.within.iter().flat_map(|path| ["-P".to_owned(), path.display().to_string()]);
        head.map(str::to_owned).into_iter().chain(within).collect()
    }

    /// The same for a start that reads a directory: a failing read must be one of its files, not of a library.
    #[must_use]
    pub fn on_files_of(&self, data: &Path) -> Self {
        let reads = ["pread64", "openat"].contains(&self.call) && self.harm == Harm::Error("EIO");
        let files = if reads { files(data) } else { Vec::new() };
        Self { within: files.into_iter().map(|file| data.join(file)).collect(), ..self.clone() }
    }

    /// Whether the failed call was not on the disk: threads also wake each other by writing, which never fails so.
    pub fn is_beside_the_disk(&self) -> bool {
        let trace = fs::read_to_string(&self.log).unwrap_or_default();
        let beside =
            |call: &str| ["<anon_inode:", "<pipe:", "<socket:"].iter().any(|kind| call.contains(kind));
        self.harm != Harm::Kill && injected(&trace).any(beside)
    }

    /// The program and arguments that start a process under this strike; they end by executing the process.
    pub fn around(&self) -> Vec<String> {
        // Without seccomp filtering, which is faster but loses a signal given at a call.
        let head = ["strace", "-D", "-f"].map(str::to_owned);
        head.into_iter().chain(self.words()).collect()
    }

    /// Attaches to one thread, or to a whole process with `all`.
    pub fn attach(&self, thread: Pid, all: bool) -> Tracer {
        let mut command = Command::new("strace");
        if all {
            command.arg("-f");
        }
        command.args(self.words()).args(["-p", &thread.as_raw_nonzero().to_string()]);
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("strace was probed");
        let tracer = Tracer { child, log: self.log.clone() };
        wait_until_attached(thread);
        tracer
    }
}

/// A running trace; it ends with the process, or detaches when dropped.
#[derive(Debug)]
pub struct Tracer {
    child: Child,
    log: PathBuf,
}

impl Tracer {
    /// Whether the strike hit, according to the trace.
    pub fn has_struck(&self) -> bool {
        struck(&self.log)
    }
}

/// Waits until a thread is traced, or has ended: the strike may kill it before anyone sees that it is traced.
fn wait_until_attached(thread: Pid) {
    let path = format!("/proc/{}/status", thread.as_raw_nonzero());
    let deadline = Instant::now() + Duration::from_secs(10);
    let is_seen = |status: &str| {
        let is_traced = |line: &str| line.starts_with("TracerPid:") && !line.ends_with("\t0");
        let has_ended = |line: &str| line.starts_with("State:\tZ") || line.starts_with("State:\tX");
        status.lines().any(|line| is_traced(line) || has_ended(line))
    };
    while fs::read_to_string(&path).is_ok_and(|status| !is_seen(&status)) {
        assert!(Instant::now() < deadline, "strace did not attach to thread {thread:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        // First an interrupt, so that it detaches from a process that continues.
        if let Ok(None) = self.child.try_wait() {
            rustix::process::kill_process(Pid::from_child(&self.child), rustix::process::Signal::INT).ok();
        }
        let deadline = Instant::now() + Duration::from_secs(5);
        while Instant::now() < deadline {
            if let Ok(Some(_)) = self.child.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The calls of a trace that were made to fail: the lines that name their files, also if a call of another thread
/// came between beginning and end.
fn injected(trace: &str) -> impl Iterator<Item = &str> {
    let thread = |line: &str| line.split(' ').next().map(str::to_owned);
    trace.lines().enumerate().filter(|(_, line)| line.contains("(INJECTED)")).map(move |(at, end)| {
        let is_rest = end.contains(" resumed>");
        let begun = |line: &&str| line.contains("<unfinished ...>") && thread(line) == thread(end);
        trace.lines().take(at).filter(begun).last().filter(|_| is_rest).unwrap_or(end)
    })
}

/// Whether a trace shows a call that was made to fail.
pub fn struck(log: &Path) -> bool {
    fs::read_to_string(log).unwrap_or_default().contains("(INJECTED)")
}

/// The thread of a process with this name. A thread sets its own name, so this may have to wait a moment.
pub fn thread_named(process: Pid, name: &str) -> Pid {
    let tasks = format!("/proc/{}/task", process.as_raw_nonzero());
    let is_named =
        |path: &Path| fs::read_to_string(path.join("comm")).is_ok_and(|comm| comm.trim_end() == name);
    let find = || {
        let entry = fs::read_dir(&tasks).ok()?.flatten().find(|entry| is_named(&entry.path()))?;
        Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)
    };
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(thread) = find() {
            return thread;
        }
        assert!(Path::new(&tasks).exists(), "process {process:?} has ended before anybody struck it");
        assert!(Instant::now() < deadline, "no thread called {name} in {tasks}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A struck call is reported with the line that names its file, whether that ends the call or another thread came
    /// between.
    #[test]
    fn a_struck_call_is_found_by_its_file() {
        let trace = "\
7 10:00:00.1 write(1<pipe:[5]>, \"ready\", 5 <unfinished ...>
8 10:00:00.2 write(9</data/segment>, \"\", 1 <unfinished ...>
7 10:00:00.3 <... write resumed>) = -1 EIO (Input/output error) (INJECTED)
8 10:00:00.4 <... write resumed>) = 1
8 10:00:00.5 write(9</data/vault>, \"\", 1) = -1 EIO (Input/output error) (INJECTED)
";
        let found: Vec<&str> = injected(trace).collect();
        assert_eq!(found.len(), 2);
        assert!(found[0].contains("<pipe:") && found[1].contains("vault"), "{found:?}");
    }
}
