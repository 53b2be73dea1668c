//! `symbol add`: lists a spot symbol while the exchange runs (SYM-030). Its fields are named as its details show them.

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::{Body, Reject, SYMBOLS_MAX, TradingReject};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_model::{CurrencyId, Product, Symbol, SymbolStatus};
use buttonwood_num::{Decimal as Number, Grid, GridError, Qty};
use buttonwood_wire::contract::{Decimal, Done, InPayload, Needed, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::market::StatusName;
use buttonwood_wire::{answer, json, request};

/// Also `POST /sandbox/symbols`.
pub const COMMAND: Command =
    Command::once("symbol add", Effect::Opens, |operator, fields| Box::pin(run(operator, fields)))
        .about("Lists a spot symbol, which trades at once.")
        .takes::<NewSymbol>(&[
            Argument::new("symbol", Form::Place),
            Argument::new("base_currency", Form::Option).named("base"),
            Argument::new("quote_currency", Form::Option).named("quote"),
            Argument::new("tick_size", Form::Option).named("tick"),
            Argument::new("quote_increment", Form::Option),
            Argument::new("min_order_size", Form::Option).named("min"),
        ])
        .gives::<SymbolAdded>();

answer! {
    /// The symbol that was listed.
    struct SymbolAdded {
        /// Always `ok`.
        result: Done,
        /// The symbol, in upper case.
        symbol: String,
        /// Which orders it takes.
        status: StatusName,
    }
}

request! {
    /// A symbol to list.
    pub struct NewSymbol in InPayload {
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

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let symbol = list(operator, fields).await?.to_ascii_uppercase();
    Ok(json::body(&SymbolAdded { result: Done, symbol, status: StatusName(SymbolStatus::Open.name()) }))
}

/// Lists a symbol of these fields, and returns its name.
async fn list(operator: &Operator<'_>, fields: &Payload) -> Result<String, Refusal> {
    let symbol = read(operator, fields)?;
    let name = symbol.name.clone();
    let refuse = |reject| {
        if reject == Reject::Trading(TradingReject::Taken) {
            return Some(bad_value("symbol", "a name that is not listed yet", &name));
        }
        let is_full = reject == Reject::Trading(TradingReject::TooMany);
        is_full.then(|| bad_value("symbol", &format!("one of {SYMBOLS_MAX} at most"), &name))
    };
    operator.send(Body::list_symbol(symbol), refuse).await?;
    Ok(name)
}

fn read(operator: &Operator<'_>, fields: &Payload) -> Result<Symbol, Refusal> {
    let request = NewSymbol::of(fields);
    let given = request.symbol()?;
    let base = currency(operator, "base_currency", &request.base_currency()?)?;
    let quote = currency(operator, "quote_currency", &request.quote_currency()?)?;
    let code = |id| &*operator.names.currency(id).code;
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

fn currency(operator: &Operator<'_>, field: &str, code: &str) -> Result<CurrencyId, Refusal> {
    operator.currency_id(code).ok_or_else(|| {
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
    use crate::Shared;
    use crate::keys::Keeper;
    use buttonwood_address::Params;
    use buttonwood_engine::{Command, FeeSchedule, Mode, Note, Opening};
    use buttonwood_gate::{Gate, HeaderNames, Limits};
    use buttonwood_model::{Currency, CurrencyKind, Time};
    use buttonwood_sequencer::{Clock, Exchange, Options, recover};

    fn currency(code: &str) -> Currency {
        Currency {
            code: code.to_owned(),
            name: code.to_owned(),
            decimals: 19,
            kind: CurrencyKind::Crypto,
            networks: Vec::new(),
        }
    }

    /// Two currencies, and no symbol.
    fn founding() -> Vec<Command> {
        let currency = |code| Body::list_currency(currency(code));
        let opening = Opening { mode: Mode::Sandbox, seed: 1, hash_key: 2, fees: FeeSchedule::default() };
        let bodies = [Body::open(opening), currency("BTC"), currency("USD")];
        bodies.into_iter().map(|body| Command { caller: None, body }).collect()
    }

    /// A symbol is there for every client, even if the operator that listed it has gone before the answer; so is its currency.
    #[tokio::test]
    #[expect(clippy::default_trait_access, reason = "options of the journal, which no edge names")]
    async fn a_symbol_is_known_though_its_lister_has_gone() {
        let dir = tempfile::tempdir().unwrap();
        let mut recovered = recover(dir.path(), Default::default()).unwrap();
        recovered.commit(Time(1), founding()).unwrap();
        let running = Exchange::start(recovered, Clock::manual(Time(1)), Options::default()).unwrap();
        let gate = Gate::new(HeaderNames::any(), "svc", Limits::off());
        let shared = Shared::new(
            running.exchange(),
            gate,
            std::sync::Arc::new(buttonwood_people::People::in_memory(running.exchange()).unwrap()),
            ("svc".to_owned(), Params::default()),
            Keeper::new(|_, _| Ok(()), |_| Ok(()), |_| Ok(()), |_, _| Ok(None)),
        );
        let operator = Operator::new(&shared, Note::default());
        let fields = |base: &str| {
            let name = format!("{base}usd");
            let text = format!(
                r#"{{"symbol":"{name}","base_currency":"{base}","quote_currency":"USD","tick_size":"0.1",
                "quote_increment":"0.1","min_order_size":"1"}}"#
            );
            Payload::read(text.into_bytes()).unwrap()
        };
        let symbol = read(&operator, &fields("btc")).unwrap();
        assert!(shared.find_symbol("btcusd").is_none() && shared.symbols().is_empty());
        operator.send(Body::list_symbol(symbol), |_| None).await.unwrap();
        let names =
            || shared.symbols().into_iter().map(|(_, symbol)| symbol.name.clone()).collect::<Vec<_>>();
        assert!(shared.find_symbol("BTCUSD").is_some());
        assert_eq!(names(), ["btcusd"]);
        let refusal = list(&operator, &fields("btc")).await.unwrap_err();
        assert!(refusal.message.contains("is not listed yet"), "{}", refusal.message);

        let refusal = list(&operator, &fields("nth")).await.unwrap_err();
        assert!(refusal.message.contains("'base_currency' names no listed currency"), "{}", refusal.message);
        operator.send(Body::list_currency(currency("NTH")), |_| None).await.unwrap();
        list(&operator, &fields("nth")).await.unwrap();
        assert_eq!(names(), ["btcusd", "nthusd"], "a list of all symbols has it before any request names it");
        running.stop().unwrap();
    }
}
