//! `POST /v1/clearing/status`: how far an order has come (CLR-003 to CLR-007).

use super::{orders, terms};
use buttonwood_call::{App, Call, Kinds, Route, not_current};
use buttonwood_engine::ClearingCommand;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Side;
use buttonwood_tables::ClearingOrder;
use buttonwood_wire::answers::SideName;
use buttonwood_wire::clearing::{ClearingId, ClearingStatus};
use buttonwood_wire::contract::{Components, DecimalText, Digits, Done, InPayload, Node, Shape};
use buttonwood_wire::order::side_name;
use buttonwood_wire::{Json, answer, json, request, words};

/// Trader or Auditor.
pub(crate) const ROUTE: Route =
    Route::recalling("/v1/clearing/status", |app, call| Box::pin(answer(app, call)))
        .right(ClearingCommand::STATUS_RIGHT)
        .kinds(Kinds::Exchange)
        .about("Reads a clearing order.")
        .notes(&[
            "The parties and the broker read an order for ever. One that is open and has no counterparty is shown to every account that \
             has its id. For all others it is `Not Found`, as an id that no order has.",
            "`side` is the caller's own, and for the broker that of the source. `symbol` is in lower case, as in an order.",
        ])
        .takes::<Named>()
        .gives::<Status>();

request! {
    /// The order to read.
    struct Named in InPayload {
        /// The id of the order.
        clearing_id: ClearingId,
    }
}

words! {
    /// The status of an id that no order of the caller's has.
    struct NotFoundWord: "Not Found"
}

answer! {
    /// No order of the caller's.
    struct NoClearingOrder {
        /// Always `ok`.
        result: Done,
        /// Always `Not Found`.
        status: NotFoundWord,
    }
}

answer! {
    /// A clearing order.
    struct ClearingOrderStatus {
        /// Always `ok`.
        result: Done,
        /// Its id.
        clearing_id: String,
        /// The symbol.
        symbol: String,
        /// The price.
        price: DecimalText,
        /// The quantity.
        amount: DecimalText,
        /// The caller's side.
        side: SideName,
        /// How far it has come.
        status: ClearingStatus,
        /// When it was entered, in seconds.
        timestamp: Digits,
        /// When it was entered, in milliseconds.
        timestampms: u64,
        /// When it expires, in milliseconds: a confirmed one that lacks money until then is not settled.
        expiration: u64,
        /// Whether every side has confirmed it.
        is_confirmed: bool,
    }
}

/// An order, or none.
enum Status {
    Known(ClearingOrderStatus),
    Unknown(NoClearingOrder),
}

impl Shape for Status {
    fn node(components: &mut Components) -> Node {
        let either =
            Node::List(vec![ClearingOrderStatus::node(components), NoClearingOrder::node(components)]);
        Node::object().with("anyOf", either)
    }

    fn write(&self, json: &mut Json) {
        match self {
            Self::Known(order) => order.write(json),
            Self::Unknown(none) => none.write(json),
        }
    }
}

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let id = Named::of(call.payload()).clearing_id()?;
    let status = match find(app, call, &id).await? {
        Some(order) => Status::Known(shown(&id, order)),
        None => Status::Unknown(NoClearingOrder { result: Done, status: NotFoundWord("Not Found") }),
    };
    Ok(Reply::json(json::body(&status)))
}

/// The order as the caller sees it. The state has what is open, the history what is closed.
async fn find(app: &App, call: &Call, id: &str) -> Result<Option<ClearingOrder>, Refusal> {
    let (account, number) = (call.account(), terms::number(app, id));
    let Some(number) = number else { return Ok(None) };
    {
        let views = app.exchange.views();
        if let Some(order) = views.state().clearing().order(number) {
            let order = Some(order).filter(|order| order.is_seen_by(account));
            return Ok(order.and_then(|order| orders::seen(views.state(), order, account)));
        }
    }
    let closed = app.exchange.query_tables(move |tables| tables.clearing_order(account, number));
    closed.await.map_err(|fault| not_current(&fault))
}

fn shown(id: &str, order: ClearingOrder) -> ClearingOrderStatus {
    let side = if order.buys() { Side::Buy } else { Side::Sell };
    ClearingOrderStatus {
        result: Done,
        clearing_id: id.to_owned(),
        price: orders::decimal(&order.price),
        amount: orders::decimal(&order.quantity),
        side: SideName(side_name(side)),
        status: orders::status(&order.status),
        timestamp: Digits(order.submitted.seconds()),
        timestampms: order.submitted.millis(),
        expiration: order.expires.millis(),
        is_confirmed: order.is_confirmed,
        symbol: order.symbol,
    }
}
