//! The command line.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) const USAGE: &str = "\
usage: cargo xtask hostile [--minutes M | --seconds S | --floods S] [--seed N]
  --minutes M     how long calls are made (default 5)
  --seconds S     the same in seconds
  --floods S      instead: floods each door from one peer for S seconds, and measures what others wait
  --seed N        which calls are made; random and printed without it
  --binary PATH   the exchange; cargo xtask hostile builds one";

/// The settings of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) binary: PathBuf,
    pub(crate) seed: u64,
    pub(crate) time: Duration,
    /// How long each door is flooded; none if calls are made.
    pub(crate) floods: Option<Duration>,
}

impl Options {
    /// Reads the words of the command line.
    pub(crate) fn of(words: &[String]) -> Result<Self, String> {
        let mut options =
            Self { binary: built(), seed: of_clock(), time: Duration::from_mins(5), floods: None };
        for pair in words.chunks(2) {
            let [name, value] = pair else { return Err(format!("{} has no value", pair.concat())) };
            let number =
                || value.parse::<u64>().map_err(|_| format!("{name} takes a whole number, not {value:?}"));
            match name.as_str() {
                "--binary" => options.binary = value.into(),
                "--seed" => options.seed = number()?,
                "--minutes" => options.time = Duration::from_secs(number()?.saturating_mul(60)),
                "--floods" => options.floods = Some(Duration::from_secs(number()?)),
                "--seconds" => options.time = Duration::from_secs(number()?),
                _ => return Err(format!("{name} is not understood")),
            }
        }
        Ok(options)
    }
}

/// The binary next to this one.
fn built() -> PathBuf {
    std::env::current_exe().map_or_else(|_| "buttonwood".into(), |own| own.with_file_name("buttonwood"))
}

fn of_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_micros()) + now.as_secs() % 1_000 * 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_set_what_they_name() {
        let of = |words: &str| Options::of(&words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let options = of("--seed 7 --minutes 2 --binary /x").unwrap();
        assert_eq!(
            options,
            Options { binary: "/x".into(), seed: 7, time: Duration::from_mins(2), floods: None }
        );
        assert_eq!(of("--floods 9").unwrap().floods, Some(Duration::from_secs(9)));
        for wrong in ["--seed", "--seed x", "--what 5", "5 5"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
