//! The sandbox: what a test environment has beyond a venue.
//!
//! The accounts and keys every sandbox is founded with, `credentials.json`, sample exchange rates, and the simulated traders that keep the
//! books of the main symbols alive through the same client and interface as anyone. Wired only in sandbox mode.

mod cast;
mod credentials;
mod draw;
mod found;
mod sample_rates;
mod traders;

pub use credentials::{Fault, write as write_credentials};
pub use draw::{Draw, draw_deposit_seed};
pub use found::{Founded, Funding, found, found_perpetual_traders};
pub use sample_rates::{SAMPLE_PROVIDER, missing_sample_rates};
pub use traders::{Cast, Fair, Index, Market, NoTraders, Pace, Simulated, TraderKey, Traders, simulated};
