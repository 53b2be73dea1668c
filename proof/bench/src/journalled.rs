//! Benchmark 10: the core with its journal, without HTTP.
//!
//! The candidate is a ring of the product's own parts. One thread decodes binary commands, decides them and applies
//! them into a batch. Another reads the same commands, encodes them with their events, writes and syncs, and only
//! then releases the batch. A full batch blocks the first thread. Space in the journal is zeroed before the
//! measurement, for both sides. The product's whole sequencer is reported only as a detail. It also folds read
//! models, builds a reply to every command and delivers it, which the goal's "ring, journal, core" does not include.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Instant;

use buttonwood_engine::{Event, State, decide, encode};
use buttonwood_journal::{Buffer, Journal, Options, Writer};
use buttonwood_model::{Outbox, Stamp};
use buttonwood_sequencer::{self as sequencer, Clock, recover};
use tokio::task::LocalSet;

use crate::exchange::{Exchange, Record, Script, Told, founding_commands};
use crate::figures::Spread;
use crate::opgen::flow_of;
use crate::place::Place;
use crate::report::{Goal, Report, Row};
use crate::{Settings, clock, recovery, say};

/// Most commands of a batch, as in the sequencer.
const COMMANDS_MAX: usize = 4_096;
/// Commands between two checks whether a batch is wanted.
const LOOK: usize = 64;
/// Bytes of a record for the journal alone.
const RECORD: usize = 64;
/// Journal bytes per command, including padding of batches and the founding.
const ROOM_EACH: usize = 256;
/// Most commands in flight in the whole exchange.
const WINDOW: usize = 4_096;

/// One decided command: its share of the batch's events. Both threads read the command itself from the ring.
struct Entry {
    stamp: Stamp,
    events: u32,
    texts: u32,
}

/// Commands that share one sync.
#[derive(Default)]
struct Batch {
    entries: Vec<Entry>,
    out: Outbox<Event>,
    fingerprint: u64,
}

/// The place where a batch is handed over.
#[derive(Default)]
struct Slot {
    inside: Mutex<(Option<Batch>, bool)>,
    changed: Condvar,
    /// Whether a thread waits for a batch.
    wanted: AtomicBool,
}

impl Slot {
    fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Puts a batch in after the last one was taken.
    fn put(&self, batch: Batch) {
        let mut inside = self.inside.lock().expect("nobody panics with it");
        while inside.0.is_some() {
            inside = self.changed.wait(inside).expect("nobody panics with it");
        }
        inside.0 = Some(batch);
        self.changed.notify_all();
    }

    /// Announces that no more batches come.
    fn close(&self) {
        self.inside.lock().expect("nobody panics with it").1 = true;
        self.changed.notify_all();
    }

    /// Takes a batch; `None` if no more come.
    fn take(&self) -> Option<Batch> {
        let mut inside = self.inside.lock().expect("nobody panics with it");
        loop {
            if let Some(batch) = inside.0.take() {
                self.wanted.store(false, Ordering::Relaxed);
                self.changed.notify_all();
                return Some(batch);
            }
            if inside.1 {
                return None;
            }
            self.wanted.store(true, Ordering::Relaxed);
            inside = self.changed.wait(inside).expect("nobody panics with it");
        }
    }
}

/// An empty journal with space for this many commands.
fn writer(dir: &Path, commands: usize) -> Writer {
    let first_segment_bytes = ((commands * ROOM_EACH) as u64).next_multiple_of(1 << 20);
    let options = Options { first_segment_bytes, ballast_bytes: 0, ..Options::default() };
    let mut journal = Journal::open(dir, options).expect("the directory takes a journal");
    journal.replay(None, |_| Ok::<_, Infallible>(())).expect("an empty journal is whole");
    journal.into_writer().expect("the disk takes a segment")
}

/// Decides and applies all records; returns the CPU time. Batches form as in the sequencer: one is handed over when
/// the last one is durable, or when it is full, and then this thread waits.
fn decide_all(exchange: &mut Exchange, records: &[Record], full: &Slot, empty: &Slot) -> u64 {
    let start = clock::cpu_ns();
    let mut batch = Batch::default();
    let last = records.len().div_ceil(LOOK);
    std::mem::swap(&mut batch.out, &mut exchange.work.out);
    for (number, some) in (1..).zip(records.chunks(LOOK)) {
        some.iter().for_each(|record| decide_one(exchange, record, &mut batch));
        if number < last && !full.is_wanted() && batch.entries.len() < COMMANDS_MAX {
            continue;
        }
        std::mem::swap(&mut batch.out, &mut exchange.work.out);
        batch.fingerprint = exchange.state.fingerprint();
        full.put(batch);
        batch = empty.take().expect("batches come back for as long as they are wanted");
        std::mem::swap(&mut batch.out, &mut exchange.work.out);
    }
    full.close();
    clock::cpu_ns() - start
}

