//! The keys the exchange knows, and what it remembers about each between requests.
//!
//! All threads share the table, and it changes while they read: a key is replaced whole, and its memory is kept.

use crate::nonce::Nonces;
use crate::rate::{Allowance, Bucket, Limits};
use crate::refusal::quoted;
use crate::signature::{Signer, Tag};
use crate::{Reason, Refusal};
use buttonwood_access::{Access, Owner, Standing};
use buttonwood_model::{Cidr, GroupId, Nonce, Roles, SessionId, Time};
use buttonwood_vault::Secret;
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its public text, sent with each request.
    pub api_key: String,
    /// Its session (SES-001).
    pub session: SessionId,
    /// The account or group it acts for.
    pub owner: Owner,
    /// The roles of the key.
    pub roles: Roles,
    /// Whether 30 s of silence cancel its orders (SES-010).
    pub require_heartbeat: bool,
    /// Whether its nonces are times (SES-008).
    pub time_based_nonce: bool,
    /// Whether it may be used (AUTH-011).
    pub is_enabled: bool,
    /// Where its calls may come from; anywhere, if the list is empty (AUTH-013).
    pub addresses: Arc<[Cidr]>,
    /// Its group.
    pub group: Option<GroupId>,
}

impl Key {
    /// The key of a session, as it stands in the directory.
    pub fn of(access: &Access, id: SessionId) -> Option<Self> {
        let session = access.session(id)?;
        let key = &session.key;
        Some(Self {
            api_key: key.api_key.clone(),
            session: id,
            owner: key.owner,
            roles: key.roles,
            require_heartbeat: key.require_heartbeat,
            time_based_nonce: key.time_based_nonce,
            is_enabled: session.standing() == Standing::Enabled,
            addresses: key.addresses.as_slice().into(),
            group: access.group_of(key.owner),
        })
    }
}

/// The last call of a key since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastCall {
    /// Where it came from.
    pub address: IpAddr,
    /// When it came.
    pub time: Time,
}

/// A key with its signing state and its memory.
#[derive(Debug)]
pub struct KnownKey {
    /// The key.
    pub key: Key,
    pub(crate) signer: Signer,
    pub(crate) allowance: Arc<Allowance>,
    /// The addresses of its group.
    group_addresses: Arc<[Cidr]>,
    /// Kept when the key is replaced, as is the last call.
    nonces: Arc<Nonces>,
    last_call: Arc<Mutex<Option<LastCall>>>,
}

impl KnownKey {
    /// Its last call since the start.
    pub fn last_call(&self) -> Option<LastCall> {
        *self.last_call.lock()
    }

    pub(crate) fn note_call(&self, call: LastCall) {
        *self.last_call.lock() = Some(call);
    }

    /// Refuses a key that is disabled or ended (AUTH-011).
    pub(crate) fn check_enabled(&self) -> Result<(), Refusal> {
        if self.key.is_enabled {
            return Ok(());
        }
        let message = format!("InvalidApiKey: API key '{}' is disabled", quoted(&self.key.api_key));
        Err(Refusal::new(Reason::InvalidApiKey, message))
    }

    /// Refuses a caller outside the list of the group, or outside that of the key (AUTH-013).
    pub(crate) fn check_address(&self, address: IpAddr) -> Result<(), Refusal> {
        let is_out = |list: &[Cidr]| !list.is_empty() && !list.iter().any(|range| range.contains(address));
        if is_out(&self.group_addresses) {
            let message = format!("The address {address} is not on the address list of this key's group");
            return Err(Refusal::new(Reason::RemoteAddressForbidden, message));
        }
        if is_out(&self.key.addresses) {
            let shown = quoted(&self.key.api_key);
            let message =
                format!("API key '{shown}' fails IP filtering: the address {address} is not on its list");
            return Err(Refusal::new(Reason::ApiKeyIpFilteringFailure, message));
        }
        Ok(())
    }

    /// Whether a handshake with this signature opens a socket: it has opened none before (D-145).
    pub(crate) fn opens(&self, tag: Tag, time: Time) -> bool {
        self.nonces.open(tag, time)
    }

    /// The same with the settings of `key`.
    fn with(&self, key: Key, group_addresses: Arc<[Cidr]>) -> Self {
        Self {
            key,
            group_addresses,
            signer: self.signer.clone(),
            allowance: Arc::clone(&self.allowance),
            nonces: Arc::clone(&self.nonces),
            last_call: Arc::clone(&self.last_call),
        }
    }

    /// The highest nonce taken.
    pub fn last_nonce(&self) -> Nonce {
        self.nonces.last()
    }

    /// The signature that a client must send with this payload header. A sandbox shows it, to explain a refusal.
    pub fn expected_signature(&self, payload: &[u8]) -> String {
        self.signer.sign(payload)
    }

