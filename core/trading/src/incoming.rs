//! An incoming order that passed the checks: its fills, and what happens to its rest.

use crate::collar;
use crate::place::{FILLS_MAX, Place, Placer, Reject, check_count, crosses};
use crate::{Cover, Desks, Event, Live, Market, Planner, Reserve, Terms};
use buttonwood_book::{Book, Fill, NewOrder, Order, plan};
use buttonwood_model::{
    CancelReason, Desk, ExecutionOption, OrderClass, OrderId, OrderKind, Outbox, RatesId, SessionId, Slot,
    Symbol, TradeId,
};
use buttonwood_num::{Money, Price, Qty};

/// The fate of an order after its fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Nothing is left.
    Completed,
    /// The rest goes on the book.
    Booked(Reserve),
    /// The rest is cancelled. If `executes` is false, its planned fills are dropped too.
    Cancelled { reason: CancelReason, executes: bool },
}

impl Fate {
    /// The fate of a limit order that meets no other order.
    fn unmet(option: Option<ExecutionOption>, reserve: Reserve) -> Self {
        match option {
            None | Some(ExecutionOption::MakerOrCancel | ExecutionOption::AuctionOnly) => {
                Self::Booked(reserve)
            }
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

    /// Emits the last event of the order that entered under `id`.
    fn push<E: From<Event>>(self, slot: Slot, id: OrderId, out: &mut Outbox<E>) {
        match self {
            Self::Completed => out.push(Event::Completed),
            Self::Booked(Reserve { held, amount }) => out.push(Event::Booked { held, amount }),
            Self::Cancelled { reason, .. } => {
                out.push(Event::Cancelled { slot, reason, order: id });
            }
        }
    }
}

/// An incoming order, before it enters.
pub(crate) struct Incoming<'a, D> {
    pub(crate) market: Market<'a, D>,
    pub(crate) placer: Placer,
    pub(crate) place: &'a Place,
    pub(crate) terms: Terms<'a>,
    rates: RatesId,
    /// Where it waited for its stop price, if it did.
    triggered: Option<Slot>,
}

impl<D> Clone for Incoming<'_, D> {
    fn clone(&self) -> Self {
        let Self { market, placer, place, terms, rates, triggered } = *self;
        Self { market, placer, place, terms, rates, triggered }
    }
}

