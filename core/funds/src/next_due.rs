//! What falls due in the modules of this room.

use crate::{Command, Funds, approval, custody};
use buttonwood_access::Access;
use buttonwood_model::Due;

impl Funds {
    /// The next due command of all modules: follow-ups first, then by time.
    pub fn next_due(&self, access: &Access, seed: u64) -> Option<Due<Command>> {
        let modules = [
            approval::next_due(self).map(|due| due.map(Command::from)),
            custody::next_due(self, access, seed).map(|due| due.map(Command::from)),
        ];
        modules.into_iter().flatten().min_by_key(Due::key)
    }
}
