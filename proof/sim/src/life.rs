//! A long run: random traders, a moving clock, turns of every thread in random order, and every kind of disk fault at
//! any call. After each crash the exchange is recovered and continues.

mod crash;
mod sealing;
mod space;

use crate::check::{Checker, Finding};
use crate::disk::{Faulty, Trouble};
use crate::scene::{FOUNDED, Scene};
use crate::secrets::Secrets;
use buttonwood_journal as journal;
use buttonwood_model::Time;
use buttonwood_oracle::Dice;
use buttonwood_sequencer::{Busy, Exchange, Fault, Stepped};
use space::Room;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::oneshot::Receiver;

/// Lines of trace that are kept.
const TRACE: usize = 4_000;

/// Figures of a life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Commands in the journal at the end.
    pub commands: u64,
    /// Simulated microseconds.
    pub micros: u64,
    /// Ends of the process, of any kind.
    pub crashes: u64,
    /// Those with a loss of power.
    pub power_cuts: u64,
    /// Calls of the disk that failed.
    pub errors: u64,
    /// Damaged copies of the disk.
    pub damaged: u64,
    /// Damaged copies that were recovered with everything there.
    pub unhurt: u64,
    /// Recovered copies with a damaged history that was mended.
    pub mended: u64,
    /// Snapshots made.
    pub snapshots: u64,
    /// Moves of segments to the archive.
    pub archived: u64,
    /// Secrets stored in the vault after the founding.
    pub sealed: u64,
    /// Rotations of the vault's key.
    pub rotations: u64,
}

impl Tally {
    /// Adds the figures of another life.
    pub fn add(&mut self, other: &Self) {
        self.commands += other.commands;
        self.micros += other.micros;
        self.crashes += other.crashes;
        self.power_cuts += other.power_cuts;
        self.errors += other.errors;
        self.damaged += other.damaged;
        self.unhurt += other.unhurt;
        self.mended += other.mended;
        self.snapshots += other.snapshots;
        self.archived += other.archived;
        self.sealed += other.sealed;
        self.rotations += other.rotations;
    }
}

/// The character of a life, drawn once: some are quiet, some are rough.
struct Temper {
    /// Mean commands between two faults.
    fault_every: u64,
    /// Number of disk calls within which an ordered fault occurs.
    fault_within: u64,
    /// Most microseconds between two commands, apart from pauses.
    gap: u64,
    /// One in this many commands is followed by a pause of up to an hour.
    pause_every: u64,
    /// The writer's and the committer's share of a hundred turns.
    decide: u64,
    commit: u64,
}

impl Temper {
    fn drawn(dice: &mut Dice) -> Self {
        Self {
            fault_every: dice.pick(&[10, 60, 400, 3_000]),
            fault_within: dice.pick(&[3, 30, 200]),
            gap: dice.pick(&[1_000, 1_000_000, 20_000_000]),
            pause_every: dice.pick(&[50, 200, 1_000]),
            decide: dice.pick(&[10, 25, 40]),
            commit: dice.pick(&[5, 25, 40]),
        }
    }
}

/// One life of an exchange.
pub struct Life {
    dice: Dice,
    scene: Scene,
    temper: Temper,
    disk: Faulty,
    stepped: Option<Stepped>,
    /// The vault of the process that runs, in a life that has one.
    secrets: Option<Secrets>,
    checker: Checker,
    now: Time,
    /// Microseconds that have passed without a move of the clock.
    idle: u64,
    /// The last time that the writer was given.
    told: Time,
    /// The exchange's possible knowledge of the disk's room.
    room: Room,
    tally: Tally,
    trace: VecDeque<String>,
}

