//! The answers of this room that the engine asks of every room.

use crate::depth::Depth;
use crate::{BrokenLaw, Command, DESK, Perps};
use buttonwood_access::AccountKind;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CurrencyId, Due, Phase, Product, Rank, Symbol, Time};
use buttonwood_num::Money;
use buttonwood_room::{Changes, Context, Room};

impl Room for Perps {
    type Command = Command;
    type BrokenLaw = BrokenLaw;
    type Found = ();

    /// A halted exchange does not trade what the fund holds, and begins no round of a liquidation.
    fn next_due(&self, context: &Context<'_, Self>) -> impl Iterator<Item = Due<Command>> {
        let may_trade = !context.is_halted;
        let marks = self.marks_due(context.sources.indices);
        let marks = marks.map(|time| Due::step(time, Phase::Prices, Command::TakeMarks));
        // Apart, since a long move of a clock may skip these alone.
        let minute = self.minute_due();
        let minute = minute.map(|time| Due::step(time, Phase::Prices, Command::TakeMarks).skippable(true));
        let flatten = self.flatten_due().filter(|_| may_trade);
        let flatten = flatten.map(|time| Due::step(time, Phase::Fund, Command::FlattenFund));
        let offer = self.offers.first_key_value().filter(|_| may_trade);
        let offer = offer.map(|(_, time)| Due::step(*time, Phase::Fund, Command::OfferFund));
        let liquidation = self.liquidations.due(|_| Command::Liquidate);
        let liquidation = liquidation.filter(|due| may_trade || due.rank == Rank::FollowUp);
        [marks, minute, flatten, offer, self.funding_due(), liquidation].into_iter().flatten()
    }

    /// Payments of funding, or a round of a liquidation.
    #[inline]
    fn has_follow_up(&self, _ledger: &Ledger) -> bool {
        self.has_follow_up()
    }

    #[inline]
    fn is_awake(&self) -> bool {
        self.is_ranked()
    }

    fn finish(&mut self, _ledger: &mut Ledger) {
        self.note_command();
    }

    /// An account that owes more may be below maintenance, and a halt changes how premiums count.
    fn changed(&mut self, changes: &Changes, _ledger: &Ledger, time: Time) {
        for debt in &changes.debts {
            if debt.kind == AccountKind::Derivatives {
                self.note_debt(debt.account, debt.dollars);
            }
            if debt.is_weaker {
                self.look_through(time);
            }
        }
        if changes.halted.is_some() {
            self.note_halt(time);
        }
    }

    fn is_used_by(&self, account: AccountId) -> bool {
        self.is_active(account)
    }

    fn broken_law(&self, context: &Context<'_, Self>) -> Option<BrokenLaw> {
        let Context { floor, ledger, .. } = *context;
        let of_account = |account| floor.orders.in_any_order(account).map(move |(slot, _)| (account, slot));
        let live = (0..ledger.accounts()).map(AccountId).flat_map(of_account);
        let live = live.map(|(account, slot)| (account, floor.live(slot)));
        let live = live.filter(|(_, live)| live.desk() == DESK).map(|(account, live)| {
            let left = live.grid().base(live.order.remaining).unwrap_or(Money::MAX);
            (account, live.order.symbol, live.order.side().index(), left)
        });
        if self.depth != Depth::counted(floor, context.symbols) {
            return Some(BrokenLaw::Depth);
        }
        self.broken_law((ledger, context.sources.indices.latest()), ledger.gusd(), live)
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprints()
    }

    /// Notes that the exchange did not run for some time (D-49).
    fn at_start(&self, context: &Context<'_, Self>) -> Option<Command> {
        self.stopped_since(context.time).map(|_| Command::Resume)
    }

    fn restore(&mut self, ledger: &mut Ledger) {
        self.reindex(ledger);
        self.loans().restore(ledger);
    }

    fn indexed(&self, symbols: &[Symbol]) -> impl Iterator<Item = CurrencyId> {
        let contracts = symbols.iter().filter(|symbol| symbol.product == Product::Swap);
        let collateral = self.collateral.iter().flatten().filter(|counted| !counted.is_dollar);
        contracts.map(|symbol| symbol.base).chain(collateral.map(|counted| counted.currency))
    }
}

impl Perps {
    fn funding_due(&self) -> Option<Due<Command>> {
        if self.funding.is_paying() {
            return Some(Due::follow_up(Time::default(), Phase::Funding, Command::PayFunding));
        }
        let may_skip = self.rows().is_empty();
        let due = self.funding.due();
        due.map(|time| Due::step(time, Phase::Funding, Command::CutFunding).skippable(may_skip))
    }
}
