//! The shared order flow: seeded operations with their own reference book (price-time priority).
//!
//! One line an operation: `op,id,side,price_ticks,qty_lots,symbol,account`. N = limit, I = immediate-or-cancel,
//! K = market, C = cancel, M = move to a new passive price (priority is lost; it carries what remains, so that an
//! interface without a move cancels and enters anew). Mix A is exchange-core's published one (9 % N, 3 % I, 6 % C,
//! 82 % M), B plain (60 % N, 35 % C, 5 % K), P passive adds only. Buyers and sellers are different accounts, so that
//! engines with and without a self-trade rule do the same work. The generator matches too, so trades and traded lots
//! are known before anyone is measured. The bytes are those of the files behind `design/performance.md`.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The seed of every published figure.
const SEED: u64 = 23;
/// Resting orders a symbol is kept near.
const RESTING: usize = 1_000;

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

/// A file of operations and what they must come to.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) name: String,
    pub(crate) ops: Vec<Op>,
    /// Operations before the measured ones.
    pub(crate) prefill: usize,
    pub(crate) symbols: u16,
    pub(crate) expect: Tally,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) trades: u64,
    pub(crate) lots: u64,
    pub(crate) resting: u64,
}

/// The flow of a published file (`A1`, `A100`, `B1`, `B100`, `P1`), made once and kept beside the build.
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
                .parent()
                .expect("bench is a room of the house")
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
    /// What the generator's own book came to.
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
            // Under a name of its own: another process may be at the same flow, and must not find half of it.
            let own = path.with_extension(format!("{}.csv", std::process::id()));
            generate(mix.as_bytes()[0], symbols, ops, &own);
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

/// A small seeded generator (SplitMix64).
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// An order that rests in the generator's book; `side` is 0 for buys, `at` its place among the live ones.
#[derive(Clone, Copy)]
pub(crate) struct Resting {
    pub(crate) side: u8,
    pub(crate) price: i64,
    pub(crate) qty: u64,
    pub(crate) account: u32,
    pub(crate) at: u32,
}

/// The generator's own book.
#[derive(Default)]
pub(crate) struct Book {
    lanes: [BTreeMap<i64, VecDeque<u64>>; 2],
    live: Vec<u64>,
    mid: i64,
}

/// The orders of all its books, and what has traded.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) orders: HashMap<u64, Resting>,
    pub(crate) trades: u64,
    pub(crate) lots: u64,
    trading: u64,
}

impl Book {
    fn best(&self, side: u8) -> Option<i64> {
        let lane = &self.lanes[usize::from(side)];
        if side == 0 { lane.keys().next_back().copied() } else { lane.keys().next().copied() }
    }

    fn lane(&mut self, side: u8) -> &mut BTreeMap<i64, VecDeque<u64>> {
        &mut self.lanes[usize::from(side)]
    }

    /// Lets an order rest.
    pub(crate) fn rest(&mut self, world: &mut World, id: u64, order: Resting) {
        self.lane(order.side).entry(order.price).or_default().push_back(id);
        world.orders.insert(id, Resting { at: self.live.len() as u32, ..order });
        self.live.push(id);
    }

    fn forget(&mut self, world: &mut World, at: u32) {
        self.live.swap_remove(at as usize);
        if let Some(moved) = self.live.get(at as usize) {
            world.orders.get_mut(moved).expect("a live order is known").at = at;
        }
    }

    /// Takes a live order out.
    pub(crate) fn remove(&mut self, world: &mut World, id: u64) -> Resting {
        let order = world.orders.remove(&id).expect("a live order is known");
        let lane = self.lane(order.side);
        let queue = lane.get_mut(&order.price).expect("a live order has a queue");
        let place = queue.iter().position(|other| *other == id).expect("a live order queues");
        queue.remove(place);
        if queue.is_empty() {
            lane.remove(&order.price);
        }
        self.forget(world, order.at);
        order
    }

    /// Matches against the other side up to `limit`; returns what is left.
    pub(crate) fn take(&mut self, world: &mut World, side: u8, limit: Option<i64>, mut qty: u64) -> u64 {
        let mut traded = false;
        while qty > 0 {
            let Some(price) = self.best(side ^ 1) else { break };
            if limit.is_some_and(|limit| if side == 0 { price > limit } else { price < limit }) {
                break;
            }
            let lane = self.lane(side ^ 1);
            let queue = lane.get_mut(&price).expect("the best price has a queue");
            let id = *queue.front().expect("a queue is not empty");
            let maker = world.orders.get_mut(&id).expect("a live order is known");
            let filled = qty.min(maker.qty);
            maker.qty -= filled;
            qty -= filled;
            world.trades += 1;
            world.lots += filled;
            traded = true;
            if maker.qty == 0 {
                let at = maker.at;
                world.orders.remove(&id);
                queue.pop_front();
                if queue.is_empty() {
                    lane.remove(&price);
                }
                self.forget(world, at);
            }
        }
        world.trading += u64::from(traded);
        qty
    }

