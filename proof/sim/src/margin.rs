//! A long run of spot margin at the highest leverage: indices that jump, hours of interest, liquidations, takeovers by the fund, transfers,
//! conversions, halts and other conditions, with an exchange that crashes at any call of its disk, also between the steps of a liquidation.
//!
//! A naive model judges each command (`oracle::MarginJudge`).

mod found;

use crate::check::Finding;
use crate::disk::Trouble;
use crate::trial::found::dollars;
use crate::trial::{Judge, Product, Trial, dice_of};
use buttonwood_engine::funds::internal::{Command as Internal, Move};
use buttonwood_engine::perp::Leverage;
use buttonwood_engine::spot_margin::{Coin, Command as MarginCommand, Conditions};
use buttonwood_engine::{
    Body, Command, ConvertCommand, FundsCommand, Operation, Place, TradingCommand, Wrap,
};
use buttonwood_model::{AccountId, CurrencyId, ExecutionOption, OrderKind, SessionId, Side, Time};
use buttonwood_num::{Bps, Money, Price, Qty};
use buttonwood_oracle::{Dice, Exchange, MarginCounts, MarginJudge};
use found::{Founded, found};
use std::sync::Arc;

/// Figures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarginTally {
    /// Commands in the journal at the end.
    pub commands: u64,
    /// Ends of the process.
    pub crashes: u64,
    /// Those after which accounts were still to be searched, or to be liquidated.
    pub in_search: u64,
    /// Those between the steps of a liquidation.
    pub in_liquidation: u64,
    /// What the judge saw.
    pub counts: MarginCounts,
}

impl MarginTally {
    /// Adds the figures of another run.
    pub fn add(&mut self, other: &Self) {
        self.commands += other.commands;
        self.crashes += other.crashes;
        self.in_search += other.in_search;
        self.in_liquidation += other.in_liquidation;
        self.counts.add(&other.counts);
    }
}

/// A run of a seed.
pub type Margin = Trial<Borrowers>;

/// Accounts that borrow, and the makers that they trade with.
pub struct Borrowers {
    founded: Founded,
    tally: MarginTally,
    is_halted: bool,
    conditions: Conditions,
}

impl Judge for MarginJudge {
    fn note(&mut self, exchange: &Exchange, command: &Command) -> Result<(), String> {
        Self::note(self, exchange, command)
    }

    fn unfinished(&self, exchange: &Exchange) -> Option<String> {
        let waits = self.is_searching() && !exchange.state.operations().is_halted();
        (self.is_liquidating() || waits).then(|| "a search or a liquidation does not go on".to_owned())
    }

    /// No contract trades, so that no minute counts.
    fn must_resume(&self, _now: Time) -> bool {
        false
    }
}

impl Product for Borrowers {
    type Judge = MarginJudge;
    type Tally = MarginTally;

    fn founding(&self) -> &[Command] {
        &self.founded.commands
    }

    fn step(trial: &mut Margin) -> Result<(), Finding> {
        if trial.product.is_halted && trial.dice.once_in(6) {
            return trial.halt();
        }
        match trial.dice.below(100) {
            0..12 => trial.pin(),
            12..17 => trial.wait_hours(),
            17..21 => trial.wait(),
            21..25 => trial.credit(),
            25..30 => trial.transfer(),
            30..33 => trial.wrap(),
            33 => trial.condition(),
            34 => trial.lend(),
            35 => trial.halt(),
            36 => trial.cancel(),
            37..40 => trial.care(),
            40 => trial.crash(),
            _ => Self::place(trial),
        }
    }

    fn place(trial: &mut Margin) -> Result<(), Finding> {
        let is_borrower = !trial.dice.once_in(3);
        let trader = if is_borrower { trial.borrower() } else { trial.maker() };
        let place = trial.order(is_borrower);
        trial.call(trader, TradingCommand::Place(place))
    }

    fn started(&mut self, judge: &MarginJudge, _now: Time) {
        self.tally.in_search += u64::from(judge.is_searching());
        self.tally.in_liquidation += u64::from(judge.is_liquidating());
    }

    fn tally(&self, judge: &MarginJudge, commands: u64, crashes: u64) -> MarginTally {
        MarginTally { commands, crashes, counts: judge.counts, ..self.tally }
    }
}

