//! `GET /v1/symbols/details/{symbol}`, and `/all` of them (SYM-015 to SYM-022).

use buttonwood_call::{App, Asked, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{SymbolId, SymbolStatus};
use buttonwood_wire::json;
use buttonwood_wire::market::{SymbolDetails, symbol_details};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/symbols/details/{symbol}", one)
    .about("Reads the increments, the minimum and the status of a symbol.")
    .gives::<SymbolDetails>();
/// Anybody.
pub(crate) const ALL: Route = Route::public("/v1/symbols/details/all", all)
    .about("Reads the details of every symbol.")
    .gives::<Vec<SymbolDetails>>();

fn one(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    asked.symbol(app).map(|id| reply(app, id))
}

/// The details of a symbol as a whole reply.
pub(crate) fn reply(app: &App, id: SymbolId) -> Reply {
    Reply::json(json::body(&details(app, id)))
}

fn all(app: &App, _asked: &Asked) -> Result<Reply, Refusal> {
    let all: Vec<_> = app.symbols().into_iter().map(|(id, _)| details(app, id)).collect();
    Ok(Reply::json(json::body(&all)))
}

fn details(app: &App, id: SymbolId) -> SymbolDetails {
    let status = app.exchange.views().state().symbol(id).map_or(SymbolStatus::Closed, |symbol| symbol.status);
    symbol_details(&app.names, id, status)
}
