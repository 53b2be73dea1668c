//! Orders over the newest socket. The rules and their wording are those of REST (`edge/wire/src/draft.rs`); fields and codes are the
//! socket's own.

use super::Shared;
use super::calls::{TRADE, allowed};
use super::rpc::{self, Fault, Id, Request, known_parameters};
use crate::limits::Flight;
use crate::socket::{Answer, Later};
use buttonwood_call::{App, Door, Orders, Route, Rung, keep_refused};
use buttonwood_engine::{
    Body, Caller, Command, OrderRef, OrderState, Place, PredictionCommand, Reject, TradingCommand,
};
use buttonwood_gate::{self as gate, Kind, Opener, Payload, Refusal, Value, quoted};
use buttonwood_model::{ClientId, OrderId, Symbol, SymbolId};
use buttonwood_num::Qty;
use buttonwood_sequencer::{Pending, Receipt};
use buttonwood_wire::contract::Shape;
use buttonwood_wire::draft::{Draft, Figure, Word};
use buttonwood_wire::field::{busy, failed};
use buttonwood_wire::order::CancelledOrders;
use buttonwood_wire::order_request;
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

/// Sends a command of the socket's opener.
pub(super) fn send(app: &App, opener: &Opener, body: Body) -> Result<Pending, Fault> {
    let caller = Caller { session: opener.session(), account: Some(opener.account), nonce: opener.nonce() };
    let sent = app.exchange.submit(Command { caller: Some(caller), body });
    sent.map_err(|_| Fault::of(&busy("The exchange is busy")))
}

/// Waits until a command is durable.
async fn durable(pending: Pending) -> Result<Receipt, Fault> {
    pending.await.map_err(|_| Fault::of(&busy("The exchange is stopping")))
}

/// Words the outcome of a call.
fn worded(id: &Id, outcome: Result<Answer, Fault>) -> Option<Answer> {
    Some(outcome.unwrap_or_else(|fault| rpc::refusal(id, fault)))
}

/// The door of a call over a socket. Its caller is known from the opening of the socket. It has no query string, and waits for no turn: a
/// call beyond a limit is refused.
struct OfSocket;

impl Door for OfSocket {
    const WITHOUT: &'static [Rung] = &[];
}

/// The endpoint whose rules and refusals a cancel has.
const CANCEL: &str = "/v1/order/cancel";

/// Bytes of parameters that an order in flight keeps as they were sent; of more it keeps those that it has.
const KEPT: usize = 1_024;

/// The endpoint whose rules and refusals an order of a symbol has.
fn endpoint_of(app: &App, symbol: SymbolId) -> Result<(&'static Route, &'static Orders), Fault> {
    let mut placing = app.table().placing();
    let found = placing.find(|(_, orders)| orders.of_contracts == symbol.is_contract());
    found.ok_or_else(|| Fault::of(&failed()))
}

/// Places an order.
pub(super) fn place(shared: &Rc<Shared>, request: Request) -> Result<Later, Fault> {
    let opener = allowed(shared, &TRADE)?;
    let app = &shared.started.app;
    OfSocket::begin(app)
        .and_then(|()| OfSocket::check_room(app, Kind::Write))
        .map_err(|refusal| Fault::of(&refusal))?;
    let group =
        app.exchange.views().state().access().account(opener.account).and_then(|account| account.group);
    let taken = shared.started.limits.order(opener.session(), group, app.uptime());
    taken.map_err(|wait| Fault::limited(wait.as_secs() + 1))?;
    let tie = shared.tie()?;
    let (request_id, params) = request.into_params()?;
    let params =
        if params.as_str().len() > KEPT { params.only(known_parameters("order.place")) } else { params };
    let (id, symbol) = symbol(app, &params)?;
    let endpoint = endpoint_of(app, id)?;
    let draft = draft(&params, id.is_contract())?;
    let call = app.gate.call_over(&opener, Payload::empty(), app.uptime());
    if app.gate.limits_rates() {
        call.check_refused(app.uptime()).map_err(|refusal| Fault::of(&refusal))?;
    }
    let flight = fly(shared, &opener)?;
    let judged = draft.place(id, symbol).map_err(|refusal| endpoint.0.own(refusal));
    let (place, own) = match judged.and_then(|place| Ok((place, Own::enter(shared, &opener, &place)?))) {
        Ok(entered) => entered,
        Err(refusal) => {
            call.note_refused(Kind::Write, app.uptime());
            let event = keep_refused(&draft, id, symbol, &refusal);
            return refuse(shared, &opener, event, (request_id, flight), &refusal);
        }
    };
    drop(draft);
    let command = match tie {
        Some(connection) => TradingCommand::PlaceOver(connection, Arc::new(place)),
        None => TradingCommand::Place(place),
    };
    let pending = send(app, &opener, command.into())?;
    let shared = Rc::clone(shared);
    Ok(Box::pin(async move {
        let placed = durable(pending).await;
        drop((own, flight));
        let outcome = placed.and_then(|receipt| {
            placed_answer(&shared, (call, &params), (id, endpoint, &request_id), &receipt)
        });
        worded(&request_id, outcome)
    }))
}

