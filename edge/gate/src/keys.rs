//! The keys the exchange knows, and what it remembers about each between requests.
//!
//! Shared by all threads and changed while they read: a key is swapped in whole, its memory is kept.

use crate::nonce::Nonces;
use crate::rate::{Allowance, Bucket, Limit, Limits};
use crate::signature::Signer;
use buttonwood_access::Owner;
use buttonwood_model::{Nonce, Roles, SessionId, Time};
use buttonwood_vault::Secret;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its public text, sent with each request.
    pub api_key: String,
    /// Its session (SES-001).
    pub session: SessionId,
    /// The account or group it acts for.
    pub owner: Owner,
    /// What it may do.
    pub roles: Roles,
    /// Whether 30 s of silence cancel its orders (SES-010).
    pub require_heartbeat: bool,
    /// Whether its nonces are times (SES-008).
    pub time_based_nonce: bool,
}

/// A key with its signing state and its memory.
#[derive(Debug)]
pub struct KnownKey {
    /// What it is.
    pub key: Key,
    pub(crate) signer: Signer,
    pub(crate) allowance: Arc<Allowance>,
    memory: Arc<Memory>,
}

/// What is remembered while keys are swapped.
#[derive(Debug)]
struct Memory {
    nonces: Nonces,
    /// Exchange time in microseconds.
    last_seen: AtomicU64,
}

impl KnownKey {
    /// The exchange's time at the last authenticated request; zero before the first (SES-012).
    pub fn last_seen(&self) -> Time {
        Time(self.memory.last_seen.load(Ordering::Relaxed))
    }

    /// The highest nonce taken.
    pub fn last_nonce(&self) -> Nonce {
        self.memory.nonces.last()
    }

    /// Forgets the highest nonce: a control call of the sandbox (D-26).
    pub fn reset_nonce(&self) {
        self.memory.nonces.reset();
    }

    pub(crate) fn nonces(&self) -> &Nonces {
        &self.memory.nonces
    }

    /// Moves the heartbeat clock, never back.
    pub(crate) fn seen(&self, time: Time) {
        self.memory.last_seen.fetch_max(time.0, Ordering::Relaxed);
    }
}

/// Every key, found by its text.
#[derive(Debug)]
pub struct KeyTable {
    limits: Limits,
    /// Signs for unknown keys, so that they cost what known ones do.
    nobody: Signer,
    known: RwLock<Known>,
}

#[derive(Debug, Default)]
struct Known {
    keys: HashMap<Box<[u8]>, Arc<KnownKey>>,
    accounts: HashMap<Owner, Arc<Bucket>>,
}

impl KeyTable {
    pub(crate) fn new(limits: Limits) -> Self {
        let nobody = Signer::new(&Secret::new(Vec::new()));
        Self { limits, nobody, known: RwLock::default() }
    }

    /// Puts a key in, or in place of the one with its text. `last_nonce` and `last_seen` are what was recovered of it;
    /// a key that is only replaced keeps its own.
    pub fn insert(&self, key: Key, secret: &Secret, last_nonce: Nonce, last_seen: Time) {
        let signer = Signer::new(secret);
        let mut known = self.known.write();
        let before = known.keys.get(key.api_key.as_bytes());
        let kept = before.map(|before| (Arc::clone(&before.memory), Arc::clone(&before.allowance)));
        let (memory, allowance) = kept.unwrap_or_else(|| {
            let memory = Memory { nonces: Nonces::after(last_nonce), last_seen: AtomicU64::new(last_seen.0) };
            let allowance = self.allowance(&mut known, key.owner, self.limits.key);
            (Arc::new(memory), Arc::new(allowance))
        });
        let text = key.api_key.as_bytes().into();
        known.keys.insert(text, Arc::new(KnownKey { key, signer, allowance, memory }));
    }

    /// Gives a known key a limit of its own, which it shares with no key of its account, for example the exchange's own
    /// simulated traders (D-35).
    pub fn set_limit(&self, api_key: &str, limit: Limit) {
        let mut known = self.known.write();
        let Some(before) = known.keys.get(api_key.as_bytes()).map(Arc::clone) else { return };
        let alone = Arc::new(Bucket::new(limit));
        let allowance = Arc::new(Allowance::new(limit, self.limits.reserve, alone));
        let (key, signer, memory) = (before.key.clone(), before.signer.clone(), Arc::clone(&before.memory));
        known.keys.insert(api_key.as_bytes().into(), Arc::new(KnownKey { key, signer, allowance, memory }));
    }

