//! A real node of the Bitcoin family: bitcoind or litecoind, of version 0.21 or later, without an index of transactions.
//!
//! Own transactions spend P2WPKH outputs (BIP 141) and can be replaced (BIP 125). Money that litecoin's extension
//! blocks move is not seen; what they pay out to an ordinary address is.
//!
//! Addresses are reported in canonical spelling.

mod build;
mod coins;
mod encode;
mod identity;
mod lookup;
mod read;
#[cfg(test)]
mod tests;

use crate::node::{Rpc, RpcFault};
use crate::{
    Answer, Block, BlockRef, Broadcast, BuildError, Chain, Draft, KeyError, Keys, Lookup, Mempool, NodeUrl,
    Outpoint, Signed, Spends, TxHash, Unanswered, Unsigned, WINDOW,
};
use buttonwood_address::{Network, Params};
use buttonwood_num::Money;
use coins::Coins;
use encode::Plan;
pub use identity::BitcoinIdentity;
use lookup::Searched;
use read::Spelling;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// The time of a call.
const CALL: Duration = Duration::from_secs(10);

/// The time of reading the set of unspent outputs.
const SCAN: Duration = Duration::from_mins(10);

/// The contents of waiting transactions that one look reads at most; the next look reads further ones.
const FRESH_MAX: usize = 1_000;

/// Errors of nodes, by their numbers (`rpc/protocol.h`).
const NOT_FOUND: i64 = -5;
const OUT_OF_RANGE: i64 = -8;
const UNREADABLE: i64 = -22;
const FAILED: i64 = -25;
const REFUSED: i64 = -26;
const IN_CHAIN: i64 = -27;

/// Parts of messages that say that a transaction's inputs are used or missing.
const SPENT: [&str; 4] = ["missingorspent", "missing inputs", "txn-mempool-conflict", "conflicting-tx"];

/// Parts of messages that say that the node has a transaction.
const KNOWN: [&str; 4] = ["already in", "already-in", "already known", "already-known"];

/// Parts of messages of refusals that pass: it offers too little for the node, until a higher fee replaces it; the mempool is full, or
/// too much waits already.
const PASSING: [&str; 5] =
    ["min relay fee", "mempool min fee", "mempool full", "too-long-mempool-chain", "premature-spend"];

/// A network whose nodes this serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitcoinNetwork {
    /// BTC.
    Bitcoin,
    /// LTC.
    Litecoin,
}

impl BitcoinNetwork {
    /// The network of a name (FX-011).
    pub fn of(name: &str) -> Option<Self> {
        [Self::Bitcoin, Self::Litecoin].into_iter().find(|network| network.name() == name)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bitcoin => "bitcoin",
            Self::Litecoin => "litecoin",
        }
    }

    const fn addresses(self) -> Network {
        match self {
            Self::Bitcoin => Network::Bitcoin,
            Self::Litecoin => Network::Litecoin,
        }
    }

    const fn currency(self) -> &'static str {
        match self {
            Self::Bitcoin => "BTC",
            Self::Litecoin => "LTC",
        }
    }

    /// By which nodes reckon dust, in satoshis for 1000 bytes (`DUST_RELAY_TX_FEE`).
    const fn dust_rate(self) -> u64 {
        match self {
            Self::Bitcoin => 3_000,
            Self::Litecoin => 30_000,
        }
    }

    /// The least that a transaction offers, in satoshis for 1000 virtual bytes.
    const fn fee_rate_min(self) -> u64 {
        match self {
            Self::Bitcoin => 2_000,
            Self::Litecoin => 10_000,
        }
    }

    /// The most that a transaction offers, in satoshis for 1000 virtual bytes.
    const fn fee_rate_max(self) -> u64 {
        match self {
            Self::Bitcoin => 1_000_000,
            Self::Litecoin => 5_000_000,
        }
    }
}

/// How to reach and use a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitcoinConfig {
    /// The node.
    pub url: NodeUrl,
    /// Its network.
    pub network: BitcoinNetwork,
    /// The formats of addresses, with the node's own chain in them ([`BitcoinChain::identity`]).
    pub params: Params,
    /// Confirmations that make a conflict final.
    pub confirmations: u32,
    /// The addresses of own wallets, which pay (P2WPKH).
    pub wallets: Vec<String>,
}

