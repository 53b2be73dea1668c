//! The commands of the trading floor, and its infrequent events.

use crate::cancel::{OrderRef, Withdrawn};
use crate::fee_change::{self, FeeChange, FeeTiers, Promotion};
use crate::place::Place;
use crate::{
    Break, BreakError, Decided, Desks, Event, Floor, Market, Reference, RefusedDraft, RefusedOrder, auction,
    broken, connections, place, status,
};
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_auction::{Auctions, Finding, Schedule, ScheduleError};
use buttonwood_model::{
    AccountId, BytesRef, CancelReason, ConnectionId, Day, Due, OrderId, Outbox, Phase, Rank, Right, Role,
    Roles, Scope, Scopes, SessionId, Symbol, SymbolId, SymbolStatus, Time, TradeId, commands, named,
};
use buttonwood_num::Money;

/// The most symbols that can be listed.
pub const SYMBOLS_MAX: usize = 10_000;

/// A command of the trading floor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Place an order.
    Place(Place),
    /// Cancel an order.
    Cancel(OrderRef),
    /// Cancel the calling session's orders (ORD-060).
    CancelSession,
    /// Cancel the account's orders (ORD-063).
    CancelAll,
    /// A session with Require Heartbeat fell silent: cancel its orders (SES-010).
    ExpireSession(SessionId),
    /// An operator cancels the orders of an account, of a symbol, or of an account on a symbol; with an id, only orders up to this one.
    CancelOrders(Option<AccountId>, Option<SymbolId>, Option<OrderId>),
    /// Change a symbol's status.
    SetSymbolStatus(SymbolId, SymbolStatus),
    /// Set the schedule of a symbol's auctions; none ends them and cancels the orders that wait for one.
    ScheduleAuctions(SymbolId, Option<Schedule>),
    /// A trade has reached the order's stop price: it enters.
    Trigger(OrderId),
    /// Run what is due of a symbol's auctions: open the next one, publish an indicative price, find the auction's price, or
    /// continue its settlement.
    Auction(SymbolId),
    /// List a symbol. An `Arc`, not a `Box`, since dropping a command without heap data is then cheaper.
    ListSymbol(Arc<Symbol>),
    /// Set a fee schedule.
    SetFees(FeeChange),
    /// Set a product's tiers.
    SetFeeTiers(Arc<FeeTiers>),
    /// Set what is under a fee promotion.
    SetPromotion(Arc<Promotion>),
    /// A UTC day ended: compute every account's volume of the 30 days before (VOL-004).
    CloseDay,
    /// Break a trade.
    BreakTrade(Arc<Break>),
    /// Report an order that a rule refuses before it reaches the floor: off the symbol's grid, for example. It is refused as
    /// [`Reject::Refused`], and takes an id (D-147).
    Refuse(Arc<RefusedDraft>),
    /// Open a connection whose end cancels its orders, for the calling session and its account.
    OpenConnection,
    /// Place an order over an open connection of the calling session. A change of [`Place`] is a new version of this record too.
    PlaceOver(ConnectionId, Arc<Place>),
    /// A connection has ended: cancel its orders (D-150).
    CloseConnection(ConnectionId),
}

commands!(Command, "trading", {
    Place { 0: place } = "place" 3: client(Self::RIGHT) trades,
    Cancel { 0: order } = "cancel" 1: client(Self::RIGHT) reduces,
    CancelSession {} = "cancel_session" 1: client(Self::RIGHT) reduces,
    CancelAll {} = "cancel_all" 1: client(Self::RIGHT) reduces,
    ExpireSession { 0: session } = "expire_session" 1: anytime reduces,
    CancelOrders { 0: account, 1: symbol, 2: last } = "cancel_orders" 2: anytime reduces,
    SetSymbolStatus { 0: symbol, 1: status } = "set_symbol_status" 1: anytime neither,
    ScheduleAuctions { 0: symbol, 1: schedule } = "schedule_auctions" 1: anytime neither,
    Trigger { 0: order } = "trigger" 1: anytime neither,
    Auction { 0: symbol } = "auction" 1: anytime neither,
    ListSymbol { 0: symbol } = "list_symbol" 1: exchange neither,
    SetFees { 0: change } = "set_fees" 1: exchange neither,
    SetFeeTiers { 0: tiers } = "set_fee_tiers" 1: exchange neither,
    SetPromotion { 0: promotion } = "set_promotion" 1: exchange neither,
    CloseDay {} = "close_day" 1: anytime neither,
    BreakTrade { 0: broken } = "break_trade" 2: anytime neither,
    Refuse { 0: draft } = "refuse" 1: client(Self::RIGHT) trades,
    OpenConnection {} = "open_connection" 1: client(Self::RIGHT) neither,
    PlaceOver { 0: connection, 1: place } = "place_over" 1: client(Self::RIGHT) trades,
    CloseConnection { 0: connection } = "close_connection" 1: anytime reduces,
});

