//! Transfers between accounts of a group, custody, and reserves.

use super::Dealer;
use buttonwood_engine::funds::custody::{Command as Custody, Settlement};
use buttonwood_engine::funds::internal::{Command as Internal, Move};
use buttonwood_engine::funds::reserves::Command as Reserves;
use buttonwood_engine::funds::{Attempt, Purpose, Wallet};
use buttonwood_engine::{Command, Eid, FundsCommand, State};
use buttonwood_model::{CurrencyId, Day, Time};
use buttonwood_num::Money;
use std::sync::Arc;

/// Client ids of transfers; few, so that they repeat.
const IDS: u64 = 40;

impl Dealer {
    /// A client id, that of an earlier transfer at times; most have none.
    pub(super) fn transfer_id(&mut self) -> String {
        if self.dice.once_in(3) { format!("id {}", self.dice.below(IDS)) } else { String::new() }
    }

    /// A transfer between two accounts; sometimes one that was made before.
    pub(super) fn internal(&mut self, state: &State) -> Command {
        if self.dice.once_in(12)
            && let Some(Command { body, .. }) = &self.treasury.last
        {
            return Command { caller: None, body: body.clone() };
        }
        let (source, target) = (self.some_funder(), self.some_funder());
        let (currency, _) = self.dice.pick(&self.credits);
        let amount = self.some_part(state, source, currency);
        let client_id = self.transfer_id();
        let order = Move { source, target, currency, amount, client_id };
        let command = self.by_client(state, source, Internal::Transfer(Arc::new(order)).into());
        self.treasury.last = Some(command.clone());
        command
    }

    /// The run, the settlement of a move that was sent or of another row, or a month's fees; most of them at the wrong time.
    pub(super) fn custody(&mut self, state: &State) -> FundsCommand {
        let sent: Vec<Eid> = state.funds().custody_moves_sent().collect();
        let now = state.stamp().time;
        match self.dice.below(16) {
            0 => Custody::ChargeCustodyFees(Time(now.0 / Day::MICROS * Day::MICROS)),
            1 => Custody::ChargeCustodyFees(Time(self.dice.below(now.0 + 1))),
            2 => Custody::RunCustody,
            _ => {
                let eid = if sent.is_empty() || self.dice.once_in(12) {
                    Eid(self.dice.below(state.funds().next_eid().0 + 1))
                } else {
                    self.dice.pick(&sent)
                };
                self.step_of_move(state, eid)
            }
        }
        .into()
    }

    /// The payer's report of a move: a signed transaction, one that has moved nothing, or the end.
    fn step_of_move(&mut self, state: &State, eid: Eid) -> Custody {
        let signed = state.funds().custody_sending(eid).map_or(0, |sending| sending.attempts.len());
        let (number, spends) = (self.dice.below(3), self.dice.pick(&[1_u8, 1, 1, 2]));
        let tx = format!("move {} {number}", eid.0);
        let cost = Money::from_units(i128::from(self.dice.below(1_000)));
        match self.dice.below(6) {
            0..3 if signed < 3 => {
                let (purpose, bytes) = (Purpose::Pay, vec![7]);
                Custody::SignCustodyMove(eid, Arc::new(Attempt { purpose, tx, bytes, spends: vec![spends] }))
            }
            0..4 => Custody::RepeatCustodyMove(Arc::new(Settlement { eid, tx, cost })),
            _ => Custody::SettleCustodyMove(Arc::new(Settlement { eid, tx, cost })),
        }
    }

    /// A check of reserves, a cut at the wrong time, or what a wallet holds: mostly much, sometimes little, sometimes nonsense.
    pub(super) fn reserves_command(&mut self) -> FundsCommand {
        let (currency, most) = self.dice.pick(&self.credits);
        match self.dice.below(8) {
            0 if self.dice.once_in(2) => Reserves::Cut,
            0 => {
                let network = self.dice.pick(&["bitcoin", "ethereum", "nowhere"]).to_owned();
                Reserves::NoteCost(network, Money::from_units(i128::from(self.dice.below(1_000)) - 1))
            }
            1..4 => {
                let share = self.dice.pick(&[0, 0, 1_000, 1_000, 1_000]);
                let mut wallet = Wallet {
                    network: self.dice.pick(&["bitcoin", "bitcoin", "bitcoin", "ethereum"]).to_owned(),
                    currency,
                    hot: Money::from_units(most * share),
                    cold: Money::from_units(most / 2 * share),
                    addresses: Vec::new(),
                    beside: Money::ZERO,
                    minted: Money::from_units(i128::from(self.dice.below(2)) * most / 2),
                };
                match self.dice.below(12) {
                    0 => wallet.currency = CurrencyId(99),
                    1 => wallet.cold = Money::from_units(-1),
                    _ => {}
                }
                Reserves::ReportWallet(Arc::new(wallet))
            }
            _ => Reserves::Check,
        }
        .into()
    }
}
