//! Between the chains' words and those of the exchange's state.

use buttonwood_custody::{
    Attempt, BlockRef, Known, Outcome, Outpoint, Payment, Purpose, Settled, Signed, Spends, TxHash,
};
use buttonwood_engine::Transfer;
use buttonwood_engine::funds::withdrawal::{Outcome as End, Settlement};
use buttonwood_engine::funds::{
    Attempt as KeptAttempt, ChainBlock, Deposit, OutputKey, Payment as Kept, Purpose as KeptPurpose,
};
use buttonwood_num::Money;

pub(crate) fn key(network: &str, outpoint: &Outpoint) -> OutputKey {
    OutputKey { network: network.to_owned(), tx: outpoint.tx.as_str().to_owned(), index: outpoint.index }
}

pub(crate) fn chain_block(block: &BlockRef) -> ChainBlock {
    ChainBlock { height: block.height, hash: block.hash.as_str().to_owned() }
}

pub(crate) fn block_ref(block: &ChainBlock) -> BlockRef {
    BlockRef { height: block.height, hash: TxHash::new(&block.hash) }
}

pub(crate) fn encode(spends: &Spends) -> Vec<u8> {
    postcard::to_allocvec(spends).expect("texts and numbers have an encoding")
}

/// The kept inputs of a transaction; `Unknown` if none were kept.
fn decode(bytes: &[u8]) -> Spends {
    postcard::from_bytes(bytes).unwrap_or(Spends::Unknown)
}

/// A payment that has arrived, for a watcher that starts.
pub(crate) fn known(key: &OutputKey, deposit: &Deposit) -> Known {
    Known {
        key: Outpoint { tx: TxHash::new(&key.tx), index: key.index },
        spends: decode(&deposit.spends),
        block: deposit.block.as_ref().map(block_ref),
    }
}

/// A withdrawal for the payer. `from` are the addresses that may pay; `code` the code of the currency.
pub(crate) fn payment(transfer: &Transfer, from: Vec<String>, code: &str) -> Option<Payment> {
    let (row, chain) = (&transfer.row, transfer.row.chain()?);
    Some(Payment {
        id: transfer.eid.0,
        from,
        address: chain.canonical.clone(),
        memo: (!chain.memo.is_empty()).then(|| chain.memo.clone()),
        currency: code.to_owned(),
        amount: row.amount,
    })
}

/// The signed transactions of a withdrawal, oldest first.
pub(crate) fn attempts(kept: &Kept) -> Vec<Attempt> {
    kept.attempts.iter().map(attempt).collect()
}

/// A signed transaction.
pub(crate) fn attempt(kept: &KeptAttempt) -> Attempt {
    Attempt {
        purpose: match kept.purpose {
            KeptPurpose::Pay => Purpose::Pay,
            KeptPurpose::Bump => Purpose::Bump,
            KeptPurpose::Void => Purpose::Void,
        },
        signed: Signed { tx: TxHash::new(&kept.tx), bytes: kept.bytes.clone(), spends: decode(&kept.spends) },
    }
}

/// How a withdrawal has ended, unless a reorganisation has removed the block since.
pub(crate) fn settled(kept: &Kept) -> Option<Settled> {
    let settled = kept.settled.as_ref()?;
    let (height, hash) = settled.block.as_ref()?;
    let outcome = match settled.outcome {
        End::Completed => Outcome::Completed,
        End::Failed => Outcome::Failed,
        End::Voided => Outcome::Voided,
    };
    let block = BlockRef { height: *height, hash: TxHash::new(hash) };
    Some(Settled { outcome, tx: TxHash::new(&settled.tx), block, cost: Money::ZERO })
}

pub(crate) fn kept_attempt(attempt: &Attempt) -> KeptAttempt {
    KeptAttempt {
        purpose: match attempt.purpose {
            Purpose::Pay => KeptPurpose::Pay,
            Purpose::Bump => KeptPurpose::Bump,
            Purpose::Void => KeptPurpose::Void,
        },
        tx: attempt.signed.tx.as_str().to_owned(),
        bytes: attempt.signed.bytes.clone(),
        spends: encode(&attempt.signed.spends),
    }
}

pub(crate) fn settlement(settled: &Settled) -> Settlement {
    Settlement {
        outcome: match settled.outcome {
            Outcome::Completed => End::Completed,
            Outcome::Failed => End::Failed,
            Outcome::Voided => End::Voided,
        },
        tx: settled.tx.as_str().to_owned(),
        block: (settled.block.height, settled.block.hash.as_str().to_owned()),
        cost: settled.cost,
    }
}
