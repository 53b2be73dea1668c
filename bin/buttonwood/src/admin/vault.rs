//! `buttonwood admin vault rotate` without a running exchange.

use super::Admin;
use crate::new_keys::NewKeys;
use crate::trouble::Trouble;
use crate::verify::check_directory;
use buttonwood_disk::Folder;
use buttonwood_journal::Lock;
use buttonwood_operate::keys::rotate::Rotated;
use buttonwood_sequencer::Past;
use buttonwood_vault::{KEY_FILE, KeySource, SealedUnder, Vault};
use std::io::{Write, stdout};
use std::path::Path;

/// Rotates the key, in the folder of the previous one. The lock keeps other processes from starting on the directory.
pub(super) fn rotate(flags: &Admin) -> Result<(), Trouble> {
    check_directory(&flags.data)?;
    let to = Path::new(flags.text("to").unwrap_or_default());
    if Past::open(&flags.data)?.state().operations().approvals() == 2 {
        let line = "a venue with approvals = 2 rotates its key only while it runs, with a second operator's approval";
        return Err(Trouble::Refused(format!("vault rotate --to {}: {line}", to.display())));
    }
    let lock = Lock::exclusive(&Folder::from(flags.data.join("journal").as_path()));
    let _lock = lock.map_err(|fault| Trouble::Refused(fault.to_string()))?;
    let place = new_keys(&flags.data)?.place(to).map_err(Trouble::Refused)?;
    let vault = Vault::new(flags.data.as_path(), KeySource::Own);
    let done = if flags.is_dry_run {
        vault.open()?;
        None
    } else {
        let rotated = vault.rotate_through(to, &place.at())?;
        Some((rotated.before, rotated.records))
    };
    let mut line = Rotated::body(to, done);
    line.push(b'\n');
    stdout().write_all(&line).map_err(|error| Trouble::System(format!("cannot write: {error}")))
}

/// The folder of the key file that the vault was sealed under last; for the key that a sandbox keeps in its directory, this directory.
fn new_keys(data: &Path) -> Result<NewKeys, Trouble> {
    let is_own = matches!(Vault::sealed_under(data)?, Some(SealedUnder::Inside(_)));
    let key_file = if is_own { Some(data.join(KEY_FILE)) } else { Vault::recorded_key_file(data)? };
    Ok(NewKeys::beside(key_file.as_deref()))
}
