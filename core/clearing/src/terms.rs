//! Operators' settings: the fee, the mark of a broker, aliases and the key of the ids.

use crate::{Clearing, Infrequent, Reject};
use alloc::string::String;
use buttonwood_access::AccountKind;
use buttonwood_model::AccountId;
use buttonwood_num::Bps;
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// The most aliases of an account.
pub const ALIASES_MAX: usize = 1_000;
/// The most characters of an alias.
const ALIAS_LEN: usize = 50;

/// An account's own name for a counterparty (D-93).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    /// The account.
    pub account: AccountId,
    /// The account that it names.
    pub counterparty: AccountId,
    /// The name, of 1 to 50 characters.
    pub name: String,
}

/// Decides a rate of the fee.
pub(crate) fn fee(rate: Bps) -> Result<Infrequent, Reject> {
    if u32::from(rate.0) > Bps::WHOLE { Err(Reject::BadFee) } else { Ok(Infrequent::FeeSet(rate)) }
}

/// Decides the mark of a broker. A closed account keeps its mark, and gets none.
pub(crate) fn broker(
    context: &Context<'_, Clearing>,
    account: AccountId,
    is_broker: bool,
) -> Result<Infrequent, Reject> {
    check_account(context, account)?;
    Ok(Infrequent::BrokerSet(account, is_broker))
}

/// Decides an alias.
pub(crate) fn alias(context: &Context<'_, Clearing>, alias: &Alias) -> Result<Infrequent, Reject> {
    check_account(context, alias.account)?;
    let named = context.account(alias.counterparty).filter(|named| named.kind == AccountKind::Exchange);
    if named.is_none() || alias.counterparty == alias.account {
        return Err(Reject::Counterparty(crate::Party::Target));
    }
    let length = alias.name.chars().count();
    if length == 0 || length > ALIAS_LEN {
        return Err(Reject::BadAlias);
    }
    let is_new = context.room.alias(alias.account, alias.counterparty).is_none();
    let is_moved = context.room.named(alias.account, &alias.name).is_some();
    if is_new && !is_moved && context.room.aliases(alias.account).count() >= ALIASES_MAX {
        return Err(Reject::TooManyAliases);
    }
    Ok(Infrequent::AliasSet(alias.clone()))
}

fn check_account(context: &Context<'_, Clearing>, account: AccountId) -> Result<(), Reject> {
    let own = context.account(account).ok_or(Reject::UnknownAccount)?;
    if own.kind != AccountKind::Exchange {
        return Err(Reject::WrongKind);
    }
    if context.access.is_closed(account) { Err(Reject::UnknownAccount) } else { Ok(()) }
}
