//! The outside history checker: it knows only what clients sent and what they were told, when, and decides whether some
//! legal order of events explains it all, crashes and lost answers included. For tests; nothing of the product uses it.
//!
//! [`History`] is what clients did and saw, [`History::judge`] looks for an order in which a sequential exchange would have
//! given every one of those replies and no call takes effect before it was sent or after it was answered.
//!
//! Laws: INV-ACK-2, INV-READ-2, INV-MATCH-2 to INV-MATCH-11, INV-AUTH-3. It knows no journal, sequence or view, and
//! shares no code with the product.

mod decimal;
mod dice;
mod exchange;
mod lost;
mod names;
mod nonces;
mod operation;
mod place;
mod reply;
mod search;
mod state;
mod verdict;
mod wire;

pub use decimal::{Dec, dec};
pub use dice::Dice;
pub use operation::{History, Operation, Place, Policy, Request, Side, Symbol, Terms, Which, World};
pub use reply::{Balance, Level, Order, Reply, Trade};
pub use verdict::{Tally, Verdict};

#[cfg(test)]
mod tests;