/// Counts a command as in flight.
fn fly(shared: &Shared, opener: &Opener) -> Result<Flight, Fault> {
    shared.started.limits.fly(opener.session()).map_err(|refusal| Fault::of(&refusal))
}

/// Refuses an order by a rule, once its one event is durable (D-147).
fn refuse(
    shared: &Rc<Shared>,
    opener: &Opener,
    event: Option<Body>,
    (request, flight): (Id, Flight),
    refusal: &Refusal,
) -> Result<Later, Fault> {
    let fault = Fault::rejected(refusal);
    let Some(body) = event else { return Err(fault) };
    let pending = send(&shared.started.app, opener, body)?;
    Ok(Box::pin(async move {
        let outcome = durable(pending).await.and(Err(fault));
        drop(flight);
        worded(&request, outcome)
    }))
}

/// The client id of an order in flight, which no other order of this socket may have until it is answered.
struct Own {
    shared: Rc<Shared>,
    client_id: Option<ClientId>,
}

impl Own {
    /// Refuses a client id under which the session has a live order, or this socket one in flight.
    fn enter(shared: &Rc<Shared>, opener: &Opener, place: &Place) -> Result<Self, Refusal> {
        if let Some(client_id) = place.client_id {
            let views = shared.started.app.exchange.views();
            let orders = views.state().orders();
            let mut live = orders.with_client_id(opener.account, &client_id);
            let is_live = live.any(|slot| orders.entry(slot).session == opener.session());
            let mut in_flight = shared.in_flight.borrow_mut();
            if is_live || in_flight.contains(&client_id) {
                let shown = client_id.as_str();
                let text = format!("a live order of this key has the clientOrderId '{shown}'");
                return Err(Refusal::coded(400, "DuplicateOrder", text));
            }
            in_flight.push(client_id);
        }
        Ok(Self { shared: Rc::clone(shared), client_id: place.client_id })
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(client_id) = self.client_id {
            self.shared.in_flight.borrow_mut().retain(|other| *other != client_id);
        }
    }
}

fn placed_answer(
    shared: &Shared,
    (call, params): (gate::Call, &Payload),
    (symbol, endpoint, id): (SymbolId, (&Route, &Orders), &Id),
    receipt: &Receipt,
) -> Result<Answer, Fault> {
    let app = &shared.started.app;
    let order = receipt.order().map_err(|reject| {
        call.note_refused(Kind::Write, app.uptime());
        let draft = match draft(params, symbol.is_contract()) {
            Ok(draft) => draft,
            Err(fault) => return fault,
        };
        let refusal = app.refusal_of_placing(endpoint, call, &draft, reject);
        // The key may have lost its rights meanwhile.
        let has_ended = matches!(reject, Reject::Access(reject) if !reject.uses_nonce());
        if has_ended { Fault::of(&refusal) } else { Fault::rejected(&refusal) }
    })?;
    let grid = &app.names.symbol(symbol).grid;
    Ok(rpc::answer(id, |json| {
        json.object_field("result", |json| {
            json.number_text("orderId", order.id.0);
            json.plain("status", status(order));
            json.decimal("executed", |out| grid.push_qty(out, order.executed()));
            json.decimal("remaining", |out| grid.push_qty(out, order.remaining));
        });
    }))
}

/// The status of an order, as its updates have it.
fn status(order: &OrderState) -> &'static str {
    if order.reason.is_some() {
        "CANCELED"
    } else if order.remaining == Qty::ZERO {
        "FILLED"
    } else if order.executed() > Qty::ZERO {
        "PARTIALLY_FILLED"
    } else {
        "OPEN"
    }
}

/// The symbol that an order names.
fn symbol<'a>(app: &'a App, params: &Payload) -> Result<(SymbolId, &'a Symbol), Fault> {
    let name = text(params, "symbol")?.ok_or_else(|| missing("symbol"))?;
    app.find_any(&name).ok_or_else(|| Fault::invalid(format!("Unknown symbol '{}'", quoted(&name))))
}

/// The order in the words of the endpoint that places orders of contracts, or of listed symbols.
fn draft(params: &Payload, is_contract: bool) -> Result<Draft<'_>, Fault> {
    let order = Sent::read(params)?;
    match (params.field("eventOutcome"), is_contract) {
        (Some(outcome), false) => {
            Err(misfit("eventOutcome", "left out unless the symbol is a contract", outcome.shown()))
        }
        (None, false) => Ok(order.into_listed()),
        (_, true) => order.into_contract(params),
    }
}