    /// A price that does not cross, log-uniformly 1 to 2000 ticks from the middle.
    fn passive(&self, rng: &mut Rng, side: u8) -> i64 {
        let offset = (rng.unit() * 2000f64.ln()).exp() as i64;
        if side == 0 {
            let price = self.mid - offset;
            self.best(1).map_or(price, |ask| price.min(ask - 1))
        } else {
            let price = self.mid + offset;
            self.best(0).map_or(price, |bid| price.max(bid + 1))
        }
    }
}

/// What the next operation of a mix is, with so many orders live in its book.
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

/// How likely a new order is to cross: often where its book is above its size.
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

/// Writes a flow and beside it what it comes to. The order of the draws is what makes the bytes: leave it.
fn generate(mix: u8, symbols: usize, ops: u64, path: &Path) {
    let mut rng = Rng(SEED);
    let mut world = World::default();
    let mut books: Vec<Book> = (0..symbols).map(|_| Book { mid: 20_000, ..Book::default() }).collect();
    let mut sum = 0.0;
    let zipf: Vec<f64> = (0..symbols)
        .map(|symbol| {
            sum += 1.0 / (symbol as f64 + 1.0);
            sum
        })
        .collect();
    let file = fs::File::create(path).expect("the build folder takes files");
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let prefill = if mix == b'P' { 0 } else { (RESTING * symbols) as u64 };
    let mut put = |line: String| out.write_all(line.as_bytes()).expect("the build folder takes files");
    put(format!(
        "# prefill={prefill} mix={} symbols={symbols} ops={ops} resting={RESTING} seed={SEED}\n",
        char::from(mix)
    ));
    let (mut id, mut counts) = (0u64, [0u64; 5]);
    for turn in 0..prefill + ops {
        let symbol = if turn < prefill {
            (turn % symbols as u64) as usize
        } else {
            let draw = rng.unit() * zipf[symbols - 1];
            zipf.partition_point(|bound| *bound < draw).min(symbols - 1)
        };
        let book = &mut books[symbol];
        if rng.below(50) == 0 {
            let step = rng.below(3) as i64 - 1;
            book.mid = (book.mid + step).clamp(19_000, 21_000);
        }
        let side = rng.below(2) as u8;
        let draw = rng.unit();
        let live = book.live.len();
        let kind = kind_of(mix, turn < prefill, draw, live);
        // Odd accounts buy, even ones sell: no order can meet one of its own account.
        let account = 1 + (rng.below(500) * 2 + u64::from(side)) as u32;
        // Mix A's takers are small while the book is below its size, so that it stays near it.
        let qty = if kind == 'I' && live < RESTING { 1 + rng.below(20) } else { 1 + rng.below(100) };
        let letter = ['B', 'S'][usize::from(side)];
        match kind {
            'N' => {
                counts[0] += 1;
                id += 1;
                let crossing = crossing_of(mix, turn < prefill, live);
                let opposite = book.best(side ^ 1);
                let price = match opposite {
                    _ if rng.unit() >= crossing => book.passive(&mut rng, side),
                    None => book.passive(&mut rng, side),
                    Some(best) if side == 0 => best + rng.below(3) as i64,
                    Some(best) => best - rng.below(3) as i64,
                };
                put(format!("N,{id},{letter},{price},{qty},{symbol},{account}\n"));
                let left = book.take(&mut world, side, Some(price), qty);
                if left > 0 {
                    book.rest(&mut world, id, Resting { side, price, qty: left, account, at: 0 });
                }
            }
            'I' => {
                counts[1] += 1;
                id += 1;
                let price = match book.best(side ^ 1) {
                    Some(best) if side == 0 => best + rng.below(3) as i64,
                    Some(best) => best - rng.below(3) as i64,
                    None => book.mid,
                };
                put(format!("I,{id},{letter},{price},{qty},{symbol},{account}\n"));
                book.take(&mut world, side, Some(price), qty);
            }
            'K' => {
                counts[2] += 1;
                id += 1;
                put(format!("K,{id},{letter},0,{qty},{symbol},{account}\n"));
                book.take(&mut world, side, None, qty);
            }
            _ => {
                let chosen = book.live[rng.below(live as u64) as usize];
                let order = book.remove(&mut world, chosen);
                let letter = ['B', 'S'][usize::from(order.side)];
                let Resting { side, qty, account, .. } = order;
                if kind == 'C' {
                    counts[3] += 1;
                    put(format!("C,{chosen},{letter},{},{qty},{symbol},{account}\n", order.price));
                } else {
                    counts[4] += 1;
                    let price = book.passive(&mut rng, side);
                    put(format!("M,{chosen},{letter},{price},{qty},{symbol},{account}\n"));
                    book.rest(&mut world, chosen, Resting { price, ..order });
                }
            }
        }
    }
    out.flush().expect("the build folder takes files");
    let lots: u64 = world.orders.values().map(|order| order.qty).sum();
    let levels: usize = books.iter().flat_map(|book| &book.lanes).map(BTreeMap::len).sum();
    let expect = format!(
        "trades={} lots={} resting={} resting_lots={lots} levels={levels} trading_cmds={} N={} I={} K={} C={} M={}\n",
        world.trades,
        world.lots,
        world.orders.len(),
        world.trading,
        counts[0],
        counts[1],
        counts[2],
        counts[3],
        counts[4],
    );
    fs::write(path.with_extension("csv.expect"), expect).expect("the build folder takes files");
}
