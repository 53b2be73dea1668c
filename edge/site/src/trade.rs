//! The page on which one symbol is traded. The server gives what a script cannot choose: which symbol, its names, increments and
//! status. Everything else comes from streams and calls.

use crate::calls::BrowserState;
use crate::frame::{Parts, Seen};
use crate::html::fill;
use crate::market;
use buttonwood_call::{Visit, no_endpoint};
use buttonwood_engine::{AccountKind, State};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Currency, CurrencyId, GroupId, Product, Symbol, SymbolId};
use buttonwood_num::{Grid, MONEY_DECIMALS, Money};
use buttonwood_prediction::{Contract, Event};
use buttonwood_wire::contract::Query;
use buttonwood_wire::html::escaped;
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};

/// The main part of the page.
const MAIN: &str = include_str!("../assets/trade.html");
/// The main part of the page for a symbol that does not exist.
const UNKNOWN: &str = include_str!("../assets/unknown.html");
/// Characters of an unknown symbol that its page shows.
const SHOWN: usize = 40;
/// The notice of the library that draws the candles, which its licence asks for.
const FOOT: &str = "<p>Candles are drawn with TradingView Lightweight Charts™, \
                    <a href=\"/site/lightweight-charts/NOTICE\">copyright © 2026 TradingView, Inc.</a> \
                    <a href=\"https://www.tradingview.com/\">https://www.tradingview.com/</a></p>";

/// The contract of a symbol: its event and itself.
#[derive(Debug)]
struct Claimed {
    event: Event,
    contract: Contract,
}

/// The page's data of a symbol, copied while the views are locked.
#[derive(Debug)]
struct Shown {
    symbol: Symbol,
    base: Currency,
    quote: Currency,
    claimed: Option<Claimed>,
}

/// The parts of the page's data beside the symbol.
#[derive(Debug)]
struct Around {
    links: Vec<Link>,
    /// As [`Shown::status`] gives it.
    status: Value,
    decimals: Value,
    accounts: Vec<Value>,
}

impl Shown {
    /// The symbol of a name in any letter case, as in the interface (SYM-007): a listed one or a contract.
    fn find(state: &State, name: &str) -> Option<Self> {
        let listed = state.symbols().iter().find(|symbol| symbol.name.eq_ignore_ascii_case(name));
        let (symbol, claimed) = match listed {
            Some(symbol) => (symbol, None),
            None => contract(state, name).map(|(symbol, claimed)| (symbol, Some(claimed)))?,
        };
        let currency = |id: CurrencyId| state.currency(id).cloned();
        let base = currency(symbol.base).or_else(|| currency(symbol.quote))?;
        Some(Self { base, quote: currency(symbol.quote)?, symbol: symbol.clone(), claimed })
    }

    /// The name for people.
    fn title(&self) -> String {
        match &self.claimed {
            Some(claimed) if claimed.event.count > 1 => {
                format!("{}: {}", claimed.event.title, claimed.contract.label)
            }
            Some(claimed) => claimed.event.title.clone(),
            None => format!("{}/{}{}", self.base.code, self.quote.code, kind(&self.symbol)),
        }
    }

