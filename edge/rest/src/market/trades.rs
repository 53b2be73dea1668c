//! `GET /v1/trades/{symbol}`: public trades (MKT-016 to MKT-024).

use crate::app::App;
use crate::call::Asked;
use crate::field;
use crate::json;
use crate::orders::side_name;
use crate::orders::status::unread;
use crate::reply::Reply;
use crate::route::Route;
use buttonwood_gate::{Reason, Refusal, timestamp_millis};
use buttonwood_views::history::Since;

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/trades/{symbol}", answer);

/// How far back a timestamp reaches, in milliseconds (MKT-019).
const REACH: u64 = 90 * 24 * 3_600 * 1_000;

fn answer(app: &App, asked: &Asked) -> Result<Reply, Reply> {
    let id = super::symbol(app, asked)?;
    let limit = match asked.query_number("limit_trades")? {
        Some(0) => return Err(field::bad_query("limit_trades", "at least 1", "0").into()),
        rows => field::page(rows),
    };
    let with_breaks = with_breaks(asked)?;
    let since = since(asked, app.now().millis().saturating_sub(REACH))?;
    let rows = app.exchange.views().history().public_trades(id, since, limit);
    let rows = rows.map_err(|fault| unread(&fault))?;
    let grid = &app.symbol(id).grid;
    let body = json::array(&rows, |json, row| {
        json.object(|json| {
            json.number("timestamp", row.time.seconds());
            json.number("timestampms", row.time.millis());
            json.number("tid", row.trade.0);
            json.decimal("price", |out| grid.push_price(out, row.price));
            json.decimal("amount", |out| grid.push_qty(out, row.qty));
            json.plain("exchange", &app.settings.service);
            json.plain("type", side_name(row.taker));
            if with_breaks {
                json.flag("broken", false);
            }
        });
    });
    Ok(Reply::json(body))
}

/// Whether broken trades are asked for (MKT-023).
fn with_breaks(asked: &Asked) -> Result<bool, Refusal> {
    match asked.query("include_breaks") {
        None | Some("0" | "false") => Ok(false),
        Some("1" | "true") => Ok(true),
        Some(other) => Err(field::bad_query("include_breaks", "1, true, 0 or false", other)),
    }
}

/// `since_tid` wins over `timestamp` and its alias `since`, which alone are held within reach (MKT-018 to MKT-020).
fn since(asked: &Asked, floor: u64) -> Result<Since, Refusal> {
    if let Some(trade) = asked.query_number("since_tid")? {
        return Ok(Since::AfterTrade(trade));
    }
    let Some((name, text)) =
        ["timestamp", "since"].into_iter().find_map(|name| Some((name, asked.query(name)?)))
    else {
        return Ok(Since::Newest);
    };
    match timestamp_millis(text) {
        // From the first trade on, that of the first millisecond included (TYPE-015).
        Some(0) => Ok(Since::FromTime(floor)),
        Some(millis) => Ok(Since::FromTime(millis.saturating_add(1).max(floor))),
        None => Err(field::bad_query(name, "a timestamp in seconds or milliseconds", text)
            .with_reason(Reason::InvalidTimestampInPayload)),
    }
}
