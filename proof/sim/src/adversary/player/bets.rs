//! Prediction markets: the commands of their acts, and what makers may be paid back and rewarded with.

use super::{Act, Amount, Command, Player, own};
use crate::adversary::world::{ONE, POOL};
use buttonwood_engine::prediction::{Infrequent, NewResolution, NewVoid, Status};
use buttonwood_engine::{Body, Place, PredictionCommand as Own, TradingCommand};
use buttonwood_model::{AssetId, Claim, EventId, Side, SymbolId};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_oracle::Happening;
use std::sync::Arc;

/// Units of a cent, and of a hundredth of a contract.
const HUNDREDTH: i128 = ONE / 100;
/// Cents in a dollar, and hundredths of a lot in a hundredth of a contract.
const WHOLE: u64 = 100;

fn symbol(contract: usize) -> Option<SymbolId> {
    u32::try_from(contract).ok().map(SymbolId::contract)
}

impl Player<'_> {
    /// An order of a contract.
    pub(super) fn bet(&mut self, act: &Act) -> Option<Command> {
        let Act::Bet { who, contract, side, claim, amount, price, option } = *act else { return None };
        let (actor, symbol) = (self.actor(who)?, symbol(contract)?);
        let cents = u64::try_from((price / HUNDREDTH).max(1)).unwrap_or(u64::MAX);
        let units = match (amount, side) {
            (Amount::Exact(units), _) => units,
            (Amount::Share(_), Side::Buy) => {
                let has = self.units(actor, 0, amount);
                // A tenth more for the fee.
                has / 11 * 10 / i128::from(cents.min(WHOLE)) * 100
            }
            (Amount::Share(share), Side::Sell) => {
                let claims = AssetId::claim(symbol, claim);
                let has = self.exchange.state.ledger().balance(actor.account, claims).available;
                has.units() / 100 * i128::from(share)
            }
        };
        let seen = Price::from_ticks(if claim == Claim::Yes { cents } else { WHOLE.saturating_sub(cents) });
        let hundredths = u128::try_from(units.max(0) / HUNDREDTH).unwrap_or_default();
        let side = if claim == Claim::Yes { side } else { side.opposite() };
        let place = Place {
            claim,
            option,
            ..Place::limit(symbol, side, seen, Qty::from_hundredths(hundredths.saturating_mul(WHOLE.into())))
        };
        Some(self.by(actor, actor.session, TradingCommand::Place(place)))
    }

    fn event_of(&self, contract: usize) -> Option<EventId> {
        self.exchange.state.predictions().event_of(symbol(contract)?).map(|(id, _)| id)
    }

    /// The outcomes of an event: that of the contract, and of the others the one that goes with it.
    pub(super) fn resolution(&self, contract: usize, claim: Claim) -> Option<Command> {
        let room = self.exchange.state.predictions();
        let (event, contracts) = room.event_of(symbol(contract)?)?;
        let of = |at: SymbolId| {
            let ticker = room.contract(at)?.ticker.clone();
            Some((ticker, if Some(at) == symbol(contract) { claim } else { claim.other() }))
        };
        let outcomes = contracts.contracts().filter_map(of).collect();
        Some(own(Own::Resolve(Arc::new(NewResolution { event, outcomes, source: "a source".into() })).into()))
    }

    pub(super) fn dispute(&self, contract: usize) -> Option<Command> {
        Some(own(Own::Dispute(self.event_of(contract)?, "a reason".into()).into()))
    }

    /// A void of an event at a value, or by the costs whatever they are.
    pub(super) fn void(&self, contract: usize, value: Option<i128>) -> Option<Command> {
        let (event, value) = (self.event_of(contract)?, value.map(Money::from_units));
        let new = NewVoid { event, reason: "a reason".into(), value, at_cost: true };
        Some(own(Own::Void(Arc::new(new)).into()))
    }

    pub(super) fn halt(&self, contract: usize) -> Option<Command> {
        let id = self.event_of(contract)?;
        let is_halted = self.exchange.state.predictions().event(id)?.is_halted;
        Some(own(Own::Halt(id, !is_halted).into()))
    }

    /// Counts what the last command, of this body, paid to makers of contracts, and what it lets them be paid.
    pub(super) fn note_rewards(&mut self, of_contract: bool) {
        let Self { exchange, outside, .. } = self;
        for happening in exchange.happened.iter().filter(|_| of_contract) {
            if let Happening::Filled { maker_fee, .. } = happening {
                outside.maker_fees += maker_fee.units();
            }
        }
        for event in &exchange.of.predictions {
            if let Infrequent::Rebated(paid) = event {
                outside.rebates += paid.rows.iter().map(|(_, amount)| amount.units()).sum::<i128>();
            } else if let Infrequent::PayoutBegun(_) = event {
                outside.pools += POOL * ONE;
            }
        }
    }

    /// The figures of contracts for the search: escrows, statuses of events, rewards.
    pub(super) fn contract_figures(&self) -> Vec<(usize, usize, i128)> {
        let state = &self.exchange.state;
        let room = state.predictions();
        let mut figures = Vec::new();
        for (place, contract) in (0_u32..).map(SymbolId::contract).enumerate().take(room.contracts().len()) {
            figures.push((15, place, room.collateral(state.ledger(), contract).0.units()));
        }
        for (place, event) in room.events().iter().enumerate() {
            let status = Status::ALL.iter().position(|status| *status == event.status).unwrap_or_default();
            let name = event.stage().map_or(0, |stage| u32::try_from(stage.name().len()).unwrap_or_default());
            figures.push((16, place, i128::from(name) << (4 * status)));
        }
        for (place, actor) in self.scene.actors.iter().enumerate() {
            let rewards = room.rewards();
            let rebates = rewards.rebates(actor.account).iter().map(|rebate| rebate.amount.units());
            let payouts = rewards.payouts(actor.account).iter().map(|payout| payout.amount.units());
            figures.push((17, place, rebates.sum()));
            figures.push((18, place, payouts.sum()));
        }
        figures
    }
}

/// Whether a command may fill orders of contracts.
pub(super) fn is_of_contract(body: &Body) -> bool {
    matches!(body, Body::Trading(TradingCommand::Place(place)) if place.symbol.is_contract())
}
