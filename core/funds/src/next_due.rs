//! What falls due in the modules of this room.

use crate::{Command, Funds, approval, bank, custody, debt, reserves};
use buttonwood_access::Access;
use buttonwood_ledger::Ledger;
use buttonwood_model::Due;

impl Funds {
    /// The next due command of all modules: follow-ups first, then by time.
    pub fn next_due(&self, ledger: &Ledger, access: &Access, seed: u64) -> Option<Due<Command>> {
        let modules = [
            approval::next_due(self).map(|due| due.map(Command::from)),
            bank::next_due(self).map(|due| due.map(Command::from)),
            custody::next_due(self, access, seed).map(|due| due.map(Command::from)),
            debt::next_due(self, ledger).map(|due| due.map(Command::from)),
            reserves::next_due(self, access).map(|due| due.map(Command::from)),
        ];
        modules.into_iter().flatten().min_by_key(Due::key)
    }

    /// Whether a follow-up is due; no other command may run before it.
    #[inline]
    pub fn has_follow_up(&self, ledger: &Ledger) -> bool {
        debt::is_due(self, ledger)
    }
}
