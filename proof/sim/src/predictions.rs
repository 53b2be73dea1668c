//! A long run of prediction markets: customers of several groups who buy and sell both outcomes, operators who list, halt, resolve, dispute and
//! void events and combos, publish terms, set fees and rewards whose `promo` is often short, with an exchange that crashes at any call of its
//! disk, between the steps of payouts and refunds and inside the snapshots of a minute.
//!
//! A naive model judges each command: no claim is paid twice, and no score is lost.

mod books;
mod course;
mod days;
mod found;
mod judge;
mod rewards;
mod script;

use crate::check::Finding;
use crate::trial::{Product, Trial, dice_of};
use buttonwood_engine::prediction::{Event, Holding, Leg, NewResolution, NewVoid, Stage, Status};
use buttonwood_engine::{
    Body, Command, FeeChange, FeeSchedule, Operation, PredictionCommand as Own, TradingCommand,
};
use buttonwood_model::{AccountId, Claim, EventId, ExecutionOption, SessionId, SymbolId, Time};
use buttonwood_num::{Bps, Money};
use buttonwood_oracle::Dice;
pub use course::CourseCounts;
use found::{Founded, Wish, combo, event, found};
use judge::PredictionJudge;
pub use rewards::RewardCounts;
pub use script::{Ended, struck};
use std::sync::Arc;

const MINUTE: u64 = 60 * Time::SECOND;
const HOUR: u64 = 60 * MINUTE;

/// Events that trade, at most.
const EVENTS: usize = 4;

/// Figures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PredictionTally {
    /// Commands in the journal at the end.
    pub commands: u64,
    /// Ends of the process.
    pub crashes: u64,
    /// Those after which claims were to be paid, and those after which claims were to be paid back.
    pub in_payout: u64,
    /// The same of a void.
    pub in_refund: u64,
    /// Those after which rebates or rewards for liquidity were being paid.
    pub in_reward: u64,
    /// Those after which some events of a minute were scored and others not.
    pub in_score: u64,
    /// Mints, transfers, merges and nettings.
    pub kinds: [u64; 4],
    /// The courses of events that the model saw.
    pub courses: CourseCounts,
    /// The same, of rewards.
    pub rewards: RewardCounts,
}

impl PredictionTally {
    /// Adds the figures of another run.
    pub fn add(&mut self, other: &Self) {
        self.commands += other.commands;
        self.crashes += other.crashes;
        self.in_payout += other.in_payout;
        self.in_refund += other.in_refund;
        self.in_reward += other.in_reward;
        self.in_score += other.in_score;
        self.kinds.iter_mut().zip(other.kinds).for_each(|(sum, more)| *sum += more);
        self.courses.add(&other.courses);
        self.rewards.add(&other.rewards);
    }
}

/// A run of a seed.
pub type PredictionMarkets = Trial<Customers>;

/// Customers, and what operators have listed.
pub struct Customers {
    founded: Founded,
    tally: PredictionTally,
    is_halted: bool,
    listed: u64,
}

impl Product for Customers {
    type Judge = PredictionJudge;
    type Tally = PredictionTally;

    fn founding(&self) -> &[Command] {
        &self.founded.commands
    }

    fn is_crowded(&self) -> bool {
        self.founded.is_crowded
    }

    fn step(trial: &mut PredictionMarkets) -> Result<(), Finding> {
        if trial.product.is_halted && trial.dice.once_in(4) {
            return trial.halt();
        }
        match trial.dice.below(200) {
            0..90 => trial.order(),
            90..98 => trial.cancel(),
            98..112 => trial.list(),
            112..118 => trial.list_combo(),
            118..122 => trial.halt_event(),
            122..142 => trial.resolve(),
            142..147 => trial.dispute(),
            147..157 => trial.void(),
            157 => trial.publish(),
            158..164 => trial.accept(),
            164..166 => trial.set_fees(),
            166..169 => trial.set_rewards(),
            169 => trial.vigil(),
            170..174 => trial.quote(),
            174..184 => trial.reach(),
            184 => trial.wait_hours(),
            185 => trial.fund(),
            186 => trial.halt(),
            187..190 => trial.care(),
            190 | 191 => trial.crash(),
            _ => trial.wait(),
        }
    }

