//! Connections that cancel on disconnect, the orders over them, and orders that are refused before they reach the core.

use super::Dealer;
use buttonwood_engine::{Body, Place, RefusedDraft, State, TradingCommand};
use buttonwood_model::{ConnectionId, RefusalReason, SessionId};
use buttonwood_num::Decimal;
use std::sync::Arc;

impl Dealer {
    /// An order over a connection of the session, which is opened first; sometimes another connection, open or not.
    pub(super) fn over_a_socket(&mut self, state: &State, session: SessionId) -> Body {
        let open = state.floor().open_connections();
        let own: Vec<_> = open.filter(|(_, open)| open.session == session).map(|(id, _)| id).collect();
        let connection = if self.dice.once_in(30) {
            self.some_connection(state)
        } else if own.is_empty() || self.dice.once_in(30) {
            return Body::Trading(TradingCommand::OpenConnection);
        } else {
            self.dice.pick(&own)
        };
        Body::Trading(TradingCommand::PlaceOver(connection, Arc::new(self.place(state))))
    }

    /// The end of a connection; sometimes of one that is not open.
    pub(super) fn disconnection(&mut self, state: &State) -> Body {
        Body::Trading(TradingCommand::CloseConnection(self.some_connection(state)))
    }

    fn some_connection(&mut self, state: &State) -> ConnectionId {
        let open: Vec<_> = state.floor().open_connections().map(|(id, _)| id).collect();
        if open.is_empty() || self.dice.once_in(12) {
            return ConnectionId(u32::try_from(self.dice.below(8)).unwrap());
        }
        self.dice.pick(&open)
    }

    /// An order that is refused for some reason, with figures that no grid need have.
    pub(super) fn draft(&mut self, state: &State) -> RefusedDraft {
        let Place { symbol, side, claim, kind, option, client_id, .. } = self.place(state);
        let reason = self.dice.pick(RefusalReason::ALL);
        let [price, stop, qty, spend] = [(); 4].map(|()| self.figure());
        RefusedDraft { symbol, side, claim, kind, option, price, stop, qty, spend, client_id, reason }
    }

    fn figure(&mut self) -> Option<Decimal> {
        let (units, decimals) = (self.dice.below(1_000_000), self.dice.below(20));
        Decimal::of_units(units.into(), u8::try_from(decimals).unwrap()).filter(|_| !self.dice.once_in(3))
    }
}
