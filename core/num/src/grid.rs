//! A symbol's increments, and the exact products of its prices and quantities.
//!
//! Clauses: `SYM-009` to `SYM-013`, `TYPE-010`, `TYPE-019`; decision D-29 (a fee ends at 10⁻¹⁹, rounded up).

use crate::digits::{pow10, push_fixed, push_trimmed};
use crate::rate::divide_up;
use crate::{Bps, Decimal, HUNDREDTHS_PER_LOT, MONEY_DECIMALS, Money, Price, Qty, Ratio};
use alloc::vec::Vec;
use core::hint::select_unpredictable;
use serde::{Deserialize, Serialize};

/// Price step and lot of a symbol, and the money value of one tick times one hundredth of a lot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// The price step is `tick_mantissa` × 10^-`tick_decimals`.
    tick_mantissa: u64,
    tick_decimals: u8,
    /// The lot is `lot_mantissa` × 10^-`lot_decimals`.
    lot_mantissa: u64,
    lot_decimals: u8,
    /// Money units of one tick × one hundredth of a lot.
    notional_unit: i128,
    /// Money units of one hundredth of a lot.
    base_unit: i128,
    /// `notional_unit` / 10,000 if that is a whole number: then fees need no division.
    fee_unit: Option<i128>,
    /// The same units if each fits a word, as for nearly every symbol.
    words: Option<Words>,
}

/// Units that fit 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Words {
    notional: u64,
    fee: u64,
    base: u64,
}

/// Increments that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridError {
    /// An increment is zero or too large.
    NotAnIncrement,
    /// A product of the two would need more than 19 decimals.
    TooFine,
}

/// The two additional decimals of quantities on the exchange.
const EXTRA_DECIMALS: u8 = 2;
/// Most decimals of a displayed average price; a quotient that ends earlier is exact.
const AVERAGE_DECIMALS: u8 = 19;

impl Grid {
    /// Builds the grid from a price step (the wire's `quote_increment`) and a lot (the wire's `tick_size`).
    ///
    /// # Errors
    /// [`GridError`] if an increment is no positive decimal or the product would not be exact.
    pub fn new(tick: Decimal, lot: Decimal) -> Result<Self, GridError> {
        let (tick_mantissa, tick_decimals) = step(tick)?;
        let (lot_mantissa, lot_decimals) = step(lot)?;
        let decimals = tick_decimals + lot_decimals + EXTRA_DECIMALS;
        let spare = MONEY_DECIMALS.checked_sub(decimals).ok_or(GridError::TooFine)?;
        let scale = |mantissa: u128, spare: u8| {
            pow10(spare)
                .and_then(|power| power.checked_mul(mantissa))
                .and_then(|unit| i128::try_from(unit).ok())
                // One unit, even with the highest fee of 100 %, must fit in `Money`.
                .filter(|unit| *unit <= i128::MAX / 2)
                .ok_or(GridError::NotAnIncrement)
        };
        let notional_unit = scale(u128::from(tick_mantissa) * u128::from(lot_mantissa), spare)?;
        let base_unit = scale(u128::from(lot_mantissa), MONEY_DECIMALS - lot_decimals - EXTRA_DECIMALS)?;
        let whole = i128::from(Bps::WHOLE);
        let fee_unit = (notional_unit % whole == 0).then(|| notional_unit / whole);
        let word = |unit: i128| u64::try_from(unit).ok();
        let words = fee_unit
            .and_then(word)
            .and_then(|fee| Some(Words { notional: word(notional_unit)?, fee, base: word(base_unit)? }));
        Ok(Self {
            tick_mantissa,
            tick_decimals,
            lot_mantissa,
            lot_decimals,
            notional_unit,
            base_unit,
            fee_unit,
            words,
        })
    }

    /// How many ticks make the price one; `None` if no whole number does.
    #[inline]
    pub fn ticks_of_one(&self) -> Option<u64> {
        let one = 10_u64.checked_pow(u32::from(self.tick_decimals))?;
        one.is_multiple_of(self.tick_mantissa).then(|| one / self.tick_mantissa)
    }

    /// A client's price in ticks; `None` if it is zero, off the price step or out of range (SYM-011).
    pub fn price(&self, decimal: Decimal) -> Option<Price> {
        let units = decimal.units(self.tick_decimals)?;
        let step = u128::from(self.tick_mantissa);
        let ticks = u64::try_from(units / step).ok()?;
        (ticks > 0 && units.is_multiple_of(step)).then_some(Price::from_ticks(ticks))
    }

