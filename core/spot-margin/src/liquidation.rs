//! Liquidation of margin accounts: when an account is due, what of it can be closed, and what the fund takes of what the book left.
//!
//! When indices were taken, the accounts that owe are searched in bounded steps, and those below maintenance join the queue of the
//! [`machine`], which names the steps. The index is the mark, and a sale goes down to 5 % below it. The fund takes what the book left as far
//! as a tenth of all that it holds carries it (D-178); what neither takes waits for the next index.

use crate::account::{Account, Change};
use crate::off_book::{Rest, Sold, TakenOver};
use crate::{DESK, Infrequent, SpotMargin};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use buttonwood_index::Latest;
use buttonwood_ledger::{INSURANCE, Ledger};
use buttonwood_model::{AccountId, BytesRef, CancelReason, CurrencyId, Outbox, Side, Time};
use buttonwood_num::{Money, Price, Qty, Round};
use buttonwood_risk::liquidation::fee;
use buttonwood_risk::machine::{self, Closing, Open, SEARCHED_MAX, Step};
use buttonwood_room::Context;
use buttonwood_trading::place::{self, Place, Placer};
use buttonwood_trading::{self as trading, Desks, Planner, cancel};

/// The accounts that wait for liquidation, and the round under way.
pub(crate) type Liquidations = machine::Liquidations<Rest>;

impl SpotMargin {
    /// The next accounts below maintenance, and the last account that was searched, if more are left.
    pub(crate) fn search(&self, ledger: &Ledger, latest: &Latest) -> (Vec<AccountId>, Option<AccountId>) {
        let after = self.search.and_then(|(_, after)| after);
        let lent = self.loans.after(after).map(|(account, ..)| account).take(SEARCHED_MAX + 1);
        let owing: BTreeSet<AccountId> = lent.chain(self.debts.after(after).take(SEARCHED_MAX + 1)).collect();
        let fund = ledger.house(INSURANCE.name);
        let is_due = |account| self.is_due(latest, &self.account(ledger, latest, account));
        machine::search(owing, |account| Some(account) != fund && is_due(account))
    }

    /// Whether an account is below maintenance, and a holding of it has a fresh index.
    fn is_due(&self, latest: &Latest, account: &Account) -> bool {
        let has_fresh = || account.holdings().any(|(currency, _)| latest.is_fresh(currency));
        account.sums().is_some_and(|sums| sums.is_due(self.terms())) && has_fresh()
    }
}

/// The part of the fresh index below which no forced sale goes, in percent.
const EDGE: i128 = 95;

/// The lowest price of a forced sale, which its order has in place of the collar: 5 % below the fresh index (D-261). The collar's own
/// reference is the last trade, which stays where it is while nothing trades: every sale would be refused by it, and the loan would grow.
/// The index bounds all sales at one index together, however many there are. None for any other order.
pub fn forced_edge(latest: &Latest, terms: &trading::Terms<'_>) -> Option<Price> {
    let (symbol, class) = (terms.symbol, terms.class);
    let is_sale = class.desk() == DESK && class.side() == Side::Sell;
    let index = latest.price(symbol.base).filter(|_| is_sale && latest.is_fresh(symbol.base))?;
    let lowest = index.mul_div(EDGE, 100, Round::Up)?.to_step(symbol.grid.tick(), Round::Up)?;
    symbol.grid.price_within(lowest)
}

/// The liquidation of one account at the indices in force.
struct Case<'a> {
    context: Context<'a, SpotMargin>,
    id: AccountId,
    account: Account,
}

impl<'a> machine::Case<'a> for Case<'a> {
    type Part = Rest;

    const GIVES_ALL: bool = false;

    fn is_due(&self) -> bool {
        self.context.room.is_due(self.latest(), &self.account)
    }

    /// Every liquidation begins with the cancels, even of no order.
    fn has_orders(&self) -> bool {
        true
    }

    fn open(&self) -> impl Iterator<Item = Open<'a>> {
        let latest = self.latest();
        let fresh = self.account.holdings().filter(|(currency, _)| latest.is_fresh(*currency));
        fresh.filter_map(|(currency, held)| self.holding(currency, held.quantity))
    }

    fn assets(&self) -> Option<[Money; 2]> {
        Some([self.account.sums()?.assets, self.context.room.debt(self.id)])
    }
}

