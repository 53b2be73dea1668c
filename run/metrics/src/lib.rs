//! Metrics: counters, histograms, and their text in Prometheus' format.
//!
//! Each room owns the metrics of what it does and writes them to a [`Page`]; `bin/buttonwood` joins the parts. Counting must cost
//! an order next to nothing: a counter has a cell for each thread, no lock is taken, and no clock is read unless [`Switch`] is on.
//! A page has no secrets: every label is one of a set of values that is fixed when the exchange is built.
//!
//! Not here: which figures exist (the rooms), the listener (`http`).

mod counts;
mod histogram;
mod page;
mod process;
mod switch;

pub use counts::Counts;
pub use histogram::{Histogram, Tally, Unit};
pub use page::{Kind, Page};
pub use process::write_process;
pub use switch::Switch;
