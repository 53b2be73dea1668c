//! `POST /v1/prediction-markets/order/batch` and `/order/batch/cancel`: up to twenty orders or cancels in a call (beyond the clauses).
//!
//! A flaw of an entry refuses the whole batch before anything runs. Then the call of a key uses its nonce, and once that is durable its entries run
//! one by one under it. Each of them has an answer of its own, also where the exchange halts or stops between two of them.

use super::cancel::not_live;
use super::not_found;
use super::order::{self as single, shown};
use super::refusal::{before_fields, of_order};
use buttonwood_call::{
    Admitted, App, Asked, Call, Kinds, Later, Route, core_refusal, durable, keep_refused, nonce_user, send,
};
use buttonwood_engine::{AccessCommand, Body, Caller, Place, PredictionCommand, TradingCommand};
use buttonwood_gate::{self as gate, Kind, Payload, Refusal, Value, integer};
use buttonwood_http::Reply;
use buttonwood_model::OrderId;
use buttonwood_sequencer::{Pending, Receipt};
use buttonwood_wire::contract::{Components, Entries as List, InPayload, Node, Object, Shape, Whole};
use buttonwood_wire::draft::Draft;
use buttonwood_wire::field::halted;
use buttonwood_wire::prediction_order::{ContractOrder, NewContractOrder, Terms};
use buttonwood_wire::{Json, answer, json, request};
use std::sync::Arc;
use std::time::Instant;

/// Trader only. Each entry takes a token of the key's rate limit.
pub(crate) const ORDERS: Route = Route::running("/v1/prediction-markets/order/batch", run_orders)
    .right(TradingCommand::RIGHT)
    .kinds(Kinds::Trading)
    .coded()
    .about("Places up to 20 orders of contracts, one by one.")
    .notes(&[
        "A malformed entry refuses the whole batch; the message names its place in the list, from 0, and its field. Otherwise the orders \
         are placed one by one, as by `/v1/prediction-markets/order`, and each is answered by itself: with the order, or with `error` and \
         `message`. An unknown contract and too little money refuse their own entry alone.",
        "Each entry takes a token of the rate limit. A batch is admitted whole; tokens that it lacks are owed, and later calls wait for \
         them or are refused.",
    ])
    .takes::<NewContractOrders>()
    .gives::<BatchAnswer>();

/// Trader only; draws on the capacity reserved for cancels.
pub(crate) const CANCELS: Route = Route::running("/v1/prediction-markets/order/batch/cancel", run_cancels)
    .right(PredictionCommand::RIGHT)
    .kind(Kind::Cancel)
    .coded()
    .about("Cancels up to 20 orders of contracts, one by one.")
    .notes(&[
        "A malformed id refuses the whole batch; the message names its place in the list, from 0. Otherwise the orders are cancelled one \
         by one, and each is answered by itself: with the cancelled order, or with `error` and `message`. An id that is named twice is \
         `OrderNotCancellable` the second time. Each entry takes a token of the rate limit.",
    ])
    .takes::<NamedContractOrders>()
    .gives::<BatchAnswer>();

request! {
    /// New orders of contracts.
    struct NewContractOrders in InPayload {
        /// The orders, each with the fields of a single one.
        orders: List<Object<NewContractOrder<'static>>, 20>,
    }
}

request! {
    /// Orders of contracts.
    struct NamedContractOrders in InPayload {
        /// The exchange's ids of the orders.
        order_ids as "orderIds": List<Whole, 20>,
    }
}

answer! {
    /// What became of the entries of a batch.
    struct BatchAnswer {
        /// An answer to each entry, in their order.
        orders: Vec<EntryAnswer>,
    }
}

answer! {
    /// Why an entry of a batch was refused.
    struct EntryRefusal {
        /// A code, as in the refusal of a single call.
        error: String,
        /// The same for people.
        message: String,
    }
}

/// The answer to an entry: the order, or why it was refused.
#[derive(Debug)]
enum EntryAnswer {
    Order(Box<ContractOrder>),
    Refused(EntryRefusal),
}

