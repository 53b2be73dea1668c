//! Roles at the gate: a first check, repeated inside the core.
//!
//! Clauses: `AUTH-020` to `AUTH-024` for what the roles are, `ERR-002` for the text.

use crate::{Key, Owner, Reason, Refusal};
use buttonwood_model::Roles;

/// Refuses a key that has none of `needed`.
///
/// # Errors
/// `MissingRole`.
pub fn require(key: &Key, needed: Roles) -> Result<(), Refusal> {
    if key.roles.allows(needed) { Ok(()) } else { Err(missing_role(key, needed)) }
}

/// Refuses an account key where a master key with one of `needed` is asked for (D-10).
///
/// # Errors
/// `MissingRole`.
pub fn require_master(key: &Key, needed: Roles) -> Result<(), Refusal> {
    match key.owner {
        Owner::Group(_) => Ok(()),
        Owner::Account(_) => Err(missing_role(key, needed).and("an account key may not call it")),
    }
}

/// The refusal that names the roles needed and those the key has (ERR-002).
pub fn missing_role(key: &Key, needed: Roles) -> Refusal {
    let message = format!(
        "This endpoint needs one of the roles [{}], and API key {} currently has the roles [{}]",
        list(needed),
        key.api_key,
        list(key.roles)
    );
    Refusal::new(Reason::MissingRole, message)
}

fn list(roles: Roles) -> String {
    roles.iter().map(buttonwood_model::Role::name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_model::{AccountId, GroupId, Role, SessionId};
    use std::sync::Arc;

    /// Proves ERR-002.
    #[test]
    fn names_needed_and_current_roles() {
        let key = Key {
            api_key: "account-a".to_owned(),
            session: SessionId(1),
            owner: Owner::Account(AccountId(1)),
            roles: Roles::of(&[Role::FundManager]),
            require_heartbeat: false,
            time_based_nonce: false,
            is_enabled: true,
            addresses: Arc::default(),
            group: None,
        };
        let refusal = require(&key, Roles::of(&[Role::Trader, Role::Auditor])).unwrap_err();
        assert_eq!((refusal.status, refusal.reason), (403, Reason::MissingRole));
        assert_eq!(
            refusal.message,
            "This endpoint needs one of the roles [Trader, Auditor], \
             and API key account-a currently has the roles [Fund Manager]"
        );
        assert_eq!(require(&key, Roles::of(&[Role::FundManager])), Ok(()));
        assert_eq!(require(&key, Roles::NONE), Ok(()));
    }

    /// Whatever the roles of an account key, it is not a master key.
    #[test]
    fn account_keys_are_no_master_keys() {
        let needed = Roles::of(&[Role::FundManager]);
        let of = |api_key: &str, owner| Key {
            api_key: api_key.to_owned(),
            session: SessionId(1),
            owner,
            roles: needed,
            require_heartbeat: false,
            time_based_nonce: false,
            is_enabled: true,
            addresses: Arc::default(),
            group: None,
        };
        let refusal = require_master(&of("account-a", Owner::Account(AccountId(1))), needed).unwrap_err();
        assert_eq!((refusal.status, refusal.reason), (403, Reason::MissingRole));
        assert!(refusal.message.ends_with("; an account key may not call it"), "{}", refusal.message);
        assert_eq!(require_master(&of("master-a", Owner::Group(GroupId(1))), needed), Ok(()));
    }
}
