//! The web pages: the front page with its market table, and the page that shows the contract.

mod currency_data;
mod front;
mod market;

use buttonwood_sequencer::Exchange;

/// A page, a script or data for one.
#[derive(Debug)]
pub struct Page {
    /// Its media type.
    pub content_type: &'static str,
    /// Its bytes.
    pub body: Vec<u8>,
}

/// Makes a page's bytes.
type Make = fn(&Exchange) -> Vec<u8>;

/// A page that exists, not yet made.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    content_type: &'static str,
    make: Make,
}

impl Known {
    /// The page as of now.
    pub fn make(self, exchange: &Exchange) -> Page {
        Page { content_type: self.content_type, body: (self.make)(exchange) }
    }
}

/// The page at a path, if there is one.
pub fn page(path: &str) -> Option<Known> {
    let (content_type, make): (_, Make) = match path {
        "/" => ("text/html; charset=utf-8", |exchange| front::page(exchange).into_bytes()),
        "/docs" => ("text/html; charset=utf-8", |_| include_bytes!("../assets/docs.html").to_vec()),
        "/site/docs.js" => {
            ("text/javascript; charset=utf-8", |_| include_bytes!("../assets/docs.js").to_vec())
        }
        "/site/docs.css" => ("text/css; charset=utf-8", |_| include_bytes!("../assets/docs.css").to_vec()),
        "/site/market.json" => {
            ("application/json", |exchange| market::table(exchange).to_string().into_bytes())
        }
        "/site/front.js" => {
            ("text/javascript; charset=utf-8", |_| include_bytes!("../assets/front.js").to_vec())
        }
        "/site/front.css" => ("text/css; charset=utf-8", |_| include_bytes!("../assets/front.css").to_vec()),
        "/favicon.ico" | "/site/leaf.svg" => {
            ("image/svg+xml", |_| include_bytes!("../assets/leaf.svg").to_vec())
        }
        _ => return None,
    };
    Some(Known { content_type, make })
}
