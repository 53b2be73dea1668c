//! The answers of this room that the engine asks of every room.

use crate::{Command, Funds, approval, bank, custody, debt, reserves};
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, AssetId, CurrencyId, Due, Time};
use buttonwood_num::Money;
use buttonwood_room::{Changes, Context, Room};

/// The kept sums of the account's open transfers in the currency differ from the transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnequalRows(pub AccountId, pub CurrencyId);

impl Room for Funds {
    type Command = Command;
    type BrokenLaw = UnequalRows;
    type Found = ();

    /// The next of each module.
    fn next_due(&self, context: &Context<'_, Self>) -> impl Iterator<Item = Due<Command>> {
        let Context { ledger, access, seed, .. } = *context;
        let modules = [
            approval::next_due(self).map(|due| due.map(Command::from)),
            bank::next_due(self).map(|due| due.map(Command::from)),
            custody::next_due(self, access, seed).map(|due| due.map(Command::from)),
            debt::next_due(self, ledger).map(|due| due.map(Command::from)),
            reserves::next_due(self, access).map(|due| due.map(Command::from)),
        ];
        modules.into_iter().flatten()
    }

    #[inline]
    fn has_follow_up(&self, ledger: &Ledger) -> bool {
        debt::is_due(self, ledger)
    }

    fn reserved(&self, account: AccountId) -> impl Iterator<Item = (AssetId, Money)> {
        self.reserved(account)
    }

    /// What `source` gave out counts as assets, as long as it is not taken back.
    fn changed(&mut self, changes: &Changes, _ledger: &Ledger, _time: Time) {
        for given in &changes.given {
            self.note_test_credit(given.asset, given.amount);
        }
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprints()
    }

    /// A transfer on its way would arrive at a closed account, and nobody would repay a debt.
    fn is_used_by(&self, account: AccountId) -> bool {
        self.open_of(account).next().is_some() || self.owes(account)
    }

    fn broken_law(&self, _context: &Context<'_, Self>) -> Option<UnequalRows> {
        self.unequal_sums().map(|(account, currency)| UnequalRows(account, currency))
    }

    fn restore(&mut self, ledger: &mut Ledger) {
        self.count_sums();
        self.debts.restore(ledger);
    }
}
