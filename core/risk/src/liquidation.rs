//! The sums of a liquidation: when it is due, how much of which position goes, at which price, and who can take it.
//!
//! Clauses: `PERP-027` to `PERP-029`; decisions D-52, D-53, D-178. Not here: orders and commands.

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

/// The part of what an account without positions owes that its assets keep as a reserve: a twentieth.
const RESERVE: i128 = 20;

/// Whether liquidation of an account without positions is due that owes: its assets, which count collateral and what is owed, are below a
/// twentieth of what it owes. Sums beyond the range of money (`None`) start none.
pub fn is_stranded(sums: Option<Sums>, owed: Money) -> bool {
    let assets = sums.map(|sums| sums.assets.units().saturating_mul(RESERVE));
    owed > Money::ZERO && assets.is_some_and(|assets| assets < owed.units())
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
    // A subtrahend is rounded the other way.
    let opposite = if quantity.is_negative() { Round::Up } else { Round::Down };
    let distance = assets.over(quantity, opposite)?;
    Some(mark.checked_sub(distance)?.to_step(tick, round)?.max(tick))
}

/// The assets that a zero price is computed from: the assets, but never less than nothing for a debt of returned advances, which the
/// group owes and neither the fund nor opposite positions pay (D-181).
pub fn without_debt(assets: Money, debt: Money) -> Money {
    if assets.is_negative() { assets.capped_add(debt).min(Money::ZERO) } else { assets }
}

/// The fee that goes to the insurance fund: 0.5 % of what traded, rounded up at 10⁻¹⁹, but never more than the account's assets after
/// the trade.
pub fn fee(traded: Money, assets_after: Money) -> Money {
    let fee = size(traded).and_then(|traded| traded.mul_div(FEE, PARTS, Round::Up)).unwrap_or(Money::MAX);
    fee.min(assets_after).max(Money::ZERO)
}

/// The insurance fund, as one sum over all products (D-178), in dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fund {
    /// Its worth at marks and indices, less its debts.
    pub assets: Money,
    /// The value of all that it holds: positions, each without its sign, and currencies that are no dollars.
    pub holds: Money,
}

/// The part that an account under liquidation offers to the fund.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered {
    /// In the base currency, with the sign of the position.
    pub quantity: Money,
    /// The zero price, at which the fund takes it.
    pub price: Money,
    /// The mark, or the index, at which the fund values it.
    pub mark: Money,
    /// The step of quantities.
    pub lot: Money,
    /// The fund's own position in the same, with its sign.
    pub own: Money,
}

/// The fund's assets are at least this part of all that it holds: a tenth.
const CARRIED: i128 = 10;

impl Fund {
    /// How much of what is offered the fund takes, without its sign: as much, cut to the lot, as leaves its assets at a tenth of all that
    /// it then holds, valued at the mark. Zero if that is nothing, and beyond the range of money.
    pub fn takes(&self, offered: &Offered) -> Money {
        let Some(whole) = size(offered.quantity).filter(|_| offered.lot > Money::ZERO) else {
            return Money::ZERO;
        };
        if self.carries(offered, whole) {
            return whole;
        }
        // Assets less a tenth of what it holds is concave in the part, and may rise until the fund's own opposite position is closed. So
        // the parts that it carries are one interval.
        let is_opposite = offered.own.is_negative() != offered.quantity.is_negative();
        let own = size(offered.own).filter(|_| is_opposite).unwrap_or(Money::ZERO);
        let lots = |part: Money| part.units().checked_div(offered.lot.units()).unwrap_or(0);
        let part = |lots: i128| Money::from_units(lots.saturating_mul(offered.lot.units()));
        let mut begins = [lots(own.min(whole)), 0].into_iter();
        let Some(mut least) = begins.find(|lots| self.carries(offered, part(*lots))) else {
            return Money::ZERO;
        };
        let mut beyond = lots(whole).saturating_add(1);
        while beyond - least > 1 {
            let middle = least + (beyond - least) / 2;
            if self.carries(offered, part(middle)) {
                least = middle;
            } else {
                beyond = middle;
            }
        }
        part(least)
    }

    /// Whether the fund's assets are a tenth of all that it holds with a part of what is offered.
    fn carries(&self, offered: &Offered, part: Money) -> bool {
        let Offered { quantity, price, mark, own, .. } = *offered;
        let carries = || {
            let part = if quantity.is_negative() { Money::ZERO.checked_sub(part)? } else { part };
            let gain = part.times(mark.checked_sub(price)?, Round::Down)?;
            let own_value = |own: Money| size(own)?.times(mark, Round::Up);
            let others = self.holds.checked_sub(own_value(own)?)?;
            let holds = others.checked_add(own_value(own.checked_add(part)?)?)?;
            let assets = self.assets.checked_add(gain)?;
            Some(assets >= Money::ZERO && assets >= holds.mul_div(1, CARRIED, Round::Up)?)
        };
        carries().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests;
