//! Connections that cancel on disconnect: each knows its orders, which are cancelled when it closes (D-150, Q-584).

use crate::{Desks, Event, Floor, Infrequent, Market, Reject, cancel};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_book::Orders;
use buttonwood_model::{AccountId, BytesRef, ConnectionId, OrderId, Outbox, SessionId, Slot};
use serde::{Deserialize, Serialize};

/// Orders that a connection may remember beyond twice those that lived at its last pruning.
const SPARE: usize = 64;

/// The open connections that cancel on disconnect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connections {
    /// The connection that was opened last.
    last: ConnectionId,
    open: BTreeMap<ConnectionId, Open>,
}

/// An open connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// The session that opened it, which alone places orders over it.
    pub session: SessionId,
    /// The account that it trades for.
    pub account: AccountId,
    /// Its orders, oldest first, and some that are closed by now.
    orders: Vec<OrderId>,
    /// How many of them lived when closed ones were removed last.
    lived: usize,
}

impl Open {
    /// The orders that were placed over it and are live, oldest first.
    pub fn live<'a>(
        &'a self,
        orders: &'a Orders,
    ) -> impl DoubleEndedIterator<Item = (Slot, OrderId)> + use<'a> {
        self.orders.iter().filter_map(|id| orders.find(*id).map(|slot| (slot, *id)))
    }

    /// How many orders it remembers, closed ones included.
    pub fn remembered(&self) -> usize {
        self.orders.len()
    }

    /// Remembers an order. Closed ones are removed at times, so that the list stays within a multiple of the live orders.
    fn tie(&mut self, order: OrderId, live: &Orders) {
        if self.orders.len() >= self.lived.saturating_mul(2).saturating_add(SPARE) {
            self.orders.retain(|id| live.find(*id).is_some());
            self.lived = self.orders.len();
        }
        self.orders.push(order);
    }
}

impl Connections {
    /// The id that the next connection gets; none after 2^32 of them.
    pub fn next(&self) -> Option<ConnectionId> {
        self.last.0.checked_add(1).map(ConnectionId)
    }

    /// An open connection.
    pub fn get(&self, connection: ConnectionId) -> Option<&Open> {
        self.open.get(&connection)
    }
}

/// Opens a connection whose end cancels its orders; returns its id, or none after 2^32 of them.
pub fn open<E: From<BytesRef>>(
    floor: &Floor,
    session: SessionId,
    account: AccountId,
    out: &mut Outbox<E>,
) -> Option<ConnectionId> {
    let connection = floor.connections.next()?;
    out.push_named(&Infrequent::ConnectionOpened(connection, session, account));
    Some(connection)
}

/// Ends a connection: its live orders are cancelled, newest first, but those that are too late to leave an auction.
pub(crate) fn close<D: Desks, E: From<Event> + From<BytesRef>>(
    market: Market<'_, D>,
    connection: ConnectionId,
    out: &mut Outbox<E>,
) -> Result<(), Reject<D::Refusal>> {
    let open = market.floor.connections.get(connection).ok_or(Reject::NoConnection)?;
    cancel::tied(market, open, out);
    out.push_named(&Infrequent::ConnectionClosed(connection));
    Ok(())
}

impl Floor {
    /// The open connections that cancel on disconnect, oldest first. After a crash all of them are dead: the sequencer closes them before
    /// it takes commands.
    pub fn open_connections(&self) -> impl Iterator<Item = (ConnectionId, &Open)> {
        self.connections.open.iter().map(|(connection, open)| (*connection, open))
    }

    /// Opens a connection.
    ///
    /// # Panics
    /// When it is not the next one.
    pub(crate) fn open_connection(
        &mut self,
        connection: ConnectionId,
        session: SessionId,
        account: AccountId,
    ) {
        assert!(self.connections.next() == Some(connection), "connections are numbered without holes");
        self.connections.last = connection;
        self.connections.open.insert(connection, Open { session, account, orders: Vec::new(), lived: 0 });
    }

    /// Ties an order to a connection.
    ///
    /// # Panics
    /// When the connection is not open.
    pub(crate) fn tie(&mut self, connection: ConnectionId, order: OrderId) {
        let open = self.connections.open.get_mut(&connection).expect("the decision found the connection");
        open.tie(order, &self.orders);
    }

    /// Forgets a connection.
    pub(crate) fn close_connection(&mut self, connection: ConnectionId) {
        self.connections.open.remove(&connection);
    }
}
