//! For tests: how one says that it is skipped, and how one waits for what another thread or process does.

mod skip;
mod wait;

pub use skip::skipped;
pub use wait::wait_until;