    /// The kind of symbol: `spot`, `perpetual` or `contract`.
    fn product(&self) -> &'static str {
        match (&self.claimed, self.symbol.product == Product::Swap) {
            (Some(_), _) => "contract",
            (None, true) => "perpetual",
            (None, false) => "spot",
        }
    }

    /// The part that changes while the page is open: the symbol's status, whether the whole exchange is halted, and the index that is held
    /// at a price.
    fn status(&self, state: &State) -> Value {
        let is_halted = state.operations().is_halted();
        json!({ "status": self.symbol.status.name(), "halted": is_halted, "pinned": self.pinned(state) })
    }

    /// The currency of the symbol whose index an operator has pinned, with its price in dollars; null if none is. A contract follows none.
    fn pinned(&self, state: &State) -> Value {
        let pin = |id: CurrencyId| state.indices().pin(id).map(|price| (id, price));
        let found = [self.symbol.base, self.symbol.quote]
            .into_iter()
            .filter(|_| self.claimed.is_none())
            .find_map(pin);
        let shown = |(id, price): (CurrencyId, Money)| {
            let code = state.currency(id).map(|currency| currency.code.clone());
            json!({ "currency": code, "price": digits_of(price) })
        };
        found.map_or(Value::Null, shown)
    }

    /// The kinds of accounts that trade it.
    fn traded_by(&self) -> &'static [AccountKind] {
        match (&self.claimed, self.symbol.product == Product::Swap) {
            (Some(_), _) => &[AccountKind::Exchange],
            (None, true) => &[AccountKind::Derivatives],
            (None, false) => &[AccountKind::Exchange, AccountKind::Margin],
        }
    }

    fn data(&self, around: Around) -> Value {
        let Self { symbol, base, quote, claimed } = self;
        let Around { links, status, decimals, accounts } = around;
        let grid = &symbol.grid;
        let markets = links.iter().map(|link| json!({ "symbol": link.symbol, "title": link.title }));
        let contract = claimed.as_ref().map(|Claimed { event, contract }| {
            json!({
                "event": event.ticker,
                "title": event.title,
                "label": contract.label,
                "ticker": contract.ticker,
            })
        });
        let mut data = json!({
            "symbol": symbol.name,
            "title": self.title(),
            "base": if claimed.is_some() { "contracts" } else { base.code.as_str() },
            "quote": quote.code,
            "kind": self.product(),
            "tick": digits(grid, Grid::push_tick),
            "lot": digits(grid, Grid::push_lot),
            "minimum": digits(grid, |grid, out| grid.push_qty(out, symbol.qty_min)),
            "price_decimals": grid.tick_decimals(),
            "base_decimals": base.decimals,
            "quote_decimals": quote.decimals,
            "contract": contract,
            "traded_by": self.traded_by().iter().map(|kind| kind.name()).collect::<Vec<&str>>(),
            "markets": markets.collect::<Vec<Value>>(),
            "decimals": decimals,
            "accounts": accounts,
        });
        if let (Value::Object(data), Value::Object(status)) = (&mut data, status) {
            data.extend(status);
        }
        data
    }
}

/// The contract with a name, its event and its symbol.
fn contract<'a>(state: &'a State, name: &str) -> Option<(&'a Symbol, Claimed)> {
    let id: SymbolId = state.predictions().find_contract(name)?;
    let symbol = state.symbol(id).filter(|symbol| symbol.name.eq_ignore_ascii_case(name))?;
    let (_, event) = state.predictions().event_of(id)?;
    let contract = state.predictions().contract(id)?;
    Some((symbol, Claimed { event: event.clone(), contract: contract.clone() }))
}

