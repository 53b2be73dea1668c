//! The front page: a short introduction, the market table, and a first call to make.

use crate::currency_data::Listing;
use crate::html::fill;
use crate::{currency_data, market};
use buttonwood_engine::Mode;
use buttonwood_sequencer::Exchange;
use buttonwood_wire::html::escaped;
use serde_json::Value;

/// The main part; `{{…}}` marks are filled in.
const MAIN: &str = include_str!("../assets/front.html");

/// Where a user of a sandbox finds keys.
const SANDBOX_KEYS: &str = "Keys with test funds stand in <code>credentials.json</code> in the data directory; the start of the server printed two of them \
     and a Python snippet that places an order.";
/// The same for a venue, which gives no keys away.
const VENUE_KEYS: &str = "Keys belong to accounts; a venue has no test funds and no keys that it gives away.";

/// The link to the console of a sandbox.
const CONSOLE: &str = "<a class=\"button main\" href=\"/console\">Open the console</a> ";

/// The main part of the page.
pub(crate) async fn main(exchange: &Exchange) -> String {
    let rows = rows(&market::table(exchange).await);
    let views = exchange.views();
    let state = views.state();
    let sandbox = state.opening().is_some_and(|opening| opening.mode == Mode::Sandbox);
    let listing = Listing::of(state);
    // Batches wait while the views are locked; the rest only builds text.
    drop(views);
    let data = currency_data::block(&listing).to_string();
    fill(
        MAIN,
        &[
            ("mode", if sandbox { "sandbox" } else { "venue" }),
            ("keys", if sandbox { SANDBOX_KEYS } else { VENUE_KEYS }),
            ("console", if sandbox { CONSOLE } else { "" }),
            ("rows", &rows),
            // Only this character could end the script element, and it occurs only in strings.
            ("currency_data", &data.replace('<', "\\u003c")),
        ],
    )
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The rows as the page's module draws them, so that nothing moves when it begins.
fn rows(table: &Value) -> String {
    let mut out = String::new();
    for row in table.get("rows").and_then(Value::as_array).into_iter().flatten() {
        let [symbol, title, name] = ["symbol", "title", "name"].map(|name| escaped(text(row, name)));
        let link = format!(
            "<th scope=\"row\" role=\"rowheader\"><a href=\"/trade/{symbol}\">{title}</a> <small>{name}</small></th>"
        );
        let volume = text(row, "volume").split('.').next().unwrap_or_default();
        let figures = [&grouped(text(row, "last")), text(row, "change"), &grouped(volume)].map(cell);
        out.extend([
            "<tr role=\"row\"><td class=\"star\" role=\"cell\"></td>",
            &link,
            &figures.concat(),
            "</tr>",
        ]);
    }
    if out.is_empty() {
        out.push_str("<tr role=\"row\"><td colspan=\"5\" role=\"cell\">No market is listed.</td></tr>");
    }
    out
}

/// A cell of a figure; a dash where there is none.
fn cell(figure: &str) -> String {
    let side = match figure.chars().next() {
        Some('+') => " up",
        Some('-') => " down",
        _ => "",
    };
    let shown = if figure.is_empty() { "–" } else { figure };
    format!("<td class=\"number{side}\" role=\"cell\">{}</td>", escaped(shown))
}

/// A decimal with a comma after each thousand.
fn grouped(decimal: &str) -> String {
    let (whole, part) = decimal.split_at(decimal.find('.').unwrap_or(decimal.len()));
    let mut out = String::with_capacity(decimal.len() + whole.len() / 3);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + part
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A name with any characters shows as text on the page.
    #[test]
    fn names_are_escaped() {
        let table = json!({ "rows": [{ "symbol": "<b>a&'\"usd", "title": "A/<i>", "last": "1234.5" }] });
        let shown = rows(&table);
        let link = "<a href=\"/trade/&lt;b&gt;a&amp;&#39;&quot;usd\">A/&lt;i&gt;</a>";
        assert!(shown.contains(link) && !shown.contains("<b>"), "{shown}");
        assert!(shown.contains("<td class=\"number\" role=\"cell\">1,234.5</td>"), "{shown}");
    }

    #[test]
    fn thousands_are_grouped() {
        for (decimal, shown) in [
            ("", ""),
            ("0.00001234", "0.00001234"),
            ("999", "999"),
            ("1000.25", "1,000.25"),
            ("1234567", "1,234,567"),
        ] {
            assert_eq!(grouped(decimal), shown);
        }
    }
}
