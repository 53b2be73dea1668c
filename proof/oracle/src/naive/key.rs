//! Keys, each with the set of all nonces it ever used.

use buttonwood_engine::{NewSession, Owner, Session, Standing};
use buttonwood_model::{AccountId, Cidr, GroupId, Nonce, Roles};
use std::collections::HashSet;

/// A key and its nonces.
#[derive(Clone)]
pub(crate) struct Key {
    /// The accounts it acts for; one, unless it is a master key.
    pub(super) accounts: Vec<AccountId>,
    /// The group of a master key.
    pub(super) group: Option<GroupId>,
    pub(super) roles: Roles,
    pub(super) standing: Standing,
    pub(super) name: String,
    pub(super) addresses: Vec<Cidr>,
    pub(super) text: String,
    /// Whether its nonces are time-based, so that they need not increase.
    timed: bool,
    used: HashSet<Nonce>,
    /// The highest nonce after each use.
    highest: Vec<Nonce>,
}

/// Number of uses after which older nonces expire.
const SPAN: usize = 8;

impl Key {
    pub(super) fn new(accounts: Vec<AccountId>, key: &NewSession) -> Self {
        Self {
            accounts,
            group: match key.owner {
                Owner::Group(group) => Some(group),
                Owner::Account(_) => None,
            },
            roles: key.roles,
            standing: Standing::Enabled,
            name: key.name.clone(),
            addresses: key.addresses.clone(),
            text: key.api_key.clone(),
            timed: key.time_based_nonce,
            used: HashSet::new(),
            highest: Vec::new(),
        }
    }

    /// Whether the session is what it should be.
    pub(crate) fn is_of(&self, session: &Session) -> bool {
        let key = &session.key;
        (self.standing, self.roles, &self.name, &self.addresses, &self.text)
            == (session.standing(), key.roles, &key.name, &key.addresses, &key.api_key)
    }

    /// Drops the used nonces.
    pub(super) fn reset(&mut self) {
        self.used.clear();
        self.highest.clear();
    }

    pub(super) fn uses(&mut self, nonce: Nonce) {
        self.used.insert(nonce);
        self.highest.push(self.highest.last().map_or(nonce, |highest| nonce.max(*highest)));
    }

    /// Whether it may use this nonce. No nonce is used twice. It must also exceed the highest nonce at the end of the
    /// last span but one, since calls overtake each other only slightly.
    pub(super) fn may_use(&self, nonce: Nonce) -> bool {
        let spans = self.highest.len() / SPAN;
        let floor = spans.checked_sub(1).and_then(|spans| (spans * SPAN).checked_sub(1));
        let floor = floor.and_then(|at| self.highest.get(at));
        self.timed || !self.used.contains(&nonce) && floor.is_none_or(|floor| nonce > *floor)
    }
}
