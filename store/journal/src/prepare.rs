//! The next segment and the ballast, made ready in the background (J4, J11).
//!
//! The ballast is space kept back: when the disk is full it is released, so that cancels can still be journaled,
//! and `low` tells the exchange to take nothing else. It is taken again once there is room.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use buttonwood_disk::{Folder, Open};

use crate::blank::{Blank, Pace};
use crate::fault::{Fault, io};
use crate::files;
use crate::journal::Options;

/// How often a full disk is asked whether there is room again.
const RECHECK: Duration = Duration::from_secs(1);

/// Space that a start needs beside the journal's: the keys of a sandbox, rows of history, the watermark.
const SMALL_FILES: u64 = 256 * 1024;

/// What writer and background thread share.
#[derive(Debug)]
struct Shared {
    dir: Folder,
    options: Options,
    state: Mutex<State>,
    wake: Condvar,
    /// Held while the ballast is taken or released, so that `low` always tells which came last.
    ballast: Mutex<()>,
    stop: AtomicBool,
    /// The writer will soon need the next segment.
    hurry: AtomicBool,
    low: AtomicBool,
    /// Files begun, for their temporary names.
    made: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    /// Bytes of the segment that is to be made.
    wanted: Option<u64>,
    ready: Option<Blank>,
    /// Whether the ballast was taken, or tried to be.
    is_begun: bool,
    fault: Option<Fault>,
}

/// Tells the writer when the thread has panicked: nobody prepares anything any more, or looks for room.
struct Fallen<'a>(&'a Shared);

impl Drop for Fallen<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let source = std::io::Error::other("the thread that does has panicked");
            self.0.state().fault = Some(io("prepare a segment", self.0.dir.path())(source));
        }
    }
}

/// The background thread; dropping it ends it.
#[derive(Debug)]
pub(crate) struct Preparer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Preparer {
    pub(crate) fn new(dir: Folder, options: Options) -> Self {
        let shared = Shared {
            dir,
            options,
            state: Mutex::default(),
            wake: Condvar::new(),
            ballast: Mutex::default(),
            stop: AtomicBool::new(false),
            hurry: AtomicBool::new(false),
            low: AtomicBool::new(false),
            made: AtomicU64::new(0),
        };
        Self { shared: Arc::new(shared), thread: None }
    }

    /// Starts the thread, which first takes the ballast, unless that was just released.
    pub(crate) fn start(&mut self) -> Result<(), Fault> {
        let worker = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new()
            .name("journal-prepare".to_owned())
            .spawn(move || worker.work())
            .map_err(io("start the thread that prepares", self.shared.dir.path()))?;
        self.thread = Some(thread);
        Ok(())
    }

    /// Does what the thread would do next, in the caller's own time.
    pub(crate) fn step(&self) -> Result<(), Fault> {
        if !self.shared.state().is_begun {
            self.shared.begin()?;
        }
        let has_room = self.shared.state().ready.is_none();
        if has_room { self.shared.turn(Pace::Now) } else { Ok(()) }
    }

    /// Asks for the next segment, of `bytes` at most; returns at once and allocates nothing. `soon` if there is not much
    /// time left.
    pub(crate) fn request(&self, bytes: u64, soon: bool) {
        let mut state = self.shared.state();
        if state.ready.is_some() {
            return;
        }
        self.shared.hurry.store(soon, Ordering::Relaxed);
        if state.wanted.is_none() {
            state.wanted = Some(bytes.min(self.shared.options.segment_bytes));
            self.shared.wake.notify_one();
        }
    }

    /// Gives up a ballast that an earlier run left when there is hardly any other space: whoever starts writes a few small
    /// files beside the journal's.
    pub(crate) fn make_room(&self) -> Result<(), Fault> {
        let is_tight = self.shared.free()? < SMALL_FILES;
        if is_tight && self.shared.has_ballast()? { self.shared.release() } else { Ok(()) }
    }

    /// The prepared segment, if it is ready and has at least `needed` bytes. An error that the thread met is
    /// returned here: it concerns the journal's disk, so the writer stops (J1).
    pub(crate) fn take(&self, needed: u64) -> Result<Option<Blank>, Fault> {
        let mut state = self.shared.state();
        match state.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(state.ready.take_if(|blank| blank.bytes >= needed)),
        }
    }

    /// Makes a segment of `bytes` in the caller's own time, since none was ready.
    pub(crate) fn urgent(&self, bytes: u64) -> Result<Blank, Fault> {
        let made = self.shared.create(bytes, bytes, Pace::Now)?;
        Ok(made.expect("nothing stops an urgent segment"))
    }

    /// Whether the ballast had to be released, or could not be taken (J11).
    pub(crate) fn low_space(&self) -> bool {
        self.shared.low_now()
    }
}

