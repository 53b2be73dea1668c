//! The state of the sequential exchange: four tables whose changes can be undone, and a hash over all of them.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashMap};
use std::hash::{Hash, Hasher};

use crate::decimal::Dec;
use crate::operation::Side;

/// The state of an order. Its terms are in the operation that placed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Standing {
    /// The number of orders that entered before it.
    pub(crate) rank: usize,
    /// Its quantity.
    pub(crate) original: Dec,
    /// Filled quantity.
    pub(crate) executed: Dec,
    /// The notional of its fills.
    pub(crate) notional: Dec,
    /// Why it was cancelled.
    pub(crate) reason: Option<&'static str>,
}

impl Standing {
    pub(crate) fn remaining(&self) -> Dec {
        self.original - self.executed
    }

    pub(crate) fn is_live(&self) -> bool {
        self.reason.is_none() && self.remaining() > Dec::ZERO
    }
}

/// One trade; orders are named by the operations that placed them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Print {
    pub(crate) maker: usize,
    pub(crate) taker: usize,
    /// The taker's side.
    pub(crate) side: Side,
    pub(crate) price: Dec,
    pub(crate) amount: Dec,
    /// Its id, once a reply has shown it.
    pub(crate) tid: Option<u64>,
}

/// An account's balance in a currency.
pub(crate) type Purse<'h> = (&'h str, &'h str);

/// The value before a change.
#[derive(Debug)]
enum Change<'h> {
    Order(usize, Option<Standing>),
    Total(Purse<'h>, Option<Dec>),
    Last(&'h str, Option<Dec>),
    Traded,
    Named(usize),
}

/// All tables.
#[derive(Debug, Default)]
pub(crate) struct State<'h> {
    orders: HashMap<usize, Standing>,
    live: BTreeSet<usize>,
    totals: HashMap<Purse<'h>, Dec>,
    lasts: HashMap<&'h str, Dec>,
    prints: Vec<Print>,
    hash: u64,
    changes: Vec<Change<'h>>,
}

/// The share of one row in the hash; an absent row has none.
fn share<K: Hash, V: Hash>(table: u8, key: &K, value: Option<&V>) -> u64 {
    let Some(value) = value else { return 0 };
    let mut hasher = DefaultHasher::new();
    (table, key, value).hash(&mut hasher);
    hasher.finish()
}

impl<'h> State<'h> {
    /// Live orders.
    pub(crate) fn live(&self) -> impl Iterator<Item = (usize, &Standing)> {
        self.live.iter().filter_map(|at| Some((*at, self.orders.get(at)?)))
    }

    pub(crate) fn order(&self, at: usize) -> Option<&Standing> {
        self.orders.get(&at)
    }

    /// All orders, live or not, in no particular order.
    pub(crate) fn all(&self) -> impl Iterator<Item = usize> {
        self.orders.keys().copied()
    }

    /// The number of orders so far.
    pub(crate) fn orders(&self) -> usize {
        self.orders.len()
    }

    pub(crate) fn total(&self, purse: Purse<'h>) -> Dec {
        self.totals.get(&purse).copied().unwrap_or(Dec::ZERO)
    }

    /// The price of a symbol's last trade.
    pub(crate) fn last(&self, symbol: &'h str) -> Option<Dec> {
        self.lasts.get(symbol).copied()
    }

    pub(crate) fn prints(&self) -> &[Print] {
        &self.prints
    }

