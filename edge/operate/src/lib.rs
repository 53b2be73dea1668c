//! What operators do: open, fund, price, halt. One catalogue of commands serves `buttonwood admin`, which speaks to a socket
//! in the data directory, and the sandbox's control calls of the same effect.
//!
//! A [`Command`] is data and one function, which reads its arguments, sends what it means to the exchange as an act of
//! the [`Operator`], and answers with one JSON object. Every act is journaled with who, what and why.
//!
//! Not here: the command line (`bin`), HTTP (`rest`), the rules themselves (`core`).

pub mod audit;
mod breaks;
mod catalogue;
mod command;
mod contract;
mod fees;
mod field;
mod funds;
mod fx;
mod operator;
mod shared;
mod socket;
mod what;

pub use breaks::COMMAND as BREAK_TRADE;
pub use catalogue::{COMMANDS, find};
pub use command::{Argument, Command, Form, Given, Later, Lines};
pub use contract::describe;
pub use fees::promote::COMMAND as PROMOTE;
pub use fees::schedule::COMMAND as SET_TIERS;
pub use fees::set::COMMAND as SET_FEES;
pub use funds::credit::COMMAND as CREDIT;
pub use fx::COMMAND as ADD_RATE;
pub use operator::{Operator, REASON_MAX};
pub use shared::Shared;
pub use socket::{Access, SOCKET, Socket, SocketFault};
pub use what::what;