    /// Whether a price is on the price step but larger than the largest `Price`.
    pub fn is_beyond(&self, decimal: Decimal) -> bool {
        let step = u128::from(self.tick_mantissa);
        let units = decimal.units(self.tick_decimals).filter(|units| units.is_multiple_of(step));
        units.is_some_and(|units| units / step > u128::from(u64::MAX))
    }

    /// A client's quantity; `None` if it is zero or off the lot grid (SYM-010).
    pub fn qty(&self, decimal: Decimal) -> Option<Qty> {
        let units = decimal.units(self.lot_decimals)?;
        let step = u128::from(self.lot_mantissa);
        let lots = units / step;
        let hundredths = lots.checked_mul(HUNDREDTHS_PER_LOT)?;
        (lots > 0 && units.is_multiple_of(step)).then_some(Qty::from_hundredths(hundredths))
    }

    /// price × qty, exact; `None` beyond the range of money.
    #[inline]
    pub fn notional(&self, price: Price, qty: Qty) -> Option<Money> {
        match (self.words, plain(price, qty)) {
            (Some(words), Some(plain)) => wide(plain, words.notional),
            _ => product(price, qty, self.notional_unit),
        }
    }

    /// The price as the conversion from base to quote currency; `None` for no price.
    pub fn conversion(&self, price: Price) -> Option<Ratio> {
        let units = u128::from(price.ticks()) * u128::from(self.tick_mantissa);
        Ratio::new(units, pow10(self.tick_decimals)?)
    }

    /// The value of `qty` in the base currency; `None` beyond the range of money.
    #[inline]
    pub fn base(&self, qty: Qty) -> Option<Money> {
        match (self.words, qty.word()) {
            (Some(words), Some(hundredths)) => wide(hundredths, words.base),
            _ => self.base_of_many(qty),
        }
    }

    /// The value of an amount of the base currency at a price, in the quote currency, truncated to 10⁻¹⁹. It saturates,
    /// as published figures do.
    pub fn value(&self, base: Money, price: Price) -> Money {
        let power =
            pow10(self.tick_decimals).and_then(|power| i128::try_from(power).ok()).unwrap_or(i128::MAX);
        let factor = i128::from(price.ticks()).saturating_mul(i128::from(self.tick_mantissa));
        // Whole parts and remainder separately: the product may overflow although the value is well within the range.
        let (whole, rest) = (base.units() / power, base.units() % power);
        Money::from_units(whole.saturating_mul(factor).saturating_add(rest.saturating_mul(factor) / power))
    }

    #[cold]
    fn base_of_many(&self, qty: Qty) -> Option<Money> {
        i128::try_from(qty.hundredths()).ok()?.checked_mul(self.base_unit).map(Money::from_units)
    }

    /// The smallest quantity, to a hundredth of a lot, whose value in the base currency is at least `amount`; `None` for a negative
    /// amount.
    pub fn qty_holding(&self, amount: Money) -> Option<Qty> {
        let hundredths = divide_up(amount.units(), self.base_unit);
        u128::try_from(hundredths).ok().map(Qty::from_hundredths)
    }

    /// The largest quantity, to a hundredth of a lot, whose value in the base currency is at most `amount`; `None` if that is nothing.
    pub fn qty_within(&self, amount: Money) -> Option<Qty> {
        let hundredths = amount.units().checked_div(self.base_unit).filter(|hundredths| *hundredths > 0)?;
        u128::try_from(hundredths).ok().map(Qty::from_hundredths)
    }

    /// The highest price of at most `value` in the quote currency; `None` below the price step and beyond the largest `Price`.
    pub fn price_within(&self, value: Money) -> Option<Price> {
        let ticks = value.units().checked_div(self.tick().units())?;
        u64::try_from(ticks).ok().filter(|ticks| *ticks > 0).map(Price::from_ticks)
    }

    /// The price step, in the quote currency.
    pub fn tick(&self) -> Money {
        self.value(Money::ONE, Price::from_ticks(1))
    }

    /// The lot, in the base currency; `None` beyond the range of money.
    pub fn lot(&self) -> Option<Money> {
        self.base(Qty::from_hundredths(HUNDREDTHS_PER_LOT))
    }

    /// price × qty × rate, rounded up at 10⁻¹⁹ (TYPE-010, D-29); `None` beyond the range of money.
    #[inline]
    pub fn fee(&self, price: Price, qty: Qty, rate: Bps) -> Option<Money> {
        if let (Some(words), Some(plain)) = (self.words, plain(price, qty))
            && let Some(unit) = words.fee.checked_mul(u64::from(rate.0))
        {
            return wide(plain, unit);
        }
        self.fee_of_many(price, qty, rate)
    }

