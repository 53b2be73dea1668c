//! `cargo xtask sim`: lives and sweeps of seeds, and the files kept when one of them fails.

mod report;
mod wanted;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match wanted::Wanted::parse(&words) {
        Ok(Some(wanted)) => report::run(&wanted),
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
