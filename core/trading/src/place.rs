//! Placing an order: the command and its checks. `incoming` decides the fills and the fate of the order.

use crate::auction::check_open;
use crate::desk::{Terms, Unmet};
use crate::incoming::{Fate, Incoming};
use crate::stop::{self, StopError};
use crate::{Desks, Event, Market, Planner};
use buttonwood_book::Book;
use buttonwood_model::{
    AccountId, Claim, ClientId, ExecutionOption, OrderId, OrderKind, Outbox, Product, SessionId, Side,
    Symbol, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Money, Price, Qty};
use serde::{Deserialize, Serialize};

/// The command: place one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The symbol.
    pub symbol: SymbolId,
    /// The side of the book.
    pub side: Side,
    /// The outcome that it concerns; [`Claim::Yes`] for products without outcomes.
    pub claim: Claim,
    /// Limit or market.
    pub kind: OrderKind,
    /// Execution option.
    pub option: Option<ExecutionOption>,
    /// Limit; zero for market orders.
    pub price: Price,
    /// Base quantity; zero for a market buy that names money to spend.
    pub qty: Qty,
    /// Quote currency to spend, fee included; zero for all other orders.
    pub spend: Money,
    /// Client order id.
    pub client_id: Option<ClientId>,
    /// The price of a trade that makes the order enter; zero but for a stop-limit order.
    pub stop: Price,
    /// Whether the account trades on credit. An order stores this as its desk.
    pub margin: bool,
}

impl Place {
    /// A limit order of an account's own money for outcome Yes, without an execution option and a client order id. Struct update makes
    /// other orders of it.
    pub const fn limit(symbol: SymbolId, side: Side, price: Price, qty: Qty) -> Self {
        Self {
            symbol,
            side,
            claim: Claim::Yes,
            kind: OrderKind::Limit,
            option: None,
            price,
            qty,
            spend: Money::ZERO,
            client_id: None,
            stop: Price::from_ticks(0),
            margin: false,
        }
    }

    /// An order of the exchange for an account: it trades at once, at the limit or better, and its rest is cancelled. `margin` says whether
    /// the account trades on credit.
    pub const fn at_once(symbol: SymbolId, side: Side, (price, qty): (Price, Qty), margin: bool) -> Self {
        let option = Some(ExecutionOption::ImmediateOrCancel);
        Self { option, margin, ..Self::limit(symbol, side, price, qty) }
    }
}

/// The account and the key that place an order.
#[derive(Clone, Copy, Debug)]
pub struct Placer {
    /// The account.
    pub account: AccountId,
    /// The key that placed it.
    pub session: SessionId,
}

impl Placer {
    /// The exchange itself, for an account: without a session, and without the limit on live orders. Such an
    /// order does not trade with the account's own orders either, so an earlier command must cancel them.
    pub const fn exchange(account: AccountId) -> Self {
        Self { account, session: SessionId::EXCHANGE }
    }
}

/// Why an order is refused. The variants are in the order of the checks (D-05).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject<R> {
    /// Not listed, or closed to the account's jurisdiction (SYM-005).
    InvalidSymbol,
    /// It is auction-only, and the symbol has no auction (AUCT-002).
    NoAuctions,
    /// It is auction-only, and the next auction does not take orders yet.
    AuctionNotOpen {
        /// When it takes orders.
        opening: Time,
    },
    /// It is a limit order without a price (ORD-026), or auction-only and not a limit order.
    NoPrice,
    /// Only a buy can name money to spend (ORD-044).
    SpendIsForBuys,
    /// Below the symbol's minimum (SYM-009), or a spend that buys nothing.
    BelowMinimum,
    /// The symbol is closed (SYM-024).
    MarketClosed,
    /// The symbol's status does not take this order (SYM-025 to SYM-027).
    MarketNotOpen(SymbolStatus),
    /// Its stop price does not fit the order.
    Stop(StopError),
    /// The account has too little available (ORD-049).
    InsufficientFunds {
        /// What the order costs or reserves, the fee included.
        needed: Money,
        /// What the account had available of that currency.
        available: Money,
    },
    /// The account's funds do not bear it, and no amount says what is missing: sums of risk decide, or it is beyond the range of money.
    BeyondFunds,
    /// It would trade with more than [`FILLS_MAX`] orders at once.
    TooManyFills,
    /// It would rest, and the account has [`ORDERS_MAX`] live orders.
    TooManyOrders,
    /// Its desk refuses it.
    Desk(R),
}

