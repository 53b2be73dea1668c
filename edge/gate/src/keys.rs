//! The keys the exchange knows, and what it remembers about each between requests.
//!
//! All threads share the table, and it changes while they read: a key is replaced whole, and its memory is kept.

use crate::nonce::Nonces;
use crate::rate::{Allowance, Bucket, Limit, Limits};
use crate::signature::Signer;
use buttonwood_access::Owner;
use buttonwood_model::{Nonce, Roles, SessionId};
use buttonwood_vault::Secret;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;

/// An API key.
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
    /// The key.
    pub key: Key,
    pub(crate) signer: Signer,
    pub(crate) allowance: Arc<Allowance>,
    /// Kept when the key is replaced.
    nonces: Arc<Nonces>,
}

impl KnownKey {
    /// The highest nonce taken.
    pub fn last_nonce(&self) -> Nonce {
        self.nonces.last()
    }

    /// Begins a reset of the nonces: calls admitted until now are [overtaken](crate::Call::is_overtaken).
    pub fn overtake_calls(&self) {
        self.nonces.overtake();
    }

    /// Forgets the used nonces, for a control call of the sandbox (D-26). Calls admitted before are
    /// [overtaken](crate::Call::is_overtaken).
    pub fn reset_nonce(&self) {
        self.nonces.reset();
    }

    pub(crate) fn nonces(&self) -> &Nonces {
        &self.nonces
    }
}

/// Every key, found by its text.
#[derive(Debug)]
pub struct KeyTable {
    limits: Limits,
    /// Verifies for unknown keys, so that they take as long as known ones.
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

    /// Adds a key, or replaces the one with its text. `last_nonce` is the recovered highest nonce; a replaced key keeps
    /// its own.
    pub fn insert(&self, key: Key, secret: &Secret, last_nonce: Nonce) {
        let signer = Signer::new(secret);
        let mut known = self.known.write();
        let before = known.keys.get(key.api_key.as_bytes());
        let kept = before.map(|before| (Arc::clone(&before.nonces), Arc::clone(&before.allowance)));
        let (nonces, allowance) = kept.unwrap_or_else(|| {
            let allowance = self.allowance(&mut known, key.owner, self.limits.key);
            (Arc::new(Nonces::after(last_nonce)), Arc::new(allowance))
        });
        let text = key.api_key.as_bytes().into();
        known.keys.insert(text, Arc::new(KnownKey { key, signer, allowance, nonces }));
    }

    /// Gives a known key its own limit, which it shares with no other key of its account, for example for the
    /// exchange's simulated traders (D-35).
    pub fn set_limit(&self, api_key: &str, limit: Limit) {
        let mut known = self.known.write();
        let Some(before) = known.keys.get(api_key.as_bytes()).map(Arc::clone) else { return };
        let alone = Arc::new(Bucket::new(limit));
        let allowance = Arc::new(Allowance::new(limit, self.limits.reserve, alone));
        let (key, signer, nonces) = (before.key.clone(), before.signer.clone(), Arc::clone(&before.nonces));
        known.keys.insert(api_key.as_bytes().into(), Arc::new(KnownKey { key, signer, allowance, nonces }));
    }

    /// Removes a key: its next request is that of an unknown key (AUTH-011).
    pub fn remove(&self, api_key: &str) {
        self.known.write().keys.remove(api_key.as_bytes());
    }

    /// The key with this text.
    pub fn find(&self, api_key: &[u8]) -> Option<Arc<KnownKey>> {
        self.known.read().keys.get(api_key).map(Arc::clone)
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
            require_heartbeat: false,
            time_based_nonce: false,
        }
    }

    fn table() -> KeyTable {
        let table = KeyTable::new(Limits::default());
        let secret = Secret::new(b"secret".to_vec());
        table.insert(key("account-a", &[Role::Trader]), &secret, Nonce::parse(b"7").unwrap());
        table.insert(key("account-other", &[Role::Trader]), &secret, Nonce::default());
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
        assert_eq!(before.last_nonce(), Nonce::parse(b"7").unwrap());
        let secret = Secret::new(b"other".to_vec());
        table.insert(key("account-a", &[Role::Auditor]), &secret, Nonce::default());
        let after = table.find(b"account-a").unwrap();
        assert!(after.key.roles.has(Role::Auditor));
        // A request that still holds the old key takes from the same nonces.
        assert!(take(&before, "8") && !take(&after, "8") && take(&after, "9") && !take(&before, "9"));
    }

    /// Proves AUTH-011.
    #[test]
    fn a_removed_key_is_unknown() {
        let table = table();
        table.remove("account-a");
        assert!(table.find(b"account-a").is_none());
        assert!(table.find(b"account-other").is_some());
        assert!(table.find(b"").is_none());
    }

    /// Keys of one account count their nonces apart. Proves SES-003.
    #[test]
    fn keys_count_apart() {
        let table = table();
        let keys = [&b"account-a"[..], b"account-other"].map(|text| table.find(text).unwrap());
        for number in ["8", "9"] {
            assert!(keys.iter().all(|known| take(known, number)), "{number}");
            assert!(!keys.iter().any(|known| take(known, number)), "{number} again");
        }
    }

    /// Keys of one account have buckets of their own inside the account's, and another account has another one.
    /// Proves LIM-002, LIM-006.
    #[test]
    fn keys_have_buckets_of_their_own() {
        let table = KeyTable::new(Limits::default());
        let served = |account: u32, number: u32| {
            let text = format!("account-{account}-{number}");
            let owner = Owner::Account(AccountId(account));
            let key = Key { owner, ..key(&text, &[Role::Trader]) };
            table.insert(key, &Secret::new(b"secret".to_vec()), Nonce::default());
            let known = table.find(text.as_bytes()).unwrap();
            (0..10).filter(|_| known.allowance.take(Duration::ZERO, false) == Admit::Now).count()
        };
        assert_eq!([0, 1, 2].map(|number| served(1, number)), [10, 10, 10]);
        let more: usize = (3..50).map(|number| served(1, number)).sum();
        assert_eq!(more, 70, "what is left of the account's hundred");
        assert_eq!(served(2, 0), 10);
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
