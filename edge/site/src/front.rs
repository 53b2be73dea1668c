//! The front page: a short introduction, the market table, and a first call to make.

use crate::currency_data::Listing;
use crate::{currency_data, market};
use buttonwood_engine::Mode;
use buttonwood_sequencer::Exchange;
use serde_json::Value;

/// The page's frame; `{{…}}` marks are filled in.
const FRAME: &str = include_str!("../assets/front.html");

/// Where a user of a sandbox finds keys.
const SANDBOX_KEYS: &str =
    "Keys with test funds stand in <code>credentials.json</code> in the data directory; the start
    of the server printed two of them and a Python snippet that places an order.";
/// The same for a venue, which gives no keys away.
const VENUE_KEYS: &str = "Keys belong to accounts; a venue has no test funds and no keys that it gives away.";

pub(crate) fn page(exchange: &Exchange) -> String {
    let rows = rows(&market::table(exchange));
    let views = exchange.views();
    let sandbox = views.state().opening().is_some_and(|opening| opening.mode == Mode::Sandbox);
    let listed = views.state().symbols().len();
    let listing = Listing::of(views.state());
    // Batches wait while the views are locked; the rest only builds text.
    drop(views);
    let data = currency_data::block(&listing).to_string();
    FRAME
        .replace("{{mode}}", if sandbox { "sandbox" } else { "venue" })
        .replace("{{keys}}", if sandbox { SANDBOX_KEYS } else { VENUE_KEYS })
        .replace("{{listed}}", &listed.to_string())
        .replace("{{rows}}", &rows)
        // Only this character could end the script element, and it occurs only in strings.
        .replace("{{currency_data}}", &data.replace('<', "\\u003c"))
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Appends text with HTML escapes. The names of symbols come from codes that an operator lists.
fn push_escaped(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            plain => out.push(plain),
        }
    }
}

fn rows(table: &Value) -> String {
    let mut out = String::new();
    for row in table.get("rows").and_then(Value::as_array).into_iter().flatten() {
        out.push_str("<tr>");
        for name in ["symbol", "last", "change", "bid", "ask"] {
            out.push_str("<td>");
            push_escaped(&mut out, text(row, name));
            out.push_str("</td>");
        }
        out.push_str("</tr>");
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
        let shown = "<tr><td>&lt;b&gt;a&amp;&#39;&quot;usd</td><td>1.5</td><td></td><td></td><td></td></tr>";
        assert_eq!(rows(&table), shown);
    }
}
