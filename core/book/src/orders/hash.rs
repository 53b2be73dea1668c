//! Hashes that select an order's bucket in its account's index.

use buttonwood_model::{AccountId, OrderId};

/// The low half of an order's id, for an order without a client id.
pub(super) fn spread(id: OrderId) -> u32 {
    u32::try_from(id.0 & u64::from(u32::MAX)).unwrap_or(0)
}

/// Folds two words into one: the high half of a product mixed into its low half.
fn fold(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word) * 0x9E37_79B9_7F4A_7C15;
    let [low, high] =
        [product, product >> 64].map(|half| u64::try_from(half & u128::from(u64::MAX)).unwrap_or(0));
    high ^ low
}

/// The hash of a client id, keyed so that no client can choose colliding ids.
#[inline]
pub(super) fn hash_client_id(key: u64, account: AccountId, text: &[u8]) -> u32 {
    let start = fold(key, u64::from(account.0));
    // Sixteen characters are the most frequent length: no loop.
    let hash = match text.as_chunks::<8>() {
        ([first, second], []) => fold(fold(start, u64::from_le_bytes(*first)), u64::from_le_bytes(*second)),
        (words, rest) => hash_words(start, words, rest),
    };
    u32::try_from(hash >> 32).unwrap_or(0)
}

#[inline(never)]
fn hash_words(start: u64, words: &[[u8; 8]], rest: &[u8]) -> u64 {
    let hash = words.iter().fold(start, |hash, word| fold(hash, u64::from_le_bytes(*word)));
    if rest.is_empty() {
        return hash;
    }
    let mut word = [0; 8];
    if let Some(place) = word.get_mut(..rest.len()) {
        place.copy_from_slice(rest);
    }
    fold(hash, u64::from_le_bytes(word))
}
