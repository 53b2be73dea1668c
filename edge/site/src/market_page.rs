//! The page of one market. Its scripts fill in candles, book, trades and figures from the public calls of the interface;
//! the server gives what a script cannot choose: which market, its names, increments and status.

use crate::html::fill;
use crate::market;
use buttonwood_engine::State;
use buttonwood_model::{Currency, CurrencyId, Product, Symbol};
use buttonwood_num::Grid;
use buttonwood_sequencer::Exchange;
use buttonwood_wire::html::escaped;

/// The page's frame.
const FRAME: &str = include_str!("../assets/market.html");
/// The part of a perpetual's page that a spot market's has not.
const PERPETUAL: &str = include_str!("../assets/perpetual.html");
/// The page for a symbol that does not exist.
const UNKNOWN: &str = include_str!("../assets/unknown.html");
/// Characters of an unknown symbol that its page shows.
const SHOWN: usize = 40;

/// The page's data of a symbol, copied while the views are locked.
#[derive(Debug)]
struct Shown {
    symbol: Symbol,
    base: Currency,
    quote: Currency,
}

impl Shown {
    /// The symbol of a name in any letter case, as in the interface (SYM-007).
    fn find(state: &State, name: &str) -> Option<Self> {
        let symbol = state.symbols().iter().find(|symbol| symbol.name.eq_ignore_ascii_case(name))?;
        let currency = |id: CurrencyId| state.currency(id).cloned();
        Some(Self { base: currency(symbol.base)?, quote: currency(symbol.quote)?, symbol: symbol.clone() })
    }

    fn page(&self, links: &[Link]) -> String {
        let Self { symbol, base, quote } = self;
        let grid = &symbol.grid;
        let (base_code, quote_code) = (escaped(&base.code), escaped(&quote.code));
        let (product, perpetual) = if symbol.product == Product::Swap {
            ("perpetual contract", fill(PERPETUAL, &[("base", &base_code), ("quote", &quote_code)]))
        } else {
            ("spot", String::new())
        };
        fill(
            FRAME,
            &[
                ("symbol", &escaped(&symbol.name)),
                ("base", &base_code),
                ("quote", &quote_code),
                ("kind", kind(symbol)),
                ("about", &escaped(&format!("{} in {}, {product}", base.name, quote.name))),
                ("status", symbol.status.name()),
                ("perpetual", &perpetual),
                ("price_decimals", &grid.tick_decimals().to_string()),
                ("tick", &digits(grid, Grid::push_tick)),
                ("lot", &digits(grid, Grid::push_lot)),
                ("least", &digits(grid, |grid, out| grid.push_qty(out, symbol.qty_min))),
                ("markets", &list(links, &symbol.name)),
            ],
        )
    }
}

fn digits(grid: &Grid, push: impl Fn(&Grid, &mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    push(grid, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// The words after base and quote in the name of a market.
fn kind(symbol: &Symbol) -> &'static str {
    if symbol.product == Product::Swap { " perp" } else { "" }
}

/// A market's name in a list of links.
#[derive(Debug)]
pub(crate) struct Link {
    symbol: String,
    title: String,
}

impl Link {
    pub(crate) fn of(state: &State, symbol: &Symbol) -> Self {
        let code = |id| state.currency(id).map_or("", |currency: &Currency| currency.code.as_str());
        let title = format!("{}/{}{}", code(symbol.base), code(symbol.quote), kind(symbol));
        Self { symbol: symbol.name.clone(), title }
    }
}

/// Items of a list, each a link to a market's page; that of the current page is marked.
pub(crate) fn list(links: &[Link], current: &str) -> String {
    let item = |link: &Link| {
        let mark = if link.symbol == current { " aria-current=\"page\"" } else { "" };
        let (symbol, title) = (escaped(&link.symbol), escaped(&link.title));
        format!("<li><a href=\"/markets/{symbol}\"{mark}>{title}</a></li>")
    };
    links.iter().map(item).collect()
}

/// The page of a symbol; `Err` with another page if there is no such symbol.
pub(crate) fn page(exchange: &Exchange, name: &str) -> Result<String, String> {
    let (shown, links) = {
        let views = exchange.views();
        let is_linked = |symbol: &Symbol| symbol.name.eq_ignore_ascii_case(name);
        (Shown::find(views.state(), name), market::links(&views, exchange.now(), is_linked))
    };
    shown.map(|shown| shown.page(&links)).ok_or_else(|| unknown(name, &links))
}

fn unknown(name: &str, links: &[Link]) -> String {
    let mut shown: String = name.chars().take(SHOWN).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    fill(UNKNOWN, &[("name", &escaped(&shown)), ("markets", &list(links, ""))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_model::{CurrencyKind, SymbolStatus};
    use buttonwood_num::{Decimal, Qty};

    fn shown(name: &str, product: Product) -> Shown {
        let decimal = |text: &str| Decimal::parse(text.as_bytes()).unwrap();
        let currency = |code: &str, name: &str| Currency {
            code: code.to_owned(),
            name: name.to_owned(),
            decimals: 8,
            kind: CurrencyKind::Crypto,
            networks: Vec::new(),
        };
        let symbol = Symbol {
            name: name.to_owned(),
            base: CurrencyId(0),
            quote: CurrencyId(1),
            grid: Grid::new(decimal("0.01"), decimal("0.00001")).unwrap(),
            qty_min: Qty::ZERO,
            product,
            status: SymbolStatus::CancelOnly,
            wrap_enabled: false,
            closed_to: Vec::new(),
        };
        Shown { symbol, base: currency("A<B", "{{status}}"), quote: currency("USD", "US Dollar") }
    }

    /// Every mark of the template has a value, and names with any characters show as text.
    #[test]
    fn a_page_is_filled_in() {
        let link = |symbol: &str| Link { symbol: symbol.to_owned(), title: symbol.to_uppercase() };
        let page = shown("abusd", Product::Swap).page(&[link("abusd"), link("x\"y")]);
        for part in [
            "<title>A&lt;B/USD perp – ",
            "{{status}} in US Dollar, perpetual contract",
            "data-status=\"cancel_only\"",
            "data-price-decimals=\"2\"",
            "0.00001 A&lt;B",
            "Open interest, A&lt;B",
            "<a href=\"/markets/abusd\" aria-current=\"page\">ABUSD</a>",
            "<a href=\"/markets/x&quot;y\">X&quot;Y</a>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert_eq!(page.matches("{{").count(), 1, "{page}");
        let page = shown("abusd", Product::Spot).page(&[]);
        assert!(page.contains("US Dollar, spot") && page.contains("<title>A&lt;B/USD – "), "{page}");
        assert!(!page.contains("Open interest"), "{page}");
    }

    #[test]
    fn an_unknown_name_is_shown_in_part() {
        let page = unknown(&format!("<{}", "é".repeat(60)), &[]);
        assert!(page.contains(&format!("&lt;{}…", "é".repeat(39))), "{page}");
    }
}
