//! `GET /v1/pubticker/{symbol}`: best prices, last trade, the day's volume (MKT-003 to MKT-007).

use buttonwood_call::{App, Asked, Route, unread};
use buttonwood_gate::{Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_model::Side;
use buttonwood_num::{MONEY_DECIMALS, Money, Qty};
use buttonwood_wire::contract::{Components, DecimalText, Node, Nullable, Shape};
use buttonwood_wire::{Json, answer, json, market};
use http::StatusCode;

/// Anybody.
pub(crate) const ROUTE: Route =
    Route::public_recalling("/v1/pubticker/{symbol}", |app, asked| Box::pin(answer(app, asked)))
        .about("Reads the best prices, the last price and the day's volume of a symbol.")
        .notes(&["Volumes are of the trades that are less than 24 hours old, to the millisecond."])
        .gives::<PubTicker>()
        .says(404, "There is no such symbol.");

answer! {
    /// Prices of now, and the volume of the past day.
    struct PubTicker {
        /// The best bid.
        bid: Nullable<DecimalText>,
        /// The best ask.
        ask: Nullable<DecimalText>,
        /// The price of the last trade.
        last: Nullable<DecimalText>,
        /// The volume of the past day.
        volume: Volume,
    }
}

/// The volume of a symbol, under the codes of both of its currencies.
#[derive(Debug)]
struct Volume {
    of: [(String, DecimalText); 2],
    millis: u64,
}

impl Shape for Volume {
    fn node(components: &mut Components) -> Node {
        components.named("Volume", |components| {
            let millis = u64::node(components).with("description", "When this was so, in milliseconds.");
            let volume = DecimalText::node(components)
                .with("description", "The volume in a currency, under its code.");
            Node::of_type("object")
                .with("description", "The volume of a symbol in its base and its quote currency.")
                .with("properties", Node::object().with("timestamp", millis))
                .with("required", Node::List(vec!["timestamp".into()]))
                .with("additionalProperties", volume)
        })
    }

    fn write(&self, json: &mut Json) {
        json.object(|json| {
            for (code, volume) in &self.of {
                volume.write_field(json, code);
            }
            self.millis.write_field(json, "timestamp");
        });
    }
}

async fn answer(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let name = asked.parameter;
    // Plain text, as clients of this old path know it (facts T§2.3).
    let Ok(id) = asked.symbol(app) else {
        let message = format!("Data for symbol {} is not yet available", quoted(name));
        return Ok(Reply::text(StatusCode::NOT_FOUND, message));
    };
    let now = app.now();
    let (bid, ask, sums) = {
        let views = app.exchange.views();
        (views.depth().best(id, Side::Buy), views.depth().best(id, Side::Sell), views.tape().sums(id, now))
    };
    let begun = app.exchange.stretch(sums.and_then(|sums| sums.window.stretch())).await;
    let begun = begun.map_err(|fault| unread(&fault))?;
    let symbol = app.names.symbol(id);
    let grid = &symbol.grid;
    let day = sums.map(|sums| sums.day(begun.as_ref(), grid));
    let (base, quote) = day.map_or((Qty::ZERO, Money::ZERO), |day| (day.base, day.quote));
    let code = |id| app.names.currency(id).code.clone();
    let volume = [
        (code(symbol.base), DecimalText::of(|out| grid.push_qty(out, base))),
        (code(symbol.quote), DecimalText::of(|out| quote.push_floored(out, MONEY_DECIMALS))),
    ];
    let ticker = PubTicker {
        bid: market::price(grid, bid.map(|(price, _)| price)),
        ask: market::price(grid, ask.map(|(price, _)| price)),
        last: market::price(grid, day.map(|day| day.last)),
        volume: Volume { of: volume, millis: now.millis() },
    };
    Ok(Reply::json(json::body(&ticker)))
}
