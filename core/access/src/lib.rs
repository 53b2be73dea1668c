//! Groups, their accounts, and the sessions that act for them: API keys, and what holds rights without a key.
//!
//! The gate checks signatures. This room repeats, on the journaled state, the checks that need only ids,
//! roles and nonces, so that a faulty gate cannot grant rights. It holds no secrets.
//!
//! Clauses: `SES-001` to `SES-007`, `AUTH-011`, `AUTH-013`, `AUTH-015` to `AUTH-025`, `ACCT-005` to `ACCT-010`, `ACCT-013`.
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

mod admit;
mod change;
mod client_ids;
mod close;
mod codes;
mod command;
mod create;
mod directory;
mod held;
mod own_key;
mod rename;
mod session;
mod terms;
#[cfg(test)]
mod tests;

pub use admit::{Caller, Reject, admit, admit_again};
pub use change::{ADDRESSES_MAX, may_have};
pub use client_ids::Request;
pub use codes::memo_code;
pub use command::{
    AccountNames, Command, Event, GroupChange, Infrequent, NewGroup, SEEN_MAX, Seen, decide, evolve,
};
pub use create::NewAccount;
pub use directory::{Access, Account, AccountKind, Group};
pub use held::admit_held;
pub use own_key::{OWN_KEYS_MAX, OWN_KEYS_PER_SPAN, OwnKey};
pub use session::{Hand, NewSession, Owner, Session, Standing};
pub use terms::GroupTerms;
