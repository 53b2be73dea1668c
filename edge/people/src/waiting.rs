//! Sign-ups whose address is not confirmed: their records leave the vault when they end.
//!
//! A thread looks once a second whether one has ended: its link was not followed for a day, or another one of the same address was.

use crate::vault::{Names, Vault, VaultFault};
use buttonwood_engine::identity::{Digest, Identity};
use buttonwood_gate::Secret;
use buttonwood_sequencer::Exchange;
use parking_lot::{Mutex, RwLock};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// The time between two looks.
const EVERY: Duration = Duration::from_secs(1);
/// How long a sign-up may take from its records to its command. One whose caller left in between counts as decided after that.
const UNDECIDED: Duration = Duration::from_mins(1);

/// A sign-up with records in the vault.
struct Entry {
    login: Digest,
    credential: u64,
    /// When its records were put, until its command is decided.
    begun: Option<Instant>,
    /// Whether an operator adds a user with the same address, which then stays.
    keeps_address: bool,
}

/// The sign-ups that wait, and the addresses of people.
pub(crate) struct Waiting {
    exchange: Exchange,
    vault: Arc<dyn Vault>,
    /// The addresses by their SHA-256.
    pub(crate) addresses: RwLock<HashMap<Digest, Arc<str>>>,
    /// By the SHA-256 of the token in the link. Held while records are removed, so that no sign-up loses one that it has just put.
    entries: Mutex<BTreeMap<Digest, Entry>>,
}

impl Waiting {
    /// The sign-ups that wait at a start.
    ///
    /// # Errors
    /// The system's refusal of a thread.
    pub(crate) fn start(
        exchange: Exchange,
        vault: Arc<dyn Vault>,
        addresses: HashMap<Digest, Arc<str>>,
    ) -> std::io::Result<Arc<Self>> {
        let entries = {
            let views = exchange.views();
            let entry = |login, credential| Entry { login, credential, begun: None, keeps_address: false };
            let sign_ups = views.state().identity().sign_ups();
            sign_ups.map(|it| (it.token, entry(it.login, it.credential))).collect()
        };
        let addresses = RwLock::new(addresses);
        let waiting = Arc::new(Self { exchange, vault, addresses, entries: Mutex::new(entries) });
        let weak = Arc::downgrade(&waiting);
        std::thread::Builder::new().name("sign-ups".to_owned()).spawn(move || run(&weak))?;
        Ok(waiting)
    }

    /// Puts the records of a sign-up into the vault.
    pub(crate) fn put(
        &self,
        token: Digest,
        (login, credential): (Digest, u64),
        records: Vec<(String, Secret)>,
    ) -> Result<(), VaultFault> {
        let entry = Entry { login, credential, begun: Some(Instant::now()), keeps_address: false };
        self.entries.lock().insert(token, entry);
        self.vault.put(records)
    }

    /// Notes that the command of a sign-up was decided, or that it was never sent.
    pub(crate) fn decided(&self, token: &Digest) {
        if let Some(entry) = self.entries.lock().get_mut(token) {
            entry.begun = None;
        }
    }

    /// Keeps an address that an operator is about to use, whatever becomes of its sign-ups.
    pub(crate) fn keep_address(&self, login: &Digest) {
        let mut entries = self.entries.lock();
        entries
            .values_mut()
            .filter(|entry| entry.login == *login)
            .for_each(|entry| entry.keeps_address = true);
    }

    /// Removes the records of sign-ups that have ended.
    pub(crate) fn sweep(&self) {
        let mut entries = self.entries.lock();
        let (ended, names) = {
            let views = self.exchange.views();
            let identity = views.state().identity();
            if identity.sign_ups().len() == entries.len() {
                return;
            }
            let ended = ended(identity, &entries);
            let names = unused(identity, &entries, &ended);
            (ended, names)
        };
        if ended.is_empty() {
            return;
        }
        let (records, logins) = names;
        if let Err(fault) = self.vault.remove(records) {
            // The next look tries again.
            tracing::error!(%fault, "the records of sign-ups that have ended stay in the vault");
            return;
        }
        entries.retain(|token, _| !ended.contains(token));
        self.addresses.write().retain(|login, _| !logins.contains(login));
    }
}

/// The tokens of the sign-ups that have ended.
fn ended(identity: &Identity, entries: &BTreeMap<Digest, Entry>) -> BTreeSet<Digest> {
    let is_decided = |entry: &Entry| entry.begun.is_none_or(|begun| begun.elapsed() > UNDECIDED);
    let over = entries.iter().filter(|(token, entry)| is_decided(entry) && !identity.has_sign_up(token));
    over.map(|(token, _)| *token).collect()
}

/// The names of the records that no one needs when these sign-ups have ended, and the addresses that go with them.
fn unused(
    identity: &Identity,
    entries: &BTreeMap<Digest, Entry>,
    ended: &BTreeSet<Digest>,
) -> (Vec<String>, BTreeSet<Digest>) {
    let (over, alive): (Vec<_>, Vec<_>) = entries.iter().partition(|(token, _)| ended.contains(*token));
    let held: BTreeSet<Digest> = alive
        .into_iter()
        .chain(over.iter().copied().filter(|(_, entry)| entry.keeps_address))
        .map(|(_, entry)| entry.login)
        .collect();
    let (mut names, mut logins) = (Vec::new(), BTreeSet::new());
    for (_, entry) in over {
        let user = identity.find_user(&entry.login).and_then(|id| identity.user(id));
        if user.is_none_or(|user| user.credential != entry.credential) {
            names.push(Names::of(&entry.login).password(entry.credential));
        }
        if user.is_none() && !held.contains(&entry.login) && logins.insert(entry.login) {
            names.push(Names::of(&entry.login).address());
        }
    }
    (names, logins)
}

fn run(waiting: &Weak<Waiting>) {
    loop {
        std::thread::sleep(EVERY);
        match waiting.upgrade() {
            Some(waiting) => waiting.sweep(),
            None => return,
        }
    }
}

#[cfg(test)]
mod tests;
