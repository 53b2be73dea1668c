//! Benchmarks 1, 2, 3 and 5: the core against a book that only matches; one thread, no disk, no network.

use std::hint::black_box;

use crate::clock::{self, cpu_ns, cycles};
use crate::exchange::{Exchange, Scribe, Script};
use crate::figures::{Histogram, Spread, geomean};
use crate::opgen::{self, Flow, flow, flow_of};
use crate::reference::Reference;
use crate::report::{Goal, Report, Row};
use crate::{Settings, memory, say};

/// CPU nanoseconds per operation of the reference.
fn reference_ns(flow: &Flow) -> f64 {
    let mut reference = Reference::new(flow.symbols);
    for op in &flow.ops[..flow.prefill] {
        reference.apply(op);
    }
    let start = cpu_ns();
    for op in &flow.ops[flow.prefill..] {
        reference.apply(op);
    }
    let spent = cpu_ns() - start;
    assert_eq!(reference.tally(), flow.expect, "{}: obcore against the generator", flow.name);
    spent as f64 / (flow.ops.len() - flow.prefill) as f64
}

/// CPU nanoseconds per operation of our core; a move is two commands.
pub(crate) fn exchange_ns(flow: &Flow, script: &Script) -> f64 {
    ns_on(Exchange::new(flow.symbols), flow, script)
}

/// The same on an exchange that was founded.
pub(crate) fn ns_on(mut exchange: Exchange, flow: &Flow, script: &Script) -> f64 {
    for record in &script.records[..script.prefill] {
        black_box(exchange.apply(record));
    }
    let start = cpu_ns();
    exchange.apply_all(&script.records[script.prefill..]);
    let spent = cpu_ns() - start;
    assert_eq!(exchange.proven(), flow.expect, "{}: ours against the generator", flow.name);
    spent as f64 / (flow.ops.len() - flow.prefill) as f64
}

/// Runs only the core, repeatedly, for a profiler. A slow profiler can use a shorter flow than the published one.
pub(crate) fn profile(name: &str, times: usize, ops: Option<u64>) {
    // `perpetual-B1` is the flow B1 on perpetuals.
    let spot = name.strip_prefix("perpetual-");
    let (file, of_perpetuals) = (spot.unwrap_or(name), spot.is_some());
    let flow = ops.map_or_else(|| flow(file), |ops| flow_of(file, ops));
    let script = Script::of(&flow);
    for _ in 0..times {
        let founded = if of_perpetuals { Exchange::of_perpetuals } else { Exchange::new };
        println!("{name}: {:.1} ns an operation", ns_on(founded(flow.symbols), &flow, &script));
    }
}

