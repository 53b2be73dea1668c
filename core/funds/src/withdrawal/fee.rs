//! What a withdrawal costs (facts F§6, XFER-022, XFER-023; D-67).

use crate::{Desk, Outlet};
use buttonwood_access::AccountKind;
use buttonwood_model::{AccountId, CurrencyId, Day, Time};
use buttonwood_num::Money;

/// Free withdrawals of an account in a currency and a UTC month. A custody account has none.
pub(super) const FREE_A_MONTH: u32 = 10;

/// What the next withdrawal of an account costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeTerms {
    /// The fee, in the withdrawn currency.
    pub fee: Money,
    /// Whether an operator lets the account withdraw for nothing.
    pub is_override: bool,
    /// Free withdrawals a month.
    pub monthly_limit: u32,
    /// Those that are left in this month.
    pub monthly_remaining: u32,
}

impl FeeTerms {
    /// Of an account in a currency, at a time.
    pub fn of(desk: &Desk<'_>, account: AccountId, currency: CurrencyId, outlet: &Outlet) -> Self {
        let kind = desk.account(account).map(|account| account.kind);
        let monthly_limit = if kind == Some(AccountKind::Custody) { 0 } else { FREE_A_MONTH };
        let used = desk.funds.withdrawals.used(account, currency, month(desk.time));
        let monthly_remaining = monthly_limit.saturating_sub(used);
        let is_override = desk.funds.withdrawals.is_overridden(account);
        let fee = if is_override || monthly_remaining > 0 { Money::ZERO } else { outlet.fee };
        Self { fee, is_override, monthly_limit, monthly_remaining }
    }

    /// Whether a withdrawal under these terms uses up a free one: an override does so too (XFER-023).
    pub fn uses_free(&self) -> bool {
        self.monthly_remaining > 0
    }
}

/// The number of a UTC month, counted from January of year 0. The days-to-date algorithm is Howard Hinnant's.
pub(crate) fn month(time: Time) -> u32 {
    // Years here begin in March, and eras of 400 years on 1 March 0000.
    let days = Day::of(time).0 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    u32::try_from((era * 400 + year) * 12 + month + 2).unwrap_or(u32::MAX)
}
