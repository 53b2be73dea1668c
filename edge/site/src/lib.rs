//! The web pages: the front page with its market table, a page for each market, and the page that shows the contract.

mod currency_data;
mod front;
mod html;
mod market;
mod market_page;
mod shared;

use buttonwood_sequencer::Exchange;
use shared::Shared;
use std::sync::Arc;
use std::time::Duration;

/// How long a front page is shown to all clients before it is made again.
const FRONT_LASTS: Duration = Duration::from_secs(1);

/// The site of an exchange.
#[derive(Debug)]
pub struct Site {
    front: Shared,
}

impl Default for Site {
    fn default() -> Self {
        Self { front: Shared::new(FRONT_LASTS) }
    }
}

/// A page, a script or data for one.
#[derive(Debug)]
pub struct Page {
    /// Its media type.
    pub content_type: &'static str,
    /// Its bytes.
    pub body: Vec<u8>,
    /// Whether there is what the path names; if not, the page says so.
    pub is_found: bool,
}

/// A page that is not yet made.
#[derive(Debug)]
pub struct Known {
    content_type: &'static str,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// The bytes of a file.
    File(&'static [u8]),
    /// The front page.
    Front(Arc<Site>),
    /// The front page's market table, as data.
    Table,
    /// The page of the market with this name, which may not exist.
    Market(String),
}

impl Known {
    /// The page as of now, the front page of at most a second ago. The changes of prices may need rows of the history that are on disk.
    pub async fn make(self, exchange: &Exchange) -> Page {
        let found = match self.content {
            Content::File(bytes) => Ok(bytes.to_vec()),
            Content::Front(site) => Ok(site.front.get(front::page(exchange)).await),
            Content::Table => Ok(market::table(exchange).await.to_string().into_bytes()),
            Content::Market(name) => {
                market_page::page(exchange, &name).map(String::into_bytes).map_err(String::into_bytes)
            }
        };
        let is_found = found.is_ok();
        Page { content_type: self.content_type, body: found.unwrap_or_else(|page| page), is_found }
    }
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const IMAGE: &str = "image/svg+xml";

/// The paths of files, with their media types and bytes.
const FILES: [(&str, &str, &[u8]); 17] = [
    ("/docs", HTML, include_bytes!("../assets/docs.html")),
    ("/favicon.ico", IMAGE, include_bytes!("../assets/leaf.svg")),
    ("/site/candles.js", SCRIPT, include_bytes!("../assets/candles.js")),
    ("/site/decimal.js", SCRIPT, include_bytes!("../assets/decimal.js")),
    ("/site/depth.js", SCRIPT, include_bytes!("../assets/depth.js")),
    ("/site/docs.css", STYLE, include_bytes!("../assets/docs.css")),
    ("/site/docs.js", SCRIPT, include_bytes!("../assets/docs.js")),
    ("/site/failure.js", SCRIPT, include_bytes!("../assets/failure.js")),
    ("/site/front.css", STYLE, include_bytes!("../assets/front.css")),
    ("/site/front.js", SCRIPT, include_bytes!("../assets/front.js")),
    ("/site/leaf.svg", IMAGE, include_bytes!("../assets/leaf.svg")),
    (
        "/site/lightweight-charts.js",
        SCRIPT,
        include_bytes!("../assets/lightweight-charts/lightweight-charts.standalone.production.js"),
    ),
    ("/site/lightweight-charts/LICENSE", TEXT, include_bytes!("../assets/lightweight-charts/LICENSE")),
    ("/site/lightweight-charts/NOTICE", TEXT, include_bytes!("../assets/lightweight-charts/NOTICE")),
    ("/site/market.css", STYLE, include_bytes!("../assets/market.css")),
    ("/site/market.js", SCRIPT, include_bytes!("../assets/market.js")),
    ("/site/poll.js", SCRIPT, include_bytes!("../assets/poll.js")),
];

impl Site {
    /// Looks up a path; `None` if it is not the site's.
    pub fn page(self: &Arc<Self>, path: &str) -> Option<Known> {
        let (content_type, content) = match (path, path.strip_prefix("/markets/")) {
            ("/", _) => (HTML, Content::Front(Arc::clone(self))),
            ("/site/market.json", _) => ("application/json", Content::Table),
            (_, Some(name)) => (HTML, Content::Market(name.to_owned())),
            (_, None) => {
                let (_, content_type, bytes) = FILES.iter().find(|(known, ..)| *known == path)?;
                (*content_type, Content::File(bytes))
            }
        };
        Some(Known { content_type, content })
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};
    use std::fmt::Write as _;

    /// The embedded library is the one whose version, source and licence its notes name.
    #[test]
    fn the_library_is_the_documented_one() {
        let notes = include_str!("../assets/lightweight-charts/README.md");
        let value = |name: &str| {
            let row = notes.lines().find_map(|line| line.strip_prefix(&format!("| {name} | ")));
            row.and_then(|row| row.strip_suffix(" |")).unwrap_or_default().trim_matches('`')
        };
        for (path, name) in [
            ("/site/lightweight-charts.js", "SHA-256 of the script"),
            ("/site/lightweight-charts/LICENSE", "SHA-256 of `LICENSE`"),
        ] {
            let (.., bytes) = super::FILES.iter().find(|(known, ..)| *known == path).unwrap();
            let digest = Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
                write!(text, "{byte:02x}").unwrap();
                text
            });
            assert_eq!(digest, value(name), "{path}");
        }
        let script = include_str!("../assets/lightweight-charts/lightweight-charts.standalone.production.js");
        assert!(script.contains(&format!("v{}\n", value("version"))), "{}", value("version"));
    }
}
