//! The data directory: creating it, recovering it, and checking that this run fits it.

use crate::backup::check_finished;
use crate::cli::{ClockKind, Common, Sandbox};
use crate::ephemeral::Ephemeral;
use crate::flags::{archive, journal_options};
use crate::ownership;
use crate::trouble::Trouble;
use buttonwood_engine::{Mode, Standing, State};
use buttonwood_model::Time;
use buttonwood_sequencer::{Clock, JOURNAL_DIR, Recovered, has_journal, recover_if};
use buttonwood_vault::{Entry, KeySource, Opened, Secret, Vault};
use std::fs::DirBuilder;
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Opens the vault, and checks that it holds the secret of every key; only then its files may change. An earlier build's vault is sealed
/// anew.
pub(crate) fn open_vault(data: &Path, state: &State, source: KeySource) -> Result<(Vault, Opened), Trouble> {
    if !state.access().sessions().is_empty() && !Vault::is_in(data) {
        let line = format!(
            "there are keys, but {} has no file 'vault' with their secrets: put it back",
            data.display()
        );
        return Err(Trouble::Flag(line));
    }
    let names: Vec<&str> =
        state.access().sessions().iter().map(|session| session.key.api_key.as_str()).collect();
    let vault = Vault::new(data, source);
    let left_out = vault.upgrade(&names)?;
    if left_out > 0 {
        tracing::warn!("the vault of an earlier build held {left_out} secrets of no key; they are left out");
    }
    let mut opened = vault.open()?;
    names.into_iter().try_for_each(|name| secret(&opened, name).map(drop))?;
    // A crash may come between the end of a key and the removal of its secret.
    let ended = state.access().sessions().iter().filter(|session| session.standing() == Standing::Ended);
    let ended: Vec<&str> = ended.map(|session| session.key.api_key.as_str()).collect();
    vault.remove(&mut opened, &ended)?;
    if let Err(fault) = vault.tidy(&mut opened) {
        tracing::warn!(
            "the vault's log is not folded into the vault, which the next start tries again: {fault}"
        );
    }
    Ok((vault, opened))
}

/// The secret of a key; `None` if it was removed at the end of the key.
pub(crate) fn secret(vault: &Opened, api_key: &str) -> Result<Option<Secret>, Trouble> {
    let found = vault.get(api_key)?;
    if found.is_none() && !vault.is_forgotten(api_key) {
        return Err(Trouble::Flag(format!(
            "the vault holds no secret for key '{api_key}': was the file 'vault' or 'vault.log' removed or replaced?"
        )));
    }
    Ok(found)
}

/// The secret that nonces of the proof of reserves are drawn from; it is made at the first start of a build that needs it.
pub(crate) fn reserves_secret(vault: &Vault, opened: &mut Opened) -> Result<Secret, Trouble> {
    // No key has this name: all of theirs begin with the kind of their owner.
    const NAME: &str = "reserves";
    if let Some(secret) = opened.get(NAME)? {
        return Ok(secret);
    }
    let mut bytes = vec![0; 32];
    let drawn = getrandom::fill(&mut bytes);
    let secret = Secret::new(bytes);
    drawn.map_err(|error| Trouble::System(format!("the system has no randomness: {error}")))?;
    vault.add(opened, &[Entry { name: NAME.to_owned(), secret: secret.clone() }])?;
    Ok(secret)
}

/// Recovers the directory. `admit` may refuse it before its journal is written to.
pub(crate) fn open<T>(
    data: &Path,
    common: &Common,
    mode: Mode,
    admit: impl FnOnce(&State) -> Result<T, Trouble>,
) -> Result<(Recovered, T), Trouble> {
    check_finished(data)?;
    check_not_gone(data)?;
    let archive = archive(common, data, mode)?;
    let (recovered, admitted) = recover_if(data, journal_options(common), archive, admit)?;
    for note in &recovered.notes {
        tracing::warn!("{note}");
    }
    Ok((recovered, admitted))
}

/// Refuses to found an exchange over the vault of one whose journal and history are gone. A journal's identity is
/// durable before the vault exists, so a vault without a journal belongs to a lost exchange.
fn check_not_gone(data: &Path) -> Result<(), Trouble> {
    if !Vault::is_in(data) || has_journal(data)? {
        return Ok(());
    }
    Err(Trouble::Flag(format!(
        "the journal {} is gone, but the file 'vault' beside it tells that there was one: put it back, or remove the rest of \
         the directory too to begin anew",
        data.join(JOURNAL_DIR).display()
    )))
}

