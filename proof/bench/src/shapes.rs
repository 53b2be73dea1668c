//! Benchmark 4: shapes of a book that are bad for one structure or another, against the even flow A1.
//!
//! A million orders at one price, then cancelled in random order; a million orders at a million prices, likewise; a
//! middle that swings by 40 % either way while nearly all orders are cancelled; one order that meets ten thousand,
//! counted per maker. The slowest shape's time per operation counts.

use std::collections::VecDeque;
use std::hint::black_box;

use crate::clock::cpu_ns;
use crate::core::exchange_ns;
use crate::exchange::{Exchange, Script};
use crate::figures::Spread;
use crate::opgen::book::{Book, Resting, World};
use crate::opgen::rng::Rng;
use crate::opgen::{Flow, Op, Tally, flow};
use crate::report::{Goal, Report, Row};
use crate::{Settings, say};

/// Resting orders of the swinging book.
const SWINGING: usize = 1_000;
/// The middle of the swing, its amplitude, and the largest distance of orders from the current middle; in ticks.
const MIDDLE: f64 = 200_000.0;
const SWING: f64 = 80_000.0;
const OFFSET_MAX: u64 = 5_000;
/// Orders per full swing: slow enough that few cross the approaching middle.
const PERIOD: f64 = 800_000.0;
/// Makers that one order meets, and their prices, within the collar.
const MAKERS: u64 = 10_000;
const SWEPT_LEVELS: u64 = 1_000;

/// One shape as commands. Stretches of them are measured; `operations` is their count.
struct Shape {
    name: &'static str,
    script: Script,
    expect: Tally,
    /// First record and end of each stretch.
    stretches: Vec<(usize, usize)>,
    operations: u64,
}

/// Accounts of the flow: odd ones buy, even ones sell, so that no account meets itself.
fn account(rng: &mut Rng, side: u8) -> u32 {
    1 + (rng.below(500) * 2 + u64::from(side)) as u32
}

fn order(id: u64, price: u64, lots: u64, side: u8, rng: &mut Rng) -> Op {
    Op { id, price, lots, account: account(rng, side), symbol: 0, sells: side == 1, kind: b'N' }
}

fn cancel(of: Op) -> Op {
    Op { kind: b'C', ..of }
}

fn shuffle<T>(list: &mut [T], rng: &mut Rng) {
    for at in (1..list.len()).rev() {
        list.swap(at, rng.below(at as u64 + 1) as usize);
    }
}

fn whole(name: &'static str, ops: Vec<Op>, expect: Tally) -> Shape {
    let flow = Flow { name: name.to_owned(), ops, prefill: 0, symbols: 1, expect };
    let script = Script::of(&flow);
    let (end, operations) = (script.records.len(), flow.ops.len() as u64);
    Shape { name, script, expect, stretches: vec![(0, end)], operations }
}

/// Orders at the given prices, then their cancels in another order.
fn standing(name: &'static str, prices: impl Iterator<Item = u64>, rng: &mut Rng) -> Shape {
    let mut ops: Vec<Op> =
        (1..).zip(prices).map(|(id, price)| order(id, price, 1 + rng.below(100), 0, rng)).collect();
    let mut cancels: Vec<Op> = ops.iter().copied().map(cancel).collect();
    shuffle(&mut cancels, rng);
    ops.extend(cancels);
    whole(name, ops, Tally::default())
}

fn one_price(orders: u64) -> Shape {
    standing("one price", (0..orders).map(|_| 20_000), &mut Rng(41))
}

fn own_levels(orders: u64) -> Shape {
    let mut rng = Rng(42);
    let mut prices: Vec<u64> = (1..=orders).collect();
    shuffle(&mut prices, &mut rng);
    standing("own levels", prices.into_iter(), &mut rng)
}

/// A triangle wave between -1 and 1 that rises from 0. It is not slower at its ends, so trades are as frequent there.
fn wave(turns: f64) -> f64 {
    4.0 * ((turns + 0.75).fract() - 0.5).abs() - 1.0
}

