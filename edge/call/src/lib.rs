//! A call of the interface on its way to its endpoint and back.
//!
//! [`App`] answers the requests of an HTTP server. Each request is looked up in one [`Table`] of routes, composed of the [`Face`]s of all
//! subjects; it climbs one ladder of checks ([`Door`]), and is handed to the file of its endpoint. An endpoint is data (a [`Route`]) and one
//! or two plain functions: a reading endpoint answers from the views; a writing endpoint makes a command, and later turns its receipt into
//! the answer. None of them holds a lock for long, and only those that may need old rows wait for the disk.
//!
//! This crate knows no endpoint. Not here: sockets (`http`), the form of orders and answers (`wire`), who may call (`gate`), the list of
//! faces (`rest`), pages (`site`). [`Outside`] is the way of crates above this one to answer paths of their own.

mod admission;
mod app;
mod auth;
mod call;
mod caller;
mod contract;
mod control;
mod door;
mod health;
mod held_call;
mod hints;
mod history_fault;
mod holders;
mod hour;
mod kept_calls;
mod leaving;
mod meters;
mod network;
mod outside;
mod part;
mod place;
mod preflight;
mod public_call;
mod refused;
mod report;
mod respond;
mod route;
mod socket_calls;
mod steps;
mod streams;
mod submit;
mod table;
mod unknown_fields;

pub use app::{App, Settings};
pub use auth::Auth;
pub use call::{Acting, Asked, Call, Refused, nonce_user};
pub use caller::Controllers;
pub use control::ControlCall;
pub use door::{Door, Rung};
pub use held_call::HeldCall;
pub use history_fault::{not_current, unread};
pub use holders::{held_by, held_by_browser, held_by_token};
pub use hour::Point;
pub use kept_calls::{KeptCall, KeptCalls};
pub use leaving::{ALL_WORD, refuse_short, transfer_client_id};
pub use meters::Figures;
pub use outside::{Outside, Spot, Visit, form, no_endpoint};
pub use public_call::PublicCall;
pub use refused::{core_refusal, keep_refused, owed, refusal_of_order};
pub use report::{AccountRows, Ended, Report, SocketRight};
pub use route::{
    Admitted, Bucket, Control, ControlHandler, Handler, Kinds, Later, Orders, Route, Run, SignedQuery, Write,
};
pub use socket_calls::SocketCall;
pub use steps::{Step, Steps};
pub use streams::{
    Answering, CountedBy, FastOptions, MarketData, MarketDataV2, MultiMarketData, OpenSocket, Opening,
    OrderEventsOptions, SocketFault, SocketTarget, StreamKind, StreamPath, Streams, stream_paths,
};
pub use submit::{durable, send};
pub use table::{Face, Found, Table};
pub use unknown_fields::of as unknown_fields;
