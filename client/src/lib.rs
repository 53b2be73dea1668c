//! A small async client of the exchange's REST interface and its sockets.
//!
//! [`Client`] sends public GETs and signed POSTs over one kept-alive connection; [`NewOrder`] and its neighbours are
//! the typed calls that simulated traders and benchmarks need. [`Client::call`] returns every reply as it came; only
//! the typed calls turn a refusal into [`Error::Refused`].
//!
//! Not here: TLS (the exchange listens behind a proxy), and any rule of trading.

mod client;
mod connection;
mod nonce;
mod reply;
mod sign;
mod stream;
mod trade;

pub use client::Client;
pub use nonce::{NonceSource, Nonces};
pub use reply::{Error, Refusal, Reply};
pub use sign::{Credentials, Signed, signature};
pub use stream::{SocketError, Stream};
pub use trade::{Balance, Book, Cancelled, Level, NewOrder, Order};
