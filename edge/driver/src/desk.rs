//! The exchange as the thread sees it: commands of the exchange itself, and what its state says.

use crate::host::Host;
use crate::node::Nodes;
use buttonwood_address::{Params, Seed};
use buttonwood_engine::{Command, FundsCommand, Reject, State};
use buttonwood_model::CurrencyId;
use buttonwood_sequencer::Exchange;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The seeds of the house's wallets: their addresses and keys are derived from them.
#[derive(Clone, Debug)]
pub struct Wallets {
    /// The formats of addresses.
    pub formats: Params,
    /// The seed.
    pub seed: Seed,
    /// The real nodes.
    pub nodes: Nodes,
}

/// Time before a command is sent again to an exchange that is busy.
const BUSY: Duration = Duration::from_millis(5);

/// Why nothing more can be journaled now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The exchange is stopping.
    Stopping,
    /// The disk is nearly full.
    NoRoom,
}

pub(crate) struct Desk {
    pub(crate) exchange: Exchange,
    pub(crate) wallets: Wallets,
    pub(crate) is_stopping: Arc<AtomicBool>,
    pub(crate) host: Box<dyn Host>,
}

impl Desk {
    pub(crate) fn new(
        exchange: Exchange,
        wallets: Wallets,
        is_stopping: Arc<AtomicBool>,
        host: Box<dyn Host>,
    ) -> Self {
        Self { exchange, wallets, is_stopping, host }
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Acquire)
    }

    /// Makes commands durable, in their order; says of each why it was refused, if it was.
    pub(crate) fn journal(&self, commands: Vec<FundsCommand>) -> Result<Vec<Option<Reject>>, Halt> {
        let mut pending = Vec::with_capacity(commands.len());
        for command in commands {
            let command = Command { caller: None, body: command.into() };
            pending.push(loop {
                match self.exchange.submit(command.clone()) {
                    Ok(pending) => break pending,
                    Err(_) if self.is_stopping() => return Err(Halt::Stopping),
                    Err(_) => std::thread::sleep(BUSY),
                }
            });
        }
        let mut refused = Vec::with_capacity(pending.len());
        for pending in pending {
            let receipt = self.host.wait(pending).map_err(|_| Halt::Stopping)?;
            refused.push(match receipt.done() {
                Err(Reject::NoRoom) => return Err(Halt::NoRoom),
                done => done.err(),
            });
        }
        Ok(refused)
    }

    /// Asks the state.
    pub(crate) fn ask<T>(&self, question: impl FnOnce(&State) -> T) -> T {
        question(self.exchange.views().state())
    }
}

/// The currency of a code in upper case.
pub(crate) fn currency(state: &State, code: &str) -> Option<CurrencyId> {
    let place = state.ledger().currencies().iter().position(|currency| currency.code == code)?;
    Some(CurrencyId::from_index(place))
}

/// The code of a currency.
pub(crate) fn code(state: &State, currency: CurrencyId) -> Option<&str> {
    state.ledger().currencies().get(currency.index()).map(|currency| currency.code.as_str())
}
