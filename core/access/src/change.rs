//! Changing a session while it is in use: disabled, enabled, ended, re-roled, renamed, restricted to addresses; and groups, to
//! which the same lists apply. A change takes effect with its place in the order of commands. To repeat one changes nothing and
//! succeeds.
//!
//! Clauses: `AUTH-011`, `AUTH-013`, `AUTH-024`. The live orders of a session that is disabled are the engine's to cancel (D-143).

use crate::{Access, GroupChange, Hand, Infrequent, NewGroup, Owner, Reject, Session, Standing};
use alloc::borrow::ToOwned;
use buttonwood_model::{BytesRef, Cidr, GroupId, Outbox, Role, Roles, SessionId};

/// Ranges in a list of addresses at most.
pub const ADDRESSES_MAX: usize = 100;

/// Whether a session of this owner may have the roles: a valid set (AUTH-024), and no trader for an account that does not trade,
/// or no more ([`Access::may_place`]).
pub fn may_have(access: &Access, owner: Owner, roles: Roles) -> bool {
    let may_trade = match owner {
        Owner::Account(id) => {
            access.account(id).is_some_and(|account| account.kind.trades()) && !access.is_closed(id)
        }
        Owner::Group(_) => true,
    };
    roles.is_valid() && (may_trade || !roles.has(Role::Trader))
}

/// Refuses a list of addresses that is too long.
pub(crate) fn check_addresses(addresses: &[Cidr]) -> Result<(), Reject> {
    if addresses.len() > ADDRESSES_MAX { Err(Reject::TooManyAddresses) } else { Ok(()) }
}

/// Disables a session. One that has ended stays so, and one that is disabled is then disabled by the highest who did.
pub(crate) fn disable<E: From<BytesRef>>(
    access: &Access,
    id: SessionId,
    by: Hand,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let session = access.session(id).ok_or(Reject::Unknown)?;
    let is_raised = session.disabled_by().is_some_and(|before| before < by);
    if session.standing() == Standing::Enabled || is_raised {
        out.push_named(&match by {
            Hand::Operator => Infrequent::SessionDisabled(id),
            Hand::User | Hand::Administrator => Infrequent::KeyDisabled(id, by),
        });
    }
    Ok(())
}

/// Enables a session.
pub(crate) fn enable<E: From<BytesRef>>(
    access: &Access,
    id: SessionId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    if changeable(access, id)?.standing() == Standing::Disabled {
        out.push_named(&Infrequent::SessionEnabled(id));
    }
    Ok(())
}

/// Ends a session for good.
pub(crate) fn end<E: From<BytesRef>>(
    access: &Access,
    id: SessionId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let session = access.session(id).ok_or(Reject::Unknown)?;
    if session.standing() != Standing::Ended {
        out.push_named(&Infrequent::SessionEnded(id));
    }
    Ok(())
}

/// Sets what a session may do.
pub(crate) fn set_roles<E: From<BytesRef>>(
    access: &Access,
    id: SessionId,
    roles: Roles,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let session = changeable(access, id)?;
    if !may_have(access, session.key.owner, roles) {
        return Err(Reject::BadRoles);
    }
    if session.key.roles != roles {
        out.push_named(&Infrequent::SessionRolesSet(id, roles));
    }
    Ok(())
}

/// Gives a session another name.
pub(crate) fn rename<E: From<BytesRef>>(
    access: &Access,
    id: SessionId,
    name: &str,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    if changeable(access, id)?.key.name != name {
        out.push_named(&Infrequent::SessionRenamed(id, name.to_owned()));
    }
    Ok(())
}

/// Restricts a session to addresses.
pub(crate) fn restrict<E: From<BytesRef>>(
    access: &Access,
    id: SessionId,
    addresses: &[Cidr],
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    check_addresses(addresses)?;
    if changeable(access, id)?.key.addresses != addresses {
        out.push_named(&Infrequent::SessionRestricted(id, addresses.to_owned()));
    }
    Ok(())
}

/// Adds a group with its terms and its addresses.
pub(crate) fn make_group<E: From<BytesRef>>(
    access: &Access,
    new: &NewGroup,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    if access.find_group(&new.name).is_some() {
        return Err(Reject::Taken);
    }
    check_addresses(&new.addresses)?;
    let group = GroupId::from_index(access.groups().len());
    out.push_named(&Infrequent::GroupAdded(new.name.clone()));
    out.push_named(&Infrequent::GroupTermsSet(group, new.terms));
    if !new.addresses.is_empty() {
        out.push_named(&Infrequent::GroupRestricted(group, new.addresses.clone()));
    }
    Ok(())
}

/// Sets the terms of a group, its addresses, or both.
pub(crate) fn change_group<E: From<BytesRef>>(
    access: &Access,
    change: &GroupChange,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    access.group(change.group).ok_or(Reject::Unknown)?;
    if let Some(addresses) = &change.addresses {
        restrict_group(access, change.group, addresses, out)?;
    }
    if let Some(terms) = change.terms {
        out.push_named(&Infrequent::GroupTermsSet(change.group, terms));
    }
    Ok(())
}

/// Restricts a group to addresses.
pub(crate) fn restrict_group<E: From<BytesRef>>(
    access: &Access,
    id: GroupId,
    addresses: &[Cidr],
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    check_addresses(addresses)?;
    if access.group(id).ok_or(Reject::Unknown)?.addresses != addresses {
        out.push_named(&Infrequent::GroupRestricted(id, addresses.to_owned()));
    }
    Ok(())
}

/// Approves a group that waits for it. To repeat it succeeds and changes nothing.
pub(crate) fn approve_group<E: From<BytesRef>>(
    access: &Access,
    id: GroupId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    access.group(id).ok_or(Reject::Unknown)?;
    if !access.is_approved(id) {
        out.push_named(&Infrequent::GroupApproved(id));
    }
    Ok(())
}

/// A session that has not ended.
fn changeable(access: &Access, id: SessionId) -> Result<&Session, Reject> {
    let session = access.session(id).ok_or(Reject::Unknown)?;
    if session.standing() == Standing::Ended { Err(Reject::Ended) } else { Ok(session) }
}
