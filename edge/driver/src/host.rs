//! The surroundings of the driver: the system's disk and threads, or those of a simulator.

use buttonwood_custody::Chain;
use buttonwood_disk::{Disk, System};
use buttonwood_sequencer::{Pending, Receipt, Stopped};
use std::io;
use tokio::runtime::Runtime;

/// The surroundings of the driver. The simulator has one of its own.
pub trait Host: Send {
    /// The disk with the chains' files.
    fn disk(&self) -> &dyn Disk;

    /// Waits for the answer to a command.
    ///
    /// # Errors
    /// The exchange has stopped, and has not taken the command.
    fn wait(&self, pending: Pending) -> Result<Receipt, Stopped>;

    /// Reaches a chain's node, once. A simulator may lose, repeat or reorder its answers.
    fn reach(&self, chain: &mut dyn Chain, act: &mut dyn FnMut(&mut dyn Chain)) {
        act(chain);
    }
}

/// The system's disk and threads.
pub(crate) struct Threads {
    runtime: Runtime,
}

impl Threads {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { runtime: tokio::runtime::Builder::new_current_thread().build()? })
    }
}

impl Host for Threads {
    fn disk(&self) -> &dyn Disk {
        &System
    }

    fn wait(&self, pending: Pending) -> Result<Receipt, Stopped> {
        self.runtime.block_on(pending)
    }
}
