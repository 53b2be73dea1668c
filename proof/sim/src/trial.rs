//! A long run of one product over crashes: an exchange whose process ends at any call of its disk, and clients that go on.
//!
//! A follower reads the journal and has the judge of the product check each command; what was recovered must be what it read.

mod crash;
mod follow;
pub(crate) mod found;

use crate::check::Finding;
use crate::disk::{Faulty, Trouble};
use crate::scene::FOUNDED;
use crate::statement::explained_if_read;
use buttonwood_engine::{Body, Caller, Command, State};
use buttonwood_journal::Options as Segments;
use buttonwood_model::{AccountId, SessionId, Time};
use buttonwood_oracle::{Dice, Exchange, nonce};
use buttonwood_sequencer::{Options, Stepped};
use follow::Follower;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::time::Duration;

/// Lines of trace that are kept.
const TRACE: usize = 4_000;

/// The naive model of a product.
pub trait Judge: Debug + Default {
    /// Judges a command that was applied to the exchange.
    fn note(&mut self, exchange: &Exchange, command: &Command) -> Result<(), String>;

    /// What must not be left to do at rest; none if nothing is.
    fn unfinished(&self, exchange: &Exchange) -> Option<String>;

    /// Whether the first command of a start at this time must be the one that notes missed minutes.
    fn must_resume(&self, now: Time) -> bool;
}

/// A product under trial: what its clients do.
pub trait Product: Sized {
    /// The naive model.
    type Judge: Judge;
    /// The figures of a run.
    type Tally: Copy;

    /// The commands that found the exchange.
    fn founding(&self) -> &[Command];

    /// Whether there are so many rows that laws are checked after some commands only.
    fn is_crowded(&self) -> bool {
        false
    }

    /// One step of clients, of the clock, or of the disk.
    fn step(trial: &mut Trial<Self>) -> Result<(), Finding>;

    /// An order of a client.
    fn place(trial: &mut Trial<Self>) -> Result<(), Finding>;

    /// Notes a start: what the journal leaves to do is in the judge.
    fn started(&mut self, judge: &Self::Judge, now: Time);

    /// The figures at the end, after so many commands and crashes.
    fn tally(&self, judge: &Self::Judge, commands: u64, crashes: u64) -> Self::Tally;
}

/// Numbers after those of given bytes, so that a run ends in its own way when the bytes do.
const TAIL: u64 = 4_096;

/// The dice of given bytes, followed by numbers that are always the same.
pub(crate) fn dice_of(bytes: &[u8]) -> Dice {
    let mut tail = Dice::seeded(TAIL);
    let tail = (0..TAIL).map(|_| u8::try_from(tail.below(256)).expect("below 256"));
    Dice::of_bytes(&bytes.iter().copied().chain(tail).collect::<Vec<u8>>())
}

/// A run of a seed.
pub struct Trial<P: Product> {
    pub(crate) dice: Dice,
    pub(crate) product: P,
    segments: Segments,
    options: Options,
    pub(crate) disk: Faulty,
    stepped: Option<Stepped>,
    pub(crate) follower: Follower<P::Judge>,
    pub(crate) now: Time,
    /// The turns of the writer so far; each is a second of its steady time.
    turns: u32,
    /// Most commands of a batch.
    batch: usize,
    /// Mean steps between two faults of the disk.
    fault_every: u64,
    nonce: u64,
    /// Ends of the process.
    pub(crate) crashes: u64,
    /// Whether the disk has one trouble alone, and the next start follows at once.
    is_struck_once: bool,
    trace: VecDeque<String>,
}

