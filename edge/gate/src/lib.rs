//! Who calls and may they: headers, key, signature, rate, payload, nonce and role, in the order of D-05.
//!
//! Pure of sockets and clocks: every call is handed the time, so a test may stand at any moment. One [`Gate`] serves
//! all threads. [`Gate::check`] answers at once, with a [`Call`] or a [`Refusal`]; a call over the rate that found a
//! place in the queue says how long its caller has to wait, and never sleeps here.
//!
//! Not here: which path exists, which account a master key means, what a role may do to it (`edge/rest`, the core).

mod check;
mod headers;
mod json;
mod keys;
mod nonce;
mod payload;
mod rate;
mod reason;
mod refusal;
mod roles;
mod signature;
mod timestamp;

pub use buttonwood_access::Owner;
pub use check::{Call, Gate, Kind, Request};
pub use headers::{BadPrefix, DEFAULT_PREFIX, HeaderNames};
pub use json::{Items, Value, items};
pub use keys::{Key, KeyTable, KnownKey};
pub use payload::Payload;
pub use rate::{Admit, Bucket, Limit, Limits, client_of};
pub use reason::Reason;
pub use refusal::{Refusal, quoted};
pub use roles::{missing_role, require};
pub use timestamp::{EARLIEST, LATEST, millis as timestamp_millis};
