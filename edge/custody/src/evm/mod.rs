//! A real node of an EVM network: transactions of type 2 (EIP-1559), payments in the network's own currency and in
//! ERC-20 tokens.
//!
//! A payment counts as incoming if it is the value of a transaction or a `Transfer` of a known token. Values that
//! contracts send on inside a transaction leave no such trace and are not seen. In a transaction, the value has index 0,
//! and transfers follow in their order.
//!
//! Addresses are reported in lower case.

mod build;
mod identity;
mod read;
mod rlp;
#[cfg(test)]
mod tests;

pub use identity::{EvmIdentity, TokenFault};

use crate::node::{Rpc, RpcFault};
use crate::{
    Answer, Block, BlockRef, Broadcast, BuildError, Chain, Draft, KeyError, Keys, Lookup, Mempool, NodeUrl,
    Output, Signed, Spends, Transaction, TxHash, Unanswered, Unsigned,
};
use buttonwood_num::Money;
use serde_json::{Value, json};
use sha3::{Digest, Keccak256};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The topic of `Transfer(address,address,uint256)` (ERC-20).
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/// The selector of `transfer(address,uint256)`.
const TRANSFER_CALL: &str = "0xa9059cbb";

/// Decimals of every EVM network's own currency.
const NATIVE_DECIMALS: u8 = 18;

/// Parts of messages by which nodes refuse a transaction for good. A payment that is refused otherwise is sent again: one that the
/// wallet cannot pay now is paid once it is filled up, and one that offers too little is replaced by one that offers more.
const REFUSALS: [&str; 9] = [
    "intrinsic gas",
    "gas limit",
    "gas too low",
    "invalid",
    "oversized",
    "too large",
    "revert",
    "not supported",
    "rlp",
];

/// A token of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The currency's code.
    pub currency: String,
    /// Its contract, in lower case.
    pub contract: String,
    /// Its decimals, at most 19.
    pub decimals: u8,
}

/// How to reach and use a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvmConfig {
    /// The node.
    pub url: NodeUrl,
    /// The network's own currency.
    pub currency: String,
    /// The tokens that count.
    pub tokens: Vec<Token>,
    /// Confirmations that make a conflict final.
    pub confirmations: u32,
    /// The most that a transaction may offer for a unit of gas, in wei.
    pub gas_price_max: u128,
}

/// A node of an EVM network.
#[derive(Debug)]
pub struct EvmChain {
    rpc: Rpc,
    config: EvmConfig,
    chain_id: Option<u64>,
}

impl EvmChain {
    /// For a node, which need not answer yet. A call that it does not answer ends after 10 seconds.
    pub fn new(config: EvmConfig) -> Self {
        Self { rpc: Rpc::new(config.url.clone(), Duration::from_secs(10)), config, chain_id: None }
    }

    /// Changes the number of confirmations that make a conflict final.
    pub fn set_confirmations(&mut self, confirmations: u32) {
        self.config.confirmations = confirmations;
    }

    fn call(&mut self, method: &str, params: &Value) -> Answer<Value> {
        self.rpc.call(method, params).map_err(Unanswered::from)
    }

    fn number(&mut self, method: &str, params: &Value) -> Answer<u128> {
        let value = self.call(method, params)?;
        read::number(&value).ok_or_else(|| malformed(method))
    }

    /// A block by its number or tag, `None` if there is none.
    fn block_json(&mut self, block: &str, full: bool) -> Answer<Option<Value>> {
        let value = self.call("eth_getBlockByNumber", &json!([block, full]))?;
        Ok(Some(value).filter(|value| !value.is_null()))
    }

    fn block_ref(&mut self, block: &str) -> Answer<Option<BlockRef>> {
        let Some(value) = self.block_json(block, false)? else { return Ok(None) };
        let found = place(&value).ok_or_else(|| malformed("a block"))?;
        Ok(Some(found))
    }

