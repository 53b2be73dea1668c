//! The endpoints of the REST interface, a folder a subject and a file an endpoint, and the list of their faces ([`TABLE`]).
//!
//! Not here: a call on its way to its endpoint (`call`), the form of orders and answers (`wire`), who may call (`gate`), what an order does
//! (`core`), sockets (`stream`), pages (`site`).

mod account;
mod convert;
mod derivatives;
mod faces;
mod funds;
mod market;
mod orders;
mod sandbox;
mod spot_margin;

pub use faces::{TABLE, openapi};
