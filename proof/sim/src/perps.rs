//! A long run of perpetuals at high leverage: indices that jump, hours of funding, liquidations and deleveraging, with an exchange that
//! crashes at any call of its disk, between the payments of an hour and between the steps of a liquidation.
//!
//! A naive model judges each command (`oracle::PerpJudge`).

mod found;

use crate::check::Finding;
use crate::trial::found::dollars;
use crate::trial::{Judge, Product, Trial, dice_of};
use buttonwood_engine::perp::{Command as PerpCommand, Leverage};
use buttonwood_engine::{Body, Command, Place, TradingCommand};
use buttonwood_model::{AccountId, SessionId, Side, Time};
use buttonwood_num::{Price, Qty};
use buttonwood_oracle::{Dice, Exchange, PerpCounts, PerpJudge};
use found::{Founded, found};

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
    /// What the judge saw.
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
pub type Perps = Trial<Contracts>;

/// Traders of perpetuals, and their contracts.
pub struct Contracts {
    founded: Founded,
    tally: PerpsTally,
}

impl Judge for PerpJudge {
    fn note(&mut self, exchange: &Exchange, command: &Command) -> Result<(), String> {
        Self::note(self, exchange, command)
    }

    fn unfinished(&self, _exchange: &Exchange) -> Option<String> {
        (self.is_liquidating() || self.is_paying())
            .then(|| "a liquidation or a payment does not go on".to_owned())
    }

    fn must_resume(&self, now: Time) -> bool {
        Self::must_resume(self, now)
    }
}

impl Product for Contracts {
    type Judge = PerpJudge;
    type Tally = PerpsTally;

    fn founding(&self) -> &[Command] {
        &self.founded.commands
    }

    fn is_crowded(&self) -> bool {
        self.founded.is_crowded
    }

    fn step(trial: &mut Perps) -> Result<(), Finding> {
        match trial.dice.below(100) {
            0..10 => trial.pin(),
            10..15 => trial.wait_hours(),
            15..20 => trial.wait(),
            20..23 => trial.credit(),
            23..25 => trial.limit(),
            25..27 => trial.cancel(),
            27..30 => trial.care(),
            30 => trial.crash(),
            _ => Self::place(trial),
        }
    }

    fn place(trial: &mut Perps) -> Result<(), Finding> {
        let at = trial.dice.pick(&[0, 1]);
        let contract = *trial.product.founded.contract_mut(at);
        let lots = trial.dice.pick(&[3_000, 60_000, 60_000]);
        let side = trial.dice.pick(&[Side::Buy, Side::Sell]);
        let price = Price::from_ticks(contract.ticks * (995 + trial.dice.below(11)) / 1_000);
        let qty = Qty::from_hundredths(100 * u128::from(7 + trial.dice.below(lots)));
        let place = Place::limit(contract.symbol, side, price, qty);
        let trader = trial.trader();
        trial.call(trader, TradingCommand::Place(place))
    }

    fn started(&mut self, judge: &PerpJudge, now: Time) {
        self.tally.in_funding += u64::from(judge.is_paying());
        self.tally.in_liquidation += u64::from(judge.is_liquidating());
        self.tally.in_round += u64::from(judge.is_in_round());
        self.tally.resumed += u64::from(judge.must_resume(now));
    }

    fn tally(&self, judge: &PerpJudge, commands: u64, crashes: u64) -> PerpsTally {
        PerpsTally { commands, crashes, counts: judge.counts, ..self.tally }
    }
}

impl Perps {
    /// The run of a seed, before it begins. Every eighth has so many rows that the payments of an hour take several steps.
    pub fn new(seed: u64) -> Self {
        Self::with(seed, Dice::seeded(seed), seed.is_multiple_of(8))
    }

    /// The run that bytes choose.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::with(0, dice_of(bytes), false)
    }

    fn with(seed: u64, mut dice: Dice, is_crowded: bool) -> Self {
        let founded = found(&mut dice, is_crowded);
        Self::of(seed, dice, Contracts { founded, tally: PerpsTally::default() })
    }

    /// Moves an index, now and then far.
    fn pin(&mut self) -> Result<(), Finding> {
        if self.dice.once_in(4) {
            self.order_fault();
        }
        let per_mille = self.dice.pick(&[5, 20, 80, 300]);
        let at = self.dice.pick(&[0, 1]);
        let contract = self.product.founded.contract_mut(at);
        contract.move_to(1_000 - per_mille + self.dice.below(2 * per_mille + 1));
        let body = contract.pin();
        self.own(body)
    }

    fn credit(&mut self) -> Result<(), Finding> {
        let account = match self.dice.below(4) {
            0 => self.product.founded.fund,
            _ => self.trader().0,
        };
        let amount = self.dice.pick(&[100, 5_000, 20_000]);
        self.own(Body::credit(account, vec![(self.product.founded.gusd, dollars(amount))]))
    }

    fn limit(&mut self) -> Result<(), Finding> {
        let (account, _) = self.trader();
        let leverage = Leverage::from_hundredths(self.dice.pick(&[500, 2_500, 10_000, 10_000]));
        let cross = self.dice.pick(&[None, Some(true), Some(false)]);
        self.own(PerpCommand::SetRisk(account, leverage, cross).into())
    }

    fn trader(&mut self) -> (AccountId, SessionId) {
        self.dice.pick(&self.product.founded.traders)
    }

    fn cancel(&mut self) -> Result<(), Finding> {
        let trader = self.trader();
        self.call(trader, TradingCommand::CancelAll)
    }
}
