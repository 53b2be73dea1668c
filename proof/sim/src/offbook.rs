//! A long run of clearing and staking: desks that agree on trades and lack the money for a while, a broker, stakes in several pools, days of
//! interest that wait for money, redemptions beyond a day's maximum, halts, retries, with an exchange that crashes at any call of its disk.
//!
//! Naive models judge each command: no settlement and no accrual is half done or done twice.

mod deals;
mod found;
mod judge;
mod script;
mod stakes;

use crate::check::Finding;
use crate::trial::{Product, Trial, dice_of};
use buttonwood_engine::clearing::{Cancel, Confirm, New, Parties, Party, Terms};
use buttonwood_engine::staking::{PairId, Request};
use buttonwood_engine::{
    Body, ClearingCommand, ClearingOrder, Command, Operation, Place, StakingCommand, TradingCommand,
};
use buttonwood_model::{AccountId, SessionId, Side, Time};
use buttonwood_num::{Bps, Money, Price, Qty};
use buttonwood_oracle::Dice;
pub use deals::DealCounts;
use found::{DESKS, Founded, POOLS, coins, found};
use judge::OffBookJudge;
pub use script::{Ended, struck};
pub use stakes::StakeCounts;
use std::sync::Arc;

/// Hundredths of a lot in a coin.
const COIN: u128 = 10_000_000_000;

/// Figures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OffBookTally {
    /// Commands in the journal at the end.
    pub commands: u64,
    /// Ends of the process.
    pub crashes: u64,
    /// Those after which a confirmed order waited for money.
    pub in_settlement: u64,
    /// Those after which a day of interest was to be paid.
    pub in_accrual: u64,
    /// Requests that were sent again under their client id.
    pub retries: u64,
    /// What the models saw.
    pub deals: DealCounts,
    /// The same, of staking.
    pub stakes: StakeCounts,
}

impl OffBookTally {
    /// Adds the figures of another run.
    pub fn add(&mut self, other: &Self) {
        self.commands += other.commands;
        self.crashes += other.crashes;
        self.in_settlement += other.in_settlement;
        self.in_accrual += other.in_accrual;
        self.retries += other.retries;
        self.deals.add(&other.deals);
        self.stakes.add(&other.stakes);
    }
}

/// A run of a seed.
pub type OffBook = Trial<Desks>;

/// Desks and their wishes.
pub struct Desks {
    founded: Founded,
    tally: OffBookTally,
    is_halted: bool,
    /// The newest client id, and the last request that had one.
    asked: u64,
    last: Option<((AccountId, SessionId), Body)>,
}

impl Product for Desks {
    type Judge = OffBookJudge;
    type Tally = OffBookTally;

    fn founding(&self) -> &[Command] {
        &self.founded.commands
    }

    fn step(trial: &mut OffBook) -> Result<(), Finding> {
        if trial.product.is_halted && trial.dice.once_in(6) {
            return trial.halt();
        }
        match trial.dice.below(100) {
            0..18 => trial.enter(),
            18..44 => trial.confirm(),
            44..47 => trial.cancel(),
            47..53 | 84..87 => trial.credit(),
            53..57 => trial.hold(),
            57..60 => trial.release(),
            60..68 => trial.stake(),
            68..76 => trial.unstake(),
            76..82 => trial.reach(),
            82..84 => trial.wait_hours(),
            87 => trial.halt(),
            88 => trial.set_fee(),
            89 => trial.set_terms(),
            90..93 => trial.fund(),
            93..96 => trial.retry(),
            96..98 => trial.care(),
            98 => trial.crash(),
            _ => trial.wait(),
        }
    }

    /// The first call after a start: most often a request that had no answer.
    fn place(trial: &mut OffBook) -> Result<(), Finding> {
        if trial.dice.once_in(3) { trial.confirm() } else { trial.retry() }
    }

    fn started(&mut self, judge: &OffBookJudge, _now: Time) {
        let [settles, accrues] = judge.waits().map(u64::from);
        self.tally.in_settlement += settles;
        self.tally.in_accrual += accrues;
    }

    fn tally(&self, judge: &OffBookJudge, commands: u64, crashes: u64) -> OffBookTally {
        let (deals, stakes) = judge.counts();
        OffBookTally { commands, crashes, deals, stakes, ..self.tally }
    }
}

