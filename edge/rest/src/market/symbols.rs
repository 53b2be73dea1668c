//! `GET /v1/symbols`: every symbol, closed ones included (SYM-014, SYM-029).

use crate::app::App;
use crate::call::Asked;
use crate::json;
use crate::reply::Reply;
use crate::route::Route;

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/symbols", answer);

fn answer(app: &App, _asked: &Asked) -> Result<Reply, Reply> {
    Ok(Reply::json(json::array(app.symbols(), |json, (_, symbol)| json.plain_item(&symbol.name))))
}
