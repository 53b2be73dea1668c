//! A real node that does not answer costs the thread of the chains one wait, not one for each payment and each look.

use buttonwood_custody::{
    Answer, Block, BlockRef, Broadcast, BuildError, Chain, Draft, KeyError, Keys, Lookup, Mempool, Signed,
    Spends, TxHash, Unanswered, Unsigned,
};
use buttonwood_num::Money;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// A call that has failed and took this long means that the node does not answer.
const SLOW: Duration = Duration::from_secs(2);

/// Time between two calls of a node that does not answer.
const RETRY_EVERY: Duration = Duration::from_secs(1);

/// A real node. After a call without an answer every further call fails at once, until a thread of its own has got an answer.
pub(crate) struct Patient {
    chain: Box<dyn Chain>,
    is_silent: Arc<AtomicBool>,
    /// Wakes the thread that calls a silent node.
    retry: SyncSender<()>,
    slow: Duration,
}

impl std::fmt::Debug for Patient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Patient").field("is_silent", &self.is_silent).finish_non_exhaustive()
    }
}

impl Patient {
    /// A node by two connections: `second` is used while it is silent. The thread ends with this, or when the exchange stops.
    pub(crate) fn new(
        chain: Box<dyn Chain>,
        second: Box<dyn Chain>,
        is_stopping: Arc<AtomicBool>,
    ) -> std::io::Result<Self> {
        let is_silent = Arc::new(AtomicBool::new(false));
        let (retry, retried) = sync_channel(1);
        let (mut second, silent) = (second, Arc::clone(&is_silent));
        let wait = move || {
            while retried.recv().is_ok() {
                while !is_stopping.load(Ordering::Acquire) && second.tip().is_err() {
                    std::thread::sleep(RETRY_EVERY);
                }
                silent.store(false, Ordering::Release);
            }
        };
        std::thread::Builder::new().name("silent node".to_owned()).spawn(wait)?;
        Ok(Self { chain, is_silent, retry, slow: SLOW })
    }

    /// Calls the node; `is_answer` says whether it has answered.
    fn call<T>(
        &mut self,
        silent: impl FnOnce() -> T,
        is_answer: impl FnOnce(&T) -> bool,
        call: impl FnOnce(&mut dyn Chain) -> T,
    ) -> T {
        if self.is_silent.load(Ordering::Acquire) {
            return silent();
        }
        let start = Instant::now();
        let answer = call(self.chain.as_mut());
        if !is_answer(&answer) && start.elapsed() >= self.slow {
            self.is_silent.store(true, Ordering::Release);
            // A full channel has woken the thread already.
            let _ = self.retry.try_send(());
        }
        answer
    }

    fn ask<T>(&mut self, call: impl FnOnce(&mut dyn Chain) -> Answer<T>) -> Answer<T> {
        self.call(|| Err(silent()), Result::is_ok, call)
    }
}

fn silent() -> Unanswered {
    Unanswered::new("it is silent")
}

impl Chain for Patient {
    fn tip(&mut self) -> Answer<BlockRef> {
        self.ask(|chain| chain.tip())
    }

    fn block_at(&mut self, height: u64) -> Answer<Option<BlockRef>> {
        self.ask(|chain| chain.block_at(height))
    }

    fn blocks(&mut self, from: u64, limit: usize) -> Answer<Vec<Block>> {
        self.ask(|chain| chain.blocks(from, limit))
    }

    fn mempool(&mut self, known: &BTreeSet<TxHash>) -> Answer<Mempool> {
        self.ask(|chain| chain.mempool(known))
    }

    fn lookup(&mut self, tx: &TxHash, spends: &Spends) -> Answer<Lookup> {
        self.ask(|chain| chain.lookup(tx, spends))
    }

    fn watch(&mut self, addresses: &[String]) -> Answer<()> {
        self.ask(|chain| chain.watch(addresses))
    }

    fn balance(&mut self, addresses: &[String], currency: &str) -> Answer<Money> {
        self.ask(|chain| chain.balance(addresses, currency))
    }

