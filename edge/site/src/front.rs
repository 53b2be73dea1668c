//! The front page: a short introduction, the market table, and a first call to make.

use crate::currency_data::Listing;
use crate::html::fill;
use crate::market_page::{Link, list};
use crate::{currency_data, market};
use buttonwood_engine::Mode;
use buttonwood_sequencer::Exchange;
use buttonwood_wire::html::escaped;
use serde_json::Value;

/// The page's frame; `{{…}}` marks are filled in.
const FRAME: &str = include_str!("../assets/front.html");

/// Where a user of a sandbox finds keys.
const SANDBOX_KEYS: &str =
    "Keys with test funds stand in <code>credentials.json</code> in the data directory; the start
    of the server printed two of them and a Python snippet that places an order.";
/// The same for a venue, which gives no keys away.
const VENUE_KEYS: &str = "Keys belong to accounts; a venue has no test funds and no keys that it gives away.";

pub(crate) async fn page(exchange: &Exchange) -> String {
    let rows = rows(&market::table(exchange).await);
    let views = exchange.views();
    let state = views.state();
    let sandbox = state.opening().is_some_and(|opening| opening.mode == Mode::Sandbox);
    let links: Vec<Link> = state.symbols().iter().map(|symbol| Link::of(state, symbol)).collect();
    let listing = Listing::of(state);
    // Batches wait while the views are locked; the rest only builds text.
    drop(views);
    let data = currency_data::block(&listing).to_string();
    fill(
        FRAME,
        &[
            ("mode", if sandbox { "sandbox" } else { "venue" }),
            ("keys", if sandbox { SANDBOX_KEYS } else { VENUE_KEYS }),
            ("listed", &links.len().to_string()),
            ("rows", &rows),
            ("symbols", &list(&links, "")),
            // Only this character could end the script element, and it occurs only in strings.
            ("currency_data", &data.replace('<', "\\u003c")),
        ],
    )
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn rows(table: &Value) -> String {
    let mut out = String::new();
    for row in table.get("rows").and_then(Value::as_array).into_iter().flatten() {
        let symbol = escaped(text(row, "symbol"));
        let cells =
            ["last", "change", "bid", "ask"].map(|name| format!("<td>{}</td>", escaped(text(row, name))));
        let link = format!("<th scope=\"row\"><a href=\"/markets/{symbol}\">{symbol}</a></th>");
        out.extend(["<tr>", &link, &cells.concat(), "</tr>"]);
    }
    if out.is_empty() {
        out.push_str("<tr><td colspan=\"5\">No orders and no trades yet: yours can be the first.</td></tr>");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A name with any characters shows as text on the page.
    #[test]
    fn names_are_escaped() {
        let table = json!({ "rows": [{ "symbol": "<b>a&'\"usd", "last": "1.5" }] });
        let name = "&lt;b&gt;a&amp;&#39;&quot;usd";
        let link = format!("<th scope=\"row\"><a href=\"/markets/{name}\">{name}</a></th>");
        assert_eq!(rows(&table), format!("<tr>{link}<td>1.5</td><td></td><td></td><td></td></tr>"));
    }
}
