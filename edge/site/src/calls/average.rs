//! Average prices as pages show them.

use buttonwood_model::Symbol;
use buttonwood_num::{MONEY_DECIMALS, Money, Qty, Round};
use buttonwood_wire::contract::DecimalText;

/// Decimals that an average may have beyond those of the symbol's prices.
const MORE: u8 = 2;

/// The average price of a quantity that cost `notional`, rounded: it has at least the decimals of the symbol's prices, and at most some more.
pub(super) fn average(symbol: &Symbol, notional: Money, qty: Qty) -> DecimalText {
    let least = symbol.grid.tick_decimals();
    DecimalText::of(|out| {
        match rounded(symbol, notional, qty) {
            Some(price) => price.push_floored(out, MONEY_DECIMALS),
            None => symbol.grid.push_average(out, notional, qty),
        }
        let least = usize::from(least);
        let has = out.iter().position(|byte| *byte == b'.').map(|point| out.len() - point - 1);
        if least > 0 && has.is_none() {
            out.push(b'.');
        }
        out.resize(out.len() + least.saturating_sub(has.unwrap_or(0)), b'0');
    })
}

/// None beyond the range of money.
fn rounded(symbol: &Symbol, notional: Money, qty: Qty) -> Option<Money> {
    let places = MONEY_DECIMALS.checked_sub(symbol.grid.tick_decimals().saturating_add(MORE))?;
    let step = Money::from_units(10_i128.checked_pow(u32::from(places))?);
    notional.over(symbol.grid.base(qty)?, Round::HalfEven)?.to_step(step, Round::HalfEven)
}
