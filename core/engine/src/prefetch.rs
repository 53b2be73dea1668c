//! Prefetches the memory that the next commands need.
//!
//! A large state does not fit into the caches, and a command waits for one cache line after another: the
//! index leads to the order, the order to its neighbours, its level and its balance. Commands come in
//! batches, so these lines can be fetched while earlier commands are decided. Nothing is decided here; a
//! useless prefetch only costs its time.

#![expect(clippy::indexing_slicing, reason = "what is kept is a power of two, and places are masked to it")]
#![expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]

use crate::{Body, Command, OrderRef, Place, State, TradingCommand};
use buttonwood_book::Resting;
use buttonwood_ledger::Entry;
use buttonwood_model::{AccountId, OrderId, SessionId, Side, Slot, SymbolId};
use buttonwood_num::Price;

/// How many commands before its decision a command is passed to [`Prefetch::see`].
pub const PREFETCH_DISTANCE: usize = 12;

/// After how many further orders of its kind the second step of an order comes, and the third and fourth of
/// an order that leaves.
const SECOND: usize = 1;
const THIRD: usize = 2;
const FOURTH: usize = 3;
/// Orders remembered: a power of two above these numbers.
const KEPT: usize = 4;

/// Bytes of an order, a balance and a session, with their share of the indices.
const ORDER_BYTES: usize = 128;
const BALANCE_BYTES: usize = 32;
const SESSION_BYTES: usize = 320;
/// The second-level cache of one core.
const NEAR_BYTES: usize = 2 << 20;

/// Prefetches for commands that will be decided soon, in steps: each step reads what the one before it has
/// fetched, so it comes some commands later. Orders that leave and orders that enter are kept apart, so that
/// there is only one unpredictable branch for each command.
#[derive(Clone, Debug, Default)]
pub struct Prefetch {
    leaving: Leaving,
    entering: Entering,
}

/// The latest orders that will be cancelled.
#[derive(Clone, Debug, Default)]
struct Leaving {
    seen: usize,
    ids: [OrderId; KEPT],
    slots: [Slot; KEPT],
}

/// The latest orders that will be placed.
#[derive(Clone, Debug, Default)]
struct Entering {
    seen: usize,
    paying: [Entry; KEPT],
    resting: [Resting; KEPT],
}

/// The parts of a coming command that show which memory it needs.
#[derive(Clone, Copy, Debug)]
pub enum Coming<'a> {
    /// The session cancels an order.
    Cancel(SessionId, OrderId),
    /// The session places an order for the account.
    Place(SessionId, AccountId, Sketch<'a>),
    /// Any other command: infrequent, or without memory to prefetch.
    Other,
}

/// The fields of a new order that show where it will be stored.
#[derive(Clone, Copy, Debug)]
pub struct Sketch<'a> {
    /// The symbol.
    pub symbol: SymbolId,
    /// The side.
    pub side: Side,
    /// Its limit.
    pub price: Price,
    /// Its client id; empty without one.
    pub client_id: &'a [u8],
}

impl<'a> From<&'a Command> for Coming<'a> {
    #[inline]
    fn from(command: &'a Command) -> Self {
        let Some(caller) = &command.caller else { return Self::Other };
        if let Body::Trading(TradingCommand::Cancel(OrderRef::Id(id))) = &command.body {
            return Self::Cancel(caller.session, *id);
        }
        let (Body::Trading(TradingCommand::Place(place)), Some(account)) = (&command.body, caller.account)
        else {
            return Self::Other;
        };
        let Place { symbol, side, price, .. } = *place;
        let client_id = place.client_id.as_ref().map_or([].as_slice(), |text| text.as_bytes());
        Self::Place(caller.session, account, Sketch { symbol, side, price, client_id })
    }
}

impl Prefetch {
    /// Takes the first step for a command that will be decided [`PREFETCH_DISTANCE`] commands later, and
    /// further steps for earlier ones.
    #[inline(always)]
    pub fn see(&mut self, state: &State, coming: Coming<'_>) {
        match coming {
            Coming::Cancel(session, id) => {
                state.access.prefetch(session);
                self.leaving.see(state, id);
            }
            Coming::Place(session, account, order) => {
                state.access.prefetch(session);
                self.entering.see(state, account, order);
            }
            Coming::Other => {}
        }
    }
}

impl Leaving {
    #[inline(always)]
    fn see(&mut self, state: &State, id: OrderId) {
        let (orders, at) = (&state.floor.orders, self.seen);
        self.seen = at.wrapping_add(1);
        orders.prefetch_id(id);
        self.ids[at % KEPT] = id;
        let second = at.wrapping_sub(SECOND) % KEPT;
        self.slots[second] = orders.prefetch_order(self.ids[second]);
        let third = at.wrapping_sub(THIRD) % KEPT;
        self.slots[third] = orders.prefetch_chained(self.ids[third], self.slots[third]);
        let held = orders.prefetch_links(self.slots[at.wrapping_sub(FOURTH) % KEPT]);
        state.desks.ledger.prefetch_held(held);
    }
}

impl Entering {
    #[inline(always)]
    fn see(&mut self, state: &State, account: AccountId, order: Sketch<'_>) {
        let Sketch { symbol, side, price, client_id } = order;
        let Some(listed) = state.symbol(symbol) else { return };
        let (orders, ledger, at) = (&state.floor.orders, &state.desks.ledger, self.seen);
        self.seen = at.wrapping_add(1);
        self.paying[at % KEPT] = ledger.prefetch(account, listed.paid_in(side));
        self.resting[at % KEPT] = orders.prefetch_level(account, symbol, side, price, client_id);
        let second = at.wrapping_sub(SECOND) % KEPT;
        ledger.prefetch_balance(self.paying[second]);
        orders.prefetch_queue(self.resting[second]);
    }
}

impl State {
    /// Whether the state is larger than the second-level cache of a core; only then is prefetching worth its
    /// cost.
    pub fn is_large(&self) -> bool {
        let bytes = self.floor.orders.len() * ORDER_BYTES
            + self.desks.ledger.len() * BALANCE_BYTES
            + self.access.sessions().len() * SESSION_BYTES;
        bytes > NEAR_BYTES
    }
}
