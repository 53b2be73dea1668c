//! The single writer: what turns the core into a running exchange.
//!
//! One thread at a time stamps and decides commands; another makes batches durable and only then publishes them: to the
//! views, then to the callers. Batches form by themselves: what queues while a sync runs is the next batch. A third
//! thread folds sealed batches into snapshots beside the two.
//!
//! Not here: who may call (`gate`), how calls are written (`rest`).

mod care;
mod clock;
mod exchange;
mod fault;
mod recovery;
mod shared;
mod stepped;
mod writer;

pub use care::checkpoint::index_of_empty;
pub use clock::Clock;
pub use exchange::{Busy, Exchange, Options, Running};
pub use fault::Fault;
pub use recovery::read_ahead::{Decoded, Stop, Visit, read_ahead};
pub use recovery::verify::{Report, verify, verify_stepped};
pub use recovery::{JOURNAL_DIR, Recovered, has_journal, recover, recover_if, recover_stepped};
pub use shared::EndOnPanic;
pub use stepped::Stepped;
pub use writer::batch::Receipt;
pub use writer::reply_mailbox::{Pending, Stopped};
