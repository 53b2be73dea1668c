//! The proof of reserves in the background: builds the trees of each cut, and has assets compared with liabilities every minute
//! (INV-POR-1).
//!
//! The thread reads the views, so neither the writer nor the journal's thread waits for it. A breach is an alarm in the log, and the
//! check that the thread submits stops the withdrawals of the currency.

use crate::exchange::Exchange;
use crate::shared::{Shared, Submission};
use buttonwood_engine::funds::reserves::{Command as ReservesCommand, changes, sums};
use buttonwood_engine::{Body, Command, FundsCommand, State};
use buttonwood_model::CurrencyId;
use buttonwood_views::reserves::{Nonces, Trees};
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Time between two looks at the last cut.
const PERIOD: Duration = Duration::from_secs(1);
/// Time between two checks of assets against liabilities.
const CHECK_EVERY: Duration = Duration::from_mins(1);

/// The trees of the last cut, and what builds them.
#[derive(Debug, Default)]
pub(crate) struct ReservesMark {
    /// Nothing is proved without them.
    nonces: OnceLock<Nonces>,
    trees: Mutex<Option<Arc<Trees>>>,
    /// Held while trees are built, so that they are built once.
    building: Mutex<()>,
    is_stopping: Mutex<bool>,
    stopped: Condvar,
}

impl ReservesMark {
    /// Ends the thread.
    pub(crate) fn stop(&self) {
        *self.is_stopping.lock() = true;
        self.stopped.notify_all();
    }

    /// Waits for the next step; `false` when there is none.
    fn next(&self) -> bool {
        let mut is_stopping = self.is_stopping.lock();
        if !*is_stopping {
            self.stopped.wait_for(&mut is_stopping, PERIOD);
        }
        !*is_stopping
    }

    /// The trees of the last cut, if they are built: they, or nothing where there was no cut. An error if they have to be built.
    fn built(&self, shared: &Shared) -> Result<Option<Arc<Trees>>, ()> {
        let cut = shared.views.read().fold().cut().map(|cut| cut.time);
        let (Some(cut), Some(_)) = (cut, self.nonces.get()) else { return Ok(None) };
        let trees = self.trees.lock().clone();
        trees.filter(|trees| trees.time == cut).map(Some).ok_or(())
    }

    /// The trees of the last cut, built if they are not.
    fn build(&self, shared: &Shared) -> Option<Arc<Trees>> {
        let _building = self.building.lock();
        if let Ok(built) = self.built(shared) {
            return built;
        }
        let cut = shared.views.read().fold().cut().cloned()?;
        let trees = Arc::new(Trees::of(&cut, self.nonces.get()?));
        *self.trees.lock() = Some(Arc::clone(&trees));
        Some(trees)
    }
}

impl Exchange {
    /// Proves reserves from now on, with nonces that are drawn from this secret.
    pub fn prove_reserves(&self, secret: &[u8]) {
        // A second call would change proofs that customers have.
        let _ = self.shared.reserves.nonces.set(Nonces::new(secret));
    }

    /// The trees of the last cut; none before the first one.
    ///
    /// # Panics
    /// Outside a runtime of tokio's.
    pub async fn reserves(&self) -> Option<Arc<Trees>> {
        if let Ok(built) = self.shared.reserves.built(&self.shared) {
            return built;
        }
        let shared = Arc::clone(&self.shared);
        let built = tokio::task::spawn_blocking(move || shared.reserves.build(&shared));
        match built.await {
            Ok(trees) => trees,
            Err(failed) => match failed.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The runtime is shutting down, so no caller reads the answer.
                Err(_) => std::future::pending().await,
            },
        }
    }
}

/// Builds and checks until it is stopped.
pub(crate) fn run(shared: &Shared) {
    let (mut reported, mut next_check) = (BTreeSet::new(), Instant::now());
    loop {
        shared.reserves.build(shared);
        if Instant::now() >= next_check {
            next_check = Instant::now() + CHECK_EVERY;
            check(shared);
        }
        report(shared.views.read().state(), &mut reported);
        if !shared.reserves.next() {
            return;
        }
    }
}

/// Has the state checked, if that would change anything.
fn check(shared: &Shared) {
    let is_needed = {
        let views = shared.views.read();
        let state = views.state();
        changes(state.funds(), state.ledger()).next().is_some()
    };
    let command = FundsCommand::from(ReservesCommand::Check);
    let command = Command { caller: None, body: Body::Funds(command) };
    if is_needed && shared.send(Submission::Command(command, None)).is_err() {
        tracing::debug!("the check of reserves waits for room in the queue");
    }
}

/// Reports the currencies that have become short or covered since the last report.
fn report(state: &State, reported: &mut BTreeSet<CurrencyId>) {
    let short: BTreeSet<CurrencyId> = state.funds().reserves().short().collect();
    let code = |id: &CurrencyId| state.currency(*id).map_or("?", |currency| currency.code.as_str());
    for id in short.difference(reported) {
        let sums = sums(state.funds(), state.ledger(), *id);
        tracing::error!(
            currency = code(id),
            assets = ?sums.assets,
            liabilities = ?sums.liabilities,
            "assets do not cover what customers have: withdrawals of this currency stop"
        );
    }
    for id in reported.difference(&short) {
        tracing::warn!(currency = code(id), "assets cover what customers have again");
    }
    *reported = short;
}
