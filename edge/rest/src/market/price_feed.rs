//! `GET /v1/pricefeed`: one price per symbol (MKT-025, MKT-026).

use crate::app::App;
use crate::call::Asked;
use crate::route::Route;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_views::Move;
use buttonwood_wire::json;
use buttonwood_wire::market::push_percent;

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/pricefeed", answer);

fn answer(app: &App, _asked: &Asked) -> Result<Reply, Refusal> {
    let now = app.now();
    let symbols = app.symbols();
    let since: Vec<Option<Move>> = {
        let views = app.exchange.views();
        symbols.iter().map(|(id, _)| views.tape().moved(*id, now)).collect()
    };
    let body = json::array(symbols.into_iter().zip(since), |json, ((_, symbol), moved)| {
        json.object(|json| {
            json.plain("pair", &symbol.name.to_ascii_uppercase());
            match moved {
                Some(moved) => {
                    json.decimal("price", |out| symbol.grid.push_price(out, moved.last));
                    json.decimal("percentChange24h", |out| push_percent(out, moved.change()));
                }
                // Never traded (D-33).
                None => {
                    json.plain("price", "0");
                    json.plain("percentChange24h", "0.00");
                }
            }
        });
    });
    Ok(Reply::json(body))
}
