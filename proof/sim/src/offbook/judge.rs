//! The judge of a run: what each command moved is what its events say, once, and what they say follows from the models.

use super::deals::{DealCounts, Deals};
use super::stakes::{StakeCounts, Stakes};
use crate::trial::Judge;
use buttonwood_engine::{Body, Command, Operation, State};
use buttonwood_model::{AccountId, CurrencyId, Time};
use buttonwood_oracle::{Exchange, Happening};
use std::collections::BTreeMap;

/// So much more of a currency on an account, in units of money.
pub(super) type Move = (AccountId, CurrencyId, i128);

/// The naive model of both products.
#[derive(Debug, Default)]
pub struct OffBookJudge {
    deals: Deals,
    stakes: Stakes,
    /// The balances after the last command.
    has: BTreeMap<(AccountId, CurrencyId), i128>,
    /// Whether a day of interest is still to be paid.
    is_accruing: bool,
}

impl OffBookJudge {
    pub(super) fn counts(&self) -> (DealCounts, StakeCounts) {
        (self.deals.counts, self.stakes.counts)
    }

    /// Whether an order waits for money, and whether a day of interest is still to be paid.
    pub(super) fn waits(&self) -> [bool; 2] {
        [self.deals.is_waiting(), self.is_accruing]
    }

    /// Everything that moves in the command.
    fn moves(&mut self, exchange: &Exchange, command: &Command) -> Result<Vec<Move>, String> {
        let (now, state) = (exchange.stamp.time, &exchange.state);
        let sender = command.caller.and_then(|caller| caller.account);
        let mut moves = Vec::new();
        let source = state.ledger().house("source");
        for happening in &exchange.happened {
            if let Happening::Credited(account, currency, amount) = happening {
                moves.push((*account, *currency, amount.units()));
                moves.extend(source.map(|source| (source, *currency, -amount.units())));
            }
        }
        for event in &exchange.of.clearing {
            let Body::Clearing(command) = &command.body else {
                return Err("clearing has an event without a command".into());
            };
            moves.extend(self.deals.note(now, (sender, command), event, state)?);
        }
        for event in &exchange.of.staking {
            let Body::Staking(command) = &command.body else {
                return Err("staking has an event without a command".into());
            };
            moves.extend(self.stakes.note(now, (sender, command), event, state)?);
        }
        Ok(moves)
    }

    /// What moved must be what the events say.
    fn compare(&mut self, state: &State, moves: Vec<Move>) -> Result<(), String> {
        for (account, currency, amount) in moves {
            *self.has.entry((account, currency)).or_default() += amount;
        }
        self.has.retain(|_, amount| *amount != 0);
        let accounts = (0..state.access().accounts().len()).map(AccountId::from_index);
        let balances = accounts.flat_map(|account| {
            let own = state.ledger().balances_of(account);
            own.map(move |(currency, balance)| ((account, currency), balance.total().units()))
        });
        let shown: BTreeMap<_, _> = balances.filter(|(_, amount)| *amount != 0).collect();
        if shown == self.has {
            return Ok(());
        }
        let differs = |(key, amount): &(&(AccountId, CurrencyId), &i128)| self.has.get(*key) != Some(*amount);
        let first = shown.iter().find(differs);
        Err(format!("balances are not what the events say, first {first:?}"))
    }
}

impl Judge for OffBookJudge {
    fn note(&mut self, exchange: &Exchange, command: &Command) -> Result<(), String> {
        let moves = self.moves(exchange, command)?;
        self.compare(&exchange.state, moves)?;
        self.deals.agree(&exchange.state)?;
        self.stakes.agree(&exchange.state)?;
        self.is_accruing = exchange.state.staking().pairs().any(|(_, pair)| pair.waiting().next().is_some());
        if command.body == Body::Operation(Operation::Resume) {
            self.stakes.counts.resumed += 1;
        }
        Ok(())
    }

    fn unfinished(&self, exchange: &Exchange) -> Option<String> {
        let state = &exchange.state;
        if state.operations().is_halted() {
            return None;
        }
        self.deals.unfinished(exchange.stamp.time, state).or_else(|| self.stakes.unfinished(state))
    }

    /// No contract trades, so that no minute counts.
    fn must_resume(&self, _now: Time) -> bool {
        false
    }
}
