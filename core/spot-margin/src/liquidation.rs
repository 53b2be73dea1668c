//! Liquidation of margin accounts (the steps of a perpetual account's, with the index as the mark and no deleveraging).
//!
//! When indices were taken, the accounts that owe are searched in bounded steps, and those below maintenance queue. For each, a chain
//! of follow-ups runs: cancel its orders; send a part of its largest holding to the book at the zero price; give the fund what the book
//! left, as far as a tenth of all that the fund holds carries it (D-178); and again, until the account has recovered or has nothing. What
//! neither takes waits for the next index.

use crate::account::{Account, Change};
use crate::settle::house;
use crate::{Infrequent, SpotMargin};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use buttonwood_index::Latest;
use buttonwood_ledger::{Bucket, Cause, INSURANCE, Ledger, Posting};
use buttonwood_model::{
    AccountId, BytesRef, CancelReason, Claim, CurrencyId, ExecutionOption, OrderId, OrderKind, Outbox, Rank,
    Side, Symbol, SymbolId, Time, TradeId,
};
use buttonwood_num::{HUNDREDTHS_PER_LOT, Money, Price, Qty, Round};
use buttonwood_risk::liquidation::{self as sums, Fund, Offered};
use buttonwood_room::Context;
use buttonwood_trading::place::{self, Place, Placer};
use buttonwood_trading::{self as trading, Desks, Planner, cancel};
use serde::{Deserialize, Serialize};

/// The most accounts that one step searches.
const SEARCH_MAX: usize = 5_000;

/// The work that is left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Liquidations {
    /// When the indices were taken against which accounts are to be searched, and the last account that was.
    search: Option<(Time, Option<AccountId>)>,
    /// Accounts below maintenance, the older first.
    queue: BTreeSet<AccountId>,
    /// When the last of them was found.
    found: Time,
    /// The account that is being liquidated.
    current: Option<(AccountId, Stage)>,
}

/// The next stage of the account that is being liquidated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    /// A part of its largest holding goes to the book.
    Book,
    /// The rest that the book left of it goes to the fund.
    Fund(Rest),
}

/// The rest that the book left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// The currency.
    pub currency: CurrencyId,
    /// How much.
    pub quantity: Money,
    /// The zero price, in dollars.
    pub price: Money,
}

/// The account sold on the book, or could not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sold {
    /// The account.
    pub account: AccountId,
    /// The fee that it pays to the fund for the traded part.
    pub fee: Money,
    /// The rest that the book left of the part; none if it took all.
    pub rest: Option<Rest>,
}

/// The fund took what the book left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenOver {
    /// The account.
    pub account: AccountId,
    /// The rest that the fund took.
    pub rest: Rest,
    /// The price that it paid, in dollars.
    pub cost: Money,
    /// The account's order, which the trade completes.
    pub order: OrderId,
    /// The fund's order.
    pub fund_order: OrderId,
    /// The trade.
    pub trade: TradeId,
}

impl TakenOver {
    /// The ids of orders and trade, in their order.
    pub fn ids(&self) -> [u64; 3] {
        [self.order.0, self.fund_order.0, self.trade.0]
    }
}

/// A part of a holding that is to be sold.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    symbol: &'a Symbol,
    symbol_id: SymbolId,
    rest: Rest,
}

impl Liquidations {
    /// Searches all accounts that owe, from the first one.
    pub(crate) fn look_through(&mut self, time: Time) {
        self.search = Some((time, None));
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.current.is_some()
    }
}

/// A command that is due.
pub(crate) enum Next {
    Search,
    Liquidate(AccountId),
}

impl SpotMargin {
    /// The next step of a liquidation.
    pub(crate) fn liquidation_due(&self) -> Option<(Rank, Time, Next)> {
        let Liquidations { search, queue, found, current } = &self.liquidations;
        if let Some((account, _)) = current {
            return Some((Rank::FollowUp, *found, Next::Liquidate(*account)));
        }
        let search = search.map(|(time, _)| (Rank::Step, time, Next::Search));
        search.or_else(|| Some((Rank::Step, *found, Next::Liquidate(*queue.first()?))))
    }

    /// The next accounts below maintenance, and the last account that was searched, if more are left.
    pub(crate) fn search(&self, ledger: &Ledger, latest: &Latest) -> (Vec<AccountId>, Option<AccountId>) {
        let after = self.liquidations.search.and_then(|(_, after)| after);
        let lent = self.loans.after(after).map(|(account, ..)| account).take(SEARCH_MAX + 1);
        let owing: BTreeSet<AccountId> = lent.chain(self.debts.after(after).take(SEARCH_MAX + 1)).collect();
        let mut owing = owing.into_iter();
        let fund = ledger.house(INSURANCE.name);
        let (mut below, mut last) = (Vec::new(), None);
        for account in owing.by_ref().take(SEARCH_MAX) {
            last = Some(account);
            if Some(account) != fund && self.is_due(ledger, latest, account) {
                below.push(account);
            }
        }
        (below, last.filter(|_| owing.next().is_some()))
    }

