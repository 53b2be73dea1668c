//! The references by which the trades of a command count in volumes (D-265): taken for the groups of its trades, each for a second.
//!
//! The event stands before the first of these trades, so that each counts what was taken before it. Orders of a command change one book,
//! and never the one that its own reference comes from, so one look before the command serves all of its trades.

use crate::{Desks, Event, State};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_index::{Bound, Sources};
use buttonwood_model::{AccountId, CurrencyId, GroupId, LOOKS_OF_COMMAND, Outbox, SymbolId, Time};
use buttonwood_num::Money;
use buttonwood_trading::{self as trading, Floor, Infrequent, Reference, Value};
use core::cell::Cell;

/// A command takes references until it has read this many orders for them. The last one may read 5,000 more (D-257), so that the command
/// reads no more than [`LOOKS_OF_COMMAND`]. Trades of the groups that are left count as without a reference.
const LOOKS_MAX: usize = LOOKS_OF_COMMAND / 4;

/// Takes the references of a command that was decided, if an order on this symbol needs any.
#[inline]
pub(crate) fn note_of(state: &State, symbol: SymbolId, now: Time, out: &mut Outbox<Event>) {
    let volumes = &state.floor.volumes;
    let is_plain = volumes.is_wrapped(symbol) && volumes.references.are_used();
    if volumes.value_of(symbol) != Value::Dollars && !is_plain {
        note(state, now, out);
    }
}

/// The same for a command that may trade any symbol.
#[cold]
pub(crate) fn note(state: &State, now: Time, out: &mut Outbox<Event>) {
    let volumes = &state.floor.volumes;
    let reader = Reader::new(&state.desks);
    let mut taken = BTreeMap::new();
    let mut first = None;
    for (at, symbol, accounts) in trades(state, out.latest().0) {
        if volumes.value_of(symbol) == Value::Dollars {
            continue;
        }
        // Trades of contracts count in no volume.
        let Some(listed) = state.floor.symbols.listed().get(symbol.index()) else { continue };
        first = first.or(Some(at));
        if volumes.is_wrapped(symbol) {
            continue;
        }
        for group in accounts.map(|account| state.desks.group(account)) {
            let key = (group, listed.quote);
            let is_known = taken.contains_key(&key) || volumes.references.is_fresh(group, listed.quote, now);
            if !is_known && reader.looks() < LOOKS_MAX {
                // One that reads no order, such as that of a pinned index, is a row of the event all the same.
                reader.note_looks(1);
                taken.insert(key, reader.reference((&state.floor, now), key));
            }
        }
    }
    let Some(at) = first else { return };
    if !taken.is_empty() || !volumes.references.are_used() {
        let rows = taken.into_iter();
        let rows: Vec<Reference> =
            rows.map(|((group, currency), price)| Reference { group, currency, price }).collect();
        out.insert_named(at, &Infrequent::ReferencesTaken(rows));
    }
}

/// The trades among the events of a command: the place of each, its symbol and its accounts.
fn trades<'a>(
    state: &'a State,
    events: &'a [Event],
) -> impl Iterator<Item = (usize, SymbolId, [AccountId; 2])> + use<'a> {
    let orders = state.orders();
    let mut taker = None;
    events.iter().enumerate().filter_map(move |(at, event)| {
        let Event::Trading(event) = event else { return None };
        if let trading::Event::Placed(order) = event {
            taker = Some(order.account);
        } else if let trading::Event::Triggered { slot, .. } = event {
            taker = Some(orders.get(*slot).account);
        } else if let trading::Event::Filled { maker, .. } = event {
            let maker = orders.get(*maker);
            return Some((at, maker.symbol, [taker?, maker.account]));
        } else if let trading::Event::Crossed { buy, sell, .. } = event {
            let [buy, sell] = [*buy, *sell].map(|slot| orders.get(slot));
            return Some((at, buy.symbol, [buy.account, sell.account]));
        }
        None
    })
}

/// Finds references and counts the orders that it reads, so that what a command takes depends on the state alone.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    desks: &'a Desks,
    looks: Cell<usize>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(desks: &'a Desks) -> Self {
        Self { desks, looks: Cell::new(0) }
    }

    /// The orders that were read.
    pub(crate) fn looks(&self) -> usize {
        self.looks.get()
    }

    pub(crate) fn reference(
        &self,
        (floor, now): (&Floor, Time),
        (group, currency): (Option<GroupId>, CurrencyId),
    ) -> Option<Money> {
        let own = group.map(|group| self.desks.members_of(group)).unwrap_or_default();
        let sources = Sources { bound: self, ..self.desks.sources(floor, now) };
        sources.reference(currency, own)
    }
}

impl Bound for Reader<'_> {
    fn is_bound(&self, account: AccountId) -> bool {
        self.desks.is_bound(account)
    }

    fn note_looks(&self, orders: usize) {
        self.looks.set(self.looks.get().saturating_add(orders));
        self.desks.note_looks(orders);
    }
}

impl State {
    /// The dollars that a trade which is made now counts in the volumes of its accounts (VOL-003).
    pub fn counted(&self, time: Time, symbol: SymbolId, notional: Money, accounts: [AccountId; 2]) -> Money {
        self.floor.counted(time, symbol, notional, || accounts.map(|account| self.desks.group(account)))
    }
}
