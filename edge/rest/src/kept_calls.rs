//! The latest calls of each key, the refused ones apart from all, kept in a sandbox alone, in bounded memory.
//!
//! Not here: how they are shown (`sandbox/requests`).

use buttonwood_gate::Refusal;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};

/// Calls of a key that are kept; older ones are dropped.
const KEPT: usize = 100;
/// Bytes of one key that are kept.
const KEY_BYTES: usize = 256 * 1024;
/// Bytes of all keys that are kept. Beyond it, the key with the most loses its oldest calls.
const ALL_BYTES: usize = 16 * 1024 * 1024;

/// A call of a known key.
#[derive(Clone, Debug)]
pub(crate) struct KeptCall {
    pub(crate) time_ms: u64,
    /// The method and the path called.
    pub(crate) route: String,
    /// The status of the answer.
    pub(crate) status: u16,
    /// The refusal as the client saw it, if it was refused.
    pub(crate) refusal: Option<Refusal>,
    /// The payload header as it was sent; none if the call had none.
    pub(crate) signed: Option<String>,
    /// The key's highest nonce when the call was answered.
    pub(crate) highest_nonce: String,
}

impl KeptCall {
    fn bytes(&self) -> usize {
        let signed = self.signed.as_ref().map_or(0, String::len);
        let message = self.refusal.as_ref().map_or(0, |refusal| refusal.message.len());
        size_of::<Self>() + self.route.len() + message + signed + self.highest_nonce.len()
    }
}

#[derive(Debug, Default)]
struct OfKey {
    /// The oldest first.
    calls: VecDeque<KeptCall>,
    bytes: usize,
}

impl OfKey {
    fn drop_oldest(&mut self) -> usize {
        let bytes = self.calls.pop_front().map_or(0, |oldest| oldest.bytes());
        self.bytes -= bytes;
        bytes
    }
}

#[derive(Debug, Default)]
struct Kept {
    by_key: HashMap<String, OfKey>,
    bytes: usize,
}

/// Calls of all keys.
#[derive(Debug, Default)]
pub(crate) struct KeptCalls(Mutex<Kept>);

impl KeptCalls {
    /// Keeps a call of this key.
    pub(crate) fn note(&self, api_key: &str, call: KeptCall) {
        let mut kept = self.0.lock();
        let bytes = call.bytes();
        let of_key = kept.by_key.entry(api_key.to_owned()).or_default();
        let mut dropped = 0;
        while !of_key.calls.is_empty() && (of_key.calls.len() >= KEPT || of_key.bytes + bytes > KEY_BYTES) {
            dropped += of_key.drop_oldest();
        }
        of_key.calls.push_back(call);
        of_key.bytes += bytes;
        kept.bytes = kept.bytes + bytes - dropped;
        while kept.bytes > ALL_BYTES {
            let largest = kept.by_key.values_mut().max_by_key(|of_key| of_key.bytes);
            let bytes = largest.map_or(0, OfKey::drop_oldest);
            kept.bytes -= bytes;
        }
    }

    /// The calls of this key, the newest first.
    pub(crate) fn of(&self, api_key: &str) -> Vec<KeptCall> {
        let kept = self.0.lock();
        kept.by_key.get(api_key).into_iter().flat_map(|of_key| of_key.calls.iter().rev().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_gate::Reason;

    fn call(number: u64, payload: usize) -> KeptCall {
        KeptCall {
            time_ms: number,
            route: "POST /v1/order/new".to_owned(),
            status: 400,
            refusal: Some(Refusal::new(Reason::InvalidNonce, "no")),
            signed: Some("x".repeat(payload)),
            highest_nonce: "7".to_owned(),
        }
    }

    fn times(calls: &KeptCalls, key: &str) -> Vec<u64> {
        calls.of(key).iter().map(|call| call.time_ms).collect()
    }

    #[test]
    fn a_key_has_its_newest_hundred() {
        let calls = KeptCalls::default();
        for number in 0..250 {
            calls.note("a", call(number, 10));
        }
        calls.note("b", call(0, 10));
        assert_eq!(times(&calls, "a"), (150..250).rev().collect::<Vec<_>>());
        assert_eq!(times(&calls, "b"), [0]);
        assert_eq!(times(&calls, "c"), [0; 0]);
    }

    /// Whatever is sent, by however many keys.
    #[test]
    fn memory_is_bounded() {
        let calls = KeptCalls::default();
        for number in 0..40 {
            calls.note("large", call(number, 16 * 1024));
        }
        let kept = times(&calls, "large");
        assert!((10..16).contains(&kept.len()) && kept.first() == Some(&39), "{kept:?}");
        for key in 0..100 {
            for number in 0..40 {
                calls.note(&format!("key-{key}"), call(number, 16 * 1024));
            }
        }
        calls.note("small", call(1, 10));
        let kept = calls.0.lock();
        assert!(kept.bytes <= ALL_BYTES, "{}", kept.bytes);
        assert_eq!(kept.bytes, kept.by_key.values().map(|of_key| of_key.bytes).sum::<usize>());
        let counted: usize = kept.by_key.values().flat_map(|of_key| &of_key.calls).map(KeptCall::bytes).sum();
        assert_eq!(kept.bytes, counted);
        drop(kept);
        assert_eq!(times(&calls, "small"), [1], "a key with little loses nothing");
    }
}