impl<P: Product> Trial<P> {
    /// The run of a seed, before it begins.
    pub(crate) fn of(seed: u64, mut dice: Dice, product: P) -> Self {
        let first = 16_384 << dice.below(3);
        let segments = Segments { first_segment_bytes: first, segment_bytes: first * 2, ballast_bytes: 0 };
        let options = Options { snapshot_every: dice.pick(&[7, 40, 300]) };
        let (batch, fault_every) = (dice.pick(&[1, 2, 5, 4_096]), dice.pick(&[4, 10, 40]));
        let founding = u64::try_from(product.founding().len()).expect("some thousands");
        Self {
            dice,
            segments,
            options,
            disk: Faulty::new(seed),
            stepped: None,
            follower: Follower::new(founding, product.is_crowded()),
            product,
            now: FOUNDED,
            turns: 0,
            batch,
            fault_every,
            nonce: founding,
            crashes: 0,
            is_struck_once: false,
            trace: VecDeque::new(),
        }
    }

    /// Runs so many steps, with faults of the disk, and then checks that the exchange comes to rest.
    ///
    /// # Errors
    /// The first problem found.
    pub fn run(&mut self, steps: u64) -> Result<P::Tally, Finding> {
        self.boot()?;
        for _ in 0..steps {
            if self.dice.once_in(self.fault_every) {
                self.order_fault();
            }
            P::step(self)?;
            self.quiet()?;
        }
        self.disk.kill();
        self.quiet()?;
        self.follower.check_end()?;
        Ok(self.product.tally(self.follower.judge(), self.follower.seq(), self.crashes))
    }

    /// Begins a run whose disk has one trouble alone, after so many calls.
    pub(crate) fn strike(&mut self, after: u64, trouble: Trouble) -> Result<(), Finding> {
        self.is_struck_once = true;
        self.boot()?;
        self.quiet()?;
        self.disk.arm(after, trouble);
        Ok(())
    }

    /// Sends a command until the journal shows that it is done.
    pub(crate) fn insist(
        &mut self,
        is_done: impl Fn(&State) -> bool,
        send: impl Fn(&mut Self) -> Result<(), Finding>,
    ) -> Result<(), Finding> {
        for _ in 0..4 {
            if is_done(self.state()) {
                return Ok(());
            }
            send(self)?;
            self.quiet()?;
        }
        if is_done(self.state()) { Ok(()) } else { Err("a command has no effect".into()) }
    }

    /// A time is reached, and what is due by then has run.
    pub(crate) fn rest_at(&mut self, at: Time) -> Result<(), Finding> {
        self.advance(at)?;
        self.quiet()
    }

    /// The disk, for inspection after a finding.
    pub fn disk(&self) -> &Faulty {
        &self.disk
    }

    /// The latest lines of the trace.
    pub fn trace(&self) -> impl Iterator<Item = &str> {
        self.trace.iter().map(String::as_str)
    }

    /// The state as it was read from the journal.
    pub(crate) fn state(&self) -> &State {
        self.follower.state()
    }

    fn note(&mut self, line: impl FnOnce() -> String) {
        if self.trace.len() == TRACE {
            self.trace.pop_front();
        }
        self.trace.push_back(line());
    }

    pub(crate) fn order_fault(&mut self) {
        let within = self.dice.pick(&[4, 30]);
        let after = self.dice.below(within);
        let trouble = self.dice.pick(&[Trouble::Kill, Trouble::Kill, Trouble::PowerCut, Trouble::Error]);
        self.note(|| format!("ordered {trouble:?} after {after} calls"));
        self.disk.arm(after, trouble);
    }

    /// An hour or two pass, or an exact hour is reached.
    pub(crate) fn wait_hours(&mut self) -> Result<(), Finding> {
        const HOUR: u64 = 3_600 * Time::SECOND;
        let next = Time((self.now.0 / HOUR + 1) * HOUR);
        let to = match self.dice.below(4) {
            0 => next,
            1 => {
                // The process ends while the hour is worked off.
                self.advance(Time(next.0 - 1))?;
                self.quiet()?;
                let after = self.dice.below(12);
                self.disk.arm(after, Trouble::Kill);
                next
            }
            2 => next.plus(self.dice.below(HOUR)),
            _ => self.now.plus(self.dice.below(20 * 60 * Time::SECOND)),
        };
        self.advance(to.max(self.now))
    }

