//! Read-ahead of the journal: one thread reads, verifies and decodes batches, the caller's thread applies them.
//!
//! Reading, verifying and decoding a command takes about as long as applying it to the state.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use buttonwood_engine::{Event, State, decode_events};
use buttonwood_journal::{Batch, ReplayError};
use buttonwood_model::{Outbox, Seq, Stamp};
use crossbeam_channel::bounded;

use crate::Fault;
use crate::poison::Poison;

/// Batches per chunk. Sending batches one by one would wake the other thread for each, and the scheduler would put both
/// on one processor.
const CHUNK_BATCHES: usize = 64;
/// Events per chunk; the last batch may exceed it.
const CHUNK_EVENTS: usize = 16_384;
/// Chunks read ahead at most.
const CHUNKS_AHEAD: usize = 4;
/// Buffers with room for more events are not reused: else each would grow to the size of the largest batch.
const KEPT_EVENTS: usize = 2_048;

/// One durable batch of the journal, verified and decoded.
#[derive(Debug, Default)]
pub struct Decoded {
    out: Outbox<Event>,
    /// Each command's stamp, and where its events and texts end.
    commands: Vec<(Stamp, usize, usize)>,
    last_seq: u64,
    fingerprint: u64,
    rule: Rule,
}

/// The rule by which the fingerprint of a batch was computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rule {
    /// Over balances alone: batches of format 1.
    Balances,
    /// Over the rows of transfers, positions, debts and quotes too.
    #[default]
    Rows,
}

impl Rule {
    fn of(batch: &Batch<'_>) -> Self {
        if batch.version() < 2 { Self::Balances } else { Self::Rows }
    }

    fn fingerprint(self, state: &State) -> u64 {
        match self {
            Self::Balances => state.fingerprint_of_balances(),
            Self::Rows => state.fingerprint(),
        }
    }
}

impl Decoded {
    /// The commands in order, each with its events and their texts.
    pub fn commands(&self) -> impl Iterator<Item = (Stamp, &[Event], &[u8])> {
        let (mut event, mut text) = (0, 0);
        self.commands.iter().map(move |&(stamp, events_end, texts_end)| {
            let events =
                self.out.events.get(event..events_end).expect("a command ends behind the one before");
            let texts = self.out.texts.get(text..texts_end).expect("a command ends behind the one before");
            (event, text) = (events_end, texts_end);
            (stamp, events, texts)
        })
    }

    /// Passes each command to `apply`, in order.
    ///
    /// # Errors
    /// [`Fault::Poison`] when `apply` panics; what it changed must not be used any more.
    pub fn apply(&self, mut apply: impl FnMut(Stamp, &[Event], &[u8])) -> Result<(), Fault> {
        let mut at = Stamp::default();
        let applied = catch_unwind(AssertUnwindSafe(|| {
            for (stamp, events, texts) in self.commands() {
                at = stamp;
                apply(stamp, events, texts);
            }
        }));
        let before = self.commands.first().map_or(0, |(first, ..)| first.seq.0.saturating_sub(1));
        applied.map_err(|panic| Fault::Poison(Box::new(Poison::new(at, Some(before), &*panic))))
    }

    /// Sequence of the last command.
    pub fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// Compares the fingerprint that the live run had after this batch with that of its replay, by the rule of the batch's format.
    ///
    /// # Errors
    /// [`Fault::Diverged`] when they differ.
    pub fn check(&self, state: &State) -> Result<(), Fault> {
        self.compare(self.rule.fingerprint(state))
    }

    fn compare(&self, fingerprint: u64) -> Result<(), Fault> {
        if self.fingerprint == fingerprint { Ok(()) } else { Err(Fault::Diverged { seq: self.last_seq }) }
    }