impl Command {
    /// The rights that a client needs to place and cancel orders.
    pub const RIGHT: Right =
        Right { roles: Roles::of(&[Role::Trader]), scopes: Scopes::of(&[Scope::OrdersCreate]) };

    /// The effect of the command on each order, for a caller that cancelled many (ORD-060, ORD-063).
    pub fn withdrawn<'a>(&self, events: impl IntoIterator<Item = &'a Event>) -> Withdrawn {
        let is_answered = matches!(self, Self::CancelSession | Self::CancelAll);
        if is_answered { Withdrawn::of(events) } else { Withdrawn::default() }
    }
}

/// The answer to a command of the trading floor; [`Decided`] only refers to the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<O = Decided> {
    /// The order that was placed or cancelled.
    Order(O),
    /// The account has no such live order; the history knows whether it is closed or unknown (ORD-057).
    NotLive,
    /// The connection that was opened.
    Connection(ConnectionId),
}

impl<O> Answer<O> {
    /// The order.
    pub fn order(&self) -> Option<&O> {
        if let Self::Order(order) = self { Some(order) } else { None }
    }

    /// The connection.
    pub fn connection(&self) -> Option<ConnectionId> {
        if let Self::Connection(connection) = self { Some(*connection) } else { None }
    }

    /// The same with the order in another form.
    pub fn map<P>(self, form: impl FnOnce(O) -> P) -> Answer<P> {
        match self {
            Self::Order(order) => Answer::Order(form(order)),
            Self::NotLive => Answer::NotLive,
            Self::Connection(connection) => Answer::Connection(connection),
        }
    }
}

/// Why a command of the trading floor is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject<R> {
    /// The order is refused.
    Place(place::Reject<R>),
    /// No such symbol, or one that its product cannot settle.
    Unknown,
    /// The name is taken.
    Taken,
    /// [`SYMBOLS_MAX`] symbols are listed.
    TooMany,
    /// The symbol's product or its auction does not allow it now, or nothing is due.
    NotNow,
    /// The schedule of auctions is invalid.
    Schedule(ScheduleError),
    /// Fee rates or tiers are not valid, or the table of rates is full.
    BadFees,
    /// The trade cannot be broken.
    Break(BreakError),
    /// The caller had refused the order, and it is reported now.
    Refused,
    /// The connection is not open, or another session's.
    NoConnection,
}

/// An infrequent event of the trading floor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infrequent {
    /// A symbol's status changed.
    SymbolStatusChanged(SymbolId, SymbolStatus),
    /// A symbol was listed.
    SymbolListed(Symbol),
    /// A contract of the prediction markets can be traded from now on.
    ContractListed(Symbol),
    /// The schedule of a symbol's auctions was set; none ended them.
    AuctionsScheduled(SymbolId, Option<Schedule>),
    /// The indicative price of a symbol's next auction was published.
    AuctionIndicated(SymbolId, Finding),
    /// A symbol's auction found its price, or none; orders with lower ids than this one take part.
    AuctionCut(SymbolId, Finding, OrderId),
    /// A symbol's auction is settled completely; the quantity of the finding is what traded.
    AuctionEnded(SymbolId, Finding),
    /// A fee schedule came into force.
    FeesChanged(FeeChange),
    /// The tiers of a product came into force.
    FeeTiersChanged(FeeTiers),
    /// Other symbols are under promotion, or at other rates.
    PromotionChanged(Promotion),
    /// Volumes were computed as of the midnight with which this day begins.
    DayClosed(Day),
    /// A trade was broken.
    TradeBroken(Break),
    /// The symbol's auction with this number takes orders from now on.
    AuctionOpened(SymbolId, u64),
    /// A rule refused an order. It has no other event.
    OrderRefused(RefusedOrder),
    /// A session opened a connection for an account; its end cancels its orders.
    ConnectionOpened(ConnectionId, SessionId, AccountId),
    /// An order that lives now was placed over a connection.
    OrderTied(ConnectionId, OrderId),
    /// A connection ended, after its orders were cancelled.
    ConnectionClosed(ConnectionId),
    /// References were taken, by which trades count in volumes from now on. It stands before the first trade of its command.
    ReferencesTaken(Vec<Reference>),
    /// The order that enters next names this much money to spend.
    OrderSpends(OrderId, Money),
}

