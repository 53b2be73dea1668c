//! `POST /v1/clearing/confirm`: a side agrees to an order, whose terms it repeats (CLR-008 to CLR-010, CLR-013).

use super::{not_found, not_open, refusal, terms};
use buttonwood_call::{App, Call, Kinds, Later, Route, Write, not_current};
use buttonwood_engine::clearing::Confirm;
use buttonwood_engine::{Body, ClearingAnswer, ClearingCommand};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_num::Decimal as Number;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::answers::SideName;
use buttonwood_wire::clearing::ClearingId;
use buttonwood_wire::contract::{Decimal, InPayload, Loose, Needed, Text};
use buttonwood_wire::field::{bad_value, unknown_symbol};
use buttonwood_wire::order_request::side;
use buttonwood_wire::{answer, json, request, words};

/// Trader only.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/clearing/confirm", Write { command, answer, closed: Some(closed) })
        .right(ClearingCommand::RIGHT)
        .kinds(Kinds::Exchange)
        .about("Confirms a clearing order; the last confirmation settles it, if both sides have the money.")
        .notes(&[
            "The terms are those of the order: the symbol without regard to case, amount and price as numbers, and the caller's own \
             side, which is the opposite of the initiator's. Without the money the order waits, and settles when it is there.",
            "An order that the account may not confirm and an id that no order has are both 404 `ClearingOrderNotFound`. One that does \
             not await the account's confirmation is 400 `InvalidClearingId`, and the message names its status.",
        ])
        .takes::<Confirmation>()
        .gives::<ClearingConfirmed>()
        .refuses(&[404, 406]);

request! {
    /// The order to confirm, with its terms.
    struct Confirmation in InPayload {
        /// The id of the order.
        clearing_id: ClearingId,
        /// Its symbol, in any letter case.
        symbol: Needed<Loose<Text>>,
        /// Its quantity.
        amount: Needed<Decimal>,
        /// Its price.
        price: Needed<Decimal>,
        /// The caller's side.
        side: Needed<Loose<SideName>>,
    }
}

words! {
    /// The word `confirmed`.
    struct ConfirmedWord: "confirmed"
}

answer! {
    /// An order was confirmed.
    struct ClearingConfirmed {
        /// Always `confirmed`.
        result: ConfirmedWord,
    }
}

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    let sent = Confirmation::of(call.payload());
    let (id, name, amount) = (sent.clearing_id()?, sent.symbol()?, sent.amount()?);
    let (price, side_sent) = (sent.price()?, sent.side()?);
    let symbol = app.find_symbol(&name);
    let side = match (symbol, &*side_sent) {
        (Some((_, symbol)), sent) => side(sent, symbol)?,
        // The symbol is refused once it is known whether there is an order.
        (None, "buy") => buttonwood_model::Side::Buy,
        (None, "sell") => buttonwood_model::Side::Sell,
        (None, _) => return Err(unknown_symbol(&name)),
    };
    let number = |name: &str, text: &str, reason| {
        Number::parse(text.as_bytes()).map_err(|_| bad_value(name, "a decimal", text).with_reason(reason))
    };
    let amount = number("amount", &amount, Reason::InvalidQuantity)?;
    let price = number("price", &price, Reason::InvalidPrice)?;
    let code = terms::code(&id).ok_or_else(|| not_found(&id))?;
    let confirm = Confirm {
        code,
        symbol: symbol.map(|(id, _)| id),
        qty: symbol.and_then(|(_, symbol)| symbol.grid.qty(amount)),
        price: symbol.and_then(|(_, symbol)| symbol.grid.price(price)),
        side,
    };
    Ok(ClearingCommand::Confirm(confirm).into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    receipt.of::<ClearingAnswer>().map_err(|reject| refusal(app, call, reject))?;
    Ok(Reply::json(json::body(&ClearingConfirmed { result: ConfirmedWord("confirmed") })))
}

/// The state does not have the order: a party of a closed one learns how it was closed, everyone else that there is none.
fn closed<'a>(app: &'a App, call: &'a Call, _receipt: &'a Receipt) -> Later<'a> {
    Box::pin(async move {
        let id = Confirmation::of(call.payload()).clearing_id()?;
        let number = terms::number(app, &id);
        let found = match number {
            Some(number) => {
                let account = call.account();
                let find = app.exchange.query_tables(move |tables| tables.clearing_order(account, number));
                find.await.map_err(|fault| not_current(&fault))?
            }
            None => None,
        };
        call.gate().note_refused(ROUTE.gate_kind(), app.uptime());
        Err(found.map_or_else(|| not_found(&id), |order| not_open(&id, &order.status)))
    })
}