    /// Decodes another batch into the same memory.
    pub(crate) fn read(&mut self, batch: &Batch<'_>) -> Result<(), Fault> {
        self.out.clear();
        self.commands.clear();
        (self.last_seq, self.fingerprint) = (batch.last_seq(), batch.fingerprint());
        self.rule = Rule::of(batch);
        for (seq, bytes) in batch.frames() {
            let (time, _) =
                decode_events(bytes, &mut self.out).map_err(|source| Fault::Frame { seq, source })?;
            let stamp = Stamp { seq: Seq(seq), time };
            self.commands.push((stamp, self.out.events.len(), self.out.texts.len()));
        }
        Ok(())
    }
}

/// Why a replay stops early.
#[derive(Debug)]
pub enum Stop {
    /// A frame cannot be read.
    Fault(Fault),
    /// The receiver wants no more batches.
    Cancelled,
}

/// The visitor of a replay's batches.
pub type Visit<'a> = dyn FnMut(&Batch<'_>) -> Result<(), Stop> + 'a;

/// Whether a replay may start a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Threads {
    One,
    Many,
}

/// [`read_ahead`] or [`read_in_turn`].
pub(crate) fn read<T: Send>(
    threads: Threads,
    replay: impl FnOnce(&mut Visit<'_>) -> Result<T, ReplayError<Stop>> + Send,
    fold: impl FnMut(&Decoded) -> Result<(), Fault>,
) -> Result<T, Fault> {
    match threads {
        Threads::Many => read_ahead(replay, fold),
        Threads::One => read_in_turn(replay, fold),
    }
}

/// Runs `read`, a replay of the journal, on a thread of its own and passes its batches to `fold` in order. `fold` may
/// refuse. Returns what `read` returned.
///
/// # Errors
/// The error of `fold`, or the [`Fault`] that the replay met after all that `fold` took.
pub fn read_ahead<T: Send>(
    read: impl FnOnce(&mut Visit<'_>) -> Result<T, ReplayError<Stop>> + Send,
    mut fold: impl FnMut(&Decoded) -> Result<(), Fault>,
) -> Result<T, Fault> {
    let (full, chunks) = bounded::<Chunk>(CHUNKS_AHEAD);
    let (back, empty) = bounded::<Chunk>(CHUNKS_AHEAD);
    // The closure owns the channels and drops them when it ends, by a panic too; the reader then stops.
    thread::scope(move |scope| {
        let ahead = move || {
            let mut chunk = Chunk::default();
            let done = read(&mut |batch| {
                chunk.add(batch).map_err(Stop::Fault)?;
                if !chunk.is_full() {
                    return Ok(());
                }
                let next = empty.try_recv().unwrap_or_default();
                full.send(mem::replace(&mut chunk, next)).map_err(|_| Stop::Cancelled)
            });
            // Batches before a fault are applied before the fault is returned, as in [`read_in_turn`].
            let _ = full.send(chunk);
            done
        };
        let reader = thread::Builder::new().name("read-ahead".to_owned());
        let reader = reader.spawn_scoped(scope, ahead).map_err(Fault::Thread)?;
        let folded = chunks.iter().try_for_each(|mut chunk| {
            chunk.batches().try_for_each(&mut fold)?;
            chunk.clear();
            // If the channel is full, the memory is freed.
            let _ = back.try_send(chunk);
            Ok(())
        });
        drop(chunks);
        match (reader.join(), folded) {
            (Err(panic), _) => resume_unwind(panic),
            (Ok(_), Err(refused)) => Err(refused),
            (Ok(read), Ok(())) => read.map_err(fault),
        }
    })
}

/// Batches sent together, in reused memory.
#[derive(Debug, Default)]
struct Chunk {
    buffers: Vec<Decoded>,
    used: usize,
    events: usize,
}

impl Chunk {
    fn add(&mut self, batch: &Batch<'_>) -> Result<(), Fault> {
        if self.used == self.buffers.len() {
            self.buffers.push(Decoded::default());
        }
        let buffer = self.buffers.get_mut(self.used).expect("there is one more than is used");
        buffer.read(batch)?;
        self.used += 1;
        self.events += buffer.out.events.len();
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.used >= CHUNK_BATCHES || self.events >= CHUNK_EVENTS
    }

    /// Empties the chunk and keeps buffers of the usual size.
    fn clear(&mut self) {
        self.buffers.retain(|buffer| buffer.out.events.capacity() <= KEPT_EVENTS);
        (self.used, self.events) = (0, 0);
    }

    fn batches(&self) -> impl Iterator<Item = &Decoded> {
        self.buffers.iter().take(self.used)
    }
}

/// As [`read_ahead`], on the caller's thread: for a caller that has only one thread or leaves the other processors
/// free.
pub(crate) fn read_in_turn<T>(
    read: impl FnOnce(&mut Visit<'_>) -> Result<T, ReplayError<Stop>>,
    mut fold: impl FnMut(&Decoded) -> Result<(), Fault>,
) -> Result<T, Fault> {
    let mut buffer = Decoded::default();
    let mut visit = |batch: &Batch<'_>| buffer.read(batch).and_then(|()| fold(&buffer)).map_err(Stop::Fault);
    read(&mut visit).map_err(fault)
}

fn fault(error: ReplayError<Stop>) -> Fault {
    match error {
        ReplayError::Fault(fault) => Fault::Journal(fault),
        ReplayError::Refused(Stop::Fault(fault)) => fault,
        ReplayError::Refused(Stop::Cancelled) => unreachable!("all of it was taken"),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::path::Path;

    use buttonwood_engine::{Body, Command, encode};
    use buttonwood_journal::{Buffer, Journal, Options, Reader};
    use buttonwood_model::{BytesRef, Time};

    use super::*;

    /// More than can be read ahead, and no whole number of chunks.
    const BATCHES: usize = 2 * CHUNK_BATCHES * CHUNKS_AHEAD + 7;

    fn wide(count: usize) -> u64 {
        u64::try_from(count).unwrap()
    }

    /// A journal of [`BATCHES`] batches of two commands; the frame of `garbled`, if any, is not valid. A batch's
    /// fingerprint is the sequence of its last command.
    fn journal(dir: &Path, garbled: Option<u64>) -> Reader {
        let options = Options { ballast_bytes: 0, ..Options::default() };
        let mut journal = Journal::open(dir, options).unwrap();
        journal.replay(None, |_| Ok::<_, Infallible>(())).unwrap();
        let mut writer = journal.into_writer().unwrap();
        let mut buffer = Buffer::new();
        for batch in 0..wide(BATCHES) {
            buffer.clear();
            for seq in [2 * batch + 1, 2 * batch + 2] {
                let command = Command { caller: None, body: Body::add_group(format!("group {seq}")) };
                buffer.push(seq, |out| match garbled {
                    Some(garbled) if garbled == seq => out.push(0xff),
                    _ => encode(Time(seq * 10), &command, &[], seq.to_string().as_bytes(), out).unwrap(),
                });
            }
            buffer.set_fingerprint(2 * batch + 2);
            writer.append(&mut buffer).unwrap();
        }
        Reader::open(dir).unwrap()
    }

    /// Sequence, time and text of each command.
    type Seen = Vec<(u64, u64, String)>;

    fn note(seen: &mut Seen, batch: &Decoded) -> Result<(), Fault> {
        for (stamp, events, texts) in batch.commands() {
            assert!(events.is_empty());
            seen.push((stamp.seq.0, stamp.time.0, String::from_utf8(texts.to_vec()).unwrap()));
        }
        assert_eq!(seen.last().unwrap().0, batch.last_seq());
        batch.compare(batch.last_seq())
    }

    /// On one thread or two, every command comes once, in order, with what belongs to it.
    #[test]
    fn all_of_it_comes_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let mut reader = journal(dir.path(), None);
        let all: Seen = (1..=wide(2 * BATCHES)).map(|seq| (seq, seq * 10, seq.to_string())).collect();
        let (mut ahead, mut in_turn) = (Seen::new(), Seen::new());
        let end = read_ahead(
            |visit| reader.replay(None, wide(2 * BATCHES), visit),
            |batch| note(&mut ahead, batch),
        );
        assert_eq!(end.unwrap().seq, wide(2 * BATCHES));
        assert_eq!(ahead, all);
        read_in_turn(
            |visit| reader.replay(None, wide(2 * BATCHES), visit),
            |batch| note(&mut in_turn, batch),
        )
        .unwrap();
        assert_eq!(in_turn, all);
    }

    /// `fold` may refuse at any batch: no batch follows, and the reader ends.
    #[test]
    fn what_is_refused_ends_the_reading() {
        let dir = tempfile::tempdir().unwrap();
        let mut reader = journal(dir.path(), None);
        for wanted in [1, CHUNK_BATCHES, CHUNK_BATCHES + 1, CHUNK_BATCHES * CHUNKS_AHEAD * 2] {
            let mut came = 0;
            let refused = read_ahead(
                |visit| reader.replay(None, wide(2 * BATCHES), visit),
                |batch| {
                    came += 1;
                    batch.compare(if came == wanted { 0 } else { batch.last_seq() })
                },
            );
            let seq = 2 * wide(wanted);
            assert!(matches!(refused, Err(Fault::Diverged { seq: at }) if at == seq), "{refused:?}");
            assert_eq!(came, wanted);
        }
    }

    /// Chunks are bounded by events too, and large buffers are freed.
    #[test]
    fn large_batches_do_not_pile_up() {
        let many = |count: usize| {
            let mut buffer = Decoded::default();
            buffer.out.events.resize(count, Event::Infrequent(BytesRef::default()));
            buffer
        };
        let mut chunk = Chunk { buffers: vec![many(10), many(KEPT_EVENTS + 1), many(7)], used: 3, events: 0 };
        assert!(!chunk.is_full());
        chunk.events = CHUNK_EVENTS;
        assert!(chunk.is_full());
        chunk.clear();
        assert_eq!((chunk.buffers.len(), chunk.used, chunk.events), (2, 0, 0));
        chunk.used = CHUNK_BATCHES;
        assert!(chunk.is_full());
    }

    /// A panic on either thread is propagated, and the other thread ends.
    #[test]
    fn a_panic_is_not_lost() {
        let dir = tempfile::tempdir().unwrap();
        let mut reader = journal(dir.path(), None);
        let folding = catch_unwind(AssertUnwindSafe(|| {
            read_ahead(|visit| reader.replay(None, wide(2 * BATCHES), visit), |_| panic!("fold"))
        }));
        assert_eq!(folding.unwrap_err().downcast_ref::<&str>(), Some(&"fold"));
        let reading = catch_unwind(|| read_ahead::<()>(|_| panic!("read"), |_| Ok(())));
        assert_eq!(reading.unwrap_err().downcast_ref::<&str>(), Some(&"read"));
    }

    /// An invalid frame is reported by its number after all batches before it were applied.
    #[test]
    fn a_garbled_frame_is_told() {
        let garbled = wide(2 * CHUNK_BATCHES + 11);
        let dir = tempfile::tempdir().unwrap();
        let mut reader = journal(dir.path(), Some(garbled));
        let mut seen = Seen::new();
        let told =
            read_ahead(|visit| reader.replay(None, wide(2 * BATCHES), visit), |batch| note(&mut seen, batch));
        assert!(matches!(told, Err(Fault::Frame { seq, .. }) if seq == garbled), "{told:?}");
        assert_eq!(seen.last().unwrap().0, garbled - 1, "the batch before it was applied");
        let told = read_in_turn(|visit| reader.replay(None, wide(2 * BATCHES), visit), |_| Ok(()));
        assert!(matches!(told, Err(Fault::Frame { seq, .. }) if seq == garbled), "{told:?}");
    }
}
