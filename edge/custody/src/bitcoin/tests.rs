//! Against litecoind, on a private chain: deposits, payments, a higher fee, a void, reorganisations, restarts.
//!
//! `BUTTONWOOD_LITECOIND` names its program (Debian's package `litecoind`); without it these tests say that they are
//! skipped.

mod deposits;
mod faults;
mod node;
mod payments;

use super::*;
use crate::rig::units;
use crate::{
    Attempt, Observation, Outcome, Pay, Payer, Payment, Purpose, Report, Reserved, Settled, Signature, Step,
    Watcher,
};
use buttonwood_address::{Branch as Use, Chain as Formats, Key, Seed, derive};
use k256::ecdsa::SigningKey;
use node::Node;

const REQUIRED: u32 = 2;

/// Keys by their addresses.
struct TestKeys(Vec<(String, Key)>);

impl TestKeys {
    fn new(params: &Params) -> Self {
        let seed = Seed::new(&[7; 64]).unwrap();
        let key = |branch| {
            let derived = derive(params, &seed, Network::Litecoin, branch, 0).unwrap();
            (derived.address.canonical().into_owned(), derived.key)
        };
        Self([Use::Wallet, Use::Deposit, Use::Legacy].into_iter().map(key).collect())
    }
}

impl Keys for TestKeys {
    fn sign(&self, address: &str, digest: &[u8; 32]) -> Result<Signature, KeyError> {
        let (_, key) = self.0.iter().find(|(own, _)| own == address).unwrap();
        let key = SigningKey::from_slice(key.expose()).unwrap();
        let (signature, recovery) = key.sign_prehash_recoverable(digest);
        let public_key = key.verifying_key().to_sec1_point(true).as_bytes().try_into().unwrap();
        let rs = signature.to_bytes().as_slice().try_into().unwrap();
        Ok(Signature { rs, recovery: recovery.to_byte(), public_key })
    }
}

/// A running node with a watcher and a payer. Its own wallet is the world outside; the hot wallet has 100 LTC in two
/// coins.
struct Stage {
    node: Node,
    keys: TestKeys,
    chain: BitcoinChain,
    watcher: Watcher,
    payer: Payer,
    observations: Vec<Observation>,
    steps: Vec<Step>,
}

impl Stage {
    /// `None` if there is no litecoind on this machine.
    fn new() -> Option<Self> {
        let node = Node::start()?;
        let keys = TestKeys::new(&node.params());
        let chain = BitcoinChain::new(node.config(vec![keys.0[0].0.clone()]));
        let mut stage = Self {
            node,
            keys,
            chain,
            watcher: Watcher::new(REQUIRED),
            payer: Payer::new(REQUIRED),
            observations: Vec::new(),
            steps: Vec::new(),
        };
        stage.node.mine(8);
        // So many further ones that what is spent of these stays mature in every reorganisation.
        let elsewhere = stage.legacy();
        stage.node.rpc("generatetoaddress", &json!([110, elsewhere]));
        for coins in ["60", "40"] {
            stage.node.send(&stage.hot(), coins);
        }
        stage.mine(1);
        Some(stage)
    }

    fn hot(&self) -> String {
        self.keys.0[0].0.clone()
    }

    fn customer(&self) -> String {
        self.keys.0[1].0.clone()
    }

    /// Its address of the older form.
    fn legacy(&self) -> String {
        self.keys.0[2].0.clone()
    }

    fn look(&mut self) -> Report {
        let ours = [self.customer(), self.legacy()];
        let report = self.watcher.look(&mut self.chain, &|address| ours.iter().any(|own| own == address));
        assert_eq!(report.fault, None);
        self.observations.extend(report.observations.iter().cloned());
        report
    }

    fn poll(&mut self) -> usize {
        let steps = self.payer.poll(&mut self.chain, self.watcher.branch(), &self.keys);
        for step in &steps {
            if let Step::Signed { payment, attempt } = step {
                assert!(self.payer.recorded(*payment, &attempt.signed.tx));
            }
        }
        self.steps.extend(steps.iter().cloned());
        steps.len()
    }

    fn settle_down(&mut self) {
        // A branch of the same length is followed at the third look.
        for _ in 0..4 {
            while !self.look().is_empty() || self.poll() > 0 {}
        }
    }

    fn mine(&mut self, blocks: u32) {
        self.node.mine(blocks);
        self.settle_down();
    }

    /// Replaces the newest blocks by as many empty ones and one more; their transactions wait again.
    fn reorg(&mut self, depth: u64) {
        self.node.reorg(depth);
        self.settle_down();
    }

    /// A payment out of the hot wallet to an address of the world outside, which is returned.
    fn pay(&mut self, id: u64, amount: Money) -> String {
        let address = self.node.address();
        self.payer.accept(self.payment(id, &address, amount));
        address
    }

    fn payment(&self, id: u64, address: &str, amount: Money) -> Payment {
        let (address, currency) = (address.to_owned(), "LTC".to_owned());
        Payment { id, from: vec![self.hot()], address, memo: None, currency, amount }
    }

    fn held(&mut self, address: &str) -> Money {
        self.chain.balance(&[address.to_owned()], "LTC").unwrap()
    }

    fn outcome(&self, id: u64) -> Option<Outcome> {
        let ends = |step: &&Step| matches!(step, Step::Settled { payment, .. } | Step::Unsettled { payment, .. } if *payment == id);
        self.steps.iter().rev().find(ends).and_then(settled).map(|settled| settled.outcome)
    }

    fn attempts(&self, id: u64) -> Vec<Attempt> {
        let attempt = |step: &Step| {
            let Step::Signed { payment, attempt } = step else { return None };
            (*payment == id).then(|| attempt.clone())
        };
        self.steps.iter().filter_map(attempt).collect()
    }

    /// The fees that the network has been paid so far.
    fn costs(&self) -> Money {
        self.steps.iter().filter_map(settled).map(|settled| settled.cost).sum()
    }

    /// Starts the exchange again: with a new backend, and a payer that knows what was journaled.
    fn restart(&mut self, payments: &[Payment]) {
        self.chain = BitcoinChain::new(self.node.config(vec![self.hot()]));
        let known = Vec::new();
        self.watcher = Watcher::restore(REQUIRED, self.watcher.branch().clone(), known);
        self.payer = Payer::new(REQUIRED);
        for payment in payments {
            let last = self.steps.iter().rev().find(|step| matches!(step, Step::Settled { payment: id, .. } | Step::Unsettled { payment: id, .. } if *id == payment.id));
            let end = last.and_then(settled).cloned();
            self.payer.restore(payment.clone(), self.attempts(payment.id), end);
        }
    }
}

fn settled(step: &Step) -> Option<&Settled> {
    let Step::Settled { settled, .. } = step else { return None };
    Some(settled)
}
