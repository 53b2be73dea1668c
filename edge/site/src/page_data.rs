//! The data of a market, for programs that show it: one answer of several public calls, which takes
//! nothing of the public limit of its address. All clients share the answer of a second.
//!
//! Not here: the calls of the exchange's own pages (`calls/interface`).

use buttonwood_call::{App, PublicCall, no_endpoint};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Product;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::Duration;

/// How long an answer is given again.
const LASTS: Duration = Duration::from_secs(1);
/// The calls whose answers are the parts of a market's data, by the names of the parts; `{}` stands for its symbol.
const PARTS: [(&str, &str); 5] = [
    ("details", "/v1/symbols/details/{}"),
    ("book", "/v1/book/{}"),
    ("ticker", "/v2/ticker/{}"),
    ("trades", "/v1/trades/{}"),
    ("volume", "/v1/pubticker/{}"),
];
/// The parts that a perpetual has besides.
const PARTS_OF_PERPETUALS: [(&str, &str); 2] =
    [("risk", "/v1/riskstats/{}"), ("funding", "/v1/fundingamount/{}")];
/// The call of a market's candles.
const CANDLES: &str = "/v2/candles/{}";
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

impl Answers {
    /// The data, of at most a second ago.
    pub(crate) async fn answer(&self, app: &App, wanted: &str) -> Result<Reply, Refusal> {
        let now = app.uptime();
        let name = wanted.to_ascii_lowercase();
        let known = self.0.lock().get(&name).filter(|(at, _)| now < *at + LASTS).cloned();
        let body = match known {
            Some((_, body)) => body,
            None => {
                let body = if name.contains('/') {
                    body_of(app, CANDLES, &name).await?
                } else {
                    market(app, &name).await?
                };
                self.0.lock().insert(name, (now, body.clone()));
                body
            }
        };
        Ok(Reply::json(body).uncached())
    }
}

async fn market(app: &App, symbol: &str) -> Result<Vec<u8>, Refusal> {
    let mut out = vec![b'{'];
    let is_perpetual = app.find_symbol(symbol).is_some_and(|(_, symbol)| symbol.product == Product::Swap);
    let others = if is_perpetual { &PARTS_OF_PERPETUALS[..] } else { &[] };
    for (name, path) in PARTS.iter().chain(others) {
        let separator = if out.len() > 1 { "," } else { "" };
        out.extend_from_slice(format!("{separator}\"{name}\":").as_bytes());
        out.extend_from_slice(&body_of(app, path, symbol).await?);
    }
    out.push(b'}');
    Ok(out)
}

/// The body of a public call's answer.
async fn body_of(app: &App, path: &str, parameter: &str) -> Result<Vec<u8>, Refusal> {
    let path = path.replace("{}", parameter);
    let call = PublicCall::find(app.table(), &path).ok_or_else(|| no_endpoint(&path))?;
    call.body(app, QUERY).await
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
