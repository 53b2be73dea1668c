//! The web pages: markets, trading, accounts, the pages of people, the contract, an operator's page and the sandbox's console, with the
//! calls that these make.

mod calls;
mod console;
mod currency_data;
mod files;
mod frame;
mod front;
mod guard;
mod html;
mod market;
mod own;
mod page_data;
mod pages;
mod shared;
mod trade;

use buttonwood_call::{Later, Outside, PublicCall, Spot, Table, Visit};
use buttonwood_http::Reply;
use calls::{Calls, call_public};
use files::File;
use http::header::ACCEPT_ENCODING;
use page_data::Answers;
use pages::Page;
pub use pages::door::Door;
use shared::Shared;
use std::time::Duration;

/// How long the market table is shown to all clients before it is made again.
const TABLE_LASTS: Duration = Duration::from_secs(1);

/// The start of the paths at which pages make public calls of the interface.
const PUBLIC: &str = "/site/public";

/// The start of the paths at which pages ask for the status of a symbol.
const STATUS: &str = "/site/status/";

/// The starts of the paths at which programs call: nothing at one of them is a page.
const OF_PROGRAMS: [&str; 8] =
    ["v1", "v2", "sandbox", "site", "health", "auth", "openapi.json", "asyncapi.json"];

/// The name under which the metrics count pages and their files.
const PAGE: &str = "page";

/// The words of the page at an address without one.
pub(crate) const NOTHING: &str = "There is nothing at this address.";

const HTML: &str = "text/html; charset=utf-8";

/// The site of an exchange.
#[derive(Debug)]
pub struct Site {
    /// The front page's market table, as data.
    table: Shared,
    /// The main part of the front page.
    front: Shared,
    /// The door of a sandbox; a venue has none.
    door: Option<Door>,
    /// The endpoints of the interface.
    routes: &'static Table,
    /// The newest data of the pages of markets.
    data: Answers,
}

impl Site {
    /// The site of a sandbox with this door, or of a venue.
    pub fn new(door: Option<Door>, routes: &'static Table) -> Self {
        let (table, front) = (Shared::new(TABLE_LASTS), Shared::new(TABLE_LASTS));
        Self { table, front, door, routes, data: Answers::default() }
    }

    /// Looks up a path; none if it is not the site's.
    fn look_up<'a>(&self, path: &'a str) -> Option<Content<'a>> {
        Content::find(path, self.routes).filter(|_| self.door.is_some() || !Door::has(path))
    }
}

/// The content of a path.
#[derive(Clone, Copy, Debug)]
enum Content<'a> {
    /// A file of the pages.
    File(&'static File),
    /// The front page's market table, as data.
    Table,
    /// The names that the console offers.
    Names,
    /// The page of the symbol with the largest volume.
    FirstSymbol,
    /// The status of the symbol with this name.
    Status(&'a str),
    /// The page of the symbol with this name, which may not exist.
    Symbol(&'a str),
    /// The address that this symbol's page had in earlier builds.
    Moved(&'a str),
    /// A page at a fixed path.
    Page(&'static Page),
    /// The data of a market, for programs that show it.
    Data(&'a str),
    /// The calls of these pages.
    Calls(&'static Calls),
    /// A public call of the interface by these pages.
    Public(PublicCall<'a>),
}

impl<'a> Content<'a> {
    /// Looks up a path; none if it is not the site's.
    fn find(path: &'a str, routes: &Table) -> Option<Self> {
        if let Some(name) = path.strip_prefix("/trade/") {
            return Some(Self::Symbol(name));
        }
        if let Some(name) = path.strip_prefix("/markets/") {
            return Some(Self::Moved(name));
        }
        if let Some(call) = path.strip_prefix(PUBLIC).and_then(|path| PublicCall::find(routes, path)) {
            return Some(Self::Public(call));
        }
        if let Some(wanted) = page_data::wanted(path) {
            return Some(Self::Data(wanted));
        }
        let status = path.strip_prefix(STATUS).and_then(|name| name.strip_suffix(".json"));
        if let Some(name) = status {
            return Some(Self::Status(name));
        }
        match path {
            "/site/market.json" => Some(Self::Table),
            console::PATH => Some(Self::Names),
            "/trade" => Some(Self::FirstSymbol),
            _ => {
                let page = || Page::find(path).map(Self::Page);
                let calls = || Calls::find(path).map(Self::Calls);
                File::find(path).map(Self::File).or_else(page).or_else(calls)
            }
        }
    }
}

impl Outside for Site {
    fn names(&self) -> Vec<&'static str> {
        [PAGE, PUBLIC].into_iter().chain(Calls::paths()).collect()
    }

    fn find(&self, path: &str) -> Option<Spot> {
        self.look_up(path).map(|content| match content {
            Content::Calls(calls) => calls.spot(),
            Content::Public(_) => Spot::page(PUBLIC),
            Content::File(_)
            | Content::Table
            | Content::Names
            | Content::FirstSymbol
            | Content::Status(_)
            | Content::Symbol(_)
            | Content::Moved(_)
            | Content::Data(_)
            | Content::Page(_) => Spot::page(PAGE),
        })
    }

    fn find_missing(&self, path: &str) -> Option<Spot> {
        let start = path.split('/').nth(1).unwrap_or_default();
        (!OF_PROGRAMS.contains(&start)).then_some(Spot::page(PAGE))
    }

    /// The page as of now, the market table of at most a second ago. The changes of prices may need rows of
    /// the history that are on disk.
    fn answer<'a>(&'a self, visit: Visit<'a>) -> Later<'a> {
        Box::pin(async move {
            let exchange = &visit.app.exchange;
            let second = || exchange.now().seconds();
            let Some(content) = self.look_up(visit.path()) else {
                return Ok(trade::not_found(&visit, "No such page", NOTHING));
            };
            if Door::has(visit.path()) {
                guard::door(&visit)?;
            }
            let door = self.door.as_ref();
            let table = async { market::table(exchange).await.to_string() };
            Ok(match content {
                Content::File(file) => file.answer(&visit),
                Content::Table => Reply::page("application/json", self.table.get(second, table).await)
                    .packed(visit.header(&ACCEPT_ENCODING).unwrap_or_default()),
                Content::Names => console::answer(&visit)?,
                Content::FirstSymbol => trade::first(&visit, &self.table.get(second, table).await),
                Content::Status(name) => trade::status(&visit, name)?,
                Content::Symbol(name) => trade::page(&visit, name),
                Content::Moved(name) => trade::moved(&visit, name),
                Content::Page(page) if page.is_front() => {
                    let main = self.front.get(second, front::main(exchange)).await;
                    page.answer(&visit, &String::from_utf8_lossy(&main), door)?
                }
                Content::Page(page) => page.answer(&visit, "", door)?,
                Content::Data(wanted) => self.data.answer(visit.app, wanted).await?,
                Content::Calls(calls) => calls.answer(visit, door).await?,
                Content::Public(call) => call_public(&visit, call).await?,
            })
        })
    }
}
