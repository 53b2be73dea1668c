//! The engine's own commands: what a directory is founded on, and moves of its clock.

use buttonwood_model::{Roles, named};
use buttonwood_trading::FeeSchedule;
use serde::{Deserialize, Serialize};

/// A command of no room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Founding {
    /// The first command of a directory.
    Open(Opening),
    /// A manual clock was moved to this command's time, which does not go back when the exchange starts again (BAL-007).
    MoveClock,
}

named!(Founding, "exchange", { Open { 0: opening } = "open" 1, MoveClock {} = "move_clock" 1 });

impl Founding {
    /// The roles of which a caller needs one: no key may send any of these.
    pub fn roles(&self) -> Roles {
        Roles::NONE
    }

    /// Whether it is served when little room is left to journal.
    pub fn is_reducing(&self) -> bool {
        matches!(self, Self::MoveClock)
    }
}

/// What happens in no room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Founded {
    /// The directory was made.
    Opened(Opening),
}

named!(Founded, "exchange", { Opened { 0: opening } = "opened" 1 });

/// What made a directory (D-30).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Test funds, control calls.
    Sandbox,
    /// A venue.
    Venue,
}

impl Mode {
    /// The name of the command that makes such a directory.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sandbox => "sandbox",
            Self::Venue => "serve",
        }
    }
}

/// The first command of a directory: what can never change in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// Which kind of exchange it is.
    pub mode: Mode,
    /// What draws what is drawn (launch contract, `--seed`).
    pub seed: u64,
    /// Keys the hash index of client ids.
    pub hash_key: u64,
    /// The fee rates of every product, until others come into force.
    pub fees: FeeSchedule,
}
