//! The command line, with the configuration file worked in: flag beats environment beats file.

use crate::cli::Cli;
use crate::ranks::{FromFile, settle};
use clap::{CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Reads the process's command line. On a mistake, or a call for help, everything is printed already.
pub(crate) fn command_line() -> Result<Cli, ExitCode> {
    let arguments = with_default_command(std::env::args_os().collect());
    let (arguments, file) = with_file(arguments).map_err(|line| mistake(&line))?;
    let parsed = Cli::command()
        .try_get_matches_from(arguments)
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    match parsed {
        Ok((cli, matches)) => settle(cli, &matches, &file).map_err(|line| mistake(&line)),
        Err(error) => Err(unread(&error, &file)),
    }
}

fn mistake(line: &str) -> ExitCode {
    crate::say(format_args!("buttonwood: {line}"));
    ExitCode::from(2)
}

/// A call for help, or arguments that cannot be read. Those that came from the file are said to.
fn unread(error: &clap::Error, file: &FromFile) -> ExitCode {
    if let Some(name) = file.blamed_for(error) {
        let text = error.to_string();
        let what = text.split("\n\n").next().unwrap_or_default();
        return mistake(&format!("--config {name}: {}", one_line(what.trim_start_matches("error: "))));
    }
    // The terminal may be gone; there is nobody to tell then.
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
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

/// Puts the configuration file's settings in as flags where neither a flag nor the environment has them.
fn with_file(mut arguments: Vec<OsString>) -> Result<(Vec<OsString>, FromFile), String> {
    let mut file = FromFile::default();
    let command = arguments.get(1).and_then(|argument| argument.to_str()).unwrap_or_default().to_owned();
    // The environment may name a file for servers; `verify` takes none.
    let Some(known) = known_flags(&command) else { return Ok((arguments, file)) };
    let Some(path) = config_path(&arguments) else { return Ok((arguments, file)) };
    let shown = Path::new(&path).display().to_string();
    file.name.clone_from(&shown);
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("cannot read --config {shown}: {error}"))?;
    let table: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| format!("--config {shown}: {}", one_line(&error.to_string())))?;
    let at = 2.min(arguments.len());
    for (key, value) in table {
        let flag = key.replace('_', "-");
        let Some(variable) = known.iter().find(|(name, _)| *name == flag).map(|(_, variable)| variable)
        else {
            return Err(format!("--config {shown}: '{key}' is no setting of '{command}'"));
        };
        let given = |argument: &OsString| {
            argument
                .to_str()
                .is_some_and(|text| text == format!("--{flag}") || text.starts_with(&format!("--{flag}=")))
        };
        if arguments.iter().any(given) || std::env::var_os(variable).is_some() {
            continue;
        }
        for value in values(&value).ok_or_else(|| {
            format!("--config {shown}: '{key}' must be a text, a number, a date, true, false or a list")
        })? {
            arguments.insert(at, format!("--{flag}={value}").into());
        }
        file.flags.push(flag);
    }
    Ok((arguments, file))
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
    std::env::var_os("BUTTONWOOD_CONFIG")
}

/// The flags of a command with their environment variables; none for a command that takes no configuration file.
fn known_flags(command: &str) -> Option<Vec<(String, String)>> {
    let all = Cli::command();
    let flags = all.find_subcommand(command)?.get_arguments().filter_map(|argument| {
        Some((argument.get_long()?.to_owned(), argument.get_env()?.to_str()?.to_owned()))
    });
    let (config, known): (Vec<_>, Vec<_>) = flags.partition(|(name, _)| name == "config");
    (!config.is_empty()).then_some(known)
}

fn values(value: &toml::Value) -> Option<Vec<String>> {
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
