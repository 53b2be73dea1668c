//! The result of a command: one variant for each room.

use crate::{DeskReject, Event, Infrequent, Reject, State};
use buttonwood_clearing as clearing;
use buttonwood_convert as convert;
use buttonwood_funds::Made;
use buttonwood_model::{CancelReason, OrderId, Stamp};
use buttonwood_staking as staking;
use buttonwood_trading::{self as trading, Answer as TradingAnswer, Decided, OrderState};

/// The result of a command. `decide` only refers to the order or the conversion; [`Outcome::in_full`] builds them in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<O = Decided, C = (), S = ()> {
    /// Of the trading floor.
    Trading(TradingAnswer<O>),
    /// Of the conversions.
    Converted(C),
    /// Of staking.
    Staking(S),
    /// Of money that enters and leaves: what the command made, or what an earlier one made for the same client id.
    Funds(Made),
    /// Of OTC clearing.
    Clearing(clearing::Answer),
    /// Done; cancelled orders are in the command's events.
    Done,
    /// Refused; nothing changed except the nonce and, for an order that a rule refuses, the counter of ids.
    Rejected(Reject),
}

impl Outcome {
    /// The answer with the full order, built from the command's stamp, events and texts and from the state
    /// before these events. The thread that replies calls it, so that the writer need not.
    ///
    /// # Panics
    /// When the events or the state do not belong to the command.
    pub fn in_full(self, stamp: Stamp, events: &[Event], texts: &[u8], before: &State) -> Answer {
        let order = match self {
            Self::Trading(TradingAnswer::Order(order)) => order,
            Self::Trading(TradingAnswer::NotLive) => return Outcome::Trading(TradingAnswer::NotLive),
            Self::Trading(TradingAnswer::Connection(connection)) => {
                return Outcome::Trading(TradingAnswer::Connection(connection));
            }
            Self::Converted(()) => return Outcome::Converted(answer_of(events, texts, conversion)),
            Self::Staking(()) => {
                return Outcome::Staking(answer_of(events, texts, |event| stake(event, stamp)));
            }
            Self::Funds(made) => return Outcome::Funds(made),
            Self::Clearing(answer) => return Outcome::Clearing(answer),
            Self::Done => return Outcome::Done,
            Self::Rejected(reject) => return Outcome::Rejected(reject),
        };
        let state = match order.kept {
            Some(slot) => OrderState {
                reason: is_cancelled(order.id, events).then_some(CancelReason::Requested),
                ..OrderState::live(before.floor(), slot)
            },
            None => {
                let events = events.iter().filter_map(Event::of_order);
                let state = OrderState::of_events(order.id, events, texts, stamp.time, before.floor());
                state.expect("a placed order is in its command's events")
            }
        };
        Outcome::Trading(TradingAnswer::Order(state))
    }
}

/// Whether the command cancelled the order; a cancel of an order that waits for an auction may have been
/// rejected (AUCT-003).
fn is_cancelled(id: OrderId, events: &[Event]) -> bool {
    let of_it =
        |event: &trading::Event| matches!(event, trading::Event::Cancelled { order, .. } if *order == id);
    events.iter().filter_map(Event::of_order).any(of_it)
}

/// The answer of a room among a command's events.
#[cold]
fn answer_of<A>(events: &[Event], texts: &[u8], pick: impl Fn(&Infrequent) -> Option<A>) -> A {
    let answers = events.iter().filter_map(|event| {
        let Event::Infrequent(kept) = event else { return None };
        pick(&Infrequent::read(*kept, texts).expect("what was kept can be read"))
    });
    { answers }.next().expect("what was done is in its command's events")
}

fn conversion(event: &Infrequent) -> Option<convert::Answer> {
    if let Infrequent::Convert(event) = event { event.answer() } else { None }
}

fn stake(event: &Infrequent, stamp: Stamp) -> Option<staking::Answer> {
    if let Infrequent::Staking(event) = event { event.answer(stamp.time) } else { None }
}

/// An answer with the full order, conversion or stake.
pub type Answer = Outcome<OrderState, convert::Answer, staking::Answer>;

/// Why an order is refused.
pub type PlaceReject = trading::place::Reject<DeskReject>;

/// Why a command of the trading floor was refused.
pub type TradingReject = trading::Reject<DeskReject>;

impl Reject {
    /// The refusal of an order.
    pub const fn place(reject: PlaceReject) -> Self {
        Self::Trading(trading::Reject::Place(reject))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_model::Slot;

    /// Every command returns one, and every entry of a batch holds one: the figures of a refusal must not make it large.
    #[test]
    fn an_outcome_is_small() {
        assert!(size_of::<Outcome>() <= 40, "{} bytes", size_of::<Outcome>());
    }

    /// A command may cancel other orders than the one that its answer is about.
    #[test]
    fn a_cancel_of_another_order_is_not_of_this_one() {
        let event =
            trading::Event::Cancelled { slot: Slot(0), reason: CancelReason::Requested, order: OrderId(5) };
        let is_cancelled = |id| is_cancelled(OrderId(id), &[Event::Trading(event)]);
        assert!(is_cancelled(5) && !is_cancelled(6));
    }
}
