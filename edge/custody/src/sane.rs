//! Bounds on what a node may say. Values beyond them are not used.

use crate::{Block, BlockRef, Output, Transaction, TxHash};
use buttonwood_num::Money;

/// The longest hash or address: those of all networks are shorter.
const TEXT_MAX: usize = 128;

/// The longest memo. A longer one names no account; its start is kept for the operator.
const MEMO_MAX: usize = 256;

/// The longest currency code.
const CURRENCY_MAX: usize = 16;

/// The largest amount: more than was ever issued of any currency.
const AMOUNT_MAX: Money = Money::from_units(10_i128.pow(35));

/// Outputs of one transaction; no network's blocks have room for more.
const OUTPUTS_MAX: usize = 100_000;

/// Transactions of one block.
const TRANSACTIONS_MAX: usize = 1_000_000;

fn is_word(text: &str, longest: usize) -> bool {
    !text.is_empty() && text.len() <= longest && text.bytes().all(|byte| byte.is_ascii_graphic())
}

pub(crate) fn is_hash(hash: &TxHash) -> bool {
    is_word(hash.as_str(), TEXT_MAX)
}

pub(crate) fn is_block_ref(block: &BlockRef) -> bool {
    is_hash(&block.hash) && block.height < u64::MAX
}

/// Whether a block can be used at all. Its transactions are checked one by one.
pub(crate) fn is_block(block: &Block) -> bool {
    is_block_ref(&block.at) && is_hash(&block.parent) && block.transactions.len() <= TRANSACTIONS_MAX
}

pub(crate) fn is_transaction(transaction: &Transaction) -> bool {
    is_hash(&transaction.tx) && transaction.outputs.len() <= OUTPUTS_MAX
}

/// The output as it may be reported; `None` if it is none.
pub(crate) fn output(output: &Output) -> Option<Output> {
    let sane = is_word(&output.address, TEXT_MAX)
        && is_word(&output.currency, CURRENCY_MAX)
        && output.amount > Money::ZERO
        && output.amount <= AMOUNT_MAX;
    sane.then(|| Output { memo: output.memo.as_deref().map(shorten), ..output.clone() })
}

fn shorten(memo: &str) -> String {
    let mut end = memo.len().min(MEMO_MAX);
    while !memo.is_char_boundary(end) {
        end -= 1;
    }
    memo.get(..end).unwrap_or_default().to_owned()
}
