//! `POST /v1/clearing/broker/list`: the orders that the account entered as a broker (CLR-025, CLR-026).

use crate::list::{Success, number};
use crate::orders::{self, Ids, codes, status};
use buttonwood_call::{App, Call, Kinds, Route};
use buttonwood_engine::ClearingCommand;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_tables::ClearingOrder;
use buttonwood_wire::answers::SideName;
use buttonwood_wire::clearing::ClearingStatus;
use buttonwood_wire::contract::{DecimalNumber, Digits, Flag, InPayload, Loose, PageRows, Text, Timestamp};
use buttonwood_wire::{answer, json, request};

/// Trader only.
pub(crate) const ROUTE: Route =
    Route::recalling("/v1/clearing/broker/list", |app, call| Box::pin(answer(app, call)))
        .right(ClearingCommand::LIST_RIGHT)
        .kinds(Kinds::Exchange)
        .about("Lists the clearing orders that the account entered as a broker, the one that was submitted last first.")
        .notes(&[
            "Each field narrows the list. `funded` keeps every order that is not settled, cancelled or expired: it shows nothing about \
             the balances of both sides.",
        ])
        .takes::<Asked>()
        .gives::<BrokerClearingList>();

request! {
    /// Which orders.
    struct Asked in InPayload {
        /// Orders of this symbol alone.
        symbol: Text,
        /// Orders of this status alone.
        status: Loose<ClearingStatus>,
        /// Only orders that are not settled, cancelled or expired.
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

answer! {
    /// Clearing orders of a broker.
    struct BrokerClearingList {
        /// Always `success`.
        result: Success,
        /// The orders, the one that was submitted last first.
        orders: Vec<BrokeredClearingOrder>,
    }
}

answer! {
    /// A clearing order that a broker entered.
    struct BrokeredClearingOrder {
        /// Its id.
        clearing_id: String,
        /// The account whose side the order names.
        source_counterparty_id: String,
        /// The order id of the source.
        source_order_id: Digits,
        /// The account at the other side.
        target_counterparty_id: Option<String>,
        /// The order id of the target, once it has confirmed.
        target_order_id: Option<Digits>,
        /// The symbol, in upper case.
        symbol: String,
        /// The side of the source.
        source_side: SideName,
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
    let found = orders::of(app, vec![call.account()], &orders::filter(app, call, true)?).await?;
    let (ids, codes) = (Ids::of(app, &found), codes(app, &found));
    let row = |(order, clearing_id): (&ClearingOrder, String)| BrokeredClearingOrder {
        clearing_id,
        source_counterparty_id: ids.get(order.source),
        source_order_id: Digits(order.source_order.0),
        target_counterparty_id: order.target.map(|target| ids.get(target)),
        target_order_id: order.target_order.map(|order| Digits(order.0)),
        symbol: order.symbol.to_ascii_uppercase(),
        source_side: SideName(if order.source_buys { "buy" } else { "sell" }),
        price: number(&order.price),
        quantity: number(&order.quantity),
        status: status(&order.status),
        submission: order.submitted.millis(),
        expiration: order.expires.millis(),
    };
    let orders = found.iter().zip(codes).map(row).collect();
    Ok(Reply::json(json::body(&BrokerClearingList { result: Success("success"), orders })))
}