#[inline]
fn decide_one(exchange: &mut Exchange, record: &Record, batch: &mut Batch) {
    let command = record.decode();
    let stamp = exchange.next_stamp();
    decide(&exchange.state, &command, stamp, &mut exchange.work);
    let (events, texts) = exchange.work.out.latest();
    exchange.state.apply(stamp, events, texts);
    let (events, texts) = (events.len() as u32, texts.len() as u32);
    batch.entries.push(Entry { stamp, events, texts });
}

/// Makes batches durable before it releases them; returns the number of commands and the CPU time.
fn commit_all(writer: &mut Writer, records: &[Record], full: &Slot, empty: &Slot) -> (usize, u64) {
    let start = clock::cpu_ns();
    let mut released = 0;
    let mut buffer = Buffer::new();
    // A second batch, so that one is filled while the other is written.
    empty.put(Batch::default());
    while let Some(mut batch) = full.take() {
        let (mut event, mut text) = (0, 0);
        buffer.clear();
        for (Entry { stamp, events, texts }, record) in batch.entries.iter().zip(&records[released..]) {
            let some = &batch.out.events[event..event + *events as usize];
            let words = &batch.out.texts[text..text + *texts as usize];
            (event, text) = (event + some.len(), text + words.len());
            let command = record.decode();
            buffer.push(stamp.seq.0, |out| {
                encode(stamp.time, &command, some, words, out).expect("a frame fits memory");
            });
        }
        buffer.set_fingerprint(batch.fingerprint);
        let mark = writer.append(&mut buffer).expect("the disk takes a batch");
        assert_eq!(
            Some(mark.seq),
            batch.entries.last().map(|entry| entry.stamp.seq.0),
            "all of it is durable"
        );
        released += batch.entries.len();
        batch.entries.clear();
        batch.out.clear();
        empty.put(batch);
    }
    (released, clock::cpu_ns() - start)
}

/// Figures of a run through both threads.
struct Driven {
    /// Until the last command was released.
    seconds: f64,
    /// CPU nanoseconds per command of the deciding thread and of the committing thread.
    cpu: [f64; 2],
}

/// Runs records through both threads.
fn drive(exchange: &mut Exchange, writer: &mut Writer, records: &[Record]) -> Driven {
    let (full, empty) = (Slot::default(), Slot::default());
    let start = Instant::now();
    let (deciding, (released, committing)) = std::thread::scope(|scope| {
        let journal = scope.spawn(|| commit_all(writer, records, &full, &empty));
        let deciding = decide_all(exchange, records, &full, &empty);
        (deciding, journal.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    assert_eq!(released, records.len(), "every command was released");
    let cpu = [deciding, committing].map(|ns| ns as f64 / records.len() as f64);
    Driven { seconds: start.elapsed().as_secs_f64(), cpu }
}

/// Runs the commands through ring, journal and core.
fn ring(script: &Script, live: &State) -> Driven {
    let place = Place::Disk.fresh();
    let mut writer = writer(place.path(), script.records.len());
    let mut buffer = Buffer::new();
    let mut exchange = Exchange::recorded(script, &[], |told: &Told<'_>| {
        let out = &told.work.out;
        buffer.push(told.stamp.seq.0, |bytes| {
            encode(told.stamp.time, told.command, &out.events, &out.texts, bytes)
                .expect("a frame fits memory");
        });
        buffer.set_fingerprint(told.fingerprint);
    });
    exchange.work.out.clear();
    writer.append(&mut buffer).expect("the disk takes a batch");
    let (before, timed) = script.records.split_at(script.prefill);
    drive(&mut exchange, &mut writer, before);
    let driven = drive(&mut exchange, &mut writer, timed);
    drop(writer);
    assert_eq!(&exchange.state, live, "the same commands lead to the same state");
    assert_eq!(&recovery::open(place.path()), live, "what was released is in the journal");
    driven
}

/// Commands per second of the core alone, its CPU nanoseconds per command, and the resulting state.
fn core_alone(script: &Script) -> (f64, f64, State) {
    let mut exchange = Exchange::new(script.symbols);
    let (before, timed) = script.records.split_at(script.prefill);
    for record in before {
        black_box(exchange.apply(record));
    }
    let (start, cpu) = (Instant::now(), clock::cpu_ns());
    for record in timed {
        black_box(exchange.apply(record));
    }
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), clock::cpu_ns() - cpu);
    let count = timed.len() as f64;
    (count / seconds, cpu as f64 / count, exchange.state)
}

