//! The facts of other rooms that a decision may read.
//!
//! Every room above the trading floor decides its commands against a [`Context`]. The engine makes it of the one state, so that no
//! room keeps a copy of another's facts. Its events change the state through a [`ContextMut`].
//!
//! A room's state is a [`Room`]: it says itself what falls due, what it reserves and whether it uses an account.
//!
//! Not here: the trading floor, which reads nothing but itself and its desks.
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

mod changes;
mod context;
mod context_mut;
mod room;

pub use changes::{Changes, Debt, Given};
pub use context::{Context, Rooms};
pub use context_mut::ContextMut;
pub use room::Room;