named!(Infrequent, "trading", {
    SymbolStatusChanged { 0: symbol, 1: status } = "symbol_status_changed" 1,
    SymbolListed { 0: symbol } = "symbol_listed" 1,
    ContractListed { 0: symbol } = "contract_listed" 1,
    AuctionsScheduled { 0: symbol, 1: schedule } = "auctions_scheduled" 1,
    AuctionIndicated { 0: symbol, 1: finding } = "auction_indicated" 1,
    AuctionCut { 0: symbol, 1: finding, 2: before } = "auction_cut" 1,
    AuctionEnded { 0: symbol, 1: finding } = "auction_ended" 1,
    FeesChanged { 0: change } = "fees_changed" 1,
    FeeTiersChanged { 0: tiers } = "fee_tiers_changed" 1,
    PromotionChanged { 0: promotion } = "promotion_changed" 1,
    DayClosed { 0: day } = "day_closed" 1,
    TradeBroken { 0: broken } = "trade_broken" 2,
    AuctionOpened { 0: symbol, 1: number } = "auction_opened" 1,
    OrderRefused { 0: order } = "order_refused" 1,
    ConnectionOpened { 0: connection, 1: session, 2: account } = "connection_opened" 1,
    OrderTied { 0: connection, 1: order } = "order_tied" 1,
    ConnectionClosed { 0: connection } = "connection_closed" 1,
    ReferencesTaken { 0: references } = "references_taken" 1,
    OrderSpends { 0: order, 1: amount } = "order_spends" 1,
});

/// Decides a command of the exchange itself or of an operator. The engine decides [`Command::ExpireSession`]
/// and [`Command::CancelOrders`], since the floor does not know who has which account.
///
/// # Errors
/// [`Reject`]; the caller removes the events that were written by then.
pub fn decide<D: Desks, E: From<Event> + From<BytesRef>>(
    market: Market<'_, D>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<(), Reject<D::Refusal>> {
    match command {
        Command::SetSymbolStatus(symbol, to) => set_status(market, *symbol, *to, out),
        Command::ScheduleAuctions(symbol, schedule) => schedule_auctions(market, *symbol, *schedule, out),
        Command::Auction(symbol) => {
            if auction::decide(market, *symbol, out) {
                Ok(())
            } else {
                Err(Reject::NotNow)
            }
        }
        Command::ListSymbol(symbol) => list_symbol(market, symbol, out),
        Command::SetFees(change) => fee_change::set_fees(market, *change, out),
        Command::SetFeeTiers(tiers) => fee_change::set_tiers(market, tiers, out),
        Command::SetPromotion(promotion) => fee_change::set_promotion(market, promotion, out),
        Command::CloseDay => close_day(market, out),
        Command::BreakTrade(broken) => broken::decide(market, broken, out).map_err(Reject::Break),
        Command::CloseConnection(connection) => connections::close(market, *connection, out),
        Command::Place(_)
        | Command::Cancel(_)
        | Command::CancelSession
        | Command::CancelAll
        | Command::Trigger(_)
        | Command::ExpireSession(_)
        | Command::CancelOrders(..)
        | Command::Refuse(_)
        | Command::OpenConnection
        | Command::PlaceOver(..) => Err(Reject::Unknown),
    }
}

fn set_status<D: Desks, E: From<Event> + From<BytesRef>>(
    market: Market<'_, D>,
    symbol: SymbolId,
    to: SymbolStatus,
    out: &mut Outbox<E>,
) -> Result<(), Reject<D::Refusal>> {
    let listed = market.listed(symbol).ok_or(Reject::Unknown)?;
    check_opens(market, listed, to)?;
    let is_closing = market.floor.closing.contains(&symbol);
    if listed.status != to || is_closing {
        status::decide(market.floor, symbol, to, out);
        out.push_named(&Infrequent::SymbolStatusChanged(symbol, to));
    }
    Ok(())
}

