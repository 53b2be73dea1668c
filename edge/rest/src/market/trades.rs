//! `GET /v1/trades/{symbol}`: public trades (MKT-016 to MKT-024).

use buttonwood_call::{App, Asked, Route, unread};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::TradeId;
use buttonwood_views::history::Since;
use buttonwood_wire::answers::PublicTrade;
use buttonwood_wire::contract::{Flag, InQuery, PageRows, Timestamp, Whole};
use buttonwood_wire::market::public_trade;
use buttonwood_wire::{json, request};

/// Anybody.
pub(crate) const ROUTE: Route =
    Route::public_recalling("/v1/trades/{symbol}", |app, asked| Box::pin(answer(app, asked)))
        .about("Lists public trades, the newest first.")
        .notes(&[
            "Trades of a contract of the prediction markets have the price of yes; a taker's buy of no is a \
             `sell`.",
        ])
        .takes::<Trades>()
        .gives::<Vec<PublicTrade>>();

request! {
    /// Which public trades.
    pub(crate) struct Trades in InQuery {
        /// How many trades at most; more than 500 are 500. A page by time ends after a whole millisecond, so it may be shorter, and one
        /// millisecond with more trades than this is listed whole, up to 500; `since_tid` lists the rest.
        limit_trades: PageRows,
        /// Whether broken trades are listed too, and rows say if a trade was broken.
        include_breaks: Flag<false>,
        /// Trades after this trade, by its id; it overrides `timestamp`. Of more than fit, the oldest are listed.
        since_tid: Whole,
        /// Trades after this time, in seconds or milliseconds, of the last 90 days. Of more than fit, the oldest are
        /// listed. The next page begins with the highest time of this one.
        timestamp: Timestamp,
        /// Another name of `timestamp`.
        since: Timestamp,
    }
}

/// How far back a timestamp reaches, in milliseconds (MKT-019).
const REACH: u64 = 90 * 24 * 3_600 * 1_000;

async fn answer(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let id = asked.traded(app)?;
    let request = Trades::of(asked.query);
    let limit = request.limit_trades()?;
    let with_breaks = request.include_breaks()?;
    let since = since(request, app.now().millis().saturating_sub(REACH))?;
    let broken: Vec<TradeId> = {
        let views = app.exchange.views();
        views.state().floor().breaks.of_symbol(id).map(|(trade, _)| trade).collect()
    };
    let hidden = if with_breaks { Vec::new() } else { broken.clone() };
    let rows =
        app.exchange.query_history(move |history| history.public_trades_without(id, since, limit, &hidden));
    let rows = rows.await;
    let rows = rows.map_err(|fault| unread(&fault))?;
    let grid = &app.names.symbol(id).grid;
    let body = json::array(&rows, |json, row| {
        json.object(|json| {
            public_trade(json, &app.names, grid, row);
            if with_breaks {
                json.flag("broken", broken.binary_search(&row.trade).is_ok());
            }
        });
    });
    Ok(Reply::json(body))
}

/// `since_tid` wins over `timestamp` and its alias `since`, which alone are held within reach (MKT-018 to MKT-020). An
/// overridden parameter must be readable too: its sender expects it to count (TYPE-016).
fn since(request: Trades<'_>, floor: u64) -> Result<Since, Refusal> {
    let trade = request.since_tid()?;
    let (time, alias) = (request.timestamp()?, request.since()?);
    let time = time.or(alias);
    Ok(match (trade, time) {
        (Some(trade), _) => Since::AfterTrade(trade),
        (None, None) => Since::Newest,
        // From the first trade on, that of the first millisecond included (TYPE-015).
        (None, Some(0)) => Since::FromTime(floor),
        (None, Some(millis)) => Since::FromTime(millis.saturating_add(1).max(floor)),
    })
}
