//! Benchmarks 6, 7, 8 and 12: signed REST, against a server on the same HTTP stack that checks the same signature
//! and then does nothing.

mod keys;
mod load;
pub(crate) mod noop;
mod requests;
mod rest;
mod server;

pub(crate) use rest::{durable, latency, one_load, start, undurable};
