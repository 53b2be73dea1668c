//! `GET /v1/symbols/details/{symbol}`, and `/all` of them (SYM-015 to SYM-022).

use crate::app::App;
use crate::call::Asked;
use crate::json::{self, Json};
use crate::reply::Reply;
use crate::route::Route;
use buttonwood_model::{Product, SymbolId, SymbolStatus};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/symbols/details/{symbol}", one);
/// Anybody.
pub(crate) const ALL: Route = Route::public("/v1/symbols/details/all", all);

fn one(app: &App, asked: &Asked) -> Result<Reply, Reply> {
    super::symbol(app, asked).map(|id| reply(app, id))
}

/// The details of a symbol as a whole reply.
pub(crate) fn reply(app: &App, id: SymbolId) -> Reply {
    let status = status(app, id);
    Reply::json(json::object(384, |json| details(json, app, id, status)))
}

fn all(app: &App, _asked: &Asked) -> Result<Reply, Reply> {
    let body = json::array(app.symbols(), |json, (id, _)| {
        let status = status(app, id);
        json.object(|json| details(json, app, id, status));
    });
    Ok(Reply::json(body))
}

fn status(app: &App, id: SymbolId) -> SymbolStatus {
    app.exchange.views().state().symbol(id).map_or(SymbolStatus::Closed, |symbol| symbol.status)
}

fn details(json: &mut Json, app: &App, id: SymbolId, status: SymbolStatus) {
    let symbol = app.listed.symbol(id);
    let (base, quote) = (&app.listed.currency(symbol.base).code, &app.listed.currency(symbol.quote).code);
    let (product, contract) = match symbol.product {
        Product::Spot => ("spot", "vanilla"),
        Product::Swap => ("swap", "linear"),
    };
    json.plain("symbol", &symbol.name.to_ascii_uppercase());
    json.plain("base_currency", base);
    json.plain("quote_currency", quote);
    json.decimal("tick_size", |out| symbol.grid.push_lot(out));
    json.decimal("quote_increment", |out| symbol.grid.push_tick(out));
    json.decimal("min_order_size", |out| symbol.grid.push_qty(out, symbol.qty_min));
    json.plain("status", status.name());
    json.flag("wrap_enabled", symbol.wrap_enabled);
    json.plain("product_type", product);
    json.plain("contract_type", contract);
    // Linear perpetuals settle in what they are quoted in.
    json.plain("contract_price_currency", quote);
}