/// Benchmarks 1 and 2.
pub(crate) fn throughput(settings: &Settings, number: u8, names: [&str; 2], goal: Goal, report: &mut Report) {
    let flows = names.map(flow);
    let scripts = [Script::of(&flows[0]), Script::of(&flows[1])];
    let mut ratios = Vec::new();
    let mut ours = [Vec::new(), Vec::new()];
    let mut theirs = [Vec::new(), Vec::new()];
    for pair in 0..settings.pairs {
        for at in 0..2 {
            theirs[at].push(reference_ns(&flows[at]));
            ours[at].push(exchange_ns(&flows[at], &scripts[at]));
        }
        ratios.push(geomean(&[theirs[0][pair] / ours[0][pair], theirs[1][pair] / ours[1][pair]]));
        say(&format!(
            "pair {}: {} obcore {:.0} ours {:.0}; {} obcore {:.0} ours {:.0} ns/op; ratio {:.2}",
            pair + 1,
            names[0],
            theirs[0][pair],
            ours[0][pair],
            names[1],
            theirs[1][pair],
            ours[1][pair],
            ratios[pair]
        ));
    }
    let detail = (0..2).map(|at| {
        let (theirs, ours) = (Spread::of(theirs[at].clone()), Spread::of(ours[at].clone()));
        let ops = flows[at].ops.len() - flows[at].prefill;
        let commands = scripts[at].records.len() - scripts[at].prefill;
        format!(
            "{}: obcore {:.0}, ours {:.0} CPU ns/op ({:.2} commands an op, {:.1} M commands a CPU second)",
            names[at],
            theirs.median,
            ours.median,
            commands as f64 / ops as f64,
            1e3 / (ours.median * ops as f64 / commands as f64),
        )
    });
    let detail = detail.collect::<Vec<_>>().join("; ");
    report.add(Row { number, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

/// Percentiles of one run in nanoseconds: p50, p99, p99.9, p99.99, worst.
type Tail = [f64; 5];

fn tail(histogram: &Histogram, per_ns: f64) -> Tail {
    let at = |share| histogram.quantile(share) / per_ns;
    [at(0.5), at(0.99), at(0.999), at(0.9999), histogram.worst() / per_ns]
}

const CYCLES_MAX: usize = 1 << 20;

fn reference_tail(flow: &Flow, per_ns: f64) -> Tail {
    let mut reference = Reference::new(flow.symbols);
    let (before, timed) = flow.ops.split_at(flow.prefill);
    before.iter().for_each(|op| reference.apply(op));
    let mut histogram = Histogram::new(CYCLES_MAX);
    for op in timed {
        let start = cycles();
        reference.apply(black_box(op));
        histogram.add(cycles() - start);
    }
    assert_eq!(reference.tally(), flow.expect, "{}: obcore against the generator", flow.name);
    tail(&histogram, per_ns)
}

fn exchange_tail(flow: &Flow, script: &Script, per_ns: f64) -> Tail {
    let mut exchange = Exchange::new(flow.symbols);
    let (before, timed) = script.records.split_at(script.prefill);
    for record in before {
        black_box(exchange.apply(record));
    }
    let mut histogram = Histogram::new(CYCLES_MAX);
    let mut records = timed.iter();
    while let Some(record) = records.next() {
        let start = cycles();
        black_box(exchange.apply(black_box(record)));
        if record.has_more()
            && let Some(rest) = records.next()
        {
            // A move is one operation with two commands: both count, as for the reference.
            black_box(exchange.apply(black_box(rest)));
        }
        histogram.add(cycles() - start);
    }
    assert_eq!(exchange.proven(), flow.expect, "{}: ours against the generator", flow.name);
    tail(&histogram, per_ns)
}

/// Benchmark 3.
pub(crate) fn tails(settings: &Settings, goal: Goal, report: &mut Report) {
    const P999: usize = 2;
    let flows = ["A1", "B1"].map(flow);
    let scripts = [Script::of(&flows[0]), Script::of(&flows[1])];
    let per_ns = clock::cycles_per_ns();
    let (mut ratios, mut busy) = (Vec::new(), 0);
    let mut seen: [[Vec<Tail>; 2]; 2] = Default::default();
    for pair in 0..settings.pairs {
        let mut calm = false;
        for _ in 0..settings.tries() {
            calm = clock::calm(settings.patience());
            for at in 0..2 {
                seen[at][0].truncate(pair);
                seen[at][1].truncate(pair);
                seen[at][0].push(reference_tail(&flows[at], per_ns));
                seen[at][1].push(exchange_tail(&flows[at], &scripts[at], per_ns));
            }
            calm &= clock::pressure().is_none_or(|now| now < clock::PRESSURE_MAX);
            if calm {
                break;
            }
        }
        busy += usize::from(!calm);
        let ratio = |at: usize| seen[at][1][pair][P999] / seen[at][0][pair][P999];
        ratios.push(geomean(&[ratio(0), ratio(1)]));
        for at in 0..2 {
            let text = |tail: Tail| tail.map(|ns| format!("{ns:.0}")).join("/");
            say(&format!(
                "pair {} {}: obcore {} ours {} ns (p50/p99/p99.9/p99.99/worst){}",
                pair + 1,
                flows[at].name,
                text(seen[at][0][pair]),
                text(seen[at][1][pair]),
                if calm { "" } else { ", busy" }
            ));
        }
    }
    let median = |tails: &[Tail], at: usize| Spread::of(tails.iter().map(|tail| tail[at])).median;
    let text =
        |tails: &[Tail]| (0..4).map(|at| format!("{:.0}", median(tails, at))).collect::<Vec<_>>().join("/");
    let mut detail = (0..2)
        .map(|at| {
            format!("{}: obcore {}, ours {} ns", flows[at].name, text(&seen[at][0]), text(&seen[at][1]))
        })
        .collect::<Vec<_>>()
        .join("; ");
    detail.push_str(" (p50/p99/p99.9/p99.99)");
    if busy > 0 {
        detail.push_str(&format!("; machine busy in {busy} of {} pairs", settings.pairs));
    }
    report.add(Row { number: 3, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

/// A child process of benchmark 5: prints live bytes, resident bytes and nanoseconds per order. It reads the flow
/// line by line, so that no freed memory is reused by what it measures.
pub(crate) fn measure_memory(who: &str) {
    let ours = who == "ours";
    let (mut spent, mut orders) = (0, 0.0);
    let mut reference = Reference::new(1);
    let mut exchange = Exchange::new(1);
    let mut scribe = Scribe::new();
    let stream = opgen::stream("P1");
    let expect = stream.expect;
    memory::count();
    let (live, resident) = (memory::live(), memory::resident());
    for op in stream {
        orders += 1.0;
        let record = scribe.place(&op);
        let start = cycles();
        if ours {
            black_box(exchange.apply(&record));
        } else {
            reference.apply(&op);
        }
        spent += cycles() - start;
    }
    let (live, resident) = (memory::live() - live, memory::resident() - resident);
    let tally = if ours { exchange.proven() } else { reference.tally() };
    assert_eq!(tally, expect, "{who} against the generator");
    let ns = spent as f64 / clock::cycles_per_ns();
    println!("{} {} {}", live as f64 / orders, resident as f64 / orders, ns / orders);
}

fn memory_of(who: &str) -> [f64; 3] {
    let own = std::env::current_exe().expect("this program has a path");
    let output = std::process::Command::new(own).args(["memory", who]).output().expect("this program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("figures are text");
    let figures: Vec<f64> = text.split_whitespace().map(|word| word.parse().expect("a figure")).collect();
    figures.try_into().expect("three figures")
}

/// Benchmark 5. Byte counts do not vary between runs; two pairs confirm it.
pub(crate) fn bytes(settings: &Settings, goal: Goal, report: &mut Report) {
    let (mut ratios, mut detail) = (Vec::new(), String::new());
    for pair in 0..settings.pairs.min(2) {
        let [theirs, their_resident, their_ns] = memory_of("obcore");
        let [ours, our_resident, our_ns] = memory_of("ours");
        ratios.push(ours / theirs);
        detail = format!(
            "ours {ours:.1} bytes an order (limit 200; resident {our_resident:.0}, {our_ns:.0} ns an add), \
             obcore {theirs:.1} ({their_resident:.0}, {their_ns:.0} ns)"
        );
        say(&format!("pair {}: {detail}", pair + 1));
    }
    report.add(Row { number: 5, what: goal.what, goal, spread: Spread::of(ratios), detail });
}
