//! The REST interface.
//!
//! [`serve`] accepts connections; each request is looked up in one table of routes, let in by the gate, and handed
//! to the file of its endpoint. An endpoint is data (`ROUTE`) and one or two plain functions: a reading one answers
//! from the views, a writing one makes a command and later words the receipt. None of them locks for long, and only
//! those that may need old rows wait for the disk.
//!
//! Not here: who may call (`gate`), what an order does (`core`), pages (`site`).

mod account;
mod app;
mod call;
mod field;
mod framing;
mod funds;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod health;
mod json;
mod listed;
mod market;
mod orders;
mod permits;
mod reply;
mod respond;
mod route;
mod routes;
mod sandbox;
mod serve;
mod tend;
mod time;
mod unbuilt;
mod wording;

pub use app::{App, MakePage, Page, Pages, Settings};
pub use buttonwood_views::Views;
pub use route::{Auth, Route};
pub use routes::ROUTES;
pub use sandbox::{Step, Steps};
pub use serve::{Server, own_files, serve};
