//! The beats in which simulated traders act while a manual clock moves.

use buttonwood_model::Time;
use std::pin::Pin;
use std::sync::Arc;

/// The acts of simulated traders in a beat, in progress.
pub type Step = Pin<Box<dyn Future<Output = ()>>>;

/// Lets simulated traders act while a manual clock moves.
#[derive(Clone)]
pub struct Steps {
    beats: Arc<dyn Fn(Time, Time) -> Vec<Time> + Send + Sync>,
    act: Arc<dyn Fn(Time) -> Step + Send + Sync>,
}

impl Steps {
    /// `beats` has the beats after the first time, up to the second one; `act` acts in a beat.
    pub fn new(
        beats: impl Fn(Time, Time) -> Vec<Time> + Send + Sync + 'static,
        act: impl Fn(Time) -> Step + Send + Sync + 'static,
    ) -> Self {
        Self { beats: Arc::new(beats), act: Arc::new(act) }
    }

    /// The beats after the first time, up to the second one.
    pub fn beats(&self, from: Time, to: Time) -> Vec<Time> {
        (self.beats)(from, to)
    }

    /// Acts in a beat.
    pub fn act(&self, beat: Time) -> Step {
        (self.act)(beat)
    }
}

impl std::fmt::Debug for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Steps")
    }
}