    /// A time at which much is due is reached; often the process ends while it is worked off.
    pub(crate) fn reach_with_trouble(&mut self, at: Time) -> Result<(), Finding> {
        if self.dice.once_in(2) {
            self.advance(Time(at.0 - 1).max(self.now))?;
            self.quiet()?;
            let after = self.dice.below(16);
            self.disk.arm(after, Trouble::Kill);
        }
        self.advance(at.max(self.now))
    }

    /// A minute or so passes.
    pub(crate) fn wait(&mut self) -> Result<(), Finding> {
        let to = self.now.plus(self.dice.below(90 * Time::SECOND));
        self.advance(to)
    }

    fn advance(&mut self, to: Time) -> Result<(), Finding> {
        self.now = to;
        self.note(|| format!("the clock moves to {to:?}"));
        match self.stepped.as_ref().map(|stepped| stepped.exchange().advance(to)) {
            Some(Err(_)) => Err("no room for the clock in the queue".into()),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    /// A command of the exchange itself or of an operator.
    pub(crate) fn own(&mut self, body: Body) -> Result<(), Finding> {
        self.submit(Command { caller: None, body })
    }

    /// A call of a trader.
    pub(crate) fn call(
        &mut self,
        (account, session): (AccountId, SessionId),
        command: impl Into<Body>,
    ) -> Result<(), Finding> {
        self.nonce += 1;
        let caller = Caller { session, account: Some(account), nonce: nonce(self.nonce) };
        self.submit(Command { caller: Some(caller), body: command.into() })
    }

    /// Submits a command.
    pub(crate) fn submit(&mut self, command: Command) -> Result<(), Finding> {
        self.note(|| format!("{command:?}"));
        let Some(stepped) = &self.stepped else { return Ok(()) };
        match stepped.exchange().submit(command.clone()) {
            Ok(pending) => {
                self.follower.asks(command, self.now, pending);
                Ok(())
            }
            Err(_) => Err("the queue is full though the writer has its turns".into()),
        }
    }

    /// The exchange's own care: snapshots, and segments ahead.
    pub(crate) fn care(&mut self) -> Result<(), Finding> {
        for _ in 0..3 {
            if let Some(stepped) = &mut self.stepped {
                // If the disk refuses it, the next start only takes longer, or the process ends with the next batch.
                let _ = (stepped.prepare(), stepped.checkpoint());
            }
        }
        self.survive()
    }

    /// Gives the exchange turns until nothing is left to do.
    fn quiet(&mut self) -> Result<(), Finding> {
        for _ in 0..100_000 {
            self.survive()?;
            let Some(stepped) = &mut self.stepped else { continue };
            self.turns += 1;
            stepped.decide(Duration::from_secs(self.turns.into()));
            match stepped.commit() {
                Ok(is_some) => {
                    if self.has_ended() {
                        continue;
                    }
                    self.committed()?;
                    if !is_some && !self.follower.is_waiting() {
                        return self.rested();
                    }
                }
                Err(fault) => {
                    self.note(|| format!("fell: {fault}"));
                    if self.disk.blown().is_none() {
                        return Err(format!("it fell without a fault of the disk: {fault}"));
                    }
                    self.crash()?;
                }
            }
        }
        Err("it does not come to rest".into())
    }

    /// What was committed is judged.
    fn committed(&mut self) -> Result<(), Finding> {
        let Some(stepped) = &self.stepped else { return Ok(()) };
        let seq = stepped.exchange().views().state().stamp().seq.0;
        self.follower.collect()?;
        let followed = self.follower.follow(&self.disk, seq);
        for line in self.follower.lines() {
            self.note(|| line);
        }
        followed
    }

    /// At rest, nothing of the product is overdue, and writer and follower have the same state.
    fn rested(&mut self) -> Result<(), Finding> {
        let Some(stepped) = &self.stepped else { return Ok(()) };
        if *stepped.state() != *self.follower.state() {
            return Err("writer and follower have different states".into());
        }
        explained_if_read(&stepped.exchange().views())?;
        self.follower.check_rest(self.now)
    }
}
