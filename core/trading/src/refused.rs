//! Orders that a rule refuses: each takes an id and has one event, and is nowhere else (D-147).

use crate::place::Place;
use buttonwood_model::{
    AccountId, Claim, ClientId, ExecutionOption, OrderId, OrderKind, RefusalReason, SessionId, Side, Symbol,
    SymbolId,
};
use buttonwood_num::{Decimal, Price};
use serde::{Deserialize, Serialize};

/// An order that could be read and that a rule refused, as its client sent it: side and prices of an order of a contract are those of its own
/// outcome, and figures off the symbol's grid are kept as they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedDraft {
    /// The symbol.
    pub symbol: SymbolId,
    /// Buy or sell.
    pub side: Side,
    /// The outcome that it concerns; [`Claim::Yes`] for products without outcomes.
    pub claim: Claim,
    /// Limit or market.
    pub kind: OrderKind,
    /// Execution option.
    pub option: Option<ExecutionOption>,
    /// Limit, in the quote currency.
    pub price: Option<Decimal>,
    /// Stop price, in the quote currency.
    pub stop: Option<Decimal>,
    /// Quantity, in the base currency.
    pub qty: Option<Decimal>,
    /// Quote currency to spend, fee included.
    pub spend: Option<Decimal>,
    /// Client order id.
    pub client_id: Option<ClientId>,
    /// The rule.
    pub reason: RefusalReason,
}

/// A refused order with its id. Figures are as in [`RefusedDraft`]. New fields go at the end: the record `trading.order_refused` ends with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedOrder {
    /// Its id, from the counter of orders and trades.
    pub id: OrderId,
    /// The account that it was for.
    pub account: AccountId,
    /// The session that sent it.
    pub session: SessionId,
    /// The symbol.
    pub symbol: SymbolId,
    /// Buy or sell.
    pub side: Side,
    /// The outcome that it concerns; [`Claim::Yes`] for products without outcomes.
    pub claim: Claim,
    /// Limit or market.
    pub kind: OrderKind,
    /// Execution option.
    pub option: Option<ExecutionOption>,
    /// Limit, in the quote currency.
    pub price: Option<Decimal>,
    /// Stop price, in the quote currency.
    pub stop: Option<Decimal>,
    /// Quantity, in the base currency.
    pub qty: Option<Decimal>,
    /// Quote currency to spend, fee included.
    pub spend: Option<Decimal>,
    /// Client order id.
    pub client_id: Option<ClientId>,
    /// The rule.
    pub reason: RefusalReason,
}

impl RefusedDraft {
    /// A refused order of the floor. `own_side` and `own_price` give the view of its own outcome: they change nothing for products without
    /// outcomes.
    pub fn of_place(
        place: &Place,
        symbol: &Symbol,
        reason: RefusalReason,
        own_side: Side,
        own_price: impl Fn(Price) -> Option<Price>,
    ) -> Self {
        let grid = &symbol.grid;
        let shown = |price: Price| {
            let has_price = price != Price::default();
            has_price.then(|| own_price(price)).flatten().and_then(|price| grid.decimal_of_price(price))
        };
        let spends = place.kind == OrderKind::MarketSpend;
        Self {
            symbol: place.symbol,
            side: own_side,
            claim: place.claim,
            kind: place.kind,
            option: place.option,
            price: shown(place.price),
            stop: shown(place.stop),
            qty: if spends { None } else { grid.decimal_of_qty(place.qty) },
            spend: if spends { place.spend.decimal() } else { None },
            client_id: place.client_id,
            reason,
        }
    }

    /// The same with its id, for the account and the session that sent it.
    pub fn with_id(self, id: OrderId, account: AccountId, session: SessionId) -> RefusedOrder {
        let Self { symbol, side, claim, kind, option, price, stop, qty, spend, client_id, reason } = self;
        RefusedOrder {
            id,
            account,
            session,
            symbol,
            side,
            claim,
            kind,
            option,
            price,
            stop,
            qty,
            spend,
            client_id,
            reason,
        }
    }
}
