//! The shared order flow: seeded operations with their own reference book (price-time priority).
//!
//! One line per operation: `op,id,side,price_ticks,qty_lots,symbol,account`. N = limit, I = immediate-or-cancel, K =
//! market, C = cancel, M = move to a new passive price (it loses priority and keeps the open quantity, so that an
//! interface without a move can cancel and enter a new order). Mix A is exchange-core's published one (9 % N, 3 % I,
//! 6 % C, 82 % M), B plain (60 % N, 35 % C, 5 % K), P passive adds only. Buyers and sellers are different accounts,
//! so that engines with and without a self-trade rule do the same work. The generator matches too, so trades and
//! traded lots are known before any measurement. The same seed always gives the same bytes, so that figures of
//! different days use the same flow.

pub(crate) mod book;
mod generator;
pub(crate) mod rng;

use generator::Generator;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) id: u64,
    pub(crate) price: u64,
    pub(crate) lots: u64,
    pub(crate) account: u32,
    pub(crate) symbol: u16,
    pub(crate) sells: bool,
    pub(crate) kind: u8,
}

/// A file of operations and their expected results.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) name: String,
    pub(crate) ops: Vec<Op>,
    /// Operations before the measured ones.
    pub(crate) prefill: usize,
    pub(crate) symbols: u16,
    pub(crate) expect: Tally,
}

/// The results of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) trades: u64,
    pub(crate) lots: u64,
    pub(crate) resting: u64,
}

/// The flow of a published file (`A1`, `A100`, `B1`, `B100`, `P1`), made once and kept in the build folder.
pub(crate) fn flow(name: &str) -> Flow {
    flow_of(name, published(name))
}

/// The same mix and seed with another number of operations.
pub(crate) fn flow_of(name: &str, ops: u64) -> Flow {
    let stream = Stream::open(name, ops);
    let Stream { prefill, symbols, expect, .. } = stream;
    Flow { name: name.to_owned(), ops: stream.collect(), prefill, symbols, expect }
}

/// The published flow, read line by line.
pub(crate) fn stream(name: &str) -> Stream {
    Stream::open(name, published(name))
}

fn published(name: &str) -> u64 {
    if name.starts_with('P') { 1_000_000 } else { 3_000_000 }
}

fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || {
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .ancestors()
                .nth(2)
                .expect("bench stands in proof, which stands in the root")
                .join("target")
        },
        PathBuf::from,
    );
    target.join("bench-ops")
}

/// A flow's file, open for reading.
pub(crate) struct Stream {
    lines: BufReader<fs::File>,
    line: String,
    prefill: usize,
    symbols: u16,
    /// The results of the generator's own book.
    pub(crate) expect: Tally,
}

impl Stream {
    fn open(name: &str, ops: u64) -> Self {
        let file = if ops == published(name) { format!("{name}.csv") } else { format!("{name}-{ops}.csv") };
        let path = folder().join(file);
        let expected = path.with_extension("csv.expect");
        if !expected.exists() {
            let (mix, symbols) = name.split_at(1);
            let symbols = symbols.parse().expect("a flow is named by its mix and its number of symbols");
            fs::create_dir_all(folder()).expect("the build folder takes files");
            // Written under a unique name: another process may need the same flow, and must not find half of it.
            let own = path.with_extension(format!("{}.csv", std::process::id()));
            Generator::new(mix.as_bytes()[0], symbols, &own).run(ops);
            for (made, kept) in [(&own, &path), (&own.with_extension("csv.expect"), &expected)] {
                fs::rename(made, kept).expect("the build folder takes files");
            }
        }
        let mut lines = BufReader::new(fs::File::open(&path).expect("the flow was made"));
        let mut line = String::with_capacity(128);
        lines.read_line(&mut line).expect("a flow has a head");
        let expect = fs::read_to_string(expected).expect("the flow's outcome was written beside it");
        Self {
            prefill: field(&line, "prefill") as usize,
            symbols: field(&line, "symbols") as u16,
            expect: Tally {
                trades: field(&expect, "trades"),
                lots: field(&expect, "lots"),
                resting: field(&expect, "resting"),
            },
            lines,
            line,
        }
    }
}

impl Iterator for Stream {
    type Item = Op;

    fn next(&mut self) -> Option<Op> {
        self.line.clear();
        if self.lines.read_line(&mut self.line).expect("a flow is text") == 0 {
            return None;
        }
        let mut fields = self.line.trim_end().split(',');
        let kind = fields.next().expect("a kind").as_bytes()[0];
        let id = number(fields.next());
        let sells = fields.next() == Some("S");
        let (price, lots) = (number(fields.next()), number(fields.next()));
        let (symbol, account) = (number(fields.next()) as u16, number(fields.next()) as u32);
        Some(Op { id, price, lots, account, symbol, sells, kind })
    }
}

fn field(line: &str, key: &str) -> u64 {
    let value = line.split_ascii_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{key} in {line:?}"))
}

fn number(text: Option<&str>) -> u64 {
    text.and_then(|text| text.parse().ok()).expect("a number")
}
