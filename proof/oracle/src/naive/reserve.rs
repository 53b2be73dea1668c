//! Reserves and affordable quantities, computed each time.

use super::Naive;
use buttonwood_engine::FeeSchedule;
use buttonwood_model::{AccountId, CurrencyId, Side, SymbolId};
use buttonwood_num::{Bps, Price, Qty};
use std::collections::HashMap;

pub(super) fn int(qty: Qty) -> i128 {
    i128::try_from(qty.hundredths()).unwrap()
}

pub(super) fn ceil_bps(amount: i128, bps: i128) -> i128 {
    (amount * bps + 9_999) / 10_000
}

/// The higher rate of maker and taker.
pub(super) fn worse(rates: FeeSchedule) -> Bps {
    rates.maker.max(rates.taker)
}

impl Naive {
    /// The reserve for a quantity at a price: the notional and the higher fee, or the quantity itself.
    pub(super) fn reserve(
        &self,
        symbol: SymbolId,
        side: Side,
        price: Price,
        qty: Qty,
        rates: FeeSchedule,
    ) -> i128 {
        let pair = &self.pairs[symbol.index()];
        match side {
            Side::Buy => {
                let notional = i128::from(price.ticks()) * int(qty) * pair.quote_unit;
                notional + ceil_bps(notional, worse(rates).get())
            }
            Side::Sell => int(qty) * pair.base_unit,
        }
    }

    /// The reserves of all live orders and of all transfers on their way, by account and currency.
    pub(crate) fn reserved(&self) -> HashMap<(AccountId, CurrencyId), i128> {
        let mut reserved = self.held_by_rows();
        for order in self.live.iter().chain(&self.stopped) {
            let pair = &self.pairs[order.symbol.index()];
            let currency = if order.side == Side::Buy { pair.quote } else { pair.base };
            let rates = self.rates[&order.id];
            let amount = self.reserve(order.symbol, order.side, order.price, order.remaining, rates);
            *reserved.entry((order.account, currency)).or_default() += amount;
        }
        reserved
    }

    pub(super) fn available(&self, account: AccountId, currency: CurrencyId) -> i128 {
        let total = self.totals.get(&(account, currency)).copied().unwrap_or(0);
        total - self.reserved().get(&(account, currency)).copied().unwrap_or(0)
    }

    /// The largest part of `open` that `money` buys at a price, fee included, found by bisection.
    pub(super) fn affordable(
        &self,
        symbol: SymbolId,
        price: Price,
        open: Qty,
        money: i128,
        rate: Bps,
    ) -> Qty {
        let unit = self.pairs[symbol.index()].quote_unit;
        let (mut fits, mut too_much) = (0, open.hundredths() + 1);
        while too_much - fits > 1 {
            let middle = fits.midpoint(too_much);
            let notional = i128::from(price.ticks()) * i128::try_from(middle).unwrap() * unit;
            if notional + ceil_bps(notional, rate.get()) <= money {
                fits = middle;
            } else {
                too_much = middle;
            }
        }
        Qty::from_hundredths(fits)
    }

    /// Whether the money buys one hundredth of a lot at a price.
    pub(super) fn affords_any(&self, symbol: SymbolId, price: Price, money: i128, rate: Bps) -> bool {
        self.affordable(symbol, price, Qty::from_hundredths(1), money, rate) > Qty::ZERO
    }
}
