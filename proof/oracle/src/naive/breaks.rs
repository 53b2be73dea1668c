//! Broken trades: the naive exchange remembers every trade and undoes one by itself.

use super::Naive;
use super::reserve::int;
use crate::exchange::{Happening, fees_account};
use buttonwood_engine::{AccountKind, Answer, Break, BreakError, BreakKind, Outcome, Reject, TradingReject};
use buttonwood_model::{AccountId, OrderId, SymbolId};
use buttonwood_num::{Money, Price, Qty};

/// One party of a trade.
#[derive(Clone, Copy)]
pub(super) struct Party {
    pub(super) account: AccountId,
    pub(super) order: OrderId,
    pub(super) fee: i128,
}

/// A trade.
#[derive(Clone)]
pub(super) struct Trade {
    id: u64,
    symbol: SymbolId,
    price: Price,
    qty: Qty,
    buyer: Party,
    seller: Party,
    broken: Option<BreakKind>,
}

impl Naive {
    /// Remembers the trade that gets the next id.
    pub(super) fn note_trade(
        &mut self,
        symbol: SymbolId,
        price: Price,
        qty: Qty,
        [buyer, seller]: [Party; 2],
    ) {
        self.trades.push(Trade { id: self.next_id, symbol, price, qty, buyer, seller, broken: None });
    }

    /// Breaks a trade. Of the command it reads the trade, the kind and the moment of the figures.
    pub(super) fn break_trade(&mut self, asked: &Break) -> Answer {
        let refused = |error| Outcome::Rejected(Reject::Trading(TradingReject::Break(error)));
        let is_closed =
            |account: AccountId| self.names.get(account.index()).is_some_and(|names| names.is_closed);
        if asked.figures.is_some() && (is_closed(asked.buyer.account) || is_closed(asked.seller.account)) {
            return refused(BreakError::Closed);
        }
        let Some(at) = self.trades.iter().position(|trade| trade.id == asked.trade.0) else {
            return refused(BreakError::Unknown);
        };
        if let Some(kind) = self.trades[at].broken {
            return refused(BreakError::Broken(kind));
        }
        let kind = asked.kind();
        if let Some(figures) = &asked.figures {
            let symbol = self.trades[at].symbol;
            let newest = self.trades.iter().rev().find(|trade| trade.symbol == symbol).unwrap().id;
            let breaks = self.trades.iter().filter(|trade| trade.broken.is_some()).count();
            if (figures.newest.0, figures.breaks) != (newest, u64::try_from(breaks).unwrap()) {
                return refused(BreakError::Stale);
            }
            let Trade { buyer, seller, .. } = self.trades[at];
            let is_margin = |party: Party| self.names[party.account.index()].kind == AccountKind::Margin;
            if [buyer, seller].into_iter().any(is_margin) {
                return refused(BreakError::ManualOnly);
            }
            if [buyer, seller].into_iter().any(|party: Party| self.has_advances(party.account)) {
                return refused(BreakError::Bound);
            }
            if let Err(error) = self.undo(at) {
                return refused(error);
            }
            self.take_back(asked.trade.0);
        }
        self.trades[at].broken = Some(kind);
        self.find_last(self.trades[at].symbol);
        self.happened.push(Happening::Broken(asked.trade, kind));
        Outcome::Done
    }

    /// Pays everything back, and takes the trade from both orders.
    fn undo(&mut self, at: usize) -> Result<(), BreakError> {
        let Trade { symbol, price, qty, buyer, seller, .. } = self.trades[at];
        let pair = &self.pairs[symbol.index()];
        let (base, quote) = (pair.base, pair.quote);
        let amount = int(qty) * pair.base_unit;
        let notional = i128::from(price.ticks()) * int(qty) * pair.quote_unit;
        for (account, currency, returned) in [
            (buyer.account, base, amount),
            (seller.account, quote, notional - seller.fee),
            (fees_account(), quote, buyer.fee + seller.fee),
        ] {
            let lacks = returned - self.available(account, currency);
            if lacks > 0 {
                let (asset, lacks) = (currency.into(), Money::from_units(lacks));
                return Err(BreakError::Short { account, asset, lacks });
            }
        }
        self.pay(buyer.account, seller.account, base, amount);
        self.pay(seller.account, buyer.account, quote, notional);
        for party in [buyer, seller] {
            self.pay(fees_account(), party.account, quote, party.fee);
        }
        for order in self.live.iter_mut().chain(&mut self.stopped) {
            if [buyer.order, seller.order].contains(&order.id) {
                order.broken += qty;
                order.notional -= Money::from_units(notional);
            }
        }
        Ok(())
    }

    /// The last price is that of the newest trade that is not void.
    fn find_last(&mut self, symbol: SymbolId) {
        let mut trades = self.trades.iter().rev();
        let last = trades.find(|trade| trade.symbol == symbol && trade.broken != Some(BreakKind::Full));
        self.pairs[symbol.index()].last = last.map(|trade| trade.price);
    }

    /// The last price of a symbol.
    pub(crate) fn last(&self, symbol: SymbolId) -> Option<Price> {
        self.pairs[symbol.index()].last
    }
}
