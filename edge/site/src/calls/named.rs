//! The account that a page or its call names, by `?account=` or in `X-Account`.

use buttonwood_call::App;
use buttonwood_model::{AccountId, GroupId};

/// The account that a text names for a browser (D-289).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// An open one of its group, by number.
    Number(AccountId),
    /// The chosen one, by its short name.
    Chosen,
    /// None: another account's name, or the number of no open account of the group.
    Nothing,
}

/// Finds the account that a text names. A number of the group comes before a name, since pages send numbers: an account that gets the number
/// of a tab's account as its name must not get that tab's orders. A name of digits that is no number of the group is a name like any other;
/// an account whose name is another one's number is reached by its own number.
pub(super) fn find_named(app: &App, group: Option<GroupId>, chosen: Option<AccountId>, text: &str) -> Named {
    let views = app.exchange.views();
    let access = views.state().access();
    // A number is written as pages write it: `007` is a name.
    let number = text.parse().ok().filter(|number: &u32| number.to_string() == text).map(AccountId);
    let is_own =
        |id: &AccountId| group.is_some() && access.account(*id).is_some_and(|account| account.group == group);
    match number.filter(is_own) {
        Some(account) if access.is_closed(account) => Named::Nothing,
        Some(account) => Named::Number(account),
        None if chosen
            .and_then(|id| access.account(id))
            .is_some_and(|account| account.short_name == text) =>
        {
            Named::Chosen
        }
        None => Named::Nothing,
    }
}

/// The account with a number, if it is an open one of the group.
pub(super) fn own_account(app: &App, group: Option<GroupId>, account: AccountId) -> Option<AccountId> {
    let views = app.exchange.views();
    let access = views.state().access();
    let is_own = access.account(account)?.group == Some(group?) && !access.is_closed(account);
    is_own.then_some(account)
}
