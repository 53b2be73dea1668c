//! The command line.

use buttonwood_sim::adversary::Breach;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const USAGE: &str = "\
usage: cargo xtask sim [--seed N] [--seeds N | --minutes M | --ci | --release] [--commands N] [--cuts N]
                       [--programs N] [--workers N] [--without WORD,WORD] [--ignore KIND,KIND] [--only life|sweep|compare|funds|perps|margin|offbook|predictions|identity|streams|adversary]
       cargo xtask sim --play PATH
  --seed N      the first seed; the only one without --seeds, --minutes and --ci (default 1)
  --seeds N     N seeds, up to the first that fails
  --minutes M   seed after seed, for so long
  --release     every seed that ever failed, then as many as a release asks for
  --ci          the same with an eighth of them and a third of the adversaries, which every commit must pass within six minutes
  --commands N  commands of a life (default 10000)
  --cuts N      power cuts tried before each call of a sweep (default 24)
  --programs N  programs of an adversary's search (default 20000)
  --workers N   seeds at a time (default: one for each processor)
  --without A,B an adversary leaves out acts with one of these words, such as `quote` or `btcgusdperp`
  --ignore A,B  breaches that an adversary passes over: gain, debt, harm, looks, death, insurance, instant, fees, staking_rewards, promo
  --only KIND   lives, sweeps, the core beside the naive exchange, funds on faulty chains, perpetuals, spot margin, clearing and staking, prediction markets, people and apps, streams, or the adversary alone
  --play PATH   plays an adversary's program, or all of a folder, act by act, each on the scene that it names, and judges it
";

/// Continuous integration runs one of so many parts of what a release must pass, so that it takes six minutes at most on two cores.
const CI_PARTS: u64 = 8;

/// A kind of run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Long lives.
    Life,
    /// Sweeps of crash states.
    Sweep,
    /// The core and the naive exchange together, without a disk.
    Compare,
    /// Withdrawals and deposits on simulated chains.
    Funds,
    /// Funding and liquidations of perpetuals.
    Perps,
    /// Interest and liquidations of spot margin.
    Margin,
    /// Settlements and accruals of clearing and staking.
    OffBook,
    /// Payouts, refunds and rewards of prediction markets.
    Predictions,
    /// Sign-ins, grants and tokens.
    Identity,
    /// Readers of books and order events.
    Streams,
    /// Searches for what people who trade with themselves could take.
    Adversary,
}

impl Kind {
    /// Every kind, in the order in which a seed runs them.
    pub(crate) const ALL: [Self; 11] = [
        Self::Life,
        Self::Sweep,
        Self::Compare,
        Self::Funds,
        Self::Perps,
        Self::Margin,
        Self::OffBook,
        Self::Predictions,
        Self::Identity,
        Self::Streams,
        Self::Adversary,
    ];

    /// Its name on the command line and in `seeds.txt`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Life => "life",
            Self::Sweep => "sweep",
            Self::Compare => "compare",
            Self::Funds => "funds",
            Self::Perps => "perps",
            Self::Margin => "margin",
            Self::OffBook => "offbook",
            Self::Predictions => "predictions",
            Self::Identity => "identity",
            Self::Streams => "streams",
            Self::Adversary => "adversary",
        }
    }

    /// The kind of this name.
    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// How long to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Span {
    /// One seed.
    One,
    /// A number of seeds.
    Seeds(u64),
    /// This much time.
    For(Duration),
    /// Until this part of a release's totals is reached: one of so many.
    Release(u64),
}

/// A parsed command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) seed: u64,
    pub(crate) span: Span,
    pub(crate) commands: u64,
    pub(crate) cuts: u64,
    pub(crate) programs: u64,
    /// Seeds at a time; as many as there are processors if nothing is said.
    pub(crate) workers: Option<usize>,
    /// An adversary leaves out acts with one of these words.
    pub(crate) without: Vec<String>,
    /// Kinds of breaches that it passes over.
    pub(crate) ignored: Vec<String>,
    /// Programs that are only played.
    pub(crate) play: Option<PathBuf>,
    pub(crate) only: Option<Kind>,
}