impl<R> From<Unmet<R>> for Reject<R> {
    #[inline]
    fn from(unmet: Unmet<R>) -> Self {
        match unmet {
            Unmet::Funds { needed, available } => Self::InsufficientFunds { needed, available },
            Unmet::Beyond => Self::BeyondFunds,
            Unmet::Other(refusal) => Self::Desk(refusal),
        }
    }
}

/// The most orders that one order trades with. The limit keeps a command from delaying others for more than
/// some tens of milliseconds, and from outgrowing a batch of the journal.
pub const FILLS_MAX: usize = 10_000;

/// The most live orders of an account. The limit bounds a command that cancels them all and a query that
/// lists them.
pub const ORDERS_MAX: u32 = 10_000;

/// Decides one order: refuses it, or appends its events to `out` and returns its id. `home` returns the
/// jurisdiction of the account's owner (D-16); it is called only for symbols that are closed to some
/// jurisdiction.
///
/// # Errors
/// [`Reject`]; no event was appended.
#[inline]
pub fn decide<'a, D: Desks, E: From<Event>>(
    market: Market<'a, D>,
    placer: Placer,
    home: impl FnOnce() -> &'a str,
    place: &Place,
    planner: &mut Planner<D::Plan>,
    out: &mut Outbox<E>,
) -> Result<OrderId, Reject<D::Refusal>> {
    decide_observed(market, placer, home, place, planner, out, |_| {})
}

