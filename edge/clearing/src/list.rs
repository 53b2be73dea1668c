//! `POST /v1/clearing/list`: the orders of which the account is a side (CLR-018 to CLR-021).

use super::orders::{self, Ids, codes, status};
use super::terms::counterparty;
use buttonwood_call::{App, Call, Kinds, Route};
use buttonwood_engine::ClearingCommand;
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::AccountId;
use buttonwood_tables::ClearingOrder;
use buttonwood_wire::answers::SideName;
use buttonwood_wire::clearing::ClearingStatus;
use buttonwood_wire::contract::{
    DecimalNumber, Digits, Flag, InPayload, Label, Loose, PageRows, Text, Timestamp,
};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request, words};

/// Trader only.
pub(crate) const ROUTE: Route = Route::recalling("/v1/clearing/list", |app, call| Box::pin(answer(app, call)))
    .right(ClearingCommand::LIST_RIGHT)
    .kinds(Kinds::Exchange)
    .about("Lists the clearing orders of which the account is a side, the one that was submitted last first.")
    .notes(&[
        "Each field narrows the list. A counterparty that is not known, and a status that no order has, give an empty list. The orders \
         that the account entered as a broker are in `/v1/clearing/broker/list`.",
    ])
    .takes::<Asked>()
    .gives::<ClearingList>();

request! {
    /// Which orders.
    struct Asked in InPayload {
        /// Orders of this symbol alone.
        symbol: Text,
        /// Orders with this counterparty alone: its id or the account's alias for it.
        counterparty: Text,
        /// Orders in which the account has this side alone.
        side: Loose<SideName>,
        /// Orders of this status alone.
        status: Loose<ClearingStatus>,
        /// Only orders that are not settled, cancelled or expired and for which the account has the money now.
        funded: Flag<false>,
        /// Orders submitted after this time, in seconds or milliseconds.
        timestamp: Timestamp,
        /// Orders submitted from this time on; needs `submission_end`.
        submission_start: Timestamp,
        /// Orders submitted up to this time; needs `submission_start`.
        submission_end: Timestamp,
        /// Orders that expire from this time on; needs `expiration_end`.
        expiration_start: Timestamp,
        /// Orders that expire up to this time; needs `expiration_start`.
        expiration_end: Timestamp,
        /// How many at most; more than 500 are 500.
        limit_orders: PageRows,
    }
}

words! {
    /// The word `success`.
    pub(super) struct Success: "success"
}

answer! {
    /// Clearing orders.
    struct ClearingList {
        /// Always `success`.
        result: Success,
        /// The orders, the one that was submitted last first.
        orders: Vec<ListedClearingOrder>,
    }
}

answer! {
    /// A clearing order of which the account is a side.
    struct ListedClearingOrder {
        /// Its id.
        clearing_id: String,
        /// The account's order id, once it has one.
        order_id: Option<Digits>,
        /// The other side, once there is one.
        counterparty_id: Option<String>,
        /// The account's alias for the other side.
        counterparty_alias: Option<Label>,
        /// The broker of a broker's order.
        broker_id: Option<String>,
        /// The symbol, in upper case.
        symbol: String,
        /// The account's side.
        side: SideName,
        /// The price.
        price: DecimalNumber,
        /// The quantity.
        quantity: DecimalNumber,
        /// How far it has come.
        status: ClearingStatus,
        /// When it was submitted, in milliseconds.
        submission: u64,
        /// When it expires, in milliseconds.
        expiration: u64,
    }
}

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let asked = Asked::of(call.payload());
    let mut filter = orders::filter(app, call, false)?;
    let side = asked.side().map(|side| known_side(&side)).transpose()?;
    filter.wanted.side = side;
    if let Some(sent) = asked.counterparty()? {
        match known_as(app, call.account(), &sent) {
            Some(other) => filter.wanted.other = Some(other),
            None => return Ok(reply(app, call.account(), &[])),
        }
    }
    let found = orders::of(app, vec![call.account()], &filter).await?;
    Ok(reply(app, call.account(), &found))
}

fn known_side(sent: &str) -> Result<&'static str, Refusal> {
    match sent {
        "buy" => Ok("buy"),
        "sell" => Ok("sell"),
        other => Err(bad_value("side", "buy or sell", other).with_reason(Reason::InvalidSide)),
    }
}

/// The account that an id or an alias of the caller's stands for.
fn known_as(app: &App, account: AccountId, sent: &str) -> Option<AccountId> {
    let alias = app.exchange.views().state().clearing().named(account, sent);
    alias.or_else(|| counterparty(app, sent))
}

fn reply(app: &App, account: AccountId, found: &[ClearingOrder]) -> Reply {
    let (ids, codes) = (Ids::of(app, found), codes(app, found));
    let aliases: Vec<Option<String>> = {
        let views = app.exchange.views();
        let room = views.state().clearing();
        let alias = |order: &ClearingOrder| room.alias(account, order.other()?).map(str::to_owned);
        found.iter().map(alias).collect()
    };
    let row =
        |((order, clearing_id), alias): ((&ClearingOrder, String), Option<String>)| ListedClearingOrder {
            clearing_id,
            order_id: order.own_order().map(|order| Digits(order.0)),
            counterparty_id: order.other().map(|other| ids.get(other)),
            counterparty_alias: alias.map(Label),
            broker_id: order.broker.map(|broker| ids.get(broker)),
            symbol: order.symbol.to_ascii_uppercase(),
            side: SideName(if order.buys() { "buy" } else { "sell" }),
            price: number(&order.price),
            quantity: number(&order.quantity),
            status: status(&order.status),
            submission: order.submitted.millis(),
            expiration: order.expires.millis(),
        };
    let orders = found.iter().zip(codes).zip(aliases).map(row).collect();
    Reply::json(json::body(&ClearingList { result: Success("success"), orders }))
}

/// A decimal as it is stored, as a number.
pub(super) fn number(text: &str) -> DecimalNumber {
    DecimalNumber::of(|out| out.extend_from_slice(text.as_bytes()))
}