    /// A block with its transactions, as far as they pay something.
    fn block(&mut self, height: u64) -> Answer<Option<Block>> {
        let Some(value) = self.block_json(&hex(height.into()), true)? else { return Ok(None) };
        let broken = || malformed("a block");
        let at = place(&value).filter(|at| at.height == height).ok_or_else(broken)?;
        let parent = value.get("parentHash").and_then(read::hash).ok_or_else(broken)?;
        let transactions = value.get("transactions").and_then(Value::as_array).ok_or_else(broken)?;
        let mut block = Block { at, parent, transactions: Vec::new() };
        if transactions.is_empty() {
            return Ok(Some(block));
        }
        let receipts = self.receipts(&block.at)?;
        for value in transactions {
            let tx = value.get("hash").and_then(read::hash).ok_or_else(broken)?;
            let receipt = receipts.get(&tx).ok_or_else(|| malformed("the receipts of a block"))?;
            block.transactions.push(self.transaction(value, Some(receipt)).ok_or_else(broken)?);
        }
        Ok(Some(block))
    }

    /// The receipts of a block, by transaction. Those of another block, after a reorganisation, are no answer.
    fn receipts(&mut self, at: &BlockRef) -> Answer<BTreeMap<TxHash, Value>> {
        let value = self.call("eth_getBlockReceipts", &json!([hex(at.height.into())]))?;
        let broken = || malformed("the receipts of a block");
        let Value::Array(receipts) = value else { return Err(broken()) };
        let mut by_tx = BTreeMap::new();
        for receipt in receipts {
            let block = receipt.get("blockHash").and_then(read::hash);
            let tx = receipt.get("transactionHash").and_then(read::hash).ok_or_else(broken)?;
            if block.as_ref() != Some(&at.hash) {
                return Err(broken());
            }
            by_tx.insert(tx, receipt);
        }
        Ok(by_tx)
    }

    /// A transaction with what it pays: by its receipt, or by its call while it waits.
    fn transaction(&self, value: &Value, receipt: Option<&Value>) -> Option<Transaction> {
        let tx = value.get("hash").and_then(read::hash)?;
        let spends = Spends::Nonce {
            address: value.get("from").and_then(read::address)?,
            nonce: value.get("nonce").and_then(read::small)?,
        };
        let failed = receipt.is_some_and(|receipt| receipt.get("status").and_then(read::number) == Some(0));
        let mut paid = Vec::new();
        let to = value.get("to").and_then(read::address);
        if let Some(to) = to {
            let amount = value.get("value").and_then(read::number);
            let amount = amount.and_then(|wei| read::money(wei, NATIVE_DECIMALS)).unwrap_or_default();
            if amount > Money::ZERO {
                paid.push(output(&to, &self.config.currency, amount));
            }
            if receipt.is_none() {
                paid.extend(self.token_call(&to, value));
            }
        }
        let logs = receipt.and_then(|receipt| receipt.get("logs")).and_then(Value::as_array);
        paid.extend(logs.into_iter().flatten().filter_map(|log| self.token_transfer(log)));
        Some(Transaction { tx, spends, outputs: (0..).zip(paid).collect(), failed })
    }

    /// The payment that a waiting call of a token would make.
    fn token_call(&self, contract: &str, value: &Value) -> Option<Output> {
        let token = self.config.tokens.iter().find(|token| token.contract == contract)?;
        let words: [u8; 64] =
            read::bytes(&format!("0x{}", value.get("input")?.as_str()?.strip_prefix(TRANSFER_CALL)?))?;
        let (to, amount) = (words.first_chunk::<32>()?, words.last_chunk::<32>()?);
        let amount = read::money(read::number_in_word(amount)?, token.decimals)?;
        (amount > Money::ZERO).then_some(output(&read::address_in_word(to)?, &token.currency, amount))
    }

