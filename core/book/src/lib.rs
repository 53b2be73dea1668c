//! Resting orders: their storage, their queues, and their matches with an incoming order.
//!
//! An order is a fixed-size record in a slab, linked to its neighbours in the queue of its price. Prices are found
//! through a [`Ladder`], a radix tree of bitmaps. It is two or three steps deep for a normal market and stays correct
//! for an extreme one.
//!
//! Not here: money (`ledger`), which orders may enter (`trading`), who pays what (desks such as `spot`).
#![no_std]
extern crate alloc;

mod book;
mod index;
mod ladder;
mod link;
mod matching;
mod order;
mod orders;
mod standing;
mod texts;

pub use book::Book;
pub use ladder::Ladder;
pub use link::Link;
pub use matching::{Fill, plan};
pub use order::{Entry, NewOrder, Order, Traded};
pub use orders::{Orders, Resting};
pub use standing::Standing;
