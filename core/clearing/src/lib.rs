//! OTC clearing: trades that two accounts agree on, apart from the book (CLR-001 to CLR-028, D-82 to D-94).
//!
//! An account enters an order, or a broker enters one for two others; the parties confirm equal terms; then both legs and the fees move in
//! one entry, or the order waits until both sides have the money. Nothing is held before. A settlement prints no trade of the book: it moves
//! no last price, triggers no stop, and counts in no volume.
//!
//! The state keeps what is open or waits for money. A closed order leaves with its event, from which the history makes its row.
//!
//! Not here: the roles of keys, and the ids of orders and trades (`engine`).
#![no_std]
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::unwrap_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unreachable
    )
)]
extern crate alloc;

mod cancel;
mod command;
mod confirm;
mod enter;
mod order;
mod settle;
mod state;
mod terms;
mod turns;
mod waiting;
mod wake;

pub use buttonwood_model::{Code, Codes};
pub use cancel::{Cancel, cancel_named};
pub use command::{Answer, Client, Command, Infrequent, Reject, decide, decide_own, evolve};
pub use confirm::{Confirm, Term};
pub use enter::{HOURS, HOURS_MAX, New, ORDERS_MAX, Parties, Terms};
pub use order::{Order, Party, Status};
pub use settle::{Judge, SETTLED_MAX, Settlement};
pub use state::{BrokenLaw, Clearing};
pub use terms::{ALIASES_MAX, Alias};
pub use waiting::{Found, LOOKS_MAX};
