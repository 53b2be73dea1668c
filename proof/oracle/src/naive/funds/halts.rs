//! Halts of all withdrawals or of one asset; an operator ends them.

use super::Naive;
use buttonwood_engine::Made;
use buttonwood_engine::funds::Scope;
use buttonwood_engine::funds::halt::{Command, Reject};
use buttonwood_model::CurrencyId;

impl Naive {
    pub(super) fn halt(&mut self, command: &Command) -> Result<Made, Reject> {
        let (Command::Halt(scope) | Command::Resume(scope)) = *command;
        let halts = matches!(command, Command::Halt(_));
        match scope {
            Scope::Withdrawals => self.funds.are_withdrawals_halted = halts,
            Scope::Asset(currency) if currency.index() >= self.funds.codes.len() => {
                return Err(Reject::UnknownCurrency);
            }
            Scope::Asset(currency) if halts => {
                self.funds.halted.insert(currency);
            }
            Scope::Asset(currency) => {
                if self.funds.halted.remove(&currency) {
                    self.credit_final(currency);
                }
            }
        }
        Ok(Made::Nothing)
    }

    /// Whether no withdrawal of a currency is accepted.
    pub(super) fn stops_withdrawal(&self, currency: CurrencyId) -> bool {
        self.funds.are_withdrawals_halted
            || self.funds.halted.contains(&currency)
            || self.funds.short.contains(&currency)
    }
}
