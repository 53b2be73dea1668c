//! `cargo xtask hostile`: calls of every kind over HTTP, by groups that own several accounts and wish the exchange ill.
//!
//! It starts a sandbox whose index stands still, reads the contract that the exchange serves, and makes calls of all its operations: good
//! ones, made of what earlier answers have taught, and good ones with one field changed to an extreme, another type or an odd text. It
//! judges from outside: no 5xx, no answer that does not parse, junk of a peer that takes no more of the journal than its share, a process that
//! lives and restarts with the same balances after a kill, and INV-HOUSE: no one has gained what no one paid in. The simulator's adversary
//! (`proof/sim`) knows the rules; this one knows the wire.
//!
//! Not here: damaged HTTP (`proof/accept`, `hostile_http`), wrong signatures, load, an index that moves.

mod call;
mod contract;
mod extreme;
mod floods;
mod good;
mod house;
mod judge;
mod junk;
mod markets;
mod money;
mod mutate;
mod options;
mod people;
mod pool;
mod prices;
mod raw;
mod recipes;
mod rng;
mod run;
mod server;
mod tally;
mod tame;

use options::Options;
use run::{Finding, Run};
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let options = match Options::of(&words) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("hostile: {why}\n{}", options::USAGE);
            return ExitCode::FAILURE;
        }
    };
    if let Some(time) = options.floods {
        return match floods::check(&options.binary, options.seed, time) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("hostile: {why}");
                ExitCode::FAILURE
            }
        };
    }
    println!("hostile: seed {}, {} seconds", options.seed, options.time.as_secs());
    match Run::begin(&options.binary, options.seed) {
        Ok(mut run) => end(&options, &mut run),
        Err(why) => {
            eprintln!("hostile: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs and reports.
fn end(options: &Options, run: &mut Run) -> ExitCode {
    let done = run.go(options.time);
    let drawn = run.operations.iter().filter(|operation| !tame::is_left_out(operation)).count();
    println!("{}", run.tally.report(&run.operations, drawn));
    match done {
        Ok(()) => {
            println!("hostile: nothing found");
            ExitCode::SUCCESS
        }
        Err(finding) => {
            report(options, run, &finding);
            ExitCode::FAILURE
        }
    }
}

/// Prints a finding with all that its analysis needs, and keeps the directory.
fn report(options: &Options, run: &mut Run, finding: &Finding) {
    run.server.keep();
    println!("hostile: FOUND with seed {}: {}\n    call {}", options.seed, finding.what, finding.call);
    println!("the last calls of that key, or of each:");
    run.recent_of(&finding.call).iter().for_each(|call| println!("    {call}"));
    println!("end of the log:\n{}", run.server.log_tail());
    println!("data {}, all calls {}", run.server.data(), run.server.calls_log().display());
}
