//! Users.

use crate::{Digest, Identity, Infrequent, Passkey, Reject, UserId};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_access::Access;
use buttonwood_model::{BytesRef, GroupId, Outbox, Roles, SessionId, Time};
use serde::{Deserialize, Serialize};

/// A person who can sign in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// The SHA-256 of the e-mail address in lower case.
    pub login: Digest,
    /// The name for people.
    pub name: String,
    /// The group; an operator has none.
    pub group: Option<GroupId>,
    /// The rights in the group; an operator has none.
    pub roles: Roles,
    /// Whether an operator: their calls are the commands of `admin`.
    pub is_operator: bool,
    /// Whether the user may not sign in.
    pub is_disabled: bool,
    /// The number of the password in the vault that is in force; 0 while there is none.
    pub credential: u64,
    /// The number of the TOTP secret in the vault that is in force; 0 before the user has enrolled.
    pub factor: u64,
    /// The last accepted step of the TOTP secret: each works once.
    pub step: u64,
    /// The recovery codes that were not used.
    pub recovery: Vec<Digest>,
    /// When the user was made.
    pub created: Time,
    /// When the user last gave both factors.
    pub last_sign_in: Option<Time>,
    /// Failed codes of the last 24 hours, the oldest first.
    pub(crate) code_failures: Vec<Time>,
    /// When the password was last reset by mail.
    pub(crate) reset: Option<Time>,
    /// The browsers in which the user signs in or is signed in, the oldest first.
    pub(crate) browsers: Vec<SessionId>,
    /// The grants that the user gave, the oldest first.
    pub(crate) grants: Vec<SessionId>,
    /// The passkeys, the oldest first.
    pub(crate) passkeys: Vec<Passkey>,
}

impl User {
    /// The browsers in which the user signs in or is signed in, the oldest first.
    pub fn browsers(&self) -> &[SessionId] {
        &self.browsers
    }

    /// The grants that the user gave, the oldest first.
    pub fn grants(&self) -> &[SessionId] {
        &self.grants
    }

    /// Whether the user may sign in.
    pub fn is_active(&self) -> bool {
        !self.is_disabled && self.credential != 0
    }
}

/// A user to make, whose address is confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewUser {
    /// The SHA-256 of the e-mail address in lower case.
    pub login: Digest,
    /// The name for people.
    pub name: String,
    /// The group; an operator has none.
    pub group: Option<GroupId>,
    /// The rights in the group; an operator has none.
    pub roles: Roles,
    /// Whether an operator.
    pub is_operator: bool,
    /// Whether the user may not sign in.
    pub is_disabled: bool,
    /// The number of the password in the vault; 0 while the user has to set one.
    pub credential: u64,
    /// The number of the TOTP secret in the vault; 0 while the user has to enrol.
    pub factor: u64,
}

/// A change of a user, as far as it is named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserChange {
    /// The group: a change of it ends all that the user has open.
    pub group: Option<GroupId>,
    /// The rights.
    pub roles: Option<Roles>,
    /// Whether the user may not sign in; true ends all that the user has open.
    pub is_disabled: Option<bool>,
    /// Whether an operator; a change ends all that the user has open.
    pub is_operator: Option<bool>,
    /// The number of another password in the vault.
    pub credential: Option<u64>,
    /// The number of another TOTP secret in the vault.
    pub factor: Option<u64>,
}

/// An operator has neither a group nor roles, and any other user has both.
fn check_kind(
    access: &Access,
    group: Option<GroupId>,
    roles: Roles,
    is_operator: bool,
) -> Result<(), Reject> {
    if is_operator {
        return if group.is_none() && roles == Roles::NONE { Ok(()) } else { Err(Reject::BadRoles) };
    }
    group.and_then(|group| access.group(group)).ok_or(Reject::UnknownGroup)?;
    if roles.is_valid() { Ok(()) } else { Err(Reject::BadRoles) }
}

/// Makes a user.
pub(crate) fn add<E: From<BytesRef>>(
    identity: &Identity,
    access: &Access,
    new: &NewUser,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    if identity.find_user(&new.login).is_some() {
        return Err(Reject::Taken);
    }
    check_kind(access, new.group, new.roles, new.is_operator)?;
    out.push_named(&Infrequent::UserAdded(new.clone()));
    Ok(())
}

/// Changes a user. To repeat a change succeeds and changes nothing.
pub(crate) fn change<E: From<BytesRef>>(
    identity: &Identity,
    access: &Access,
    (id, change): (UserId, &UserChange),
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let user = identity.user(id).ok_or(Reject::UnknownUser)?;
    let is_operator = change.is_operator.unwrap_or(user.is_operator);
    let group = if is_operator { None } else { change.group.or(user.group) };
    let roles = if is_operator { Roles::NONE } else { change.roles.unwrap_or(user.roles) };
    check_kind(access, group, roles, is_operator)?;
    out.push_named(&Infrequent::UserChanged(id, change.clone()));
    Ok(())
}

impl Identity {
    /// Adds a user; what waits for the same address ends.
    pub(crate) fn add_user(&mut self, new: NewUser, now: Time) {
        let id = UserId::from_index(self.users.len());
        self.by_login.insert(new.login, id);
        self.drop_sign_ups(&new.login);
        self.users.push(User {
            login: new.login,
            name: new.name,
            group: new.group,
            roles: new.roles,
            is_operator: new.is_operator,
            is_disabled: new.is_disabled,
            credential: new.credential,
            factor: new.factor,
            step: 0,
            recovery: Vec::new(),
            created: now,
            last_sign_in: None,
            code_failures: Vec::new(),
            reset: None,
            browsers: Vec::new(),
            grants: Vec::new(),
            passkeys: Vec::new(),
        });
    }

    /// Changes a user, and ends what the user may not have open any more.
    pub(crate) fn change_user(&mut self, access: &mut Access, id: UserId, change: &UserChange) {
        let Some(user) = self.users.get_mut(id.index()) else { return };
        let before = (user.group, user.is_operator);
        user.is_operator = change.is_operator.unwrap_or(user.is_operator);
        user.group = if user.is_operator { None } else { change.group.or(user.group) };
        user.roles = if user.is_operator { Roles::NONE } else { change.roles.unwrap_or(user.roles) };
        user.is_disabled = change.is_disabled.unwrap_or(user.is_disabled);
        user.credential = change.credential.unwrap_or(user.credential);
        if let Some(factor) = change.factor {
            (user.factor, user.step) = (factor, 0);
            user.recovery.clear();
        }
        let loses_all = user.is_disabled || before != (user.group, user.is_operator);
        if loses_all {
            self.end_all_of(access, id);
        } else {
            self.note_roles(access, id);
        }
        if change.credential.is_some() {
            self.end_resets(id);
        }
    }

    /// Ends all sessions, grants, codes and mail links of a user.
    pub(crate) fn end_all_of(&mut self, access: &mut Access, id: UserId) {
        let Some(user) = self.user(id) else { return };
        let (browsers, grants) = (user.browsers.clone(), user.grants.clone());
        for session in browsers {
            self.end_browser(access, session);
        }
        for session in grants {
            self.end_grant(access, session);
        }
        self.end_codes(|code| code.user == id);
        self.end_resets(id);
    }

    /// Gives the sessions of a user the roles that the user has now.
    fn note_roles(&self, access: &mut Access, id: UserId) {
        let Some(user) = self.user(id) else { return };
        for session in user.browsers.iter().chain(&user.grants) {
            access.set_held_roles(*session, user.roles);
        }
    }
}
