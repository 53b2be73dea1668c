//! The engine's own commands: opening an exchange in a new directory, and moving a manual clock.

use buttonwood_model::{commands, named};
use buttonwood_trading::FeeSchedule;
use serde::{Deserialize, Serialize};

/// A command of the engine itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Founding {
    /// Open the exchange: the first command of a directory.
    Open(Opening),
    /// Note that a manual clock was moved to this command's time, so that the time does not go back after a
    /// restart (BAL-007).
    MoveClock,
}

commands!(Founding, "exchange", {
    Open { 0: opening } = "open" 1: anytime neither,
    MoveClock {} = "move_clock" 1: anytime reduces,
});

/// An event of the engine itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Founded {
    /// The exchange was opened.
    Opened(Opening),
}

named!(Founded, "exchange", { Opened { 0: opening } = "opened" 1 });

/// The kind of exchange that a directory holds (D-30).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// A sandbox: test funds and control calls.
    Sandbox,
    /// A venue.
    Venue,
}

impl Mode {
    /// The command line's name of the command that makes such a directory.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sandbox => "sandbox",
            Self::Venue => "serve",
        }
    }
}

/// The settings that a directory is opened with and that never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// Sandbox or venue.
    pub mode: Mode,
    /// The seed of everything that is drawn at random (launch contract, `--seed`).
    pub seed: u64,
    /// The key of the hash index of client ids.
    pub hash_key: u64,
    /// The fee rates of every product, until they are changed.
    pub fees: FeeSchedule,
}