/// The fields of an order, each of which can be read.
struct Sent<'a> {
    symbol: Option<Cow<'a, str>>,
    side: &'static str,
    is_market: bool,
    time_in_force: TimeInForce,
    quantity: Figure<'a>,
    price: Figure<'a>,
    stop: Figure<'a>,
    client_id: Option<ClientId>,
}

/// How long an order lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimeInForce {
    Gtc,
    Ioc,
    Fok,
    Moc,
}

impl<'a> Sent<'a> {
    fn read(params: &'a Payload) -> Result<Self, Fault> {
        let side = match word(params, "side", "BUY or SELL")?.as_str() {
            "BUY" => "buy",
            "SELL" => "sell",
            other => return Err(misfit("side", "BUY or SELL", other)),
        };
        let is_market = match word(params, "type", "LIMIT or MARKET")?.as_str() {
            "LIMIT" => false,
            "MARKET" => true,
            other => return Err(misfit("type", "LIMIT or MARKET", other)),
        };
        let time_in_force = match word(params, "timeInForce", "GTC, IOC, FOK or MOC")?.as_str() {
            "GTC" => TimeInForce::Gtc,
            "IOC" => TimeInForce::Ioc,
            "FOK" => TimeInForce::Fok,
            "MOC" => TimeInForce::Moc,
            other => return Err(misfit("timeInForce", "GTC, IOC, FOK or MOC", other)),
        };
        let quantity = figure(params, "quantity")?;
        if quantity == Figure::Absent {
            return Err(missing("quantity"));
        }
        let price = figure(params, "price")?;
        if !is_market && price == Figure::Absent {
            return Err(Fault::invalid("Missing required field 'price': a LIMIT order needs one"));
        }
        let stop = figure(params, "stopPrice")?;
        if is_market && stop != Figure::Absent {
            return Err(misfit("stopPrice", "left out unless 'type' is LIMIT", stop.text()));
        }
        let client_id = order_request::client_id_in("clientOrderId", params.field("clientOrderId"))
            .map_err(|refusal| Fault::invalid(refusal.message))?;
        let symbol = text(params, "symbol")?;
        Ok(Self { symbol, side, is_market, time_in_force, quantity, price, stop, client_id })
    }

    /// In the words of `/v1/order/new`.
    fn into_listed(self) -> Draft<'a> {
        let kind = match (self.is_market, &self.stop) {
            (true, _) => "exchange market",
            (false, Figure::Absent | Figure::Null) => "exchange limit",
            (false, Figure::Sent(..)) => "exchange stop limit",
        };
        let option = match (self.time_in_force, self.is_market) {
            (TimeInForce::Gtc, _) | (TimeInForce::Ioc, true) => None,
            (TimeInForce::Ioc, false) => Some("immediate-or-cancel"),
            (TimeInForce::Fok, _) => Some("fill-or-kill"),
            (TimeInForce::Moc, _) => Some("maker-or-cancel"),
        };
        Draft { kind: word_of(kind), option: Ok(option.map(Cow::Borrowed)), ..self.into_common() }
    }

    /// In the words of `/v1/prediction-markets/order`.
    fn into_contract(self, params: &Payload) -> Result<Draft<'a>, Fault> {
        let outcome = match word(params, "eventOutcome", "YES or NO")?.as_str() {
            "YES" => "yes",
            "NO" => "no",
            other => return Err(misfit("eventOutcome", "YES or NO", other)),
        };
        if self.is_market {
            return Err(misfit("type", "LIMIT for orders of contracts", "MARKET"));
        }
        let kind = match &self.stop {
            Figure::Absent | Figure::Null => "limit",
            Figure::Sent(..) => "stop-limit",
        };
        let option = match self.time_in_force {
            TimeInForce::Gtc => "good-til-cancel",
            TimeInForce::Ioc => "immediate-or-cancel",
            TimeInForce::Fok => "fill-or-kill",
            TimeInForce::Moc => "maker-or-cancel",
        };
        let (kind, outcome, option) = (word_of(kind), word_of(outcome), word_of(option));
        Ok(Draft { kind, outcome, option, ..self.into_common() })
    }

    /// The fields that both endpoints share. A market order has no price there.
    fn into_common(self) -> Draft<'a> {
        Draft {
            symbol: Ok(self.symbol),
            side: word_of(self.side),
            quantity: self.quantity,
            price: if self.is_market { Figure::Absent } else { self.price },
            stop: self.stop,
            client_id: Ok(self.client_id),
            ..Draft::default()
        }
    }
}

/// A word of an endpoint.
const fn word_of<'a>(word: &'static str) -> Word<'a> {
    Ok(Some(Cow::Borrowed(word)))
}

