//! Order endpoints.

pub(crate) mod active;
pub(crate) mod cancel;
pub(crate) mod cancel_all;
pub(crate) mod cancel_session;
pub(crate) mod checks;
mod elsewhere;
pub(crate) mod new;
pub(crate) mod notional_volume;
pub(crate) mod past_orders;
pub(crate) mod past_trades;
pub(crate) mod status;
pub(crate) mod trade_volume;

use buttonwood_call::{App, Face};
use buttonwood_gate::Refusal;
use buttonwood_model::SymbolId;
use buttonwood_wire::field;

/// The endpoints.
pub(crate) const FACE: Face = Face {
    routes: &[
        new::ROUTE,
        cancel::ROUTE,
        cancel_session::ROUTE,
        cancel_all::ROUTE,
        status::ROUTE,
        active::ROUTE,
        past_orders::ROUTE,
        past_trades::ROUTE,
        notional_volume::ROUTE,
        trade_volume::ROUTE,
    ],
    ..Face::NONE
};

/// The listed symbol or the contract that an optional field names (ORD-079).
pub(crate) fn traded(app: &App, name: Option<&str>) -> Result<Option<SymbolId>, Refusal> {
    let Some(name) = name else { return Ok(None) };
    app.find_any(name).map(|(id, _)| Some(id)).ok_or_else(|| field::unknown_symbol(name))
}