    fn build(&mut self, draft: &Draft<'_>) -> Result<Unsigned, BuildError> {
        let is_answer = |built: &Result<_, BuildError>| !matches!(built, Err(BuildError::Unanswered(_)));
        self.call(|| Err(silent().into()), is_answer, |chain| chain.build(draft))
    }

    fn sign(&self, unsigned: &Unsigned, keys: &dyn Keys) -> Result<Signed, KeyError> {
        self.chain.sign(unsigned, keys)
    }

    fn broadcast(&mut self, signed: &[u8]) -> Broadcast {
        let is_answer = |answer: &Broadcast| *answer != Broadcast::NoAnswer;
        self.call(|| Broadcast::NoAnswer, is_answer, |chain| chain.broadcast(signed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// A node that answers each call for its newest block by what it is given, and counts the calls.
    struct Scripted {
        answers: Receiver<Answer<BlockRef>>,
        called: Sender<()>,
    }

    impl Chain for Scripted {
        fn tip(&mut self) -> Answer<BlockRef> {
            self.called.send(()).unwrap();
            self.answers.recv().unwrap_or_else(|_| Err(silent()))
        }

        fn block_at(&mut self, _: u64) -> Answer<Option<BlockRef>> {
            Err(silent())
        }

        fn blocks(&mut self, _: u64, _: usize) -> Answer<Vec<Block>> {
            Err(silent())
        }

        fn mempool(&mut self, _: &BTreeSet<TxHash>) -> Answer<Mempool> {
            Err(silent())
        }

        fn lookup(&mut self, _: &TxHash, _: &Spends) -> Answer<Lookup> {
            Err(silent())
        }

        fn balance(&mut self, _: &[String], _: &str) -> Answer<Money> {
            Err(silent())
        }

        fn build(&mut self, _: &Draft<'_>) -> Result<Unsigned, BuildError> {
            Err(silent().into())
        }

        fn sign(&self, _: &Unsigned, _: &dyn Keys) -> Result<Signed, KeyError> {
            Err(KeyError { address: String::new(), reason: String::new() })
        }

        fn broadcast(&mut self, _: &[u8]) -> Broadcast {
            Broadcast::NoAnswer
        }
    }

    struct Stage {
        patient: Patient,
        /// Answers of the first connection and of the second, and their calls.
        lines: [(Sender<Answer<BlockRef>>, Receiver<()>); 2],
    }

    fn stage(slow: Duration) -> Stage {
        let line = || {
            let ((answer, answers), (called, calls)) = (channel(), channel());
            (Box::new(Scripted { answers, called }), (answer, calls))
        };
        let ((first, one), (second, two)) = (line(), line());
        let mut patient = Patient::new(first, second, Arc::default()).unwrap();
        patient.slow = slow;
        Stage { patient, lines: [one, two] }
    }

    fn block() -> BlockRef {
        BlockRef { height: 1, hash: TxHash::new("0x01") }
    }

    /// After a slow failure nothing is asked until the second connection has got an answer.
    #[test]
    fn a_silent_node_is_left_alone() {
        let Stage { mut patient, lines: [one, two] } = stage(Duration::ZERO);
        one.0.send(Err(silent())).unwrap();
        assert_eq!((patient.tip(), one.1.try_iter().count()), (Err(silent()), 1));
        two.1.recv().unwrap();
        one.0.send(Ok(block())).unwrap();
        assert_eq!((patient.tip(), patient.broadcast(b"")), (Err(silent()), Broadcast::NoAnswer));
        assert_eq!(one.1.try_iter().count(), 0, "the node is not asked again");
        two.0.send(Ok(block())).unwrap();
        while patient.tip().is_err() {
            std::thread::yield_now();
        }
        assert_eq!(one.1.try_iter().count(), 1);
    }

    /// A failure that comes at once costs nothing, so that the next call is made.
    #[test]
    fn a_quick_failure_is_no_silence() {
        let Stage { mut patient, lines: [one, two] } = stage(Duration::MAX);
        one.0.send(Err(silent())).unwrap();
        one.0.send(Ok(block())).unwrap();
        assert_eq!((patient.tip(), patient.tip()), (Err(silent()), Ok(block())));
        assert_eq!(two.1.try_iter().count(), 0);
    }
}
