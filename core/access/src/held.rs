//! The sessions of grants and browsers: those that hold rights without a key. The room of people and apps makes and ends them; here stands what
//! every room asks of a session, its owner and its roles.

use crate::{Access, Caller, Owner, Reject};
use buttonwood_model::{AccountId, Roles, SessionId};

impl Access {
    /// Lets the session of a grant or a browser act for an owner.
    pub fn hold(&mut self, session: SessionId, owner: Owner, roles: Roles) {
        self.held.insert(session, (owner, roles));
    }

    /// Ends the session of a grant or a browser.
    pub fn let_go(&mut self, session: SessionId) {
        self.held.remove(&session);
    }

    /// Gives the session of a grant or a browser other roles.
    pub fn set_held_roles(&mut self, session: SessionId, roles: Roles) {
        if let Some((_, held)) = self.held.get_mut(&session) {
            *held = roles;
        }
    }

    /// The owner and the roles of the session of a grant or a browser.
    pub fn held(&self, session: SessionId) -> Option<(Owner, Roles)> {
        self.held.get(&session).copied()
    }

    /// The owner and the roles of any session, ended keys included.
    pub fn rights_of(&self, session: SessionId) -> Option<(Owner, Roles)> {
        let key = self.session(session).map(|session| (session.key.owner, session.key.roles));
        key.or_else(|| self.held(session))
    }

    /// Whether the session of a grant or a browser may place orders for an account of its owner.
    #[cold]
    pub(crate) fn may_place_held(&self, session: SessionId, account: AccountId) -> bool {
        self.held.contains_key(&session)
            && self.account(account).is_some_and(|account| account.kind.trades())
            && !self.is_stopped(account)
    }
}

/// Checks account and role of a caller without a key, in this order (D-05).
///
/// # Errors
/// The first [`Reject`].
pub fn admit_held(access: &Access, caller: &Caller, needed: Roles) -> Result<(), Reject> {
    let (owner, roles) = access.held(caller.session).ok_or(Reject::UnknownSession)?;
    let is_foreign = |account| !access.owns(owner, account);
    let needs_account = matches!(owner, Owner::Account(_)) && needed != Roles::NONE;
    if caller.account.map_or(needs_account, is_foreign) {
        return Err(Reject::ForeignAccount);
    }
    if roles.allows(needed) { Ok(()) } else { Err(Reject::MissingRole(roles)) }
}
