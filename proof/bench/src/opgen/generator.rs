//! Writes a flow. The order of the random draws determines the bytes: do not change it.

use super::book::{Book, Resting, World};
use super::rng::Rng;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The seed of every published figure.
const SEED: u64 = 23;
/// The target number of resting orders per symbol.
const RESTING: usize = 1_000;

/// The kind of a mix's next operation, given the number of live orders in its book.
fn kind_of(mix: u8, is_prefill: bool, draw: f64, live: usize) -> char {
    match mix {
        _ if is_prefill => 'N',
        b'P' => 'N',
        b'A' if draw < 0.09 => 'N',
        b'A' if draw < 0.12 => 'I',
        b'A' if live == 0 => 'N',
        b'A' if draw < 0.18 => 'C',
        b'A' => 'M',
        _ if draw < 0.60 => 'N',
        _ if draw < 0.65 => 'K',
        _ if live == 0 => 'N',
        _ => 'C',
    }
}

/// The probability that a new order crosses: high if its book is above its size.
fn crossing_of(mix: u8, is_prefill: bool, live: usize) -> f64 {
    match mix {
        _ if is_prefill => 0.0,
        b'P' => 0.0,
        b'A' if live > RESTING => 0.6,
        b'A' => 0.0,
        _ if live > RESTING => 0.35,
        _ => 0.02,
    }
}

/// A flow in the making.
pub(super) struct Generator {
    mix: u8,
    path: PathBuf,
    out: BufWriter<fs::File>,
    rng: Rng,
    world: World,
    books: Vec<Book>,
    /// Cumulative Zipf weights of the symbols.
    zipf: Vec<f64>,
    /// Number of orders so far.
    id: u64,
    counts: Counts,
}

/// Number of operations so far, by kind.
#[derive(Default)]
struct Counts {
    limits: u64,
    immediates: u64,
    markets: u64,
    cancels: u64,
    moves: u64,
}

/// The draws for an operation that come before its kind.
#[derive(Clone, Copy)]
struct Draw {
    symbol: usize,
    side: u8,
    account: u32,
    qty: u64,
}

impl Draw {
    fn letter(self) -> char {
        letter(self.side)
    }
}

fn letter(side: u8) -> char {
    ['B', 'S'][usize::from(side)]
}

impl Generator {
    /// A flow of a mix over this many symbols, to be written to a file.
    pub(super) fn new(mix: u8, symbols: usize, path: &Path) -> Self {
        let file = fs::File::create(path).expect("the build folder takes files");
        let mut sum = 0.0;
        let weights = (0..symbols).map(|symbol| {
            sum += 1.0 / (symbol as f64 + 1.0);
            sum
        });
        Self {
            mix,
            path: path.to_owned(),
            out: BufWriter::with_capacity(1 << 20, file),
            rng: Rng(SEED),
            world: World::default(),
            zipf: weights.collect(),
            books: (0..symbols).map(|_| Book { mid: 20_000, ..Book::default() }).collect(),
            id: 0,
            counts: Counts::default(),
        }
    }

    /// Writes this many operations, those before the measured ones, and a file with their results.
    pub(super) fn run(mut self, ops: u64) {
        let symbols = self.books.len();
        let prefill = if self.mix == b'P' { 0 } else { (RESTING * symbols) as u64 };
        let mix = char::from(self.mix);
        self.put(&format!(
            "# prefill={prefill} mix={mix} symbols={symbols} ops={ops} resting={RESTING} seed={SEED}\n"
        ));
        for turn in 0..prefill {
            self.operation((turn % symbols as u64) as usize, true);
        }
        for _ in 0..ops {
            let symbol = self.symbol();
            self.operation(symbol, false);
        }
        self.out.flush().expect("the build folder takes files");
        fs::write(self.path.with_extension("csv.expect"), self.outcome())
            .expect("the build folder takes files");
    }

    fn put(&mut self, line: &str) {
        self.out.write_all(line.as_bytes()).expect("the build folder takes files");
    }

    fn symbol(&mut self) -> usize {
        let last = self.zipf.len() - 1;
        let draw = self.rng.unit() * self.zipf[last];
        self.zipf.partition_point(|bound| *bound < draw).min(last)
    }

