//! The sandbox: what a test environment has beyond a venue.
//!
//! The accounts and keys every sandbox is founded with, `credentials.json`, sample exchange rates, and the market: latent prices, and the
//! simulated traders that quote every book from them. Wired only in sandbox mode.

mod cast;
mod credentials;
mod draw;
mod found;
mod market;
mod people;
mod sample_rates;
mod traders;

pub use credentials::{Fault, write as write_credentials};
pub use draw::{Draw, draw_deposit_seed};
pub use found::{
    Founded, Funding, found, found_accounts_of_traders, found_perpetual_traders, found_socket_keys,
};
pub use market::schedule::{beats, next_beat};
pub use people::{found_people, test_users};
pub use sample_rates::{SAMPLE_PROVIDER, missing_sample_rates};
pub use traders::{Simulated, Traders, simulated, spot_traders};
