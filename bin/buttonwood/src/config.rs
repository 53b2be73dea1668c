//! The command line, with the configuration file worked in: flag beats environment beats file.

use crate::cli::Cli;
use crate::feed_tables;
use crate::ranks::{Elsewhere, settle};
use buttonwood_feeds::bare;
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// The flag that names the file.
const CONFIG: &str = "config";

/// Reads the process's command line, and the settings made elsewhere. On a mistake, or a call for help, the text is
/// already printed.
pub(crate) fn command_line() -> Result<(Cli, Elsewhere), ExitCode> {
    let arguments = with_default_command(std::env::args_os().collect());
    let (arguments, elsewhere) = with_file(arguments).map_err(|line| mistake(&line))?;
    let parsed = Cli::command()
        .try_get_matches_from(arguments)
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    match parsed {
        Ok((cli, matches)) => match settle(cli, &matches, &elsewhere) {
            Ok(cli) => Ok((cli, elsewhere)),
            Err(line) => Err(mistake(&elsewhere.told(&line))),
        },
        Err(error) => Err(unread(&without_secrets(error), &elsewhere)),
    }
}

fn mistake(line: &str) -> ExitCode {
    crate::say(format_args!("buttonwood: {line}"));
    ExitCode::from(2)
}

/// Prints the help, or the error for arguments that cannot be read. The error names the file or the environment if the
/// argument came from there.
fn unread(error: &clap::Error, elsewhere: &Elsewhere) -> ExitCode {
    if let Some(source) = elsewhere.blamed_for(error) {
        let text = error.to_string();
        let what = text.split("\n\n").next().unwrap_or_default();
        return mistake(&format!("{source}: {}", one_line(what.trim_start_matches("error: "))));
    }
    // The terminal may be gone; the text is then lost.
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

/// The error without user, password and query of a URL that is shown as a wrong value.
fn without_secrets(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) {
        let shown = ContextValue::String(bare(value));
        error.insert(ContextKind::InvalidValue, shown);
    }
    error
}

/// `buttonwood` and `buttonwood --flag` mean the sandbox.
fn with_default_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let first = arguments.get(1).and_then(|argument| argument.to_str());
    let asks_about_all = matches!(first, Some("-h" | "--help" | "-V" | "--version"));
    if !asks_about_all && first.is_none_or(|first| first.starts_with('-')) {
        arguments.insert(1.min(arguments.len()), "sandbox".into());
    }
    arguments
}

/// Adds the configuration file's settings as flags where neither a flag nor the environment sets them.
fn with_file(mut arguments: Vec<OsString>) -> Result<(Vec<OsString>, Elsewhere), String> {
    let mut elsewhere = Elsewhere::default();
    let command = arguments.get(1).and_then(|argument| argument.to_str()).unwrap_or_default().to_owned();
    // The environment may name a file for servers; `verify` takes none.
    let Some(known) = known_flags(&command) else { return Ok((arguments, elsewhere)) };
    let is_set = |(flag, variable): &&(String, String)| {
        !is_given(&arguments, flag) && std::env::var_os(variable).is_some()
    };
    elsewhere.variables = known.iter().filter(is_set).cloned().collect();
    let Some(path) = config_path(&arguments) else { return Ok((arguments, elsewhere)) };
    let shown = Path::new(&path).display().to_string();
    elsewhere.file.clone_from(&shown);
    let at = 2.min(arguments.len());
    for (key, value) in table(&path, &shown)? {
        let flag = key.replace('_', "-");
        let named = known.iter().find(|(name, _)| *name == flag && name != CONFIG);
        let Some((_, variable)) = named else {
            return Err(format!("--config {shown}: '{key}' is no setting of '{command}'"));
        };
        if is_given(&arguments, &flag) || std::env::var_os(variable).is_some() {
            continue;
        }
        let expected = "a text, a whole number, a date, true, false or a list";
        let given = value.as_float().map_or_else(String::new, |number| format!(": {number}"));
        let values = if flag == feed_tables::FLAG {
            feed_tables::values(&value).map_err(|why| format!("--config {shown}: '{key}': {why}"))?
        } else {
            values(&value)
        };
        for value in values.ok_or_else(|| format!("--config {shown}: '{key}' must be {expected}{given}"))? {
            arguments.insert(at, format!("--{flag}={value}").into());
        }
        elsewhere.flags.push(flag);
    }
    Ok((arguments, elsewhere))
}

/// The file's settings.
fn table(path: &OsString, shown: &str) -> Result<toml::Table, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("cannot read --config {shown}: {error}"))?;
    let table: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| format!("--config {shown}: {}", syntax_error(&text, &error)))?;
    match table.iter().find(|(_, value)| value.is_table()) {
        Some((name, _)) => Err(format!("--config {shown}: '[{name}]' is a table; settings stand in none")),
        None => Ok(table),
    }
}

/// A mistake in the form of the file, by its line. The text of the line may hold a password, so it is not shown.
fn syntax_error(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    format!("line {}: {}", before.matches('\n').count() + 1, one_line(error.message()))
}

fn is_given(arguments: &[OsString], flag: &str) -> bool {
    let is_flag = |argument: &OsString| {
        let name = argument.to_str().and_then(|text| text.strip_prefix("--"));
        name.and_then(|name| name.strip_prefix(flag))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    arguments.iter().any(is_flag)
}

fn config_path(arguments: &[OsString]) -> Option<OsString> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_str().unwrap_or_default();
        if text == "--config" {
            return rest.next().cloned();
        }
        if let Some(path) = text.strip_prefix("--config=") {
            return Some(path.into());
        }
    }
    // An empty one names no file, and is refused like any other empty setting.
    std::env::var_os("BUTTONWOOD_CONFIG").filter(|path| !path.is_empty())
}

/// The flags of a command with their environment variables; none for a command that takes no configuration file.
fn known_flags(command: &str) -> Option<Vec<(String, String)>> {
    let all = Cli::command();
    let flags = all.find_subcommand(command)?.get_arguments().filter_map(|argument| {
        Some((argument.get_long()?.to_owned(), argument.get_env()?.to_str()?.to_owned()))
    });
    let known: Vec<_> = flags.collect();
    known.iter().any(|(name, _)| name == CONFIG).then_some(known)
}

/// The texts of a flag's values; none for a value that no flag takes.
pub(crate) fn values(value: &toml::Value) -> Option<Vec<String>> {
    match value {
        toml::Value::String(text) => Some(vec![text.clone()]),
        toml::Value::Integer(number) => Some(vec![number.to_string()]),
        toml::Value::Boolean(flag) => Some(vec![flag.to_string()]),
        toml::Value::Array(items) => {
            let parts: Option<Vec<Vec<String>>> = items.iter().map(values).collect();
            parts.map(|parts| parts.into_iter().flatten().collect())
        }
        toml::Value::Datetime(moment) => Some(vec![moment.to_string()]),
        toml::Value::Float(_) | toml::Value::Table(_) => None,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
