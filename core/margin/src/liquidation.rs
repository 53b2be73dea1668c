//! The sums of a liquidation: when it is due, how much of which position goes, at which price, and who can take it.
//!
//! Clauses: `PERP-027` to `PERP-029`; decisions D-52, D-53. Not here: orders and commands.

use crate::Sums;
use crate::figures::size;
use buttonwood_num::{Money, Round};

/// A position of a smaller notional goes whole: 10,000 dollars.
pub const WHOLE_BELOW: Money = Money::from_units(10_000 * Money::ONE.units());

/// The fee of the insurance fund: 50 parts of 10,000 of what trades.
const FEE: i128 = 50;
const PARTS: i128 = 10_000;

/// Whether liquidation of an account with positions is due: assets are below maintenance. Sums beyond the range of money (`None`)
/// start none.
pub fn is_due(sums: Option<Sums>) -> bool {
    sums.is_some_and(|sums| sums.positions > Money::ZERO && sums.assets < sums.maintenance())
}

/// abs(quantity) × price, rounded up at 10⁻¹⁹; beyond the range of money it is the largest amount.
fn notional(quantity: Money, price: Money) -> Money {
    size(quantity).and_then(|size| size.times(price, Round::Up)).unwrap_or(Money::MAX)
}

/// The place of the position with the largest notional among pairs of quantity and mark; of equal ones the first. `None` without a
/// position.
pub fn largest(positions: impl IntoIterator<Item = (Money, Money)>) -> Option<usize> {
    let mut found: Option<(usize, Money)> = None;
    for (place, (quantity, mark)) in positions.into_iter().enumerate() {
        let notional = notional(quantity, mark);
        if quantity != Money::ZERO && found.is_none_or(|(_, most)| notional > most) {
            found = Some((place, notional));
        }
    }
    found.map(|(place, _)| place)
}

/// How much of a position goes in a step, without its sign: half, rounded up to the lot and never more than there is, or all of it
/// if its notional is below [`WHOLE_BELOW`]. All of it too without a positive lot.
pub fn step(quantity: Money, mark: Money, lot: Money) -> Money {
    let whole = size(quantity).unwrap_or(Money::MAX);
    if notional(quantity, mark) < WHOLE_BELOW {
        return whole;
    }
    let half = whole.mul_div(1, 2, Round::Up).and_then(|half| half.to_step(lot, Round::Up));
    half.map_or(whole, |half| half.min(whole))
}

/// The zero price: the price at which the whole position, closed, leaves the account with nothing. It is mark − assets ÷ quantity,
/// rounded to the price step in the account's favour: up for a long position, down for a short one. A price below one step becomes
/// one step. `None` for a flat position, and beyond the range of money.
pub fn zero_price(assets: Money, quantity: Money, mark: Money, tick: Money) -> Option<Money> {
    let round = if quantity.is_negative() { Round::Down } else { Round::Up };
    // What is subtracted is rounded the other way.
    let opposite = if quantity.is_negative() { Round::Up } else { Round::Down };
    let distance = assets.over(quantity, opposite)?;
    Some(mark.checked_sub(distance)?.to_step(tick, round)?.max(tick))
}

/// The fee that goes to the insurance fund: 0.5 % of what traded, rounded up at 10⁻¹⁹, but never more than the account's assets after
/// the trade.
pub fn fee(traded: Money, assets_after: Money) -> Money {
    let fee = size(traded).and_then(|traded| traded.mul_div(FEE, PARTS, Round::Up)).unwrap_or(Money::MAX);
    fee.min(assets_after).max(Money::ZERO)
}

/// Whether the insurance fund can take a position at a price: its assets (GUSD + unrealised profit + collateral − what it owes) stay
/// at or above zero, valued at the mark. `quantity` has the sign of the position. False beyond the range of money.
pub fn fund_takes(fund_assets: Money, quantity: Money, price: Money, mark: Money) -> bool {
    let after = || {
        let gain = quantity.times(mark.checked_sub(price)?, Round::Down)?;
        Some(fund_assets.checked_add(gain)? >= Money::ZERO)
    };
    after().unwrap_or(false)
}

#[cfg(test)]
mod tests;
