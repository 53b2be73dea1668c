//! Withdrawals, and what chains report of them: late, twice and contradictory.

use super::{Dealer, own};
use buttonwood_engine::funds::withdrawal::{Command as Pay, Outcome, Settlement, Withdraw};
use buttonwood_engine::funds::{Attempt, Payment, Purpose};
use buttonwood_engine::{Command, Eid, FundsCommand, State};
use buttonwood_num::Money;
use std::sync::Arc;

/// Blocks in which withdrawals end: fewer than the exchange keeps them for.
const HEIGHTS: u64 = 100;

impl Dealer {
    /// A withdrawal; sometimes one that was asked for before.
    pub(super) fn withdrawal(&mut self, state: &State) -> Command {
        if self.dice.once_in(12)
            && let Some(before) = self.treasury.withdrawn.clone()
        {
            return self.by_client(state, before.account, Pay::Withdraw(before).into());
        }
        let account = self.some_funder();
        // Most are of one currency, so that the free ones are used up.
        let pairs = [
            ("bitcoin", "BTC"),
            ("bitcoin", "BTC"),
            ("base", "ETH"),
            ("cosmos", "ETH"),
            ("ethereum", "GUSD"),
        ];
        let (network, code) = self.dice.pick(&pairs);
        let find = |code: &str| state.currencies().iter().position(|listed| listed.code == code);
        let id = |code| buttonwood_model::CurrencyId::from_index(find(code).unwrap());
        let network = if self.dice.once_in(20) { self.some_network() } else { network.to_owned() };
        let currency = id(code);
        let wraps = (code == "GUSD" && self.dice.once_in(2)).then(|| id("USD"));
        let part = self.some_part(state, account, wraps.unwrap_or(currency));
        // Most are as coarse as the network.
        let step = if self.dice.once_in(12) { 1 } else { 10_i128.pow(17) };
        let step = if network == "bitcoin" && step > 1 { 10_i128.pow(11) } else { step };
        let amount = if self.dice.once_in(24) { step } else { part.units() / step * step };
        let amount = Money::from_units(amount);
        let address = self.outside();
        let order = Withdraw {
            account,
            network,
            currency,
            wraps,
            canonical: address.clone(),
            address,
            memo: if self.dice.once_in(8) { "note".to_owned() } else { String::new() },
            amount,
            client_id: self.transfer_id(),
        };
        let order = Arc::new(order);
        self.treasury.withdrawn = Some(Arc::clone(&order));
        self.by_client(state, account, Pay::Withdraw(order).into())
    }

    /// A step of one of the last withdrawals, most often the one that comes next; sometimes of none.
    pub(super) fn step(&mut self, state: &State) -> Command {
        let payments: Vec<_> = state.funds().withdrawals().payments_from(Eid(0)).collect();
        let is_waiting = |(_, payment): &&(Eid, &Payment)| payment.settled.is_none();
        let waiting: Vec<_> = payments.iter().filter(is_waiting).copied().collect();
        let from = if waiting.is_empty() || self.dice.once_in(5) { payments } else { waiting };
        let found = (!from.is_empty()).then(|| self.dice.pick(&from));
        let Some((eid, payment)) = found.filter(|_| !self.dice.once_in(40)) else {
            return own(Pay::Sent(Eid(self.dice.below(9)), "unknown".to_owned()).into());
        };
        own(self.step_of(eid, payment))
    }

    fn step_of(&mut self, eid: Eid, payment: &Payment) -> FundsCommand {
        let tx = |at: u64| format!("{} of {}", at, eid.0);
        let count = u64::try_from(payment.attempts.len()).unwrap();
        let unknown = u64::from(self.dice.once_in(12) || count == 0);
        let some = tx(self.dice.below(count + unknown));
        match (&payment.settled, self.dice.below(12)) {
            (Some(settled), 0) => {
                let other = if self.dice.once_in(6) { some } else { settled.tx.clone() };
                Pay::Unsettle(eid, other)
            }
            (None, 0..6) if count == 0 => self.signed(eid, count),
            (_, 1..3) => self.signed(eid, count),
            (_, 3..5) => Pay::Sent(eid, some),
            _ => {
                let purpose = payment.attempt(&some).map(|attempt| attempt.purpose);
                let fits = if purpose == Some(Purpose::Void) { Outcome::Voided } else { Outcome::Completed };
                let outcome = match self.dice.below(8) {
                    0 => Outcome::Failed,
                    1 => Outcome::Voided,
                    _ => fits,
                };
                let height = if self.dice.once_in(2) { eid.0 % HEIGHTS } else { self.dice.below(HEIGHTS) };
                let block = (height, format!("block {height}"));
                Pay::Settle(eid, Arc::new(Settlement { outcome, tx: some, block, cost: Money::ZERO }))
            }
        }
        .into()
    }

    /// A new transaction, or one that was signed; sometimes one that spends something else.
    fn signed(&mut self, eid: Eid, count: u64) -> Pay {
        let at = if self.dice.once_in(6) { self.dice.below(count + 1) } else { count };
        let purposes = [Purpose::Pay, Purpose::Bump, Purpose::Void, Purpose::Void];
        let purpose =
            if at == 0 && !self.dice.once_in(12) { Purpose::Pay } else { self.dice.pick(&purposes) };
        let spends = u8::from(self.dice.once_in(12));
        let tx = format!("{} of {}", at, eid.0);
        Pay::Signed(eid, Arc::new(Attempt { purpose, tx, bytes: vec![0], spends: vec![spends] }))
    }

    /// Makes withdrawals of an account free, or no longer.
    pub(super) fn fee_override(&mut self) -> FundsCommand {
        let account = if self.dice.once_in(8) { buttonwood_model::AccountId(0) } else { self.some_funder() };
        Pay::OverrideFee(account, self.dice.once_in(3)).into()
    }
}
