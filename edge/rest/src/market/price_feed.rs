//! `GET /v1/pricefeed`: one price per symbol (MKT-025, MKT-026).

use buttonwood_call::{App, Route, unread};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_views::{Move, Window};
use buttonwood_wire::contract::DecimalText;
use buttonwood_wire::market::push_percent;
use buttonwood_wire::{answer, json};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public_recalling("/v1/pricefeed", |app, _| Box::pin(answer(app)))
    .about("Lists one price for each symbol.")
    .notes(&["`percentChange24h` is a percentage with two decimals, cut toward zero. A trade counts for 24 \
         hours, to the millisecond."])
    .gives::<Vec<FeedPrice>>();

answer! {
    /// The price of a symbol.
    struct FeedPrice {
        /// The symbol, in upper case.
        pair: String,
        /// The price of the last trade; 0 if the symbol never traded.
        price: DecimalText,
        /// The change within 24 hours, in percent.
        change as "percentChange24h": DecimalText,
    }
}

async fn answer(app: &App) -> Result<Reply, Refusal> {
    let now = app.now();
    let symbols = app.symbols();
    let windows: Vec<Option<Window>> = {
        let views = app.exchange.views();
        symbols.iter().map(|(id, _)| views.tape().window(*id, now)).collect()
    };
    let mut since: Vec<Option<Move>> = Vec::with_capacity(windows.len());
    for window in windows {
        let begun = app.exchange.stretch(window.and_then(|window| window.stretch())).await;
        let begun = begun.map_err(|fault| unread(&fault))?;
        since.push(window.map(|window| window.moved(begun.as_ref())));
    }
    let rows = symbols.into_iter().zip(since).map(|((_, symbol), moved)| FeedPrice {
        pair: symbol.name.to_ascii_uppercase(),
        // 0 for one that never traded (D-33).
        price: moved.as_ref().map_or_else(DecimalText::zero, |moved| {
            DecimalText::of(|out| symbol.grid.push_price(out, moved.last))
        }),
        change: DecimalText::of(|out| push_percent(out, moved.as_ref().map_or(0, Move::change))),
    });
    Ok(Reply::json(json::body(&rows.collect::<Vec<_>>())))
}
