//! All order events so far, from what the naive exchange says: the ones that a client gets which missed some.

use super::{Memory, Odd, same, told};
use buttonwood_engine::{OrderState, RefusedOrder};
use buttonwood_model::{AccountId, Claim, OrderId, Stamp, TradeId};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_oracle::{Dice, Happening};
use buttonwood_views::history::{Part, Resumed};
use buttonwood_views::{AccountEvent, EventId, OrderEvent, OrderFill, RefusedEvent, Step, Views};
use std::collections::{BTreeMap, BTreeSet};

/// An event, with the figures of its order after it.
#[derive(Clone, Copy, Debug)]
struct Known {
    id: EventId,
    stamp: Stamp,
    order: u64,
    step: Step,
    executed: Qty,
    notional: Money,
}

/// The facts of an event.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "a run has few events")]
enum Noted {
    Order(Known),
    Refused(RefusedEvent),
}

impl Noted {
    fn id(&self) -> EventId {
        match self {
            Self::Order(known) => known.id,
            Self::Refused(event) => event.id,
        }
    }
}

/// The events of every account, oldest first.
#[derive(Debug, Default)]
pub(super) struct Events {
    of: BTreeMap<AccountId, Vec<Noted>>,
    /// The quantity that each order has executed, as if no trade had been broken.
    figures: BTreeMap<u64, (Qty, Money)>,
    /// Orders that were booked when they began to wait for their stop price.
    waited: BTreeSet<u64>,
    /// The money that orders name to spend.
    spends: BTreeMap<u64, Money>,
    /// The command at hand, and how many events it has had.
    at: (Stamp, u64),
}

/// A fill that is noted: its order, and its value in quote currency.
pub(super) struct Filled {
    pub(super) order: u64,
    pub(super) fill: OrderFill,
    pub(super) paid: Money,
}

impl Filled {
    /// A fill of an order on a book.
    pub(super) fn new(
        order: u64,
        trade: TradeId,
        (price, qty): (Price, Qty),
        fee: Money,
        part: Part,
    ) -> Self {
        let fill = OrderFill { trade, price, qty, fee, part, claim: Claim::Yes };
        Self { order, fill, paid: Money::ZERO }
    }
}

impl Events {
    fn put(&mut self, account: AccountId, order: u64, step: Step) {
        let (stamp, place) = self.at;
        self.at.1 += 1;
        let (executed, notional) = self.figures.get(&order).copied().unwrap_or((Qty::ZERO, Money::ZERO));
        let id = EventId::new(stamp.seq, place);
        let known = Known { id, stamp, order, step, executed, notional };
        self.of.entry(account).or_default().push(Noted::Order(known));
    }
}

impl Memory {
    /// The command that the next events belong to.
    pub(super) fn begin_events(&mut self, stamp: Stamp) {
        self.events.at = (stamp, 0);
    }

    fn put_event(&mut self, order: u64, step: Step) {
        if let Some(known) = self.orders.get(&order) {
            self.events.put(known.account, order, step);
        }
    }

    /// An order's part in a trade, and that it is closed, if it is its last and `closes`.
    pub(super) fn note_filled(&mut self, filled: &Filled, closes: bool) {
        let Filled { order, fill, paid } = *filled;
        let (executed, notional) = self.events.figures.entry(order).or_insert((Qty::ZERO, Money::ZERO));
        *executed += fill.qty;
        *notional = notional.capped_add(paid);
        let executed = *executed;
        self.put_event(order, Step::Filled(fill));
        if closes && self.orders.get(&order).is_some_and(|known| known.original == executed) {
            self.put_event(order, Step::Closed);
        }
    }

    /// Records a trade off the book of an account's own order, which is first or last among its trades, with another order.
    pub(super) fn note_off_book_events(&mut self, [own, other]: [Filled; 2], is_first: bool, is_last: bool) {
        if is_first {
            self.put_event(own.order, Step::Accepted);
        }
        self.put_event(other.order, Step::Accepted);
        self.note_filled(&own, false);
        self.note_filled(&other, false);
        self.put_event(other.order, Step::Closed);
        if is_last {
            self.put_event(own.order, Step::Closed);
        }
    }

