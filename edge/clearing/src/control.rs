//! `GET /sandbox/clearing/{clearing_id}`: a clearing order, and what each side lacks for its settlement.

use crate::not_found;
use crate::terms::number;
use buttonwood_call::{App, Asked, Later, Route, not_current};
use buttonwood_engine::{ClearingOrder, State};
use buttonwood_http::Reply;
use buttonwood_model::AccountId;
use buttonwood_num::MONEY_DECIMALS;
use buttonwood_wire::clearing::ClearingStatus;
use buttonwood_wire::contract::{DecimalText, Done, Words};
use buttonwood_wire::{answer, json};

/// This machine only.
pub(crate) const ROUTE: Route = Route::control_asking("/sandbox/clearing/{clearing_id}", show)
    .about("Shows a clearing order, and what each side lacks for its settlement.")
    .gives::<ClearingState>();

answer! {
    /// A clearing order. Accounts are counterparty ids.
    struct ClearingState {
        /// Always `ok`.
        result: Done,
        /// Its id.
        clearing_id: String,
        /// How far it has come.
        status: ClearingStatus,
        /// The initiator, or the source of a broker's order.
        source: String,
        /// The other side, once there is one.
        target: Option<String>,
        /// The broker of a broker's order.
        broker: Option<String>,
        /// The amounts that the sides of an order lack that is not settled, cancelled or expired.
        missing: Vec<Missing>,
    }
}

answer! {
    /// An amount that a side lacks.
    struct Missing {
        /// The side.
        counterparty_id: String,
        /// The currency.
        currency: String,
        /// How much.
        amount: DecimalText,
    }
}

fn show<'a>(app: &'a App, asked: &'a Asked<'a>) -> Later<'a> {
    Box::pin(async move {
        let id = asked.parameter;
        let number = number(app, id).ok_or_else(|| not_found(id))?;
        let open = {
            let views = app.exchange.views();
            let state = views.state();
            state.clearing().order(number).map(|order| of_open(app, state, id, order))
        };
        if let Some(open) = open {
            return Ok(Reply::json(json::body(&open)));
        }
        let closed = app.exchange.query_tables(move |tables| tables.any_clearing_order(number)).await;
        let closed = closed.map_err(|fault| not_current(&fault))?.ok_or_else(|| not_found(id))?;
        let views = app.exchange.views();
        let of = |account| counterparty_id(views.state(), account);
        let shown = ClearingState {
            result: Done,
            clearing_id: id.to_owned(),
            status: word(&closed.status),
            source: of(closed.source),
            target: closed.target.map(of),
            broker: closed.broker.map(of),
            missing: Vec::new(),
        };
        Ok(Reply::json(json::body(&shown)))
    })
}

fn of_open(app: &App, state: &State, id: &str, order: &ClearingOrder) -> ClearingState {
    let of = |account| counterparty_id(state, account);
    let lacks = state.lacking_in_clearing(order).into_iter().map(|(account, currency, amount)| Missing {
        counterparty_id: of(account),
        currency: app.names.currency(currency).code.clone(),
        amount: DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS)),
    });
    ClearingState {
        result: Done,
        clearing_id: id.to_owned(),
        status: word(order.status.name()),
        source: of(order.source),
        target: order.target.map(of),
        broker: order.broker.map(of),
        missing: lacks.collect(),
    }
}

fn counterparty_id(state: &State, account: AccountId) -> String {
    state.access().account(account).map_or_else(String::new, |account| account.counterparty_id.clone())
}

fn word(name: &str) -> ClearingStatus {
    ClearingStatus(ClearingStatus::WORDS.iter().find(|word| **word == name).copied().unwrap_or_default())
}
