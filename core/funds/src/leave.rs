//! What may leave an account (BAL-005, D-75): internal transfers, payments by a bank and withdrawals all ask here.
//!
//! Advanced money can trade and cannot leave, and neither can what it bought. So while an account has advances, what stays must be worth
//! as much as they are. Prices of thin books can be made, so few currencies count, and those with a price count for less.

use crate::Desk;
use buttonwood_model::{AccountId, CurrencyId, Product, Side, Symbol, SymbolId};
use buttonwood_num::{Money, Price};

/// Why an amount may not leave an account. The variants are in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Short {
    /// The account owes the house for a returned advance (D-167).
    Debt,
    /// Less than the amount is available beyond the advances in its currency.
    TooLittle,
    /// The account would be worth less than its advances.
    Advances,
}

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

impl Desk<'_> {
    /// Whether an amount may leave an account: at most what is available beyond the advances in its currency, and what stays must be worth
    /// as much as all advances.
    ///
    /// # Errors
    /// [`Short`].
    pub fn may_leave(&self, account: AccountId, currency: CurrencyId, amount: Money) -> Result<(), Short> {
        if self.funds.owes(account) {
            return Err(Short::Debt);
        }
        if self.free(account, currency) < amount {
            return Err(Short::TooLittle);
        }
        let is_covered = !self.funds.has_advances(account) || self.covers_advances(account, currency, amount);
        if is_covered { Ok(()) } else { Err(Short::Advances) }
    }

    /// Whether what stays is worth the advances. In each currency they are set off against each other first: what is still there of an
    /// advance covers it, whatever it is worth.
    fn covers_advances(&self, account: AccountId, leaving: CurrencyId, amount: Money) -> bool {
        let (mut stays, mut lacks) = (Money::ZERO, Money::ZERO);
        for (currency, balance) in self.ledger.balances_of(account) {
            let leaves = if currency == leaving { amount } else { Money::ZERO };
            let of_rows = self.funds.bound(account, currency);
            let rest = balance.total() - of_rows.held - leaves - of_rows.advanced;
            if rest.is_negative() {
                // An advance that is gone and has no price can be covered by nothing.
                let Some(value) = self.value_owed(currency, -rest) else { return false };
                lacks = lacks.capped_add(value);
            } else {
                stays = stays.capped_add(self.value_staying(currency, rest));
            }
        }
        stays >= lacks
    }

    /// What an amount that stays counts, in dollars: at most 90 % of the lower of last price and best bid.
    fn value_staying(&self, currency: CurrencyId, amount: Money) -> Money {
        match self.worth(currency) {
            Worth::Dollar => amount,
            Worth::Priced(id, symbol) => {
                let bid = self.orders.book(id).side(Side::Buy).best();
                let price: Option<Price> = self.orders.last(id).zip(bid).map(|(last, bid)| last.min(bid));
                let value = price.map_or(Money::ZERO, |price| symbol.grid.value(amount, price));
                Money::from_units(value.units() / 10 * 9)
            }
            Worth::Nothing => Money::ZERO,
        }
    }

    /// What an advance that is not there any more counts, in dollars: the higher of last price and best offer. None without a price.
    fn value_owed(&self, currency: CurrencyId, amount: Money) -> Option<Money> {
        match self.worth(currency) {
            Worth::Dollar => Some(amount),
            Worth::Priced(id, symbol) => {
                let offer = self.orders.book(id).side(Side::Sell).best();
                let price = self.orders.last(id).into_iter().chain(offer).max()?;
                Some(symbol.grid.value(amount, price))
            }
            Worth::Nothing => None,
        }
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
        let found = self.symbols.iter().position(is_priced).filter(|_| PRICED.contains(&code));
        let symbol = found.and_then(|at| Some((SymbolId::from_index(at), self.symbols.get(at)?)));
        symbol.map_or(Worth::Nothing, |(id, symbol)| Worth::Priced(id, symbol))
    }
}