/// An amount with all its digits.
fn digits_of(amount: Money) -> String {
    let mut out = Vec::new();
    amount.push_floored(&mut out, MONEY_DECIMALS);
    String::from_utf8(out).unwrap_or_default()
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

/// The names of a market.
#[derive(Debug)]
pub(crate) struct Link {
    /// The symbol.
    pub(crate) symbol: String,
    /// The codes of its currencies.
    pub(crate) title: String,
    /// The name of its base currency.
    pub(crate) name: String,
}

impl Link {
    pub(crate) fn of(state: &State, symbol: &Symbol) -> Self {
        let code = |id| state.currency(id).map_or("", |currency: &Currency| currency.code.as_str());
        let title = format!("{}/{}{}", code(symbol.base), code(symbol.quote), kind(symbol));
        let name = state.currency(symbol.base).map(|currency| currency.name.clone()).unwrap_or_default();
        Self { symbol: symbol.name.clone(), title, name }
    }
}

/// The page of a symbol, or with 404 one that says that there is none.
pub(crate) fn page(visit: &Visit<'_>, name: &str) -> Reply {
    let exchange = &visit.app.exchange;
    let seen = Seen::of(visit);
    let (shown, around) = {
        let views = exchange.views();
        let state = views.state();
        let is_linked = |symbol: &Symbol| symbol.name.eq_ignore_ascii_case(name);
        let shown = Shown::find(state, name);
        let status = shown.as_ref().map(|shown| shown.status(state));
        let around = Around {
            links: market::links(&views, exchange.now(), is_linked),
            status: status.unwrap_or_default(),
            decimals: market::decimals(state),
            accounts: seen.signed_in().map(|browser| accounts(state, browser)).unwrap_or_default(),
        };
        (shown, around)
    };
    let Some(shown) = shown else { return unknown(visit, name) };
    let title = shown.title();
    let main = fill(
        MAIN,
        &[
            ("title", &escaped(&title)),
            ("symbol", &escaped(&shown.symbol.name)),
            ("status", shown.symbol.status.name()),
        ],
    );
    let parts = Parts {
        title: &title,
        script: "trade",
        styles: &["trade"],
        class: "wide",
        subnav: "",
        main: &main,
        foot: FOOT,
    };
    seen.page(visit, &parts, json!({ "page": shown.data(around) }))
}

/// The open accounts of the browser's group with their kinds, of which a ticket names those that trade its market. `is_chosen` marks the
/// one that the page shows.
fn accounts(state: &State, browser: &BrowserState) -> Vec<Value> {
    let access = state.access();
    let open = |group: GroupId| access.accounts_of(group).filter(|(id, _)| !access.is_closed(*id));
    let accounts = browser.group.into_iter().flat_map(open);
    let shown = accounts.map(|(id, account)| {
        json!({
            "number": id.0,
            "name": account.short_name,
            "kind": account.kind.name(),
            "is_chosen": browser.account == Some(id),
        })
    });
    shown.collect()
}

/// `GET /site/status/{symbol}.json`: the status of a symbol, whether the exchange is halted and which index is pinned, which its page asks for again and again.
pub(crate) fn status(visit: &Visit<'_>, name: &str) -> Result<Reply, Refusal> {
    let views = visit.app.exchange.views();
    let shown = Shown::find(views.state(), name).ok_or_else(|| no_endpoint(visit.path()))?;
    let status = shown.status(views.state());
    Ok(Reply::json(status.to_string().into_bytes()).uncached())
}

/// The page of the symbol with the largest volume, for a visitor who names none: the first of the market table, which is JSON.
pub(crate) fn first(visit: &Visit<'_>, table: &[u8]) -> Reply {
    let table: Value = serde_json::from_slice(table).unwrap_or_default();
    let largest = table.pointer("/rows/0/symbol").and_then(Value::as_str);
    let listed = || visit.app.exchange.views().state().symbols().first().map(|symbol| symbol.name.clone());
    to(visit, &largest.map(str::to_owned).or_else(listed).unwrap_or_default())
}

/// A redirect to the page of a symbol, for the account whose number the address names.
fn to(visit: &Visit<'_>, name: &str) -> Reply {
    let named = Query(visit.head.uri.query().unwrap_or_default()).value("account");
    let number = named.and_then(|number| number.parse::<u32>().ok());
    let account = number.map_or_else(String::new, |number| format!("?account={number}"));
    match HeaderValue::try_from(format!("/trade/{name}{account}")) {
        Ok(path) => Reply::redirecting(path),
        Err(_) => unknown(visit, name),
    }
}

/// The redirect of an address of an earlier build, for good (301).
pub(crate) fn moved(visit: &Visit<'_>, name: &str) -> Reply {
    to(visit, name).with_status(StatusCode::MOVED_PERMANENTLY)
}

fn unknown(visit: &Visit<'_>, name: &str) -> Reply {
    let mut shown: String = name.chars().take(SHOWN).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    not_found(
        visit,
        "No such market",
        &format!("There is no symbol <code>{}</code> on this exchange.", escaped(&shown)),
    )
}

/// A page that says what is not there, with status 404. `why` is HTML.
pub(crate) fn not_found(visit: &Visit<'_>, title: &str, why: &str) -> Reply {
    let main = fill(UNKNOWN, &[("title", &escaped(title)), ("why", why)]);
    let parts =
        Parts { title, script: "shell", styles: &[], class: "narrow", subnav: "", main: &main, foot: "" };
    Seen::of(visit).page(visit, &parts, json!({})).with_status(StatusCode::NOT_FOUND)
}
