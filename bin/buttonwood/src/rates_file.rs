//! A venue's exchange rates: a file of the operator, whose new lines are added at the start.
//!
//! A line has a time, a pair, a rate and a provider, parted by commas: `2025-04-16T00:00:00Z,EURUSD,1.1355,central bank`. The
//! first line may name these columns.

use crate::flags::moment;
use crate::trouble::Trouble;
use buttonwood_engine::{Body, Command, FxPair, FxRate, NewRates, Quote, RATES_MAX, Rates};
use buttonwood_gate::{LATEST, timestamp_millis};
use buttonwood_model::Time;
use buttonwood_num::Decimal;
use buttonwood_sequencer::Recovered;
use buttonwood_wire::text::{PLAIN, is_plain, visible};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The names of the columns.
const COLUMNS: &str = "time,pair,rate,provider";

/// A file that was read.
#[derive(Debug)]
pub(crate) struct RatesFile {
    path: PathBuf,
    /// By pair and milliseconds.
    rows: BTreeMap<(FxPair, u64), Row>,
}

/// A line.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    line: usize,
    rate: FxRate,
    provider: String,
}

impl RatesFile {
    /// Reads a file as a whole, before anything else is done.
    pub(crate) fn read(path: &Path) -> Result<Self, Trouble> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Trouble::Flag(format!("--fx-rates {}: {error}", path.display())))?;
        let mut file = Self { path: path.to_owned(), rows: BTreeMap::new() };
        for (line, text) in (1..).zip(text.lines()) {
            if text.trim().is_empty() || (line == 1 && text.trim() == COLUMNS) {
                continue;
            }
            let (key, row) = row(line, text).map_err(|why| file.trouble(line, &why))?;
            match file.rows.get(&key) {
                Some(other) if (other.rate, &other.provider) != (row.rate, &row.provider) => {
                    let why = format!("another rate of the same pair and time is in line {}", other.line);
                    return Err(file.trouble(line, &why));
                }
                Some(_) => {}
                None => {
                    file.rows.insert(key, row);
                }
            }
        }
        Ok(file)
    }

    fn trouble(&self, line: usize, why: &str) -> Trouble {
        Trouble::Flag(format!("--fx-rates {}: line {line}: {why}", self.path.display()))
    }

    /// Adds the rates that the exchange does not have yet.
    ///
    /// # Errors
    /// A line that contradicts a stored rate: rates never change. Nothing was added then.
    pub(crate) fn import(self, recovered: &mut Recovered, time: Time) -> Result<(), Trouble> {
        let batches = self.new_rates(recovered.views().state().rates())?;
        for batch in batches {
            recovered.commit(time, vec![Command { caller: None, body: Body::add_rates(batch) }])?;
        }
        Ok(())
    }

    /// The rates that are not stored, in parts that fit a command.
    fn new_rates(self, stored: &Rates) -> Result<Vec<NewRates>, Trouble> {
        let mut new: BTreeMap<(FxPair, &str), Vec<(u64, FxRate)>> = BTreeMap::new();
        for ((pair, millis), Row { line, rate, provider }) in &self.rows {
            match stored.exactly_at(*pair, Time(millis * 1_000)) {
                None => new.entry((*pair, provider)).or_default().push((*millis, *rate)),
                Some(same) if (same.rate, same.provider) == (*rate, provider) => {}
                Some(Quote { rate, provider, .. }) => {
                    let mut shown = Vec::new();
                    rate.push(&mut shown);
                    let why = format!(
                        "the exchange has another rate of {} for this time, {} from {provider}, and a stored rate never \
                         changes; give the correction a later time",
                        pair.name(),
                        String::from_utf8_lossy(&shown)
                    );
                    return Err(self.trouble(*line, &why));
                }
            }
        }
        let batches = new.into_iter().flat_map(|((pair, provider), rates)| {
            let parts: Vec<_> = rates.chunks(RATES_MAX).map(<[_]>::to_vec).collect();
            parts.into_iter().map(move |rates| NewRates { pair, provider: provider.to_owned(), rates })
        });
        Ok(batches.collect())
    }
}

