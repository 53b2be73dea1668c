//! Roles at the gate: a first check, repeated inside the core.
//!
//! Clauses: `AUTH-020` to `AUTH-024` for what the roles are, `ERR-002` for the text.

use crate::{Key, Reason, Refusal};
use buttonwood_model::Roles;

/// Refuses a key that has none of `needed`.
///
/// # Errors
/// `MissingRole`.
pub fn require(key: &Key, needed: Roles) -> Result<(), Refusal> {
    if key.roles.allows(needed) { Ok(()) } else { Err(missing_role(key, needed)) }
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
    use crate::Owner;
    use buttonwood_model::{AccountId, Role, SessionId};

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
}