impl OffBook {
    /// The run of a seed, before it begins.
    pub fn new(seed: u64) -> Self {
        Self::with(seed, Dice::seeded(seed))
    }

    /// The run that bytes choose.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::with(0, dice_of(bytes))
    }

    fn with(seed: u64, mut dice: Dice) -> Self {
        let founded = found(&mut dice);
        let tally = OffBookTally::default();
        Self::of(seed, dice, Desks { founded, tally, is_halted: false, asked: 0, last: None })
    }

    fn place_of(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).expect("a few");
        usize::try_from(self.dice.below(end)).expect("a few")
    }

    fn desk(&mut self) -> (AccountId, SessionId) {
        let at = self.place_of(DESKS);
        *self.product.founded.desks.get(at).expect("it is below their number")
    }

    /// A client id for half of the requests.
    fn client_id(&mut self) -> String {
        if self.dice.once_in(2) {
            return String::new();
        }
        self.product.asked += 1;
        format!("id-{}", self.product.asked)
    }

    /// A request that may be sent again.
    fn ask(&mut self, desk: (AccountId, SessionId), body: Body) -> Result<(), Finding> {
        self.product.last = Some((desk, body.clone()));
        self.call(desk, body)
    }

    /// Sends the last request again.
    fn retry(&mut self) -> Result<(), Finding> {
        let Some((desk, body)) = self.product.last.clone() else { return Ok(()) };
        self.product.tally.retries += 1;
        self.call(desk, body)
    }

    fn enter(&mut self) -> Result<(), Finding> {
        let (desk, other, third) = (self.desk(), self.desk().0, self.desk().0);
        let parties = match self.dice.below(5) {
            0 => Parties::Open,
            1 => Parties::Between { source: third, target: other },
            _ => Parties::With(other),
        };
        let at = self.place_of(2);
        let symbol = self.product.founded.markets.get(at).expect("there are two").symbol;
        let (amount, price) = (self.dice.below(4) + 1, self.dice.below(60) + 1);
        let terms = Terms {
            symbol,
            side: self.dice.pick(&[Side::Buy, Side::Sell]),
            price: Price::from_ticks(price * 100),
            qty: Qty::from_hundredths(u128::from(amount) * COIN),
            hours: self.dice.pick(&[1, 24, 100, 1_000]),
            parties,
        };
        let new = New { terms, client_id: self.client_id() };
        self.ask(desk, ClearingCommand::New(Arc::new(new)).into())
    }

    /// One of the newest orders that have not left.
    fn order(&mut self) -> Option<ClearingOrder> {
        let back = self.place_of(6);
        self.state().clearing().orders().rev().nth(back).copied()
    }

    /// A confirmation, most often by who may and with the right terms.
    fn confirm(&mut self) -> Result<(), Finding> {
        let Some(order) = self.order() else { return self.enter() };
        let party = self.dice.pick(&[Party::Source, Party::Target]);
        let account =
            if order.broker.is_some() && party == Party::Source { Some(order.source) } else { order.target };
        let stranger = self.desk();
        let desks = &self.product.founded.desks;
        let named = desks.iter().find(|(desk, _)| Some(*desk) == account).copied();
        let desk = named.filter(|_| !self.dice.once_in(12)).unwrap_or(stranger);
        let wrong = self.dice.below(30);
        let side = order.side_of(desk.0);
        let confirm = Confirm {
            code: self.state().clearing().code(order.number),
            symbol: Some(order.symbol),
            qty: Some(order.qty).filter(|_| wrong != 0),
            price: Some(if wrong == 1 { Price::from_ticks(order.price.ticks() + 1) } else { order.price }),
            side: if wrong == 2 { side.opposite() } else { side },
        };
        self.call(desk, ClearingCommand::Confirm(confirm))
    }

    fn cancel(&mut self) -> Result<(), Finding> {
        let Some(order) = self.order() else { return Ok(()) };
        let code = self.state().clearing().code(order.number);
        let stranger = self.desk();
        let desks = &self.product.founded.desks;
        let source = desks.iter().find(|(desk, _)| *desk == order.source).copied();
        let desk = source.filter(|_| !self.dice.once_in(3)).unwrap_or(stranger);
        self.call(desk, ClearingCommand::Cancel(Cancel { code }))
    }

    fn credit(&mut self) -> Result<(), Finding> {
        let desk = self.desk();
        let Founded { usd, markets, .. } = &self.product.founded;
        let coin = markets.first().map_or(*usd, |market| market.base);
        let (currency, amount) = self.dice.pick(&[(*usd, 20), (*usd, 100), (coin, 1), (coin, 5)]);
        self.own(Body::credit(desk.0, vec![(currency, coins(amount))]))
    }

    /// An order of the book that holds dollars; nobody sells there.
    fn hold(&mut self) -> Result<(), Finding> {
        let (desk, at) = (self.desk(), self.place_of(2));
        let symbol = self.product.founded.markets.get(at).expect("there are two").symbol;
        let dollars = self.dice.pick(&[10, 50, 200]);
        let place =
            Place::limit(symbol, Side::Buy, Price::from_ticks(100), Qty::from_hundredths(dollars * COIN));
        self.call(desk, TradingCommand::Place(place))
    }

    fn release(&mut self) -> Result<(), Finding> {
        let desk = self.desk();
        self.call(desk, TradingCommand::CancelAll)
    }

    fn request(&mut self, pool: usize, amount: Money) -> Arc<Request> {
        let (provider, currency) = self.product.founded.pool(pool);
        Arc::new(Request { provider, currency, amount, client_id: self.client_id() })
    }

    fn stake(&mut self) -> Result<(), Finding> {
        let (desk, pool) = (self.desk(), self.place_of(POOLS.len()));
        let amount = self.part_of(coins(4));
        let request = self.request(pool, amount);
        self.ask(desk, StakingCommand::Stake(request).into())
    }

    /// Redeems a part of a stake, or all of it.
    fn unstake(&mut self) -> Result<(), Finding> {
        let (desk, pool) = (self.desk(), self.place_of(POOLS.len()));
        let pair = PairId(u16::try_from(pool).expect("a few pools"));
        let staked = self.state().staking().staked(desk.0, pair);
        let amount = self.part_of(staked);
        let request = self.request(pool, amount);
        self.ask(desk, StakingCommand::Unstake(request).into())
    }

    /// All of an amount, or some part with many decimals.
    fn part_of(&mut self, amount: Money) -> Money {
        if self.dice.once_in(3) {
            return amount;
        }
        Money::from_units(amount.units() / 1_000 * i128::from(1 + self.dice.below(999)))
    }

    /// The next end of a day of staking, the next midnight, or a time some days on is reached.
    fn reach(&mut self) -> Result<(), Finding> {
        const DAY: u64 = 86_400;
        let midnight = (self.now.seconds() / DAY + 1) * DAY;
        let evening = midnight - 4 * 3_600;
        let evening = if evening > self.now.seconds() { evening } else { evening + DAY };
        let seconds = match self.dice.below(6) {
            0..4 => evening,
            4 => midnight,
            _ => evening + DAY * self.dice.below(3) + self.dice.below(DAY),
        };
        self.reach_with_trouble(Time(seconds * Time::SECOND))
    }

    fn set_fee(&mut self) -> Result<(), Finding> {
        let rate = self.dice.pick(&[0, 1, 7, 100]);
        self.own(ClearingCommand::SetFee(Bps(rate)).into())
    }

    fn set_terms(&mut self) -> Result<(), Finding> {
        let pool = self.place_of(POOLS.len());
        let rate = self.dice.pick(&[1, 365, 730, 100_000]);
        let per_day = self.dice.pick(&[None, Some(2), Some(9)]);
        let paused = self.dice.once_in(5);
        let body = self.product.founded.terms(pool, rate, per_day, paused);
        self.own(body)
    }

    fn fund(&mut self) -> Result<(), Finding> {
        let at = self.place_of(2);
        let currency = self.product.founded.markets.get(at).expect("there are two").base;
        let amount = Money::from_units(coins(1).units() / self.dice.pick(&[1, 50, 10_000]));
        self.own(StakingCommand::Fund(currency, amount).into())
    }

    /// Halts the exchange, or lets it go on.
    fn halt(&mut self) -> Result<(), Finding> {
        self.product.is_halted = !self.product.is_halted;
        let operation = if self.product.is_halted { Operation::Halt } else { Operation::Resume };
        self.own(operation.into())
    }
}