fn missing(name: &str) -> Fault {
    Fault::invalid(format!("Missing required field '{name}'"))
}

fn misfit(name: &str, expected: &str, value: &str) -> Fault {
    Fault::invalid(format!("Field '{name}' must be {expected}: {}", quoted(value)))
}

fn text<'a>(params: &'a Payload, name: &str) -> Result<Option<Cow<'a, str>>, Fault> {
    params.text(name).map_err(|refusal| Fault::invalid(refusal.message))
}

/// A word that must be there, in upper case.
fn word(params: &Payload, name: &str, expected: &str) -> Result<String, Fault> {
    match params.field(name) {
        Some(Value::Text(text)) => Ok(text.to_ascii_uppercase()),
        None => Err(missing(name)),
        Some(other) => Err(misfit(name, expected, other.shown())),
    }
}

/// A decimal.
fn figure<'a>(params: &'a Payload, name: &str) -> Result<Figure<'a>, Fault> {
    let text = match params.field(name) {
        None => return Ok(Figure::Absent),
        Some(Value::Text(text)) => text,
        Some(Value::Number(digits)) => Cow::Borrowed(digits),
        Some(other) => return Err(misfit(name, "a decimal", other.shown())),
    };
    let figure = Figure::of(text);
    if let Figure::Sent(text, None) = &figure {
        return Err(misfit(name, "a decimal without sign and exponent", text));
    }
    Ok(figure)
}

/// Cancels an order.
pub(super) fn cancel(shared: &Rc<Shared>, request: Request) -> Result<Later, Fault> {
    let opener = allowed(shared, &TRADE)?;
    let app = &shared.started.app;
    OfSocket::begin(app).map_err(|refusal| Fault::of(&refusal))?;
    let (request_id, params) = request.into_params()?;
    let sent = match params.field("orderId") {
        Some(Value::Text(text)) if is_id(&text) => text,
        Some(Value::Number(digits)) if is_id(digits) => Cow::Borrowed(digits),
        None => return Err(missing("orderId")),
        Some(other) => {
            return Err(misfit("orderId", "the id of an order, as a string or an integer", other.shown()));
        }
    };
    let id = OrderId(sent.parse().map_err(|_| Fault::not_live(&sent))?);
    let order = OrderRef::Id(id);
    let live = app.exchange.views().find_live(opener.account, &order);
    let is_contract = live.is_some_and(|live| live.order.symbol.is_contract());
    let command =
        if is_contract { PredictionCommand::Cancel(id).into() } else { TradingCommand::Cancel(order).into() };
    let flight = fly(shared, &opener)?;
    let pending = send(app, &opener, command)?;
    let shared = Rc::clone(shared);
    Ok(Box::pin(async move {
        let outcome = durable(pending).await.and_then(|receipt| {
            if receipt.is_unfinished() {
                return Err(Fault::not_live(&id.0.to_string()));
            }
            match receipt.order() {
                Ok(_) => {
                    shared.pardon(1);
                    Ok(rpc::answer(&request_id, |_| {}))
                }
                Err(reject) => Err(refused(&shared, &opener, reject)),
            }
        });
        drop(flight);
        worded(&request_id, outcome)
    }))
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Cancels the orders of the account, or those of the session.
pub(super) fn cancel_many(shared: &Rc<Shared>, request: Request, is_session: bool) -> Result<Later, Fault> {
    let opener = allowed(shared, &TRADE)?;
    let app = &shared.started.app;
    OfSocket::begin(app).map_err(|refusal| Fault::of(&refusal))?;
    let command = if is_session { TradingCommand::CancelSession } else { TradingCommand::CancelAll };
    let flight = fly(shared, &opener)?;
    let pending = send(app, &opener, command.into())?;
    let shared = Rc::clone(shared);
    Ok(Box::pin(async move {
        let outcome = durable(pending).await.and_then(|receipt| match receipt.done() {
            Ok(()) => {
                if !receipt.withdrawn.cancelled.is_empty() {
                    shared.pardon(1);
                }
                Ok(rpc::answer(&request.id, |json| {
                    json.field("result", |json| CancelledOrders::of(&receipt.withdrawn).write(json));
                }))
            }
            Err(reject) => Err(refused(&shared, &opener, reject)),
        });
        drop(flight);
        worded(&request.id, outcome)
    }))
}

/// The refusal of a cancel. Its words need no field of the request, and the endpoint of REST knows none of those over a socket.
fn refused(shared: &Shared, opener: &Opener, reject: Reject) -> Fault {
    let app = &shared.started.app;
    let call = app.gate.call_over(opener, Payload::empty(), app.uptime());
    Fault::of(&app.refusal_at(CANCEL, call, reject))
}

#[cfg(test)]
mod tests;
