//! A long run of withdrawals and deposits: the product's own watcher, payer and driver on simulated chains whose nodes lose, repeat and
//! reorder answers and whose blocks are replaced, with an exchange that crashes at any call of its disk.
//!
//! After every step, and after every crash, what the chains have paid is compared with what was accepted (INV-DEP-1, INV-WD-1 to 7).

mod books;
mod crash;
mod found;
mod host;
mod moves;
mod truth;

use crate::check::Finding;
use crate::disk::{Faulty, Trouble};
use crate::scene::FOUNDED;
use crate::statement::explained_if_read;
use books::{Books, HOLD};
use buttonwood_custody::Output;
use buttonwood_custody::simulated::Treatment;
use buttonwood_driver::{Failed, Shown, SteppedDriver, Work};
use buttonwood_engine::funds::Scope;
use buttonwood_engine::funds::halt::Command as HaltCommand;
use buttonwood_engine::funds::withdrawal::{Command as WithdrawalCommand, Remedy};
use buttonwood_engine::{Answer, Body, Command, FundsCommand, State};
use buttonwood_journal::Options as Segments;
use buttonwood_model::{CurrencyId, Time};
use buttonwood_num::Money;
use buttonwood_oracle::Dice;
use buttonwood_sequencer::Options;
use found::{Founded, MEMO, ONE, Place};
use host::Shared;
use std::collections::{BTreeSet, VecDeque};
use truth::chains;

/// Lines of trace that are kept.
const TRACE: usize = 4_000;

/// Figures of a treasury.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreasuryTally {
    /// Withdrawals that were accepted.
    pub withdrawals: u64,
    /// Payments from outside.
    pub deposits: u64,
    /// Reorganisations.
    pub reorganisations: u64,
    /// Ends of the process.
    pub crashes: u64,
    /// Assets that a reorganisation halted.
    pub halts: u64,
    /// Withdrawals that an operator had paid again or called off.
    pub remedies: u64,
}

impl TreasuryTally {
    /// Adds the figures of another run.
    pub fn add(&mut self, other: &Self) {
        self.withdrawals += other.withdrawals;
        self.deposits += other.deposits;
        self.reorganisations += other.reorganisations;
        self.crashes += other.crashes;
        self.halts += other.halts;
        self.remedies += other.remedies;
    }
}

/// A run of a seed.
pub struct Treasury {
    dice: Dice,
    founded: Founded,
    segments: Segments,
    options: Options,
    shared: Shared,
    driver: Option<SteppedDriver>,
    books: Books,
    now: Time,
    /// One in so many answers of nodes is bad; 0: none is.
    bad_answers: u64,
    /// Mean steps between two faults of the disk.
    fault_every: u64,
    /// Numbers amounts and client ids, so that each is unique.
    serial: u32,
    /// Assets that must be halted, and those that may be.
    must_halt: BTreeSet<CurrencyId>,
    may_halt: BTreeSet<CurrencyId>,
    tally: TreasuryTally,
    trace: VecDeque<String>,
}

