//! How money moves from one balance to another.

use super::laws::is_balanced;
use super::{Ledger, SPREAD};
use crate::trade::Owed;
use crate::{Balance, Bucket, Crossing, Posting, Taker, Trade};
use buttonwood_model::{AccountId, AssetId, Held, Side};
use buttonwood_num::Money;
use core::hint::select_unpredictable;

impl Ledger {
    /// Posts one entry: all of its postings or, when a law would break, none and the process.
    ///
    /// # Panics
    /// When the postings do not sum to zero per currency, or a posting takes what is not there: admission decides
    /// that before. Only house accounts that were opened so may go below zero.
    pub fn post(&mut self, entry: &[Posting]) {
        assert!(is_balanced(entry), "an entry gives to one what it takes from another");
        for posting in entry {
            self.apply(posting);
        }
    }

    fn apply(&mut self, posting: &Posting) {
        let Posting { account, asset, bucket, amount } = *posting;
        let (available, held) = match bucket {
            Bucket::Available => (amount, Money::ZERO),
            Bucket::Held => (Money::ZERO, amount),
        };
        self.shift(account, asset, available, held);
    }

    /// Adds to the two buckets of one balance.
    fn shift(&mut self, account: AccountId, asset: AssetId, available: Money, held: Money) -> usize {
        let place = self.place_mut(account, asset);
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
            self.check_negative(place);
        }
        self.fold(place, after);
    }

    /// Adds to what is free of one balance.
    #[inline]
    fn add(&mut self, account: AccountId, asset: impl Into<AssetId>, amount: Money) {
        let place = self.place_mut(account, asset.into());
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        balance.available += amount;
        let after = *balance;
        self.note(place, after);
    }

    /// Takes from what is free of one balance.
    #[inline]
    fn take(&mut self, account: AccountId, asset: impl Into<AssetId>, amount: Money) {
        let place = self.place_mut(account, asset.into());
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        balance.available -= amount;
        let after = *balance;
        self.note(place, after);
    }

    /// Only house accounts that were opened so may go below zero.
    #[cold]
    fn check_negative(&self, place: usize) {
        let may = self.owners.get(place).is_some_and(|owner| self.may_be_negative(owner.account));
        assert!(may, "an account gives only what it has");
    }

    /// Reserves free money of an account. Returns where the balance lies, for [`Ledger::release`].
    ///
    /// # Panics
    /// When it is not there.
    pub fn hold(&mut self, account: AccountId, asset: impl Into<AssetId>, amount: Money) -> Held {
        let place = self.shift(account, asset.into(), -amount, amount);
        Held::from_index(place)
    }

    /// Reserves free money of a balance that [`Ledger::find`] found; `whose` tells whose it is if it is the first.
    ///
    /// # Panics
    /// When it is not there.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub fn hold_at(&mut self, held: Held, whose: impl FnOnce() -> (AccountId, AssetId), amount: Money) {
        if held.index() >= self.balances.len() {
            let (account, asset) = whose();
            let place = self.place_mut(account, asset);
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

    /// Settles a trade of two who rested: each pays out of its hold, and both fees go to the house.
    ///
    /// # Panics
    /// When one lacks what it gives.
    pub fn settle_crossing(&mut self, crossing: &Crossing) {
        let Crossing { base, quote, amount, notional, buyer, seller } = *crossing;
        self.spend(buyer.held, buyer.freed, notional + buyer.fee);
        self.spend(seller.held, seller.freed, amount);
        self.add(buyer.account, base, amount);
        self.add(seller.account, quote, notional - seller.fee);
        self.add(self.named.fees, quote, buyer.fee + seller.fee);
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
        self.add(self.named.fees, quote, fees);
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
    pub fn issue(&mut self, account: AccountId, asset: impl Into<AssetId>, amount: Money) {
        let asset = asset.into();
        self.post(&[
            Posting { account: self.named.source, asset, bucket: Bucket::Available, amount: -amount },
            Posting { account, asset, bucket: Bucket::Available, amount },
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
