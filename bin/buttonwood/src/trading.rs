//! The simulated traders of a sandbox at a running exchange: their beats, and the way of their commands.

use crate::reference::Reference;
use crate::trouble::Trouble;
use buttonwood_call::{App, Steps};
use buttonwood_engine::{Command, State};
use buttonwood_model::Time;
use buttonwood_num::Money;
use buttonwood_sandbox::{Traders, beats, next_beat};
use buttonwood_sequencer::Exchange;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Traders at an exchange.
#[derive(Debug)]
pub(crate) struct Trading {
    exchange: Exchange,
    traders: Traders,
}

impl Trading {
    /// The traders of a seed.
    pub(crate) fn new(exchange: Exchange, seed: u64) -> Result<Self, Trouble> {
        let traders = traders(exchange.views().state(), seed)?;
        Ok(Self { exchange, traders })
    }

    /// Fills the books of an exchange that has just started, once it has run what fell due before.
    pub(crate) fn open(&self) -> Result<(), Trouble> {
        runtime()?.block_on(async {
            let now = self.exchange.now();
            if let Ok(caught_up) = self.exchange.advance(now) {
                let _ = caught_up.await;
            }
            let commands = self.traders.open(self.exchange.views().state(), now);
            self.send(commands).await;
        });
        Ok(())
    }

    /// Acts in a beat. While the disk takes cancels only, nothing is done.
    async fn act(&self, beat: Time) {
        if !self.exchange.is_short_of_space() {
            let commands = self.traders.act(self.exchange.views().state(), beat);
            self.send(commands).await;
        }
    }

    /// Sends commands together, and waits until all are durable. One that is refused has changed nothing, and the next beat sees what is
    /// missing.
    async fn send(&self, commands: Vec<Command>) {
        let sent: Vec<_> =
            commands.into_iter().map_while(|command| self.exchange.submit(command).ok()).collect();
        for pending in sent {
            if pending.await.is_err() {
                tracing::debug!("the exchange stops: simulated traders act no more");
                return;
            }
        }
    }
}

/// The traders of a seed, with the start prices of the symbol data.
pub(crate) fn traders(state: &State, seed: u64) -> Result<Traders, Trouble> {
    let reference = Reference::load()?;
    let prices = reference.dollar_prices();
    let start_of = |code: &str| {
        let place = reference.currencies.iter().position(|listed| listed.currency.code == code)?;
        *prices.get(place)?
    };
    let starts: Vec<Option<Money>> =
        state.currencies().iter().map(|currency| start_of(&currency.code)).collect();
    Ok(Traders::new(seed, state, &starts))
}

/// A thread that acts in every beat of a real clock, but in maintenance; dropping the sender ends it.
pub(crate) fn keep_trading(trading: Arc<Trading>, app: Arc<App>) -> Result<Sender<()>, Trouble> {
    let (stop, stopped) = channel::<()>();
    let runtime = runtime()?;
    let trade = move || {
        // A serving thread's commands gather, so that those of a beat share a batch.
        let local = tokio::task::LocalSet::new();
        local.spawn_local(trading.exchange.open_mailbox());
        loop {
            let now = trading.exchange.now();
            let beat = next_beat(now);
            match stopped.recv_timeout(Duration::from_micros(beat.0.saturating_sub(now.0))) {
                Err(RecvTimeoutError::Timeout) if app.is_in_maintenance() => {}
                Err(RecvTimeoutError::Timeout) => local.block_on(&runtime, trading.act(beat)),
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    };
    std::thread::Builder::new().name("traders".to_owned()).spawn(trade).map_err(|error| trouble(&error))?;
    Ok(stop)
}

/// The beats on the way of a manual clock's moves; the thread that answers a move acts in them.
pub(crate) fn steps(trading: Arc<Trading>) -> Steps {
    let act = move |beat| -> buttonwood_call::Step {
        let trading = Arc::clone(&trading);
        Box::pin(async move { trading.act(beat).await })
    };
    Steps::new(|from, to| beats(from, to).collect(), act)
}

fn runtime() -> Result<tokio::runtime::Runtime, Trouble> {
    tokio::runtime::Builder::new_current_thread().build().map_err(|error| trouble(&error))
}

fn trouble(error: &std::io::Error) -> Trouble {
    Trouble::System(format!("cannot start the simulated traders: {error}"))
}
