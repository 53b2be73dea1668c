//! The answers of this room that the engine asks of every room.

use crate::laws::live;
use crate::{BrokenLaw, Command, SpotMargin};
use buttonwood_access::AccountKind;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CurrencyId, Due, Phase, Rank, Symbol, Time};
use buttonwood_room::{Changes, Context, Room};

impl Room for SpotMargin {
    type Command = Command;
    type BrokenLaw = BrokenLaw;
    type Found = ();

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

    fn is_used_by(&self, account: AccountId) -> bool {
        self.is_active(account)
    }

    fn broken_law(&self, context: &Context<'_, Self>) -> Option<BrokenLaw> {
        self.broken_law(live(context.floor, context.ledger))
    }

    /// An account that owes more may be below maintenance, and so may any at new indices.
    fn changed(&mut self, changes: &Changes, _ledger: &Ledger, time: Time) {
        for debt in &changes.debts {
            if debt.kind == AccountKind::Margin {
                self.note_debt(debt.account, debt.dollars);
            }
            if debt.is_weaker {
                self.look_through(time);
            }
        }
        if changes.prices {
            self.note_taken(time);
        }
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
