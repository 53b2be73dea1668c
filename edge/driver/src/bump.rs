//! When a payment offers the network a higher fee.

use buttonwood_custody::TxHash;
use std::collections::BTreeMap;

/// New blocks after which a transaction that still waits is replaced by one with a higher fee.
const PATIENCE: u64 = 6;

/// Since which height each payment's newest transaction waits. A start counts anew.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    since: BTreeMap<u64, (TxHash, u64)>,
}

impl Waits {
    /// The payments whose transaction has waited for too many blocks, of all that wait at a height.
    pub(crate) fn overdue(&mut self, waiting: impl Iterator<Item = (u64, TxHash)>, height: u64) -> Vec<u64> {
        let mut before = std::mem::take(&mut self.since);
        let mut overdue = Vec::new();
        for (payment, tx) in waiting {
            let since = match before.remove(&payment) {
                // A reorganisation may have taken blocks away.
                Some((known, since)) if known == tx => since.min(height),
                Some(_) | None => height,
            };
            if height - since >= PATIENCE {
                overdue.push(payment);
            }
            self.since.insert(payment, (tx, since));
        }
        overdue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overdue(waits: &mut Waits, tx: &str, height: u64) -> Vec<u64> {
        waits.overdue(std::iter::once((7, TxHash::new(tx))), height)
    }

    /// A transaction is overdue after six blocks; the one in its place has its own six.
    #[test]
    fn a_transaction_has_six_blocks() {
        let mut waits = Waits::default();
        assert!((10..16).all(|height| overdue(&mut waits, "first", height).is_empty()));
        assert_eq!(overdue(&mut waits, "first", 16), [7]);
        assert!((16..22).all(|height| overdue(&mut waits, "second", height).is_empty()));
        assert_eq!(overdue(&mut waits, "second", 22), [7]);
    }

    /// Blocks that were removed do not count, and one that waits no more is forgotten.
    #[test]
    fn only_blocks_that_stay_count() {
        let mut waits = Waits::default();
        assert!(overdue(&mut waits, "tx", 10).is_empty());
        assert!(overdue(&mut waits, "tx", 5).is_empty());
        assert!(overdue(&mut waits, "tx", 10).is_empty());
        assert_eq!(overdue(&mut waits, "tx", 11), [7]);
        assert!(waits.overdue(std::iter::empty(), 12).is_empty());
        assert!(overdue(&mut waits, "tx", 20).is_empty());
    }
}