    fn operation(&mut self, symbol: usize, is_prefill: bool) {
        let (rng, book) = (&mut self.rng, &mut self.books[symbol]);
        if rng.below(50) == 0 {
            let step = rng.below(3) as i64 - 1;
            book.mid = (book.mid + step).clamp(19_000, 21_000);
        }
        let side = rng.below(2) as u8;
        let live = book.live.len();
        let kind = kind_of(self.mix, is_prefill, rng.unit(), live);
        // Odd accounts buy, even ones sell: no order can meet one of its own account.
        let account = 1 + (rng.below(500) * 2 + u64::from(side)) as u32;
        // Mix A's takers are small while the book is below its size, which keeps it near its size.
        let qty = if kind == 'I' && live < RESTING { 1 + rng.below(20) } else { 1 + rng.below(100) };
        let draw = Draw { symbol, side, account, qty };
        match kind {
            'N' => self.limit(draw, crossing_of(self.mix, is_prefill, live)),
            'I' => self.immediate(draw),
            'K' => self.market(draw),
            'C' => self.cancel(symbol),
            _ => self.shift(symbol),
        }
    }

    /// The best price of the other side, or up to two ticks beyond it.
    fn crossing_price(&mut self, draw: Draw) -> Option<i64> {
        let best = self.books[draw.symbol].best(draw.side ^ 1)?;
        let deep = self.rng.below(3) as i64;
        Some(if draw.side == 0 { best + deep } else { best - deep })
    }

    fn limit(&mut self, draw: Draw, crossing: f64) {
        self.counts.limits += 1;
        self.id += 1;
        let crosses = self.rng.unit() < crossing;
        let across = if crosses { self.crossing_price(draw) } else { None };
        let price = across.unwrap_or_else(|| self.books[draw.symbol].passive(&mut self.rng, draw.side));
        let Draw { symbol, side, account, qty } = draw;
        let (id, letter) = (self.id, draw.letter());
        self.put(&format!("N,{id},{letter},{price},{qty},{symbol},{account}\n"));
        let book = &mut self.books[symbol];
        let left = book.take(&mut self.world, side, Some(price), qty);
        if left > 0 {
            book.rest(&mut self.world, id, Resting { side, price, qty: left, account, at: 0 });
        }
    }

    fn immediate(&mut self, draw: Draw) {
        self.counts.immediates += 1;
        self.id += 1;
        let price = self.crossing_price(draw).unwrap_or(self.books[draw.symbol].mid);
        let Draw { symbol, side, account, qty } = draw;
        let (id, letter) = (self.id, draw.letter());
        self.put(&format!("I,{id},{letter},{price},{qty},{symbol},{account}\n"));
        self.books[symbol].take(&mut self.world, side, Some(price), qty);
    }

    fn market(&mut self, draw: Draw) {
        self.counts.markets += 1;
        self.id += 1;
        let Draw { symbol, side, account, qty } = draw;
        let (id, letter) = (self.id, draw.letter());
        self.put(&format!("K,{id},{letter},0,{qty},{symbol},{account}\n"));
        self.books[symbol].take(&mut self.world, side, None, qty);
    }

    /// Removes a random live order of a symbol.
    fn pick(&mut self, symbol: usize) -> (u64, Resting) {
        let book = &mut self.books[symbol];
        let chosen = book.live[self.rng.below(book.live.len() as u64) as usize];
        (chosen, book.remove(&mut self.world, chosen))
    }

    fn cancel(&mut self, symbol: usize) {
        self.counts.cancels += 1;
        let (chosen, order) = self.pick(symbol);
        let Resting { side, price, qty, account, .. } = order;
        self.put(&format!("C,{chosen},{},{price},{qty},{symbol},{account}\n", letter(side)));
    }

    fn shift(&mut self, symbol: usize) {
        self.counts.moves += 1;
        let (chosen, order) = self.pick(symbol);
        let Resting { side, qty, account, .. } = order;
        let price = self.books[symbol].passive(&mut self.rng, side);
        self.put(&format!("M,{chosen},{},{price},{qty},{symbol},{account}\n", letter(side)));
        self.books[symbol].rest(&mut self.world, chosen, Resting { price, ..order });
    }

    fn outcome(&self) -> String {
        let World { orders, trades, lots, trading } = &self.world;
        let resting_lots: u64 = orders.values().map(|order| order.qty).sum();
        let levels: usize = self.books.iter().flat_map(|book| &book.lanes).map(BTreeMap::len).sum();
        let Counts { limits, immediates, markets, cancels, moves } = &self.counts;
        format!(
            "trades={trades} lots={lots} resting={} resting_lots={resting_lots} levels={levels} \
             trading_cmds={trading} N={limits} I={immediates} K={markets} C={cancels} M={moves}\n",
            orders.len()
        )
    }
}
