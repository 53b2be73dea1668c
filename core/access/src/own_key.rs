//! Keys that a user keeps by page: made, renamed, disabled, enabled and ended by a browser, within the group and the rights of its user.
//!
//! Clauses: `AUTH-011`, `AUTH-015`, `AUTH-024`. The live orders of a key are the engine's to cancel (D-143).

use crate::{
    Access, Caller, Hand, Infrequent, NewSession, Owner, Reject, Session, Standing, change, command,
};
use alloc::string::String;
use buttonwood_model::{BytesRef, Effect, GroupId, Outbox, Role, Roles, SessionId, Time};
use serde::{Deserialize, Serialize};

/// Keys of a group at most, as far as users make them. Those that have ended do not count.
pub const OWN_KEYS_MAX: usize = 200;
/// Keys at most that a group's users make in 24 hours, ended ones too: an ended key stays in the state.
pub const OWN_KEYS_PER_SPAN: usize = 1_000;
/// The microseconds over which keys are counted: 24 hours.
const OWN_KEYS_SPAN: u64 = 86_400 * Time::SECOND;

/// An act of a user on a key of the group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OwnKey {
    /// Make a key.
    Make(NewSession),
    /// Give a key another name for people.
    Rename(SessionId, String),
    /// Disable a key; with `cancel_orders` its live orders are cancelled too.
    Disable {
        /// Which.
        session: SessionId,
        /// Whether its live orders are cancelled.
        cancel_orders: bool,
    },
    /// Enable a key again.
    Enable(SessionId),
    /// End a key for good; with `cancel_orders` its live orders are cancelled too.
    End {
        /// Which.
        session: SessionId,
        /// Whether its live orders are cancelled.
        cancel_orders: bool,
    },
}

impl OwnKey {
    /// The key that the act changes; none for one that it makes.
    pub fn session(&self) -> Option<SessionId> {
        match self {
            Self::Make(_) => None,
            Self::Rename(session, _)
            | Self::Disable { session, .. }
            | Self::Enable(session)
            | Self::End { session, .. } => Some(*session),
        }
    }

    /// The session whose live orders the act cancels, if it does.
    pub(crate) fn cancels_orders_of(&self) -> Option<SessionId> {
        if let Self::Disable { session, cancel_orders: true } | Self::End { session, cancel_orders: true } =
            self
        {
            Some(*session)
        } else {
            None
        }
    }

    /// Commands that only take rights away reduce risk.
    pub(crate) fn effect(&self) -> Effect {
        if matches!(self, Self::Disable { .. } | Self::End { .. }) {
            Effect::Reduces
        } else {
            Effect::Neither
        }
    }
}

impl Access {
    /// Whether a user of this group with these roles sees and changes a key: one of the group that has not ended. An administrator keeps all
    /// of them, another user the account keys that have no role that the user lacks.
    pub fn may_keep(&self, group: GroupId, roles: Roles, session: &Session) -> bool {
        let is_within = || matches!(session.key.owner, Owner::Account(_)) && roles.covers(session.key.roles);
        session.standing() != Standing::Ended
            && self.group_of(session.key.owner) == Some(group)
            && (roles.has(Role::Administrator) || is_within())
    }

    /// The keys of a group that have not ended.
    pub fn keys_of(&self, group: GroupId) -> impl Iterator<Item = (SessionId, &Session)> {
        let all =
            self.sessions().iter().enumerate().map(|(at, session)| (SessionId::from_index(at), session));
        all.filter(move |(_, session)| {
            session.standing() != Standing::Ended && self.group_of(session.key.owner) == Some(group)
        })
    }

    /// Whether a key of the group other than `own` has this name; people find keys by it.
    pub fn has_key_name(&self, group: GroupId, name: &str, own: Option<SessionId>) -> bool {
        self.keys_of(group).any(|(id, session)| session.key.name == name && Some(id) != own)
    }

