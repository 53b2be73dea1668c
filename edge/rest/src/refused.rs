//! The refusal of a writing call that the core rejected.

use crate::app::App;
use crate::call::Call;
use crate::funds::owed;
use buttonwood_engine::{AccessReject, Reject};
use buttonwood_gate::{Key, Refusal};
use buttonwood_model::Product;
use buttonwood_wire::reject::{self, Market, Rejected};

/// The refusal for a reject.
pub(crate) fn refusal(app: &App, call: &Call, reject: Reject) -> Refusal {
    // The core may have refused the roles that the key has by now, and the gate may not know them yet.
    let current = Key::of(app.exchange.views().state().access(), call.key().session);
    let key = current.as_ref().unwrap_or(call.key());
    let owed = if reject == Reject::Access(AccessReject::InDebt) {
        owed(app, call.account())
    } else {
        String::new()
    };
    let rejected = Rejected { names: &app.names, key, needed: call.needed(), payload: call.payload(), owed };
    reject::refusal(&rejected, reject, || market(app, call))
}

fn market<'a>(app: &'a App, call: &Call) -> Market<'a> {
    let found = app.find_symbol(&call.payload().decimal_text("symbol").unwrap_or_default());
    let views = app.exchange.views();
    let schedule = found.and_then(|(id, _)| views.state().auctions(id)?.schedule().copied());
    Market {
        symbol: found.map(|(_, symbol)| symbol),
        auction_opens: schedule.map(|schedule| schedule.opening()),
        fees: found.map(|_| {
            let (floor, id) = (views.state().floor(), found.map(|(id, _)| id));
            floor.rates(Product::Spot, id, call.account()).1
        }),
    }
}
