//! Events of orders, numbered within their command.

use super::{Fold, Sink};
use crate::history::Position;
use crate::order_event::{EventId, OrderChange, RefusedEvent, Step};
use buttonwood_engine::{OrderState, RefusedOrder};
use buttonwood_model::{OrderKind, Slot, Stamp};
use buttonwood_num::Money;

/// The order events of the command at hand; as by default between commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// How many there were.
    count: u64,
    /// The money that its market order to buy names to spend.
    spend: Money,
}

impl Places {
    /// Passes on a change of an order: its first event and whether it has a second, the order after it, and the rows of its trade and of the
    /// closed order.
    pub(super) fn put(
        &mut self,
        stamp: Stamp,
        (step, is_double): (Step, bool),
        order: &OrderState,
        [trade, closed]: [Option<Position>; 2],
        sink: &mut impl Sink,
    ) {
        let first = EventId::new(stamp.seq, self.count);
        self.count += if is_double { 2 } else { 1 };
        let spend = if order.kind == OrderKind::MarketSpend { self.spend } else { Money::ZERO };
        sink.order_event(&OrderChange {
            first,
            time: stamp.time,
            step,
            is_double,
            order: *order,
            spend,
            trade,
            closed,
        });
    }

    /// Passes on the event of an order that a rule refused.
    pub(super) fn put_refused(&mut self, stamp: Stamp, order: &RefusedOrder, sink: &mut impl Sink) {
        let id = EventId::new(stamp.seq, self.count);
        self.count += 1;
        sink.refused_order(&RefusedEvent { id, time: stamp.time, order: *order });
    }

    /// Notes the money that the next order names to spend.
    pub(super) fn note_spend(&mut self, amount: Money) {
        self.spend = amount;
    }

    /// The command has no more events.
    pub(super) fn end(&mut self) {
        *self = Self::default();
    }
}

impl Fold {
    /// Passes on a change without a trade that leaves the order live, as the state has it now.
    pub(super) fn note_live(&mut self, stamp: Stamp, slot: Slot, step: (Step, bool), sink: &mut impl Sink) {
        let order = OrderState::with_broken(self.state.floor(), slot);
        self.places.put(stamp, step, &order, [None; 2], sink);
    }

    /// The taker's rest went on the book. An order that a trade triggered was booked when it began to wait.
    pub(super) fn note_booked(&mut self, stamp: Stamp, slot: Slot, sink: &mut impl Sink) {
        if self.state.floor().stops.price(self.state.orders().get(slot).id).is_none() {
            self.note_live(stamp, slot, (Step::Booked, false), sink);
        }
    }
}
