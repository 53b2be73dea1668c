//! Users.

use crate::{CONFIRM_AGE, Digest, Identity, Infrequent, Passkey, Reject, Reset, UserId};
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
    /// The user of the machine who the operator is: who proposed as one may not approve as the other (D-144). Empty without one.
    pub os_user: String,
    /// The group and the rights to which an operator returns; none for an operator who never had any.
    pub(crate) home: Option<(GroupId, Roles)>,
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
    /// The settings of the pages, as text; empty before the first.
    pub(crate) preferences: String,
    /// The links that end all sessions, by the SHA-256 of their token, the oldest first.
    pub(crate) stops: Vec<Digest>,
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
    /// Whether an operator; a change ends all that the user has open, but not the link of a new user that sets the first password. An operator
    /// has no group: one who is none any more has the group and the rights of before, or those that are named, and may not sign in without any.
    pub is_operator: Option<bool>,
    /// The number of another password in the vault.
    pub credential: Option<u64>,
    /// The number of another TOTP secret in the vault.
    pub factor: Option<u64>,
    /// The user of the machine who an operator is.
    pub os_user: Option<String>,
}

/// The place of a user in the exchange.
struct Place {
    group: Option<GroupId>,
    roles: Roles,
    is_operator: bool,
    is_disabled: bool,
    home: Option<(GroupId, Roles)>,
}

impl Place {
    /// The place after a change.
    fn after(user: &User, change: &UserChange) -> Self {
        let is_operator = change.is_operator.unwrap_or(user.is_operator);
        let is_disabled = change.is_disabled;
        if is_operator {
            let home = if user.is_operator { user.home } else { user.group.map(|group| (group, user.roles)) };
            let is_disabled = is_disabled.unwrap_or(user.is_disabled);
            return Self { group: None, roles: Roles::NONE, is_operator, is_disabled, home };
        }
        let before = if user.is_operator { user.home } else { user.group.map(|group| (group, user.roles)) };
        let (group, roles) = before.map_or((None, Roles::NONE), |(group, roles)| (Some(group), roles));
        let group = change.group.or(group);
        let ends_operator = user.is_operator && group.is_none();
        Self {
            group,
            roles: change.roles.unwrap_or(roles),
            is_operator,
            is_disabled: is_disabled.unwrap_or(user.is_disabled || ends_operator),
            home: None,
        }
    }

    /// An operator has neither a group nor roles, and any other user has both; one who may not sign in may lack them.
    fn check(&self, access: &Access) -> Result<(), Reject> {
        let Self { group, roles, is_operator, is_disabled, .. } = *self;
        if is_operator || (is_disabled && group.is_none()) {
            return if group.is_none() && roles == Roles::NONE { Ok(()) } else { Err(Reject::BadRoles) };
        }
        group.and_then(|group| access.group(group)).ok_or(Reject::UnknownGroup)?;
        if roles.is_valid() { Ok(()) } else { Err(Reject::BadRoles) }
    }
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
    // A new user has a group, or is an operator, also while disabled.
    let NewUser { group, roles, is_operator, .. } = *new;
    Place { group, roles, is_operator, is_disabled: false, home: None }.check(access)?;
    out.push_named(&Infrequent::UserAdded(new.clone()));
    Ok(())
}

/// Makes a user, and the link that sets the first password.
pub(crate) fn invite<E: From<BytesRef>>(
    identity: &Identity,
    access: &Access,
    (new, token): (&NewUser, &Digest),
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    add(identity, access, new, out)?;
    let user = UserId::from_index(identity.users.len());
    out.push_named(&Infrequent::ResetAsked(*token, Reset { user, ends: now.plus(CONFIRM_AGE) }));
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
    Place::after(user, change).check(access)?;
    out.push_named(&Infrequent::UserChanged(id, change.clone()));
    if keeps_links(user, change) {
        for (token, reset) in identity.resets.iter().filter(|(_, reset)| reset.user == id) {
            out.push_named(&Infrequent::ResetAsked(*token, *reset));
        }
    }
    Ok(())
}

/// Whether a change leaves the links that set a password: that of a new user who becomes an operator before the first password. The change
/// itself ends them, as in older journals, so they are made again.
fn keeps_links(user: &User, change: &UserChange) -> bool {
    let UserChange { is_operator, is_disabled, credential, .. } = change;
    let becomes_operator = !user.is_operator && *is_operator == Some(true);
    let stays = !is_disabled.unwrap_or(user.is_disabled) && credential.is_none();
    becomes_operator && stays && user.credential == 0
}

/// Removes all second factors of a user.
pub(crate) fn reset_factors<E: From<BytesRef>>(
    identity: &Identity,
    id: UserId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    identity.user(id).ok_or(Reject::UnknownUser)?;
    out.push_named(&Infrequent::FactorsReset(id));
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
            os_user: String::new(),
            home: None,
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
            preferences: String::new(),
            stops: Vec::new(),
        });
    }

    /// Changes a user, and ends what the user may not have open any more.
    pub(crate) fn change_user(&mut self, access: &mut Access, id: UserId, change: &UserChange) {
        let Some(user) = self.users.get_mut(id.index()) else { return };
        let before = (user.group, user.is_operator);
        let Place { group, roles, is_operator, is_disabled, home } = Place::after(user, change);
        (user.group, user.roles, user.is_operator) = (group, roles, is_operator);
        (user.is_disabled, user.home) = (is_disabled, home);
        match &change.os_user {
            Some(os_user) if is_operator => user.os_user.clone_from(os_user),
            _ if is_operator => {}
            _ => user.os_user.clear(),
        }
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

    /// Removes the TOTP secret, the passkeys, the recovery codes and the failed codes of a user, and ends the sessions: the next one enrols.
    /// Grants go on, as after a new password.
    pub(crate) fn reset_factors(&mut self, access: &mut Access, id: UserId) {
        let Some(user) = self.users.get_mut(id.index()) else { return };
        (user.factor, user.step) = (0, 0);
        user.recovery.clear();
        user.code_failures.clear();
        for passkey in core::mem::take(&mut user.passkeys) {
            self.passkeys.remove(&passkey.credential);
        }
        for session in user.browsers.clone() {
            self.end_browser(access, session);
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
