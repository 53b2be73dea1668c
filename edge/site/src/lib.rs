//! The web pages: for now the front page, its market table and what they are made of.

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

/// The page at a path, if there is one.
pub fn page(exchange: &Exchange, path: &str) -> Option<Page> {
    let (content_type, body) = match path {
        "/" => ("text/html; charset=utf-8", front::page(exchange).into_bytes()),
        "/site/market.json" => ("application/json", market::table(exchange).to_string().into_bytes()),
        "/site/front.js" => ("text/javascript; charset=utf-8", include_bytes!("../assets/front.js").to_vec()),
        "/site/front.css" => ("text/css; charset=utf-8", include_bytes!("../assets/front.css").to_vec()),
        "/favicon.ico" | "/site/leaf.svg" => ("image/svg+xml", include_bytes!("../assets/leaf.svg").to_vec()),
        _ => return None,
    };
    Some(Page { content_type, body })
}
