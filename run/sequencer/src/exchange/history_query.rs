//! Queries of the history, most of which is on disk, that block no other caller.

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
    /// Queries the history. Rows still in memory are returned at once. If rows of the files are needed, the query runs
    /// again on a blocking thread, which takes the views' lock only between two reads. The writer and the other callers
    /// of this thread do not wait for it.
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
            // The runtime is shutting down, so no caller reads the answer.
            Err(Err(_)) => std::future::pending().await,
        }
    }

    fn query_memory<T>(&self, question: impl Fn(Query<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        question(Query::near(self.views().history()))
    }
}
