//! The accounts of groups: their names, and which may be opened.

use super::Naive;
use buttonwood_engine::{AccessReject, Account, AccountKind, Answer, NewAccount, Outcome, Reject};
use buttonwood_model::{AccountId, GroupId, Time};

/// The names of an account, its group and age, and its purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    pub(super) group: Option<GroupId>,
    short: String,
    /// Empty where it has none.
    display: String,
    pub(super) opened: Time,
    pub(super) kind: AccountKind,
    pub(super) is_closed: bool,
}

impl Names {
    pub(super) fn of(account: &Account, is_closed: bool) -> Self {
        Self {
            group: account.group,
            short: account.short_name.clone(),
            display: account.display_name.clone(),
            opened: account.opened,
            kind: account.kind,
            is_closed,
        }
    }

    /// Whether it only holds funds.
    pub(super) fn is_custody(&self) -> bool {
        self.kind == AccountKind::Custody
    }

    /// The name for people.
    fn shown(&self) -> &str {
        if self.display.is_empty() { &self.short } else { &self.display }
    }

    /// Whether the account is called so, and is what was opened.
    pub(crate) fn are_of(&self, account: &Account, is_closed: bool) -> bool {
        *self == Self::of(account, is_closed)
    }
}

impl Naive {
    /// Gives an account other names, unless another of its group has one of them.
    pub(super) fn rename(
        &mut self,
        account: AccountId,
        display: Option<&String>,
        short: Option<&String>,
    ) -> Answer {
        if display.is_none() && short.is_none() {
            return Outcome::Done;
        }
        let mut names = self.names[account.index()].clone();
        names.display = display.cloned().unwrap_or(names.display);
        names.short = short.cloned().unwrap_or(names.short);
        let rows = self.names.iter().enumerate();
        let others = rows.filter(|(at, other)| *at != account.index() && other.group == names.group);
        let others: Vec<_> = others.map(|(_, other)| other).collect();
        if others.iter().any(|other| other.shown().to_lowercase() == names.shown().to_lowercase()) {
            return Outcome::Rejected(Reject::Access(AccessReject::NameTaken));
        }
        if others.iter().any(|other| other.short == names.short) {
            return Outcome::Rejected(Reject::Access(AccessReject::Taken));
        }
        self.names[account.index()] = names;
        Outcome::Done
    }

    /// Closes an account that has no orders, no transfers on their way, no debt and no money.
    pub(super) fn close_account(&mut self, account: AccountId) -> Answer {
        let refused = |reject| Outcome::Rejected(Reject::Access(reject));
        let Some(names) = self.names.get(account.index()).filter(|names| names.group.is_some()) else {
            return refused(AccessReject::Unknown);
        };
        if names.is_closed {
            return refused(AccessReject::Closed);
        }
        if self.live.iter().chain(&self.stopped).any(|order| order.account == account) {
            return refused(AccessReject::InUse("Trading"));
        }
        if self.funds.rows.iter().any(|row| row.account == account && row.is_on_its_way()) {
            return refused(AccessReject::InUse("Funds"));
        }
        if self.owes(account) {
            return refused(AccessReject::InUse("Funds"));
        }
        if self.totals.iter().any(|((owner, _), total)| *owner == account && *total != 0) {
            return refused(AccessReject::InUse("Ledger"));
        }
        self.names[account.index()].is_closed = true;
        Outcome::Done
    }

    /// Opens an account in the group of a master key.
    pub(super) fn create(&mut self, group: GroupId, new: &NewAccount, now: Time) -> Answer {
        let refused = |reject| Outcome::Rejected(Reject::Access(reject));
        let id = AccountId::from_index(self.names.len());
        let others: Vec<_> = self.names.iter().filter(|other| other.group == Some(group)).collect();
        if others.iter().any(|other| other.short == new.short_name) {
            return refused(AccessReject::Taken);
        }
        if others.iter().any(|other| other.shown().to_lowercase() == new.display_name.to_lowercase()) {
            return refused(AccessReject::NameTaken);
        }
        let terms = self.terms[group.index()];
        if new.custody && !terms.custody {
            return refused(AccessReject::NoCustodyTerms);
        }
        if others.iter().filter(|other| !other.is_closed).count()
            >= usize::try_from(terms.accounts_max).unwrap()
        {
            return refused(AccessReject::GroupFull(terms.accounts_max));
        }
        // The whole group lives where its first account does.
        let first = self.names.iter().position(|other| other.group == Some(group));
        let home = first.map_or("", |first| self.jurisdictions[&AccountId::from_index(first)]);
        self.jurisdictions.insert(id, home);
        self.names.push(Names {
            group: Some(group),
            short: new.short_name.clone(),
            display: new.display_name.clone(),
            opened: now,
            kind: if new.custody { AccountKind::Custody } else { AccountKind::Exchange },
            is_closed: false,
        });
        for key in self.keys.iter_mut().filter(|key| key.group == Some(group)) {
            key.accounts.push(id);
        }
        Outcome::Done
    }
}