impl Shape for EntryAnswer {
    fn node(components: &mut Components) -> Node {
        let either = Node::List(vec![ContractOrder::node(components), EntryRefusal::node(components)]);
        Node::object().with("anyOf", either)
    }

    fn write(&self, json: &mut Json) {
        match self {
            Self::Order(order) => order.write(json),
            Self::Refused(refusal) => refusal.write(json),
        }
    }
}

/// An entry of a batch, which was read.
#[derive(Debug)]
enum Entry {
    /// An order with its fields, or why it cannot be placed.
    Place(Payload, Result<Box<Place>, Refusal>),
    /// A cancel.
    Cancel(OrderId),
}

impl Entry {
    fn command(&self) -> Result<Body, Refusal> {
        match self {
            Self::Place(_, Ok(place)) => Ok(PredictionCommand::BatchPlace(Arc::new(**place)).into()),
            Self::Place(_, Err(refusal)) => Err(refusal.clone()),
            Self::Cancel(order) => Ok(PredictionCommand::BatchCancel(*order).into()),
        }
    }
}

/// Why a batch is refused before anything runs.
#[derive(Debug)]
struct Flaw {
    refusal: Refusal,
    /// The command that keeps the refusal of an order that could be read and that a rule refuses (D-147).
    kept: Option<Box<Body>>,
}

impl From<Refusal> for Flaw {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, kept: None }
    }
}

fn run_orders<'a>(app: &'a App, admitted: Admitted<'a>) -> Later<'a> {
    Box::pin(carry_out(app, admitted, orders))
}

fn run_cancels<'a>(app: &'a App, admitted: Admitted<'a>) -> Later<'a> {
    Box::pin(carry_out(app, admitted, cancels))
}

/// Reads the entries of a batch, which run one by one.
type Entries = fn(&App, &Call) -> Result<Vec<Entry>, Flaw>;

/// The orders of a call. Terms come before fields, and those before a halt of the exchange.
fn orders(app: &App, call: &Call) -> Result<Vec<Entry>, Flaw> {
    if let Some(refusal) = before_fields(app, call) {
        return Err(refusal.into());
    }
    let sent = NewContractOrders::of(call.payload()).orders()?;
    let entries = (0..).zip(sent).map(|(at, value)| order(app, &format!("orders[{at}]"), &value));
    let entries = entries.collect::<Result<Vec<Entry>, Flaw>>()?;
    if app.exchange.views().state().operations().is_halted() {
        return Err(halted().into());
    }
    Ok(entries)
}

/// The order at a place of the list. An unknown contract is no flaw of the batch.
fn order(app: &App, place: &str, value: &Value<'_>) -> Result<Entry, Flaw> {
    let Value::Object(raw) = value else { return Err(Refusal::bad_field(place, "an object", value).into()) };
    let flawed = |refusal: Refusal| refusal.within(place);
    let fields = Payload::read(raw.as_bytes().to_vec()).map_err(flawed)?;
    let draft = Draft::of_contract(&fields);
    let terms = Terms::of(&draft).map_err(flawed)?;
    let order = match app.find_contract(terms.symbol) {
        Some((id, symbol)) => Ok(Box::new(terms.place(id, symbol).map_err(|refusal| Flaw {
            kept: keep_refused(&draft, id, symbol, &single::ROUTE.own(refusal.clone())).map(Box::new),
            refusal: flawed(refusal),
        })?)),
        None => Err(not_found("Contract", terms.symbol)),
    };
    drop(draft);
    Ok(Entry::Place(fields, order))
}

