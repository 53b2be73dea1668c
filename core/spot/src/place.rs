//! Placing an order: admission, matching, and what becomes of the rest.

use crate::collar;
use crate::fees::{both_fees, hold};
use crate::{Event, Market, Planner};
use buttonwood_book::{Book, Fill, NewOrder, plan};
use buttonwood_model::{
    AccountId, CancelReason, ClientId, ExecutionOption, Held, OrderId, OrderKind, Outbox, SessionId, Side,
    Symbol, SymbolId, SymbolStatus, TradeId,
};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_planted::{Bug, planted};
use serde::{Deserialize, Serialize};

/// The command: place one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// What to trade.
    pub symbol: SymbolId,
    /// Which way.
    pub side: Side,
    /// Limit or market.
    pub kind: OrderKind,
    /// Execution option.
    pub option: Option<ExecutionOption>,
    /// Limit; zero for market orders.
    pub price: Price,
    /// Base quantity; zero for a market buy that names what to spend.
    pub qty: Qty,
    /// Quote currency to spend, fee included; zero but for such a buy.
    pub spend: Money,
    /// Client order id.
    pub client_id: Option<ClientId>,
}

/// Who places it.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// The account that pays.
    pub account: AccountId,
    /// The key that placed it.
    pub session: SessionId,
}

/// Why an order does not enter. The order of the variants is the order of the checks (D-05).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// Not listed, or closed to the account's jurisdiction (SYM-005).
    InvalidSymbol,
    /// A limit order without a price (ORD-026).
    NoPrice,
    /// Only a buy can name money to spend (ORD-044).
    SpendIsForBuys,
    /// Below the symbol's minimum (SYM-009), or a spend that buys nothing.
    BelowMinimum,
    /// The symbol is closed (SYM-024).
    MarketClosed,
    /// The symbol's status does not take this order (SYM-025 to SYM-027).
    MarketNotOpen(SymbolStatus),
    /// Not enough money is free (ORD-049).
    InsufficientFunds,
}

/// Decides one order. Refuses, or writes what happens to `out` and returns the order's id. `home` tells where the
/// account's owner lives (D-16); it is asked only about symbols that are closed to somebody.
///
/// # Errors
/// [`Reject`]; nothing is written then.
#[inline]
pub fn decide<'a, E: From<Event>>(
    market: Market<'a>,
    owner: Owner,
    home: impl FnOnce() -> &'a str,
    place: &Place,
    planner: &mut Planner,
    out: &mut Outbox<E>,
) -> Result<OrderId, Reject> {
    let symbol = market.symbol(place.symbol).ok_or(Reject::InvalidSymbol)?;
    // Most orders rest: limit orders that meet nothing, on a symbol that takes all. What only others need is apart.
    let is_plain = is_plain(symbol, place);
    if is_plain && !crosses(market.pit.orders.book(place.symbol), place.side, place.price) {
        let needed = hold(&symbol.grid, place.side, place.price, place.qty, market.fees.worst());
        let Reserve { held, amount } = afford(market, symbol, owner.account, place.side, needed)?;
        let order = entered(market, owner, place, place.qty, out);
        out.push(Event::Rested { order, held, amount });
        return Ok(order.id);
    }
    if !symbol.closed_to.is_empty() && is_closed_to(symbol, home()) && !planted(Bug::JurisdictionIgnored) {
        return Err(Reject::InvalidSymbol);
    }
    decide_in_full(&market, symbol, owner, place, is_plain, planner, out)
}

/// Whether an order could only be refused for want of money, and rests if it meets nothing.
#[inline]
fn is_plain(symbol: &Symbol, place: &Place) -> bool {
    place.kind == OrderKind::Limit
        && matches!(place.option, None | Some(ExecutionOption::MakerOrCancel))
        && place.price != Price::default()
        && place.qty >= symbol.qty_min
        && symbol.status == SymbolStatus::Open
        && symbol.closed_to.is_empty()
}

/// Every other order, of a symbol that is not closed to the account. A plain one is known to meet something.
#[inline(never)]
fn decide_in_full<E: From<Event>>(
    market: &Market<'_>,
    symbol: &Symbol,
    owner: Owner,
    place: &Place,
    is_plain: bool,
    planner: &mut Planner,
    out: &mut Outbox<E>,
) -> Result<OrderId, Reject> {
    let book = market.pit.orders.book(place.symbol);
    if !is_plain {
        check_shape(symbol, place)?;
        check_status(symbol, book, place)?;
    }
    let reserve = reserve(*market, symbol, owner.account, place)?;
    let order = Incoming { market: *market, owner, place, symbol, book };
    if !is_plain && place.kind == OrderKind::Limit && !crosses(book, place.side, place.price) {
        return Ok(order.emit(&[], Fate::unmet(place.option, reserve), out));
    }
    order.meet(reserve, planner, out)
}

