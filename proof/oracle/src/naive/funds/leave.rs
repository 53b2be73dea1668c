//! The money that may leave an account (BAL-005, D-181): not advances, and not the cover of the group's advances and debts.

use super::Naive;
use buttonwood_engine::funds::Short;
use buttonwood_model::{AccountId, CurrencyId};

impl Naive {
    /// The advances to an account in a currency.
    fn advanced(&self, account: AccountId, currency: CurrencyId) -> i128 {
        let own = |row: &&super::Row| row.account == account && row.currency == currency;
        self.funds.rows.iter().filter(own).map(super::Row::advanced).sum()
    }

    /// Whether an amount may leave, for another account `to` of the group or for good.
    pub(super) fn may_leave(
        &self,
        account: AccountId,
        (currency, amount): (CurrencyId, i128),
        to: Option<AccountId>,
    ) -> Result<(), Short> {
        if self.owes(account) {
            return Err(Short::Debt);
        }
        let free = self.available(account, currency) - self.advanced(account, currency);
        if amount > free.max(0) {
            return Err(Short::TooLittle);
        }
        if self.covers_advances(account, (currency, amount), to) { Ok(()) } else { Err(Short::Advances) }
    }

    /// Whether the group's accounts are still worth its advances and debts.
    fn covers_advances(
        &self,
        account: AccountId,
        (leaving, amount): (CurrencyId, i128),
        to: Option<AccountId>,
    ) -> bool {
        let group = self.group_of(account);
        let members = (0..self.names.len()).map(AccountId::from_index);
        let members: Vec<AccountId> = members.filter(|member| self.group_of(*member) == group).collect();
        let currencies = || (0..self.funds.codes.len()).map(CurrencyId::from_index);
        let (worths, held) = (self.worths(account), self.held_by_rows());
        let (mut needed, mut own, mut is_in_advance) = (0, 0, false);
        for member in members {
            let mut worth = 0;
            for currency in currencies() {
                let mut stays = self.totals.get(&(member, currency)).copied().unwrap_or(0);
                stays -= held.get(&(member, currency)).copied().unwrap_or(0);
                let advanced = self.advanced(member, currency);
                let owed = self.funds.debts.get(&(member, currency)).copied().unwrap_or(0);
                is_in_advance |= advanced > 0 || owed > 0;
                if advanced > stays && worths.is_nothing(currency) {
                    return false;
                }
                needed += worths.cautious(currency, advanced) + worths.cautious(currency, owed);
                worth += worths.cautious(currency, stays);
            }
            let moves = worths.cautious(leaving, amount);
            if member == account {
                worth -= moves;
            } else if Some(member) == to {
                worth += moves;
            }
            own += worth.max(0);
        }
        !is_in_advance || own >= needed
    }
}
