//! The command line of `buttonwood admin`, made from the catalogue of commands.

use super::push_text;
use buttonwood_operate::{Argument, Command, Form, Given, Guard};
use buttonwood_rest::TABLE;
use buttonwood_wire::contract::paragraph;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Error, FromArgMatches};
use std::path::PathBuf;

/// A request of an operator.
#[derive(Debug)]
pub(crate) struct Admin {
    pub(crate) data: PathBuf,
    command: &'static Command,
    arguments: Vec<(&'static str, Given)>,
    reason: Option<String>,
    pub(super) is_dry_run: bool,
}

impl Admin {
    /// The name of the command.
    pub(crate) fn name(&self) -> &'static str {
        self.command.name
    }

    /// The text of an argument, if it was given.
    pub(super) fn text(&self, field: &str) -> Option<&str> {
        self.arguments.iter().find_map(|(name, given)| match given {
            Given::Text(text) if *name == field => Some(text.as_str()),
            Given::Text(_) | Given::Texts(_) | Given::True | Given::Json(_) => None,
        })
    }

    /// The arguments as a JSON object.
    pub(crate) fn arguments(&self) -> String {
        let mut out = "{".to_owned();
        for (number, (field, given)) in self.arguments.iter().enumerate() {
            out.push_str(if number == 0 { "" } else { "," });
            push_text(&mut out, field);
            out.push(':');
            push_given(&mut out, given);
        }
        out.push('}');
        out
    }

