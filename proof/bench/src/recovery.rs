//! Benchmark 11: recovery of a state from a directory.
//!
//! The journal holds ten million commands in batches of 64, as many as a load of 64 connections can queue; its pages
//! are in memory. Opening, verifying, decoding and `evolve` are measured in elapsed time, since two threads share the
//! work. The product's whole recovery, which also builds read models, is reported too. The replayed state must equal
//! the live one.

use std::convert::Infallible;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use buttonwood_engine::{State, encode};
use buttonwood_journal::{Buffer, Journal, Mark, Options, snapshot};
use buttonwood_model::Product;
use buttonwood_sequencer::{JOURNAL_DIR, read_ahead, recover};

use crate::clock::{cpu_ns, process_cpu_ns};
use crate::exchange::{Exchange, Scribe, Script, Told};
use crate::figures::Spread;
use crate::opgen::{self, flow_of};
use crate::place::Place;
use crate::report::{Goal, Report, Row};
use crate::{Settings, say};

/// Commands per batch.
const BATCH: usize = 64;
/// Accounts of the snapshot.
const CROWD: u32 = 100_000;

pub(crate) fn measure(settings: &Settings, goals: [Goal; 2], report: &mut Report) {
    let [replay_goal, load_goal] = goals;
    replay(settings, replay_goal, report);
    load(settings, load_goal, report);
}

