//! The sandbox: what a test environment has beyond a venue.
//!
//! The accounts and keys every sandbox is founded with, `credentials.json`, and the simulated traders that keep the
//! books of the main symbols alive through the same client and interface as anyone. Wired only in sandbox mode.

mod cast;
mod credentials;
mod draw;
mod found;
mod traders;

pub use credentials::{Fault, write as write_credentials};
pub use draw::Draw;
pub use found::{Founded, Funding, found};
pub use traders::{Market, NoTraders, Pace, TraderKey, Traders, is_simulated};
