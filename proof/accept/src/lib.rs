//! The harness of the acceptance tests: it starts the real binary and speaks only HTTP to it.
//!
//! [`Exchange`] is one running process with its own directory, [`Actor`] is one of its keys. [`check`] runs a
//! scenario written as text; [`laws::check`] checks the laws after every scenario. [`Crowd`] is many clients at once,
//! judged from outside. [`raw`] sends requests that no proper client would send. Every reply is checked against the
//! published contract.
//!
//! Everything blocks and nothing sleeps: with a manual clock and without simulated traders, the replies to a test
//! depend only on its requests.

mod actor;
mod admin;
mod answer;
mod binary;
mod browser;
mod consent;
mod contract;
mod crowd;
mod exchange;
pub mod laws;
mod mail_server;
mod passkey;
pub mod raw;
mod script;
mod setup;
mod socket;
pub mod spreadsheet;
mod venue;

pub use actor::Actor;
pub use admin::Admin;
pub use answer::{Answer, same_keys};
pub use binary::{binary, private_folder, run_to_end};
pub use browser::{Browser, base32, totp};
pub use buttonwood_checker::{Dec, dec};
pub use buttonwood_client::{Client, Credentials, NewOrder, NonceSource, Signed, SocketError, signature};
pub use buttonwood_testing::{comes_within, let_pass, skipped, wait_until};
pub use consent::{encoded, hidden, redirected};
pub use crowd::Crowd;
pub use exchange::{Exchange, Key};
pub use mail_server::{Mail, MailServer};
pub use passkey::Passkey;
pub use script::{Script, check};
pub use serde_json::{Value, json};
pub use setup::{Ended, Setup};
pub use socket::Socket;
pub use venue::Venue;
