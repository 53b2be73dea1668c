//! Placing an order: who may, and with what. `incoming` decides what an order does that meets the book.

use crate::auction::check_open;
use crate::desk::Unmet;
use crate::incoming::{Fate, Incoming};
use crate::{Desks, Event, Market, Planner};
use buttonwood_book::Book;
use buttonwood_model::{
    AccountId, Claim, ClientId, ExecutionOption, OrderId, OrderKind, Outbox, SessionId, Side, Symbol,
    SymbolId, SymbolStatus,
};
use buttonwood_num::{Money, Price, Qty};
use serde::{Deserialize, Serialize};

/// The command: place one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// What to trade.
    pub symbol: SymbolId,
    /// Which side of the book it is for.
    pub side: Side,
    /// Which outcome it is about; [`Claim::Yes`] where a product has no outcomes.
    pub claim: Claim,
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
pub struct Placer {
    /// The account that pays.
    pub account: AccountId,
    /// The key that placed it.
    pub session: SessionId,
}

impl Placer {
    /// The exchange itself, for an account: without a session, and without a limit on how many orders the account has. Such an
    /// order does not trade with the account's own either, so they are cancelled by a command before it.
    pub const fn exchange(account: AccountId) -> Self {
        Self { account, session: SessionId::EXCHANGE }
    }
}

/// Why an order does not enter. The order of the variants is the order of the checks (D-05).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject<R> {
    /// Not listed, or closed to the account's jurisdiction (SYM-005).
    InvalidSymbol,
    /// It is for an auction, and the symbol has none (AUCT-002).
    NoAuctions,
    /// It is for an auction that does not take orders yet.
    AuctionNotOpen,
    /// A limit order without a price (ORD-026), or one for an auction that is no limit order.
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
    /// It would trade with more than [`FILLS_MAX`] orders at once.
    TooManyFills,
    /// It would rest, and the account has [`ORDERS_MAX`] live orders.
    TooManyOrders,
    /// Its desk does not take it.
    Desk(R),
}

impl<R> From<Unmet<R>> for Reject<R> {
    #[inline]
    fn from(unmet: Unmet<R>) -> Self {
        match unmet {
            Unmet::Funds => Self::InsufficientFunds,
            Unmet::Other(refusal) => Self::Desk(refusal),
        }
    }
}

/// Orders that one order trades with at most: so no command keeps the others waiting for long (some tens of milliseconds), or
/// outgrows a batch of the journal.
pub const FILLS_MAX: usize = 10_000;

/// Live orders that an account has at most: so to list or to cancel them all is a step of a bounded size too.
pub const ORDERS_MAX: u32 = 10_000;

/// Decides one order. Refuses, or writes what happens to `out` and returns the order's id. `home` says where the account's
/// owner lives (D-16); it is called only for symbols that are closed to some jurisdiction.
///
/// # Errors
/// [`Reject`]; nothing is written then.
#[inline]
pub fn decide<'a, D: Desks, E: From<Event>>(
    market: Market<'a, D>,
    placer: Placer,
    home: impl FnOnce() -> &'a str,
    place: &Place,
    planner: &mut Planner<D::Plan>,
    out: &mut Outbox<E>,
) -> Result<OrderId, Reject<D::Refusal>> {
    let symbol = market.symbol(place.symbol).ok_or(Reject::InvalidSymbol)?;
    // Most orders rest: limit orders that meet nothing, on a symbol that takes all. What only others need is apart.
    let is_plain = is_plain(&market, symbol, place);
    if is_plain && !crosses(market.floor.orders.book(place.symbol), place.side, place.price) {
        let order = Incoming::new(market, placer, place, symbol);
        let reserve = market.desks.reserve(&order.terms)?;
        check_count(market, placer)?;
        return Ok(order.emit_rest(reserve, out));
    }
    if !symbol.closed_to.is_empty() && is_closed_to(symbol, home()) {
        return Err(Reject::InvalidSymbol);
    }
    decide_in_full(&Incoming::new(market, placer, place, symbol), is_plain, planner, out)
}

