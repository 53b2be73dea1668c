//! The driver without a thread, for the simulator: the caller gives it its turns.

use crate::call::{Failed, Shown, Work};
use crate::desk::{Desk, Wallets};
use crate::host::Host;
use crate::thread::Driving;
use buttonwood_sequencer::Exchange;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

/// The driver in the caller's thread. It does everything that the thread of a [`Driver`](crate::Driver) does, when it is given a turn.
pub struct SteppedDriver {
    driving: Driving,
}

impl SteppedDriver {
    /// Goes on where the state says that the exchange has stopped. The chains keep their files in `folder`.
    pub fn new(exchange: Exchange, wallets: Wallets, folder: PathBuf, host: Box<dyn Host>) -> Self {
        let desk = Desk::new(exchange, wallets, Arc::new(AtomicBool::new(false)), host);
        let mut driving = Driving::new(desk, folder, Arc::new(AtomicUsize::new(0)));
        driving.start();
        Self { driving }
    }

    /// Takes new withdrawals, and brings everything as far as it comes.
    pub fn turn(&mut self) {
        self.driving.turn();
    }

    /// Does something to the chain of a network.
    ///
    /// # Errors
    /// [`Failed`].
    pub fn call(&mut self, network: &str, work: Work) -> Result<Shown, Failed> {
        self.driving.obey(network, work)
    }
}
