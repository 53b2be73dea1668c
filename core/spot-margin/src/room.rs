//! The answers of this room that the engine asks of every room.

use crate::laws::live;
use crate::{BrokenLaw, Command, SpotMargin};
use buttonwood_access as access;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CurrencyId, Due, Phase, Rank, Symbol};
use buttonwood_room::{Context, Room};

impl Room for SpotMargin {
    type Command = Command;
    type BrokenLaw = BrokenLaw;

    /// While trading is halted, no liquidation begins.
    fn next_due(&self, context: &Context<'_, Self>) -> impl Iterator<Item = Due<Command>> {
        let interest = self.interest_due().map(|(rank, time)| {
            let due = Due::step(time, Phase::Interest, Command::ChargeInterest);
            Due { rank, ..due }
        });
        let liquidation = self.search_due().map(|due| due.map(|()| Command::FindLiquidations));
        let liquidation = liquidation.or_else(|| self.liquidations.due(Command::Liquidate));
        let liquidation = liquidation.filter(|due| due.rank == Rank::FollowUp || !context.is_halted);
        [interest, liquidation].into_iter().flatten()
    }

    #[inline]
    fn has_follow_up(&self, _ledger: &Ledger) -> bool {
        self.liquidations.round().is_some() || self.interest.has_begun()
    }

    fn in_use(&self, account: AccountId) -> Option<access::Reject> {
        self.is_active(account).then_some(access::Reject::HasMoney)
    }

    fn broken_law(&self, context: &Context<'_, Self>) -> Option<BrokenLaw> {
        self.broken_law(live(context.floor, context.ledger))
    }

    fn fingerprint(&self) -> u64 {
        self.loans().fingerprint().part("spot_margin.loans")
    }

    fn restore(&mut self, ledger: &mut Ledger) {
        self.loans().restore(ledger);
    }

    fn indexed(&self, _symbols: &[Symbol]) -> impl Iterator<Item = CurrencyId> {
        self.coins().map(|(coin, _)| coin.currency)
    }

    fn note_symbols(&mut self, symbols: &[Symbol], ledger: &Ledger) {
        self.note_symbols(symbols, ledger.currencies());
    }
}

impl SpotMargin {
    /// The next step of the search for accounts, which waits for the round under way.
    pub(crate) fn search_due(&self) -> Option<Due<()>> {
        let (time, _) = self.search.filter(|_| self.liquidations.round().is_none())?;
        Some(Due::step(time, Phase::Liquidation, ()).in_storm())
    }
}
