//! What trading costs, and what an order reserves for it.

use buttonwood_book::Order;
use buttonwood_model::Side;
use buttonwood_num::{Bps, Grid, Money, Price, Qty};
use buttonwood_planted::{Bug, planted};
use serde::{Deserialize, Serialize};

/// Fee rates of orders placed through the interface (D-31).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeeSchedule {
    /// Of the resting order.
    pub maker: Bps,
    /// Of the incoming order.
    pub taker: Bps,
}

impl FeeSchedule {
    /// The higher rate: what a hold is reckoned with.
    #[inline]
    pub(crate) fn worst(self) -> Bps {
        if planted(Bug::HoldTooSmall) { self.maker.min(self.taker) } else { self.maker.max(self.taker) }
    }

    /// What a limit buy reserves, in quote currency; `None` beyond the range of money (ORD-048).
    pub fn buy_reserves(self, grid: &Grid, price: Price, qty: Qty) -> Option<Money> {
        hold(grid, Side::Buy, price, qty, self.worst())
    }

    /// Whether no fee can exceed what it is charged on.
    pub fn is_valid(self) -> bool {
        u32::from(self.worst().0) <= Bps::WHOLE
    }
}

impl Default for FeeSchedule {
    fn default() -> Self {
        Self { maker: Bps(20), taker: Bps(40) }
    }
}

/// What a quantity at a price reserves: a buy its notional and the worse of its fees in quote currency, a sell the
/// quantity itself in base currency (ORD-048). `None` beyond the range of money.
#[inline]
pub(crate) fn hold(grid: &Grid, side: Side, price: Price, qty: Qty, rate: Bps) -> Option<Money> {
    grid.reserve(side == Side::Buy, price, qty, rate)
}

/// What a resting order reserves for what it has left (INV-LEDGER-5).
///
/// # Panics
/// When the order is larger than money can count, which admission prevents.
#[inline]
pub fn hold_of(grid: &Grid, order: &Order) -> Money {
    hold_with(grid, order, order.remaining)
}

/// What `remaining` of the order reserves.
#[inline]
fn hold_with(grid: &Grid, order: &Order, remaining: Qty) -> Money {
    let rate = order.maker_rate.max(order.taker_rate);
    hold(grid, order.side, order.price, remaining, rate).expect("admission bounds what an order reserves")
}

/// What a resting order frees when `qty` of it trades.
#[inline]
pub(crate) fn freed(grid: &Grid, order: &Order, qty: Qty) -> Money {
    if order.side == Side::Sell || grid.has_exact_fees() {
        // Then the parts of a hold sum to the whole.
        return hold_with(grid, order, qty);
    }
    freed_unevenly(grid, order, qty)
}

#[cold]
fn freed_unevenly(grid: &Grid, order: &Order, qty: Qty) -> Money {
    hold_of(grid, order) - hold_with(grid, order, order.remaining - qty)
}

/// What maker and taker pay for a fill.
#[inline]
pub(crate) fn both_fees(grid: &Grid, maker: &Order, qty: Qty, taker_rate: Bps) -> Option<[Money; 2]> {
    // Fees that are words come out even: then nothing is capped.
    match grid.fees(maker.price, qty, [maker_rate(maker), taker_rate]) {
        Some(fees) => Some(fees),
        None => both_fees_apart(grid, maker, qty, taker_rate),
    }
}

#[cold]
fn both_fees_apart(grid: &Grid, maker: &Order, qty: Qty, taker_rate: Bps) -> Option<[Money; 2]> {
    Some([maker_fee(grid, maker, qty)?, grid.fee(maker.price, qty, taker_rate)?])
}

#[inline]
fn maker_rate(maker: &Order) -> Bps {
    if planted(Bug::MakerPaysTakerRate) { maker.taker_rate } else { maker.maker_rate }
}

/// The maker's fee of a fill. A buyer's is paid out of what the fill frees; where rounding made that a quantum
/// short, the fee is that quantum less, so that the fees of an order's fills sum to no more than it reserved.
fn maker_fee(grid: &Grid, maker: &Order, qty: Qty) -> Option<Money> {
    let fee = grid.fee(maker.price, qty, maker_rate(maker))?;
    if maker.side == Side::Sell || grid.has_exact_fees() || planted(Bug::MakerFeeUncapped) {
        return Some(fee);
    }
    Some(fee.min(freed(grid, maker, qty) - grid.notional(maker.price, qty)?))
}
