//! Whether the exchange itself placed an order of an account, and why: its account was liquidated, or its position was closed against one
//! that was.

use buttonwood_engine::OrderState;
use buttonwood_model::{OrderId, OrderKind, Product, SessionId, Symbol, TradeId};
use buttonwood_wire::words;

words! {
    /// Why the exchange placed an order for an account.
    pub(super) struct ForcedName: "liquidation", "deleveraging"
}

/// Why the exchange placed an order, by one of its trades; none of an order that it did not place. An order in the book closes a part of a
/// liquidation. A trade off the book closes the rest of it for the liquidated account, and for the other one deleverages it; in spot margin
/// the other one is the insurance fund alone (D-178).
pub(super) fn why(order: &OrderState, symbol: &Symbol, trade: Option<TradeId>) -> Option<ForcedName> {
    if order.session != SessionId::EXCHANGE {
        return None;
    }
    let is_of_book = order.kind == OrderKind::Limit;
    let is_deleveraged = !is_of_book
        && symbol.product != Product::Spot
        && trade.is_some_and(|trade| is_counterparty(order.id, trade));
    Some(ForcedName(if is_deleveraged { "deleveraging" } else { "liquidation" }))
}

/// Whether the order of a trade off the book is not that of the liquidated account: each trade has the id that follows its own. The id of the
/// liquidated account's order comes before all of them (`ids_off_book` in `core/risk`).
const fn is_counterparty(order: OrderId, trade: TradeId) -> bool {
    trade.0 == order.0.saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_the_sides_of_trades_off_the_book() {
        // The ids of two trades: the liquidated account's order, then the other order and the trade, twice.
        let own = OrderId(100);
        for (other, trade) in [(OrderId(101), TradeId(102)), (OrderId(103), TradeId(104))] {
            assert!(is_counterparty(other, trade));
            assert!(!is_counterparty(own, trade));
        }
    }
}
