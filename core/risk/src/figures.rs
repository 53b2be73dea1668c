//! The figures of an account that trades perpetuals: assets, margin, and what follows from them.
//!
//! Terms of a symbol, reserves and maintenance are rounded up at 10⁻¹⁹, collateral and leverage down; everything else is exact.
//! Sums are `None` beyond the range of money, and a caller refuses then.
//!
//! Clauses: `PERP-003` to `PERP-005`, `PERP-030`; decisions D-40, D-41, D-44, D-47.

use crate::leverage::HUNDREDTHS;
use crate::{Collateral, Leverage, Position};
use buttonwood_num::{Money, Round, mul_div};

/// A position of an account, the live orders of its symbol, and what they are weighed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    /// The position.
    pub position: Position,
    /// The mark of the symbol.
    pub mark: Money,
    /// The lower one of the account's and the symbol's highest leverage.
    pub cap: Leverage,
    /// The open quantity of live buys, in the base currency.
    pub live_buys: Money,
    /// The open quantity of live sells, in the base currency.
    pub live_sells: Money,
}

impl Holding {
    /// The parts of the live buys and sells beyond what would reduce the position.
    fn beyond(&self) -> Option<[Money; 2]> {
        let quantity = self.position.quantity;
        let opposite = Money::ZERO.checked_sub(quantity)?;
        let beyond =
            |live: Money, reduces: Money| Some(live.checked_sub(reduces.max(Money::ZERO))?.max(Money::ZERO));
        Some([beyond(self.live_buys, opposite)?, beyond(self.live_sells, quantity)?])
    }

    /// abs(quantity) × mark, rounded up at 10⁻¹⁹. `None` beyond the range of money.
    pub fn notional(&self) -> Option<Money> {
        size(self.position.quantity)?.times(self.mark, Round::Up)
    }
}

/// The amount without its sign.
pub(crate) fn size(amount: Money) -> Option<Money> {
    amount.units().checked_abs().map(Money::from_units)
}

/// Sums over the positions and live orders of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// GUSD − what is owed + collateral + unrealised profit and loss.
    pub assets: Money,
    /// Unrealised profit and loss.
    pub unrealised: Money,
    /// Margin of positions.
    pub positions: Money,
    /// Margin of live buys.
    pub buys: Money,
    /// Margin of live sells.
    pub sells: Money,
    /// Value of positions, each without its sign.
    pub notional: Money,
}

impl Sums {
    /// Of an account without positions: GUSD less what it owes, and collateral.
    pub fn of_money(
        gusd: Money,
        owed: Money,
        collateral: impl IntoIterator<Item = Collateral>,
    ) -> Option<Self> {
        let mut assets = gusd.checked_sub(owed)?;
        for held in collateral {
            assets = assets.checked_add(held.value()?)?;
        }
        Some(Self { assets, ..Self::default() })
    }

    /// Of an account with holdings.
    pub fn of(
        gusd: Money,
        owed: Money,
        collateral: impl IntoIterator<Item = Collateral>,
        holdings: impl IntoIterator<Item = Holding>,
    ) -> Option<Self> {
        holdings
            .into_iter()
            .try_fold(Self::of_money(gusd, owed, collateral)?, |sums, holding| sums.with(&holding))
    }

    /// Adds a holding.
    pub fn with(self, holding: &Holding) -> Option<Self> {
        let Holding { position, mark, cap, .. } = *holding;
        let notional = holding.notional()?;
        let unrealised = position.unrealised(mark)?;
        let [buys, sells] = holding.beyond()?;
        // A mark adds up every position, and few have live orders: no division for those without.
        let reserve = |quantity: Money| match quantity {
            Money::ZERO => Some(Money::ZERO),
            quantity => cap.margin(quantity.times(mark, Round::Up)?),
        };
        Some(Self {
            assets: self.assets.checked_add(unrealised)?,
            unrealised: self.unrealised.checked_add(unrealised)?,
            positions: self.positions.checked_add(cap.margin(notional)?)?,
            buys: self.buys.checked_add(reserve(buys)?)?,
            sells: self.sells.checked_add(reserve(sells)?)?,
            notional: self.notional.checked_add(notional)?,
        })
    }

    /// Margin of live orders.
    pub fn reserved(&self) -> Option<Money> {
        self.buys.checked_add(self.sells)
    }

    /// Margin of positions and of live orders.
    pub fn initial(&self) -> Option<Money> {
        self.positions.checked_add(self.reserved()?)
    }

    /// Assets less initial margin; may be negative.
    pub fn available(&self) -> Option<Money> {
        self.assets.checked_sub(self.initial()?)
    }

