//! The refusal when the history cannot be read.

use buttonwood_gate::Refusal;
use buttonwood_views::history::Fault;
use buttonwood_wire::field::failed;

/// The refusal for a fault of the history. The log has the details for the operator.
pub(crate) fn unread(fault: &Fault) -> Refusal {
    tracing::error!(%fault, "history cannot be read");
    failed()
}
