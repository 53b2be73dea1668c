//! The data of a market, for programs that show it: one answer of several public calls, which takes
//! nothing of the public limit of its address. All clients share the answer of a second.
//!
//! Not here: the calls of the exchange's own pages (`public_call`).

use crate::app::App;
use crate::call::Asked;
use crate::derivatives::{funding, perpetual, risk_stats};
use crate::market::{book, candles, details, ticker_v1, ticker_v2, trades};
use crate::respond::serve_public;
use crate::route::Route;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_wire::contract::Query;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::Duration;

/// How long an answer is given again.
const LASTS: Duration = Duration::from_secs(1);
/// The calls whose answers are the parts of a market's data, by the names of the parts.
const PARTS: [(&str, &Route); 5] = [
    ("details", &details::ROUTE),
    ("book", &book::ROUTE),
    ("ticker", &ticker_v2::ROUTE),
    ("trades", &trades::ROUTE),
    ("volume", &ticker_v1::ROUTE),
];
/// The parts that a perpetual has besides.
const PARTS_OF_PERPETUALS: [(&str, &Route); 2] =
    [("risk", &risk_stats::ROUTE), ("funding", &funding::AMOUNT)];
/// The query string of all of them: as many trades as a page has room for.
const QUERY: &str = "limit_trades=26";

/// The newest answers, by what they answer to. Only what exists has one, so that their number is bounded.
#[derive(Debug, Default)]
pub(crate) struct Answers(Mutex<HashMap<String, (Duration, Vec<u8>)>>);

/// The data that a path names: `symbol` for a market's data, `symbol/time_frame` for its candles.
pub(crate) fn wanted(path: &str) -> Option<&str> {
    let wanted = path.strip_prefix("/site/markets/")?.strip_suffix(".json")?;
    let parts = wanted.split('/').count();
    (parts <= 2 && wanted.split('/').all(|part| !part.is_empty())).then_some(wanted)
}

/// The data, of at most a second ago.
pub(crate) async fn answer(app: &App, wanted: &str) -> Result<Reply, Refusal> {
    let now = app.uptime();
    let name = wanted.to_ascii_lowercase();
    let known = app.page_data.0.lock().get(&name).filter(|(at, _)| now < *at + LASTS).cloned();
    let body = match known {
        Some((_, body)) => body,
        None => {
            let body = if name.contains('/') {
                body_of(app, &candles::ROUTE, &name).await?
            } else {
                market(app, &name).await?
            };
            app.page_data.0.lock().insert(name, (now, body.clone()));
            body
        }
    };
    Ok(Reply::json(body).uncached())
}

async fn market(app: &App, symbol: &str) -> Result<Vec<u8>, Refusal> {
    let mut out = vec![b'{'];
    let others = if perpetual(app, symbol).is_ok() { &PARTS_OF_PERPETUALS[..] } else { &[] };
    for (name, route) in PARTS.iter().chain(others) {
        let separator = if out.len() > 1 { "," } else { "" };
        out.extend_from_slice(format!("{separator}\"{name}\":").as_bytes());
        out.extend_from_slice(&body_of(app, route, symbol).await?);
    }
    out.push(b'}');
    Ok(out)
}

/// The body of a public call's answer.
async fn body_of(app: &App, route: &Route, parameter: &str) -> Result<Vec<u8>, Refusal> {
    let asked = Asked { parameter, query: Query(QUERY) };
    Ok(serve_public(app, route, &asked).await?.body().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_a_market_or_its_candles() {
        assert_eq!(wanted("/site/markets/btcusd.json"), Some("btcusd"));
        assert_eq!(wanted("/site/markets/btcusd/1m.json"), Some("btcusd/1m"));
        for path in [
            "/site/markets/.json",
            "/site/markets/a/b/c.json",
            "/site/markets/a/.json",
            "/site/market.json",
            "/site/markets/a",
        ] {
            assert_eq!(wanted(path), None, "{path}");
        }
    }
}
