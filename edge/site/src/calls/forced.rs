//! Whether the exchange itself placed an order of an account, and why: its account was liquidated, or its position was closed against one
//! that was.

use buttonwood_engine::OrderState;
use buttonwood_model::{CancelReason, OrderKind, Product, SessionId, Symbol, Time};
use buttonwood_wire::words;

words! {
    /// Why the exchange placed an order for an account.
    pub(super) struct ForcedName: "liquidation", "deleveraging"
}

/// How far from a trade off the book the other steps of its liquidation may lie, in microseconds: they follow one another at once, and each
/// command has its own time.
const NEAR: u64 = 10 * Time::SECOND;

/// The times at which an account was being liquidated.
#[derive(Debug, Default)]
pub(super) struct Liquidated(Vec<Time>);

impl Liquidated {
    /// Notes an order: one that the exchange sent to the book for the account, or one that gave way to a liquidation, tells of it.
    pub(super) fn note(&mut self, order: &OrderState, at: Time) {
        let is_sent = order.session == SessionId::EXCHANGE && order.kind == OrderKind::Limit;
        if is_sent || order.reason == Some(CancelReason::TradingClosed) {
            self.0.push(at);
        }
    }

    /// Why the exchange placed an order that traded; none of an order that it did not place. Of perpetuals a trade off the book is the rest of
    /// a liquidation, or closes an opposite position; spot margin closes none (D-178).
    pub(super) fn why(&self, order: &OrderState, symbol: &Symbol, at: Time) -> Option<ForcedName> {
        if order.session != SessionId::EXCHANGE {
            return None;
        }
        let is_spot = symbol.product == Product::Spot;
        let is_own =
            order.kind == OrderKind::Limit || self.0.iter().any(|time| time.0.abs_diff(at.0) <= NEAR);
        Some(ForcedName(if is_spot || is_own { "liquidation" } else { "deleveraging" }))
    }
}