fn replay(settings: &Settings, goal: Goal, report: &mut Report) {
    // A move is two commands: 5.5 M operations are the ten million.
    let (ops, commands) = if settings.quick { (550_000, 1_000_000) } else { (5_500_000, 10_000_000) };
    let script = Script::of(&flow_of("A100", ops));
    let records = &script.records[..commands];
    let place = Place::Disk.fresh();
    let dir = place.path().join(JOURNAL_DIR);
    let live = journal(&dir, &script, commands);
    let bytes = bytes_in(&dir);
    say(&format!("{commands} commands journaled, {} bytes each", bytes / commands as u64));
    let (mut ratios, mut alone, mut replayed, mut spent) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let million = commands as f64 / 1e6;
    for pair in 1..=settings.pairs.min(3) {
        let mut exchange = Exchange::new(script.symbols);
        let start = cpu_ns();
        for record in records {
            black_box(exchange.apply(record));
        }
        let core = (cpu_ns() - start) as f64 / 1e9 / million;
        assert_eq!(exchange.state, live, "the same commands lead to the same state");
        drop(exchange);
        let (wall, start) = (Instant::now(), process_cpu_ns());
        let state = open(&dir);
        let replay = wall.elapsed().as_secs_f64() / million;
        spent.push((process_cpu_ns() - start) as f64 / 1e9 / million);
        assert_eq!(state, live, "a replay leads to the same state");
        assert_eq!(state.broken_law(), None, "every law holds");
        say(&format!("pair {pair}: core alone {core:.3} CPU s, replay {replay:.3} s per million"));
        ratios.push(replay / core);
        alone.push(core);
        replayed.push(replay);
    }
    let start = Instant::now();
    let recovered = recover(place.path(), Options::default()).expect("the directory is whole");
    let house = start.elapsed().as_secs_f64() / million;
    assert_eq!(recovered.views().state(), &live, "the product's recovery leads to the same state");
    let detail = format!(
        "{commands} commands of {} bytes: core alone {:.3} CPU s per million, open and replay {:.3} s ({:.3} CPU s); \
         the product's recovery with its read models {house:.3} s per million",
        bytes / commands as u64,
        Spread::of(alone).median,
        Spread::of(replayed).median,
        Spread::of(spent).median,
    );
    report.add(Row { number: 11, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

/// Journals the founding and the first `commands` commands of a script; returns the resulting state.
fn journal(dir: &Path, script: &Script, commands: usize) -> State {
    let mut journal = Journal::open(dir, Options::default()).expect("the directory takes a journal");
    journal.replay(None, |_| Ok::<_, Infallible>(())).expect("an empty journal is whole");
    let mut writer = journal.into_writer().expect("the disk takes a segment");
    let mut batch = Buffer::new();
    let exchange = Exchange::recorded(script, &script.records[..commands], |told: &Told<'_>| {
        let out = &told.work.out;
        batch.push(told.stamp.seq.0, |bytes| {
            encode(told.stamp.time, told.command, &out.events, &out.texts, bytes)
                .expect("a frame fits memory");
        });
        if batch.count() == BATCH {
            batch.set_fingerprint(told.fingerprint);
            writer.append(&mut batch).expect("the disk takes a batch");
            batch.clear();
        }
    });
    if !batch.is_empty() {
        batch.set_fingerprint(exchange.state.fingerprint());
        writer.append(&mut batch).expect("the disk takes a batch");
    }
    exchange.state
}

/// Opens a journal and replays all of it like a start: every batch verified, every fingerprint compared.
pub(crate) fn open(dir: &Path) -> State {
    let mut journal = Journal::open(dir, Options::default()).expect("the journal opens");
    let mut state = State::new();
    let replayed = read_ahead(
        |visit| journal.replay(None, visit),
        |batch| {
            for (stamp, events, texts) in batch.commands() {
                state.apply(stamp, events, texts);
            }
            batch.check(&state)
        },
    );
    replayed.expect("the journal is whole");
    state
}

fn bytes_in(dir: &Path) -> u64 {
    let files = std::fs::read_dir(dir).expect("the journal is a folder");
    files.map(|file| file.and_then(|file| file.metadata()).map_or(0, |file| file.len())).sum()
}

fn load(settings: &Settings, goal: Goal, report: &mut Report) {
    let mut exchange = Exchange::crowded(CROWD, Product::Spot);
    let mut scribe = Scribe::for_accounts(CROWD);
    for mut op in opgen::stream("P1") {
        op.account = (op.id % u64::from(CROWD)) as u32;
        black_box(exchange.apply(&scribe.place(&op)));
    }
    assert_eq!(exchange.proven().resting, 1_000_000, "every order rests");
    let live = exchange.state;
    let place = Place::Disk.fresh();
    let mark = mark(place.path());
    let mut stored = live.clone();
    stored.prepare_to_store();
    let payload = postcard::to_extend(&stored, Vec::new()).expect("a state fits memory");
    drop(stored);
    let start = Instant::now();
    snapshot::write(place.path(), &mark, &[&payload]).expect("the disk takes a snapshot");
    let written = start.elapsed().as_secs_f64();
    let mut seconds = Vec::new();
    for _ in 0..settings.pairs {
        let start = Instant::now();
        let mut notes = Vec::new();
        let (_, payload) = snapshot::load_newest(place.path(), &mut notes)
            .expect("the snapshot reads")
            .expect("it is there");
        let mut state: State = postcard::from_bytes(&payload).expect("the snapshot is a state");
        state.restore();
        seconds.push(start.elapsed().as_secs_f64());
        assert_eq!(state, live, "a snapshot leads to the same state");
        assert_eq!(state.broken_law(), None, "every law holds");
        say(&format!("snapshot loaded in {:.2} s", seconds[seconds.len() - 1]));
    }
    let detail = format!(
        "{:.0} MB, read, verified, decoded and indexed; written and verified in {written:.2} s",
        payload.len() as f64 / 1e6
    );
    report.add(Row { number: 11, what: goal.what, goal, spread: Spread::of(seconds), detail });
}

/// A mark in a journal of one batch, for a snapshot.
fn mark(dir: &Path) -> Mark {
    let mut journal = Journal::open(dir, Options::default()).expect("the directory takes a journal");
    journal.replay(None, |_| Ok::<_, Infallible>(())).expect("an empty journal is whole");
    let mut writer = journal.into_writer().expect("the disk takes a segment");
    let mut batch = Buffer::new();
    batch.push(1, |bytes| bytes.push(0));
    writer.append(&mut batch).expect("the disk takes a batch")
}
