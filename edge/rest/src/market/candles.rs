//! `GET /v2/candles/{symbol}/{time_frame}` (MKT-027 to MKT-032), and those of perpetual contracts (MKT-033, MKT-034).

use buttonwood_call::{App, Asked, Route};
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_model::{Product, Symbol, SymbolId};
use buttonwood_num::Grid;
use buttonwood_views::{Candle, FRAMES, Frame};
use buttonwood_wire::Json;
use buttonwood_wire::contract::{Components, Node, Shape};
use buttonwood_wire::json;
use buttonwood_wire::market::FRAME_NAMES;
use http::StatusCode;

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v2/candles/{symbol}/{time_frame}", all)
    .about("Lists the newest candles of a symbol, the newest first, without gaps.")
    .gives::<Vec<Bar<'static>>>()
    .says(400, "There is no such symbol; a refusal of anything else is as usual.");
/// Anybody.
pub(crate) const DERIVATIVES: Route =
    Route::public("/v2/derivatives/candles/{symbol}/{time_frame}", derivative)
        .about("Lists the newest candles of a perpetual contract, the newest first, without gaps.")
        .gives::<Vec<Bar<'static>>>()
        .says(400, "There is no such symbol; a refusal of anything else is as usual.");

/// A candle with the increments of its symbol.
#[derive(Debug)]
struct Bar<'a>(&'a Grid, Candle);

impl Shape for Bar<'_> {
    fn node(components: &mut Components) -> Node {
        components.named("Candle", |_| {
            let about =
                "The start in milliseconds, open, high, low, close, and the volume in the base currency.";
            Node::of_type("array").with("description", about).with("items", Node::of_type("number"))
        })
    }

    fn write(&self, json: &mut Json) {
        let Self(grid, candle) = self;
        let prices = [candle.open, candle.high, candle.low, candle.close];
        json.list(|json| {
            json.number_item(candle.start.millis());
            for price in prices {
                json.exact_item(|out| grid.push_price(out, price));
            }
            json.exact_item(|out| grid.push_qty(out, candle.volume));
        });
    }
}

fn all(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let (name, frame) = split(asked);
    let Some((id, symbol)) = app.find_symbol(name) else { return Ok(unknown(name)) };
    Ok(reply(app, id, symbol, known(frame, |_| true)?))
}

fn derivative(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let (name, frame) = split(asked);
    let Some((id, symbol)) = app.find_symbol(name) else { return Ok(unknown(name)) };
    if symbol.product != Product::Swap {
        let message = format!("Symbol '{}' is no perpetual contract", quoted(name));
        return Err(Refusal::new(Reason::InvalidSymbol, message));
    }
    // MKT-034: of perpetual contracts there are candles of a minute only.
    Ok(reply(app, id, symbol, known(frame, |frame| frame.minutes == 1)?))
}

fn split<'a>(asked: &Asked<'a>) -> (&'a str, &'a str) {
    asked.parameter.split_once('/').unwrap_or((asked.parameter, ""))
}

/// Plain text, as clients know it (MKT-007, facts T§2.7).
fn unknown(name: &str) -> Reply {
    let message = format!("Supplied value '{}' is not a valid symbol", quoted(name));
    Reply::text(StatusCode::BAD_REQUEST, message)
}

/// The time frame of a name, of those that are `taken` (MKT-028, MKT-029).
fn known(name: &str, taken: impl Fn(Frame) -> bool) -> Result<Frame, Refusal> {
    let frames = || FRAME_NAMES.iter().zip(FRAMES).filter(|(_, frame)| taken(*frame));
    let found = frames().find(|(names, _)| names.contains(&name)).map(|(_, frame)| frame);
    found.ok_or_else(|| {
        let names: Vec<&str> = frames().map(|([name, _], _)| *name).collect();
        let message = format!("Time frame '{}' is not one of {}", quoted(name), names.join(", "));
        Refusal::new(Reason::InvalidParameterValue, message)
    })
}

fn reply(app: &App, id: SymbolId, symbol: &Symbol, frame: Frame) -> Reply {
    let candles = app.exchange.views().candles().newest(id, frame, app.now());
    let bars: Vec<Bar> = candles.into_iter().map(|candle| Bar(&symbol.grid, candle)).collect();
    Reply::json(json::body(&bars))
}
