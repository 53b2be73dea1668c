//! What accounts are called.

use super::Naive;
use buttonwood_engine::{AccessReject, Account, Answer, Outcome, Reject};
use buttonwood_model::{AccountId, GroupId};

/// What an account is called, and in which group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    group: Option<GroupId>,
    short: String,
    /// Empty where it has none.
    display: String,
}

impl Names {
    pub(super) fn of(account: &Account) -> Self {
        Self {
            group: account.group,
            short: account.short_name.clone(),
            display: account.display_name.clone(),
        }
    }

    /// What people call it.
    fn shown(&self) -> &str {
        if self.display.is_empty() { &self.short } else { &self.display }
    }

    /// Whether the account is called so.
    pub(crate) fn are_of(&self, account: &Account) -> bool {
        (self.group, &self.short, &self.display)
            == (account.group, &account.short_name, &account.display_name)
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
        for (at, other) in self.names.iter().enumerate() {
            if at == account.index() || other.group != names.group {
                continue;
            }
            if other.shown().to_lowercase() == names.shown().to_lowercase() {
                return Outcome::Rejected(Reject::Access(AccessReject::NameTaken));
            }
            if other.short == names.short {
                return Outcome::Rejected(Reject::Access(AccessReject::Taken));
            }
        }
        self.names[account.index()] = names;
        Outcome::Done
    }
}