    /// The transfer that a token has logged.
    fn token_transfer(&self, log: &Value) -> Option<Output> {
        let contract = log.get("address").and_then(read::address)?;
        let token = self.config.tokens.iter().find(|token| token.contract == contract)?;
        let topics = log.get("topics")?.as_array()?;
        let [kind, _, to] = topics.as_slice() else { return None };
        if !kind.as_str()?.eq_ignore_ascii_case(TRANSFER) {
            return None;
        }
        let amount = read::number_in_word(&read::bytes(log.get("data")?.as_str()?)?)?;
        let amount = read::money(amount, token.decimals)?;
        let to = read::address_in_word(&read::bytes(to.as_str()?)?)?;
        (amount > Money::ZERO).then_some(output(&to, &token.currency, amount))
    }

    /// The amount that an address holds, in blocks.
    fn held(&mut self, address: &str, currency: &str) -> Answer<Money> {
        let (units, decimals) = if currency == self.config.currency {
            (self.number("eth_getBalance", &json!([address, "latest"]))?, NATIVE_DECIMALS)
        } else {
            let token = self.config.tokens.iter().find(|token| token.currency == currency);
            let Some(Token { contract, decimals, .. }) = token.cloned() else { return Ok(Money::ZERO) };
            let data = format!("0x70a08231{:0>64}", address.strip_prefix("0x").unwrap_or_default());
            (self.number("eth_call", &json!([{"to": contract, "data": data}, "latest"]))?, decimals)
        };
        read::money(units, decimals).ok_or_else(|| malformed("a balance"))
    }

    /// Whether an account's nonce is finally used.
    fn is_used(&mut self, address: &str, nonce: u64) -> Answer<bool> {
        let tip = self.tip()?.height;
        let Some(height) = (tip + 1).checked_sub(self.config.confirmations.into()) else { return Ok(false) };
        let count = self.number("eth_getTransactionCount", &json!([address, hex(height.into())]))?;
        Ok(count > u128::from(nonce))
    }
}

impl Chain for EvmChain {
    fn tip(&mut self) -> Answer<BlockRef> {
        self.block_ref("latest")?.ok_or_else(|| malformed("no newest block"))
    }

    fn block_at(&mut self, height: u64) -> Answer<Option<BlockRef>> {
        self.block_ref(&hex(height.into()))
    }

    fn blocks(&mut self, from: u64, limit: usize) -> Answer<Vec<Block>> {
        let mut blocks = Vec::new();
        for height in (from..).take(limit) {
            let Some(block) = self.block(height)? else { break };
            blocks.push(block);
        }
        Ok(blocks)
    }

    /// The transactions of the block that the node would make next.
    fn mempool(&mut self, known: &BTreeSet<TxHash>) -> Answer<Mempool> {
        let mut pool = Mempool::default();
        let Some(value) = self.block_json("pending", true)? else { return Ok(pool) };
        // A node that has nothing pending may show its newest block again.
        if value.get("hash").is_some_and(|hash| !hash.is_null())
            && self.block_ref("latest")?.is_some_and(|latest| place(&value).as_ref() == Some(&latest))
        {
            return Ok(pool);
        }
        for value in value.get("transactions").and_then(Value::as_array).into_iter().flatten() {
            let transaction =
                self.transaction(value, None).ok_or_else(|| malformed("a waiting transaction"))?;
            pool.hashes.insert(transaction.tx.clone());
            if !known.contains(&transaction.tx) {
                pool.fresh.push(transaction);
            }
        }
        Ok(pool)
    }

    fn lookup(&mut self, tx: &TxHash, spends: &Spends) -> Answer<Lookup> {
        let receipt = self.call("eth_getTransactionReceipt", &json!([tx.as_str()]))?;
        if !receipt.is_null() {
            return mined(&receipt).ok_or_else(|| malformed("a receipt"));
        }
        if !self.call("eth_getTransactionByHash", &json!([tx.as_str()]))?.is_null() {
            return Ok(Lookup::Waiting);
        }
        match spends {
            Spends::Nonce { address, nonce } if self.is_used(address, *nonce)? => {
                Ok(Lookup::Dead { by: None })
            }
            Spends::Nonce { .. } | Spends::Inputs(_) | Spends::Unknown => Ok(Lookup::Unknown),
        }
    }

