//! `cargo xtask`: the project's own chores, from formatting to the ccxt acceptance run.
//!
//! One file per chore. Each gets the [`Repo`] it works on and returns `Err` with a sentence, which is printed before
//! exiting with a non-zero code; a chore prints its progress to standard output.

mod anvil;
mod bench;
mod browser;
mod ccxt;
mod checker;
mod ci;
mod clients;
mod commits;
mod contract;
mod corpus;
mod debian;
mod deny;
mod examples;
mod exchange;
mod faults;
mod fuzz;
mod hostile;
mod instructions;
mod layers;
mod litecoin;
mod metadata;
mod mutants;
mod npm;
mod openpyxl;
mod ops;
mod overload;
mod panics;
mod planted;
mod python;
mod repo;
mod schemathesis;
mod scripts;
mod sim;
mod skipped;
mod suite;
mod tidy;
mod tool;
mod trace;
mod turn;

use std::process::ExitCode;

use repo::Repo;

const USAGE: &str = "\
usage: cargo xtask <chore>

  ci [--all]       what a change must pass, as continuous integration runs it; stops at the first failure. Of the long steps each
                   commit runs one in turn; --all runs one of each kind: this commit's part of planted bugs and of mutants,
                   fuzz, 600 treasuries of the simulator, a short overload, instructions and ops (about an hour)
  test             every test: scripts, unit, acceptance, documentation, then ccxt, other clients, schemathesis and the pages in a browser
  ccxt             stock ccxt from PyPI against a freshly started sandbox
  clients          published clients from PyPI and npm, unmodified, against a freshly started sandbox
  schemathesis     calls made of the contract, by schemathesis from PyPI, against a freshly started sandbox
  scripts          the scripts of the web pages in node, without a browser: tests of what they decide and write, and types
  browser          the web pages in Debian's chromium against a freshly started sandbox; leaves target/screenshots; `speed` times them instead
  commits [--build]  the new commits: messages, and in seconds whether the tree of each has the files and names that it needs;
                   --build builds each of them
  fmt              is everything formatted?
  tidy             module heads, left-over marks, empty rooms; speaks of long files and functions
  layers           do dependencies point down, and does ARCHITECTURE.md name every room?
  trace [--check]  tests to clauses: writes spec/coverage.md, or with --check only compares it
  contract [--check]  writes contract/*.json from routes, streams and types, or with --check only compares it
  deny             licences, banned crates, sources and advisories of dependencies
  sim [ARGS…]      the simulator: --seed N, --minutes M, --ci, --release and what `sim --help` lists
  mutants [K/N]    changes of single lines of the rooms that move or store money; tests must notice
                   (K/N: part K of N; --since COMMIT: of the lines that differ from it)
  planted [NAME…]  builds each bug of proof/planted.toml, or those named, into a scratch copy; the simulator must catch it
                   (K/N: part K of N; --ci: this commit's part; --check: only whether every edit fits)
  fuzz [TARGET…]   libFuzzer on every target, or on those named: --seconds N, --runs N, --seed N, --list
  hostile [ARGS…]  calls of every operation over HTTP, extremes included, by people who wish ill: --seed N, --minutes M; --floods S
  faults [ARGS…]   kills, power cuts, bad and full disks, damage: on real kernels and disks; --help tells more
  checker [ARGS…]  many clients and kills against the real binary, judged from outside: --seed N, --minutes M
  corpus [NAME…]   adds data directories of this build to the corpus that every later build must read
  instructions     instructions of the order path against proof/bench/instructions.txt; --write stores new counts
  ops              the files of ops/, each checked by the program that reads it; a real Prometheus scrapes a sandbox
  overload         ten times the load that the exchange can take; --quick for a short one
  bench [ARGS…]    the benchmarks, in release mode; ARGS go to buttonwood-bench
";

/// The result of a chore: success, or why it failed.
type Done = Result<(), String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Done {
    let Some((chore, rest)) = words.split_first() else {
        return Err(format!("no chore named\n\n{USAGE}"));
    };
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let repo = Repo::find()?;
    match (chore.as_str(), rest.as_slice()) {
        ("ci", []) => ci::run(&repo, ci::Turns::One),
        ("ci", ["--all"]) => ci::run(&repo, ci::Turns::All),
        ("test", []) => {
            let done = suite::run(&repo);
            skipped::sum_up();
            done
        }
        ("ccxt", []) => ccxt::run(&repo),
        ("clients", []) => clients::run(&repo),
        ("schemathesis", []) => schemathesis::run(&repo),
        ("scripts", []) => scripts::run(&repo),
        ("browser", []) => browser::run(&repo),
        ("browser", ["speed"]) => browser::speed(&repo),
        ("commits", _) => commits::run(&repo, &rest),
        ("fmt", []) => repo.cargo(["fmt", "--all", "--check"]).run(),
        ("tidy", []) => tidy::run(&repo),
        ("layers", []) => layers::run(&repo),
        ("trace", []) => trace::run(&repo, trace::Mode::Write),
        ("trace", ["--check"]) => trace::run(&repo, trace::Mode::Check),
        ("contract", []) => contract::run(&repo, contract::Mode::Write),
        ("contract", ["--check"]) => contract::run(&repo, contract::Mode::Check),
        ("deny", []) => deny::run(&repo),
        ("sim", _) => sim::run(&repo, &rest),
        ("mutants", _) => mutants::run(&repo, &rest),
        ("planted", _) => planted::run(&repo, &rest),
        ("fuzz", _) => fuzz::run(&repo, &rest),
        ("hostile", _) => hostile::run(&repo, &rest),
        ("faults", _) => faults::run(&repo, &rest),
        ("checker", _) => checker::run(&repo, &rest),
        ("corpus", _) => corpus::run(&repo, &rest),
        ("instructions", []) => instructions::run(&repo, instructions::Mode::Check),
        ("instructions", ["--write"]) => instructions::run(&repo, instructions::Mode::Write),
        ("ops", []) => ops::run(&repo),
        ("overload", []) => overload::run(&repo, overload::Length::Full),
        ("overload", ["--quick"]) => overload::run(&repo, overload::Length::Quick),
        ("bench", _) => bench::run(&repo, &rest),
        ("help" | "--help" | "-h", _) => {
            print!("{USAGE}");
            Ok(())
        }
        _ => Err(format!("`{}` is not understood\n\n{USAGE}", words.join(" "))),
    }
}