/// A node of the Bitcoin family.
#[derive(Debug)]
pub struct BitcoinChain {
    rpc: Rpc,
    /// For the one call that takes minutes.
    slow: Rpc,
    network: BitcoinNetwork,
    spelling: Spelling,
    confirmations: u32,
    coins: Coins,
    searched: Searched,
}

impl BitcoinChain {
    /// For a node, which need not answer yet. A call that it does not answer ends after 10 seconds; reading the set of
    /// unspent outputs, at the first use, may take 10 minutes.
    pub fn new(config: BitcoinConfig) -> Self {
        let spelling = Spelling {
            network: config.network.addresses(),
            params: config.params,
            currency: config.network.currency().to_owned(),
        };
        Self {
            rpc: Rpc::new(config.url.clone(), CALL),
            slow: Rpc::new(config.url, SCAN),
            network: config.network,
            spelling,
            confirmations: config.confirmations,
            coins: Coins::new(&config.wallets),
            searched: Searched::default(),
        }
    }

    /// Changes the number of confirmations that make a conflict final.
    pub fn set_confirmations(&mut self, confirmations: u32) {
        self.confirmations = confirmations;
    }

    fn call(&mut self, method: &str, params: &Value) -> Answer<Value> {
        self.rpc.call(method, params).map_err(Unanswered::from)
    }

    /// Calls a method; an error with this number means that there is no such thing.
    fn call_for(&mut self, method: &str, params: &Value, absent: i64) -> Answer<Option<Value>> {
        match self.rpc.call(method, params) {
            Ok(value) => Ok(Some(value).filter(|value| !value.is_null())),
            Err(RpcFault::Error { code: Some(code), .. }) if code == absent => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }

    fn newest(&mut self) -> Answer<BlockRef> {
        let info = self.call("getblockchaininfo", &json!([]))?;
        read::place(&info, "blocks", "bestblockhash").ok_or_else(|| malformed("the newest block"))
    }

    fn hash_at(&mut self, height: u64) -> Answer<Option<TxHash>> {
        // Nodes read the height as 32 bits.
        let Ok(height) = i32::try_from(height) else { return Ok(None) };
        let Some(found) = self.call_for("getblockhash", &json!([height]), OUT_OF_RANGE)? else {
            return Ok(None);
        };
        read::hash(&found).map(Some).ok_or_else(|| malformed("a block's hash"))
    }

    /// A block with its transactions.
    fn block(&mut self, height: u64) -> Answer<Option<Block>> {
        let Some(hash) = self.hash_at(height)? else { return Ok(None) };
        let value = self.call("getblock", &json!([hash.as_str(), 2]))?;
        let broken = || malformed("a block");
        let at = read::place(&value, "height", "hash").ok_or_else(broken)?;
        if at != (BlockRef { height, hash }) {
            return Err(broken());
        }
        let parent = match value.get("previousblockhash") {
            Some(parent) => read::hash(parent).ok_or_else(broken)?,
            None if height == 0 => TxHash::new(&"0".repeat(64)),
            None => return Err(broken()),
        };
        let transactions = value.get("tx").and_then(Value::as_array).ok_or_else(broken)?;
        let transactions = transactions.iter().map(|value| self.spelling.transaction(value));
        Ok(Some(Block { at, parent, transactions: transactions.collect::<Option<_>>().ok_or_else(broken)? }))
    }

    /// An unspent output; with `pool`, one that the mempool makes counts, and one that it spends does not.
    fn output(&mut self, point: &Outpoint, pool: bool) -> Answer<Option<Value>> {
        let params = json!([point.tx.as_str(), point.index, pool]);
        let value = self.call("gettxout", &params)?;
        Ok(Some(value).filter(|value| !value.is_null()))
    }

    /// The mempool's entry of a transaction.
    fn waiting(&mut self, tx: &TxHash) -> Answer<Option<Value>> {
        self.call_for("getmempoolentry", &json!([tx.as_str()]), NOT_FOUND)
    }
}

impl Chain for BitcoinChain {
    fn tip(&mut self) -> Answer<BlockRef> {
        self.newest()
    }

    fn block_at(&mut self, height: u64) -> Answer<Option<BlockRef>> {
        Ok(self.hash_at(height)?.map(|hash| BlockRef { height, hash }))
    }

