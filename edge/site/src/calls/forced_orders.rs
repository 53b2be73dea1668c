//! The orders that the exchange itself placed for the chosen account, among its newest trades: `/site/forced`. Lists of trades that come from
//! the interface do not say so.

use super::caller::Caller;
use super::forced::{ForcedName, why};
use super::interface::{chosen, held};
use buttonwood_call::Later;
use buttonwood_gate::missing_role;
use buttonwood_http::Reply;
use buttonwood_model::{Role, Roles};
use buttonwood_views::history::NewsBound;
use buttonwood_views::{EventId, Step};
use buttonwood_wire::contract::{Digits, Query};
use buttonwood_wire::field::busy;
use buttonwood_wire::{answer, json};
use std::collections::BTreeMap;

/// How far back an answer reads.
const BOUND: NewsBound = NewsBound { accounts: 1, rows: 20_000, news: 2_000 };

answer! {
    /// An order that the exchange placed.
    struct ForcedOrder {
        /// Its id.
        order_id: Digits,
        /// Why.
        forced: ForcedName,
    }
}

answer! {
    /// Orders that the exchange placed for an account.
    struct ForcedOrders {
        /// Those that traded, the oldest first.
        orders: Vec<ForcedOrder>,
        /// Whether older trades were not read.
        more: bool,
    }
}

/// It takes a trader or an auditor, as the list of trades of the interface.
pub(super) fn list<'a>(caller: &'a Caller<'a>, _query: Query<'a>) -> Later<'a> {
    Box::pin(async move {
        let held = held(caller)?;
        let needed = Roles::of(&[Role::Trader, Role::Auditor]);
        if !held.roles.allows(needed) {
            return Err(missing_role("your user", held.roles, needed));
        }
        let exchange = &caller.app.exchange;
        let found = exchange.order_news(vec![chosen(&held)?], EventId(0), BOUND).await.map_err(|fault| {
            tracing::error!(%fault, "history cannot be read");
            busy("A part of the history that this list needs is damaged")
        })?;
        let views = exchange.views();
        let mut orders = BTreeMap::new();
        for event in &found.events {
            let Step::Filled(fill) = event.step else { continue };
            let Some(symbol) = views.state().symbol(event.order.symbol) else { continue };
            if let Some(forced) = why(&event.order, symbol, Some(fill.trade)) {
                orders.insert(event.order.id, forced);
            }
        }
        let orders = orders.into_iter().map(|(id, forced)| ForcedOrder { order_id: Digits(id.0), forced });
        Ok(Reply::json(json::body(&ForcedOrders { orders: orders.collect(), more: !found.is_whole })))
    })
}
