//! Free pairs of claims become dollars at once (D-110).
//!
//! Netting follows from balances alone, at the end of every command: it has no event, so that no path by which claims become free
//! can leave it out. Within a command an incoming sale relies on claims that its account has, so nothing nets before its end.

use crate::state::Holder;
use crate::{Position, Predictions};
use alloc::collections::BTreeMap;
use buttonwood_ledger::{About, Balance, Bucket, Cause, Ledger, Posting};
use buttonwood_model::{AccountId, AssetId, Claim, SymbolId};
use buttonwood_num::Money;

/// Pairs of claims that net once the live sales of an account, or of all accounts, are cancelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pairs {
    /// How many.
    pub(crate) quantity: Money,
    /// The costs of both claims of each.
    pub(crate) costs: Money,
}

/// The pairs that live sales hold, of each account and of each contract: a call that makes an event void reads one sum for each contract,
/// however many accounts hold pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PairsHeld {
    of: BTreeMap<(SymbolId, AccountId), Pairs>,
    sums: BTreeMap<SymbolId, Pairs>,
}

impl PairsHeld {
    /// The pairs of all accounts on a contract.
    pub(crate) fn sum(&self, contract: SymbolId) -> Pairs {
        self.sums.get(&contract).copied().unwrap_or_default()
    }

    /// Replaces the pairs of an account.
    pub(crate) fn set(&mut self, key: (SymbolId, AccountId), now: Option<Pairs>) {
        let before = if let Some(now) = now { self.of.insert(key, now) } else { self.of.remove(&key) };
        if before == now {
            return;
        }
        let (before, now) = (before.unwrap_or_default(), now.unwrap_or_default());
        let sum = self.sums.entry(key.0).or_default();
        sum.quantity = sum.quantity - before.quantity + now.quantity;
        sum.costs = sum.costs - before.costs + now.costs;
        if *sum == Pairs::default() {
            self.sums.remove(&key.0);
        }
    }
}

/// Notes that claims of an account became free.
#[inline]
pub(crate) fn note(room: &mut Predictions, contract: SymbolId, account: AccountId) {
    room.freed.push((contract, account));
}

impl Predictions {
    /// Whether claims became free since the last netting.
    #[inline]
    pub fn has_freed(&self) -> bool {
        !self.freed.is_empty()
    }

    /// The pairs that an account's live sales hold.
    fn pairs_held(&self, ledger: &Ledger, contract: SymbolId, account: AccountId) -> Pairs {
        let [yes, no] =
            Claim::ALL.map(|claim| ledger.balance(account, AssetId::claim(contract, claim)).total());
        let quantity = yes.min(no);
        let mut position: Position = self.position(contract, account).copied().unwrap_or_default();
        let costs = position.take(Claim::Yes, quantity, yes) + position.take(Claim::No, quantity, no);
        Pairs { quantity, costs }
    }

    /// Sums the pairs that live sales hold again, from the balances.
    pub(crate) fn derive_pairs(&mut self, ledger: &Ledger) {
        self.pairs = PairsHeld::default();
        for (contract, account) in self.straddles.clone() {
            let held = self.pairs_held(ledger, contract, account);
            self.pairs.set((contract, account), Some(held));
        }
    }

    /// Whether the sums are those of the balances.
    pub(crate) fn counts_pairs(&self, ledger: &Ledger) -> bool {
        let mut again = PairsHeld::default();
        for (contract, account) in &self.straddles {
            again.set((*contract, *account), Some(self.pairs_held(ledger, *contract, *account)));
        }
        again == self.pairs
    }

    /// Nets every free pair.
    pub fn net(&mut self, ledger: &mut Ledger) {
        for (contract, account) in core::mem::take(&mut self.freed) {
            self.net_one(ledger, contract, account);
        }
    }

    fn net_one(&mut self, ledger: &mut Ledger, contract: SymbolId, account: AccountId) {
        let balances = Claim::ALL.map(|claim| ledger.balance(account, AssetId::claim(contract, claim)));
        let [yes, no] = balances;
        let pairs = yes.available.min(no.available);
        // After the netting both claims are left only where a sale holds one of them.
        let straddles = yes.total() > pairs && no.total() > pairs;
        if straddles {
            self.straddles.insert((contract, account));
        } else {
            self.straddles.remove(&(contract, account));
        }
        self.net_pairs(ledger, (contract, account), balances, pairs);
        let left = straddles.then(|| self.pairs_held(ledger, contract, account));
        self.pairs.set((contract, account), left);
    }

    /// Gives an account the dollars of its free pairs.
    fn net_pairs(
        &mut self,
        ledger: &mut Ledger,
        (contract, account): (SymbolId, AccountId),
        balances: [Balance; 2],
        pairs: Money,
    ) {
        let Some(dollar) = ledger.dollar().filter(|_| pairs > Money::ZERO) else { return };
        for (claim, balance) in Claim::ALL.into_iter().zip(balances) {
            // Both claims of a pair are sold for a dollar together; the result counts it once.
            let proceeds = if claim == Claim::Yes { pairs } else { Money::ZERO };
            self.note_sold(Holder { account, contract, claim }, proceeds, (pairs, balance.total()));
        }
        let escrow = AccountId::escrow(contract);
        let line = |account, asset, amount| Posting { account, asset, bucket: Bucket::Available, amount };
        let [yes, no] = Claim::ALL.map(|claim| AssetId::claim(contract, claim));
        let entry = [
            line(account, yes, -pairs),
            line(escrow, yes, pairs),
            line(account, no, -pairs),
            line(escrow, no, pairs),
            line(account, dollar.into(), pairs),
            line(escrow, dollar.into(), -pairs),
        ];
        ledger.post(Cause::Netting.about(About::Contract(contract)), &entry);
    }
}
