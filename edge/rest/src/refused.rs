//! The refusal of a writing call that the core rejected.

use crate::app::App;
use crate::call::Call;
use crate::funds::owed;
use buttonwood_engine::{AccessReject, Reject};
use buttonwood_gate::Refusal;
use buttonwood_wire::reject::{self, Rejected};

/// The refusal for a reject.
pub(crate) fn refusal(app: &App, call: &Call, reject: Reject) -> Refusal {
    let owed = if reject == Reject::Access(AccessReject::InDebt) {
        owed(app, call.account())
    } else {
        String::new()
    };
    let (names, admitted, needed, payload) = (&app.names, call.gate(), call.needed(), call.payload());
    let rejected = Rejected { names, admitted, needed, payload, owed };
    reject::refusal(&rejected, reject, |name| app.find_symbol(name).map(|(_, symbol)| symbol))
}
