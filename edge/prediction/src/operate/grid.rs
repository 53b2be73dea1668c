//! The increments of a new event's contracts.

use buttonwood_gate::Refusal;
use buttonwood_num::{Decimal, Grid, GridError, Qty};
use buttonwood_wire::field::bad_value;

/// The most decimals of both increments together, so that every fee is exact (D-109).
const DECIMALS_MAX: u8 = 13;

/// The texts of the increments, as they were sent or by default.
pub(super) struct Increments<'a> {
    /// The increment of prices.
    pub price: &'a str,
    /// The increment of quantities.
    pub quantity: &'a str,
    /// The smallest order.
    pub minimum: &'a str,
}

impl Increments<'_> {
    /// The grid, and the smallest order.
    ///
    /// # Errors
    /// The refusal of the field that does not fit.
    pub(super) fn read(&self) -> Result<(Grid, Qty), Refusal> {
        let (price, quantity) = (self.price, self.quantity);
        let tick = positive("price_increment", price)?;
        let lot = positive("quantity_increment", quantity)?;
        let no_divisor =
            || bad_value("price_increment", "less than 1 and a divisor of 1, such as 0.01", price);
        let fine = format!("of at most {DECIMALS_MAX} decimals together with quantity_increment");
        let too_fine = || bad_value("price_increment", &fine, price);
        let one = Decimal::parse(b"1").map_err(|_| no_divisor())?;
        let alone = Grid::new(tick, one).map_err(|error| match error {
            GridError::TooFine => too_fine(),
            GridError::NotAnIncrement => no_divisor(),
        })?;
        alone.ticks_of_one().filter(|ticks| *ticks > 1).ok_or_else(no_divisor)?;
        let grid = Grid::new(tick, lot).map_err(|error| match error {
            GridError::TooFine => too_fine(),
            GridError::NotAnIncrement => {
                bad_value("quantity_increment", "an increment that can be counted", quantity)
            }
        })?;
        if grid.tick_decimals() + grid.lot_decimals() > DECIMALS_MAX {
            return Err(too_fine());
        }
        let expected = "a multiple of quantity_increment";
        let least = positive("quantity_minimum", self.minimum)?;
        let least = grid.qty(least).filter(|least| grid.base(*least).is_some());
        let least = least.ok_or_else(|| bad_value("quantity_minimum", expected, self.minimum))?;
        Ok((grid, least))
    }
}

fn positive(field: &str, text: &str) -> Result<Decimal, Refusal> {
    match Decimal::parse(text.as_bytes()) {
        Ok(decimal) if !decimal.is_zero() => Ok(decimal),
        Ok(_) | Err(_) => Err(bad_value(field, "a positive decimal", text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused([price, quantity, minimum]: [&str; 3]) -> Option<String> {
        Increments { price, quantity, minimum }.read().err().map(|refusal| refusal.message)
    }

    /// One dollar is a whole number of price increments, fees are exact, and the smallest order is on its increment.
    #[test]
    fn increments_fit_together() {
        for fine in [
            ["0.01", "0.01", "1"],
            ["0.5", "1", "1"],
            ["0.000001", "0.0000001", "0.0000002"],
            ["0.2", "5", "10"],
        ] {
            assert_eq!(refused(fine), None, "{fine:?}");
        }
        let price = "Field 'price_increment' must be";
        let cases = [
            (["0", "1", "1"], format!("{price} a positive decimal: 0")),
            (["-0.1", "1", "1"], format!("{price} a positive decimal: -0.1")),
            (["0.03", "1", "1"], format!("{price} less than 1 and a divisor of 1, such as 0.01: 0.03")),
            (["1", "1", "1"], format!("{price} less than 1 and a divisor of 1, such as 0.01: 1")),
            (
                ["0.0000001", "0.0000001", "1"],
                format!("{price} of at most 13 decimals together with quantity_increment: 0.0000001"),
            ),
            (["0.01", "x", "1"], "Field 'quantity_increment' must be a positive decimal: x".to_owned()),
            (
                ["0.01", "0.3", "1"],
                "Field 'quantity_minimum' must be a multiple of quantity_increment: 1".to_owned(),
            ),
            (["0.01", "0.1", "0"], "Field 'quantity_minimum' must be a positive decimal: 0".to_owned()),
        ];
        for (sent, message) in cases {
            assert_eq!(refused(sent), Some(message), "{sent:?}");
        }
    }
}
