//! `POST /sandbox/symbols`: lists a spot symbol while the exchange runs (SYM-030). Its fields are named as its details
//! show them.

use super::control::{ControlCall, operate};
use crate::app::App;
use crate::market::details;
use crate::route::Route;
use buttonwood_engine::{Body, Outcome, Reject, SYMBOLS_MAX, TradingReject};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_model::{CurrencyId, Product, Symbol, SymbolStatus};
use buttonwood_num::{Decimal as Number, Grid, GridError, Qty};
use buttonwood_wire::contract::{Decimal, InPayload, Needed, Text};
use buttonwood_wire::field::{bad_value, failed, no_space};
use buttonwood_wire::market::SymbolDetails;
use buttonwood_wire::request;

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/symbols", |app, _, fields| Box::pin(answer(app, fields)))
        .about("Lists a spot symbol, which trades at once.")
        .takes::<NewSymbol>()
        .gives::<SymbolDetails>();

request! {
    /// A symbol to list.
    pub(crate) struct NewSymbol in InPayload {
        /// Its name: the codes of base and quote currency together.
        symbol: Needed<Text>,
        /// The currency that is bought and sold.
        base_currency: Needed<Text>,
        /// The currency of the price.
        quote_currency: Needed<Text>,
        /// The increment of quantities.
        tick_size: Needed<Decimal>,
        /// The increment of prices.
        quote_increment: Needed<Decimal>,
        /// The least quantity of an order, a multiple of `tick_size`.
        min_order_size: Needed<Decimal>,
    }
}

async fn answer(app: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let symbol = read(app, fields)?;
    let name = symbol.name.clone();
    let outcome = operate(app, Body::list_symbol(symbol)).await?;
    match outcome {
        Outcome::Done => {}
        Outcome::Rejected(Reject::Trading(TradingReject::Taken)) => {
            return Err(bad_value("symbol", "a name that is not listed yet", &name));
        }
        Outcome::Rejected(Reject::Trading(TradingReject::TooMany)) => {
            return Err(bad_value("symbol", &format!("one of {SYMBOLS_MAX} at most"), &name));
        }
        Outcome::Rejected(Reject::NoRoom) => return Err(no_space()),
        Outcome::Rejected(_) | Outcome::Trading(_) | Outcome::Converted(_) => return Err(failed()),
    }
    let (id, _) = app.find_symbol(&name).ok_or_else(failed)?;
    Ok(details::reply(app, id))
}

fn read(app: &App, fields: &Payload) -> Result<Symbol, Refusal> {
    let request = NewSymbol::of(fields);
    let given = request.symbol()?;
    let base = currency(app, "base_currency", &request.base_currency()?)?;
    let quote = currency(app, "quote_currency", &request.quote_currency()?)?;
    let code = |id| &*app.names.currency(id).code;
    if base == quote {
        return Err(bad_value("quote_currency", "another than base_currency", code(quote)));
    }
    let name = name(&given, code(base), code(quote))?;
    let grid = grid(request)?;
    let qty_min = least(request, &grid)?;
    Ok(Symbol {
        name,
        base,
        quote,
        grid,
        qty_min,
        product: Product::Spot,
        status: SymbolStatus::Open,
        wrap_enabled: false,
        closed_to: Vec::new(),
    })
}

/// The codes of both currencies together, by which clients take a symbol apart (SYM-006).
fn name(given: &str, base: &str, quote: &str) -> Result<String, Refusal> {
    let name = format!("{base}{quote}").to_ascii_lowercase();
    if given.eq_ignore_ascii_case(&name) {
        return Ok(name);
    }
    Err(bad_value("symbol", &format!("its base and its quote currency, '{name}'"), given))
}

fn currency(app: &App, field: &str, code: &str) -> Result<CurrencyId, Refusal> {
    app.names.find_currency(code).ok_or_else(|| {
        let message = format!("Field '{field}' names no listed currency: '{}'", quoted(code));
        Refusal::new(Reason::InvalidCurrency, message)
    })
}

fn decimal(field: &str, text: &str) -> Result<Number, Refusal> {
    match Number::parse(text.as_bytes()) {
        Ok(decimal) if !decimal.is_zero() => Ok(decimal),
        _ => Err(bad_value(field, "a positive decimal", text)),
    }
}