/// Refuses a status that a symbol of this product may not have: where it does not open, it stays closed.
fn check_opens<D: Desks>(
    market: Market<'_, D>,
    symbol: &Symbol,
    status: SymbolStatus,
) -> Result<(), Reject<D::Refusal>> {
    let is_good = status == SymbolStatus::Closed || market.desks.rules(symbol).opens;
    if is_good { Ok(()) } else { Err(Reject::NotNow) }
}

fn schedule_auctions<D: Desks, E: From<Event> + From<BytesRef>>(
    market: Market<'_, D>,
    symbol: SymbolId,
    schedule: Option<Schedule>,
    out: &mut Outbox<E>,
) -> Result<(), Reject<D::Refusal>> {
    let listed = market.symbol(symbol).ok_or(Reject::Unknown)?;
    let auctions = market.floor.auctions.get(&symbol);
    let is_settling = auctions.is_some_and(|auctions| auctions.settling().is_some());
    if !market.desks.rules(listed).auctions || is_settling {
        return Err(Reject::NotNow);
    }
    if let Some(schedule) = schedule {
        schedule.check(market.time).map_err(Reject::Schedule)?;
    } else {
        auction::cancel_waiting(market.floor, symbol, CancelReason::AuctionCancelled, out);
    }
    out.push_named(&Infrequent::AuctionsScheduled(symbol, schedule));
    if schedule.is_some_and(|schedule| schedule.is_open(market.time)) {
        let number = auctions.map_or(1, Auctions::number);
        out.push_named(&Infrequent::AuctionOpened(symbol, number));
    }
    Ok(())
}

fn list_symbol<D: Desks, E: From<BytesRef>>(
    market: Market<'_, D>,
    symbol: &Symbol,
    out: &mut Outbox<E>,
) -> Result<(), Reject<D::Refusal>> {
    if !market.desks.can_settle(symbol) {
        return Err(Reject::Unknown);
    }
    if market.floor.symbols.listed().iter().any(|listed| listed.name == symbol.name) {
        return Err(Reject::Taken);
    }
    if market.floor.symbols.listed().len() >= SYMBOLS_MAX {
        return Err(Reject::TooMany);
    }
    check_opens(market, symbol, symbol.status)?;
    out.push_named(&Infrequent::SymbolListed(symbol.clone()));
    Ok(())
}

fn close_day<D: Desks, E: From<BytesRef>>(
    market: Market<'_, D>,
    out: &mut Outbox<E>,
) -> Result<(), Reject<D::Refusal>> {
    if market.floor.volumes.due().is_none_or(|due| due > market.time) {
        return Err(Reject::NotNow);
    }
    out.push_named(&Infrequent::DayClosed(Day::of(market.time)));
    Ok(())
}

/// Applies an infrequent event.
///
/// # Panics
/// When the event does not follow from the state.
pub fn evolve_infrequent<D: Desks>(
    floor: &mut Floor,
    desks: &mut D,
    time: Time,
    next_id: u64,
    event: Infrequent,
) {
    match event {
        Infrequent::SymbolStatusChanged(symbol, to) => {
            let listed = floor.symbols.get_mut(symbol).expect("the decision found the symbol");
            listed.status = to;
            floor.note_status(symbol);
        }
        Infrequent::SymbolListed(symbol) => floor.symbols.push_listed(symbol),
        Infrequent::ContractListed(symbol) => floor.symbols.push_contract(symbol),
        Infrequent::AuctionsScheduled(symbol, schedule) => {
            let auctions = Auctions::scheduled(floor.auctions.get(&symbol), schedule, time);
            floor.auctions.insert(symbol, auctions);
            floor.note_auctions(symbol);
        }
        Infrequent::AuctionOpened(symbol, number) => floor.auctions_of(symbol).note_opening(number),
        Infrequent::AuctionIndicated(symbol, _) => floor.auctions_of(symbol).note_indication(time),
        Infrequent::AuctionCut(symbol, finding, before) => {
            floor.auctions_of(symbol).note_cut(finding, before);
            floor.settling += 1;
        }
        Infrequent::AuctionEnded(symbol, _) => {
            floor.auctions_of(symbol).note_end(time);
            floor.settling -= 1;
        }
        Infrequent::FeesChanged(FeeChange { product, account, schedule }) => {
            floor.fees.set(product, account, schedule);
        }
        Infrequent::FeeTiersChanged(FeeTiers { product, tiers }) => floor.fees.set_tiers(product, &tiers),
        Infrequent::PromotionChanged(promotion) => floor.fees.promote(&promotion),
        Infrequent::DayClosed(day) => floor.volumes.close(day),
        // The first takes an id, and the engine counts these; both are told alone.
        Infrequent::OrderRefused(_) | Infrequent::OrderSpends(..) => {}
        Infrequent::ConnectionOpened(connection, session, account) => {
            floor.open_connection(connection, session, account);
        }
        Infrequent::OrderTied(connection, order) => floor.tie(connection, order),
        Infrequent::ConnectionClosed(connection) => floor.close_connection(connection),
        Infrequent::TradeBroken(broken) => floor.break_trade(desks, &broken, time, next_id),
        Infrequent::ReferencesTaken(taken) => floor.volumes.references.take(&taken, time),
    }
}

