//! Positions at average cost.
//!
//! Clauses: `PERP-007`, `PERP-008`; decision D-45. Not here: fees and funding, which change no position.

use buttonwood_num::{Money, Round};
use serde::{Deserialize, Serialize};

/// The quantity of a contract that an account has bought or sold, and its price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// In the base currency; negative if it is short.
    pub quantity: Money,
    /// In the quote currency, with the sign of the quantity.
    pub cost: Money,
    /// Profit or loss since the position was flat or flipped, without fees and funding.
    pub realised: Money,
}

/// The effect of a fill on a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The position after the fill.
    pub position: Position,
    /// The profit or loss that the fill realises, even if the position then counts anew.
    pub realised: Money,
}

impl Position {
    /// Whether it is flat.
    pub fn is_flat(&self) -> bool {
        self.quantity == Money::ZERO
    }

    /// Applies a fill. `quantity` and `value` (quantity × price, in the quote currency) are positive for a purchase and negative for
    /// a sale. `None` beyond the range of money.
    ///
    /// A partial close takes its share of the cost, rounded towards zero; the remainder of the rounding stays in the cost of the
    /// rest. A fill through zero closes the position and opens another one at the fill's own price. At every fill, `realised` is
    /// the change of the cost less `value`, so that what two parties realise and carry as cost always sums to zero.
    pub fn after(self, quantity: Money, value: Money) -> Option<Applied> {
        let whole = self.quantity.checked_add(quantity)?;
        if self.is_flat() || self.quantity.is_negative() == quantity.is_negative() {
            return self.with(whole, self.cost.checked_add(value)?, Money::ZERO);
        }
        if whole == Money::ZERO || whole.is_negative() == self.quantity.is_negative() {
            let share = self.cost.mul_div(quantity.units(), self.quantity.units(), Round::Cut)?;
            // The share is negative, since the two quantities have opposite signs.
            let cost = self.cost.checked_add(share)?;
            return self.with(whole, cost, share.checked_sub(value)?);
        }
        let opening = value.mul_div(whole.units(), quantity.units(), Round::Cut)?;
        let realised = opening.checked_sub(self.cost)?.checked_sub(value)?;
        let position = Self { quantity: whole, cost: opening, realised: Money::ZERO };
        Some(Applied { position, realised })
    }

    fn with(self, quantity: Money, cost: Money, realised: Money) -> Option<Applied> {
        let position = if quantity == Money::ZERO {
            Self::default()
        } else {
            Self { quantity, cost, realised: self.realised.checked_add(realised)? }
        };
        Some(Applied { position, realised })
    }

    /// quantity × price, with the sign of the quantity. Exact while both have 19 decimals together; otherwise rounded towards zero.
    /// `None` beyond the range of money.
    pub fn value(&self, price: Money) -> Option<Money> {
        self.quantity.times(price, Round::Cut)
    }

    /// Profit or loss at a price: value − cost. `None` beyond the range of money.
    pub fn unrealised(&self, price: Money) -> Option<Money> {
        self.value(price)?.checked_sub(self.cost)
    }

    /// cost ÷ quantity with a rounding, at 10⁻¹⁹; zero for a flat position and beyond the range of money.
    pub fn average_cost(&self, round: Round) -> Money {
        self.cost.over(self.quantity, round).unwrap_or(Money::ZERO)
    }
}

#[cfg(test)]
mod tests;
