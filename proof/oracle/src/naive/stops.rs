//! Stop-limit orders: a list of those that wait, and the queue of those that a trade has reached.

use super::Naive;
use super::placing::Plan;
use crate::exchange::Happening;
use buttonwood_engine::{Answer, OrderState, Outcome, Place, PlaceReject, Reject, StopError, TradingReject};
use buttonwood_model::{CancelReason, OrderId, Side, SymbolId, SymbolStatus};

/// Why a stop price is refused.
pub(super) fn refuse(place: &Place) -> Result<(), PlaceReject> {
    let (stop, price) = (u128::from(place.stop.ticks()), u128::from(place.price.ticks()));
    let error = if stop == 0 || place.option.is_some() {
        StopError::Missing
    } else if place.side == Side::Buy && stop > price {
        StopError::Buy
    } else if place.side == Side::Sell && stop < price {
        StopError::Sell
    } else if 2 * stop.abs_diff(price) > stop {
        StopError::TooFar
    } else {
        return Ok(());
    };
    Err(PlaceReject::Stop(error))
}

/// Sorts buys before sells, then by stop price: the one that the market comes to first.
fn sequence(order: &OrderState) -> (bool, i128, OrderId) {
    let stop = i128::from(order.stop.expect("it waits for its stop price").ticks());
    (order.side == Side::Sell, if order.side == Side::Buy { stop } else { -stop }, order.id)
}

impl Naive {
    /// Keeps an order until its stop price is reached.
    pub(super) fn suspend(&mut self, order: OrderState) -> OrderState {
        self.happened.push(Happening::Suspended(order.id.0));
        self.stopped.push(order);
        self.reach(order.symbol);
        order
    }

    /// Queues the orders whose stop price the last trade of a symbol reaches: buys, then sells; the nearest stop price first, then the
    /// oldest order.
    pub(super) fn reach(&mut self, symbol: SymbolId) {
        let Some(last) = self.pairs[symbol.index()].last else { return };
        let is_reached = |order: &&OrderState| {
            let stop = order.stop.expect("it waits for its stop price");
            let reached = if order.side == Side::Buy { last >= stop } else { last <= stop };
            order.symbol == symbol && reached && !self.due.contains(&order.id)
        };
        let mut reached: Vec<OrderState> = self.stopped.iter().filter(is_reached).copied().collect();
        reached.sort_by_key(sequence);
        self.due.extend(reached.iter().map(|order| order.id));
    }

    /// The first order of the queue enters as a limit order that comes now.
    pub(super) fn trigger(&mut self, id: OrderId) -> Answer {
        if self.due.first() != Some(&id) || self.is_settling() || self.halted {
            return Outcome::Rejected(Reject::Trading(TradingReject::NotNow));
        }
        self.due.remove(0);
        let at = self.stopped.iter().position(|order| order.id == id).expect("it waits");
        let order = self.stopped.remove(at);
        self.happened.push(Happening::Triggered(id.0));
        match self.plan_triggered(&order) {
            Ok(plan) => {
                self.enter(order, &plan);
            }
            Err(reason) => self.happened.push(Happening::Cancelled(id.0, reason)),
        }
        Outcome::Done
    }

    /// A symbol closes: orders that no trade has reached leave, buys with the lowest stop price and sells with the highest first.
    pub(super) fn close_stopped(&mut self, symbol: SymbolId) {
        let is_waiting = |order: &&OrderState| order.symbol == symbol && !self.due.contains(&order.id);
        let mut waiting: Vec<OrderState> = self.stopped.iter().filter(is_waiting).copied().collect();
        waiting.sort_by_key(sequence);
        for order in waiting {
            self.close(order.id, CancelReason::MarketClosed);
        }
    }

    fn plan_triggered(&self, order: &OrderState) -> Result<Plan, CancelReason> {
        let place = Place::limit(order.symbol, order.side, order.price, order.remaining);
        let is_taken = match self.pairs[order.symbol.index()].status {
            SymbolStatus::Open | SymbolStatus::LimitOnly => true,
            SymbolStatus::PostOnly => !self.crosses(&place),
            SymbolStatus::Closed | SymbolStatus::CancelOnly => false,
        };
        if !is_taken {
            return Err(CancelReason::MarketClosed);
        }
        let plan = self.plan_of(order.account, &place);
        let rates = self.rates[&order.id];
        let is_afforded = !plan.gives_up_at_once() && self.affords(order.account, &place, &plan, rates);
        if is_afforded { Ok(plan) } else { Err(CancelReason::ExceedsPriceLimits) }
    }
}