    /// The request in one line.
    pub(crate) fn request(&self) -> String {
        let mut out = r#"{"command":"#.to_owned();
        push_text(&mut out, self.command.name);
        out.push_str(r#","arguments":"#);
        out.push_str(&self.arguments());
        if let Some(reason) = &self.reason {
            out.push_str(r#","reason":"#);
            push_text(&mut out, reason);
        }
        out.push_str(if self.is_dry_run { ",\"dry_run\":true}\n" } else { "}\n" });
        out
    }
}

fn push_given(out: &mut String, given: &Given) {
    match given {
        Given::Text(text) => push_text(out, text),
        Given::Texts(texts) => {
            out.push('[');
            for (number, text) in texts.iter().enumerate() {
                out.push_str(if number == 0 { "" } else { "," });
                push_text(out, text);
            }
            out.push(']');
        }
        Given::True => out.push_str("true"),
        // Line ends in JSON stand between values only.
        Given::Json(json) => out.push_str(&json.replace(['\n', '\r'], " ")),
    }
}

impl Args for Admin {
    fn augment_args(command: clap::Command) -> clap::Command {
        let command = command
            .arg(
                Arg::new("data")
                    .display_order(SHARED_OPTIONS)
                    .long("data")
                    .value_name("DIR")
                    .env("BUTTONWOOD_DATA")
                    .global(true)
                    .value_parser(clap::value_parser!(PathBuf))
                    .help("The data directory of the running exchange"),
            )
            .arg(
                Arg::new("reason")
                    .display_order(SHARED_OPTIONS + 1)
                    .long("reason")
                    .value_name("TEXT")
                    .global(true)
                    .help("Why, for the audit; some commands need one"),
            )
            .arg(
                Arg::new("dry-run")
                    .display_order(SHARED_OPTIONS + 2)
                    .long("dry-run")
                    .global(true)
                    .action(ArgAction::SetTrue)
                    .help("Checks and prints what would happen, and changes nothing"),
            )
            .subcommand_required(true)
            .arg_required_else_help(true);
        TABLE.catalogue().all().iter().copied().fold(command, add)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

/// Adds a command: its last word below the ones before it.
fn add(parent: clap::Command, command: &'static Command) -> clap::Command {
    match command.name.split_once(' ') {
        None => parent.subcommand(leaf(command, command.name)),
        Some((first, last)) => {
            let known = parent.find_subcommand(first).is_some();
            let parent = if known {
                parent
            } else {
                parent.subcommand(clap::Command::new(first).subcommand_required(true).flatten_help(true))
            };
            parent.mut_subcommand(first, |group| group.subcommand(leaf(command, last)))
        }
    }
}

fn leaf(command: &'static Command, word: &'static str) -> clap::Command {
    let needs = if command.needs_reason { " Needs --reason." } else { "" };
    let two = if command.guard == Guard::One { "" } else { " Takes two operators where approvals = 2." };
    let leaf = clap::Command::new(word).about(format!("{}{needs}{two}", command.about));
    command.arguments.iter().enumerate().fold(leaf, |leaf, (number, argument)| {
        leaf.arg(parameter(command, argument).display_order(place_in_help(number, argument.form)))
    })
}

/// Where the help shows an argument of a command: those that are given by their place first, all in the order in which they are typed.
fn place_in_help(number: usize, form: Form) -> usize {
    if matches!(form, Form::Place | Form::Places) { number } else { OPTIONS + number }
}

/// Where the help begins to show options of a command, and options of all commands.
const OPTIONS: usize = 100;
const SHARED_OPTIONS: usize = 200;

fn parameter(command: &Command, argument: &'static Argument) -> Arg {
    let field = command.field(argument);
    let about = field.map(|field| paragraph(field.about)).unwrap_or_default();
    let is_required = field.is_some_and(|field| field.required);
    let arg = Arg::new(argument.field).help(about).allow_hyphen_values(true);
    let long = argument.name.replace('_', "-");
    let value = argument.name.to_uppercase();
    match argument.form {
        Form::Place => arg.value_name(value).required(is_required),
        Form::Places => arg.value_name(value).num_args(0..).action(ArgAction::Append),
        Form::Option => arg.long(long).value_name("VALUE").required(is_required),
        Form::Options => arg.long(long).value_name("VALUE").action(ArgAction::Append).required(is_required),
        Form::Path => arg
            .long(long)
            .value_name("FILE")
            .value_parser(absolute)
            .allow_hyphen_values(false)
            .required(is_required),
        Form::Switch => arg.long(long).action(ArgAction::SetTrue).allow_hyphen_values(false),
        Form::File => arg
            .long(long)
            .value_name("FILE")
            .value_parser(|path: &str| {
                std::fs::read_to_string(path).map_err(|error| format!("cannot read it: {error}"))
            })
            .required(is_required),
    }
}

/// A path that the exchange understands too, whatever directory it runs in.
fn absolute(path: &str) -> Result<String, String> {
    let absolute = std::path::absolute(path).map_err(|error| error.to_string())?;
    absolute.into_os_string().into_string().map_err(|_| "it is no text".to_owned())
}

impl FromArgMatches for Admin {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut name = String::new();
        let mut leaf = matches;
        while let Some((word, below)) = leaf.subcommand() {
            name.push_str(if name.is_empty() { "" } else { " " });
            name.push_str(word);
            leaf = below;
        }
        let command = TABLE
            .catalogue()
            .find(&name)
            .ok_or_else(|| Error::raw(ErrorKind::MissingSubcommand, "a command is wanted\n"))?;
        let missing = |flag: &str| {
            Error::raw(ErrorKind::MissingRequiredArgument, format!("admin {name} needs {flag}\n"))
        };
        let reason = leaf.get_one::<String>("reason").cloned();
        if command.needs_reason && reason.is_none() {
            return Err(missing("--reason TEXT"));
        }
        let data = leaf.get_one::<PathBuf>("data").cloned().ok_or_else(|| missing("--data DIR"))?;
        let arguments = command.arguments.iter();
        let arguments = arguments.filter_map(|argument| Some((argument.field, given(leaf, argument)?)));
        Ok(Self {
            data,
            command,
            arguments: arguments.collect(),
            reason,
            is_dry_run: leaf.get_flag("dry-run"),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn given(matches: &ArgMatches, argument: &Argument) -> Option<Given> {
    let text = || matches.get_one::<String>(argument.field).cloned();
    let texts = || matches.get_many::<String>(argument.field).map(|all| all.cloned().collect::<Vec<_>>());
    match argument.form {
        Form::Place | Form::Option | Form::Path => text().map(Given::Text),
        Form::Places => Some(Given::Texts(texts().unwrap_or_default())),
        Form::Options => texts().map(Given::Texts),
        Form::Switch => matches.get_flag(argument.field).then_some(Given::True),
        Form::File => text().map(Given::Json),
    }
}
