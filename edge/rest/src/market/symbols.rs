//! `GET /v1/symbols`: every symbol, closed ones included (SYM-014, SYM-029).

use buttonwood_call::{App, Asked, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_wire::json;

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/symbols", answer)
    .about("Lists every symbol, closed ones included.")
    .gives::<Vec<String>>();

fn answer(app: &App, _asked: &Asked) -> Result<Reply, Refusal> {
    Ok(Reply::json(json::array(app.symbols(), |json, (_, symbol)| json.plain_item(&symbol.name))))
}
