//! A long run of perpetuals at high leverage: indices that jump, hours of funding, liquidations and deleveraging, with an exchange that
//! crashes at any call of its disk, between the payments of an hour and between the steps of a liquidation.
//!
//! A follower reads the journal and has a naive model judge each command (`oracle::PerpJudge`); what was recovered must be what it read.

mod crash;
mod follow;
mod found;

use crate::check::Finding;
use crate::disk::{Faulty, Trouble};
use crate::scene::FOUNDED;
use crate::statement::explained_if_read;
use buttonwood_engine::perp::{Command as PerpCommand, Leverage};
use buttonwood_engine::{Body, Caller, Command, TradingCommand};
use buttonwood_journal::Options as Segments;
use buttonwood_model::{AccountId, Claim, OrderKind, Side, Time};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_oracle::{Dice, PerpCounts, nonce};
use buttonwood_sequencer::{Options, Stepped};
use follow::Follower;
use found::{Founded, dollars, found};
use std::collections::VecDeque;
use std::time::Duration;

/// Lines of trace that are kept.
const TRACE: usize = 4_000;

/// Figures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerpsTally {
    /// Commands in the journal at the end.
    pub commands: u64,
    /// Ends of the process.
    pub crashes: u64,
    /// Those after which payments of an hour were still to come.
    pub in_funding: u64,
    /// Those after which accounts were still to be liquidated.
    pub in_liquidation: u64,
    /// Those between the steps of a round.
    pub in_round: u64,
    /// Starts in which minutes had been missed.
    pub resumed: u64,
    /// The counts of the judge.
    pub counts: PerpCounts,
}

impl PerpsTally {
    /// Adds the figures of another run.
    pub fn add(&mut self, other: &Self) {
        self.commands += other.commands;
        self.crashes += other.crashes;
        self.in_funding += other.in_funding;
        self.in_liquidation += other.in_liquidation;
        self.in_round += other.in_round;
        self.resumed += other.resumed;
        self.counts.add(&other.counts);
    }
}

/// A run of a seed.
pub struct Perps {
    dice: Dice,
    founded: Founded,
    segments: Segments,
    options: Options,
    disk: Faulty,
    stepped: Option<Stepped>,
    follower: Follower,
    now: Time,
    /// The turns of the writer so far; each is a second of its steady time.
    turns: u32,
    /// Most commands of a batch.
    batch: usize,
    /// Mean steps between two faults of the disk.
    fault_every: u64,
    nonce: u64,
    tally: PerpsTally,
    trace: VecDeque<String>,
}