    fn place(trial: &mut PredictionMarkets) -> Result<(), Finding> {
        trial.order()
    }

    fn started(&mut self, judge: &PredictionJudge, _now: Time) {
        let [pays, refunds, rewards, scores] = judge.waits().map(u64::from);
        self.tally.in_payout += pays;
        self.tally.in_refund += refunds;
        self.tally.in_reward += rewards;
        self.tally.in_score += scores;
    }

    fn tally(&self, judge: &PredictionJudge, commands: u64, crashes: u64) -> PredictionTally {
        let (kinds, courses, rewards) = judge.counts();
        PredictionTally { commands, crashes, kinds, courses, rewards, ..self.tally }
    }
}

impl PredictionMarkets {
    /// The run of a seed, before it begins. Every eighth has so many holders that payouts take several steps.
    pub fn new(seed: u64) -> Self {
        Self::with(seed, Dice::seeded(seed), seed.is_multiple_of(8))
    }

    /// The run that bytes choose.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::with(0, dice_of(bytes), false)
    }

    fn with(seed: u64, mut dice: Dice, is_crowded: bool) -> Self {
        let founded = found(&mut dice, is_crowded);
        let tally = PredictionTally::default();
        Self::of(seed, dice, Customers { founded, tally, is_halted: false, listed: 1 })
    }

    fn trader(&mut self) -> (AccountId, SessionId) {
        self.dice.pick(&self.product.founded.traders)
    }

    /// One of a few.
    fn one_of<T: Clone>(&mut self, all: &[T]) -> Option<T> {
        let end = u64::try_from(all.len()).ok().filter(|end| *end > 0)?;
        all.get(usize::try_from(self.dice.below(end)).ok()?).cloned()
    }

    /// The events that pass.
    fn events_that(&self, is_meant: impl Fn(&Event) -> bool) -> Vec<EventId> {
        let all = self.state().predictions().events().iter().enumerate();
        all.filter(|(_, event)| is_meant(event)).map(|(at, _)| EventId::from_index(at)).collect()
    }

    /// An event that passes, most often; else any that is not over.
    fn event_that(&mut self, is_meant: impl Fn(&Event) -> bool) -> Option<EventId> {
        let meant = self.events_that(is_meant);
        let going = self.events_that(is_going);
        if self.dice.once_in(5) { self.one_of(&going) } else { self.one_of(&meant) }
    }

    /// A contract that trades, most often.
    fn contract(&mut self) -> Option<SymbolId> {
        let (is_any, is_combo) = (self.dice.once_in(12), self.dice.once_in(3));
        let is_meant = |event: &Event| event.is_open() && is_combo != event.legs.is_empty();
        let mut events = self.events_that(is_meant);
        if events.is_empty() || is_any {
            events = self.events_that(|event| is_any || event.is_open());
        }
        let contracts: Vec<SymbolId> = events
            .iter()
            .filter_map(|id| self.state().predictions().event(*id))
            .flat_map(Event::contracts)
            .collect();
        // Orders meet where few contracts take them.
        let newest = contracts.len().saturating_sub(2);
        let skipped = if self.dice.once_in(4) { 0 } else { newest };
        self.one_of(contracts.get(skipped..).unwrap_or_default())
    }

    fn has_accepted(&self, account: AccountId) -> bool {
        let group = self.state().access().account(account).and_then(|account| account.group);
        group.is_some_and(|group| self.state().predictions().has_accepted(group))
    }

    fn own_of(&mut self, own: Own) -> Result<(), Finding> {
        self.own(own.into())
    }

    fn wish(&mut self, trader: (AccountId, SessionId), wish: Wish) -> Result<(), Finding> {
        self.call(trader, TradingCommand::Place(wish.place()))
    }

    /// An order, mostly near to what others want. Who owns claims sells some of them at times.
    fn order(&mut self) -> Result<(), Finding> {
        let trader = self.trader();
        let state = self.state();
        let owned: Vec<Holding> = state.predictions().holdings_of(state.ledger(), trader.0).collect();
        let owned = self.one_of(&owned).filter(|_| !self.dice.once_in(5));
        if !self.has_accepted(trader.0) && self.dice.once_in(2) {
            self.call(trader, Own::AcceptTerms)?;
        }
        let Some(contract) = owned.map(|owned| owned.contract).or_else(|| self.contract()) else {
            return self.list();
        };
        let claim = self.dice.pick(&Claim::ALL);
        let claim = owned.filter(|_| !self.dice.once_in(8)).map_or(claim, |owned| owned.claim);
        let buys = owned.is_none_or(|owned| owned.claim != claim || self.dice.once_in(8));
        let price =
            if self.dice.once_in(15) { self.dice.pick(&[1, 7, 93, 99]) } else { 44 + self.dice.below(13) };
        let away = self.dice.below(6);
        let stop =
            self.dice.once_in(10).then_some(if buys { price - away.min(price - 1) } else { price + away });
        let option = self.dice.pick(&[
            None,
            None,
            None,
            None,
            Some(ExecutionOption::ImmediateOrCancel),
            Some(ExecutionOption::FillOrKill),
            Some(ExecutionOption::MakerOrCancel),
        ]);
        let wished = 100 + self.dice.below(4_000);
        let has = owned.filter(|owned| !buys && owned.claim == claim).map(hundredths);
        let qty = has.filter(|_| !self.dice.once_in(8)).map_or(wished, |has| has.min(wished));
        let option = option.filter(|_| stop.is_none());
        self.wish(trader, Wish { contract, claim, buys, price, qty, option, stop })
    }

    fn cancel(&mut self) -> Result<(), Finding> {
        let trader = self.trader();
        let newest = self.state().orders().of_account(trader.0).next().map(|(_, order)| order.id);
        match newest.filter(|_| !self.dice.once_in(4)) {
            Some(order) => self.call(trader, Own::Cancel(order)),
            None => self.call(trader, TradingCommand::CancelAll),
        }
    }

    fn list(&mut self) -> Result<(), Finding> {
        let trading = self.events_that(|event| event.legs.is_empty() && event.is_before_close());
        if trading.len() >= EVENTS {
            return Ok(());
        }
        let minutes = self.dice.pick(&[5, 120, 900, 4_000, 4_000]);
        let later = self.dice.pick(&[0, 0, 0, 3]);
        let dispute = self.dice.pick(&[0, MINUTE, 10 * MINUTE, HOUR]);
        let times = (self.now.plus(later * MINUTE), self.now.plus(minutes * MINUTE), dispute);
        let contracts = self.dice.pick(&[1, 1, 1, 2]);
        let new = event(self.product.listed, contracts, times);
        self.product.listed += 1;
        self.own_of(Own::ListEvent(Arc::new(new)))
    }

    fn list_combo(&mut self) -> Result<(), Finding> {
        let mut legs = Vec::new();
        for id in self.events_that(|event| event.legs.is_empty() && event.is_before_close()) {
            let contracts: Vec<SymbolId> = self
                .state()
                .predictions()
                .event(id)
                .map(|event| event.contracts().collect())
                .unwrap_or_default();
            if let Some(contract) = self.one_of(&contracts).filter(|_| !self.dice.once_in(3)) {
                legs.push(Leg { contract, required: self.dice.pick(&Claim::ALL) });
            }
        }
        // Of many legs one fails.
        legs.truncate(self.dice.pick(&[2, 2, 3]));
        let new = combo(self.product.listed, legs);
        self.product.listed += 1;
        self.own_of(Own::ListCombo(Arc::new(new)))
    }

    fn halt_event(&mut self) -> Result<(), Finding> {
        let Some(id) = self.event_that(|event| event.is_halted || event.is_open()) else { return Ok(()) };
        let was_halted = self.state().predictions().event(id).is_some_and(|event| event.is_halted);
        let is_halted = !was_halted && self.dice.once_in(2);
        self.own_of(Own::Halt(id, is_halted))
    }

    fn resolve(&mut self) -> Result<(), Finding> {
        let is_early = self.dice.once_in(6);
        let is_meant = |event: &Event| {
            let may = matches!(event.stage(), None | Some(Stage::Disputed));
            may && event.legs.is_empty() && (is_early || event.is_closed)
        };
        let Some(id) = self.event_that(is_meant) else { return Ok(()) };
        let new = self.resolution(id);
        if self.dice.once_in(2) {
            self.order_fault();
        }
        self.own_of(Own::Resolve(Arc::new(new)))
    }

    /// Outcomes of an event, with one yes, most often.
    fn resolution(&mut self, id: EventId) -> NewResolution {
        let room = self.state().predictions();
        let contracts = room.event(id).into_iter().flat_map(Event::contracts);
        let tickers: Vec<String> =
            contracts.filter_map(|id| room.contract(id)).map(|contract| contract.ticker.clone()).collect();
        let is_lone = tickers.len() == 1;
        let winner = self.one_of(&tickers).filter(|_| !is_lone || self.dice.once_in(2));
        let is_odd = self.dice.once_in(10);
        let of = |ticker: String| {
            let wins = Some(&ticker) == winner.as_ref() || is_odd;
            (ticker, if wins { Claim::Yes } else { Claim::No })
        };
        let outcomes = tickers.into_iter().map(of).collect();
        NewResolution { event: id, outcomes, source: "a source".into() }
    }

    fn dispute(&mut self) -> Result<(), Finding> {
        let Some(id) = self.event_that(|event| event.stage() == Some(Stage::Proposed)) else { return Ok(()) };
        self.own_of(Own::Dispute(id, "a reason".into()))
    }

    fn void(&mut self) -> Result<(), Finding> {
        let waits = self.dice.once_in(3);
        let is_meant = |event: &Event| event.awaits_void || !waits && is_going(event);
        let Some(event) = self.event_that(is_meant) else { return Ok(()) };
        let value = self.dice.pick(&[None, None, None, None, None, Some(0), Some(1), Some(7)]);
        let value = value.map(|sevenths| Money::from_units(Money::ONE.units() / 7 * sevenths));
        let at_cost = self.dice.once_in(2);
        if self.dice.once_in(2) {
            self.order_fault();
        }
        self.own_of(Own::Void(Arc::new(NewVoid { event, reason: "a reason".into(), value, at_cost })))
    }

    fn publish(&mut self) -> Result<(), Finding> {
        self.own_of(Own::PublishTerms("new terms".into()))
    }

    fn accept(&mut self) -> Result<(), Finding> {
        let trader = self.trader();
        self.call(trader, Own::AcceptTerms)
    }

    fn set_fees(&mut self) -> Result<(), Finding> {
        let [maker, taker] = self.dice.pick(&[[100, 500], [0, 0], [300, 100], [10_000, 10_000]]);
        let schedule = FeeSchedule { maker: Bps(maker), taker: Bps(taker), auction: Bps(0) };
        let product = buttonwood_model::Product::Contract;
        let change = FeeChange { product, account: None, schedule: Some(schedule) };
        self.own(TradingCommand::SetFees(change).into())
    }

    fn fund(&mut self) -> Result<(), Finding> {
        let Founded { usd, promo, .. } = self.product.founded;
        let account = if self.dice.once_in(2) { promo } else { self.trader().0 };
        let dollars = self.dice.pick(&[1, 30, 500]);
        self.own(Body::credit(account, vec![(usd, Money::from_units(Money::ONE.units() * dollars))]))
    }

    /// Halts the exchange, or lets it go on.
    fn halt(&mut self) -> Result<(), Finding> {
        self.product.is_halted = !self.product.is_halted;
        let operation = if self.product.is_halted { Operation::Halt } else { Operation::Resume };
        self.own(operation.into())
    }
}

/// How many claims are free, in hundredths.
fn hundredths(owned: Holding) -> u64 {
    let free = (owned.quantity - owned.held).units() / (Money::ONE.units() / 100);
    u64::try_from(free).unwrap_or_default()
}

/// Whether an event is not over.
fn is_going(event: &Event) -> bool {
    !matches!(event.status, Status::Settled | Status::Invalid)
}