    /// Records the orders that a rule refused in the command at hand.
    pub(crate) fn note_refused(&mut self, refused: &[RefusedOrder]) {
        for order in refused {
            let (stamp, place) = self.events.at;
            self.events.at.1 += 1;
            let event = RefusedEvent { id: EventId::new(stamp.seq, place), time: stamp.time, order: *order };
            self.events.of.entry(order.account).or_default().push(Noted::Refused(event));
        }
    }

    /// Records the money that orders of the command at hand name to spend.
    pub(crate) fn note_spends(&mut self, spends: &[(OrderId, Money)]) {
        self.events.spends.extend(spends.iter().map(|(order, amount)| (order.0, *amount)));
    }

    /// Records the events of a happening that is no trade.
    pub(super) fn note_event(&mut self, happening: &Happening) {
        match *happening {
            Happening::Accepted(id) => self.put_event(id, Step::Accepted),
            Happening::Booked(id) if self.events.waited.contains(&id) => {}
            Happening::Booked(id) => self.put_event(id, Step::Booked),
            Happening::Suspended(id) => {
                self.events.waited.insert(id);
                self.put_event(id, Step::Booked);
            }
            Happening::Completed(id) => self.put_event(id, Step::Closed),
            Happening::Cancelled(id, reason) => {
                self.put_event(id, Step::Cancelled(reason));
                self.put_event(id, Step::Closed);
            }
            Happening::CancelRejected(id) => self.put_event(id, Step::CancelRejected),
            Happening::Filled { .. }
            | Happening::Crossed { .. }
            | Happening::Triggered(_)
            | Happening::Broken(..)
            | Happening::Scheduled(..)
            | Happening::Opened(..)
            | Happening::Refused(..)
            | Happening::Connected(..)
            | Happening::Tied(..)
            | Happening::Disconnected(_)
            | Happening::Indicated(..)
            | Happening::Cut(..)
            | Happening::Ended(..)
            | Happening::Status(..)
            | Happening::Credited(..)
            | Happening::Converted(_) => {}
        }
    }

    /// The event as its account gets it.
    fn event(&self, noted: &Noted) -> Option<AccountEvent> {
        let known = match noted {
            Noted::Order(known) => known,
            Noted::Refused(event) => return Some(AccountEvent::Refused(*event)),
        };
        let Known { id, stamp, order, step, executed, notional } = *known;
        let spend = self.events.spends.get(&order).copied().unwrap_or_default();
        let order = *self.orders.get(&order)?;
        let reason = order.reason.filter(|_| matches!(step, Step::Cancelled(_) | Step::Closed));
        let remaining = order.original - executed;
        let order = OrderState { remaining, notional, reason, broken: Qty::ZERO, ..order };
        Some(AccountEvent::Order(OrderEvent { id, time: stamp.time, step, order, spend }))
    }

    /// Compares the events of an account after one that it knows; no other account knows it.
    pub(super) fn compare_events(
        &self,
        account: AccountId,
        views: &Views,
        dice: &mut Dice,
    ) -> Result<(), Odd> {
        let events = self.events.of.get(&account).map_or(&[][..], Vec::as_slice);
        let most = dice.pick(&[1_usize, 7, 50, 1_000]);
        // Half of the time one that is among the newest.
        let choice = if dice.once_in(2) { events.len() } else { events.len().min(most) };
        let Ok(choice @ 1..) = u64::try_from(choice) else { return Ok(()) };
        let back = usize::try_from(dice.below(choice)).unwrap_or_default();
        let (before, missed) = events.split_at(events.len() - back);
        let Some(known) = before.last() else { return Ok(()) };
        let after = |account, after| {
            let live = |order: OrderId| views.live_with_broken(order);
            told(views, |history| history.order_events_after(account, after, most, live))
        };
        let missed: Vec<AccountEvent> = missed.iter().filter_map(|known| self.event(known)).collect();
        let expected = if missed.len() < most { Resumed::Missed(missed) } else { Resumed::Unknown };
        same("as missed events", &after(account, known.id())?, &expected)?;
        same("as another account's", &after(AccountId(account.0 + 1), known.id())?, &Resumed::Unknown)
    }
}