    fn balance(&mut self, addresses: &[String], currency: &str) -> Answer<Money> {
        let mut sum = Money::ZERO;
        for address in addresses {
            sum = sum.checked_add(self.held(address, currency)?).ok_or_else(|| malformed("a balance"))?;
        }
        Ok(sum)
    }

    fn build(&mut self, draft: &Draft<'_>) -> Result<Unsigned, BuildError> {
        self.build_draft(draft)
    }

    fn sign(&self, unsigned: &Unsigned, keys: &dyn Keys) -> Result<Signed, KeyError> {
        let Some((address, digest)) = unsigned.digests.first() else {
            return Err(KeyError { address: String::new(), reason: "nothing is to be signed".to_owned() });
        };
        let signature = keys.sign(address, digest)?;
        let (r, s) = signature.rs.split_at(32);
        let parity = rlp::number(signature.recovery.into());
        let fields = [unsigned.body.clone(), parity, rlp::big_number(r), rlp::big_number(s)].concat();
        let bytes = [&[2], rlp::list(&fields).as_slice()].concat();
        let tx = TxHash::new(&const_hex::encode_prefixed(keccak(&bytes)));
        Ok(Signed { tx, bytes, spends: unsigned.spends.clone() })
    }

    fn broadcast(&mut self, signed: &[u8]) -> Broadcast {
        let bytes = const_hex::encode_prefixed(signed);
        match self.rpc.call("eth_sendRawTransaction", &json!([bytes])) {
            Ok(_) => Broadcast::Accepted,
            Err(RpcFault::Silent(_)) => Broadcast::NoAnswer,
            Err(RpcFault::Error { message, .. }) => judged(message),
        }
    }
}

/// The meaning of a node's error about a sent transaction.
fn judged(message: String) -> Broadcast {
    let lower = message.to_lowercase();
    let any = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    if any(&["already known", "already imported", "known transaction"]) {
        Broadcast::AlreadyKnown
    } else if any(&["nonce too low", "nonce is too low"]) {
        Broadcast::Spent
    } else if any(&REFUSALS) {
        Broadcast::Refused { reason: message }
    } else {
        Broadcast::NoAnswer
    }
}

/// Where a receipt says that its transaction is.
fn mined(receipt: &Value) -> Option<Lookup> {
    let height = receipt.get("blockNumber").and_then(read::small)?;
    let hash = receipt.get("blockHash").and_then(read::hash)?;
    let gas = receipt.get("gasUsed").and_then(read::number)?;
    let price = receipt.get("effectiveGasPrice").and_then(read::number)?;
    // Networks on top of Ethereum charge for its data too.
    let data = receipt.get("l1Fee").and_then(read::number).unwrap_or(0);
    Some(Lookup::Mined {
        block: BlockRef { height, hash },
        failed: receipt.get("status").and_then(read::number)? == 0,
        cost: read::money(gas.checked_mul(price)?.checked_add(data)?, NATIVE_DECIMALS)?,
    })
}

fn place(block: &Value) -> Option<BlockRef> {
    let height = block.get("number").and_then(read::small)?;
    Some(BlockRef { height, hash: block.get("hash").and_then(read::hash)? })
}

fn output(address: &str, currency: &str, amount: Money) -> Output {
    Output { address: address.to_owned(), memo: None, currency: currency.to_owned(), amount }
}

fn malformed(what: &str) -> Unanswered {
    Unanswered::new(format!("malformed: {what}"))
}

fn hex(number: u128) -> String {
    format!("{number:#x}")
}

fn keccak(bytes: &[u8]) -> [u8; 32] {
    Keccak256::digest(bytes).into()
}
