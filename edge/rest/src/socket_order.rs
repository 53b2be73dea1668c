//! Orders over sockets: the rules and the refusals of the endpoints that place and cancel them.
//!
//! A socket has fields of its own, and passes an order on as the payload of the endpoint that places it.

use crate::app::App;
use crate::call::{Asked, Call};
use crate::orders::cancel_session::cancelled;
use crate::predictions::refusal::of_order;
use crate::route::Route;
use crate::sandbox::maintenance;
use crate::{orders, predictions, refused};
use buttonwood_engine::{Body, Place, Reject, TradingCommand};
use buttonwood_gate::{self as gate, Payload, Refusal};
use buttonwood_model::{Symbol, SymbolId};
use buttonwood_sequencer::Receipt;
use buttonwood_wire::Json;
use buttonwood_wire::contract::Query;
use buttonwood_wire::field::busy;
use buttonwood_wire::order_request;
use buttonwood_wire::prediction_order::{Draft, NewContractOrder};
use std::sync::Arc;

impl App {
    /// Refuses a call over a socket while the exchange takes none.
    ///
    /// # Errors
    /// 503 `Maintenance`.
    pub fn check_open(&self) -> Result<(), Refusal> {
        if self.is_in_maintenance() { Err(maintenance::refusal()) } else { Ok(()) }
    }

    /// Whether fields that no call knows are refused.
    pub fn is_strict(&self) -> bool {
        self.settings.strict
    }

    /// Refuses a new order while too many commands are in flight.
    ///
    /// # Errors
    /// 503.
    pub fn check_order_room(&self) -> Result<(), Refusal> {
        if self.exchange.has_room() {
            Ok(())
        } else {
            Err(busy("The exchange has more orders than it can take"))
        }
    }

    /// The order in the payload of an endpoint that places orders of this symbol.
    ///
    /// # Errors
    /// The rule that it breaks.
    pub fn read_order(&self, payload: &Payload, id: SymbolId, symbol: &Symbol) -> Result<Place, Refusal> {
        if !id.is_contract() {
            return order_request::place(payload, id, symbol);
        }
        let place = Draft::read(NewContractOrder::of(payload)).and_then(|draft| draft.place(id, symbol));
        place.map_err(|refusal| predictions::order::ROUTE.own(refusal))
    }

    /// The command that keeps the refusal of an order, in the payload of an endpoint that places orders of this symbol; none if the order
    /// cannot be read (D-147).
    pub fn refused_order(
        &self,
        payload: &Payload,
        id: SymbolId,
        symbol: &Symbol,
        refusal: &Refusal,
    ) -> Option<Body> {
        let draft = if id.is_contract() {
            Draft::read(NewContractOrder::of(payload)).ok()?.refused(id, refusal)
        } else {
            order_request::refused(payload, id, symbol, refusal)
        };
        Some(TradingCommand::Refuse(Arc::new(draft?)).into())
    }

    /// The refusal of an order, with the payload of the endpoint that places it, that the core rejected.
    pub fn order_refusal(&self, gate: gate::Call, is_contract: bool, reject: Reject) -> Refusal {
        let route = if is_contract { &predictions::order::ROUTE } else { &orders::new::ROUTE };
        self.refusal_of_call(route, gate, reject)
    }

    /// The refusal of a cancel that the core rejected.
    pub fn cancel_refusal(&self, gate: gate::Call, reject: Reject) -> Refusal {
        self.refusal_of_call(&orders::cancel::ROUTE, gate, reject)
    }

    fn refusal_of_call(&self, route: &'static Route, gate: gate::Call, reject: Reject) -> Refusal {
        match Call::new(self, route, gate, &Asked { parameter: "", query: Query("") }) {
            Ok(call) if route.path == predictions::order::ROUTE.path => {
                route.own(of_order(self, &call, call.payload(), reject))
            }
            Ok(call) => refused::refusal(self, &call, reject),
            Err(refused) => refused.refusal,
        }
    }

    /// Writes which orders a call cancelled, as the object `details` of REST.
    pub fn write_cancelled(json: &mut Json, receipt: &Receipt) {
        use buttonwood_wire::contract::Shape;
        cancelled(receipt).write(json);
    }
}

/// The command for a call that its endpoint refused: of an order that could be read the one that keeps its refusal.
pub(crate) fn of_refused(app: &App, route: &Route, call: &Call, refusal: &Refusal) -> Option<Body> {
    let payload = call.payload();
    if route.path == orders::new::ROUTE.path {
        let (id, symbol) = app.find_symbol(&payload.decimal_text("symbol")?)?;
        app.refused_order(payload, id, symbol, refusal)
    } else if route.path == predictions::order::ROUTE.path {
        let (id, symbol) = app.find_contract(&payload.decimal_text("symbol")?)?;
        app.refused_order(payload, id, symbol, refusal)
    } else {
        None
    }
}