impl Drop for Preparer {
    fn drop(&mut self) {
        {
            let _state = self.shared.state();
            self.shared.stop.store(true, Ordering::Relaxed);
            self.shared.wake.notify_one();
        }
        if let Some(thread) = self.thread.take() {
            // A panic there was told when it happened.
            let _ = thread.join();
        }
        // A courtesy to the next start, which would remove it too and say so.
        if let Some(unused) = self.shared.state().ready.take() {
            unused.discard();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let pace = Pace::Beside { stop: &self.stop, hurry: &self.hurry };
        let _end = Fallen(self);
        let mut outcome = self.begin();
        while outcome.is_ok() && self.wait() {
            outcome = self.turn(pace);
        }
        self.state().fault = outcome.err();
    }

    /// Takes the ballast, unless it was just released.
    fn begin(&self) -> Result<(), Fault> {
        self.state().is_begun = true;
        self.arm(|shared| !shared.low_now())
    }

    /// Sleeps until there is something to do; `false` when it is time to end.
    fn wait(&self) -> bool {
        let mut state = self.state();
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            if state.wanted.is_some() && state.ready.is_none() {
                return true;
            }
            if !self.low_now() {
                state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let woken = self.wake.wait_timeout(state, RECHECK).unwrap_or_else(PoisonError::into_inner);
            state = woken.0;
            if woken.1.timed_out() {
                return true;
            }
        }
    }

    /// Takes the ballast again if there is room, then makes what is wanted.
    fn turn(&self, pace: Pace<'_>) -> Result<(), Fault> {
        if self.low_now() && self.roomy()? {
            self.arm(Self::low_now)?;
        }
        let Some(wanted) = self.state().wanted else { return Ok(()) };
        let small = self.options.first_segment_bytes;
        let ready = match self.create(if self.low_now() { small } else { wanted }, small, pace) {
            Err(fault) if fault.is_full() => None,
            outcome => outcome?,
        };
        let mut state = self.state();
        state.wanted = (ready.is_none() && !self.low_now()).then_some(wanted);
        state.ready = ready;
        Ok(())
    }

    fn low_now(&self) -> bool {
        self.low.load(Ordering::Acquire)
    }

    /// Creates a segment of `bytes`; a full disk gets the ballast back and one more try with `least` bytes.
    fn create(&self, bytes: u64, least: u64, pace: Pace<'_>) -> Result<Option<Blank>, Fault> {
        // No two share a name: one may be under way while another waits for its number.
        let name = format!("blank-{}{}", self.made.fetch_add(1, Ordering::Relaxed), files::UNFINISHED);
        match Blank::create(&self.dir, &name, bytes, pace) {
            Err(fault) if fault.is_full() => {
                self.release()?;
                Blank::create(&self.dir, &name, least, pace)
            }
            outcome => outcome,
        }
    }

    /// Gives the ballast's space to whoever needs it now.
    fn release(&self) -> Result<(), Fault> {
        let _ballast = self.ballast.lock().unwrap_or_else(PoisonError::into_inner);
        self.low.store(true, Ordering::Release);
        if files::remove(&self.dir, &self.dir.file(files::BALLAST))? {
            files::sync_dir(&self.dir)?;
        }
        // The thread must look for room from now on, whoever called this.
        let _state = self.state();
        self.wake.notify_one();
        Ok(())
    }

    /// Takes the ballast, if `wanted` still holds when nobody else can release it: what the writer has just freed for
    /// a segment of its own must not be taken from under it. No room for it means low space, not a fault.
    fn arm(&self, wanted: impl FnOnce(&Self) -> bool) -> Result<(), Fault> {
        let held = self.ballast.lock().unwrap_or_else(PoisonError::into_inner);
        if !wanted(self) {
            return Ok(());
        }
        let outcome = self.reserve();
        if outcome.is_ok() {
            self.low.store(false, Ordering::Release);
        }
        drop(held);
        match outcome {
            Err(fault) if fault.is_full() => self.release(),
            outcome => outcome,
        }
    }

    fn reserve(&self) -> Result<(), Fault> {
        if self.options.ballast_bytes == 0 {
            return Ok(());
        }
        let path = self.dir.file(files::BALLAST);
        // To try would take all there is for a moment, from whoever writes just then.
        if !self.has_ballast()? && self.free()? < self.options.ballast_bytes {
            return Err(io("reserve the ballast", &path)(std::io::ErrorKind::StorageFull.into()));
        }
        let opened = self.dir.open(&path, Open::Keep);
        opened
            .and_then(|file| file.reserve(self.options.ballast_bytes))
            .map_err(io("reserve the ballast", &path))
    }

    fn has_ballast(&self) -> Result<bool, Fault> {
        let names = self.dir.names().map_err(io("list", self.dir.path()))?;
        Ok(names.iter().any(|name| name == files::BALLAST))
    }

    fn free(&self) -> Result<u64, Fault> {
        self.dir.free().map_err(io("ask for the free space of", self.dir.path()))
    }

    /// Whether the ballast and two segments would fit.
    fn roomy(&self) -> Result<bool, Fault> {
        Ok(self.free()? > self.options.ballast_bytes + 2 * self.options.segment_bytes)
    }
}