    fn check_key_name(&self, group: GroupId, name: &str, own: Option<SessionId>) -> Result<(), Reject> {
        if self.has_key_name(group, name, own) { Err(Reject::NameTaken) } else { Ok(()) }
    }
}

/// Decides an act of the user of a browser.
///
/// # Errors
/// [`Reject::MissingRole`] for roles that the user lacks, for a master key of a user who is no administrator, and for a caller that is no
/// browser of a group; [`Reject::ForeignAccount`], [`Reject::BadRoles`], [`Reject::NameTaken`], [`Reject::TooManyKeys`],
/// [`Reject::KeysTooFast`]; [`Reject::DisabledBy`] for a key that a higher hand disabled and the user enables;
/// [`Reject::Unknown`] for a key that the user does not keep.
pub(crate) fn decide<E: From<BytesRef>>(
    access: &Access,
    now: Time,
    caller: Option<&Caller>,
    act: &OwnKey,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let caller = caller.ok_or(Reject::Unknown)?;
    let (owner, roles) = access.held(caller.session).ok_or(Reject::UnknownSession)?;
    let Owner::Group(group) = owner else { return Err(Reject::MissingRole(roles)) };
    if let Some(session) = act.session() {
        let kept = access.session(session).filter(|found| access.may_keep(group, roles, found));
        kept.ok_or(Reject::Unknown)?;
    }
    match act {
        OwnKey::Make(new) => {
            check_new(access, now, (group, roles), new)?;
            out.push_named(&Infrequent::SessionAdded(new.clone()));
            Ok(())
        }
        OwnKey::Rename(session, name) => {
            access.check_key_name(group, name, Some(*session))?;
            change::rename(access, *session, name, out)
        }
        OwnKey::Disable { session, .. } => change::disable(access, *session, hand_of(roles), out),
        OwnKey::Enable(session) => {
            let disabled_by = access.session(*session).and_then(Session::disabled_by);
            match disabled_by.filter(|by| *by > hand_of(roles)) {
                Some(by) => Err(Reject::DisabledBy(by)),
                None => change::enable(access, *session, out),
            }
        }
        OwnKey::End { session, .. } => change::end(access, *session, out),
    }
}

/// Who disables a key when a user with these roles does.
fn hand_of(roles: Roles) -> Hand {
    if roles.has(Role::Administrator) { Hand::Administrator } else { Hand::User }
}

fn check_new(
    access: &Access,
    now: Time,
    (group, roles): (GroupId, Roles),
    new: &NewSession,
) -> Result<(), Reject> {
    if access.group_of(new.owner) != Some(group) {
        return Err(Reject::ForeignAccount);
    }
    command::check_session(access, new)?;
    let is_master = matches!(new.owner, Owner::Group(_));
    if !is_master && new.roles.has(Role::Administrator) {
        return Err(Reject::BadRoles);
    }
    if !roles.covers(new.roles) || (is_master && !roles.has(Role::Administrator)) {
        return Err(Reject::MissingRole(roles));
    }
    check_number(access, now, group, &new.name)
}

/// Refuses one more key of this name, in one walk over all keys.
fn check_number(access: &Access, now: Time, group: GroupId, name: &str) -> Result<(), Reject> {
    let (mut kept, mut recent, mut is_taken) = (0, 0, false);
    let of_group = |session: &&Session| access.group_of(session.key.owner) == Some(group);
    for session in access.sessions().iter().filter(of_group) {
        recent += usize::from(now.0.saturating_sub(session.created().0) < OWN_KEYS_SPAN);
        let is_kept = session.standing() != Standing::Ended;
        kept += usize::from(is_kept);
        is_taken |= is_kept && session.key.name == name;
    }
    if is_taken {
        Err(Reject::NameTaken)
    } else if kept >= OWN_KEYS_MAX {
        Err(Reject::TooManyKeys)
    } else if recent >= OWN_KEYS_PER_SPAN {
        Err(Reject::KeysTooFast)
    } else {
        Ok(())
    }
}
