//! Loans: what the house account `lending` lent to accounts.
//!
//! A loan is repaid first from whatever the account gets in the currency (D-167). This table moves the money of a loan in the same step
//! as it changes a row, so `lending` is always below zero by the sum of the rows of all tables.
//!
//! Not here: why the house lends, and what an account in debt may do.

use alloc::collections::BTreeMap;
use buttonwood_ledger::{Bucket, Cause, Ledger, Posting};
use buttonwood_model::{AccountId, CurrencyId, Fingerprint, RowHash};
use buttonwood_num::Money;
use core::ops::Bound;
use serde::{Deserialize, Serialize};

/// A row of the table, as fingerprints have it.
const ROW: RowHash = RowHash::of("loan");

/// The debts of each account in each currency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loans {
    /// Never zero and never negative.
    owed: BTreeMap<(AccountId, CurrencyId), Money>,
    fingerprint: Fingerprint,
}

impl Loans {
    /// The fingerprint of all rows so far.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Adds a row that has changed to the fingerprint.
    fn note(&mut self, (account, currency): (AccountId, CurrencyId)) {
        let row = ROW.word(account.0.into()).word(currency.0.into());
        self.fingerprint.add(row.money(self.owed(account, currency)));
    }

    /// Whether nobody owes anything.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.owed.is_empty()
    }

    /// The debt of the account in a currency.
    pub fn owed(&self, account: AccountId, currency: CurrencyId) -> Money {
        self.owed.get(&(account, currency)).copied().unwrap_or(Money::ZERO)
    }

    /// The debts of the account, by currency.
    pub fn of(&self, account: AccountId) -> impl Iterator<Item = (CurrencyId, Money)> {
        let own =
            self.owed.range((account, CurrencyId(0))..).take_while(move |((owner, _), _)| *owner == account);
        own.map(|((_, currency), owed)| (*currency, *owed))
    }

    /// All that is owed, by account and currency, of the accounts after one or of all.
    pub fn after(&self, account: Option<AccountId>) -> impl Iterator<Item = (AccountId, CurrencyId, Money)> {
        let last = account.map(|account| (account, CurrencyId(u16::MAX)));
        let from = last.map_or(Bound::Unbounded, Bound::Excluded);
        self.owed
            .range((from, Bound::Unbounded))
            .map(|((account, currency), owed)| (*account, *currency, *owed))
    }

    /// Whether the account owes anything.
    pub fn owes(&self, account: AccountId) -> bool {
        self.of(account).next().is_some()
    }

    /// The amount that the account can repay in a currency now: its debt, as far as it is available. None if that is nothing.
    pub fn repayable(&self, ledger: &Ledger, account: AccountId, currency: CurrencyId) -> Option<Money> {
        let amount = self.owed(account, currency).min(ledger.balance(account, currency).available);
        (amount > Money::ZERO).then_some(amount)
    }

    /// The first account that can repay something now, with the currency. The ledger watches the balances of those who owe, so this does
    /// not walk the loans.
    #[inline]
    pub fn payable(&self, ledger: &Ledger) -> Option<(AccountId, CurrencyId)> {
        if self.is_empty() {
            return None;
        }
        let funded = ledger.funded().filter_map(|(account, asset)| Some((account, asset.currency()?)));
        { funded }.find(|key| self.owed.contains_key(key))
    }

    /// Has the ledger watch the balances of those who owe, after both were read from a snapshot.
    pub fn restore(&self, ledger: &mut Ledger) {
        for (account, currency) in self.owed.keys().copied() {
            ledger.watch(account, currency);
        }
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
        give(ledger, Cause::Loan, [lender, account], currency, amount);
        let owed = self.owed.entry((account, currency)).or_insert_with(|| {
            ledger.watch(account, currency);
            Money::ZERO
        });
        *owed += amount;
        self.note((account, currency));
    }

    /// Repays at most what the account owes, from what is available to it. The statement shows it under this cause.
    ///
    /// # Panics
    /// When less is available.
    pub fn repay(
        &mut self,
        ledger: &mut Ledger,
        lender: AccountId,
        (account, currency): (AccountId, CurrencyId),
        amount: Money,
        cause: Cause,
    ) {
        give(ledger, cause, [account, lender], currency, amount);
        let left = self.owed(account, currency) - amount;
        if left > Money::ZERO {
            self.owed.insert((account, currency), left);
        } else {
            self.owed.remove(&(account, currency));
            ledger.unwatch(account, currency);
        }
        self.note((account, currency));
    }
}