    /// The fees of both parties of a fill, with one product for their common factor; `None` if [`Grid::fee`] must be
    /// used.
    #[inline]
    pub fn fees(&self, price: Price, qty: Qty, [maker, taker]: [Bps; 2]) -> Option<[Money; 2]> {
        let (words, plain) = (self.words?, plain(price, qty)?);
        let fee = |rate: Bps| wide(plain, words.fee.checked_mul(u64::from(rate.0))?);
        Some([fee(maker)?, fee(taker)?])
    }

    #[cold]
    fn fee_of_many(&self, price: Price, qty: Qty, rate: Bps) -> Option<Money> {
        if let Some(unit) = self.fee_unit {
            return product(price, qty, unit * rate.get());
        }
        let notional = product(price, qty, self.notional_unit)?.units();
        // Whole parts and remainder separately: notional × rate may overflow although the fee is well within the
        // range.
        let whole = i128::from(Bps::WHOLE);
        let rest = divide_up(notional % whole * rate.get(), whole);
        (notional / whole).checked_mul(rate.get())?.checked_add(rest).map(Money::from_units)
    }

    /// The largest quantity, to a hundredth of a lot, whose notional and fee at `rate` do not exceed `spend`
    /// (ORD-044).
    pub fn qty_for(&self, spend: Money, price: Price, rate: Bps) -> Qty {
        let cost = |hundredths: u128| self.cost(price, Qty::from_hundredths(hundredths), rate);
        // One hundredth of a lot costs `unit` × ticks × (1 + rate); floor the quotient, then correct for the rounding
        // of the fee.
        let whole = i128::from(Bps::WHOLE);
        let unit = i128::from(price.ticks()).saturating_mul(self.notional_unit);
        let (free, parts) = (spend.units() / unit.max(1), whole + rate.get());
        let guess = match free.checked_mul(whole) {
            Some(scaled) => scaled / parts,
            None => free / parts * whole + free % parts * whole / parts,
        };
        let mut hundredths = u128::try_from(guess).unwrap_or(0);
        let fits = |hundredths: u128| cost(hundredths).is_some_and(|cost| cost <= spend);
        // The floors make the guess too small by at most a few hundredths; walk up, then down.
        while fits(hundredths + 1) {
            hundredths += 1;
        }
        while hundredths > 0 && !fits(hundredths) {
            hundredths -= 1;
        }
        Qty::from_hundredths(hundredths)
    }

    /// price × qty with its fee at `rate`: what a buyer pays, and what a buy reserves. One product if fees need no
    /// division.
    #[inline]
    pub fn cost(&self, price: Price, qty: Qty, rate: Bps) -> Option<Money> {
        if let (Some(words), Some(plain)) = (self.words, plain(price, qty))
            && let Some(fee) = words.fee.checked_mul(u64::from(rate.0))
            && let Some(unit) = words.notional.checked_add(fee)
        {
            return wide(plain, unit);
        }
        self.cost_of_many(price, qty, rate)
    }

