//! Loans: what the house account `lending` lent to accounts.
//!
//! A loan is repaid first from whatever the account gets in the currency (D-167). This table moves the money of a loan in the same step
//! as it changes a row, so `lending` is always below zero by the sum of the rows.
//!
//! Not here: why the house lends, and what an account in debt may do.

use alloc::collections::BTreeMap;
use buttonwood_ledger::{Bucket, Ledger, Posting};
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// What each account owes in each currency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loans {
    /// Never zero and never negative.
    owed: BTreeMap<(AccountId, CurrencyId), Money>,
}

impl Loans {
    /// Whether nobody owes anything.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.owed.is_empty()
    }

    /// What the account owes in a currency.
    pub fn owed(&self, account: AccountId, currency: CurrencyId) -> Money {
        self.owed.get(&(account, currency)).copied().unwrap_or(Money::ZERO)
    }

    /// What the account owes, by currency.
    pub fn of(&self, account: AccountId) -> impl Iterator<Item = (CurrencyId, Money)> {
        let own =
            self.owed.range((account, CurrencyId(0))..).take_while(move |((owner, _), _)| *owner == account);
        own.map(|((_, currency), owed)| (*currency, *owed))
    }

    /// Whether the account owes anything.
    pub fn owes(&self, account: AccountId) -> bool {
        self.of(account).next().is_some()
    }

    /// What all accounts owe together in a currency.
    pub fn sum(&self, currency: CurrencyId) -> Money {
        let rows = self.owed.iter().filter(|((_, owed_in), _)| *owed_in == currency);
        rows.map(|(_, owed)| *owed).fold(Money::ZERO, Money::capped_add)
    }

    /// What the account can repay in a currency now: what it owes, as far as it is available. None if that is nothing.
    pub fn repayable(&self, ledger: &Ledger, account: AccountId, currency: CurrencyId) -> Option<Money> {
        let amount = self.owed(account, currency).min(ledger.balance(account, currency).available);
        (amount > Money::ZERO).then_some(amount)
    }

    /// The first account that can repay something now, with the currency.
    pub fn payable(&self, ledger: &Ledger) -> Option<(AccountId, CurrencyId)> {
        let mut rows = self.owed.keys().copied();
        rows.find(|(account, currency)| self.repayable(ledger, *account, *currency).is_some())
    }

    /// Lends an amount that is not negative: it becomes available to the account.
    pub fn lend(
        &mut self,
        ledger: &mut Ledger,
        lender: AccountId,
        (account, currency): (AccountId, CurrencyId),
        amount: Money,
    ) {
        if amount == Money::ZERO {
            return;
        }
        give(ledger, lender, account, currency, amount);
        *self.owed.entry((account, currency)).or_insert(Money::ZERO) += amount;
    }

    /// Repays at most what the account owes, from what is available to it.
    ///
    /// # Panics
    /// When less is available.
    pub fn repay(
        &mut self,
        ledger: &mut Ledger,
        lender: AccountId,
        (account, currency): (AccountId, CurrencyId),
        amount: Money,
    ) {
        give(ledger, account, lender, currency, amount);
        let left = self.owed(account, currency) - amount;
        if left > Money::ZERO {
            self.owed.insert((account, currency), left);
        } else {
            self.owed.remove(&(account, currency));
        }
    }
}

fn give(ledger: &mut Ledger, from: AccountId, to: AccountId, currency: CurrencyId, amount: Money) {
    let posting =
        |account, amount| Posting { account, asset: currency.into(), bucket: Bucket::Available, amount };
    ledger.post(&[posting(from, -amount), posting(to, amount)]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec::Vec;
    use buttonwood_model::{Currency, CurrencyKind};

    const USD: CurrencyId = CurrencyId(0);

    fn units(amount: i128) -> Money {
        Money::from_units(amount)
    }

    /// A loan moves money from the lender, adds to the sums, and is repaid as far as the account has money.
    #[test]
    fn a_loan_is_lent_and_repaid() {
        let mut ledger = Ledger::default();
        ledger.list_currency(Currency {
            code: "USD".to_string(),
            name: "US Dollar".to_string(),
            decimals: 2,
            kind: CurrencyKind::Fiat,
            networks: Vec::new(),
        });
        let lender = ledger.open_house("lending".to_string(), true);
        let (ann, bob) = (ledger.open_account(), ledger.open_account());
        let mut loans = Loans::default();
        assert_eq!(loans.payable(&ledger), None);
        loans.lend(&mut ledger, lender, (ann, USD), units(5));
        loans.lend(&mut ledger, lender, (ann, USD), units(2));
        loans.lend(&mut ledger, lender, (bob, USD), units(3));
        loans.lend(&mut ledger, lender, (bob, USD), Money::ZERO);
        assert_eq!((loans.owed(ann, USD), loans.sum(USD)), (units(7), units(10)));
        assert_eq!(ledger.balance(lender, USD).available, units(-10));
        // Ann spends all but 4.
        give(&mut ledger, ann, lender, USD, units(3));
        assert_eq!(loans.repayable(&ledger, ann, USD), Some(units(4)));
        assert_eq!(loans.payable(&ledger), Some((ann, USD)));
        loans.repay(&mut ledger, lender, (ann, USD), units(4));
        assert_eq!((loans.owed(ann, USD), loans.owes(ann)), (units(3), true));
        assert_eq!(loans.payable(&ledger), Some((bob, USD)));
        loans.repay(&mut ledger, lender, (bob, USD), units(3));
        assert_eq!((loans.owes(bob), loans.payable(&ledger)), (false, None));
    }
}
