//! The terms of an order, as a client sends them.

use buttonwood_call::{App, Call, transfer_client_id};
use buttonwood_engine::clearing::{Code, HOURS, New, Parties, Party, Terms};
use buttonwood_engine::{Body, ClearingCommand};
use buttonwood_gate::{Payload, Refusal, quoted};
use buttonwood_model::{AccountId, Product};
use buttonwood_wire::answers::SideName;
use buttonwood_wire::contract::{Decimal, InPayload, Loose, Needed, Text};
use buttonwood_wire::field::{bad_value, closed_symbol, unknown_symbol};
use buttonwood_wire::order_request::{limit_price, quantity, side};
use buttonwood_wire::request;
use std::sync::Arc;

request! {
    /// The terms that every new order has.
    struct OrderTerms in InPayload {
        /// The symbol.
        symbol: Needed<Loose<Text>>,
        /// The quantity.
        amount: Needed<Decimal>,
        /// The price.
        price: Needed<Decimal>,
        /// The side.
        side: Needed<Loose<SideName>>,
    }
}

/// The command that enters an order. The terms are read first, then parties and hours.
pub(super) fn entry(
    app: &App,
    call: &Call,
    parties: impl FnOnce() -> Result<Parties, Refusal>,
    hours: impl FnOnce() -> Result<Option<u16>, Refusal>,
) -> Result<Body, Refusal> {
    let sent = OrderTerms::of(call.payload());
    let (name, amount, price, side_sent) = (sent.symbol()?, sent.amount()?, sent.price()?, sent.side()?);
    let (id, symbol) = app.find_symbol(&name).ok_or_else(|| unknown_symbol(&name))?;
    if symbol.product != Product::Spot {
        return Err(closed_symbol(&name));
    }
    let terms = Terms {
        symbol: id,
        qty: quantity(&amount, symbol)?,
        price: limit_price(&price, symbol)?,
        side: side(&side_sent, symbol)?,
        parties: parties()?,
        hours: hours()?.unwrap_or(HOURS),
    };
    let client_id = transfer_client_id(call.payload())?;
    Ok(ClearingCommand::New(Arc::new(New { terms, client_id })).into())
}

/// The spelling in which a payload has its client id.
pub(super) fn client_id_name(payload: &Payload) -> &'static str {
    let names = ["clientTransferId", "client_transfer_id"];
    names.into_iter().find(|name| payload.field(name).is_some()).unwrap_or(names[1])
}

/// The account of a counterparty id.
pub(super) fn counterparty(app: &App, id: &str) -> Option<AccountId> {
    app.exchange.views().state().access().by_counterparty_id(id)
}

/// The account that a field names. For an id that no account has it is one that is never opened, so that the core refuses it as it refuses a
/// closed account: after the same checks, in the same words.
pub(super) fn named(app: &App, id: &str) -> AccountId {
    counterparty(app, id).unwrap_or(AccountId(u32::MAX))
}

/// Whether the client id of the call stands for an earlier request.
pub(super) fn is_repeated(app: &App, call: &Call) -> bool {
    let client_id = transfer_client_id(call.payload()).unwrap_or_default();
    app.exchange.views().state().access().client_id(call.account(), &client_id).is_some()
}

/// The refusal of a side that is no other account that may take part. All such ids have the same words.
pub(super) fn no_counterparty(call: &Call, party: Party) -> Refusal {
    let names = ["source_counterparty_id", "target_counterparty_id", "counterparty_id"];
    let [source, target, other] = names;
    let is_broker = call.payload().field(source).is_some();
    let name = match party {
        Party::Source => source,
        Party::Target if is_broker => target,
        Party::Target => other,
    };
    let id = call.payload().decimal_text(name).unwrap_or_default();
    bad_value(name, "the counterparty id of another exchange account", &format!("'{}'", quoted(&id)))
}

/// The code of an id, if it looks like one.
pub(super) fn code(id: &str) -> Option<Code> {
    id.parse().ok()
}

/// The number of an id that was given to an order.
pub(crate) fn number(app: &App, id: &str) -> Option<u64> {
    let code = code(id)?;
    app.exchange.views().state().clearing().number(code)
}
