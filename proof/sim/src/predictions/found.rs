//! The founding of a run: customers of several groups who have accepted the terms, a little in `promo`, and an event. A crowd holds claims
//! on it, so that payouts and refunds take several steps.

use crate::trial::found::{commands_of, credit, open_exchange};
use buttonwood_engine::prediction::{Leg, NewCombo, NewContract, NewEvent, RewardChange, combo_grid};
use buttonwood_engine::{Body, Command, Place, PredictionCommand as Own, TradingCommand};
use buttonwood_model::{AccountId, Claim, CurrencyId, ExecutionOption, OrderKind, Role};
use buttonwood_model::{SessionId, Side, SymbolId, Time};
use buttonwood_num::{Price, Qty};
use buttonwood_oracle::{Dice, Exchange, caller};
use std::sync::Arc;

use crate::scene::FOUNDED;

/// Hundredths of a lot in a contract.
pub(super) const CONTRACT: u128 = 10_000;

const HOUR: u64 = 3_600 * Time::SECOND;

/// Accounts of a crowd: more than one step of a payout pays.
const CROWD: usize = 520;

/// A founded exchange.
pub(super) struct Founded {
    pub(super) commands: Vec<Command>,
    pub(super) usd: CurrencyId,
    pub(super) promo: AccountId,
    pub(super) traders: Vec<(AccountId, SessionId)>,
    pub(super) is_crowded: bool,
}

/// An event with so many contracts until a time.
pub(super) fn event(number: u64, contracts: u64, (start, expiry, dispute): (Time, Time, u64)) -> NewEvent {
    let (grid, qty_min) = combo_grid().expect("constants");
    let ticker = format!("E{number}");
    let tickers = (0..contracts).map(|at| if contracts == 1 { ticker.clone() } else { format!("C{at}") });
    NewEvent {
        prefix: "SVC".into(),
        title: "an event".into(),
        category: "a category".into(),
        contracts: tickers.map(|ticker| NewContract { ticker, label: "a label".into() }).collect(),
        is_exclusive: !number.is_multiple_of(3),
        start: Some(start),
        expiry,
        dispute,
        strike: None,
        grid,
        qty_min,
        closed_to: Vec::new(),
        source: None,
        ticker,
    }
}

/// A combo of these legs.
pub(super) fn combo(number: u64, mut legs: Vec<Leg>) -> NewCombo {
    legs.sort_unstable();
    let (grid, qty_min) = combo_grid().expect("constants");
    NewCombo { name: format!("SVC-CMB-0126-{number:012X}"), title: "a combo".into(), legs, grid, qty_min }
}

/// An order in its own view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    pub(super) contract: SymbolId,
    pub(super) claim: Claim,
    pub(super) buys: bool,
    /// In cents.
    pub(super) price: u64,
    /// In hundredths of a contract.
    pub(super) qty: u64,
    pub(super) option: Option<ExecutionOption>,
    pub(super) stop: Option<u64>,
}

impl Wish {
    /// A buy that rests.
    pub(super) fn buy(contract: SymbolId, claim: Claim, price: u64, contracts: u64) -> Self {
        Self { contract, claim, buys: true, price, qty: contracts * 100, option: None, stop: None }
    }

    pub(super) fn place(&self) -> Place {
        let seen = |cents: u64| match self.claim {
            Claim::Yes => Price::from_ticks(cents),
            Claim::No => Price::from_ticks(100_u64.saturating_sub(cents)),
        };
        let side = if self.buys == (self.claim == Claim::Yes) { Side::Buy } else { Side::Sell };
        Place {
            claim: self.claim,
            kind: if self.stop.is_some() { OrderKind::StopLimit } else { OrderKind::Limit },
            option: self.option,
            stop: self.stop.map_or(Price::default(), seen),
            ..Place::limit(
                self.contract,
                side,
                seen(self.price),
                Qty::from_hundredths(u128::from(self.qty) * CONTRACT / 100),
            )
        }
    }
}

/// The commands that found the exchange.
pub(super) fn found(dice: &mut Dice, is_crowded: bool) -> Founded {
    let mut exchange = open_exchange();
    let usd = exchange.find_currency("USD");
    let promo = exchange.state.ledger().house("promo").expect("it is opened first");
    let mut traders = Vec::new();
    for name in ["a", "b", "c", "d"] {
        let account = exchange.account(name, "");
        traders.push((account, exchange.key(name, account, Role::Trader)));
    }
    for (beside, name) in [(0, "a-two"), (1, "b-two")] {
        let (first, _): (AccountId, _) = *traders.get(beside).expect("one of four");
        let account = exchange.account_beside(first, name, "");
        traders.push((account, exchange.key(name, account, Role::Trader)));
    }
    for (account, session) in &traders {
        credit(&mut exchange, *account, usd, 3_000);
        call(&mut exchange, (*account, *session), Own::AcceptTerms);
    }
    credit(&mut exchange, promo, usd, dice.pick(&[1, 40, 40, 1_000]));
    let times = (Time(0), FOUNDED.plus(6 * HOUR), HOUR);
    exchange.own(Own::ListEvent(Arc::new(event(0, 1, times))).into());
    let rewards = RewardChange { enabled: Some(true), ..RewardChange::default() };
    exchange.own(Own::SetRewards(Arc::new(rewards)).into());
    if is_crowded {
        crowd(&mut exchange, &traders, usd);
    }
    let commands = commands_of(&exchange);
    Founded { commands, usd, promo, traders, is_crowded }
}

/// Accounts that hold a claim each on the first contract, on yes or on no.
fn crowd(exchange: &mut Exchange, traders: &[(AccountId, SessionId)], usd: CurrencyId) {
    let [first, second, ..] = *traders else { return };
    let contract = SymbolId::contract(0);
    for number in 0..CROWD {
        let name = format!("crowd-{number}");
        let account = exchange.account_beside(first.0, &name, "");
        let member = (account, exchange.key(&name, account, Role::Trader));
        credit(exchange, account, usd, 2);
        let (claim, price) = if number % 3 == 0 { (Claim::No, 60) } else { (Claim::Yes, 40) };
        call(exchange, second, TradingCommand::Place(Wish::buy(contract, claim, price, 1).place()));
        let claim = claim.other();
        call(exchange, member, TradingCommand::Place(Wish::buy(contract, claim, 100 - price, 1).place()));
    }
}

fn call(exchange: &mut Exchange, (account, session): (AccountId, SessionId), command: impl Into<Body>) {
    // Those of the run begin after the last one of the founding.
    let number = exchange.stamp.seq.0;
    let caller = Some(caller(session, account, number));
    exchange.submit(1, &Command { caller, body: command.into() });
}
