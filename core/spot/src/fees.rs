//! The fees of trading, and an order's reserve for them.

use buttonwood_model::Side;
use buttonwood_num::{Bps, Grid, Money, Price, Qty};
use buttonwood_trading::Live;

/// The reserve of a quantity at a price: a buy's notional and the worse of its fees in quote currency, a sell's
/// quantity itself in base currency (ORD-048). `None` beyond the range of money.
#[inline]
pub(crate) fn hold(grid: &Grid, side: Side, price: Price, qty: Qty, rate: Bps) -> Option<Money> {
    grid.reserve(side == Side::Buy, price, qty, rate)
}

/// The reserve of a resting order for its rest (INV-LEDGER-5).
///
/// # Panics
/// When the order is larger than money can count, which admission prevents.
#[inline]
pub(crate) fn hold_of(live: Live<'_>) -> Money {
    hold_with(live, live.order.remaining)
}

/// The reserve of `remaining` of the order.
#[inline]
fn hold_with(live: Live<'_>, remaining: Qty) -> Money {
    let order = live.order;
    let rate = live.rates().worst();
    hold(live.grid(), order.side(), order.price, remaining, rate)
        .expect("admission bounds what an order reserves")
}

/// The reserve that a resting order frees when `qty` of it trades.
#[inline]
pub fn freed(live: Live<'_>, qty: Qty) -> Money {
    if live.order.side() == Side::Sell || live.grid().has_exact_fees() {
        // Then the parts of a hold sum to the whole.
        return hold_with(live, qty);
    }
    freed_unevenly(live, qty)
}

#[cold]
fn freed_unevenly(live: Live<'_>, qty: Qty) -> Money {
    freed_of(live, live.order.remaining, qty)
}

/// The reserve that an order frees when `qty` of its rest trades.
fn freed_of(live: Live<'_>, left: Qty, qty: Qty) -> Money {
    hold_with(live, left) - hold_with(live, left - qty)
}

/// The fees of maker and taker for a fill; none beyond the range of money.
#[inline]
pub(crate) fn both_fees(maker: Live<'_>, qty: Qty, taker_rate: Bps) -> Option<[Money; 2]> {
    let grid = maker.grid();
    // Fees that are words come out even: then nothing is capped.
    match grid.fees(maker.order.price, qty, [maker.rates().maker, taker_rate]) {
        Some(fees) => Some(fees),
        None => both_fees_apart(maker, qty, taker_rate),
    }
}

#[cold]
fn both_fees_apart(maker: Live<'_>, qty: Qty, taker_rate: Bps) -> Option<[Money; 2]> {
    Some([maker_fee(maker, qty)?, maker.grid().fee(maker.order.price, qty, taker_rate)?])
}

/// The fee of a party to an auction's trade of `qty` of what the trades before it left. A buyer's is no more than what the
/// trade frees beyond its price, as a maker's.
pub(crate) fn auction_fee(live: Live<'_>, left: Qty, price: Price, qty: Qty) -> Money {
    let (grid, rates) = (live.grid(), live.rates());
    let fee = grid.fee(price, qty, rates.auction).expect("smaller than what was held, or than the notional");
    if live.order.side() == Side::Sell || grid.has_exact_fees() {
        return fee;
    }
    let notional = grid.notional(price, qty).expect("a trade is no larger than its buyer's order");
    fee.min(freed_of(live, left, qty) - notional)
}

/// The maker's fee of a fill. A buyer's is paid out of what the fill frees; where rounding made that a quantum
/// short, the fee is that quantum less, so that the fees of an order's fills sum to no more than it reserved.
fn maker_fee(maker: Live<'_>, qty: Qty) -> Option<Money> {
    let (grid, order) = (maker.grid(), maker.order);
    let fee = grid.fee(order.price, qty, maker.rates().maker)?;
    if order.side() == Side::Sell || grid.has_exact_fees() {
        return Some(fee);
    }
    Some(fee.min(freed(maker, qty) - grid.notional(order.price, qty)?))
}