impl Floor {
    /// Drops the books of a symbol that closed, once its last order is cancelled: until then its closing goes on.
    fn note_status(&mut self, symbol: SymbolId) {
        let is_closed = self.symbols.get(symbol).is_some_and(|listed| listed.status == SymbolStatus::Closed);
        if is_closed && status::is_live(self, symbol) {
            self.closing.insert(symbol);
            return;
        }
        self.closing.remove(&symbol);
        if is_closed {
            self.orders.drop_books(symbol);
        }
    }

    /// Notes whether orders still wait for auctions that have ended.
    fn note_auctions(&mut self, symbol: SymbolId) {
        if self.has_left_over(symbol) {
            self.ending.insert(symbol);
        } else {
            self.ending.remove(&symbol);
        }
    }

    fn has_left_over(&self, symbol: SymbolId) -> bool {
        self.auctions.get(&symbol).is_some_and(|auctions| auctions.schedule().is_none())
            && !self.orders.auction(symbol).is_empty()
    }

    /// Notes again which cancels go on, after a restore.
    pub fn restore(&mut self) {
        let closed = self.symbols.iter().filter(|(_, listed)| listed.status == SymbolStatus::Closed);
        let closing = closed.map(|(symbol, _)| symbol).filter(|symbol| status::is_live(self, *symbol));
        let closing = closing.collect();
        let ending = self.auctions.keys().copied().filter(|symbol| self.has_left_over(*symbol)).collect();
        (self.closing, self.ending) = (closing, ending);
    }

    /// Whether cancels of a symbol go on, before anything else.
    #[inline]
    pub fn is_cancelling(&self) -> bool {
        !self.closing.is_empty() || !self.ending.is_empty()
    }

    /// Voids a trade, or marks it.
    fn break_trade<D: Desks>(&mut self, desks: &mut D, broken: &Break, now: Time, next_id: u64) {
        let symbol = self.symbols.get(broken.symbol).expect("the decision found the symbol");
        if let Some(figures) = &broken.figures {
            desks.void(symbol, broken);
            self.orders.correct_last(broken.symbol, figures.last);
            desks.touch(broken.symbol);
            let accounts = [broken.buyer.account, broken.seller.account];
            self.volumes.take_back(broken.time, accounts, figures.value, now);
        } else {
            desks.note_manual_break(symbol, broken);
        }
        self.breaks.note(broken, symbol, TradeId(next_id));
    }

    fn auctions_of(&mut self, symbol: SymbolId) -> &mut Auctions {
        self.auctions.get_mut(&symbol).expect("the decision found the symbol's auctions")
    }

    /// Whether a due command waits while the exchange is halted: an auction, unless it has found its price, and the trigger
    /// of a stop order.
    pub fn waits_while_halted(&self, command: &Command) -> bool {
        match command {
            Command::Trigger(_) => true,
            Command::Auction(symbol) => {
                self.auctions.get(symbol).is_none_or(|auctions| auctions.settling().is_none())
            }
            Command::Place(_)
            | Command::Cancel(_)
            | Command::CancelSession
            | Command::CancelAll
            | Command::ExpireSession(_)
            | Command::CancelOrders(..)
            | Command::SetSymbolStatus(..)
            | Command::ScheduleAuctions(..)
            | Command::ListSymbol(_)
            | Command::SetFees(_)
            | Command::SetFeeTiers(_)
            | Command::SetPromotion(_)
            | Command::CloseDay
            | Command::BreakTrade(_)
            | Command::Refuse(_)
            | Command::OpenConnection
            | Command::PlaceOver(..)
            | Command::CloseConnection(_) => false,
        }
    }

