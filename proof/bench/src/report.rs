//! The table of ratios with their goals: floor, target and extreme.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::figures::Spread;

/// The goal of a benchmark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    pub(crate) what: &'static str,
    pub(crate) ratio: &'static str,
    pub(crate) floor: f64,
    pub(crate) target: f64,
    pub(crate) extreme: f64,
}

impl Goal {
    /// The level that a ratio reaches. The order of a goal's levels says whether more is better.
    fn level(&self, ratio: f64) -> &'static str {
        let more = self.extreme > self.floor;
        let reaches = |level: f64| if more { ratio >= level } else { ratio <= level };
        match () {
            () if reaches(self.extreme) => "extreme",
            () if reaches(self.target) => "target",
            () if reaches(self.floor) => "floor",
            () => "BELOW",
        }
    }
}

/// One measured ratio.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) number: u8,
    pub(crate) what: &'static str,
    pub(crate) goal: Goal,
    pub(crate) spread: Spread,
    pub(crate) detail: String,
}

/// Every ratio of a run.
#[derive(Debug, Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
    /// Benchmarks that this machine cannot run, with their reasons.
    skipped: Vec<String>,
}

impl Report {
    pub(crate) fn add(&mut self, row: Row) {
        crate::say(&format!(
            "{}: {} = {:.3} ({})",
            row.number,
            row.goal.ratio,
            row.spread.median,
            row.goal.level(row.spread.median)
        ));
        self.rows.push(row);
    }

    /// Records that a benchmark cannot run here, and why.
    pub(crate) fn skip(&mut self, number: u8, why: &str) {
        let line = format!("SKIPPED {number}: {why}");
        crate::say(&line);
        self.skipped.push(line);
    }

    /// Whether any ratio is below its floor.
    pub(crate) fn misses(&self) -> bool {
        self.rows.iter().any(|row| row.goal.level(row.spread.median) == "BELOW")
    }

    /// The table, with the machine and the day.
    pub(crate) fn table(&self) -> String {
        let mut out = format!("Measured on {} on {}.\n\n", today(), machine());
        out.push_str("| # | benchmark | ratio | median | range | n | floor | target | extreme | reaches |\n");
        out.push_str("|---|---|---|---:|---|---:|---:|---:|---:|---|\n");
        for Row { number, what, goal, spread, .. } in &self.rows {
            let Goal { ratio, floor, target, extreme, .. } = goal;
            let Spread { median, least, most, n } = spread;
            let level = goal.level(*median);
            let _ = writeln!(
                out,
                "| {number} | {what} | {ratio} | {median:.2} | {least:.2}-{most:.2} | {n} | {floor} | {target} | {extreme} | {level} |"
            );
        }
        out.push('\n');
        for row in &self.rows {
            let _ = writeln!(out, "- {}: {}", row.number, row.detail);
        }
        for line in &self.skipped {
            let _ = writeln!(out, "- {line}");
        }
        out
    }

    /// Stores the table in the repository.
    pub(crate) fn store(&self) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("RESULTS.md");
        let head = "# Results of `cargo xtask bench`\n\nRatios against references that ran interleaved in the same run; \
                    every answer was checked before its time was reported.\n\n";
        fs::write(&path, format!("{head}{}", self.table())).expect("the results can be written");
        crate::say(&format!("written to {}", path.display()));
    }
}

fn today() -> String {
    let output = std::process::Command::new("date").arg("+%Y-%m-%d").output();
    output.map_or_else(
        |_| "an unknown day".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}

fn machine() -> String {
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processor.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{cores} x {}, Linux {}", model.unwrap_or("unknown processor"), kernel.trim())
}
