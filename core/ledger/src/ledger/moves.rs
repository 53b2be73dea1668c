//! Movements of money between balances.

use super::laws::is_balanced;
use super::{Ledger, SPREAD};
use crate::trade::Owed;
use crate::{About, Balance, Bucket, Cause, Crossing, FeePart, Moved, Posting, Reason, Taker, Trade, reason};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, AssetId, Held, Side};
use buttonwood_num::Money;
use core::hint::select_unpredictable;

impl Ledger {
    /// Posts one entry: all of its postings, or a panic if a law would break.
    ///
    /// # Panics
    /// If the postings do not sum to zero per asset, or one takes more than is there; admission prevents both. Only
    /// house accounts opened with that right may go below zero.
    pub fn post(&mut self, reason: impl Into<Reason>, entry: &[Posting]) {
        self.carry_out(entry);
        if let Some(moves) = self.moves.list() {
            reason::note(moves, reason.into(), entry);
        }
    }

    /// Posts one entry of which a part is a fee: the statement shows it apart.
    ///
    /// # Panics
    /// As [`Ledger::post`].
    pub fn post_with_fee(&mut self, reason: impl Into<Reason>, entry: &[Posting], fee: &FeePart) {
        self.carry_out(entry);
        if let Some(moves) = self.moves.list() {
            reason::note_with_fees(moves, reason.into(), entry, core::slice::from_ref(fee));
        }
    }

    /// Posts one entry of which parts are fees of several parties.
    ///
    /// # Panics
    /// As [`Ledger::post`].
    pub fn post_with_fees(&mut self, reason: impl Into<Reason>, entry: &[Posting], fees: &[FeePart]) {
        self.carry_out(entry);
        if let Some(moves) = self.moves.list() {
            reason::note_with_fees(moves, reason.into(), entry, fees);
        }
    }

    /// Posts one entry that refers to another thing for each of its parties.
    ///
    /// # Panics
    /// As [`Ledger::post`].
    pub fn post_between(&mut self, cause: Cause, entry: &[Posting], parties: [(AccountId, About); 2]) {
        self.carry_out(entry);
        if let Some(moves) = self.moves.list() {
            reason::note_between(moves, cause, entry, parties);
        }
    }

    fn carry_out(&mut self, entry: &[Posting]) {
        assert!(is_balanced(entry), "an entry gives to one what it takes from another");
        for posting in entry {
            self.apply(posting);
        }
    }

    /// From now on, keeps what entries change. A copy of the ledger does not.
    pub fn record(&mut self) {
        self.moves.begin();
    }

    /// Takes the changes of entries since the last call, in their order; nothing if this ledger does not record.
    pub fn take_moves(&mut self, into: &mut Vec<Moved>) {
        into.clear();
        if let Some(moves) = self.moves.list() {
            core::mem::swap(moves, into);
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

    /// Adds to both buckets of one balance.
    fn shift(&mut self, account: AccountId, asset: AssetId, available: Money, held: Money) -> usize {
        let place = self.place_mut(account, asset);
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        let after = Balance { available: balance.available + available, held: balance.held + held };
        *balance = after;
        self.note(place, after);
        place
    }

    /// Checks a changed balance and adds it to the fingerprint.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn note(&mut self, place: usize, after: Balance) {
        if after.available.is_negative() | after.held.is_negative() | self.watch.is_on() {
            self.look_at(place, after);
        }
        self.fold(place, after);
    }

    /// Adds to the available part of a balance.
    #[inline]
    fn add(&mut self, account: AccountId, asset: impl Into<AssetId>, amount: Money) {
        let place = self.place_mut(account, asset.into());
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        balance.available += amount;
        let after = *balance;
        self.note(place, after);
    }

    /// Takes from the available part of a balance.
    #[inline]
    fn take(&mut self, account: AccountId, asset: impl Into<AssetId>, amount: Money) {
        let place = self.place_mut(account, asset.into());
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        balance.available -= amount;
        let after = *balance;
        self.note(place, after);
    }

    /// Checks a balance below zero, and notes the change of a watched one. Nearly always there is neither.
    #[cold]
    fn look_at(&mut self, place: usize, after: Balance) {
        if after.available.is_negative() | after.held.is_negative() {
            self.check_negative(place);
        }
        self.note_watched(place);
    }

    /// Only house accounts opened with that right may go below zero, and what is held may not.
    fn check_negative(&self, place: usize) {
        let holds = self.balances.get(place).is_some_and(|balance| !balance.held.is_negative());
        let may = self.owners.get(place).is_some_and(|owner| self.may_be_negative(*owner));
        assert!(may && holds, "an account gives only what it has");
    }

    /// Reserves available money of an account. Returns the place of the balance, for [`Ledger::release`].
    ///
    /// # Panics
    /// If less than `amount` is available.
    pub fn hold(&mut self, account: AccountId, asset: impl Into<AssetId>, amount: Money) -> Held {
        let place = self.shift(account, asset.into(), -amount, amount);
        Held::from_index(place)
    }

    /// Reserves available money of a balance that [`Ledger::find`] found; `whose` returns its owner if it does not
    /// exist yet.
    ///
    /// # Panics
    /// If less than `amount` is available.
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

    /// Moves money from available to held.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn set_aside(&mut self, place: usize, amount: Money) {
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        let after = Balance { available: balance.available - amount, held: balance.held + amount };
        *balance = after;
        self.note(place, after);
    }

