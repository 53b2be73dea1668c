//! What the rooms keep in an account, for [`Leave`].

use crate::State;
use buttonwood_leave::{Bound, Leave, Rooms};
use buttonwood_model::{AccountId, CurrencyId, Product, Side, Symbol, SymbolId};
use buttonwood_num::{Money, Price};

/// The currencies that count one dollar each.
const DOLLARS: [&str; 4] = ["USD", "GUSD", "USDC", "USDT"];
/// The currencies that count at a price in dollars.
const PRICED: [&str; 2] = ["BTC", "ETH"];
/// The currency of their prices.
const DOLLAR: &str = "USD";

/// What a currency counts.
#[derive(Clone, Copy, Debug)]
enum Worth<'a> {
    /// One dollar.
    Dollar,
    /// Its price on this symbol's book.
    Priced(SymbolId, &'a Symbol),
    /// Nothing.
    Nothing,
}

impl State {
    /// What may leave accounts now.
    pub fn leave(&self) -> Leave<'_> {
        Leave { ledger: self.ledger(), rooms: self }
    }

    fn worth(&self, currency: CurrencyId) -> Worth<'_> {
        let code = self.currency(currency).map_or("", |currency| currency.code.as_str());
        if DOLLARS.contains(&code) {
            return Worth::Dollar;
        }
        let is_priced = |symbol: &Symbol| {
            let quote = self.currency(symbol.quote).map_or("", |quote| quote.code.as_str());
            symbol.base == currency && symbol.product == Product::Spot && quote == DOLLAR
        };
        let found = self.symbols().iter().position(is_priced).filter(|_| PRICED.contains(&code));
        let symbol = found.and_then(|at| Some((SymbolId::from_index(at), self.symbols().get(at)?)));
        symbol.map_or(Worth::Nothing, |(id, symbol)| Worth::Priced(id, symbol))
    }
}

impl Rooms for State {
    /// The margin of positions stays in their account (D-47), and what a debt needs as well (D-165).
    fn most(&self, account: AccountId, currency: CurrencyId) -> Option<Money> {
        self.margined(account, currency).map(|[_, leaves]| leaves)
    }

    fn bound(&self, account: AccountId, currency: CurrencyId) -> Bound {
        self.funds.bound(account, currency)
    }

    fn has_advances(&self, account: AccountId) -> bool {
        self.funds.has_advances(account)
    }

    fn owes(&self, account: AccountId) -> bool {
        self.funds.owes(account)
    }

    /// At most 90 % of the lower of last price and best bid.
    fn value_staying(&self, currency: CurrencyId, amount: Money) -> Money {
        match self.worth(currency) {
            Worth::Dollar => amount,
            Worth::Priced(id, symbol) => {
                let bid = self.orders().book(id).side(Side::Buy).best();
                let price: Option<Price> = self.orders().last(id).zip(bid).map(|(last, bid)| last.min(bid));
                let value = price.map_or(Money::ZERO, |price| symbol.grid.value(amount, price));
                Money::from_units(value.units() / 10 * 9)
            }
            Worth::Nothing => Money::ZERO,
        }
    }

    /// The higher of last price and best offer.
    fn value_owed(&self, currency: CurrencyId, amount: Money) -> Option<Money> {
        match self.worth(currency) {
            Worth::Dollar => Some(amount),
            Worth::Priced(id, symbol) => {
                let offer = self.orders().book(id).side(Side::Sell).best();
                let price = self.orders().last(id).into_iter().chain(offer).max()?;
                Some(symbol.grid.value(amount, price))
            }
            Worth::Nothing => None,
        }
    }
}