impl<'a> Case<'a> {
    fn latest(&self) -> &'a Latest {
        self.context.sources.indices.latest()
    }

    fn holding(&self, currency: CurrencyId, quantity: Money) -> Option<Open<'a>> {
        let margin = self.context.room;
        let (_, symbol_id) = margin.coins().find(|(coin, _)| coin.currency == currency)?;
        let mark = self.latest().price(currency)?;
        Some(Open { symbol_id, symbol: self.context.symbol(symbol_id)?, quantity, mark })
    }

    /// The part of what the book left that the fund takes, and the price that it pays; none if that is nothing.
    fn taken_over(&self, rest: Rest) -> Option<TakenOver> {
        let Context { ledger, next_id, .. } = self.context;
        let open = self.holding(rest.currency, rest.quantity)?;
        let closing = Closing { open, quantity: rest.quantity, price: rest.price };
        let own = ledger.balance(ledger.house(INSURANCE.name)?, rest.currency).available;
        let quantity = closing.taken_by(&self.context.fund()?, own);
        let cost = quantity.times(rest.price, Round::Up).filter(|_| quantity > Money::ZERO)?;
        let (order, mut others) = machine::ids_off_book(next_id);
        let (fund_order, trade) = others.next()?;
        Some(TakenOver { account: self.id, rest: Rest { quantity, ..rest }, cost, order, fund_order, trade })
    }

    /// Sends a part to the book at the zero price, down to [`forced_edge`] and as far as the book's lot allows. Returns what the account
    /// pays of what traded, and what is left of the part.
    fn sell<D: Desks, E: From<trading::Event>>(
        &self,
        market: trading::Market<'_, D>,
        closing: &Closing<'_>,
        planner: &mut Planner<D::Plan>,
        out: &mut Outbox<E>,
    ) -> Sold {
        let mut events = Outbox::<trading::Event>::default();
        if let Some(terms) = closing.limit().zip(closing.qty()) {
            // A closed market, for example, takes no order.
            let order = Place::at_once(closing.open.symbol_id, Side::Sell, terms, true);
            let _ = place::decide(market, Placer::exchange(self.id), || "", &order, planner, &mut events);
        }
        let symbol = closing.open.symbol;
        let (mut filled, mut traded) = (Qty::ZERO, Money::ZERO);
        for event in events.events {
            if let trading::Event::Filled { maker, qty, .. } = event {
                filled += qty;
                let price = market.floor.orders.get(maker).price;
                traded = symbol.grid.notional(price, qty).map_or(traded, |value| traded.capped_add(value));
            }
            out.push(event);
        }
        let base = symbol.grid.base(filled).unwrap_or(Money::ZERO);
        let change = Change { base: (symbol.base, -base), quote: (symbol.quote, traded), fee: Money::ZERO };
        let after = self.account.after(symbol.quote, &change).and_then(|account| account.sums());
        let fee = after.map_or(Money::ZERO, |after| fee(traded, after.assets));
        let quantity = closing.quantity.checked_sub(base).unwrap_or(Money::ZERO);
        let rest = Rest { currency: symbol.base, quantity, price: closing.price };
        Sold { account: self.id, fee, rest: (quantity > Money::ZERO).then_some(rest) }
    }
}

/// Decides the next step for an account; false if none is due.
pub(crate) fn decide<D: Desks, E: From<trading::Event> + From<BytesRef>>(
    context: &Context<'_, SpotMargin>,
    market: trading::Market<'_, D>,
    id: AccountId,
    planner: &mut Planner<D::Plan>,
    out: &mut Outbox<E>,
) -> bool {
    let liquidations = &context.room.liquidations;
    if liquidations.next() != Some(id) {
        return false;
    }
    let account = context.room.account(context.ledger, context.sources.indices.latest(), id);
    let case = Case { context: *context, id, account };
    match liquidations.step(&case) {
        Step::Cancel => {
            cancel::forced(market, id, CancelReason::TradingClosed, planner, out);
            out.push_named(&Infrequent::Started(id));
        }
        Step::Close(closing) => {
            let sold = case.sell(market, &closing, planner, out);
            out.push_named(&Infrequent::Sold(sold));
        }
        Step::Give(rest) => {
            let taken = case.taken_over(rest);
            if let Some(taken) = taken {
                out.push_named(&Infrequent::TakenOver(taken));
            }
            // A position that the fund cannot carry waits for the next index.
            if taken.is_none_or(|taken| taken.rest.quantity != rest.quantity) {
                out.push_named(&Infrequent::Ended(id));
            }
        }
        Step::End => out.push_named(&Infrequent::Ended(id)),
    }
    true
}

impl SpotMargin {
    /// Notes the accounts that a search found.
    pub(crate) fn note_found(&mut self, found: &[AccountId], after: Option<AccountId>) {
        let time = self.search.map_or(Time::default(), |(time, _)| time);
        self.search = after.map(|after| (time, Some(after)));
        self.liquidations.merge(found, time);
    }
}
