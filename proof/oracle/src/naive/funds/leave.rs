//! What may leave an account (BAL-005, D-75): not what was advanced, and not what an advance has bought.

use super::Naive;
use buttonwood_engine::funds::Short;
use buttonwood_model::{AccountId, CurrencyId, Side, SymbolId};
use buttonwood_num::Price;

impl Naive {
    /// What was advanced to an account in a currency.
    fn advanced(&self, account: AccountId, currency: CurrencyId) -> i128 {
        let own = |row: &&super::Row| row.account == account && row.currency == currency;
        self.funds.rows.iter().filter(own).map(super::Row::advanced).sum()
    }

    /// Whether an amount may leave.
    pub(super) fn may_leave(
        &self,
        account: AccountId,
        currency: CurrencyId,
        amount: i128,
    ) -> Result<(), Short> {
        if self.owes(account) {
            return Err(Short::Debt);
        }
        let free = self.available(account, currency) - self.advanced(account, currency);
        if amount > free.max(0) {
            return Err(Short::TooLittle);
        }
        let has_advances = self.funds.rows.iter().any(|row| row.account == account && row.advanced() > 0);
        if has_advances && !self.covers_advances(account, currency, amount) {
            return Err(Short::Advances);
        }
        Ok(())
    }

    /// Whether what stays is worth the advances. Those of a currency are covered by what is there of it first.
    fn covers_advances(&self, account: AccountId, leaving: CurrencyId, amount: i128) -> bool {
        let held = self.held_by_rows();
        let mut balance = 0;
        for currency in (0..self.funds.codes.len()).map(CurrencyId::from_index) {
            let mut rest = self.totals.get(&(account, currency)).copied().unwrap_or(0);
            rest -= held.get(&(account, currency)).copied().unwrap_or(0);
            rest -= self.advanced(account, currency);
            if currency == leaving {
                rest -= amount;
            }
            let Some(value) = self.cautious_value(currency, rest) else { return false };
            balance += value;
        }
        balance >= 0
    }

    /// What an amount counts in dollars: one that stays little, one that lacks much. None where it cannot be known what lacks.
    fn cautious_value(&self, currency: CurrencyId, amount: i128) -> Option<i128> {
        let code = self.funds.codes[currency.index()].as_str();
        if amount == 0 || ["USD", "GUSD", "USDC", "USDT"].contains(&code) {
            return Some(amount);
        }
        let is_market = |pair: &super::super::Pair| pair.base == currency && Some(pair.quote) == self.dollar;
        let market = self.pairs.iter().position(is_market).filter(|_| ["BTC", "ETH"].contains(&code));
        let Some(at) = market else { return (amount > 0).then_some(0) };
        let symbol = SymbolId::from_index(at);
        let best = |side| self.queue(symbol, side).first().map(|order| order.price);
        let last = self.pairs[at].last;
        if amount > 0 {
            let price = last.zip(best(Side::Buy)).map(|(last, bid)| last.min(bid));
            return Some(price.map_or(0, |price| self.value(at, amount, price) / 10 * 9));
        }
        let price = last.into_iter().chain(best(Side::Sell)).max()?;
        Some(-self.value(at, -amount, price))
    }

    /// The value of an amount at a price, rounded down.
    fn value(&self, pair: usize, amount: i128, price: Price) -> i128 {
        let ticks_in_one = 10_i128.pow(19) / self.pairs[pair].tick;
        amount * i128::from(price.ticks()) / ticks_in_one
    }
}
