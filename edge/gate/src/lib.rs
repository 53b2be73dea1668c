//! Authentication and rate limits: headers, key or access token, signature, rate, payload, nonce, role and scope, in the
//! order of D-05.
//!
//! It has no sockets and no clock: the caller passes the time, so a test may choose any moment. One [`Gate`] serves all
//! threads. [`Gate::check`] returns at once, with a [`Call`] or a [`Refusal`]. A call over the rate that found a place
//! in the queue carries the time that its caller has to wait; the gate itself never sleeps.
//!
//! Not here: which path exists, which account a master key means, what a role may do to it (`edge/call`, the core).

mod call;
mod check;
mod client;
mod handshake;
mod headers;
mod held;
mod json;
mod keys;
mod nonce;
mod payload;
mod rate;
mod reason;
mod refusal;
mod roles;
mod signature;
mod ticket;
mod timestamp;

pub use buttonwood_access::Owner;
pub use buttonwood_vault::Secret;
pub use call::Call;
pub use check::{Gate, Kind, NamedKey, Request};
pub use client::Proxies;
pub use handshake::{Opener, Sign};
pub use headers::{BadPrefix, DEFAULT_PREFIX, HeaderNames, may_name_caller};
pub use held::{Held, HeldKind, TokenHash};
pub use json::{Items, Value, items};
pub use keys::{Key, KeyTable, KnownKey, LastCall};
pub use payload::{Payload, integer};
pub use rate::{AccountLimit, Admit, Bucket, Clients, Limit, Limits, client_of};
pub use reason::Reason;
pub use refusal::{Form, NO_EXPONENT, Refusal, escaped, has_exponent, quoted};
pub use roles::missing_role;
pub use signature::decoded;
pub use ticket::TicketOf;
pub use timestamp::{EARLIEST, LATEST, millis as timestamp_millis};
