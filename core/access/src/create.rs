//! Opening another account in a group (ACCT-005 to ACCT-008).

use crate::{Access, Account, AccountKind, Caller, Infrequent, Owner, Reject};
use alloc::string::String;
use buttonwood_model::{BytesRef, Outbox, Time};
use serde::{Deserialize, Serialize};

/// An account that an administrator opens in its own group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewAccount {
    /// Its name for people.
    pub display_name: String,
    /// Its name for calls.
    pub short_name: String,
    /// Whether it is a custody account; otherwise it is an exchange account.
    pub custody: bool,
}

/// Opens an empty account in the group of a master key. It has no jurisdiction of its own: it gets that of the group's first
/// account.
///
/// # Errors
/// [`Reject::MissingRole`] for an account key (AUTH-039); [`Reject::Taken`] and [`Reject::NameTaken`] for a name that another
/// account of the group has; [`Reject::NoCustodyTerms`]; [`Reject::GroupFull`].
pub(crate) fn decide<E: From<BytesRef>>(
    access: &Access,
    (now, seed): (Time, u64),
    caller: Option<&Caller>,
    new: &NewAccount,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let caller = caller.ok_or(Reject::Unknown)?;
    let (owner, roles) = access.rights_of(caller.session).ok_or(Reject::UnknownSession)?;
    let Owner::Group(id) = owner else {
        return Err(Reject::MissingRole(roles));
    };
    let group = access.group(id).ok_or(Reject::Unknown)?;
    if access.find_account(id, &new.short_name).is_some() {
        return Err(Reject::Taken);
    }
    if access.has_name(id, &new.display_name, None) {
        return Err(Reject::NameTaken);
    }
    if new.custody && !group.terms.custody {
        return Err(Reject::NoCustodyTerms);
    }
    let most = usize::try_from(group.terms.accounts_max).unwrap_or(usize::MAX);
    let open = access.accounts_of(id).filter(|(account, _)| !access.is_closed(*account));
    if open.count() >= most {
        return Err(Reject::GroupFull(group.terms.accounts_max));
    }
    let first = access.accounts_of(id).next();
    let kind = if new.custody { AccountKind::Custody } else { AccountKind::Exchange };
    out.push_named(&Infrequent::AccountOpened(Account {
        group: Some(id),
        short_name: new.short_name.clone(),
        counterparty_id: access.free_counterparty_id(kind, seed, &group.name, &new.short_name),
        jurisdiction: first.map_or_else(String::new, |(_, first)| first.jurisdiction.clone()),
        broker: false,
        opened: now,
        kind,
        display_name: new.display_name.clone(),
    }));
    Ok(())
}
