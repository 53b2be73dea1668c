//! The commands of operators: open, fund, price, halt. One catalogue of commands serves `buttonwood admin`, which speaks to a socket
//! in the data directory, and the sandbox's control calls of the same effect.
//!
//! A [`Command`] is data and one function, which reads its arguments, sends what it means to the exchange as an act of
//! the [`Operator`], and answers with one JSON object. Every act is journaled with who, what and why.
//!
//! Not here: the command line (`bin`), HTTP (`call`), the rules themselves (`core`).

mod apps;
pub mod audit;
pub mod banks;
mod breaks;
mod catalogue;
mod command;
mod contract;
mod customers;
mod deposits;
mod fees;
pub mod field;
mod funds;
mod fx;
mod guard;
pub mod keys;
mod lists;
mod operator;
mod people;
mod reason;
mod shared;
mod socket;
mod venue;
mod what;

pub use apps::list::unreviewed_apps;
pub use apps::review::COMMAND as REVIEW_APP;
pub use breaks::COMMAND as BREAK_TRADE;
pub use catalogue::{Catalogue, placed};
pub use command::{Argument, Command, Effect, Form, Given, Guard, Later, Lines};
pub use contract::describe;
pub use customers::account::{OPEN as OPEN_ACCOUNT, jurisdiction};
pub use customers::addresses::{DECIDE as DECIDE_ADDRESS, END_HOLD, SET_MULTI_USER};
pub use customers::close::COMMAND as CLOSE_ACCOUNT;
pub use customers::group::SET_TERMS as SET_GROUP_TERMS;
pub use customers::risk::CALL as SET_RISK;
pub use deposits::assign::COMMAND as ASSIGN_DEPOSIT;
pub use deposits::unclaimed::{Unclaimed, unclaimed};
pub use fees::promote::COMMAND as PROMOTE;
pub use fees::rates;
pub use fees::schedule::COMMAND as SET_TIERS;
pub use fees::set::COMMAND as SET_FEES;
pub use field::AddressNetwork;
pub use funds::credit::COMMAND as CREDIT;
pub use funds::fee_override::CALL as OVERRIDE_FEE;
pub use funds::house::{COMMAND as HOUSE, INSURE};
pub use fx::COMMAND as ADD_RATE;
pub use lists::transfers::transfers_under_way;
pub use operator::Operator;
pub use reason::{REASON_MAX, Why, reason_of};
pub use shared::{CONTRACT_PREFIX, Shared};
pub use socket::{Access, FILES as SOCKET_FILES, SOCKET, Socket, SocketFault};
pub use venue::approval::{APPROVE, proposals};
pub use venue::auction::SCHEDULE as SCHEDULE_AUCTIONS;
pub use venue::halt::{HALT, RESUME};
pub use venue::index::PIN as PIN_INDEX;
pub use venue::instant::COMMAND as INSTANT_SET;
pub use venue::listing::{COMMAND as ADD_SYMBOL, NewSymbol};
pub use venue::status::COMMAND as SET_STATUS;
pub use what::what;
