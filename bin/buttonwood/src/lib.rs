//! The single binary: reads its configuration, recovers the data directory, wires the rooms, serves.
//!
//! It has no rules of its own. `--help` and the README are the launch contract: commands, flags, files and the ready
//! line.

mod admin;
mod backup;
mod cli;
mod config;
mod core_dumps;
mod credit;
mod deposit_seed;
mod directory;
mod doors;
mod ephemeral;
mod export;
mod feed_tables;
mod flags;
mod founding;
mod log;
mod mail;
mod metrics;
mod new_keys;
mod ownership;
mod peers;
mod people;
mod places;
mod predictions;
mod public_url;
mod ranks;
mod rates_file;
mod reference;
mod run;
mod settings;
mod signals;
mod staking;
mod trading;
mod trouble;
mod vault_key;
mod verify;
mod welcome;

use cli::{Cli, Command, LogFormat, LogLevel, Sandbox, Serve};
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
    let served = match &cli.command {
        Command::Sandbox(Sandbox { common, .. }) | Command::Serve(Serve { common, .. }) => Some(common),
        Command::Verify(_) | Command::Export(_) | Command::Backup(_) | Command::Admin(_) => None,
    };
    let (format, level) =
        served.map_or((LogFormat::Text, LogLevel::Info), |common| (common.log_format, common.log_level));
    log::start(format, level);
    let ended = match cli {
        Cli { command: Command::Sandbox(flags) } => run::sandbox(&flags),
        Cli { command: Command::Serve(flags) } => run::serve(&flags),
        Cli { command: Command::Verify(flags) } => verify::run(&flags),
        Cli { command: Command::Export(flags) } => export::run(&flags),
        Cli { command: Command::Backup(flags) } => backup::run(&flags),
        Cli { command: Command::Admin(flags) } => admin::run(&flags),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            say(format_args!("buttonwood: {}", elsewhere.told(&trouble.to_string())));
            ExitCode::from(trouble.exit_code())
        }
    }
}

/// Writes to standard error. If it is closed, or a file on a full disk, the text is lost and the process goes on.
fn say(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