fn grid(request: NewSymbol<'_>) -> Result<Grid, Refusal> {
    let lot_text = request.tick_size()?;
    let lot = decimal("tick_size", &lot_text)?;
    let tick_text = request.quote_increment()?;
    let tick = decimal("quote_increment", &tick_text)?;
    Grid::new(tick, lot).map_err(|error| match error {
        GridError::TooFine => {
            bad_value("quote_increment", "of at most 17 decimals together with tick_size", &tick_text)
        }
        GridError::NotAnIncrement => {
            // An increment is too large or has too many digits: the price's if it fails alone, otherwise the
            // quantity's.
            let is_tick = Number::parse(b"1").is_ok_and(|one| Grid::new(tick, one).is_err());
            let (field, text) =
                if is_tick { ("quote_increment", tick_text) } else { ("tick_size", lot_text) };
            bad_value(field, "an increment that can be counted", &text)
        }
    })
}

fn least(request: NewSymbol<'_>, grid: &Grid) -> Result<Qty, Refusal> {
    let text = request.min_order_size()?;
    let least = decimal("min_order_size", &text)?;
    grid.qty(least).ok_or_else(|| bad_value("min_order_size", "a multiple of tick_size", &text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Settings;
    use crate::call::Asked;
    use crate::sandbox::caller::Controllers;
    use buttonwood_engine::{Command, FeeSchedule, Mode, Opening};
    use buttonwood_gate::{Gate, HeaderNames, Limits};
    use buttonwood_model::{Currency, CurrencyKind, Time};
    use buttonwood_sequencer::{Clock, Exchange, Options, recover};
    use buttonwood_wire::contract::Query;

    /// Two currencies, and no symbol.
    fn founding() -> Vec<Command> {
        let currency = |code: &str| {
            Body::list_currency(Currency {
                code: code.to_owned(),
                name: code.to_owned(),
                decimals: 19,
                kind: CurrencyKind::Crypto,
                networks: Vec::new(),
            })
        };
        let opening = Opening { mode: Mode::Sandbox, seed: 1, hash_key: 2, fees: FeeSchedule::default() };
        let bodies = [Body::open(opening), currency("BTC"), currency("USD")];
        bodies.into_iter().map(|body| Command { caller: None, body }).collect()
    }

    /// A symbol is there for every client, even if the client that listed it has disconnected before its answer.
    #[tokio::test]
    #[expect(clippy::default_trait_access, reason = "options of the journal, which no edge names")]
    async fn a_symbol_is_known_though_its_lister_has_gone() {
        let dir = tempfile::tempdir().unwrap();
        let mut recovered = recover(dir.path(), Default::default()).unwrap();
        recovered.commit(Time(1), founding()).unwrap();
        let running = Exchange::start(recovered, Clock::manual(Time(1)), Options::default()).unwrap();
        let gate = Gate::new(HeaderNames::any(), "svc", Limits::off());
        let settings = Settings {
            service: "svc".to_owned(),
            sandbox: true,
            control: Controllers::default(),
            steps: None,
            pages: |_| None,
        };
        let app = App::new(running.exchange(), gate, settings);
        let body = br#"{"symbol":"btcusd","base_currency":"BTC","quote_currency":"USD",
            "tick_size":"0.1","quote_increment":"0.1","min_order_size":"1"}"#;
        let fields = Payload::read(body.to_vec()).unwrap();
        let symbol = read(&app, &fields).unwrap();
        assert!(app.find_symbol("btcusd").is_none() && app.symbols().is_empty());
        let asked = Asked { parameter: "", query: Query("") };
        let call = ControlCall::new(&app, &ROUTE, &asked, &fields);
        operate(&call, Body::list_symbol(symbol)).await.unwrap();
        let names = || app.symbols().into_iter().map(|(_, symbol)| symbol.name.clone()).collect::<Vec<_>>();
        assert!(app.find_symbol("BTCUSD").is_some());
        assert_eq!(names(), ["btcusd"]);
        let refusal = answer(&call, &fields).await.unwrap_err();
        assert!(refusal.message.contains("is not listed yet"), "{}", refusal.message);

        // A list of all symbols has it before any request names it.
        let other = Symbol { name: "usdbtc".to_owned(), ..read(&app, &fields).unwrap() };
        operate(&call, Body::list_symbol(other)).await.unwrap();
        assert_eq!(names(), ["btcusd", "usdbtc"]);
        drop(app);
        running.stop().unwrap();
    }
}