    /// Whether an account is below maintenance, and a holding of it has a fresh index.
    fn is_due(&self, ledger: &Ledger, latest: &Latest, account: AccountId) -> bool {
        let account = self.account(ledger, latest, account);
        let has_fresh = || account.holdings().any(|(currency, _)| latest.is_fresh(currency));
        account.sums().is_some_and(|sums| sums.is_due(self.terms())) && has_fresh()
    }

    /// The part of the largest holding that goes next; none without a holding that has a price. `debt` is what the account owes for
    /// returned advances.
    fn part<'a>(
        &self,
        latest: &Latest,
        account: &Account,
        debt: Money,
        symbols: &'a [Symbol],
    ) -> Option<Part<'a>> {
        let fresh: Vec<_> = account.holdings().filter(|(currency, _)| latest.is_fresh(*currency)).collect();
        let place = sums::largest(fresh.iter().map(|(_, held)| (held.quantity, held.index)))?;
        let (currency, held) = *fresh.get(place)?;
        let (_, symbol_id) = self.coins().find(|(coin, _)| coin.currency == currency)?;
        let symbol = symbols.get(symbol_id.index())?;
        let grid = &symbol.grid;
        let (lot, tick) = (
            grid.base(Qty::from_hundredths(HUNDREDTHS_PER_LOT))?,
            grid.value(Money::ONE, Price::from_ticks(1)),
        );
        let assets = sums::without_debt(account.sums()?.assets, debt);
        let price = sums::zero_price(assets, held.quantity, held.index, tick)?;
        let quantity = sums::step(held.quantity, held.index, lot);
        Some(Part { symbol, symbol_id, rest: Rest { currency, quantity, price } })
    }
}

/// How much of what the book left the fund takes, and what it pays for it; none if that is nothing (D-178).
fn fund_takes(context: &Context<'_, SpotMargin>, fund: Fund, rest: &Rest) -> Option<(Rest, Money)> {
    let Context { room: margin, ledger, .. } = *context;
    let (_, symbol) = margin.coins().find(|(coin, _)| coin.currency == rest.currency)?;
    let house = ledger.house(INSURANCE.name)?;
    let quantity = fund.takes(&Offered {
        quantity: rest.quantity,
        price: rest.price,
        mark: context.sources.indices.latest().price(rest.currency)?,
        lot: context.symbol(symbol)?.grid.base(Qty::from_hundredths(HUNDREDTHS_PER_LOT))?,
        own: ledger.balance(house, rest.currency).available,
    });
    let cost = quantity.times(rest.price, Round::Up).filter(|_| quantity > Money::ZERO)?;
    Some((Rest { quantity, ..*rest }, cost))
}

/// Decides the next step for an account; false if none is due.
pub(crate) fn decide<D: Desks, E: From<trading::Event> + From<BytesRef>>(
    context: &Context<'_, SpotMargin>,
    market: trading::Market<'_, D>,
    id: AccountId,
    planner: &mut Planner<D::Plan>,
    out: &mut Outbox<E>,
) -> bool {
    let Context { room: margin, ledger, symbols, sources, .. } = *context;
    let latest = sources.indices.latest();
    let Liquidations { queue, current, .. } = &margin.liquidations;
    let stage = match current {
        Some((account, stage)) if *account == id => Some(*stage),
        None if queue.first() == Some(&id) => None,
        _ => return false,
    };
    let account = margin.account(ledger, latest, id);
    if !margin.is_due(ledger, latest, id) {
        out.push_named(&Infrequent::Ended(id));
        return true;
    }
    match stage {
        None => {
            cancel::forced(market, id, CancelReason::TradingClosed, planner, out);
            out.push_named(&Infrequent::Started(id));
        }
        Some(Stage::Book) => match margin.part(latest, &account, margin.debt(id), symbols) {
            Some(part) => {
                let sold = sell(market, id, &account, &part, planner, out);
                out.push_named(&Infrequent::Sold(sold));
            }
            None => out.push_named(&Infrequent::Ended(id)),
        },
        Some(Stage::Fund(rest)) => {
            let taken = context.fund().and_then(|fund| fund_takes(context, fund, &rest));
            let takes_all = taken.is_some_and(|(taken, _)| taken.quantity == rest.quantity);
            if let Some((rest, cost)) = taken {
                let [order, fund_order] = [0, 1].map(|place| OrderId(context.next_id + place));
                let trade = TradeId(context.next_id + 2);
                let taken = TakenOver { account: id, rest, cost, order, fund_order, trade };
                out.push_named(&Infrequent::TakenOver(taken));
            }
            // A position that the fund cannot carry waits for the next index.
            if !takes_all {
                out.push_named(&Infrequent::Ended(id));
            }
        }
    }
    true
}

