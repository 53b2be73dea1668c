//! A new order: its refusal, its plan, its entry.

use super::Naive;
use super::funds::advances::Losses;
use super::matching::{Fill, Stop, Walk, reaches};
use super::reserve::int;
use super::stops;
use crate::exchange::Happening;
use buttonwood_engine::{AccountKind, DeskReject, FeeSchedule, OrderState, Place, PlaceReject};
use buttonwood_model::{
    AccountId, CancelReason, Claim, CurrencyId, ExecutionOption, OrderId, OrderKind, SessionId, Side,
    SymbolStatus, Time,
};
use buttonwood_num::{Money, Price, Qty};

/// The effect of an accepted order.
pub(super) struct Plan {
    /// Empty if the order must not trade or rest.
    fills: Vec<Fill>,
    uncovered: Vec<OrderId>,
    losses: Losses,
    stop: Stop,
    void: Option<CancelReason>,
    /// Whether its rest stays on the book.
    rests: bool,
    original: Qty,
}

impl Plan {
    /// Whether its first fill would give up more than the group may (D-181).
    pub(super) fn gives_up_at_once(&self) -> bool {
        self.void.is_none() && self.stop == Stop::Advances && self.fills.is_empty()
    }

    /// Why its rest does not stay.
    fn reason(&self) -> Option<CancelReason> {
        self.void.or(match self.stop {
            Stop::Filled | Stop::Money => None,
            Stop::Collar => Some(CancelReason::ExceedsPriceLimits),
            Stop::Advances => Some(CancelReason::InsufficientFunds),
            Stop::Limit | Stop::Empty if self.rests => None,
            Stop::Limit | Stop::Empty => Some(CancelReason::ImmediateOrCancelWouldPost),
        })
    }
}

impl Naive {
    fn refuse(&self, account: AccountId, place: &Place, now: Time) -> Result<(), PlaceReject> {
        let Some(pair) = self.pairs.get(place.symbol.index()) else {
            return Err(PlaceReject::InvalidSymbol);
        };
        if pair.closed_to.contains(&self.jurisdictions[&account]) {
            return Err(PlaceReject::InvalidSymbol);
        }
        // Such an account trades perpetuals and nothing else (D-36).
        if self.names[account.index()].kind == AccountKind::Derivatives {
            return Err(PlaceReject::Desk(DeskReject::WrongKind));
        }
        let waits = place.option == Some(ExecutionOption::AuctionOnly);
        if waits {
            self.refuse_for_auction(place.symbol, now)?;
        }
        if matches!(place.kind, OrderKind::Limit | OrderKind::StopLimit) && place.price == Price::default() {
            return Err(PlaceReject::NoPrice);
        }
        if place.kind == OrderKind::MarketSpend && place.side == Side::Sell {
            return Err(PlaceReject::SpendIsForBuys);
        }
        if place.kind != OrderKind::MarketSpend && place.qty < pair.min {
            return Err(PlaceReject::BelowMinimum);
        }
        if place.kind == OrderKind::StopLimit {
            stops::refuse(place)?;
        }
        let posts = place.option == Some(ExecutionOption::MakerOrCancel)
            || waits
            || (place.kind == OrderKind::Limit && !self.crosses(place));
        match pair.status {
            SymbolStatus::Closed => return Err(PlaceReject::MarketClosed),
            SymbolStatus::PostOnly if posts => {}
            SymbolStatus::LimitOnly if matches!(place.kind, OrderKind::Limit | OrderKind::StopLimit) => {}
            SymbolStatus::Open => {}
            status => return Err(PlaceReject::MarketNotOpen(status)),
        }
        let (currency, needed) = match (place.side, place.kind) {
            (_, OrderKind::MarketSpend) => (pair.quote, place.spend.units()),
            (Side::Buy, OrderKind::Market) => (pair.quote, 0),
            (Side::Buy, OrderKind::Limit | OrderKind::StopLimit) => {
                let rates = self.rates_now(account, place.symbol);
                (pair.quote, self.reserve(place.symbol, Side::Buy, place.price, place.qty, rates))
            }
            (Side::Sell, _) => (pair.base, int(place.qty) * pair.base_unit),
        };
        self.check_funds(account, currency, needed)
    }

    fn check_funds(&self, account: AccountId, currency: CurrencyId, needed: i128) -> Result<(), PlaceReject> {
        let available = self.available(account, currency);
        if needed <= available {
            return Ok(());
        }
        let [needed, available] = [needed, available].map(Money::from_units);
        Err(PlaceReject::InsufficientFunds { needed, available })
    }

    /// Whether a limit order reaches the best price of the other side.
    pub(super) fn crosses(&self, place: &Place) -> bool {
        let best = self.queue(place.symbol, place.side.opposite()).first().map(|order| order.price);
        best.is_some_and(|best| reaches(place.side, place.price, best))
    }