impl Margin {
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
        let (tally, conditions) = (MarginTally::default(), Conditions::default());
        Self::of(seed, dice, Borrowers { founded, tally, is_halted: false, conditions })
    }

    /// Moves an index, more often down, now and then far.
    fn pin(&mut self) -> Result<(), Finding> {
        if self.dice.once_in(3) {
            // The process ends while accounts are searched and liquidated.
            let after = self.dice.below(16);
            self.disk.arm(after, Trouble::Kill);
        }
        let (down, up) = self.dice.pick(&[(20, 20), (30, 40), (60, 60), (120, 60), (300, 50)]);
        let at = self.dice.pick(&[0, 1]);
        let market = self.product.founded.market_mut(at);
        market.move_to(1_000 - down + self.dice.below(down + up + 1));
        let body = market.pin();
        self.own(body)
    }

    fn credit(&mut self) -> Result<(), Finding> {
        let Founded { fund, usd, gusd, .. } = self.product.founded;
        let (account, amount) = match self.dice.below(4) {
            0 => (fund, self.dice.pick(&[1, 500, 20_000])),
            _ => (self.borrower().0, self.dice.pick(&[100, 3_000, 10_000])),
        };
        let currency = self.dice.pick(&[usd, usd, gusd]);
        self.own(Body::credit(account, vec![(currency, dollars(amount))]))
    }

    /// Moves a part of a holding between two accounts; an account that owes may not let all of it go.
    fn transfer(&mut self) -> Result<(), Finding> {
        let (borrower, maker) = (self.borrower().0, self.maker().0);
        let (source, target) = if self.dice.once_in(3) { (maker, borrower) } else { (borrower, maker) };
        let at = self.dice.pick(&[0, 1]);
        let market = *self.product.founded.market_mut(at);
        let Founded { usd, .. } = self.product.founded;
        let worth = Money::from_units(dollars(1).units() * i128::from(1 + self.dice.below(4_000)));
        let price = Money::from_units(i128::from(market.ticks) * market.tick.units());
        let quantity = worth.over(price, buttonwood_num::Round::Down).unwrap_or_default();
        let (currency, amount) =
            self.dice.pick(&[(market.base, quantity), (market.base, quantity), (usd, worth)]);
        let moved = Move { source, target, currency, amount, client_id: String::new() };
        self.own(FundsCommand::from(Internal::Transfer(Arc::new(moved))).into())
    }

    /// Turns dollars of one kind into the other.
    fn wrap(&mut self) -> Result<(), Finding> {
        let (account, session) = self.borrower();
        let side = self.dice.pick(&[Side::Buy, Side::Sell, Side::Sell]);
        let qty = Qty::from_hundredths(10_000 * u128::from(1 + self.dice.below(1_000)));
        let wrap = Wrap { symbol: self.product.founded.wraps, side, qty, client_id: None };
        self.call((account, session), ConvertCommand::Wrap(wrap))
    }

    /// Other conditions, or those of the start.
    fn condition(&mut self) -> Result<(), Finding> {
        let percent = |percent: i128| Money::from_units(Money::ONE.units() / 100 * percent);
        let usual = Conditions::default();
        let leverage = self.dice.pick(&[200, 300, 500, 800]);
        let changed = Conditions {
            maintenance: Bps(self.dice.pick(&[300, 500, 700])),
            leverage: Leverage::from_hundredths(leverage).unwrap_or(usual.leverage),
            dollar_rate: percent(self.dice.pick(&[0, 3, 8, 55])),
            ..usual
        };
        self.product.conditions = self.dice.pick(&[usual, changed, changed]);
        let body = MarginCommand::SetConditions(self.product.conditions).into();
        self.own(body)
    }

    /// Lends for each coin, or for one of them no more.
    fn lend(&mut self) -> Result<(), Finding> {
        let lent: Vec<CurrencyId> = [0, 1].map(|at| self.product.founded.market_mut(at).base).to_vec();
        let without = self.dice.pick(&[None, None, Some(0), Some(1)]);
        let coins = lent.into_iter().enumerate();
        let coins = coins.map(|(at, currency)| Coin { currency, lends: without != Some(at) }).collect();
        self.own(MarginCommand::SetCoins(coins).into())
    }

    /// Halts the exchange, or lets it go on.
    fn halt(&mut self) -> Result<(), Finding> {
        self.product.is_halted = !self.product.is_halted;
        let operation = if self.product.is_halted { Operation::Halt } else { Operation::Resume };
        self.own(operation.into())
    }

    fn cancel(&mut self) -> Result<(), Finding> {
        let trader = if self.dice.once_in(2) { self.borrower() } else { self.maker() };
        self.call(trader, TradingCommand::CancelAll)
    }

    fn borrower(&mut self) -> (AccountId, SessionId) {
        self.dice.pick(&self.product.founded.borrowers)
    }

    fn maker(&mut self) -> (AccountId, SessionId) {
        self.dice.pick(&self.product.founded.makers)
    }

    /// An order near the index. Most of the borrowers' buy on margin, and they meet those of the makers.
    fn order(&mut self, is_borrower: bool) -> Place {
        let at = self.dice.pick(&[0, 1]);
        let market = *self.product.founded.market_mut(at);
        let side = self.dice.pick(&[Side::Buy, Side::Sell]);
        let side = if is_borrower && !self.dice.once_in(3) { Side::Buy } else { side };
        let kind = self.dice.pick(&[OrderKind::Limit, OrderKind::Limit, OrderKind::Limit, OrderKind::Market]);
        let kind = if is_borrower { kind } else { OrderKind::Limit };
        let option = self.dice.pick(&[None, None, Some(ExecutionOption::ImmediateOrCancel)]);
        let worth = u128::from(1 + self.dice.below(if is_borrower { 50_000 } else { 200_000 }));
        // A lot is a hundred hundredths; a tick is a cent.
        let lots = worth * 100 * if at == 0 { 100_000_000 } else { 1_000_000 } / u128::from(market.ticks);
        let is_high = (side == Side::Buy) == is_borrower;
        let away = self.dice.below(13);
        let price = market.ticks * if is_high { 1_000 + away } else { 1_000 - away } / 1_000;
        let price = if kind == OrderKind::Limit { Price::from_ticks(price) } else { Price::default() };
        Place {
            kind,
            option: option.filter(|_| is_borrower && kind == OrderKind::Limit),
            margin: is_borrower && !self.dice.once_in(5),
            ..Place::limit(market.symbol, side, price, Qty::from_hundredths(lots * 100))
        }
    }
}