/// Whether an order could only be refused by its desk, and rests if it meets nothing.
#[inline]
fn is_plain<D>(market: &Market<'_, D>, symbol: &Symbol, place: &Place) -> bool {
    place.kind == OrderKind::Limit
        && matches!(place.option, None | Some(ExecutionOption::MakerOrCancel))
        && place.price != Price::default()
        && place.qty >= symbol.qty_min
        && symbol.status == SymbolStatus::Open
        && symbol.closed_to.is_empty()
        // Else it may meet an order of its own account in an auction.
        && !market.floor.orders.any_waits()
}

/// Every other order, of a symbol that is not closed to the account. A plain one is known to meet something.
#[inline(never)]
fn decide_in_full<D: Desks, E: From<Event>>(
    order: &Incoming<'_, D>,
    is_plain: bool,
    planner: &mut Planner<D::Plan>,
    out: &mut Outbox<E>,
) -> Result<OrderId, Reject<D::Refusal>> {
    let Incoming { market, place, placer, .. } = *order;
    let (symbol, book) = (order.terms.symbol, order.book());
    let for_auction = place.option == Some(ExecutionOption::AuctionOnly);
    if for_auction {
        check_open(market, place.symbol)?;
    }
    if !is_plain {
        check_shape(symbol, place)?;
        check_status(symbol, book, place)?;
    }
    let reserve = market.desks.reserve(&order.terms)?;
    let meets_none = place.kind == OrderKind::Limit && !crosses(book, place.side, place.price);
    if for_auction || (!is_plain && meets_none) {
        let fate = order.fate_unmet(reserve);
        if matches!(fate, Fate::Booked(_)) {
            check_count(market, placer)?;
        }
        return Ok(order.emit(&[], fate, out));
    }
    order.meet(reserve, planner, out)
}

#[cold]
fn is_closed_to(symbol: &Symbol, home: &str) -> bool {
    symbol.closed_to.iter().any(|closed| closed == home)
}

/// Whether the account may have one more order on the books.
#[inline]
pub(crate) fn check_count<D, R>(market: Market<'_, D>, placer: Placer) -> Result<(), Reject<R>> {
    let Placer { account, session } = placer;
    if market.floor.orders.count_of(account) < ORDERS_MAX || session == SessionId::EXCHANGE {
        Ok(())
    } else {
        Err(Reject::TooManyOrders)
    }
}

/// Checks what needs no book and no balance.
fn check_shape<R>(symbol: &Symbol, place: &Place) -> Result<(), Reject<R>> {
    let waits = place.option == Some(ExecutionOption::AuctionOnly);
    match place.kind {
        OrderKind::Limit if place.price == Price::default() => Err(Reject::NoPrice),
        // Only a limit says what it would take in an auction, and what it reserves until then.
        OrderKind::Market | OrderKind::MarketSpend if waits => Err(Reject::NoPrice),
        OrderKind::MarketSpend if place.side == Side::Sell => Err(Reject::SpendIsForBuys),
        OrderKind::Limit | OrderKind::Market if place.qty < symbol.qty_min => Err(Reject::BelowMinimum),
        OrderKind::Limit | OrderKind::Market | OrderKind::MarketSpend => Ok(()),
    }
}

fn check_status<R>(symbol: &Symbol, book: &Book, place: &Place) -> Result<(), Reject<R>> {
    let taken = match symbol.status {
        SymbolStatus::Open => true,
        SymbolStatus::Closed => return Err(Reject::MarketClosed),
        SymbolStatus::CancelOnly => false,
        SymbolStatus::PostOnly => {
            place.option == Some(ExecutionOption::MakerOrCancel)
                || place.option == Some(ExecutionOption::AuctionOnly)
                || (place.kind == OrderKind::Limit && !crosses(book, place.side, place.price))
        }
        SymbolStatus::LimitOnly => place.kind == OrderKind::Limit,
    };
    if taken { Ok(()) } else { Err(Reject::MarketNotOpen(symbol.status)) }
}

pub(crate) fn crosses(book: &Book, side: Side, limit: Price) -> bool {
    book.side(side.opposite()).meets(limit)
}
