//! Control calls on their way to the thread.

use buttonwood_custody::simulated::{Incoming, Refusal, Treatment};
use buttonwood_custody::{Outpoint, Output, TxHash};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use tokio::sync::oneshot;

/// The effect of a control call on a chain.
#[derive(Clone, Debug)]
pub enum Work {
    /// Nothing: it only looks. With an address in canonical spelling, what arrived there is listed.
    Show(Option<String>),
    /// A payment from outside.
    Send(Output),
    /// New blocks.
    Mine(u32),
    /// Replaces the newest blocks.
    Reorg {
        /// How many.
        depth: u32,
        /// Whether payments from outside in them vanish.
        drop: bool,
    },
    /// How the node treats the next payments of the exchange.
    Node {
        /// How.
        treatment: Treatment,
        /// How many.
        times: u32,
    },
}

/// The view of a chain after a control call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The newest block's height.
    pub height: u64,
    /// Confirmations that make a payment final.
    pub confirmations: u32,
    /// Whether the network has a real node: nothing more is shown of it.
    pub is_real: bool,
    /// The transactions that wait for a block.
    pub mempool: Vec<TxHash>,
    /// The payments that arrived at the address in the request, newest first.
    pub received: Vec<Incoming>,
    /// The output of the payment that was sent.
    pub sent: Option<Outpoint>,
    /// The transactions that have vanished in a reorganisation.
    pub dropped: Vec<TxHash>,
}

/// Why a control call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failed {
    /// The chain has refused it, and is unchanged.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The chain, or the exchange, cannot do it now.
    #[error("{0}")]
    Unable(String),
}

/// The answer to a control call.
pub(crate) type Answered = Result<Shown, Failed>;

/// The jobs that the thread is sent.
#[derive(Debug)]
pub(crate) enum Job {
    Call { network: String, work: Work, reply: oneshot::Sender<Answered> },
    Rest { reply: oneshot::Sender<()> },
    Stop,
}

/// The way of control calls to the simulated chains.
#[derive(Clone, Debug)]
pub struct Chains {
    to: Sender<Job>,
    waiting: Arc<AtomicUsize>,
}

impl Chains {
    pub(crate) fn new(to: Sender<Job>, waiting: Arc<AtomicUsize>) -> Self {
        Self { to, waiting }
    }

    /// Payments that wait because the house's wallets cannot pay them.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Waits until the test credits that are durable are minted, and what the wallets hold is journaled. Nothing is waited for while
    /// the exchange stops.
    pub async fn rest(&self) {
        let (reply, rested) = oneshot::channel();
        if self.to.send(Job::Rest { reply }).is_ok() {
            let _ = rested.await;
        }
    }

    /// Does something to the chain of a network, and waits until what it shows is journaled.
    ///
    /// # Errors
    /// [`Failed`].
    pub async fn call(&self, network: &str, work: Work) -> Result<Shown, Failed> {
        let (reply, answered) = oneshot::channel();
        let stopping = || Failed::Unable("the exchange is stopping".to_owned());
        let job = Job::Call { network: network.to_owned(), work, reply };
        self.to.send(job).map_err(|_| stopping())?;
        answered.await.map_err(|_| stopping())?
    }
}
