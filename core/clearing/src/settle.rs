//! Settlement: both legs and the fees in one entry, or nothing (CLR-015, CLR-016, D-82, D-83).

use crate::order::Need;
use crate::{Clearing, Code, Infrequent, Order, Reject, Status};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use buttonwood_leave::Once;
use buttonwood_ledger::{About, Bucket, Cause, FEES, FeePart, Ledger, Posting};
use buttonwood_model::{AccountId, BytesRef, CurrencyId, Outbox, Side, Symbol, TradeId};
use buttonwood_num::Money;
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// The most orders that one command tries to settle.
pub const SETTLED_MAX: usize = 100;

/// The bound of a group with open advances: how much it may give up against the index in its trades (D-181). The engine knows it.
pub trait Judge {
    /// Whether both groups may make the trade; notes what they give up in it if they may.
    fn allows(&mut self, parties: [(AccountId, Side); 2], symbol: &Symbol, amounts: (Money, Money)) -> bool;
}

/// An order that has settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settlement {
    /// The order as it was closed.
    pub order: Order,
    /// The id of the one trade of both sides.
    pub trade: TradeId,
    /// What each side paid in addition, in the quote currency.
    pub fee: Money,
}

/// The result of an attempt.
enum Attempt {
    Settled(Settlement),
    /// A side lacks money, or may not give it now.
    Lacks,
    /// It is tried in a later command: an order of a group with open advances has settled in this one, so the state no longer has the figures of
    /// that group.
    Later,
}

/// The money that may leave accounts, while several orders settle in one command.
pub(crate) struct Purse<'c, 'a> {
    context: &'c Context<'a, Clearing>,
    once: Once<'a>,
    moved: BTreeMap<(AccountId, CurrencyId), Money>,
    /// The accounts whose groups in advance have other figures than the state by now.
    stale: BTreeSet<AccountId>,
}

impl<'c, 'a> Purse<'c, 'a> {
    pub(crate) fn new(context: &'c Context<'a, Clearing>) -> Self {
        let once = Once::new(context.leave());
        Self { context, once, moved: BTreeMap::new(), stale: BTreeSet::new() }
    }

    /// Settles an order with this id of its trade, if both sides have the money now.
    pub(crate) fn settle(
        &mut self,
        order: &Order,
        trade: TradeId,
        judge: &mut dyn Judge,
    ) -> Option<Settlement> {
        match self.attempt(order, trade, judge) {
            Attempt::Settled(settlement) => Some(settlement),
            Attempt::Lacks | Attempt::Later => None,
        }
    }

    fn attempt(&mut self, order: &Order, trade: TradeId, judge: &mut dyn Judge) -> Attempt {
        let Some((symbol, amounts)) = self.judged(order) else { return Attempt::Lacks };
        let Amounts { needs, base, notional, fee, proceeds } = amounts;
        if needs.iter().any(|need| self.stale.contains(&need.account)) {
            return Attempt::Later;
        }
        if needs.iter().any(|need| self.free(need.account, need.currency) < need.amount) {
            return Attempt::Lacks;
        }
        let [source, target] = needs.map(|need| need.account);
        let parties = [(source, order.side), (target, order.side.opposite())];
        if !judge.allows(parties, symbol, (base, notional)) {
            return Attempt::Lacks;
        }
        for (need, (account, side)) in needs.iter().zip(parties) {
            let gets = if side == Side::Buy { base } else { proceeds };
            self.note(need.account, need.currency, -need.amount);
            self.note(account, symbol.paid_in(side.opposite()), gets);
        }
        let order = Order { status: Status::Settled, changed: self.context.time, ..*order };
        Attempt::Settled(Settlement { order, trade, fee })
    }

    /// The symbol and the amounts of an order that may settle at all now.
    fn judged(&self, order: &Order) -> Option<(&'a Symbol, Amounts)> {
        let context = self.context;
        if context.is_halted || order.is_over(context.time) || !order.is_confirmed() {
            return None;
        }
        in_range(context, order)
    }

    /// What may leave an account.
    fn free(&self, account: AccountId, currency: CurrencyId) -> Money {
        let free = self.once.free(account, currency);
        let moved = self.moved.get(&(account, currency)).copied().unwrap_or(Money::ZERO);
        free.checked_add(moved).unwrap_or(Money::ZERO)
    }

    fn note(&mut self, account: AccountId, currency: CurrencyId, amount: Money) {
        let moved = self.moved.entry((account, currency)).or_insert(Money::ZERO);
        *moved = moved.capped_add(amount);
        if !self.stale.contains(&account) {
            self.stale.extend(self.context.rooms.group_in_advance(account));
        }
    }
}

/// What moves in a settlement.
struct Amounts {
    needs: [Need; 2],
    base: Money,
    notional: Money,
    fee: Money,
    /// What the seller gets.
    proceeds: Money,
}

