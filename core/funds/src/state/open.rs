//! The sums of open rows, by account and currency: a withdrawal reads them instead of walking all open rows (BAL-005, BAL-006).
//!
//! The table is derived and not stored: [`Funds::restore`] rebuilds it from the rows.

use crate::{Funds, Kind, NewTransfer, Pending, Status};
use alloc::collections::BTreeMap;
use buttonwood_leave::Bound;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;

/// A sum of amounts that are not negative. It counts beyond [`Money::MAX`], so that each amount can be taken out again: an account may
/// spend an advance and get the next one, so nothing bounds the sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    /// How often the low part has overflowed.
    high: u32,
    /// The sum's low 128 bits, in units of money.
    low: u128,
}

impl Sum {
    fn add(&mut self, amount: Money) {
        let (low, carries) = self.low.overflowing_add(units(amount));
        *self = Self { high: self.high + u32::from(carries), low };
    }

    fn take(&mut self, amount: Money) {
        let (low, borrows) = self.low.overflowing_sub(units(amount));
        *self = Self { high: self.high - u32::from(borrows), low };
    }

    /// The sum, at most [`Money::MAX`].
    fn money(self) -> Money {
        let low = i128::try_from(self.low).ok().filter(|_| self.high == 0);
        low.map_or(Money::MAX, Money::from_units)
    }
}

fn units(amount: Money) -> u128 {
    u128::try_from(amount.units()).expect("a row's amounts are not negative")
}

/// The sums of an account's open rows in a currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Row {
    /// The amount of the balance that rows hold.
    held: Sum,
    /// The advanced amount.
    advanced: Sum,
    /// The amount of pending rows that leave the account.
    leaving: Sum,
    /// The amounts of pending rows that come to the account.
    coming: Sum,
    /// The number of pending rows.
    pending: u32,
    /// The number of advances.
    advances: u32,
}

/// The sums of all open rows. An account and currency without an open row has no entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenSums {
    rows: BTreeMap<(AccountId, CurrencyId), Row>,
    /// The number of advances of all accounts.
    advances: u32,
}

impl OpenSums {
    /// Adds a row; one that is not open counts nothing.
    pub(super) fn add(&mut self, row: &NewTransfer) {
        self.each(row, Sum::add, |count| *count += 1);
    }

    /// Takes out a row, before it changes.
    pub(super) fn take(&mut self, row: &NewTransfer) {
        self.each(row, Sum::take, |count| *count -= 1);
    }

    fn each(&mut self, row: &NewTransfer, sum: fn(&mut Sum, Money), count: fn(&mut u32)) {
        match row.status {
            Status::Pending => self.change(row.account, row.held_currency(), |sums| {
                count(&mut sums.pending);
                sum(&mut sums.held, row.held);
                let (part, amount) = match row.kind {
                    // A move out of custody has left the balance already, and holds nothing.
                    Kind::Withdrawal | Kind::AdminDebit | Kind::CustodyFee => (&mut sums.leaving, row.held),
                    Kind::Deposit | Kind::Reward | Kind::AdminCredit => (&mut sums.coming, row.amount),
                };
                sum(part, amount);
            }),
            Status::Advanced => {
                count(&mut self.advances);
                self.change(row.account, row.held_currency(), |sums| sum(&mut sums.held, row.held));
                self.change(row.account, row.currency, |sums| {
                    count(&mut sums.advances);
                    sum(&mut sums.advanced, row.amount);
                });
            }
            Status::Cleared | Status::Complete | Status::Failed | Status::Voided | Status::Returned => {}
        }
    }

    fn change(&mut self, account: AccountId, currency: CurrencyId, change: impl FnOnce(&mut Row)) {
        let sums = self.rows.entry((account, currency)).or_default();
        change(sums);
        if *sums == Row::default() {
            self.rows.remove(&(account, currency));
        }
    }

    fn of(&self, account: AccountId) -> impl Iterator<Item = (CurrencyId, &Row)> {
        let own = self.rows.range((account, CurrencyId(0))..=(account, CurrencyId(u16::MAX)));
        own.map(|((_, currency), sums)| (*currency, sums))
    }
}

impl Funds {
    /// The advance to the account in a currency: it can trade, and cannot leave yet.
    pub fn advanced(&self, account: AccountId, currency: CurrencyId) -> Money {
        self.bound(account, currency).advanced
    }

    /// Whether anything is advanced to any account.
    pub fn advances_any(&self) -> bool {
        self.sums.advances > 0
    }

    /// Whether anything is advanced to the account.
    pub fn has_advances(&self, account: AccountId) -> bool {
        self.sums.of(account).any(|(_, sums)| sums.advances > 0)
    }

    /// The amount of a balance that the account's open rows hold, and the amount that they advance to it.
    pub fn bound(&self, account: AccountId, currency: CurrencyId) -> Bound {
        let sums = self.sums.rows.get(&(account, currency)).copied().unwrap_or_default();
        Bound { held: sums.held.money(), advanced: sums.advanced.money() }
    }

    /// The pending amounts of the account: withdrawals that have not left and deposits that have not come, by currency (BAL-006).
    pub fn pending(&self, account: AccountId) -> BTreeMap<CurrencyId, Pending> {
        let of_pending = self.sums.of(account).filter(|(_, sums)| sums.pending > 0);
        let pending = |sums: &Row| Pending { withdrawal: sums.leaving.money(), deposit: sums.coming.money() };
        of_pending.map(|(currency, sums)| (currency, pending(sums))).collect()
    }

    /// An account and currency whose sums differ from its open rows, if any. There must never be one.
    pub fn unequal_sums(&self) -> Option<(AccountId, CurrencyId)> {
        let counted = self.counted();
        let keys = counted.rows.keys().chain(self.sums.rows.keys());
        { keys }.find(|key| counted.rows.get(key) != self.sums.rows.get(key)).copied()
    }

    /// Rebuilds the sums from the rows.
    pub(crate) fn count_sums(&mut self) {
        self.sums = self.counted();
    }

    fn counted(&self) -> OpenSums {
        let mut sums = OpenSums::default();
        for transfer in self.open.iter().filter_map(|(_, eid)| self.transfer(*eid)) {
            sums.add(&transfer.row);
        }
        sums
    }
}

#[cfg(test)]
mod tests;