    /// Begins a reset of the nonces: calls admitted until now are [overtaken](crate::Call::is_overtaken).
    pub fn overtake_calls(&self) {
        self.nonces.overtake();
    }

    /// Forgets the used nonces, for an operator (D-26). Calls admitted before are
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
    /// The number of changes.
    version: AtomicU64,
}

#[derive(Debug, Default)]
struct Known {
    keys: HashMap<Box<[u8]>, Arc<KnownKey>>,
    accounts: HashMap<Owner, Arc<Bucket>>,
    /// The address lists of the groups that have one.
    groups: HashMap<GroupId, Arc<[Cidr]>>,
}

impl Known {
    fn addresses_of(&self, group: Option<GroupId>) -> Arc<[Cidr]> {
        group.and_then(|group| self.groups.get(&group)).map(Arc::clone).unwrap_or_default()
    }
}

impl KeyTable {
    #[expect(clippy::large_types_passed_by_value, reason = "it is moved once, at the start")]
    pub(crate) fn new(limits: Limits) -> Self {
        let nobody = Signer::new(&Secret::new(Vec::new()));
        Self { limits, nobody, known: RwLock::default(), version: AtomicU64::new(0) }
    }

    /// Adds a key, or replaces the one with its text. `last_nonce` is the recovered highest nonce; a replaced key keeps
    /// its own.
    pub fn insert(&self, key: Key, secret: &Secret, last_nonce: Nonce) {
        let signer = Signer::new(secret);
        let mut known = self.known.write();
        let group_addresses = known.addresses_of(key.group);
        let next = match known.keys.get(key.api_key.as_bytes()) {
            Some(before) => KnownKey { signer, ..before.with(key, group_addresses) },
            None => KnownKey {
                signer,
                allowance: Arc::new(self.allowance(&mut known, key.owner)),
                group_addresses,
                nonces: Arc::new(Nonces::after(last_nonce)),
                last_call: Arc::default(),
                key,
            },
        };
        known.keys.insert(next.key.api_key.as_bytes().into(), Arc::new(next));
        self.note_change();
    }

    /// Gives a known key other settings, from its next request on. A key that is not known stays so.
    pub fn update(&self, key: Key) {
        let mut known = self.known.write();
        let group_addresses = known.addresses_of(key.group);
        if let Some(before) = known.keys.get_mut(key.api_key.as_bytes()) {
            *before = Arc::new(before.with(key, group_addresses));
            self.note_change();
        }
    }

    /// Sets the addresses that the keys of a group may call from; all, if the list is empty.
    pub fn restrict_group(&self, group: GroupId, addresses: &[Cidr]) {
        let mut known = self.known.write();
        known.groups.insert(group, addresses.into());
        let addresses = known.addresses_of(Some(group));
        for before in known.keys.values_mut().filter(|known| known.key.group == Some(group)) {
            *before = Arc::new(before.with(before.key.clone(), Arc::clone(&addresses)));
        }
        self.note_change();
    }

    /// Removes a key: its next request is that of an unknown key (AUTH-011).
    pub fn remove(&self, api_key: &str) {
        let mut known = self.known.write();
        known.keys.remove(api_key.as_bytes());
        self.note_change();
    }

    /// The number of changes so far: who has seen a key at this version sees the same key while it stays.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Counts a change, while the table is locked for it: a reader that then looks finds the change.
    fn note_change(&self) {
        self.version.fetch_add(1, Ordering::Release);
    }

    /// The key with this text.
    pub fn find(&self, api_key: &[u8]) -> Option<Arc<KnownKey>> {
        self.known.read().keys.get(api_key).map(Arc::clone)
    }

    pub(crate) fn nobody(&self) -> &Signer {
        &self.nobody
    }

    /// The bucket that all callers of an account or of a group share.
    pub(crate) fn bucket_of(&self, owner: Owner) -> Arc<Bucket> {
        self.account_bucket(&mut self.known.write(), owner)
    }

    fn account_bucket(&self, known: &mut Known, owner: Owner) -> Arc<Bucket> {
        Arc::clone(known.accounts.entry(owner).or_insert_with(|| Arc::new(Bucket::new(self.limits.account))))
    }

