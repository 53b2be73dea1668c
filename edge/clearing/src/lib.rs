//! OTC clearing: trades that two accounts agree on, apart from the book (CLR-001 to CLR-028).

mod broker;
mod cancel;
mod confirm;
mod control;
mod list;
mod new;
mod operate;
mod orders;
mod status;
mod terms;
mod trades;

use buttonwood_call::{App, Call, Face, Route, core_refusal, owed};
use buttonwood_engine::Reject;
use buttonwood_engine::clearing::{ORDERS_MAX, Reject as ClearingReject, Term};
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_wire::field::{bad_order_field, bad_value, closed_symbol, market_closed, unknown_symbol};
use buttonwood_wire::reject::in_debt;

pub use operate::alias::{
    find as find_counterparty, refusal as alias_refusal, unknown as unknown_counterparty,
};

/// The endpoints, and the commands of operators.
pub const FACE: Face = Face {
    routes: &[
        new::ROUTE,
        confirm::ROUTE,
        cancel::ROUTE,
        status::ROUTE,
        list::ROUTE,
        trades::ROUTE,
        broker::new::ROUTE,
        broker::list::ROUTE,
        Route::operating("/sandbox/accounts/broker", &operate::broker::CALL).after("/sandbox/accounts/risk"),
        Route::operating("/sandbox/clearing/alias", &operate::alias::COMMAND)
            .after("/sandbox/accounts/broker"),
        control::ROUTE.after("/sandbox/perpetuals/{symbol}"),
    ],
    commands: &[operate::broker::COMMAND, operate::alias::COMMAND, operate::fee::COMMAND],
    ..Face::NONE
};

/// An order that the caller may not confirm, or that does not exist: the same words, so that nobody learns which ids exist (D-87).
pub(crate) fn not_found(id: &str) -> Refusal {
    Refusal::new(Reason::ClearingOrderNotFound, format!("Clearing order '{}' not found", quoted(id)))
}

/// An order that does not await the caller's confirmation.
fn not_open(id: &str, status: &str) -> Refusal {
    let message = format!("Clearing order '{}' does not await your confirmation: it is {status}", quoted(id));
    Refusal::new(Reason::InvalidClearingId, message)
}

/// The refusal of a command of clearing.
fn refusal(app: &App, call: &Call, reject: Reject) -> Refusal {
    if let Reject::Clearing(reject) = reject {
        of_room(app, call, reject)
    } else {
        core_refusal(app, call, reject)
    }
}

fn of_room(app: &App, call: &Call, reject: ClearingReject) -> Refusal {
    let sent = |name| call.payload().decimal_text(name).unwrap_or_default();
    match reject {
        ClearingReject::NotFound => not_found(&sent("clearing_id")),
        ClearingReject::NotOpen(status) => not_open(&sent("clearing_id"), status.name()),
        ClearingReject::InvalidSymbol => closed_symbol(&sent("symbol")),
        ClearingReject::Differs(term) => of_term(app, call, term),
        ClearingReject::BelowMinimum => of_term(app, call, Term::Quantity),
        ClearingReject::BeyondRange => {
            of_term(app, call, Term::Quantity).and("it is worth more than can be settled")
        }
        ClearingReject::NoPrice => of_term(app, call, Term::Price).and("a price is more than 0"),
        ClearingReject::Counterparty(party) => terms::no_counterparty(call, party),
        ClearingReject::NotBroker => broker::new::unmarked(app, call),
        ClearingReject::MarketClosed => market_closed(&sent("symbol").to_ascii_uppercase()),
        ClearingReject::Debt => in_debt(&owed(app, call.account())),
        ClearingReject::TooMany => {
            let message = format!(
                "The account has {ORDERS_MAX} clearing orders that are open or wait for money, and no more are taken"
            );
            Refusal::new(Reason::AccountLimitExceeded, message)
        }
        ClearingReject::OtherTerms => {
            let name = terms::client_id_name(call.payload());
            bad_value(name, "an id that no request with other terms has", &sent(name))
        }
        ClearingReject::WrongKind
        | ClearingReject::BadHours
        | ClearingReject::BadFee
        | ClearingReject::UnknownAccount
        | ClearingReject::BadAlias
        | ClearingReject::TooManyAliases
        | ClearingReject::NothingDue
        | ClearingReject::Unknown => core_refusal(app, call, Reject::Clearing(reject)),
    }
}

/// A term that is not the order's, or that the symbol does not take.
fn of_term(app: &App, call: &Call, term: Term) -> Refusal {
    let sent = |name| call.payload().decimal_text(name).unwrap_or_default();
    let name = sent("symbol");
    let Some((_, symbol)) = app.find_symbol(&name) else { return unknown_symbol(&name) };
    match term {
        Term::Symbol => {
            let message = format!(
                "Invalid symbol for clearing order '{}': '{}'",
                quoted(&sent("clearing_id")),
                quoted(&name)
            );
            Refusal::new(Reason::InvalidSymbol, message)
        }
        Term::Quantity => bad_order_field(Reason::InvalidQuantity, "quantity", symbol, &sent("amount")),
        Term::Price => bad_order_field(Reason::InvalidPrice, "price", symbol, &sent("price")),
        Term::Side => bad_order_field(Reason::InvalidSide, "side", symbol, &format!("'{}'", sent("side"))),
    }
}
