//! Balances and the movements between them.

use crate::balance::Owner;
use crate::trade::Owed;
use crate::{Balance, Bucket, House, Posting, Taker, Trade};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, CurrencyId, Held, Side};
use buttonwood_num::Money;
use buttonwood_planted::{Bug, planted};
use core::hint::select_unpredictable;
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

    /// Posts one entry: all of its postings or, when a law would break, none and the process.
    ///
    /// # Panics
    /// When the postings do not sum to zero per currency, or a posting takes what is not there: admission decides
    /// that before. Only the source may go below zero.
    pub fn post(&mut self, entry: &[Posting]) {
        assert!(is_balanced(entry), "an entry gives to one what it takes from another");
        for posting in entry {
            self.apply(posting);
        }
    }

    fn apply(&mut self, posting: &Posting) {
        let Posting { account, currency, bucket, amount } = *posting;
        let (available, held) = match bucket {
            Bucket::Available => (amount, Money::ZERO),
            Bucket::Held => (Money::ZERO, amount),
        };
        self.shift(account, currency, available, held);
    }

    /// Adds to the two buckets of one balance.
    fn shift(&mut self, account: AccountId, currency: CurrencyId, available: Money, held: Money) -> usize {
        let place = self.place_mut(account, currency);
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        let after = Balance { available: balance.available + available, held: balance.held + held };
        *balance = after;
        self.note(place, after);
        place
    }

    /// Checks and chains what a balance has become.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn note(&mut self, place: usize, after: Balance) {
        if after.available.is_negative() | after.held.is_negative() {
            self.check_source(place);
        }
        self.fold(place, after);
    }

    /// Adds to what is free of one balance.
    #[inline]
    fn add(&mut self, account: AccountId, currency: CurrencyId, amount: Money) {
        let place = self.place_mut(account, currency);
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        balance.available += amount;
        let after = *balance;
        self.note(place, after);
    }

    /// Takes from what is free of one balance.
    #[inline]
    fn take(&mut self, account: AccountId, currency: CurrencyId, amount: Money) {
        let place = self.place_mut(account, currency);
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        balance.available -= amount;
        let after = *balance;
        self.note(place, after);
    }

    /// Only the source may go below zero.
    #[cold]
    fn check_source(&self, place: usize) {
        let is_source = self.owners.get(place).is_some_and(|owner| owner.account == House::Source.account());
        assert!(is_source, "nobody gives what he has not");
    }

    /// Reserves free money of an account. Returns where the balance lies, for [`Ledger::release`].
    ///
    /// # Panics
    /// When it is not there.
    pub fn hold(&mut self, account: AccountId, currency: CurrencyId, amount: Money) -> Held {
        let place = self.shift(account, currency, -amount, amount);
        Held::from_index(place)
    }

    /// Reserves free money of a balance that [`Ledger::find`] found; `whose` tells whose it is if it is the first.
    ///
    /// # Panics
    /// When it is not there.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub fn hold_at(&mut self, held: Held, whose: impl FnOnce() -> (AccountId, CurrencyId), amount: Money) {
        if held.index() >= self.balances.len() {
            let (account, currency) = whose();
            let place = self.place_mut(account, currency);
            assert!(place == held.index(), "the balance lies where the decision found it");
        }
        self.set_aside(held.index(), amount);
    }

    /// Makes free money reserved.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn set_aside(&mut self, place: usize, amount: Money) {
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        let after = Balance { available: balance.available - amount, held: balance.held + amount };
        *balance = after;
        self.note(place, after);
    }

    /// Frees reserved money.
    ///
    /// # Panics
    /// When less than `amount` is reserved.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub fn release(&mut self, held: Held, amount: Money) {
        let place = held.index();
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        let after = Balance { available: balance.available + amount, held: balance.held - amount };
        *balance = after;
        self.note(place, after);
    }

    /// Settles the maker's part of a trade: it pays out of its hold and gets what it wanted, both from and to the
    /// taker, whose part [`Ledger::settle_taker`] settles once for all of its trades.
    ///
    /// # Panics
    /// When the maker lacks what it gives.
    #[inline]
    pub fn settle_maker(&mut self, trade: &Trade) {
        let Trade { base, quote, amount, notional, maker, taker_fee } = *trade;
        // What the maker sells or buys decides who gives what. Nobody can foretell it, so nothing branches on it.
        let sells = maker.side == Side::Sell;
        let gives = select_unpredictable(sells, amount, notional + maker.fee);
        let gets = select_unpredictable(sells, notional - maker.fee, amount);
        let wanted = select_unpredictable(sells, quote, base);
        self.spend(maker.held, maker.freed, gives);
        self.add(maker.account, wanted, gets);
        self.owed.given += gives;
        self.owed.got += gets;
        self.owed.fees += maker.fee + taker_fee;
    }

    /// Whether every maker's taker has settled: so between any two orders.
    #[inline]
    pub fn is_settled(&self) -> bool {
        self.owed == Owed::default()
    }

    /// Settles the taker's part of all trades since the last taker's: it gets what the makers gave and gives what they
    /// got, and both fees go to the house. With that, the entry that the first maker began gives to one what it takes
    /// from another.
    ///
    /// # Panics
    /// When the taker lacks what it gives.
    #[inline(never)]
    pub fn settle_taker(&mut self, taker: &Taker) {
        let Owed { given, got, fees } = core::mem::take(&mut self.owed);
        let Taker { account, side, base, quote } = *taker;
        let (gets, pays, wanted, paid_in) = match side {
            Side::Buy => (given, got + fees, base, quote),
            Side::Sell => (given - fees, got, quote, base),
        };
        self.take(account, paid_in, pays);
        self.add(account, wanted, gets);
        self.add(House::Fees.account(), quote, fees);
    }

    /// Pays out of a hold: what it frees too much returns.
    #[inline]
    fn spend(&mut self, held: Held, freed: Money, amount: Money) {
        let place = held.index();
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        let after = Balance { available: balance.available + freed - amount, held: balance.held - freed };
        *balance = after;
        self.note(place, after);
    }

    /// Issues money from the house's source to an account.
    pub fn issue(&mut self, account: AccountId, currency: CurrencyId, amount: Money) {
        self.post(&[
            Posting {
                account: House::Source.account(),
                currency,
                bucket: Bucket::Available,
                amount: if planted(Bug::CreditFromNowhere) { Money::ZERO } else { -amount },
            },
            Posting { account, currency, bucket: Bucket::Available, amount },
        ]);
    }

    /// Chains every new balance into a number that two ledgers share only if they went through the same balances
    /// in the same order: what proves, batch by batch, that a replay equals the live run.
    fn fold(&mut self, place: usize, balance: Balance) {
        // All but the last line is independent of the chain, which the next movement waits for.
        let held = low_half(balance.held.units()).wrapping_mul(SPREAD).rotate_left(29);
        let link = low_half(balance.available.units()) ^ held ^ u64::try_from(place).unwrap_or(u64::MAX);
        self.fingerprint = (self.fingerprint ^ link).wrapping_mul(SPREAD).rotate_left(29);
    }

    /// The chain of all balances so far; see [`Ledger::post`].
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The first currency whose balances do not sum to zero, or the first account below zero: none, ever
    /// (INV-LEDGER-2, INV-LEDGER-3).
    pub fn broken_law(&self) -> Option<BrokenLaw> {
        let mut sums: Vec<Money> = alloc::vec![Money::ZERO; usize::from(self.currencies)];
        for (balance, owner) in self.balances.iter().zip(&self.owners) {
            let below = balance.held.is_negative() || balance.available.is_negative();
            if below && owner.account != House::Source.account() {
                return Some(BrokenLaw::BelowZero(owner.account, owner.currency));
            }
            if let Some(sum) = sums.get_mut(owner.currency.index()) {
                *sum += balance.total();
            }
        }
        let unbalanced = sums.iter().position(|sum| *sum != Money::ZERO)?;
        Some(BrokenLaw::NotBalanced(CurrencyId::from_index(unbalanced)))
    }
}

/// Whether the amounts sum to zero in each currency; an entry names two currencies at most.
fn is_balanced(entry: &[Posting]) -> bool {
    let Some(first) = entry.first() else { return true };
    let mut sums = (Money::ZERO, Money::ZERO);
    let mut second = None;
    for posting in entry {
        if posting.currency == first.currency {
            sums.0 += posting.amount;
        } else if *second.get_or_insert(posting.currency) == posting.currency {
            sums.1 += posting.amount;
        } else {
            return false;
        }
    }
    sums == (Money::ZERO, Money::ZERO)
}

/// What [`Ledger::broken_law`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenLaw {
    /// The currency's balances do not sum to zero.
    NotBalanced(CurrencyId),
    /// The account owes the currency.
    BelowZero(AccountId, CurrencyId),
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "mixing both halves of the number"
)]
const fn low_half(units: i128) -> u64 {
    (units as u64) ^ ((units >> 64) as u64).rotate_left(32)
}

#[cfg(test)]
mod tests;
