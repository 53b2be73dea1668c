//! Sessions that are made and changed while orders fly.

use super::Naive;
use super::key::Key;
use buttonwood_engine::{AccessCommand, AccessReject, Answer, NewSession, Outcome, Owner, Reject, Standing};
use buttonwood_model::{AccountId, Role, Roles, SessionId, Time};

impl Naive {
    /// An operator's change of a session, or of the addresses from which a group may call. Others are not dealt.
    pub(super) fn change_session(&mut self, command: &AccessCommand, now: Time) -> Answer {
        let refused = |reject| Outcome::Rejected(Reject::Access(reject));
        match command {
            AccessCommand::AddSession(new) => return self.add_session(new),
            AccessCommand::RestrictGroup(group, addresses) => {
                let Some(own) = self.group_addresses.get_mut(group.index()) else {
                    return refused(AccessReject::Unknown);
                };
                own.clone_from(addresses);
                return Outcome::Done;
            }
            _ => {}
        }
        let (session, leaves) = match command {
            AccessCommand::DisableSession { session, cancel_orders }
            | AccessCommand::EndSession { session, cancel_orders } => (*session, Some(*cancel_orders)),
            AccessCommand::EnableSession(session)
            | AccessCommand::SetSessionRoles(session, _)
            | AccessCommand::RenameSession(session, _)
            | AccessCommand::RestrictSession(session, _) => (*session, None),
            other => panic!("not dealt: {other:?}"),
        };
        let Some(key) = self.keys.get(session.index()) else { return refused(AccessReject::Unknown) };
        let has_ended = key.standing == Standing::Ended;
        if has_ended && leaves.is_none() {
            return refused(AccessReject::Ended);
        }
        if let AccessCommand::SetSessionRoles(_, roles) = command
            && !self.may_have(key.group.is_some(), key.accounts.first().copied(), *roles)
        {
            return refused(AccessReject::BadRoles);
        }
        let key = &mut self.keys[session.index()];
        match command {
            AccessCommand::DisableSession { .. } if !has_ended => key.standing = Standing::Disabled,
            AccessCommand::EndSession { .. } => key.standing = Standing::Ended,
            AccessCommand::EnableSession(_) => key.standing = Standing::Enabled,
            AccessCommand::SetSessionRoles(_, roles) => key.roles = *roles,
            AccessCommand::RenameSession(_, name) => key.name.clone_from(name),
            AccessCommand::RestrictSession(_, addresses) => key.addresses.clone_from(addresses),
            _ => {}
        }
        if leaves == Some(true) {
            self.cancel_session(session, now);
        }
        Outcome::Done
    }

    /// Cancels the orders of a session, account by account.
    fn cancel_session(&mut self, session: SessionId, now: Time) {
        for account in self.keys[session.index()].accounts.clone() {
            self.cancel_all(account, Some(session), now);
        }
    }

    fn add_session(&mut self, new: &NewSession) -> Answer {
        let refused = |reject| Outcome::Rejected(Reject::Access(reject));
        let accounts = match new.owner {
            Owner::Account(account) => vec![account],
            Owner::Group(group) => {
                let of_group = |at: &AccountId| self.names[at.index()].group == Some(group);
                (0..self.names.len()).map(AccountId::from_index).filter(of_group).collect()
            }
        };
        if !self.may_have(matches!(new.owner, Owner::Group(_)), accounts.first().copied(), new.roles) {
            return refused(AccessReject::BadRoles);
        }
        if self.keys.iter().any(|key| key.text == new.api_key) {
            return refused(AccessReject::Taken);
        }
        self.keys.push(Key::new(accounts, new));
        Outcome::Done
    }

    /// Only a master key may trade for an account that does not trade, and it is refused there.
    fn may_have(&self, is_master: bool, account: Option<AccountId>, roles: Roles) -> bool {
        let names = account.map(|account| &self.names[account.index()]);
        let trades = names.is_some_and(|names| !names.is_custody() && !names.is_closed);
        let has = |role| roles.has(role);
        let is_valid = if has(Role::Auditor) {
            roles == Roles::of(&[Role::Auditor])
        } else {
            has(Role::Administrator) || has(Role::Trader) || has(Role::FundManager)
        };
        is_valid && (is_master || trades || !has(Role::Trader))
    }
}