    fn allowance(&self, known: &mut Known, owner: Owner) -> Allowance {
        Allowance::new(&self.limits, self.account_bucket(known, owner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nonce::Rule;
    use crate::{Admit, Value};
    use buttonwood_access::{Infrequent, NewSession};
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
            is_enabled: true,
            addresses: Arc::default(),
            group: None,
        }
    }

    /// A session's key is as the directory has it, and not enabled once it is disabled or has ended.
    #[test]
    fn a_key_is_that_of_its_session() {
        let mut access = Access::default();
        access.add_group("one".to_owned());
        let made = NewSession {
            owner: Owner::Group(GroupId(0)),
            roles: Roles::of(&[Role::Trader]),
            require_heartbeat: true,
            time_based_nonce: true,
            api_key: "master-a".to_owned(),
            name: "a".to_owned(),
            addresses: vec!["192.0.2.0/24".parse().unwrap()],
        };
        access.add_session(made.clone(), Time(1));
        let id = SessionId(0);
        let expected = Key {
            session: id,
            owner: made.owner,
            require_heartbeat: true,
            time_based_nonce: true,
            addresses: made.addresses.as_slice().into(),
            group: Some(GroupId(0)),
            ..key("master-a", &[Role::Trader])
        };
        assert_eq!(Key::of(&access, id), Some(expected.clone()));
        assert_eq!(Key::of(&access, SessionId(1)), None);
        for (event, is_enabled) in [
            (Infrequent::SessionDisabled(id), false),
            (Infrequent::SessionEnabled(id), true),
            (Infrequent::SessionEnded(id), false),
        ] {
            buttonwood_access::evolve(&mut access, Time(2), event);
            assert_eq!(Key::of(&access, id), Some(Key { is_enabled, ..expected.clone() }));
        }
    }

    /// A key that is put again has its new secret, not the one before.
    #[test]
    fn a_replaced_key_has_its_new_secret() {
        let table = table();
        let other = Secret::new(b"another".to_vec());
        table.insert(key("account-a", &[Role::Trader]), &other, Nonce::default());
        let known = table.find(b"account-a").unwrap();
        let is_by = |secret: &Secret| {
            let signature = Signer::new(secret).sign(b"payload");
            known.signer.verify(b"payload", signature.as_bytes()).is_ok()
        };
        assert!(is_by(&other) && !is_by(&Secret::new(b"secret".to_vec())));
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

    /// Whoever is outside the group's list is refused for it first. An empty list lets everybody in. Proves AUTH-013 (part).
    #[test]
    fn an_address_must_be_on_both_lists() {
        let table = table();
        let group = GroupId(3);
        let range = |text: &str| text.parse::<Cidr>().unwrap();
        let listed = |addresses: &[&str]| addresses.iter().map(|text| range(text)).collect();
        let reason = |address: &str| {
            let known = table.find(b"account-a").unwrap();
            known
                .check_address(address.parse().unwrap())
                .err()
                .map(|refusal| (refusal.status, refusal.reason))
        };
        assert_eq!(reason("192.0.2.1"), None);
        let key = Key { group: Some(group), ..key("account-a", &[Role::Trader]) };
        table.update(Key { addresses: listed(&["192.0.2.1", "2001:db8::/32"]), ..key.clone() });
        assert_eq!(reason("192.0.2.1"), None);
        assert_eq!(reason("::ffff:192.0.2.1"), None);
        assert_eq!(reason("2001:db8::7"), None);
        assert_eq!(reason("192.0.2.2"), Some((403, Reason::ApiKeyIpFilteringFailure)));
        table.restrict_group(group, &[range("192.0.2.0/24")]);
        assert_eq!(reason("192.0.2.1"), None);
        assert_eq!(reason("192.0.2.2"), Some((403, Reason::ApiKeyIpFilteringFailure)));
        assert_eq!(reason("2001:db8::7"), Some((403, Reason::RemoteAddressForbidden)));
        table.update(key);
        assert_eq!(reason("192.0.2.2"), None);
        assert_eq!(
            reason("192.0.3.2"),
            Some((403, Reason::RemoteAddressForbidden)),
            "the group's list stays"
        );
        table.restrict_group(group, &[]);
        assert_eq!(reason("192.0.3.2"), None);
    }

    /// Each change of a key, or of its group's addresses, is another version; a look is none.
    #[test]
    fn changes_are_counted() {
        let table = table();
        let mut last = table.version();
        let mut is_new = |table: &KeyTable| std::mem::replace(&mut last, table.version()) != table.version();
        assert!(table.find(b"account-a").is_some() && !is_new(&table));
        table.update(key("account-a", &[Role::Auditor]));
        assert!(is_new(&table));
        table.restrict_group(GroupId(3), &[]);
        assert!(is_new(&table));
        table.insert(key("account-b", &[]), &Secret::new(b"secret".to_vec()), Nonce::default());
        assert!(is_new(&table));
        table.remove("account-a");
        assert!(is_new(&table));
        table.update(key("account-none", &[]));
        assert!(!is_new(&table), "of no key");
    }

    #[test]
    fn debug_shows_no_secret() {
        let shown = format!("{:?}", table());
        assert!(!shown.contains("secret\""), "{shown}");
    }
}
