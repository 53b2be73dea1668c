//! Asking the history, most of which lies on the disk, without making anybody else wait for it.

use crate::exchange::Exchange;
use crate::shared::Shared;
use buttonwood_views::history::{Fault, History, Look, Query};
use std::panic::resume_unwind;
use std::sync::Arc;
use tokio::task::JoinError;

impl Look for Shared {
    fn look(&self, see: &mut dyn FnMut(&History)) {
        see(self.views.read().history());
    }
}

impl Exchange {
    /// Asks the history. What memory still holds is told at once. Where rows of the files are needed, the question is put
    /// again on a thread that may wait for the disk, and takes the views' lock only between two reads: neither the writer
    /// nor the other callers of this thread wait for it.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    ///
    /// # Panics
    /// Outside a runtime of tokio's.
    pub async fn query_history<T, Q>(&self, question: Q) -> Result<T, Fault>
    where
        T: Send + 'static,
        Q: Fn(Query<'_>) -> Result<T, Fault> + Send + 'static,
    {
        match self.query_memory(&question) {
            Err(Fault::Away) => {}
            told => return told,
        }
        let shared = Arc::clone(&self.shared);
        let asked = tokio::task::spawn_blocking(move || question(Query::far(&*shared)));
        match asked.await.map_err(JoinError::try_into_panic) {
            Ok(told) => told,
            Err(Ok(panic)) => resume_unwind(panic),
            // The runtime is going down, and nobody reads the answer any more.
            Err(Err(_)) => std::future::pending().await,
        }
    }

    fn query_memory<T>(&self, question: impl Fn(Query<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        question(Query::near(self.views().history()))
    }
}
