//! The fate of a transaction, without an index of transactions: the mempool, the set of unspent outputs, and the newest
//! blocks.

use super::{BitcoinChain, encode, malformed, read};
use crate::{Answer, BlockRef, Lookup, Outpoint, Spends, TxHash, WINDOW};
use buttonwood_num::Money;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Outputs of a transaction by which its block is looked for first. Own ones have two: the payment and the change.
const OUTPUTS: u32 = 2;

/// The transactions for which the blocks up to a newest one were searched, and the findings.
#[derive(Debug, Default)]
pub(super) struct Searched {
    tip: Option<BlockRef>,
    found: BTreeMap<TxHash, Lookup>,
}

impl BitcoinChain {
    pub(super) fn look_up(&mut self, tx: &TxHash, spends: &Spends) -> Answer<Lookup> {
        // A transaction moves from the mempool into the chain: looked at in this order, it is not missed.
        if self.waiting(tx)?.is_some() {
            return Ok(Lookup::Waiting);
        }
        for index in 0..OUTPUTS {
            let point = Outpoint { tx: tx.clone(), index };
            if let Some(output) = self.output(&point, false)? {
                let block = self.block_of(&output)?;
                return self.mined(tx, block);
            }
        }
        let gone = match spends {
            Spends::Inputs(inputs) => self.gone(inputs)?,
            Spends::Nonce { .. } | Spends::Unknown => return Ok(Lookup::Unknown),
        };
        if gone.is_empty() { Ok(Lookup::Unknown) } else { self.search(tx, &gone) }
    }

    /// The block of an unspent output.
    fn block_of(&mut self, output: &Value) -> Answer<BlockRef> {
        let broken = || malformed("an unspent output");
        let best = output.get("bestblock").and_then(read::hash).ok_or_else(broken)?;
        let confirmations = output.get("confirmations").and_then(Value::as_u64).ok_or_else(broken)?;
        let header = self.call("getblockheader", &json!([best.as_str()]))?;
        let newest = read::place(&header, "height", "hash").ok_or_else(broken)?;
        let below = confirmations.checked_sub(1).and_then(|below| newest.height.checked_sub(below));
        let height = below.ok_or_else(broken)?;
        let hash = self.hash_at(height)?.ok_or_else(broken)?;
        Ok(BlockRef { height, hash })
    }

    fn mined(&mut self, tx: &TxHash, block: BlockRef) -> Answer<Lookup> {
        let whole = self.call("getrawtransaction", &json!([tx.as_str(), true, block.hash.as_str()]))?;
        Ok(Lookup::Mined { block, failed: false, cost: cost(&whole) })
    }

    /// Those inputs that a block has spent. One that waits itself, or whose transaction is lost, is not among them for
    /// sure: the search decides.
    fn gone(&mut self, inputs: &[Outpoint]) -> Answer<Vec<Outpoint>> {
        let mut gone = Vec::new();
        for input in inputs {
            if self.output(input, false)?.is_none() && self.waiting(&input.tx)?.is_none() {
                gone.push(input.clone());
            }
        }
        Ok(gone)
    }

    /// Looks into the newest blocks for the transaction, or for one that has spent its inputs; once for each newest
    /// block.
    fn search(&mut self, tx: &TxHash, gone: &[Outpoint]) -> Answer<Lookup> {
        let tip = self.newest()?;
        if self.searched.tip.as_ref() != Some(&tip) {
            self.searched = Searched { tip: Some(tip.clone()), found: BTreeMap::new() };
        }
        if let Some(found) = self.searched.found.get(tx) {
            return Ok(found.clone());
        }
        let mut found = Lookup::Unknown;
        for height in (0..=tip.height).rev().take(WINDOW) {
            let Some(block) = self.block(height)? else { continue };
            let spends = |spends: &Spends| matches!(spends, Spends::Inputs(inputs) if inputs.iter().any(|input| gone.contains(input)));
            let Some(hit) = block.transactions.iter().find(|one| one.tx == *tx || spends(&one.spends)) else {
                continue;
            };
            if hit.tx == *tx {
                found = self.mined(tx, block.at)?;
            } else if tip.height - height + 1 >= u64::from(self.confirmations) {
                found = Lookup::Dead { by: Some(hit.tx.clone()) };
            }
            break;
        }
        self.searched.found.insert(tx.clone(), found.clone());
        Ok(found)
    }
}

/// The fee that an own transaction has paid the network: its first input says it.
fn cost(transaction: &Value) -> Money {
    let input = transaction.get("vin").and_then(Value::as_array).and_then(|inputs| inputs.first());
    let sequence = input.and_then(|input| input.get("sequence")).and_then(Value::as_u64);
    let fee = sequence.and_then(|sequence| encode::fee_in(u32::try_from(sequence).ok()?));
    read::money(fee.unwrap_or(0))
}
