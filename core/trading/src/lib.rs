//! The trading floor: an order's life, except its money.
//!
//! The floor admits orders, plans their fills, cancels them, runs auctions, and holds the state of these. The
//! [`Desks`] of the products decide what an order reserves and how a fill settles; the floor calls the desk
//! of each order. The functions that decide read the state and may refuse; [`evolve`] applies their events
//! and cannot fail.
//!
//! Clauses: `AUCT-001` to `AUCT-007`, `ORD-024` to `ORD-063`, `SYM-005`, `SYM-022` to `SYM-028`, `TYPE-011`, `VOL-003` to `VOL-007`.
//! Not here: money (`ledger`), what a product's orders cost (`spot`), who may act (`access`).
#![no_std]
extern crate alloc;

pub mod auction;
mod broken;
pub mod cancel;
mod collar;
mod command;
pub mod connections;
mod desk;
mod event;
mod evolve;
mod fee_change;
mod fees;
mod floor;
mod incoming;
mod order_state;
pub mod place;
pub mod preview;
mod references;
mod refused;
pub mod status;
pub mod stop;
mod volumes;

pub use broken::{Bar, Break, BreakError, BreakKind, Breaks, Figures, Interval, Party, Voided};
pub use buttonwood_book::{Fill, NewOrder, Order, Standing, Traded};
pub use collar::CollarWidth;
pub use command::{Answer, Command, Infrequent, Reject, SYMBOLS_MAX, decide, evolve_infrequent};
pub use connections::Connections;
pub use desk::{Cover, Crossing, Desks, Execution, Live, Reserve, Rules, StopRule, Terms, Unmet};
pub use event::Event;
pub use evolve::evolve;
pub use fee_change::{FeeChange, FeeTier, FeeTiers, Promotion, TIERS_MAX};
pub use fees::{FeeSchedule, Fees};
pub use floor::{Floor, Market, Planner};
pub use order_state::{Decided, OrderState};
pub use references::{Reference, References};
pub use refused::{RefusedDraft, RefusedOrder};
pub use stop::{StopError, Stops};
pub use volumes::{Value, Volumes, WINDOW_DAYS};