impl Perps {
    /// The run of a seed, before it begins. Every eighth has so many rows that the payments of an hour take several steps.
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice::seeded(seed);
        let founded = found(&mut dice, seed.is_multiple_of(8));
        let first = 16_384 << dice.below(3);
        let segments = Segments { first_segment_bytes: first, segment_bytes: first * 2, ballast_bytes: 0 };
        let options = Options { snapshot_every: dice.pick(&[7, 40, 300]) };
        let (batch, fault_every) = (dice.pick(&[1, 2, 5, 4_096]), dice.pick(&[4, 10, 40]));
        let follower = Follower::new(&founded);
        let nonce = u64::try_from(founded.commands.len()).expect("some thousands");
        Self {
            dice,
            founded,
            segments,
            options,
            disk: Faulty::new(seed),
            stepped: None,
            follower,
            now: FOUNDED,
            turns: 0,
            batch,
            fault_every,
            nonce,
            tally: PerpsTally::default(),
            trace: VecDeque::new(),
        }
    }

    /// Runs so many steps, with faults of the disk, and then checks that the exchange comes to rest.
    ///
    /// # Errors
    /// The first problem found.
    pub fn run(&mut self, steps: u64) -> Result<PerpsTally, Finding> {
        self.boot()?;
        for _ in 0..steps {
            if self.dice.once_in(self.fault_every) {
                self.order_fault();
            }
            self.step()?;
            self.quiet()?;
        }
        self.disk.kill();
        self.quiet()?;
        self.follower.check_end()?;
        self.tally.commands = self.follower.seq();
        self.tally.counts = self.follower.counts();
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

    fn order_fault(&mut self) {
        let within = self.dice.pick(&[4, 30]);
        let after = self.dice.below(within);
        let trouble = self.dice.pick(&[Trouble::Kill, Trouble::Kill, Trouble::PowerCut, Trouble::Error]);
        self.note(|| format!("ordered {trouble:?} after {after} calls"));
        self.disk.arm(after, trouble);
    }

    fn step(&mut self) -> Result<(), Finding> {
        match self.dice.below(100) {
            0..10 => self.pin(),
            10..15 => self.wait_hours(),
            15..20 => self.wait(),
            20..23 => self.credit(),
            23..25 => self.limit(),
            25..27 => self.cancel(),
            27..30 => self.care(),
            30 => self.crash(),
            _ => self.place(),
        }
    }

    /// Moves an index, now and then far.
    fn pin(&mut self) -> Result<(), Finding> {
        if self.dice.once_in(4) {
            self.order_fault();
        }
        let per_mille = self.dice.pick(&[5, 20, 80, 300]);
        let at = self.dice.pick(&[0, 1]);
        let contract = self.founded.contract_mut(at);
        let ticks = contract.ticks * (1_000 - per_mille + self.dice.below(2 * per_mille + 1)) / 1_000;
        contract.ticks = ticks.clamp(contract.start / 10, contract.start * 10);
        let price = Money::from_units(i128::from(contract.ticks) * contract.tick.units());
        let command = PerpCommand::PinIndex(contract.base, Some(price));
        self.submit(Command { caller: None, body: command.into() })
    }

    /// An hour or two pass, or an exact hour is reached.
    fn wait_hours(&mut self) -> Result<(), Finding> {
        const HOUR: u64 = 3_600 * Time::SECOND;
        let next = Time((self.now.0 / HOUR + 1) * HOUR);
        let to = match self.dice.below(4) {
            0 => next,
            1 => {
                // The process ends while the hour is cut and paid.
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

    fn wait(&mut self) -> Result<(), Finding> {
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

    fn credit(&mut self) -> Result<(), Finding> {
        let account = match self.dice.below(4) {
            0 => self.founded.fund,
            _ => self.trader().0,
        };
        let amount = self.dice.pick(&[100, 5_000, 20_000]);
        let body = Body::credit(account, vec![(self.founded.gusd, dollars(amount))]);
        self.submit(Command { caller: None, body })
    }

    fn limit(&mut self) -> Result<(), Finding> {
        let (account, _) = self.trader();
        let leverage = Leverage::from_hundredths(self.dice.pick(&[500, 2_500, 10_000, 10_000]));
        let cross = self.dice.pick(&[None, Some(true), Some(false)]);
        let command = PerpCommand::SetRisk(account, leverage, cross);
        self.submit(Command { caller: None, body: command.into() })
    }

    fn trader(&mut self) -> (AccountId, buttonwood_model::SessionId) {
        self.dice.pick(&self.founded.traders)
    }

    pub(super) fn place(&mut self) -> Result<(), Finding> {
        let at = self.dice.pick(&[0, 1]);
        let contract = *self.founded.contract_mut(at);
        let lots = self.dice.pick(&[3_000, 60_000, 60_000]);
        let place = buttonwood_engine::Place {
            symbol: contract.symbol,
            side: self.dice.pick(&[Side::Buy, Side::Sell]),
            claim: Claim::Yes,
            kind: OrderKind::Limit,
            option: None,
            price: Price::from_ticks(contract.ticks * (995 + self.dice.below(11)) / 1_000),
            qty: Qty::from_hundredths(100 * u128::from(7 + self.dice.below(lots))),
            spend: Money::ZERO,
            client_id: None,
            stop: Price::default(),
            margin: false,
        };
        self.call(TradingCommand::Place(place))
    }

    fn cancel(&mut self) -> Result<(), Finding> {
        self.call(TradingCommand::CancelAll)
    }

    /// A call of a trader.
    fn call(&mut self, command: TradingCommand) -> Result<(), Finding> {
        let (account, session) = self.trader();
        self.nonce += 1;
        let caller = Caller { session, account: Some(account), nonce: nonce(self.nonce) };
        self.submit(Command { caller: Some(caller), body: command.into() })
    }

    fn submit(&mut self, command: Command) -> Result<(), Finding> {
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
    fn care(&mut self) -> Result<(), Finding> {
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

    /// The committed commands are judged.
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

    /// At rest, nothing of the desk is overdue, and writer and follower have the same state.
    fn rested(&mut self) -> Result<(), Finding> {
        let Some(stepped) = &self.stepped else { return Ok(()) };
        if *stepped.state() != *self.follower.state() {
            return Err("writer and follower have different states".into());
        }
        explained_if_read(&stepped.exchange().views())?;
        self.follower.check_rest(self.now)
    }
}
