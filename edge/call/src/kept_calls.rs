//! The latest calls of each key, the refused ones apart from all, kept in a sandbox alone, in bounded memory.
//!
//! Not here: how they are shown (`sandbox/requests`).

use crate::app::App;
use buttonwood_gate::{NamedKey, Refusal, quoted};
use http::request::Parts;
use http::{Method, StatusCode};
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

/// Calls of a key that are kept; older ones are dropped.
const KEPT: usize = 100;
/// Bytes of one key that are kept.
const KEY_BYTES: usize = 256 * 1024;
/// Bytes of all keys that are kept. Beyond it, the key with the most loses its oldest calls.
const ALL_BYTES: usize = 16 * 1024 * 1024;

/// A call of a known key.
#[derive(Clone, Debug)]
pub struct KeptCall {
    /// Its place among the calls of all keys; set when it is kept.
    pub number: u64,
    /// The text of the key.
    pub api_key: String,
    /// When it was answered, in milliseconds.
    pub time_ms: u64,
    /// The method and the path called.
    pub route: String,
    /// The status of the answer.
    pub status: u16,
    /// The refusal as the client saw it, if it was refused.
    pub refusal: Option<Refusal>,
    /// The call itself and the names of what its method does not know, of a call over a socket.
    pub over_socket: Option<(Option<String>, Vec<String>)>,
    /// The payload header as it was sent; none if the call had none.
    pub signed: Option<String>,
    /// The signature header as it was sent; none if the call had none.
    pub signature: Option<String>,
    /// The key's highest nonce when the call was answered.
    pub highest_nonce: String,
}

impl KeptCall {
    fn bytes(&self) -> usize {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let message = self.refusal.as_ref().map_or(0, |refusal| refusal.message.len());
        let texts = [&self.api_key, &self.route, &self.highest_nonce].map(String::len).iter().sum::<usize>();
        let over_socket = self.over_socket.as_ref().map_or(0, |(payload, unknown)| {
            length(payload) + unknown.iter().map(|name| size_of::<String>() + name.len()).sum::<usize>()
        });
        size_of::<Self>() + texts + message + over_socket + length(&self.signed) + length(&self.signature)
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
    /// Calls that were kept since the start.
    noted: u64,
}

/// Calls of all keys.
#[derive(Debug, Default)]
pub struct KeptCalls(Mutex<Kept>);

impl KeptCalls {
    /// Keeps a call.
    pub fn note(&self, mut call: KeptCall) {
        let mut kept = self.0.lock();
        kept.noted += 1;
        call.number = kept.noted;
        let bytes = call.bytes();
        let of_key = kept.by_key.entry(call.api_key.clone()).or_default();
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
    pub fn of(&self, api_key: &str) -> Vec<KeptCall> {
        let kept = self.0.lock();
        kept.by_key.get(api_key).into_iter().flat_map(|of_key| of_key.calls.iter().rev().cloned()).collect()
    }

    /// The newest calls of all keys, the newest first; as many as one key has at most.
    pub fn newest(&self) -> Vec<KeptCall> {
        let kept = self.0.lock();
        let mut calls: Vec<&KeptCall> = kept.by_key.values().flat_map(|of_key| &of_key.calls).collect();
        calls.sort_unstable_by_key(|call| Reverse(call.number));
        calls.into_iter().take(KEPT).cloned().collect()
    }
}

/// Keeps a call that was not refused, in a sandbox.
pub(crate) fn note_answered(app: &App, head: &Parts, status: StatusCode) {
    if app.settings.sandbox
        && let Some(call) = kept(app, head, status.as_u16(), None)
    {
        app.all_calls.note(call);
    }
}

/// Keeps a refused call for its key, in a sandbox.
#[cold]
pub(crate) fn note(app: &App, head: &Parts, refusal: &Refusal) {
    if app.settings.sandbox
        && let Some(call) = kept(app, head, refusal.status, Some(refusal.clone()))
    {
        app.all_calls.note(call.clone());
        app.refused_calls.note(call);
    }
}

/// Whether a method is a word. One of other characters, which HTTP allows, such as `|` or `&`, names no endpoint, and is not listed: people
/// copy lines of the list into a shell.
fn is_word(method: &Method) -> bool {
    method.as_str().bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// A call; none without a known key, and none whose method is no word.
fn kept(app: &App, head: &Parts, status: u16, refusal: Option<Refusal>) -> Option<KeptCall> {
    if !is_word(&head.method) {
        return None;
    }
    let NamedKey { known, payload, signature } = app.gate.named_key(&head.headers)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(KeptCall {
        number: 0,
        api_key: known.key.api_key.clone(),
        time_ms: app.exchange.now().millis(),
        route: format!("{} {}", head.method, quoted(head.uri.path())),
        status,
        refusal,
        over_socket: None,
        signed: payload.map(text),
        signature: signature.map(text),
        highest_nonce: known.last_nonce().to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_gate::Reason;

    fn call(key: &str, number: u64, payload: usize) -> KeptCall {
        KeptCall {
            number: 0,
            api_key: key.to_owned(),
            time_ms: number,
            route: "POST /v1/order/new".to_owned(),
            status: 400,
            refusal: Some(Refusal::new(Reason::InvalidNonce, "no")),
            over_socket: None,
            signed: Some("x".repeat(payload)),
            signature: None,
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
            calls.note(call("a", number, 10));
        }
        calls.note(call("b", 0, 10));
        assert_eq!(times(&calls, "a"), (150..250).rev().collect::<Vec<_>>());
        assert_eq!(times(&calls, "b"), [0]);
        assert_eq!(times(&calls, "c"), [0; 0]);
        let newest: Vec<(String, u64)> =
            calls.newest().into_iter().map(|call| (call.api_key, call.time_ms)).collect();
        assert_eq!(
            (newest.len(), newest.first(), newest.last()),
            (KEPT, Some(&("b".into(), 0)), Some(&("a".into(), 151)))
        );
    }

    /// Whatever is sent, by however many keys.
    #[test]
    fn memory_is_bounded() {
        let calls = KeptCalls::default();
        for number in 0..40 {
            calls.note(call("large", number, 16 * 1024));
        }
        let kept = times(&calls, "large");
        assert!((10..16).contains(&kept.len()) && kept.first() == Some(&39), "{kept:?}");
        for key in 0..100 {
            for number in 0..40 {
                calls.note(call(&format!("key-{key}"), number, 16 * 1024));
            }
        }
        calls.note(call("small", 1, 10));
        let kept = calls.0.lock();
        assert!(kept.bytes <= ALL_BYTES, "{}", kept.bytes);
        assert_eq!(kept.bytes, kept.by_key.values().map(|of_key| of_key.bytes).sum::<usize>());
        let counted: usize = kept.by_key.values().flat_map(|of_key| &of_key.calls).map(KeptCall::bytes).sum();
        assert_eq!(kept.bytes, counted);
        drop(kept);
        assert_eq!(times(&calls, "small"), [1], "a key with little loses nothing");
    }

    /// A method of letters is listed; HTTP allows others, which a shell would run when their line is pasted.
    #[test]
    fn a_listed_method_is_a_word() {
        for (method, expected) in [
            ("GET", true),
            ("propfind", true),
            ("x|sh", false),
            ("GET&id", false),
            ("$HOME", false),
            ("`id`", false),
        ] {
            assert_eq!(is_word(&Method::from_bytes(method.as_bytes()).unwrap()), expected, "{method}");
        }
    }
}
