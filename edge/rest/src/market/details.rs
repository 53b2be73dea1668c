//! `GET /v1/symbols/details/{symbol}`, and `/all` of them (SYM-015 to SYM-022).

use crate::app::App;
use crate::call::Asked;
use crate::route::Route;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{SymbolId, SymbolStatus};
use buttonwood_wire::json;
use buttonwood_wire::market::symbol_details;

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/symbols/details/{symbol}", one);
/// Anybody.
pub(crate) const ALL: Route = Route::public("/v1/symbols/details/all", all);

fn one(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    asked.symbol(app).map(|id| reply(app, id))
}

/// The details of a symbol as a whole reply.
pub(crate) fn reply(app: &App, id: SymbolId) -> Reply {
    let status = status(app, id);
    Reply::json(json::object(384, |json| symbol_details(json, &app.names, id, status)))
}

fn all(app: &App, _asked: &Asked) -> Result<Reply, Refusal> {
    let body = json::array(app.symbols(), |json, (id, _)| {
        let status = status(app, id);
        json.object(|json| symbol_details(json, &app.names, id, status));
    });
    Ok(Reply::json(body))
}

fn status(app: &App, id: SymbolId) -> SymbolStatus {
    app.exchange.views().state().symbol(id).map_or(SymbolStatus::Closed, |symbol| symbol.status)
}
