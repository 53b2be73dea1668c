//! Prepares the next segment and the ballast in the background (J4, J11).
//!
//! The ballast is reserved space. When the disk is full, it is released so that cancels can still be journaled, and
//! `low` makes the exchange refuse everything else. It is reserved again once there is room.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use buttonwood_disk::{Folder, Open};

use crate::blank::{Blank, Pace};
use crate::fault::{Fault, io};
use crate::files;
use crate::journal::Options;

/// How often a full disk is checked for room.
const RECHECK: Duration = Duration::from_secs(1);

/// Space that a start needs for files outside the journal: the keys of a sandbox, rows of history, the watermark.
const SMALL_FILES: u64 = 256 * 1024;

/// The state shared by the writer and the background thread.
#[derive(Debug)]
struct Shared {
    dir: Folder,
    options: Options,
    state: Mutex<State>,
    wake: Condvar,
    /// Held while the ballast is reserved or released, so that `low` always reflects the later of the two.
    ballast: Mutex<()>,
    stop: AtomicBool,
    /// The writer will soon need the next segment.
    hurry: AtomicBool,
    low: AtomicBool,
    /// Number of files begun, for their temporary names.
    made: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    /// Bytes of the requested segment.
    wanted: Option<u64>,
    ready: Option<Blank>,
    /// Whether the first attempt to reserve the ballast has begun.
    is_begun: bool,
    fault: Option<Fault>,
}

/// Reports a panic of the thread to the writer as a fault: segments are no longer prepared and the disk is no longer
/// checked for room.
struct Fallen<'a>(&'a Shared);

impl Drop for Fallen<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let source = std::io::Error::other("the thread that does has panicked");
            self.0.state().fault = Some(io("prepare a segment", self.0.dir.path())(source));
        }
    }
}

/// The background thread; dropping this value ends the thread.
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

    /// Starts the thread, which first reserves the ballast unless it was just released.
    pub(crate) fn start(&mut self) -> Result<(), Fault> {
        let worker = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new()
            .name("journal-prepare".to_owned())
            .spawn(move || worker.work())
            .map_err(io("start the thread that prepares", self.shared.dir.path()))?;
        self.thread = Some(thread);
        Ok(())
    }

    /// Does the thread's next piece of work on the caller's thread.
    pub(crate) fn step(&self) -> Result<(), Fault> {
        if !self.shared.state().is_begun {
            self.shared.begin()?;
        }
        let has_room = self.shared.state().ready.is_none();
        if has_room { self.shared.turn(Pace::Now) } else { Ok(()) }
    }

    /// Requests the next segment, of `bytes` at most; returns at once and allocates nothing. `soon` says that little
    /// time is left.
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

    /// Releases a ballast left by an earlier run when little other space is left: a start has a few small files of
    /// its own to write.
    pub(crate) fn make_room(&self) -> Result<(), Fault> {
        let is_tight = self.shared.free()? < SMALL_FILES;
        if is_tight && self.shared.has_ballast()? { self.shared.release() } else { Ok(()) }
    }

    /// Takes the prepared segment if it is ready and has at least `needed` bytes. Also returns an error that the
    /// thread met: it concerns the journal's disk, so the writer stops (J1).
    pub(crate) fn take(&self, needed: u64) -> Result<Option<Blank>, Fault> {
        let mut state = self.shared.state();
        match state.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(state.ready.take_if(|blank| blank.bytes >= needed)),
        }
    }

    /// Makes a segment of `bytes` on the caller's thread, since none was ready.
    pub(crate) fn urgent(&self, bytes: u64) -> Result<Blank, Fault> {
        let made = self.shared.create(bytes, bytes, Pace::Now)?;
        Ok(made.expect("nothing stops an urgent segment"))
    }

    /// Whether the ballast was released, or could not be reserved (J11).
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
            // The panic hook has already reported a panic there.
            let _ = thread.join();
        }
        // Optional: the next start would remove the file too, with a note.
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

    /// Reserves the ballast unless it was just released.
    fn begin(&self) -> Result<(), Fault> {
        self.state().is_begun = true;
        self.arm(|shared| !shared.low_now())
    }

    /// Sleeps until there is work; `false` if the thread should end.
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

    /// Reserves the ballast again if there is room, then makes the requested segment.
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

    /// Creates a segment of `bytes`. On a full disk, it releases the ballast and tries once more with `least` bytes.
    fn create(&self, bytes: u64, least: u64, pace: Pace<'_>) -> Result<Option<Blank>, Fault> {
        // A name of its own for each: one may be under way while another waits for its number.
        let name = format!("blank-{}{}", self.made.fetch_add(1, Ordering::Relaxed), files::UNFINISHED);
        match Blank::create(&self.dir, &name, bytes, pace) {
            Err(fault) if fault.is_full() => {
                self.release()?;
                Blank::create(&self.dir, &name, least, pace)
            }
            outcome => outcome,
        }
    }

    /// Removes the ballast, so that its space can be used, and reports low space.
    fn release(&self) -> Result<(), Fault> {
        let _ballast = self.ballast.lock().unwrap_or_else(PoisonError::into_inner);
        self.low.store(true, Ordering::Release);
        if files::remove(&self.dir, &self.dir.file(files::BALLAST))? {
            files::sync_dir(&self.dir)?;
        }
        // From now on the thread must check for room, even if the writer called this.
        let _state = self.state();
        self.wake.notify_one();
        Ok(())
    }

    /// Reserves the ballast if `wanted` holds under the lock that `release` takes too: space that the writer has just
    /// freed for its own segment must not be taken from it. No room for the ballast means low space, not a fault.
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
        // An attempt would briefly take all free space from other writes.
        if !self.has_ballast()? && self.free()? < self.options.ballast_bytes {
            return Err(io("reserve the ballast", &path)(std::io::ErrorKind::StorageFull.into()));
        }
        let opened = self.dir.open(&path, Open::ReadWrite);
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
