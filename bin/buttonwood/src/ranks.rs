//! Which of two settings holds when one makes the other void: flag beats environment beats file.
//!
//! Of the same rank, neither is dropped in silence: they are refused, by name.

use crate::cli::{Cli, ClockKind, Command, Sandbox};
use clap::ArgMatches;
use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use std::cmp::Ordering;

/// What the configuration file has set.
#[derive(Debug, Default)]
pub(crate) struct FromFile {
    /// The file, as it was named.
    pub(crate) name: String,
    /// Its settings that hold, by the names of their flags.
    pub(crate) flags: Vec<String>,
}

impl FromFile {
    /// The file's name, if the error is about one of its settings.
    pub(crate) fn blamed_for(&self, error: &clap::Error) -> Option<&str> {
        let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return None };
        let flag = argument.split_whitespace().next()?.strip_prefix("--")?;
        self.has(flag).then_some(&self.name)
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

/// Drops what a setting of higher rank makes void.
///
/// # Errors
/// One line that names settings of the same rank that contradict each other, or one that has no effect.
pub(crate) fn settle(mut cli: Cli, matches: &ArgMatches, file: &FromFile) -> Result<Cli, String> {
    let (Command::Sandbox(flags), Some((_, given))) = (&mut cli.command, matches.subcommand()) else {
        return Ok(cli);
    };
    let of = |flag: &str| match given.value_source(&flag.replace('-', "_")) {
        Some(ValueSource::CommandLine) if file.has(flag) => Source::File,
        Some(ValueSource::CommandLine) => Source::Flag,
        Some(ValueSource::EnvVariable) => Source::Environment,
        _ => Source::Default,
    };
    flags.ephemeral = flags.ephemeral && is_ephemeral(flags, of("ephemeral").cmp(&of("data")))?;
    let time = of("start-time");
    if flags.clock == ClockKind::Real && time != Source::Default && time >= of("clock") {
        let line = "only a manual clock starts at a time of its own; add --clock manual, or leave it out";
        return Err(format!("--start-time {}: {line}", flags.start_time));
    }
    Ok(cli)
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
