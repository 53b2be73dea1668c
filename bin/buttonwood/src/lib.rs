//! The single binary: reads its configuration, recovers the data directory, wires the rooms, serves.
//!
//! No rules of its own. The launch contract, of commands, flags, files and the ready line, is `--help` and the README.

mod cli;
mod config;
mod directory;
mod ephemeral;
mod flags;
mod founding;
mod ownership;
mod ranks;
mod reference;
mod run;
mod signals;
mod trading;
mod trouble;
mod verify;
mod welcome;

use cli::{Cli, Command};
use std::io::Write;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let (cli, elsewhere) = match config::command_line() {
        Ok(read) => read,
        Err(code) => return code,
    };
    // What cannot be logged is not told on standard error either: that is where it was to go.
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_target(false)
        .with_ansi(false)
        .log_internal_errors(false)
        .init();
    let ended = match cli {
        Cli { command: Command::Sandbox(flags) } => run::sandbox(&flags),
        Cli { command: Command::Serve(flags) } => run::serve(&flags),
        Cli { command: Command::Verify(flags) } => verify::run(&flags),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            say(format_args!("buttonwood: {}", elsewhere.told(&trouble.to_string())));
            ExitCode::from(trouble.exit_code())
        }
    }
}

/// Says something on standard error. That may be a file on a full disk, or closed: then nobody is told, and nothing else
/// is different.
fn say(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
