//! Approved addresses (ADDR-008 to ADDR-019): an entry waits 7 days, and before that for another user where the group has several.

use super::Naive;
use crate::worlds::NETS;
use buttonwood_engine::funds::approval::{Command, Reject, Request};
use buttonwood_engine::funds::{ApprovalScope, EntryRef, Standing};
use buttonwood_engine::{Caller, Made};
use buttonwood_model::{AccountId, Day, Time};

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) place: EntryRef,
    /// The memo of a payment to it; empty without one.
    pub(crate) memo: String,
    pub(crate) requested: Time,
    pub(crate) standing: Standing,
}

impl Entry {
    /// When its hold ends.
    fn end(&self) -> Time {
        self.requested.plus(7 * Day::MICROS)
    }
}

impl Naive {
    pub(super) fn approve(&mut self, caller: Option<&Caller>, command: &Command) -> Result<Made, Reject> {
        match command {
            Command::RequestApproval(request) => self.request(caller, request)?,
            Command::RemoveApproval(place) => {
                self.check_list(caller, place.scope)?;
                let at = self.entry(place)?;
                if self.funds.entries[at].standing == Standing::PendingMua {
                    return Err(Reject::AwaitsUser);
                }
                self.funds.entries.remove(at);
            }
            Command::DecideApproval(place, is_approved) => {
                self.check_list(caller, place.scope)?;
                let at = self.entry(place)?;
                let entry = &mut self.funds.entries[at];
                if !is_approved {
                    self.funds.entries.remove(at);
                } else if entry.standing != Standing::PendingMua {
                    return Err(Reject::Decided);
                } else if entry.end() <= self.now {
                    entry.standing = Standing::Active;
                } else {
                    entry.standing = Standing::PendingTime;
                }
            }
            Command::SetMultiUser(group, on) => {
                self.check_list(caller, ApprovalScope::Group(*group))?;
                self.funds.multi_user.retain(|other| other != group);
                if *on {
                    self.funds.multi_user.push(*group);
                }
            }
            Command::EndApprovalHold(place) => {
                let at = self.entry(place)?;
                let entry = &mut self.funds.entries[at];
                if entry.standing != Standing::PendingTime || self.now < entry.end() {
                    return Err(Reject::NotDue);
                }
                entry.standing = Standing::Active;
            }
            Command::WaiveApprovalHold(place) => {
                self.check_list(caller, place.scope)?;
                let at = self.entry(place)?;
                let entry = &mut self.funds.entries[at];
                entry.standing = match entry.standing {
                    Standing::PendingMua => return Err(Reject::AwaitsUser),
                    Standing::Active => return Err(Reject::NoHold),
                    Standing::PendingTime => Standing::Active,
                };
            }
        }
        Ok(Made::Nothing)
    }

    /// The list must exist and be the caller's: that of a group is only a master key's.
    fn check_list(&self, caller: Option<&Caller>, scope: ApprovalScope) -> Result<(), Reject> {
        let is_own = match scope {
            ApprovalScope::Account(account) => self.acts_for(caller, account),
            ApprovalScope::Group(group) => {
                group.index() < self.terms.len()
                    && caller.is_none_or(|caller| self.keys[caller.session.index()].group == Some(group))
            }
        };
        if is_own { Ok(()) } else { Err(Reject::Foreign) }
    }

    fn entry(&self, place: &EntryRef) -> Result<usize, Reject> {
        self.funds.entries.iter().position(|entry| entry.place == *place).ok_or(Reject::NotListed)
    }

    fn request(&mut self, caller: Option<&Caller>, request: &Request) -> Result<(), Reject> {
        let place = &request.entry;
        self.check_list(caller, place.scope)?;
        let group = match place.scope {
            ApprovalScope::Account(account) if self.names[account.index()].is_closed => {
                return Err(Reject::Closed);
            }
            ApprovalScope::Account(account) => self.names[account.index()].group.unwrap(),
            ApprovalScope::Group(group) => group,
        };
        if !NETS.iter().any(|net| net.name == place.network && net.parent.is_empty()) {
            return Err(Reject::NoNetwork);
        }
        if self.entry(place).is_ok() {
            return Err(Reject::Duplicate);
        }
        let listed = self.funds.entries.iter().filter(|entry| entry.place.scope == place.scope).count();
        if listed >= 1_000 {
            return Err(Reject::Full(1_000));
        }
        let is_multi_user = self.funds.multi_user.contains(&group);
        let standing = if is_multi_user { Standing::PendingMua } else { Standing::PendingTime };
        self.funds.lists.push(place.scope);
        let memo = if place.network == "cosmos" { request.memo.clone() } else { String::new() };
        self.funds.entries.push(Entry { place: place.clone(), memo, requested: self.now, standing });
        Ok(())
    }

    /// The lists that serve an account.
    fn lists_of(&self, account: AccountId) -> [ApprovalScope; 2] {
        let group = self.names[account.index()].group.unwrap();
        [ApprovalScope::Account(account), ApprovalScope::Group(group)]
    }

    /// Whether the account or its group ever asked for an entry, on any network (D-70).
    pub(super) fn has_list(&self, account: AccountId) -> bool {
        self.lists_of(account).iter().any(|scope| self.funds.lists.contains(scope))
    }

    /// The memos with which an account may pay an address: that of its own entry first (D-172).
    pub(super) fn memos_of(&self, account: AccountId, network: &str, canonical: &str) -> Vec<String> {
        let net = NETS.iter().find(|net| net.name == network).unwrap();
        let network = if net.parent.is_empty() { net.name } else { net.parent };
        let mut memos = Vec::new();
        for scope in self.lists_of(account) {
            let place = EntryRef { scope, network: network.to_owned(), canonical: canonical.to_owned() };
            let found = self.funds.entries.iter().find(|entry| entry.place == place);
            memos.extend(
                found.filter(|entry| entry.standing == Standing::Active).map(|entry| entry.memo.clone()),
            );
        }
        memos
    }

    /// When the next hold ends.
    pub(super) fn next_hold(&self) -> Option<Time> {
        let running = self.funds.entries.iter().filter(|entry| entry.standing == Standing::PendingTime);
        running.map(Entry::end).min()
    }
}
