//! For tests: how one says that it is skipped, and how one waits for what another thread or process does.

mod skip;
mod wait;

pub use skip::skipped;
pub use wait::{comes_within, let_pass, wait_until};
