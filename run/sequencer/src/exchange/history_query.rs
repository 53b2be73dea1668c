//! Queries of the history, most of which is on disk, that block no other caller.

use crate::exchange::Exchange;
use crate::recovery::acts::{Acted, acts};
use crate::shared::Shared;
use buttonwood_disk::Folder;
use buttonwood_engine::{BreakKind, OrderState};
use buttonwood_model::{AccountId, GroupId, OrderId, SymbolId, TradeId};
use buttonwood_views::EventId;
use buttonwood_views::history::{
    Fault, History, Look, NewsBound, OrderNews, Query, Resumed, Stretch, Stretched,
};
use std::panic::resume_unwind;
use std::path::PathBuf;
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
    /// of this thread do not wait for it. A damaged row is built again from the journal, and the query may be repeated then.
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
        self.query_files(move |shared| question(Query::far(shared))).await
    }

    /// The events of an account's orders after `after`, oldest first, which must be one of its newest `most` events. They reach to the
    /// newest event that was published when the query began: a caller that follows the events from before the call misses none and skips
    /// those up to the last one returned.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    ///
    /// # Panics
    /// As [`Exchange::query_history`].
    pub async fn order_events_after(
        &self,
        account: AccountId,
        after: EventId,
        most: usize,
    ) -> Result<Resumed, Fault> {
        self.order_events_of_all_after(vec![account], after, most).await
    }

    /// The same of all accounts of a group, closed ones too: `after` must be one of the newest `most` events of all of them together.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    ///
    /// # Panics
    /// As [`Exchange::query_history`].
    pub async fn order_events_of_group_after(
        &self,
        group: GroupId,
        after: EventId,
        most: usize,
    ) -> Result<Resumed, Fault> {
        let accounts = || -> Vec<AccountId> {
            self.views().state().access().accounts_of(group).map(|(account, _)| account).collect()
        };
        let mut all = accounts();
        loop {
            let found = self.order_events_of_all_after(all.clone(), after, most).await;
            // An account that was opened before the events were read may have one that is older than the newest of the others. The caller skips
            // all up to that one, so it would never see the event.
            let opened = accounts();
            if opened.len() == all.len() {
                return found;
            }
            all = opened;
        }
    }

    async fn order_events_of_all_after(
        &self,
        accounts: Vec<AccountId>,
        after: EventId,
        most: usize,
    ) -> Result<Resumed, Fault> {
        self.query_orders(move |query, live| query.order_events_of_all_after(&accounts, after, most, live))
            .await
    }

    /// The news among the order events of accounts after one.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    ///
    /// # Panics
    /// As [`Exchange::query_history`].
    pub async fn order_news(
        &self,
        accounts: Vec<AccountId>,
        after: EventId,
        bound: NewsBound,
    ) -> Result<OrderNews, Fault> {
        self.query_orders(move |query, live| query.order_news(&accounts, after, bound, live)).await
    }

    /// Queries the history together with the live orders.
    async fn query_orders<T, Q>(&self, question: Q) -> Result<T, Fault>
    where
        T: Send + 'static,
        Q: Fn(Query<'_>, &dyn Fn(OrderId) -> Option<OrderState>) -> Result<T, Fault> + Send + 'static,
    {
        let in_memory = {
            let views = self.views();
            question(Query::near(views.history()), &|order| views.live_with_broken(order))
        };
        match in_memory {
            Err(Fault::Away) => {}
            found => return found,
        }
        self.query_files(move |shared| {
            question(Query::far(shared), &|order| shared.views.read().live_with_broken(order))
        })
        .await
    }

    /// Runs a query of rows in the files on a blocking thread.
    async fn query_files<T, Q>(&self, question: Q) -> Result<T, Fault>
    where
        T: Send + 'static,
        Q: FnOnce(&Shared) -> Result<T, Fault> + Send + 'static,
    {
        let shared = Arc::clone(&self.shared);
        let asked = tokio::task::spawn_blocking(move || {
            let attempts = shared.mend.attempts();
            question(&shared).inspect_err(|fault| shared.mend.note(fault, attempts))
        });
        match asked.await.map_err(JoinError::try_into_panic) {
            Ok(told) => told,
            Err(Ok(panic)) => resume_unwind(panic),
            // The runtime is shutting down, so no caller reads the answer.
            Err(Err(_)) => std::future::pending().await,
        }
    }

    /// The same on a thread that may wait for the disk.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn query_history_here<T>(
        &self,
        question: impl Fn(Query<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        match self.query_memory(&question) {
            Err(Fault::Away) => {}
            told => return told,
        }
        let attempts = self.shared.mend.attempts();
        question(Query::far(&*self.shared)).inspect_err(|fault| self.shared.mend.note(fault, attempts))
    }

    /// Which of the history's files are damaged and not mended yet, for an operator; `None` if none is known to be.
    pub fn history_trouble(&self) -> Option<String> {
        self.shared.mend.trouble()
    }

    /// At most `limit` acts of operators, the newest first: the one of number `last`, which was published, and those before it.
    /// Archived ones are looked for in `archive`, or, without it, where the exchange's own archive is. A blocking thread reads
    /// them.
    ///
    /// # Errors
    /// A fault of the journal.
    ///
    /// # Panics
    /// Outside a runtime of tokio's.
    pub async fn acts(
        &self,
        archive: Option<PathBuf>,
        last: u64,
        limit: usize,
    ) -> Result<Vec<Acted>, crate::Fault> {
        let dir = self.shared.dir.clone();
        let archive = archive.as_ref().map(Folder::from).or_else(|| self.shared.archive.clone());
        let read = tokio::task::spawn_blocking(move || acts(dir, archive, last, limit));
        match read.await.map_err(JoinError::try_into_panic) {
            Ok(read) => read,
            Err(Ok(panic)) => resume_unwind(panic),
            // The runtime is shutting down, so no caller reads the answer.
            Err(Err(_)) => std::future::pending().await,
        }
    }

    /// The volume of a symbol in a stretch of time, usually the rest of the minute in which its trailing 24 hours begin. The
    /// answer is kept until a trade leaves the stretch, so most calls read no row.
    ///
    /// # Errors
    /// As [`Exchange::query_history`].
    ///
    /// # Panics
    /// As [`Exchange::query_history`].
    pub async fn stretch(&self, stretch: Option<Stretch>) -> Result<Option<Stretched>, Fault> {
        let Some(stretch) = stretch else { return Ok(None) };
        let void = self.void_trades(stretch.symbol);
        if !void.is_empty() {
            // A kept answer may hold a trade that was broken since.
            let found = self.query_history(move |history| history.stretch_without(stretch, &void)).await?;
            return Ok(Some(found));
        }
        let kept = self.shared.stretches.lock().get(&stretch.symbol).copied();
        if let Some(kept) = kept.filter(|kept| kept.answers(&stretch)) {
            return Ok(Some(kept));
        }
        let found = self.query_history(move |history| history.stretch(stretch)).await?;
        self.shared.stretches.lock().insert(stretch.symbol, found);
        Ok(Some(found))
    }

    /// The trades of a symbol that were broken in full, in order of their ids.
    fn void_trades(&self, symbol: SymbolId) -> Vec<TradeId> {
        let views = self.views();
        let broken = views.state().floor().breaks.of_symbol(symbol);
        broken.filter(|(_, kind)| *kind == BreakKind::Full).map(|(trade, _)| trade).collect()
    }

    fn query_memory<T>(&self, question: impl Fn(Query<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        question(Query::near(self.views().history()))
    }
}