    /// Equal for equal tables, no matter how they came about.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    pub(crate) fn set_order(&mut self, at: usize, standing: Standing) {
        let before = self.orders.insert(at, standing);
        self.hash ^= share(0, &at, before.as_ref()) ^ share(0, &at, Some(&standing));
        self.note_live(at);
        self.changes.push(Change::Order(at, before));
    }

    pub(crate) fn set_total(&mut self, purse: Purse<'h>, total: Dec) {
        let before = self.totals.insert(purse, total);
        self.hash ^= share(1, &purse, before.as_ref()) ^ share(1, &purse, Some(&total));
        self.changes.push(Change::Total(purse, before));
    }

    pub(crate) fn set_last(&mut self, symbol: &'h str, price: Dec) {
        let before = self.lasts.insert(symbol, price);
        self.hash ^= share(2, &symbol, before.as_ref()) ^ share(2, &symbol, Some(&price));
        self.changes.push(Change::Last(symbol, before));
    }

    pub(crate) fn add_print(&mut self, print: Print) {
        self.hash ^= share(3, &self.prints.len(), Some(&print));
        self.prints.push(print);
        self.changes.push(Change::Traded);
    }

    /// Records a trade's id from a reply, unless it contradicts other replies: ids increase.
    pub(crate) fn name_print(&mut self, at: usize, tid: u64) -> bool {
        let (before, from_here) = self.prints.split_at(at);
        let Some((print, after)) = from_here.split_first() else { return false };
        if let Some(known) = print.tid {
            return known == tid;
        }
        let fits = before.iter().rev().find_map(|print| print.tid).is_none_or(|below| below < tid)
            && after.iter().find_map(|print| print.tid).is_none_or(|above| tid < above);
        if fits {
            self.put_tid(at, Some(tid));
            self.changes.push(Change::Named(at));
        }
        fits
    }

    fn put_tid(&mut self, at: usize, tid: Option<u64>) {
        let Some(print) = self.prints.get_mut(at) else { return };
        self.hash ^= share(3, &at, Some(print));
        print.tid = tid;
        self.hash ^= share(3, &at, Some(print));
    }

    fn note_live(&mut self, at: usize) {
        if self.orders.get(&at).is_some_and(Standing::is_live) {
            self.live.insert(at);
        } else {
            self.live.remove(&at);
        }
    }

    /// A point to return to.
    pub(crate) fn mark(&self) -> usize {
        self.changes.len()
    }

    /// Whether anything but ids was changed since that point.
    pub(crate) fn has_changed(&self, since: usize) -> bool {
        let mut changes = self.changes.iter().skip(since);
        changes.any(|change| !matches!(change, Change::Named(_)))
    }

    /// Undoes all changes since that point.
    pub(crate) fn rewind(&mut self, to: usize) {
        while self.changes.len() > to {
            match self.changes.pop() {
                Some(Change::Order(at, before)) => {
                    let now = restore(&mut self.orders, at, before);
                    self.hash ^= share(0, &at, before.as_ref()) ^ share(0, &at, now.as_ref());
                    self.note_live(at);
                }
                Some(Change::Total(purse, before)) => {
                    let now = restore(&mut self.totals, purse, before);
                    self.hash ^= share(1, &purse, before.as_ref()) ^ share(1, &purse, now.as_ref());
                }
                Some(Change::Last(symbol, before)) => {
                    let now = restore(&mut self.lasts, symbol, before);
                    self.hash ^= share(2, &symbol, before.as_ref()) ^ share(2, &symbol, now.as_ref());
                }
                Some(Change::Traded) => {
                    let print = self.prints.pop();
                    self.hash ^= share(3, &self.prints.len(), print.as_ref());
                }
                Some(Change::Named(at)) => self.put_tid(at, None),
                None => return,
            }
        }
    }
}

/// Restores a row and returns its value until now.
fn restore<K: Eq + Hash, V>(table: &mut HashMap<K, V>, key: K, before: Option<V>) -> Option<V> {
    match before {
        Some(value) => table.insert(key, value),
        None => table.remove(&key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimal::dec;

    /// All changes can be undone, including the hash, and the hash does not depend on the sequence of changes.
    #[test]
    fn changes_are_taken_back() {
        let standing = |executed: &str| Standing {
            rank: 0,
            original: dec("2"),
            executed: dec(executed),
            notional: Dec::ZERO,
            reason: None,
        };
        let print =
            Print { maker: 0, taker: 1, side: Side::Buy, price: dec("1"), amount: dec("1"), tid: None };
        let mut state = State::default();
        state.set_order(4, standing("0"));
        state.add_print(print);
        let (mark, hash) = (state.mark(), state.hash());
        state.set_order(4, standing("2"));
        state.set_total(("a", "USD"), dec("5"));
        state.set_last("btcusd", dec("1"));
        state.add_print(print);
        assert!(state.name_print(0, 7) && !state.name_print(0, 8) && !state.name_print(1, 7));
        assert!(state.live().next().is_none() && state.has_changed(mark));
        state.rewind(mark);
        assert_eq!((state.hash(), state.live().count(), state.prints().len()), (hash, 1, 1));
        assert!(state.name_print(0, 9) && !state.has_changed(mark));
    }
}
