//! The unspent outputs of own addresses.
//!
//! They are read from the node's set of unspent outputs once, then kept up to date by each block, since that reading
//! takes a node of a large network minutes. A spent coin is remembered as long as a reorganisation can bring it back.
//! Outputs of own transactions that wait for a block are kept apart: a balance leaves them out, a payment may spend them.

use super::{BitcoinChain, malformed, read};
use crate::{Answer, BlockRef, Branch, Outpoint, Spends, Transaction, TxHash, Unanswered};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Blocks that are read to follow the chain, before it is cheaper to read the set again.
const FOLLOW_MAX: u64 = 1_000;

/// An output of an own address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Coin {
    pub(super) address: String,
    pub(super) satoshis: u64,
    /// The height of its block.
    height: u64,
    /// The height of the block that spends it.
    spent: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct Coins {
    addresses: BTreeSet<String>,
    branch: Branch,
    mined: BTreeMap<Outpoint, Coin>,
    /// Outputs of own transactions in the mempool.
    waiting: BTreeMap<Outpoint, Coin>,
}

impl Coins {
    pub(super) fn new(addresses: &[String]) -> Self {
        Self { addresses: addresses.iter().cloned().collect(), ..Self::default() }
    }

    /// The sum that addresses hold in blocks, in satoshis.
    pub(super) fn sum(&self, addresses: &[String]) -> u64 {
        let counts = |coin: &&Coin| coin.spent.is_none() && addresses.contains(&coin.address);
        self.mined.values().filter(counts).map(|coin| coin.satoshis).sum()
    }

    /// A coin, spent or not.
    pub(super) fn find(&self, point: &Outpoint) -> Option<&Coin> {
        self.mined.get(point).or_else(|| self.waiting.get(point))
    }

    /// The coins that an address could spend: those in blocks before those that wait, the largest first.
    pub(super) fn of(&self, address: &str) -> Vec<(Outpoint, Coin)> {
        let ordered = |coins: &BTreeMap<Outpoint, Coin>| {
            let free = |(_, coin): &(&Outpoint, &Coin)| coin.address == address && coin.spent.is_none();
            let mut coins: Vec<(Outpoint, Coin)> =
                coins.iter().filter(free).map(|(point, coin)| (point.clone(), coin.clone())).collect();
            coins.sort_by_key(|(_, coin)| Reverse(coin.satoshis));
            coins
        };
        [ordered(&self.mined), ordered(&self.waiting)].concat()
    }

    /// Remembers what own transactions in the mempool pay to own addresses: those whose inputs are all own coins.
    pub(super) fn wait(&mut self, fresh: &[Transaction]) {
        // One may spend what another one makes, in any order.
        let mut before = usize::MAX;
        while before != self.waiting.len() {
            before = self.waiting.len();
            for transaction in fresh {
                let Spends::Inputs(inputs) = &transaction.spends else { continue };
                if inputs.iter().all(|input| self.find(input).is_some()) {
                    let coins = self.received(transaction, 0);
                    self.waiting.extend(coins);
                }
            }
        }
    }

    /// Forgets what does not wait any more.
    pub(super) fn keep_waiting(&mut self, pool: &BTreeSet<TxHash>) {
        self.waiting.retain(|point, _| pool.contains(&point.tx));
    }

    fn received(&self, transaction: &Transaction, height: u64) -> Vec<(Outpoint, Coin)> {
        let ours = transaction.outputs.iter().filter(|(_, output)| self.addresses.contains(&output.address));
        let coin = |(index, output): &(u32, crate::Output)| {
            let coin = Coin {
                address: output.address.clone(),
                satoshis: read::in_satoshis(output.amount)?,
                height,
                spent: None,
            };
            Some((Outpoint { tx: transaction.tx.clone(), index: *index }, coin))
        };
        ours.filter_map(coin).collect()
    }

    /// Adds a block on top.
    fn add(&mut self, at: &BlockRef, transactions: &[Transaction]) {
        for transaction in transactions {
            if let Spends::Inputs(inputs) = &transaction.spends {
                for input in inputs {
                    if let Some(coin) = self.mined.get_mut(input) {
                        coin.spent = Some(at.height);
                    }
                }
            }
            for (point, coin) in self.received(transaction, at.height) {
                self.waiting.remove(&point);
                self.mined.insert(point, coin);
            }
        }
        self.branch.push(at.clone());
        let lowest = self.branch.lowest().map_or(0, |block| block.height);
        self.mined.retain(|_, coin| coin.spent.is_none_or(|height| height >= lowest));
    }

    /// Removes the newest block.
    fn remove(&mut self, height: u64) {
        self.branch.pop();
        self.mined.retain(|_, coin| coin.height < height);
        for coin in self.mined.values_mut() {
            coin.spent = coin.spent.filter(|spent| *spent < height);
        }
    }
}

impl BitcoinChain {
    /// Brings the coins up to date, those of further addresses too.
    pub(super) fn follow(&mut self, addresses: &[String]) -> Answer<()> {
        if addresses.iter().any(|address| !self.coins.addresses.contains(address)) {
            let all = self.coins.addresses.iter().chain(addresses).cloned().collect();
            let waiting = std::mem::take(&mut self.coins.waiting);
            self.coins = Coins { addresses: all, waiting, ..Coins::default() };
        }
        let tip = self.newest()?;
        if self.coins.branch.tip() == Some(&tip) {
            return Ok(());
        }
        while let Some(own) = self.coins.branch.tip().cloned() {
            if self.hash_at(own.height)?.as_ref() == Some(&own.hash) {
                return self.follow_up(&own, &tip);
            }
            self.coins.remove(own.height);
        }
        self.scan()
    }