/// An order of `qty` that enters under the next id.
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
fn entered<E>(market: Market<'_>, owner: Owner, place: &Place, qty: Qty, out: &mut Outbox<E>) -> NewOrder {
    let client_id = place.client_id.as_ref().map(|text| out.keep(text.as_bytes())).unwrap_or_default();
    NewOrder {
        id: OrderId(market.next_id),
        price: place.price,
        qty,
        account: owner.account,
        session: owner.session,
        symbol: place.symbol,
        maker_rate: market.fees.maker,
        taker_rate: market.fees.taker,
        side: place.side,
        kind: place.kind,
        option: place.option,
        client_id,
    }
}

#[cold]
fn is_closed_to(symbol: &Symbol, home: &str) -> bool {
    symbol.closed_to.iter().any(|closed| closed == home)
}

/// The whole order must be covered, whatever of it trades at once (ORD-048). Returns what it would reserve.
fn reserve(
    market: Market<'_>,
    symbol: &Symbol,
    account: AccountId,
    place: &Place,
) -> Result<Reserve, Reject> {
    let Place { side, kind, price, qty, spend, .. } = *place;
    let needed = match kind {
        OrderKind::MarketSpend => Some(spend),
        // What a market buy costs is known once it is planned.
        OrderKind::Market if side == Side::Buy => Some(Money::ZERO),
        OrderKind::Market | OrderKind::Limit => hold(&symbol.grid, side, price, qty, market.fees.worst()),
    };
    afford(market, symbol, account, side, needed)
}

/// Whether the account has what an order needs.
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
fn afford(
    market: Market<'_>,
    symbol: &Symbol,
    account: AccountId,
    side: Side,
    needed: Option<Money>,
) -> Result<Reserve, Reject> {
    let amount = needed.ok_or(Reject::InsufficientFunds)?;
    let (held, balance) = market.pit.ledger.find(account, symbol.paid_in(side));
    if amount <= balance.available || planted(Bug::FundsUnchecked) {
        Ok(Reserve { held, amount })
    } else {
        Err(Reject::InsufficientFunds)
    }
}

/// What an order on the book reserves, and of which balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reserve {
    held: Held,
    amount: Money,
}

/// Checks what needs no book and no balance.
fn check_shape(symbol: &Symbol, place: &Place) -> Result<(), Reject> {
    match place.kind {
        OrderKind::Limit if place.price == Price::default() => Err(Reject::NoPrice),
        OrderKind::MarketSpend if place.side == Side::Sell => Err(Reject::SpendIsForBuys),
        OrderKind::Limit | OrderKind::Market
            if place.qty < symbol.qty_min && !planted(Bug::MinimumIgnored) =>
        {
            Err(Reject::BelowMinimum)
        }
        OrderKind::Limit | OrderKind::Market | OrderKind::MarketSpend => Ok(()),
    }
}

fn check_status(symbol: &Symbol, book: &Book, place: &Place) -> Result<(), Reject> {
    let taken = match symbol.status {
        SymbolStatus::Open => true,
        SymbolStatus::Closed => return Err(Reject::MarketClosed),
        SymbolStatus::CancelOnly => planted(Bug::CancelOnlyPlaces),
        SymbolStatus::PostOnly => {
            planted(Bug::PostOnlyTakes)
                || place.option == Some(ExecutionOption::MakerOrCancel)
                || (place.kind == OrderKind::Limit && !crosses(book, place.side, place.price))
        }
        SymbolStatus::LimitOnly => place.kind == OrderKind::Limit,
    };
    if taken { Ok(()) } else { Err(Reject::MarketNotOpen(symbol.status)) }
}

fn crosses(book: &Book, side: Side, limit: Price) -> bool {
    book.side(side.opposite()).meets(limit)
}

/// What becomes of an order after its fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Nothing is left.
    Completed,
    /// The rest goes on the book.
    Booked(Reserve),
    /// The rest is cancelled; `executes` says whether its fills stand.
    Cancelled { reason: CancelReason, executes: bool },
}

impl Fate {
    /// Of a limit order that meets nothing.
    fn unmet(option: Option<ExecutionOption>, reserve: Reserve) -> Self {
        match option {
            None | Some(ExecutionOption::MakerOrCancel) => Self::Booked(reserve),
            Some(ExecutionOption::ImmediateOrCancel) => {
                Self::Cancelled { reason: CancelReason::ImmediateOrCancelWouldPost, executes: true }
            }
            Some(ExecutionOption::FillOrKill) => {
                Self::Cancelled { reason: CancelReason::FillOrKillWouldNotFill, executes: false }
            }
        }
    }

