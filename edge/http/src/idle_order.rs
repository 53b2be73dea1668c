//! Open connections by the time of their last activity.

use crate::connection_state::{Connection, Signal};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Numbers of connections, each with the time of an activity, which need not be its last one. Only a search updates the
/// entries, so that activity costs nothing here.
#[derive(Debug, Default)]
pub(crate) struct IdleOrder {
    unsigned: BTreeSet<(u64, u64)>,
    /// Connections with a signed request. A search moves a connection here when it finds it first among the unsigned
    /// ones.
    signed: BTreeSet<(u64, u64)>,
}

impl IdleOrder {
    /// Adds a new connection.
    pub(crate) fn insert(&mut self, number: u64, connection: &Connection) {
        self.enter(number, connection, connection.active_at.get());
    }

    /// Removes a connection that has ended.
    pub(crate) fn remove(&mut self, number: u64, connection: &Connection) {
        let (is_signed, at) = connection.idle_entry.get();
        self.entries(is_signed).remove(&(at, number));
    }

    /// The connection without a signed request that has been idle longest at `now`. If there is none, the longest idle
    /// one with a signed request, unless only the others are searched.
    pub(crate) fn first(
        &mut self,
        open: &BTreeMap<u64, Rc<Connection>>,
        now: u64,
        among_unsigned: bool,
    ) -> Option<Rc<Connection>> {
        let unsigned = self.first_of(false, open, now);
        let found =
            if among_unsigned { unsigned } else { unsigned.or_else(|| self.first_of(true, open, now)) };
        open.get(&found?.1).cloned()
    }

    /// Updates the entries of one kind until the first is that of an idle connection, and returns it, if there is one.
    fn first_of(
        &mut self,
        is_signed: bool,
        open: &BTreeMap<u64, Rc<Connection>>,
        now: u64,
    ) -> Option<(u64, u64)> {
        let later = now + u64::try_from(open.len()).unwrap_or(0) + 1;
        loop {
            let entry = self.entries(is_signed).first().copied().filter(|(at, _)| *at <= now)?;
            let (at, number) = entry;
            let connection = open.get(&number).filter(|open| open.signal.get() != Signal::Close);
            let active_at = connection.map(|connection| connection.active_at.get());
            let is_waiting = connection.is_some_and(|connection| connection.is_waiting());
            let is_of_kind = connection.is_some_and(|connection| connection.is_signed.get() == is_signed);
            if !is_waiting && is_of_kind && active_at == Some(at) {
                return Some(entry);
            }
            self.entries(is_signed).pop_first();
            if let (Some(connection), Some(active_at)) = (connection, active_at) {
                // A waiting connection counts as active until later, so that not every search visits it.
                self.enter(number, connection, if is_waiting { later } else { active_at });
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.unsigned.is_empty() && self.signed.is_empty()
    }

    fn enter(&mut self, number: u64, connection: &Connection, at: u64) {
        let is_signed = connection.is_signed.get();
        connection.idle_entry.set((is_signed, at));
        self.entries(is_signed).insert((at, number));
    }

    fn entries(&mut self, is_signed: bool) -> &mut BTreeSet<(u64, u64)> {
        if is_signed { &mut self.signed } else { &mut self.unsigned }
    }
}
