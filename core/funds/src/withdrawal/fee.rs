//! The fee of a withdrawal (facts F§6, XFER-022, XFER-023; D-67, D-185).

use crate::{Funds, Outlet};
use buttonwood_access::AccountKind;
use buttonwood_model::month_number;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;
use buttonwood_room::Context;

/// Free withdrawals of all accounts of a group in a currency and a UTC month (D-185). A custody account has none, and a group has none until
/// an operator has approved it.
pub(super) const FREE_A_MONTH: u32 = 10;

/// The fee of an account's next withdrawal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeTerms {
    /// The fee, in the withdrawn currency.
    pub fee: Money,
    /// Whether an operator lets the account withdraw for nothing.
    pub is_override: bool,
    /// Free withdrawals a month.
    pub monthly_limit: u32,
    /// Those that are left to the group in this month.
    pub monthly_remaining: u32,
}

impl FeeTerms {
    /// Of an account in a currency, at a time.
    pub fn of(
        context: &Context<'_, Funds>,
        account: AccountId,
        currency: CurrencyId,
        outlet: &Outlet,
    ) -> Self {
        let found = context.account(account);
        let is_custody = found.is_some_and(|found| found.kind == AccountKind::Custody);
        let group = found.and_then(|found| found.group);
        let is_approved = group.is_none_or(|group| context.access.is_approved(group));
        let monthly_limit = if is_custody || !is_approved { 0 } else { FREE_A_MONTH };
        let used = context.room.withdrawals.used(group, currency, month_number(context.time));
        let monthly_remaining = monthly_limit.saturating_sub(used);
        let is_override = context.room.withdrawals.is_overridden(account);
        let fee = if is_override || monthly_remaining > 0 { Money::ZERO } else { outlet.fee };
        Self { fee, is_override, monthly_limit, monthly_remaining }
    }

    /// Whether a withdrawal under these terms uses up a free one: an override does so too (XFER-023).
    pub fn uses_free(&self) -> bool {
        self.monthly_remaining > 0
    }
}
