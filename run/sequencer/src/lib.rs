//! The single writer, which makes the core a running exchange.
//!
//! One thread at a time stamps and decides commands. A second thread makes batches durable and only then publishes
//! them, first to the views, then to the callers. Batches form by themselves: commands that queue during a sync are the
//! next batch. A third thread writes snapshots from sealed batches.
//!
//! Not here: authentication (`gate`) and the wire format of calls (`wire`).

mod backup;
mod care;
mod clock;
mod exchange;
mod fault;
mod meters;
mod outlet;
mod poison;
mod recovery;
mod shared;
mod stepped;
mod writer;

pub use backup::{Backup, backup};
pub use care::archive::{Archive, Keep};
pub use care::checkpoint::index_of_empty;
pub use care::tables::TablesFault;
pub use clock::Clock;
pub use exchange::{Busy, Exchange, Options, Running};
pub use fault::Fault;
pub use meters::Progress;
pub use outlet::{Heard, Listener};
pub use poison::Poison;
pub use recovery::acts::{Acted, acts};
pub use recovery::past::{Past, PastRow, PastTable};
pub use recovery::read_ahead::{Decoded, Stop, Visit, read_ahead};
pub use recovery::tables_proof::TablesReport;
pub use recovery::verify::{FromSnapshot, Report, verify, verify_stepped, verify_stepped_with, verify_with};
pub use recovery::{
    HISTORY_DIR, JOURNAL_DIR, Recovered, has_journal, recover, recover_if, recover_stepped,
    recover_stepped_with,
};
pub use shared::AbortOnPanic;
pub use stepped::Stepped;
pub use writer::receipt::{Receipt, Row};
pub use writer::reply_mailbox::{Pending, Stopped};
