//! Who there is: groups, their accounts, and the sessions (API keys) that act for them.
//!
//! Secrets never come here. The gate checks signatures; this room repeats the checks that need only ids, roles and
//! nonces, from journaled state, so that a faulty gate cannot grant itself rights.
//!
//! Clauses: `SES-001` to `SES-007`, `AUTH-016` to `AUTH-025`.
#![no_std]
extern crate alloc;

mod admit;
mod command;
mod directory;

pub use admit::{Caller, Reject, admit};
pub use command::{Command, Event, Infrequent, SEEN_MAX, Seen, decide, evolve};
pub use directory::{Access, Account, AccountKind, Group, NewSession, Owner, Session};
