//! Which of two conflicting settings holds: flag beats environment beats file.
//!
//! Conflicting settings of the same rank are refused by name; neither is dropped silently.

use crate::cli::{Cli, ClockKind, Command, Sandbox, Serve, VaultKey};
use clap::ArgMatches;
use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use std::cmp::Ordering;

/// The settings that were not made on the command line.
#[derive(Debug, Default)]
pub(crate) struct Elsewhere {
    /// The configuration file, as it was named.
    pub(crate) file: String,
    /// The file's settings that hold, by the names of their flags.
    pub(crate) flags: Vec<String>,
    /// Settings of the environment that hold: flag and variable.
    pub(crate) variables: Vec<(String, String)>,
}

impl Elsewhere {
    /// The source of the setting that the error is about, if it was not a flag.
    pub(crate) fn blamed_for(&self, error: &clap::Error) -> Option<String> {
        let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return None };
        self.source(argument)
    }

    /// A refusal, which begins with the flag that it is about. If that setting was not made by a flag, its source comes
    /// first.
    pub(crate) fn told(&self, line: &str) -> String {
        self.source(line).map_or_else(|| line.to_owned(), |source| format!("{source}: {line}"))
    }

    /// The source of the setting whose flag the text begins with, if it was not a flag.
    fn source(&self, text: &str) -> Option<String> {
        let flag = text.split([' ', ':']).next()?.strip_prefix("--")?;
        if self.has(flag) {
            return Some(format!("--config {}", self.file));
        }
        let variable = self.variables.iter().find(|(name, _)| name == flag);
        variable.map(|(_, variable)| variable.clone())
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|own| own == flag)
    }
}

/// Where a setting comes from; a later one beats an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Default,
    File,
    Environment,
    Flag,
}

/// Drops a setting that conflicts with one of higher rank.
///
/// # Errors
/// One line that names settings of the same rank that contradict each other, or one that has no effect.
pub(crate) fn settle(mut cli: Cli, matches: &ArgMatches, elsewhere: &Elsewhere) -> Result<Cli, String> {
    let Some((_, given)) = matches.subcommand() else { return Ok(cli) };
    let of = |flag: &str| match given.value_source(&flag.replace('-', "_")) {
        Some(ValueSource::CommandLine) if elsewhere.has(flag) => Source::File,
        Some(ValueSource::CommandLine) => Source::Flag,
        Some(ValueSource::EnvVariable) => Source::Environment,
        _ => Source::Default,
    };
    if let Command::Sandbox(Sandbox { common, .. }) | Command::Serve(Serve { common, .. }) = &mut cli.command
    {
        settle_vault_key(&mut common.vault_key, of("vault-key-file").cmp(&of("vault-key-command")))?;
    }
    let Command::Sandbox(flags) = &mut cli.command else { return Ok(cli) };
    flags.ephemeral = flags.ephemeral && is_ephemeral(flags, of("ephemeral").cmp(&of("data")))?;
    let time = of("start-time");
    if flags.clock == ClockKind::Real && time != Source::Default && time >= of("clock") {
        let line = "only a manual clock starts at a time of its own; add --clock manual, or leave it out";
        return Err(format!("--start-time {}: {line}", flags.start_time));
    }
    Ok(cli)
}

/// Drops the source of the vault's key that ranks lower.
fn settle_vault_key(flags: &mut VaultKey, rank: Ordering) -> Result<(), String> {
    match (&flags.vault_key_file, &flags.vault_key_command, rank) {
        (Some(file), Some(_), Ordering::Equal) => Err(format!(
            "--vault-key-file {} and --vault-key-command: the key comes from the file or from the command; give one of them",
            file.display()
        )),
        (Some(_), Some(_), Ordering::Less) => {
            flags.vault_key_file = None;
            Ok(())
        }
        (Some(_), Some(_), Ordering::Greater) => {
            flags.vault_key_command = None;
            Ok(())
        }
        (None, _, _) | (_, None, _) => Ok(()),
    }
}

/// Whether `--ephemeral` holds against `--data`, by how it ranks with it.
fn is_ephemeral(flags: &Sandbox, rank: Ordering) -> Result<bool, String> {
    match rank {
        Ordering::Greater => Ok(true),
        Ordering::Less => Ok(false),
        Ordering::Equal => Err(format!(
            "--ephemeral and --data {}: a fresh directory that is removed at the end, or this one; give one of them",
            flags.common.data.display()
        )),
    }
}
