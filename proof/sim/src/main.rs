//! `cargo xtask sim`: lives and sweeps of seeds, and what is left behind when one of them fails.

#[cfg(feature = "planted")]
mod planted;
mod report;
mod wanted;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match wanted::Wanted::parse(&words) {
        Ok(Some(wanted)) => run(&wanted),
        Ok(None) => {
            print!("{}", wanted::USAGE);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("sim: {why}\n\n{}", wanted::USAGE);
            ExitCode::FAILURE
        }
    }
}

#[cfg(feature = "planted")]
fn run(wanted: &wanted::Wanted) -> ExitCode {
    match wanted.planted {
        Some(count) => {
            std::panic::set_hook(Box::new(|_| {}));
            planted::run(wanted.seed - 1, count)
        }
        None => report::run(wanted),
    }
}

#[cfg(not(feature = "planted"))]
fn run(wanted: &wanted::Wanted) -> ExitCode {
    if wanted.planted.is_some() {
        eprintln!("sim: --planted needs a build with the feature `planted`: cargo xtask planted");
        return ExitCode::FAILURE;
    }
    report::run(wanted)
}
