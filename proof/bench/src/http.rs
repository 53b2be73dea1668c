//! Benchmarks 6, 7, 8 and 12, and our half of 9: signed REST, against a server on the same HTTP stack that checks the
//! same signature and does nothing else. Benchmark 20: orders over sockets.

mod connection;
mod events;
mod keys;
mod load;
pub(crate) mod noop;
mod people;
mod requests;
mod rest;
mod run;
mod server;
mod sockets;
mod survive;

pub(crate) use events::measure as events;
pub(crate) use keys::{Key, read_all as read_keys, read_timely};
pub(crate) use load::connect;
pub(crate) use people::measure as people;
pub(crate) use requests::{client_id, one as signed_request};
pub(crate) use server::{Server, Which, pin};

pub(crate) use rest::{durable, durable_run, durable_stock, latency, one_load, start, undurable};
pub(crate) use run::Stock;
pub(crate) use sockets::{
    measure as sockets, noop::serve as serve_noop_sockets, one_load as one_socket_load,
};
