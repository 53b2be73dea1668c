//! `cargo xtask faults`: the sweep itself is in the library of this crate.

use std::process::ExitCode;

use buttonwood_faults::settings::{self, Asked};
use buttonwood_faults::sweep;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match settings::read(&words) {
        Err(line) => {
            eprintln!("faults: {line}\n\n{}", settings::USAGE);
            ExitCode::from(2)
        }
        Ok(Asked::Help) => {
            println!("{}", settings::USAGE);
            ExitCode::SUCCESS
        }
        Ok(Asked::List) => {
            for family in sweep::FAMILIES {
                println!("{:<12} {}", family.name, family.what);
            }
            ExitCode::SUCCESS
        }
        Ok(Asked::Run(settings)) => sweep::run(&settings),
    }
}
