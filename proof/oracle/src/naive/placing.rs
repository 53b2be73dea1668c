//! A new order: its refusal, its plan, its entry.

use super::Naive;
use super::funds::int;
use super::matching::{Fill, Stop, reaches};
use crate::exchange::Happening;
use buttonwood_engine::{FeeSchedule, OrderState, Place, PlaceReject};
use buttonwood_model::{
    AccountId, CancelReason, ExecutionOption, OrderId, OrderKind, SessionId, Side, SymbolStatus, Time,
};
use buttonwood_num::{Money, Price, Qty};

/// What an accepted order does.
struct Plan {
    /// Empty if the order must not trade or rest.
    fills: Vec<Fill>,
    stop: Stop,
    void: Option<CancelReason>,
    /// Whether its rest stays on the book.
    rests: bool,
    original: Qty,
}

impl Plan {
    /// Why its rest does not stay.
    fn reason(&self) -> Option<CancelReason> {
        self.void.or(match self.stop {
            Stop::Filled | Stop::Money => None,
            Stop::Collar => Some(CancelReason::ExceedsPriceLimits),
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
        let waits = place.option == Some(ExecutionOption::AuctionOnly);
        if waits {
            self.refuse_for_auction(place.symbol, now)?;
        }
        if place.kind == OrderKind::Limit && place.price == Price::default() {
            return Err(PlaceReject::NoPrice);
        }
        if place.kind == OrderKind::MarketSpend && place.side == Side::Sell {
            return Err(PlaceReject::SpendIsForBuys);
        }
        if place.kind != OrderKind::MarketSpend && place.qty < pair.min {
            return Err(PlaceReject::BelowMinimum);
        }
        let best = self.queue(place.symbol, place.side.opposite()).first().map(|order| order.price);
        let crosses = best.is_some_and(|best| reaches(place.side, place.price, best));
        let posts = place.option == Some(ExecutionOption::MakerOrCancel)
            || waits
            || (place.kind == OrderKind::Limit && !crosses);
        match pair.status {
            SymbolStatus::Closed => return Err(PlaceReject::MarketClosed),
            SymbolStatus::PostOnly if posts => {}
            SymbolStatus::LimitOnly if place.kind == OrderKind::Limit => {}
            SymbolStatus::Open => {}
            status => return Err(PlaceReject::MarketNotOpen(status)),
        }
        let (currency, needed) = match (place.side, place.kind) {
            (_, OrderKind::MarketSpend) => (pair.quote, place.spend.units()),
            (Side::Buy, OrderKind::Market) => (pair.quote, 0),
            (Side::Buy, OrderKind::Limit) => {
                let rates = self.rates_now(account);
                (pair.quote, self.reserve(place.symbol, Side::Buy, place.price, place.qty, rates))
            }
            (Side::Sell, _) => (pair.base, int(place.qty) * pair.base_unit),
        };
        if needed > self.available(account, currency) {
            return Err(PlaceReject::InsufficientFunds);
        }
        Ok(())
    }

    fn plan(&self, account: AccountId, place: &Place, now: Time) -> Result<Plan, PlaceReject> {
        self.refuse(account, place, now)?;
        let waits = place.option == Some(ExecutionOption::AuctionOnly);
        let (fills, stop) = if waits { (Vec::new(), Stop::Limit) } else { self.walk(account, place) };
        let void = if waits {
            self.meets_own_waiting(account, place).then_some(CancelReason::SelfCrossPrevented)
        } else {
            self.void(account, place, &fills, stop)
        };
        if void.is_none() && stop == Stop::Money && fills.is_empty() {
            return Err(PlaceReject::BelowMinimum);
        }
        let fills = if void.is_some() { Vec::new() } else { fills };
        let rests = place.kind == OrderKind::Limit
            && place.option != Some(ExecutionOption::ImmediateOrCancel)
            && matches!(stop, Stop::Limit | Stop::Empty);
        let filled: Qty = fills.iter().map(|fill| fill.qty).sum();
        let original = if place.kind == OrderKind::MarketSpend { filled } else { place.qty };
        let plan = Plan { fills, stop, void, rests, original };
        let quote = self.pairs[place.symbol.index()].quote;
        let buys = void.is_none() && place.side == Side::Buy;
        if buys && self.cost(account, place, &plan, original - filled) > self.available(account, quote) {
            return Err(PlaceReject::InsufficientFunds);
        }
        Ok(plan)
    }

    /// What a buy pays for its fills, plus the reserve of its rest if that stays.
    fn cost(&self, account: AccountId, place: &Place, plan: &Plan, rest: Qty) -> i128 {
        let rates = self.rates_now(account);
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
        let plan = self.plan(account, place, time)?;
        let mut order = OrderState {
            id: OrderId(self.next_id),
            account,
            session,
            symbol: place.symbol,
            side: place.side,
            kind: place.kind,
            option: place.option,
            price: place.price,
            original: plan.original,
            remaining: plan.original,
            notional: Money::ZERO,
            placed: time,
            reason: None,
            client_id: place.client_id,
        };
        self.rates.insert(order.id, self.rates_now(account));
        self.next_id += 1;
        self.happened.push(Happening::Accepted(order.id.0));
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
        Ok(order)
    }
}
