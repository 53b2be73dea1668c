//! The refusal of a writing call that the core rejected.

use crate::app::App;
use crate::call::{Asked, Call};
use crate::outside::no_endpoint;
use crate::route::{Orders, Route};
use buttonwood_engine::{AccessReject, Body, Reject, TradingCommand};
use buttonwood_gate::{self as gate, Refusal};
use buttonwood_model::{AccountId, Symbol, SymbolId};
use buttonwood_num::MONEY_DECIMALS;
use buttonwood_wire::contract::Query;
use buttonwood_wire::draft::{Draft, text_of};
use buttonwood_wire::reject::{self, Rejected};
use std::sync::Arc;

/// The refusal for the reject of a call that places no order.
pub fn core_refusal(app: &App, call: &Call, reject: Reject) -> Refusal {
    reject::refusal(&rejected(app, call, reject), reject)
}

/// The refusal for the reject of an order of a listed symbol.
#[cold]
pub fn refusal_of_order(app: &App, call: &Call, draft: &Draft<'_>, reject: Reject) -> Refusal {
    let symbol = |name: &str| app.find_symbol(name).map(|(_, symbol)| symbol);
    reject::of_order(&rejected(app, call, reject), draft, reject, symbol)
}

fn rejected<'a>(app: &'a App, call: &'a Call, reject: Reject) -> Rejected<'a> {
    let owed = if reject == Reject::Access(AccessReject::InDebt) {
        owed(app, call.account())
    } else {
        String::new()
    };
    let (names, admitted, needed, payload) = (&app.names, call.gate(), call.needed(), call.payload());
    Rejected { names, admitted, needed, payload, owed }
}

/// The command that keeps the refusal of an order for this symbol; none if the order cannot be read (D-147).
pub fn keep_refused(draft: &Draft<'_>, id: SymbolId, symbol: &Symbol, refusal: &Refusal) -> Option<Body> {
    let refused = draft.refused(id, symbol, refusal)?;
    Some(TradingCommand::Refuse(Arc::new(refused)).into())
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

impl Orders {
    /// The command that keeps the refusal of a call's order; none if the order cannot be read (D-147).
    pub(crate) fn keep_refused(&self, app: &App, call: &Call, refusal: &Refusal) -> Option<Body> {
        let draft = (self.draft)(call.payload());
        let name = text_of(&draft.symbol);
        let (id, symbol) = if self.of_contracts { app.find_contract(name)? } else { app.find_symbol(name)? };
        keep_refused(&draft, id, symbol, refusal)
    }
}

impl App {
    /// The refusal of an order over a socket that the core rejected, as the endpoint that places such orders words it.
    pub fn refusal_of_placing(
        &self,
        (route, orders): (&Route, &Orders),
        gate: gate::Call,
        draft: &Draft<'_>,
        reject: Reject,
    ) -> Refusal {
        match Call::new(self, route, gate, &Asked { parameter: "", query: Query("") }) {
            Ok(call) => route.own((orders.refusal)(self, &call, draft, reject)),
            Err(refused) => refused.refusal,
        }
    }

    /// The refusal of a call over a socket that the core rejected, as the private endpoint at this path words it.
    pub fn refusal_at(&self, path: &str, gate: gate::Call, reject: Reject) -> Refusal {
        let Some((route, _)) = self.table().find_private(path) else { return no_endpoint(path) };
        match Call::new(self, route, gate, &Asked { parameter: "", query: Query("") }) {
            Ok(call) => core_refusal(self, &call, reject),
            Err(refused) => refused.refusal,
        }
    }
}
