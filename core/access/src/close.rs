//! Closing an account (ACCT-013).

use crate::{Access, Infrequent, Reject};
use buttonwood_model::{AccountId, BytesRef, Outbox};

/// Closes an account of a group for good. That it has no orders and no money is for the engine to check, which knows both.
///
/// # Errors
/// [`Reject::Unknown`] for an account that does not exist or is the house's; [`Reject::Closed`].
pub(crate) fn decide<E: From<BytesRef>>(
    access: &Access,
    account: AccountId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    access.account(account).filter(|account| account.group.is_some()).ok_or(Reject::Unknown)?;
    if access.is_closed(account) {
        return Err(Reject::Closed);
    }
    out.push_named(&Infrequent::AccountClosed(account));
    Ok(())
}