/// Moves an available amount from one account to another.
pub fn give(
    ledger: &mut Ledger,
    cause: Cause,
    [from, to]: [AccountId; 2],
    currency: CurrencyId,
    amount: Money,
) {
    let posting =
        |account, amount| Posting { account, asset: currency.into(), bucket: Bucket::Available, amount };
    ledger.post(cause, &[posting(from, -amount), posting(to, amount)]);
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

    fn ledger() -> Ledger {
        let mut ledger = Ledger::default();
        ledger.list_currency(Currency {
            code: "USD".to_string(),
            name: "US Dollar".to_string(),
            decimals: 2,
            kind: CurrencyKind::Fiat,
            networks: Vec::new(),
        });
        ledger
    }

    /// A loan moves money from the lender, adds to the sums, and is repaid as far as the account has money.
    #[test]
    fn a_loan_is_lent_and_repaid() {
        let mut ledger = ledger();
        let lender = ledger.open_house("lending".to_string(), true);
        let (ann, bob) = (ledger.open_account(), ledger.open_account());
        let mut loans = Loans::default();
        assert_eq!(loans.payable(&ledger), None);
        loans.lend(&mut ledger, lender, (ann, USD), units(5));
        loans.lend(&mut ledger, lender, (ann, USD), units(2));
        loans.lend(&mut ledger, lender, (bob, USD), units(3));
        loans.lend(&mut ledger, lender, (bob, USD), Money::ZERO);
        assert_eq!((loans.owed(ann, USD), loans.owed(bob, USD)), (units(7), units(3)));
        assert_eq!(ledger.balance(lender, USD).available, units(-10));
        // Ann spends all but 4.
        give(&mut ledger, Cause::Adjustment, [ann, lender], USD, units(3));
        assert_eq!(loans.repayable(&ledger, ann, USD), Some(units(4)));
        assert_eq!(loans.payable(&ledger), Some((ann, USD)));
        loans.repay(&mut ledger, lender, (ann, USD), units(4), Cause::Loan);
        assert_eq!((loans.owed(ann, USD), loans.owes(ann)), (units(3), true));
        assert_eq!(loans.payable(&ledger), Some((bob, USD)));
        loans.repay(&mut ledger, lender, (bob, USD), units(3), Cause::Loan);
        assert_eq!((loans.owes(bob), loans.payable(&ledger)), (false, None));
        // Money that comes in is found, and after a restore too.
        give(&mut ledger, Cause::Adjustment, [lender, ann], USD, units(1));
        assert_eq!(loans.payable(&ledger), Some((ann, USD)));
        let mut restored: Ledger = postcard::from_bytes(&postcard::to_allocvec(&ledger).unwrap()).unwrap();
        restored.reindex();
        loans.restore(&mut restored);
        assert_eq!(loans.payable(&restored), Some((ann, USD)));
    }

    /// A replay that lends or repays another amount, or has another row than the live run had, has another fingerprint (INV-LEDGER-7).
    #[test]
    fn a_loan_that_differs_shows() {
        let mut ledger = ledger();
        let lender = ledger.open_house("lending".to_string(), true);
        let ann = ledger.open_account();
        let mut after = |lent: i128, planted: i128, repaid: i128| {
            let mut loans = Loans::default();
            loans.lend(&mut ledger, lender, (ann, USD), units(lent));
            loans.owed.insert((ann, USD), units(lent + planted));
            loans.repay(&mut ledger, lender, (ann, USD), units(repaid), Cause::Loan);
            loans.fingerprint()
        };
        let live = after(7, 0, 2);
        assert_eq!(after(7, 0, 2), live);
        for (lent, planted, repaid) in [(8, 0, 2), (8, 0, 3), (7, 0, 3), (7, 0, 7), (7, 1, 2)] {
            assert_ne!(after(lent, planted, repaid), live, "{lent}, {planted}, {repaid}");
        }
    }

    /// The loans of two tables to an account are watched until both have them back, and each finds its own.
    #[test]
    fn two_tables_watch_one_balance() {
        let mut ledger = ledger();
        let lender = ledger.open_house("lending".to_string(), true);
        let ann = ledger.open_account();
        let mut tables = [Loans::default(), Loans::default()];
        for loans in &mut tables {
            loans.lend(&mut ledger, lender, (ann, USD), units(1));
        }
        let [first, second] = &mut tables;
        first.repay(&mut ledger, lender, (ann, USD), units(1), Cause::Loan);
        assert_eq!([first.payable(&ledger), second.payable(&ledger)], [None, Some((ann, USD))]);
        second.repay(&mut ledger, lender, (ann, USD), units(1), Cause::Loan);
        assert_eq!((second.payable(&ledger), ledger.funded().next()), (None, None));
    }
}