    fn follow_up(&mut self, own: &BlockRef, tip: &BlockRef) -> Answer<()> {
        if tip.height.saturating_sub(own.height) > FOLLOW_MAX {
            self.coins.branch = Branch::default();
            return self.scan();
        }
        let mut below = own.hash.clone();
        for height in own.height + 1..=tip.height {
            let Some(block) = self.block(height)? else { break };
            if block.parent != below {
                return Err(Unanswered::new("the chain was reorganised while it was read"));
            }
            self.coins.add(&block.at, &block.transactions);
            below = block.at.hash;
        }
        Ok(())
    }

    /// Reads the node's whole set of unspent outputs.
    fn scan(&mut self) -> Answer<()> {
        let mut spelled = BTreeMap::new();
        for address in &self.coins.addresses {
            let script = self.spelling.script(address);
            let script = script.ok_or_else(|| Unanswered::new(format!("'{address}' is no own address")))?;
            spelled.insert(const_hex::encode(script), address.clone());
        }
        self.coins.mined.clear();
        if spelled.is_empty() {
            let tip = self.newest()?;
            self.coins.branch.push(tip);
            return Ok(());
        }
        let scripts: Vec<String> = spelled.keys().map(|script| format!("raw({script})")).collect();
        let found = self.slow.call("scantxoutset", &json!(["start", scripts])).map_err(Unanswered::from)?;
        let broken = || malformed("the set of unspent outputs");
        let at = read::place(&found, "height", "bestblock").ok_or_else(broken)?;
        for value in found.get("unspents").and_then(Value::as_array).ok_or_else(broken)? {
            let (point, coin) = scanned(value, &spelled, &at).ok_or_else(broken)?;
            self.coins.mined.insert(point, coin);
        }
        self.coins.branch.push(at);
        Ok(())
    }
}

/// An output of the set.
fn scanned(value: &Value, spelled: &BTreeMap<String, String>, at: &BlockRef) -> Option<(Outpoint, Coin)> {
    let point = Outpoint { tx: read::hash(value.get("txid")?)?, index: read::index(value.get("vout")?)? };
    let coin = Coin {
        address: spelled.get(value.get("scriptPubKey")?.as_str()?)?.clone(),
        satoshis: read::satoshis(value.get("amount")?)?,
        height: value.get("height")?.as_u64().filter(|height| *height <= at.height)?,
        spent: None,
    };
    Some((point, coin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Block;
    use crate::rig::{output, units};

    fn point(tx: &str) -> Outpoint {
        Outpoint { tx: TxHash::new(tx), index: 0 }
    }

    /// A transaction that spends one coin and makes another one for the own address.
    fn moved(tx: &str, from: &str, coins: i128) -> Transaction {
        let outputs = vec![(0, output("own", "LTC", coins)), (1, output("other", "LTC", 1))];
        Transaction { tx: TxHash::new(tx), spends: Spends::Inputs(vec![point(from)]), outputs, failed: false }
    }

    fn block(height: u64, transactions: Vec<Transaction>) -> Block {
        let at = BlockRef { height, hash: TxHash::new(&format!("block {height}")) };
        Block { at, parent: TxHash::new(&format!("block {}", height - 1)), transactions }
    }

    fn add(coins: &mut Coins, block: &Block) {
        coins.add(&block.at, &block.transactions);
    }

    fn free(coins: &Coins) -> Vec<String> {
        coins.of("own").into_iter().map(|(point, _)| point.tx.as_str().to_owned()).collect()
    }

    /// Only transactions whose inputs are all own make coins before they are in a block, in whatever order they come;
    /// a coin is never there twice.
    #[test]
    fn own_change_can_be_spent_before_it_is_mined() {
        let mut coins = Coins::new(&["own".to_owned()]);
        add(&mut coins, &block(1, vec![moved("a", "outside", 9)]));
        let chain = [moved("c", "b", 7), moved("b", "a", 8), moved("foreign", "elsewhere", 50)];
        coins.wait(&chain);
        assert_eq!(free(&coins), ["a", "b", "c"]);
        let own = ["own".to_owned()];
        assert_eq!(read::money(coins.sum(&own)), units(9));
        add(&mut coins, &block(2, vec![moved("b", "a", 8)]));
        assert_eq!(free(&coins), ["b", "c"]);
        assert_eq!(read::money(coins.sum(&own)), units(8));
        coins.keep_waiting(&BTreeSet::new());
        assert_eq!(free(&coins), ["b"]);
    }

    /// A reorganisation takes coins away, and gives back what its blocks had spent.
    #[test]
    fn a_removed_block_gives_back_what_it_spent() {
        let mut coins = Coins::new(&["own".to_owned()]);
        add(&mut coins, &block(1, vec![moved("a", "outside", 9)]));
        add(&mut coins, &block(2, vec![moved("b", "a", 8)]));
        assert!(coins.find(&point("a")).is_some(), "a higher fee needs its worth");
        coins.remove(2);
        assert_eq!(free(&coins), ["a"]);
        for height in 2..200 {
            add(&mut coins, &block(height, if height == 2 { vec![moved("b", "a", 8)] } else { Vec::new() }));
        }
        assert_eq!((free(&coins), coins.find(&point("a"))), (vec!["b".to_owned()], None));
    }
}