    /// The amount that an order reserves: the cost of a buy, the base of a sell. One product for both, because the side is
    /// unpredictable.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub fn reserve(&self, buys: bool, price: Price, qty: Qty, rate: Bps) -> Option<Money> {
        if let (Some(words), Some(hundredths)) = (self.words, qty.word())
            && let Some(fee) = words.fee.checked_mul(u64::from(rate.0))
            && let Some(with_fee) = words.notional.checked_add(fee)
        {
            let ticks = select_unpredictable(buys, price.ticks(), 1);
            let unit = select_unpredictable(buys, with_fee, words.base);
            if let Some(plain) = ticks.checked_mul(hundredths) {
                return wide(plain, unit);
            }
        }
        if buys { self.cost_of_many(price, qty, rate) } else { self.base_of_many(qty) }
    }

    #[cold]
    fn cost_of_many(&self, price: Price, qty: Qty, rate: Bps) -> Option<Money> {
        match self.fee_unit {
            Some(unit) => product(price, qty, self.notional_unit + unit * rate.get()),
            None => self.notional(price, qty)?.checked_add(self.fee(price, qty, rate)?),
        }
    }

    /// Whether fees need no rounding: then the fees of an order's parts sum to the fee of the whole.
    pub fn has_exact_fees(&self) -> bool {
        self.fee_unit.is_some()
    }

    /// Appends a price with the decimals of the price step (ORD-003).
    pub fn push_price(&self, out: &mut Vec<u8>, price: Price) {
        push_fixed(out, u128::from(price.ticks()) * u128::from(self.tick_mantissa), self.tick_decimals);
    }

    /// A price as a decimal with the decimals of the price step; `None` beyond the digits of one.
    pub fn decimal_of_price(&self, price: Price) -> Option<Decimal> {
        let units = u128::from(price.ticks()).checked_mul(u128::from(self.tick_mantissa))?;
        Decimal::of_units(units, self.tick_decimals)
    }

    /// A quantity as a decimal without trailing zeros; `None` beyond the digits of one.
    pub fn decimal_of_qty(&self, qty: Qty) -> Option<Decimal> {
        let units = qty.hundredths().checked_mul(u128::from(self.lot_mantissa))?;
        Decimal::of_units(units, self.lot_decimals.checked_add(EXTRA_DECIMALS)?).map(Decimal::trimmed)
    }

    /// Appends a price in half ticks, with the decimals of the price step; a price between two steps may get one
    /// more.
    pub fn push_half_ticks(&self, out: &mut Vec<u8>, half_ticks: u128) {
        let units = half_ticks.saturating_mul(u128::from(self.tick_mantissa));
        if units.is_multiple_of(2) {
            push_fixed(out, units / 2, self.tick_decimals);
        } else {
            push_fixed(out, units.saturating_mul(5), self.tick_decimals + 1);
        }
    }

    /// Appends a quantity without trailing zeros (ORD-009).
    pub fn push_qty(&self, out: &mut Vec<u8>, qty: Qty) {
        push_trimmed(
            out,
            qty.hundredths() * u128::from(self.lot_mantissa),
            self.lot_decimals + EXTRA_DECIMALS,
        );
    }

    /// Appends notional ÷ qty unrounded up to 19 decimals; `0.00` if nothing was executed (ORD-004).
    pub fn push_average(&self, out: &mut Vec<u8>, notional: Money, qty: Qty) {
        let divisor = qty.hundredths() * u128::from(self.lot_mantissa);
        if divisor == 0 {
            out.extend_from_slice(b"0.00");
            return;
        }
        // A position that is worth less than nothing may change hands below zero.
        if notional.is_negative() {
            out.push(b'-');
        }
        // notional × 10^-19 ÷ (divisor × 10^-(lot decimals + 2)): the distance of the quotient's point from its right
        // end.
        let mut point = MONEY_DECIMALS - self.lot_decimals - EXTRA_DECIMALS;
        let dividend = notional.units().unsigned_abs();
        let (mut quotient, mut rest) = (dividend / divisor, dividend % divisor);
        while rest != 0 && point < AVERAGE_DECIMALS {
            let (Some(wider), Some(next)) = (quotient.checked_mul(10), rest.checked_mul(10)) else { break };
            quotient = wider + next / divisor;
            rest = next % divisor;
            point += 1;
        }
        push_trimmed(out, quotient, point);
    }

    /// Appends the price step (the wire's `quote_increment`).
    pub fn push_tick(&self, out: &mut Vec<u8>) {
        push_fixed(out, u128::from(self.tick_mantissa), self.tick_decimals);
    }

    /// Appends the lot (the wire's `tick_size`).
    pub fn push_lot(&self, out: &mut Vec<u8>) {
        push_fixed(out, u128::from(self.lot_mantissa), self.lot_decimals);
    }

    /// Decimals of the price step.
    pub fn tick_decimals(&self) -> u8 {
        self.tick_decimals
    }

    /// Decimals of the lot.
    pub fn lot_decimals(&self) -> u8 {
        self.lot_decimals
    }
}

/// ticks × hundredths, if that fits a word.
#[inline]
fn plain(price: Price, qty: Qty) -> Option<u64> {
    price.ticks().checked_mul(qty.word()?)
}

/// The full product of two words; it fits unless its highest bit is set.
#[inline]
fn wide(a: u64, b: u64) -> Option<Money> {
    i128::try_from(u128::from(a) * u128::from(b)).ok().map(Money::from_units)
}

/// ticks × hundredths × unit; `None` beyond the range of money.
#[cold]
fn product(price: Price, qty: Qty, unit: i128) -> Option<Money> {
    let plain = i128::try_from(u128::from(price.ticks()).checked_mul(qty.hundredths())?).ok()?;
    plain.checked_mul(unit).map(Money::from_units)
}

fn step(decimal: Decimal) -> Result<(u64, u8), GridError> {
    let (mantissa, decimals) = decimal.normalized();
    match u64::try_from(mantissa) {
        Ok(mantissa) if mantissa > 0 => Ok((mantissa, decimals)),
        _ => Err(GridError::NotAnIncrement),
    }
}

#[cfg(test)]
mod tests;
