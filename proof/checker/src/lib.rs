//! The outside history checker. It knows only what clients sent, which replies they got, and when. It decides whether
//! some legal order of events explains everything, including crashes and lost replies. For tests; the product does
//! not use it.
//!
//! [`History`] records what clients sent and received. [`History::judge`] searches for an order in which a sequential
//! exchange would give all of these replies, and in which each call takes effect after it was sent and before it was
//! answered.
//!
//! Laws: INV-ACK-2, INV-READ-2, INV-MATCH-2 to INV-MATCH-11, INV-AUTH-3, -4, -6. It knows no journal, sequence or view, and
//! shares no code with the product.

mod decimal;
mod dice;
mod exchange;
mod keys;
mod lost;
mod names;
mod nonces;
mod operation;
mod place;
mod reply;
mod search;
mod state;
mod tokens;
mod verdict;
mod wire;

pub use decimal::{Dec, dec};
pub use dice::Dice;
pub use operation::{
    History, KeyChange, Operation, Place, Policy, Request, Side, Symbol, Terms, Which, World,
};
pub use reply::{Balance, Level, Order, Reply, Trade};
pub use tokens::{TokenCall, TokenReply, TokenUse};
pub use verdict::{Tally, Verdict};

#[cfg(test)]
mod tests;
