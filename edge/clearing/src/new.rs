//! `POST /v1/clearing/new`: enters an order for the caller and a counterparty (CLR-001, CLR-002).

use super::{refusal, terms};
use buttonwood_call::{App, Call, Kinds, Route, Write};
use buttonwood_engine::clearing::{Answer, Parties};
use buttonwood_engine::{Body, ClearingCommand, Reject};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::answers::SideName;
use buttonwood_wire::clearing::{ClearingStatus, CounterpartyId, Hours};
use buttonwood_wire::contract::{Decimal, InPayload, Loose, Needed, Sent, Text};
use buttonwood_wire::{answer, json, request};

/// Trader only.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/clearing/new", Write { command, answer, closed: None })
        .right(ClearingCommand::RIGHT)
        .kinds(Kinds::Exchange)
        .about("Enters a clearing order: a trade that another account confirms, apart from the book.")
        .notes(&[
            "Without `counterparty_id` every account that has the id may confirm the order. Nothing is held or moved before the \
             settlement, and there is no collar.",
            "A repeated call with the same client id and equal terms has the same answer and enters no second order. The id is in one \
             space with those of the account's transfers.",
        ])
        .takes::<NewClearing>()
        .gives::<ClearingEntered>()
        .refuses(&[406]);

request! {
    /// A new clearing order.
    struct NewClearing in InPayload {
        /// The symbol, of spot, in any letter case.
        symbol: Needed<Loose<Text>>,
        /// The quantity, a multiple of the symbol's `tick_size` and at least its `min_order_size`.
        amount: Needed<Decimal>,
        /// The price, a multiple of the symbol's `quote_increment`.
        price: Needed<Decimal>,
        /// The caller's side.
        side: Needed<Loose<SideName>>,
        /// The counterparty, which alone may confirm; without it every account that has the order's id may.
        counterparty_id: CounterpartyId,
        /// The hours until it expires: 24 without it.
        expires_in_hrs: Hours<false>,
        /// The client's id of the call, 1 to 100 characters; also `clientTransferId`.
        client_id as "client_transfer_id": Sent<Text>,
    }
}

answer! {
    /// A clearing order that was entered.
    pub(super) struct ClearingEntered {
        /// The status that a new order has.
        pub(super) result: ClearingStatus,
        /// Its id: 8 upper-case letters and digits.
        pub(super) clearing_id: String,
    }
}

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    let sent = NewClearing::of(call.payload());
    let (counterparty, hours) = (sent.counterparty_id(), sent.expires_in_hrs());
    let parties = || match counterparty? {
        None => Ok(Parties::Open),
        Some(id) => Ok(Parties::With(terms::named(app, &id))),
    };
    terms::entry(app, call, parties, || hours)
}

/// The answer to an entry.
pub(super) fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    match receipt.of() {
        Ok(Answer::Entered(code, status)) => {
            let entered =
                ClearingEntered { result: ClearingStatus(status.name()), clearing_id: code.to_string() };
            Ok(Reply::json(json::body(&entered)))
        }
        Ok(Answer::Confirmed | Answer::Canceled) => Err(refusal(app, call, Reject::System)),
        Err(reject) => Err(refusal(app, call, reject)),
    }
}
