//! Roles and scopes at the gate: a first check, repeated inside the core.
//!
//! Clauses: `AUTH-020` to `AUTH-024` for what the roles are, `ERR-002` for the text, `OAUTH-026` for scopes.

use crate::{Reason, Refusal};
use buttonwood_model::{Role, Roles, Scope, Scopes};

/// The refusal that names the roles needed and those of the caller (ERR-002). `who` is the caller as messages name it.
pub fn missing_role(who: &str, roles: Roles, needed: Roles) -> Refusal {
    let message = format!(
        "This endpoint needs one of the roles [{}], and {who} currently has the roles [{}]",
        list(needed.iter().map(Role::name)),
        list(roles.iter().map(Role::name))
    );
    Refusal::new(Reason::MissingRole, message)
}

/// The refusal of an access token that names the scopes needed and those of the token (OAUTH-026); where no scope opens
/// the endpoint, it says so (OAUTH-040).
pub(crate) fn missing_scope(who: &str, scopes: Scopes, needed: Scopes) -> Refusal {
    let needed = if needed.is_empty() {
        "takes no access tokens".to_owned()
    } else {
        format!("needs one of the scopes [{}]", list(needed.iter().map(Scope::name)))
    };
    let has = list(scopes.iter().map(Scope::name));
    let message = format!("This endpoint {needed}, and {who} has the scopes [{has}]");
    Refusal::new(Reason::MissingRole, message)
}

fn list(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves ERR-002.
    #[test]
    fn names_needed_and_current_roles() {
        let (needed, roles) = (Roles::of(&[Role::Trader, Role::Auditor]), Roles::of(&[Role::FundManager]));
        let refusal = missing_role("API key account-a", roles, needed);
        assert_eq!((refusal.status, refusal.reason), (403, Reason::MissingRole));
        assert_eq!(
            refusal.message,
            "This endpoint needs one of the roles [Trader, Auditor], \
             and API key account-a currently has the roles [Fund Manager]"
        );
    }

    /// Proves OAUTH-026 (part).
    #[test]
    fn names_needed_and_held_scopes() {
        let held = Scopes::of(&[Scope::BalancesRead, Scope::AccountRead]);
        let needed = Scopes::of(&[Scope::OrdersCreate]);
        let refusal = missing_scope("the access token of app x", held, needed);
        assert_eq!((refusal.status, refusal.reason), (403, Reason::MissingRole));
        assert_eq!(
            refusal.message,
            "This endpoint needs one of the scopes [orders:create], \
             and the access token of app x has the scopes [balances:read, account:read]"
        );
        let refusal = missing_scope("the access token of app x", Scopes::NONE, Scopes::NONE);
        assert_eq!(
            refusal.message,
            "This endpoint takes no access tokens, and the access token of app x has the scopes []"
        );
    }
}
