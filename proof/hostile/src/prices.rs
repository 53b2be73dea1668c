//! The prices at which the index stands still, in whole dollars.

use crate::server::Server;
use serde_json::{Value, json};

/// Those that are not a dollar.
const PINNED: [(&str, u64); 6] =
    [("BTC", 50_000), ("ETH", 2_500), ("LINK", 15), ("LTC", 85), ("SOL", 150), ("PAXG", 2_000)];

/// The price of a currency: a dollar, unless another is pinned.
pub(crate) fn of(currency: &str) -> u64 {
    PINNED.iter().find(|(code, _)| *code == currency).map_or(1, |(_, dollars)| *dollars)
}

/// Pins the index of every currency that has one; USD and GUSD are dollars.
pub(crate) fn pin(server: &Server) -> Result<(), String> {
    for currency in currencies(&server.get("/sandbox/ledger")?) {
        if !matches!(currency.as_str(), "USD" | "GUSD") {
            let body = json!({ "price": of(&currency).to_string() });
            server.control(&format!("/sandbox/index/{currency}"), &body)?;
        }
    }
    Ok(())
}

fn currencies(ledger: &Value) -> Vec<String> {
    let rows = ledger.get("currencies").and_then(Value::as_array).into_iter().flatten();
    rows.filter_map(|row| row.get("currency")?.as_str()).map(str::to_owned).collect()
}
