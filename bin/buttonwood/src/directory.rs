//! The data directory: made, recovered, and whether this run fits what made it.

use crate::cli::{ClockKind, Common, Sandbox};
use crate::flags::journal_options;
use crate::trouble::Trouble;
use buttonwood_engine::{Mode, State};
use buttonwood_model::Time;
use buttonwood_sequencer::{Clock, Recovered, recover_if};
use buttonwood_vault::{Secret, Vault};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The vault, once it is known to hold the secret of every key.
pub(crate) fn open_vault(data: &Path, state: &State) -> Result<Vault, Trouble> {
    if !state.access().sessions().is_empty() && !Vault::is_in(data) {
        let line = format!(
            "there are keys, but {} has no file 'vault' with their secrets: put it back",
            data.display()
        );
        return Err(Trouble::System(line));
    }
    let vault = Vault::open(data)?;
    for (session, entry) in (0u32..).zip(state.access().sessions()) {
        secret(&vault, session, &entry.key.api_key)?;
    }
    Ok(vault)
}

/// The secret of a key.
pub(crate) fn secret(vault: &Vault, session: u32, api_key: &str) -> Result<Secret, Trouble> {
    vault.get(session, api_key)?.ok_or_else(|| {
        Trouble::System(format!(
            "the vault holds no secret for key '{api_key}': was the file 'vault' removed?"
        ))
    })
}

/// Recovers the directory; `admit` says before its journal is written to whether it is to be opened at all.
pub(crate) fn open<T>(
    data: &Path,
    common: &Common,
    admit: impl FnOnce(&State) -> Result<T, Trouble>,
) -> Result<(Recovered, T), Trouble> {
    let (recovered, admitted) = recover_if(data, journal_options(common), admit)?;
    for note in &recovered.notes {
        tracing::warn!("{note}");
    }
    Ok((recovered, admitted))
}

/// The clock of this run: a directory's time never goes back.
pub(crate) fn clock(kind: ClockKind, state: &State, start: Time) -> Result<Clock, Trouble> {
    let last = state.stamp().time;
    match kind {
        ClockKind::Manual if state.opening().is_some() => Ok(Clock::manual(last)),
        ClockKind::Manual => Ok(Clock::manual(start)),
        ClockKind::Real if last > Clock::Real.now() => {
            let line = "--clock real: this directory's last command lies ahead of now; it was run with --clock manual";
            Err(Trouble::Flag(line.to_owned()))
        }
        ClockKind::Real => Ok(Clock::Real),
    }
}

/// A directory keeps its mode and its seed for ever. The seed, unless it is still to be founded.
pub(crate) fn check_opening(state: &State, mode: Mode, seed: Option<u64>) -> Result<Option<u64>, Trouble> {
    let Some(opening) = state.opening() else { return Ok(None) };
    if opening.mode != mode {
        let line = format!(
            "this data directory was made by '{}'; '{}' does not open it",
            opening.mode.name(),
            mode.name()
        );
        return Err(Trouble::Flag(line));
    }
    match seed {
        Some(seed) if seed != opening.seed => Err(Trouble::Flag(format!(
            "--seed {seed}: this data directory was made with seed {}",
            opening.seed
        ))),
        Some(_) | None => Ok(Some(opening.seed)),
    }
}

/// A seed for who gave none.
pub(crate) fn random_seed() -> Result<u64, Trouble> {
    // Short enough to type.
    getrandom::u32()
        .map(u64::from)
        .map_err(|error| Trouble::System(format!("the system has no randomness: {error}")))
}

/// Makes a directory where there is none: trades and balances are its owner's alone to read. What leads to it is made as
/// usual.
pub(crate) fn make_dir(path: &Path) -> Result<(), Trouble> {
    let above = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    let made = above.and_then(|()| DirBuilder::new().recursive(true).mode(0o700).create(path));
    made.map_err(|error| Trouble::Data(path.to_owned(), error))
}

/// The data directory, and what removes it at a clean exit if it is ephemeral.
pub(crate) fn data_dir(flags: &Sandbox) -> Result<(PathBuf, Option<tempfile::TempDir>), Trouble> {
    if flags.ephemeral {
        let fresh = tempfile::Builder::new()
            .prefix("buttonwood-")
            .tempdir()
            .map_err(|error| Trouble::Data(std::env::temp_dir(), error))?;
        return Ok((fresh.path().to_owned(), Some(fresh)));
    }
    make_dir(&flags.common.data)?;
    Ok((flags.common.data.clone(), None))
}
