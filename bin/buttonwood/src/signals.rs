//! Stopping on SIGTERM or SIGINT, at any time. Before `ready` it ends the process at once; signals within half a second count as one,
//! since a terminal and a parent process may both send it.

use crate::trouble::Trouble;
use buttonwood_sequencer::AbortOnPanic;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Signals this close to the first count as the same one: the terminal and the parent process may both send it.
const SAME: Duration = Duration::from_millis(500);

/// The receiver of signals.
#[derive(Debug)]
pub(crate) struct Stop {
    told: Receiver<i32>,
    ends_at_once: Arc<Mutex<bool>>,
}

impl Stop {
    /// Listens for signals from now on. Until [`Stop::wait_from_now`], a signal ends the process at once if
    /// `ends_at_once`.
    pub(crate) fn listen(ends_at_once: bool) -> Result<Self, Trouble> {
        let trouble = |error| Trouble::System(format!("cannot listen for signals: {error}"));
        let mut signals = Signals::new([SIGTERM, SIGINT]).map_err(trouble)?;
        let (tell, told) = channel();
        let ends_at_once = Arc::new(Mutex::new(ends_at_once));
        let starting = Arc::clone(&ends_at_once);
        let hear = move || {
            let _end = AbortOnPanic("signals");
            let mut first: Option<Instant> = None;
            for signal in &mut signals {
                // Held until the exit, so that a start that is being ended does not become ready.
                let starting = starting.lock().unwrap_or_else(PoisonError::into_inner);
                if *starting {
                    // This is as safe as a kill: a start can recover the directory as it is at any moment.
                    tracing::info!(signal, "stopped before it was ready");
                    std::process::exit(0);
                }
                if first.is_some_and(|first| first.elapsed() >= SAME) {
                    tracing::warn!(signal, "told again: ended without a snapshot");
                    let _ = emulate_default_handler(signal);
                }
                first.get_or_insert_with(Instant::now);
                let _ = tell.send(signal);
            }
        };
        thread::Builder::new().name("signals".to_owned()).spawn(hear).map_err(trouble)?;
        Ok(Self { told, ends_at_once })
    }

    /// From now on, signals go to [`Stop::wait`].
    pub(crate) fn wait_from_now(&self) {
        *self.ends_at_once.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }

    /// Waits for a signal.
    pub(crate) fn wait(&self) -> Option<i32> {
        self.told.recv().ok()
    }
}
