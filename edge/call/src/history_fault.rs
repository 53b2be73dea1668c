//! The refusal when the history cannot be read.

use buttonwood_gate::Refusal;
use buttonwood_sequencer::TablesFault;
use buttonwood_views::history::Fault;
use buttonwood_wire::field::busy;

/// The refusal for a fault of the history, which is built again from the journal. The log has the details for the operator.
pub fn unread(fault: &Fault) -> Refusal {
    tracing::error!(%fault, "history cannot be read");
    busy(
        "A part of the history that this call needs is damaged; /health/ready says whether it can be built again",
    )
}

/// The refusal when the history's database lags or cannot be read: an answer is never stale.
pub fn not_current(fault: &TablesFault) -> Refusal {
    tracing::error!(%fault, "the history's database cannot answer");
    busy("The history's database is not current")
}
