//! The web pages: the front page with its market table, a page for each market, the page that shows the contract, and the pages of
//! people with the calls that these make.

mod calls;
mod currency_data;
mod front;
mod html;
mod market;
mod market_page;
mod own;
mod pages;
mod shared;

use buttonwood_http::Reply;
use buttonwood_rest::{Later, Outside, Spot, Visit, no_endpoint};
use calls::Calls;
use http::StatusCode;
use pages::Page;
use shared::Shared;
use std::time::Duration;

/// How long a front page is shown to all clients before it is made again.
const FRONT_LASTS: Duration = Duration::from_secs(1);

/// The name under which the metrics count pages and their files.
const PAGE: &str = "page";

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

/// The content of a path.
#[derive(Clone, Copy, Debug)]
enum Content<'a> {
    /// The bytes of a file of this media type.
    File(&'static str, &'static [u8]),
    /// The front page.
    Front,
    /// The front page's market table, as data.
    Table,
    /// The page of the market with this name, which may not exist.
    Market(&'a str),
    /// A page of people.
    Person(&'static Page),
    /// The calls of these pages.
    Calls(&'static Calls),
}

impl<'a> Content<'a> {
    /// Looks up a path; none if it is not the site's.
    fn find(path: &'a str) -> Option<Self> {
        match (path, path.strip_prefix("/markets/")) {
            ("/", _) => Some(Self::Front),
            ("/site/market.json", _) => Some(Self::Table),
            (_, Some(name)) => Some(Self::Market(name)),
            (_, None) => {
                let files = FILES.iter().chain(&pages::FILES);
                let file = files.into_iter().find(|(known, ..)| *known == path);
                let file = file.map(|(_, content_type, bytes)| Self::File(content_type, bytes));
                let page = || Page::find(path).map(Self::Person);
                file.or_else(page).or_else(|| Calls::find(path).map(Self::Calls))
            }
        }
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

impl Outside for Site {
    fn names(&self) -> Vec<&'static str> {
        std::iter::once(PAGE).chain(Calls::paths()).collect()
    }

    fn find(&self, path: &str) -> Option<Spot> {
        Content::find(path).map(|content| match content {
            Content::Calls(calls) => calls.spot(),
            Content::File(..) | Content::Front | Content::Table | Content::Market(_) | Content::Person(_) => {
                Spot::page(PAGE)
            }
        })
    }

    /// The page as of now, the front page of at most a second ago. The changes of prices may need rows of the history that are on disk.
    fn answer<'a>(&'a self, visit: Visit<'a>) -> Later<'a> {
        Box::pin(async move {
            let exchange = &visit.app.exchange;
            let content = Content::find(visit.path()).ok_or_else(|| no_endpoint(visit.path()))?;
            Ok(match content {
                Content::File(content_type, bytes) => Reply::page(content_type, bytes.to_vec()),
                Content::Front => Reply::page(HTML, self.front.get(front::page(exchange)).await),
                Content::Table => {
                    Reply::page("application/json", market::table(exchange).await.to_string().into_bytes())
                }
                Content::Market(name) => match market_page::page(exchange, name) {
                    Ok(page) => Reply::page(HTML, page.into_bytes()),
                    Err(page) => Reply::page(HTML, page.into_bytes()).with_status(StatusCode::NOT_FOUND),
                },
                Content::Person(page) => page.answer(&visit)?,
                Content::Calls(calls) => calls.answer(visit).await?,
            })
        })
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
