//! The checks.

use crate::Rooms;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;

/// Why an amount may not leave an account. The variants are in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Short {
    /// The account owes the house for a returned advance (D-167).
    Debt,
    /// Less than the amount is available beyond the advances in its currency.
    TooLittle,
    /// The account would be worth less than its advances.
    Advances,
}

/// What may leave accounts, as of now.
#[derive(Clone, Copy, Debug)]
pub struct Leave<'a> {
    /// Every balance.
    pub ledger: &'a Ledger,
    /// What the rooms keep in accounts.
    pub rooms: &'a dyn Rooms,
}

impl Leave<'_> {
    /// What of the available balance may leave the account: all but advances (BAL-005), and no more than its product lets go.
    pub fn free(&self, account: AccountId, currency: CurrencyId) -> Money {
        let available = self.ledger.balance(account, currency).available;
        let advanced = self.rooms.bound(account, currency).advanced;
        let free = if advanced >= available { Money::ZERO } else { available - advanced };
        self.rooms.most(account, currency).map_or(free, |most| most.min(free))
    }

    /// Whether an amount may leave an account: at most what is available beyond the advances in its currency, and what stays must be worth
    /// as much as all advances.
    ///
    /// # Errors
    /// [`Short`].
    pub fn check(&self, account: AccountId, currency: CurrencyId, amount: Money) -> Result<(), Short> {
        if self.rooms.owes(account) {
            return Err(Short::Debt);
        }
        if self.free(account, currency) < amount {
            return Err(Short::TooLittle);
        }
        let is_covered = !self.rooms.has_advances(account) || self.covers_advances(account, currency, amount);
        if is_covered { Ok(()) } else { Err(Short::Advances) }
    }

    /// Whether an account may convert an amount into another currency: its product must let go what it gives (D-165), except for
    /// `dollar`, which repays what it owes. What is available is the conversion's own check.
    pub fn may_convert(
        &self,
        account: AccountId,
        (currency, amount): (CurrencyId, Money),
        (gets, dollar): (CurrencyId, Option<CurrencyId>),
    ) -> bool {
        Some(gets) == dollar || self.rooms.most(account, currency).is_none_or(|most| amount <= most)
    }

    /// Whether what stays is worth the advances. In each currency they are set off against each other first: what is still there of an
    /// advance covers it, whatever it is worth.
    fn covers_advances(&self, account: AccountId, leaving: CurrencyId, amount: Money) -> bool {
        let (mut stays, mut lacks) = (Money::ZERO, Money::ZERO);
        for (currency, balance) in self.ledger.balances_of(account) {
            let leaves = if currency == leaving { amount } else { Money::ZERO };
            let of_rows = self.rooms.bound(account, currency);
            let rest = balance.total() - of_rows.held - leaves - of_rows.advanced;
            if rest.is_negative() {
                // An advance that is gone and has no price can be covered by nothing.
                let Some(value) = self.rooms.value_owed(currency, -rest) else { return false };
                lacks = lacks.capped_add(value);
            } else {
                stays = stays.capped_add(self.rooms.value_staying(currency, rest));
            }
        }
        stays >= lacks
    }
}
