//! The command line.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::sweep::{FAMILIES, Family};

/// The text of `--help`.
pub const USAGE: &str = "\
usage: cargo xtask faults [NAME…] [--seed N] [--first N] [--rounds N] [--quick] [--list]
  NAME        families of faults; all of them if none is named
  --seed N    what every choice of the sweep is drawn from (default: the time, printed)
  --first N   the first round to run, from 1; with --rounds 1 it repeats one round
  --rounds N  rounds of each family, at least 1 (default: the family's own)
  --quick     the bounded part that continuous integration runs
  --list      what the families are called and do";

/// The task that the command line requests.
#[derive(Debug)]
pub enum Asked {
    /// The usage.
    Help,
    /// The list of families.
    List,
    /// A sweep.
    Run(Settings),
}

/// The settings of a sweep.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The families to run, in the order of the list.
    pub families: Vec<&'static Family>,
    /// The seed of all choices.
    pub seed: u64,
    /// The number of the first round.
    pub first: u64,
    /// Rounds of each family, if given.
    pub rounds: Option<u64>,
    /// Whether only the bounded part is run.
    pub quick: bool,
}

/// Parses the command line; the error names the word that is not understood.
pub fn read(words: &[String]) -> Result<Asked, String> {
    let mut names: Vec<&str> = Vec::new();
    let mut settings =
        Settings { families: Vec::new(), seed: of_now(), first: 1, rounds: None, quick: false };
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        let mut number = |least: u64| -> Result<u64, String> {
            let value = rest.next().ok_or_else(|| format!("{word} wants a number behind it"))?;
            let number: u64 = value.parse().map_err(|_| format!("{word} {value}: not a whole number"))?;
            if number < least { Err(format!("{word} {value}: at least {least}")) } else { Ok(number) }
        };
        match word {
            "--help" | "-h" => return Ok(Asked::Help),
            "--list" => return Ok(Asked::List),
            "--quick" => settings.quick = true,
            "--seed" => settings.seed = number(0)?,
            "--first" => settings.first = number(1)?,
            "--rounds" => settings.rounds = Some(number(1)?),
            flag if flag.starts_with('-') => return Err(format!("{flag}: no such flag")),
            name => names.push(name),
        }
    }
    for name in &names {
        if !FAMILIES.iter().any(|family| family.name == *name) {
            let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
            return Err(format!("{name}: no such family of faults; there are {}", known.join(", ")));
        }
    }
    settings.families =
        FAMILIES.iter().filter(|family| names.is_empty() || names.contains(&family.name)).collect();
    Ok(Asked::Run(settings))
}

/// The default seed: from the clock, but short enough to type.
fn of_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() % 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        read(&words).expect_err("this makes no sense")
    }

    /// A word that is not understood is named.
    #[test]
    fn nonsense_is_named() {
        assert!(refused(&["--seed", "seven"]).contains("--seed seven"));
        assert!(refused(&["--seed"]).contains("--seed"));
        assert!(refused(&["--seed", "-1"]).contains("--seed -1"));
        assert!(refused(&["--rounds", "0"]).contains("--rounds 0"));
        assert!(refused(&["--first", "0"]).contains("--first 0"));
        assert!(refused(&["--fast"]).contains("--fast"));
        assert!(refused(&["earthquake"]).contains("earthquake"));
    }

    #[test]
    fn names_choose_families() {
        let asked =
            read(&["kill".to_owned(), "--seed".to_owned(), "7".to_owned()]).expect("this makes sense");
        let Asked::Run(settings) = asked else { panic!("{asked:?}") };
        assert_eq!((settings.families.len(), settings.seed), (1, 7));
    }
}