/// The cancels of a call.
fn cancels(_app: &App, call: &Call) -> Result<Vec<Entry>, Flaw> {
    let sent = NamedContractOrders::of(call.payload()).order_ids()?;
    let id = |(at, value)| Ok(Entry::Cancel(OrderId(integer(&format!("orderIds[{at}]"), &value)?)));
    (0..).zip(sent).map(|(at, value): (u64, Value<'_>)| id((at, value))).collect()
}

/// Runs the entries of a batch one by one, and answers once all are durable. A batch that is refused uses the nonce of its key, as any
/// call.
async fn carry_out(
    app: &App,
    Admitted { route, call, asked, at }: Admitted<'_>,
    read: Entries,
) -> Result<Reply, Refusal> {
    let (call, entries) = match begin(app, route, call, asked, read) {
        Ok(begun) => begun,
        Err(Unfit { first, refusal }) => {
            if let Some(first) = first {
                let (caller, body) = *first;
                durable(send(app, caller, body, at)?).await?;
            }
            return Err(refusal);
        }
    };
    app.gate.charge(call.gate(), route.gate_kind(), entries.len().saturating_sub(1), app.uptime());
    if let Some(caller) = call.nonce_user() {
        let used = use_nonce(app, caller, at).await?;
        used.done().map_err(|reject| core_refusal(app, &call, reject))?;
    }
    // All of them are queued together, so that they share a write to the disk; the queue keeps their order.
    let queued =
        entries.iter().map(|entry| entry.command().and_then(|body| send(app, call.caller(), body, None)));
    let queued: Vec<Result<Pending, Refusal>> = queued.collect();
    let mut orders = Vec::with_capacity(entries.len());
    for (entry, pending) in entries.iter().zip(queued) {
        orders.push(match answer_entry(app, &call, entry, pending).await {
            Ok(order) => EntryAnswer::Order(Box::new(order)),
            Err(refusal) => {
                let refusal = route.own(refusal);
                let error = refusal.code().to_owned();
                EntryAnswer::Refused(EntryRefusal { error, message: refusal.message })
            }
        });
    }
    Ok(Reply::json(json::body(&BatchAnswer { orders })))
}

/// A batch that is refused whole.
struct Unfit {
    /// The command that uses its nonce, or that keeps the refusal of an order, with its sender; durable before the answer.
    first: Option<Box<(Caller, Body)>>,
    refusal: Refusal,
}

/// Reads the entries of a batch.
///
/// # Errors
/// The refusal of the whole batch.
fn begin(
    app: &App,
    route: &Route,
    admitted: gate::Call,
    asked: &Asked<'_>,
    read: Entries,
) -> Result<(Call, Vec<Entry>), Unfit> {
    let using = |caller| Box::new((caller, AccessCommand::UseNonce.into()));
    let call = Call::new(app, route, admitted, asked).map_err(|refused| {
        refused.gate.note_refused(route.gate_kind(), app.uptime());
        Unfit { first: nonce_user(&refused.gate, None).map(using), refusal: refused.refusal }
    })?;
    match read(app, &call) {
        Ok(entries) => Ok((call, entries)),
        Err(Flaw { refusal, kept }) => {
            call.gate().note_refused(route.gate_kind(), app.uptime());
            let first = match kept {
                Some(body) => Some(Box::new((call.caller(), *body))),
                None => call.nonce_user().map(using),
            };
            Err(Unfit { first, refusal: route.own(refusal) })
        }
    }
}

/// Uses the nonce of a call, and waits until that is durable.
async fn use_nonce(app: &App, caller: Caller, at: Option<Instant>) -> Result<Receipt, Refusal> {
    durable(send(app, caller, AccessCommand::UseNonce.into(), at)?).await
}

/// Waits for the answer to an entry.
async fn answer_entry(
    app: &App,
    call: &Call,
    entry: &Entry,
    queued: Result<Pending, Refusal>,
) -> Result<ContractOrder, Refusal> {
    let receipt = durable(queued?).await?;
    let order = match entry {
        Entry::Cancel(order) if receipt.is_unfinished() => {
            return Err(not_live(app, call.account(), *order).await);
        }
        Entry::Cancel(_) => receipt.order().map_err(|reject| core_refusal(app, call, reject))?,
        Entry::Place(fields, _) => {
            receipt.order().map_err(|reject| of_order(app, call, &Draft::of_contract(fields), reject))?
        }
    };
    shown(app, order, receipt.stamp.time)
}
