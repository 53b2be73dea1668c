//! What orders reserve and what money buys, reckoned anew each time.

use super::Naive;
use buttonwood_model::{AccountId, CurrencyId, Side, SymbolId};
use buttonwood_num::{Price, Qty};
use std::collections::HashMap;

pub(super) fn int(qty: Qty) -> i128 {
    i128::try_from(qty.hundredths()).unwrap()
}

pub(super) fn ceil_bps(amount: i128, bps: i128) -> i128 {
    (amount * bps + 9_999) / 10_000
}

impl Naive {
    /// What a quantity at a price reserves: the notional and the worse fee, or the quantity itself.
    pub(super) fn reserve(&self, symbol: SymbolId, side: Side, price: Price, qty: Qty) -> i128 {
        let pair = &self.pairs[symbol.index()];
        match side {
            Side::Buy => {
                let notional = i128::from(price.ticks()) * int(qty) * pair.quote_unit;
                notional + ceil_bps(notional, self.fees.maker.get().max(self.fees.taker.get()))
            }
            Side::Sell => int(qty) * pair.base_unit,
        }
    }

    /// What every live order reserves, by account and currency.
    pub(crate) fn reserved(&self) -> HashMap<(AccountId, CurrencyId), i128> {
        let mut reserved = HashMap::new();
        for order in &self.live {
            let pair = &self.pairs[order.symbol.index()];
            let currency = if order.side == Side::Buy { pair.quote } else { pair.base };
            let amount = self.reserve(order.symbol, order.side, order.price, order.remaining);
            *reserved.entry((order.account, currency)).or_default() += amount;
        }
        reserved
    }

    pub(super) fn available(&self, account: AccountId, currency: CurrencyId) -> i128 {
        let total = self.totals.get(&(account, currency)).copied().unwrap_or(0);
        total - self.reserved().get(&(account, currency)).copied().unwrap_or(0)
    }

    /// The most of `open` that `money` buys at a price, fee included, found by halving.
    pub(super) fn affordable(&self, symbol: SymbolId, price: Price, open: Qty, money: i128) -> Qty {
        let unit = self.pairs[symbol.index()].quote_unit;
        let (mut fits, mut too_much) = (0, open.hundredths() + 1);
        while too_much - fits > 1 {
            let middle = fits.midpoint(too_much);
            let notional = i128::from(price.ticks()) * i128::try_from(middle).unwrap() * unit;
            if notional + ceil_bps(notional, self.fees.taker.get()) <= money {
                fits = middle;
            } else {
                too_much = middle;
            }
        }
        Qty::from_hundredths(fits)
    }

    /// Whether the money buys a hundredth of a lot at a price.
    pub(super) fn affords_any(&self, symbol: SymbolId, price: Price, money: i128) -> bool {
        self.affordable(symbol, price, Qty::from_hundredths(1), money) > Qty::ZERO
    }
}
