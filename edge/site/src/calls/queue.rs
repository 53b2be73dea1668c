//! Where the account's resting orders stand in the queues of their prices: `/site/queue`.

use super::caller::Caller;
use super::held_order::{self, QueuedOrder};
use super::interface::held;
use super::preview::{price, qty};
use buttonwood_call::Later;
use buttonwood_http::Reply;
use buttonwood_wire::contract::{DecimalText, InQuery, Needed, Query, Text};
use buttonwood_wire::{answer, json, request};

request! {
    /// Which book.
    struct OfBook in InQuery {
        /// The symbol or the contract, in any letter case.
        symbol: Needed<Text>,
    }
}

answer! {
    /// A resting order.
    struct Queued {
        /// Its id.
        order_id: String,
        /// Its price; that of its own outcome for a contract.
        price: DecimalText,
        /// The quantity that trades before it at its price, the account's own older orders included.
        ahead: DecimalText,
        /// The whole quantity at its price.
        level: DecimalText,
    }
}

pub(super) fn list<'a>(caller: &'a Caller<'a>, query: Query<'a>) -> Later<'a> {
    Box::pin(async move {
        let name = OfBook::of(query).symbol()?;
        let (symbol, orders) = held_order::queued(caller.app, held(caller)?, name)?;
        let row = |order: QueuedOrder| Queued {
            order_id: order.id.0.to_string(),
            price: price(symbol, order.price),
            ahead: qty(symbol, order.ahead),
            level: qty(symbol, order.level),
        };
        let rows: Vec<Queued> = orders.into_iter().map(row).collect();
        Ok(Reply::json(json::body(&rows)))
    })
}