/// The pair, the time in milliseconds, and the rest of a line.
fn row(line: usize, text: &str) -> Result<((FxPair, u64), Row), String> {
    let fields: Vec<&str> = text.splitn(4, ',').map(str::trim).collect();
    let [time, pair, rate, provider] = *fields else {
        return Err(format!("four fields are wanted, {COLUMNS}: '{text}'"));
    };
    let millis = timestamp_millis(time).or_else(|| moment(time).map(Time::millis));
    let millis = millis.filter(|millis| *millis <= LATEST.millis()).ok_or_else(|| {
        format!("a time in milliseconds, in seconds or in ISO 8601 with its zone is wanted: '{time}'")
    })?;
    let pair = FxPair::find(pair).ok_or_else(|| format!("'{pair}' is not a pair that has rates"))?;
    let parsed = Decimal::parse(rate.as_bytes()).ok().and_then(FxRate::from_decimal);
    let rate = parsed.ok_or_else(|| {
        format!("a positive decimal of at most {} decimals is wanted: '{rate}'", FxRate::DECIMALS)
    })?;
    if !NewRates::is_provider(provider) || !is_plain(provider, provider.len()) {
        return Err(format!("a provider of at most 50 bytes is wanted, {PLAIN}: '{}'", visible(provider)));
    }
    Ok(((pair, millis), Row { line, rate, provider: provider.to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(lines: &str) -> Result<RatesFile, String> {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("rates.csv");
        std::fs::write(&path, lines).unwrap();
        RatesFile::read(&path).map_err(|trouble| {
            let text = trouble.to_string();
            text.split_once("rates.csv: ").expect("the file is named").1.to_owned()
        })
    }

    /// Times of each form are read, and lines are sorted into pairs and providers.
    #[test]
    fn lines_are_read() {
        let lines = "time,pair,rate,provider\n1744761600,eurusd,1.1355,bank\n\n2025-04-17T00:00:00Z, EURUSD, 1.2, bank\n\
                     1744934400000,EURUSD,1.3,other, and more\n2025-04-19,GBPUSD,1.32,bank\n1744761600,EURUSD,1.1355,bank\n";
        let new = file(lines).unwrap().new_rates(&Rates::default()).unwrap();
        let shown: Vec<_> = new
            .iter()
            .map(|new| {
                (new.pair.name(), new.provider.as_str(), new.rates.iter().map(|(time, _)| *time).collect())
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("EURUSD", "bank", vec![1_744_761_600_000, 1_744_848_000_000]),
                ("EURUSD", "other, and more", vec![1_744_934_400_000]),
                ("GBPUSD", "bank", vec![1_745_020_800_000]),
            ]
        );
    }

    #[test]
    fn wrong_lines_are_refused_by_number() {
        for (lines, why) in [
            ("1,EURUSD,1", "line 1: four fields are wanted"),
            ("\nyesterday,EURUSD,1,bank", "line 2: a time in milliseconds"),
            ("1,EURGBP,1,bank", "line 1: 'EURGBP' is not a pair"),
            ("1,EURUSD,-1,bank", "line 1: a positive decimal of at most 12 decimals"),
            ("1,EURUSD,0,bank", "line 1: a positive decimal"),
            ("1,EURUSD,0.0000000000001,bank", "line 1: a positive decimal"),
            ("1,EURUSD,1,", "line 1: a provider"),
            (
                "1,EURUSD,1,bank\n1,EURUSD,2,bank",
                "line 2: another rate of the same pair and time is in line 1",
            ),
            ("1,EURUSD,1,bank\n1,EURUSD,1,other", "line 2: another rate"),
        ] {
            let refused = file(lines).expect_err(lines);
            assert!(refused.starts_with(why), "{refused}");
        }
    }

    /// More rates than a command holds are split.
    #[test]
    fn long_files_are_split() {
        let lines: Vec<String> = (0..=RATES_MAX).map(|at| format!("{at},EURUSD,1,bank")).collect();
        let new = file(&lines.join("\n")).unwrap().new_rates(&Rates::default()).unwrap();
        assert_eq!(new.iter().map(|new| new.rates.len()).collect::<Vec<_>>(), [RATES_MAX, 1]);
    }
}
