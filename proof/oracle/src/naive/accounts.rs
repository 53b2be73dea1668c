//! What accounts are called.

use buttonwood_engine::Account;
use buttonwood_model::GroupId;

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

    /// Whether the account is called so.
    pub(crate) fn are_of(&self, account: &Account) -> bool {
        (self.group, &self.short, &self.display)
            == (account.group, &account.short_name, &account.display_name)
    }
}
