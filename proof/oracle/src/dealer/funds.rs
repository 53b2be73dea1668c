//! The operators' gifts to accounts and debits of them, apart from plain credits.

use super::Dealer;
use buttonwood_engine::{Adjustment, Body, LedgerCommand, State};
use buttonwood_model::AccountId;
use buttonwood_num::Money;
use std::sync::Arc;

impl Dealer {
    /// A debit of all that is available, of a part, or of a unit more; sometimes a credit, or nothing. References repeat at times.
    pub(super) fn adjustment(&mut self, state: &State) -> Body {
        // Sometimes the youngest account, which may be closed.
        let youngest = AccountId::from_index(state.access().accounts().len() - 1);
        let account = if self.dice.once_in(8) { youngest } else { self.dice.pick(&self.keys).account };
        let (currency, most) = self.dice.pick(&self.credits);
        let available = state.ledger().balance(account, currency).available.units();
        let part = available / 1_000_000 * i128::from(self.dice.below(1_000_000));
        let units = match self.dice.below(8) {
            0 => -available - 1,
            1 => -available,
            2 => most / 1_000_000 * i128::from(self.dice.below(1_000)),
            3 => -most,
            4 => 0,
            _ => -part,
        };
        let reference =
            if self.dice.once_in(2) { String::new() } else { format!("transfer {}", self.dice.below(16)) };
        let amount = Money::from_units(units);
        Body::Ledger(LedgerCommand::Adjust(Arc::new(Adjustment { account, currency, amount, reference })))
    }
}
