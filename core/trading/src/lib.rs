//! The trading floor: everything about an order's life that is not money.
//!
//! Which orders enter, what they meet, how they end, auctions, cancels, and the state of all that. What an order
//! reserves and how a fill settles is known only to the [`Desks`] of the products; the floor asks the desk of each order.
//! Decisions read and refuse; [`evolve`] applies their events and cannot fail.
//!
//! Clauses: `AUCT-001` to `AUCT-007`, `ORD-024` to `ORD-063`, `SYM-005`, `SYM-022` to `SYM-028`, `TYPE-011`.
//! Not here: money (`ledger`), what a product's orders cost (`spot` and its siblings), who may act (`access`).
#![no_std]
extern crate alloc;

pub mod auction;
pub mod cancel;
mod collar;
mod command;
mod desk;
mod event;
mod evolve;
mod fees;
mod floor;
mod incoming;
mod order_state;
pub mod place;
pub mod status;

pub use buttonwood_book::{Fill, NewOrder, Order, Traded};
pub use collar::CollarWidth;
pub use command::{Answer, Command, FeeChange, Infrequent, Reject, SYMBOLS_MAX, decide, evolve_infrequent};
pub use desk::{Crossing, Desks, Execution, Live, Reserve, Rules, Terms, Unmet};
pub use event::Event;
pub use evolve::evolve;
pub use fees::{FeeSchedule, Fees};
pub use floor::{Floor, Market, Planner};
pub use order_state::{Decided, OrderState};
