//! Balances, and where they lie.

mod ahead;
mod laws;
mod moves;

pub use ahead::Entry;
pub use laws::BrokenLaw;

use crate::balance::Owner;
use crate::trade::Owed;
use crate::{Balance, House};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, CurrencyId, Held};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// Every balance of the exchange.
///
/// A dense index leads from (account, currency) to a balance in two loads; it is derived, so a restored ledger
/// calls [`Ledger::reindex`] first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ledger {
    accounts: u32,
    currencies: u16,
    balances: Vec<Balance>,
    /// Whose balance lies in each place; apart, since movements need not read it.
    owners: Vec<Owner>,
    fingerprint: u64,
    /// What the makers of the order that is being settled have given and got; nothing between two commands.
    #[serde(skip)]
    owed: Owed,
    /// Per account a row of entries, as long as the list of currencies or longer: 0 for no balance, else its place in
    /// `balances` plus one.
    #[serde(skip)]
    index: Vec<u32>,
    /// The length of a row is two to this power.
    #[serde(skip)]
    stride: u32,
}

/// Why money cannot move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerError {
    /// The sum would leave the range of [`Money`].
    OutOfRange,
}

impl PartialEq for Ledger {
    fn eq(&self, other: &Self) -> bool {
        (self.accounts, self.currencies, self.fingerprint)
            == (other.accounts, other.currencies, other.fingerprint)
            && (&self.balances, &self.owners) == (&other.balances, &other.owners)
    }
}

/// An odd constant with well-spread bits (2^64 ÷ golden ratio).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl Ledger {
    /// Accounts opened so far.
    pub fn accounts(&self) -> u32 {
        self.accounts
    }

    /// Balances that were ever used.
    pub fn len(&self) -> usize {
        self.balances.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.balances.is_empty()
    }

    /// The account that [`Ledger::open_account`] will open next.
    pub fn next_account(&self) -> AccountId {
        AccountId(self.accounts)
    }

    /// Opens an account without balances.
    pub fn open_account(&mut self) -> AccountId {
        let account = self.next_account();
        self.accounts += 1;
        self.index.resize(self.index.len() + self.row_len(), 0);
        account
    }

    /// Makes room for one more currency.
    pub fn list_currency(&mut self) {
        self.currencies += 1;
        if usize::from(self.currencies) > self.row_len() {
            self.reindex();
        }
    }

    /// Rebuilds the derived index, after a restore or when the rows have become too short.
    pub fn reindex(&mut self) {
        self.stride = usize::from(self.currencies).next_power_of_two().trailing_zeros();
        self.index.clear();
        self.index.resize(self.row_len() * AccountId(self.accounts).index(), 0);
        for place in 0..self.owners.len() {
            if let Some(Owner { account, currency }) = self.owners.get(place).copied() {
                let at = self.at(account, currency);
                self.enter(at, place);
            }
        }
    }

    fn row_len(&self) -> usize {
        1 << self.stride
    }

    fn at(&self, account: AccountId, currency: CurrencyId) -> usize {
        // A row is at most 2^16 long, and accounts are fewer than 2^32: nothing is shifted out.
        account.index().wrapping_shl(self.stride) | currency.index()
    }

    fn enter(&mut self, at: usize, place: usize) {
        let entry =
            self.index.get_mut(at).expect("every account has a row as long as the list of currencies");
        *entry = u32::try_from(place + 1).expect("fewer than 2^32 balances");
    }

    fn place(&self, account: AccountId, currency: CurrencyId) -> Option<usize> {
        let entry = *self.index.get(self.at(account, currency))?;
        Some(AccountId(entry.checked_sub(1)?).index())
    }

    /// Where the balance lies, found or newly made.
    #[inline]
    fn place_mut(&mut self, account: AccountId, currency: CurrencyId) -> usize {
        match self.place(account, currency) {
            Some(place) => place,
            None => self.new_place(account, currency),
        }
    }

    #[cold]
    fn new_place(&mut self, account: AccountId, currency: CurrencyId) -> usize {
        let place = self.balances.len();
        self.balances.push(Balance::default());
        self.owners.push(Owner { account, currency });
        self.enter(self.at(account, currency), place);
        // From here on the place stands for its owner.
        let owner = u64::from(account.0) << 16 | u64::from(currency.0);
        self.fingerprint = (self.fingerprint ^ owner).wrapping_mul(SPREAD).rotate_left(29);
        place
    }

    /// What the account has of the currency.
    pub fn balance(&self, account: AccountId, currency: CurrencyId) -> Balance {
        self.find(account, currency).1
    }

    /// What the account has of the currency, and where that lies, or will lie once it has any.
    #[inline]
    pub fn find(&self, account: AccountId, currency: CurrencyId) -> (Held, Balance) {
        match self.place(account, currency) {
            Some(place) => {
                let balance = self.balances.get(place).expect("the index leads to balances");
                (Held::from_index(place), *balance)
            }
            None => (Held::from_index(self.balances.len()), Balance::default()),
        }
    }

    /// Every balance that was ever used, in the order of their first use.
    pub fn balances(&self) -> impl Iterator<Item = (AccountId, CurrencyId, Balance)> {
        let owned = self.balances.iter().zip(&self.owners);
        owned.map(|(balance, owner)| (owner.account, owner.currency, *balance))
    }

    /// The account's balances that were ever used, by currency.
    pub fn balances_of(&self, account: AccountId) -> impl Iterator<Item = (CurrencyId, Balance)> {
        (0..self.currencies).map(CurrencyId).filter_map(move |currency| {
            let place = self.place(account, currency)?;
            Some((currency, *self.balances.get(place)?))
        })
    }

    /// Whether the source account can issue this much without leaving the range of money. As every other balance
    /// is covered by the source's, nothing else can overflow then.
    ///
    /// # Errors
    /// [`LedgerError::OutOfRange`].
    pub fn can_issue(&self, currency: CurrencyId, amount: Money) -> Result<(), LedgerError> {
        let source = self.balance(House::Source.account(), currency).available;
        // The smallest number is left out: its negative, the sum of everybody's balances, would be none.
        let after = source.checked_add(-amount).filter(|after| after.units() >= -i128::MAX);
        after.map(|_| ()).ok_or(LedgerError::OutOfRange)
    }

    /// The chain of all balances so far; see [`Ledger::post`].
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

#[cfg(test)]
mod tests;
