//! Every state that a power cut could leave. One short run is recorded call by call. Before each call, the disk is
//! left as different cuts would leave it, recovered, and compared with what the run had acknowledged by then.

mod rows;

use crate::check::Finding;
use crate::disk::{Faulty, Survival};
use crate::scene::{FOUNDED, Scene};
use crate::secrets::Secrets;
use buttonwood_engine::decode_events;
use buttonwood_journal::{Options as Segments, Reader};
use buttonwood_model::{Outbox, Seq, Stamp, Time};
use buttonwood_oracle::Dice;
use buttonwood_sequencer::{JOURNAL_DIR, Options, Stepped};
use buttonwood_views::{Counted, Fold, history::Index};
use rows::Rows;
use std::collections::BTreeSet;
use std::time::Duration;

/// Figures of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Disk calls before which the power was cut.
    pub boundaries: u64,
    /// Different states that were recovered.
    pub states: u64,
    /// Those left by a second cut, during the recovery from a first.
    pub second: u64,
}

impl Swept {
    /// Adds the figures of another sweep.
    pub fn add(&mut self, other: &Self) {
        self.boundaries += other.boundaries;
        self.states += other.states;
        self.second += other.second;
    }
}

/// The highest sequence acknowledged to a client, from a call on.
struct Told {
    call: u64,
    seq: u64,
}

/// A recorded run and the data to compare with.
struct Run {
    scene: Scene,
    past: Vec<Faulty>,
    /// The number of the first recorded call.
    first_call: u64,
    told: Vec<Told>,
    /// The content of the views after each command, and the index of the history's files.
    folds: Vec<(Fold, Index)>,
    rows: Rows,
}

/// A sweep: one run and the power cuts tried on it.
pub struct Sweep {
    seed: u64,
    dice: Dice,
    swept: Swept,
    /// The disk being recovered, as it was before.
    tried: Option<Faulty>,
}

impl Sweep {
    /// The sweep of a seed, before it begins.
    pub fn new(seed: u64) -> Self {
        Self { seed, dice: Dice::seeded(seed), swept: Swept::default(), tried: None }
    }

    /// Tries `each` cuts of every kind before every call of the seed's run.
    ///
    /// # Errors
    /// The first state that is not recovered correctly.
    pub fn run(&mut self, each: u64) -> Result<Swept, Finding> {
        let run = Run::record(self.seed, &mut self.dice)?;
        for (at, disk) in run.past.iter().enumerate() {
            let call = run.first_call + wide(at);
            self.cut(&run, disk, call, each)
                .map_err(|finding| format!("power cut before call {call}: {finding}"))?;
        }
        Ok(self.swept)
    }

    /// The disk for inspection after a finding, as the power cut left it, if there was one.
    pub fn disk(&self) -> Option<&Faulty> {
        self.tried.as_ref()
    }

    /// Cuts the power before a call in several ways.
    fn cut(&mut self, run: &Run, disk: &Faulty, call: u64, each: u64) -> Result<(), Finding> {
        let told = run.told.iter().rfind(|told| told.call <= call).map_or(0, |told| told.seq);
        self.swept.boundaries += 1;
        let mut seen = BTreeSet::new();
        let tries = if disk.is_settled() { 1 } else { each };
        for at in 0..tries {
            let survival = match at {
                0 => Survival::None,
                1 => Survival::All,
                _ if at % 3 == 0 => Survival::TornLast,
                _ => Survival::Some(self.dice.below(1_001)),
            };
            let (after, left) = disk.after_power_cut(&mut self.dice, &survival);
            if !seen.insert(left) {
                continue;
            }
            let twice = self.dice.once_in(64);
            if twice {
                after.record();
            }
            self.recovers(run, &after, told).map_err(|finding| format!("{survival:?}: {finding}"))?;
            if twice {
                self.cut_again(run, &after, told)?;
            }
        }
        Ok(())
    }

    /// Cuts the power during a recovery.
    fn cut_again(&mut self, run: &Run, disk: &Faulty, told: u64) -> Result<(), Finding> {
        for (at, before) in disk.recorded().iter().enumerate() {
            let survival = Survival::drawn(&mut self.dice);
            let (after, _) = before.after_power_cut(&mut self.dice, &survival);
            self.swept.second += 1;
            self.recovers(run, &after, told).map_err(|finding| {
                format!("and again before call {at} of the start, {survival:?}: {finding}")
            })?;
        }
        Ok(())
    }

    /// Recovers one state.
    fn recovers(&mut self, run: &Run, disk: &Faulty, told: u64) -> Result<(), Finding> {
        self.swept.states += 1;
        self.tried = Some(disk.fork());
        run.recovers(disk, told, self.dice.once_in(16))
    }
}

