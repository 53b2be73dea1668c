//! Resting orders: where they lie, how they queue, and how an incoming order meets them.
//!
//! An order is a fixed-size record in a slab, linked to its neighbours in the queue of its price. Prices are found
//! through a [`Ladder`], a radix tree of bitmaps that is two or three steps deep for a living market and stays
//! correct for a wild one.
//!
//! Not here: money (`ledger`), which orders may enter and who pays what (`spot`).
#![no_std]
extern crate alloc;

mod book;
mod index;
mod ladder;
mod link;
mod matching;
mod order;
mod orders;
mod texts;

pub use book::Book;
pub use ladder::Ladder;
pub use link::Link;
pub use matching::{Fill, plan};
pub use order::{Entry, NewOrder, Order, Traded};
pub use orders::{Orders, Resting};
