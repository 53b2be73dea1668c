//! The engine: one [`State`], one [`Command`], one [`Event`].
//!
//! [`decide`] reads the state and says what happens; [`evolve`] applies what happened and cannot fail. The live
//! exchange, its recovery, its read models and its proofs all go through the same two functions, so there is one
//! way to be in a state.
#![no_std]
extern crate alloc;

mod ahead;
mod asked;
mod command;
mod decide;
mod event;
mod evolve;
mod frame;
mod outcome;
mod state;

pub use ahead::{AHEAD, Ahead, Coming, Sketch};
pub use buttonwood_access::{
    Access, Account, AccountKind, Caller, Group, NewSession, Owner, Reject as AccessReject, Session,
};
pub use buttonwood_auction::{Auctions, Collar, Finding, Schedule, ScheduleError};
pub use buttonwood_ledger::{Balance, BrokenLaw, House};
pub use buttonwood_spot::cancel::OrderRef;
pub use buttonwood_spot::place::{FILLS_MAX, ORDERS_MAX, Place, Reject as PlaceReject};
pub use buttonwood_spot::{Decided, Event as SpotEvent, FeeSchedule, NewOrder, OrderState};
pub use command::{Body, Command, Founding, Mode, Opening, SEEN_MAX, SYMBOLS_MAX, Seen};
pub use decide::decide;
pub use event::{Event, Rare};
pub use evolve::evolve;
pub use frame::{FORMAT, Frame, FrameError, decode_command, decode_events, encode};
pub use outcome::{Answer, Outcome, Reject};
pub use state::{Broken, State};

/// What the writer reuses from command to command.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Events of the commands decided since it was last emptied.
    pub out: buttonwood_model::Outbox<Event>,
    /// Room to plan a match in.
    pub planner: buttonwood_spot::Planner,
}