/// The clock of this run: a directory's time never goes back.
pub(crate) fn clock(kind: ClockKind, state: &State, start: Time) -> Result<Clock, Trouble> {
    let last = state.stamp().time;
    match kind {
        ClockKind::Manual if state.opening().is_some() => Ok(Clock::manual(last)),
        ClockKind::Manual => Ok(Clock::manual(start)),
        ClockKind::Real => {
            let mode = state.opening().map(|opening| opening.mode);
            let clock = Clock::real();
            check_behind(clock.now(), last, mode)?;
            Ok(clock)
        }
    }
}

/// Refuses the system's clock if its time `now` is before `last`, the time of the directory's last command (launch
/// contract, `--clock`).
fn check_behind(now: Time, last: Time, mode: Option<Mode>) -> Result<(), Trouble> {
    if now >= last {
        return Ok(());
    }
    // The directory does not record whether its clock was manual; a venue's clock never is.
    let or = if mode == Some(Mode::Sandbox) { ", or go on with --clock manual if it was run so" } else { "" };
    Err(Trouble::Flag(format!(
        "the system's clock shows {}, this directory's last command is of {}: set the clock right or wait until it has passed{or}",
        shown(now),
        shown(last)
    )))
}

/// A moment for the operator, to the second.
fn shown(time: Time) -> String {
    let micros = i64::try_from(time.0).unwrap_or(i64::MAX);
    let stamp = jiff::Timestamp::from_microsecond(micros).unwrap_or(jiff::Timestamp::MAX);
    stamp.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Checks mode and seed, which a directory keeps forever. Returns the seed, or `None` if the directory is still to be
/// founded.
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

/// A random seed, for a start without `--seed`.
pub(crate) fn random_seed() -> Result<u64, Trouble> {
    // Short enough to type.
    getrandom::u32()
        .map(u64::from)
        .map_err(|error| Trouble::System(format!("the system has no randomness: {error}")))
}

/// Creates a directory if there is none. Only its owner may read it, since it holds trades and balances. Missing
/// parents get the usual permissions.
fn make_dir(path: &Path) -> Result<(), Trouble> {
    let new: Vec<&Path> =
        path.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists()).collect();
    let above = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    let made = above.and_then(|()| DirBuilder::new().recursive(true).mode(0o700).create(path));
    // Each new name has to survive a power cut; otherwise everything durable below it is lost.
    let named = made.and_then(|()| new.into_iter().try_for_each(sync_parent));
    named.map_err(|error| {
        // A file is in the way. The system's "file exists" would read as if all were well.
        let is_file = error.kind() == ErrorKind::AlreadyExists;
        Trouble::Data(path.to_owned(), if is_file { ErrorKind::NotADirectory.into() } else { error })
    })
}

/// Creates the directory that a flag names if there is none, and refuses one that other users may change.
pub(crate) fn named_dir(path: &Path) -> Result<(), Trouble> {
    make_dir(path)?;
    ownership::check(path)
}

fn sync_parent(path: &Path) -> std::io::Result<()> {
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    std::fs::File::open(above.unwrap_or(Path::new(".")))?.sync_all()
}

/// The data directory, and, if it is ephemeral, the guard that removes it at a clean exit.
pub(crate) fn data_dir(flags: &Sandbox) -> Result<(PathBuf, Option<Ephemeral>), Trouble> {
    if flags.ephemeral {
        let parent = std::env::temp_dir();
        let fresh = Ephemeral::make(&parent)?;
        return Ok((fresh.path().to_owned(), Some(fresh)));
    }
    named_dir(&flags.common.data)?;
    Ok((flags.common.data.clone(), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: Time = Time(1_767_225_600_000_000);

    fn said(behind: u64, mode: Mode) -> Result<(), String> {
        let now = Time(LAST.0 - behind * Time::SECOND);
        check_behind(now, LAST, Some(mode)).map_err(|trouble| trouble.to_string())
    }

    /// The refusal mentions a manual clock only for a sandbox, and only as a possibility.
    #[test]
    fn a_clock_behind_is_refused_with_both_times() {
        for mode in [Mode::Venue, Mode::Sandbox] {
            assert_eq!(said(0, mode), Ok(()));
            assert!(said(1, mode).is_err());
            let line = said(301, mode).unwrap_err();
            assert!(line.contains("2025-12-31T23:54:59Z") && line.contains("2026-01-01T00:00:00Z"), "{line}");
            assert_eq!(line.contains("manual"), mode == Mode::Sandbox, "{line}");
        }
    }
}