    /// Half of the margin of positions, rounded up.
    pub fn maintenance(&self) -> Money {
        self.positions.mul_div(1, 2, Round::Up).unwrap_or(Money::MAX)
    }

    /// Assets less maintenance; negative if liquidation is due.
    pub fn excess(&self) -> Option<Money> {
        self.assets.checked_sub(self.maintenance())
    }

    /// Notional ÷ assets, rounded down at 10⁻¹⁹; zero where assets are not above zero. It ends at the largest number.
    pub fn leverage(&self) -> Money {
        if self.assets <= Money::ZERO {
            return Money::ZERO;
        }
        self.notional.over(self.assets, Round::Down).unwrap_or(Money::MAX)
    }

    /// How much of a symbol the available margin carries: available × cap ÷ mark, floored to the lot, at least zero; zero too without
    /// a positive mark and lot, and beyond the range of money.
    pub fn power(&self, cap: Leverage, mark: Money, lot: Money) -> Money {
        let power = || {
            let available = self.available()?.max(Money::ZERO);
            let factor = i128::from(cap.hundredths()) * Money::ONE.units();
            let divisor = mark.units().checked_mul(HUNDREDTHS).filter(|divisor| *divisor > 0)?;
            available.mul_div(factor, divisor, Round::Down)?.to_step(lot, Round::Down)
        };
        power().unwrap_or(Money::ZERO)
    }

    /// The margin that orders may use and the margin that may leave: available, and available less the unrealised profit where that
    /// is positive. Both are at least zero, and zero beyond the range of money.
    pub fn free(&self) -> Free {
        let available = self.available();
        let leaving = available.and_then(|available| available.checked_sub(self.unrealised.max(Money::ZERO)));
        let [usable, leaving] =
            [available, leaving].map(|margin| margin.unwrap_or(Money::ZERO).max(Money::ZERO));
        Free { usable, leaving }
    }
}

/// The margin that is free, in dollars. GUSD: the lesser of it and of what is held; other currencies: [`Collateral::worth`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Free {
    /// For orders.
    pub usable: Money,
    /// For withdrawals and transfers.
    pub leaving: Money,
}

/// The figures on which the liquidation price of a symbol depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiquidationPoint<'a> {
    /// The sums of the account without the holding and without `collateral`.
    pub others: &'a Sums,
    /// The position and its live orders, which do not matter here.
    pub holding: &'a Holding,
    /// Collateral in the base currency of the symbol, which moves with the price; `None` without cross collateral.
    pub collateral: Option<Collateral>,
    /// The price step.
    pub tick: Money,
}

impl LiquidationPoint<'_> {
    /// The price at which assets equal maintenance, the prices of other currencies fixed, rounded to the price step towards the
    /// mark: at this price the account keeps its position, one step further it is liquidated. The index is taken to be the same
    /// price, since a mark stays near it. `None` without a position, without a positive price, and beyond the range of money.
    pub fn price(&self) -> Option<Money> {
        let (numerator, denominator) = self.quotient()?;
        let one = Money::ONE.units();
        let floor = Money::from_units(mul_div(numerator, one, denominator, Round::Down)?);
        let round = if floor < self.holding.mark { Round::Up } else { Round::Down };
        let exact = Money::from_units(mul_div(numerator, one, denominator, round)?);
        exact.to_step(self.tick, round).filter(|price| *price > Money::ZERO)
    }

    /// assets(p) = fixed + (quantity + moving) × p and maintenance(p) = (others + abs(quantity) × p ÷ cap) ÷ 2. Equal at
    /// p = cap × (others − 2 × fixed) ÷ (2 × cap × (quantity + moving) − abs(quantity)), with the cap in hundredths.
    fn quotient(&self) -> Option<(i128, i128)> {
        let Holding { position, cap, .. } = *self.holding;
        if position.is_flat() && self.others.positions == Money::ZERO {
            return None;
        }
        let moving = self.collateral.map_or(Some(Money::ZERO), |collateral| collateral.counted())?;
        let fixed = self.others.assets.checked_sub(position.cost)?;
        let cap = i128::from(cap.hundredths());
        let numerator = self.others.positions.units().checked_sub(fixed.units().checked_mul(2)?)?;
        let slope = position.quantity.checked_add(moving)?.units().checked_mul(2 * cap)?;
        let denominator = slope.checked_sub(size(position.quantity)?.units().checked_mul(HUNDREDTHS)?)?;
        Some((numerator.checked_mul(cap)?, denominator))
    }
}

#[cfg(test)]
mod tests;