/// The oldest order is cancelled once there are enough; orders that the middle reaches trade.
fn swing(orders: u64) -> Shape {
    let mut rng = Rng(43);
    let (mut book, mut world, mut living) = (Book::default(), World::default(), VecDeque::new());
    let mut ops = Vec::new();
    let mut cancelled = 0u64;
    for id in 1..=orders {
        let middle = MIDDLE + SWING * wave(id as f64 / PERIOD);
        let side = rng.below(2) as u8;
        let offset = 1 + rng.below(OFFSET_MAX);
        let price = if side == 0 { middle as u64 - offset } else { middle as u64 + offset };
        let op = order(id, price, 1 + rng.below(100), side, &mut rng);
        ops.push(op);
        let left = book.take(&mut world, side, Some(price as i64), op.lots);
        if left > 0 {
            let Op { account, .. } = op;
            book.rest(&mut world, id, Resting { side, price: price as i64, qty: left, account, at: 0 });
            living.push_back(op);
        }
        while world.orders.len() > SWINGING {
            let oldest: Op = living.pop_front().expect("whoever rests was put in");
            if world.orders.contains_key(&oldest.id) {
                book.remove(&mut world, oldest.id);
                ops.push(cancel(oldest));
                cancelled += 1;
            }
        }
    }
    let share = cancelled as f64 / orders as f64;
    assert!((0.93..0.97).contains(&share), "{share:.3} of all orders are cancelled");
    let expect = Tally { trades: world.trades, lots: world.lots, resting: world.orders.len() as u64 };
    whole("swing", ops, expect)
}

/// Makers enter, then one order takes them all; only that order is measured.
fn sweep(makers: u64) -> Shape {
    let mut rng = Rng(44);
    let (mut ops, mut stretches, mut id, mut lots) = (Vec::new(), Vec::new(), 0, 0);
    for _ in 0..makers / MAKERS {
        let mut wanted = 0;
        for maker in 0..MAKERS {
            id += 1;
            let op = order(id, 20_000 + maker % SWEPT_LEVELS, 1 + rng.below(100), 1, &mut rng);
            wanted += op.lots;
            ops.push(op);
        }
        id += 1;
        stretches.push((ops.len(), ops.len() + 1));
        ops.push(order(id, 20_000 + SWEPT_LEVELS, wanted, 0, &mut rng));
        lots += wanted;
    }
    let expect = Tally { trades: makers, lots, resting: 0 };
    Shape { stretches, operations: makers, ..whole("sweep", ops, expect) }
}

impl Shape {
    /// CPU nanoseconds per operation.
    fn ns(&self) -> f64 {
        let mut exchange = Exchange::new(self.script.symbols);
        let mut records = self.script.records.iter();
        let (mut at, mut spent) = (0, 0);
        for (first, end) in &self.stretches {
            for record in records.by_ref().take(first - at) {
                black_box(exchange.apply(record));
            }
            let start = cpu_ns();
            for record in records.by_ref().take(end - first) {
                black_box(exchange.apply(record));
            }
            spent += cpu_ns() - start;
            at = *end;
        }
        assert_eq!(exchange.proven(), self.expect, "{}: ours against the generator", self.name);
        spent as f64 / self.operations as f64
    }
}

/// Benchmark 4.
pub(crate) fn measure(settings: &Settings, goal: Goal, report: &mut Report) {
    let orders = if settings.quick { 100_000 } else { 1_000_000 };
    let even = flow("A1");
    let even_script = Script::of(&even);
    // A quick run has only a part of a swing, which is no less steep.
    let shapes = [one_price(orders), own_levels(orders), swing(orders), sweep(orders)];
    let (mut ratios, mut evens) = (Vec::new(), Vec::new());
    let mut times: [Vec<f64>; 4] = Default::default();
    for pair in 1..=settings.pairs {
        let even_ns = exchange_ns(&even, &even_script);
        let mut slowest = 0f64;
        for (shape, times) in shapes.iter().zip(&mut times) {
            let ns = shape.ns();
            slowest = slowest.max(ns);
            times.push(ns);
        }
        ratios.push(slowest / even_ns);
        evens.push(even_ns);
        let told: Vec<String> = shapes
            .iter()
            .zip(&times)
            .map(|(shape, ns)| format!("{} {:.0}", shape.name, ns[pair - 1]))
            .collect();
        say(&format!("pair {pair}: A1 {even_ns:.0}, {} ns/op", told.join(", ")));
    }
    let told: Vec<String> = shapes
        .iter()
        .zip(times)
        .map(|(shape, times)| format!("{} {:.0}", shape.name, Spread::of(times).median))
        .collect();
    let detail = format!(
        "CPU ns/op: A1 {:.0}; {} (sweep: a maker); {orders} orders each",
        Spread::of(evens).median,
        told.join(", ")
    );
    report.add(Row { number: 4, what: goal.what, goal, spread: Spread::of(ratios), detail });
}
