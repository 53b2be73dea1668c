//! What falls due in the modules of this room.

use crate::{Command, Funds, approval};
use buttonwood_model::Due;

impl Funds {
    /// The next due command of all modules: follow-ups first, then by time.
    pub fn next_due(&self) -> Option<Due<Command>> {
        let modules = [approval::next_due(self).map(|due| due.map(Command::from))];
        modules.into_iter().flatten().min_by_key(Due::key)
    }
}