/// Sends a part to the book as an immediate-or-cancel order at the zero price, as far as the book's lot allows. Returns what the
/// account pays of what traded, and what is left of the part.
fn sell<D: Desks, E: From<trading::Event>>(
    market: trading::Market<'_, D>,
    id: AccountId,
    account: &Account,
    part: &Part<'_>,
    planner: &mut Planner<D::Plan>,
    out: &mut Outbox<E>,
) -> Sold {
    let mut events = Outbox::<trading::Event>::default();
    if let Some(place) = part.order() {
        // A closed market, for example, takes no order.
        let _ = place::decide(market, Placer::exchange(id), || "", &place, planner, &mut events);
    }
    let grid = &part.symbol.grid;
    let (mut filled, mut traded) = (Qty::ZERO, Money::ZERO);
    for event in &events.events {
        if let trading::Event::Filled { maker, qty, .. } = event {
            filled += *qty;
            let price = market.floor.orders.get(*maker).price;
            traded = grid.notional(price, *qty).map_or(traded, |value| traded.capped_add(value));
        }
        out.push(*event);
    }
    let base = grid.base(filled).unwrap_or(Money::ZERO);
    let change =
        Change { base: (part.rest.currency, -base), quote: (part.symbol.quote, traded), fee: Money::ZERO };
    let after = account.after(part.symbol.quote, &change).and_then(|account| account.sums());
    let fee = after.map_or(Money::ZERO, |after| sums::fee(traded, after.assets));
    let quantity = part.rest.quantity.checked_sub(base).unwrap_or(Money::ZERO);
    let rest = (quantity > Money::ZERO).then_some(Rest { quantity, ..part.rest });
    Sold { account: id, fee, rest }
}

impl Part<'_> {
    /// The order that sells the part; none if it is too small, or its price too high.
    fn order(&self) -> Option<Place> {
        let grid = &self.symbol.grid;
        let tick = grid.value(Money::ONE, Price::from_ticks(1));
        let hundredth = grid.base(Qty::from_hundredths(1))?;
        let count = |amount: Money, step: Money| amount.units().checked_div(step.units());
        let price = Price::from_ticks(u64::try_from(count(self.rest.price, tick)?).ok()?);
        let qty = Qty::from_hundredths(u128::try_from(count(self.rest.quantity, hundredth)?).ok()?);
        (qty > Qty::ZERO && price > Price::default()).then_some(Place {
            symbol: self.symbol_id,
            side: Side::Sell,
            claim: Claim::Yes,
            kind: OrderKind::Limit,
            option: Some(ExecutionOption::ImmediateOrCancel),
            price,
            qty,
            spend: Money::ZERO,
            client_id: None,
            stop: Price::default(),
            margin: true,
        })
    }
}

impl SpotMargin {
    /// Notes the accounts that a search found.
    pub(crate) fn note_found(&mut self, found: Vec<AccountId>, after: Option<AccountId>) {
        let time = self.liquidations.search.map_or(Time::default(), |(time, _)| time);
        self.liquidations.found = time;
        self.liquidations.search = after.map(|after| (time, Some(after)));
        self.liquidations.queue.extend(found);
    }

    pub(crate) fn note_started(&mut self, account: AccountId) {
        self.liquidations.current = Some((account, Stage::Book));
    }

    pub(crate) fn note_ended(&mut self, account: AccountId) {
        self.liquidations.queue.remove(&account);
        self.liquidations.current = None;
    }

    /// Pays the fund its fee. The rest that the book left goes to the fund next.
    pub(crate) fn note_sold(&mut self, ledger: &mut Ledger, sold: &Sold) {
        let stage = sold.rest.map_or(Stage::Book, Stage::Fund);
        self.liquidations.current = Some((sold.account, stage));
        let dollar = self.dollar.expect("an account owes dollars");
        if sold.fee > Money::ZERO {
            let fund = house(ledger, INSURANCE.name);
            self.lend_for(ledger, sold.account, dollar, sold.fee);
            pay(ledger, sold.account, fund, dollar, sold.fee);
            self.repay(ledger);
        }
    }

    /// The fund takes what the book left; it borrows what it cannot pay, as far as a tenth of its holdings bounds it.
    pub(crate) fn note_taken_over(&mut self, ledger: &mut Ledger, taken: &TakenOver) {
        let TakenOver { account, rest, cost, .. } = *taken;
        self.liquidations.current = Some((account, Stage::Book));
        let dollar = self.dollar.expect("an account owes dollars");
        let fund = house(ledger, INSURANCE.name);
        self.lend_for(ledger, fund, dollar, cost);
        pay(ledger, fund, account, dollar, cost);
        pay(ledger, account, fund, rest.currency, rest.quantity);
        self.repay(ledger);
    }
}

fn pay(ledger: &mut Ledger, from: AccountId, to: AccountId, currency: CurrencyId, amount: Money) {
    let posting =
        |account, amount| Posting { account, asset: currency.into(), bucket: Bucket::Available, amount };
    ledger.post(Cause::Liquidation, &[posting(from, -amount), posting(to, amount)]);
}
