//! The figures of a margin account, as two endpoints show them (MARG-002 to MARG-004).

use crate::derivatives::exact;
use buttonwood_engine::spot_margin::{Figures, HourlyRate};
use buttonwood_num::Money;
use buttonwood_wire::contract::DecimalText;
use buttonwood_wire::{answer, words};

words! {
    /// The currency of every value.
    pub(super) struct Dollar: "USD"
}

words! {
    /// How often interest is charged.
    pub(super) struct Interval: "hour"
}

answer! {
    /// An amount of dollars.
    pub(super) struct Dollars {
        /// The currency.
        currency: Dollar,
        /// How much.
        value: DecimalText,
    }
}

answer! {
    /// How far an account is from its liquidation.
    pub(super) struct LiquidationRisk {
        /// The fall of all prices, as a fraction, at which the account is liquidated; negative below maintenance.
        loss_percentage as "lossPercentage": DecimalText,
        /// The price of the only holding at which the account is liquidated; absent with several holdings and without a debt.
        liquidation_price as "liquidationPrice": Option<Dollars>,
    }
}

answer! {
    /// The interest on what is owed.
    pub(super) struct InterestRate {
        /// The rate of an interval; 1 is 100 %.
        rate: DecimalText,
        /// The interval.
        interval: Interval,
    }
}

answer! {
    /// The figures of a margin account.
    pub(super) struct MarginSummary {
        /// USD and holdings at the index, less what is owed.
        margin_asset_value as "marginAssetValue": Dollars,
        /// Asset value less the initial part of the notional; negative below it.
        available_collateral as "availableCollateral": Dollars,
        /// Holdings at the index.
        notional_value as "notionalValue": Dollars,
        /// The debt.
        total_borrowed as "totalBorrowed": Dollars,
        /// Notional ÷ asset value.
        leverage: DecimalText,
        /// The available collateral.
        buying_power as "buyingPower": Dollars,
        /// The available collateral.
        selling_power as "sellingPower": Dollars,
        /// Price × remaining quantity of the live margin buys.
        reserved_buy_orders as "reservedBuyOrders": Dollars,
        /// Price × remaining quantity of the live margin sells.
        reserved_sell_orders as "reservedSellOrders": Dollars,
        /// With holdings only.
        liquidation_risk as "liquidationRisk": Option<LiquidationRisk>,
        /// While the account owes only, and never in a preview.
        interest_rate as "interestRate": Option<InterestRate>,
    }
}

impl MarginSummary {
    /// The figures, with the rate of interest if it is given and the account owes.
    pub(super) fn of(figures: &Figures, rate: Option<HourlyRate>) -> Self {
        let sums = &figures.sums;
        let available = || dollars(figures.available);
        Self {
            margin_asset_value: dollars(sums.assets),
            available_collateral: available(),
            notional_value: dollars(sums.notional),
            total_borrowed: dollars(sums.owed),
            leverage: exact(sums.leverage()),
            buying_power: available(),
            selling_power: available(),
            reserved_buy_orders: dollars(figures.reserved_buys),
            reserved_sell_orders: dollars(figures.reserved_sells),
            liquidation_risk: figures.loss.map(|loss| LiquidationRisk {
                loss_percentage: fraction(loss),
                liquidation_price: figures.liquidation_price.map(dollars),
            }),
            interest_rate: rate
                .filter(|_| sums.owed > Money::ZERO)
                .map(|rate| InterestRate { rate: exact(rate.hourly()), interval: Interval("hour") }),
        }
    }
}

pub(super) fn dollars(amount: Money) -> Dollars {
    Dollars { currency: Dollar("USD"), value: exact(amount) }
}

/// A fraction with 4 decimals, which it has at most.
fn fraction(fraction: Money) -> DecimalText {
    let parts = fraction.units() / (Money::ONE.units() / 10_000);
    let (sign, size) = (if parts < 0 { "-" } else { "" }, parts.unsigned_abs());
    let text = format!("{sign}{}.{:04}", size / 10_000, size % 10_000);
    DecimalText::of(|out| out.extend_from_slice(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_num::Decimal;

    #[test]
    fn fractions_have_four_decimals() {
        let money = |text: &str| Money::from_decimal(Decimal::parse(text.as_bytes()).unwrap()).unwrap();
        let shown = |amount| format!("{:?}", fraction(amount));
        assert!(shown(money("0.155")).contains("\"0.1550\""));
        assert!(shown(money("1")).contains("\"1.0000\""));
        assert!(shown(-money("0.0526")).contains("\"-0.0526\""));
    }
}
