//! Keys that users keep by page: within the group and the rights that the user has now.

use super::{Judged, People, no};
use buttonwood_engine::identity::Stage;
use buttonwood_engine::{
    Access, AccessCommand, Body, Caller, NewSession, OWN_KEYS_MAX, OwnKey, Owner, Standing,
};
use buttonwood_model::{AccountId, GroupId, Nonce, Role, Roles, SessionId};

/// A key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) id: SessionId,
    pub(super) name: String,
    owner: Owner,
    roles: Roles,
    is_enabled: bool,
    /// Whether an administrator disabled it, as far as it is disabled.
    is_barred: bool,
    has_ended: bool,
}

impl Kept {
    pub(super) fn may_act(&self) -> bool {
        self.is_enabled && !self.has_ended
    }

    pub(super) fn standing(&self) -> Standing {
        match (self.has_ended, self.is_enabled) {
            (true, _) => Standing::Ended,
            (false, true) => Standing::Enabled,
            (false, false) => Standing::Disabled,
        }
    }

    pub(super) fn is_disabled_by_administrator(&self) -> bool {
        self.is_barred && self.standing() == Standing::Disabled
    }

    /// The account that it trades on, if it is an account key of a trader.
    pub(super) fn trades_on(&self) -> Option<AccountId> {
        match self.owner {
            Owner::Account(account) if self.roles.has(Role::Trader) => Some(account),
            Owner::Account(_) | Owner::Group(_) => None,
        }
    }
}

/// The act on a key, if the command is one.
pub(super) fn of(body: &Body) -> Option<&OwnKey> {
    if let Body::Access(AccessCommand::KeepKey(act)) = body { Some(act) } else { None }
}

fn group_of(access: &Access, owner: Owner) -> Option<GroupId> {
    match owner {
        Owner::Group(group) => Some(group),
        Owner::Account(account) => access.account(account)?.group,
    }
}

/// Whether the one has every role of the other.
fn has_all(roles: Roles, of: Roles) -> bool {
    of.iter().all(|role| roles.has(role))
}

impl People {
    /// Takes note of the keys of an exchange in which nobody has made any by page.
    pub(super) fn find_keys(&mut self, access: &Access) {
        let sessions = access.sessions().iter().enumerate().skip(self.keys.len());
        self.keys.extend(sessions.map(|(at, session)| Kept {
            id: SessionId::from_index(at),
            name: session.key.name.clone(),
            owner: session.key.owner,
            roles: session.key.roles,
            is_enabled: true,
            is_barred: false,
            has_ended: false,
        }));
    }

    /// Judges the act of a page on a key, and notes its effects.
    pub(super) fn keep_key(&mut self, access: &Access, caller: &Caller, act: &OwnKey, now: u64) -> Judged {
        let Some(window) = self.window(caller.session, now).filter(|it| it.stage == Stage::Full) else {
            return self.refuse_token(caller, now);
        };
        let person = &self.persons[window.person];
        let (roles, Some(group)) = (person.roles, person.group) else { return no("UnknownSession") };
        let is_own = |account: AccountId| group_of(access, Owner::Account(account)) == Some(group);
        if !caller.account.is_none_or(is_own) {
            return no("ForeignAccount");
        }
        if let OwnKey::Make(new) = act {
            return self.make_key(access, (group, roles), new);
        }
        let at = act.session().and_then(|id| self.keys.iter().position(|key| key.id == id));
        let is_kept = |key: &Kept| {
            let is_within = matches!(key.owner, Owner::Account(_)) && has_all(roles, key.roles);
            !key.has_ended
                && group_of(access, key.owner) == Some(group)
                && (roles.has(Role::Administrator) || is_within)
        };
        let Some(at) = at.filter(|at| is_kept(&self.keys[*at])) else {
            self.counts.note("act on a key of others");
            return no("Unknown");
        };
        self.change_key(access, (group, roles), at, act)
    }

    fn make_key(&mut self, access: &Access, (group, roles): (GroupId, Roles), new: &NewSession) -> Judged {
        if group_of(access, new.owner) != Some(group) {
            return no("ForeignAccount");
        }
        let is_account = matches!(new.owner, Owner::Account(_));
        if !new.roles.is_valid() || (is_account && new.roles.has(Role::Administrator)) {
            return no("BadRoles");
        }
        if !has_all(roles, new.roles) || !(is_account || roles.has(Role::Administrator)) {
            self.counts.note("key beyond its user");
            return no("MissingRole");
        }
        if self.has_name(access, group, &new.name, None) {
            return no("NameTaken");
        }
        let of_group = |key: &&Kept| !key.has_ended && group_of(access, key.owner) == Some(group);
        if self.keys.iter().filter(of_group).count() >= OWN_KEYS_MAX {
            return no("TooManyKeys");
        }
        self.counts.note("key made by page");
        let (id, name) = (SessionId::from_index(self.keys.len()), new.name.clone());
        self.keys.push(Kept {
            id,
            name,
            owner: new.owner,
            roles: new.roles,
            is_enabled: true,
            is_barred: false,
            has_ended: false,
        });
        Ok(())
    }

    fn has_name(&self, access: &Access, group: GroupId, name: &str, own: Option<SessionId>) -> bool {
        let mut named =
            self.keys.iter().filter(|key| key.name == name && Some(key.id) != own && !key.has_ended);
        named.any(|key| group_of(access, key.owner) == Some(group))
    }

    fn change_key(
        &mut self,
        access: &Access,
        (group, roles): (GroupId, Roles),
        at: usize,
        act: &OwnKey,
    ) -> Judged {
        let is_administrator = roles.has(Role::Administrator);
        match act {
            OwnKey::Make(_) => unreachable!("it is made, not changed"),
            OwnKey::Rename(session, name) => {
                if self.has_name(access, group, name, Some(*session)) {
                    return no("NameTaken");
                }
                self.keys[at].name.clone_from(name);
            }
            OwnKey::Enable(_) => {
                let key = &mut self.keys[at];
                if !key.is_enabled && key.is_barred && !is_administrator {
                    self.counts.note("key that an administrator disabled");
                    return no("DisabledBy");
                }
                key.is_enabled = true;
            }
            OwnKey::Disable { session, cancel_orders } => {
                let key = &mut self.keys[at];
                key.is_barred = is_administrator || (!key.is_enabled && key.is_barred);
                key.is_enabled = false;
                self.counts.note("key stopped by page");
                self.stop_orders(*session, *cancel_orders);
            }
            OwnKey::End { session, cancel_orders } => {
                self.keys[at].has_ended = true;
                self.counts.note("key stopped by page");
                self.stop_orders(*session, *cancel_orders);
            }
        }
        Ok(())
    }

    fn stop_orders(&mut self, session: SessionId, cancels: bool) {
        self.orders.retain(|order| !cancels || order.session != session);
    }

    /// No token keeps keys.
    fn refuse_token(&self, caller: &Caller, now: u64) -> Judged {
        let is_named = |number: u64| Nonce::number(number) == caller.nonce;
        let family = self.families.iter().find(|it| it.id == caller.session && it.is_alive(now));
        let family =
            family.filter(|it| it.passes.iter().any(|pass| pass.is_alive(now) && is_named(pass.number)));
        match family {
            None => no("UnknownSession"),
            Some(family) if caller.account.is_some_and(|account| account != family.account) => {
                no("ForeignAccount")
            }
            Some(_) => no("Missing"),
        }
    }
}
