//! Positions at average cost.

use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// One unit of a currency, in units of [`Money`].
pub(crate) const ONE: u128 = 10u128.pow(19);

/// What an account has bought or sold of a contract, and for how much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// In the base currency; negative if it is short.
    pub quantity: Money,
    /// In the quote currency, with the sign of the quantity.
    pub cost: Money,
    /// Profit or loss since the position was flat or turned around, without fees and funding.
    pub realised: Money,
}

impl Position {
    /// Whether it is flat.
    pub fn is_flat(&self) -> bool {
        self.quantity == Money::ZERO
    }

    /// The position after a fill, and the profit or loss that the fill realises. `quantity` and `value` (quantity × price)
    /// are negative for a sale. None beyond the range of money.
    ///
    /// A partial close takes its share of the cost, and the remainder of the rounding stays. A fill through zero closes the
    /// position and opens another one at its own price.
    pub fn after(self, quantity: Money, value: Money) -> Option<(Self, Money)> {
        let whole = self.quantity.checked_add(quantity)?;
        if self.is_flat() {
            return Some((Self { quantity, cost: value, realised: Money::ZERO }, Money::ZERO));
        }
        if self.quantity.is_negative() == quantity.is_negative() {
            let cost = self.cost.checked_add(value)?;
            return Some((Self { quantity: whole, cost, ..self }, Money::ZERO));
        }
        let [held, filled] = [self.quantity, quantity].map(size);
        if filled <= held {
            let share = self.cost.scaled(filled, held)?;
            let profit = -value.checked_add(share)?;
            let realised = self.realised.checked_add(profit)?;
            return Some((Self { quantity: whole, cost: self.cost - share, realised }, profit));
        }
        let closing = value.scaled(held, filled)?;
        let profit = -closing.checked_add(self.cost)?;
        Some((Self { quantity: whole, cost: value - closing, realised: Money::ZERO }, profit))
    }

    /// Its value at a price, with its sign. Exact for quantities of up to 6 decimals and prices of up to 12; otherwise
    /// rounded towards zero. None beyond the range of money.
    pub fn value(&self, price: Money) -> Option<Money> {
        self.quantity.scaled(size(price), ONE)
    }

    /// Profit or loss at a price, before it is realised. None beyond the range of money.
    pub fn unrealised(&self, price: Money) -> Option<Money> {
        self.value(price)?.checked_add(-self.cost)
    }

    /// Cost ÷ quantity, rounded towards zero at 10⁻¹⁹; zero for a flat position.
    pub fn average_cost(&self) -> Money {
        let cost = if self.quantity.is_negative() { -self.cost } else { self.cost };
        cost.scaled(ONE, size(self.quantity)).unwrap_or(Money::ZERO)
    }
}

/// An amount without its sign, in units.
pub(crate) fn size(amount: Money) -> u128 {
    amount.units().unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(amount: i128) -> Money {
        Money::from_units(amount)
    }

    fn position(quantity: i128, cost: i128, realised: i128) -> Position {
        Position { quantity: units(quantity), cost: units(cost), realised: units(realised) }
    }

    /// Each fill of a list, with the position after it and what it realises.
    fn check(fills: &[([i128; 2], Position, i128)]) {
        let mut now = Position::default();
        for ([quantity, value], after, profit) in fills {
            let (next, realised) = now.after(units(*quantity), units(*value)).unwrap();
            assert_eq!((next, realised), (*after, units(*profit)), "{quantity} for {value}");
            now = next;
        }
    }

    /// Adding averages the cost; a partial close realises its share and leaves the remainder of the rounding in the rest.
    /// Proves PERP-008.
    #[test]
    fn a_long_position_is_built_and_closed() {
        check(&[
            ([2, 200], position(2, 200, 0), 0),
            ([1, 101], position(3, 301, 0), 0),
            // A third of 301 is 100, and the rest keeps 201.
            ([-1, -110], position(2, 201, 10), 10),
            ([-2, -180], position(0, 0, -11), -21),
            // What was realised counts from the next opening on.
            ([1, 90], position(1, 90, 0), 0),
        ]);
    }

    /// A short position mirrors a long one.
    #[test]
    fn a_short_position_is_built_and_closed() {
        check(&[
            ([-3, -301], position(-3, -301, 0), 0),
            ([1, 90], position(-2, -201, 10), 10),
            ([2, 211], position(0, 0, 0), -10),
        ]);
    }

    /// A fill through zero closes the whole position and opens the other one at its own price.
    #[test]
    fn a_fill_through_zero_opens_at_its_own_price() {
        check(&[
            ([2, 200], position(2, 200, 0), 0),
            ([-5, -600], position(-3, -360, 0), 40),
            ([4, 400], position(1, 100, 0), 60),
        ]);
    }

    /// Profit and average cost at a price of 12 decimals, of both signs.
    #[test]
    fn profit_is_exact() {
        let one = 10i128.pow(19);
        let long = position(2 * one / 10, 3_000 * one, 0);
        let mark = units(2_000_018 * one / 100);
        assert_eq!(long.average_cost(), units(15_000 * one));
        assert_eq!(long.unrealised(mark).unwrap() + long.cost, long.value(mark).unwrap());
        let short = Position { quantity: -long.quantity, cost: -long.cost, realised: Money::ZERO };
        assert_eq!(short.unrealised(mark).unwrap(), -long.unrealised(mark).unwrap());
        assert_eq!(
            (short.average_cost(), Position::default().average_cost()),
            (long.average_cost(), Money::ZERO)
        );
        assert_eq!(position(1, i128::MAX, 0).after(units(1), units(1)), None);
    }
}