    /// Takes a key out: its next request is that of an unknown key (AUTH-011).
    pub fn remove(&self, api_key: &str) {
        self.known.write().keys.remove(api_key.as_bytes());
    }

    /// The key with this text.
    pub fn find(&self, api_key: &[u8]) -> Option<Arc<KnownKey>> {
        self.known.read().keys.get(api_key).map(Arc::clone)
    }

    /// Every key whose silence cancels its orders.
    pub fn with_heartbeat(&self) -> Vec<Arc<KnownKey>> {
        let known = self.known.read();
        known.keys.values().filter(|known| known.key.require_heartbeat).map(Arc::clone).collect()
    }

    pub(crate) fn nobody(&self) -> &Signer {
        &self.nobody
    }

    fn allowance(&self, known: &mut Known, owner: Owner, own: Limit) -> Allowance {
        let account =
            known.accounts.entry(owner).or_insert_with(|| Arc::new(Bucket::new(self.limits.account)));
        Allowance::new(own, self.limits.reserve, Arc::clone(account))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nonce::Rule;
    use crate::{Admit, Value};
    use buttonwood_model::{AccountId, Role};
    use std::time::Duration;

    fn key(api_key: &str, roles: &[Role]) -> Key {
        Key {
            api_key: api_key.to_owned(),
            session: SessionId(1),
            owner: Owner::Account(AccountId(1)),
            roles: Roles::of(roles),
            require_heartbeat: api_key.ends_with("beat"),
            time_based_nonce: false,
        }
    }

    fn table() -> KeyTable {
        let table = KeyTable::new(Limits::default());
        let secret = Secret::new(b"secret".to_vec());
        table.insert(key("account-a", &[Role::Trader]), &secret, Nonce::parse(b"7").unwrap(), Time(5));
        table.insert(key("account-beat", &[Role::Trader]), &secret, Nonce::default(), Time(0));
        table
    }

    fn take(known: &KnownKey, number: &str) -> bool {
        known
            .nonces()
            .take(Some(&Value::Number(number)), Rule::Increasing { service: "svc", endpoint: "/" })
            .is_ok()
    }

    #[test]
    fn a_replaced_key_keeps_its_memory() {
        let table = table();
        let before = table.find(b"account-a").unwrap();
        assert_eq!((before.last_nonce(), before.last_seen()), (Nonce::parse(b"7").unwrap(), Time(5)));
        let secret = Secret::new(b"other".to_vec());
        table.insert(key("account-a", &[Role::Auditor]), &secret, Nonce::default(), Time(0));
        let after = table.find(b"account-a").unwrap();
        assert!(after.key.roles.has(Role::Auditor));
        // Also what a request still holding the old one takes.
        assert!(take(&before, "8") && !take(&after, "8") && take(&after, "9") && !take(&before, "9"));
        before.seen(Time(6));
        before.seen(Time(4));
        assert_eq!(after.last_seen(), Time(6));
    }

    /// Proves AUTH-011.
    #[test]
    fn a_removed_key_is_unknown() {
        let table = table();
        table.remove("account-a");
        assert!(table.find(b"account-a").is_none());
        assert!(table.find(b"account-beat").is_some());
        assert!(table.find(b"").is_none());
    }

    #[test]
    fn lists_the_keys_that_must_not_fall_silent() {
        let beating = table().with_heartbeat();
        assert_eq!(beating.len(), 1);
        assert_eq!(beating[0].key.api_key, "account-beat");
    }

    #[test]
    fn a_key_may_have_a_limit_of_its_own() {
        let table = table();
        table.set_limit("account-a", Limit::per_second(500));
        table.set_limit("account-unknown", Limit::per_second(500));
        let own = table.find(b"account-a").unwrap();
        let served = (0..600).filter(|_| own.allowance.take(Duration::ZERO, false) == Admit::Now).count();
        assert_eq!(served, 500, "and it is not held to what its account may");
        assert!(!take(&own, "7"), "its memory stays");
    }

    #[test]
    fn debug_shows_no_secret() {
        let shown = format!("{:?}", table());
        assert!(!shown.contains("secret\""), "{shown}");
    }
}