/// Decides one order as [`decide`] does, and passes it to `observe` once it is at its desk. The rest of the checks follows.
///
/// The order is passed on, and not returned: a result that carried it would be copied on the path of every order.
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
pub(crate) fn decide_observed<'a, 'h, D: Desks, E: From<Event>>(
    market: Market<'a, D>,
    placer: Placer,
    home: impl FnOnce() -> &'h str,
    place: &'a Place,
    planner: &mut Planner<D::Plan>,
    out: &mut Outbox<E>,
    observe: impl FnOnce(&Incoming<'a, D>),
) -> Result<OrderId, Reject<D::Refusal>> {
    let symbol = market.symbol(place.symbol).ok_or(Reject::InvalidSymbol)?;
    // The fast path. Most orders are limit orders that meet no other order, on an open symbol, and rest.
    let is_plain = is_plain(&market, symbol, place);
    if is_plain && !crosses(market.floor.orders.book(place.symbol), place.side, place.price) {
        // The desk first: an order that a result carried would be copied.
        let desk = market.desks.desk(symbol, placer.account, place.margin).map_err(Reject::Desk)?;
        let order = Incoming::at_desk(desk, market, placer, place, symbol);
        observe(&order);
        check_value(&order.terms, place)?;
        let reserve = market.desks.reserve(&order.terms)?;
        check_count(market, placer)?;
        return Ok(order.emit_rest(reserve, out));
    }
    if !symbol.closed_to.is_empty() && is_closed_to(symbol, home()) {
        return Err(Reject::InvalidSymbol);
    }
    let desk = market.desks.desk(symbol, placer.account, place.margin).map_err(Reject::Desk)?;
    let mut order = Incoming::at_desk(desk, market, placer, place, symbol);
    observe(&order);
    decide_in_full(&mut order, is_plain, planner, out)
}

/// Whether only funds, the limit on live orders and the desk can refuse the order, and it rests if it meets
/// no other order.
#[inline]
fn is_plain<D>(market: &Market<'_, D>, symbol: &Symbol, place: &Place) -> bool {
    place.kind == OrderKind::Limit
        && matches!(place.option, None | Some(ExecutionOption::MakerOrCancel))
        && place.price != Price::default()
        && place.qty >= symbol.qty_min
        && symbol.status == SymbolStatus::Open
        && symbol.closed_to.is_empty()
        // An auction-only order of the same account might meet it in an auction.
        && !market.floor.orders.any_waits()
}

/// All other orders, on symbols that are not closed to the account. A plain order is known to meet another.
#[inline(never)]
fn decide_in_full<D: Desks, E: From<Event>>(
    order: &mut Incoming<'_, D>,
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
        check_shape(market, symbol, placer, place)?;
        check_status(symbol, book, place)?;
    }
    let is_apart = for_auction || place.kind == OrderKind::StopLimit;
    let crosses = place.kind != OrderKind::Limit || crosses(book, place.side, place.price);
    order.terms.meets = !is_apart && crosses;
    check_value(&order.terms, place)?;
    let is_immediate =
        matches!(place.option, Some(ExecutionOption::ImmediateOrCancel | ExecutionOption::FillOrKill));
    order.terms.rests = !is_immediate;
    let reserve = market.desks.reserve(&order.terms)?;
    if place.kind == OrderKind::StopLimit {
        check_count(market, placer)?;
        return Ok(order.emit_untriggered(reserve, out));
    }
    if !order.terms.meets {
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

/// Refuses an order that would rest when the account has [`ORDERS_MAX`] live orders; the exchange's own
/// orders have no such limit.
#[inline]
pub(crate) fn check_count<D, R>(market: Market<'_, D>, placer: Placer) -> Result<(), Reject<R>> {
    let Placer { account, session } = placer;
    if market.floor.orders.count_of(account) < ORDERS_MAX || session == SessionId::EXCHANGE {
        Ok(())
    } else {
        Err(Reject::TooManyOrders)
    }
}

/// Refuses an order whose price × quantity, with its highest fee, is beyond the range of money (D-183). Every room counts this product;
/// a cash buy reserves it, so its desk refuses it by itself.
#[inline]
pub(crate) fn check_value<R>(terms: &Terms<'_>, place: &Place) -> Result<(), Reject<R>> {
    let is_cash_buy = place.side == Side::Buy && terms.symbol.product == Product::Spot && !place.margin;
    if is_cash_buy || terms.symbol.grid.cost(terms.price, terms.qty, terms.rates.worst()).is_some() {
        Ok(())
    } else {
        Err(Reject::BeyondFunds)
    }
}

/// The checks that need neither book nor balance.
fn check_shape<D: Desks>(
    market: Market<'_, D>,
    symbol: &Symbol,
    placer: Placer,
    place: &Place,
) -> Result<(), Reject<D::Refusal>> {
    // A position may be smaller than the smallest order, and the exchange closes it all the same.
    let is_small = place.qty < symbol.qty_min && placer.session != SessionId::EXCHANGE;
    let waits = place.option == Some(ExecutionOption::AuctionOnly);
    match place.kind {
        OrderKind::Limit | OrderKind::StopLimit if place.price == Price::default() => Err(Reject::NoPrice),
        // Without a limit, an order has no price to take part in an auction at, and no amount to reserve
        // until then.
        OrderKind::Market | OrderKind::MarketSpend if waits => Err(Reject::NoPrice),
        OrderKind::MarketSpend if place.side == Side::Sell => Err(Reject::SpendIsForBuys),
        OrderKind::Limit | OrderKind::Market | OrderKind::StopLimit if is_small => Err(Reject::BelowMinimum),
        OrderKind::StopLimit => {
            let (rule, last) = (market.desks.rules(symbol).stops, market.floor.orders.last(place.symbol));
            stop::check(place, rule, last).map_err(Reject::Stop)
        }
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
        SymbolStatus::LimitOnly => matches!(place.kind, OrderKind::Limit | OrderKind::StopLimit),
    };
    if taken { Ok(()) } else { Err(Reject::MarketNotOpen(symbol.status)) }
}

pub(crate) fn crosses(book: &Book, side: Side, limit: Price) -> bool {
    book.side(side.opposite()).meets(limit)
}
