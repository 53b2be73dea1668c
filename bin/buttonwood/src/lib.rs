//! The single binary: reads its configuration, recovers the data directory, wires the rooms, serves.
//!
//! No rules of its own. The contract of commands, flags and files is `--help` and the README.

mod cli;
mod config;
mod founding;
mod reference;
mod run;
mod trouble;
mod verify;
mod welcome;

use cli::{Cli, Command};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match config::command_line() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_target(false).with_ansi(false).init();
    let ended = match cli {
        Cli { command: Command::Sandbox(flags) } => run::sandbox(&flags),
        Cli { command: Command::Serve(flags) } => run::serve(&flags),
        Cli { command: Command::Verify(flags) } => verify::run(&flags),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("buttonwood: {trouble}");
            ExitCode::from(trouble.exit_code())
        }
    }
}
