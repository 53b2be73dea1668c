//! Keys: every nonce that was ever used, in a set.

use buttonwood_model::{AccountId, Nonce};
use std::collections::HashSet;

/// A key and its nonces.
#[derive(Clone)]
pub(super) struct Key {
    /// Those it acts for; one, unless it is a master key.
    pub(super) accounts: Vec<AccountId>,
    pub(super) trader: bool,
    /// Whether its nonces are times, whose order nobody asks for.
    timed: bool,
    used: HashSet<Nonce>,
    /// The highest nonce after each use.
    highest: Vec<Nonce>,
}

/// Uses after which older nonces are given up.
const SPAN: usize = 8;

impl Key {
    pub(super) fn new(accounts: Vec<AccountId>, trader: bool, timed: bool) -> Self {
        Self { accounts, trader, timed, used: HashSet::new(), highest: Vec::new() }
    }

    /// Forgets what it has used.
    pub(super) fn reset(&mut self) {
        self.used.clear();
        self.highest.clear();
    }

    pub(super) fn uses(&mut self, nonce: Nonce) {
        self.used.insert(nonce);
        self.highest.push(self.highest.last().map_or(nonce, |highest| nonce.max(*highest)));
    }

    /// Whether it may use this nonce: none is used twice, and none that is not above what was the highest when the last
    /// span of uses but one ended, since calls overtake each other only a little.
    pub(super) fn may_use(&self, nonce: Nonce) -> bool {
        let spans = self.highest.len() / SPAN;
        let floor = spans.checked_sub(1).and_then(|spans| (spans * SPAN).checked_sub(1));
        let floor = floor.and_then(|at| self.highest.get(at));
        self.timed || !self.used.contains(&nonce) && floor.is_none_or(|floor| nonce > *floor)
    }
}
