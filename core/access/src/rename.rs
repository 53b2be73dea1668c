//! Renaming an account (ACCT-009, ACCT-010).

use crate::{Access, AccountNames, Caller, Infrequent, Owner, Reject};
use buttonwood_model::{BytesRef, Outbox};

/// Gives the account that a master key acts on a new display name, a new short name, both or none. Ids stay as they are, and
/// with them orders, balances, trades and sessions.
///
/// # Errors
/// [`Reject::MissingRole`] for an account key (D-10); [`Reject::Taken`] and [`Reject::NameTaken`] for a name that another
/// account of the group has.
pub(crate) fn decide<E: From<BytesRef>>(
    access: &Access,
    caller: Option<&Caller>,
    AccountNames { display_name, short_name }: &AccountNames,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let caller = caller.ok_or(Reject::Unknown)?;
    let (owner, roles) = access.rights_of(caller.session).ok_or(Reject::UnknownSession)?;
    let Owner::Group(group) = owner else {
        return Err(Reject::MissingRole(roles));
    };
    let account = caller.account.ok_or(Reject::Unknown)?;
    if display_name.is_none() && short_name.is_none() {
        return Ok(());
    }
    let mut renamed = access.account(account).ok_or(Reject::Unknown)?.clone();
    renamed.rename(display_name.clone(), short_name.clone());
    if access.has_name(group, renamed.name(), Some(account)) {
        return Err(Reject::NameTaken);
    }
    if access.find_account(group, &renamed.short_name).is_some_and(|found| found != account) {
        return Err(Reject::Taken);
    }
    out.push_named(&Infrequent::AccountRenamed {
        account,
        display_name: display_name.clone(),
        short_name: short_name.clone(),
    });
    Ok(())
}
