//! `buttonwood admin vault rotate` without a running exchange.

use super::Admin;
use crate::trouble::Trouble;
use crate::vault_key::check_outside;
use crate::verify::check_directory;
use buttonwood_disk::Folder;
use buttonwood_engine::Mode;
use buttonwood_journal::Lock;
use buttonwood_operate::keys::rotate::Rotated;
use buttonwood_sequencer::Past;
use buttonwood_vault::{KeySource, Vault};
use std::io::{Write, stdout};
use std::path::Path;

/// Rotates the key. No process can start on the directory meanwhile.
pub(super) fn rotate(flags: &Admin) -> Result<(), Trouble> {
    check_directory(&flags.data)?;
    let to = Path::new(flags.text("to").unwrap_or_default());
    let mode = Past::open(&flags.data)?.state().opening().map(|opening| opening.mode);
    let lock = Lock::exclusive(&Folder::from(flags.data.join("journal").as_path()));
    let _lock = lock.map_err(|fault| Trouble::Refused(fault.to_string()))?;
    if mode == Some(Mode::Venue) {
        check_outside("--to", to, &flags.data)?;
    }
    if to.symlink_metadata().is_ok() {
        return Err(Trouble::Refused(format!("--to {}: the file is there already", to.display())));
    }
    let vault = Vault::new(flags.data.as_path(), KeySource::Own);
    let done = if flags.is_dry_run {
        vault.open()?;
        None
    } else {
        let rotated = vault.rotate(to)?;
        Some((rotated.before, rotated.records))
    };
    let mut line = Rotated::body(to, done);
    line.push(b'\n');
    stdout().write_all(&line).map_err(|error| Trouble::System(format!("cannot write: {error}")))
}
