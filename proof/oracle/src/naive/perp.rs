//! Perpetuals, naively: every figure of an account from the list of all fills, with fractions of any length.
//!
//! Nothing is carried from fill to fill but the list. The assets of an account are those that it began with, less its fees, less the
//! price of its holdings, plus their worth at the mark; positions at average cost do not enter it.

mod funding;
mod liquidation;

use buttonwood_model::{AccountId, SymbolId};
use buttonwood_num::Money;
use num_bigint::BigInt;
use num_rational::BigRational;

pub(crate) use funding::PerpPremiums;
pub(crate) use liquidation::{
    PerpFund, PerpHolder, perp_collateral, perp_deleveraging_order, perp_deleveraging_price, perp_fee,
    perp_fund_takes, perp_part, perp_seized, perp_zero_price,
};

/// One side of a fill of a perpetual.
#[derive(Clone, Copy, Debug)]
pub struct PerpFill {
    /// The party.
    pub account: AccountId,
    /// The contract.
    pub symbol: SymbolId,
    /// In the base currency; negative for a sale.
    pub quantity: Money,
    /// Dollars for one unit.
    pub price: Money,
    /// The party's fee, in dollars.
    pub fee: Money,
}

/// A contract, and what live orders of an account in it have left.
#[derive(Clone, Copy, Debug)]
pub struct PerpMarket {
    /// The contract.
    pub symbol: SymbolId,
    /// Its mark.
    pub mark: Money,
    /// The open quantities of live buys and live sells of the account, in the base currency.
    pub live: [Money; 2],
}

/// The figures of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerpFigures {
    /// Its assets, at the marks.
    pub assets: Money,
    /// Margin of positions.
    pub positions: Money,
    /// Margin of live buys and of live sells.
    pub reserved: [Money; 2],
    /// Value of positions, each without its sign.
    pub notional: Money,
    /// Half of the margin of positions.
    pub maintenance: Money,
    /// Notional ÷ assets.
    pub leverage: Money,
}

fn whole(number: i128) -> BigRational {
    BigRational::from_integer(BigInt::from(number))
}

fn exact(amount: Money) -> BigRational {
    whole(amount.units()) / whole(Money::ONE.units())
}

fn rounded_up(value: &BigRational) -> Money {
    let units = (value * whole(Money::ONE.units())).ceil().to_integer();
    Money::from_units(i128::try_from(units).unwrap())
}

fn rounded_down(value: &BigRational) -> Money {
    let units = (value * whole(Money::ONE.units())).floor().to_integer();
    Money::from_units(i128::try_from(units).unwrap())
}

/// The position of an account in a contract.
pub fn perp_quantity(fills: &[PerpFill], account: AccountId, symbol: SymbolId) -> Money {
    fills
        .iter()
        .filter(|fill| (fill.account, fill.symbol) == (account, symbol))
        .map(|fill| fill.quantity)
        .sum()
}

/// The average cost of a position, without any rounding: of the fills since it was last flat or flipped, those that added to it
/// change the average, and those that reduced it do not. `None` for a flat position.
pub fn perp_average(fills: &[PerpFill], account: AccountId, symbol: SymbolId) -> Option<BigRational> {
    let (mut held, mut average) = (whole(0), whole(0));
    for fill in fills.iter().filter(|fill| (fill.account, fill.symbol) == (account, symbol)) {
        let (quantity, price) = (exact(fill.quantity), exact(fill.price));
        let after = &held + &quantity;
        let none = whole(0);
        if &held * &quantity >= none && after != none {
            average = (&held * &average + &quantity * &price) / &after;
        } else if &held * &after < none {
            average = price;
        }
        held = after;
    }
    (held != whole(0)).then_some(average)
}

/// The figures of an account that began with `gusd` and trades at this leverage (in hundredths).
pub fn perp_figures(
    fills: &[PerpFill],
    markets: &[PerpMarket],
    (account, gusd, leverage): (AccountId, Money, u16),
) -> PerpFigures {
    let cap = whole(leverage.into()) / whole(100);
    let mut assets = exact(gusd);
    for fill in fills.iter().filter(|fill| fill.account == account) {
        assets -= exact(fill.fee) + exact(fill.quantity) * exact(fill.price);
    }
    let (mut positions, mut notional, mut reserved) = (whole(0), whole(0), [whole(0), whole(0)]);
    for PerpMarket { symbol, mark, live: [buys, sells] } in markets.iter().copied() {
        let held = exact(perp_quantity(fills, account, symbol));
        let mark = exact(mark);
        assets += &held * &mark;
        let size = held.clone().max(-held.clone());
        notional += &size * &mark;
        positions += exact(rounded_up(&(size * &mark / &cap)));
        // A long position takes up as many sells, a short one as many buys.
        let free = [-held.clone(), held].map(|free| free.max(whole(0)));
        for ((sum, live), free) in reserved.iter_mut().zip([buys, sells]).zip(free) {
            *sum += exact(rounded_up(&((exact(live) - free).max(whole(0)) * &mark / &cap)));
        }
    }
    let leverage = if assets > whole(0) { &notional / &assets } else { whole(0) };
    PerpFigures {
        maintenance: rounded_up(&(&positions / whole(2))),
        leverage: rounded_down(&leverage),
        assets: rounded_down(&assets),
        positions: rounded_down(&positions),
        reserved: reserved.map(|sum| rounded_down(&sum)),
        notional: rounded_up(&notional),
    }
}
