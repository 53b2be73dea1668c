//! The risk that an order may add to an account, and the fills that an account can cover.
//!
//! Clauses: `PERP-005`; decisions D-42, D-43. Not here: which fills an order gets, and forced trades, which are exempt.

use crate::Sums;
use crate::figures::size;
use buttonwood_num::Money;

/// Whether an order only reduces a position: together with the live orders of its side it is at most the opposite position.
/// `order` is positive for a buy and negative for a sell; `live` is what live orders of its side have left.
pub fn only_reduces(position: Money, live: Money, order: Money) -> bool {
    let is_opposite = position.is_negative() != order.is_negative();
    let together = || Some(size(order)?.checked_add(live)? <= size(position)?);
    is_opposite && order != Money::ZERO && together().unwrap_or(false)
}

/// Whether an order that adds risk is accepted. `after` are the sums after its immediate fills, their fees paid, with its rest among
/// the live orders; `None` (beyond the range of money) is refused.
pub fn is_affordable(after: Option<Sums>) -> bool {
    after.and_then(|after| after.available()).is_some_and(|available| available >= Money::ZERO)
}

/// Whether a party can cover a fill: it stays at or above maintenance, or the fill only reduces its position and lowers neither its
/// assets below zero nor its assets less maintenance. Sums beyond the range of money cover nothing.
pub fn covers(before: Option<Sums>, after: Option<Sums>, reduces: bool) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    let (Some(excess_before), Some(excess)) = (before.excess(), after.excess()) else { return false };
    let keeps_assets = after.assets >= Money::ZERO || after.assets >= before.assets;
    excess >= Money::ZERO || (reduces && keeps_assets && excess >= excess_before)
}

/// Whether an account carries what a fill of its resting order adds: it had available margin for all its live orders, or has the margin
/// of its positions after the fill (D-173). Sums beyond the range of money carry nothing.
pub fn carries(before: Option<Sums>, after: Option<Sums>) -> bool {
    is_affordable(before) || after.is_some_and(|after| after.assets >= after.positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dollars(amount: i128) -> Money {
        Money::from_units(amount * Money::ONE.units())
    }

    fn sums(assets: i128, positions: i128) -> Sums {
        Sums { assets: dollars(assets), positions: dollars(positions), ..Sums::default() }
    }

    /// A position of 3 can be reduced by orders of 3 together, on the other side only.
    #[test]
    fn orders_reduce_up_to_the_position() {
        let reduces = |position, live, order| only_reduces(dollars(position), dollars(live), dollars(order));
        assert!(reduces(3, 0, -3) && reduces(3, 1, -2) && reduces(-3, 2, 1));
        assert!(!reduces(3, 1, -3) && !reduces(-3, 0, 4) && !reduces(3, 0, 1) && !reduces(-3, 0, -1));
        assert!(!reduces(0, 0, 1) && !reduces(0, 0, -1) && !reduces(3, 0, 0) && !reduces(-3, 0, 0));
        assert!(!only_reduces(Money::from_units(i128::MIN), Money::ZERO, dollars(1)));
        assert!(!only_reduces(dollars(1), Money::MAX, dollars(-1)));
    }

    /// An order may use all of the available margin and not a unit more. Proves PERP-005.
    #[test]
    fn the_last_unit_of_margin_can_be_used() {
        let exact = sums(1_000, 1_000);
        assert!(is_affordable(Some(exact)));
        let short = Sums { sells: Money::from_units(1), ..exact };
        assert!(!is_affordable(Some(short)) && !is_affordable(None));
    }

    /// The risk that a resting order adds is carried by margin that was reserved for it, or by the margin of the whole position.
    #[test]
    fn a_resting_order_is_carried() {
        let reserved = Sums { sells: dollars(100), ..sums(1_000, 900) };
        let free = Sums { sells: dollars(101), ..sums(1_000, 900) };
        // A fill away from the mark may use up reserved margin, down to maintenance.
        assert!(carries(Some(reserved), Some(sums(600, 1_000))));
        assert!(
            carries(Some(free), Some(sums(1_000, 1_000))) && !carries(Some(free), Some(sums(999, 1_000)))
        );
        assert!(!carries(Some(free), None) && !carries(None, None));
    }

    /// A fill keeps a party at maintenance, or it reduces and makes nothing worse.
    #[test]
    fn a_fill_below_maintenance_only_reduces() {
        let covers = |before, after, reduces| covers(Some(before), Some(after), reduces);
        // 400 of maintenance.
        assert!(covers(sums(900, 0), sums(400, 800), false));
        assert!(!covers(sums(900, 0), sums(399, 800), false));
        // The account is 100 below; half of the position goes, at the mark and at a loss of 200.
        assert!(covers(sums(300, 800), sums(300, 400), true) && covers(sums(300, 800), sums(100, 400), true));
        assert!(
            !covers(sums(300, 800), sums(99, 400), true) && !covers(sums(300, 800), sums(150, 400), false)
        );
        // Its assets may not fall below zero, nor further below.
        assert!(covers(sums(0, 800), sums(0, 400), true) && !covers(sums(50, 800), sums(-1, 0), true));
        assert!(
            covers(sums(-50, 800), sums(-50, 400), true) && !covers(sums(-50, 800), sums(-51, 400), true)
        );
        assert!(!super::covers(None, Some(sums(1, 0)), true) && !super::covers(Some(sums(1, 0)), None, true));
    }
}