    fn executes(self) -> bool {
        !matches!(self, Self::Cancelled { executes: false, .. })
    }

    /// Writes down what became of the order that entered under `id`.
    fn push<E: From<Event>>(self, market: Market<'_>, id: OrderId, out: &mut Outbox<E>) {
        match self {
            Self::Completed => out.push(Event::Completed),
            Self::Booked(Reserve { held, amount }) => out.push(Event::Booked { held, amount }),
            Self::Cancelled { reason, .. } => {
                out.push(Event::Cancelled { slot: market.pit.orders.next_slot(), reason, order: id });
            }
        }
    }
}

/// An admitted order, about to meet the book.
struct Incoming<'a> {
    market: Market<'a>,
    owner: Owner,
    place: &'a Place,
    symbol: &'a Symbol,
    book: &'a Book,
}

impl Incoming<'_> {
    fn limit(&self) -> Option<Price> {
        (self.place.kind == OrderKind::Limit).then_some(self.place.price)
    }

    fn available(&self) -> Money {
        self.market.pit.ledger.balance(self.owner.account, self.symbol.paid_in(self.place.side)).available
    }

    /// Plans what the order trades and decides what becomes of it.
    fn meet<E: From<Event>>(
        &self,
        reserve: Reserve,
        planner: &mut Planner,
        out: &mut Outbox<E>,
    ) -> Result<OrderId, Reject> {
        let left = self.plan(&mut planner.fills);
        let fate = self.fate(reserve, &planner.fills, left);
        if self.place.kind == OrderKind::MarketSpend && fate == Fate::Completed && planner.fills.is_empty() {
            return Err(Reject::BelowMinimum);
        }
        if fate.executes() {
            self.check_cost(&planner.fills, fate)?;
        } else {
            planner.fills.clear();
        }
        Ok(self.emit(&planner.fills, fate, out))
    }

    /// Returns what is left of the quantity.
    fn plan(&self, fills: &mut alloc::vec::Vec<Fill>) -> Qty {
        let Place { side, kind, qty, spend, .. } = *self.place;
        let limit = self.limit();
        let reach = collar::nearer(side, limit, collar::worst_price(self.book, side));
        let grid = &self.symbol.grid;
        let rate = self.market.fees.taker;
        let (mut left, mut money) = (qty, spend);
        let want = |price: Price, open: Qty| {
            if kind != OrderKind::MarketSpend {
                let take = left.min(open);
                left -= take;
                return take;
            }
            let take = grid.qty_for(money, price, rate).min(open);
            let cost = hold(grid, Side::Buy, price, take, rate).unwrap_or(money);
            money -= cost;
            take
        };
        plan(&self.market.pit.orders, self.place.symbol, side, reach, want, fills);
        left
    }

    fn fate(&self, reserve: Reserve, fills: &[Fill], left: Qty) -> Fate {
        let Place { side, kind, option, .. } = *self.place;
        let void = |reason| Fate::Cancelled { reason, executes: false };
        if self.meets_itself(fills) {
            return void(CancelReason::SelfCrossPrevented);
        }
        let must_make = option == Some(ExecutionOption::MakerOrCancel) && !planted(Bug::MakerOrCancelTakes);
        if must_make && crosses(self.book, side, self.place.price) {
            return void(CancelReason::MakerOrCancelWouldTake);
        }
        let is_done = match kind {
            OrderKind::MarketSpend => self.is_spent(fills),
            OrderKind::Limit | OrderKind::Market => left == Qty::ZERO,
        };
        if is_done {
            return Fate::Completed;
        }
        if option == Some(ExecutionOption::FillOrKill) && !planted(Bug::FillOrKillFillsPart) {
            return void(CancelReason::FillOrKillWouldNotFill);
        }
        if self.collar_stopped(fills) {
            return Fate::Cancelled { reason: CancelReason::ExceedsPriceLimits, executes: true };
        }
        let is_immediate =
            option == Some(ExecutionOption::ImmediateOrCancel) && !planted(Bug::ImmediateOrCancelRests);
        let rests = kind == OrderKind::Limit && !is_immediate;
        if rests {
            let amount = hold(&self.symbol.grid, side, self.place.price, left, self.market.fees.worst());
            return Fate::Booked(Reserve { amount: amount.expect("less than the whole order"), ..reserve });
        }
        Fate::Cancelled { reason: CancelReason::ImmediateOrCancelWouldPost, executes: true }
    }

    /// Whether what the fills leave of the money buys nothing more, at the best price left or at the last one paid.
    fn is_spent(&self, fills: &[Fill]) -> bool {
        let Some(price) = self.next_price(fills).or_else(|| fills.last().map(|fill| fill.price)) else {
            return false;
        };
        let left = self.place.spend - self.cost(fills).unwrap_or(self.place.spend);
        self.symbol.grid.qty_for(left, price, self.market.fees.taker) == Qty::ZERO
    }

    /// The best price that the planned fills leave on the other side.
    fn next_price(&self, fills: &[Fill]) -> Option<Price> {
        let ladder = self.book.side(self.place.side.opposite());
        let Some(last) = fills.last() else { return ladder.best() };
        if last.qty < self.market.pit.orders.get(last.maker).remaining {
            return Some(last.price);
        }
        if self.market.pit.orders.has_younger(last.maker) {
            Some(last.price)
        } else {
            ladder.worse_than(last.price)
        }
    }

    /// Whether orders that the limit accepts are left, but lie beyond the collar.
    fn collar_stopped(&self, fills: &[Fill]) -> bool {
        let side = self.place.side;
        let ladder = self.book.side(side.opposite());
        let Some(next) = self.next_price(fills) else { return false };
        let wanted = self.limit().is_none_or(|limit| ladder.reaches(next, limit));
        wanted && collar::worst_price(self.book, side).is_some_and(|worst| !ladder.reaches(next, worst))
    }

    /// Whether an opposite order of the same account lies within the order's limit, or, without a limit, within
    /// what it would reach (ORD-050, D-23).
    fn meets_itself(&self, fills: &[Fill]) -> bool {
        let side = self.place.side;
        let account = self.owner.account;
        if self.market.pit.orders.count(account, side.opposite()) == 0 || planted(Bug::SelfCrossAllowed) {
            return false;
        }
        let Some(reach) = self.limit().or_else(|| fills.last().map(|fill| fill.price)) else { return false };
        if !crosses(self.book, side, reach) {
            return false;
        }
        let ladder = self.book.side(side.opposite());
        self.market.pit.orders.in_any_order(account).any(|(_, own)| {
            own.side == side.opposite() && own.symbol == self.place.symbol && ladder.reaches(own.price, reach)
        })
    }

    /// What a buyer pays for the fills; `None` beyond the range of money.
    fn cost(&self, fills: &[Fill]) -> Option<Money> {
        let rate = self.market.fees.taker;
        fills.iter().try_fold(Money::ZERO, |sum, fill| {
            sum.checked_add(hold(&self.symbol.grid, Side::Buy, fill.price, fill.qty, rate)?)
        })
    }

    /// A buyer must afford fills and rest to the last quantum: the fees of several fills may round up more often
    /// than that of the whole.
    fn check_cost(&self, fills: &[Fill], fate: Fate) -> Result<(), Reject> {
        if self.place.side == Side::Sell || planted(Bug::CostUnchecked) {
            return Ok(());
        }
        // Where fees come out even, fills at the limit or below it and the rest cost no more than the whole was found to.
        if self.place.kind == OrderKind::Limit && self.symbol.grid.has_exact_fees() {
            return Ok(());
        }
        let rest = match fate {
            Fate::Booked(reserve) => reserve.amount,
            Fate::Completed | Fate::Cancelled { .. } => Money::ZERO,
        };
        let needed = self.cost(fills).and_then(|cost| cost.checked_add(rest));
        match needed {
            Some(needed) if needed <= self.available() => Ok(()),
            Some(_) | None => Err(Reject::InsufficientFunds),
        }
    }

    fn emit<E: From<Event>>(&self, fills: &[Fill], fate: Fate, out: &mut Outbox<E>) -> OrderId {
        // An order that names money has the quantity that the money bought.
        let qty = match self.place.kind {
            OrderKind::MarketSpend => filled(fills),
            OrderKind::Limit | OrderKind::Market => self.place.qty,
        };
        let order = entered(self.market, self.owner, self.place, qty, out);
        let id = order.id;
        if let (Fate::Booked(Reserve { held, amount }), []) = (fate, fills) {
            out.push(Event::Rested { order, held, amount });
            return id;
        }
        out.push(Event::Placed(order));
        self.emit_fills(fills, out);
        fate.push(self.market, id, out);
        id
    }

    fn emit_fills<E: From<Event>>(&self, fills: &[Fill], out: &mut Outbox<E>) {
        let grid = &self.symbol.grid;
        // The order itself takes the first number.
        for (trade, fill) in (self.market.next_id + 1..).zip(fills) {
            let maker = self.market.pit.orders.get(fill.maker);
            let [maker_fee, taker_fee] = both_fees(grid, maker, fill.qty, self.market.fees.taker)
                .expect("smaller than what was held, and than the notional");
            let (maker, qty) = (fill.maker, fill.qty);
            out.push(Event::Filled { maker, trade: TradeId(trade), qty, maker_fee, taker_fee });
        }
    }
}

fn filled(fills: &[Fill]) -> Qty {
    fills.iter().map(|fill| fill.qty).sum()
}
