//! The refusal of a writing call that the core rejected.

use crate::app::App;
use crate::call::{Asked, Call};
use crate::outside::no_endpoint;
use buttonwood_engine::{AccessReject, Reject};
use buttonwood_gate::{self as gate, Refusal};
use buttonwood_model::AccountId;
use buttonwood_num::MONEY_DECIMALS;
use buttonwood_wire::contract::Query;
use buttonwood_wire::reject::{self, Rejected};

/// The refusal for a reject.
pub fn refusal(app: &App, call: &Call, reject: Reject) -> Refusal {
    let owed = if reject == Reject::Access(AccessReject::InDebt) {
        owed(app, call.account())
    } else {
        String::new()
    };
    let (names, admitted, needed, payload) = (&app.names, call.gate(), call.needed(), call.payload());
    let rejected = Rejected { names, admitted, needed, payload, owed };
    reject::refusal(&rejected, reject, |name| app.find_symbol(name).map(|(_, symbol)| symbol))
}

/// The debts of an account for returned advances, as people read them.
pub fn owed(app: &App, account: AccountId) -> String {
    let views = app.exchange.views();
    let debts = views.state().funds().debts_of(account);
    let shown = debts.map(|(currency, owed)| {
        let currency = app.names.currency(currency);
        let mut amount = Vec::new();
        owed.push_floored(&mut amount, MONEY_DECIMALS);
        format!("{} {}", String::from_utf8_lossy(&amount), currency.code)
    });
    shown.collect::<Vec<_>>().join(", ")
}

impl App {
    /// The refusal of a call that the core rejected, as the private endpoint at this path words it: a socket makes calls of REST's
    /// endpoints in its own form.
    pub fn refusal_at(&self, path: &str, gate: gate::Call, reject: Reject) -> Refusal {
        let Some((route, _)) = self.table().find_private(path) else { return no_endpoint(path) };
        match Call::new(self, route, gate, &Asked { parameter: "", query: Query("") }) {
            Ok(call) => match route.orders {
                Some(orders) => route.own((orders.refusal)(self, &call, reject)),
                None => refusal(self, &call, reject),
            },
            Err(refused) => refused.refusal,
        }
    }
}
