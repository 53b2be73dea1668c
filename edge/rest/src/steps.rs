//! The turns of simulated traders while a manual clock moves.

use std::pin::Pin;
use std::sync::Arc;

/// One turn of the simulated traders, in progress.
pub type Step = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Lets the simulated traders take a turn; called while a manual clock moves.
#[derive(Clone)]
pub struct Steps(Arc<dyn Fn() -> Step + Send + Sync>);

impl Steps {
    /// Steps that `turn` takes.
    pub fn new(turn: impl Fn() -> Step + Send + Sync + 'static) -> Self {
        Self(Arc::new(turn))
    }

    pub(crate) fn take(&self) -> Step {
        (self.0)()
    }
}

impl std::fmt::Debug for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Steps")
    }
}
