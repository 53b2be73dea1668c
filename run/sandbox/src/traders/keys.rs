//! The keys of the simulated traders: which sessions they are.

use crate::cast::{QUOTER_KEYS, SIMULATED};
use buttonwood_engine::{Access, AccountKind, Owner};
use buttonwood_model::{AccountId, SessionId};

/// The keys of a sandbox's simulated traders; those of the account that quotes come first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simulated {
    /// Those that trade spot.
    pub spot: Vec<SessionId>,
    /// Those that trade perpetuals; none in a directory without these accounts.
    pub perpetuals: Vec<SessionId>,
}

impl Simulated {
    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = SessionId> {
        self.spot.iter().chain(&self.perpetuals).copied()
    }
}

/// The keys of a sandbox's simulated traders: the first ones of its group `simulated`, and of the first two derivatives accounts of that
/// group. Users may add keys of any name to any account, and rename these, but no key of theirs is older there.
pub fn simulated(access: &Access) -> Simulated {
    let traders = access.find_group(SIMULATED);
    let is_of_traders = |owner| traders.is_some() && access.group_of(owner) == traders;
    let owners = || (0..).map(SessionId).zip(access.sessions()).map(|(id, session)| (id, session.key.owner));
    let spot = owners().filter(|(_, owner)| is_of_traders(*owner)).map(|(id, _)| id);
    let mut perpetuals = Vec::new();
    for (account, count) in derivatives(access).into_iter().zip([QUOTER_KEYS, 1]) {
        let own = owners().filter(|(_, owner)| *owner == Owner::Account(account));
        perpetuals.extend(own.map(|(id, _)| id).take(count));
    }
    if perpetuals.len() <= QUOTER_KEYS {
        perpetuals.clear();
    }
    Simulated { spot: spot.take(QUOTER_KEYS + 1).collect(), perpetuals }
}

/// The accounts of a sandbox's simulated traders that trade spot.
pub fn spot_traders(access: &Access) -> Vec<AccountId> {
    let owner_of = |session| match access.session(session)?.key.owner {
        Owner::Account(account) => Some(account),
        Owner::Group(_) => None,
    };
    let mut accounts: Vec<AccountId> = simulated(access).spot.into_iter().filter_map(owner_of).collect();
    accounts.dedup();
    accounts
}

/// The derivatives accounts of the simulated traders' group, the oldest first.
pub(crate) fn derivatives(access: &Access) -> Vec<AccountId> {
    let traders = access.find_group(SIMULATED);
    let is_one = |id: &AccountId| {
        let is_derivatives =
            access.account(*id).is_some_and(|account| account.kind == AccountKind::Derivatives);
        is_derivatives && traders.is_some() && access.group_of(Owner::Account(*id)) == traders
    };
    (0..access.accounts().len()).map(AccountId::from_index).filter(is_one).collect()
}
