//! The REST interface.
//!
//! [`App`] answers the requests of an HTTP server. Each request is looked up in one table of routes, admitted by the
//! gate, and handed to the file of its endpoint. An endpoint is data (`ROUTE`) and one or two plain functions: a
//! reading endpoint answers from the views; a writing endpoint makes a command, and later turns its receipt into the
//! answer. None of them holds a lock for long, and only those that may need old rows wait for the disk.
//!
//! Not here: sockets (`http`), the form of orders and answers (`wire`), who may call (`gate`), what an order does (`core`),
//! pages (`site`).
//! [`Outside`] is the way of such crates above this one to answer paths of their own.

mod account;
mod admission;
mod app;
mod auth;
mod call;
mod clearing;
mod contract;
mod convert;
mod derivatives;
mod funds;
mod health;
mod held_call;
mod held_order;
mod history_fault;
mod holders;
mod hour;
mod kept_calls;
mod market;
mod meters;
mod orders;
mod outside;
mod page_data;
mod place;
mod predictions;
mod preflight;
mod public_call;
mod refused;
mod respond;
mod route;
mod routes;
mod sandbox;
mod socket_order;
mod spot_margin;
mod staking;
mod standing;
mod steps;
mod streams;
mod submit;
mod unknown_fields;

pub use app::{App, Settings};
pub use auth::Auth;
pub use buttonwood_views::Views;
pub use contract::openapi;
pub use held_call::HeldCall;
pub use held_order::{PreviewedOrder, QueuedOrder};
pub use holders::{held_by, held_by_browser, held_by_token};
pub use hour::Point;
pub use meters::Figures;
pub use outside::{Outside, Spot, Visit, form, no_endpoint};
pub use public_call::PublicCall;
pub use route::{Bucket, Later, Route};
pub use routes::{all_routes, needs_code};
pub use sandbox::caller::Controllers;
pub use sandbox::socket_calls::SocketCall;
pub use standing::{AccountBalance, AccountPosition, balances_of, positions_of};
pub use steps::{Step, Steps};
pub use streams::{
    Answering, CountedBy, FastOptions, MarketData, MarketDataV2, MultiMarketData, OpenSocket, Opening,
    OrderEventsOptions, SocketFault, SocketTarget, StreamKind, StreamPath, Streams, stream_paths,
};
