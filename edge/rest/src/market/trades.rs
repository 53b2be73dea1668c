//! `GET /v1/trades/{symbol}`: public trades (MKT-016 to MKT-024).

use crate::app::App;
use crate::call::Asked;
use crate::history_fault::unread;
use crate::route::Route;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_views::history::Since;
use buttonwood_wire::field;
use buttonwood_wire::json;
use buttonwood_wire::market::public_trade;

/// Anybody.
pub(crate) const ROUTE: Route =
    Route::public_recalling("/v1/trades/{symbol}", |app, asked| Box::pin(answer(app, asked)));

/// How far back a timestamp reaches, in milliseconds (MKT-019).
const REACH: u64 = 90 * 24 * 3_600 * 1_000;

async fn answer(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let id = asked.symbol(app)?;
    let limit = match asked.query_number("limit_trades")? {
        Some(0) => return Err(field::bad_query("limit_trades", "at least 1", "0")),
        rows => field::page(rows),
    };
    let with_breaks = asked.query_flag("include_breaks", false)?;
    let since = since(asked, app.now().millis().saturating_sub(REACH))?;
    let rows = app.exchange.query_history(move |history| history.public_trades(id, since, limit)).await;
    let rows = rows.map_err(|fault| unread(&fault))?;
    let grid = &app.names.symbol(id).grid;
    let body = json::array(&rows, |json, row| {
        json.object(|json| {
            public_trade(json, &app.names, grid, row);
            if with_breaks {
                json.flag("broken", false);
            }
        });
    });
    Ok(Reply::json(body))
}

/// `since_tid` wins over `timestamp` and its alias `since`, which alone are held within reach (MKT-018 to MKT-020). An
/// overridden parameter must be readable too: its sender expects it to count (TYPE-016).
fn since(asked: &Asked, floor: u64) -> Result<Since, Refusal> {
    let trade = asked.query_number("since_tid")?;
    let time = asked.query_since()?;
    Ok(match (trade, time) {
        (Some(trade), _) => Since::AfterTrade(trade),
        (None, None) => Since::Newest,
        // From the first trade on, that of the first millisecond included (TYPE-015).
        (None, Some(0)) => Since::FromTime(floor),
        (None, Some(millis)) => Since::FromTime(millis.saturating_add(1).max(floor)),
    })
}
