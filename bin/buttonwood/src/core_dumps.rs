//! Core files: without the flag that allows them, the process leaves none, and no other process may read its memory.

use crate::cli::Switch;
use crate::trouble::Trouble;
use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

/// Forbids core files of this process and of the commands that it runs, unless the flag allows them.
///
/// # Errors
/// [`Trouble::System`] if the system refuses.
pub(crate) fn settle(core_dumps: Switch) -> Result<(), Trouble> {
    if core_dumps == Switch::On {
        return Ok(());
    }
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .and_then(|()| setrlimit(Resource::Core, none))
        .map_err(|error| Trouble::System(format!("cannot forbid core files: {error}")))
}
