//! Hash buckets for finding a closed order; the order itself takes no memory.
//!
//! Each bucket is the head of a chain of the rows that fall into it; a lookup walks that chain. The hash of client ids is
//! keyed, so that a client cannot choose ids that all fall into one bucket.

use buttonwood_model::{AccountId, ClientId, OrderId};

/// An odd number without pattern: 2^64 divided by the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A bucket of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bucket(u16);

impl Bucket {
    /// Its page in a table, and its place there.
    pub(super) fn place(self) -> (usize, usize) {
        let [page, place] = self.0.to_be_bytes();
        (page.into(), place.into())
    }
}

/// The bucket of an order id. Ids come from one counter, so 65,536 consecutive ids share no bucket, and no client can
/// change that. Orders that close together fall into neighbouring buckets, which are then in the processor's cache.
pub(super) fn of_order(order: OrderId) -> Bucket {
    let [low, high, ..] = order.0.to_le_bytes();
    Bucket(u16::from_le_bytes([low, high]))
}

/// The bucket of a client order id.
pub(super) fn of_client(key: u64, account: AccountId, client_id: &ClientId) -> Bucket {
    let seed = mix(key ^ FACTOR, u64::from(account.0));
    let (words, rest) = client_id.as_bytes().as_chunks::<8>();
    let hash = words.iter().fold(seed, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    // Permitted characters leave the top bit clear, so a shorter last word cannot equal a longer one.
    ends(rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte) | 1 << 63)))
}

fn mix(hash: u64, word: u64) -> u64 {
    let [low, high] = super::codec::halves(u128::from(hash ^ word) * u128::from(FACTOR));
    low ^ high
}

fn ends(hash: u64) -> Bucket {
    let [a, b, .., y, z] = hash.to_le_bytes();
    Bucket(u16::from_le_bytes([a ^ y, b ^ z]))
}