    fn plan(&self, account: AccountId, place: &Place, now: Time) -> Result<Plan, PlaceReject> {
        self.refuse(account, place, now)?;
        let plan = self.plan_of(account, place);
        if plan.void.is_none() && plan.stop == Stop::Money && plan.fills.is_empty() {
            return Err(PlaceReject::BelowMinimum);
        }
        if plan.gives_up_at_once() {
            return Err(PlaceReject::Desk(DeskReject::Advances));
        }
        let rates = self.rates_now(account, place.symbol);
        if !self.affords(account, place, &plan, rates) {
            let quote = self.pairs[place.symbol.index()].quote;
            let filled: Qty = plan.fills.iter().map(|fill| fill.qty).sum();
            self.check_funds(account, quote, self.cost(place, &plan, plan.original - filled, rates))?;
        }
        Ok(plan)
    }

    /// The effect of an order that is not refused.
    pub(super) fn plan_of(&self, account: AccountId, place: &Place) -> Plan {
        let waits = place.option == Some(ExecutionOption::AuctionOnly);
        let (walk, stop) = if waits { (Walk::default(), Stop::Limit) } else { self.walk(account, place) };
        let Walk { fills, uncovered, losses } = walk;
        let void = if waits {
            self.meets_own_waiting(account, place).then_some(CancelReason::SelfCrossPrevented)
        } else {
            self.void(account, place, &fills, stop)
        };
        let (fills, uncovered, losses) =
            if void.is_some() { Default::default() } else { (fills, uncovered, losses) };
        let rests = place.kind == OrderKind::Limit
            && place.option != Some(ExecutionOption::ImmediateOrCancel)
            && matches!(stop, Stop::Limit | Stop::Empty);
        let filled: Qty = fills.iter().map(|fill| fill.qty).sum();
        let original = if place.kind == OrderKind::MarketSpend { filled } else { place.qty };
        Plan { fills, uncovered, losses, stop, void, rests, original }
    }

    /// Whether a buy can pay for its fills and for the reserve of its rest.
    pub(super) fn affords(&self, account: AccountId, place: &Place, plan: &Plan, rates: FeeSchedule) -> bool {
        let quote = self.pairs[place.symbol.index()].quote;
        let filled: Qty = plan.fills.iter().map(|fill| fill.qty).sum();
        plan.void.is_some()
            || place.side == Side::Sell
            || self.cost(place, plan, plan.original - filled, rates) <= self.available(account, quote)
    }

    /// The cost of a buy's fills, plus the reserve of its rest if that stays.
    fn cost(&self, place: &Place, plan: &Plan, rest: Qty, rates: FeeSchedule) -> i128 {
        let paying = FeeSchedule { maker: rates.taker, ..rates };
        let fills = plan.fills.iter().map(|fill| (fill.maker.price, fill.qty, paying));
        let rest = plan.rests.then_some((place.price, rest, rates));
        let cost = |(price, qty, rates)| self.reserve(place.symbol, Side::Buy, price, qty, rates);
        fills.chain(rest).map(cost).sum()
    }

    pub(super) fn place(
        &mut self,
        account: AccountId,
        session: SessionId,
        place: &Place,
        time: Time,
    ) -> Result<OrderState, PlaceReject> {
        let waits_for_stop = place.kind == OrderKind::StopLimit;
        let plan = if waits_for_stop {
            self.refuse(account, place, time)?;
            None
        } else {
            Some(self.plan(account, place, time)?)
        };
        let original = plan.as_ref().map_or(place.qty, |plan| plan.original);
        let order = OrderState {
            id: OrderId(self.next_id),
            account,
            session,
            symbol: place.symbol,
            side: place.side,
            claim: Claim::Yes,
            kind: place.kind,
            option: place.option,
            price: place.price,
            original,
            remaining: original,
            notional: Money::ZERO,
            broken: Qty::ZERO,
            placed: time,
            reason: None,
            client_id: place.client_id,
            stop: waits_for_stop.then_some(place.stop),
        };
        self.rates.insert(order.id, self.rates_now(account, order.symbol));
        self.next_id += 1;
        if let Some(client_id) = order.client_id {
            self.newest_named.retain(|(owner, name, _)| (*owner, *name) != (account, client_id));
            self.newest_named.push((account, client_id, order.id));
        }
        self.happened.push(Happening::Accepted(order.id.0));
        Ok(match plan {
            Some(plan) => self.enter(order, &plan),
            None => self.suspend(order),
        })
    }

    /// An order enters: it trades as planned, and its rest stays or not.
    pub(super) fn enter(&mut self, mut order: OrderState, plan: &Plan) -> OrderState {
        for maker in &plan.uncovered {
            self.close(*maker, CancelReason::Uncovered);
        }
        self.note_lost(&plan.losses);
        for fill in &plan.fills {
            self.trade(&mut order, fill);
        }
        order.reason = plan.reason();
        self.happened.push(match order.reason {
            Some(reason) => Happening::Cancelled(order.id.0, reason),
            None if plan.rests => Happening::Booked(order.id.0),
            None => Happening::Completed(order.id.0),
        });
        if order.reason.is_none() && plan.rests {
            self.live.push(order);
        }
        order
    }
}
