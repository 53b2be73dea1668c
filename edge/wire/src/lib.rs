//! The JSON of the interface: reading orders, and writing orders, trades, books and refusals. The same rows as CSV, for exports.
//!
//! Every interface that speaks JSON shares this room. It knows types, not a running exchange: the caller passes the
//! rows to write, and [`Names`] for the symbols and currencies in them.
//!
//! Not here: routes (`rest` and the faces) and who may call them (`call`), the form of private requests (`gate`).

pub mod account;
pub mod answers;
pub mod clearing;
pub mod contract;
pub mod convert;
pub mod csv;
pub mod draft;
pub mod field;
pub mod html;
pub mod json;
pub mod market;
mod names;
pub mod order;
pub mod order_request;
pub mod prediction;
pub mod prediction_order;
pub mod prediction_rewards;
pub mod reject;
pub mod reply;
pub mod standing;
pub mod text;
pub mod time;
pub mod transfer;
pub mod url_encoded;

pub use json::Json;
pub use names::Names;