    /// The next due command: of an auction that is being settled, else the earliest of auctions and the end of a
    /// day; among equals, the day's end, then the symbol listed first. `skips` leaves out commands that move no money: openings, indicative prices, and
    /// auctions without waiting orders, in which nothing can trade since a book is never crossed.
    /// While the exchange is halted, only what [`Floor::waits_while_halted`] leaves is due.
    pub fn next_due(&self, skips: bool, halted: bool) -> Option<Due<Command>> {
        let due = |(symbol, auctions): (&SymbolId, &Auctions)| {
            let is_settling = auctions.settling().is_some();
            if halted && !is_settling {
                return None;
            }
            let is_idle = !is_settling && self.orders.auction(*symbol).is_empty();
            let time = if skips && !is_settling {
                auctions.schedule().filter(|_| !is_idle)?.time
            } else {
                auctions.next()?
            };
            let rank = if is_settling { Rank::FollowUp } else { Rank::Step };
            let may_skip = !skips && !is_settling && (is_idle || auctions.is_report_next());
            let due = Due::step(time, Phase::Orders, Command::Auction(*symbol));
            Some(Due { rank, ..due }.skippable(may_skip))
        };
        let follow_up = |command| Some(Due::follow_up(Time(0), Phase::Orders, command));
        if let Some(symbol) = self.closing.first() {
            return follow_up(Command::SetSymbolStatus(*symbol, SymbolStatus::Closed));
        }
        if let Some(symbol) = self.ending.first() {
            return follow_up(Command::ScheduleAuctions(*symbol, None));
        }
        // Nothing comes between an auction's cut and its end, so triggered orders wait for that.
        if let (Some(order), 0, false) = (self.stops.due(), self.settling, halted) {
            return Some(Due::follow_up(Time(0), Phase::Orders, Command::Trigger(order)));
        }
        let day = self.volumes.due().map(|time| Due::step(time, Phase::Orders, Command::CloseDay));
        day.into_iter().chain(self.auctions.iter().filter_map(due)).min_by_key(Due::key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewOrder;
    use buttonwood_model::{
        AccountId, Claim, Desk, Effect, ExecutionOption, Held, OrderClass, OrderKind, Product, RatesId,
        RoomCommand, Side, TextRef,
    };
    use buttonwood_num::{Price, Qty};

    const BTCUSD: SymbolId = SymbolId(0);
    const ETHUSD: SymbolId = SymbolId(1);

    /// An auction after so many seconds, with indications from ten seconds before it if it has any.
    fn schedule(seconds: u64, indicates: bool) -> Schedule {
        Schedule {
            time: Time(seconds * Time::SECOND),
            every: 0,
            opens: Schedule::ALWAYS,
            indicates: if indicates { 10 * Time::SECOND } else { 0 },
            indicates_every: Time::SECOND,
            last_cancel: 0,
        }
    }

    /// A floor with auctions of these symbols; an order waits for those of `waiting`.
    fn floor(auctions: &[(SymbolId, Option<Schedule>)], waiting: &[SymbolId]) -> Floor {
        let mut floor = Floor::default();
        floor.open_account(AccountId(0));
        for (symbol, schedule) in auctions {
            floor.auctions.insert(*symbol, Auctions::scheduled(None, *schedule, Time(0)));
        }
        for (id, symbol) in (1..).zip(waiting) {
            let order = NewOrder {
                id: OrderId(id),
                price: Price::from_ticks(100),
                qty: Qty::from_hundredths(100),
                account: AccountId(0),
                session: SessionId(0),
                symbol: *symbol,
                class: OrderClass::new(Side::Buy, Claim::Yes, Desk::new(0)),
                kind: OrderKind::Limit,
                option: Some(ExecutionOption::AuctionOnly),
                rates: RatesId::default(),
                client_id: TextRef::default(),
            };
            floor.orders.insert_booked(&order, &[], Time(0), Held::NONE);
        }
        floor
    }

    fn due(rank: Rank, seconds: u64, may_skip: bool, symbol: SymbolId) -> Option<Due<Command>> {
        let time = Time(seconds * Time::SECOND);
        Some(Due { rank, ..Due::step(time, Phase::Orders, Command::Auction(symbol)) }.skippable(may_skip))
    }

    /// A skip passes indications and auctions without orders; an auction with an order runs at its time.
    #[test]
    fn only_an_auction_with_orders_is_not_skipped() {
        let step = |seconds, may_skip| due(Rank::Step, seconds, may_skip, BTCUSD);
        let next_due = |schedule, waiting: &[SymbolId]| {
            let floor = floor(&[(BTCUSD, schedule)], waiting);
            [false, true].map(|skips| floor.next_due(skips, false))
        };
        assert_eq!(next_due(None, &[]), [None, None]);
        assert_eq!(next_due(None, &[BTCUSD]), [None, None]);
        assert_eq!(next_due(Some(schedule(100, false)), &[]), [step(100, true), None]);
        assert_eq!(next_due(Some(schedule(100, true)), &[]), [step(90, true), None]);
        assert_eq!(next_due(Some(schedule(100, false)), &[BTCUSD]), [step(100, false), step(100, false)]);
        assert_eq!(next_due(Some(schedule(100, true)), &[BTCUSD]), [step(90, true), step(100, false)]);
        // An opening is skipped as an indication is.
        let opens = |seconds: u64| Schedule { opens: seconds * Time::SECOND, ..schedule(100, false) };
        assert_eq!(next_due(Some(opens(30)), &[BTCUSD]), [step(70, true), step(100, false)]);
        assert_eq!(next_due(Some(opens(30)), &[]), [step(70, true), None]);
        // An order for another symbol's auction changes nothing.
        assert_eq!(next_due(Some(schedule(100, true)), &[ETHUSD]), [step(90, true), None]);
    }

    /// An auction that is being settled is due before all others and cannot be skipped, whether or not orders still wait. Of the
    /// others the earliest is due, and of equals that of the symbol that was listed first.
    #[test]
    fn auctions_are_due_in_order() {
        let both = [BTCUSD, ETHUSD];
        let next_due = |[btcusd, ethusd]: [u64; 2]| {
            let schedules = [(BTCUSD, btcusd), (ETHUSD, ethusd)];
            let schedules = schedules.map(|(symbol, seconds)| (symbol, Some(schedule(seconds, false))));
            floor(&schedules, &both).next_due(false, false)
        };
        assert_eq!(next_due([100, 200]), due(Rank::Step, 100, false, BTCUSD));
        assert_eq!(next_due([200, 100]), due(Rank::Step, 100, false, ETHUSD));
        assert_eq!(next_due([100, 100]), due(Rank::Step, 100, false, BTCUSD));
        for waiting in [&both[..], &[BTCUSD], &[]] {
            let schedules = [(BTCUSD, Some(schedule(100, true))), (ETHUSD, Some(schedule(200, true)))];
            let mut floor = floor(&schedules, waiting);
            floor.auctions_of(ETHUSD).note_cut(Finding::default(), OrderId(9));
            let settles = due(Rank::FollowUp, 0, false, ETHUSD);
            assert_eq!([false, true].map(|skips| floor.next_due(skips, false)), [settles.clone(), settles]);
        }
    }

    /// A trader's key places and cancels; the rest is left to the exchange and its operator. With little room to journal only
    /// cancels are served.
    #[test]
    fn commands_differ_in_roles_and_in_risk() {
        let place = Place::limit(BTCUSD, Side::Buy, Price::from_ticks(100), Qty::from_hundredths(100));
        let fees = FeeChange { product: Product::Spot, account: None, schedule: None };
        let (trader, none) = (Roles::of(&[Role::Trader]), Roles::NOBODY);
        for (command, roles, is_reducing) in [
            (Command::Place(place), trader, false),
            (Command::Cancel(OrderRef::Id(OrderId(1))), trader, true),
            (Command::CancelSession, trader, true),
            (Command::CancelAll, trader, true),
            (Command::ExpireSession(SessionId(1)), none, true),
            (Command::CancelOrders(None, Some(BTCUSD), None), none, true),
            (Command::OpenConnection, trader, false),
            (Command::PlaceOver(ConnectionId(1), Arc::new(place)), trader, false),
            (Command::CloseConnection(ConnectionId(1)), none, true),
            (Command::SetSymbolStatus(BTCUSD, SymbolStatus::Closed), none, false),
            (Command::ScheduleAuctions(BTCUSD, None), none, false),
            (Command::Auction(BTCUSD), none, false),
            (Command::SetFees(fees), none, false),
        ] {
            let reduces = command.effect() == Effect::Reduces;
            assert_eq!((command.sent_by().roles(), reduces), (roles, is_reducing), "{command:?}");
        }
    }
}