impl Run {
    /// Runs for a while, without faults but with one restart, and records the disk before each call.
    fn record(seed: u64, dice: &mut Dice) -> Result<Self, Finding> {
        let mut scene = Scene::drawn(dice);
        scene.segments = Segments {
            first_segment_bytes: dice.pick(&[8_192, 16_384]),
            segment_bytes: dice.pick(&[16_384, 32_768]),
            ballast_bytes: dice.pick(&[0, 4_096]),
        };
        scene.options = Options { snapshot_every: dice.pick(&[5, 17, 60]) };
        scene.seals = seed % 4 == 1;
        let disk = Faulty::new(seed);
        let first_call = disk.calls();
        disk.record();
        let mut told = Vec::new();
        let mut now = FOUNDED;
        for _ in 0..2 {
            let secrets =
                scene.unseal(&disk).map_err(|fault| format!("the vault cannot be opened: {fault}"))?;
            let mut stepped =
                scene.boot(&disk, now).map_err(|fault| format!("it cannot be started: {fault}"))?;
            note(&stepped, &disk, &mut told);
            for _ in 0..12 + dice.below(12) {
                let parts = (&mut stepped, secrets.as_ref());
                turn(&mut scene, parts, &disk, &mut now, dice, &mut told)?;
            }
            drop(stepped);
            disk.kill();
        }
        let past = disk.recorded();
        let (folds, rows) = follow(&disk)?;
        Ok(Self { scene, past, first_call, told, folds, rows })
    }

    /// Checks that everything acknowledged is there, that nothing unrequested is, and that all of it is unchanged; of
    /// the history the index, and every row if `reads_files`.
    fn recovers(&self, disk: &Faulty, told: u64, reads_files: bool) -> Result<(), Finding> {
        let recovered = self.scene.recover(disk).map_err(|fault| format!("it cannot be started: {fault}"))?;
        let views = recovered.views();
        let seq = views.state().stamp().seq.0;
        if seq < told {
            return Err(format!("recovered up to command {seq}, but {told} was acknowledged"));
        }
        let at = usize::try_from(seq).map_err(|error| error.to_string())?;
        let Some((fold, index)) = self.folds.get(at) else {
            return Err(format!("recovered command {seq}, which nobody asked for"));
        };
        if views.fold() != fold {
            return Err(format!("the views of command {seq} are not what they were"));
        }
        // Without a command, the journal may be a different one, whose index has another key.
        if seq > 0 && views.history().index() != index {
            return Err(format!("the history of command {seq} is not what it was"));
        }
        let secrets =
            self.scene.unseal(disk).map_err(|fault| format!("the vault cannot be opened: {fault}"))?;
        secrets.map_or(Ok(()), |secrets| secrets.check(views.state()))?;
        if reads_files { self.rows.compare(views, seq) } else { Ok(()) }
    }
}

/// One turn of the run: some commands, and the work of every thread.
fn turn(
    scene: &mut Scene,
    (stepped, secrets): (&mut Stepped, Option<&Secrets>),
    disk: &Faulty,
    now: &mut Time,
    dice: &mut Dice,
    told: &mut Vec<Told>,
) -> Result<(), Finding> {
    let of_vault = |fault: buttonwood_vault::Fault| format!("a disk without faults: {fault}");
    for _ in 0..=dice.below(4) {
        let command = match secrets {
            Some(_) if dice.once_in(3) => scene.deal_key(&stepped.state()),
            Some(_) | None => scene.deal(&stepped.state()),
        };
        secrets.map_or(Ok(()), |secrets| secrets.store(&command)).map_err(of_vault)?;
        *now = now.plus(dice.below(20_000_000));
        let exchange = stepped.exchange();
        let queued = exchange.advance(*now).is_ok() && exchange.submit(command).is_ok();
        if !queued {
            return Err("the queue is full though the writer has its turns".into());
        }
        stepped.decide(Duration::from_micros(now.0 - FOUNDED.0));
    }
    let wrong = |fault: buttonwood_sequencer::Fault| format!("a disk without faults: {fault}");
    stepped.commit().map_err(wrong)?;
    note(stepped, disk, told);
    if let Some(secrets) = secrets.filter(|_| dice.once_in(4)) {
        secrets.rotate(disk.calls()).map_err(of_vault)?;
    }
    if dice.once_in(3) {
        stepped.prepare().map_err(wrong)?;
    }
    if dice.once_in(2) {
        stepped.checkpoint().map_err(wrong)?;
    }
    Ok(())
}

fn note(stepped: &Stepped, disk: &Faulty, told: &mut Vec<Told>) {
    let seq = stepped.exchange().views().state().stamp().seq.0;
    told.push(Told { call: disk.calls(), seq });
}

/// The content of the views after each command of the journal, beginning before the first, and the rows of the
/// history.
fn follow(disk: &Faulty) -> Result<(Vec<(Fold, Index)>, Rows), Finding> {
    let mut reader = Reader::open(disk.folder().folder(JOURNAL_DIR)).map_err(|fault| fault.to_string())?;
    let checked = reader.verify().map_err(|fault| fault.to_string())?;
    let mut fold = Fold::default();
    let mut rows = Rows::new(Counted::new(buttonwood_sequencer::index_of_empty(reader.id())));
    let mut folds = vec![(fold.clone(), rows.counted.index.clone())];
    let mut out = Outbox::default();
    let read = reader.replay(None, checked.end.seq, |batch| {
        for (seq, frame) in batch.frames() {
            out.clear();
            let (time, _) = decode_events(frame, &mut out).map_err(|error| error.to_string())?;
            rows.seq = seq;
            fold.apply(Stamp { seq: Seq(seq), time }, &out.events, &out.texts, &mut rows);
            folds.push((fold.clone(), rows.counted.index.clone()));
        }
        Ok::<_, Finding>(())
    });
    read.map_err(|error| error.to_string())?;
    Ok((folds, rows))
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).expect("a count fits in 64 bits")
}