impl Life {
    /// The life of a seed, before it begins.
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice::seeded(seed);
        // Not drawn, so that the other lives stay what they were.
        let scene = Scene { archives: seed % 4 == 3, seals: seed % 4 == 1, ..Scene::drawn(&mut dice) };
        let temper = Temper::drawn(&mut dice);
        let checker = Checker::new(&scene);
        let disk = Faulty::new(seed);
        Self {
            dice,
            scene,
            temper,
            disk,
            stepped: None,
            secrets: None,
            checker,
            now: FOUNDED,
            idle: 0,
            told: FOUNDED,
            room: Room::Known,
            tally: Tally::default(),
            trace: VecDeque::new(),
        }
    }

    /// Runs until `commands` were submitted, and then checks that the exchange is sound.
    ///
    /// # Errors
    /// The first problem found.
    pub fn run(&mut self, commands: u64) -> Result<Tally, Finding> {
        self.boot()?;
        let mut left = commands;
        while left > 0 {
            if self.step()? {
                left -= 1;
            }
        }
        self.heal()?;
        self.tally.commands = self.checker.seq();
        self.tally.micros = self.now.0 - FOUNDED.0;
        Ok(self.tally)
    }

    /// The disk, for inspection after a finding.
    pub fn disk(&self) -> &Faulty {
        &self.disk
    }

    /// The latest lines of the trace.
    pub fn trace(&self) -> impl Iterator<Item = &str> {
        self.trace.iter().map(String::as_str)
    }

    fn note(&mut self, line: impl FnOnce() -> String) {
        if self.trace.len() == TRACE {
            self.trace.pop_front();
        }
        self.trace.push_back(line());
    }

    fn stepped(&mut self) -> &mut Stepped {
        self.stepped.as_mut().expect("it is running between two turns")
    }

    /// One turn of a random party; returns whether it submitted a command.
    fn step(&mut self) -> Result<bool, Finding> {
        if self.dice.once_in(self.temper.fault_every * 4) {
            self.order_fault();
        }
        let roll = self.dice.below(100);
        let (decide, commit) = (self.temper.decide, self.temper.commit);
        let mut submitted = false;
        if roll < decide {
            self.decide()?;
        } else if roll < decide + commit {
            self.commit()?;
        } else {
            match self.dice.below(100) {
                0..8 => self.prepare()?,
                8..16 => self.checkpoint()?,
                16 => self.scrub()?,
                17..20 => self.read()?,
                20 if self.dice.once_in(8) => self.stop()?,
                21 => self.look_up()?,
                22 if self.scene.seals && self.dice.once_in(2) => self.rotate()?,
                23 if self.dice.once_in(20) => self.start_twice()?,
                _ => {
                    self.submit()?;
                    submitted = true;
                }
            }
        }
        self.after_turn()?;
        Ok(submitted)
    }

    /// Orders a fault for one of the next disk calls, or changes the limit of space.
    fn order_fault(&mut self) {
        let after = self.dice.below(self.temper.fault_within);
        let trouble = self.dice.pick(&[Trouble::PowerCut, Trouble::PowerCut, Trouble::Kill, Trouble::Error]);
        if self.dice.once_in(8) {
            let room = self.disk.held() + self.dice.below(300_000);
            self.note(|| format!("the disk is full at {room}"));
            self.limit(Some(room));
        } else if self.dice.once_in(3) {
            self.limit(None);
        } else {
            self.note(|| format!("ordered {trouble:?} after {after} calls"));
            self.disk.arm(after, trouble);
        }
    }

    fn submit(&mut self) -> Result<(), Finding> {
        let stepped = self.stepped.as_mut().expect("it is running between two turns");
        let command = match self.checker.some_break(stepped, &mut self.dice) {
            Some(command) => command,
            None if self.scene.seals && self.dice.once_in(12) => self.scene.deal_key(&stepped.state()),
            None => self.scene.deal(&stepped.state()),
        };
        if !self.seal(&command)? {
            return Ok(());
        }
        let stepped = self.stepped.as_ref().expect("it is running between two turns");
        let pause =
            if self.dice.once_in(self.temper.pause_every) { 3_600 * Time::SECOND } else { self.temper.gap };
        self.now = self.now.plus(self.dice.below(pause));
        let exchange = stepped.exchange();
        self.checker.moves(advance(exchange, self.now)?);
        if let Some(caller) = &command.caller {
            exchange.heard(caller.session, self.now);
            self.checker.hears(caller.session, self.now);
        }
        match exchange.submit(command.clone()) {
            Ok(pending) => self.checker.asks(command, self.now, pending),
            Err(Busy) => return Err("the queue is full though the writer has its turns".into()),
        }
        // Only turns of the writer and the committer shorten the queue.
        if self.checker.waiting() > 3_000 {
            self.decide()?;
            self.commit()?;
        }
        Ok(())
    }

    /// A call that only reads uses a nonce too. Time has passed although no command shows it; usually the clock has
    /// not been moved for it.
    fn read(&mut self) -> Result<(), Finding> {
        let (session, nonce) = self.scene.dealer.read();
        let exchange = self.stepped.as_ref().expect("it is running between two turns").exchange();
        exchange.note_nonce(session, nonce);
        exchange.heard(session, self.now);
        self.checker.notes(session, nonce);
        self.checker.hears(session, self.now);
        if self.dice.once_in(3) {
            self.now = self.now.plus(1);
            self.checker.moves(advance(exchange, self.now)?);
        }
        Ok(())
    }

    /// Time since the founding, including time without a move of the clock.
    fn elapsed(&self) -> Duration {
        Duration::from_micros(self.now.0 - FOUNDED.0 + self.idle)
    }

    fn decide(&mut self) -> Result<(), Finding> {
        self.idle += self.dice.below(60_000);
        let elapsed = self.elapsed();
        self.stepped().decide(elapsed);
        self.told = self.now;
        self.checker.decided(self.now.plus(self.idle), self.room.is_known());
        self.check_room()
    }

    fn commit(&mut self) -> Result<(), Finding> {
        let committed = self.stepped().commit();
        let seq = self.stepped().state().stamp().seq.0;
        self.note(|| format!("commit up to {seq}: {committed:?}"));
        match committed {
            Ok(is_some) => {
                self.room.told();
                self.committed(is_some)
            }
            Err(fault) => self.fell(&fault),
        }
    }

    /// Everything committed is durable, answered and visible, no matter what happens later.
    fn committed(&mut self, is_some: bool) -> Result<(), Finding> {
        if self.has_ended() {
            return Ok(());
        }
        self.checker.collect()?;
        if is_some {
            let seq = self.visible();
            self.checker.follow(&self.disk, seq, true)?;
            let (told, now) = (self.told, self.now);
            if self.checker.waiting() == 0 && told == now {
                self.checker.check_silence(now)?;
                self.checker.check_steps(now, self.room.is_known())?;
            }
        }
        self.checker.check_nonces()
    }

    fn visible(&mut self) -> u64 {
        let views = self.stepped.as_ref().expect("it is running between two turns").exchange().views();
        self.checker.sees(views.state());
        views.state().stamp().seq.0
    }

    fn prepare(&mut self) -> Result<(), Finding> {
        match self.stepped().prepare() {
            Ok(()) => {
                self.room.looked(&self.disk);
                Ok(())
            }
            Err(fault) => self.fell(&fault),
        }
    }

    fn checkpoint(&mut self) -> Result<(), Finding> {
        let made = self.stepped().checkpoint();
        self.note(|| format!("snapshot: {made:?}"));
        self.tally.snapshots += u64::from(matches!(made, Ok(Some(_))));
        match made {
            // If the disk refuses a snapshot, the next start only takes longer.
            Err(fault) if self.is_excused(&fault) => Ok(()),
            Err(fault) => Err(format!("a snapshot is wrong: {fault}")),
            Ok(Some(_)) if self.scene.archives => self.archive(),
            Ok(_) => Ok(()),
        }
    }

    /// Moves segments to the archive, up to three.
    fn archive(&mut self) -> Result<(), Finding> {
        for _ in 0..3 {
            let moved = self.stepped().archive();
            self.note(|| format!("archived: {moved:?}"));
            match moved {
                Ok(Some(_)) => self.tally.archived += 1,
                Ok(None) => break,
                Err(fault) if self.is_excused(&fault) => break,
                Err(fault) => return Err(format!("the journal cannot be archived: {fault}")),
            }
        }
        Ok(())
    }

    fn scrub(&mut self) -> Result<(), Finding> {
        let scrubbed = self.stepped().scrub();
        match scrubbed {
            Ok(_) => Ok(()),
            Err(_) if self.disk.blown().is_some() => Ok(()),
            Err(fault) => Err(format!("the scrub finds damage where there is none: {fault}")),
        }
    }

    /// Queries some order and some trades, like their owners.
    fn look_up(&mut self) -> Result<(), Finding> {
        let stepped = self.stepped.as_ref().expect("it is running between two turns");
        Ok(self.checker.look_up(&stepped.exchange().views(), &mut self.dice)?)
    }

    /// A second process on the same directory must not be able to serve.
    fn start_twice(&mut self) -> Result<(), Finding> {
        match self.scene.recover(&self.disk) {
            Ok(_) => Err("two processes serve one directory".into()),
            Err(Fault::Journal(journal::Fault::Locked { .. })) => Ok(()),
            Err(_) if self.disk.blown().is_some() => Ok(()),
            Err(fault) => Err(format!("a second start does not say that the directory is in use: {fault}")),
        }
    }

    fn has_ended(&self) -> bool {
        matches!(self.disk.blown(), Some(Trouble::Kill | Trouble::PowerCut))
    }

    /// Handles the result of a turn: the end of the process, or an error that it survives.
    fn after_turn(&mut self) -> Result<(), Finding> {
        if self.has_ended() { self.crash() } else { Ok(()) }
    }

    /// The process ends itself on a fault; it must have a reason.
    fn fell(&mut self, fault: &Fault) -> Result<(), Finding> {
        if let Fault::Diverged { .. } | Fault::Poison(_) = fault {
            // No disk fault excuses this, and the views must not be read any more.
            return Err(format!("its views differ: {fault}"));
        }
        if self.has_ended() {
            return Ok(());
        }
        if self.disk.blown().is_none() {
            self.excuse(fault).map_err(|why| format!("it fell {why}: {fault}"))?;
        }
        self.tally.errors += 1;
        self.crash()
    }
}

/// Requests a move of the clock.
fn advance(exchange: &Exchange, to: Time) -> Result<Receiver<Time>, Finding> {
    exchange.advance(to).map_err(|Busy| "no room for the clock in the queue".to_owned())
}
