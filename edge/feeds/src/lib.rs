//! Feeds: index prices from files and HTTP servers.
//!
//! Each feed has a thread of its own, so that one that is slow delays no other, and none of them an order. The thread reads the
//! feed's document on its interval and sends what changed to the exchange as a command, with its age. A price that did not change is
//! sent again when half of the time has passed in which it counts, if its document is newer. A document that is wrong in one place is not used at all; its prices go
//! stale then, as they do when the feed is silent.
//!
//! Clauses: `PERP-012`; decision D-38. Not here: which prices are fresh, and the index made of them (`perp`).

mod age;
mod document;
mod feed;
mod fetch;
mod reader;
mod thread;

pub use feed::{Feed, Place, bare, check};
pub use thread::Feeds;