impl Amounts {
    /// None beyond the range of money.
    fn of(order: &Order, symbol: &Symbol, fee: Money) -> Option<Self> {
        let base = symbol.grid.base(order.qty)?;
        let notional = symbol.grid.notional(order.price, order.qty)?;
        let proceeds = notional.checked_sub(fee).filter(|proceeds| !proceeds.is_negative())?;
        let need = |account, side| Need {
            account,
            currency: symbol.paid_in(side),
            amount: if side == Side::Buy { notional.capped_add(fee) } else { base },
        };
        notional.checked_add(fee)?;
        let needs = [need(order.source, order.side), need(order.target?, order.side.opposite())];
        Some(Self { needs, base, notional, fee, proceeds })
    }
}

/// Whether a settlement keeps every balance within the range of money.
pub(crate) fn fits(context: &Context<'_, Clearing>, order: &Order) -> bool {
    in_range(context, order).is_some()
}

/// The symbol and the amounts of an order whose settlement keeps every balance within the range of money.
fn in_range<'a>(context: &Context<'a, Clearing>, order: &Order) -> Option<(&'a Symbol, Amounts)> {
    let symbol = context.symbol(order.symbol)?;
    let amounts = Amounts::of(order, symbol, context.room.fee_of(order, symbol)?)?;
    let [source, target] = amounts.needs.map(|need| need.account);
    let fees = context.ledger.house(FEES.name)?;
    let (buyer, seller) = if order.side == Side::Buy { (source, target) } else { (target, source) };
    let gets = [
        (buyer, symbol.base, amounts.base),
        (seller, symbol.quote, amounts.proceeds),
        (fees, symbol.quote, amounts.fee.checked_add(amounts.fee)?),
    ];
    let fits = |(account, currency, amount): (AccountId, CurrencyId, Money)| {
        let balance = context.ledger.balance(account, currency);
        let sum = balance.available.checked_add(balance.held).and_then(|sum| sum.checked_add(amount));
        sum.is_some()
    };
    gets.into_iter().all(fits).then_some((symbol, amounts))
}

/// Decides an attempt at orders that are due for one, in their order. Those that do not settle wait again. Without an order it goes on with
/// the search for them, also in a halt (D-301).
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Clearing>,
    numbers: &[u64],
    judge: &mut dyn Judge,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let waiting = context.room.waiting();
    let due =
        if context.is_halted { waiting.search_due().filter(|_| numbers.is_empty()) } else { waiting.due() };
    if due.is_none() && (context.is_halted || numbers.is_empty()) {
        return Err(Reject::NothingDue);
    }
    context.rooms.note_looks(numbers.len());
    let mut purse = Purse::new(context);
    let mut lacking = Vec::new();
    let mut next = context.next_id;
    for number in numbers.iter().take(SETTLED_MAX) {
        let waiting = context.room.order(*number).filter(|order| order.status == Status::AttemptSettlement);
        let Some(order) = waiting else { continue };
        match purse.attempt(order, TradeId(next), judge) {
            Attempt::Settled(settlement) => {
                out.push_named(&Infrequent::Settled(settlement));
                next = next.saturating_add(1);
            }
            Attempt::Lacks => lacking.push(*number),
            Attempt::Later => {}
        }
    }
    if !lacking.is_empty() || numbers.is_empty() {
        out.push_named(&Infrequent::Tried(lacking, next != context.next_id));
    } else if next == context.next_id {
        return Err(Reject::NothingDue);
    }
    Ok(())
}

/// Decides the end of the orders whose time is over, some at a time.
pub(crate) fn expire<E: From<BytesRef>>(
    context: &Context<'_, Clearing>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let mut over = context.room.over(context.time).take(SETTLED_MAX).peekable();
    if over.peek().is_none() {
        return Err(Reject::NothingDue);
    }
    for order in over {
        let closed = Order { status: Status::Expired, changed: order.expires, ..*order };
        out.push_named(&Infrequent::Expired(closed));
    }
    Ok(())
}

/// Moves both legs and the fees.
pub(crate) fn post(ledger: &mut Ledger, symbols: &[Symbol], settlement: &Settlement, code: Code) {
    let Settlement { order, trade, fee } = settlement;
    let symbol = symbols.get(order.symbol.index());
    let Some((symbol, amounts)) = symbol.and_then(|symbol| Some((symbol, Amounts::of(order, symbol, *fee)?)))
    else {
        return;
    };
    let Some(fees) = ledger.house(FEES.name) else { return };
    let [source, target] = amounts.needs.map(|need| need.account);
    let (buyer, seller) = if order.side == Side::Buy { (source, target) } else { (target, source) };
    let posting = |account, asset: CurrencyId, amount| Posting {
        account,
        asset: asset.into(),
        bucket: Bucket::Available,
        amount,
    };
    let entry = [
        posting(buyer, symbol.quote, -(amounts.notional + *fee)),
        posting(seller, symbol.quote, amounts.proceeds),
        posting(fees, symbol.quote, *fee + *fee),
        posting(seller, symbol.base, -amounts.base),
        posting(buyer, symbol.base, amounts.base),
    ];
    let parts = [buyer, seller].map(|account| FeePart { account, asset: symbol.quote.into(), amount: *fee });
    ledger.post_with_fees(Cause::Clearing.about(About::Clearing(code, *trade)), &entry, &parts);
}
