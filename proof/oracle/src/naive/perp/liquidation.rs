//! Liquidation, naively: the zero price, the part of a position that goes, the deleveraging order and its prices, with fractions of any
//! length. Written from the specification, not from the core.

use super::{exact, rounded_down, rounded_up, whole};
use buttonwood_model::AccountId;
use buttonwood_num::Money;
use num_bigint::BigInt;
use num_rational::BigRational;

/// A position of an account, with the account's assets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PerpHolder {
    /// The account.
    pub(crate) account: AccountId,
    /// Its quantity; negative if it is short.
    pub(crate) quantity: Money,
    /// The cost of the position, with the sign of the quantity.
    pub(crate) cost: Money,
    /// The assets of the account at the marks.
    pub(crate) assets: Money,
}

/// The multiple of a step at or above a value.
fn step_up(value: &BigRational, step: Money) -> BigRational {
    (value / exact(step)).ceil() * exact(step)
}

fn step_down(value: &BigRational, step: Money) -> BigRational {
    (value / exact(step)).floor() * exact(step)
}

fn size(quantity: Money) -> BigRational {
    let quantity = exact(quantity);
    quantity.clone().max(-quantity)
}

/// mark − assets ÷ quantity, rounded to the price step in the account's favour: a long one sells for more, a short one buys for less. A
/// price below one step is one step.
pub(crate) fn perp_zero_price(assets: Money, quantity: Money, mark: Money, tick: Money) -> Money {
    let price = exact(mark) - exact(assets) / exact(quantity);
    let stepped = if quantity.is_negative() { step_down(&price, tick) } else { step_up(&price, tick) };
    rounded_down(&stepped.max(exact(tick)))
}

/// How much of a position a round closes: half, rounded up to the lot, or all of it below a notional of 10,000.
pub(crate) fn perp_part(quantity: Money, mark: Money, lot: Money) -> Money {
    let whole_size = size(quantity);
    let half = step_up(&(&whole_size / whole(2)), lot);
    let part = if &whole_size * exact(mark) < whole(10_000) { whole_size } else { half.min(whole_size) };
    rounded_down(&part)
}

/// The insurance fund over all products, and what it is offered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PerpFund {
    /// Dollars that it has, at marks and indices.
    pub(crate) assets: Money,
    /// The value of its positions of other contracts, without their signs, and of its other currencies.
    pub(crate) others: Money,
    /// Its position of the contract.
    pub(crate) own: Money,
}

/// How much of a position, without its sign, the fund takes at a price: the largest part of whole lots, or all of it, with which its
/// assets at the mark are a tenth of the value of all that it holds.
pub(crate) fn perp_fund_takes(fund: &PerpFund, quantity: Money, [price, mark, lot]: [Money; 3]) -> Money {
    let sign = whole(if quantity < Money::ZERO { -1 } else { 1 });
    let all = size(quantity);
    let tenth = exact(mark) / whole(10);
    let gain = &sign * (exact(mark) - exact(price));
    // The surplus of the assets over a tenth of its holdings, with a part.
    let above = |part: &BigRational| {
        let own = exact(fund.own) + &sign * part;
        exact(fund.assets) + &gain * part - exact(fund.others) / whole(10) - own.clone().max(-own) * &tenth
    };
    let none = whole(0);
    let is_good = |part: &BigRational| above(part) >= none && exact(fund.assets) + &gain * part >= none;
    if is_good(&all) {
        return rounded_down(&all);
    }
    let closing = if exact(fund.own) * &sign < none { size(fund.own).min(all.clone()) } else { none.clone() };
    let closed = step_down(&closing, lot);
    // From a part that is good, the value falls along a line to its zero: the last good part.
    let fall = |from: &BigRational, to: &BigRational| {
        let slope = (above(from) - above(to)) / (to - from);
        step_down(&(from + above(from) / slope), lot)
    };
    let most = if is_good(&closed) && closing < all && is_good(&closing) {
        fall(&closing, &all)
    } else if is_good(&closed) {
        closed
    } else if is_good(&none) && closing > none {
        fall(&none, &closing)
    } else {
        none.clone()
    };
    rounded_down(&most)
}

/// The fee of what the book took: 0.5 %, at most what the account has left.
pub(crate) fn perp_fee(traded: Money, assets: Money) -> Money {
    rounded_up(&(exact(traded) / whole(200))).min(assets).max(Money::ZERO)
}

/// The opposite positions in deleveraging order: the profitable ones by their scores, those of accounts without assets after them, then
/// the others; ties go to the older account, and the insurance fund comes last.
pub(crate) fn perp_deleveraging_order(holders: &mut [PerpHolder], mark: Money, fund: AccountId) {
    let key = |holder: &PerpHolder| {
        let value = exact(holder.quantity) * exact(mark);
        let profit = &value - exact(holder.cost);
        let assets = exact(holder.assets);
        let (class, score) = if profit <= whole(0) {
            (2, BigInt::ZERO)
        } else if assets <= whole(0) {
            (1, BigInt::ZERO)
        } else {
            let cost = exact(holder.cost);
            let weighed = profit / cost.clone().max(-cost) * (value.clone().max(-value) / assets);
            (0, -(weighed * whole(1_000_000_000)).floor().to_integer())
        };
        (holder.account == fund, class, score, holder.account)
    };
    holders.sort_by_cached_key(key);
}

/// The price at which a holder is deleveraged: the zero price, but no further into its loss than the mark or its average cost, whichever
/// lets it pay more; the average cost at 12 decimals in its favour.
pub(crate) fn perp_deleveraging_price(holder: &PerpHolder, zero_price: Money, mark: Money) -> Money {
    let average = exact(holder.cost) / exact(holder.quantity);
    let decimals = Money::from_units(10_i128.pow(7));
    let (zero, mark) = (exact(zero_price), exact(mark));
    let price = if holder.quantity.is_negative() {
        // It buys.
        zero.min(mark.max(step_down(&average, decimals)))
    } else {
        zero.max(mark.min(step_up(&average, decimals)))
    };
    rounded_down(&price)
}

/// The amount of a collateral that is taken for a debt, and the amount repaid for it: at the haircut value, rounded up, at most
/// the holding.
pub(crate) fn perp_seized([held, index]: [Money; 2], percent: u8, owed: Money) -> [Money; 2] {
    let unit = exact(index) * whole(percent.into()) / whole(100);
    if unit == whole(0) || owed == Money::ZERO {
        return [Money::ZERO; 2];
    }
    let needed = rounded_up(&(exact(owed) / &unit));
    if needed < held {
        return [needed, owed];
    }
    // As assets count it: rounded down after each of the two products.
    [held, perp_collateral([held, index], percent).min(owed)]
}

/// The value of a collateral: amount × percentage, rounded down, × index, rounded down.
pub(crate) fn perp_collateral([held, index]: [Money; 2], percent: u8) -> Money {
    let counted = rounded_down(&(exact(held) * whole(percent.into()) / whole(100)));
    rounded_down(&(exact(counted) * exact(index)))
}
