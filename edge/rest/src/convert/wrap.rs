//! `POST /v1/wrap/{symbol}`: exchange a currency for its wrapped form, one for one (WRAP-001 to WRAP-008).

use super::{MISSING, refusal};
use crate::orders::checks::{check_open, is_closed_to};
use buttonwood_call::{App, Call, Kinds, Route, Write};
use buttonwood_engine::{Body, ConvertAnswer, ConvertCommand, Wrap};
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_model::{Symbol, SymbolId};
use buttonwood_num::Money;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::{DecimalText, InPayload, Loose, Sent};
use buttonwood_wire::convert::{Conversion, amounts};
use buttonwood_wire::field::{closed_symbol, unknown_symbol};
use buttonwood_wire::order_request::{ClientOrderId, Ordered, client_id, quantity, side};
use buttonwood_wire::{answers::SideName, contract::Decimal, json, request};

/// Trader only.
pub(crate) const ROUTE: Route = Route::writing("/v1/wrap/{symbol}", Write { command, answer, closed: None })
    .right(ConvertCommand::RIGHT)
    .kinds(Kinds::Trading)
    .about("Exchanges a currency for its wrapped form or back, one for one and without a fee.")
    .takes::<WrapRequest>()
    .gives::<Conversion>()
    .refuses(&[406]);

request! {
    /// The amount to wrap or unwrap.
    struct WrapRequest in InPayload {
        /// The quantity in the symbol's base currency, a multiple of its `tick_size` and at least its `min_order_size`.
        amount: Ordered<Decimal>,
        /// A buy receives the base currency and pays the quote currency, a sell the reverse.
        side: Ordered<Loose<SideName>>,
        /// An id of the client's own, which need not be unique.
        client_order_id: Sent<ClientOrderId>,
    }
}

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    check_open(app, call)?;
    let (id, symbol) = wrapped_symbol(app, call)?;
    let sent = WrapRequest::of(call.payload());
    let qty = quantity(&sent.amount().unwrap_or(MISSING.into()), symbol)?;
    let side = side(&sent.side().unwrap_or(MISSING.into()), symbol)?;
    let client_id = client_id(sent.client_order_id())?;
    Ok(ConvertCommand::Wrap(Wrap { symbol: id, side, qty, client_id }).into())
}

/// The symbol in the path, which must wrap and be open to the account (WRAP-005).
fn wrapped_symbol<'a>(app: &'a App, call: &Call) -> Result<(SymbolId, &'a Symbol), Refusal> {
    let name = call.parameter();
    let (id, symbol) = app.find_symbol(name).ok_or_else(|| unknown_symbol(name))?;
    if !symbol.closed_to.is_empty() && is_closed_to(app, call, symbol) {
        return Err(closed_symbol(name));
    }
    if !symbol.wrap_enabled {
        let message = format!("Received unsupported symbol '{}': it cannot be wrapped", quoted(name));
        return Err(Refusal::new(Reason::InvalidSymbol, message));
    }
    Ok((id, symbol))
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let wrapped = receipt.part(ConvertAnswer::wrapped).map_err(|reject| {
        let amount = WrapRequest::of(call.payload()).amount().unwrap_or_default();
        refusal(app, call, (call.parameter(), &amount), reject)
    })?;
    let Wrap { symbol, side, qty, .. } = wrapped.wrap;
    let symbol = app.names.symbol(symbol);
    let amount = symbol.grid.base(qty).unwrap_or(Money::ZERO);
    let one = DecimalText::of(|out| out.push(b'1'));
    let amounts = amounts(&app.names, symbol, side, amount, amount, Money::ZERO);
    Ok(Reply::json(json::body(&Conversion::of(wrapped.order, one, amounts))))
}
