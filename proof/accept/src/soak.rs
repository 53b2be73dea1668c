//! `cargo xtask checker`: runs crowds against the real binary, each judged from outside.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use buttonwood_accept::{Crowd, laws};
use buttonwood_checker::{History, Tally, Verdict};

const USAGE: &str = "\
usage: cargo xtask checker [--seed N] [--minutes M] [--calls N] [--kills N]
       cargo xtask checker --again FILE
  --seed N     the first seed, or without --minutes the only one (default 1)
  --minutes M  seed after seed, for so long
  --calls N    answers in each life of the exchange (default 1500)
  --kills N    how often it is killed in one history (default 4)
  --again FILE judges a history that was left in a file, and nothing else
";

/// The parsed command line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    seed: u64,
    span: Option<Duration>,
    calls: u64,
    kills: u64,
    again: Option<PathBuf>,
}

impl Wanted {
    /// Parses the words; `None` for a request for help.
    ///
    /// # Errors
    /// Names the word that is not understood.
    fn parse(words: &[String]) -> Result<Option<Self>, String> {
        let mut wanted = Self { seed: 1, span: None, calls: 1_500, kills: 4, again: None };
        if let [flag, file] = words
            && flag == "--again"
        {
            return Ok(Some(Self { again: Some(file.into()), ..wanted }));
        }
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let mut number = |most| -> Result<u64, String> {
                let text = words.next().ok_or_else(|| format!("{word} needs a value"))?;
                let number = text.parse().ok().filter(|number| (1..=most).contains(number));
                number.ok_or_else(|| format!("{word} {text}: a whole number from 1 to {most}"))
            };
            match word {
                "--help" | "-h" => return Ok(None),
                "--again" => return Err("--again wants a file and stands alone".to_owned()),
                "--seed" => wanted.seed = number(u64::MAX)?,
                "--minutes" => wanted.span = Some(Duration::from_secs(number(24 * 60)? * 60)),
                "--calls" => wanted.calls = number(20_000)?,
                "--kills" => wanted.kills = number(100)?,
                other => return Err(format!("`{other}` is not understood")),
            }
        }
        Ok(Some(wanted))
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let told = match Wanted::parse(&words) {
        Ok(Some(Wanted { again: Some(file), .. })) => again(&file),
        Ok(Some(wanted)) => run(&wanted),
        Ok(None) => {
            print!("{USAGE}");
            Ok(())
        }
        Err(why) => Err(format!("{why}\n\n{USAGE}")),
    };
    match told {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("history: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Judges a saved history again.
fn again(file: &Path) -> Result<(), String> {
    let history = History::load(file).map_err(|error| format!("{}: {error}", file.display()))?;
    match history.judge() {
        Verdict::Legal(tally) => {
            println!("{tally}");
            Ok(())
        }
        Verdict::Illegal(why) | Verdict::Undecided(why) => Err(why),
    }
}

fn run(wanted: &Wanted) -> Result<(), String> {
    let began = Instant::now();
    let (mut histories, mut calls, mut lost, mut happened) = (0, 0, 0, 0);
    for seed in wanted.seed.. {
        let tally = one(wanted, seed)?;
        println!("seed {seed}: {tally}");
        histories += 1;
        calls += tally.operations;
        lost += tally.lost;
        happened += tally.happened;
        if wanted.span.is_none_or(|span| began.elapsed() >= span) {
            break;
        }
    }
    println!(
        "history: {histories} histories of {calls} calls are explained, {lost} calls without an answer, {happened} of \
         them happened; {:.0?}",
        began.elapsed()
    );
    Ok(())
}

/// One history. A panic of the harness is a finding too, reported with the seed.
fn one(wanted: &Wanted, seed: u64) -> Result<Tally, String> {
    let [calls, kills] = [wanted.calls, wanted.kills].map(|number| usize::try_from(number).expect("few"));
    let crowd = Crowd { seed, lives: vec![calls; kills + 1] };
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let exchange = crowd.setup().start();
        let history = crowd.play(&exchange);
        let tally = crowd
            .judge(&history)
            .map_err(|why| format!("{why}\nthe exchange's directory: {}", exchange.keep().display()))?;
        laws::check(&exchange);
        Ok(tally)
    }));
    let told = ended.unwrap_or_else(|_| Err(format!("seed {seed}: a panic, see above")));
    told.map_err(|why| {
        format!("{why}\nagain: cargo xtask checker --seed {seed} --calls {calls} --kills {kills}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Option<Wanted>, String> {
        Wanted::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    /// A word that is not understood is named.
    #[test]
    fn names_what_makes_no_sense() {
        for (line, named) in [
            ("--seed", "--seed needs a value"),
            ("--seed x", "--seed x"),
            ("--minutes 0", "--minutes 0"),
            ("--minutes -1", "--minutes -1"),
            ("--calls 20001", "--calls 20001"),
            ("--kills 0", "--kills 0"),
            ("--again", "--again wants a file"),
            ("--seed 1 --again x", "--again wants a file and stands alone"),
            ("--quick", "`--quick`"),
        ] {
            let refusal = parse(line).unwrap_err();
            assert!(refusal.contains(named), "{line}: {refusal}");
        }
        let wanted = Wanted { seed: 7, span: Some(Duration::from_mins(2)), calls: 9, kills: 1, again: None };
        assert_eq!(parse("--seed 7 --minutes 2 --calls 9 --kills 1"), Ok(Some(wanted)));
        assert_eq!(parse("--help"), Ok(None));
    }
}
