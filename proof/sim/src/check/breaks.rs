//! Breaks of trades: the observer picks a trade, and the product reads its facts from the history, as an operator's call does.

use super::Checker;
use crate::memory::told;
use buttonwood_engine::{BreakKind, Command, TradingCommand};
use buttonwood_oracle::Dice;
use buttonwood_sequencer::Stepped;
use buttonwood_views::Records;
use std::sync::Arc;

impl Checker {
    /// Sometimes the command that breaks a trade. The views may lag behind the exchange, which then refuses it.
    pub(crate) fn some_break(&self, stepped: &Stepped, dice: &mut Dice) -> Option<Command> {
        if !dice.once_in(40) {
            return None;
        }
        let trade = self.exchange.some_trade(dice)?;
        let kind = if dice.once_in(4) { BreakKind::Manual } else { BreakKind::Full };
        let views = stepped.exchange().views();
        let records = Records::of(views.state());
        // Where the disk fails, the operator gets no facts.
        let broken = told(&views, |history| records.find(history, trade, kind)).ok()??;
        Some(Command { caller: None, body: TradingCommand::BreakTrade(Arc::new(broken)).into() })
    }
}
