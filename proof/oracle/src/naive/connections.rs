//! Connections that cancel on disconnect: a list, and of each order the connection that it came over.

use super::Naive;
use crate::exchange::Happening;
use buttonwood_engine::{Answer, OrderState, Outcome, Reject, TradingAnswer, TradingReject};
use buttonwood_model::{AccountId, ConnectionId, OrderId, SessionId, Time};

/// Every connection there was, and the orders that came over it.
#[derive(Clone, Default)]
pub(crate) struct Ties {
    /// Session, account, and whether it is open, in the order of their ids.
    connections: Vec<(SessionId, AccountId, bool)>,
    /// In the order in which they came.
    tied: Vec<(ConnectionId, OrderId)>,
}

impl Ties {
    fn open(&self, connection: ConnectionId) -> Option<(SessionId, AccountId)> {
        let (session, account, is_open) = *self.connections.get(connection.index().checked_sub(1)?)?;
        is_open.then_some((session, account))
    }

    fn has(&self, connection: ConnectionId, order: OrderId) -> bool {
        self.tied.contains(&(connection, order))
    }
}

impl Naive {
    /// The open connections, each with its live orders, oldest first.
    pub(crate) fn connections(&self) -> Vec<(ConnectionId, SessionId, AccountId, Vec<OrderId>)> {
        let all = (1..).map(ConnectionId).zip(&self.ties.connections);
        let open = all.filter(|(_, (.., is_open))| *is_open);
        open.map(|(connection, (session, account, _))| {
            let mut own: Vec<_> = self.newest_first().iter().map(|order| order.id).collect();
            own.retain(|order| self.ties.has(connection, *order));
            own.reverse();
            (connection, *session, *account, own)
        })
        .collect()
    }

    /// Opens a connection of an account's key; others have none.
    pub(super) fn connect(&mut self, session: SessionId) -> Answer {
        let key = &self.keys[session.index()];
        if key.group.is_some() {
            return Outcome::Rejected(Reject::Unknown);
        }
        let account = key.accounts[0];
        self.ties.connections.push((session, account, true));
        let connection = ConnectionId(u32::try_from(self.ties.connections.len()).unwrap());
        self.happened.push(Happening::Connected(connection, session, account));
        Outcome::Trading(TradingAnswer::Connection(connection))
    }

    /// Why no order may come over a connection.
    pub(super) fn refuse_over(
        &self,
        connection: ConnectionId,
        caller: (SessionId, AccountId),
    ) -> Option<Answer> {
        let is_own = self.ties.open(connection) == Some(caller);
        (!is_own).then_some(Outcome::Rejected(Reject::Trading(TradingReject::NoConnection)))
    }

    /// An order that came over a connection and lives belongs to it.
    pub(super) fn tie(&mut self, connection: ConnectionId, answer: &Answer) {
        if let Outcome::Trading(TradingAnswer::Order(order)) = answer
            && order.is_live()
        {
            self.ties.tied.push((connection, order.id));
            self.happened.push(Happening::Tied(connection, order.id.0));
        }
    }

    /// A connection ends, and its orders with it.
    pub(super) fn disconnect(&mut self, connection: ConnectionId, now: Time) -> Answer {
        if self.ties.open(connection).is_none() {
            return Outcome::Rejected(Reject::Trading(TradingReject::NoConnection));
        }
        let ties = self.ties.clone();
        self.cancel_those(now, |order: &OrderState| ties.has(connection, order.id));
        self.ties.connections[connection.index() - 1].2 = false;
        self.happened.push(Happening::Disconnected(connection));
        Outcome::Done
    }
}