    /// At most one more than a reorganisation can replace.
    fn blocks(&mut self, from: u64, limit: usize) -> Answer<Vec<Block>> {
        let mut blocks = Vec::new();
        for height in (from..).take(limit.min(WINDOW + 1)) {
            let Some(block) = self.block(height)? else { break };
            blocks.push(block);
        }
        Ok(blocks)
    }

    fn mempool(&mut self, known: &BTreeSet<TxHash>) -> Answer<Mempool> {
        self.follow(&[])?;
        let value = self.call("getrawmempool", &json!([]))?;
        let hashes =
            value.as_array().map(|hashes| hashes.iter().map(read::hash).collect::<Option<BTreeSet<_>>>());
        let all = hashes.flatten().ok_or_else(|| malformed("the mempool"))?;
        self.coins.keep_waiting(&all);
        let mut pool = Mempool { hashes: all.intersection(known).cloned().collect(), fresh: Vec::new() };
        for tx in all.difference(known).take(FRESH_MAX) {
            // One that is gone has been mined or replaced in between.
            let found = self.call_for("getrawtransaction", &json!([tx.as_str(), true]), NOT_FOUND)?;
            let Some(value) = found.filter(|value| value.get("blockhash").is_none()) else { continue };
            let transaction = self.spelling.transaction(&value).filter(|found| found.tx == *tx);
            let transaction = transaction.ok_or_else(|| malformed("a waiting transaction"))?;
            pool.hashes.insert(tx.clone());
            pool.fresh.push(transaction);
        }
        self.coins.wait(&pool.fresh);
        Ok(pool)
    }

    fn lookup(&mut self, tx: &TxHash, spends: &Spends) -> Answer<Lookup> {
        self.look_up(tx, spends)
    }

    fn watch(&mut self, addresses: &[String]) -> Answer<()> {
        self.follow(addresses)
    }

    fn balance(&mut self, addresses: &[String], currency: &str) -> Answer<Money> {
        if currency != self.spelling.currency {
            return Ok(Money::ZERO);
        }
        self.follow(addresses)?;
        Ok(read::money(self.coins.sum(addresses)))
    }

    fn build(&mut self, draft: &Draft<'_>) -> Result<Unsigned, BuildError> {
        self.build_draft(draft)
    }

    fn sign(&self, unsigned: &Unsigned, keys: &dyn Keys) -> Result<Signed, KeyError> {
        let broken = || KeyError { address: String::new(), reason: "an unreadable transaction".to_owned() };
        let plan: Plan = postcard::from_bytes(&unsigned.body).map_err(|_| broken())?;
        if plan.inputs.is_empty() || plan.inputs.len() != unsigned.digests.len() {
            return Err(broken());
        }
        let sign = |(address, digest): &(String, [u8; 32])| keys.sign(address, digest);
        let signatures = unsigned.digests.iter().map(sign).collect::<Result<Vec<_>, _>>()?;
        let (tx, bytes) = plan.signed(&signatures);
        Ok(Signed { tx, bytes, spends: unsigned.spends.clone() })
    }

    fn broadcast(&mut self, signed: &[u8]) -> Broadcast {
        // 0: the node's own limit on fees does not count, since building has one.
        match self.rpc.call("sendrawtransaction", &json!([const_hex::encode(signed), 0])) {
            Ok(_) => Broadcast::Accepted,
            Err(RpcFault::Silent(_)) => Broadcast::NoAnswer,
            Err(RpcFault::Error { code, message }) => judged(code, message),
        }
    }
}

/// The meaning of a node's error about a sent transaction. Numbers other than these are of a node in trouble.
fn judged(code: Option<i64>, message: String) -> Broadcast {
    let lower = message.to_lowercase();
    let any = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    match code {
        Some(IN_CHAIN) => Broadcast::AlreadyKnown,
        Some(FAILED | REFUSED) if any(&KNOWN) => Broadcast::AlreadyKnown,
        Some(FAILED | REFUSED) if any(&SPENT) => Broadcast::Spent,
        Some(REFUSED) if any(&PASSING) => Broadcast::NoAnswer,
        Some(REFUSED | UNREADABLE) => Broadcast::Refused { reason: message },
        _ => Broadcast::NoAnswer,
    }
}

fn malformed(what: &str) -> Unanswered {
    Unanswered::new(format!("malformed: {what}"))
}
