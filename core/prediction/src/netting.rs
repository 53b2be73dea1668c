//! Free pairs of claims become dollars at once (D-110).
//!
//! Netting follows from balances alone, at the end of every command: it has no event, so that no path by which claims become free can
//! leave it out. Within a command an incoming sale relies on claims that its account has, so nothing nets before its end.

use crate::Predictions;
use crate::state::Holder;
use buttonwood_ledger::{About, Bucket, Cause, Ledger, Posting};
use buttonwood_model::{AccountId, AssetId, Claim, SymbolId};
use buttonwood_num::Money;

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
        if yes.total() > pairs && no.total() > pairs {
            self.straddles.insert((contract, account));
        } else {
            self.straddles.remove(&(contract, account));
        }
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