impl<'a, D: Desks> Incoming<'a, D> {
    /// The order at its desk, as it would be placed now.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub(crate) fn at_desk(
        desk: Desk,
        market: Market<'a, D>,
        placer: Placer,
        place: &'a Place,
        symbol: &'a Symbol,
    ) -> Self {
        let Place { side, claim, kind, price, qty, spend, .. } = *place;
        let Placer { account, session } = placer;
        let class = OrderClass::new(side, claim, desk);
        let (rates, schedule) =
            market.floor.rates(market.desks.rules(symbol).fees_of, Some(place.symbol), account);
        let terms = Terms {
            symbol,
            symbol_id: place.symbol,
            account,
            session,
            class,
            rates: schedule,
            // Its cost and its reserve do not depend on when it enters.
            kind: if kind == OrderKind::StopLimit { OrderKind::Limit } else { kind },
            price,
            qty,
            spend,
            meets: false,
            rests: true,
            freed: Money::ZERO,
            waited: Qty::ZERO,
            floor: market.floor,
            time: market.time,
        };
        Self { market, placer, place, terms, rates, triggered: None }
    }

    /// A stop order that enters now as the limit order that `place` describes.
    pub(crate) fn triggered(
        market: Market<'a, D>,
        placer: Placer,
        place: &'a Place,
        symbol: &'a Symbol,
        slot: Slot,
    ) -> Self {
        let live = market.floor.live(slot);
        let freed = market.desks.reserved(live).map_or(Money::ZERO, |(_, amount)| amount);
        // It keeps the desk and the rates of its placing (TYPE-011).
        let mut order = Self::at_desk(live.desk(), market, placer, place, symbol);
        order.terms = Terms {
            class: live.order.class(),
            rates: live.rates(),
            meets: crosses(order.book(), place.side, place.price),
            freed,
            waited: live.order.remaining,
            ..order.terms
        };
        Self { rates: live.order.rates, triggered: Some(slot), ..order }
    }

    /// Decides what a triggered order trades and what becomes of it.
    pub(crate) fn enter<E: From<Event>>(
        &self,
        planner: &mut Planner<D::Plan>,
        out: &mut Outbox<E>,
    ) -> Result<OrderId, Reject<D::Refusal>> {
        let reserve = self.market.desks.reserve(&self.terms)?;
        if self.terms.meets {
            return self.meet(reserve, planner, out);
        }
        Ok(self.emit(&[], self.fate_unmet(reserve), out))
    }

    /// Where the order lies once it has entered.
    fn slot(&self) -> Slot {
        self.triggered.unwrap_or_else(|| self.market.floor.orders.next_slot())
    }

    /// Its id: that of its placing, or the next one.
    fn id(&self) -> OrderId {
        self.triggered.map_or(OrderId(self.market.next_id), |slot| self.market.floor.orders.get(slot).id)
    }

    pub(crate) fn book(&self) -> &'a Book {
        self.market.floor.orders.book(self.place.symbol)
    }

    fn limit(&self) -> Option<Price> {
        (self.place.kind == OrderKind::Limit).then_some(self.place.price)
    }

    /// The worst price at which the collar lets it trade.
    fn collar(&self) -> Option<Price> {
        let width = self.market.desks.rules(self.terms.symbol).collar?;
        if self.placer.session == SessionId::EXCHANGE
            && let Some(edge) = self.forced_edge()
        {
            return Some(edge);
        }
        let last = self.market.floor.orders.last(self.place.symbol);
        width.worst_price(self.book(), last, self.place.side)
    }

    /// The worst price of an order of the exchange, where its desk has one in place of the collar.
    #[cold]
    #[inline(never)]
    fn forced_edge(&self) -> Option<Price> {
        self.market.desks.forced_edge(&self.terms)
    }

    /// The worst price at which it may trade.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub(crate) fn reach(&self) -> Option<Price> {
        collar::nearer(self.place.side, self.limit(), self.collar())
    }

    /// The fate of a limit order that meets no order on the continuous book, or waits for an auction.
    pub(crate) fn fate_unmet(&self, reserve: Reserve) -> Fate {
        if self.self_crosses_in_auction() {
            return Fate::Cancelled { reason: CancelReason::SelfCrossPrevented, executes: false };
        }
        Fate::unmet(self.place.option, reserve)
    }

    /// Plans the order's fills, decides its fate, and emits its events.
    pub(crate) fn meet<E: From<Event>>(
        &self,
        reserve: Reserve,
        planner: &mut Planner<D::Plan>,
        out: &mut Outbox<E>,
    ) -> Result<OrderId, Reject<D::Refusal>> {
        planner.plan = self.market.desks.plan(self.market.time);
        let outcome = self.plan(planner);
        let Planner { fills, slots: uncovered, plan } = &mut *planner;
        let fate = self.fate(reserve, (fills, uncovered), outcome, plan)?;
        if self.place.kind == OrderKind::MarketSpend && fate == Fate::Completed && fills.is_empty() {
            return Err(Reject::BelowMinimum);
        }
        let rest = match fate {
            Fate::Booked(rest) => Some(rest),
            Fate::Completed | Fate::Cancelled { .. } => None,
        };
        if fate.executes() {
            if let Err(unmet) = self.market.desks.affords(&self.terms, fills, rest, plan) {
                return self.meet_in_part(reserve, unmet.into(), planner, out);
            }
        } else {
            fills.clear();
            uncovered.clear();
        }
        if rest.is_some() && self.triggered.is_none() {
            check_count(self.market, self.placer)?;
        }
        Ok(self.emit_all(uncovered, fills, fate, out))
    }

    /// The account cannot afford the whole order: only the part trades that makes a position smaller, and the rest is cancelled (D-173).
    /// Without such a part the order is refused, for `unmet`.
    #[cold]
    fn meet_in_part<E: From<Event>>(
        &self,
        reserve: Reserve,
        unmet: Reject<D::Refusal>,
        planner: &mut Planner<D::Plan>,
        out: &mut Outbox<E>,
    ) -> Result<OrderId, Reject<D::Refusal>> {
        planner.plan = self.market.desks.plan(self.market.time);
        let qty = self.market.desks.passes(&mut planner.plan, &self.terms);
        let place = Place { qty, ..*self.place };
        let Self { market, placer, rates, triggered, .. } = *self;
        let part =
            Incoming { market, placer, place: &place, terms: Terms { qty, ..self.terms }, rates, triggered };
        if qty == Qty::ZERO {
            return Err(unmet);
        }
        let outcome = part.plan(planner);
        let Planner { fills, slots: uncovered, plan } = &mut *planner;
        let fate = match part.fate(reserve, (fills, uncovered), outcome, plan)? {
            Fate::Completed if qty == self.place.qty => Fate::Completed,
            Fate::Completed | Fate::Booked(_) => {
                let reason = self.market.desks.rules(self.terms.symbol).uncovered;
                Fate::Cancelled { reason, executes: true }
            }
            cancelled @ Fate::Cancelled { .. } => cancelled,
        };
        let is_short = self.place.option == Some(ExecutionOption::FillOrKill) && fate != Fate::Completed;
        if fills.is_empty() || is_short || !fate.executes() {
            return Err(unmet);
        }
        Ok(self.emit_all(uncovered, fills, fate, out))
    }

    /// Plans the fills, and finds the resting orders that cannot cover theirs. The planner has the desks' notes to begin with.
    fn plan(&self, planner: &mut Planner<D::Plan>) -> Planned {
        let Place { side, kind, qty, spend, .. } = *self.place;
        let reach = self.reach();
        let Market { floor, desks, .. } = self.market;
        let Planner { fills, slots: uncovered, plan: noted } = planner;
        uncovered.clear();
        let (mut left, mut money, mut is_cut, mut is_bare) = (qty, spend, false, false);
        let want = |maker: Slot, order: &Order| {
            let before = money;
            let take = if kind == OrderKind::MarketSpend {
                desks.buy_with(&self.terms, &mut money, order.price, order.remaining)
            } else {
                left.min(order.remaining)
            };
            let maker_side = Live { symbol: self.terms.symbol, floor, order };
            let cover = if take > Qty::ZERO {
                desks.covers(noted, maker_side, &self.terms, take)
            } else {
                Cover::Both
            };
            if cover != Cover::Both {
                money = before;
                is_bare = cover == Cover::NotTaker;
                is_cut = !is_bare && uncovered.len() == FILLS_MAX;
                if is_bare || is_cut {
                    return Some(Qty::ZERO);
                }
                uncovered.push(maker);
                return None;
            }
            if kind != OrderKind::MarketSpend {
                left -= take;
            }
            Some(take)
        };
        let is_whole = plan(&floor.orders, self.place.symbol, side, reach, want, FILLS_MAX, fills);
        Planned { left, money, is_whole, is_cut, is_bare }
    }

    /// Decides the order's fate. The limit on fills comes after self-cross and maker-or-cancel, since such an
    /// order does not trade. A market order that would meet an own order only beyond that limit is refused
    /// for the limit.
    fn fate(
        &self,
        reserve: Reserve,
        (fills, uncovered): (&[Fill], &[Slot]),
        planned: Planned,
        plan: &D::Plan,
    ) -> Result<Fate, Reject<D::Refusal>> {
        let Place { side, kind, option, .. } = *self.place;
        let void = |reason| Ok(Fate::Cancelled { reason, executes: false });
        if self.self_crosses(fills) || self.self_crosses_in_auction() {
            return void(CancelReason::SelfCrossPrevented);
        }
        if option == Some(ExecutionOption::MakerOrCancel) && crosses(self.book(), side, self.place.price) {
            return void(CancelReason::MakerOrCancelWouldTake);
        }
        // The exchange's own order trades as far as it goes.
        let is_exchange = self.placer.session == SessionId::EXCHANGE;
        if !planned.is_whole && !is_exchange {
            return Err(Reject::TooManyFills);
        }
        let is_done = match kind {
            OrderKind::MarketSpend => {
                !planned.is_cut && !planned.is_bare && self.is_spent(fills, uncovered, planned.money)
            }
            OrderKind::Limit | OrderKind::Market | OrderKind::StopLimit => planned.left == Qty::ZERO,
        };
        if is_done {
            return Ok(Fate::Completed);
        }
        if option == Some(ExecutionOption::FillOrKill) {
            return void(CancelReason::FillOrKillWouldNotFill);
        }
        if planned.is_bare {
            let reason = self.market.desks.uncovered(self.terms.symbol, plan);
            return Ok(Fate::Cancelled { reason, executes: true });
        }
        // A refusal would not cancel the uncovered orders, so no order could ever trade with those behind
        // them.
        if planned.is_cut {
            return Ok(Fate::Cancelled { reason: CancelReason::ImmediateOrCancelWouldPost, executes: true });
        }
        if self.collar_stopped(fills, uncovered) {
            return Ok(Fate::Cancelled { reason: CancelReason::ExceedsPriceLimits, executes: true });
        }
        let is_immediate = option == Some(ExecutionOption::ImmediateOrCancel);
        let rests = kind == OrderKind::Limit && !is_immediate;
        if rests {
            return Ok(Fate::Booked(self.market.desks.rest(&self.terms, planned.left, reserve)));
        }
        Ok(Fate::Cancelled { reason: CancelReason::ImmediateOrCancelWouldPost, executes: true })
    }

    /// Whether the money that is left buys nothing more, at the next price or, on an empty book, at the last
    /// one paid.
    fn is_spent(&self, fills: &[Fill], uncovered: &[Slot], mut money: Money) -> bool {
        let next = self.next_price(fills, uncovered);
        let Some(price) = next.or_else(|| fills.last().map(|fill| fill.price)) else { return false };
        let most = Qty::from_hundredths(u128::MAX);
        self.market.desks.buy_with(&self.terms, &mut money, price, most) == Qty::ZERO
    }

    /// The best price that is left on the other side after the planned fills.
    fn next_price(&self, fills: &[Fill], uncovered: &[Slot]) -> Option<Price> {
        match (fills.last(), uncovered.last()) {
            (None, None) => self.book().side(self.place.side.opposite()).best(),
            (Some(last), None) => self.price_after(last),
            (last, Some(slot)) => self.price_after(&self.later(last, *slot)),
        }
    }

    /// The price of the rest of the order that a fill leaves, or else of the next order after it.
    fn price_after(&self, last: &Fill) -> Option<Price> {
        let orders = &self.market.floor.orders;
        if last.qty < orders.get(last.maker).remaining || orders.has_younger(last.maker) {
            Some(last.price)
        } else {
            self.book().side(self.place.side.opposite()).worse_than(last.price)
        }
    }

    /// The later of the plan's last fill and of the last uncovered order, which is returned as if it had
    /// filled.
    #[cold]
    fn later(&self, fill: Option<&Fill>, uncovered: Slot) -> Fill {
        let orders = &self.market.floor.orders;
        let Order { price, remaining, id, .. } = *orders.get(uncovered);
        let queued = |id| self.market.floor.stops.priority(id);
        let is_later = |fill: &&Fill| {
            let is_worse = self.book().side(self.place.side.opposite()).reaches(price, fill.price);
            fill.price != price && is_worse
                || fill.price == price && queued(orders.get(fill.maker).id) > queued(id)
        };
        let passed = Fill { maker: uncovered, price, qty: remaining };
        fill.filter(is_later).copied().unwrap_or(passed)
    }

    /// Whether the next order is within the limit, but beyond the collar.
    fn collar_stopped(&self, fills: &[Fill], uncovered: &[Slot]) -> bool {
        let ladder = self.book().side(self.place.side.opposite());
        let Some(next) = self.next_price(fills, uncovered) else { return false };
        let wanted = self.limit().is_none_or(|limit| ladder.reaches(next, limit));
        wanted && self.collar().is_some_and(|worst| !ladder.reaches(next, worst))
    }

    /// Whether an opposite order of the same account lies within the order's limit or, without a limit,
    /// within the prices of its fills (ORD-050, D-23).
    fn self_crosses(&self, fills: &[Fill]) -> bool {
        let side = self.place.side;
        let account = self.placer.account;
        if self.market.floor.orders.count(account, side.opposite()) == 0 {
            return false;
        }
        let Some(reach) = self.limit().or_else(|| fills.last().map(|fill| fill.price)) else { return false };
        if !crosses(self.book(), side, reach) {
            return false;
        }
        let ladder = self.book().side(side.opposite());
        self.market.floor.orders.in_any_order(account).any(|(_, own)| {
            own.side() == side.opposite()
                && own.symbol == self.place.symbol
                && ladder.reaches(own.price, reach)
                && own.is_resting()
        })
    }

    /// Whether the order could meet an opposite order of the same account in an auction: it waits for an
    /// auction or rests until one, and one of the two orders is auction-only (ORD-050). The check comes
    /// this early because an auction that has found its price cannot leave out an order.
    fn self_crosses_in_auction(&self) -> bool {
        let Place { kind, option, side, price, symbol, .. } = *self.place;
        let for_auction = option == Some(ExecutionOption::AuctionOnly);
        let may_rest = match option {
            None | Some(ExecutionOption::MakerOrCancel | ExecutionOption::AuctionOnly) => {
                kind == OrderKind::Limit
            }
            Some(ExecutionOption::ImmediateOrCancel | ExecutionOption::FillOrKill) => false,
        };
        let orders = &self.market.floor.orders;
        // A quick check: mostly no order at all is within its reach, and the account's orders need no search.
        let meets_any = || {
            crosses(orders.auction(symbol), side, price) || (for_auction && crosses(self.book(), side, price))
        };
        if !may_rest
            || !(for_auction || orders.any_waits())
            || orders.count(self.placer.account, side.opposite()) == 0
            || !meets_any()
        {
            return false;
        }
        let ladder = self.book().side(side.opposite());
        orders.in_any_order(self.placer.account).any(|(_, own)| {
            own.side() == side.opposite()
                && own.symbol == symbol
                && ladder.reaches(own.price, price)
                && (own.is_auction_only() || for_auction && own.is_resting())
        })
    }

    /// Emits the order's entry, its fills and its fate. Returns its id.
    pub(crate) fn emit<E: From<Event>>(&self, fills: &[Fill], fate: Fate, out: &mut Outbox<E>) -> OrderId {
        self.emit_all(&[], fills, fate, out)
    }

    fn emit_all<E: From<Event>>(
        &self,
        uncovered: &[Slot],
        fills: &[Fill],
        fate: Fate,
        out: &mut Outbox<E>,
    ) -> OrderId {
        if let (Fate::Booked(reserve), [], [], None) = (fate, fills, uncovered, self.triggered) {
            return self.emit_rest(reserve, out);
        }
        // The quantity of an order that names money is what the money bought.
        let qty = match self.place.kind {
            OrderKind::MarketSpend => filled(fills),
            OrderKind::Limit | OrderKind::Market | OrderKind::StopLimit => self.place.qty,
        };
        let id = self.emit_entry(qty, out);
        for slot in uncovered {
            let order = self.market.floor.orders.get(*slot).id;
            let reason = self.market.desks.rules(self.terms.symbol).uncovered;
            out.push(Event::Cancelled { slot: *slot, reason, order });
        }
        self.emit_fills(fills, out);
        fate.push(self.slot(), id, out);
        id
    }

    /// Writes down that the order enters. Returns its id.
    fn emit_entry<E: From<Event>>(&self, qty: Qty, out: &mut Outbox<E>) -> OrderId {
        if let Some(slot) = self.triggered {
            out.push(Event::Triggered { slot, order: self.id(), priority: OrderId(self.market.next_id) });
            return self.id();
        }
        let order = self.entered(qty, out);
        out.push(Event::Placed(order));
        order.id
    }

    /// Writes down that the order waits for its stop price. Returns its id.
    pub(crate) fn emit_untriggered<E: From<Event>>(&self, reserve: Reserve, out: &mut Outbox<E>) -> OrderId {
        let Reserve { held, amount } = reserve;
        let id = self.emit_entry(self.place.qty, out);
        out.push(Event::Suspended { stop: self.place.stop, held, amount });
        id
    }

    /// Writes down that a triggered order is cancelled before it trades.
    pub(crate) fn emit_refused<E: From<Event>>(&self, reason: CancelReason, out: &mut Outbox<E>) {
        self.emit(&[], Fate::Cancelled { reason, executes: false }, out);
    }

    /// Emits that the order enters and rests whole. Returns its id.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub(crate) fn emit_rest<E: From<Event>>(&self, reserve: Reserve, out: &mut Outbox<E>) -> OrderId {
        let order = self.entered(self.place.qty, out);
        let Reserve { held, amount } = reserve;
        out.push(Event::Rested { order, held, amount });
        order.id
    }

    /// The order that enters, with the quantity `qty` and the next id.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn entered<E>(&self, qty: Qty, out: &mut Outbox<E>) -> NewOrder {
        let Place { symbol, kind, option, price, client_id, .. } = self.place;
        let client_id = client_id.as_ref().map(|text| out.keep(text.as_bytes())).unwrap_or_default();
        NewOrder {
            id: OrderId(self.market.next_id),
            price: *price,
            qty,
            account: self.placer.account,
            session: self.placer.session,
            symbol: *symbol,
            class: self.terms.class,
            kind: *kind,
            option: *option,
            rates: self.rates,
            client_id,
        }
    }

    fn emit_fills<E: From<Event>>(&self, fills: &[Fill], out: &mut Outbox<E>) {
        // A new order takes the first id.
        let first = self.market.next_id + u64::from(self.triggered.is_none());
        for (trade, fill) in (first..).zip(fills) {
            let (maker, qty) = (fill.maker, fill.qty);
            let [maker_fee, taker_fee] =
                self.market.desks.fees(self.market.floor.live(maker), &self.terms, qty);
            out.push(Event::Filled { maker, trade: TradeId(trade), qty, maker_fee, taker_fee });
        }
    }
}

/// The result of a plan, apart from its fills.
#[derive(Clone, Copy, Debug)]
struct Planned {
    /// The rest of the quantity.
    left: Qty,
    /// The rest of the money that a market order names.
    money: Money,
    /// False if the order would trade with more than [`FILLS_MAX`] orders.
    is_whole: bool,
    /// Whether the plan ended at an uncovered order, after [`FILLS_MAX`] others.
    is_cut: bool,
    /// Whether the plan ended before a fill that the order's own account cannot cover.
    is_bare: bool,
}

fn filled(fills: &[Fill]) -> Qty {
    fills.iter().map(|fill| fill.qty).sum()
}