/// Records per second of the journal alone, in batches as large as the candidate's.
fn journal_alone(records: usize) -> f64 {
    let place = Place::Disk.fresh();
    let mut writer = writer(place.path(), records);
    let mut buffer = Buffer::new();
    let record = [7; RECORD];
    let start = Instant::now();
    for first in (0..records).step_by(COMMANDS_MAX) {
        buffer.clear();
        for at in first..records.min(first + COMMANDS_MAX) {
            buffer.push(at as u64 + 1, |out| out.extend_from_slice(&record));
        }
        writer.append(&mut buffer).expect("the disk takes a batch");
    }
    records as f64 / start.elapsed().as_secs_f64()
}

/// Commands per second through the product's sequencer, from submission to reply, including read models.
fn whole_exchange(script: &Script, live: &State) -> f64 {
    let place = Place::Disk.fresh();
    let mut recovered = recover(place.path(), Options::default()).expect("a fresh directory");
    let (time, commands) = founding_commands(script.symbols);
    recovered.commit(time, commands).expect("the founding is taken");
    let options = sequencer::Options { snapshot_every: u64::MAX };
    let running = sequencer::Exchange::start(recovered, Clock::manual(time), options).expect("threads start");
    let exchange = running.exchange();
    let (before, timed) = script.records.split_at(script.prefill);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let local = LocalSet::new();
    local.spawn_local(exchange.open_mailbox());
    local.block_on(&runtime, submit_all(&exchange, before));
    let start = Instant::now();
    local.block_on(&runtime, submit_all(&exchange, timed));
    let seconds = start.elapsed().as_secs_f64();
    let views = exchange.views();
    let state = views.state();
    // Its clock stands still, and the fingerprint includes the time.
    let balances = |state: &State| state.fingerprint_of_balances() ^ state.stamp().time.0;
    assert_eq!(balances(state), balances(live), "the same commands lead to the same balances");
    assert_eq!(state.orders().len(), live.orders().len(), "and to the same orders");
    drop(views);
    running.stop().expect("it stops");
    timed.len() as f64 / seconds
}

/// Submits records in order, and waits for the oldest reply if many are in flight or the queue is full.
async fn submit_all(exchange: &sequencer::Exchange, records: &[Record]) {
    let mut pending = VecDeque::new();
    for record in records {
        if pending.len() == WINDOW {
            let oldest: sequencer::Pending = pending.pop_front().expect("the window is full");
            black_box(oldest.await.expect("the exchange runs"));
        }
        pending.push_back(exchange.submit(record.decode()).expect("the window is smaller than the queue"));
    }
    for answer in pending {
        black_box(answer.await.expect("the exchange runs"));
    }
}

/// Benchmark 10.
pub(crate) fn measure(settings: &Settings, goal: Goal, report: &mut Report) {
    let script = Script::of(&flow_of("A100", if settings.quick { 300_000 } else { 3_000_000 }));
    let commands = script.records.len() - script.prefill;
    let (mut ratios, mut busy) = (Vec::new(), 0);
    let mut rates: [Vec<f64>; 4] = Default::default();
    let mut cpu: [Vec<f64>; 3] = Default::default();
    for pair in 1..=settings.pairs {
        let calm = clock::calm(settings.patience());
        let (core, alone, live) = core_alone(&script);
        let journal = journal_alone(commands);
        let driven = ring(&script, &live);
        let ring = commands as f64 / driven.seconds;
        let whole = whole_exchange(&script, &live);
        busy += usize::from(!calm);
        let ratio = ring / core.min(journal);
        let millions = [core, journal, ring, whole].map(|rate| rate / 1e6);
        let [core, journal, ring, whole] = millions;
        say(&format!(
            "pair {pair}: core {core:.2}, journal {journal:.2}, both {ring:.2} M/s ({ratio:.2}; {:.0} and {:.0} CPU ns \
             a command); whole exchange {whole:.2} M/s",
            driven.cpu[0], driven.cpu[1]
        ));
        ratios.push(ratio);
        let [deciding, committing] = driven.cpu;
        for (all, one) in cpu.iter_mut().zip([alone, deciding, committing]) {
            all.push(one);
        }
        for (rates, rate) in rates.iter_mut().zip(millions) {
            rates.push(rate);
        }
    }
    let [core, journal, ring, whole] = rates.map(|rates| Spread::of(rates).median);
    let [alone, deciding, committing] = cpu.map(|all| Spread::of(all).median);
    let mut detail = format!(
        "core alone {core:.2}, journal alone {journal:.2} (records of {RECORD} bytes), journalled core {ring:.2} M commands \
         a wall second, {deciding:.0} CPU ns a command to decide (alone {alone:.0}) and {committing:.0} to commit; the product's sequencer \
         with read models and answers {whole:.2}"
    );
    if busy > 0 {
        detail.push_str(&format!("; machine busy in {busy} of {} pairs", settings.pairs));
    }
    report.add(Row { number: 10, what: goal.what, goal, spread: Spread::of(ratios), detail });
}
