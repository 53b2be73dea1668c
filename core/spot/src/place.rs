//! Placing an order: who may, and with what. What one does that meets the book is told in `incoming`.

use crate::auction::check_open;
use crate::fees::hold;
use crate::incoming::{Fate, Incoming};
use crate::{Event, Market, Planner};
use buttonwood_book::{Book, NewOrder};
use buttonwood_model::{
    AccountId, ClientId, ExecutionOption, Held, OrderId, OrderKind, Outbox, SessionId, Side, Symbol,
    SymbolId, SymbolStatus,
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
}

/// Orders that one order trades with at most: so no command keeps the others waiting for long (some tens of milliseconds), or
/// outgrows a batch of the journal.
pub const FILLS_MAX: usize = 10_000;

/// Live orders that an account has at most: so to list or to cancel them all is a step of a bounded size too.
pub const ORDERS_MAX: u32 = 10_000;

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
    let is_plain = is_plain(&market, symbol, place);
    if is_plain && !crosses(market.pit.orders.book(place.symbol), place.side, place.price) {
        let needed = hold(&symbol.grid, place.side, place.price, place.qty, market.fees.worst());
        let Reserve { held, amount } = afford(market, symbol, owner.account, place.side, needed)?;
        check_count(market, owner.account)?;
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
fn is_plain(market: &Market<'_>, symbol: &Symbol, place: &Place) -> bool {
    place.kind == OrderKind::Limit
        && matches!(place.option, None | Some(ExecutionOption::MakerOrCancel))
        && place.price != Price::default()
        && place.qty >= symbol.qty_min
        && symbol.status == SymbolStatus::Open
        && symbol.closed_to.is_empty()
        // Else it may meet an order of its own account in an auction.
        && !market.pit.orders.any_waits()
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
    let for_auction = place.option == Some(ExecutionOption::AuctionOnly);
    if for_auction {
        check_open(*market, place.symbol)?;
    }
    if !is_plain {
        check_shape(symbol, place)?;
        check_status(symbol, book, place)?;
    }
    let reserve = reserve(*market, symbol, owner.account, place)?;
    let order = Incoming { market: *market, owner, place, symbol, book };
    let meets_none = place.kind == OrderKind::Limit && !crosses(book, place.side, place.price);
    if for_auction || (!is_plain && meets_none) {
        let fate = order.fate_unmet(reserve);
        if matches!(fate, Fate::Booked(_)) {
            check_count(*market, owner.account)?;
        }
        return Ok(order.emit(&[], fate, out));
    }
    order.meet(reserve, planner, out)
}

/// An order of `qty` that enters under the next id.
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
pub(crate) fn entered<E>(
    market: Market<'_>,
    owner: Owner,
    place: &Place,
    qty: Qty,
    out: &mut Outbox<E>,
) -> NewOrder {
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

/// Whether the account may have one more order on the books.
#[inline]
pub(crate) fn check_count(market: Market<'_>, account: AccountId) -> Result<(), Reject> {
    if market.pit.orders.count_of(account) < ORDERS_MAX { Ok(()) } else { Err(Reject::TooManyOrders) }
}

/// What an order on the book reserves, and of which balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reserve {
    pub(crate) held: Held,
    pub(crate) amount: Money,
}

/// Checks what needs no book and no balance.
fn check_shape(symbol: &Symbol, place: &Place) -> Result<(), Reject> {
    let waits = place.option == Some(ExecutionOption::AuctionOnly);
    match place.kind {
        OrderKind::Limit if place.price == Price::default() => Err(Reject::NoPrice),
        // Only a limit says what it would take in an auction, and what it reserves until then.
        OrderKind::Market | OrderKind::MarketSpend if waits => Err(Reject::NoPrice),
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