impl Wanted {
    /// Parses the words; `None` for a request for help.
    ///
    /// # Errors
    /// Names the word that is not understood.
    pub(crate) fn parse(words: &[String]) -> Result<Option<Self>, String> {
        let mut wanted = Self {
            seed: 1,
            span: Span::One,
            commands: 10_000,
            cuts: 24,
            programs: 20_000,
            workers: None,
            without: Vec::new(),
            ignored: Vec::new(),
            play: None,
            only: None,
        };
        let mut words = words.iter().map(String::as_str);
        let mut given: Vec<&str> = Vec::new();
        while let Some(word) = words.next() {
            if given.contains(&word) {
                return Err(format!("{word} is given twice"));
            }
            given.push(word);
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word {
                "--help" | "-h" => return Ok(None),
                "--ci" if wanted.span == Span::One => wanted.span = Span::Release(CI_PARTS),
                "--release" if wanted.span == Span::One => wanted.span = Span::Release(1),
                "--minutes" if wanted.span == Span::One => {
                    let minutes = number(word, value()?, 24 * 60)?;
                    wanted.span = Span::For(Duration::from_secs(minutes * 60));
                }
                "--seeds" if wanted.span == Span::One => {
                    wanted.span = Span::Seeds(number(word, value()?, 1_000_000)?);
                }
                "--ci" | "--release" | "--minutes" | "--seeds" => {
                    return Err(format!("{word} beside another span"));
                }
                "--seed" => wanted.seed = number(word, value()?, u64::MAX)?,
                "--commands" => wanted.commands = number(word, value()?, 100_000_000)?,
                "--cuts" => wanted.cuts = number(word, value()?, 1_000_000)?,
                "--programs" => wanted.programs = number(word, value()?, 1_000_000_000)?,
                "--workers" => wanted.workers = usize::try_from(number(word, value()?, 1_024)?).ok(),
                "--without" => wanted.without = value()?.split(',').map(str::to_owned).collect(),
                "--ignore" => {
                    wanted.ignored = value()?.split(',').map(str::to_owned).collect();
                    if let Some(other) =
                        wanted.ignored.iter().find(|kind| !Breach::KINDS.contains(&kind.as_str()))
                    {
                        return Err(format!("--ignore {other}: there are {}", Breach::KINDS.join(", ")));
                    }
                }
                "--play" => wanted.play = Some(value()?.into()),
                "--only" => {
                    let word = value()?;
                    wanted.only = Some(Kind::named(word).ok_or_else(|| {
                        let words = Kind::ALL.map(Kind::word).join(", ");
                        format!("--only {word}: there are {words}")
                    })?);
                }
                other => return Err(format!("`{other}` is not understood")),
            }
        }
        Ok(Some(wanted))
    }
}

fn number(flag: &str, text: &str, most: u64) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(number) if (1..=most).contains(&number) => Ok(number),
        Ok(_) | Err(_) => Err(format!("{flag} {text}: a whole number from 1 to {most}")),
    }
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
            ("--seed 0", "--seed 0"),
            ("--seed -1", "--seed -1"),
            ("--seed 18446744073709551616", "--seed 18446744073709551616"),
            ("--minutes 0", "--minutes 0"),
            ("--minutes 1 --ci", "--ci beside"),
            ("--only nothing", "--only nothing"),
            ("--quick", "`--quick`"),
            ("--seed 1 --seed 2", "--seed is given twice"),
            ("--ci --ci", "--ci is given twice"),
            ("--ci --release", "--release beside"),
            ("--seeds 3 --minutes 3", "--minutes beside"),
            ("--ci --seeds 3", "--seeds beside"),
            ("--seeds 0", "--seeds 0"),
            ("--ignore gain,loss", "--ignore loss: there are gain, debt"),
        ] {
            let refusal = parse(line).unwrap_err();
            assert!(refusal.contains(named), "{line}: {refusal}");
        }
        let wanted = parse("--seed 7 --minutes 2 --only sweep").unwrap().unwrap();
        assert_eq!((wanted.seed, wanted.only), (7, Some(Kind::Sweep)));
        assert_eq!(wanted.span, Span::For(Duration::from_mins(2)));
        assert_eq!(parse("--seeds 2 --seed 3").unwrap().unwrap().span, Span::Seeds(2));
        assert_eq!(parse("--help"), Ok(None));
    }
}