    /// Moves money from held to available.
    ///
    /// # Panics
    /// If less than `amount` is held.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub fn release(&mut self, held: Held, amount: Money) {
        let place = held.index();
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        let after = Balance { available: balance.available + amount, held: balance.held - amount };
        *balance = after;
        self.note(place, after);
    }

    /// Settles the maker's part of a trade: it pays from its hold and receives the other asset, in exchange with the
    /// taker. [`Ledger::settle_taker`] settles the taker's part once for all of its trades.
    ///
    /// # Panics
    /// If the maker lacks what it gives.
    #[inline]
    pub fn settle_maker(&mut self, trade: &Trade) {
        let Trade { base, quote, amount, notional, maker, taker_fee } = *trade;
        // The maker's side decides who gives what. It is unpredictable, so there is no branch.
        let sells = maker.side == Side::Sell;
        // The hold of a buyer bounds this sum; for a seller it may be beyond the range of money, and is not used.
        let paid = Money::from_units(notional.units().wrapping_add(maker.fee.units()));
        let gives = select_unpredictable(sells, amount, paid);
        let gets = select_unpredictable(sells, notional - maker.fee, amount);
        let wanted = select_unpredictable(sells, quote, base);
        self.spend(maker.held, maker.freed, gives);
        self.add(maker.account, wanted, gets);
        self.owed.given += gives;
        self.owed.got += gets;
        self.owed.fees += maker.fee + taker_fee;
    }

    /// Settles a trade between two resting orders: each pays from its hold, and both fees go to the house.
    ///
    /// # Panics
    /// If one lacks what it gives.
    pub fn settle_crossing(&mut self, crossing: &Crossing) {
        let Crossing { base, quote, amount, notional, buyer, seller } = *crossing;
        self.spend(buyer.held, buyer.freed, notional + buyer.fee);
        self.spend(seller.held, seller.freed, amount);
        self.add(buyer.account, base, amount);
        self.add(seller.account, quote, notional - seller.fee);
        self.add(self.named.fees, quote, buyer.fee + seller.fee);
    }

    /// Whether every taker has settled with its makers, as between any two orders.
    #[inline]
    pub fn is_settled(&self) -> bool {
        self.owed == Owed::default()
    }

    /// The amount that an incoming buyer will pay for its fills so far, its fees included, when it settles.
    pub fn due_from_buyer(&self) -> Money {
        self.owed.got + self.owed.fees
    }

    /// Settles the taker's part of all trades since the last call: it receives what the makers gave and gives what
    /// they received, and both fees go to the house. This balances the entry that the first maker began.
    ///
    /// # Panics
    /// If the taker lacks what it gives.
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

    /// Pays from a hold; what is freed beyond the payment becomes available.
    #[inline]
    fn spend(&mut self, held: Held, freed: Money, amount: Money) {
        let place = held.index();
        let balance = self.balances.get_mut(place).expect("the index leads to balances");
        let after = Balance { available: balance.available + freed - amount, held: balance.held - freed };
        *balance = after;
        self.note(place, after);
    }

    /// Issues money from the source account to an account; a negative amount goes back.
    pub fn issue(
        &mut self,
        reason: impl Into<Reason>,
        account: AccountId,
        asset: impl Into<AssetId>,
        amount: Money,
    ) {
        let asset = asset.into();
        let entry = [
            Posting { account: self.named.source, asset, bucket: Bucket::Available, amount: -amount },
            Posting { account, asset, bucket: Bucket::Available, amount },
        ];
        self.post(reason, &entry);
    }

    /// Chains every new balance into a number. Two ledgers share it only if they went through the same balances in
    /// the same order, so it proves, batch by batch, that a replay equals the live run.
    fn fold(&mut self, place: usize, balance: Balance) {
        // All but the last line is independent of the chain, for which the next movement waits.
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