impl Treasury {
    /// The run of a seed, before it begins.
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice::seeded(seed);
        let founded = found::found();
        let first = 16_384 << dice.below(3);
        let segments = Segments { first_segment_bytes: first, segment_bytes: first * 2, ballast_bytes: 0 };
        let options = Options { snapshot_every: dice.pick(&[7, 40, 300]) };
        let books = Books::new(&founded);
        let (bad_answers, fault_every) = (dice.pick(&[0, 0, 4, 12]), dice.pick(&[3, 8, 30]));
        Self {
            dice,
            founded,
            segments,
            options,
            shared: Shared::new(Faulty::new(seed), seed),
            driver: None,
            books,
            now: FOUNDED,
            bad_answers,
            fault_every,
            serial: 0,
            must_halt: BTreeSet::new(),
            may_halt: BTreeSet::new(),
            tally: TreasuryTally::default(),
            trace: VecDeque::new(),
        }
    }

    /// Runs so many steps, and then brings everything to its end.
    ///
    /// # Errors
    /// The first problem found.
    pub fn run(&mut self, steps: u64) -> Result<TreasuryTally, Finding> {
        self.boot()?;
        self.approve_some()?;
        self.shared.set_faults(self.bad_answers);
        for _ in 0..steps {
            if self.dice.once_in(self.fault_every) {
                self.order_fault();
            }
            self.step()?;
            self.quiet()?;
            self.compare(false)?;
        }
        self.finish()?;
        Ok(self.tally)
    }

    /// The disk, for inspection after a finding.
    pub fn disk(&self) -> &Faulty {
        &self.shared.disk
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
        let after = self.dice.below(40);
        let trouble = self.dice.pick(&[Trouble::Kill, Trouble::Kill, Trouble::PowerCut, Trouble::Error]);
        self.note(|| format!("ordered {trouble:?} after {after} calls"));
        self.shared.disk.arm(after, trouble);
    }

    fn step(&mut self) -> Result<(), Finding> {
        self.now = self.now.plus(self.dice.below(60 * Time::SECOND));
        match self.dice.below(100) {
            0..24 => self.withdraw(),
            24..28 => self.withdraw_again(),
            28..42 => self.send(),
            42..62 => self.mine(),
            62..68 => self.turn(),
            68..73 => self.reorganise(),
            73..78 => self.treat(),
            78..81 => self.approve(),
            81..84 => self.wait_for_hold(),
            84..87 => self.move_custody(),
            87..89 => self.receive(),
            89..91 => self.take_back(),
            91..93 => self.assign(),
            93..95 => self.resume(),
            95..98 => self.care(),
            98 => self.peace(),
            _ => self.crash(),
        }
    }

    fn place(&mut self) -> (usize, Place) {
        let count = u64::try_from(self.founded.places.len()).expect("a few places");
        let at = usize::try_from(self.dice.below(count)).expect("a few places");
        (at, self.books.place(at).clone())
    }

    /// A number that was not used before.
    fn next_serial(&mut self) -> u32 {
        self.serial += 1;
        self.serial
    }

    /// A payment from outside, to an account, or to no memo where accounts share an address.
    fn send(&mut self) -> Result<(), Finding> {
        let (_, place) = self.place();
        let serial = i128::from(self.next_serial());
        let (address, memo, _) = self.dice_of(&place.own);
        let memo = match memo.as_str() {
            "" => None,
            _ if self.dice.once_in(3) => Some("77".to_owned()),
            _ => Some(MEMO.to_owned()),
        };
        let amount = Money::from_units(ONE + serial * place.grain);
        let output = Output { address, memo, currency: place.code.to_owned(), amount };
        self.tally.deposits += 1;
        self.call(place.network, Work::Send(output)).map(|_| ())
    }

    fn dice_of<T: Clone>(&mut self, from: &[T]) -> T {
        let at = self.dice.below(u64::try_from(from.len()).expect("a length fits"));
        from.get(usize::try_from(at).expect("it is below a length")).cloned().expect("it is below a length")
    }

    fn mine(&mut self) -> Result<(), Finding> {
        let (_, place) = self.place();
        let blocks = 1 + u32::try_from(self.dice.below(u64::from(place.required))).expect("a few blocks");
        self.call(place.network, Work::Mine(blocks)).map(|_| ())
    }

    fn turn(&mut self) -> Result<(), Finding> {
        self.quiet()?;
        if let Some(driver) = &mut self.driver {
            driver.turn();
        }
        self.survive()
    }

    /// Replaces blocks. A final payment in them halts its asset (INV-DEP-1).
    fn reorganise(&mut self) -> Result<(), Finding> {
        self.peace()?;
        let (_, place) = self.place();
        let depth = 1 + u32::try_from(self.dice.below(7)).expect("a few blocks");
        let drop = self.dice.once_in(3);
        let mut before = chains(&self.shared.disk, &self.founded.places)?;
        let truth = before.iter_mut().find(|(name, _)| *name == place.network).ok_or("no chain")?;
        let state = self.state();
        let halted = self.books.final_in(place.network, &mut truth.1, depth, &state)?;
        let height = truth.1.height();
        self.call(place.network, Work::Reorg { depth, drop })?;
        let mut after = chains(&self.shared.disk, &self.founded.places)?;
        let truth = after.iter_mut().find(|(name, _)| *name == place.network).ok_or("no chain")?;
        if truth.1.height() != height {
            self.note(|| format!("a reorganisation of {depth} on {} halts {halted:?}", place.network));
            self.tally.reorganisations += 1;
            let is_here = |other: &&Place| other.network == place.network;
            if self.bad_answers > 0 {
                self.may_halt.extend(self.founded.places.iter().filter(is_here).map(|place| place.currency));
            }
            self.may_halt.extend(self.books.given_up(place.network, &state));
            self.may_halt.extend(&halted);
            self.must_halt.extend(halted);
        }
        Ok(())
    }

    /// How a node treats the next payments.
    fn treat(&mut self) -> Result<(), Finding> {
        let (_, place) = self.place();
        let all = [Treatment::LoseReply, Treatment::TimeOut, Treatment::Refuse, Treatment::Revert];
        let (_, plain) = all.split_last().expect("there are four");
        let treatment = self.dice.pick(if place.is_evm { &all } else { plain });
        let times = 1 + u32::try_from(self.dice.below(3)).expect("a few");
        self.call(place.network, Work::Node { treatment, times }).map(|_| ())
    }

    /// Has payments paid again, or calls them off, that the chain has lost what they spend (D-184).
    fn remedy(&mut self) -> Result<(), Finding> {
        let state = self.state();
        for eid in self.books.lost(&state) {
            let remedy = self.dice.pick(&[Remedy::Rebuild, Remedy::Void]);
            self.tally.remedies += 1;
            // A command that is repeated after a crash may be refused, since the first one took effect.
            self.ask(&WithdrawalCommand::Remedy(eid, remedy).into())?;
        }
        Ok(())
    }

    /// Resumes what is halted, once it was seen to be, and does something about lost payments.
    fn resume(&mut self) -> Result<(), Finding> {
        self.peace()?;
        self.remedy()?;
        let halted: Vec<CurrencyId> = self.state().funds().halts().assets().collect();
        for currency in halted {
            self.tally.halts += 1;
            let resume = HaltCommand::Resume(Scope::Asset(currency));
            self.ask(&resume.into())?;
            self.must_halt.remove(&currency);
            self.may_halt.remove(&currency);
        }
        Ok(())
    }

    /// The exchange's own care: snapshots, and segments ahead.
    fn care(&mut self) -> Result<(), Finding> {
        for _ in 0..3 {
            self.shared.with(|stepped| {
                // If the disk refuses it, the next start only takes longer, or the process ends with the next batch.
                let _ = (stepped.prepare(), stepped.checkpoint());
            });
        }
        self.survive()
    }

    /// Statements explain every balance. To read them may end the process.
    fn explained(&mut self) -> Result<(), Finding> {
        self.shared.with(|stepped| explained_if_read(&stepped.exchange().views())).unwrap_or(Ok(()))?;
        self.survive()
    }

    /// Lets everything come to rest while nodes behave, and compares all of it.
    fn peace(&mut self) -> Result<(), Finding> {
        self.shared.set_faults(0);
        let crashes = self.tally.crashes;
        for _ in 0..2 {
            for place in self.founded.places.clone() {
                self.call(place.network, Work::Show(None))?;
            }
            self.turn()?;
        }
        self.quiet()?;
        self.explained()?;
        if crashes != self.tally.crashes {
            return self.peace();
        }
        self.compare(true)?;
        self.check_halts()?;
        self.shared.set_faults(self.bad_answers);
        Ok(())
    }

    fn check_halts(&self) -> Result<(), Finding> {
        let state = self.state();
        let halted: BTreeSet<CurrencyId> = state.funds().halts().assets().collect();
        if let Some(missed) = self.must_halt.difference(&halted).next() {
            return Err(format!("{missed:?} is not halted, though what was final was removed"));
        }
        match halted.difference(&self.may_halt).next() {
            Some(wrong) => Err(format!("{wrong:?} is halted for no reason")),
            None => Ok(()),
        }
    }

    /// The state as clients see it.
    fn state(&self) -> State {
        self.shared.with(|stepped| stepped.exchange().views().state().clone()).unwrap_or_default()
    }

    fn compare(&mut self, is_caught_up: bool) -> Result<(), Finding> {
        let mut chains = chains(&self.shared.disk, &self.founded.places)?;
        let state = self.state();
        self.books.compare(&state, &mut chains, is_caught_up)
    }

    /// A control call; what an ended process does not answer is no finding.
    fn call(&mut self, network: &str, work: Work) -> Result<Option<Shown>, Finding> {
        self.quiet()?;
        self.note(|| format!("{network}: {work:?}"));
        let answer = self.driver.as_mut().map(|driver| driver.call(network, work));
        self.note(|| format!("  {answer:?}"));
        self.survive()?;
        Ok(match answer {
            Some(Ok(shown)) => Some(shown),
            Some(Err(Failed::Refused(_) | Failed::Unable(_))) | None => None,
        })
    }

    /// Sends a command; nothing if the process ended before its answer.
    fn once(&mut self, command: &FundsCommand) -> Result<Option<Answer>, Finding> {
        self.quiet()?;
        let command = Command { caller: None, body: Body::from(command.clone()) };
        let exchange = self.shared.with(|stepped| stepped.exchange().clone());
        let pending = exchange.and_then(|exchange| exchange.submit(command.clone()).ok());
        let answer = pending.and_then(|pending| buttonwood_driver::Host::wait(&self.shared, pending).ok());
        let answer = answer.map(|receipt| receipt.outcome);
        self.note(|| format!("{:?}: {answer:?}", command.body));
        self.survive()?;
        Ok(answer)
    }

    /// Sends a command until it is answered. One that repeats must change nothing.
    fn ask(&mut self, command: &FundsCommand) -> Result<Answer, Finding> {
        for _ in 0..100 {
            if let Some(answer) = self.once(command)? {
                return Ok(answer);
            }
        }
        Err("a command was not answered in a hundred tries".into())
    }

    /// Brings everything to its end: nodes behave, assets are resumed, blocks come.
    fn finish(&mut self) -> Result<(), Finding> {
        self.bad_answers = 0;
        self.fault_every = 1_000;
        for round in 0..4 {
            for place in self.founded.places.clone() {
                let normal = Work::Node { treatment: Treatment::Normal, times: 1 };
                self.call(place.network, normal)?;
                self.call(place.network, Work::Mine(place.required + 2))?;
            }
            self.note(|| format!("the end, round {round}"));
            self.resume()?;
            self.check_reserves()?;
        }
        self.peace()?;
        let mut chains = chains(&self.shared.disk, &self.founded.places)?;
        let state = self.state();
        self.books.check_end(&state, &mut chains)
    }

    /// Asks for all approvals and waits until they hold.
    fn approve_some(&mut self) -> Result<(), Finding> {
        for _ in 0..8 {
            self.approve()?;
        }
        self.now = self.now.plus(HOLD);
        Ok(())
    }
}
